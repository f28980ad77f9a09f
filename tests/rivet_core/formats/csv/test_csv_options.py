"""Options with two readings are refused before anything is read."""

from __future__ import annotations

from typing import Any

import pytest

from rivet_core.errors import UsageError
from rivet_core.formats.csv.options import CsvOptions


@pytest.mark.parametrize("delimiter", ["", ",,", "a", "0", "-", "+", ".", ":", "\n", "\r", "\0", '"', "é"])
def test_a_delimiter_that_a_value_could_hold_is_refused(delimiter: str) -> None:
    with pytest.raises(UsageError, match="delimiter is") as caught:
        CsvOptions(delimiter=delimiter)
    assert caught.value.code == "RIVET_CONFIG_VALUE_INVALID"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " ", "\x01", "'", "~"])
def test_any_other_character_can_be_the_delimiter(delimiter: str) -> None:
    assert CsvOptions(delimiter=delimiter).delimiter == delimiter


@pytest.mark.parametrize(
    "null_string",
    ["0", "-1", "+10000-01-01", "1.5", "true", "false", "NaN", "inf", "-inf", "ab", "00ff", "abcd-ef", "12:00", "e"],
)
def test_a_null_string_that_a_value_is_written_as_is_refused(null_string: str) -> None:
    with pytest.raises(UsageError, match="a value that is no NULL may be written so"):
        CsvOptions(null_string=null_string)


@pytest.mark.parametrize("null_string", ["a,b", 'say "x"', "\n", "\r", ","])
def test_a_null_string_that_would_need_quotes_is_refused(null_string: str) -> None:
    with pytest.raises(UsageError, match="it would need quotes"):
        CsvOptions(null_string=null_string)


@pytest.mark.parametrize("null_string", ["", "\\N", "NULL", "null", "NA", "-", "None", "nan", "ü"])
def test_any_other_text_can_be_the_null_string(null_string: str) -> None:
    assert CsvOptions(null_string=null_string).null_string == null_string


@pytest.mark.parametrize(
    "options",
    [
        {"compression": "zstd"},
        {"compression": "gzip"},
        {"compression_profile": "fast"},
        {"compression_profile": "compact"},
    ],
)
def test_a_compression_that_nothing_would_do_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="nothing compresses CSV") as caught:
        CsvOptions(**options)
    assert caught.value.code == "RIVET_CONFIG_MODE_SETTING_INVALID"


def test_no_compression_may_be_said_in_words() -> None:
    assert CsvOptions(compression="none", compression_profile="none") == CsvOptions()
