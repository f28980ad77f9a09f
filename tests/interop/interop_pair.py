"""One configuration, given to both programs: each runs in a folder of its own, so with a state of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import attrs

SOURCE: dict[str, Any] = {"type": "postgres", "url_env": "DATABASE_URL"}
#: A program that hangs must fail its test, not the session.
PATIENCE_S = 100.0
RUN = ("run", "-c", "rivet.yaml", "--json", "--json-errors")
_CODE = re.compile(r"RIVET_[A-Z0-9_]+")


@attrs.frozen(kw_only=True)
class Ended:
    """What a command left behind."""

    code: int
    out: str
    err: str

    def error(self) -> dict[str, Any]:
        """The object of ``--json-errors``; empty when there is none."""
        for line in reversed(self.err.splitlines()):
            if line.startswith("{"):
                found: dict[str, Any] = json.loads(line)
                return found
        return {}

    def failure(self) -> str | None:
        """The error's code, or None where it has none."""
        code = self.error().get("code")
        return None if code is None else str(code)

    def exports(self) -> dict[str, dict[str, Any]]:
        """The entries of ``run --json``, by the export's name."""
        return {entry["export_name"]: entry for entry in json.loads(self.out)["per_export"]}

    def said(self) -> str:
        """Both streams, without colours."""
        return re.sub(r"\x1b\[[0-9;]*m", "", self.out + self.err)


@attrs.frozen(kw_only=True)
class Both:
    """The same command, ended twice."""

    ours: Ended
    theirs: Ended

    @property
    def codes(self) -> tuple[int, int]:
        """Exit statuses: ours, theirs."""
        return self.ours.code, self.theirs.code

    @property
    def failures(self) -> tuple[str | None, str | None]:
        return self.ours.failure(), self.theirs.failure()


@attrs.frozen(kw_only=True)
class Pair:
    """Both programs over one folder; ``ours`` and ``theirs`` below it are where each of them works.

    :param rust: the path of the Rust tool's program.
    :param url: what ``DATABASE_URL`` holds for both.
    """

    rust: str
    folder: Path
    url: str

    @property
    def ours(self) -> Path:
        return self.folder / "ours"

    @property
    def theirs(self) -> Path:
        return self.folder / "theirs"

    def write(self, text: str, *, file: str = "rivet.yaml") -> None:
        """Puts a file into both folders."""
        for folder in (self.ours, self.theirs):
            path = folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def configure(self, exports: Iterable[dict[str, Any]], *, source: dict[str, Any] = SOURCE, **keys: Any) -> None:
        """Writes ``rivet.yaml`` into both folders; JSON is YAML, and needs no rules of quoting of our own."""
        self.write(json.dumps({"source": source, "exports": list(exports), **keys}, indent=1, ensure_ascii=False))

    def rivet(self, *arguments: str, below: str = ".", **variables: str) -> Both:
        """Runs a command of both, beside each other."""
        mine = self._start([sys.executable, "-m", "rivet_core"], self.ours / below, arguments, variables)
        other = self._start([self.rust], self.theirs / below, arguments, variables)
        return Both(ours=_ended(mine), theirs=_ended(other))

    def run(self, *arguments: str, **variables: str) -> Both:
        """``rivet run`` of the configuration, with reports and errors as JSON."""
        return self.rivet(*RUN, *arguments, **variables)

    def run_ours(self, *arguments: str, **variables: str) -> Ended:
        """As :meth:`run`, with our program alone."""
        return _ended(self._start([sys.executable, "-m", "rivet_core"], self.ours, (*RUN, *arguments), variables))

    def run_theirs(self, *arguments: str, **variables: str) -> Ended:
        """As :meth:`run`, with the Rust tool alone."""
        return _ended(self._start([self.rust], self.theirs, (*RUN, *arguments), variables))

    def _start(
        self, command: list[str], folder: Path, arguments: tuple[str, ...], variables: dict[str, str]
    ) -> subprocess.Popen[str]:
        kept = {name: text for name, text in os.environ.items() if not name.startswith(("RIVET_", "NO_COLOR", "PG"))}
        return subprocess.Popen(
            [*command, *arguments],
            cwd=folder,
            env={**kept, "DATABASE_URL": self.url, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        )


def _ended(process: subprocess.Popen[str]) -> Ended:
    with process:
        try:
            out, err = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return Ended(code=process.returncode, out=out, err=err)


def family(code: str | None) -> str | None:
    """The words of a code that both tools' registries share: RIVET_CONFIG, RIVET_SOURCE, …"""
    if code is None or not _CODE.fullmatch(code):
        return None
    return "_".join(code.split("_")[:2])


def export(name: str, relation: dict[str, Any] | str, **keys: Any) -> dict[str, Any]:
    """One entry of ``exports``, to a folder that bears its name.

    :param relation: a table's name, or the keys that say what is read.
    """
    reads = {"table": relation} if isinstance(relation, str) else relation
    return {
        "name": name,
        **reads,
        "format": "parquet",
        "destination": {"type": "local", "path": f"out/{name}"},
        **keys,
    }


def query(text: str) -> dict[str, Any]:
    """The key ``query``."""
    return {"query": text}
