"""Small worlds to die in: a source, an export and a destination in one folder, and the oracle that reads them.

The oracle reads only through manifests, as a loader does: a listing would see orphans and hide a loss.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import duckdb
import pyarrow as pa
import stretch_arrow
import stretch_once
import stretch_opaque
import stretch_put_only
import stretch_runners
import stretch_snapshot
import stretch_stream
from stretch_processes import ProcessProducer

from rivet_core.destinations.local import plugin as local_plugin
from rivet_core.engine.declarations import Declarations
from rivet_core.engine.export import run_export
from rivet_core.engine.settings import Settings
from rivet_core.formats.parquet import plugin as parquet_plugin
from rivet_core.requests import Chosen, Intent
from rivet_core.runners.full import plugin as full_plugin
from rivet_core.sources.sqlite import plugin as sqlite_plugin
from rivet_core.state import StateDatabase
from rivet_core.types import Relation, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rivet_core.engine.outcome import Outcome
    from rivet_core.engine.producer import MakeProducer
    from rivet_core.hookspecs import DestinationType, FormatType, RunnerType, SourceType

Row = tuple[Any, ...]

SQLITE: SourceType = next(iter(sqlite_plugin.rivet_sources()))
PARQUET: FormatType = next(iter(parquet_plugin.rivet_formats()))
LOCAL: DestinationType = next(iter(local_plugin.rivet_destinations()))
FULL: RunnerType = next(iter(full_plugin.rivet_runners()))

ROWS = 40


@attrs.frozen(kw_only=True)
class World:
    """One export in a folder; everything else is derived from it, so that a forked process can make it again.

    :param build: makes the source's data.
    :param accumulates: a run delivers only what is new, so all runs together make the dataset.
    """

    name: str
    source: SourceType
    source_options: Callable[[Path], object]
    runner: RunnerType
    mode_options: object
    relation: Relation | None
    build: Callable[[Path], None]
    expected: Callable[[Path], dict[str, Counter[Row]]]
    format: FormatType = PARQUET
    destination: DestinationType = LOCAL
    accumulates: bool = False
    resumable: bool = True
    part_bytes: int = 300
    workers: int = 1
    prefix: str = "out"
    make_producer: MakeProducer | None = None
    refill: Callable[[Path], None] = lambda folder: None

    def intent(self, folder: Path, **changes: Any) -> Intent:
        """Return the export."""
        target = folder / self.prefix
        option = self.destination.prefix or "path"
        intent = Intent(
            name="things",
            source=Chosen(kind=self.source.kind, options=self.source_options(folder)),
            relation=self.relation,
            mode=Chosen(kind=self.runner.mode, options=self.mode_options),
            format=Chosen(kind=self.format.kind, options=self.format.options()),
            destination=Chosen(kind=self.destination.kind, options=self.destination.options(**{option: target})),
            prefix=str(target),
            part_bytes=self.part_bytes,
            workers=self.workers,
            max_attempts=3,
            retry_backoff_ms=1,
        )
        return attrs.evolve(intent, **changes)

    def declarations(self) -> Declarations:
        """Return the plugins."""
        return Declarations(
            source=self.source, runners=(self.runner,), format=self.format, destination=self.destination
        )

    def run(
        self,
        folder: Path,
        *,
        before_statement: Callable[[str], None] | None = None,
        wrap: Callable[[DestinationType], DestinationType] | None = None,
        changes: dict[str, Any] | None = None,
        **settings: Any,
    ) -> Outcome:
        """Run the export once in this process.

        :param wrap: puts something between the engine and the destination.
        :param changes: fields of the intent that are otherwise this time.
        """
        declarations = self.declarations()
        if wrap is not None:
            declarations = attrs.evolve(declarations, destination=wrap(declarations.destination))
        options: dict[str, Any] = {"lock_wait_seconds": 0.0, "make_producer": self.make_producer, **settings}
        watch = {} if before_statement is None else {"before_statement": before_statement}
        with StateDatabase(folder / "state.sqlite", **watch) as database:
            return run_export(self.intent(folder, **(changes or {})), declarations, database, Settings(**options))

    def delivered(self, folder: Path) -> dict[str, Counter[Row]]:
        """Return the rows that a loader would find, per dataset, with how often it would find them."""
        found: dict[str, Counter[Row]] = {}
        for dataset in self.expected(folder):
            prefix = folder / self.prefix / dataset
            if self.accumulates:
                names = sorted(path.name for path in prefix.glob("manifest-*.json"))
            else:
                names = ["manifest.json"] if (prefix / "_SUCCESS").exists() else []
            rows: Counter[Row] = Counter()
            for name in names:
                rows.update(read_manifest(prefix, name))
            found[dataset] = rows
        return found


def read_manifest(prefix: Path, name: str) -> Counter[Row]:
    """Return the rows of a successful manifest's committed parts, by a reader that is not ours."""
    manifest = json.loads((prefix / name).read_bytes())
    rows: Counter[Row] = Counter()
    if manifest["status"] != "success":
        return rows
    for part in manifest["parts"]:
        path = prefix / part["path"]
        assert path.stat().st_size == part["size_bytes"], f"{path.name} is not what the manifest says"
        found = _read(path)
        assert len(found) == part["rows"]
        rows.update(found)
    assert sum(rows.values()) == manifest["row_count"]
    return rows


def _read(path: Path) -> list[Row]:
    if path.suffix == ".parquet":
        with duckdb.connect() as connection:
            return connection.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
    with pa.OSFile(str(path)) as file:
        return [tuple(row.values()) for row in pa.ipc.open_file(file).read_all().to_pylist()]


# -- data ---------------------------------------------------------------------


def build_table(folder: Path) -> None:
    """Make the table of the SQL worlds."""
    with closing(sqlite3.connect(folder / "source.db")) as connection, connection:
        connection.execute("CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
        connection.executemany("INSERT INTO things VALUES (?, ?)", [(n * 10, f"thing {n}") for n in range(1, ROWS + 1)])


def build_empty_table(folder: Path) -> None:
    """Make the table without a row."""
    with closing(sqlite3.connect(folder / "source.db")) as connection, connection:
        connection.execute("CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")


def table_rows(folder: Path) -> dict[str, Counter[Row]]:
    """Return what the table holds now."""
    with closing(sqlite3.connect(folder / "source.db")) as connection:
        return {"": Counter(connection.execute("SELECT id, name FROM things"))}


def disturb_table(folder: Path) -> None:
    """Insert before, between and behind, update values, and move one row's key: what a live table does meanwhile."""
    with closing(sqlite3.connect(folder / "source.db")) as connection, connection:
        connection.executemany("INSERT INTO things VALUES (?, ?)", [(1, "early"), (205, "between"), (100_000, "late")])
        connection.execute("UPDATE things SET id = 7 WHERE id = 390")


def _nothing(folder: Path) -> None:
    del folder


def _sqlite_options(folder: Path) -> object:
    return SQLITE.options(path=folder / "source.db")


def _sql(name: str, runner: RunnerType, mode_options: object, **more: Any) -> World:
    return World(
        name=name,
        source=SQLITE,
        source_options=_sqlite_options,
        runner=runner,
        mode_options=mode_options,
        relation=Table("things"),
        build=build_table,
        expected=table_rows,
        **more,
    )


def _stream_options(folder: Path) -> object:
    return stretch_stream.StreamOptions(transactions=12, acknowledged=folder / "acknowledged")


def _stream_rows(folder: Path) -> dict[str, Counter[Row]]:
    del folder
    rows: dict[str, Counter[Row]] = {"orders": Counter(), "lines": Counter()}
    for transaction in range(1, 13):
        for table, change in stretch_stream.changes_of(transaction):
            if "amount" in change:
                change["amount"] = pa.scalar(change["amount"]).cast(pa.decimal128(12, 2)).as_py()
            rows[table][tuple(change.values())] += 1
    return rows


def _opaque_rows(folder: Path) -> dict[str, Counter[Row]]:
    del folder
    positions = [stretch_opaque.tagged(value) for value in stretch_opaque.ids(stretch_opaque.OpaqueOptions())]
    raw = stretch_opaque.ids(stretch_opaque.OpaqueOptions())
    return {
        "": Counter(
            (f"{position.type}:{position.value}", json.dumps({"n": str(value)}))
            for position, value in zip(positions, raw, strict=True)
        )
    }


def _once_options(folder: Path) -> object:
    return stretch_once.OnceOptions(name=(folder / "pipe").read_text())


def _refill(folder: Path) -> None:
    (folder / "pipe").write_text(secrets.token_hex(8))


def _once_rows(folder: Path) -> dict[str, Counter[Row]]:
    del folder
    return {"": Counter((n, f"row {n}") for n in range(45))}


def _snapshot_options(folder: Path) -> object:
    return stretch_snapshot.SnapshotOptions(name=str(folder))


WORLDS: dict[str, World] = {
    world.name: world
    for world in (
        _sql("full", FULL, FULL.options()),
        _sql("seek", stretch_runners.SEEK, stretch_runners.SeekMode(rows=10)),
        _sql("ranges", stretch_runners.SEEK, stretch_runners.SeekMode(rows=10, ranges=3), workers=2),
        _sql("tail", stretch_runners.TAIL, stretch_runners.SeekMode(rows=10), accumulates=True),
        _sql(
            "processes",
            stretch_runners.SEEK,
            stretch_runners.SeekMode(rows=10, ranges=2),
            workers=2,
            make_producer=ProcessProducer,
        ),
        _sql(
            "put-only",
            stretch_runners.SEEK,
            stretch_runners.SeekMode(rows=10),
            destination=stretch_put_only.DESTINATION,
        ),
        _sql("arrow", stretch_runners.SEEK, stretch_runners.SeekMode(rows=10), format=stretch_arrow.FORMAT),
        World(
            name="stream",
            source=stretch_stream.SOURCE,
            source_options=_stream_options,
            runner=stretch_stream.RUNNER,
            mode_options=stretch_stream.StreamMode(),
            relation=None,
            build=_nothing,
            expected=_stream_rows,
            accumulates=True,
        ),
        World(
            name="opaque",
            source=stretch_opaque.SOURCE,
            source_options=lambda folder: stretch_opaque.OpaqueOptions(),
            runner=stretch_opaque.RUNNER,
            mode_options=stretch_opaque.OpaqueMode(),
            relation=Table("documents"),
            build=_nothing,
            expected=_opaque_rows,
        ),
        World(
            name="once",
            source=stretch_once.SOURCE,
            source_options=_once_options,
            runner=FULL,
            mode_options=FULL.options(),
            relation=Table("pipe"),
            build=_refill,
            expected=_once_rows,
            resumable=False,
            refill=_refill,
        ),
        World(
            name="snapshot",
            source=stretch_snapshot.SOURCE,
            source_options=_snapshot_options,
            runner=stretch_snapshot.RUNNER,
            mode_options=stretch_snapshot.PageMode(),
            relation=Table("pages"),
            build=_nothing,
            expected=lambda folder: {"": Counter()},
            resumable=False,
        ),
    )
}


def check_delivery(world: World, folder: Path) -> None:
    """Assert that a loader finds each row exactly once."""
    found, expected = world.delivered(folder), world.expected(folder)
    if world.name == "snapshot":
        ids = Counter(row[0] for row in found[""].elements())
        assert ids == Counter(range(40)), "a row of the snapshot is missing or doubled"
        return
    for dataset, rows in expected.items():
        missing, doubled = rows - found[dataset], found[dataset] - rows
        assert not missing, f"{dataset or 'the dataset'} lost {sorted(missing, key=str)[:3]}"
        assert not doubled, f"{dataset or 'the dataset'} has too many of {sorted(doubled, key=str)[:3]}"


def stable_rows(before: Iterable[Row], after: Iterable[Row]) -> set[Row]:
    """Return the rows that lived through a disturbance unmoved: these must be delivered exactly once."""
    return set(before) & set(after)
