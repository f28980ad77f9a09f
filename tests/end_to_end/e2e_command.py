"""The real command in a process of its own, in a folder of its own; nothing of rivet is imported here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import attrs

#: A run that hangs must fail its test, not the session.
PATIENCE_S = 300.0
#: ``rivet run`` with its summary and errors as JSON, and without waiting for locks.
RUN = ("--lock-wait", "0", "run", "-c", "rivet.yaml", "--json", "--json-errors")


@attrs.frozen
class Ended:
    """What a command left behind."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)

    def error(self) -> dict[str, Any]:
        """The object of ``--json-errors``: the last line of standard error."""
        found: dict[str, Any] = json.loads(self.err.splitlines()[-1])
        return found

    def failure(self) -> tuple[int, str]:
        """The exit status and the error's code."""
        return self.code, str(self.error()["code"])


@attrs.frozen(kw_only=True)
class Place:
    """A folder with a configuration; the command runs in it."""

    folder: Path

    def configure(
        self, source: dict[str, Any], exports: Iterable[dict[str, Any]], *, file: str = "rivet.yaml", **keys: Any
    ) -> None:
        """Writes a configuration; JSON is YAML, and needs no rules of quoting of our own."""
        text = json.dumps(
            {"source": {"type": "postgres", **source}, "exports": list(exports), **keys}, indent=1, ensure_ascii=False
        )
        (self.folder / file).write_text(text, encoding="utf-8")

    def start(self, *arguments: str, **variables: str) -> subprocess.Popen[str]:
        # What would change the command's mind, or the driver's, stays behind.
        kept = {name: text for name, text in os.environ.items() if not name.startswith(("RIVET_", "NO_COLOR", "PG"))}
        return subprocess.Popen(
            [sys.executable, "-m", "rivet_core", *arguments],
            cwd=self.folder,
            env=kept | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def rivet(self, *arguments: str, **variables: str) -> Ended:
        with self.start(*arguments, **variables) as process:
            return finish(process)

    def run(self, *arguments: str, **variables: str) -> Ended:
        """:data:`RUN` of the configuration."""
        return self.rivet(*RUN, *arguments, **variables)

    def prefix(self, export: str) -> Path:
        return self.folder / "out" / export


def finish(process: subprocess.Popen[str], seconds: float = PATIENCE_S) -> Ended:
    """What the process says until it ends; one that does not end is killed."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return Ended(process.returncode, out, err)


def outcome(done: Ended, place: int = 0) -> dict[str, Any]:
    """What the summary says of an export, by default of the first one."""
    found: dict[str, Any] = done.json()["per_export"][place]
    return found


def export(name: str, relation: dict[str, Any], **keys: Any) -> dict[str, Any]:
    """One entry of ``exports``, to a folder that bears its name."""
    return {
        "name": name,
        **relation,
        "mode": "full",
        "format": "parquet",
        "destination": {"type": "local", "path": f"out/{name}"},
        **keys,
    }


def table(name: str, schema: str | None = None) -> dict[str, Any]:
    """The key ``table`` for any name."""
    parts = [name] if schema is None else [schema, name]
    return {"table": ".".join('"' + part.replace('"', '""') + '"' for part in parts)}
