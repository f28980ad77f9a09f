"""Finds the servers that the tests start, and the programs that they use; as root on Debian, installs what is missing.

Run before the tests; it needs only the standard library. Without the right to install it says what to do: then the
tests that need it are skipped and counted, or, with CI set, this fails. Some tests start a server of their own also
where a URL names another one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable

from pgbouncer_binary import find_pgbouncer
from postgres_binaries import OLDEST, find_binaries

#: What it is, the package, how to look for it.
NEEDED: tuple[tuple[str, str, Callable[[], object]], ...] = (
    (f"PostgreSQL {OLDEST} or newer", "postgresql", find_binaries),
    ("PgBouncer", "pgbouncer", find_pgbouncer),
    # It makes the certificates of the server with TLS.
    ("OpenSSL", "openssl", lambda: shutil.which("openssl")),
    # It watches from outside that what was put is synced.
    ("strace", "strace", lambda: shutil.which("strace")),
)


def may_install() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def install(package: str) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update"], ["install", "--yes", "--no-install-recommends", package]):
        print("+ apt-get", *arguments, flush=True)
        subprocess.run(["apt-get", *arguments], env=environment, stdin=subprocess.DEVNULL, check=True)


def ensure(name: str, package: str, find: Callable[[], object]) -> bool:
    """Whether it can be used; says on standard output what was found or done."""
    if found := find():
        print(f"{name}: found in {found}")
    elif may_install():
        print(f"{name}: not found, installing the Debian package {package!r} (running as root)")
        install(package)
        found = find()
        print(f"{name}: now in {found}" if found else f"{name}: the package {package!r} brought none")
        return found is not None
    else:
        print(f"{name}: not found; install the package {package!r} (that takes root and apt-get, so it was not done)")
        return False
    return True


def main() -> int:
    usable = [ensure(*one) for one in NEEDED]
    return 1 if os.environ.get("CI") and not all(usable) else 0


if __name__ == "__main__":
    sys.exit(main())
