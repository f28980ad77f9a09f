"""Types by the user's wish: every word over every type that both tools deliver it from, and what each makes of it."""

from __future__ import annotations

from typing import Any

import pyarrow.parquet as pq
import pytest
from interop_datasets import Dataset, differences
from interop_pair import Both, Pair, export, query

from rivet_core.config.columns import TYPE_WORDS

INTEGERS = ("smallint", "int", "bigint", "decimal(20,4)")
TEXTS = ("text", "json", "decimal(20,4)")
#: By the column of ``kinds``: the words that the Rust tool delivers it in, as far as it gives the same value.
ALIKE: dict[str, tuple[str, ...]] = {
    "c_bool": ("bool",),
    **dict.fromkeys(("c_int2", "c_int4", "c_int8"), INTEGERS),
    "c_oid": ("smallint", "int", "bigint"),
    "c_float4": ("real",),
    "c_float8": ("double",),
    "c_money": ("decimal(20,4)", "decimal(12,2)", "numeric(50,10)"),
    "c_numeric": ("decimal(20,4)", "decimal(38,9)", "text"),
    **dict.fromkeys(("c_text", "c_varchar", "c_char", "c_name"), TEXTS),
    "c_bytea": ("binary",),
    "c_date": ("date",),
    "c_timestamp": ("timestamp", "timestamp_tz"),
    "c_timestamptz": ("timestamp", "timestamp_tz"),
    **dict.fromkeys(("c_json", "c_jsonb"), ("text", "json")),
    "c_uuid": ("text", "uuid"),
    "c_enum": ("text",),
    "c_interval": ("text",),
}
#: What the Rust tool writes otherwise, with both results of the first row: ours, theirs.
OTHERWISE = {
    ("c_whole", "text"): ("1.00", "1"),
    ("c_whole", "json"): ("1.00", "1"),
    ("c_uuid", "json"): ('"00112233-4455-6677-8899-aabbccddeeff"', "00112233-4455-6677-8899-aabbccddeeff"),
    ("c_enum", "json"): ('"ok"', "ok"),
    ("c_interval", "json"): ('"P1D"', "P1D"),
}
#: Each word over a type that it fits.
OVER = {
    "bool": "c_bool",
    **dict.fromkeys(("float4", "real"), "c_float4"),
    **dict.fromkeys(("float8", "double"), "c_float8"),
    **dict.fromkeys(("text", "varchar", "string", "char", "bpchar", "name", "json", "jsonb"), "c_text"),
    **dict.fromkeys(("binary", "bytea", "blob", "varbinary"), "c_bytea"),
    "date": "c_date",
    "uuid": "c_uuid",
    **dict.fromkeys(("timestamp", "timestamp_tz", "timestamptz", "timestamp_utc"), "c_timestamptz"),
}
#: Words that the Rust tool knows and delivers from nothing that PostgreSQL has.
NANOSECONDS = {"timestamp_ns", "timestamp_tz_ns"}


def over(pairs: dict[str, tuple[str, str]], rows: str = "kinds") -> dict[str, Any]:
    """An export of one column a pair, under the pair's name."""
    shown = ", ".join(f'{column} AS "{name}"' for name, (column, _) in pairs.items())
    reads = query(f"SELECT id, {shown} FROM {rows} ORDER BY id")
    return {**reads, "columns": {name: word for name, (_, word) in pairs.items()}}


PAIRS = {f"{column} {word}": (column, word) for column, words in ALIKE.items() for word in words}
WORDS = {word: (OVER.get(word, "c_int8"), word) for word in TYPE_WORDS if word not in NANOSECONDS}
CASES = {word.upper(): (column, word.upper()) for word, (column, _) in WORDS.items() if word == "bigint"}
DECIMALS = {"a": ("c_int8", "decimal( 20 , 4 )"), "b": ("c_money", "NUMERIC(38,2)"), "c": ("c_int8", "decimal(76,0)")}
APART = {f"{column} {word}": (column, word) for column, word in OTHERWISE}
WHOLE = "(SELECT *, 1::numeric(12, 2) AS c_whole FROM kinds) AS kinds"


@pytest.fixture(scope="module")
def ran(rust_tool: Any, tables: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Pair, Both]:
    pair = Pair(rust=rust_tool.path, folder=tmp_path_factory.mktemp("columns"), url=tables)
    pair.configure(
        [
            export("pairs", over(PAIRS)),
            export("words", over(WORDS | CASES)),
            export("decimals", over(DECIMALS)),
            export("apart", over(APART, WHOLE)),
        ]
    )
    return pair, pair.run()


def test_both_end_well(ran: tuple[Pair, Both]) -> None:
    assert ran[1].codes == (0, 0), ran[1]


@pytest.mark.parametrize("name", ["pairs", "words", "decimals"])
def test_types_and_values_are_the_same(ran: tuple[Pair, Both], name: str) -> None:
    ours, theirs = (Dataset.at(folder / "out" / name) for folder in (ran[0].ours, ran[0].theirs))
    assert differences(ours, theirs) == {"created_by", "field metadata"}


@pytest.mark.parametrize(("column", "word"), OTHERWISE)
def test_what_is_written_otherwise_is_listed(ran: tuple[Pair, Both], told: str, column: str, word: str) -> None:
    found = []
    for folder in (ran[0].ours, ran[0].theirs):
        table = pq.read_table(Dataset.at(folder / "out" / "apart").files[0])
        found.append(str(table.column(f"{column} {word}")[0]))
    assert tuple(found) == OTHERWISE[column, word]
    assert "its trailing zeros" in told
    assert "valid JSON" in told


def test_every_word_is_looked_at() -> None:
    assert set(TYPE_WORDS) == {*WORDS, *NANOSECONDS}


@pytest.mark.parametrize("word", sorted(NANOSECONDS))
def test_nanoseconds_are_delivered_by_us_alone(pair: Pair, told: str, word: str) -> None:
    pair.configure([export("x", query("SELECT c_timestamp FROM kinds"), columns={"c_timestamp": word})])
    both = pair.run()
    assert (both.ours.code, both.theirs.code == 0) == (0, False)
    assert "nanoseconds" in told
