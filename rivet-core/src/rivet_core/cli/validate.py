"""``rivet validate``: verifies what lies at the destination, without the source and without the state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rivet_core.cli.parsing import Command, config_option, export_option, json_option, param_option

if TYPE_CHECKING:
    from datetime import datetime

    from rivet_core.cli.invocation import Invocation


@click.command(
    "validate",
    cls=Command,
    short_help="Verify what lies at the destination, without the source.",
    epilog="""
rivet validate -c rivet.yaml
rivet validate -c rivet.yaml -e orders --depth light
rivet validate -c rivet.yaml --date 2024-05-01 --json -o report.json
""",
)
@config_option
@export_option
@param_option
@click.option(
    "--depth",
    type=click.Choice(["light", "sample", "full"]),
    default="full",
    show_default=True,
    help="light: manifest and marker; sample: every part's presence and size; full: every part's bytes and rows.",
)
@click.option("--format", "form", type=click.Choice(["pretty", "json"]), default="pretty", help="How to print.")
@json_option
@click.option("-o", "--output", metavar="PATH", help="Print into this file instead.")
@click.option(
    "--date", type=click.DateTime(["%Y-%m-%d"]), metavar="YYYY-MM-DD", help="What {date} stands for; today in UTC."
)
@click.option("--run-id", metavar="ID", help="Verify this run's own manifest; {date} is the run's day.")
@click.option("--prefix", metavar="PREFIX", help="Look here instead of at the configured prefix.")
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    config: str,
    exports: tuple[str, ...],
    params: tuple[str, ...],
    depth: str,
    form: str,
    as_json: bool,
    output: str | None,
    date: datetime | None,
    run_id: str | None,
    prefix: str | None,
) -> int:
    """Verify the prefixes of all exports, or of those that are named, against their manifests.

    Exit 3 when something is wrong, 1 when there is nothing finished to verify, else 0. The source is never contacted.
    """
    from rivet_core.cli.validating import Wishes, validate

    return validate(
        invocation,
        Wishes(
            config=config,
            exports=exports,
            params=params,
            depth=depth,
            as_json=as_json or form == "json",
            output=output,
            date=date,
            run_id=run_id,
            prefix=prefix,
        ),
    )
