from __future__ import annotations

from typing import Any

import pytest

from rivet_source_postgres.calendar import date_text, time_text, timestamp_text

DAYS = [-2_440_588, -719_528, -719_163, -1, 0, 1, 59, 60, 11_016, 19_782, 2_932_896, 2_932_897, 2_145_042_905]


@pytest.mark.parametrize("day", DAYS)
def test_days_are_written_as_the_server_does(room: Any, day: int) -> None:
    assert date_text(day) == room.psql_text(f"SET datestyle = ISO; SELECT date '1970-01-01' + {day}")


@pytest.mark.parametrize("us", [-210_866_803_200_000_000, -62_135_596_800_000_001, -1, 0, 1, 2**61])
def test_instants_are_written_so_that_the_server_reads_them_back(room: Any, us: int) -> None:
    query = f"SELECT (extract(epoch FROM timestamptz '{timestamp_text(us, zone='+00')}') * 1000000)::numeric(20,0)"
    assert room.psql_text(query) == str(us)


def test_the_last_instant_of_arrow_is_exact() -> None:
    assert timestamp_text(2**63 - 1) == "294247-01-10 04:00:54.775807"


def test_the_drivers_infinities_have_their_names() -> None:
    assert (date_text(-2_147_472_692), date_text(-2_147_472_691)) == ("infinity", "-infinity")
    assert timestamp_text(-9_222_425_352_054_775_809) == "infinity"
    assert timestamp_text(-9_222_425_352_054_775_808, zone="+00") == "-infinity"


def test_the_end_of_a_day_has_a_time() -> None:
    assert time_text(86_400_000_000) == "24:00:00.000000"
