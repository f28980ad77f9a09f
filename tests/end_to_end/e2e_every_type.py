"""A database that holds a value of every type of the server's catalogue, in tables made from that catalogue."""

from __future__ import annotations

import json
from collections import defaultdict

import attrs
from e2e_samples import LITERALS, QUERIES, UNMAKEABLE
from postgres_server import PostgresDatabase

SCHEMA = "types"
#: ``pg_type.typcategory``.
CATEGORIES = {
    "B": "booleans", "C": "composites", "D": "moments", "E": "enums", "G": "geometry", "I": "networks", "N": "numbers",
    "R": "ranges", "S": "strings", "T": "timespans", "U": "others", "V": "bits", "Z": "internals", "A": "vectors",
}  # fmt: skip
#: No column can be of a pseudo type, nor of an array, a domain or a row that is made of one.
_LISTED = """
WITH RECURSIVE made_of(part, whole) AS (
    SELECT oid, typarray FROM pg_type WHERE typarray <> 0
    UNION ALL SELECT typbasetype, oid FROM pg_type WHERE typtype = 'd'
    UNION ALL SELECT a.atttypid, c.reltype FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND a.attnum > 0
),
pseudo(type) AS (
    SELECT oid FROM pg_type WHERE typtype = 'p'
    UNION SELECT m.whole FROM pseudo p JOIN made_of m ON m.part = p.type
)
SELECT json_agg(json_build_object('schema', n.nspname, 'name', t.typname, 'category', t.typcategory, 'kind', t.typtype,
    'own', n.nspname IN ('pg_catalog', 'information_schema'), 'element', e.typname, 'element_schema', en.nspname,
    'element_category', e.typcategory, 'relation', coalesce(c.relkind, ec.relkind),
    'fields', coalesce(c.relnatts, ec.relnatts), 'pseudo', t.oid IN (SELECT type FROM pseudo)) ORDER BY t.oid)
FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
LEFT JOIN pg_type e ON e.typarray = t.oid LEFT JOIN pg_namespace en ON en.oid = e.typnamespace
LEFT JOIN pg_class c ON c.oid = t.typrelid LEFT JOIN pg_class ec ON ec.oid = e.typrelid
WHERE n.nspname <> 'pg_toast'
"""
#: Types of every kind that users make, some with names that need care.
_OURS = f"""
CREATE SCHEMA {SCHEMA};
CREATE TYPE mood AS ENUM ('sad', 'it''s, {{"}}', '日本', 'NULL');
CREATE TYPE float8range AS RANGE (subtype = float8, subtype_diff = float8mi, multirange_type_name = float8multirange);
CREATE TYPE pair AS (a int, b text);
CREATE TYPE nest AS (p pair, list int[], m mood);
CREATE DOMAIN positive AS numeric(10,2) CHECK (value >= 0);
CREATE DOMAIN "small positive" AS positive CHECK (value < 100);
CREATE DOMAIN ints AS int[];
CREATE DOMAIN word AS text NOT NULL;
CREATE DOMAIN whole_pair AS pair;
CREATE DOMAIN "far range" AS int4range;
CREATE TYPE "{"n" * 63}" AS ENUM ('a', 'b');
CREATE TABLE {SCHEMA}.correlated AS SELECT g % 7 AS a, g % 7 AS b FROM generate_series(1, 200) g;
CREATE STATISTICS {SCHEMA}.correlation (ndistinct, dependencies, mcv) ON a, b FROM {SCHEMA}.correlated;
ANALYZE {SCHEMA}.correlated;
"""


@attrs.frozen(kw_only=True)
class TypeFacts:
    """One row of ``pg_type``.

    :param element: of a true array, the elements' type.
    :param relation: ``relkind`` of the relation whose rows it, or its elements, are.
    :param fields: of a row.
    :param pseudo: no column can be of it.
    """

    schema: str
    name: str
    category: str
    kind: str
    own: bool
    element: str | None
    element_schema: str | None
    element_category: str | None
    relation: str | None
    fields: int | None
    pseudo: bool

    @property
    def table(self) -> str:
        """The table that it gets a column in."""
        origin = "" if self.own else "added_"
        shape = "" if self.element is None else "arrays_of_"
        category = CATEGORIES[self.element_category or self.category]
        if category == "composites" and self.own:
            category = "tables" if self.relation == "r" else "views"
        return origin + shape + category

    @property
    def sql(self) -> str:
        return f"{quoted(self.schema)}.{quoted(self.name)}"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def make_types(database: PostgresDatabase) -> tuple[TypeFacts, ...]:
    """Creates every extension and types of our own, and returns all types that there are then."""
    names = json.loads(database.psql_text("SELECT json_agg(name ORDER BY name) FROM pg_available_extensions"))
    database.run_sql("SET client_min_messages = error; " + "".join(
        f"CREATE EXTENSION IF NOT EXISTS {quoted(name)} CASCADE;" for name in names
    ))  # fmt: skip
    database.run_sql(_OURS)
    rows = json.loads(database.psql_text(_LISTED))
    ours = {"correlated", "_correlated"}
    return tuple(TypeFacts(**row) for row in rows if row["name"] not in ours)


def make_tables(database: PostgresDatabase, types: tuple[TypeFacts, ...]) -> dict[str, list[TypeFacts]]:
    """Makes the tables, and returns the types of each one's columns in their order."""
    tables: dict[str, list[TypeFacts]] = defaultdict(list)
    for one in types:
        if not one.pseudo:
            tables[one.table].append(one)
    statements = []
    for name, columns in tables.items():
        listed = ", ".join(f"{quoted(one.name)} {one.sql}" for one in columns)
        statements.append(f"CREATE TABLE {SCHEMA}.{name} ({listed});")
        cells = [values(one) for one in columns]
        for place in range(max(len(texts) for texts in cells) + 1):
            row = ", ".join(texts[place] if place < len(texts) else "NULL" for texts in cells)
            statements.append(f"INSERT INTO {SCHEMA}.{name} VALUES ({row});")
    # A domain may refuse NULL.
    database.run_sql("SET client_min_messages = error; ALTER DOMAIN word DROP NOT NULL;" + "".join(statements))
    return dict(tables)


def values(one: TypeFacts) -> list[str]:
    """Expressions for the values of a type."""
    if one.element is None:
        return _scalars(one.schema, one.name, one)
    elements = _scalars(one.element_schema or "", one.element, one)
    listed = ", ".join([*elements, "NULL"])
    return [f"ARRAY[{listed}]::{one.sql}", f"'{{}}'::{one.sql}"]


def _scalars(schema: str, name: str, facts: TypeFacts) -> list[str]:
    sql = f"{quoted(schema)}.{quoted(name)}"
    if name in LITERALS:
        return [f"{literal(text)}::{sql}" for text in LITERALS[name]]
    if name in QUERIES:
        return [f"({QUERIES[name]})"]
    if name in UNMAKEABLE:
        return []
    assert facts.relation is not None, f"no values for the type {name}: add some to e2e_samples"
    if not facts.own:
        # A view of an extension may need a library that the server was not started with.
        return [f"'({',' * ((facts.fields or 1) - 1)})'::{sql}"]
    return [f"(SELECT one FROM {sql} AS one LIMIT 1)"]
