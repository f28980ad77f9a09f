"""Runs that do not end well in both tools, or in one: exit statuses, families of codes, and what is left behind."""

from __future__ import annotations

import json
from typing import Any

import attrs
import pytest
from interop_pair import SOURCE, Both, Pair, export, family, query
from interop_reading import Reading

ONCE = {"max_retries": 0}


@attrs.frozen(kw_only=True)
class Case:
    """An export and how a run of it ends.

    :param family: of both codes; the Rust tool gives some failures no code at all.
    """

    keys: dict[str, Any]
    exit: int
    family: str


def case(exit: int, family: str, relation: dict[str, Any] | str = "items", **keys: Any) -> Case:  # noqa: A002 - as it is called
    return Case(keys=export("x", relation, **keys), exit=exit, family=family)


def config(relation: dict[str, Any] | str = "items", **keys: Any) -> Case:
    return case(1, "RIVET_CONFIG", relation, **keys)


def gate(relation: dict[str, Any] | str = "items", **quality: Any) -> Case:
    return case(3, "RIVET_RUN", relation, quality=quality)


BIG = query("SELECT 1 AS a, repeat('x', 2000000) AS b")
#: Ended by the run in both.
BOTH = {
    "no such table": case(1, "RIVET_SOURCE", "nowhere"),
    "no such schema": case(1, "RIVET_SOURCE", "nowhere.items"),
    "no statement": case(1, "RIVET_SOURCE", query("SELEC 1")),
    "a statement that fails": case(1, "RIVET_SOURCE", query("SELECT 1 / (id - 5) AS a FROM items")),
    "a column in other letters": config(columns={"ID": "text"}),
    "too few rows": gate(row_count_min=1001),
    "too many rows": gate(row_count_max=999),
    "too many NULLs": gate(null_ratio_max={"name": 0.1999}),
    "a value twice": gate(unique_columns=["small"]),
    "too few rows of none": gate("nothing", row_count_min=1),
    "NULLs of a column that is not there": config(quality={"null_ratio_max": {"nowhere": 0.5}}),
    "values of a column that is not there": config(quality={"unique_columns": ["nowhere"]}),
    "a hash of a column that is not there": config(meta_columns={"row_hash": ["nowhere"]}),
    "a hash of a column in other letters": config(meta_columns={"row_hash": ["ID"]}),
    "a column with the name of the hash": config(query("SELECT 1 AS _rivet_row_hash"), meta_columns={"row_hash": True}),
    "a column with the name of the moment": config(
        query("SELECT 1 AS _rivet_exported_at"), meta_columns={"exported_at": True}
    ),
    "lists in CSV": config(query("SELECT numbers FROM items"), format="csv"),
    "a statement that takes too long": case(
        1, "RIVET_SOURCE", query("SELECT pg_sleep(3)::text AS a"), tuning={**ONCE, "statement_timeout_s": 1}
    ),
    "a value that is too large": case(1, "RIVET_SOURCE", BIG, tuning={**ONCE, "max_value_mb": 1}),
    "a decimal of more places": case(
        5, "RIVET_SOURCE", query("SELECT 1.234::numeric AS a"), columns={"a": "decimal(9,2)"}
    ),
    "a decimal that is no number": case(
        5, "RIVET_SOURCE", query("SELECT 'NaN'::numeric AS a"), columns={"a": "decimal(9,2)"}
    ),
    "a whole number that is too large": case(5, "RIVET_SOURCE", query("SELECT 70000 AS a"), columns={"a": "smallint"}),
    "text that is no decimal": case(5, "RIVET_SOURCE", query("SELECT '1,5'::text AS a"), columns={"a": "decimal(9,2)"}),
    "an endless moment": case(5, "RIVET_SOURCE", query("SELECT 'infinity'::timestamp AS a")),
}
#: Ended by the run there, and by the reading of the file here.
EARLIER = {
    "more than a schema and a name": config("a.b.c"),
    "a name that is none": config("it-ems"),
    "an empty statement": config(query("")),
    "a query file that is not there": config({"query_file": "nowhere.sql"}),
    "an unknown type": config(columns={"id": "bigints"}),
    "a decimal that is larger inside": config(columns={"id": "decimal(2,3)"}),
    "a decimal of too many digits": config(columns={"id": "decimal(77,0)"}),
}


@attrs.frozen(kw_only=True)
class Apart:
    """An export whose runs end otherwise: docs/compatibility.md says why under ``word``.

    :param exits: ours, theirs.
    """

    keys: dict[str, Any]
    exits: tuple[int, int]
    word: str


def apart(exits: tuple[int, int], word: str, relation: dict[str, Any] | str = "items", **keys: Any) -> Apart:
    return Apart(keys=export("x", relation, **keys), exits=exits, word=word)


def value(expression: str, word: str | None = None) -> dict[str, Any]:
    columns = {} if word is None else {"columns": {"a": word}}
    return {"relation": query(f"SELECT {expression} AS a"), **columns}


APART = {
    "two columns of one name": apart((1, 0), "two columns", query("SELECT 1 AS a, 2 AS a")),
    "a type of no column": apart((1, 0), "no column", columns={"nowhere": "text"}),
    "more values than the bound": apart(
        (3, 0), "unique_max_entries", quality={"unique_columns": ["small"], "unique_max_entries": 5}
    ),
    "a decimal that is too large": apart(
        (5, 0), "wrapped around", **value("123456789012345678::numeric", "decimal(18,2)")
    ),
    "text that is no JSON": apart((5, 0), "no JSON", **value("'no'::text", "json")),
    "text of nothing": apart((5, 0), "empty text", **value("''::text", "decimal(9,2)")),
    "a numeric of any scale": apart((0, 1), "without an Arrow twin", **value("1.5::numeric")),
    "an address": apart((0, 1), "without an Arrow twin", **value("'10.0.0.1'::inet")),
    "money": apart((0, 1), "without an Arrow twin", **value("'1'::money")),
    "a wider type": apart((0, 1), "type words", **value("1::int", "text")),
    "a name in quotes": apart((0, 1), "quotes", '"Mixed"'),
    "a batch of many rows": apart(
        (0, 1),
        "max_batch_memory_mb",
        query("SELECT g AS a, repeat('x', 1000) AS b FROM generate_series(1, 5000) AS g"),
        tuning={**ONCE, "max_batch_memory_mb": 1, "on_batch_memory_exceeded": "fail"},
    ),
}


@attrs.frozen(kw_only=True)
class Ran:
    """All of those exports: run by us in one go, and to be run by the Rust tool one by one.

    :param ours: what became of each, by its name.
    """

    pair: Pair
    ours: dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def ran(rust_tool: Any, tables: str, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    pair = Pair(rust=rust_tool.path, folder=tmp_path_factory.mktemp("endings"), url=tables)
    cases = {name: one.keys for name, one in BOTH.items()} | {name: one.keys for name, one in APART.items()}
    exports = [
        {**keys, "name": name, "destination": {"type": "local", "path": f"out/{name}"}} for name, keys in cases.items()
    ]
    pair.configure(exports, source={**SOURCE, "tuning": ONCE})
    return Ran(pair=pair, ours=pair.run_ours().exports())


@pytest.mark.parametrize("what", BOTH)
def test_both_end_alike(ran: Ran, what: str) -> None:
    wanted, ours, theirs = BOTH[what], ran.ours[what], ran.pair.run_theirs("-e", what)
    assert (ours["exit_class"], theirs.code) == (wanted.exit, wanted.exit)
    assert family(ours["error_code"]) == wanted.family
    assert family(theirs.failure()) in {None, wanted.family}


@pytest.mark.parametrize("what", APART)
def test_what_ends_otherwise_is_listed_with_its_reason(ran: Ran, told: str, what: str) -> None:
    wanted, theirs = APART[what], ran.pair.run_theirs("-e", what)
    assert (ran.ours[what]["exit_class"], theirs.code) == wanted.exits, theirs
    assert wanted.word in told


@pytest.mark.parametrize("what", EARLIER)
def test_what_we_refuse_before_we_connect_ends_alike(pair: Pair, what: str) -> None:
    pair.configure([EARLIER[what].keys])
    theirs = pair.run_theirs()
    problems = Reading(rust=pair.rust, folder=pair.ours).problems((pair.ours / "rivet.yaml").read_text())
    assert theirs.code == 1
    assert {family(problem.code) for problem in problems} == {"RIVET_CONFIG"}
    assert family(theirs.failure()) in {None, "RIVET_CONFIG", "RIVET_SOURCE"}


def ended(pair: Pair, keys: dict[str, Any], *, source: dict[str, Any] = SOURCE, **variables: str) -> Both:
    pair.configure([keys], source={"tuning": ONCE, **source})
    return pair.run(**variables)


def test_a_gate_that_fails_leaves_the_last_good_dataset_to_us_alone(pair: Pair, told: str) -> None:
    assert ended(pair, export("x", "items")).codes == (0, 0)
    assert ended(pair, export("x", "items", quality={"row_count_min": 5000})).codes == (3, 3)
    left = [(folder / "out" / "x" / "_SUCCESS").exists() for folder in (pair.ours, pair.theirs)]
    assert left == [True, False]
    assert "last good dataset" in told


def test_content_in_a_folder_is_refused_by_us_alone(pair: Pair, told: str) -> None:
    assert ended(pair, export("x", "items", verify="content")).codes == (1, 0)
    assert "verify: content" in told


CONNECTIONS: dict[str, tuple[int, str, dict[str, Any]]] = {
    "nobody listens": (2, "RIVET_SOURCE", {"url": "postgresql://u:p@127.0.0.1:1/d"}),
    "a wrong password": (1, "RIVET_SOURCE", {"url": "@USER:wrong@"}),
    "no such database": (1, "RIVET_SOURCE", {"url": "@DATABASE@"}),
    "a variable that is not set": (1, "RIVET_CONFIG", {"url_env": "NOWHERE"}),
    "a variable that is empty": (1, "RIVET_CONFIG", {"url_env": "EMPTY"}),
    "a file that is not there": (1, "RIVET_CONFIG", {"url_file": "nowhere.txt"}),
    "a file of several lines": (1, "RIVET_CONFIG", {"url_file": "lines.txt"}),
    "a scheme of another source": (1, "RIVET_CONFIG", {"url": "mysql://u@127.0.0.1/d"}),
    "an unknown parameter": (1, "RIVET_CONFIG", {"url": "@URL@?nonsense=1"}),
    "another machine without a word on TLS": (1, "RIVET_CONFIG", {"url": "postgresql://u@db.example/d"}),
    "TLS that the server has not": (1, "RIVET_SOURCE", {"url": "@URL@", "tls": {"mode": "require"}}),
    "TLS by default of the block": (1, "RIVET_SOURCE", {"url": "@URL@", "tls": {}}),
    "TLS by the URL": (1, "RIVET_SOURCE", {"url": "@URL@?sslmode=require"}),
    "authorities that are not there": (1, "RIVET_CONFIG", {"url": "@URL@", "tls": {"ca_file": "nowhere.pem"}}),
}


@pytest.mark.parametrize("what", CONNECTIONS)
def test_both_fail_alike_to_connect(pair: Pair, what: str) -> None:
    code, wanted, source = CONNECTIONS[what]
    written = json.dumps(source)
    for word, put in (
        ("@URL@", pair.url),
        ("@DATABASE@", pair.url.rpartition("/")[0] + "/nowhere"),
        ("@USER:wrong@", pair.url.partition("://")[0] + "://rivet:wrong@" + pair.url.rpartition("@")[2]),
    ):
        written = written.replace(word, put)
    pair.write(f"{pair.url}\n\nmore\n", file="lines.txt")
    both = ended(pair, export("x", "items"), source={"type": "postgres", **json.loads(written)}, EMPTY="")
    assert both.codes == (code, code), both
    assert family(both.failures[0]) == wanted
    assert family(both.failures[1]) in {None, wanted}


def test_an_unknown_export_is_the_same_mistake(pair: Pair) -> None:
    pair.configure([export("x", "items")])
    both = pair.run("-e", "nowhere")
    assert (both.codes, both.failures) == ((1, 1), ("RIVET_CLI_EXPORT_UNKNOWN", "RIVET_CLI_EXPORT_UNKNOWN"))


def test_a_file_that_is_not_there_is_the_same_mistake(pair: Pair) -> None:
    pair.configure([])
    both = pair.rivet("run", "-c", "nowhere.yaml", "--json-errors")
    assert (both.codes, both.failures) == ((1, 1), ("RIVET_CONFIG_FILE_UNREADABLE", "RIVET_CONFIG_FILE_UNREADABLE"))


def test_a_param_without_its_value_is_the_same_mistake(pair: Pair) -> None:
    pair.configure([export("x", "items")])
    both = pair.run("-p", "A")
    assert (both.codes, both.failures) == ((1, 1), ("RIVET_CLI_VALUE_INVALID", "RIVET_CLI_VALUE_INVALID"))


def test_one_export_that_fails_does_not_stop_the_others_and_gives_the_exit(pair: Pair) -> None:
    pair.configure(
        [
            export("missing", "nowhere"),
            export("few", "items", quality={"row_count_min": 5000}),
            export("good", "items"),
        ],
        source={**SOURCE, "tuning": ONCE},
    )
    both = pair.run()
    assert both.codes == (3, 3)
    statuses = [{name: one["status"] for name, one in end.exports().items()} for end in (both.ours, both.theirs)]
    assert statuses[0]["good"] == statuses[1]["good"] == "success"
    assert "success" not in {statuses[n][name] for n in (0, 1) for name in ("missing", "few")}
