"""Which relations a database has, in one statement over the catalogue: nothing is counted, and no table is locked.

Sizes are those of the last ``VACUUM`` or ``ANALYZE``: asking for the files' own would wait behind whoever alters one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rivet_core.schema import RelationFacts, RelationKind
from rivet_core.types import Table
from rivet_source_postgres.pinned import pinned

if TYPE_CHECKING:
    from rivet_source_postgres.session import Session

_KINDS: Final = {"v": RelationKind.VIEW, "m": RelationKind.MATERIALIZED_VIEW}
#: A partitioned table has the rows and pages of its partitions, which are not listed themselves.
_RELATIONS: Final = pinned("""
WITH RECURSIVE listed AS (
    SELECT c.oid, n.nspname, c.relname, c.relkind
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = ANY ('{r,p,f,v,m}') AND NOT c.relispartition
        AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
        AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
),
leaf(root, oid, kind) AS (
    SELECT oid, oid, relkind FROM listed WHERE relkind <> 'v'
    UNION ALL
    SELECT l.root, c.oid, c.relkind
    FROM leaf l JOIN pg_catalog.pg_inherits i ON i.inhparent = l.oid JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
    WHERE l.kind = 'p'
),
indexed(oid, pages) AS (
    SELECT i.indrelid, pg_catalog.sum(c.relpages)
    FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
    GROUP BY i.indrelid
),
size(root, row_count, pages) AS (
    SELECT l.root,
        CASE WHEN pg_catalog.bool_and(c.reltuples >= 0) THEN pg_catalog.sum(c.reltuples::pg_catalog.float8) END,
        CASE WHEN pg_catalog.bool_and(c.reltuples >= 0)
            THEN pg_catalog.sum((c.relpages + coalesce(t.relpages, 0)) + coalesce(x.pages, 0)) END
    FROM leaf l JOIN pg_catalog.pg_class c ON c.oid = l.oid AND c.relkind <> 'p'
    LEFT JOIN pg_catalog.pg_class t ON t.oid = c.reltoastrelid
    LEFT JOIN indexed x ON x.oid = c.oid
    GROUP BY l.root
)
SELECT r.nspname::pg_catalog.text AS schema, r.relname::pg_catalog.text AS name,
    r.relkind::pg_catalog.text AS kind, s.row_count::pg_catalog.int8 AS row_count,
    (s.pages * pg_catalog.current_setting('block_size')::pg_catalog.int8)::pg_catalog.int8 AS bytes,
    (SELECT pg_catalog.array_agg(a.attname::pg_catalog.text ORDER BY p.place)
        FROM pg_catalog.pg_index i CROSS JOIN LATERAL pg_catalog.generate_series(0, i.indnkeyatts - 1) AS p(place)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[p.place]
        WHERE i.indrelid = r.oid AND i.indisprimary) AS key
FROM listed r LEFT JOIN size s ON s.root = r.oid
ORDER BY r.nspname::pg_catalog.text COLLATE pg_catalog."C", r.relname::pg_catalog.text COLLATE pg_catalog."C"
""")


def relations(session: Session) -> tuple[RelationFacts, ...]:
    """Return what this user can read; see :meth:`rivet_core.protocols.CatalogueSource.relations`."""
    return tuple(
        RelationFacts(
            table=Table(row["name"], row["schema"]),
            kind=_KINDS.get(row["kind"], RelationKind.TABLE),
            estimated_rows=row["row_count"],
            total_bytes=row["bytes"],
            primary_key=tuple(row["key"] or ()),
        )
        for row in session.rows(_RELATIONS)
    )
