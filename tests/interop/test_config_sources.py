"""Every way to name a source, with and without TLS: both tools connect, or neither does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from interop_datasets import Dataset, differences
from interop_pair import Pair, export, family, query
from postgres_server import PostgresServer
from postgres_tls import TlsServer

ONE = export("x", query("SELECT 1 AS one"))
#: A role whose password needs quoting in a URL, and in YAML.
PASSWORD = "p@ss:w/o#r%d ?&{'\"ü"


@pytest.fixture(scope="module")
def role(rust_tool: Any, postgres_server: PostgresServer, tables: str) -> Iterator[str]:
    """A user's name."""
    name = "interop user"
    literal = PASSWORD.replace("'", "''")
    postgres_server.psql_text(f"CREATE ROLE \"{name}\" LOGIN PASSWORD '{literal}'")
    yield name
    postgres_server.psql_text(f'DROP ROLE "{name}"')


def parts(url: str) -> dict[str, Any]:
    split = urlsplit(url)
    return {
        "host": split.hostname,
        "port": split.port,
        "user": split.username,
        "password": split.password,
        "database": split.path[1:],
    }


def forms(url: str, role: str) -> dict[str, dict[str, Any]]:
    """Ways to name one database."""
    whole = parts(url)
    known = {"user": role, "password": PASSWORD}
    unnamed = {key: value for key, value in whole.items() if key not in known}
    address = f"{whole['host']}:{whole['port']}/{whole['database']}"
    return {
        "a URL": {"url": url},
        "a URL of the short scheme": {"url": url.replace("postgresql:", "postgres:")},
        "a URL with parameters": {"url": f"{url}?application_name=interop&connect_timeout=5&sslmode=disable"},
        "a URL of a quoted password": {"url": f"postgresql://{quote(role)}:{quote(PASSWORD, safe='')}@{address}"},
        "a variable": {"url_env": "DATABASE_URL"},
        "a placeholder": {"url": "${DATABASE_URL}"},
        "a file": {"url_file": "url.txt"},
        "parts": whole,
        "parts with a password that needs care": {**unnamed, **known},
        "parts with a password in a variable": {**unnamed, "user": role, "password_env": "PASSWORD"},
        "parts by another name of the host": {**whole, "host": "localhost"},
        "an environment": {"url": url, "environment": "production"},
        "no TLS, said aloud": {"url": url, "tls": {"mode": "disable"}},
        "no TLS, and authorities that nobody asks": {"url": url, "tls": {"mode": "disable", "ca_file": "none.pem"}},
        "empty keys": {"url": url, "host": None, "tls": None, "mongo": None, "tuning": None},
    }


NAMES = tuple(forms("postgresql://u:p@h:1/d", "u"))


@pytest.mark.parametrize("name", NAMES)
def test_both_connect(pair: Pair, role: str, name: str) -> None:
    pair.write(f"{pair.url}\n", file="url.txt")
    pair.configure([ONE], source={"type": "postgres", **forms(pair.url, role)[name]})
    both = pair.run(PASSWORD=PASSWORD)
    assert both.codes == (0, 0), both
    said = both.ours.said() + both.theirs.said()
    assert not [secret for secret in (PASSWORD, str(urlsplit(pair.url).password)) if secret in said]


def test_a_url_file_lies_beside_the_configuration_for_us_alone(pair: Pair, told: str) -> None:
    for folder in (pair.ours, pair.theirs):
        (folder / "elsewhere").mkdir(parents=True)
    pair.write(pair.url, file="url.txt")
    pair.configure([ONE], source={"type": "postgres", "url_file": "url.txt"})
    both = pair.rivet("run", "-c", "../rivet.yaml", "--json-errors", below="elsewhere")
    assert both.codes == (0, 1)
    assert "url_file" in told


def test_output_and_query_file_lie_beside_the_configuration_for_both(pair: Pair) -> None:
    for folder in (pair.ours, pair.theirs):
        (folder / "elsewhere").mkdir(parents=True)
    pair.write("SELECT 1 AS one", file="sql/one.sql")
    pair.configure([export("x", {"query_file": "sql/one.sql"})])
    both = pair.rivet("run", "-c", "../rivet.yaml", "--json-errors", below="elsewhere")
    assert both.codes == (0, 0)
    assert all((folder / "out" / "x" / "_SUCCESS").exists() for folder in (pair.ours, pair.theirs))


#: Whether both connect, the host, and the block; files by their names in :class:`TlsServer`.
BLOCKS: dict[str, tuple[bool, str, dict[str, Any] | None]] = {
    "nothing is said on this machine": (True, "127.0.0.1", None),
    "disable": (True, "127.0.0.1", {"mode": "disable"}),
    "require": (True, "127.0.0.1", {"mode": "require"}),
    "verify-ca": (True, "127.0.0.1", {"mode": "verify-ca", "ca_file": "authority"}),
    "verify-ca of a stranger": (False, "localhost", {"mode": "verify-ca", "ca_file": "stranger"}),
    "verify-full": (True, "localhost", {"mode": "verify-full", "ca_file": "authority"}),
    "verify-full of another name": (False, "127.0.0.1", {"mode": "verify-full", "ca_file": "authority"}),
    "verify-full by default": (False, "127.0.0.1", {"ca_file": "authority"}),
    "verify-full by the system's authorities": (False, "localhost", {}),
    "any certificate": (True, "127.0.0.1", {"accept_invalid_certs": True}),
    "any name": (True, "127.0.0.1", {"accept_invalid_hostnames": True, "ca_file": "authority"}),
    "any name of a stranger": (False, "127.0.0.1", {"accept_invalid_hostnames": True, "ca_file": "stranger"}),
}


# Asked for first: without the tool no server has to start.
@pytest.mark.usefixtures("rust_tool")
@pytest.mark.parametrize("name", BLOCKS)
def test_both_trust_alike(pair: Pair, tls_server: TlsServer, name: str) -> None:
    connects, host, block = BLOCKS[name]
    if block and "ca_file" in block:
        block = {**block, "ca_file": str(getattr(tls_server, block["ca_file"]))}
    source = {"type": "postgres", "url": tls_server.url(host), "tuning": {"max_retries": 0}}
    shown = export("x", query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"))
    pair.configure([shown], source=source if block is None else {**source, "tls": block})
    both = pair.run()
    assert both.codes == ((0, 0) if connects else (1, 1)), both
    if connects:
        mine, other = (Dataset.at(folder / "out" / "x") for folder in (pair.ours, pair.theirs))
        assert ("values" in differences(mine, other)) is (block is None)
    else:
        assert family(both.failures[0]) == "RIVET_SOURCE"
