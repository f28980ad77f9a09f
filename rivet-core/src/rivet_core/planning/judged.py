"""What gates could not judge, refused before anything is read: values all alike, stores that tell nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.errors import Place, UsageError
from rivet_core.manifest.distinct import can_tell_apart

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rivet_core.capabilities import DestinationCapabilities
    from rivet_core.planning.plan import DatasetPlan
    from rivet_core.requests import Intent


def refuse_unjudgeable(intent: Intent, datasets: Iterable[DatasetPlan], destination: DestinationCapabilities) -> None:
    """Refuse gates that have nothing to look at.

    A gate of a column judges every dataset that has it; one of them must.

    :raises UsageError: ``RIVET_CONFIG_VALUE_INVALID``.
    """
    types = {column.name: column.field.type for dataset in datasets for column in dataset.columns}
    if alike := [f"{name} ({types[name]})" for name in intent.unique_columns if not can_tell_apart(types[name])]:
        msg = f"values of {', '.join(alike)} cannot be told apart"
        raise _refusal(intent, "quality.unique_columns", msg, "leave the column out, or cast it to text")
    if intent.verify == "content" and not destination.md5:
        msg = f"the destination {intent.destination.kind} keeps no MD5 that could confirm a part"
        remedy = "use verify: size, and run with --validate, which reads every part again"
        raise _refusal(intent, "verify", msg, remedy)


def _refusal(intent: Intent, key: str, msg: str, remedy: str) -> UsageError:
    place = Place(path=f"exports.{intent.name}.{key}", relation=str(intent.relation))
    return UsageError(msg, code="RIVET_CONFIG_VALUE_INVALID", place=place, remedy=remedy)
