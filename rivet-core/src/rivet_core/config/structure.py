"""Fills the fields of an attrs class from the file's tree; every problem is remembered, none is raised."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeVar

import attrs

from rivet_core.config import hints
from rivet_core.config.names import LOCALE, can_name_a_file
from rivet_core.config.nodes import Entry, Items, Keyed, Node, Scalar
from rivet_core.config.problems import VALUE
from rivet_core.config.scalars import Unreadable, read_boolean, read_float, read_integer
from rivet_core.config.showing import can_hold_a_secret, is_a_word, masked, may_be_told, shown
from rivet_core.config.suggestions import closest, suggest
from rivet_core.config.unfit import Unfit
from rivet_core.config.unknown import unknown_key
from rivet_core.errors import InternalError, RivetError
from rivet_core.types import Secret

if TYPE_CHECKING:
    from rivet_core.config.hints import OptionField
    from rivet_core.config.reading import Reading

T = TypeVar("T")


class Wrong(Enum):
    """The value of something that could not be read; its problem is already remembered."""

    WRONG = "wrong"


WRONG: Final = Wrong.WRONG
#: Reports a key that the class does not have.
Stray = Callable[["Entry", tuple[str, ...]], None]
_READERS: Final[dict[object, Callable[[str], Any]]] = {int: read_integer, float: read_float, bool: read_boolean}
_PASSWORD_IN_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^@/]*:[^@]+@")


@attrs.frozen(kw_only=True)
class Found(Generic[T]):
    """What could be made of a mapping.

    :param made: the instance, with defaults in the place of what is wrong; None when a required field has no value.
    :param sound: whether nothing is wrong.
    :param lost: fields that the file says something of that could not be read: it is wrong, or its key is misspelt.
    """

    made: T | None
    sound: bool
    lost: frozenset[str]


def structure_class(
    cls: type[T], mapping: Keyed, reading: Reading, *, stray: Stray | None = None
) -> T | Literal[Wrong.WRONG]:
    """Return an instance of an attrs class.

    :param stray: reports unknown keys; without it they are reported with the nearest known key.
    """
    found = structure_what_is_sound(cls, mapping, reading, stray=stray)
    return found.made if found.sound and found.made is not None else WRONG


def structure_what_is_sound(
    cls: type[T],
    mapping: Keyed,
    reading: Reading,
    *,
    stray: Stray | None = None,
    instead: Mapping[str, Any] | None = None,
) -> Found[T]:
    """Return an instance with defaults in the place of what is wrong, and what is.

    So that the checks that look at several keys can report, too, what they find in the sound ones. What they say of
    those that are wrong, or probably meant by an unknown one, would only repeat a mistake, and is dropped.

    :param instead: values for required fields that are missing or wrong; without one there is no instance.
    """
    fields = {field.key: field for field in hints.option_fields(cls)}
    arguments: dict[str, Any] = dict(instead or {})
    doubtful: set[str] = set()
    lost: set[str] = set()
    for entry in mapping:
        field = fields.get(entry.key)
        if field is None:
            meant = closest(entry.key, fields)
            doubtful |= {entry.key, meant or entry.key}
            if meant is not None and mapping.get(meant) is None:
                lost.add(meant)
            if stray is not None:
                stray(entry, tuple(fields))
            else:
                reading.problems.append(unknown_key(entry, fields))
            continue
        if _left_empty(entry.value, field):
            continue
        value = structure(entry.value, field.hint, reading, key=entry)
        if value is WRONG:
            doubtful.add(entry.key)
            lost.add(entry.key)
        elif value is not None or field.required:
            arguments[field.argument] = value
    for key, field in fields.items():
        if field.required and mapping.get(key) is None:
            doubtful.add(key)
            reading.problem(mapping.place, f"the key {key!r} is missing", remedy=f"add {key}: {_example(field)}")
    if any(field.required and field.argument not in arguments for field in fields.values()):
        return Found(made=None, sound=False, lost=frozenset(lost))
    sound = not doubtful
    made, accepted = _construct(cls, mapping, arguments, fields, reading, doubtful)
    return Found(made=made, sound=sound and accepted, lost=frozenset(lost))


def _left_empty(node: Node, field: OptionField) -> bool:
    """Whether a block without which its default holds, or what the Rust tool lets be empty, is empty."""
    block = any(isinstance(part, type) and attrs.has(part) for part in hints.alternatives(field.hint))
    return isinstance(node, Scalar) and node.null and not field.required and (block or field.may_be_empty)


def structure(node: Node, hint: Any, reading: Reading, *, key: Entry | None = None) -> Any:
    """Return a value of the hint's type, None where the file leaves an optional field empty, or :data:`WRONG`.

    :param key: the entry that holds the node, for messages.
    """
    parts = hints.alternatives(hint)
    if parts == hints.alternatives(Node):
        return None if hints.optional(hint) and isinstance(node, Scalar) and node.null else node
    if any(hints.shape(part) is None for part in parts):
        name = key.key if key else "a value"
        msg = f"{name} has the type {hint}, which no configuration file can hold"
        raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT", remedy="its plugin's author must use another type")
    if isinstance(node, Scalar) and node.null and not _is_choice(node.text, parts):
        if hints.optional(hint):
            return None
        _complain(node, "is empty", f"give it {hints.wording(hint)}, or remove the key", reading, key)
        return WRONG
    fitting = [part for part in parts if isinstance(node, hints.shape(part) or Scalar)]
    if not fitting:
        message = f"must be {hints.wording(hint)}, and this is {hints.written(node)}"
        _complain(node, message, _shape_remedy(node, parts), reading, key)
        return WRONG
    # Text accepts everything, so it is tried last.
    fitting.sort(key=lambda part: part in {str, Path, Secret})
    for part in fitting[:-1]:
        trial = reading.trial()
        value = _structure_one(node, part, trial, key)
        if value is not WRONG:
            reading.absorb(trial)
            return value
    return _structure_one(node, fitting[-1], reading, key)


def _structure_one(node: Node, hint: Any, reading: Reading, key: Entry | None) -> Any:
    if isinstance(node, Scalar):
        return _scalar(node, hint, reading, key)
    if isinstance(node, Items):
        return _sequence(node, hint, reading)
    mapped = hints.pairs(hint) or hints.values(hint)
    if mapped is None:
        return structure_class(hint, node, reading)
    found = [(entry.key, _named(entry, mapped, node, reading)) for entry in node]
    for entry in node:
        if "${" in entry.key:
            reading.problem(entry.place, "placeholders are put into values, not into keys", remedy="write the key out")
            return WRONG
    if any(value is WRONG for _, value in found):
        return WRONG
    return tuple(found) if hints.pairs(hint) is not None else dict(found)


def _named(entry: Entry, hint: Any, mapping: Keyed, reading: Reading) -> Any:
    """Return the value of a name that is the user's own; one that may not be told is told by the mapping's path."""
    if may_be_told(entry.key, entry.place.path):
        return structure(entry.value, hint, reading, key=entry)
    trial = reading.trial()
    value = structure(entry.value, hint, trial)
    path = mapping.place.path
    trial.problems = [attrs.evolve(one, place=attrs.evolve(one.place, path=path)) for one in trial.problems]
    reading.absorb(trial)
    return value


def _sequence(node: Items, hint: Any, reading: Reading) -> Any:
    found = [structure(item, hints.items(hint), reading) for item in node.items]
    if any(value is WRONG for value in found):
        return WRONG
    return frozenset(found) if hint == frozenset[hints.items(hint)] else tuple(found)  # type: ignore[misc]  # a value


def _scalar(node: Scalar, hint: Any, reading: Reading, key: Entry | None) -> Any:
    expanded = reading.expand(node, secret=hint is Secret or (key is not None and can_hold_a_secret(key.key)))
    if expanded is None:
        return WRONG
    text = expanded.text
    if "\0" in text:
        # A driver or the operating system would take what stands before it for the whole.
        _complain(node, "holds the character NUL, which ends a text", "remove it", reading, key, code=VALUE)
        return WRONG
    words = hints.choices(hint)
    if words is not None:
        if text not in words:
            message = f"must be {hints.wording(hint)}, {_and_is(node)}"
            _complain(node, message, suggest(node.text, words), reading, key, code=VALUE)
            return WRONG
        return hint(text) if isinstance(hint, type) else text
    if hint in _READERS:
        if not (node.plain or expanded.lone):
            quoted = shown(node.text) if may_be_told(node.text, node.place.path) else "what stands"
            message = f"must be {hints.wording(hint)}, and {quoted} in quotes is a text"
            _complain(node, message, "remove the quotes", reading, key)
            return WRONG
        try:
            return _READERS[hint](text)
        except Unreadable as error:
            why = f": {error.reason}" if error.reason else ""
            _complain(node, f"must be {hints.wording(hint)}, {_and_is(node)}{why}", error.remedy, reading, key)
            return WRONG
    if hint is Secret:
        if text and not expanded.used and ("://" not in text or _PASSWORD_IN_URL.match(text)):
            reading.warn(node.place, f"{_name(key)} is a secret in plain text: write ${{VARIABLE}} instead")
        return Secret(text)
    if hint is Path:
        if not text:
            _complain(node, "is an empty path", "name a file or a folder, or remove the key", reading, key, code=VALUE)
            return WRONG
        if "://" in text:
            # As a path it would lose a slash, and with it what tells the redactor where a password is.
            _complain(node, "must be a path, and this is a URL", "name a file or a folder", reading, key, code=VALUE)
            return WRONG
        if not can_name_a_file(text):
            _complain(node, "cannot be a path in this locale", LOCALE, reading, key, code=VALUE)
            return WRONG
        return reading.folder / text
    return text


def _construct(
    cls: type[T],
    mapping: Keyed,
    arguments: dict[str, Any],
    fields: dict[str, OptionField],
    reading: Reading,
    doubtful: set[str],
) -> tuple[T | None, bool]:
    """Make the instance; what its own rules refuse is reported one by one, as far as the rest can be checked."""
    accepted = True
    while True:
        try:
            return cls(**arguments), accepted
        # The class's own rules may raise anything: attrs' validators raise ValueError and TypeError, a plugin's class
        # may raise a RivetError with a code of its own.
        except Exception as error:  # noqa: BLE001
            accepted = False
            if doubtful.intersection(_words(error)):
                return None, False
            entry = _blamed(error, mapping)
            place = entry.place if entry else mapping.place
            if isinstance(error, RivetError):
                remedy = error.remedy or _remedy(error.message, entry)
                reading.problem(place, masked(error.message), code=error.code, remedy=remedy)
            elif isinstance(error, Unfit):
                said = _untold(str(error), arguments.values(), place.path)
                reading.problem(place, said, code=VALUE, remedy=error.remedy)
            else:
                text = " ".join(str(error.args[0] if error.args else error).split()) or type(error).__name__
                text = _untold(text, arguments.values(), place.path)
                reading.problem(place, masked(text), code=VALUE, remedy=_remedy(text, entry))
            if entry is not None:
                doubtful.add(entry.key)
            field = fields[entry.key] if entry else None
            if field is None or field.required or field.argument not in arguments:
                return None, False
            del arguments[field.argument]


def _blamed(error: Exception, mapping: Keyed) -> Entry | None:
    """Return the entry that a class's own error is about: by attrs' attribute, or by the first key that it names."""
    names = [argument.name for argument in error.args if isinstance(argument, attrs.Attribute)]
    return next((entry for word in names or _words(error) if (entry := mapping.get(word)) is not None), None)


def _remedy(said: str, entry: Entry | None) -> str:
    """Return what to do about what a stranger's rule says, which validators of attrs say in one of two ways."""
    if entry is None:
        return "write the block's keys as the rule of its plugin asks"
    if match := re.search(r"must be ([<>]=? \S+?)(?::|$)|must be (in .+?)(?: \(got|$)", said):
        return f"write a value of {shown(entry.key)} that is {match[1] or match[2]}"
    return f"write {shown(entry.key)} as the rule of its plugin asks, or remove it"


def _words(error: Exception) -> list[str]:
    """Return what a rule's complaint may name keys by: the message first, then what to do."""
    said = f"{error.args[0] if error.args else error} {getattr(error, 'remedy', '')}"
    return re.findall(r"[A-Za-z_][A-Za-z0-9_]*", said)


def _is_choice(text: str, parts: tuple[Any, ...]) -> bool:
    return any(text in (hints.choices(part) or ()) for part in parts)


def _complain(node: Node, message: str, remedy: str, reading: Reading, key: Entry | None, **code: str) -> None:
    reading.problem(node.place, f"{_name(key)} {message}", remedy=remedy, **code)


def _name(key: Entry | None) -> str:
    return "this item" if key is None else shown(key.key)


def _shape_remedy(node: Node, parts: tuple[Any, ...]) -> str:
    if isinstance(node, Scalar) and any(hints.shape(part) is Items for part in parts):
        return f"write it as a list: [{node.text}]" if _fits_a_remedy(node) else "write it as a list"
    if any(hints.shape(part) is Keyed for part in parts):
        return "write its keys below it, each on a line of its own and indented"
    return "write one value behind the colon, in quotes where it has special characters"


def _fits_a_remedy(node: Scalar) -> bool:
    return is_a_word(node.text) and may_be_told(node.text, node.place.path)


def _and_is(node: Scalar) -> str:
    return f"and is {shown(node.text)}" if may_be_told(node.text, node.place.path) else "and this is none"


def _untold(said: str, values: Iterable[object], path: str | None) -> str:
    """Return what a rule says without the values that may not be told, which rules quote."""
    for value in values:
        text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
        # No password is as short as what may stand in our own words, too.
        if len(text) > 3 and not may_be_told(text, path):
            said = said.replace(text, "…")
    return said


def _example(field: OptionField) -> str:
    return f"({hints.wording(field.hint)})" if field.hint != Node else "…"
