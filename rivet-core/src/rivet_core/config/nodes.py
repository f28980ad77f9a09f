"""The file as a tree of our own, made from PyYAML's nodes: text as written, each with its place.

No YAML rule about types is applied here; what a scalar means is decided by the field that it is for.
The braces of a placeholder are no YAML either, so that ``{port: ${PORT}}`` needs no quotes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

import attrs
import yaml

from rivet_core.config.problems import ConfigurationInvalid, Problem
from rivet_core.config.showing import can_hold_a_secret, may_be_told, shown, without_passwords
from rivet_core.config.syntax import syntax_problem
from rivet_core.errors import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Aliases are followed, so a small file can stand for a huge tree; no honest one comes near.
MAX_NODES: Final = 100_000
MAX_BYTES: Final = 4 * 1024 * 1024
MAX_DEPTH: Final = 100
_FLATTEN: Final = "close brackets where they belong: no key of a configuration is nested so deeply"
_SPLIT: Final = "split the exports over several files, and use fewer aliases"
_WORD: Final = "write a word before the colon, in quotes where it has special characters"
_MERGE: Final = "write an alias of a mapping behind it, such as <<: *usual, or a list of them"


@attrs.frozen(kw_only=True)
class Scalar:
    """A single value.

    :param plain: written without quotes and not as a block.
    """

    text: str
    plain: bool
    place: Place

    @property
    def null(self) -> bool:
        """Whether YAML calls it null: nothing, ``~`` or ``null``."""
        return self.plain and self.text in {"", "~", "null", "Null", "NULL"}


@attrs.frozen(kw_only=True)
class Items:
    """A list."""

    items: tuple[Node, ...]
    place: Place


@attrs.frozen(kw_only=True)
class Entry:
    """A key and its value; ``place`` is the key's.

    :param doubtful: it may be a piece of the secret before it, which a comma ended, so no message shows it.
    """

    key: str
    value: Node
    place: Place
    doubtful: bool = False


@attrs.frozen(kw_only=True)
class Keyed:
    """A mapping; its keys are unique."""

    entries: tuple[Entry, ...]
    place: Place

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def get(self, key: str) -> Entry | None:
        """Return the entry of a key."""
        return next((entry for entry in self.entries if entry.key == key), None)

    def only(self, keys: Iterable[str]) -> Keyed:
        """Return the mapping with these keys alone."""
        wanted = set(keys)
        return attrs.evolve(self, entries=tuple(entry for entry in self.entries if entry.key in wanted))

    def without(self, keys: Iterable[str]) -> Keyed:
        """Return the mapping without these keys."""
        unwanted = set(keys)
        return attrs.evolve(self, entries=tuple(entry for entry in self.entries if entry.key not in unwanted))

    def over(self, other: Keyed) -> Keyed:
        """Return the other mapping with this one's entries over its own."""
        mine = {entry.key for entry in self.entries}
        return attrs.evolve(self, entries=(*other.without(mine).entries, *self.entries))


Node: TypeAlias = Scalar | Items | Keyed


def compose(text: str, *, file: str) -> tuple[Node, list[Problem]]:
    """Parse a file's text.

    :return: the tree, and the problems that leave the rest of the tree usable, such as duplicate keys.
    :raises ConfigurationInvalid: when there is no tree: the text is not YAML, is empty, or is out of all bounds.
    """
    start = Place(file=file, line=1, column=1)
    braces = _Braces.unlike(text)
    try:
        root = yaml.compose(braces.hidden(text), Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        # Without its cause, which shows the line.
        raise ConfigurationInvalid([syntax_problem(error, text, file=file)]) from None
    except RecursionError:
        raise ConfigurationInvalid(
            [Problem(place=start, message="the file is nested too deeply", remedy=_FLATTEN)]
        ) from None
    if root is None:
        raise ConfigurationInvalid(
            [Problem(place=start, message="the file is empty", remedy="give it a source and exports")]
        )
    growing = _Growing(file, braces)
    try:
        return growing.node(root, "", ()), growing.problems
    except _OutOfBounds as error:
        raise ConfigurationInvalid([Problem(place=error.place, message=error.reason, remedy=error.remedy)]) from None


def step(path: str, key: str) -> str:
    """Return the YAML path of a key below a path."""
    key = without_passwords(key)
    word = key if key and not set(key) & set('.[]" \n') else '"' + key.replace("\n", " ") + '"'
    return f"{path}.{word}" if path else word


class _OutOfBounds(Exception):
    def __init__(self, place: Place, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.remedy = remedy
        self.place = place
        self.reason = reason


@attrs.frozen(kw_only=True)
class _Braces:
    """Characters that stand for the braces of placeholders while the text is parsed, each for one, so that places hold.

    :param left: a character that the text does not have, as is ``right``.
    """

    left: str
    right: str

    @classmethod
    def unlike(cls, text: str) -> _Braces:
        taken = set(text)
        free = [mark for mark in map(chr, range(0xE000, 0xF900)) if mark not in taken]
        # No honest file uses them all; one that does has to quote its placeholders.
        return cls(left=free[0], right=free[1]) if len(free) > 1 else cls(left="{", right="}")

    def hidden(self, text: str) -> str:
        return _PLACEHOLDER.sub(rf"${self.left}\1{self.right}", text)

    def shown(self, text: str) -> str:
        return text.replace(self.left, "{").replace(self.right, "}")


class _Growing:
    """Turns PyYAML's nodes into ours, within bounds."""

    def __init__(self, file: str, braces: _Braces) -> None:
        self.problems: list[Problem] = []
        self._file = file
        self._braces = braces
        self._count = 0

    def node(self, node: yaml.Node, path: str, above: tuple[int, ...], *, secret: bool = False) -> Node:
        """Return our node; below a key that can hold a secret, paths and problems name nothing."""
        place = self._place(node, path)
        self._count += 1
        if self._count > MAX_NODES:
            raise _OutOfBounds(place, f"aliases make this file larger than {MAX_NODES} values", _SPLIT)
        if id(node) in above:
            raise _OutOfBounds(place, "this anchor holds an alias of itself", "write out what the alias stands for")
        if len(above) > MAX_DEPTH:
            raise _OutOfBounds(place, f"the file is nested deeper than {MAX_DEPTH} levels", _FLATTEN)
        self._refuse_tag(node, place)
        below = (*above, id(node))
        if isinstance(node, yaml.MappingNode):
            return Keyed(entries=tuple(self._entries(node, path, below, secret=secret)), place=place)
        if isinstance(node, yaml.SequenceNode):
            items = [
                self.node(item, f"{path}[{number}]", below, secret=secret) for number, item in enumerate(node.value)
            ]
            return Items(items=tuple(items), place=place)
        return Scalar(text=self._text(node.value, place), plain=_plain(node), place=place)

    def _entries(self, node: yaml.MappingNode, path: str, above: tuple[int, ...], *, secret: bool) -> Iterator[Entry]:
        entries: dict[str, Entry] = {}
        merged: list[Entry] = []
        doubtful = False
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self.problems.append(
                    Problem(place=self._place(key, path), message="a key must be a word", remedy=_WORD)
                )
                continue
            if key.tag == "tag:yaml.org,2002:merge":
                merged += self._merged(value, path, above, secret=secret)
                continue
            name = self._text(key.value, self._place(key, path))
            inner = path if secret else step(path, name)
            place = self._place(key, inner)
            if first := entries.get(name):
                slipped = doubtful or not may_be_told(name, path)
                named = "a key" if secret or slipped else shown(name)
                message = f"{named} is given twice, first on line {first.place.line}"
                place = self._place(key, path) if slipped else place
                self.problems.append(Problem(place=place, message=message, remedy="remove one of the two"))
                continue
            below = secret or can_hold_a_secret(name)
            child = self.node(value, inner, above, secret=below)
            entries[name] = Entry(key=name, value=child, place=place, doubtful=doubtful)
            doubtful = doubtful or (bool(node.flow_style) and below)
        yield from entries.values()
        for entry in merged:
            if entry.key not in entries:
                entries[entry.key] = entry
                yield entry

    def _merged(self, value: yaml.Node, path: str, above: tuple[int, ...], *, secret: bool) -> list[Entry]:
        """Return what ``<<`` brings; an earlier mapping of a list wins over a later one, as YAML has it."""
        wanted = value.value if isinstance(value, yaml.SequenceNode) else [value]
        found: list[Entry] = []
        for one in wanted:
            grown = self.node(one, path, above, secret=secret) if isinstance(one, yaml.MappingNode) else None
            if isinstance(grown, Keyed):
                found += grown.entries
            else:
                self.problems.append(
                    Problem(place=self._place(one, step(path, "<<")), message="'<<' takes a mapping", remedy=_MERGE)
                )
        return found

    def _text(self, text: str, place: Place) -> str:
        r"""Return a text with the halves of characters joined, as JSON writes them: ``"\ud83e\udd80"`` is one."""
        text = self._braces.shown(text)
        if not _HALF.search(text):
            return text
        units = text.encode("utf-16-le", "surrogatepass")
        try:
            return units.decode("utf-16-le")
        except UnicodeDecodeError:
            message = "the escapes of this text hold half a character"
            self.problems.append(Problem(place=place, message=message, remedy="write the character itself"))
            return units.decode("utf-16-le", "replace")

    def _refuse_tag(self, node: yaml.Node, place: Place) -> None:
        kind, plain = type(node), _plain(node)
        value = node.value if isinstance(node, yaml.ScalarNode) else None
        usual = _RESOLVER.resolve(kind, value, (plain, not plain))  # type: ignore[no-untyped-call]  # of the stubs
        if node.tag != usual:
            # Not its name: a password that starts with ! is read as one.
            message = "'!' starts a YAML tag, and tags have no meaning here"
            remedy = "remove the tag, or put a text that starts with '!' in quotes"
            self.problems.append(Problem(place=place, message=message, remedy=remedy))

    def _place(self, node: yaml.Node, path: str) -> Place:
        mark = node.start_mark
        return Place(file=self._file, path=path or None, line=mark.line + 1, column=mark.column + 1)


_HALF: Final = re.compile("[\ud800-\udfff]")
#: A placeholder that YAML would trip over; in a quoted text it reads any other, too.
_PLACEHOLDER: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_.-]*(?::-[^{}\n\"'\\]*)?)\}")
_RESOLVER: Final = yaml.resolver.Resolver()


def _plain(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.style is None
