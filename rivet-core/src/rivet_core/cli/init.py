"""``rivet init``: a configuration for what a source has, written from its catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rivet_core.cli.parsing import Command

if TYPE_CHECKING:
    from rivet_core.cli.invocation import Invocation


@click.command(
    "init",
    cls=Command,
    short_help="Write a configuration from a source's catalogue.",
    epilog="""
rivet init --source sqlite:///shop.db
rivet init --source-env DATABASE_URL --schema public --exclude 'tmp_*'
rivet init --source-env DATABASE_URL --tls verify-full --table public.orders -o orders.yaml
rivet init --source-env DATABASE_URL --discover
""",
)
@click.option(
    "--source",
    metavar="URL",
    help="The source's URL. Others may see it in the list of processes: --source-env is safer for one with a password.",
)
@click.option(
    "--source-env",
    metavar="VAR",
    help="The variable that holds the source's URL, which the configuration then names."
    "  [default: DATABASE_URL; where --source is given and that one holds something else, a free one]",
)
@click.option(
    "--table", "tables", multiple=True, metavar="NAME", help="Only this table, as [schema.]name; may be given again."
)
@click.option("--schema", metavar="NAME", help="Only the tables and views of this schema.")
@click.option(
    "--include", multiple=True, metavar="GLOB", help="Only tables with such a name; may be given again, any one counts."
)
@click.option("--exclude", multiple=True, metavar="GLOB", help="No table with such a name; may be given again.")
@click.option("-o", "--output", metavar="FILE", help="The file to write.  [default: rivet.yaml]")
@click.option("--force", is_flag=True, help="Replace a file that is already there.")
@click.option(
    "--discover",
    is_flag=True,
    help="Print what was found as JSON, and write no configuration; with -o, into that file.",
)
@click.option("--mode", metavar="MODE", help="The mode of every export.  [default: what suits each table]")
@click.option("--format", "form", metavar="KIND", help="The format of every export.  [default: parquet]")
@click.option(
    "--destination",
    metavar="PATH",
    help="The folder to export to, relative to the configuration's; {export} and {date} may stand in it."
    "  [default: output/{export}]",
)
@click.option(
    "--tls", metavar="MODE", help="How to connect, and what the configuration says of it; see its source.tls."
)
@click.option("--tls-ca", metavar="FILE", help="A PEM file with the authorities to trust.")
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    source: str | None,
    source_env: str | None,
    tables: tuple[str, ...],
    schema: str | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    output: str | None,
    force: bool,
    discover: bool,
    mode: str | None,
    form: str | None,
    destination: str | None,
    tls: str | None,
    tls_ca: str | None,
) -> int:
    """Connect to a source, look at its tables and views, and write a configuration that exports each of them.

    Only the catalogue is read, and nothing is counted. The file says why each export is as it is and which columns
    want a decision; check and run take it as it stands. No password is ever written into it. A table that cannot be
    exported as it is is left out, with the reason.
    """
    from rivet_core.cli.initialising import Wishes, init
    from rivet_core.types.foreign_text import utf8

    # Names are compared with those of the catalogue, which are not in the locale's encoding.
    tables, include, exclude = (tuple(utf8(name) or name for name in names) for names in (tables, include, exclude))
    return init(
        invocation,
        Wishes(
            source=source,
            source_env=source_env,
            tables=tables,
            schema=None if schema is None else utf8(schema) or schema,
            include=include,
            exclude=exclude,
            output=output,
            force=force,
            discover=discover,
            mode=mode,
            form=form,
            destination=destination,
            tls=tls,
            tls_ca=tls_ca,
        ),
    )
