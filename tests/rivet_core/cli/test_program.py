from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest

from rivet_core.cli.parsing import global_options
from rivet_core.cli.program import program

if TYPE_CHECKING:
    from conftest import Rivet

ROOT = Path(__file__).parents[3]


def every_command(group: click.Group, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context)
        yield inner.command_path, command
        if isinstance(command, click.Group):
            yield from every_command(command, inner)


COMMANDS = dict(every_command(program, click.Context(program, info_name="rivet")))
OPTIONS = [
    (path, option)
    for path, command in COMMANDS.items()
    for option in command.params
    if isinstance(option, click.Option)
]


def test_the_version_is_that_of_the_distribution(spawn: Rivet) -> None:
    assert spawn("--version").out == f"rivet {version('rivet-core')}\n"


def test_the_help_lists_every_command(rivet: Rivet) -> None:
    shown = rivet("--help").out
    assert [name for name in program.list_commands(click.Context(program)) if f"\n  {name} " not in shown] == []


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_has_help_and_examples(rivet: Rivet, path: str) -> None:
    done = rivet(*path.split()[1:], "--help")
    assert done.code == 0
    assert "rivet" in done.out.partition("Examples:")[2] or path.startswith("rivet state ")


@pytest.mark.parametrize("path", COMMANDS)
def test_help_shows_what_the_option_help_shows(rivet: Rivet, path: str) -> None:
    words = path.split()[1:]
    assert rivet("help", *words).out == rivet(*words, "--help").out


def test_help_of_an_unknown_command_is_a_usage_error(rivet: Rivet) -> None:
    done = rivet("help", "frobnicate")
    assert (done.code, "frobnicate" in done.err) == (1, True)


def test_every_option_says_what_it_is_for() -> None:
    helps = [(path, option.opts, option.help or "") for path, option in OPTIONS]
    assert [(path, names) for path, names, text in helps if not text.endswith((".", "]"))] == []


def test_every_option_is_documented_under_its_command() -> None:
    page = (ROOT / "docs" / "cli.md").read_text()
    shared = {option.name for option in global_options()}
    missing = []
    for path, option in OPTIONS:
        heading = "Global options" if option.name in shared else path
        section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
        missing += [f"{path} {name}" for name in option.opts if f"`{name}`" not in section]
    assert missing == []


def test_every_variable_that_the_command_line_reads_is_documented() -> None:
    page = (ROOT / "docs" / "cli.md").read_text()
    folder = ROOT / "rivet-core" / "src" / "rivet_core" / "cli"
    read = {
        name
        for path in folder.glob("*.py")
        for name in re.findall(r"environ\.get\(\"([A-Z_]+)\"", path.read_text(encoding="utf-8"))
    } - {"TERM"}
    assert [name for name in sorted(read) if f"| `{name}` |" not in page] == []


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["frobnicate"], "RIVET_CLI_VALUE_INVALID"),
        (["run"], "RIVET_CLI_VALUE_INVALID"),
        (["run", "--frobnicate"], "RIVET_CLI_OPTION_UNSUPPORTED"),
        (["run", "-c", "rivet.yaml", "--lock-wait", "soon"], "RIVET_CLI_VALUE_INVALID"),
        (["run", "-c", "rivet.yaml", "--lock-wait", "-1"], "RIVET_CLI_VALUE_INVALID"),
        (["run", "-c", "rivet.yaml", "-p", "novalue"], "RIVET_CLI_VALUE_INVALID"),
        (["run", "-c", "rivet.yaml", "surplus"], "RIVET_CLI_VALUE_INVALID"),
        (["validate", "-c", "rivet.yaml", "--depth", "deep"], "RIVET_CLI_VALUE_INVALID"),
        (["state", "reset", "-c", "rivet.yaml"], "RIVET_CLI_VALUE_INVALID"),
        (["state"], "RIVET_CLI_VALUE_INVALID"),
        ([], "RIVET_CLI_VALUE_INVALID"),
    ],
)
def test_a_usage_error_is_exit_1_and_json_where_it_is_asked_for(rivet: Rivet, arguments: list[str], code: str) -> None:
    done = rivet(*arguments, "--json-errors")
    assert (done.code, done.error()["exit_class"], done.error()["code"]) == (1, 1, code)
    assert rivet(*arguments).code == 1


def test_a_bare_rivet_shows_its_help_on_standard_error(rivet: Rivet) -> None:
    done = rivet()
    assert (done.out, "Commands:" in done.err) == ("", True)


def test_a_global_option_may_stand_before_the_command(rivet: Rivet) -> None:
    assert rivet("--json-errors", "run", "-c", "absent.yaml").error()["code"] == "RIVET_CONFIG_FILE_UNREADABLE"


def test_a_wrong_variable_is_a_usage_error(rivet: Rivet) -> None:
    done = rivet("run", "-c", "rivet.yaml", "--json-errors", RIVET_LOCK_WAIT="soon")
    assert (done.code, done.error()["code"]) == (1, "RIVET_CLI_VALUE_INVALID")


def test_an_unknown_log_level_is_a_usage_error(rivet: Rivet) -> None:
    done = rivet("run", "-c", "rivet.yaml", "--json-errors", RIVET_LOG="loud")
    assert (done.code, done.error()["code"]) == (1, "RIVET_CLI_VALUE_INVALID")


def test_no_secret_of_a_command_line_is_repeated(rivet: Rivet) -> None:
    done = rivet("run", "-c", "rivet.yaml", "postgresql://ada:hunter2@db/shop")
    assert (done.code, "hunter2" in done.err, "***" in done.err) == (1, False, True)


@pytest.fixture
def without_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command raises what nothing has a name for."""

    def raises(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr("rivet_core.cli.running.run", raises)


@pytest.mark.usefixtures("without_a_name")
def test_what_has_no_name_is_exit_6_without_a_traceback(rivet: Rivet) -> None:
    done = rivet("run", "-c", "rivet.yaml")
    assert (done.code, "Traceback" in done.err) == (6, False)
    assert "RIVET_DEBUG=1" in done.err


@pytest.mark.usefixtures("without_a_name")
def test_a_traceback_is_shown_to_who_asks_for_it(rivet: Rivet) -> None:
    assert "Traceback" in rivet("run", "-c", "rivet.yaml", RIVET_DEBUG="1").err


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["run", "--help"], ["plugins"]])
def test_what_touches_no_data_loads_no_arrow(shop: Path, arguments: list[str]) -> None:
    script = f"import sys; from rivet_core.cli.ending import end; end({arguments!r}); print('pyarrow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=shop)
    assert done.stdout.splitlines()[-1] == "False"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_script(rivet: Rivet, shell: str) -> None:
    done = rivet("completions", shell)
    assert (done.code, "_RIVET_COMPLETE" in done.out) == (0, True)


def test_what_the_script_asks_is_answered(spawn: Rivet) -> None:
    asked = {"_RIVET_COMPLETE": "bash_complete", "COMP_WORDS": "rivet ru", "COMP_CWORD": "1"}
    assert spawn(**asked).out.split() == ["plain,run"]


def test_a_reader_that_has_seen_enough_is_no_error(shop: Path) -> None:
    command = f"{sys.executable} -m rivet_core plugins | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, cwd=shop)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_plugins_of_the_core_are_listed(rivet: Rivet) -> None:
    found = {(row["seam"], row["kind"]): row for row in rivet("plugins", "--json").json()}
    assert found["source", "sqlite"]["distribution"] == "rivet-core"
    assert found["source", "sqlite"]["state"] == "not loaded"


def test_a_list_of_allowed_plugins_leaves_the_others_out(rivet: Rivet) -> None:
    rows = rivet("plugins", "--json", RIVET_PLUGINS="").json()
    assert {row["state"] for row in rows if row["distribution"] != "rivet-core"} <= {"left out"}


def test_loading_shows_which_plugins_can_be_used(rivet: Rivet) -> None:
    done = rivet("plugins", "--load", "--json", RIVET_PLUGINS="")
    assert done.code == 0
    assert {row["state"] for row in done.json() if row["distribution"] == "rivet-core"} == {"loaded"}


def test_a_missing_shell_is_asked_for_on_one_line(rivet: Rivet) -> None:
    done = rivet("completions")
    assert (done.code, "Choose from: bash, zsh, fish\n" in done.err) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "meant"), [(("rnu",), "run"), (("validte",), "validate"), (("state", "rnus"), "runs")]
)
def test_a_misspelt_command_gets_a_suggestion(rivet: Rivet, arguments: tuple[str, ...], meant: str) -> None:
    done = rivet(*arguments)
    assert (done.code, f"no such command '{arguments[-1]}'; did you mean '{meant}'?" in done.err) == (1, True)


def test_a_command_that_resembles_none_gets_no_suggestion(rivet: Rivet) -> None:
    done = rivet("zzz")
    assert (done.code, "no such command 'zzz'\n" in done.err) == (1, True)
