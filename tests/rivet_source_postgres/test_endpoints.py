from __future__ import annotations

import string
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivet_core.errors import RivetError
from rivet_core.types import Secret, told
from rivet_source_postgres.endpoint import parse_url, resolve
from rivet_source_postgres.options import PostgresOptions, TlsOptions
from rivet_source_postgres.tls import is_local
from rivet_source_postgres.uri import build_uri

LOCAL = "localhost:5432/db"
printable = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=20)


def parsed(url: str) -> tuple[str | None, str | None, tuple[tuple[str, str], ...], str | None]:
    endpoint = parse_url(Secret(url))
    password = None if endpoint.password is None else endpoint.password.reveal()
    return endpoint.user, password, endpoint.hosts, endpoint.database


@given(user=printable, password=printable)
def test_encoded_user_information_comes_out_as_it_was(user: str, password: str) -> None:
    url = f"postgresql://{quote(user, safe='')}:{quote(password, safe='')}@{LOCAL}"
    assert parsed(url) == (user, password, (("localhost", "5432"),), "db")


@pytest.mark.parametrize(
    "password", ["p@ss", "a/b", "a:b", "a?b=c", "a#b", "100%", "a b", "'\"\\", "[x]", "é", "@", "a@b/c?d", "$&+,;="]
)
def test_a_raw_password_is_taken_as_it_is(password: str) -> None:
    assert parsed(f"postgres://user:{password}@{LOCAL}?application_name=x")[:2] == ("user", password)


@given(password=st.text(string.printable.strip(), min_size=1, max_size=30))
def test_any_raw_password_is_understood_or_refused_without_showing_it(password: str) -> None:
    try:
        said = repr(parse_url(Secret(f"postgresql://user:{password}@{LOCAL}")))
    except RivetError as error:
        said = str(error)
    # Three letters can stand in a message by chance.
    assert len(password) < 8 or password not in said


def test_an_at_in_a_parameter_does_not_end_the_user_information() -> None:
    user, password, hosts, _ = parsed("postgresql://u:p@h1:1,h2:2/d?application_name=a@b")
    assert (user, password, hosts) == ("u", "p", (("h1", "1"), ("h2", "2")))


def test_an_address_of_version_six_keeps_its_colons() -> None:
    assert parsed("postgresql://u@[::1]:5433/d")[2] == (("::1", "5433"),)


def test_a_sockets_folder_is_a_host() -> None:
    assert parsed("postgresql:///d?host=/run/postgresql")[2] == (("/run/postgresql", ""),)


@pytest.mark.parametrize("url", ["postgresql://u:geheim@h/d?sslmod=require", "postgresql://h/a/b"])
def test_what_is_no_url_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(RivetError) as caught:
        parse_url(Secret(url))
    assert caught.value.code == "RIVET_CONFIG_SOURCE_URL_INVALID"
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize("url", ["mysql://u:geheim@h/d", "host=h password=geheim"])
def test_a_url_of_another_kind_has_the_code_that_it_has_in_the_file(url: str) -> None:
    with pytest.raises(RivetError) as caught:
        parse_url(Secret(url), key="url_env")
    assert caught.value.code == "RIVET_CONFIG_SOURCE_URL_SCHEME_MISMATCH"
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize("url", ["mysql://u:geheim@h/d", "postgresql://h/a/b"])
def test_the_example_of_a_url_can_be_read_when_it_is_told(url: str) -> None:
    with pytest.raises(RivetError) as caught:
        parse_url(Secret(url))
    assert "postgresql://<user>:<password>@<host>:5432/<database>" in (told(caught.value).remedy or "")


def test_a_file_holds_one_line(tmp_path: Path) -> None:
    path = tmp_path / "url"
    path.write_text("postgresql://u:p@h/d\n")
    assert resolve(PostgresOptions(url_file=path)).user == "u"
    path.write_text("postgresql://u:p@h/d\nmore\n")
    with pytest.raises(RivetError):
        resolve(PostgresOptions(url_file=path))


def test_a_file_of_a_url_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "url"
    path.write_bytes(b"\xef\xbb\xbfpostgresql://u:p@h/d\r\n")
    assert resolve(PostgresOptions(url_file=path)).user == "u"


@pytest.mark.parametrize("path", ["/dev/zero", "/", "/nowhere/at/all"])
def test_what_is_no_file_of_a_url_is_refused_without_its_name(path: str) -> None:
    with pytest.raises(RivetError) as caught:
        resolve(PostgresOptions(url_file=Path(path)))
    assert caught.value.code == "RIVET_CONFIG_SECRET_UNSET"
    assert "nowhere" not in str(caught.value)


def test_variables_are_read_when_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    structured = PostgresOptions(host="h", user="u", database="d", password_env="RIVET_TEST_WORD")
    with pytest.raises(RivetError, match="RIVET_TEST_WORD"):
        resolve(structured)
    monkeypatch.setenv("RIVET_TEST_WORD", "p@:/ss")
    monkeypatch.setenv("RIVET_TEST_URL", "postgresql://u@h/d")
    password = resolve(structured).password
    assert password is not None
    assert password.reveal() == "p@:/ss"
    assert resolve(PostgresOptions(url_env="RIVET_TEST_URL")).database == "d"


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"host": "h", "user": "u"},
        {"url": Secret("postgresql://h/d"), "host": "h"},
        {"url": Secret("postgresql://h/d"), "url_env": "X"},
        {"host": "h", "user": "u", "database": "d", "password": Secret("geheim"), "password_env": "P"},
        {"host": "h", "user": "u", "database": "d", "port": 0},
    ],
)
def test_options_that_contradict_each_other_are_refused(keys: dict[str, object]) -> None:
    with pytest.raises(RivetError):
        PostgresOptions(**keys)  # type: ignore[arg-type]


def test_no_secret_is_in_the_options_repr() -> None:
    options = PostgresOptions(host="h", user="u", database="d", password=Secret("geheim"))
    assert "geheim" not in repr(options)
    assert "geheim" not in repr(PostgresOptions(url=Secret("postgresql://u:geheim@h/d")))


def test_user_information_in_the_place_of_a_host_is_refused_and_not_repeated() -> None:
    with pytest.raises(RivetError) as caught:
        PostgresOptions(host="admin:Zq9pwX7!@127.0.0.1", user="admin", database="a")
    assert "host holds an @" in caught.value.message
    assert "Zq9pwX7" not in f"{caught.value} {caught.value.remedy}"


@pytest.mark.parametrize("host", ["/run/a@b", "@abstract"])
def test_a_sockets_name_may_hold_an_at_sign(host: str) -> None:
    assert PostgresOptions(host=host, user="u", database="d").host == host


@pytest.mark.parametrize("parameter", ["host", "hostaddr"])
def test_user_information_in_a_parameter_of_the_url_is_not_repeated(parameter: str) -> None:
    with pytest.raises(RivetError) as caught:
        uri(f"postgresql://u@localhost/d?{parameter}=admin:Zq9pwX7!@127.0.0.1")
    assert "Zq9pwX7" not in f"{caught.value} {caught.value.remedy}"


# -- TLS ----------------------------------------------------------------------


def uri(url: str, tls: TlsOptions | None = None) -> str:
    options = PostgresOptions(url=Secret(url), tls=tls)
    return build_uri(resolve(options), options).reveal()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.8.8", "::1", "", "/run/postgresql"])
def test_this_machine_may_be_reached_in_plaintext(host: str) -> None:
    assert is_local(host)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://db.example/d",
        "postgresql://localhost,db.example/d",
        "postgresql://localhost/d?hostaddr=10.0.0.1",
        "postgresql://10.0.0.1/d?sslmode=prefer",
        "postgresql://localhost/d?service=x",
    ],
)
def test_another_machine_is_refused_without_a_word_on_tls(url: str) -> None:
    with pytest.raises(RivetError, match="tls"):
        uri(url)


def test_a_variable_can_lead_elsewhere_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGHOST", "db.example")
    with pytest.raises(RivetError, match=r"db\.example"):
        uri("postgresql:///d")


def test_plaintext_elsewhere_has_to_be_chosen() -> None:
    assert "sslmode=disable" in uri("postgresql://db.example/d", TlsOptions(mode="disable"))


def test_a_block_without_a_mode_verifies_in_full() -> None:
    assert "sslmode=verify-full&sslrootcert=system" in uri("postgresql://db.example/d?sslmode=disable", TlsOptions())


def test_a_file_of_authorities_that_is_not_there_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "absent.pem"
    with pytest.raises(RivetError, match=r"ca_file names cannot be read"):
        uri("postgresql://h/d", TlsOptions(ca_file=path))
    assert "sslmode=disable" in uri("postgresql://h/d", TlsOptions(mode="disable", ca_file=path))


def test_accepting_anything_contradicts_verifying() -> None:
    with pytest.raises(RivetError, match="contradict"):
        TlsOptions(mode="verify-full", accept_invalid_certs=True)


def test_what_a_users_url_sets_is_kept_and_ours_comes_last() -> None:
    made = uri("postgresql://localhost/d?application_name=mine&options=-c%20search_path%3Da%20-c%20timezone%3DCET")
    assert "application_name=mine" in made
    assert made.index("search_path") < made.index("timezone%3DCET") < made.index("timezone%3DUTC")
