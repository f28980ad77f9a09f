"""What the catalogue says of a relation: its columns with their types resolved to what they really are.

Names come in as quoted literals and are compared as text, so that the server cannot shorten them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import attrs

from rivet_core.errors import EnvironmentFailure, Place
from rivet_core.types import Query, Relation, Table
from rivet_source_postgres.pinned import OWN, pinned
from rivet_source_postgres.quoting import from_item, identifier, literal

if TYPE_CHECKING:
    from rivet_source_postgres.session import Session

#: The server's own types that have collations.
_COLLATED: Final = ("text", "varchar", "bpchar", "name")
#: Relations that rows can be selected from: tables, partitioned and foreign ones, views, materialised views, sequences.
_READABLE: Final = "{{r,p,f,v,m,S}}"


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
        return self.schema == OWN and self.kind == "b"

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
    :param odd_array: for true arrays: users' own casts may give other elements than the server prints.
    :param readable: whether this user may select it.
    """

    name: str
    native: str
    type: TypeName
    element: TypeName | None
    not_null: bool
    odd_array: bool = False
    readable: bool = True


@attrs.frozen(kw_only=True)
class RelationFacts:
    """A table, as the catalogue has it.

    :param kind: ``pg_class.relkind``.
    :param guarded: row-level security decides which rows this user sees.
    :param uncut: the user has said with ``row_security`` that rows which are kept back are an error.
    :param unfilled: a materialized view that was never filled, and without which it cannot be read: itself, or one
        that a view is made over.
    """

    oid: int
    schema: str
    kind: str
    inherited: bool
    estimated_rows: int | None
    unfilled: str | None
    guarded: bool
    uncut: bool


@attrs.frozen(kw_only=True)
class KeyFacts:
    """An expression that serves as a key.

    :param loose: its collation takes different texts for equal.
    :param operators: the schema of the operators that it is ordered by, quoted.
    """

    type: TypeName
    loose: bool
    operators: str


#: Resolves domains, and the elements of arrays, of ``wanted(place, name, type, modifier, not_null, readable)``.
#: What users make has numbers from 16384 on.
_RESOLVE: Final = pinned("""
WITH RECURSIVE wanted(place, name, type, modifier, not_null, readable) AS ({wanted}),
base(place, depth, type, modifier, element) AS (
    SELECT place, 0, type::pg_catalog.oid, modifier, false FROM wanted
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
SELECT w.name::pg_catalog.text AS name, pg_catalog.format_type(w.type::pg_catalog.oid, w.modifier) AS native,
    w.not_null, w.readable, f.nspname::pg_catalog.text AS schema, f.typname::pg_catalog.text AS type,
    f.typtype::pg_catalog.text AS kind, f.modifier::pg_catalog.int4 AS modifier,
    EXISTS (SELECT FROM pg_catalog.pg_cast c WHERE c.castsource = f.type
        AND c.casttarget = 'pg_catalog.text'::pg_catalog.regtype AND c.castmethod = 'f') AS odd_text,
    EXISTS (SELECT FROM pg_catalog.pg_cast c JOIN pg_catalog.pg_type t ON t.oid = c.casttarget
        WHERE c.castsource = ANY (ARRAY[f.type, e.type]) AND c.castmethod = 'f' AND c.oid >= 16384
        AND t.typnamespace = 'pg_catalog'::pg_catalog.regnamespace) AS odd_array,
    e.nspname::pg_catalog.text AS element_schema, e.typname::pg_catalog.text AS element,
    e.typtype::pg_catalog.text AS element_kind,
    e.modifier::pg_catalog.int4 AS element_modifier
FROM wanted w JOIN found f ON f.place = w.place AND NOT f.element
LEFT JOIN found e ON e.place = w.place AND e.element
ORDER BY w.place
""")


_TYPE: Final = "pg_catalog.pg_typeof({name})::pg_catalog.oid::pg_catalog.int8 AS {name}"
_VISIBLE: Final = "pg_catalog.pg_table_is_visible(c.oid)"
_IN_SCHEMA: Final = pinned("n.nspname = {schema}")
_TABLE: Final = pinned(f"""
SELECT c.oid::pg_catalog.int8 AS oid, c.relname::pg_catalog.text AS name, n.nspname::pg_catalog.text AS schema,
    c.relkind::pg_catalog.text AS kind,
    pg_catalog.row_security_active(c.oid) AS guarded,
    pg_catalog.current_setting('row_security') = 'off' AS uncut,
    EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid) AS inherited,
    CASE WHEN c.relkind = ANY ('{{{{r,m,f,p}}}}') THEN
        (SELECT CASE WHEN pg_catalog.bool_and(l.reltuples >= 0) THEN pg_catalog.sum(l.reltuples)::pg_catalog.int8 END
        FROM pg_catalog.pg_class l WHERE l.oid = c.oid AND c.relkind <> 'p'
            OR c.relkind = 'p' AND l.relkind <> 'p'
            AND l.oid = ANY (SELECT p.relid FROM pg_catalog.pg_partition_tree(c.oid) p))
    END AS estimate,
    (WITH RECURSIVE used(oid, kind, filled) AS (
        SELECT c.oid, c.relkind, c.relispopulated
        UNION
        SELECT l.oid, l.relkind, l.relispopulated
        FROM used u JOIN pg_catalog.pg_rewrite w ON w.ev_class = u.oid
        JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = w.oid
            AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
        JOIN pg_catalog.pg_class l ON l.oid = d.refobjid
        WHERE u.kind = 'v'
    )
    SELECT pg_catalog.concat(n.nspname, '.', l.relname)
    FROM used u JOIN pg_catalog.pg_class l ON l.oid = u.oid JOIN pg_catalog.pg_namespace n ON n.oid = l.relnamespace
    WHERE NOT u.filled LIMIT 1) AS unfilled
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname = {{name}} AND {{where}} AND c.relkind = ANY ('{_READABLE}')
""")
_NEAR: Final = pinned(f"""
SELECT pg_catalog.concat(n.nspname, '.', c.relname) AS name
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE pg_catalog.lower(c.relname::pg_catalog.text)
    = ANY (ARRAY[pg_catalog.lower({{table}}), pg_catalog.lower({{name}})]::pg_catalog.text[])
    AND c.relkind = ANY ('{_READABLE}')
ORDER BY 1 LIMIT 5
""")
_COLUMNS: Final = pinned("""
SELECT a.attnum::pg_catalog.int4, a.attname, a.atttypid, a.atttypmod, a.attnotnull,
    pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
FROM pg_catalog.pg_attribute a
WHERE a.attrelid = {oid} AND a.attnum > 0 AND NOT a.attisdropped
""")
_LOOSE: Final = pinned(
    "EXISTS (SELECT FROM pg_catalog.pg_collation l WHERE NOT l.collisdeterministic"
    " AND l.oid = pg_catalog.pg_collation_for({name})::pg_catalog.regcollation) AS {name}"
)

#: Where the operators are by which a type is ordered; NULL for those that are ordered as one of the server's own types.
_OPERATORS: Final = pinned("""
(SELECT n.nspname::pg_catalog.text
    FROM pg_catalog.pg_opclass c JOIN pg_catalog.pg_am m ON m.oid = c.opcmethod AND m.amname = 'btree'
    JOIN pg_catalog.pg_amop a ON a.amopfamily = c.opcfamily AND a.amoplefttype = c.opcintype
        AND a.amoprighttype = c.opcintype AND a.amopstrategy = 3
    JOIN pg_catalog.pg_operator o ON o.oid = a.amopopr JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace
    WHERE c.opcintype = {oid} AND c.opcdefault) AS {name}
""")


def find_table(session: Session, table: Table) -> RelationFacts:
    """Return what the catalogue says of a table.

    :raises EnvironmentFailure: ``RIVET_SOURCE_TABLE_NOT_FOUND``, naming tables of nearly that name.
    """
    schema = _VISIBLE if table.schema is None else _IN_SCHEMA.format(schema=literal(table.schema))
    rows = session.rows(_TABLE.format(name=literal(table.name), where=schema), relation=str(table))
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
        unfilled=row["unfilled"],
        guarded=row["guarded"],
        uncut=row["uncut"],
    )


def table_columns(session: Session, facts: RelationFacts, relation: Table) -> tuple[ColumnFacts, ...]:
    """Return the columns of a table in their order; dropped ones are gone, generated ones are there."""
    wanted = _COLUMNS.format(oid=facts.oid)
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
        f"SELECT {', '.join(_TYPE.format(name=f'c{place}') for place in places)}"
        f" FROM (SELECT 1) AS one LEFT JOIN (SELECT * FROM {item} LIMIT 0)"
        f" AS columns({', '.join(f'c{place}' for place in places)}) ON true",
        relation=str(query),
    )[0]
    wanted = ", ".join(
        f"({place}, {literal(field.name)}, {types[f'c{place}']}, {_modifier(field.metadata)}, false, true)"
        for place, field in enumerate(schema)
    )
    return tuple(_column(row) for row in session.rows(_RESOLVE.format(wanted=f"VALUES {wanted}"), relation=str(query)))


def expression_types(session: Session, relation: Relation, expressions: tuple[str, ...]) -> tuple[KeyFacts, ...]:
    """Return what is to be known of expressions over a relation that serve as keys, without reading a row."""
    places = range(len(expressions))
    inner = ", ".join(f"{expression} AS c{place}" for place, expression in enumerate(expressions))
    # One row of NULLs that have the expressions' types.
    nulls = f"FROM (SELECT 1) AS one LEFT JOIN (SELECT {inner} FROM {from_item(relation)} LIMIT 0) AS keys ON true"
    asked = ", ".join(_TYPE.format(name=f"c{place}") for place in places)
    oids = session.rows(f"SELECT {asked} {nulls}", relation=str(relation))[0]
    wanted = ", ".join(f"({place}, 'key', {oids[f'c{place}']}, -1, false, true)" for place in places)
    types = [_column(row).type for row in session.rows(_RESOLVE.format(wanted=f"VALUES {wanted}"))]
    texts = [place for place in places if types[place].own and types[place].name in _COLLATED]
    loose: dict[str, bool] = {}
    if texts:
        asked = ", ".join(_LOOSE.format(name=f"c{place}") for place in texts)
        loose = session.rows(f"SELECT {asked} {nulls}", relation=str(relation))[0]
    foreign = [place for place in places if types[place].schema != OWN]
    schemas: dict[str, str] = {}
    if foreign:
        asked = ", ".join(_OPERATORS.format(oid=oids[f"c{place}"], name=f"c{place}") for place in foreign)
        schemas = {name: schema for name, schema in session.rows(f"SELECT {asked}")[0].items() if schema is not None}
    return tuple(
        KeyFacts(
            type=types[place], loose=loose.get(f"c{place}", False), operators=identifier(schemas.get(f"c{place}", OWN))
        )
        for place in places
    )


def not_null_columns(session: Session, relation: Relation) -> tuple[str, ...]:
    """Return the columns of a table that promise a value; a query promises nothing."""
    if isinstance(relation, Query):
        return ()
    facts = find_table(session, relation)
    return tuple(column.name for column in table_columns(session, facts, relation) if column.not_null)


def money_scale(session: Session) -> int:
    """Return the digits behind the point of ``money``, which the server's ``lc_monetary`` decides."""
    return int(
        session.rows("SELECT pg_catalog.scale('0'::pg_catalog.money::pg_catalog.numeric) AS digits")[0]["digits"]
    )


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
        odd_array=element is not None and row["odd_array"],
        readable=row["readable"],
    )


def _modifier(metadata: dict[bytes, bytes] | None) -> int:
    return int((metadata or {}).get(b"POSTGRESQL:typmod", b"-1"))


def _not_found(session: Session, table: Table) -> EnvironmentFailure:
    name = table.name.rpartition(".")[2]
    rows = session.rows(_NEAR.format(table=literal(table.name), name=literal(name)))
    near = ", ".join(row["name"] for row in rows)
    return EnvironmentFailure(
        f"there is no table {table} that this user can see",
        code="RIVET_SOURCE_TABLE_NOT_FOUND",
        place=Place(relation=str(table)),
        remedy=f"There is {near}: names are taken exactly." if near else "Check the name, the schema and the database.",
    )
