"""The reference of the command line, written from the commands themselves; ``docs/generate.py`` makes a page of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from rivet_core.cli.parsing import global_options
from rivet_core.cli.program import program

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Variables of the environment that the command line reads, in the order of the page.
VARIABLES: Final = (
    ("RIVET_LOCK_WAIT", "Seconds to wait for another process's lease, when `--lock-wait` is not given. Default: 600."),
    (
        "RIVET_STATE_URL",
        "Where the state lies: `sqlite:<path>`. Default: `.rivet-state.sqlite` beside the configuration.",
    ),
    ("RIVET_STAGING", "The folder in which parts are made for destinations that have none of their own."),
    ("RIVET_PLUGINS", "The distributions whose plugins may be used, separated by commas; empty for the built-in ones."),
    ("RIVET_TRACE_PLUGINS", "`1` prints every hook call on standard error."),
    (
        "RIVET_LOG",
        "The lowest level of the library's log: `debug`, `info`, `warning` (the default), `error` (that of `-q`).",
    ),
    ("RIVET_DEBUG", "`1` prints the tracebacks of errors that others raised."),
    ("NO_COLOR", "Anything but nothing prints without colours."),
)

_HEAD: Final = """\
# Command line

Written by `docs/generate.py` from the commands themselves: change them, not this page.

Standard output carries the report, or the JSON, or the data of an export to `stdout`, in which case the report goes to
standard error. Progress, warnings and errors go to standard error. `rivet help COMMAND` prints what stands here.

The exit status tells a scheduler what to do; see [errors](errors.md). A wrong option is 1, as any other mistake of
usage, and never 2. Ctrl-C ends with 130 and SIGTERM with 143: exports end at their next restart point, their runs stay
open, and nothing that was recorded is read again. A second signal ends at once, which loses nothing either.

With `--json-errors`, the last line of standard error is one JSON object: `error`, `exit_class` (the exit status),
`code`, `place`, `remedy`, and, where there are several, `problems` of a configuration or `exports` of a run.

## Global options

They may stand before or after the command's name.

"""

_OUTPUTS: Final = """
## What programs read

`rivet run --json` and `--summary-output` give `run_aggregate_id`, `started_at`, `finished_at`, `duration_ms`,
`config_path`, `parallel_mode`, `total_exports`, `success_count`, `failed_count`, `skipped_count`, `total_rows`,
`total_files`, `total_bytes`, `total_bytes_read`, `exit_class`, `warnings` and `per_export`. The `status` of an export
is `success`, `failed` (a gate's verdict), `skipped` (no rows), `open` (what was recorded is not read again) or
`refused` (no run was opened); the last three but `skipped` count as failed.

Every run leaves its own report beside the configuration: `.rivet/runs/<run_id>/summary.json` and `summary.md`.

`rivet validate --json` gives `exports`, each with `export_name`, `resolved_prefix` and `verification`, then `warnings`
and `errors`. `rivet doctor --json` gives `config_path`, `all_ok` and `checks`. `rivet check --json` and the listings of
`rivet state` and `rivet plugins` give a list.
"""


def reference_page() -> str:
    """Return the page."""
    text = _HEAD + _option_table(global_options())
    root = click.Context(program, info_name="rivet")
    for command, context in _commands(program, root):
        text += _section(command, context)
    rows = "".join(f"| `{name}` | {meaning} |\n" for name, meaning in VARIABLES)
    return f"{text}\n## Variables of the environment\n\n| variable | meaning |\n| --- | --- |\n{rows}{_OUTPUTS}"


def _commands(group: click.Group, context: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    """Yield every command and every group below a group, in the order of the help."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None:
            continue
        inner = click.Context(command, info_name=name, parent=context)
        yield command, inner
        if isinstance(command, click.Group):
            yield from _commands(command, inner)


def _section(command: click.Command, context: click.Context) -> str:
    shared = {option.name for option in global_options()}
    own = [parameter for parameter in command.params if parameter.name not in shared]
    usage = command.get_usage(context).removeprefix("Usage: ").strip()
    text = f"\n## {context.command_path}\n\n```\n{' '.join(usage.split())}\n```\n\n{_flowing(command.help or '')}\n"
    if own:
        text += f"\n{_option_table(own)}"
    if command.epilog:
        text += f"\n```sh\n{command.epilog.strip()}\n```\n"
    return text


def _flowing(text: str) -> str:
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n"))


def _option_table(parameters: list[click.Option] | list[click.Parameter]) -> str:
    text = "| option | meaning |\n| --- | --- |\n"
    for parameter in parameters:
        if isinstance(parameter, click.Option):
            names = ", ".join(f"`{name}`" for name in parameter.opts)
            value = "" if parameter.is_flag else f" {_value(parameter)}"
            required = " Required." if parameter.required else ""
            given = parameter.default
            default = f" Default: `{given}`." if isinstance(given, str | int) and not isinstance(given, bool) else ""
            text += f"| {names}{value} | {' '.join((parameter.help or '').split())}{required}{default} |\n"
        else:
            words = getattr(parameter.type, "choices", ())
            meaning = "one of " + ", ".join(f"`{word}`" for word in words) if words else "any number of words"
            text += f"| `{parameter.human_readable_name}` | {meaning} |\n"
    return text


def _value(option: click.Option) -> str:
    words = getattr(option.type, "choices", ())
    return "\\|".join(f"`{word}`" for word in words) if words else f"`{option.metavar or 'N'}`"
