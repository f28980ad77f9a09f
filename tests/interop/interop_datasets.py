"""What differs between two datasets, each read through its own manifest: by name, so that a test can hold a list."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import attrs
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from rivet_core.manifest.checksums import column_checksums

#: What belongs to one run, so that two runs of one tool differ in it as well.
_OF_A_RUN = frozenset({"run_id", "started_at", "finished_at", "parts"})
#: Fields that the Rust tool does not have and passes over.
OURS_ALONE = frozenset({"arrow_schema", "writer"})
_CSV = "read_csv(?, header = true, all_varchar = true, nullstr = '', allow_quoted_nulls = false)"


@attrs.frozen(kw_only=True)
class Dataset:
    """A prefix as its manifest tells it."""

    prefix: Path
    manifest: dict[str, Any]

    @classmethod
    def at(cls, prefix: Path) -> Dataset:
        """Reads a prefix that a loader would take."""
        assert (prefix / "_SUCCESS").exists(), f"there is no finished dataset at {prefix}"
        return cls(prefix=prefix, manifest=json.loads((prefix / "manifest.json").read_text(encoding="utf-8")))

    @property
    def files(self) -> list[str]:
        return [str(self.prefix / part["path"]) for part in self.manifest["parts"]]

    @property
    def parquet(self) -> bool:
        return bool(self.manifest["format"] == "parquet")

    @property
    def schema(self) -> pa.Schema:
        return pq.read_schema(self.files[0])

    @property
    def text(self) -> bytes:
        """The bytes of all CSV parts, the header once."""
        first, *others = [Path(file).read_bytes() for file in self.files]
        return first + b"".join(other.partition(b"\n")[2] for other in others)


def differences(ours: Dataset, theirs: Dataset) -> set[str]:
    """The names of all that differs, but for what belongs to a run; empty when nobody could tell the two apart."""
    found = _of_manifests(ours.manifest, theirs.manifest)
    if _uri(ours) != _uri(theirs):
        found.add("destination.uri")
    if not (ours.files and theirs.files):
        return found
    if ours.parquet:
        found |= _of_parquet(ours, theirs)
    elif ours.text != theirs.text:
        found.add("bytes")
    return found | _of_values(ours, theirs)


def _of_manifests(ours: dict[str, Any], theirs: dict[str, Any]) -> set[str]:
    compared = (ours.keys() | theirs.keys()) - _OF_A_RUN - OURS_ALONE - {"destination", "source"}
    found = {name for name in compared if ours.get(name) != theirs.get(name)}
    if ours["destination"]["kind"] != theirs["destination"]["kind"]:
        found.add("destination.kind")
    found |= {f"source.{name}" for name in theirs["source"] if ours["source"].get(name) != theirs["source"][name]}
    keys = [set(part) for manifest in (ours, theirs) for part in manifest["parts"][:1]]
    if len(keys) == 2 and keys[0] != keys[1]:
        found.add("parts' fields")
    return found


def _uri(dataset: Dataset) -> str:
    """The address below the tool's own folder."""
    uri: str = dataset.manifest["destination"]["uri"]
    return uri.partition("/out")[2].rstrip("/")


def _of_parquet(ours: Dataset, theirs: Dataset) -> set[str]:
    mine, other = ours.schema, theirs.schema
    found = set()
    if mine.names != other.names:
        found.add("names")
    if [field.type for field in mine] != [field.type for field in other]:
        found.add("types")
    if [field.nullable for field in mine] != [field.nullable for field in other]:
        found.add("nullable")
    if [_item(field) for field in mine] != [_item(field) for field in other]:
        found.add("list items")
    if [_told(field) for field in mine] != [_told(field) for field in other]:
        found.add("field metadata")
    for what, statement in _PHYSICAL.items():
        left, right = (_asked(statement, dataset.files[:1]) for dataset in (ours, theirs))
        if left != right:
            found.add(what)
    return found


#: What a reader of the files' own metadata sees.
_PHYSICAL = {
    "physical types": (
        "SELECT CASE WHEN name IN ('item', 'element') THEN '' ELSE name END, type, type_length, repetition_type,"
        " logical_type FROM parquet_schema(?) WHERE num_children IS NULL"
    ),
    "codec": "SELECT DISTINCT path_in_schema[1], compression FROM parquet_metadata(?) ORDER BY ALL",
    "row groups": "SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata(?) ORDER BY ALL",
    "created_by": "SELECT regexp_extract(created_by, '^\\S+') FROM parquet_file_metadata(?)",
}


def _item(field: pa.Field) -> str | None:
    return field.type.value_field.name if pa.types.is_list(field.type) else None


def _told(field: pa.Field) -> dict[bytes, bytes]:
    told = field.metadata or {}
    return {name: value for name, value in told.items() if name.startswith(b"rivet.")}


def _of_values(ours: Dataset, theirs: Dataset) -> set[str]:
    """Compares the rows as a bag, and Parquet's columns by the sums of their bytes, which tell -0 from 0."""
    found = set()
    reads = "read_parquet(?)" if ours.parquet else _CSV
    # The moment of the export is a run's own.
    shown = "COLUMNS(lambda name: name <> '_rivet_exported_at')"
    bag = f"SELECT {shown} FROM {reads} EXCEPT ALL SELECT {shown} FROM {reads}"
    for left, right in ((ours, theirs), (theirs, ours)):
        if _asked(f"SELECT count(*) FROM ({bag})", left.files, right.files) != [(0,)]:
            found.add("values")
    if ours.parquet and _sums(ours) != _sums(theirs):
        found.add("bits of values")
    return found


def _sums(dataset: Dataset) -> dict[str, int]:
    sums: dict[str, int] = {}
    for file in dataset.files:
        table = pq.read_table(file)
        for batch in table.combine_chunks().to_batches():
            for name, value in column_checksums(batch, None).items():
                if name != "_rivet_exported_at":
                    sums[name] = (sums.get(name, 0) + value) % 2**64
    return sums


def _asked(statement: str, *files: list[str]) -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        connection.execute("SET timezone = 'UTC'")
        return connection.execute(statement, list(files)).fetchall()


def folder_of(uri: str) -> Path:
    """The folder that a manifest's address names, read as a URL."""
    return Path(unquote(uri.removeprefix("file://")))
