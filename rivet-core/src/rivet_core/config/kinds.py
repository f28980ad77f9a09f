"""What configuration asks of the installed plugins, and how a file names one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import attrs

from rivet_core.config.nodes import Items, Keyed, Node, Scalar
from rivet_core.config.showing import is_a_word, shown
from rivet_core.config.structure import WRONG, structure
from rivet_core.config.suggestions import closest
from rivet_core.errors import RivetError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from rivet_core.config.reading import Reading
    from rivet_core.errors import Place
    from rivet_core.hookspecs import DestinationType, FormatType, RunnerType, SourceType

    D = TypeVar("D")


class Kinds(Protocol):
    """Declarations by kind; each raises a :class:`~rivet_core.errors.RivetError` when there is none to be had."""

    def source_type(self, kind: str) -> SourceType:
        """Return the declaration of a kind of source."""

    def runner_types(self, mode: str) -> tuple[RunnerType, ...]:
        """Return the runners that serve a mode, at least one."""

    def format_type(self, kind: str) -> FormatType:
        """Return the declaration of a kind of format."""

    def destination_type(self, kind: str) -> DestinationType:
        """Return the declaration of a kind of destination."""


@attrs.frozen(kw_only=True)
class KindBlock:
    """A plugin as a file names it: ``parquet``, or ``{type: parquet, …}``.

    :param options: the block without ``type``.
    """

    kind: str
    place: Place
    options: Keyed


def kind_block(node: Node, reading: Reading, *, seam: str, word: bool = True) -> KindBlock | None:
    """Return what a node names, or None after reporting that it names nothing.

    :param seam: ``source``, ``mode``, ``format`` or ``destination``.
    :param word: whether the kind alone is enough, without a block.
    """
    if isinstance(node, Scalar) and word:
        return _named(structure(node, str, reading), node, _empty(node.place), reading, seam)
    if isinstance(node, Items | Scalar):
        reading.problem(
            node.place, f"{seam!r} must be a mapping with the key 'type'", remedy=f"write {seam}: {{type: …}}"
        )
        return None
    entry = node.get("type")
    if entry is None:
        near = closest("type", [other.key for other in node])
        if near is not None and (misspelt := node.get(near)) is not None:
            reading.problem(misspelt.place, f"unknown key {shown(near)}", remedy="did you mean 'type'?")
            return None
        reading.problem(node.place, f"{seam!r} has no 'type'", remedy=f"add the kind of {seam}, such as type: …")
        return None
    return _named(structure(entry.value, str, reading, key=entry), entry.value, node.without(["type"]), reading, seam)


def _named(kind: Any, node: Node, options: Keyed, reading: Reading, seam: str) -> KindBlock | None:
    """Return the block of a kind that is a word; anything else may be a secret, and no plugin is asked for it."""
    if kind is WRONG:
        return None
    if not is_a_word(kind):
        message = f"the kind of {seam} must be a word, and this is none"
        reading.problem(node.place, message, remedy="rivet plugins lists the kinds that are installed")
        return None
    return KindBlock(kind=kind, place=node.place, options=options)


def ask(asked: Callable[[str], D], block: KindBlock | None, reading: Reading) -> D | None:
    """Return a declaration, or None after reporting at the block's line why there is none."""
    if block is None:
        return None
    try:
        return asked(block.kind)
    except RivetError as error:
        reading.refused(block.place, error)
        return None


def _empty(place: Place) -> Keyed:
    return Keyed(entries=(), place=place)
