"""``rivet doctor``: whether everything that a run needs is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rivet_core.cli.parsing import Command, config_option, export_option, json_option, param_option

if TYPE_CHECKING:
    from rivet_core.cli.invocation import Invocation


@click.command(
    "doctor",
    cls=Command,
    short_help="Look for what would stop a run.",
    epilog="""
rivet doctor -c rivet.yaml
rivet doctor -c rivet.yaml --json
""",
)
@config_option
@export_option
@param_option
@json_option
@click.pass_obj
def command(
    invocation: Invocation, *, config: str, exports: tuple[str, ...], params: tuple[str, ...], as_json: bool
) -> int:
    """Check the plugins, the source, each destination with a probe object, the state, and the staging folder.

    Exit 1 when something must be mended, 2 when it may work later, else 0.
    """
    from rivet_core.cli.doctoring import doctor

    return doctor(invocation, config, exports, params, as_json=as_json)
