"""What a run meant for the server: how many statements, the longest of them, and how long a transaction stayed open.

While a statement or a transaction is open it holds back vacuum, and on a replica the replay of what the primary did.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
from bench_machine import family_seconds
from bench_table import DATABASE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from postgres_server import PostgresServer

_GOODBYE_SECONDS = 0.3
# Of the extended protocol only the execution counts as a statement.
_DURATION = re.compile(r"duration: ([0-9.]+) ms  (?:statement|execute [^:]*):")
_OPEN = f"""
SELECT max(extract(epoch FROM clock_timestamp() - xact_start)) FROM pg_stat_activity WHERE datname = '{DATABASE}'
\\watch 0.1
"""


@attrs.define(kw_only=True)
class Load:
    """What one run meant for the server; transactions are sampled, the rest is not."""

    cpu_seconds: float = 0.0
    statements: int = 0
    longest_statement_seconds: float = 0.0
    longest_transaction_seconds: float = 0.0


class Watch:
    """Watches the server: its log tells of statements, and its list of sessions of transactions."""

    def __init__(self, server: PostgresServer) -> None:
        server.psql_text(f"ALTER DATABASE {DATABASE} SET log_min_duration_statement = 0")
        self._server = server
        data = Path(server.psql_text("SHOW data_directory"))
        self._log = data.parent / "postgres.log"
        self._pid = int((data / "postmaster.pid").read_text().split("\n", 1)[0])

    @contextmanager
    def watching(self) -> Iterator[Load]:
        """Yield what is complete when the block has ended."""
        load = Load()
        begin, worked = self._log.stat().st_size, family_seconds(self._pid)
        with self._samples() as samples:
            yield load
            # A session's process ends a little after its client.
            time.sleep(_GOODBYE_SECONDS)
            load.cpu_seconds = family_seconds(self._pid) - worked
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
