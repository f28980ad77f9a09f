"""Why a connection is refused for how it is asked for, above all for TLS; no other attempt changes that.

The driver's library has texts for it and no SQLSTATE, so each text stands for a state and for what to do next.
"""

from __future__ import annotations

import re
from typing import Final

_PARAMETER: Final = (
    "Correct that parameter where it is set: in the URL, in a variable whose name starts with PG, or in a service file."
)
_VERSIONS: Final = (
    "Let server and client share a version of TLS and a cipher; ssl_min_protocol_version and ssl_max_protocol_version"
    " in the URL narrow the client's."
)
_PLAINTEXT: Final = (
    "The server may take this user only encrypted: give tls.mode another value than disable. Else check user, database"
    " and the server's pg_hba.conf."
)
#: The state, the text, and what to do next. The first that fits counts.
_REFUSALS: Final = tuple(
    (state, re.compile(text, re.IGNORECASE), remedy)
    for state, text, remedy in (
        ("08004", r"server does not support SSL",
         "Let the server offer TLS (ssl = on), or write tls: {mode: disable} to send everything in plaintext."),
        ("08004", r"certificate verify failed",
         "Name who signed the server's certificate with tls.ca_file, and check that it has not expired."),
        ("08004", r"does not match host name",
         "Connect by a name that the certificate has; tls: {mode: verify-ca} with ca_file trusts any name."),
        ("08004", r"root certificate",
         "Name a readable PEM file with tls.ca_file, or with sslrootcert in the URL."),
        ("28000", r"valid client certificate|alert (certificate required|unknown ca|bad certificate)",
         "Name a certificate that the server trusts, and its key, with sslcert and sslkey in the URL."),
        ("08004", r"certificate file|private key|private SSL key",
         "Check the files that sslcert and sslkey name in the URL; nobody else may read the key."),
        ("08004", r"alert (protocol version|handshake failure)|unsupported protocol|no protocols available", _VERSIONS),
        ("08004", r"wrong version number|no shared cipher|server certificate", _VERSIONS),
        # Without a block both ways are tried, and then encryption is not what is missing.
        ("28000", r"(?s)^(?!.*SSL encryption).*pg_hba\.conf.*no encryption", _PLAINTEXT),
        ("28000", r"no pg_hba\.conf entry|pg_hba\.conf rejects",
         "Check user, database and the server's pg_hba.conf."),
        ("08004", r"invalid \S+ value: |invalid (integer value|port number|SSL protocol version range)", _PARAMETER),
        ("08004", r"invalid value \S+ for (min|max)imum SSL|weak sslmode|could not match \d+", _PARAMETER),
        ("08004", r"service file|definition of service", _PARAMETER),
    )
)  # fmt: skip


def refusal(said: str) -> tuple[str, str] | None:
    """Return the state that a failure to connect stands for, and what to do next; None when it may pass by itself."""
    if "failed to connect" not in said.lower():
        return None
    return next(((state, remedy) for state, pattern, remedy in _REFUSALS if pattern.search(said)), None)
