"""What a loader would find at a prefix: only what manifests vouch for, by an independent reader, never by a listing.

It shares no code with the writing side: manifests are read as plain JSON, files by DuckDB where it is installed.
"""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import xxhash

from rivet_core.protocols import Destination

#: Reads one part file, given its manifest.
PartReader = Callable[[Path, Mapping[str, Any]], pa.Table]
Place = Path | Destination

_LIMIT = 256 * 1024 * 1024


class Loss(AssertionError):
    """What a manifest vouches for is not there, or is not what it says."""


@attrs.frozen(kw_only=True)
class Account:
    """One successful manifest.

    :param name: the manifest's own key.
    :param data: its JSON.
    :param rows: the rows of its committed parts, in their order.
    """

    name: str
    data: Mapping[str, Any]
    rows: pa.Table

    @property
    def run_id(self) -> str:
        """The run that it accounts for."""
        return str(self.data["run_id"])


def rows_of(place: Place, *, run_id: str | None = None, reader: PartReader | None = None) -> pa.Table:
    """Return the rows that the prefix's manifest vouches for.

    :param run_id: those of this run (all of its rolls) instead of those of ``manifest.json``.
    :raises Loss: when there is no successful manifest, or a part is missing or different.
    """
    if run_id is None:
        account = _account(place, "manifest.json", reader)
        if account is None:
            msg = f"there is no successful manifest.json at {place}"
            raise Loss(msg)
        return account.rows
    found = [account.rows for account in all_runs(place, reader=reader) if account.run_id == run_id]
    if not found:
        msg = f"there is no successful manifest of the run {run_id} at {place}"
        raise Loss(msg)
    return pa.concat_tables(found, promote_options="default")


def all_runs(place: Place, *, reader: PartReader | None = None) -> tuple[Account, ...]:
    """Return every successful run's own manifest, ordered by when it finished and by name; rolls are apart.

    Listing is for the manifests' names alone, which a loader learns in the same way; parts are never listed.
    """
    accounts = [_account(place, name, reader) for name in _manifest_names(place)]
    good = [account for account in accounts if account is not None]
    return tuple(sorted(good, key=lambda account: (str(account.data.get("finished_at", "")), account.name)))


def read_through_manifests(place: Place, *, reader: PartReader | None = None) -> pa.Table:
    """Return the rows of every successful run, one after the other: what a loader that misses no run has in its table.

    :raises Loss: when there is none.
    """
    runs = all_runs(place, reader=reader)
    if not runs:
        msg = f"there is no successful manifest of any run at {place}"
        raise Loss(msg)
    return pa.concat_tables([account.rows for account in runs], promote_options="default")


def is_finished(place: Place) -> bool:
    """Return whether ``_SUCCESS`` names exactly the bytes of ``manifest.json``."""
    manifest, marker = _get(place, "manifest.json"), _get(place, "_SUCCESS")
    if manifest is None or marker is None:
        return False
    return marker.decode().strip() == f"xxh3:{xxhash.xxh3_64_hexdigest(manifest)}"


def _account(place: Place, name: str, reader: PartReader | None) -> Account | None:
    text = _get(place, name)
    if text is None:
        return None
    data = json.loads(text)
    if data["status"] != "success":
        return None
    parts = [part for part in data["parts"] if part.get("status", "committed") == "committed"]
    with tempfile.TemporaryDirectory() as folder:
        tables = []
        for number, part in enumerate(parts):
            path = _fetch(place, part["path"], Path(folder) / f"{number}{Path(part['path']).suffix}", name)
            tables.append(_read_part(path, part, data, reader, name))
    schema = _schema(data)
    if not tables:
        rows = (schema or pa.schema([])).empty_table()
    else:
        rows = pa.concat_tables(tables, promote_options="default")
    if rows.num_rows != data["row_count"]:
        msg = f"{name} vouches for {data['row_count']} rows, and its parts hold {rows.num_rows}"
        raise Loss(msg)
    return Account(name=name, data=data, rows=rows)


def _read_part(
    path: Path, part: Mapping[str, Any], data: Mapping[str, Any], reader: PartReader | None, name: str
) -> pa.Table:
    content = path.read_bytes()
    if len(content) != part["size_bytes"]:
        msg = f"{name} names {part['path']} with {part['size_bytes']} bytes, and it has {len(content)}"
        raise Loss(msg)
    if part["content_fingerprint"] != f"xxh3:{xxhash.xxh3_64_hexdigest(content)}":
        msg = f"{name} names {part['path']}, whose bytes are others than were put"
        raise Loss(msg)
    table = (reader or _independent)(path, data)
    if table.num_rows != part["rows"]:
        msg = f"{name} names {part['path']} with {part['rows']} rows, and it has {table.num_rows}"
        raise Loss(msg)
    return table


def _independent(path: Path, data: Mapping[str, Any]) -> pa.Table:
    """Read a part with DuckDB, or with pyarrow where there is none."""
    if data["format"] == "csv":
        options = pyarrow.csv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=False)
        with pa.input_stream(path, compression="detect") as stream:
            return pyarrow.csv.read_csv(stream, convert_options=options)
    if data["format"] != "parquet":
        msg = f"parts of the format {data['format']} need a reader: pass reader=…"
        raise LookupError(msg)
    try:
        import duckdb
    except ImportError:
        return pq.read_table(path)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        found = connection.sql("SELECT * FROM read_parquet(?)", params=[str(path)]).to_arrow_table()
    return _in_types_of(found, pq.read_schema(path))


def _in_types_of(found: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return DuckDB's rows in the file's own types, where Arrow can cast them; else as they are."""
    columns = []
    for column, field in zip(found.columns, schema, strict=True):
        try:
            columns.append(column.cast(field.type))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
            columns.append(column)
    return pa.table(columns, names=found.column_names)


def _schema(data: Mapping[str, Any]) -> pa.Schema | None:
    text = data.get("arrow_schema")
    return None if not text else pa.ipc.read_schema(pa.py_buffer(base64.b64decode(text)))


def _manifest_names(place: Place) -> list[str]:
    if isinstance(place, Path):
        return sorted(path.name for path in place.glob("manifest-*.json"))
    keys = [info.key for info in place.list("")]
    return sorted(key for key in keys if key.startswith("manifest-") and key.endswith(".json") and "/" not in key)


def _get(place: Place, key: str) -> bytes | None:
    if isinstance(place, Path):
        path = place / key
        return path.read_bytes() if path.is_file() else None
    return place.get(key, _LIMIT)


def _fetch(place: Place, key: str, to: Path, name: str) -> Path:
    if isinstance(place, Path):
        path = place / key
        if not path.is_file():
            msg = f"{name} names {key}, which is not there"
            raise Loss(msg)
        return path
    if place.stat(key) is None:
        msg = f"{name} names {key}, which is not there"
        raise Loss(msg)
    place.download(key, to)
    return to
