"""Relations of every kind and shape that a user may name, and the keys that name them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from e2e_command import table
from e2e_every_type import quoted
from postgres_server import PostgresDatabase

LONG_NAME = "long_" + "n" * 58
ODD_NAME = 'a "quoted".name; -- $1 %s {x} é日🦀 \\'
ODD_SCHEMA = "schema. 'of' \"odd\""
KEYWORDS = ("select", "from", "user", "order", "table", "null", "true", "limit", "_rivet")
#: Names that differ in case, marks or blanks alone, and names that a statement, a format or a template could mistake.
NEAR_NAMES = ("id", "Id", "ID", " id", "id ", "íd", 'i"d', "i.d", "i'd", "i{d}", "i%d", "i\\d", "1", "é" * 31)
_WIDE_TYPES = ("int", "text", "numeric(9,2)", "timestamp")
_WIDE_VALUES = ("g", "'text ' || g", "g / 4.0", "timestamp '2024-01-01' + g * interval '1 s'")
WIDE_COLUMNS = 300

#: The key of each export that names its relation; the export's name is the key here.
SHAPES: dict[str, dict[str, Any]] = {
    **{
        name: table(name, "shapes")
        for name in (
            "empty", "one_column", "one_empty_text", "only_nulls", "unlogged", "twin", "counter", "partitioned",
            "p_new", "p_hash", "parent", "child", "generated", "changed", "seen", "materialised", "elsewhere",
            "collated", "large", "modifiers", "lists", "wide", "near_names",
        )
    },
    "in_public": {"table": "in_public"},
    "long_name": table(LONG_NAME, "shapes"),
    "odd_name": table(ODD_NAME, ODD_SCHEMA),
    "keyword": table("select", "shapes"),
    "with_query": {
        "query": "WITH few AS (SELECT * FROM shapes.partitioned WHERE id < 50) -- a comment; with 'things'\n"
        'SELECT id AS "The Id", sum(n) OVER (ORDER BY id) AS running, ARRAY[id, NULL] AS list, day::timestamptz AS at'
        " FROM few"
    },
    "values_query": {"query": "VALUES (1, 'a', 1.50, NULL::date), (2, NULL, 2.5, '2024-02-29')"},
    "joined_query": {
        "query": "SELECT c.*, p.name AS parent_name FROM shapes.child c LEFT JOIN shapes.parent p ON p.id = c.id - 1"
    },
    "function_query": {"query": "SELECT g, repeat('x', g) AS t FROM generate_series(0, 5) AS g(g)"},
    "empty_query": {"query": "SELECT id, n FROM shapes.partitioned WHERE false"},
}  # fmt: skip


def make_shapes(database: PostgresDatabase) -> None:
    """Makes the relations."""
    database.run_sql("SET client_min_messages = error;" + Path(__file__).with_name("shapes.sql").read_text("utf-8"))
    places = [place % len(_WIDE_TYPES) for place in range(WIDE_COLUMNS)]
    wide = ", ".join(f"c{number} {_WIDE_TYPES[place]}" for number, place in enumerate(places))
    filled = ", ".join(_WIDE_VALUES[place] for place in places)

    database.run_sql(
        f"""
        CREATE TABLE shapes.wide ({wide});
        INSERT INTO shapes.wide SELECT {filled} FROM generate_series(1, 50) g;
        INSERT INTO shapes.wide DEFAULT VALUES;
        CREATE TABLE shapes.{LONG_NAME} AS SELECT 1 AS {LONG_NAME};
        CREATE SCHEMA {quoted(ODD_SCHEMA)};
        CREATE TABLE {quoted(ODD_SCHEMA)}.{quoted(ODD_NAME)} AS SELECT 1 AS {quoted(ODD_NAME)};
        CREATE TABLE shapes."select" AS SELECT {_numbered(KEYWORDS)};
        CREATE TABLE shapes.near_names AS SELECT {_numbered(NEAR_NAMES)};
        """
    )


def select(relation: dict[str, Any]) -> str:
    """What the server is asked for the same rows."""
    return str(relation["query"]) if "query" in relation else f"SELECT * FROM {relation['table']}"


def _numbered(names: tuple[str, ...]) -> str:
    return ", ".join(f"{place} AS {quoted(name)}" for place, name in enumerate(names))
