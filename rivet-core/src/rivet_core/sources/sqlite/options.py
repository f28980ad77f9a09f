"""The options of the source ``sqlite``."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

import attrs

from rivet_core.errors import UsageError
from rivet_core.types import Secret


@attrs.frozen(kw_only=True)
class SqliteOptions:
    """Which file to read; exactly one of the two.

    :param path: the database file.
    :param url: ``sqlite:///relative/to/the/working/folder.db`` or ``sqlite:////absolute.db``.
    """

    path: Path | None = None
    url: Secret | None = None

    def __attrs_post_init__(self) -> None:
        if (self.path is None) == (self.url is None):
            msg = "a source of the type sqlite needs either path or url"
            raise UsageError(msg, code="RIVET_CONFIG_VALUE_INVALID", remedy="Give the database file as path.")
        self.file()

    def file(self) -> Path:
        """Return the database file, as it was given.

        :raises UsageError: for a URL that names no local file.
        """
        if self.path is not None:
            return self.path
        parts = urlsplit(self.url.reveal() if self.url else "")
        if parts.scheme != "sqlite" or parts.netloc or parts.query or parts.fragment or len(parts.path) < 2:
            msg = "the URL does not name an SQLite file"
            remedy = "Write sqlite:///folder/file.db, or sqlite:////folder/file.db for an absolute path."
            raise UsageError(msg, code="RIVET_CONFIG_SOURCE_URL_INVALID", remedy=remedy)
        return Path(unquote(parts.path[1:]))
