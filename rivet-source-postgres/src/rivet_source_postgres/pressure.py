"""How hard the server works: the checkpoints that it had to make before their time.

They are requested when more is written than ``max_wal_size`` allows for, which is when reading is most in the way. A
standby counts its restart points. The counters are the cluster's, and every user may read them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_source_postgres.pinned import pinned

if TYPE_CHECKING:
    from rivet_source_postgres.session import Session

#: Version 17 moved the counters of checkpoints into a view of their own.
_SQL = "SELECT {count}::pg_catalog.int8 AS requested FROM pg_catalog.{view}"
_SINCE_17 = _SQL.format(count=pinned("(num_requested + restartpoints_req)"), view="pg_stat_checkpointer")
_BEFORE_17 = _SQL.format(count="checkpoints_req", view="pg_stat_bgwriter")


def pressure(session: Session) -> int:
    """Return how many checkpoints were requested since the counters were last set back."""
    moved = session.rows("SELECT pg_catalog.to_regclass('pg_catalog.pg_stat_checkpointer') IS NOT NULL AS moved")[0][
        "moved"
    ]
    return int(session.rows(_SINCE_17 if moved else _BEFORE_17)[0]["requested"])
