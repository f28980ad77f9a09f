from __future__ import annotations

from typing import Any

import pytest

from rivet_core.engine.validation_mode import guard_prefix_mode, prefix_mode
from rivet_core.errors import RefusalError
from rivet_core.manifest.model import Mode


def test_a_fresh_prefix_has_no_mode(store: Any) -> None:
    assert prefix_mode(store) is None


@pytest.mark.parametrize("mode", Mode)
def test_the_canonical_manifest_tells_the_mode(place: Any, store: Any, mode: Mode) -> None:
    place.write(mode=mode)
    assert prefix_mode(store) is mode


def test_a_stream_that_never_ended_is_told_by_its_rolls(place: Any, store: Any) -> None:
    place.write(mode=Mode.CDC, roll=0, canonical=False)
    assert prefix_mode(store) is Mode.CDC


def test_a_dataset_below_does_not_tell(place: Any, store: Any) -> None:
    place.write(prefix="snapshot/")
    place.write(prefix="deep/", canonical=False)
    assert prefix_mode(store) is None
    assert prefix_mode(store, "snapshot/") is Mode.BATCH


@pytest.mark.parametrize(("present", "wanted"), [(Mode.BATCH, Mode.CDC), (Mode.CDC, Mode.BATCH)])
def test_the_other_shape_is_refused(place: Any, store: Any, present: Mode, wanted: Mode) -> None:
    place.write(prefix="t/", mode=present)
    with pytest.raises(RefusalError, match="memory:///t/ holds a") as caught:
        guard_prefix_mode(store, wanted, "t/")
    assert caught.value.code == "RIVET_DEST_PREFIX_MODE_MISMATCH"


@pytest.mark.parametrize("mode", Mode)
def test_the_same_shape_and_a_fresh_prefix_are_welcome(place: Any, store: Any, mode: Mode) -> None:
    guard_prefix_mode(store, mode)
    place.write(mode=mode)
    guard_prefix_mode(store, mode)


def test_a_manifest_that_cannot_be_understood_stops_the_run(store: Any) -> None:
    store.objects["manifest.json"] = b"?"
    with pytest.raises(RefusalError) as caught:
        prefix_mode(store)
    assert caught.value.code == "RIVET_DEST_CONTROL_ARTIFACT_INVALID"
