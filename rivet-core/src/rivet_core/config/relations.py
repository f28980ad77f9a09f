"""What an export reads: a table, a query, or a query in a file beside the configuration."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

import attrs

from rivet_core.config.names import LOCALE, can_name_a_file
from rivet_core.config.problems import VALUE
from rivet_core.config.showing import masked, shown
from rivet_core.errors import Place
from rivet_core.types import Query, Table
from rivet_core.types.text_file import TextUnreadable, read_text_file

if TYPE_CHECKING:
    from rivet_core.config.keys import ExportKeys
    from rivet_core.config.nodes import Entry, Keyed
    from rivet_core.config.reading import Reading
    from rivet_core.types import Relation

#: A part of a table's name: an ASCII identifier, or anything in double quotes.
_SEGMENT: Final = r'(?:[A-Za-z_][A-Za-z0-9_$]*|"(?:[^"\x00]|"")+")'
_TABLE: Final = re.compile(rf"(?:({_SEGMENT})\.)?({_SEGMENT})")
_LARGEST_QUERY: Final = 1024 * 1024
_INVALID: Final = "RIVET_CONFIG_EXPORT_SOURCE_INVALID"
_UNSAFE: Final = "RIVET_CONFIG_PATH_UNSAFE"
#: What stands in a text of SQL without saying anything.
_NOTHING: Final = re.compile(r"\s+|;|--[^\n]*|/\*.*?\*/", re.DOTALL)
WAYS: Final = ("query", "query_file", "table")


@attrs.frozen(kw_only=True)
class Reads:
    """A relation, and its text before placeholders were put in; empty when there are none."""

    relation: Relation
    template: str = ""


def read_relation(keys: ExportKeys, export: Keyed, reading: Reading, *, folds: bool = False) -> Reads | None:
    """Return what an export reads, or None when it names nothing or what it names is wrong.

    :param folds: see :attr:`~rivet_core.capabilities.SourceCapabilities.folds_names`.
    """
    given = [entry for entry in export.only(WAYS) if getattr(entry.value, "null", False) is False]
    if len(given) > 1:
        names = " and ".join(entry.key for entry in given)
        message = f"{names} exclude each other: an export reads one relation"
        reading.problem(given[1].place, message, code=_INVALID, remedy="keep one of them")
    if len(given) != 1:
        return None
    entry = given[0]
    text = getattr(keys, entry.key)
    if text is None:  # its problem is reported
        return None
    written = getattr(entry.value, "text", "")
    template = written if "${" in written else ""
    if keys.table is not None:
        table = table_of(text, folds=folds)
        if table is None:
            message = f"table {shown(written)} is not [schema.]name"
            remedy = 'put a name with other characters in double quotes, as in "my schema"."my table", or use a query'
            reading.problem(entry.value.place, message, code=_INVALID, remedy=remedy)
            return None
        return Reads(relation=table, template=template)
    if keys.query_file is not None:
        return _query_file(text, entry, reading)
    return _query(text, template, entry, reading)


def table_of(text: str, *, folds: bool = False) -> Table | None:
    """Return the table that a text names, or None; what ``folds`` is stands at :func:`read_relation`."""
    match = _TABLE.fullmatch(text.strip())
    if match is None:
        return None
    schema, name = (segment and _meant(segment, folds=folds) for segment in match.groups())
    return Table(name, schema)


def _meant(segment: str, *, folds: bool) -> str:
    if segment.startswith('"'):
        return segment[1:-1].replace('""', '"')
    return segment.lower() if folds else segment


def _query(text: str, template: str, entry: Entry, reading: Reading) -> Reads | None:
    if not _NOTHING.sub("", text):
        reading.problem(entry.value.place, f"the {entry.key} is empty", code=_INVALID, remedy="write a SELECT")
        return None
    return Reads(relation=Query(text), template=template)


def _query_file(name: str, entry: Entry, reading: Reading) -> Reads | None:
    place = entry.value.place
    if not can_name_a_file(name):
        reading.problem(place, "query_file cannot be a path in this locale", code=VALUE, remedy=LOCALE)
        return None
    folder = reading.folder.resolve()
    path = (folder / name).resolve()
    if PurePosixPath(name).is_absolute() or ".." in re.split(r"[/\\]", name) or not path.is_relative_to(folder):
        message = f"query_file {shown(name)} leaves the configuration's folder"
        reading.problem(place, message, code=_UNSAFE, remedy="keep query files in or below that folder")
        return None
    try:
        text = read_text_file(path, limit=_LARGEST_QUERY)
    except TextUnreadable as error:
        message = f"query_file {shown(name)} cannot be read: {error.reason}"
        remedy = "name a text file in UTF-8 that this user may read"
        reading.problem(place, message, code="RIVET_CONFIG_FILE_UNREADABLE", remedy=remedy)
        return None
    expanded = reading.expand_text(text, Place(file=masked(name), path=entry.place.path), lines=True)
    return None if expanded is None else _query(expanded.text, text if "${" in text else "", entry, reading)
