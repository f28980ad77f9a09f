"""``rivet plugins``: what is installed, found by its metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rivet_core.cli.parsing import Command, json_option

if TYPE_CHECKING:
    from rivet_core.cli.invocation import Invocation


@click.command(
    "plugins",
    cls=Command,
    short_help="List the installed plugins.",
    epilog="""
rivet plugins
rivet plugins --load
RIVET_PLUGINS=rivet-source-postgres rivet plugins --json
""",
)
@click.option("--load", is_flag=True, help="Import each of them, so that the broken ones show.")
@json_option
@click.pass_obj
def command(invocation: Invocation, *, load: bool, as_json: bool) -> int:
    """List the sources, runners, formats, destinations and observers that are installed, and who brings them.

    Nothing is imported for it, unless --load asks for that; then the exit status is 1 when one is broken.
    """
    from rivet_core.cli.logs import configure_logs
    from rivet_core.cli.printing import say, say_json, table
    from rivet_core.plugins import Plugins, PluginState

    if load:
        configure_logs(invocation)
    rows = Plugins.installed(invocation.environ).listing(load=load)
    if as_json:
        say_json(
            [
                {
                    "seam": row.seam,
                    "kind": row.kind,
                    "distribution": row.distribution,
                    "version": row.version,
                    "module": row.module,
                    "state": row.state.value,
                    "reason": row.reason or None,
                }
                for row in rows
            ]
        )
    else:
        lines = [
            (row.seam or "?", row.kind, f"{row.distribution} {row.version}", row.state.value, row.reason)
            for row in rows
        ]
        say(*table(("seam", "kind", "distribution", "state", ""), lines))
    return 1 if any(row.state is PluginState.BROKEN for row in rows) else 0
