"""What a run meant for the server: how many statements, the longest of them, and how long a transaction stayed open.

While a statement or a transaction is open it holds back vacuum, and on a replica the replay of what the primary did.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
from bench_table import DATABASE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from postgres_server import PostgresServer

# Of the extended protocol only the execution counts as a statement.
_DURATION = re.compile(r"duration: ([0-9.]+) ms  (?:statement|execute [^:]*):")
_OPEN = f"""
SELECT max(extract(epoch FROM clock_timestamp() - xact_start)) FROM pg_stat_activity WHERE datname = '{DATABASE}'
\\watch 0.1
"""


@attrs.define(kw_only=True)
class Load:
    """What one run meant for the server; transactions are sampled, statements are not."""

    statements: int = 0
    longest_statement_seconds: float = 0.0
    longest_transaction_seconds: float = 0.0


class Watch:
    """Watches the server: its log tells of statements, and its list of sessions of transactions."""

    def __init__(self, server: PostgresServer) -> None:
        server.psql_text(f"ALTER DATABASE {DATABASE} SET log_min_duration_statement = 0")
        self._server = server
        self._log = Path(server.psql_text("SHOW data_directory")).parent / "postgres.log"

    @contextmanager
    def watching(self) -> Iterator[Load]:
        """Yield what is complete when the block has ended."""
        load = Load()
        begin = self._log.stat().st_size
        with self._samples() as samples:
            yield load
        load.longest_transaction_seconds = max(samples, default=0.0)
        with self._log.open("rb") as log:
            log.seek(begin)
            text = log.read().decode("utf-8", "replace")
        seconds = [float(number) / 1000 for number in _DURATION.findall(text)]
        load.statements, load.longest_statement_seconds = len(seconds), max(seconds, default=0.0)

    @contextmanager
    def _samples(self) -> Iterator[list[float]]:
        """Yield a list that is filled when the block has ended."""
        found: list[float] = []
        command = [self._server.psql, "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--file=-"]
        with tempfile.TemporaryFile("w+") as out:
            psql = subprocess.Popen([*command, f"--dbname={self._server.url}"], stdin=subprocess.PIPE, stdout=out)
            assert psql.stdin is not None
            psql.stdin.write(_OPEN.encode())
            psql.stdin.close()
            try:
                yield found
            finally:
                psql.terminate()
                psql.wait()
            out.seek(0)
            found += [float(line) for line in out if re.fullmatch(r"\d+(\.\d+)?\n", line)]
