"""``rivet check``: what a run would do, and how exactly its values would arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rivet_core.cli.parsing import Command, config_option, export_option, json_option, param_option

if TYPE_CHECKING:
    from rivet_core.cli.invocation import Invocation


@click.command(
    "check",
    cls=Command,
    short_help="Connect, describe and plan, without reading rows.",
    epilog="""
rivet check -c rivet.yaml
rivet check -c rivet.yaml -e orders --type-report
rivet check -c rivet.yaml --strict --json
""",
)
@config_option
@export_option
@param_option
@click.option("--type-report", is_flag=True, help="List every column, not only those that do not arrive exactly.")
@click.option("--strict", is_flag=True, help="Refuse columns that do not arrive as exact or compatible values.")
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    config: str,
    exports: tuple[str, ...],
    params: tuple[str, ...],
    type_report: bool,
    strict: bool,
    as_json: bool,
) -> int:
    """Connect to the source and plan each export: its runner, its columns' types, what is promised of its delivery.

    No row is read and nothing is written. The exit status is that which a run would fail with for the same reason.
    """
    from rivet_core.cli.checking import check

    return check(invocation, config, exports, params, type_report=type_report, strict=strict, as_json=as_json)
