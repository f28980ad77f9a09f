"""Two million rows of twelve mixed columns: in flat memory, each row once, each value as the server has it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import attrs
import duckdb
import e2e_memory
import pytest
from e2e_command import PATIENCE_S, Place, export, table
from e2e_reader import Delivered
from postgres_server import PostgresDatabase

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

MIB = 1024 * 1024
LARGEST = 300 * MIB
#: Of a table twice as large.
GROWTH = 1.08
ROWS = 2_000_000

#: Values depend on the row's number alone; a hash of it spreads them.
TABLE = """
CREATE TABLE large_{rows} AS {before} SELECT
    g::bigint AS id, (g::bigint * 7919 % 100000)::int AS customer, (g % 50)::smallint AS quantity,
    'order ' || md5(g::text) AS name, (g::bigint * 104729 % 10000000000 / 100.0)::numeric(18,2) AS amount,
    sqrt(g)::float8 AS ratio, timestamp '2020-01-01' + g * interval '61.000001 s' AS created,
    timestamptz '2020-01-01 00:00Z' + g * interval '59.5 s' AS updated, g % 3 = 0 AS active,
    CASE WHEN g % 4 > 0 THEN repeat('note ' || g % 1000, g % 5) END AS note, md5('u' || g)::uuid AS ref,
    json_build_object('id', g, 'tags', json_build_array('a', g % 7)) AS payload
FROM generate_series({first}, {rows}) g;
ANALYZE large_{rows};
"""
#: One text a row, of the same form by both sides; a NULL is told from an empty text.
SERVER_TEXT = """
concat_ws('|', id, customer, quantity, name, amount, ratio, (extract(epoch FROM created) * 1000000)::int8,
    (extract(epoch FROM updated) * 1000000)::int8, active::int, coalesce('=' || note, '-'), ref, payload)
"""
DUCKDB_TEXT = """
concat_ws('|', id, customer, quantity, name, amount, regexp_replace(CAST(ratio AS VARCHAR), '[.]0$', ''),
    epoch_us(created), epoch_us(updated), CAST(active AS INT), coalesce('=' || note, '-'), ref,
    CAST(payload AS VARCHAR))
"""


@pytest.fixture(scope="module")
def large(make_database: Callable[[], PostgresDatabase]) -> PostgresDatabase:
    database = make_database()
    half = ROWS // 2
    database.run_sql(TABLE.format(rows=half, first=1, before=""))
    database.run_sql(TABLE.format(rows=ROWS, first=half + 1, before=f"SELECT * FROM large_{half} UNION ALL"))
    return database


@attrs.frozen
class Measured:
    """A run and the peak of its resident memory in bytes."""

    place: Place
    delivered: Delivered
    peak: int


def measured(database: PostgresDatabase, folder: Path, rows: int, **keys: object) -> Measured:
    place = Place(folder=folder)
    place.configure({"url": database.url}, [export("large", table(f"large_{rows}"), **keys)])
    done = subprocess.run(
        [sys.executable, e2e_memory.__file__, "run", "-c", "rivet.yaml"],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Measured(place, Delivered.at(place.prefix("large")), int(done.stdout))


@pytest.fixture(scope="module")
def half(large: PostgresDatabase, tmp_path_factory: pytest.TempPathFactory) -> Measured:
    return measured(large, tmp_path_factory.mktemp("half"), ROWS // 2)


@pytest.fixture(scope="module")
def whole(large: PostgresDatabase, tmp_path_factory: pytest.TempPathFactory) -> Measured:
    return measured(large, tmp_path_factory.mktemp("whole"), ROWS)


def test_two_million_rows_fit_into_300_mib(whole: Measured) -> None:
    assert whole.delivered.manifest["row_count"] == ROWS
    assert whole.peak < LARGEST, f"{whole.peak / MIB:.0f} MiB"


@pytest.mark.parametrize("profile", ["fast", "balanced", "safe"])
def test_every_profile_fits_into_300_mib(profile: str, large: PostgresDatabase, tmp_path: Path) -> None:
    # Without its pauses a profile reads as far ahead as it may, and takes seconds instead of minutes.
    found = measured(large, tmp_path, ROWS // 2, tuning={"profile": profile, "throttle_ms": 0})
    assert found.delivered.manifest["row_count"] == ROWS // 2
    assert found.peak < LARGEST, f"{found.peak / MIB:.0f} MiB"


def test_twice_the_rows_take_the_same_memory(half: Measured, whole: Measured) -> None:
    assert whole.peak < half.peak * GROWTH, f"{half.peak / MIB:.0f} MiB and {whole.peak / MIB:.0f} MiB"


def test_a_part_is_closed_at_its_size_and_memory_stays_flat(
    large: PostgresDatabase, tmp_path: Path, whole: Measured
) -> None:
    many = measured(large, tmp_path, ROWS, max_file_size="64MB")
    assert len(many.delivered.files) > 4
    assert many.peak < whole.peak * GROWTH


def test_every_row_arrives_once_and_as_the_server_has_it(large: PostgresDatabase, half: Measured) -> None:
    with duckdb.connect() as connection:
        connection.execute("SET timezone = 'UTC'")
        found = connection.execute(
            f"SELECT count(*), count(DISTINCT id), bit_xor(('0x' || left(h, 15))::BIGINT), min(h), max(h)"
            f" FROM (SELECT id, md5({DUCKDB_TEXT}) AS h FROM read_parquet(?))",
            [list(half.delivered.files)],
        ).fetchone()
    wanted = large.psql_text(
        f"SELECT count(*), count(DISTINCT id), bit_xor(('x' || left(h, 15))::bit(60)::bigint), min(h), max(h)"
        f" FROM (SELECT id, md5({SERVER_TEXT}) AS h FROM large_{ROWS // 2}) AS hashed"
    )
    assert found is not None
    assert "|".join(map(str, found)) == wanted


def test_what_was_written_is_verified_in_full(whole: Measured) -> None:
    assert whole.place.rivet("validate", "-c", "rivet.yaml", "--depth", "full").code == 0
