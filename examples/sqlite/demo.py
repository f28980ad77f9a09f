"""Makes a sample database in `demo/`, exports it with the installed `rivet`, and reads the result as a loader would.

Run by the session `demo`. It asks for the core and nothing else.
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
FOLDER = HERE.parents[1] / "demo"
RIVET = Path(sys.executable).with_name("rivet")
ORDERS = 100_000

TABLE = """
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer TEXT NOT NULL,
    amount REAL NOT NULL,
    note TEXT,
    receipt BLOB
)
"""
# Every third note is missing, and every receipt has another size.
ROWS = """
WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < ?)
INSERT INTO orders
SELECT n, 'Kundin № ' || (n % 977), (n * 37 % 100000) / 100.0, iif(n % 3 = 0, NULL, 'order ' || n), randomblob(n % 24)
FROM counter
"""


def make_database(path: Path) -> None:
    """A table of orders, with text beyond ASCII, NULLs and bytes."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(TABLE)
        connection.execute(ROWS, (ORDERS,))


def rivet(*arguments: str) -> None:
    """One command, shown as it would be typed."""
    print("$ rivet", *arguments, flush=True)
    subprocess.run([RIVET, *arguments], cwd=FOLDER, check=True)


def load(prefix: Path) -> int:
    """The rows that the manifest vouches for, read from the parts that it names and from no other file."""
    manifest = json.loads((prefix / "manifest.json").read_text())
    return sum(pq.read_table(prefix / part["path"]).num_rows for part in manifest["parts"])


def main() -> None:
    """The main job, from an empty folder to rows in the hands of a loader."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    make_database(FOLDER / "shop.db")
    shutil.copy(HERE / "rivet.yaml", FOLDER)
    rivet("run", "--config", "rivet.yaml")
    rivet("validate", "--config", "rivet.yaml")
    rows = load(FOLDER / "out" / "orders")
    if rows != ORDERS:
        sys.exit(f"The manifest vouches for {rows} rows, and the table has {ORDERS}.")
    print(f"{rows} orders are in {FOLDER / 'out' / 'orders'}, and the manifest vouches for each of them.")


if __name__ == "__main__":
    main()
