"""The text of a configuration, with a word about each decision in it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

import attrs

from rivet_core.engine.report_text import bytes_text
from rivet_core.engine.scaffold.modes import Suggestion, rows_text
from rivet_core.engine.scaffold.overrides import as_text
from rivet_core.engine.scaffold.words import comment, placeholder, scalar, table_word
from rivet_core.planning.plan import EXPORTED_AT, ROW_HASH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rivet_core.engine.scaffold.looked import LeftOut, Looked

_WIDTH: Final = 110


@attrs.frozen(kw_only=True)
class SourceText:
    """The ``source`` block; its values may hold placeholders.

    :param remark: a comment above the keys.
    """

    kind: str
    keys: tuple[tuple[str, str], ...]
    tls: tuple[tuple[str, str], ...] = ()
    remark: str = ""


@attrs.frozen(kw_only=True)
class ExportText:
    """One export.

    :param note: what else a person should know of the mode.
    """

    name: str
    looked: Looked
    suggestion: Suggestion
    note: str | None = None


@attrs.frozen(kw_only=True)
class Scaffold:
    """A whole file.

    :param destination: the folder; may hold placeholders.
    :param left_out: listed at the end, with the reasons.
    """

    source: SourceText
    format: str
    destination: str
    exports: tuple[ExportText, ...]
    left_out: tuple[LeftOut, ...] = ()
    head: tuple[str, ...] = ()


def render(scaffold: Scaffold) -> str:
    """Return the text; what it says is exactly what the values say."""
    lines = [line for text in scaffold.head for line in _remark(text)]
    lines += [""] * bool(lines)
    lines += [*render_source(scaffold.source), "", "exports:"]
    for number, export in enumerate(scaffold.exports):
        lines += [""] * (number > 0)
        lines += [f"  {line}" for line in _export(export, scaffold)]
    if scaffold.left_out:
        lines += ["", *_remark("Left out, because these cannot be exported as they are:")]
        for one in scaffold.left_out:
            lines += _remark(str(one), indent="  ")
    return "\n".join(lines) + "\n"


def render_source(source: SourceText) -> Iterator[str]:
    """Yield the lines of the ``source`` block."""
    yield "source:"
    yield f"  type: {scalar(source.kind)}"
    yield from (f"  {line}" for line in _remark(source.remark))
    yield from (f"  {key}: {placeholder(value)}" for key, value in source.keys)
    if source.tls:
        yield "  tls:"
        yield from (f"    {key}: {placeholder(value)}" for key, value in source.tls)


def _export(export: ExportText, scaffold: Scaffold) -> Iterator[str]:
    looked = export.looked
    names = {column.name for column in looked.schema.columns}
    yield from _remark(_about(looked))
    yield f"- name: {scalar(export.name)}"
    yield f"  table: {scalar(table_word(looked.relation.table) or '')}"
    yield from (f"  {line}" for line in _remark(export.suggestion.why))
    yield from (f"  {line}" for line in _remark(export.note or ""))
    yield f"  mode: {scalar(export.suggestion.mode)}"
    yield from (f"  {key}: {_word(value)}" for key, value in export.suggestion.keys)
    yield f"  format: {scalar(scaffold.format)}"
    yield "  # These add two columns to the files; remove what is not wanted."
    yield "  meta_columns:"
    yield f"    exported_at: {_word(EXPORTED_AT not in names)}"
    yield f"    row_hash: {_word(ROW_HASH not in names)}"
    yield "  destination:"
    yield "    type: local"
    yield f"    path: {placeholder(scaffold.destination)}"
    yield from (f"  {line}" for line in _columns(looked))


def _about(looked: Looked) -> str:
    relation = looked.relation
    facts = [str(relation.kind), rows_text(looked.estimated_rows)]
    if relation.total_bytes is not None:
        facts.append(bytes_text(relation.total_bytes))
    if relation.primary_key:
        facts.append(f"primary key {', '.join(relation.primary_key)}")
    return f"{relation.table}: {', '.join(facts)}"


def _columns(looked: Looked) -> Iterator[str]:
    """Yield comments about the columns that arrive as text, so that uncommenting some lines is all there is to do."""
    texts = as_text(looked.schema.columns)
    wished = dict(looked.overrides)
    if wished:
        yield from _remark(
            "REVIEW: these numbers have no precision, so they arrive as exact text. Uncomment what follows, with the"
            " precision and scale that the values have; a value that does not fit stops the run."
        )
        yield "# columns:"
        for name, word in wished.items():
            yield f"#   {scalar(name)}: {scalar(word)}"
    others = [
        f"{one.name} ({one.native_type}: {one.remark or 'no other type'})" for one in texts if one.name not in wished
    ]
    if others:
        yield from _remark(f"As exact text: {'; '.join(others)}.")


def _word(value: str | int | bool) -> str:  # noqa: FBT001 - a value of the file
    return scalar(value) if isinstance(value, str) else str(value).lower()


def _remark(text: str, *, indent: str = "") -> Iterable[str]:
    wrapped = textwrap.wrap(comment(text), _WIDTH, break_long_words=False, break_on_hyphens=False)
    return [f"# {indent}{line}" for line in wrapped]
