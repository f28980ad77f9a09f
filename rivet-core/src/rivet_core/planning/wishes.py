"""What a user wishes for columns that are not there: refused, since a misspelt wish would be dropped without a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.errors import Place, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rivet_core.planning.plan import DatasetPlan
    from rivet_core.requests import Intent


def refuse_unknown_wishes(intent: Intent, datasets: Iterable[DatasetPlan]) -> None:
    """Refuse an override or a policy for a column that no dataset has.

    :raises UsageError: ``RIVET_CONFIG_VALUE_INVALID``.
    """
    names = list(dict.fromkeys(column.name for dataset in datasets for column in dataset.columns))
    wishes = (("columns", intent.rules.types), ("on_invalid_value", intent.rules.on_invalid_by_column))
    for key, wished in wishes:
        missing = [name for name, _ in wished if name not in names]
        if not missing:
            continue
        lowered = {name.lower() for name in missing}
        near = [name for name in names if name.lower() in lowered]
        msg = f"{key} names {', '.join(missing)}, which the export does not have"
        raise UsageError(
            msg,
            code="RIVET_CONFIG_VALUE_INVALID",
            place=Place(path=f"exports.{intent.name}.{key}", relation=str(intent.relation)),
            remedy=f"there is {', '.join(near)}: names are taken exactly"
            if near
            else f"its columns are {', '.join(names)}",
        )
