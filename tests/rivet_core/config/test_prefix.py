from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivet_core.config import resolve_prefix
from rivet_core.config.prefix import unknown_tokens

STARTED = datetime(2026, 3, 4, 23, 30, tzinfo=UTC)
texts = st.text(st.characters(exclude_characters="{}", exclude_categories=("Cs",)), max_size=12)


@given(texts, texts)
def test_a_prefix_without_braces_stays_as_it_is(template: str, export: str) -> None:
    assert resolve_prefix(template, export=export, started=STARTED) == template


@given(texts, texts, st.text(st.characters(exclude_categories=("Cs",)), max_size=12))
def test_a_name_is_put_in_verbatim_and_not_looked_at_again(before: str, after: str, export: str) -> None:
    assert resolve_prefix(f"{before}{{export}}{after}", export=export, started=STARTED) == before + export + after


@pytest.mark.parametrize(
    ("template", "resolved"),
    [
        ("raw/{date}/{export}/", "raw/2026-03-04/orders/"),
        ("{table}", "orders"),
        ("{run_id}", "{run_id}"),
        ("{partition}/{Date}/{ date }/{}", "{partition}/{Date}/{ date }/{}"),
        ("{{date}}", "{2026-03-04}"),
    ],
)
def test_known_words_in_braces_are_replaced_and_others_stay(template: str, resolved: str) -> None:
    assert resolve_prefix(template, export="orders", started=STARTED) == resolved


def test_the_day_is_the_day_in_utc() -> None:
    east = STARTED.astimezone(timezone(timedelta(hours=9)))
    assert resolve_prefix("{date}", export="x", started=east) == "2026-03-04"


def test_a_run_id_is_put_in_where_there_is_one() -> None:
    assert resolve_prefix("a/{run_id}", export="x", started=STARTED, run_id="r1") == "a/r1"


def test_words_that_stand_for_nothing_are_found_with_what_was_meant() -> None:
    assert unknown_tokens("{dat}/{export}/{xyz}/{dat}") == (("dat", "date"), ("xyz", None))


def test_a_run_does_not_know_its_id_where_it_writes() -> None:
    assert unknown_tokens("{date}/{run_id}") == (("run_id", None),)
