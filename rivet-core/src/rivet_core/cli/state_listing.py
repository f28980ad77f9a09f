"""What ``rivet state show``, ``runs`` and ``files`` print; a state that is not there is empty, and is not made."""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rivet_core.cli.logs import configure_logs
from rivet_core.cli.printing import say, say_json, table
from rivet_core.engine.report_text import bytes_text
from rivet_core.errors import EnvironmentFailure, Place
from rivet_core.planning.position import position_text, stored_position
from rivet_core.state import StateDatabase, reads, state_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rivet_core.cli.invocation import Invocation


def show_exports(invocation: Invocation, config: str, export: str | None, *, as_json: bool) -> int:
    """Print each export's position and its unfinished run."""
    found: list[dict[str, Any]] = []
    with _state(invocation, config, export) as database:
        for row in [] if database is None else reads.exports(database):
            if export is not None and row.name != export:
                continue
            run = None if database is None else reads.unfinished_run(database, row.id)
            found.append(
                {
                    "export_name": row.name,
                    "source": row.source,
                    "generation": row.generation,
                    "position": None if row.position is None else json.loads(row.position),
                    "unfinished_run": None if run is None else run.id,
                    "unfinished_since": None if run is None else run.opened_at,
                    "pending_acknowledgement": row.pending_ack is not None,
                }
            )
    if as_json:
        say_json(found)
        return 0
    rows = [
        (one["export_name"], one["source"], _position(one["position"]), one["unfinished_run"] or "-") for one in found
    ]
    _print(("export", "source", "position", "unfinished run"), rows)
    return 0


def list_runs(
    invocation: Invocation, config: str, export: str | None, *, limit: int, running: bool, as_json: bool
) -> int:
    """Print the latest runs."""
    with _state(invocation, config, export) as database:
        rows = [] if database is None else reads.runs(database, export, limit, unfinished=running)
    found: list[dict[str, Any]] = [
        {
            "run_id": row.run_id,
            "export_name": row.export,
            "source": row.source,
            "status": row.status or "open",
            "opened_at": row.opened_at,
            "closed_at": row.closed_at,
            "outcome": None if row.metrics is None else json.loads(row.metrics),
        }
        for row in rows
    ]
    if as_json:
        say_json(found)
        return 0
    lines = []
    for one in found:
        outcome: Any = one["outcome"] or {}
        lines.append(
            (
                one["run_id"],
                one["status"],
                one["opened_at"][:19],
                f"{outcome['rows']:,}" if "rows" in outcome else "-",
                str(outcome.get("files", "-")),
                bytes_text(outcome["bytes"]) if "bytes" in outcome else "-",
                outcome.get("error_code") or "",
            )
        )
    _print(("run", "status", "opened (UTC)", "rows", "parts", "size", "error"), lines)
    return 0


def list_files(invocation: Invocation, config: str, export: str | None, *, limit: int, as_json: bool) -> int:
    """Print the latest recorded parts."""
    with _state(invocation, config, export) as database:
        rows = [] if database is None else reads.files(database, export, limit)
    if as_json:
        say_json(
            [
                {
                    "run_id": row.run_id,
                    "export_name": row.export,
                    "dataset": row.dataset,
                    "file_name": row.key,
                    "rows": row.rows,
                    "bytes": row.size,
                    "content_fingerprint": row.fingerprint,
                    "recorded_at": row.recorded_at,
                }
                for row in rows
            ]
        )
        return 0
    lines = [(row.export, row.key, f"{row.rows:,}", bytes_text(row.size), row.recorded_at[:19]) for row in rows]
    _print(("export", "part", "rows", "size", "recorded (UTC)"), lines)
    return 0


@contextmanager
def _state(invocation: Invocation, config: str, export: str | None) -> Iterator[StateDatabase | None]:
    """Open the state beside a configuration, or None where there is none yet.

    The configuration itself is read only to tell a new export from a misspelt one, so that state can be looked at
    without any secret that the configuration names.
    """
    configure_logs(invocation)
    if not Path(config).is_file():
        msg = "the configuration file cannot be read: there is no such file"
        raise EnvironmentFailure(
            msg,
            code="RIVET_CONFIG_FILE_UNREADABLE",
            place=Place(file=config),
            remedy="check the name and its rights",
        )
    path = state_path(Path(config), invocation.environ)
    if not path.exists():
        _check_name(invocation, config, export)
        yield None
        return
    with StateDatabase(path) as database:
        if export is not None and all(row.name != export for row in reads.exports(database)):
            _check_name(invocation, config, export)
        yield database


def _check_name(invocation: Invocation, config: str, export: str | None) -> None:
    """Refuse an export that is neither in the state nor configured."""
    if export is not None:
        from rivet_core.cli.loading import load_exports

        load_exports(invocation, config, exports=(export,))


def _position(value: dict[str, Any] | None) -> str:
    position = stored_position(None if value is None else json.dumps(value))
    return "-" if position is None else position_text(position)


def _print(headings: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    say(*(table(headings, rows) if rows else ("nothing is recorded",)))
