"""The root of the command line: its commands and where they live."""

from __future__ import annotations

from typing import Any, Final

import click

from rivet_core.cli.parsing import Group

HOMES: Final = {
    "init": "rivet_core.cli.init",
    "run": "rivet_core.cli.run",
    "validate": "rivet_core.cli.validate",
    "check": "rivet_core.cli.check",
    "doctor": "rivet_core.cli.doctor",
    "state": "rivet_core.cli.state",
    "plugins": "rivet_core.cli.plugins",
    "completions": "rivet_core.cli.completions",
    "help": "rivet_core.cli.help",
}


def _version(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    del parameter
    if value and not context.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"rivet {version('rivet-core')}")
        context.exit()


program = Group(
    "rivet",
    homes=HOMES,
    help="Export tables and queries to Parquet or CSV files that a loader can trust.",
    no_args_is_help=True,
    params=[
        click.Option(
            ["-V", "--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_version,
            help="Print the version.",
        )
    ],
    epilog="""
rivet init --source sqlite:///shop.db
rivet doctor -c rivet.yaml
rivet check -c rivet.yaml
rivet run -c rivet.yaml
rivet validate -c rivet.yaml
""",
)
