"""``rivet run``: exports what the configuration names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rivet_core.cli.parsing import Command, config_option, export_option, json_option, param_option

if TYPE_CHECKING:
    from rivet_core.cli.invocation import Invocation


@click.command(
    "run",
    cls=Command,
    short_help="Export what the configuration names.",
    epilog="""
rivet run -c rivet.yaml
rivet run -c rivet.yaml -e orders -e customers --validate
rivet run -c rivet.yaml -p DAY=2024-05-01 --json
rivet --lock-wait 0 run -c rivet.yaml --summary-output summary.json
""",
)
@config_option
@export_option
@param_option
@click.option("--fresh", is_flag=True, help="Abandon an unfinished run instead of resuming it.")
@click.option(
    "--resume", is_flag=True, help="Accepted for other tools' sake: what an unfinished run recorded is used anyway."
)
@click.option("--force", is_flag=True, help="Accepted for other tools' sake: a finished prefix never refuses a run.")
@click.option("--validate", is_flag=True, help="Verify what was written in full, and fail when it is wrong.")
@click.option(
    "--reconcile",
    is_flag=True,
    help="Let the source count what was read, compare, and verify what was written, as --validate does.",
)
@click.option("--strict", is_flag=True, help="Refuse columns that do not arrive as exact or compatible values.")
@json_option
@click.option("--summary-output", metavar="PATH", help="Write the JSON summary to a file, too.")
@click.option("--parallel-exports", is_flag=True, help="Run up to 16 exports beside each other.")
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    config: str,
    exports: tuple[str, ...],
    params: tuple[str, ...],
    fresh: bool,
    resume: bool,
    force: bool,
    validate: bool,
    reconcile: bool,
    strict: bool,
    as_json: bool,
    summary_output: str | None,
    parallel_exports: bool,
) -> int:
    """Run all exports of a configuration, or those that are named.

    Nothing that an unfinished run recorded is read again: its parts stand, and reading goes on after the last mark; a
    run that recorded nothing begins anew. One export that fails does not stop the others; the exit status is that of
    the worst.
    """
    from rivet_core.cli.running import Wishes, run

    del force
    return run(
        invocation,
        Wishes(
            config=config,
            exports=exports,
            params=params,
            fresh=fresh,
            resume=resume,
            validate=validate or reconcile,
            reconcile=reconcile,
            notify=not invocation.no_notify,
            strict=strict,
            as_json=as_json,
            summary_output=summary_output,
            parallel_exports=parallel_exports,
        ),
    )
