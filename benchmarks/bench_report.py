"""The results of all runs, as a table and as JSON: medians, and ours in relation to each peer's."""

from __future__ import annotations

import os
import platform
import statistics
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_MIB = 1024 * 1024


@attrs.frozen(kw_only=True)
class Run:
    """One measured run of one program.

    :param others_cpu_seconds: what everything but the tool and the server worked meanwhile.
    """

    tool: str
    wall_seconds: float
    cpu_seconds: float
    peak_bytes: int
    longest_statement_seconds: float
    longest_transaction_seconds: float
    statements: int
    output_bytes: int
    rows: int
    server_cpu_seconds: float
    others_cpu_seconds: float


_COLUMNS: tuple[tuple[str, Callable[[Run], float], str], ...] = (
    ("wall s", lambda run: run.wall_seconds, ".2f"),
    ("CPU s", lambda run: run.cpu_seconds, ".2f"),
    ("server CPU s", lambda run: run.server_cpu_seconds, ".2f"),
    ("peak MiB", lambda run: run.peak_bytes / _MIB, ".0f"),
    ("longest statement s", lambda run: run.longest_statement_seconds, ".2f"),
    ("longest transaction s", lambda run: run.longest_transaction_seconds, ".2f"),
    ("statements", lambda run: run.statements, ".0f"),
    ("output MiB", lambda run: run.output_bytes / _MIB, ".1f"),
    ("rows/s", lambda run: run.rows / run.wall_seconds, ",.0f"),
)


def table(runs: Sequence[Run]) -> str:
    """Return a Markdown table: a line a tool, then a line a ratio of the first tool to another."""
    names = list(dict.fromkeys(run.tool for run in runs))
    medians = {name: _medians([run for run in runs if run.tool == name]) for name in names}
    lines = [["", *(title for title, _, _ in _COLUMNS)]]
    for name in names:
        cells = [format(medians[name][title], style) for title, _, style in _COLUMNS]
        walls = [run.wall_seconds for run in runs if run.tool == name]
        cells[0] += f" ({min(walls):.2f} to {max(walls):.2f})"
        lines.append([name, *cells])
    for name in names[1:]:
        ratios = [_ratio(medians[names[0]][title], medians[name][title]) for title, _, _ in _COLUMNS]
        lines.append([f"{names[0]} / {name}", *ratios])
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def as_json(runs: Sequence[Run], versions: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return everything that was measured."""
    return {
        "machine": machine(),
        "options": dict(options),
        "versions": dict(versions),
        "runs": [attrs.asdict(run) for run in runs],
        "medians": {
            name: _medians([run for run in runs if run.tool == name]) for name in dict.fromkeys(r.tool for r in runs)
        },
    }


def machine() -> dict[str, Any]:
    """Return what numbers of different machines must be told apart by."""
    return {"cores": os.cpu_count(), "system": platform.platform(), "python": platform.python_version()}


def _medians(runs: Sequence[Run]) -> dict[str, float]:
    return {title: statistics.median(value(run) for run in runs) for title, value, _ in _COLUMNS}


def _ratio(ours: float, theirs: float) -> str:
    return f"{ours / theirs:.2f}" if theirs else "-"
