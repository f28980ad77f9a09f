"""``rivet state``: what the state file knows, and forgetting it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rivet_core.cli.parsing import (
    Command,
    Group,
    any_export_option,
    config_option,
    json_option,
    limit_option,
    one_export_option,
    param_option,
)

if TYPE_CHECKING:
    from rivet_core.cli.invocation import Invocation

command = Group(
    "state",
    short_help="Show or reset what the state knows.",
    help="Show positions, runs and files as the state file has them, or forget an export's position.",
    no_args_is_help=True,
    epilog="""
rivet state show -c rivet.yaml
rivet state runs -c rivet.yaml -e orders --limit 5
rivet state files -c rivet.yaml --json
rivet state reset -c rivet.yaml -e orders
""",
)


@command.command("show", cls=Command, short_help="Show each export's position.")
@config_option
@any_export_option
@json_option
@click.pass_obj
def show(invocation: Invocation, *, config: str, export: str | None, as_json: bool) -> int:
    """Show each export's position, its source, and its unfinished run."""
    from rivet_core.cli.state_listing import show_exports

    return show_exports(invocation, config, export, as_json=as_json)


@command.command("runs", cls=Command, short_help="List the latest runs.")
@config_option
@any_export_option
@limit_option(50)
@click.option("--running", is_flag=True, help="Only runs that are open: running now, or to be resumed.")
@json_option
@click.pass_obj
def runs(invocation: Invocation, *, config: str, export: str | None, limit: int, running: bool, as_json: bool) -> int:
    """List runs, the newest first."""
    from rivet_core.cli.state_listing import list_runs

    return list_runs(invocation, config, export, limit=limit, running=running, as_json=as_json)


@command.command("files", cls=Command, short_help="List the latest recorded parts.")
@config_option
@any_export_option
@limit_option(50)
@json_option
@click.pass_obj
def files(invocation: Invocation, *, config: str, export: str | None, limit: int, as_json: bool) -> int:
    """List recorded parts, the newest first."""
    from rivet_core.cli.state_listing import list_files

    return list_files(invocation, config, export, limit=limit, as_json=as_json)


@command.command("reset", cls=Command, short_help="Forget an export's position and abandon its unfinished run.")
@config_option
@one_export_option
@param_option
@click.pass_obj
def reset(invocation: Invocation, *, config: str, export: str, params: tuple[str, ...]) -> int:
    """Forget an export's position and its schema of the last success; its next run starts from the beginning.

    An unfinished run is abandoned, and its parts are moved aside. What finished runs wrote stays where it is. A run
    that is being sealed is refused: it can only be completed.
    """
    from rivet_core.cli.state_reset import reset as reset_state

    return reset_state(invocation, config, export, params)
