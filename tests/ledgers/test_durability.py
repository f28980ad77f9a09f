"""The invariants of the durable order, one by one, on every runner; the deaths at every point are in tests/crash."""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import pytest
from crash_battery import finish
from crash_deaths import Death, Died
from crash_world import World, check_delivery, read_manifest
from ledger_worlds import COLUMNS, fresh

from rivet_core.engine.validation import validate
from rivet_core.engine.validation_readers import readers_of
from rivet_core.errors import Exit
from rivet_core.ledger.points import POINTS
from rivet_core.manifest.marker import digest
from rivet_core.manifest.report import Depth
from rivet_core.plugins import Plugins
from rivet_core.state import StateDatabase, parts, reads
from rivet_core.state.rows import ExportRow, PartRow, RunRow

pytestmark = pytest.mark.slow

every_runner = pytest.mark.parametrize("name", COLUMNS)
#: Those whose broken run another process continues.
resumable = pytest.mark.parametrize("name", ["full", "seek", "ranges", "tail", "stream", "opaque"])
#: Those that deliver a whole relation each time.
whole = pytest.mark.parametrize("name", ["full", "seek", "ranges", "opaque", "snapshot"])
#: From the verdict to the moved position.
SEALING = ("sealing_recorded", "run_manifest_put", "canonical_manifest_put", "success_put")


@attrs.frozen
class Left:
    """What a dead process left in the state."""

    export: ExportRow
    run: RunRow | None
    recorded: tuple[PartRow, ...] = ()
    intended: tuple[PartRow, ...] = ()


def state_of(folder: Path) -> Left:
    with StateDatabase(folder / "state.sqlite") as database:
        export = reads.exports(database)[0]
        run = reads.unfinished_run(database, export.id)
        if run is None:
            return Left(export, None)
        recorded, intended = parts.in_order(database, run.id), parts.intended(database, run.id)
        return Left(export, run, recorded=tuple(recorded), intended=tuple(intended))


def die(world: World, folder: Path, point: str, nth: int = 1) -> bool:
    """Run until the process passes a point, and return whether it died there."""
    death = Death(point=point, nth=nth)
    try:
        world.run(folder, probe=death.probe, before_statement=death.before_statement, wrap=death.wrap)
    except Died:
        return True
    return death.happened


@every_runner
def test_a_position_moves_only_over_manifests_that_are_durable(name: str, tmp_path: Path) -> None:
    world = fresh(name, tmp_path)
    seen: list[int] = []
    verified: set[str] = set()

    def probe(point: str) -> None:
        if point in {"lease_granted", "run_opened"}:
            return
        with StateDatabase(tmp_path / "state.sqlite") as database:
            generation = reads.exports(database)[0].generation
            recorded = database.rows("SELECT dataset, key, digest FROM manifest")
            rolls = database.rows("SELECT count(*) FROM roll WHERE phase = 'sealed'")[0][0]
        seen.append(generation)
        assert generation == rolls, f"{point}: the position was replaced {generation} times over {rolls} sealed rolls"
        for dataset, key, recorded_digest in recorded:
            path = tmp_path / world.prefix / key
            assert digest(path.read_bytes()) == recorded_digest, f"{point}: the manifest of {dataset!r} is not durable"
            if key not in verified:
                # Also proves that every part of it is there.
                read_manifest(path.parent, path.name)
                verified.add(key)

    assert world.run(tmp_path, probe=probe).error is None
    assert seen[0] == 0
    assert seen[-1] >= 1


@every_runner
@pytest.mark.parametrize("point", SEALING)
def test_a_death_while_sealing_leaves_the_position_where_it_was(name: str, point: str, tmp_path: Path) -> None:
    world = fresh(name, tmp_path)
    assert die(world, tmp_path, point) or (name == "stream" and point != "sealing_recorded")
    with StateDatabase(tmp_path / "state.sqlite") as database:
        sealed = database.rows("SELECT count(*) FROM roll WHERE phase = 'sealed'")[0][0]
        assert reads.exports(database)[0].generation == sealed
    finish(world, tmp_path)


@pytest.mark.slow
@every_runner
def test_validate_calls_no_intact_prefix_corrupt_wherever_the_process_died(name: str, tmp_path: Path) -> None:
    readers = readers_of(Plugins.installed({}))
    for point in POINTS[POINTS.index("part_put") :]:
        folder = tmp_path / point
        world = fresh(name, folder)
        assert world.run(folder).error is None
        world.refill(folder)
        die(world, folder, point)
        intent = world.intent(folder)
        destination = world.declarations().open_destination(intent, intent.prefix)
        for dataset in world.expected(folder):
            prefix = f"{dataset}/" if dataset else ""
            report = validate(destination, depth=Depth.FULL, reader_of=readers, prefix=prefix)
            assert report.exit in {Exit.DONE, Exit.USAGE}, f"{point}: {report.failures}"


@resumable
@pytest.mark.parametrize("nth", [1, 2])
def test_a_resume_moves_aside_what_was_intended_and_nothing_that_was_recorded(
    name: str, nth: int, tmp_path: Path
) -> None:
    world = attrs.evolve(fresh(name, tmp_path), workers=1)
    if not die(world, tmp_path, "part_put", nth):
        # A single part: there is no second one to be an orphan beside it.
        assert nth == 2
        return
    left = state_of(tmp_path)
    assert left.intended
    finish(world, tmp_path)
    out = tmp_path / world.prefix
    assert [part.key for part in left.recorded if not (out / part.key).exists()] == []
    assert [part.key for part in left.intended if (out / part.key).exists()] == []
    moved = {path.name for path in (out / "_quarantine").rglob("*") if path.is_file()}
    assert {part.key.rpartition("/")[2] for part in left.intended} <= moved


@whole
@pytest.mark.parametrize("point", ["units_stored", "unit_begun", "part_finished"])
def test_a_run_that_dies_before_its_first_part_is_begun_anew_from_the_start(
    name: str, point: str, tmp_path: Path
) -> None:
    world = fresh(name, tmp_path)
    first = world.run(tmp_path)
    assert first.error is None
    assert die(world, tmp_path, point)
    outcome = world.run(tmp_path)
    assert outcome.error is None
    assert not outcome.resumed
    assert outcome.rows == first.rows
    check_delivery(world, tmp_path)


@every_runner
def test_a_run_whose_gate_failed_leaves_nothing_to_resume(name: str, tmp_path: Path) -> None:
    world = fresh(name, tmp_path)
    failed = world.run(tmp_path, changes={"row_count_min": 1_000})
    assert failed.status == "failed"
    left = state_of(tmp_path)
    assert left.run is None
    assert left.export.position is None
    world.refill(tmp_path)
    outcome = world.run(tmp_path)
    assert outcome.error is None
    assert not outcome.resumed
    assert outcome.run_id != failed.run_id
    check_delivery(world, tmp_path)


@resumable
@pytest.mark.parametrize("point", ["units_complete", "gates_judged"])
def test_a_run_that_dies_between_its_last_part_and_its_manifest_is_resumed(
    name: str, point: str, tmp_path: Path
) -> None:
    world = attrs.evolve(fresh(name, tmp_path), workers=1)
    assert die(world, tmp_path, point)
    left = state_of(tmp_path)
    assert left.run is not None
    assert left.recorded
    outcome = world.run(tmp_path)
    assert outcome.error is None
    assert outcome.resumed
    assert outcome.run_id == left.run.id
    manifests = [json.loads(path.read_bytes()) for path in tmp_path.rglob(f"manifest-{left.run.id}*.json")]
    declared = {part["path"] for manifest in manifests for part in manifest["parts"]}
    assert {part.key.rpartition("/")[2] for part in left.recorded} <= declared
    check_delivery(world, tmp_path)
