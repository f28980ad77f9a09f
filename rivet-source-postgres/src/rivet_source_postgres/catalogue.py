"""What the catalogue says of a relation: its columns with their types resolved to what they really are.

Names come in as quoted literals and are compared as text, so that the server cannot shorten them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import attrs

from rivet_core.errors import EnvironmentFailure, Place
from rivet_core.types import Query, Relation, Table
from rivet_source_postgres.quoting import from_item, identifier, literal

if TYPE_CHECKING:
    from rivet_source_postgres.session import Session

#: The server's own types that have collations.
_COLLATED: Final = ("text", "varchar", "bpchar", "name")
#: Relations that rows can be selected from: tables, partitioned and foreign ones, views, materialised views, sequences.
_READABLE: Final = ("r", "p", "f", "v", "m", "S")


@attrs.frozen(kw_only=True)
class TypeName:
    """A type as the catalogue knows it.

    :param schema: ``pg_catalog`` for the server's own types.
    :param kind: ``b`` base, ``c`` composite, ``e`` enum, ``r`` range, ``m`` multirange, ``p`` pseudo.
    :param modifier: such as a numeric's precision and scale; -1 for none.
    :param odd_text: a cast to text may give another text than the server prints, as ``/32`` behind an ``inet``.
    """

    schema: str
    name: str
    kind: str
    modifier: int
    odd_text: bool = False

    @property
    def own(self) -> bool:
        """Whether it is one of the server's own base types, so that its name says everything."""
        return self.schema == "pg_catalog" and self.kind == "b"

    @property
    def quoted(self) -> str:
        """Its name in SQL. Quoted also for ``bit`` and ``bpchar``: as keywords they would mean a length of 1."""
        return f"{identifier(self.schema)}.{identifier(self.name)}"


@attrs.frozen(kw_only=True)
class ColumnFacts:
    """One column of a relation.

    :param native: the type as the server writes it, domains by their own name.
    :param type: domains resolved to their base.
    :param element: for true arrays the elements' type, domains resolved.
    :param readable: whether this user may select it.
    """

    name: str
    native: str
    type: TypeName
    element: TypeName | None
    not_null: bool
    readable: bool = True


@attrs.frozen(kw_only=True)
class RelationFacts:
    """A table, as the catalogue has it.

    :param kind: ``pg_class.relkind``.
    """

    oid: int
    schema: str
    kind: str
    inherited: bool
    estimated_rows: int | None


#: Resolves domains, and the elements of arrays, of ``wanted(place, name, type, modifier, not_null, readable)``.
_RESOLVE: Final = """
WITH RECURSIVE wanted(place, name, type, modifier, not_null, readable) AS ({wanted}),
base(place, depth, type, modifier, element) AS (
    SELECT place, 0, type::oid, modifier, false FROM wanted
    UNION ALL
    SELECT b.place, b.depth + 1, next.type, next.modifier, b.element OR t.typtype <> 'd'
    FROM base b JOIN pg_catalog.pg_type t ON t.oid = b.type
    LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem AND e.typarray = t.oid
    CROSS JOIN LATERAL (
        SELECT t.typbasetype, CASE WHEN b.modifier = -1 THEN t.typtypmod ELSE b.modifier END WHERE t.typtype = 'd'
        UNION ALL
        SELECT e.oid, b.modifier WHERE t.typtype <> 'd' AND e.oid IS NOT NULL AND NOT b.element
    ) AS next(type, modifier)
),
found AS (
    SELECT DISTINCT ON (b.place, b.element) b.place, b.element, n.nspname, t.typname, t.typtype, b.modifier, b.type
    FROM base b JOIN pg_catalog.pg_type t ON t.oid = b.type JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
    ORDER BY b.place, b.element, b.depth DESC
)
SELECT w.name::text AS name, pg_catalog.format_type(w.type::oid, w.modifier) AS native, w.not_null, w.readable,
    f.nspname::text AS schema, f.typname::text AS type, f.typtype::text AS kind, f.modifier::int4 AS modifier,
    EXISTS (SELECT FROM pg_catalog.pg_cast c WHERE c.castsource = f.type AND c.casttarget = 'text'::regtype
        AND c.castmethod = 'f') AS odd_text,
    e.nspname::text AS element_schema, e.typname::text AS element, e.typtype::text AS element_kind,
    e.modifier::int4 AS element_modifier
FROM wanted w JOIN found f ON f.place = w.place AND NOT f.element
LEFT JOIN found e ON e.place = w.place AND e.element
ORDER BY w.place
"""


def find_table(session: Session, table: Table) -> RelationFacts:
    """Return what the catalogue says of a table.

    :raises EnvironmentFailure: ``RIVET_SOURCE_TABLE_NOT_FOUND``, naming tables of nearly that name.
    """
    where = "pg_catalog.pg_table_is_visible(c.oid)" if table.schema is None else f"n.nspname = {literal(table.schema)}"
    kinds = ", ".join(literal(kind) for kind in _READABLE)
    rows = session.rows(
        f"""
        SELECT c.oid::int8 AS oid, c.relname::text AS name, n.nspname::text AS schema, c.relkind::text AS kind,
            EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid) AS inherited,
            CASE WHEN c.relkind IN ('r', 'm', 'f', 'p') THEN
                (SELECT CASE WHEN bool_and(l.reltuples >= 0) THEN sum(l.reltuples)::int8 END
                FROM pg_catalog.pg_class l WHERE l.oid = c.oid AND c.relkind <> 'p'
                    OR c.relkind = 'p' AND l.relkind <> 'p'
                    AND l.oid IN (SELECT p.relid FROM pg_catalog.pg_partition_tree(c.oid) p))
            END AS estimate
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relname = {literal(table.name)} AND {where} AND c.relkind IN ({kinds})
        """,
        relation=str(table),
    )
    # The server shortens a literal that is compared with a name; a longer name cannot exist.
    rows = [row for row in rows if row["name"] == table.name and table.schema in {None, row["schema"]}]
    if not rows:
        raise _not_found(session, table)
    row = rows[0]
    return RelationFacts(
        oid=row["oid"],
        schema=row["schema"],
        kind=row["kind"],
        inherited=row["inherited"] and row["kind"] != "p",
        estimated_rows=row["estimate"],
    )


def table_columns(session: Session, facts: RelationFacts, relation: Table) -> tuple[ColumnFacts, ...]:
    """Return the columns of a table in their order; dropped ones are gone, generated ones are there."""
    wanted = f"""
        SELECT a.attnum::int4, a.attname, a.atttypid, a.atttypmod, a.attnotnull,
            pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
        FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = {facts.oid} AND a.attnum > 0 AND NOT a.attisdropped
    """
    return tuple(_column(row) for row in session.rows(_RESOLVE.format(wanted=wanted), relation=str(relation)))


def query_columns(session: Session, query: Query) -> tuple[ColumnFacts, ...]:
    """Return the columns of a query by asking the server for their types; no row is read.

    The modifiers are the driver's, which has them for numerics only: everything else says it in the values.
    """
    item = from_item(query)
    schema = session.schema(f"SELECT * FROM {item}", relation=str(query))
    if not schema.names:
        return ()
    places = range(len(schema.names))
    # One row of NULLs that have the columns' types. Renamed by place, since a query may use a name twice.
    types = session.rows(
        f"SELECT {', '.join(f'pg_catalog.pg_typeof(c{place})::oid::int8 AS c{place}' for place in places)}"
        f" FROM (SELECT 1) AS one LEFT JOIN (SELECT * FROM {item} LIMIT 0)"
        f" AS columns({', '.join(f'c{place}' for place in places)}) ON true",
        relation=str(query),
    )[0]
    wanted = ", ".join(
        f"({place}, {literal(field.name)}, {types[f'c{place}']}, {_modifier(field.metadata)}, false, true)"
        for place, field in enumerate(schema)
    )
    return tuple(_column(row) for row in session.rows(_RESOLVE.format(wanted=f"VALUES {wanted}"), relation=str(query)))


def expression_types(
    session: Session, relation: Relation, expressions: tuple[str, ...]
) -> tuple[tuple[TypeName, bool], ...]:
    """Return the types of expressions over a relation, without reading a row.

    Each comes with whether its collation takes different texts for equal.
    """
    places = range(len(expressions))
    inner = ", ".join(f"{expression} AS c{place}" for place, expression in enumerate(expressions))
    # One row of NULLs that have the expressions' types.
    nulls = f"FROM (SELECT 1) AS one LEFT JOIN (SELECT {inner} FROM {from_item(relation)} LIMIT 0) AS keys ON true"
    asked = ", ".join(f"pg_catalog.pg_typeof(c{place})::oid::int8 AS c{place}" for place in places)
    oids = session.rows(f"SELECT {asked} {nulls}", relation=str(relation))[0]
    wanted = ", ".join(f"({place}, 'key', {oids[f'c{place}']}, -1, false, true)" for place in places)
    types = [_column(row).type for row in session.rows(_RESOLVE.format(wanted=f"VALUES {wanted}"))]
    texts = [place for place in places if types[place].own and types[place].name in _COLLATED]
    loose: dict[str, bool] = {}
    if texts:
        asked = ", ".join(
            "EXISTS (SELECT FROM pg_catalog.pg_collation l WHERE NOT l.collisdeterministic"
            f" AND l.oid = pg_catalog.pg_collation_for(c{place})::regcollation) AS c{place}"
            for place in texts
        )
        loose = session.rows(f"SELECT {asked} {nulls}", relation=str(relation))[0]
    return tuple((types[place], loose.get(f"c{place}", False)) for place in places)


def not_null_columns(session: Session, relation: Relation) -> tuple[str, ...]:
    """Return the columns of a table that promise a value; a query promises nothing."""
    if isinstance(relation, Query):
        return ()
    facts = find_table(session, relation)
    return tuple(column.name for column in table_columns(session, facts, relation) if column.not_null)


def money_scale(session: Session) -> int:
    """Return the digits behind the point of ``money``, which the server's ``lc_monetary`` decides."""
    return int(session.rows("SELECT scale('0'::money::numeric) AS digits")[0]["digits"])


def _column(row: dict[str, Any]) -> ColumnFacts:
    element = None
    if row["element"] is not None:
        element = TypeName(
            schema=row["element_schema"],
            name=row["element"],
            kind=row["element_kind"],
            modifier=row["element_modifier"],
        )
    return ColumnFacts(
        name=row["name"],
        native=row["native"],
        type=TypeName(
            schema=row["schema"],
            name=row["type"],
            kind=row["kind"],
            modifier=row["modifier"],
            odd_text=row["odd_text"],
        ),
        element=element,
        not_null=row["not_null"],
        readable=row["readable"],
    )


def _modifier(metadata: dict[bytes, bytes] | None) -> int:
    return int((metadata or {}).get(b"POSTGRESQL:typmod", b"-1"))


def _not_found(session: Session, table: Table) -> EnvironmentFailure:
    name = table.name.rpartition(".")[2]
    rows = session.rows(
        f"""
        SELECT n.nspname::text || '.' || c.relname::text AS name
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE lower(c.relname::text) IN (lower({literal(table.name)}), lower({literal(name)}))
            AND c.relkind IN ({", ".join(literal(kind) for kind in _READABLE)})
        ORDER BY 1 LIMIT 5
        """
    )
    near = ", ".join(row["name"] for row in rows)
    return EnvironmentFailure(
        f"there is no table {table} that this user can see",
        code="RIVET_SOURCE_TABLE_NOT_FOUND",
        place=Place(relation=str(table)),
        remedy=f"There is {near}: names are taken exactly." if near else "Check the name, the schema and the database.",
    )
