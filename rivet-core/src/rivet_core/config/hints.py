"""Field types of options classes: what they are, and the words for them in messages."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, Union

import attrs

from rivet_core.config.nodes import Items, Keyed, Node, Scalar
from rivet_core.errors import InternalError
from rivet_core.types import Secret

_WORDS: Final[dict[object, str]] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    Path: "a path",
    Secret: "a text",
}
#: What a hint's value is written as.
Shape = type[Scalar] | type[Items] | type[Keyed]


@attrs.frozen(kw_only=True)
class OptionField:
    """A field of an options class as the file sees it.

    :param key: the key in the file: the field's name as an argument, or what its metadata calls ``key``.
    :param may_be_empty: an empty value leaves the default, though None is not one of its values.
    """

    key: str
    argument: str
    hint: Any
    required: bool
    may_be_empty: bool = False


def option_fields(cls: type) -> tuple[OptionField, ...]:
    """Return the fields that a file can set.

    :raises InternalError: when the class's annotations cannot be resolved at run time.
    """
    return _option_fields(cls)


@cache  # resolving annotations would be most of the time that a file of many exports takes
def _option_fields(cls: type) -> tuple[OptionField, ...]:
    try:
        hints = typing.get_type_hints(cls)
    except NameError as error:
        msg = f"the options class {cls.__qualname__} cannot be read: {error}"
        remedy = "its author must import the names of its annotations at run time, not only for type checking"
        raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT", remedy=remedy) from error
    return tuple(
        OptionField(
            key=field.metadata.get("key", field.alias),
            argument=field.alias,
            hint=hints[field.name],
            required=field.default is attrs.NOTHING,
            may_be_empty=field.metadata.get("may_be_empty", False),
        )
        for field in attrs.fields(cls)
        if field.init
    )


def alternatives(hint: Any) -> tuple[Any, ...]:
    """Return the parts of a union but None; a hint that is no union is its only part."""
    if typing.get_origin(hint) in {Union, types.UnionType}:
        return tuple(part for part in typing.get_args(hint) if part is not type(None))
    return (hint,)


def optional(hint: Any) -> bool:
    """Whether None is one of the hint's values."""
    return type(None) in typing.get_args(hint)


def choices(hint: Any) -> tuple[str, ...] | None:
    """Return the words of a closed set of texts, or None for any other hint."""
    if typing.get_origin(hint) is Literal:
        return tuple(str(word) for word in typing.get_args(hint))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return tuple(str(member.value) for member in hint)
    return None


def pairs(hint: Any) -> Any | None:
    """Return the value's hint of ``tuple[tuple[str, T], ...]``, which is how a frozen value holds a mapping."""
    inner = items(hint)
    if typing.get_origin(inner) is tuple:
        arguments = typing.get_args(inner)
        if len(arguments) == 2 and arguments[0] is str:
            return arguments[1]
    return None


def items(hint: Any) -> Any | None:
    """Return the items' hint of ``tuple[T, ...]`` or ``frozenset[T]``."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if (origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis) or origin is frozenset:
        return arguments[0]
    return None


def values(hint: Any) -> Any | None:
    """Return the values' hint of ``Mapping[str, T]`` or ``dict[str, T]``."""
    if typing.get_origin(hint) in {dict, Mapping}:
        return typing.get_args(hint)[1]
    return None


def shape(hint: Any) -> Shape | None:
    """Return how a value of the hint is written, or None for a type that no file can hold."""
    if hint in _WORDS or choices(hint) is not None:
        return Scalar
    if pairs(hint) is not None or values(hint) is not None or (isinstance(hint, type) and attrs.has(hint)):
        return Keyed
    return Items if items(hint) is not None else None


def wording(hint: Any) -> str:
    """Return what a message calls a value of the hint."""
    words = []
    for part in alternatives(hint):
        named = choices(part)
        if named is not None:
            words.append(f"one of {', '.join(named)}")
        elif shape(part) is Keyed:
            words.append("a mapping")
        elif shape(part) is Items:
            words.append("a list")
        else:
            words.append(_WORDS.get(part, str(part)))
    return " or ".join(dict.fromkeys(words))


def written(node: Node) -> str:
    """Return what a message calls a node."""
    return "a mapping" if isinstance(node, Keyed) else "a list" if isinstance(node, Items) else "a single value"
