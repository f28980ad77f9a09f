from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from sink_stand_ins import MemorySource, make_plan, make_recipe, plain_unit, rows

from rivet_core.engine.producer import LocalProducer, ProducerNeeds
from rivet_core.engine.sink import UnitTask


class Quiet(MemorySource):
    """A source that can be closed."""

    def close(self) -> None:
        pass


class Stubborn(Quiet):
    """A source whose connection is gone, so that it cannot be cancelled."""

    asked = 0

    def cancel(self) -> None:
        Stubborn.asked += 1
        msg = "the connection is gone"
        raise OSError(msg)


def test_a_source_that_cannot_be_cancelled_keeps_no_other_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Stubborn, "asked", 0)
    needs = ProducerNeeds(open_source=lambda: Stubborn(rows(1, 10)), recipe=make_recipe(make_plan(), tmp_path))
    producer = LocalProducer(needs)
    with ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(producer.produce(UnitTask(unit=plain_unit()), lambda rows, size: None))
        producer.cancel()
    assert Stubborn.asked == 3


class Stuck(LocalProducer):
    """A producer whose read does not end when it is closed."""

    def _guarded(self, *arguments: Any) -> Generator[Any]:
        del arguments
        try:
            yield
        finally:
            msg = "a read did not end"
            raise RuntimeError(msg)


def fill_the_disk(produced: Iterator[Any]) -> None:
    next(produced)
    msg = "the disk is full"
    raise OSError(msg)


def test_a_read_that_does_not_end_hides_no_earlier_error(tmp_path: Path) -> None:
    needs = ProducerNeeds(open_source=lambda: Quiet(rows(1, 10)), recipe=make_recipe(make_plan(), tmp_path))
    with (
        pytest.raises(OSError, match="the disk is full"),
        Stuck(needs).produce(UnitTask(unit=plain_unit()), lambda rows, size: None) as produced,
    ):
        fill_the_disk(produced)
