"""Builds the sample shop in `demo/`, exports it with the installed `rivet`, verifies it, and reads it like a loader.

Run by the session `demo`. It asks for the core and nothing else. `demo/` lies two folders up, at the top of the
checkout, and is emptied only when it carries the mark of an earlier demo.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pyarrow.parquet as pq

HERE = Path(__file__).parent
FOLDER = HERE.resolve().parents[1] / "demo"
MARK = ".made-by-the-rivet-demo"
RIVET = Path(sys.executable).with_name("rivet")


def rivet(*arguments: str) -> None:
    """One command, shown as it would be typed."""
    print("\n$ rivet", *arguments, flush=True)
    subprocess.run([RIVET, *arguments], cwd=FOLDER, check=True)


def load(prefix: Path) -> int:
    """The rows that the manifest vouches for, read from the parts that it names and from no other file."""
    manifest = json.loads((prefix / "manifest.json").read_text())
    return sum(pq.read_table(prefix / part["path"]).num_rows for part in manifest["parts"])


def count(table: str) -> int:
    """The rows that the shop has."""
    with closing(sqlite3.connect(FOLDER / "shop.db")) as connection:
        found: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return found


def begin_anew(folder: Path) -> None:
    """Leave the folder empty but for the mark; one that somebody else made is refused and stays as it is."""
    if (folder / MARK).is_file() and not folder.is_symlink():
        shutil.rmtree(folder)
    try:
        # An empty folder is nobody's loss.
        if folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir()):
            folder.rmdir()
        folder.mkdir()
    except FileExistsError:
        sys.exit(
            f"{folder} is there already, and nothing in it says that this demo made it: there is no {MARK}.\n"
            "It was left as it is. Move it away or remove it, then run the demo again."
        )
    (folder / MARK).write_text("The next demo removes this folder with everything in it.\n")


def main() -> None:
    """The main job, from an empty folder to rows in the hands of a loader."""
    begin_anew(FOLDER)
    shutil.copy(HERE / "rivet.yaml", FOLDER)
    subprocess.run([sys.executable, HERE / "build.py", FOLDER / "shop.db"], check=True)
    rivet("run", "--config", "rivet.yaml", "--quiet")
    rivet("validate", "--config", "rivet.yaml", "--depth", "full")
    prefixes = sorted(path.parent for path in (FOLDER / "out").glob("*/manifest.json"))
    wrong = [prefix.name for prefix in prefixes if load(prefix) != count(prefix.name)]
    if wrong or not prefixes:
        sys.exit(f"These are not the rows of the shop: {', '.join(wrong) or 'there are none'}.")
    print(
        f"\n{len(prefixes)} tables are in {FOLDER / 'out'}, row for row what the shop has.\n"
        f"\nWhere to look next, in {FOLDER}:\n"
        "  rivet.yaml                  what was exported, with a word about each key\n"
        "  out/orders/manifest.json    what a loader reads first: the parts, their rows and digests\n"
        "  .rivet/runs/                a report for each run\n"
        f"and there, with {RIVET.parent} on the PATH:\n"
        "  rivet check --config rivet.yaml --type-report    how each column arrives\n"
        "  rivet state runs --config rivet.yaml             what ran\n"
        "  rivet help                                       everything else"
    )


if __name__ == "__main__":
    main()
