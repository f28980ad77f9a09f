"""Declarations of installed plugins, found as the program finds them: by the entry point's name."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Any

GROUP = "rivet"
#: Seam to hook.
HOOKS = {
    "source": "rivet_sources",
    "runner": "rivet_runners",
    "format": "rivet_formats",
    "destination": "rivet_destinations",
}


def entry_point(name: str) -> EntryPoint:
    """Return the one installed entry point of that name.

    :param name: seam and kind, such as ``source.sqlite``.
    """
    found = tuple(entry_points(group=GROUP, name=name))
    if len(found) != 1:
        msg = (
            f"{len(found)} distributions offer {name!r} in the entry-point group {GROUP!r}; after an edit of the"
            " metadata an editable package has to be installed again"
        )
        raise LookupError(msg)
    return found[0]


def installed(name: str) -> Any:
    """Return the declaration behind an entry point.

    :param name: seam and kind, such as ``source.sqlite``.
    """
    seam, _, kind = name.partition(".")
    declarations = getattr(entry_point(name).load(), HOOKS[seam])()
    found = [declaration for declaration in declarations if declaration.kind == kind]
    if len(found) != 1:
        msg = f"the module of the entry point {name!r} declares {len(found)} plugins of that kind instead of one"
        raise LookupError(msg)
    return found[0]
