"""The URI that the driver gets: everything percent-encoded, the session's settings and TLS added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from rivet_core.types import Secret
from rivet_source_postgres.tls import tls_parameters

if TYPE_CHECKING:
    from rivet_source_postgres.endpoint import Endpoint
    from rivet_source_postgres.options import PostgresOptions

#: Without these the text of a value would depend on the server's, the role's or the database's defaults.
SETTINGS: Final = {
    "timezone": "UTC",
    "datestyle": "ISO, MDY",
    "intervalstyle": "iso_8601",
    "extra_float_digits": "3",
    "bytea_output": "hex",
    "xmloption": "content",
    "standard_conforming_strings": "on",
    "quote_all_identifiers": "off",
    "array_nulls": "on",
    # The driver's library prints what the server remarks to standard error, past every rule of ours for texts.
    "client_min_messages": "error",
    "default_transaction_read_only": "on",
}
CONNECT_TIMEOUT_S: Final = 15


def settings(options: PostgresOptions) -> dict[str, str]:
    """Return the server settings of every session.

    The server's own limit of a statement would end one that delivers a large relation in good time; the engine watches
    how long each batch takes instead.
    """
    return {
        **SETTINGS,
        "statement_timeout": "0",
        "lock_timeout": str(options.lock_timeout_s * 1000),
    }


def build_uri(endpoint: Endpoint, options: PostgresOptions, *, with_settings: bool = True) -> Secret:
    """Return the driver's URI.

    :param with_settings: send the settings while connecting; a transaction pooler refuses that.
    :raises RivetError: when TLS would be needed and is not asked for, or cannot be had as it is asked for.
    """
    parameters = {"application_name": "rivet", "connect_timeout": str(CONNECT_TIMEOUT_S)}
    parameters |= dict(endpoint.parameters)
    parameters |= tls_parameters(endpoint, options.tls)
    parameters["client_encoding"] = "utf8"
    own = " ".join(f"-c {name}={_option(value)}" for name, value in settings(options).items())
    if with_settings:
        # The user's own come first: of two values for one setting the server takes the last.
        parameters["options"] = " ".join(part for part in (parameters.get("options"), own) if part)
    else:
        parameters.pop("options", None)
    user = "" if endpoint.user is None else _encoded(endpoint.user)
    if endpoint.password is not None:
        user += ":" + _encoded(endpoint.password.reveal())
    names = ",".join(_encoded(name) for name, _ in endpoint.hosts)
    ports = ",".join(port for _, port in endpoint.hosts)
    if any(name for name, _ in endpoint.hosts):
        parameters["host"], parameters["port"] = names, ports
    elif ports:
        parameters["port"] = ports
    query = "&".join(
        f"{name}={value if name == 'host' else _encoded(value)}" for name, value in parameters.items() if value
    )
    return Secret(f"postgresql://{user + '@' if user else ''}/{_encoded(endpoint.database or '')}?{query}")


def opening_uri(uri: Secret) -> Secret:
    """Return the URI for the driver's own questions about the catalogue, which go by the search path.

    Another user's function or operator would else answer them with this user's rights. A pooler that takes no settings
    cannot be told.
    """
    base, _, query = uri.reveal().partition("?")
    parameters = [
        f"{part}{_encoded(' -c search_path=pg_catalog')}" if part.startswith("options=") else part
        for part in query.split("&")
    ]
    return Secret(f"{base}?{'&'.join(parameters)}")


def _option(value: str) -> str:
    """Return a setting's value inside ``options``, where a backslash keeps a blank."""
    return value.replace("\\", "\\\\").replace(" ", "\\ ")


def _encoded(text: str) -> str:
    return quote(text, safe="")
