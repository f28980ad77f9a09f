"""The options of a PostgreSQL source, as the configuration spells them; nothing is resolved or opened here."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import attrs

from rivet_core.errors import UsageError
from rivet_core.types import Secret

#: The server counts milliseconds in 32 bits.
LONGEST_S: Final = (2**31 - 1) // 1000
#: Seconds that a read waits for a lock, by profile; 0 is for ever.
LOCK_TIMEOUTS: Final = {"fast": 0, "balanced": 30, "safe": 10}


def _refused(message: str, remedy: str) -> UsageError:
    return UsageError(message, code="RIVET_CONFIG_VALUE_INVALID", remedy=remedy)


@attrs.frozen(kw_only=True)
class TlsOptions:
    """The ``tls`` block.

    :param mode: ``verify-full`` when the block says nothing.
    :param ca_file: PEM file of the authorities to trust instead of the system's.
    """

    mode: Literal["disable", "require", "verify-ca", "verify-full"] | None = None
    ca_file: Path | None = None
    accept_invalid_certs: bool = False
    accept_invalid_hostnames: bool = False

    def __attrs_post_init__(self) -> None:
        lenient = self.accept_invalid_certs or self.accept_invalid_hostnames
        if lenient and self.mode in {"verify-ca", "verify-full"}:
            msg = f"accept_invalid_certs and accept_invalid_hostnames contradict mode: {self.mode}"
            raise _refused(msg, "remove them, or remove mode")


@attrs.frozen(kw_only=True)
class TuningOptions:
    """What the source itself looks at of the ``tuning`` block; the rest is the engine's.

    :param lock_timeout_s: by profile when not given.
    """

    profile: Literal["fast", "balanced", "safe"] | None = None
    lock_timeout_s: int | None = None

    def __attrs_post_init__(self) -> None:
        if self.lock_timeout_s is None:
            return
        if self.lock_timeout_s < 0:
            msg = f"lock_timeout_s is {self.lock_timeout_s}, but cannot be negative"
            raise _refused(msg, "write lock_timeout_s: 0, or more")
        if self.lock_timeout_s > LONGEST_S:
            msg = f"lock_timeout_s is {self.lock_timeout_s}, but the server takes at most {LONGEST_S}"
            raise _refused(msg, f"write at most {LONGEST_S}, or 0 to wait for ever")


@attrs.frozen(kw_only=True)
class PostgresOptions:
    """A source of the type ``postgres``.

    :param url: ``postgresql://user:password@host:port/database?parameter=value``; exactly one of ``url``, ``url_env``
        and ``url_file``, or ``host``, ``user`` and ``database``.
    :param url_env: the variable that holds the URL.
    :param url_file: a file whose one line is the URL.
    :param password_env: the variable that holds the password.
    :param environment: chooses the default profile: ``local`` the fast one, else the balanced one.
    """

    url: Secret | None = None
    url_env: str | None = None
    url_file: Path | None = None
    host: str | None = None
    port: int | None = None
    user: str | None = None
    password: Secret | None = None
    password_env: str | None = None
    database: str | None = None
    environment: Literal["local", "replica", "production"] | None = None
    tls: TlsOptions | None = None
    tuning: TuningOptions = TuningOptions()

    def __attrs_post_init__(self) -> None:
        urls = [name for name in ("url", "url_env", "url_file") if getattr(self, name) is not None]
        names = ("host", "port", "user", "password", "password_env", "database")
        parts = [name for name in names if getattr(self, name) is not None]
        if len(urls) > 1 or (urls and parts):
            msg = f"{', '.join(urls + parts)} exclude each other"
            raise _refused(msg, "give one URL, or host, user and database")
        missing = [name for name in ("host", "user", "database") if getattr(self, name) is None]
        if not urls and missing:
            msg = f"{', '.join(missing)} missing: nothing says whom to connect to"
            raise _refused(msg, "give url, url_env or url_file, or host, user and database")
        if self.password is not None and self.password_env is not None:
            msg = "password and password_env exclude each other"
            raise _refused(msg, "remove one of the two")
        if self.host is not None and not self.host.startswith("/") and "@" in self.host[1:]:
            # It is not repeated: what stands before the @ may have a password.
            msg = "host holds an @, which no name of a host has"
            raise _refused(msg, "write the host alone, and what stands before the @ under user and password_env")
        if self.port is not None and not 0 < self.port < 2**16:
            msg = f"port is {self.port}, but must lie between 1 and 65535"
            raise _refused(msg, "write the port that the server listens on, such as 5432")

    @property
    def lock_timeout_s(self) -> int:
        """Seconds that a statement waits for a lock; 0 for ever."""
        if self.tuning.lock_timeout_s is not None:
            return self.tuning.lock_timeout_s
        return LOCK_TIMEOUTS[self.tuning.profile or ("fast" if self.environment == "local" else "balanced")]
