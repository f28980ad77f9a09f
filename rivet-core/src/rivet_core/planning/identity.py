"""The plan's identity: what must be the same for an unfinished run to be continued.

Credentials, tuning, the number of workers and clock values are not part of it. It is JSON text, so that two identities
can be compared and their differences named.
"""

from __future__ import annotations

import json
from enum import Enum
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import attrs

from rivet_core.types import Secret

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rivet_core.planning.plan import DatasetPlan
    from rivet_core.requests import Intent
    from rivet_core.types import SourceIdentity


def plan_fingerprint(
    intent: Intent,
    *,
    source: SourceIdentity,
    runner: str,
    datasets: Iterable[DatasetPlan],
    destination_template: str,
) -> str:
    """Return the plan's identity as canonical JSON text.

    :param destination_template: the destination's address with the prefix's placeholders unresolved.
    """
    return json.dumps(
        {
            "source": str(source),
            "relation": intent.relation_template or _relation(intent),
            "runner": runner,
            "mode options": plain(intent.mode.options),
            "format": {"kind": intent.format.kind, "options": plain(intent.format.options)},
            "destination": {"kind": intent.destination.kind, "prefix": destination_template},
            "part size": intent.part_bytes,
            "columns": {
                dataset.name: [
                    [column.name, column.native_type, str(column.field.type), column.expression]
                    for column in dataset.columns
                ]
                for dataset in datasets
            },
            "meta columns": {"exported_at": intent.exported_at, "row_hash": plain(intent.row_hash)},
            "invalid values": plain(intent.rules),
        },
        sort_keys=True,
    )


def position_facts(intent: Intent, *, runner: str, destination_template: str) -> str:
    """Return what a stored position means, as canonical JSON text; the next run must mean the same by it."""
    return json.dumps(
        {
            "runner": runner,
            "mode options": plain(intent.mode.options),
            "relation": intent.relation_template or _relation(intent),
            "format": intent.format.kind,
            "destination": {"kind": intent.destination.kind, "prefix": destination_template},
        },
        sort_keys=True,
    )


def drift_baseline(datasets: Iterable[DatasetPlan]) -> str:
    """Return the schemas that later runs are compared with, as canonical JSON text."""
    return json.dumps(
        {dataset.name: [[column.name, str(column.field.type)] for column in dataset.columns] for dataset in datasets},
        sort_keys=True,
    )


def differences(before: str, after: str) -> list[str]:
    """Name what differs between two identities, or two positions' facts."""
    old, new = json.loads(before), json.loads(after)
    return [
        f"{name} was {json.dumps(old.get(name))} and is {json.dumps(new.get(name))}"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]


def plain(value: object) -> Any:
    """Return an options value as JSON data, without its secrets."""
    if isinstance(value, Secret):
        return None
    kind = type(value)
    if attrs.has(kind):
        members = {field.name: getattr(value, field.name) for field in attrs.fields(kind)}
        return {name: plain(member) for name, member in members.items() if not isinstance(member, Secret)}
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, tuple | list | frozenset | set):
        return [plain(item) for item in (sorted(value) if isinstance(value, frozenset | set) else value)]
    if isinstance(value, PurePath):
        return str(value)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return repr(value)


def _relation(intent: Intent) -> Any:
    return plain(intent.relation) if intent.relation is not None else None
