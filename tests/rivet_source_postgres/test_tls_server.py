"""The ``tls`` block against a server that has TLS, has none, or shows a certificate that nobody should trust."""

from __future__ import annotations

import csv
import json
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from e2e_command import Place, export
from postgres_tls import CERTIFIED, ENCRYPTED, TlsServer

from rivet_core.errors import RivetError
from rivet_core.requests import ReadContext, ReadRequest
from rivet_core.types import ColumnRules, Query, Secret, Verdict
from rivet_source_postgres.options import PostgresOptions, TlsOptions
from rivet_source_postgres.plugin import make_source

#: Whether the server sees this session encrypted.
SEEN = "SELECT ssl AS encrypted FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
#: The one name that the certificate has, and another name of the same machine.
NAMED, UNNAMED = "localhost", "127.0.0.1"


@pytest.fixture(autouse=True)
def nothing_said_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What the driver's library would find in variables and at home stays out of these tests."""
    for name in ("PGSSLMODE", "PGSSLROOTCERT", "PGSERVICE", "PGSERVICEFILE", "PGHOST", "PGHOSTADDR", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def source_of(url: str, tls: TlsOptions | None = None) -> Any:
    return make_source(PostgresOptions(url=Secret(url), tls=tls))


def is_encrypted(url: str, tls: TlsOptions | None = None) -> bool:
    """Reads as a run does, and returns what the server says of the session."""
    query = Query(SEEN)
    with closing(source_of(url, tls)) as source:
        request = ReadRequest(relation=query, columns=source.describe(query, ColumnRules()).columns)
        with source.read(request, ReadContext()) as batches:
            (value,) = [value for batch in batches for value in batch.data.column("encrypted").to_pylist()]
    assert isinstance(value, bool)
    return value


def refused(url: str, tls: TlsOptions | None = None) -> RivetError:
    """The error of connecting; it must be one that no other attempt mends, and say what does."""
    with closing(source_of(url, tls)) as source:
        with pytest.raises(RivetError) as caught:
            source.check()
        assert source.verdict(caught.value) in {Verdict.CONFIG, Verdict.FATAL}, caught.value
    error = caught.value
    assert not getattr(error, "transient", False)
    assert error.remedy
    return error


# -- what each mode trusts ------------------------------------------------------------------------------------------


def test_without_a_block_this_machine_is_reached_encrypted_where_the_server_can(tls_server: TlsServer) -> None:
    assert is_encrypted(tls_server.url(UNNAMED))


def test_disable_is_plaintext_although_the_server_can_encrypt(tls_server: TlsServer) -> None:
    assert not is_encrypted(tls_server.url(), TlsOptions(mode="disable"))


@pytest.mark.parametrize(
    ("host", "keys"),
    [
        (UNNAMED, {"mode": "require"}),
        (UNNAMED, {"mode": "require", "ca_file": "stranger"}),
        (UNNAMED, {"mode": "verify-ca", "ca_file": "authority"}),
        (NAMED, {"mode": "verify-full", "ca_file": "authority"}),
        (NAMED, {"ca_file": "authority"}),
        (UNNAMED, {"accept_invalid_hostnames": True, "ca_file": "authority"}),
        (UNNAMED, {"accept_invalid_certs": True}),
        (UNNAMED, {"accept_invalid_certs": True, "accept_invalid_hostnames": True, "ca_file": "stranger"}),
    ],
    ids=str,
)
def test_a_server_that_is_trusted_is_reached_encrypted(tls_server: TlsServer, host: str, keys: dict[str, Any]) -> None:
    assert is_encrypted(tls_server.url(host), block(tls_server, keys))


@pytest.mark.parametrize(
    ("host", "keys", "next_step"),
    [
        (NAMED, {"mode": "verify-ca", "ca_file": "stranger"}, "tls.ca_file"),
        (NAMED, {"mode": "verify-full", "ca_file": "stranger"}, "tls.ca_file"),
        (NAMED, {}, "tls.ca_file"),
        (UNNAMED, {"accept_invalid_hostnames": True, "ca_file": "stranger"}, "tls.ca_file"),
        (UNNAMED, {"mode": "verify-full", "ca_file": "authority"}, "name"),
        (UNNAMED, {"ca_file": "authority"}, "name"),
    ],
    ids=str,
)
def test_a_server_that_is_not_trusted_is_refused(
    tls_server: TlsServer, host: str, keys: dict[str, Any], next_step: str
) -> None:
    error = refused(tls_server.url(host), block(tls_server, keys))
    assert error.code == "RIVET_SOURCE_CONNECT_FAILED"
    assert next_step in str(error.remedy)
    assert tls_server.password not in f"{error}{error!r}{error.__cause__}"


def block(server: TlsServer, keys: dict[str, Any]) -> TlsOptions:
    """The block with its file by its name in :class:`TlsServer`."""
    if "ca_file" in keys:
        return TlsOptions(**{**keys, "ca_file": getattr(server, keys["ca_file"])})
    return TlsOptions(**keys)


def test_the_systems_authorities_are_asked_where_none_is_named(
    tls_server: TlsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tls_server.authority))
    assert is_encrypted(tls_server.url(NAMED), TlsOptions())
    assert "name" in str(refused(tls_server.url(UNNAMED), TlsOptions()).remedy)


def test_an_expired_certificate_is_taken_only_by_who_verifies_nothing(tls_server: TlsServer) -> None:
    with tls_server.changed(ssl_cert_file="expired.pem", ssl_key_file="expired.key"):
        for keys in ({"mode": "verify-ca"}, {"mode": "verify-full"}, {"accept_invalid_hostnames": True}):
            error = refused(tls_server.url(), TlsOptions(ca_file=tls_server.authority, **keys))
            assert error.code == "RIVET_SOURCE_CONNECT_FAILED"
            assert "expired" in str(error.remedy)
        for lenient in (TlsOptions(mode="require"), TlsOptions(accept_invalid_certs=True)):
            assert is_encrypted(tls_server.url(), lenient)


# -- no way back to plaintext ---------------------------------------------------------------------------------------


def test_a_server_without_tls_is_never_talked_to_in_plaintext_instead(tls_server: TlsServer) -> None:
    wanted: tuple[dict[str, Any], ...] = (
        {"mode": "require"},
        {"mode": "verify-ca", "ca_file": tls_server.authority},
        {"mode": "verify-full", "ca_file": tls_server.authority},
        {},
        {"accept_invalid_certs": True},
        {"accept_invalid_hostnames": True, "ca_file": tls_server.authority},
    )
    with tls_server.changed(ssl="off"):
        for keys in wanted:
            error = refused(tls_server.url(), TlsOptions(**keys))
            assert error.code == "RIVET_SOURCE_CONNECT_FAILED"
            assert "disable" in str(error.remedy)
            assert tls_server.password not in f"{error}{error.__cause__}"
        assert not is_encrypted(tls_server.url())


@pytest.mark.parametrize(
    "keys", [{"mode": "require"}, {"ca_file": "authority"}, {"accept_invalid_certs": True}], ids=str
)
@pytest.mark.parametrize("way", ["of the URL", "of a variable"])
def test_a_socket_cannot_be_encrypted_and_is_refused_where_that_is_wanted(
    tls_server: TlsServer, monkeypatch: pytest.MonkeyPatch, way: str, keys: dict[str, Any]
) -> None:
    folder = str(tls_server.socket_folder)
    url = tls_server.url("", query=f"host={quote(folder, safe='')}" if way == "of the URL" else "")
    if way == "of a variable":
        monkeypatch.setenv("PGHOST", folder)
    assert not is_encrypted(url)
    assert not is_encrypted(url, TlsOptions(mode="disable"))
    error = refused(url, block(tls_server, keys))
    assert error.code == "RIVET_CONFIG_VALUE_INVALID"
    assert folder in str(error)


def test_a_socket_among_hosts_that_is_given_an_address_is_none(tls_server: TlsServer) -> None:
    url = tls_server.url("", query="host=/run/nothing&hostaddr=127.0.0.1")
    assert is_encrypted(url, TlsOptions(mode="require"))


def test_a_service_file_cannot_take_back_what_a_variable_demands(
    tls_server: TlsServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "services").write_text("[shop]\nsslmode=disable\n")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    url = tls_server.url(query="service=shop")
    assert "tls" in str(refused(url))
    monkeypatch.setenv("PGSSLMODE", "require")
    assert is_encrypted(url)


# -- the block, and what the URL, variables and files say -----------------------------------------------------------


@pytest.mark.parametrize("mode", ["disable", "allow", "prefer", "require"])
def test_a_url_that_asks_for_less_does_not_weaken_the_block(tls_server: TlsServer, mode: str) -> None:
    verifying = TlsOptions(mode="verify-full", ca_file=tls_server.authority)
    assert is_encrypted(tls_server.url(NAMED, query=f"sslmode={mode}&gssencmode=prefer"), verifying)
    assert "name" in str(refused(tls_server.url(UNNAMED, query=f"sslmode={mode}"), verifying).remedy)


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("sslmode=require", {"mode": "disable"}),
        ("sslmode=verify-full", {"mode": "disable"}),
        ("sslmode=verify-ca", {"mode": "require"}),
        ("sslmode=verify-ca", {"accept_invalid_certs": True}),
        ("sslmode=verify-full", {"mode": "verify-ca", "ca_file": "authority"}),
        ("sslmode=verify-full", {"accept_invalid_hostnames": True, "ca_file": "authority"}),
        ("sslrootcert=AUTHORITY", {"mode": "require"}),
        ("sslrootcert=AUTHORITY", {"accept_invalid_certs": True}),
        ("sslrootcert=system", {"mode": "require"}),
    ],
    ids=str,
)
def test_a_url_that_asks_for_more_than_the_block_is_refused(
    tls_server: TlsServer, query: str, keys: dict[str, Any]
) -> None:
    query = query.replace("AUTHORITY", quote(str(tls_server.authority), safe=""))
    error = refused(tls_server.url(query=query), block(tls_server, keys))
    assert error.code == "RIVET_CONFIG_VALUE_INVALID"
    assert query.partition("=")[0] in str(error)
    assert tls_server.password not in str(error)


def test_authorities_of_the_url_are_those_of_a_block_that_names_none(tls_server: TlsServer) -> None:
    trusted, other = (quote(str(path), safe="") for path in (tls_server.authority, tls_server.stranger))
    assert is_encrypted(tls_server.url(query=f"sslrootcert={trusted}"), TlsOptions(mode="verify-full"))
    refused(tls_server.url(query=f"sslrootcert={other}"), TlsOptions(mode="verify-full"))
    named = TlsOptions(mode="verify-full", ca_file=tls_server.authority)
    assert is_encrypted(tls_server.url(query=f"sslrootcert={other}"), named)


@pytest.mark.parametrize("keys", [{"mode": "require"}, {"accept_invalid_certs": True}], ids=str)
@pytest.mark.parametrize("place", ["a variable", "a file at home"])
def test_who_verifies_nothing_does_so_on_every_machine(
    tls_server: TlsServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, place: str, keys: dict[str, Any]
) -> None:
    if place == "a variable":
        monkeypatch.setenv("PGSSLROOTCERT", str(tls_server.stranger))
    else:
        (tmp_path / ".postgresql").mkdir()
        (tmp_path / ".postgresql" / "root.crt").write_bytes(tls_server.stranger.read_bytes())
    assert is_encrypted(tls_server.url(), TlsOptions(**keys))


@pytest.mark.parametrize("mode", ["require", "verify-ca", "verify-full"])
@pytest.mark.parametrize("content", [None, "no certificate"], ids=["absent", "not PEM"])
def test_a_file_of_authorities_that_cannot_be_read_is_named_by_its_key(
    tls_server: TlsServer, tmp_path: Path, mode: str, content: str | None
) -> None:
    path = tmp_path / "authorities.pem"
    if content is not None:
        path.write_text(content)
    error = refused(tls_server.url(), TlsOptions(mode=mode, ca_file=path))
    assert error.code == "RIVET_CONFIG_VALUE_INVALID"
    assert error.place is not None
    assert error.place.path == "source.tls.ca_file"
    # A password put into the wrong key must not be repeated.
    assert str(path) not in str(error)


# -- what the server and the library say no to, and what mends it ---------------------------------------------------


def test_a_server_that_takes_no_plaintext_says_so(tls_server: TlsServer) -> None:
    url = tls_server.url(user=ENCRYPTED)
    error = refused(url, TlsOptions(mode="disable"))
    assert error.code == "RIVET_SOURCE_CREDENTIALS_INVALID"
    assert "tls.mode" in str(error.remedy)
    assert is_encrypted(url, TlsOptions(mode="require"))


def test_a_server_that_wants_a_certificate_of_the_client_gets_that_of_the_url(tls_server: TlsServer) -> None:
    verifying = TlsOptions(mode="verify-full", ca_file=tls_server.authority)
    assert is_encrypted(tls_server.url(user=CERTIFIED, query=client(tls_server, "client")), verifying)


@pytest.mark.parametrize("shown", [None, "stranger"])
def test_a_client_that_the_server_does_not_trust_is_told_what_to_show(tls_server: TlsServer, shown: str | None) -> None:
    query = "" if shown is None else client(tls_server, shown)
    error = refused(tls_server.url(user=CERTIFIED, query=query), TlsOptions(mode="require"))
    assert error.code == "RIVET_SOURCE_CREDENTIALS_INVALID"
    assert "sslcert" in str(error.remedy)


def client(server: TlsServer, name: str) -> str:
    """The part of a URL that shows a certificate."""
    made = server.certificates
    return f"sslcert={quote(str(made.pem(name)), safe='')}&sslkey={quote(str(made.key(name)), safe='')}"


@pytest.mark.parametrize(
    "query",
    [
        "sslmode=perhaps",
        "sslnegotiation=direct&sslmode=disable",
        "sslnegotiation=perhaps",
        "gssencmode=perhaps",
        "ssl_min_protocol_version=SSLv9",
        "ssl_max_protocol_version=TLSv1.1",
        "sslmode=require&sslcert=SERVER&sslkey=/nowhere",
        "sslmode=require&sslcert=SERVER&sslkey=OTHER",
    ],
)
def test_parameters_of_tls_that_cannot_work_are_not_tried_again(tls_server: TlsServer, query: str) -> None:
    made = tls_server.certificates
    query = query.replace("SERVER", str(made.pem("server"))).replace("OTHER", str(made.key("client")))
    error = refused(tls_server.url(query=query))
    assert error.code == "RIVET_SOURCE_CONNECT_FAILED"
    assert "URL" in str(error.remedy)


def test_versions_that_server_and_client_do_not_share_are_not_tried_again(tls_server: TlsServer) -> None:
    with tls_server.changed(ssl_min_protocol_version="TLSv1.3"):
        error = refused(tls_server.url(query="ssl_max_protocol_version=TLSv1.2"), TlsOptions(mode="require"))
        assert error.code == "RIVET_SOURCE_CONNECT_FAILED"
        assert "version" in str(error.remedy)


# -- the command ----------------------------------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(folder=tmp_path)


def test_a_run_reads_over_an_encrypted_connection(tls_server: TlsServer, place: Place) -> None:
    tls = {"mode": "verify-full", "ca_file": str(tls_server.authority)}
    shown = export("seen", {"query": SEEN}, format="csv")
    place.configure({"url": tls_server.url(), "tls": tls}, [shown])
    assert place.run().code == 0
    (part,) = place.prefix("seen").rglob("*.csv")
    assert list(csv.DictReader(part.read_text().splitlines())) == [{"encrypted": "true"}]


def test_a_check_that_is_refused_says_what_to_do_and_no_password(tls_server: TlsServer, place: Place) -> None:
    tls = {"mode": "verify-full", "ca_file": str(tls_server.stranger)}
    place.configure({"url": tls_server.url(), "tls": tls}, [export("seen", {"query": SEEN})])
    told = place.rivet("check", "-c", "rivet.yaml", "--json")
    assert told.code == 1
    said = json.loads(told.out)
    assert "RIVET_SOURCE_CONNECT_FAILED" in json.dumps(said)
    assert "tls.ca_file" in told.out + told.err
    assert tls_server.password not in told.out + told.err
