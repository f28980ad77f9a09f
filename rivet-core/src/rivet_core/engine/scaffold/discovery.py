"""What was found out, as JSON for programs: the fields that other tools' discovery has, under the same names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rivet_core.engine.scaffold.candidates import chunks, cursors, fallback
from rivet_core.engine.scaffold.overrides import as_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rivet_core.engine.scaffold.looked import LeftOut
    from rivet_core.engine.scaffold.text import ExportText


def discovery(
    exports: Iterable[ExportText], left_out: Iterable[LeftOut], *, version: str, kind: str, scope: str
) -> dict[str, Any]:
    """Return the document.

    :param scope: what was looked at, in words.
    """
    tables = [_table(export) for export in exports]
    tables += [_left_out(one) for one in left_out]
    return {"rivet_version": version, "source_type": kind, "scope": scope, "tables": tables}


def _table(export: ExportText) -> dict[str, Any]:
    looked = export.looked
    found = cursors(looked)
    return {
        "schema": looked.relation.table.schema,
        "table": looked.relation.table.name,
        "kind": str(looked.relation.kind),
        "row_estimate": looked.estimated_rows,
        "total_bytes": looked.relation.total_bytes,
        "suggested_mode": export.suggestion.mode,
        "cursor_candidates": [
            {
                "column": one.column,
                "data_type": one.data_type,
                "is_nullable": one.is_nullable,
                "is_primary_key": one.is_primary_key,
                "score": one.score,
                "reasons": list(one.reasons),
            }
            for one in found
        ],
        "suggested_cursor_fallback_column": fallback(found),
        "chunk_candidates": [
            {
                "column": one.column,
                "data_type": one.data_type,
                "is_primary_key": one.is_primary_key,
                "score": one.score,
            }
            for one in chunks(looked)
        ],
        "notes": [export.suggestion.why, *([export.note] if export.note else []), *_about_columns(export)],
    }


def _about_columns(export: ExportText) -> list[str]:
    wished = dict(export.looked.overrides)
    return [
        f"column {one.name} ({one.native_type}) arrives as exact text"
        + (f"; override it with {wished[one.name]} or the like" if one.name in wished else "")
        for one in as_text(export.looked.schema.columns)
    ]


def _left_out(one: LeftOut) -> dict[str, Any]:
    relation = one.relation
    return {
        "schema": relation.table.schema,
        "table": relation.table.name,
        "kind": str(relation.kind),
        "row_estimate": relation.estimated_rows,
        "total_bytes": relation.total_bytes,
        "suggested_mode": None,
        "cursor_candidates": [],
        "suggested_cursor_fallback_column": None,
        "chunk_candidates": [],
        "notes": [f"cannot be exported as it is: {one.error.message}"],
    }
