from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivet_core.config.placeholders import Variables, escaped, expand, read_params
from rivet_core.errors import UsageError

names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,8}", fullmatch=True)
texts = st.text(max_size=30)
#: Pieces that look like placeholders, in any neighbourhood.
tricky = st.lists(st.sampled_from(["$", "{", "}", "A", ":-", "${A}", "$${", "x", "${", " "]), max_size=8).map("".join)


@given(texts | tricky)
def test_a_text_without_a_brace_after_a_dollar_stays_as_it_is(text: str) -> None:
    if "${" in text:
        return
    assert expand(text, {}.get).text == text


@given(tricky)
def test_an_escaped_text_means_itself(text: str) -> None:
    expanded = expand(escaped(text), {}.get)
    assert (expanded.text, expanded.faults, expanded.used) == (text, (), False)


@given(names, texts.filter(lambda value: "\0" not in value))
def test_a_value_is_put_in_verbatim_and_not_looked_at_again(name: str, value: str) -> None:
    expanded = expand(f"${{{name}}}", {name: value}.get)
    assert (expanded.text, expanded.lone, expanded.used) == (value, True, True)


@given(texts.filter(lambda text: "$" not in text), names, texts.filter(lambda value: "\0" not in value))
def test_what_stands_around_a_placeholder_stays(around: str, name: str, value: str) -> None:
    expanded = expand(f"{around}${{{name}}}{around}", {name: value}.get)
    assert expanded.text == around + value + around
    assert expanded.lone is (around == "")


@given(names, st.text(st.characters(exclude_characters="}", exclude_categories=("Cs",)), max_size=10))
def test_a_default_stands_in_for_an_unset_and_for_an_empty_variable(name: str, default: str) -> None:
    text = f"${{{name}:-{default}}}"
    if "\0" in default:
        return
    assert expand(text, {}.get).text == default
    assert expand(text, {name: ""}.get).text == default
    assert expand(text, {name: "value"}.get).text == "value"


def test_dollars_that_quote_a_value_stay_around_it() -> None:
    assert expand("SELECT $$${A}$$", {"A": "it's"}.get).text == "SELECT $$it's$$"


@given(names)
def test_an_unset_variable_is_a_fault_and_not_an_empty_text(name: str) -> None:
    expanded = expand(f"a ${{{name}}}", {}.get)
    assert [fault.name for fault in expanded.faults] == [name]


def test_an_empty_variable_without_a_default_is_an_empty_text() -> None:
    assert expand("${A}", {"A": ""}.get).text == ""


@pytest.mark.parametrize("text", ["${}", "${A", "${ A }", "${A b}", "${1A}", "${A:x}"])
def test_a_malformed_placeholder_is_a_fault(text: str) -> None:
    assert [fault.name for fault in expand(text, {"A": "x"}.get).faults] == [None]


def test_a_value_with_a_nul_is_a_fault_that_does_not_show_it() -> None:
    (fault,) = expand("${A}", {"A": "sec\0ret"}.get).faults
    assert "sec" not in fault.reason


def test_every_unset_variable_of_a_text_is_named() -> None:
    assert [fault.name for fault in expand("${A}-${B}-${A:-x}", {}.get).faults] == ["A", "B"]


def test_a_param_goes_before_the_environment() -> None:
    variables = Variables({"A": "param"}, {"A": "environment", "B": "environment"})
    assert [variables.lookup(name) for name in ("A", "B", "C")] == ["param", "environment", None]


def test_params_that_nobody_asked_for_are_known() -> None:
    variables = Variables({"A": "1", "B": "2"}, {})
    expand("${B}", variables.lookup)
    assert variables.unused == ("A",)


def test_params_are_read_up_to_the_first_equals_sign() -> None:
    assert read_params(["day=2026-01-01", "where=a=b", "empty="]) == {"day": "2026-01-01", "where": "a=b", "empty": ""}


@pytest.mark.parametrize("words", [["day"], ["=x"], ["a=1", "a=2"], [""]])
def test_a_param_that_is_no_pair_is_refused(words: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        read_params(words)
    assert (caught.value.code, int(caught.value.exit)) == ("RIVET_CLI_VALUE_INVALID", 1)
