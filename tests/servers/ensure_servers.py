"""Finds the servers that the tests start and, as root on Debian, installs those that are missing.

Run before the tests; it needs only the standard library. Without the right to install it says what to do: then the
tests that need the server are skipped and counted, or, with CI set, this fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable

from pgbouncer_binary import find_pgbouncer
from postgres_binaries import OLDEST, find_binaries

#: Engine, the URL that points to a server elsewhere, the package, how to look for it.
ENGINES: tuple[tuple[str, str | None, str, Callable[[], object]], ...] = (
    (f"PostgreSQL {OLDEST} or newer", "RIVET_TEST_POSTGRES_URL", "postgresql", find_binaries),
    # The tests configure their own pooler, so none elsewhere can serve.
    ("PgBouncer", None, "pgbouncer", find_pgbouncer),
    # It makes the certificates of the server with TLS.
    ("OpenSSL", None, "openssl", lambda: shutil.which("openssl")),
)


def may_install() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def install(package: str) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update"], ["install", "--yes", "--no-install-recommends", package]):
        print("+ apt-get", *arguments, flush=True)
        subprocess.run(["apt-get", *arguments], env=environment, stdin=subprocess.DEVNULL, check=True)


def ensure(engine: str, variable: str | None, package: str, find: Callable[[], object]) -> bool:
    """Whether the engine can be used; says on standard output what was found or done."""
    if variable is not None and os.environ.get(variable):
        print(f"{engine}: {variable} points to a server")
    elif found := find():
        print(f"{engine}: found in {found}")
    elif may_install():
        print(f"{engine}: not found, installing the Debian package {package!r} (running as root)")
        install(package)
        found = find()
        print(f"{engine}: now in {found}" if found else f"{engine}: the package {package!r} brought none")
        return found is not None
    else:
        print(
            f"{engine}: not found, and not installed because that takes root and apt-get. Install the package"
            f" {package!r}"
            + (f", or set {variable} to a server on which databases may be created." if variable else ".")
        )
        return False
    return True


def main() -> int:
    usable = [ensure(*engine) for engine in ENGINES]
    return 1 if os.environ.get("CI") and not all(usable) else 0


if __name__ == "__main__":
    sys.exit(main())
