"""Passwords of every printable character, in every way that a configuration may give one, and never in what is left."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from e2e_command import Ended, Place, export, table
from e2e_reader import Delivered
from e2e_secrets import SPECIAL, Login, login, traces
from postgres_server import PostgresDatabase

from rivet_core.config.placeholders import escaped

pytestmark = pytest.mark.slow

EVERY = f"{secrets.token_hex(6)}{SPECIAL}{secrets.token_hex(6)}"
MISLEADING = {
    "a URL": f"{secrets.token_hex(6)}@elsewhere:99/other?sslmode=disable#{secrets.token_hex(6)}",
    "percent signs": f"%41%{secrets.token_hex(6)}%%zz%20{secrets.token_hex(6)}%",
    "placeholders": f"{secrets.token_hex(6)}${{HOME}} $${{x}} {{date}}{secrets.token_hex(6)}",
    "options": f"{secrets.token_hex(6)}' host=elsewhere \\' \\\\ {secrets.token_hex(6)}",
}


@pytest.fixture
def small(postgres_database: PostgresDatabase) -> PostgresDatabase:
    postgres_database.run_sql("CREATE TABLE small AS SELECT 1 AS id; GRANT SELECT ON small TO PUBLIC")
    return postgres_database


@pytest.fixture
def reader(small: PostgresDatabase) -> Iterator[Login]:
    with login(small, EVERY) as made:
        yield made


def ways(reader: Login, folder: Path) -> dict[str, tuple[dict[str, Any], dict[str, str]]]:
    """The keys of the source and the variables, by the way that the password takes."""
    (folder / "url.secret").write_text(reader.url() + "\n", encoding="utf-8")
    # What is written into the file itself has placeholders of the file, and doubled dollars before a brace mean one.
    written = escaped(reader.password)
    return {
        "url": ({"url": reader.url()}, {}),
        "url_env": ({"url_env": "SOURCE_URL"}, {"SOURCE_URL": reader.url()}),
        "url_file": ({"url_file": "url.secret"}, {}),
        "placeholder": ({"url": "${SOURCE_URL}"}, {"SOURCE_URL": reader.url()}),
        "password": ({**reader.parts(), "password": written}, {}),
        "password_env": ({**reader.parts(), "password_env": "WORD"}, {"WORD": reader.password}),
        "placeholder of parts": ({**reader.parts(), "password": "${WORD}"}, {"WORD": reader.password}),
    }


WAYS = ("url", "url_env", "url_file", "placeholder", "password", "password_env", "placeholder of parts")


@pytest.mark.parametrize("way", WAYS)
def test_a_password_works_and_leaves_no_trace(reader: Login, place: Place, way: str) -> None:
    source, variables = ways(reader, place.folder)[way]
    place.configure(source, [export("small", table("small"))])
    ended = [
        place.rivet(*command, "-c", "rivet.yaml", **variables)
        for command in (
            ("run", "--summary-output", "summary.json"),
            ("run", "--json", "--json-errors"),
            ("check", "--type-report"),
            ("check", "--json"),
            ("doctor",),
            ("doctor", "--json"),
            ("validate", "--json"),
            ("state", "runs", "--json"),
        )
    ]
    assert [done.code for done in ended] == [0] * len(ended), ended[0].err
    assert Delivered.at(place.prefix("small")).rows() == [("1",)]
    assert traces(reader.password, place.folder, *ended) == []


@pytest.mark.parametrize("way", ["url_env", "password", "placeholder of parts"])
@pytest.mark.parametrize("password", MISLEADING.values(), ids=MISLEADING)
def test_a_password_may_look_like_something_else(
    small: PostgresDatabase, place: Place, password: str, way: str
) -> None:
    with login(small, password) as reader:
        source, variables = ways(reader, place.folder)[way]
        place.configure(source, [export("small", table("small"))])
        done = place.run(**variables)
    assert done.code == 0, done.err
    assert traces(password, place.folder, done) == []


@pytest.mark.parametrize("way", ["url", "url_file", "password_env", "placeholder of parts"])
def test_a_wrong_password_is_told_without_it(reader: Login, place: Place, way: str) -> None:
    reader.database.run_sql(f"ALTER ROLE {reader.user} PASSWORD 'another'")
    source, variables = ways(reader, place.folder)[way]
    place.configure(source, [export("small", table("small"))])
    done = place.run(**variables)
    checked = place.rivet("check", "-c", "rivet.yaml", "--json-errors", **variables)
    assert done.failure() == checked.failure() == (1, "RIVET_SOURCE_CREDENTIALS_INVALID")
    assert traces(EVERY, place.folder, done, checked) == []


def test_a_raw_password_in_a_url_works_and_leaves_no_trace(reader: Login, place: Place) -> None:
    place.configure({"url_env": "SOURCE_URL"}, [export("small", table("small"))])
    done = place.run(SOURCE_URL=reader.url(EVERY))
    assert done.code == 0, done.err
    assert traces(EVERY, place.folder, done) == []


def test_the_search_finds_what_it_looks_for(reader: Login, place: Place) -> None:
    place.configure({**reader.parts(), "password_env": "WORD"}, [export("small", table("small"))])
    done = place.run(WORD=EVERY)
    (place.folder / "leak.log").write_text(reader.url())
    assert traces(EVERY, place.folder, done)
    assert traces(EVERY[:20], place.folder, Ended(0, "", f"cannot connect with {EVERY[:20]!r}"))
