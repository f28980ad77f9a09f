"""Keys that are read, and that nothing acts upon yet: said aloud, since a promise that nobody keeps is worse than none.

Whoever makes the engine act upon a key removes it here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from rivet_core.config.hints import alternatives, option_fields
from rivet_core.config.keys import ExportKeys, TuningKeys
from rivet_core.config.nodes import Keyed
from rivet_core.config.structure import WRONG, structure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rivet_core.config.nodes import Entry, Node
    from rivet_core.config.reading import Reading
    from rivet_core.config.source import SourceBlock

#: Tuning that only a source can follow: one that has an option ``tuning`` does.
OF_SOURCES: Final = frozenset({"lock_timeout_s"})
#: Tuning that nothing follows: workers stay as many as the export wants.
UNSERVED: Final = frozenset({"min_parallel"})
#: Keys of an export that nothing follows: the type report has no advice for a warehouse.
UNSERVED_OF_EXPORTS: Final = ("target",)


def report_pending(root: Keyed, exports: tuple[Node, ...], source: SourceBlock | None, reading: Reading) -> None:
    """Report as warnings the keys that change nothing about a run."""
    followed = _followed(source)
    tells_pressure = source is None or source.declaration.capabilities.pressure
    for key in UNSERVED_OF_EXPORTS:
        for export in exports:
            entry = export.get(key) if isinstance(export, Keyed) else None
            if entry is not None and _says(entry, ExportKeys, reading):
                reading.warn(entry.place, f"{key} has no effect yet")
    block = root.get("source")
    for node in (*(() if block is None else (block.value,)), *exports):
        for entry in _tuning(node):
            if not _says(entry, TuningKeys, reading):
                continue
            if entry.key in UNSERVED:
                reading.warn(entry.place, f"tuning.{entry.key} has no effect yet")
            elif entry.key in OF_SOURCES - followed or (entry.key == "adaptive" and not tells_pressure):
                reading.warn(entry.place, f"tuning.{entry.key} has no effect on this kind of source")


def _followed(source: SourceBlock | None) -> frozenset[str]:
    """Return the keys of ``tuning`` that the source looks at itself."""
    if source is None:
        return OF_SOURCES
    hints = [field.hint for field in option_fields(source.declaration.options) if field.key == "tuning"]
    classes = [part for hint in hints for part in alternatives(hint) if attrs.has(part)]
    return frozenset(field.key for cls in classes for field in option_fields(cls))


def _says(entry: Entry, cls: type, reading: Reading) -> bool:
    """Whether a key is given a value that it can have, and that does not turn off what it names."""
    hint = next((field.hint for field in option_fields(cls) if field.key == entry.key), None)
    value = WRONG if hint is None else structure(entry.value, hint, reading.trial(), key=entry)
    return value is not WRONG and value is not None and value is not False


def _tuning(node: Node) -> Iterator[Entry]:
    entry = node.get("tuning") if isinstance(node, Keyed) else None
    return iter(entry.value if entry is not None and isinstance(entry.value, Keyed) else ())
