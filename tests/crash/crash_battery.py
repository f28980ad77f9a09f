"""The proofs as functions over a folder, so that the tests run them on the ledger and the mutants on broken ones."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import attrs
import stretch_once
import stretch_opaque
import stretch_snapshot
import stretch_stream
import xxhash
from crash_deaths import Death, Died, wrapped
from crash_world import (
    WORLDS,
    World,
    build_empty_table,
    check_delivery,
    disturb_table,
    read_manifest,
    stable_rows,
    table_rows,
)

from rivet_core.errors import Exit
from rivet_core.events import RunClosed
from rivet_core.ledger.points import POINTS
from rivet_core.state import StateDatabase, parts, reads
from rivet_core.types import Verdict

Check = Callable[[Path], None]


def fresh(world: World, folder: Path) -> Path:
    """Return a new folder with the world's data."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    world.build(folder)
    return folder


def statements_of(world: World, folder: Path) -> int:
    """Return how many statements an undisturbed run needs."""
    death = Death()
    world.run(fresh(world, folder), before_statement=death.before_statement, probe=death.probe)
    return death.statements


def die(world: World, folder: Path, death: Death, **more: Any) -> bool:
    """Run until the death; return whether it came."""
    try:
        world.run(folder, before_statement=death.before_statement, probe=death.probe, wrap=death.wrap, **more)
    except Died:
        return True
    return death.happened


def finish(world: World, folder: Path, **more: Any) -> None:
    """Run again as an operator would, and check what a loader finds."""
    world.refill(folder)
    outcome = world.run(folder, **more)
    assert outcome.error is None, f"the next run failed: {outcome.error}"
    assert outcome.status == "success"
    check_delivery(world, folder)
    check_pair(world, folder)
    check_state(folder)


def check_pair(world: World, folder: Path) -> None:
    """Assert that ``_SUCCESS`` names the bytes of ``manifest.json``, and that these are a run's own manifest."""
    for dataset in world.expected(folder):
        prefix = folder / world.prefix / dataset
        data = (prefix / "manifest.json").read_bytes()
        assert (prefix / "_SUCCESS").read_text().strip() == f"xxh3:{xxhash.xxh3_64_hexdigest(data)}"
        run_id = json.loads(data)["run_id"]
        copies = [path.read_bytes() for path in prefix.glob(f"manifest-{run_id}*.json")]
        assert data in copies, "the canonical manifest is no run's own"


def check_state(folder: Path) -> None:
    """Assert that nothing is left open, and that what the state records is what the manifests declare."""
    with StateDatabase(folder / "state.sqlite") as database:
        for export in reads.exports(database):
            assert reads.unfinished_run(database, export.id) is None, "a run is still open after a success"
            assert export.pending_ack is None, "the source was not acknowledged"


def every_statement(name: str, *, sample: int | None = None, seed: int = 0) -> Check:
    """Return the check that a death at any statement of the state loses and doubles nothing.

    :param sample: how many statements, drawn with the seed; None is all.
    """

    def check(folder: Path) -> None:
        world = WORLDS[name]
        total = statements_of(world, folder / "count")
        chosen = range(1, total + 1)
        numbers = list(chosen) if sample is None else sorted(random.Random(seed).sample(chosen, min(sample, total)))
        for number in numbers:
            place = fresh(world, folder / "world")
            try:
                die(world, place, Death(statement=number))
                finish(world, place)
            except AssertionError as error:
                msg = f"world {name}, death at statement {number} of {total}: {error}"
                raise AssertionError(msg) from error

    return check


def every_point(name: str, *, occurrences: tuple[int, ...] = (1, 2)) -> Check:
    """Return the check that a death at any named point loses and doubles nothing."""

    def check(folder: Path) -> None:
        world = WORLDS[name]
        for point in POINTS:
            for nth in occurrences:
                place = fresh(world, folder / "world")
                try:
                    if die(world, place, Death(point=point, nth=nth)):
                        finish(world, place)
                except AssertionError as error:
                    msg = f"world {name}, death at {point} ({nth}): {error}"
                    raise AssertionError(msg) from error

    return check


def twice_dead(name: str) -> Check:
    """Return the check that a run which dies, is resumed and dies again, is still delivered once."""

    def check(folder: Path) -> None:
        world = WORLDS[name]
        for first in ("part_intended", "part_put", "part_recorded", "sealing_recorded", "run_manifest_put"):
            for second in ("unit_begun", "part_put", "part_recorded", "canonical_manifest_put", "success_put"):
                place = fresh(world, folder / "world")
                try:
                    die(world, place, Death(point=first))
                    world.refill(place)
                    die(world, place, Death(point=second))
                    finish(world, place)
                except AssertionError as error:
                    msg = f"world {name}, death at {first}, then at {second}: {error}"
                    raise AssertionError(msg) from error

    return check


def live_table(name: str) -> Check:
    """Return the check that rows which stay where they are arrive once although the table changes before the resume."""

    def check(folder: Path) -> None:
        world = WORLDS[name]
        for point in ("units_stored", "part_put", "part_recorded", "units_complete"):
            for nth in (1, 2):
                place = fresh(world, folder / "world")
                before = table_rows(place)[""]
                if not die(world, place, Death(point=point, nth=nth)):
                    continue
                disturb_table(place)
                outcome = world.run(place)
                assert outcome.error is None, f"{point}: {outcome.error}"
                found = world.delivered(place)[""]
                for row in stable_rows(before, table_rows(place)[""]):
                    assert found[row] == 1, f"world {name}, death at {point}: row {row} arrived {found[row]} times"

    return check


def units_are_planned_once(folder: Path) -> None:
    """A resume takes the stored units: the percentiles of a grown table would give the same ids other meanings."""
    world = WORLDS["ranges"]
    for nth in (1, 2):
        place = fresh(world, folder / "world")
        die(attrs.evolve(world, workers=1), place, Death(point="part_recorded", nth=nth))
        before = table_rows(place)[""]
        import sqlite3

        with sqlite3.connect(place / "source.db") as connection:
            connection.executemany("INSERT INTO things VALUES (?, ?)", [(1000 + n, f"new {n}") for n in range(200)])
        connection.close()
        outcome = world.run(place)
        assert outcome.error is None
        found = world.delivered(place)[""]
        for row in before:
            assert found[row] == 1, f"row {row} arrived {found[row]} times after the table grew"


def resumed_run_keeps_its_id_and_its_parts(folder: Path) -> None:
    """What was recorded before the crash is declared by the same run's manifest, and read no second time."""
    world = WORLDS["seek"]
    place = fresh(world, folder / "world")
    die(world, place, Death(point="part_recorded"))
    with StateDatabase(place / "state.sqlite") as database:
        export = reads.exports(database)[0]
        run = reads.unfinished_run(database, export.id)
        assert run is not None, "the death left no open run"
        before = [part.key for part in parts.in_order(database, run.id)]
    assert before, "nothing was recorded before the crash"
    outcome = world.run(place)
    manifest = json.loads((place / "out" / "manifest.json").read_bytes())
    assert outcome.run_id == run.id == manifest["run_id"]
    assert outcome.resumed
    assert set(before) <= {part["path"] for part in manifest["parts"]}


def gate_is_not_asked_again_while_sealing(folder: Path) -> None:
    """A verdict that was recorded stands, whatever the gates would say now."""
    world = WORLDS["seek"]
    for point in ("sealing_recorded", "run_manifest_put", "canonical_manifest_put", "success_put"):
        place = fresh(world, folder / "world")
        die(world, place, Death(point=point))
        with StateDatabase(place / "state.sqlite") as database:
            run = reads.unfinished_run(database, reads.exports(database)[0].id)
        assert run is not None
        outcome = world.run(place, changes={"row_count_min": 1_000_000})
        assert run.id in outcome.completed, f"{point}: the sealing was not completed: {outcome.error}"
        name = next(path.name for path in (place / "out").glob(f"manifest-{run.id}.json"))
        assert sum(read_manifest(place / "out", name).values()) == 40


def sealing_keeps_its_bytes(folder: Path) -> None:
    """The manifest of a sealing that is completed later has the bytes that were recorded, not new ones."""
    world = WORLDS["seek"]
    place = fresh(world, folder / "world")
    die(world, place, Death(point="sealing_recorded"))
    with StateDatabase(place / "state.sqlite") as database:
        run = reads.unfinished_run(database, reads.exports(database)[0].id)
        assert run is not None
        recorded = reads.sealing(database, run.id, 0)
    world.run(place)
    for manifest in recorded:
        assert (place / "out" / manifest.key).read_bytes() == manifest.bytes


def deleted_part_is_refused(folder: Path) -> None:
    """A recorded part that is gone, or has another size, stops the resume with exit 5; a fresh start goes on."""
    world = WORLDS["seek"]
    for damage in ("gone", "short"):
        for point in ("part_recorded", "units_complete"):
            place = fresh(world, folder / "world")
            die(world, place, Death(point=point, nth=1))
            with StateDatabase(place / "state.sqlite") as database:
                run = reads.unfinished_run(database, reads.exports(database)[0].id)
                assert run is not None
                part = parts.in_order(database, run.id)[0]
            path = place / "out" / part.key
            path.unlink() if damage == "gone" else path.write_bytes(b"short")
            passed = Death()
            outcome = world.run(place, probe=passed.probe)
            assert outcome.exit is Exit.REFUSED, f"a part that is {damage} was accepted: {outcome.status}"
            assert "unit_begun" not in passed.points, "hours would be read before the refusal"
            assert not (place / "out" / "_SUCCESS").exists()
            outcome = world.run(place, fresh=True)
            assert outcome.error is None
            check_delivery(world, place)


def commit_window_is_no_corruption(folder: Path) -> None:
    """After a death anywhere in the commit, ``_SUCCESS`` still names the bytes of some run's own manifest."""
    world = WORLDS["seek"]
    for point in POINTS[POINTS.index("gates_judged") :]:
        place = fresh(world, folder / "world")
        assert world.run(place).error is None
        die(world, place, Death(point=point))
        named = (place / "out" / "_SUCCESS").read_text().strip()
        copies = {
            f"xxh3:{xxhash.xxh3_64_hexdigest(path.read_bytes())}": path
            for path in (place / "out").glob("manifest-*.json")
        }
        assert named in copies, f"death at {point}: _SUCCESS names bytes that no run's manifest has"
        assert read_manifest(place / "out", copies[named].name) == table_rows(place)[""]


def earlier_attempt_cannot_write(folder: Path) -> None:
    """An attempt that was given up and goes on nevertheless puts and records nothing."""
    world = WORLDS["seek"]
    place = fresh(world, folder / "world")
    refused: list[str] = []

    def probe(point: str) -> None:
        if point == "part_finished" and not refused:
            refused.append(point)
            with StateDatabase(place / "state.sqlite") as database:
                database.execute("UPDATE unit SET attempt = attempt + 1")

    outcome = world.run(place, probe=probe)
    assert outcome.exit is Exit.TRANSIENT, f"the earlier attempt ended as {outcome.status}"
    assert not list((place / "out").glob("*.parquet")), "the earlier attempt put a part"
    finish(world, place)


def part_deleted_while_reading_is_refused(folder: Path) -> None:
    """The look at every recorded part comes after the data, too: a part may go while the rest is read."""
    world = WORLDS["seek"]
    place = fresh(world, folder / "world")

    def probe(point: str) -> None:
        if point == "units_complete":
            next((place / "out").glob("*.parquet")).unlink()

    outcome = world.run(place, probe=probe)
    assert outcome.exit is Exit.REFUSED, f"a run with a missing part ended as {outcome.status}"
    assert not (place / "out" / "_SUCCESS").exists()


def tonight_after_yesterdays_death(folder: Path) -> None:
    """Yesterday's dead run never stops tonight's: another date abandons it, and its parts are moved aside."""
    world = WORLDS["seek"]
    yesterday = datetime(2026, 3, 1, 23, tzinfo=UTC)
    for point in ("units_stored", "part_put", "part_recorded", "units_complete", "sealing_recorded", "success_put"):
        place = fresh(world, folder / "world")
        changes = {"prefix": str(place / "out" / "{date}")}
        die(world, place, Death(point=point), changes=changes, clock=lambda: yesterday)
        outcome = world.run(place, changes=changes, clock=lambda: yesterday + timedelta(days=1))
        assert outcome.error is None, f"{point}: {outcome.error}"
        tonight = place / "out" / "2026-03-02"
        assert read_manifest(tonight, "manifest.json") == table_rows(place)[""], f"{point}: tonight's dataset is wrong"
        before = place / "out" / "2026-03-01"
        if point in {"sealing_recorded", "success_put"}:
            assert read_manifest(before, "manifest.json") == table_rows(place)[""], "a sealed run was not completed"
        else:
            assert not list(before.glob("*.parquet")), f"{point}: an abandoned run's parts were left in the way"
            assert not list(before.glob("manifest*")), f"{point}: an abandoned run has a manifest"


def edited_export_over_recorded_parts_is_refused(folder: Path) -> None:
    """Parts of another meaning are never mixed: exit 5 names what was edited; before the first part it is abandoned."""
    world = WORLDS["seek"]
    for point, refused in (("units_stored", False), ("part_recorded", True)):
        place = fresh(world, folder / "world")
        die(world, place, Death(point=point))
        outcome = world.run(place, changes={"exported_at": True})
        if refused:
            assert outcome.exit is Exit.REFUSED, f"{point}: an edited export ended as {outcome.status}"
            assert "meta columns" in str(outcome.error)
            outcome = world.run(place, changes={"exported_at": True}, fresh=True)
        assert outcome.error is None
        assert outcome.abandoned is not None


def late_put_cannot_overwrite(folder: Path) -> None:
    """A put of a failed attempt that lands after the retry's meets no name of the retry: the attempt is in the key."""
    world = WORLDS["seek"]
    place = fresh(world, folder / "world")
    late: list[Callable[[], None]] = []
    names: list[str] = []

    class Late:
        """The first put seems to fail, and its bytes land at the very end."""

        def __init__(self, real: Any) -> None:
            self._real = real

        def __getattr__(self, name: str) -> Any:
            return getattr(self._real, name)

        def put(self, key: str, path: Path, *, create: bool) -> Any:
            names.append(key)
            if not late:
                data = path.read_bytes()[:-1] + b"!"
                late.append(lambda: (place / "out" / key).write_bytes(data))  # type: ignore[func-returns-value]
                msg = "the connection was reset"
                raise OSError(msg)
            return self._real.put(key, path, create=create)

        def verdict(self, error: BaseException) -> Verdict:
            del error
            return Verdict.FATAL

    first = world.run(place, wrap=lambda kind: wrapped(kind, Late))
    assert first.error is not None
    second = world.run(place, wrap=lambda kind: wrapped(kind, Late))
    assert second.error is None, str(second.error)
    for land in late:
        land()
    check_delivery(world, place)


def stale_process_cannot_write(folder: Path) -> None:
    """A process that was stopped and wakes after another took over ends with exit 2 and changes nothing.

    The lock on the side file would hold the second process back; here somebody removed the side files.
    """
    world = WORLDS["seek"]
    for point in (
        "run_opened", "units_stored", "unit_begun", "part_finished", "part_intended", "part_put", "part_recorded",
        "units_complete", "gates_judged", "sealing_recorded", "run_manifest_put", "canonical_manifest_put",
        "success_put",
    ):  # fmt: skip
        place = fresh(world, folder / "world")
        taken: list[str] = []

        def probe(passed: str, place: Path = place, point: str = point, taken: list[str] = taken) -> None:
            # A point inside a transaction cannot be overtaken: SQLite itself holds the other process back.
            if passed != point or taken or point == "run_opened":
                return
            taken.append(passed)
            for lease in place.glob("state.sqlite.lease-*"):
                lease.unlink()
            other = world.run(place)
            assert other.error is None, f"{point}: the second process failed: {other.error}"

        outcome = world.run(place, probe=probe)
        if not taken:
            continue
        assert outcome.exit is Exit.TRANSIENT, f"{point}: the stale process ended as {outcome.status}, {outcome.error}"
        check_delivery(world, place)
        check_pair(world, place)
        check_state(place)


def failed_gate_closes_the_run(folder: Path) -> None:
    """A gate's verdict is final: its manifest says failed, the last good pair stays, nothing resumes it."""
    world = WORLDS["tail"]
    place = fresh(world, folder / "world")
    assert world.run(place).error is None
    good = (place / "out" / "manifest.json").read_bytes()
    disturb_table(place)
    outcome = world.run(place, changes={"row_count_min": 1_000})
    assert outcome.exit is Exit.INTEGRITY
    assert outcome.status == "failed"
    assert (place / "out" / "manifest.json").read_bytes() == good
    failed = json.loads((place / "out" / f"manifest-{outcome.run_id}.json").read_bytes())
    assert failed["status"] == "failed"
    again = world.run(place)
    assert again.error is None
    assert again.run_id != outcome.run_id
    assert not again.resumed
    found = world.delivered(place)[""]
    assert found[(100_000, "late")] == 1, "rows of the failed run were lost"


def acknowledgement_follows_the_position(folder: Path) -> None:
    """The source may forget only what a recorded position covers; a pending acknowledgement is repeated."""
    world = WORLDS["stream"]
    for nth in (1, 2):
        place = fresh(world, folder / "world")
        die(world, place, Death(point="position_advanced", nth=nth))
        with StateDatabase(place / "state.sqlite") as database:
            export = reads.exports(database)[0]
        assert export.pending_ack is not None
        finish(world, place)
        with StateDatabase(place / "state.sqlite") as database:
            position = reads.exports(database)[0].position
        assert position is not None
        assert (place / "acknowledged").read_text() == json.loads(position)["value"] == "12"


def outcomes_are_recorded(folder: Path) -> None:
    """Every closed run has its outcome and a journal that ends with the close."""
    world = WORLDS["seek"]
    place = fresh(world, folder / "world")
    outcome = world.run(place)
    with StateDatabase(place / "state.sqlite") as database:
        row = reads.runs(database, None, 1)[0]
        journal = [json.loads(event)["event"] for _, event in reads.journal(database, row.run_id)]
    assert row.metrics is not None
    assert json.loads(row.metrics)["rows"] == outcome.rows
    assert journal[0] == "RunOpened"
    assert journal[-1] == RunClosed.__name__


def orphans_are_moved_aside(folder: Path) -> None:
    """What a dead attempt put without recording it is quarantined by the resume, and nothing else is."""
    world = WORLDS["seek"]
    place = fresh(world, folder / "world")
    die(world, place, Death(point="part_put", nth=2))
    strangers = place / "out" / "someone-elses.parquet"
    strangers.write_bytes(b"not ours")
    finish(world, place)
    assert strangers.exists(), "a file that is not ours was moved"
    manifest = json.loads((place / "out" / "manifest.json").read_bytes())
    declared = {part["path"] for part in manifest["parts"]}
    present = {path.name for path in (place / "out").glob("*.parquet")} - {strangers.name}
    assert present == declared
    moved = [path for path in (place / "out" / "_quarantine").rglob("*") if path.is_file()]
    assert len(moved) == 1


def empty_run_is_skipped_only_when_its_gates_pass(folder: Path) -> None:
    """``skip_empty`` leaves the prefix untouched; it does not save a run that should have had rows."""
    world = attrs.evolve(WORLDS["seek"], build=build_empty_table)
    place = fresh(world, folder / "world")
    outcome = world.run(place, changes={"skip_empty": True})
    assert outcome.status == "skipped"
    assert not list((place / "out").glob("*.json")), "a skipped run wrote a manifest"
    outcome = world.run(place, changes={"skip_empty": True, "row_count_min": 1})
    assert outcome.exit is Exit.INTEGRITY
    assert outcome.status == "failed"


def unfinished_files_are_removed(folder: Path) -> None:
    """A killed process leaves local files; the next run removes them, whether it resumes the run or gives it up."""
    world = WORLDS["seek"]
    for point, nth in (("part_finished", 1), ("part_finished", 2)):
        place = fresh(world, folder / "world")
        die(world, place, Death(point=point, nth=nth))
        left = place / "out" / ".rivet_staging" / f"{_unfinished(place)}.1" / "part"
        left.parent.mkdir(parents=True, exist_ok=True)
        left.write_bytes(b"what SIGKILL leaves")
        finish(world, place)
        assert not left.exists(), f"{point} ({nth}): the unfinished file is still there"


def _unfinished(place: Path) -> str:
    with StateDatabase(place / "state.sqlite") as database:
        run = reads.unfinished_run(database, reads.exports(database)[0].id)
    assert run is not None
    return run.id


def store_that_stumbles_is_tried_again(folder: Path) -> None:
    """Every call of the destination is tried again where its verdict allows it, and none makes a run wrong."""
    world = WORLDS["seek"]
    for stumbling in ("put", "put_bytes", "get", "stat"):
        place = fresh(world, folder / "world")
        stumbled: Counter[str] = Counter()

        class Stumbling:
            """Fails the first call of a method, after it had its effect: the answer was lost on the way."""

            def __init__(self, real: Any, method: str, stumbled: Counter[str]) -> None:
                self._real, self._method, self._stumbled = real, method, stumbled

            def __getattr__(self, name: str) -> Any:
                real = getattr(self._real, name)
                if name != self._method:
                    return real

                def lost(*args: Any, **options: Any) -> Any:
                    if self._stumbled[name]:
                        return real(*args, **options)
                    self._stumbled[name] += 1
                    if name != "put":
                        real(*args, **options)
                    msg = "the connection was reset"
                    raise ConnectionResetError(msg)

                return lost

            def verdict(self, error: BaseException) -> Verdict:
                return Verdict.RETRY if isinstance(error, ConnectionError) else Verdict.FATAL

        def wrap(kind: Any, method: str = stumbling, stumbled: Counter[str] = stumbled) -> Any:
            return wrapped(kind, lambda real: Stumbling(real, method, stumbled))

        outcome = world.run(place, wrap=wrap)
        assert stumbled[stumbling] == 1, f"{stumbling} was never called"
        assert outcome.error is None, f"{stumbling}: {outcome.error}"
        check_delivery(world, place)
        check_pair(world, place)


def source_that_stumbles_is_tried_again(folder: Path) -> None:
    """A connection that breaks in the middle is opened again, and reading goes on after the last mark."""
    for name, options in (
        ("stream", lambda place: stretch_stream.StreamOptions(transactions=12, acknowledged=place / "a", fail_after=5)),
        ("opaque", lambda place: stretch_opaque.OpaqueOptions(fail_after=20)),
    ):
        world = attrs.evolve(WORLDS[name], source_options=options)
        place = fresh(world, folder / "world")
        outcome = world.run(place)
        assert outcome.error is None, f"{name}: {outcome.error}"
        assert outcome.retries == 1
        check_delivery(world, place)
    world = attrs.evolve(
        WORLDS["once"], source_options=lambda place: stretch_once.OnceOptions(name=str(place), fail_after=20)
    )
    outcome = world.run(fresh(world, folder / "once"))
    assert outcome.exit is Exit.TRANSIENT, "a source that can be read once only was read again"
    assert outcome.retries == 0


def dying_snapshot_starts_the_run_anew(folder: Path) -> None:
    """Units by physical address are never mixed over two snapshots: the run is abandoned and begun again."""
    world = attrs.evolve(
        WORLDS["snapshot"], source_options=lambda place: stretch_snapshot.SnapshotOptions(name=str(place), dies=1)
    )
    place = fresh(world, folder / "world")
    outcome = world.run(place)
    assert outcome.error is None, str(outcome.error)
    assert outcome.abandoned is not None
    check_delivery(world, place)


def busy_process_is_waited_for(folder: Path) -> None:
    """While one process runs an export, a second one stops with exit 2 and leaves no trace."""
    world = WORLDS["seek"]
    place = fresh(world, folder / "world")
    seen: list[Exit] = []

    def probe(point: str) -> None:
        if point == "part_put" and not seen:
            seen.append(world.run(place).exit)

    outcome = world.run(place, probe=probe)
    assert seen == [Exit.TRANSIENT]
    assert outcome.error is None
    check_delivery(world, place)


def all_worlds(check: Callable[[str], Check], *names: str) -> dict[str, Check]:
    """Return one check for each world, by a readable name."""
    return {f"{check.__name__}[{name}]": check(name) for name in (names or WORLDS)}


def thorough() -> bool:
    """Return whether the whole product is asked for, as the session ``crash-all`` does."""
    return os.environ.get("RIVET_TEST_CRASH") == "all"


SINGLE: dict[str, Check] = {
    check.__name__: check
    for check in (
        resumed_run_keeps_its_id_and_its_parts,
        units_are_planned_once,
        gate_is_not_asked_again_while_sealing,
        sealing_keeps_its_bytes,
        deleted_part_is_refused,
        part_deleted_while_reading_is_refused,
        commit_window_is_no_corruption,
        earlier_attempt_cannot_write,
        tonight_after_yesterdays_death,
        edited_export_over_recorded_parts_is_refused,
        late_put_cannot_overwrite,
        stale_process_cannot_write,
        failed_gate_closes_the_run,
        acknowledgement_follows_the_position,
        outcomes_are_recorded,
        orphans_are_moved_aside,
        unfinished_files_are_removed,
        empty_run_is_skipped_only_when_its_gates_pass,
        store_that_stumbles_is_tried_again,
        source_that_stumbles_is_tried_again,
        dying_snapshot_starts_the_run_anew,
        busy_process_is_waited_for,
    )
}
