"""Where a source is and who asks: read from the options, from a URL that may hold a raw password, and from files.

A URL is taken apart here and not by the driver's library, whose complaints print parts of the password.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

import attrs

from rivet_core.errors import EnvironmentFailure, Place, UsageError
from rivet_core.types import Secret
from rivet_core.types.foreign_text import reads_like_a_variable, utf8
from rivet_core.types.text_file import TextUnreadable, read_text_file

if TYPE_CHECKING:
    from pathlib import Path

    from rivet_source_postgres.options import PostgresOptions

#: The URL parameters that are handed on; all others are refused by name.
PARAMETERS: Final = frozenset(
    [
        "application_name",
        "channel_binding",
        "client_encoding",
        "connect_timeout",
        "dbname",
        "fallback_application_name",
        "gssdelegation",
        "gssencmode",
        "gsslib",
        "host",
        "hostaddr",
        "keepalives",
        "keepalives_count",
        "keepalives_idle",
        "keepalives_interval",
        "krbsrvname",
        "load_balance_hosts",
        "max_protocol_version",
        "min_protocol_version",
        "options",
        "passfile",
        "password",
        "port",
        "require_auth",
        "requirepeer",
        "requiressl",
        "service",
        "sslcert",
        "sslcertmode",
        "sslcompression",
        "sslcrl",
        "sslcrldir",
        "sslkey",
        "sslmode",
        "sslnegotiation",
        "sslpassword",
        "sslrootcert",
        "sslsni",
        "ssl_max_protocol_version",
        "ssl_min_protocol_version",
        "target_session_attrs",
        "tcp_user_timeout",
        "user",
    ]
)
#: Bytes of a file that holds a URL.
_LONGEST: Final = 64 * 1024
_HOST = r"(?:\[[0-9A-Fa-f:.%]+\]|[\w.%~-]*)(?::\d*)?"
_PAIR = r"(?:" + "|".join(sorted(PARAMETERS)) + r")=[^&#]*"
#: What follows the user information. Strict, so that an @ of a raw password is not taken for its end.
_REST: Final = re.compile(
    rf"(?P<hosts>{_HOST}(?:,{_HOST})*)(?:/(?P<database>[^/?#@]*))?(?:\?(?P<query>{_PAIR}(?:&{_PAIR})*)?)?"
)
_SCHEME: Final = re.compile(r"(?i)postgres(?:ql)?://")
_ESCAPED: Final = re.compile(r"(?:[^%]|%[0-9A-Fa-f]{2})*")


@attrs.frozen(kw_only=True)
class Endpoint:
    """Hosts, user, database and the driver's other parameters, all decoded.

    :param hosts: pairs of name and port; a name that starts with ``/`` is a socket's folder.
    """

    hosts: tuple[tuple[str, str], ...]
    user: str | None
    password: Secret | None
    database: str | None
    parameters: tuple[tuple[str, str], ...] = ()

    def parameter(self, name: str) -> str | None:
        """Return the last value of a URL parameter."""
        return dict(self.parameters).get(name)


def resolve(options: PostgresOptions) -> Endpoint:
    """Return the endpoint that the options name, reading variables and files.

    :raises RivetError: ``RIVET_CONFIG_SECRET_UNSET``, or ``RIVET_CONFIG_SOURCE_URL_`` with ``INVALID`` or
        ``SCHEME_MISMATCH``.
    """
    if options.url is not None:
        return parse_url(options.url)
    if options.url_env is not None:
        return parse_url(_variable(options.url_env, "url_env"), key="url_env")
    if options.url_file is not None:
        return parse_url(_line(options.url_file), key="url_file")
    password = options.password
    if options.password_env is not None:
        password = _variable(options.password_env, "password_env")
    return Endpoint(
        hosts=((options.host or "", str(options.port or 5432)),),
        user=options.user,
        password=password,
        database=options.database,
    )


def parse_url(url: Secret, *, key: str = "url") -> Endpoint:
    """Return the endpoint of a URL; a password may be percent-encoded or raw.

    The user information ends at the first ``@`` behind which everything looks like hosts, a database and known
    parameters.

    :param key: the option that gave it, for errors.
    """
    text = url.reveal().strip()
    scheme = _SCHEME.match(text)
    if scheme is None:
        msg = "the URL does not start with postgresql://"
        raise _invalid(msg, key, code="RIVET_CONFIG_SOURCE_URL_SCHEME_MISMATCH")
    rest = text[scheme.end() :]
    at, match = -1, None
    while match is None and (at := rest.find("@", at + 1)) >= 0:
        match = _REST.fullmatch(rest, at + 1)
    if match is None:
        at, match = -1, _REST.fullmatch(rest)
    if match is None:
        msg = "the URL cannot be taken apart into user, hosts, database and known parameters"
        raise _invalid(msg, key)
    user, _, password = rest[: max(at, 0)].partition(":")
    parameters = [pair.partition("=") for pair in (match["query"] or "").split("&") if pair]
    decoded = {name: unquote(value) for name, _, value in parameters}
    word = _decoded(password) or decoded.pop("password", "")
    hosts = tuple(_host(part) for part in match["hosts"].split(","))
    if "host" in decoded or "port" in decoded:
        hosts = _listed(hosts, decoded.pop("host", None), decoded.pop("port", None), key)
    return Endpoint(
        hosts=hosts,
        user=_decoded(user) or decoded.pop("user", None),
        password=Secret(word) if word else None,
        database=unquote(match["database"] or "") or decoded.pop("dbname", None),
        parameters=tuple(decoded.items()),
    )


def _host(text: str) -> tuple[str, str]:
    name, port = text, ""
    if text.startswith("["):
        name, _, port = text[1:].partition("]")
        port = port.removeprefix(":")
    elif ":" in text:
        name, _, port = text.rpartition(":")
    return unquote(name), port


def _listed(
    hosts: tuple[tuple[str, str], ...], names: str | None, ports: str | None, key: str
) -> tuple[tuple[str, str], ...]:
    """Return the hosts with what ``host=`` and ``port=`` say instead, as the driver's library reads them."""
    listed = names.split(",") if names is not None else [name for name, _ in hosts]
    numbers = ports.split(",") if ports is not None else [port for _, port in hosts]
    if len(numbers) == 1:
        numbers *= len(listed)
    if len(numbers) != len(listed):
        msg = "the URL names another number of ports than of hosts"
        raise _invalid(msg, key)
    return tuple(zip(listed, numbers, strict=True))


def _decoded(text: str) -> str:
    """Return the text without percent-encoding; a text with a bare % is raw, and then all of it is."""
    return unquote(text) if _ESCAPED.fullmatch(text) else text


def _variable(name: str, key: str) -> Secret:
    value = os.environ.get(name)
    text = utf8(value) if value else None
    if text:
        return Secret(text)
    # What stands here may be the secret itself, put under the wrong key.
    named = reads_like_a_variable(name)
    called = f"the variable {name}" if named else f"the variable that {key} names"
    remedy = f"Set {name} in the environment of the command."
    if not named:
        remedy = f"{key} takes the name of a variable, such as DATABASE_{key.partition('_')[0].upper()}: set that one."
    raise EnvironmentFailure(
        f"{called} is no UTF-8 text" if value else f"{called} is not set",
        code="RIVET_CONFIG_SECRET_UNSET",
        place=Place(path=f"source.{key}"),
        remedy=remedy,
    )


def _line(path: Path) -> Secret:
    # The path is not repeated: a URL that was put here by mistake has a password.
    try:
        lines = read_text_file(path, limit=_LONGEST).split("\n")
    except TextUnreadable as error:
        msg = f"the file that url_file names cannot be read: {error.reason}"
        raise EnvironmentFailure(
            msg,
            code="RIVET_CONFIG_SECRET_UNSET",
            place=Place(path="source.url_file"),
            remedy="Make it a readable text file whose one line is the URL.",
        ) from None
    if any(line.strip() for line in lines[1:]):
        msg = "the file that url_file names holds more than one line"
        raise _invalid(msg, "url_file")
    return Secret(lines[0].strip())


def _invalid(what: str, key: str, *, code: str = "RIVET_CONFIG_SOURCE_URL_INVALID") -> UsageError:
    # In brackets, since the redactor takes user:password for somebody's.
    return UsageError(
        what,
        code=code,
        place=Place(path=f"source.{key}"),
        remedy="Write postgresql://<user>:<password>@<host>:5432/<database>,"
        " or give host, user, password_env and database.",
    )
