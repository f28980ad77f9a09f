"""A destination whose file system fills up in the middle of a run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from e2e_command import Place, export, outcome, table
from e2e_reader import Delivered
from missing_servers import missing
from postgres_server import PostgresDatabase


@pytest.fixture
def small_disk(place: Place) -> Iterator[Path]:
    """The folder of the destinations, on a file system of 1 MiB."""
    folder = place.folder / "out"
    folder.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mounting, capture_output=True, check=False).returncode != 0:
        # Printed and counted with the missing servers, and in CI an error as theirs.
        missing("a small file system", "only root can mount one")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_ends_the_run_and_the_next_one_succeeds(
    postgres_database: PostgresDatabase, place: Place, small_disk: Path
) -> None:
    # Random digits do not compress.
    postgres_database.run_sql(
        "CREATE TABLE noise AS SELECT g AS id, md5(random()::text) || md5(random()::text) AS word"
        " FROM generate_series(1, 100000) g"
    )
    place.configure({"url": postgres_database.url}, [export("noise", table("noise"))])
    done = place.run()
    assert done.failure() == (1, "RIVET_DEST_FULL")
    assert str(small_disk) in done.error()["error"]
    assert not (place.prefix("noise") / "manifest.json").exists()
    # What could not be finished does not take the room that the next run needs.
    assert sum(path.stat().st_size for path in small_disk.rglob("*") if path.is_file()) < 100_000
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    again = place.run()
    assert (again.code, outcome(again)["rows"]) == (0, 100_000), again.err
    assert len(Delivered.at(place.prefix("noise")).rows()) == 100_000
    assert place.rivet("validate", "-c", "rivet.yaml").code == 0
