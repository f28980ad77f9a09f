"""Exports one large table with rivet and with its peers in turn, on this machine, and prints what each run cost.

It starts a PostgreSQL server of its own and ends it; nothing here judges a number.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import bench_measure
import bench_report
import bench_table
from bench_machine import busy_seconds, wait_until_idle
from bench_server import started
from bench_statements import Watch
from bench_tools import Tool, delivered, install_peer, our_program

if TYPE_CHECKING:
    from collections.abc import Sequence


CONSTRAINTS = Path(__file__).resolve().parents[1] / "constraints.txt"


def main() -> None:
    """Build, run, print; a program that fails ends this with its output."""
    options = parsed()
    folder = Path(tempfile.mkdtemp(prefix="rivet-bench-"))
    try:
        tools = chosen(options, folder)
        versions = {tool.name: tool.version() for tool in tools}
        with started() as server:
            say(f"building {options.rows:,} rows")
            url = bench_table.build(server, options.rows)
            runs = measured(tools, Watch(server), url, options, folder)
    finally:
        if options.keep:
            say(f"kept: {folder}")
        else:
            shutil.rmtree(folder)
    if options.json:
        named = {name: value for name, value in vars(options).items() if not isinstance(value, Path)}
        print(json.dumps(bench_report.as_json(runs, versions, named), indent=2))
    else:
        print(bench_report.table(runs))


def parsed() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--repeat", type=int, default=3, help="measured runs of each tool, after one to warm up")
    parser.add_argument("--tools", default="rivet,rivet-cli", help="names, the first is compared with the others")
    parser.add_argument("--format", choices=("parquet", "csv"), default="parquet")
    parser.add_argument("--rivet", type=Path, default=our_program(), help="our command")
    parser.add_argument("--rivet-cli", type=Path, default=os.environ.get("RIVET_CLI"), help="the Rust tool's command")
    parser.add_argument("--install-peers", action="store_true", help="install the Rust tool for this time, with pip")
    parser.add_argument("--patience", type=float, default=30.0, help="seconds to wait before each run for quiet")
    parser.add_argument("--json", action="store_true", help="print every run as JSON instead of a table of medians")
    parser.add_argument("--keep", action="store_true", help="keep what the last runs wrote")
    return parser.parse_args()


def chosen(options: argparse.Namespace, folder: Path) -> list[Tool]:
    """Return the named tools, the peer installed if that was asked for."""
    names = options.tools.split(",")
    peer = options.rivet_cli
    if peer is None and options.install_peers:
        say("installing rivet-cli")
        peer = install_peer(folder / "rivet-cli-venv", CONSTRAINTS)
    fast = "  tuning: {profile: fast}\n"
    # Ours is no faster with it, and must take no more memory.
    known = {
        "rivet": Tool(name="rivet", program=options.rivet),
        "rivet-fast": Tool(name="rivet-fast", program=options.rivet, source=fast),
    }
    if peer is not None:
        known["rivet-cli"] = Tool(name="rivet-cli", program=Path(peer))
        # What its users reach for when it is slow.
        known["rivet-cli-fast"] = Tool(name="rivet-cli-fast", program=Path(peer), source=fast)
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"not there: {', '.join(unknown)}; give --rivet-cli (or RIVET_CLI) or --install-peers for the peer")
    return [known[name] for name in names]


def measured(
    tools: Sequence[Tool], watch: Watch, url: str, options: argparse.Namespace, folder: Path
) -> list[bench_report.Run]:
    """Run every tool once to warm up, and then so many times."""
    runs: list[bench_report.Run] = []
    for number in range(options.repeat + 1):
        # In turn, and each second time the other way round, so that whatever else happens meets all of them.
        for tool in tools if number % 2 else reversed(tools):
            run = once(tool, watch, url, options, folder / tool.name)
            warm = "warm-up" if number == 0 else f"run {number}"
            say(f"{tool.name}, {warm}: {run.wall_seconds:.2f} s, while others worked {run.others_cpu_seconds:.1f} s")
            if number:
                runs.append(run)
    return sorted(runs, key=lambda run: [tool.name for tool in tools].index(run.tool))


def once(tool: Tool, watch: Watch, url: str, options: argparse.Namespace, folder: Path) -> bench_report.Run:
    """Export the table into a new folder, and look whether all of it arrived."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    command = tool.prepare(folder, options.format)
    # The files of the last run must not be written to the disk during this one.
    os.sync()
    wait_until_idle(options.patience)
    busy = busy_seconds()
    usual = {name: value for name, value in os.environ.items() if not name.startswith("RIVET_")}
    with watch.watching() as server:
        usage = bench_measure.run(command, folder, {**usual, "DATABASE_URL": url})
        busy = busy_seconds() - busy
    if usage.status != 0:
        sys.exit(f"{tool.name} ended with status {usage.status}:\n{(folder / 'output').read_text()}")
    rows, size = delivered(folder)
    if rows != options.rows:
        sys.exit(f"{tool.name} delivered {rows} rows of {options.rows}")
    return bench_report.Run(
        tool=tool.name,
        wall_seconds=usage.wall_seconds,
        cpu_seconds=usage.cpu_seconds,
        peak_bytes=usage.peak_bytes,
        longest_statement_seconds=server.longest_statement_seconds,
        longest_transaction_seconds=server.longest_transaction_seconds,
        statements=server.statements,
        output_bytes=size,
        rows=rows,
        server_cpu_seconds=server.cpu_seconds,
        others_cpu_seconds=max(0.0, busy - usage.cpu_seconds - server.cpu_seconds),
    )


def say(text: str) -> None:
    """Print what is not a result."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
