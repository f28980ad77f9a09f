"""``rivet completions``: the script that lets a shell complete rivet's commands and options."""

from __future__ import annotations

import click

from rivet_core.cli.parsing import Command

#: Names the variable under which a shell asks for completions.
VARIABLE = "_RIVET_COMPLETE"


@click.command(
    "completions",
    cls=Command,
    short_help="Print a shell's completion script.",
    epilog="""
rivet completions bash > ~/.local/share/bash-completion/completions/rivet
rivet completions zsh > ~/.zfunc/_rivet
rivet completions fish > ~/.config/fish/completions/rivet.fish
""",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Print the completion script of a shell."""
    from click.shell_completion import BashComplete, get_completion_class

    from rivet_core.cli.program import program

    found = get_completion_class(shell)
    if found is None:
        msg = f"there is no completion for {shell}"
        raise click.UsageError(msg)
    # The class of bash looks for the bash of this machine, which need not be the one that will read the script.
    complete = found(program, {}, "rivet", VARIABLE)
    source = super(BashComplete, complete).source() if isinstance(complete, BashComplete) else complete.source()
    click.echo(source)
    return 0
