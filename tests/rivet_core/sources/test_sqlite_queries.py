"""What of a query is known to be wrong before any file is opened."""

from __future__ import annotations

import pytest

from rivet_core.errors import EnvironmentFailure
from rivet_core.sources.sqlite.plugin import check_query

WRONG = {
    "two statements": "select 1; select 2",
    "no statement": "-- nothing",
    "another statement": "delete from t",
    "a parameter": "select * from t where id = ?",
    "no SQL": "selec 1",
    "half a statement": "select * from (select 1",
}
RIGHT = {
    "a table that only the file knows": "select nope from nowhere",
    "a database by its name": "select a from main.t",
    "a semicolon at the end": "select 1;",
    "a comment at the end": "select 1 -- one",
    "a function that only the file's program has": "select unheard_of(a) from t",
    "a common table": "with c(x) as (select 1) select x from c",
}


@pytest.mark.parametrize("query", WRONG.values(), ids=WRONG)
def test_a_text_that_is_not_one_select_is_refused_without_a_file(query: str) -> None:
    with pytest.raises(EnvironmentFailure) as caught:
        check_query(query)
    assert (caught.value.code, caught.value.transient) == ("RIVET_SOURCE_QUERY_FAILED", False)
    assert caught.value.remedy


@pytest.mark.parametrize("query", RIGHT.values(), ids=RIGHT)
def test_a_query_is_not_refused_for_what_only_the_file_knows(query: str) -> None:
    check_query(query)
