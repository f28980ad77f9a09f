"""What each program makes of a file before anything connects."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import attrs

from rivet_core.config import Configuration, ConfigurationInvalid, Problem, load
from rivet_core.plugins import Plugins

PLUGINS = Plugins.installed({})
#: Nothing listens there; whoever reads a file only does not notice.
SOURCE: dict[str, Any] = {"type": "postgres", "url": "postgresql://u@127.0.0.1:1/d"}
EXPORT: dict[str, Any] = {
    "name": "x",
    "table": "items",
    "format": "parquet",
    "destination": {"type": "local", "path": "out"},
}
_ACCEPTED = "RIVET_CLI_EXPORT_UNKNOWN"


def file(*, source: dict[str, Any] | None = None, export: dict[str, Any] | None = None, **keys: Any) -> dict[str, Any]:
    """A whole file with one export.

    :param source: the whole source, in place of one that is sound.
    :param export: its further keys; one that is absent here (:data:`ABSENT`) is left out.
    """
    made = {key: value for key, value in {**EXPORT, **(export or {})}.items() if value is not ABSENT}
    return {"source": source or SOURCE, "exports": [made], **keys}


ABSENT = object()


@attrs.frozen(kw_only=True)
class Reading:
    """Reads files in a folder, with either program.

    :param rust: the path of the Rust tool's program.
    """

    rust: str
    folder: Path

    def theirs(self, tree: Any, **variables: str) -> str | None:
        """The code with which the Rust tool refuses a file, or None when it would begin to run it."""
        done = subprocess.run(
            # It looks for the export when it has found nothing wrong with the file.
            [self.rust, "run", "-c", self._write(tree), "-e", "no such export", "--json-errors"],
            cwd=self.folder,
            env={**os.environ, **variables},
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        code: str = json.loads(done.stderr.splitlines()[-1])["code"]
        assert done.returncode == 1, done.stderr
        return None if code == _ACCEPTED else code

    def ours(self, tree: Any, **variables: str) -> Configuration:
        """What we read; :meth:`problems` for a file that is refused."""
        path = self.folder / self._write(tree)
        return load(path, PLUGINS, params={}, environ={**os.environ, **variables})

    def problems(self, tree: Any, **variables: str) -> tuple[Problem, ...]:
        """Why we refuse a file; empty when we do not."""
        try:
            self.ours(tree, **variables)
        except ConfigurationInvalid as error:
            return error.problems
        return ()

    def _write(self, tree: Any) -> str:
        text = tree if isinstance(tree, str) else json.dumps(tree, indent=1, ensure_ascii=False)
        (self.folder / "rivet.yaml").write_text(text, encoding="utf-8")
        return "rivet.yaml"
