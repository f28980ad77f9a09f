"""``rivet help``: the help of a command, for who asks for it by name."""

from __future__ import annotations

import click

from rivet_core.cli.parsing import Command


@click.command(
    "help",
    cls=Command,
    short_help="Show the help of a command.",
    epilog="""
rivet help
rivet help run
rivet help state reset
""",
)
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.pass_context
def command(context: click.Context, words: tuple[str, ...]) -> int:
    """Show the help of a command, or of all of rivet."""
    root = context.find_root()
    found: click.Command = root.command
    inner = root
    for word in words:
        below = found.get_command(inner, word) if isinstance(found, click.Group) else None
        if below is None:
            msg = f"No such command '{' '.join(words)}'."
            raise click.UsageError(msg, ctx=root)
        found, inner = below, click.Context(below, info_name=word, parent=inner)
    click.echo(found.get_help(inner))
    return 0
