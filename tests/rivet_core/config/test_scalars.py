from __future__ import annotations

import math

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from rivet_core.config.scalars import LARGEST, Unreadable, read_boolean, read_float, read_integer


@given(st.integers(min_value=-LARGEST, max_value=LARGEST))
def test_a_decimal_number_is_read_as_written(number: int) -> None:
    assert read_integer(str(number)) == number


@given(st.text(st.sampled_from("0123456789+-_.:eExXoObabcdef~ T"), max_size=12))
def test_what_is_read_as_an_integer_is_the_same_number_to_yaml_and_to_python(text: str) -> None:
    try:
        number = read_integer(text)
    except Unreadable:
        return
    assert number == int(text, 10)
    assert yaml.safe_load(text) == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_finite_number_is_read_as_written(number: float) -> None:
    assert read_float(repr(number)) == number


@given(st.text(st.sampled_from("0123456789+-_.:eEinfa~ "), max_size=12))
def test_what_is_read_as_a_number_is_finite_and_the_same_to_python(text: str) -> None:
    try:
        number = read_float(text)
    except Unreadable:
        return
    assert math.isfinite(number)
    assert number == float(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0123", "octal"),
        ("1_000", "underscores"),
        ("1:30", "base-60"),
        ("190:20:30", "base-60"),
        ("0x1F", "decimal"),
        ("0o17", "decimal"),
        ("0b1", "decimal"),
        ("2026-01-01", "date"),
        (".inf", "finite"),
        ("-.INF", "finite"),
        (".nan", "finite"),
    ],
)
def test_a_surprise_of_yaml_is_refused_with_its_reason(text: str, reason: str) -> None:
    for reader in (read_integer, read_float):
        with pytest.raises(Unreadable) as caught:
            reader(text)
        assert reason in caught.value.reason
        assert caught.value.remedy


@pytest.mark.parametrize("text", ["", "-", "+", ".", "e5", "1.", "1.0", "1e3", "ten", " 1", "1 ", "٣", "1\n"])
def test_no_other_text_is_an_integer(text: str) -> None:
    with pytest.raises(Unreadable):
        read_integer(text)


@pytest.mark.parametrize("text", ["", "-", ".", "e5", "ten", "1e400", "-1e400", "nan", "inf", "1.5\n"])
def test_no_other_text_is_a_number(text: str) -> None:
    with pytest.raises(Unreadable):
        read_float(text)


def test_a_number_of_a_million_digits_is_refused_at_once() -> None:
    with pytest.raises(Unreadable):
        read_integer("9" * 1_000_000)


def test_true_and_false_are_read_in_the_three_spellings_of_yaml() -> None:
    words = ("true", "True", "TRUE", "false", "False", "FALSE")
    assert [read_boolean(word) for word in words] == [True] * 3 + [False] * 3


@pytest.mark.parametrize(
    ("text", "meant"),
    [("yes", "true"), ("on", "true"), ("Y", "true"), ("no", "false"), ("Off", "false"), ("0", "false")],
)
def test_the_other_words_for_true_and_false_are_refused_with_the_right_one(text: str, meant: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read_boolean(text)
    assert caught.value.remedy == f"write {meant}"
