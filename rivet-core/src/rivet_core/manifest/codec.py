"""Manifests to bytes and back: equal manifests give equal bytes, unknown fields of others are ignored."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import attrs

from rivet_core.manifest.json_fields import Fields, refuse
from rivet_core.manifest.model import (
    MANIFEST_VERSION,
    Extraction,
    Manifest,
    ManifestSource,
    Mode,
    Part,
    PartStatus,
    RowHash,
    SplitWindow,
    Status,
    Writer,
)
from rivet_core.manifest.names import CONTROL_LIMIT, is_contained
from rivet_core.types import Position

if TYPE_CHECKING:
    from collections.abc import Iterable


def encode(manifest: Manifest) -> bytes:
    """Return the exact bytes that are stored, hashed and put: JSON, two spaces, no newline at the end.

    :raises RefusalError: ``RIVET_DEST_CONTROL_ARTIFACT_INVALID`` when nobody could read them back.
    """
    data = json.dumps(_manifest_out(manifest), indent=2, ensure_ascii=False).encode()
    if len(data) > CONTROL_LIMIT:
        refuse(f"manifest of {manifest.run_id}", f"{len(data)} bytes are more than the limit of {CONTROL_LIMIT}")
    return data


def decode(data: bytes, name: str = "manifest") -> Manifest:
    """Return the manifest of these bytes.

    :param name: the object's name, for errors.
    :raises RefusalError: ``RIVET_DEST_CONTROL_ARTIFACT_INVALID`` for anything but a version 1 manifest whose parts
        stay in their prefix.
    """
    if len(data) > CONTROL_LIMIT:
        refuse(name, f"{len(data)} bytes are more than the limit of {CONTROL_LIMIT}")
    try:
        parsed = json.loads(data, object_pairs_hook=_without_duplicates, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        refuse(name, f"this is not JSON: {error}")
    return _manifest_in(Fields(parsed, name))


def _manifest_out(manifest: Manifest) -> dict[str, Any]:
    source = manifest.source
    document: dict[str, Any] = {
        "manifest_version": MANIFEST_VERSION,
        "run_id": manifest.run_id,
        "export_name": manifest.export_name,
    }
    if manifest.export_family is not None:
        document["export_family"] = manifest.export_family
    document |= {
        "mode": manifest.mode.value,
        "started_at": manifest.started_at,
        "finished_at": manifest.finished_at,
        "status": manifest.status.value,
        "source": {"engine": source.engine, "schema": source.schema, "table": source.table}
        | ({} if source.extraction is None else {"extraction": _present(_values(source.extraction))}),
        "destination": {"kind": manifest.destination_kind, "uri": manifest.destination_uri},
        "format": manifest.format,
        "compression": manifest.compression,
        "schema_fingerprint": manifest.schema_fingerprint,
        "row_count": manifest.row_count,
        "part_count": manifest.part_count,
        "parts": [_present(_values(part)) for part in manifest.parts],
    }
    if manifest.column_checksums:
        document["column_checksums"] = [{"name": n, "checksum": str(value)} for n, value in manifest.column_checksums]
    optional = {
        "checksum_render": manifest.checksum_render,
        "checksum_key_column": manifest.checksum_key_column,
        "row_hash": _row_hash_out(manifest.row_hash),
        "split_window": None if manifest.split_window is None else _values(manifest.split_window),
        "nulled": [{"name": n, "cells": cells} for n, cells in manifest.nulled] or None,
        "position": None if manifest.position is None else manifest.position.to_json(),
        "roll": manifest.roll,
        "writer": None if manifest.writer is None else _values(manifest.writer),
        "arrow_schema": manifest.arrow_schema,
    }
    return document | _present(optional)


def _manifest_in(fields: Fields) -> Manifest:
    version = fields.whole("manifest_version")
    if version != MANIFEST_VERSION:
        refuse(f"{fields.where}.manifest_version", f"version {version} is not known here, only {MANIFEST_VERSION}")
    destination = fields.fields("destination")
    return Manifest(
        run_id=fields.text("run_id"),
        export_name=fields.text("export_name"),
        export_family=fields.optional_text("export_family"),
        mode=fields.word("mode", Mode) if fields.has("mode") else Mode.BATCH,
        started_at=fields.text("started_at"),
        finished_at=fields.text("finished_at"),
        status=fields.word("status", Status),
        source=_source_in(fields.fields("source")),
        destination_kind=destination.text("kind"),
        destination_uri=destination.text("uri"),
        format=fields.text("format"),
        compression=fields.text("compression"),
        schema_fingerprint=fields.text("schema_fingerprint"),
        row_count=fields.whole("row_count"),
        part_count=fields.whole("part_count"),
        parts=_parts_in(fields),
        column_checksums=tuple(
            sorted((item.text("name"), item.unsigned("checksum")) for item in fields.list("column_checksums"))
        ),
        checksum_render=fields.optional_text("checksum_render"),
        checksum_key_column=fields.optional_text("checksum_key_column"),
        row_hash=_row_hash_in(fields.fields("row_hash")) if fields.has("row_hash") else None,
        split_window=_window_in(fields.fields("split_window")) if fields.has("split_window") else None,
        nulled=tuple(sorted((item.text("name"), item.whole("cells")) for item in fields.list("nulled"))),
        position=_position_in(fields.fields("position")) if fields.has("position") else None,
        roll=fields.optional_whole("roll"),
        arrow_schema=fields.optional_text("arrow_schema"),
        writer=_writer_in(fields.fields("writer")) if fields.has("writer") else None,
    )


def _source_in(fields: Fields) -> ManifestSource:
    return ManifestSource(
        engine=fields.text("engine"),
        schema=fields.optional_text("schema"),
        table=fields.optional_text("table"),
        extraction=_extraction_in(fields.fields("extraction")) if fields.has("extraction") else None,
    )


def _extraction_in(fields: Fields) -> Extraction:
    return Extraction(
        strategy=fields.text("strategy"),
        cursor_column=fields.optional_text("cursor_column"),
        cursor_type=fields.optional_text("cursor_type"),
        cursor_low=fields.optional_text("cursor_low"),
        cursor_high=fields.optional_text("cursor_high"),
        source_row_count=fields.optional_whole("source_row_count"),
    )


def _parts_in(fields: Fields) -> tuple[Part, ...]:
    if not fields.has("parts"):
        refuse(f"{fields.where}.parts", "the field is missing")
    return tuple(_part_in(part) for part in fields.list("parts"))


def _part_in(fields: Fields) -> Part:
    path = fields.text("path")
    if not is_contained(path):
        refuse(f"{fields.where}.path", f"{path!r} leaves the prefix or is no plain relative path")
    return Part(
        part_id=fields.whole("part_id"),
        path=path,
        rows=fields.whole("rows"),
        size_bytes=fields.whole("size_bytes"),
        content_fingerprint=fields.text("content_fingerprint"),
        content_md5=fields.optional_text("content_md5"),
        status=fields.word("status", PartStatus),
    )


def _row_hash_out(row_hash: RowHash | None) -> dict[str, Any] | None:
    if row_hash is None:
        return None
    covered = True if row_hash.covered is None else list(row_hash.covered)
    return {"column": row_hash.column, "covered": covered, "render": row_hash.render}


def _row_hash_in(fields: Fields) -> RowHash:
    covered = None if fields.raw("covered") is True else fields.texts("covered")
    return RowHash(column=fields.text("column"), covered=covered, render=fields.text("render"))


def _window_in(fields: Fields) -> SplitWindow:
    return SplitWindow(key_column=fields.text("key_column"), lo=_bound_in(fields, "lo"), hi=_bound_in(fields, "hi"))


def _bound_in(fields: Fields, name: str) -> str | int | None:
    if not fields.has(name):
        return None
    return fields.whole(name) if isinstance(fields.raw(name), int) else fields.text(name)


def _writer_in(fields: Fields) -> Writer:
    return Writer(name=fields.text("name"), version=fields.text("version"))


def _position_in(fields: Fields) -> Position:
    if isinstance(fields.raw("value"), list):
        return Position(fields.text("type"), tuple(_position_in(part) for part in fields.list("value")))
    return Position(fields.text("type"), fields.text("value"))


def _values(value: attrs.AttrsInstance) -> dict[str, Any]:
    return attrs.asdict(value, recurse=False)


def _present(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if value is not None}


def _without_duplicates(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for name, value in pairs:
        if name in document:
            msg = f"the field {name!r} stands there twice"
            raise ValueError(msg)
        document[name] = value
    return document


def _no_constant(word: str) -> Any:
    msg = f"{word} is no JSON number"
    raise ValueError(msg)
