"""Parts are about as large as they should be, whatever the source's batches are."""

from __future__ import annotations

from e2e_command import Place, export, table
from postgres_server import PostgresDatabase

MIB = 1024 * 1024


def test_parts_are_little_larger_than_they_should_be(place: Place, postgres_database: PostgresDatabase) -> None:
    postgres_database.run_sql("CREATE TABLE many AS SELECT g::bigint AS id FROM generate_series(1, 600000) g")
    place.configure({"url": postgres_database.url}, [export("many", table("many"), format="csv", max_file_size="1MB")])
    done = place.run()
    assert done.code == 0
    # A number takes eight bytes before it is encoded, and seven or eight in the file.
    *parts, _ = sorted(path.stat().st_size for path in place.prefix("many").glob("*.csv"))[::-1]
    assert len(parts) == 4
    assert all(0.6 * MIB < size < 1.2 * MIB for size in parts), parts
