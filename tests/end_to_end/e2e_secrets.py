"""Logins with passwords of every printable character, and a search for them in everything that a command leaves."""

from __future__ import annotations

import secrets
import string
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit

import attrs
from e2e_command import Ended
from e2e_every_type import literal
from postgres_server import PostgresDatabase

#: What a URL, a connection string, a shell, YAML or a template of ours could mistake.
SPECIAL = string.punctuation + " " + "äß€"


@attrs.frozen(kw_only=True)
class Login:
    """A user of one database who may read what everybody may, and its password."""

    database: PostgresDatabase
    user: str
    password: str

    @property
    def host(self) -> str:
        return str(urlsplit(self.database.url).hostname)

    @property
    def port(self) -> int:
        return int(urlsplit(self.database.url).port or 5432)

    def url(self, password: str | None = None, **parts: str) -> str:
        """A URL, its password percent-encoded unless it is given."""
        word = quote(self.password, safe="") if password is None else password
        name = parts.get("name", self.database.name)
        return f"postgresql://{self.user}:{word}@{self.host}:{self.port}/{name}"

    def parts(self) -> dict[str, object]:
        """The structured keys, without a password."""
        return {"host": self.host, "port": self.port, "user": self.user, "database": self.database.name}


@contextmanager
def login(database: PostgresDatabase, password: str) -> Iterator[Login]:
    """A user who is gone with the block."""
    user = f"reader_{secrets.token_hex(4)}"
    database.run_sql(f"CREATE ROLE {user} LOGIN PASSWORD {literal(password)}")
    try:
        yield Login(database=database, user=user, password=password)
    finally:
        database.run_sql(f"DROP OWNED BY {user}; DROP ROLE {user}")


def traces(password: str, folder: Path, *ended: Ended) -> list[str]:
    """Where a password, or a longer piece of it, stands in what commands printed and wrote.

    :param folder: everything in it is searched, but for what a person wrote: configurations and files of secrets.
    """
    forms = {password, quote(password), quote(password, safe="")}
    # Whoever cuts at a character leaves the piece before or behind it.
    pieces = {piece for form in forms for piece in (form, form[:8], form[-8:])}
    found = []
    for number, done in enumerate(ended):
        found += [f"output {number}: {piece}" for piece in pieces if piece in done.out or piece in done.err]
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix not in {".yaml", ".secret"}:
            data = path.read_bytes()
            found += [f"{path.name}: {piece}" for piece in pieces if piece.encode() in data]
    return found
