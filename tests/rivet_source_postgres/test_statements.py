from __future__ import annotations

import pytest

from rivet_core.errors import UsageError
from rivet_source_postgres.quoting import identifier, literal
from rivet_source_postgres.statements import subquery_text


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "SELECT ';' AS a",
        "SELECT E'\\';' AS a",
        'SELECT 1 AS ";"',
        "SELECT $$;$$",
        "SELECT $x$ ; $$ $x$",
        "SELECT 1 /* ; /* ; */ */ + 1",
        "SELECT 1 -- ; not the end",
        "SELECT a$b$ FROM t",
        "WITH x AS (SELECT 1) SELECT * FROM x",
    ],
)
def test_a_semicolon_that_ends_nothing_is_kept(text: str) -> None:
    assert subquery_text(text) == text


@pytest.mark.parametrize("end", [";", " ; ", ";;\n", "; -- done", "; /* done */ ;"])
def test_what_follows_the_end_is_cut(end: str) -> None:
    assert subquery_text(f"SELECT 1{end}") == "SELECT 1"


@pytest.mark.parametrize("text", ["SELECT 1; SELECT 2", "SELECT 1; $$x$$", "", " -- nothing", "/* nothing */ ;"])
def test_no_statement_and_two_statements_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        subquery_text(text)


def test_names_and_texts_survive_quoting() -> None:
    assert identifier('a"b') == '"a""b"'
    assert literal("it's") == "'it''s'"
    assert literal("a\\'b") == " E'a\\\\''b'"
    with pytest.raises(ValueError, match="NUL"):
        identifier("a\0b")
