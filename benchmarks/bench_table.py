"""The table that is exported: twelve mixed columns, the same rows every time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from postgres_server import PostgresServer

DATABASE = "rivet_bench"
TABLE = "items"
#: One statement of psql must end within its time-out on a slow machine.
_ROWS_A_STATEMENT = 200_000

_CREATE = f"""
CREATE TABLE {TABLE} (
    id bigint NOT NULL,
    quantity integer NOT NULL,
    kind smallint NOT NULL,
    title text NOT NULL,
    amount numeric(18, 2) NOT NULL,
    ratio double precision NOT NULL,
    created timestamp NOT NULL,
    updated timestamptz NOT NULL,
    active boolean NOT NULL,
    note text,
    token uuid NOT NULL,
    document jsonb NOT NULL
);
"""

# Values depend on the row's number alone, so that every server and every day has the same table.
_FILL = f"""
INSERT INTO {TABLE} SELECT
    g,
    g * 7919 % 100003,
    g % 17,
    'item ' || g || ' ' || md5(g::text),
    (g * 104729 % 100000000)::numeric / 100,
    sqrt(g::double precision),
    timestamp '2020-01-01' + g * interval '61 s',
    timestamptz '2020-01-01 00:00Z' + g * interval '59.123456 s',
    g % 3 = 0,
    CASE WHEN g % 5 < 2 THEN repeat(md5((g % 1000)::text), (g % 3)::int + 1) END,
    md5('token ' || g)::uuid,
    jsonb_build_object('number', g, 'tags', jsonb_build_array('a' || g % 10, 'b' || g % 100), 'open', g % 2 = 0)
FROM generate_series({{first}}::bigint, {{last}}::bigint) AS g;
"""


def build(server: PostgresServer, rows: int) -> str:
    """Makes the database with the table, settled so that the first reader pays for nothing; returns its URL."""
    server.psql_text(f"CREATE DATABASE {DATABASE} TEMPLATE template0 ENCODING 'UTF8'")
    url = server.database_url(DATABASE)
    server.psql_text(_CREATE, url=url)
    for first in range(1, rows + 1, _ROWS_A_STATEMENT):
        last = min(first + _ROWS_A_STATEMENT - 1, rows)
        server.psql_text(_FILL.format(first=first, last=last), url=url)
    server.psql_text(f"ALTER TABLE {TABLE} ADD PRIMARY KEY (id)", url=url)
    server.psql_text(f"VACUUM (FREEZE, ANALYZE) {TABLE}", url=url)
    server.psql_text("CHECKPOINT", url=url)
    return url
