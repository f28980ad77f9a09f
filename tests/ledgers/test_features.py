"""Per-export features, proved once for every runner: a feature that a runner can forget would show here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from crash_deaths import Death, Died
from crash_world import World, check_delivery, disturb_table
from ledger_worlds import COLUMNS, TABLES, Broken, Widened, fresh, misbehaving
from stretch_put_only import DESTINATION as PUT_ONLY

from rivet_core.engine.validation import validate
from rivet_core.engine.validation_readers import readers_of
from rivet_core.errors import Exit
from rivet_core.manifest.report import Depth
from rivet_core.manifest.row_hash import row_hashes
from rivet_core.plugins import Plugins

pytestmark = pytest.mark.slow

every_runner = pytest.mark.parametrize("name", COLUMNS)
every_runner_of_the_table = pytest.mark.parametrize("name", TABLES)
NIGHT = datetime(2026, 3, 1, 2, 30, tzinfo=UTC)


def prefixes(world: World, folder: Path) -> list[Path]:
    return [folder / world.prefix / dataset for dataset in world.expected(folder)]


def manifests(world: World, folder: Path) -> list[dict[str, Any]]:
    """The successful manifests that a loader reads, in the order of their names."""
    names = "manifest-*.json" if world.accumulates else "manifest.json"
    found = [json.loads(path.read_bytes()) for prefix in prefixes(world, folder) for path in sorted(prefix.glob(names))]
    return [manifest for manifest in found if manifest["status"] == "success"]


def batches(world: World, folder: Path) -> Iterator[pa.RecordBatch]:
    """The rows of every part that a loader reads."""
    names = "manifest-*.json" if world.accumulates else "manifest.json"
    for prefix in prefixes(world, folder):
        for path in sorted(prefix.glob(names)):
            for part in json.loads(path.read_bytes())["parts"]:
                yield from pq.read_table(prefix / part["path"]).to_batches()


def die_once(world: World, folder: Path, point: str, **more: Any) -> None:
    death = Death(point=point)
    with pytest.raises(Died):
        world.run(folder, probe=death.probe, before_statement=death.before_statement, wrap=death.wrap, **more)


# -- schema drift -------------------------------------------------------------


@every_runner
def test_a_drifted_schema_is_exit_4_before_anything_is_read(name: str, tmp_path: Path) -> None:
    world = fresh(name, tmp_path)
    assert world.run(tmp_path).error is None
    before = [sorted(prefix.iterdir()) for prefix in prefixes(world, tmp_path)]
    drifted = misbehaving(world, type("Drifted", (Widened,), {"described": 0}))
    world.refill(tmp_path)
    outcome = drifted.run(tmp_path, changes={"on_schema_drift": "fail"})
    assert outcome.exit is Exit.DRIFT
    assert outcome.run_id is None
    assert [sorted(prefix.iterdir()) for prefix in prefixes(world, tmp_path)] == before


@every_runner
def test_a_schema_that_drifts_under_the_read_closes_the_run_as_failed(name: str, tmp_path: Path) -> None:
    world = fresh(name, tmp_path)
    described = len(world.expected(tmp_path))
    drifting = misbehaving(world, type("Drifting", (Widened,), {"described": 0, "from_description": described + 1}))
    outcome = drifting.run(tmp_path, changes={"on_schema_drift": "fail"})
    assert (outcome.exit, outcome.status) == (Exit.DRIFT, "failed")
    assert not [prefix for prefix in prefixes(world, tmp_path) if (prefix / "_SUCCESS").exists()]


# -- quality ------------------------------------------------------------------


@every_runner
def test_too_few_rows_close_the_run_as_failed(name: str, tmp_path: Path) -> None:
    world = fresh(name, tmp_path)
    outcome = world.run(tmp_path, changes={"row_count_min": 1_000})
    assert (outcome.exit, outcome.status) == (Exit.INTEGRITY, "failed")
    assert not [prefix for prefix in prefixes(world, tmp_path) if (prefix / "_SUCCESS").exists()]


@pytest.mark.parametrize("name", ["full", "seek", "ranges", "tail", "opaque"])
def test_a_resumed_run_is_judged_whole(name: str, tmp_path: Path) -> None:
    # Every row of both processes counts, and none twice: one more would be too many, one fewer too few.
    world = attrs.evolve(fresh(name, tmp_path), workers=1)
    rows = sum(world.expected(tmp_path)[""].values())
    changes = {"row_count_min": rows, "row_count_max": rows}
    die_once(world, tmp_path, "part_recorded", changes=changes)
    outcome = world.run(tmp_path, changes=changes)
    assert outcome.resumed
    assert (outcome.error, outcome.rows) == (None, rows)


@every_runner
def test_content_that_the_store_confirmed_passes(name: str, tmp_path: Path) -> None:
    world = attrs.evolve(fresh(name, tmp_path), destination=PUT_ONLY)
    outcome = world.run(tmp_path, changes={"verify": "content"})
    assert outcome.error is None
    assert {result.verdict for result in outcome.gates if result.gate == "content"} == {"pass"}


# -- checksums ----------------------------------------------------------------


@every_runner
def test_column_checksums_are_in_every_manifest_and_agree_with_the_files(name: str, tmp_path: Path) -> None:
    world = fresh(name, tmp_path)
    assert world.run(tmp_path).error is None
    assert [manifest["run_id"] for manifest in manifests(world, tmp_path) if not manifest["column_checksums"]] == []
    verify(world, tmp_path)


@pytest.mark.parametrize("name", ["full", "seek", "ranges", "tail", "opaque"])
def test_a_resumed_run_has_the_checksums_of_an_undisturbed_one(name: str, tmp_path: Path) -> None:
    world = attrs.evolve(fresh(name, tmp_path / "calm"), workers=1)
    assert world.run(tmp_path / "calm").error is None
    fresh(name, tmp_path / "broken")
    die_once(world, tmp_path / "broken", "part_recorded")
    assert world.run(tmp_path / "broken").resumed
    (calm,), (resumed,) = manifests(world, tmp_path / "calm"), manifests(world, tmp_path / "broken")
    assert resumed["column_checksums"] == calm["column_checksums"]
    assert resumed["row_count"] == calm["row_count"]


def verify(world: World, folder: Path) -> None:
    intent = world.intent(folder)
    destination = world.declarations().open_destination(intent, intent.prefix)
    for dataset in world.expected(folder):
        report = validate(
            destination,
            depth=Depth.FULL,
            reader_of=readers_of(Plugins.installed({})),
            prefix=f"{dataset}/" if dataset else "",
        )
        assert report.exit is Exit.DONE, report.failures


# -- what a prefix holds ------------------------------------------------------


@every_runner
def test_a_prefix_of_the_other_shape_is_refused(name: str, tmp_path: Path) -> None:
    world = fresh(name, tmp_path)
    assert world.run(tmp_path).error is None
    for prefix in prefixes(world, tmp_path):
        manifest = json.loads((prefix / "manifest.json").read_bytes())
        manifest["mode"] = {"batch": "cdc", "cdc": "batch"}[manifest["mode"]]
        (prefix / "manifest.json").write_text(json.dumps(manifest))
    world.refill(tmp_path)
    outcome = world.run(tmp_path)
    assert outcome.error is not None
    assert outcome.error.code == "RIVET_DEST_PREFIX_MODE_MISMATCH"
    assert outcome.exit is Exit.REFUSED


@every_runner
def test_two_runs_in_one_instant_overwrite_nothing(name: str, tmp_path: Path) -> None:
    world = fresh(name, tmp_path)
    assert world.run(tmp_path, clock=lambda: NIGHT).error is None
    canonical = {"manifest.json", "_SUCCESS"}
    files = [path for prefix in prefixes(world, tmp_path) for path in prefix.iterdir() if path.is_file()]
    first = {path: path.read_bytes() for path in files if path.name not in canonical}
    world.refill(tmp_path)
    if name in TABLES:
        disturb_table(tmp_path)
    assert world.run(tmp_path, clock=lambda: NIGHT).error is None
    assert {path: path.read_bytes() for path in first} == first
    ids = {json.loads(path.read_bytes())["run_id"] for path in tmp_path.rglob("manifest-*.json")}
    assert len(ids) == 2


# -- meta columns -------------------------------------------------------------


@every_runner
def test_the_export_time_is_the_runs_own_for_every_row(name: str, tmp_path: Path) -> None:
    world = attrs.evolve(fresh(name, tmp_path), workers=1)
    changes = {"exported_at": True}
    if world.resumable:
        die_once(world, tmp_path, "part_recorded", changes=changes, clock=lambda: NIGHT)
        later = datetime(2026, 3, 2, tzinfo=UTC)
        assert world.run(tmp_path, changes=changes, clock=lambda: later).resumed
    else:
        assert world.run(tmp_path, changes=changes, clock=lambda: NIGHT).error is None
    clocks = {value.as_py() for batch in batches(world, tmp_path) for value in batch["_rivet_exported_at"].unique()}
    assert clocks == {NIGHT}


@every_runner
def test_the_row_hash_is_that_of_the_rows_own_columns(name: str, tmp_path: Path) -> None:
    world = fresh(name, tmp_path)
    assert world.run(tmp_path, changes={"row_hash": ()}).error is None
    found = list(batches(world, tmp_path))
    assert found
    for batch in found:
        names = [column for column in batch.schema.names if column != "_rivet_row_hash"]
        assert batch["_rivet_row_hash"].equals(row_hashes(batch.select(names), names))


# -- whole or not at all ------------------------------------------------------


@every_runner
def test_one_failed_unit_fails_the_export_and_the_next_run_delivers_all(name: str, tmp_path: Path) -> None:
    world = fresh(name, tmp_path)
    working = 1 if name in {"seek", "ranges", "tail", "snapshot"} else 0
    outcome = misbehaving(world, type("Bad", (Broken,), {"reads": 0, "working": working})).run(tmp_path)
    assert outcome.error is not None
    assert outcome.error.code == "RIVET_RUN_UNITS_FAILED"
    assert outcome.status == "open"
    assert not list(tmp_path.rglob("manifest*.json"))
    world.refill(tmp_path)
    assert world.run(tmp_path).error is None
    check_delivery(world, tmp_path)


# -- types --------------------------------------------------------------------


@every_runner_of_the_table
def test_a_table_has_the_same_columns_and_types_on_every_runner(name: str, tmp_path: Path) -> None:
    tables = []
    for each, folder in (("full", tmp_path / "whole"), (name, tmp_path / "other")):
        world = fresh(each, folder)
        assert world.run(folder).error is None
        tables.append(pa.Table.from_batches(batches(world, folder)).sort_by("id"))
    whole, other = tables
    assert other.schema.equals(whole.schema, check_metadata=False)
    assert other.equals(whole)


@every_runner_of_the_table
def test_an_independent_reader_finds_the_tables_rows(name: str, tmp_path: Path) -> None:
    world = fresh(name, tmp_path)
    assert world.run(tmp_path).error is None
    (prefix,) = prefixes(world, tmp_path)
    paths = [str(prefix / part["path"]) for manifest in manifests(world, tmp_path) for part in manifest["parts"]]
    with duckdb.connect() as connection:
        rows = connection.execute("SELECT count(*), count(DISTINCT id) FROM read_parquet(?)", [paths]).fetchone()
    total = sum(world.expected(tmp_path)[""].values())
    assert rows == (total, total)
