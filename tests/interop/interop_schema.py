"""The keys of the Rust tool's files, from the JSON Schema that the program prints of them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import attrs


@attrs.frozen(kw_only=True)
class Key:
    """A key of the file.

    :param path: as ``exports[].quality.row_count_min``.
    :param words: the closed set of its values, or empty.
    :param nullable: it may be left empty.
    :param default: what holds without it, or None when nothing is said.
    """

    path: str
    words: tuple[str, ...]
    nullable: bool
    default: Any


def keys_of(rust: str) -> tuple[Key, ...]:
    """Every key that the program knows; a block that holds itself is entered once."""
    done = subprocess.run([rust, "schema", "config"], capture_output=True, encoding="utf-8", timeout=60, check=True)
    schema = json.loads(done.stdout)
    return tuple(_below(schema, schema["$defs"], "", ()))


def _below(node: dict[str, Any], named: dict[str, Any], path: str, above: tuple[int, ...]) -> Iterator[Key]:
    for name, told in node.get("properties", {}).items():
        parts = tuple(_parts(told, named))
        types = [word for part in parts for word in _listed(part.get("type"))]
        words = tuple(word for part in parts for word in (*part.get("enum", ()), *_listed(part.get("const"))))
        yield Key(path=f"{path}{name}", words=words, nullable="null" in types, default=told.get("default"))
        for part in parts:
            inner = part.get("items", part) if part.get("type") == "array" else part
            step = f"{path}{name}[]." if inner is not part else f"{path}{name}."
            for below in _parts(inner, named):
                if id(below) not in above:
                    yield from _below(below, named, step, (*above, id(below)))


def _parts(node: Any, named: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A node's alternatives, with references followed."""
    if not isinstance(node, dict):
        return
    if "$ref" in node:
        yield from _parts(named[node["$ref"].rpartition("/")[2]], named)
    alternatives = [*node.get("anyOf", ()), *node.get("oneOf", ())]
    for one in alternatives:
        yield from _parts(one, named)
    if not alternatives and "$ref" not in node:
        yield node


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
