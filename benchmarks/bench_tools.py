"""The programs that are compared, and the one configuration that all of them read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import attrs
from bench_table import TABLE

#: What is left out here is at each program's own default.
_CONFIGURATION = """\
source:
  type: postgres
  url_env: DATABASE_URL
{source}exports:
  - name: items
    table: {table}
    mode: full
    format: {format}
{compression}    destination: {{type: local, path: out}}
"""
_ZSTD = "    compression: zstd\n    compression_level: 3\n"


@attrs.frozen(kw_only=True)
class Tool:
    """A program to run.

    :param source: lines of YAML for its ``source``, each indented and ended.
    """

    name: str
    program: Path
    source: str = ""

    def version(self) -> str:
        done = subprocess.run([self.program, "--version"], capture_output=True, text=True, check=False, timeout=60)
        return (done.stdout.splitlines() or ["unknown"])[0]

    def prepare(self, folder: Path, format: str) -> list[str]:  # noqa: A002
        """Write the configuration into an empty folder, and return the command to be run there."""
        compression = _ZSTD if format == "parquet" else ""
        text = _CONFIGURATION.format(source=self.source, table=TABLE, format=format, compression=compression)
        (folder / "rivet.yaml").write_text(text)
        return [str(self.program), "run", "-c", "rivet.yaml"]


def delivered(folder: Path) -> tuple[int, int]:
    """Return the rows that the manifest declares, and the bytes of its parts as they lie there."""
    manifest = json.loads((folder / "out" / "manifest.json").read_text())
    sizes = [(folder / "out" / part["path"]).stat().st_size for part in manifest["parts"]]
    return manifest["row_count"], sum(sizes)


def our_program() -> Path:
    """The command beside the running interpreter."""
    return Path(sys.executable).parent / "rivet"


def install_peer(folder: Path, constraints: Path) -> Path:
    """Install the Rust tool into an environment of its own, for its command is called rivet as well."""
    venv.create(folder, with_pip=True)
    command = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--constraint", str(constraints)]
    subprocess.run([*command, "rivet-cli"], check=True, env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"})
    return folder / "bin" / "rivet"
