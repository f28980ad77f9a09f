"""The URI that the driver gets: everything percent-encoded, the session's settings added, TLS decided."""

from __future__ import annotations

import os
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from rivet_core.errors import Place, UsageError
from rivet_core.types import Secret

if TYPE_CHECKING:
    from rivet_source_postgres.endpoint import Endpoint
    from rivet_source_postgres.options import PostgresOptions, TlsOptions

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
    "default_transaction_read_only": "on",
}
CONNECT_TIMEOUT_S: Final = 15
_ENCRYPTED: Final = frozenset({"require", "verify-ca", "verify-full"})


def settings(options: PostgresOptions) -> dict[str, str]:
    """Return the server settings of every session."""
    return {
        **SETTINGS,
        "statement_timeout": str(options.statement_timeout_s * 1000),
        "lock_timeout": str(options.lock_timeout_s * 1000),
    }


def build_uri(endpoint: Endpoint, options: PostgresOptions, *, with_settings: bool = True) -> Secret:
    """Return the driver's URI.

    :param with_settings: send the settings while connecting; a transaction pooler refuses that.
    :raises RivetError: when TLS would be needed and is not asked for.
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


def tls_parameters(endpoint: Endpoint, tls: TlsOptions | None) -> dict[str, str]:
    """Return the driver's parameters for TLS.

    Without a block only this machine may be reached in plaintext.
    """
    if tls is None:
        remote = [name for name in _addresses(endpoint) if not is_local(name)]
        if remote and (endpoint.parameter("sslmode") or os.environ.get("PGSSLMODE")) not in _ENCRYPTED:
            msg = f"the host {remote[0]} is not this machine, and nothing says whether the connection is encrypted"
            raise UsageError(
                msg,
                code="RIVET_CONFIG_VALUE_INVALID",
                place=Place(path="source.tls"),
                remedy="Add tls: {mode: verify-full}, or tls: {mode: disable} to send everything in plaintext.",
            )
        return {}
    mode = tls.mode or "verify-full"
    if mode in {"disable", "require"}:
        return {"sslmode": mode, "gssencmode": "disable"}
    if tls.accept_invalid_certs:
        return {"sslmode": "require", "gssencmode": "disable"}
    if tls.ca_file is not None and not (tls.ca_file.is_file() and os.access(tls.ca_file, os.R_OK)):
        msg = f"the file {tls.ca_file} cannot be read"
        raise UsageError(
            msg,
            code="RIVET_CONFIG_VALUE_INVALID",
            place=Place(path="source.tls.ca_file"),
            remedy="Name a readable PEM file.",
        )
    authorities = str(tls.ca_file) if tls.ca_file is not None else endpoint.parameter("sslrootcert") or "system"
    mode = "verify-ca" if tls.accept_invalid_hostnames else mode
    if mode == "verify-ca" and authorities == "system":
        # The driver's library refuses this pair: anybody can get a certificate from a public authority.
        msg = "a certificate's host name can only be ignored when the authority is named"
        raise UsageError(
            msg,
            code="RIVET_CONFIG_VALUE_INVALID",
            place=Place(path="source.tls"),
            remedy="Add ca_file, or use mode: verify-full.",
        )
    return {"sslmode": mode, "sslrootcert": authorities, "gssencmode": "disable"}


def is_local(host: str) -> bool:
    """Return whether a host is this machine: a loopback address or a socket's folder."""
    if host in {"", "localhost"} or host.startswith(("/", "@")):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _addresses(endpoint: Endpoint) -> list[str]:
    """Return every host that the driver's library may connect to, its variables counted."""
    if endpoint.parameter("service") or os.environ.get("PGSERVICE"):
        return ["of the service file"]
    found = [name or os.environ.get("PGHOST", "") for name, _ in endpoint.hosts]
    numeric = endpoint.parameter("hostaddr") or os.environ.get("PGHOSTADDR")
    return (numeric.split(",") if numeric else []) + [host for name in found for host in name.split(",")]


def _option(value: str) -> str:
    """Return a setting's value inside ``options``, where a backslash keeps a blank."""
    return value.replace("\\", "\\\\").replace(" ", "\\ ")


def _encoded(text: str) -> str:
    return quote(text, safe="")
