from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest
from sink_stand_ins import MemorySource, make_plan, make_recipe, plain_unit, rows

from rivet_core.engine.producer import LocalProducer, ProducerNeeds
from rivet_core.engine.sink import UnitTask


class Stubborn(MemorySource):
    """A source whose connection is gone, so that it cannot be cancelled."""

    asked = 0

    def close(self) -> None:
        pass

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
