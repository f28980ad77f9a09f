"""What every command's parser shares: the global options, lazily found commands, and the options of many commands."""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def _remember(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Note a global option, which may stand before or after the command's name."""
    name = parameter.name or ""
    if context.get_parameter_source(name) is ParameterSource.COMMANDLINE and context.obj is not None:
        setattr(context.obj, name, value)


def global_options() -> list[click.Option]:
    """Return the options that every command has."""
    shared: dict[str, Any] = {"expose_value": False, "callback": _remember}
    return [
        click.Option(["--json-errors"], is_flag=True, help="Print an error as one JSON object.", **shared),
        click.Option(
            ["--lock-wait"],
            type=click.FloatRange(min=0, max=86400 * 365),
            metavar="SECONDS",
            help="How long to wait for another process that runs the same export or writes the same prefix;"
            " 0 asks once.  [env: RIVET_LOCK_WAIT; default: 600]",
            **shared,
        ),
        click.Option(["--no-color"], is_flag=True, help="Print without colours.  [env: NO_COLOR]", **shared),
        click.Option(
            ["--no-notify"],
            is_flag=True,
            help="Tell nobody, whatever the configuration's notifications say.",
            **shared,
        ),
        click.Option(["-q", "--quiet"], is_flag=True, help="Print no progress and no warnings.", **shared),
    ]


class _Sections:
    """Lists the global options apart from the command's own."""

    params: list[click.Parameter]

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        ours = {"json_errors", "lock_wait", "no_color", "no_notify", "quiet"}
        own: list[tuple[str, str]] = []
        shared: list[tuple[str, str]] = []
        for parameter in self.get_params(context):  # type: ignore[attr-defined]  # of the class it is mixed into
            record = parameter.get_help_record(context)
            if record is not None:
                (shared if parameter.name in ours else own).append(record)
        for heading, records in (("Options", own), ("Global options", shared)):
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)
        if isinstance(self, click.Group):
            self.format_commands(context, formatter)

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Print the examples as they stand."""
        del context
        epilog = getattr(self, "epilog", None)
        if epilog:
            with formatter.section("Examples"):
                for line in epilog.strip().splitlines():
                    formatter.write_text(line)


class Command(_Sections, click.Command):
    """A command; ``epilog`` holds its examples, one a line."""

    def __init__(self, name: str | None, **options: Any) -> None:
        super().__init__(name, context_settings=CONTEXT, **options)
        self.params += global_options()


class Group(_Sections, click.Group):
    """A group of commands, each in a module that is imported when its name is asked for.

    :param homes: the module of each command, in the order of the help; its attribute ``command`` is the command.
    """

    def __init__(self, name: str, *, homes: Mapping[str, str] = MappingProxyType({}), **options: Any) -> None:
        super().__init__(name, context_settings=CONTEXT, **options)
        self.params += global_options()
        self._homes = homes

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the commands in the order of the help."""
        return [*self._homes, *super().list_commands(context)]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Import a command."""
        home = self._homes.get(name)
        if home is None:
            return super().get_command(context, name)
        found: click.Command = import_module(home).command
        return found

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for a name that is none, say which was probably meant."""
        name = args[0]
        known = context.resilient_parsing or name.startswith("-") or self.get_command(context, name) is not None
        if not known:
            import difflib

            # The parser itself looks only among commands that are imported already.
            near = difflib.get_close_matches(name, self.list_commands(context), n=1)
            context.fail(f"no such command {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        return super().resolve_command(context, args)


def _in_utf8(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Return names that are compared with what a file says: they are read as UTF-8 in every locale."""
    # Not imported by who only asks for help.
    from rivet_core.types.foreign_text import utf8

    if value is None:
        return None
    given = (value,) if isinstance(value, str) else value
    names = tuple(name for name in map(utf8, given) if name is not None)
    if len(names) < len(given):
        msg = "it is no UTF-8 text"
        raise click.BadParameter(msg, context, parameter)
    return names[0] if isinstance(value, str) else names


config_option = click.option("-c", "--config", required=True, metavar="FILE", help="The configuration file.")
export_option = click.option(
    "-e",
    "--export",
    "exports",
    callback=_in_utf8,
    multiple=True,
    metavar="NAME",
    help="Only this export; may be given again.",
)
any_export_option = click.option("-e", "--export", callback=_in_utf8, metavar="NAME", help="Only this export.")
one_export_option = click.option("-e", "--export", callback=_in_utf8, required=True, metavar="NAME", help="The export.")
param_option = click.option(
    "-p", "--param", "params", multiple=True, metavar="KEY=VALUE", help="A value for ${KEY}; may be given again."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def limit_option(default: int) -> Decorator:
    """Return the option that bounds a listing."""
    return click.option(
        "-l", "--limit", type=click.IntRange(min=1), default=default, show_default=True, help="At most so many rows."
    )
