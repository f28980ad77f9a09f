"""What ``rivet init`` does."""

from __future__ import annotations

import os
import shlex
import threading
from contextlib import closing
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs

from rivet_core.cli.init_source import Origin, find_origin, relative_to
from rivet_core.cli.init_writing import Drafts
from rivet_core.cli.logs import configure_logs
from rivet_core.cli.printing import json_text, say, say_json, tell
from rivet_core.config.tuning import NO_PROFILE
from rivet_core.engine.asking import Asked
from rivet_core.engine.report_text import count_text
from rivet_core.engine.scaffold.discovery import discovery
from rivet_core.engine.scaffold.looked import LeftOut
from rivet_core.engine.scaffold.looking import chosen_relations, look
from rivet_core.engine.scaffold.text import ExportText
from rivet_core.engine.scaffold.words import export_names
from rivet_core.errors import EnvironmentFailure, Place, RefusalError, RivetError, UsageError
from rivet_core.plugins import Plugins

if TYPE_CHECKING:
    from rivet_core.cli.invocation import Invocation
    from rivet_core.protocols import Source

_FILE: Final = "rivet.yaml"
_FORMAT: Final = "parquet"
_DESTINATION: Final = "output/{export}"
#: How long the source may take for one answer: what a file that says nothing else gives a run.
_ANSWER_SECONDS: Final = NO_PROFILE.statement_timeout_s or 0


@attrs.frozen(kw_only=True)
class Wishes:
    """The options of the command; None for those that were not given."""

    source: str | None = attrs.field(repr=False)
    source_env: str | None
    tables: tuple[str, ...]
    schema: str | None
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    output: str | None
    force: bool
    discover: bool
    mode: str | None
    form: str | None
    destination: str | None
    tls: str | None
    tls_ca: str | None

    @property
    def scope(self) -> str:
        """What is looked at, in words."""
        if self.tables:
            return ", ".join(self.tables)
        return "every table and view" if self.schema is None else f"every table and view of the schema {self.schema}"


def init(invocation: Invocation, wishes: Wishes) -> int:
    """Write the configuration, or print what was found, and return the exit status."""
    _refuse_contradictions(wishes)
    target = None if wishes.discover and wishes.output is None else wishes.output or _FILE
    if target is not None and Path(target).exists() and not wishes.force:
        raise _exists(target)
    configure_logs(invocation)
    plugins = Plugins.installed(invocation.environ)
    file = target or _FILE
    folder = Path(os.path.abspath(file)).parent  # noqa: PTH100 - as the loader makes it: no link is followed
    origin = find_origin(
        plugins,
        url=wishes.source,
        variable=wishes.source_env,
        tls=_tls(wishes, folder),
        folder=folder,
        environ=invocation.environ,
    )
    drafts = Drafts(
        plugins=plugins,
        origin=origin,
        form=wishes.form or _FORMAT,
        destination=_destination(wishes.destination or _DESTINATION),
        mode=wishes.mode,
        file=file,
        folder=folder,
        environ=invocation.environ,
    )
    exports, left_out = _exports(origin, drafts, wishes)
    if not invocation.quiet:
        for one in left_out:
            tell(f"Warning: left out {one}")
    if wishes.discover:
        found = discovery(
            exports, left_out, version=version("rivet-core"), kind=origin.declaration.kind, scope=wishes.scope
        )
        if target is None:
            say_json(found)
        else:
            _write(target, f"{json_text(found)}\n", force=wishes.force)
        return 0
    _write(file, drafts.whole(exports, left_out), force=wishes.force)
    _next_steps(file, len(exports), origin, invocation)
    return 0


def _exports(origin: Origin, drafts: Drafts, wishes: Wishes) -> tuple[tuple[ExportText, ...], tuple[LeftOut, ...]]:
    """Look at what is wanted and settle how each relation is exported.

    :raises RivetError: when a table that was asked for by name cannot be exported, or none can.
    """
    exports: list[ExportText] = []
    left_out: list[LeftOut] = []
    with closing(Asked(origin.open(), threading.Event())) as asked:
        source, answer = asked.source, partial(asked.answer, _ANSWER_SECONDS)
        answer(partial(_connect, source))
        identity = answer(source.identity)
        relations = answer(
            partial(
                chosen_relations,
                source,
                origin.declaration,
                tables=wishes.tables,
                schema=wishes.schema,
                include=wishes.include,
                exclude=wishes.exclude,
            )
        )
        for relation, name in zip(relations, export_names(one.table for one in relations), strict=True):
            try:
                exports.append(drafts.settle(name, answer(partial(look, source, relation)), identity))
            except RivetError as error:
                passing = isinstance(error, EnvironmentFailure) and error.transient
                if passing or wishes.tables or len(relations) == 1:
                    raise
                left_out.append(LeftOut(relation, error))
    if not exports:
        msg = f"none of {count_text(len(left_out), 'table')} can be exported as it is; {left_out[0].error.message}"
        raise UsageError(msg, code="RIVET_INIT_NO_TABLES", remedy=left_out[0].error.remedy)
    return tuple(exports), tuple(left_out)


def _connect(source: Source) -> None:
    """Connect; where a source misses its ``tls`` block, say how this command is given one."""
    try:
        source.check()
    except UsageError as error:
        if error.place is None or error.place.path != "source.tls":
            raise
        remedy = "give --tls verify-full, or --tls disable to send everything in plaintext"
        raise UsageError(error.message, code=error.code, place=error.place, remedy=remedy) from error


def _refuse_contradictions(wishes: Wishes) -> None:
    pairs = [
        ("--table", bool(wishes.tables), "--schema", wishes.schema is not None),
        ("--table", bool(wishes.tables), "--include", bool(wishes.include)),
        ("--table", bool(wishes.tables), "--exclude", bool(wishes.exclude)),
        ("--discover", wishes.discover, "--mode", wishes.mode is not None),
        ("--discover", wishes.discover, "--format", wishes.form is not None),
        ("--discover", wishes.discover, "--destination", wishes.destination is not None),
    ]
    for first, given, second, too in pairs:
        if given and too:
            msg = f"{first} and {second} exclude each other"
            raise UsageError(msg, code="RIVET_CLI_OPTION_UNSUPPORTED", remedy="rivet init --help shows what it takes")


def _tls(wishes: Wishes, folder: Path) -> tuple[tuple[str, str], ...]:
    mode = () if wishes.tls is None else (("mode", wishes.tls.replace("${", "$${")),)
    authorities = () if wishes.tls_ca is None else (("ca_file", relative_to(wishes.tls_ca, folder)),)
    return mode + authorities


def _destination(path: str) -> str:
    """Return the folder of every export: each gets one of its own."""
    return path if "{export}" in path or "{table}" in path else f"{path.rstrip('/')}/{{export}}"


def _exists(file: str) -> RefusalError:
    msg = "the file is already there, and may hold what somebody wrote by hand"
    remedy = "move it away, write to another file with -o, or replace it with --force"
    return RefusalError(msg, code="RIVET_INIT_CONFIG_EXISTS", place=Place(file=file), remedy=remedy)


def _write(file: str, text: str, *, force: bool) -> None:
    try:
        # Exclusively: somebody may have made it since it was looked for.
        with Path(file).open("w" if force else "x", encoding="utf-8", errors="surrogateescape", newline="\n") as out:
            out.write(text)
    except FileExistsError as error:
        raise _exists(file) from error
    except OSError as error:
        msg = f"the file cannot be written: {error.strerror}"
        raise EnvironmentFailure(
            msg, code="RIVET_CLI_OUTPUT_UNWRITABLE", place=Place(file=file), remedy="check the folder and its rights"
        ) from error


def _next_steps(file: str, number: int, origin: Origin, invocation: Invocation) -> None:
    if origin.passed_over is not None and not invocation.quiet:
        tell(f"Note: {origin.passed_over} holds something else, so the file reads the URL from {origin.variable}.")
    say(f"{file}: {count_text(number, 'export')}")
    steps = [f"rivet {command} -c {shlex.quote(file)}" for command in ("check", "run")]
    if origin.variable is not None and not invocation.environ.get(origin.variable):
        steps.insert(0, f"export {origin.variable}=…    (the source's URL, which is not in the file)")
    say("Next:", *(f"  {step}" for step in steps))
