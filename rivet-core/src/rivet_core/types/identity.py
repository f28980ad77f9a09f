"""Which server and database a source really is."""

from __future__ import annotations

import attrs


@attrs.frozen(kw_only=True)
class SourceIdentity:
    """The identity that state is keyed by, asked from the server and not from the URL.

    Two URLs that lead to one database have one identity; a restored copy on another server has another one.

    :param engine: the source's kind, such as ``postgres``.
    :param server: what the server says of itself, stable over restarts and free of credentials.
    :param database: the database, file or catalogue in it.
    """

    engine: str
    server: str
    database: str

    def __str__(self) -> str:
        return f"{self.engine}:{self.server}/{self.database}"
