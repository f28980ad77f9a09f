"""Every gate on every runner, over a column that each source gets beside its own: what it holds, the test decides."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import pyarrow as pa
import pytest
from crash_deaths import Death, Died
from crash_world import WORLDS, World
from ledger_worlds import COLUMNS, Widened, fresh, misbehaving

from rivet_core.engine.outcome import Outcome
from rivet_core.errors import Exit
from rivet_core.protocols import Batch
from rivet_core.requests import ReadContext, ReadRequest
from rivet_core.state import StateDatabase
from rivet_core.types import Query

pytestmark = pytest.mark.slow

every_runner = pytest.mark.parametrize("name", COLUMNS)
every_resumed_runner = pytest.mark.parametrize("name", ["full", "seek", "ranges", "tail", "opaque"])
#: A stream has no count, whatever its source.
every_counted_runner = pytest.mark.parametrize("name", [name for name in COLUMNS if name != "stream"])

Cells = Callable[[int, int], list[str | None]]


class Added(Widened):
    """Every relation has the text column ``added``.

    :param cells: makes a batch's cells from the number of the batch, counted over all reads, and its rows.
    """

    batches = 0

    @staticmethod
    def cells(batch: int, rows: int) -> list[str | None]:
        raise NotImplementedError

    @contextmanager
    def read(self, request: ReadRequest, context: ReadContext) -> Iterator[Iterator[Batch]]:
        known = tuple(column for column in request.columns if column.name != "added")
        with self._real.read(attrs.evolve(request, columns=known), context) as batches:
            yield map(self._with_cells, batches)

    def _with_cells(self, batch: Batch) -> Batch:
        data = batch.data
        cells = pa.array(self.cells(type(self).batches, data.num_rows), pa.string())
        type(self).batches += 1
        return attrs.evolve(batch, data=data.append_column("added", cells))


def adding(world: World, cells: Cells) -> World:
    facts = {"described": 0, "from_description": 1, "batches": 0, "cells": staticmethod(cells)}
    return misbehaving(attrs.evolve(world, workers=1), type("Cells", (Added,), facts))


def all_different(batch: int, rows: int) -> list[str | None]:
    return [f"{batch:04}-{row:04}" for row in range(rows)]


def one_null(batch: int, rows: int) -> list[str | None]:
    return [None, *all_different(batch, rows)[1:]] if rows else []


def one_value_in_each_batch(batch: int, rows: int) -> list[str | None]:
    return ["again", *all_different(batch, rows)[1:]] if rows else []


def gate(outcome: Outcome, name: str) -> tuple[str, str]:
    """The verdict, and of several rolls' the worst."""
    found = [(result.verdict, result.detail) for result in outcome.gates if result.gate == name]
    return min(found, key=lambda one: ("fail", "warn", "pass").index(one[0]))


def dies(world: World, folder: Path, point: str = "part_recorded", **more: Any) -> None:
    death = Death(point=point)
    with pytest.raises(Died):
        world.run(folder, probe=death.probe, before_statement=death.before_statement, wrap=death.wrap, **more)


def closed_as_failed(outcome: Outcome, folder: Path) -> bool:
    return (outcome.exit, outcome.status) == (Exit.INTEGRITY, "failed") and not list(folder.rglob("_SUCCESS"))


# -- NULLs --------------------------------------------------------------------


@every_runner
def test_too_many_nulls_close_the_run_as_failed(name: str, tmp_path: Path) -> None:
    world = adding(fresh(name, tmp_path), one_null)
    outcome = world.run(tmp_path, changes={"null_ratio_max": (("added", 0.01),)})
    assert closed_as_failed(outcome, tmp_path)
    assert "added is NULL in" in gate(outcome, "null_ratio")[1]


@every_runner
def test_nulls_within_their_share_pass(name: str, tmp_path: Path) -> None:
    world = adding(fresh(name, tmp_path), all_different)
    outcome = world.run(tmp_path, changes={"null_ratio_max": (("added", 0.0),)})
    assert (outcome.status, gate(outcome, "null_ratio")[0]) == ("success", "pass")


@every_resumed_runner
def test_nulls_of_both_processes_are_judged_together(name: str, tmp_path: Path) -> None:
    changes = {"null_ratio_max": (("added", 0.0),)}
    dies(adding(fresh(name, tmp_path), one_null), tmp_path, changes=changes)
    outcome = adding(WORLDS[name], all_different).run(tmp_path, changes=changes)
    assert outcome.resumed
    assert closed_as_failed(outcome, tmp_path)


# -- values that may not occur twice ------------------------------------------


@every_runner
def test_a_value_that_occurs_twice_closes_the_run_as_failed(name: str, tmp_path: Path) -> None:
    world = adding(fresh(name, tmp_path), lambda batch, rows: ["again"] * rows)
    outcome = world.run(tmp_path, changes={"unique_columns": ("added",)})
    assert closed_as_failed(outcome, tmp_path)
    assert "should hold no value twice" in gate(outcome, "unique")[1]


@every_runner
def test_values_that_differ_and_nulls_pass(name: str, tmp_path: Path) -> None:
    world = adding(fresh(name, tmp_path), one_null)
    outcome = world.run(tmp_path, changes={"unique_columns": ("added",)})
    assert (outcome.status, gate(outcome, "unique")[0]) == ("success", "pass")


@pytest.mark.parametrize("name", ["seek", "ranges", "tail", "opaque", "snapshot"])
def test_a_value_that_occurs_in_two_parts_or_units_is_found(name: str, tmp_path: Path) -> None:
    world = adding(fresh(name, tmp_path), one_value_in_each_batch)
    outcome = world.run(tmp_path, changes={"unique_columns": ("added",)})
    assert outcome.parts > 1
    assert closed_as_failed(outcome, tmp_path)


@pytest.mark.parametrize("name", ["seek", "ranges", "tail", "opaque"])
def test_a_value_that_an_earlier_process_recorded_is_found(name: str, tmp_path: Path) -> None:
    def first_of_all(batch: int, rows: int) -> list[str | None]:
        cells = all_different(batch + 1000 * len(runs), rows)
        return ["again", *cells[1:]] if batch == 0 else cells

    changes = {"unique_columns": ("added",)}
    runs: list[int] = []
    dies(adding(fresh(name, tmp_path), first_of_all), tmp_path, changes=changes)
    runs.append(1)
    outcome = adding(WORLDS[name], first_of_all).run(tmp_path, changes=changes)
    assert outcome.resumed
    assert closed_as_failed(outcome, tmp_path)
    assert "and 1 cell repeats" in gate(outcome, "unique")[1]


@every_runner
def test_beyond_the_largest_number_of_values_the_gate_says_what_it_judged(name: str, tmp_path: Path) -> None:
    world = adding(fresh(name, tmp_path), all_different)
    outcome = world.run(tmp_path, changes={"unique_columns": ("added",), "unique_max_entries": 2})
    verdict, detail = gate(outcome, "unique")
    assert (outcome.status, verdict) == ("success", "warn")
    assert "among 2 of about" in detail


@every_resumed_runner
def test_rows_that_were_recorded_before_the_gate_was_asked_for_are_said(name: str, tmp_path: Path) -> None:
    dies(adding(fresh(name, tmp_path), all_different), tmp_path)
    outcome = adding(WORLDS[name], all_different).run(tmp_path, changes={"unique_columns": ("added",)})
    assert outcome.resumed
    assert gate(outcome, "unique")[0] == "warn"


@every_runner
def test_nothing_of_unique_columns_is_left_in_the_state_of_a_closed_run(name: str, tmp_path: Path) -> None:
    world = adding(fresh(name, tmp_path), all_different)
    outcome = world.run(tmp_path, changes={"unique_columns": ("added",)})
    assert outcome.run_id is not None
    with StateDatabase(tmp_path / "state.sqlite") as database:
        counters = [row[0] for row in database.rows("SELECT counters FROM part WHERE run_id = ?", (outcome.run_id,))]
        assert counters
        assert [text for text in counters if "distinct" in json.loads(text)] == []


# -- widths -------------------------------------------------------------------


def wide(width: int) -> Cells:
    return lambda batch, rows: ["x" * width] * rows


@every_runner
def test_a_column_that_outgrew_the_last_success_is_a_warning(name: str, tmp_path: Path) -> None:
    narrow, large = adding(fresh(name, tmp_path), wide(10)), adding(WORLDS[name], wide(21))
    assert narrow.run(tmp_path).error is None
    again(narrow, tmp_path)
    outcome = large.run(tmp_path)
    verdict, detail = gate(outcome, "shape_drift")
    assert (outcome.status, verdict) == ("success", "warn")
    assert "a value of 21 bytes, and its widest was 10" in detail


@every_runner
def test_a_column_that_grew_within_the_factor_passes(name: str, tmp_path: Path) -> None:
    narrow, large = adding(fresh(name, tmp_path), wide(10)), adding(WORLDS[name], wide(21))
    assert narrow.run(tmp_path).error is None
    again(narrow, tmp_path)
    assert gate(large.run(tmp_path, changes={"shape_drift_warn_factor": 2.1}), "shape_drift")[0] == "pass"


@every_resumed_runner
def test_a_width_that_an_earlier_process_recorded_counts(name: str, tmp_path: Path) -> None:
    narrow = adding(fresh(name, tmp_path), wide(10))
    assert narrow.run(tmp_path).error is None
    again(narrow, tmp_path)
    dies(adding(WORLDS[name], wide(21)), tmp_path)
    outcome = adding(WORLDS[name], wide(10)).run(tmp_path)
    assert outcome.resumed
    assert gate(outcome, "shape_drift")[0] == "warn"


def again(world: World, folder: Path) -> None:
    """Give the source something new to deliver."""
    world.refill(folder)
    if world.name == "tail":
        import sqlite3
        from contextlib import closing

        with closing(sqlite3.connect(folder / "source.db")) as connection, connection:
            connection.executemany("INSERT INTO things VALUES (?, ?)", [(1000 + n, f"new {n}") for n in range(20)])
    if world.name == "stream":
        # What was acknowledged is gone: the same changes come again from an export that has no position.
        (folder / "acknowledged").unlink()
        with closing_state(folder) as connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            connection.execute(
                "UPDATE export SET position = NULL, position_facts = NULL, position_run = NULL, position_roll = NULL,"
                " position_dataset = NULL"
            )


@contextmanager
def closing_state(folder: Path) -> Iterator[Any]:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(folder / "state.sqlite")) as connection, connection:
        yield connection


# -- what the source counts ---------------------------------------------------


def manifest_counts(folder: Path) -> list[int | None]:
    manifests = [json.loads(path.read_bytes()) for path in folder.rglob("manifest.json")]
    return [manifest["source"]["extraction"].get("source_row_count") for manifest in manifests]


class Losing(Widened):
    """Its reads lose their first row; its counts are right."""

    from_description = 1_000_000
    counted = 0

    @contextmanager
    def read(self, request: ReadRequest, context: ReadContext) -> Iterator[Iterator[Batch]]:
        with self._real.read(request, context) as batches:
            yield (attrs.evolve(batch, data=batch.data.slice(n == 0)) for n, batch in enumerate(batches))

    def count(self, request: ReadRequest, context: ReadContext) -> int:
        type(self).counted += 1
        return int(self._real.count(request, context))


class Moving(Losing):
    """Its relation changes all the time."""

    def count(self, request: ReadRequest, context: ReadContext) -> int:
        return super().count(request, context) + type(self).counted


class Uncountable(Losing):
    """Its counts fail."""

    def count(self, request: ReadRequest, context: ReadContext) -> int:
        msg = "the count took too long"
        raise LookupError(msg)


def one_page(name: str, folder: Path) -> World:
    """A world whose units are one page each, since a page that lost a row would be taken for the last one."""
    world = attrs.evolve(fresh(name, folder), workers=1)
    if not hasattr(world.mode_options, "rows"):
        return world
    return attrs.evolve(world, mode_options=attrs.evolve(world.mode_options, rows=1000))


def class_of(kind: type) -> type:
    return type(kind.__name__, (kind,), {"counted": 0, "described": 0})


@every_counted_runner
def test_rows_that_the_source_counts_are_compared_and_declared(name: str, tmp_path: Path) -> None:
    world = fresh(name, tmp_path)
    outcome = world.run(tmp_path, reconcile=True)
    assert (outcome.status, gate(outcome, "reconcile")[0]) == ("success", "pass")
    assert manifest_counts(tmp_path) == [outcome.rows]


@every_counted_runner
def test_rows_that_are_missing_close_the_run_as_failed(name: str, tmp_path: Path) -> None:
    world = misbehaving(one_page(name, tmp_path), class_of(Losing))
    outcome = world.run(tmp_path, reconcile=True)
    assert closed_as_failed(outcome, tmp_path)
    assert "in its parts" in gate(outcome, "reconcile")[1]


@pytest.mark.parametrize("name", [name for name in COLUMNS if name not in {"stream", "snapshot"}])
def test_a_relation_that_changes_under_the_read_is_a_warning(name: str, tmp_path: Path) -> None:
    world = misbehaving(one_page(name, tmp_path), class_of(Moving))
    outcome = world.run(tmp_path, reconcile=True)
    assert (outcome.status, gate(outcome, "reconcile")[0]) == ("success", "warn")


@every_counted_runner
def test_a_unit_that_cannot_be_counted_is_a_warning(name: str, tmp_path: Path) -> None:
    world = misbehaving(one_page(name, tmp_path), class_of(Uncountable))
    outcome = world.run(tmp_path, reconcile=True)
    assert (outcome.status, gate(outcome, "reconcile")[0]) == ("success", "warn")
    assert manifest_counts(tmp_path) == [None]


@every_resumed_runner
def test_units_of_an_earlier_process_are_counted_too(name: str, tmp_path: Path) -> None:
    world = attrs.evolve(fresh(name, tmp_path), workers=1)
    dies(world, tmp_path)
    outcome = world.run(tmp_path, reconcile=True)
    assert outcome.resumed
    assert gate(outcome, "reconcile")[0] == "pass"
    assert manifest_counts(tmp_path) == [outcome.rows]


@every_resumed_runner
def test_a_mismatch_in_what_an_earlier_process_read_is_a_warning(name: str, tmp_path: Path) -> None:
    # Nobody knows how many rows there were when it was read.
    world = one_page(name, tmp_path)
    dies(misbehaving(world, class_of(Losing)), tmp_path, "units_complete")
    outcome = world.run(tmp_path, reconcile=True)
    assert (outcome.status, gate(outcome, "reconcile")[0]) == ("success", "warn")


@pytest.mark.parametrize(("name", "why"), [("stream", "reads a stream"), ("once", "read once only")])
def test_what_has_no_count_is_refused_by_name(name: str, why: str, tmp_path: Path) -> None:
    world = fresh(name, tmp_path)
    outcome = world.run(tmp_path, reconcile=True)
    assert outcome.error is not None
    assert (outcome.error.code, outcome.exit) == ("RIVET_CLI_OPTION_UNSUPPORTED", Exit.USAGE)
    assert "things" in outcome.error.message
    assert why in outcome.error.message


# -- before anything is read --------------------------------------------------


@every_runner
@pytest.mark.parametrize(
    "changes",
    [
        {"null_ratio_max": (("ghost", 0.5),)},
        {"unique_columns": ("ghost",)},
        {"verify": "content"},
    ],
    ids=["null_ratio_max", "unique_columns", "verify"],
)
def test_a_gate_that_could_judge_nothing_is_refused_before_reading(
    name: str, changes: dict[str, Any], tmp_path: Path
) -> None:
    world = fresh(name, tmp_path)
    outcome = world.run(tmp_path, changes=changes)
    assert outcome.error is not None
    assert (outcome.error.code, outcome.status) == ("RIVET_CONFIG_VALUE_INVALID", "refused")
    assert outcome.error.place is not None
    assert next(iter(changes)) in str(outcome.error.place.path)


# -- wherever units are read, and whatever their parts are ----------------------

elsewhere = pytest.mark.parametrize("name", ["processes", "put-only", "arrow"])


@elsewhere
def test_gates_pass_wherever_units_are_read(name: str, tmp_path: Path) -> None:
    changes = {"unique_columns": ("id", "name"), "null_ratio_max": (("name", 0.0),)}
    outcome = fresh(name, tmp_path).run(tmp_path, changes=changes, reconcile=True)
    assert outcome.error is None
    assert {gate(outcome, each)[0] for each in ("unique", "null_ratio", "reconcile")} == {"pass"}


@elsewhere
@pytest.mark.parametrize("changes", [{"unique_columns": ("name",)}, {"null_ratio_max": (("gap", 0.5),)}])
def test_gates_fail_wherever_units_are_read(name: str, changes: dict[str, Any], tmp_path: Path) -> None:
    query = Query("SELECT id, 'one of two' || (id = 10) AS name, CAST(NULL AS TEXT) AS gap FROM things")
    outcome = fresh(name, tmp_path).run(tmp_path, changes={"relation": query, **changes})
    assert closed_as_failed(outcome, tmp_path)
