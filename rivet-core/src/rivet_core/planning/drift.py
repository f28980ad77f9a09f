"""Schema drift: what was added, removed or retyped since the baseline; pure."""

from __future__ import annotations

import json

import attrs


@attrs.frozen(kw_only=True)
class Drift:
    """The differences, each as a person should read it."""

    changes: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.changes != ()


def find_drift(baseline: str | None, current: str) -> Drift:
    """Compare two baselines of :func:`rivet_core.planning.identity.drift_baseline`.

    The order of columns is no drift. Without a baseline there is none either.
    """
    if baseline is None:
        return Drift(changes=())
    before, after = json.loads(baseline), json.loads(current)
    changes: list[str] = []
    for dataset in sorted(before.keys() | after.keys()):
        label = f"{dataset}." if dataset else ""
        old, new = dict(before.get(dataset, [])), dict(after.get(dataset, []))
        changes += [f"column {label}{name} was added ({new[name]})" for name in new if name not in old]
        changes += [f"column {label}{name} was removed (it was {old[name]})" for name in old if name not in new]
        changes += [
            f"column {label}{name} was {old[name]} and is {new[name]}"
            for name in old
            if name in new and old[name] != new[name]
        ]
    return Drift(changes=tuple(changes))
