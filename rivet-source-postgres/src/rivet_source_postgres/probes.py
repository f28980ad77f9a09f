"""Facts that planning asks for beyond the columns: keys, bounds, borders, counts, the clock, the identity."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

import attrs

from rivet_core.errors import RivetError
from rivet_core.requests import ColumnKey, Keys, ReadRequest
from rivet_core.schema import Bounds, Key
from rivet_core.types import Position, Query, Relation, SourceIdentity
from rivet_source_postgres import translate
from rivet_source_postgres.catalogue import find_table
from rivet_source_postgres.failures import sqlstate
from rivet_source_postgres.pinned import pinned
from rivet_source_postgres.quoting import from_item

if TYPE_CHECKING:
    from rivet_source_postgres.marks import KeyTypes
    from rivet_source_postgres.session import Session

_NOW: Final = pinned("SELECT (extract(epoch FROM pg_catalog.clock_timestamp()) * 1000000)::pg_catalog.int8 AS us")
_KEYS: Final = pinned("""
SELECT pg_catalog.array_agg(a.attname::pg_catalog.text ORDER BY p.place) AS columns, i.indisunique AS is_unique,
    i.indisprimary AS is_primary, pg_catalog.bool_and(a.attnotnull) AS not_null, i.indpred IS NULL AS is_full
FROM pg_catalog.pg_index i
JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
JOIN pg_catalog.pg_am m ON m.oid = c.relam
CROSS JOIN LATERAL pg_catalog.generate_series(0, i.indnkeyatts - 1) AS p(place)
LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[p.place] AND a.attnum > 0
LEFT JOIN pg_catalog.pg_opclass o ON o.oid = i.indclass[p.place]
WHERE i.indrelid = {oid} AND i.indisvalid AND i.indisready AND m.amname = 'btree'
GROUP BY i.indexrelid, i.indisunique, i.indisprimary, i.indpred IS NULL
HAVING pg_catalog.bool_and(a.attname IS NOT NULL AND o.opcdefault AND i.indcollation[p.place] = a.attcollation)
ORDER BY i.indisprimary DESC, i.indisunique AND pg_catalog.bool_and(a.attnotnull) AND i.indpred IS NULL DESC,
    pg_catalog.count(*), i.indexrelid
""")


def identity(session: Session) -> SourceIdentity:
    """Return the cluster's own number and the database.

    A standby has its primary's number, so both are one source. Where an administrator has taken the function away,
    and only there, the server's address stands for it: the same for every user of that server, but not for a standby.
    """
    database = str(session.rows("SELECT pg_catalog.current_database()::pg_catalog.text AS name")[0]["name"])
    try:
        row = session.rows("SELECT system_identifier::pg_catalog.text AS server FROM pg_catalog.pg_control_system()")[0]
    except RivetError as error:
        if sqlstate(error) not in {"42501", "42883", "0A000"}:
            raise
        row = session.rows(
            "SELECT pg_catalog.concat(coalesce(pg_catalog.host(pg_catalog.inet_server_addr()), 'local'), ':',"
            " coalesce(pg_catalog.inet_server_port()::pg_catalog.text, pg_catalog.current_setting('port'))) AS server"
        )[0]
    return SourceIdentity(engine="postgres", server=row["server"], database=database)


def now(session: Session) -> datetime:
    """Return the server's clock."""
    row = session.rows(_NOW)[0]
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=row["us"])


def keys(session: Session, relation: Relation) -> tuple[Key, ...]:
    """Return the keys of a table's B-tree indexes, the primary key first, then those that rows can be paged by.

    Left out are indexes that cannot serve an ordinary comparison: over expressions, with another collation or
    operator class than the column's, or not valid. An index of a parent table does not cover its children, so it
    promises nothing there (partitions are covered).
    """
    if isinstance(relation, Query):
        return ()
    table = find_table(session, relation)
    rows = session.rows(_KEYS.format(oid=table.oid), relation=str(relation))
    return tuple(
        Key(
            columns=tuple(row["columns"]),
            unique=row["is_unique"] and not table.inherited,
            not_null=row["not_null"],
            full=row["is_full"] and not table.inherited,
            primary=row["is_primary"],
        )
        for row in rows
    )


def bounds(session: Session, relation: Relation, column: str, types: KeyTypes) -> Bounds | None:
    """Return a column's extremes; three questions in one statement, each of which an index on the column answers."""
    key = ColumnKey(column)
    expression, item = translate.key_expression(key), from_item(relation)
    (kind,) = types.of(session, relation, (key,))
    edge = f"(SELECT {kind.text} FROM {item} WHERE {expression} IS NOT NULL ORDER BY {expression}"
    row = session.rows(
        f"SELECT {edge} LIMIT 1) AS low, {edge} DESC LIMIT 1) AS high,"
        f" (SELECT pg_catalog.count(*) FROM {item} WHERE {expression} IS NULL) AS nulls",
        relation=str(relation),
    )[0]
    if row["low"] is None:
        return None
    return Bounds(low=Position(kind.tag, row["low"]), high=Position(kind.tag, row["high"]), nulls=row["nulls"])


def split(session: Session, request: ReadRequest, split_keys: Keys, n: int, types: KeyTypes) -> tuple[Position, ...]:
    """Return the keys of the rows at the shares' borders.

    It costs a count and one walk over the rows in key order up to the last border, which an index on the keys makes a
    walk over the index alone. Rows whose key is NULL are left out, as they are of every range.
    """
    if n <= 1 or request.relation is None:
        return ()
    expressions = [translate.key_expression(key) for key in split_keys]
    plain = attrs.evolve(request, order=(), limit=None)
    relation = str(request.relation)
    with session.transaction(keep=True):
        kinds = types.of(session, request.relation, split_keys)
        tail = translate.tail(plain, schemas=types.schemas(session, request))
        tail += " AND " if request.terms else " WHERE "
        tail += " AND ".join(f"{expression} IS NOT NULL" for expression in expressions)
        total = session.rows(f"SELECT pg_catalog.count(*) AS n{tail}", relation=relation)[0]["n"]
        places = sorted({total * share // n + 1 for share in range(1, n)} - {1})
        places = [place for place in places if place <= total]
        if not places:
            return ()
        order = ", ".join(expressions)
        picked = ", ".join(f"{expression} AS k{place}" for place, expression in enumerate(expressions))
        names = [f"k{place}" for place in range(len(expressions))]
        texts = [f"{kind.select.of(f'numbered.{name}')} AS {name}" for kind, name in zip(kinds, names, strict=True)]
        within = pinned(f" WHERE place <= {places[-1]} AND place = ANY ('{{{', '.join(map(str, places))}}}')")
        rows = session.rows(
            f"SELECT {', '.join(texts)} FROM"
            f" (SELECT {picked}, pg_catalog.row_number() OVER (ORDER BY {order}) AS place{tail}) AS numbered"
            f"{within}"
            f" GROUP BY {', '.join(f'numbered.{name}' for name in names)}"
            f" ORDER BY {', '.join(f'numbered.{name}' for name in names)}",
            relation=relation,
        )
    return tuple(
        Position.row(*(Position(kind.tag, row[name]) for kind, name in zip(kinds, names, strict=True))) for row in rows
    )


def count(session: Session, request: ReadRequest, snapshot: str | None, types: KeyTypes) -> int:
    """Return how many rows a request has."""
    with session.transaction(snapshot=snapshot):
        return int(
            session.rows(translate.count(request, types.schemas(session, request)), relation=str(request.relation))[0][
                "n"
            ]
        )
