"""The server's own texts: what COPY prints under the settings that rivet promises, taken apart.

Text form: https://www.postgresql.org/docs/15/sql-copy.html; array literals: sections 8.15.2 and 8.15.6 there.
"""

from __future__ import annotations

import re

from postgres_server import PostgresDatabase

#: What rivet's pages promise of every value's text.
SETTINGS = """
SET timezone = 'UTC'; SET datestyle = 'ISO, MDY'; SET intervalstyle = 'iso_8601'; SET extra_float_digits = 3;
SET bytea_output = 'hex'; SET xmloption = 'content';
"""
_ESCAPE = re.compile(r"\\(N|[btnrfv\\])")
_MEANT = {"b": "\b", "t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "\\": "\\"}
_ELEMENT = re.compile(r'"((?:[^"\\]|\\.)*)"|([^,{}"]+)', re.DOTALL)


def server_rows(database: PostgresDatabase, select: str) -> list[tuple[str | None, ...]]:
    """The rows of a query as the server's output functions write them."""
    # The first column marks a row, so that no row and one row with an empty text differ.
    text = database.psql_text(f"{SETTINGS} COPY (SELECT 'row', * FROM ({select}) AS asked) TO STDOUT")
    lines = text.split("\n") if text else []
    return [tuple(_cell(cell) for cell in line.split("\t")[1:]) for line in lines]


def _cell(text: str) -> str | None:
    if text == r"\N":
        return None
    return _ESCAPE.sub(lambda found: _MEANT[found[1]], text) if "\\" in text else text


def array_elements(literal: str) -> list[str | None]:
    """The elements of a one-dimensional array's literal."""
    assert literal[0] == "{", f"{literal} has bounds of its own or is no array"
    assert literal[-1] == "}"
    found: list[str | None] = []
    for match in _ELEMENT.finditer(literal[1:-1]):
        quoted, bare = match.groups()
        if quoted is not None:
            found.append(re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL))
        else:
            found.append(None if bare.upper() == "NULL" else bare)
    return found
