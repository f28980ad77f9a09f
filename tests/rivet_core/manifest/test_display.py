from __future__ import annotations

import math
from datetime import UTC, date, datetime, time
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rivet_core.manifest.display import display, has_display


def texts(array: pa.Array) -> list[str]:
    return [cell.decode() for cell in display(array).to_pylist()]


def shortest(value: np.floating, *, above: int, up_to: int) -> str:
    """Render one float by the same rule, from the digits that numpy finds."""
    if not math.isfinite(value):
        return {"nan": "NaN"}.get(str(value), str(value))
    if value == 0:
        return str(float(value))
    mantissa, exponent = np.format_float_scientific(value, trim="-").split("e")
    sign, digits = ("-" if mantissa[0] == "-" else ""), mantissa.strip("-").replace(".", "").rstrip("0")
    place = int(exponent) + 1
    if above < place <= 0:
        return f"{sign}0.{'0' * -place}{digits}"
    if 0 < place <= up_to:
        padded = digits.ljust(place + 1, "0")
        return f"{sign}{padded[:place]}.{padded[place:]}"
    return f"{sign}{digits[0]}{'.' if digits[1:] else ''}{digits[1:]}e{place - 1}"


@given(st.lists(st.floats() | st.decimals(-(10**17), 10**17, places=3).map(float) | st.integers().map(float)))
@example([0.0, -0.0, 1e-4, 1e-5, 1e-6, 1e9, 1e15, 1e16, 9999999999999999.0, 1.5e17, 5e-324, 1e23])
def test_a_double_is_shown_with_its_shortest_digits_and_a_point_or_an_exponent(values: list[float]) -> None:
    expected = [shortest(np.float64(value), above=-5, up_to=16) for value in values]
    assert texts(pa.array(values, pa.float64())) == expected


@given(st.lists(st.floats(width=32)))
@example([0.10000000149011612, 16777216.0, 999999986991104.0, 9999999827968.0, 9.999999974752427e-07])
def test_a_single_is_shown_with_its_own_shortest_digits(values: list[float]) -> None:
    expected = [shortest(np.float32(value), above=-6, up_to=13) for value in values]
    assert texts(pa.array(values, pa.float32())) == expected


@given(st.lists(st.decimals(allow_nan=False, allow_infinity=False, places=20, min_value=-(10**15), max_value=10**15)))
@example([Decimal("0E-20"), Decimal("-1E-20")])
def test_a_decimal_is_shown_with_all_digits_of_its_scale(values: list[Decimal]) -> None:
    assert texts(pa.array(values, pa.decimal128(38, 20))) == [f"{value:f}" for value in values]
    assert texts(pa.array(values, pa.decimal256(60, 20))) == [f"{value:f}" for value in values]


@given(st.lists(st.dates()))
def test_a_date_is_shown_as_iso(values: list[date]) -> None:
    assert texts(pa.array(values, pa.date32())) == [value.isoformat() for value in values]


def test_years_of_more_or_less_than_four_digits_carry_a_sign() -> None:
    days = pa.array([2932897, -719529, -735160, 20_000_000, 0], pa.int32()).cast(pa.date32())
    assert texts(days) == ["+10000-01-01", "-0001-12-31", "-0043-03-15", "+56728-02-22", "1970-01-01"]


def fitted(value: datetime | time) -> str:
    micros = value.microsecond
    digits = "microseconds" if micros % 1000 else "milliseconds" if micros else "seconds"
    return value.replace(tzinfo=None).isoformat(timespec=digits)


@given(st.lists(st.datetimes()))
@example([datetime(2024, 1, 31), datetime(2024, 1, 31, microsecond=1000), datetime(1969, 12, 31, microsecond=1)])  # noqa: DTZ001
def test_a_timestamp_has_as_many_digits_as_it_needs(values: list[datetime]) -> None:
    assert texts(pa.array(values, pa.timestamp("us"))) == [fitted(value) for value in values]


def test_an_instant_ends_in_z() -> None:
    values = [datetime(2024, 1, 31, tzinfo=UTC), datetime(2024, 1, 31, 1, 2, 3, 120_000, tzinfo=UTC)]
    expected = ["2024-01-31T00:00:00Z", "2024-01-31T01:02:03.120Z"]
    assert texts(pa.array(values, pa.timestamp("us", "UTC"))) == expected


@given(st.lists(st.times()))
def test_a_time_has_as_many_digits_as_it_needs(values: list[time]) -> None:
    assert texts(pa.array(values, pa.time64("us"))) == [fitted(value) for value in values]


def test_a_time_outside_one_day_is_its_count() -> None:
    ticks = pa.array([-1, 0, 86_400_000_000], pa.int64()).cast(pa.time64("us"))
    assert texts(ticks) == ["-1", "00:00:00", "86400000000"]


def test_nanoseconds_are_shown_when_they_are_there() -> None:
    ticks = pa.array([0, 1, 1_000, 1_000_000], pa.int64()).cast(pa.timestamp("ns"))
    assert [text[19:] for text in texts(ticks)] == ["", ".000000001", ".000001", ".001"]


def test_bytes_are_lowercase_hex() -> None:
    assert texts(pa.array([b"\0\xff", b"", b"\xab"])) == ["00ff", "", "ab"]
    assert texts(pa.array([b"zz", b"\xde\xad"], pa.binary(2)).slice(1)) == ["dead"]


def test_booleans_integers_and_text_are_shown_as_they_are() -> None:
    assert texts(pa.array([True, False])) == ["true", "false"]
    assert texts(pa.array([2**64 - 1, 0], pa.uint64())) == ["18446744073709551615", "0"]
    assert texts(pa.array(["é", ""], pa.string_view())) == ["é", ""]


@pytest.mark.parametrize("data_type", [pa.float16(), pa.duration("us"), pa.timestamp("us", "Europe/Paris")], ids=str)
def test_what_has_no_display_is_said_to_have_none(data_type: pa.DataType) -> None:
    assert not has_display(data_type)
