"""The relations that the source contract asks for, with known rows: ties, extremes, NULLs, awkward names.

The types are those that every engine has: 64-bit integers, doubles, text, bytes.
"""

from __future__ import annotations

from typing import Final, TypeVar

import attrs
import pyarrow as pa

from rivet_core.types import Relation

_Value = TypeVar("_Value")

LOWEST: Final = -(2**63)
HIGHEST: Final = 2**63 - 1


@attrs.frozen(kw_only=True)
class Sample:
    """A table that a source's author is asked to make, replacing one of the same name.

    :param name: the exact name, to be quoted.
    :param rows: names, types and values, in no order; every column outside the key allows NULL.
    :param key: the columns of the primary key; empty for none. Keys are compared exactly, also in their case.
    """

    name: str
    rows: pa.Table
    key: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class Filled:
    """What the author made of a :class:`Sample`.

    :param relation: what to read.
    :param rows: what has to arrive, in any order: the sample's rows, unless the source cannot but render some value
        differently (an opaque key as JSON text, for example).
    :param key: the columns of the primary key as they arrive; empty when the source has no such notion.
    """

    relation: Relation
    rows: pa.Table
    key: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class Typed:
    """A relation with a column of every type that the source declares to deliver.

    :param expected: its rows, in any order, in the exact Arrow types.
    """

    relation: Relation
    expected: pa.Table


_TEXTS: Final = (
    "plain", "", " ", "it's", 'say "x"', "back\\slash", "new\nline", "tab\t", "NULL", "null", "\\N", "äöü", "naïve",
    "日本", "🐘", "%s", ":a", "?", "a,b;c", "x" * 3000,
)  # fmt: skip
_NAMES: Final = (
    "select", "two words", 'q"uote', "it's", "dot.ted", "ünïcode", "100%s", ":colon", "what?", "back\\slash",
    "back`tick", "[bracket]", "{brace}", "Case", "case2", "日本",
)  # fmt: skip
_REALS: Final = (0.0, 1.5, -1.5, 1.7976931348623157e308, -1.7976931348623157e308, 5e-324, 0.1, 1e15 + 0.3)
_BYTES: Final = (b"", b"\x00", b"\xff\xfe", b"abc", b"a'b\\x", bytes(range(256)))
_CODES: Final = ("b", "a", "B", "ä", "a b", "a'b", "a-b", "Z", "é", "10", "9", "_", "ab", "ß")
#: Neither sorted nor reversed, so that no source is right by chance.
_IDS: Final = (7, 3, HIGHEST, 11, -1, 0, LOWEST, 5, 2, 2**53 + 1, -(2**53) - 1, 1, 40, 12, 19, 10, 9, 100, 99, 4, 6, 8)


def _cycle(values: tuple[_Value, ...], every_null: int, length: int) -> list[_Value | None]:
    return [None if index % every_null == every_null - 1 else values[index % len(values)] for index in range(length)]


def _ledger() -> pa.Table:
    length = len(_IDS)
    return pa.table(
        {
            "id": pa.array(_IDS, pa.int64()),
            "tie": pa.array([(index * 7) % 4 for index in range(length)], pa.int64()),
            "gap": pa.array(_cycle((30, 10, 10, LOWEST, 20, HIGHEST, -5), 3, length), pa.int64()),
            "text": pa.array(_cycle(_TEXTS, 11, length), pa.string()),
            "amount": pa.array(_cycle(_REALS, 5, length), pa.float64()),
            "bytes": pa.array(_cycle(_BYTES, 7, length), pa.binary()),
        }
    )


#: The main one: a single integer key, ties in ``tie``, ties and NULLs in ``gap``, extremes everywhere.
LEDGER: Final = Sample(name="ledger", rows=_ledger(), key=("id",))
#: The same columns without a row.
EMPTY: Final = Sample(name="ledger_empty", rows=LEDGER.rows.slice(0, 0), key=("id",))
#: A key of two columns, of which the first has ties.
PAIRS: Final = Sample(
    name="pairs",
    rows=pa.table(
        {
            "a": pa.array([2, 1, 1, 3, 2, 1, 2, 3, 1, LOWEST, HIGHEST], pa.int64()),
            "b": pa.array([5, 5, -1, 0, 4, HIGHEST, LOWEST, 7, 0, 0, 0], pa.int64()),
            "value": pa.array([f"row {index}" for index in range(11)], pa.string()),
        }
    ),
    key=("a", "b"),
)
#: A text key whose order depends on who sorts it.
CODES: Final = Sample(
    name="codes",
    rows=pa.table(
        {
            "code": pa.array(_CODES, pa.string()),
            "value": pa.array(list(range(14)), pa.int64()),
        }
    ),
    key=("code",),
)
#: Rows that are equal in every column, and no key: a multiset.
TWINS: Final = Sample(
    name="twins",
    rows=pa.table(
        {"a": pa.array([1, 1, 2, None, None], pa.int64()), "b": pa.array(["x", "x", "y", None, None], pa.string())}
    ),
)
#: Names that only exact quoting survives.
AWKWARD: Final = Sample(
    name='Order\'s "Dot.ted" Tüble %s',
    rows=pa.table(
        {name: pa.array([index, None, index + 2], pa.int64()) for index, name in enumerate(_NAMES)}
    ).append_column("key column", pa.array([1, 2, 3], pa.int64())),
    key=("key column",),
)
