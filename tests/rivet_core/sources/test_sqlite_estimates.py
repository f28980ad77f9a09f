"""Statistics that somebody doctored are no estimates, and no bugs either."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rivet_core.types import ColumnRules, Table

if TYPE_CHECKING:
    from conftest import Database


@pytest.mark.parametrize("stat", ["²", "x", "", " ", "-3", "NULL", "x'ff'", "7.5", "9" * 5000])
def test_statistics_without_a_number_are_no_estimate(database: Database, stat: str) -> None:
    database.run("CREATE TABLE t (a INTEGER); CREATE INDEX i ON t (a); INSERT INTO t VALUES (1); ANALYZE")
    value = stat if stat in {"NULL", "x'ff'"} else f"'{stat}'"
    database.run(f"UPDATE sqlite_stat1 SET stat = {value}")
    assert database.source.describe(Table("t"), ColumnRules()).estimated_rows is None
    assert [facts.estimated_rows for facts in database.source.relations()] == [None]
