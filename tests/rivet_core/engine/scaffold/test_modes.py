from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from rivet_core.engine.scaffold.modes import SMALL, suggestions, unserved

if TYPE_CHECKING:
    from conftest import Facts

MILLION = 1_000_000
KEYSET = frozenset({"chunk_by_key", "chunk_size", "chunk_checkpoint", "parallel"})


def best(*args: object, **kwargs: object) -> str:
    return suggestions(*args, **kwargs)[0].mode  # type: ignore[arg-type]


@pytest.mark.parametrize(("rows", "mode"), [(None, "full"), (0, "full"), (SMALL, "full"), (SMALL + 1, "chunked")])
def test_a_small_or_unknown_relation_is_read_whole(facts: Facts, rows: int | None, mode: str) -> None:
    assert best(facts.looked(facts.id, rows=rows, key=("id",))) == mode


def test_a_key_beats_a_time(facts: Facts) -> None:
    found = suggestions(facts.looked(facts.id, facts.updated, rows=MILLION, key=("id",)))
    assert [one.mode for one in found] == ["chunked", "incremental", "full"]


def test_a_text_key_will_do(facts: Facts) -> None:
    assert best(facts.looked(facts.name, rows=MILLION, key=("name",))) == "chunked"


def test_a_key_of_two_columns_will_not(facts: Facts) -> None:
    assert best(facts.looked(facts.id, facts.name, facts.updated, rows=MILLION, key=("id", "name"))) == "incremental"


def test_a_key_that_arrives_as_text_of_another_type_will_not(facts: Facts) -> None:
    place = facts.column("place", pa.string(), not_null=True, text=True)
    assert best(facts.looked(place, rows=MILLION, key=("place",))) == "full"


@pytest.mark.parametrize(
    ("rows", "size", "workers"),
    [
        (200_000, 100_000, None),
        (999_999, 100_000, 2),
        (MILLION, 250_000, 2),
        (5 * MILLION, 250_000, 4),
        (10 * MILLION, 1_000_000, 4),
        (100 * MILLION, 2_500_000, 4),
    ],
)
def test_ranges_and_workers_grow_with_the_relation(facts: Facts, rows: int, size: int, workers: int | None) -> None:
    keys = dict(suggestions(facts.looked(facts.id, rows=rows, key=("id",)))[0].keys)
    assert (keys["chunk_by_key"], keys["chunk_size"], keys.get("parallel")) == ("id", size, workers)
    assert keys["chunk_checkpoint"] is True


def test_the_time_of_the_last_change_is_the_cursor(facts: Facts) -> None:
    looked = facts.looked(facts.created, facts.updated, rows=MILLION)
    assert dict(suggestions(looked)[0].keys)["cursor_column"] == "updated_at"


def test_a_cursor_that_may_be_null_has_one_that_stands_in(facts: Facts) -> None:
    keys = dict(suggestions(facts.looked(facts.updated, facts.created, rows=MILLION))[0].keys)
    assert (keys["incremental_cursor_mode"], keys["cursor_fallback_column"]) == ("coalesce", "created_at")


def test_a_cursor_that_is_never_null_needs_none(facts: Facts) -> None:
    updated = facts.column("updated_at", pa.timestamp("us"), not_null=True)
    assert dict(suggestions(facts.looked(updated, facts.created, rows=MILLION))[0].keys) == {
        "cursor_column": "updated_at"
    }


def test_a_relation_with_neither_is_read_whole(facts: Facts) -> None:
    assert best(facts.looked(facts.name, rows=MILLION)) == "full"


def test_the_mode_that_was_asked_for_keeps_the_keys_of_the_rules(facts: Facts) -> None:
    (found,) = suggestions(facts.looked(facts.id, facts.updated, rows=MILLION, key=("id",)), mode="incremental")
    assert dict(found.keys) == {"cursor_column": "updated_at"}


def test_a_mode_that_no_rule_knows_has_no_keys(facts: Facts) -> None:
    (found,) = suggestions(facts.looked(facts.id, rows=1), mode="time_window")
    assert (found.mode, found.keys) == ("time_window", ())


def test_a_suggestion_is_served_where_one_runner_takes_all_its_keys(facts: Facts) -> None:
    by_key = suggestions(facts.looked(facts.id, rows=200_000, key=("id",)))[0]
    assert by_key.served({"chunked": (frozenset({"chunk_column"}), KEYSET)})
    assert not by_key.served({"chunked": (KEYSET - {"chunk_size"}, KEYSET - {"chunk_by_key"})})
    assert not by_key.served({"full": (KEYSET,)})


def test_a_better_mode_that_nothing_serves_is_told(facts: Facts) -> None:
    looked = facts.looked(facts.id, rows=MILLION, key=("id",))
    whole = suggestions(looked)[-1]
    assert "chunk_by_key: id" in (unserved(looked, whole, {"full": (frozenset(),)}) or "")
    assert unserved(looked, whole, {"chunked": (KEYSET,)}) is None
