"""Names as a configuration spells them, so that the loader reads back exactly what the catalogue said."""

from __future__ import annotations

import re
import sys
from collections import Counter
from typing import TYPE_CHECKING, Final

import yaml

from rivet_core.config.names import refuse_name
from rivet_core.config.placeholders import escaped
from rivet_core.config.relations import table_of
from rivet_core.types import json_shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rivet_core.types import Table

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
#: What stands without quotes; capitals would mean small letters to a source that folds names.
_IDENTIFIER: Final = re.compile(r"[a-z_][a-z0-9_$]*")
_TEXT: Final = "tag:yaml.org,2002:str"
#: Bytes of an export's name that come from a table's: room is left for a schema and for a number.
_LONGEST: Final = 60


def scalar(text: str) -> str:
    """Return a text as a YAML scalar on one line that means this text and nothing else.

    ``${`` is escaped: a name that happens to hold it is no placeholder.
    """
    return placeholder(escaped(text))


def placeholder(text: str) -> str:
    """Return a text as :func:`scalar` does, with its placeholders left to be replaced."""
    resolver = yaml.resolver.Resolver()
    if _PLAIN.fullmatch(text) and resolver.resolve(yaml.ScalarNode, text, (True, False)) == _TEXT:  # type: ignore[no-untyped-call]  # of the stubs
        return text
    quoted: str = yaml.safe_dump(text, default_style='"', allow_unicode=True, width=sys.maxsize)
    # JSON's escapes are also those of YAML.
    return json_shown(quoted.rstrip("\n"))


def comment(text: str) -> str:
    """Return a text that can stand behind a ``#``: on one line, and without characters that YAML refuses."""
    line = " ".join(text.split())
    return "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in line)


def table_word(table: Table) -> str | None:
    """Return what ``table:`` says for a table, before YAML quotes it; None for a name that it cannot say."""
    names = (table.name,) if table.schema is None else (table.schema, table.name)
    word = ".".join(name if _IDENTIFIER.fullmatch(name) else '"' + name.replace('"', '""') + '"' for name in names)
    return word if table_of(word) == table else None


def export_names(tables: Iterable[Table]) -> tuple[str, ...]:
    """Return a name for the export of each table: the table's own, with its schema where two have one name.

    Names that differ by case alone count as one, since their folders would be one on some file systems.
    """
    tables = tuple(tables)
    stems = [_stem(table.name) for table in tables]
    often = Counter(stem.casefold() for stem in stems)
    taken: set[str] = set()
    names = []
    for table, stem in zip(tables, stems, strict=True):
        wanted = f"{_stem(table.schema)}_{stem}" if table.schema and often[stem.casefold()] > 1 else stem
        name, number = wanted, 1
        while name.casefold() in taken:
            number += 1
            name = f"{wanted}_{number}"
        taken.add(name.casefold())
        names.append(name)
    return tuple(names)


def _stem(name: str) -> str:
    """Return the letters, digits, ``_`` and ``-`` of a name; they become parts of paths and words of commands."""
    stem = re.sub(r"[^\w-]+", "_", name).strip("_-")
    stem = stem.encode()[:_LONGEST].decode(errors="ignore")
    return "table" if refuse_name(stem) else stem
