"""The matrices as values: rows, columns, and what each cell says."""

from __future__ import annotations

import re
from pathlib import Path

import attrs
import yaml

FOLDER = Path(__file__).parent
LEDGERS = ("durability-ordering.yaml", "runner-coverage.yaml")
#: What a cell may say: proved by a test, cannot occur and why, or waits for a feature that is not built.
WORDS = ("test", "na", "later")


@attrs.frozen(kw_only=True)
class Cell:
    """One cell; ``word`` is empty when it says nothing, or more than one thing."""

    ledger: str
    row: str
    column: str
    word: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.ledger}: {self.row}, {self.column}"


@attrs.frozen(kw_only=True)
class Ledger:
    """One matrix.

    :param runners: the registered runner, or the one to come, behind a column; a column of a stretch plugin has none.
    """

    name: str
    runners: dict[str, str]
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[Cell, ...]


def read_ledger(name: str) -> Ledger:
    """Return a matrix with its defaults put into the cells."""
    data = yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))
    columns = tuple(data["columns"])
    cells = []
    for row in data["rows"]:
        assert set(row) <= {"id", "means", "each", "cells"}, row["id"]
        assert row["means"], row["id"]
        given = row.get("cells", {})
        assert set(given) <= set(columns), f"{row['id']}: {set(given) - set(columns)} is no column"
        for column in columns:
            waits = data["columns"][column].get("later")
            said = given.get(column) or ({"later": waits} if waits else row.get("each", {}))
            words = [word for word in said if word in WORDS and str(said[word]).strip()]
            word = words[0] if len(words) == len(said) == 1 else ""
            text = str(said.get(word, "")).replace("{column}", column)
            cells.append(Cell(ledger=name, row=row["id"], column=column, word=word, text=text))
    return Ledger(
        name=name,
        runners={column: facts["runner"] for column, facts in data["columns"].items() if "runner" in facts},
        columns=columns,
        rows=tuple(row["id"] for row in data["rows"]),
        cells=tuple(cells),
    )


def matches(text: str, nodeid: str) -> bool:
    """Return whether a cell's text names a test: exactly, as a function with all its parameters, or with ``*``."""
    pattern = "".join(".*" if piece == "*" else re.escape(piece) for piece in re.split(r"(\*)", text))
    return re.fullmatch(pattern if "[" in text else rf"{pattern}(\[.*\])?", nodeid, flags=re.DOTALL) is not None
