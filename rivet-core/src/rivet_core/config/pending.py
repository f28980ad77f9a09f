"""Keys that are read, and that nothing acts upon yet: said aloud, since a promise that nobody keeps is worse than none.

Whoever makes the engine act upon a key removes it here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rivet_core.config.elsewhere import UNSUPPORTED
from rivet_core.config.hints import option_fields
from rivet_core.config.nodes import Items, Keyed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rivet_core.config.nodes import Entry, Node
    from rivet_core.config.reading import Reading
    from rivet_core.config.source import SourceBlock

#: Gates that would not be judged: the file is refused.
GATES: Final = (("quality", "null_ratio_max"), ("quality", "unique_columns"), ("verify",))
#: Tuning that the engine follows; a source that has an option ``tuning`` looks at the second set itself.
ENGINE_TUNING: Final = frozenset({"profile", "max_retries", "retry_backoff_ms"})
SOURCE_TUNING: Final = frozenset({"statement_timeout_s", "lock_timeout_s", "max_value_mb"})
#: Other keys that change nothing about a run.
WITHOUT_EFFECT: Final = ("shape_drift_warn_factor",)


def report_pending(root: Keyed, exports: tuple[Node, ...], source: SourceBlock | None, reading: Reading) -> None:
    """Report the gates that are not judged as problems, and the rest as warnings."""
    tunings = [_entry(root, ("source", "tuning")), *(_entry(node, ("tuning",)) for node in exports)]
    looks = source is not None and "tuning" in {field.key for field in option_fields(source.declaration.options)}
    followed = ENGINE_TUNING | (SOURCE_TUNING if looks else frozenset())
    for tuning in tunings:
        for entry in _entries(tuning):
            if entry.key not in followed:
                reading.warn(entry.place, f"tuning.{entry.key} has no effect yet")
    for node in exports:
        for path in GATES:
            found = _entry(node, path)
            if found is not None and not _harmless(found.value):
                message = f"{'.'.join(path)} is not judged yet, and the run would pass without it"
                remedy = "remove it, and check the column where the files are loaded"
                reading.problem(found.place, message, code=UNSUPPORTED, remedy=remedy)
        for key in WITHOUT_EFFECT:
            if (found := _entry(node, (key,))) is not None:
                reading.warn(found.place, f"{key} has no effect yet")
    if (notifications := root.get("notifications")) is not None:
        reading.warn(notifications.place, "notifications are not sent yet")


def _entry(node: Node, path: tuple[str, ...]) -> Entry | None:
    found = node.get(path[0]) if isinstance(node, Keyed) else None
    return found if found is None or len(path) == 1 else _entry(found.value, path[1:])


def _entries(entry: Entry | None) -> Iterator[Entry]:
    return iter(entry.value if entry is not None and isinstance(entry.value, Keyed) else ())


def _harmless(node: Node) -> bool:
    """Whether a value asks for nothing: an empty one, or the default of ``verify``."""
    if isinstance(node, Keyed):
        return not node.entries
    return not node.items if isinstance(node, Items) else node.null or node.text == "size"
