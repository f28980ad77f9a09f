"""Where in the file a path of it lies, for errors that are found long after the file was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from rivet_core.config.nodes import Items, Keyed, Scalar, step
from rivet_core.config.problems import ConfigurationInvalid
from rivet_core.config.relations import WAYS

if TYPE_CHECKING:
    from rivet_core.config.nodes import Node
    from rivet_core.errors import Place, RivetError

_EXPORTS = "exports"


class Places:
    """The lines of one file. Its values, secrets too, are in it, so it shows none of them.

    :param names: the exports' names, in the order of the file.
    """

    def __init__(self, root: Keyed, names: tuple[str, ...] = ()) -> None:
        self._root = root
        self._names = names

    def __repr__(self) -> str:
        return "Places()"

    def find(self, path: str) -> Place:
        """Return the place of ``source.tls.mode`` or ``exports.orders.quality``; of what is absent, that above it."""
        node: Node = self._root
        place, rest = node.place, path
        if (export := self._export(path)) is not None:
            node, rest = export
            place = node.place
        while rest:
            found = _inside(node, rest)
            if found is None:
                break
            place, node, rest = found
        return attrs.evolve(place, path=path)

    def locate(self, error: RivetError, *, export: str | None = None) -> None:
        """Put the file and the line into an error that knows only its path.

        :param export: what the error is of; one about a relation and without a path is put to the key that names it.
        """
        if isinstance(error, ConfigurationInvalid):
            error.put(attrs.evolve(problem, place=self._located(problem.place)) for problem in error.problems)
        elif error.place is not None:
            place = error.place
            if export is not None and place.path is None and place.relation is not None:
                place = attrs.evolve(place, path=self._naming(export))
            error.place = self._located(place)

    def _naming(self, export: str) -> str:
        """Return the path of the key that names what an export reads."""
        path = f"{_EXPORTS}.{export}"
        found = self._export(path)
        node = found[0] if found is not None else None
        given = (
            [entry.key for entry in node if not getattr(entry.value, "null", False)] if isinstance(node, Keyed) else []
        )
        way = next((key for key in given if key in WAYS), None)
        return path if way is None else f"{path}.{way}"

    def _located(self, place: Place) -> Place:
        if place.path is None or place.file is not None or place.line is not None:
            return place
        found = self.find(place.path)
        return attrs.evolve(place, file=found.file, line=found.line, column=found.column)

    def _export(self, path: str) -> tuple[Node, str] | None:
        """Return the export that a path names, and the rest of the path; a name may have dots."""
        entry = self._root.get(_EXPORTS)
        if entry is None or not isinstance(entry.value, Items) or not path.startswith(f"{_EXPORTS}."):
            return None
        rest = path[len(_EXPORTS) + 1 :]
        pairs = zip(self._names, entry.value.items, strict=False)
        fitting = [(name, node) for name, node in pairs if f"{rest}.".startswith(f"{name}.")]
        if not fitting:
            return None
        name, node = max(fitting, key=lambda pair: len(pair[0]))
        return node, rest[len(name) + 1 :]


def _inside(node: Node, path: str) -> tuple[Place, Node, str] | None:
    """Return where a path goes on below a node: place, node and the rest of the path."""
    if isinstance(node, Scalar):
        return None
    if isinstance(node, Items):
        number, bracket, rest = path.removeprefix("[").partition("]")
        if not (bracket and path.startswith("[") and number.isdigit() and int(number) < len(node.items)):
            return None
        item = node.items[int(number)]
        return item.place, item, rest.removeprefix(".")
    fitting = [entry for entry in node if f"{path}.".startswith((f"{step('', entry.key)}.", f"{step('', entry.key)}["))]
    if not fitting:
        return None
    entry = max(fitting, key=lambda one: len(one.key))
    return entry.place, entry.value, path[len(step("", entry.key)) :].removeprefix(".")
