"""What the driver is told of TLS: the block weighed against the hosts, the URL and the driver's variables.

Nothing is encrypted or verified here; that is the work of the driver's library.
"""

from __future__ import annotations

import os
import ssl
from ipaddress import ip_address
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from rivet_core.errors import Place, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from rivet_source_postgres.endpoint import Endpoint
    from rivet_source_postgres.options import TlsOptions

#: How much a mode promises; those that are not here promise nothing.
_STRENGTHS: Final = {"require": 1, "verify-ca": 2, "verify-full": 3}
#: A file that cannot exist. Where the library finds authorities, be it at home, it verifies under ``require`` too.
_NOBODY: Final = f"{os.devnull}/none"


def tls_parameters(endpoint: Endpoint, tls: TlsOptions | None) -> dict[str, str]:
    """Return the driver's parameters for TLS; they go before everything that the URL and variables say.

    Without a block only this machine may be reached in plaintext.

    :raises RivetError: when TLS would be needed and is not asked for, or cannot be had as it is asked for.
    """
    if tls is None:
        return _without_block(endpoint)
    # In each mode encryption by Kerberos would take the place of TLS, so it is off.
    mode = _effective(tls)
    _refuse_contradictions(endpoint, mode)
    if mode == "disable":
        return {"sslmode": mode, "gssencmode": "disable"}
    _refuse_sockets(endpoint)
    if tls.ca_file is not None:
        _look_into(tls.ca_file)
    if mode == "require":
        return {"sslmode": mode, "sslrootcert": _NOBODY, "gssencmode": "disable"}
    authorities = str(tls.ca_file) if tls.ca_file is not None else endpoint.parameter("sslrootcert") or "system"
    if mode == "verify-ca" and authorities == "system":
        # The driver's library refuses this pair: anybody can get a certificate from a public authority.
        msg = "a certificate's host name can only be ignored when the authority is named"
        raise _invalid(msg, key="ca_file", remedy="Add ca_file, or use mode: verify-full.")
    return {"sslmode": mode, "sslrootcert": authorities, "gssencmode": "disable"}


def is_local(host: str) -> bool:
    """Return whether a host is this machine: a loopback address or a socket's folder."""
    if host == "localhost" or _is_socket(host):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _without_block(endpoint: Endpoint) -> dict[str, str]:
    remote = next((name for name in _addresses(endpoint) if not is_local(name)), None)
    if remote is None:
        return {}
    said = endpoint.parameter("sslmode") or os.environ.get("PGSSLMODE", "")
    if said not in _STRENGTHS:
        # User information that slipped into the place of a host may have a password.
        named = f"the host {remote}" if "@" not in remote else "a host whose name holds an @"
        msg = f"{named} is not this machine, and nothing says whether the connection is encrypted"
        raise UsageError(
            msg,
            code="RIVET_CONFIG_VALUE_INVALID",
            place=Place(path="source.tls"),
            remedy="Add tls: {mode: verify-full}, or tls: {mode: disable} to send everything in plaintext.",
        )
    # Said again: to the driver's library a service file goes before the variable.
    return {"sslmode": said}


def _effective(tls: TlsOptions) -> str:
    """Return the mode that the block comes to."""
    mode = tls.mode or "verify-full"
    if mode in {"disable", "require"}:
        return mode
    if tls.accept_invalid_certs:
        return "require"
    return "verify-ca" if tls.accept_invalid_hostnames else mode


def _refuse_contradictions(endpoint: Endpoint, mode: str) -> None:
    """Refuse a URL that asks for more than the block, rather than let either of them lose in silence."""
    asked = endpoint.parameter("sslmode") or ""
    if _STRENGTHS.get(asked, 0) > _STRENGTHS.get(mode, 0):
        msg = f"the URL asks for sslmode={asked}, and the tls block for no more than {mode}"
        remedy = f"Take sslmode out of the URL, or write tls: {{mode: {asked}}}."
        raise _invalid(msg, key="mode", remedy=remedy)
    if mode == "require" and endpoint.parameter("sslrootcert"):
        msg = "the URL names authorities with sslrootcert, and the tls block asks nobody for a certificate"
        remedy = "Take sslrootcert out of the URL, or write tls: {mode: verify-full}."
        raise _invalid(msg, key="mode", remedy=remedy)


def _refuse_sockets(endpoint: Endpoint) -> None:
    """Refuse a socket: the driver's library uses it in plaintext whatever ``sslmode`` says."""
    served = _service(endpoint)
    for name, number in zip_longest(_names(endpoint), _numbers(endpoint), fillvalue=""):
        # A nameless host is the one of the service file, where there is such a file.
        if not number and _is_socket(name) and (name or not served):
            msg = f"the socket {name or 'of the default folder'} cannot be encrypted, as the tls block wants it"
            remedy = "Name the host by its address, or leave tls out: a socket does not leave this machine."
            raise _invalid(msg, key="mode", remedy=remedy)


def _look_into(path: Path) -> None:
    """Refuse a file that holds no authority, before a connection fails for it."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=path)
    except ssl.SSLError:
        msg = "the file that ca_file names holds no certificate in PEM"
    except OSError as error:
        msg = f"the file that ca_file names cannot be read: {error.strerror or type(error).__name__}"
    else:
        return
    raise _invalid(msg, key="ca_file", remedy="Name a readable PEM file.")


def _is_socket(host: str) -> bool:
    return not host or host.startswith(("/", "@"))


def _service(endpoint: Endpoint) -> bool:
    return bool(endpoint.parameter("service") or os.environ.get("PGSERVICE"))


def _names(endpoint: Endpoint) -> list[str]:
    """Return the hosts by name, the variable's where the URL has none."""
    found = [name or os.environ.get("PGHOST", "") for name, _ in endpoint.hosts]
    return [host for name in found for host in name.split(",")]


def _numbers(endpoint: Endpoint) -> list[str]:
    """Return the addresses that stand for the hosts."""
    numeric = endpoint.parameter("hostaddr") or os.environ.get("PGHOSTADDR")
    return numeric.split(",") if numeric else []


def _addresses(endpoint: Endpoint) -> list[str]:
    """Return every host that the driver's library may connect to, its variables counted."""
    return ["of the service file"] if _service(endpoint) else _numbers(endpoint) + _names(endpoint)


def _invalid(what: str, *, key: str, remedy: str) -> UsageError:
    return UsageError(what, code="RIVET_CONFIG_VALUE_INVALID", place=Place(path=f"source.tls.{key}"), remedy=remedy)
