"""PostgreSQL with TLS for the tests: a server of its own, and certificates that are made when it starts.

`RIVET_TEST_POSTGRES_URL` does not replace it: what its certificates say is the matter here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import attrs
import pytest
from missing_servers import missing
from postgres_binaries import find_binaries
from postgres_server import PostgresServer, running

#: The roles that the rules below are about; they share the password of the server's own user.
ENCRYPTED, CERTIFIED = "encrypted", "certified"
RULES = f"""
hostnossl all {ENCRYPTED} all reject
hostssl all {CERTIFIED} all scram-sha-256 clientcert=verify-ca
"""
CONFIGURATION = """
[req]
distinguished_name = subject
x509_extensions = authority
[subject]
[authority]
basicConstraints = critical, CA:TRUE
[ca]
default_ca = signing
[signing]
database = index
new_certs_dir = .
rand_serial = yes
default_md = sha256
unique_subject = no
copy_extensions = copy
policy = any
[any]
commonName = supplied
"""
RELOAD_SECONDS = 10


@attrs.frozen(kw_only=True)
class Certificates:
    """A folder with an authority, a stranger, and what the authority signed: `<name>.pem` and `<name>.key`."""

    openssl: str
    folder: Path

    def pem(self, name: str) -> Path:
        return self.folder / f"{name}.pem"

    def key(self, name: str) -> Path:
        return self.folder / f"{name}.key"

    def make_authority(self, name: str) -> None:
        self._request(name, "-x509", "-days", "3", "-out", f"{name}.pem")

    def sign(self, name: str, *, host: str, days: int = 3) -> None:
        """Makes a certificate for one host; with negative days it ended then."""
        now = datetime.now(UTC)
        starts, ends = (f"{moment:%Y%m%d%H%M%SZ}" for moment in (now - timedelta(days=365), now + timedelta(days=days)))
        self._request(name, "-addext", f"subjectAltName=DNS:{host}", "-out", f"{name}.csr", subject=host)
        signing = ["-cert", "authority.pem", "-keyfile", "authority.key", "-startdate", starts, "-enddate", ends]
        self._run("ca", "-batch", "-notext", *signing, "-in", f"{name}.csr", "-out", f"{name}.pem")

    def _request(self, name: str, *arguments: str, subject: str | None = None) -> None:
        # Of the kinds of keys this one is made fastest.
        kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key"]
        self._run("req", *kind, "-subj", f"/CN={subject or name}", *arguments)

    def _run(self, command: str, *arguments: str) -> None:
        line = [self.openssl, command, "-config", "openssl.cnf", *arguments]
        done = subprocess.run(line, cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"openssl {command}: {done.stderr}"


@attrs.frozen(kw_only=True)
class TlsServer:
    """A server whose certificate is for `localhost` alone, signed by `authority`; nobody trusts `stranger`."""

    server: PostgresServer
    certificates: Certificates
    data: Path

    @property
    def authority(self) -> Path:
        return self.certificates.pem("authority")

    @property
    def stranger(self) -> Path:
        return self.certificates.pem("stranger")

    @property
    def socket_folder(self) -> Path:
        return self.data.parent

    @property
    def password(self) -> str:
        return str(urlsplit(self.server.url).password)

    def url(self, host: str = "localhost", *, user: str = "rivet", query: str = "") -> str:
        """A URL to the server, by a name that its certificate has (`localhost`) or has not (`127.0.0.1`)."""
        port = urlsplit(self.server.url).port
        return f"postgresql://{user}:{self.password}@{host}:{port}/postgres" + (f"?{query}" if query else "")

    @contextmanager
    def changed(self, **settings: str) -> Iterator[None]:
        """Other settings for the connections of the block."""
        before = self._values(tuple(settings))
        self.set(settings)
        try:
            yield
        finally:
            self.set(before)

    def set(self, settings: dict[str, str]) -> None:
        statements = [f"ALTER SYSTEM SET {name} = '{value}'" for name, value in settings.items()]
        self.server.psql_text("; ".join([*statements, "SELECT pg_reload_conf()"]))
        until = time.monotonic() + RELOAD_SECONDS
        # A new session shows the values only after the server has read the certificates anew.
        while self._values(tuple(settings)) != settings:
            assert time.monotonic() < until, settings

    def _values(self, names: tuple[str, ...]) -> dict[str, str]:
        shown = self.server.psql_text("; ".join(f"SHOW {name}" for name in names))
        return dict(zip(names, shown.split("\n"), strict=True))


@pytest.fixture(scope="session")
def tls_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TlsServer]:
    binaries, openssl = find_binaries(), shutil.which("openssl")
    if binaries is None:
        missing("PostgreSQL", "install the package postgresql")
    if openssl is None:
        missing("OpenSSL", "install the package openssl")
    certificates = make_certificates(openssl, tmp_path_factory.mktemp("certificates"))
    with running(binaries) as server:
        made = TlsServer(server=server, certificates=certificates, data=Path(server.psql_text("SHOW data_directory")))
        server.psql_text(
            "; ".join(f"CREATE ROLE {role} LOGIN PASSWORD '{made.password}'" for role in (ENCRYPTED, CERTIFIED))
        )
        rules = made.data / "pg_hba.conf"
        rules.write_text(RULES + rules.read_text())
        for name in ("authority.pem", "server.pem", "server.key", "expired.pem", "expired.key"):
            give(certificates.folder / name, made.data)
        files = {"ssl_cert_file": "server.pem", "ssl_key_file": "server.key", "ssl_ca_file": "authority.pem"}
        made.set({**files, "ssl": "on"})
        yield made


def make_certificates(openssl: str, folder: Path) -> Certificates:
    (folder / "openssl.cnf").write_text(CONFIGURATION)
    (folder / "index").touch()
    made = Certificates(openssl=openssl, folder=folder)
    made.make_authority("authority")
    made.make_authority("stranger")
    made.sign("server", host="localhost")
    made.sign("expired", host="localhost", days=-1)
    made.sign("client", host="client")
    return made


def give(path: Path, data: Path) -> None:
    """Copies a file to where the server looks for it; it takes no key that others could read."""
    copy, owner = data / path.name, data.stat()
    shutil.copyfile(path, copy)
    copy.chmod(0o600)
    os.chown(copy, owner.st_uid, owner.st_gid)
