"""Whoever is told that something is wrong with a destination is told what to do next."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from rivet_core.destinations.local.faults import translated
from rivet_core.errors import RivetError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("number", sorted(errno.errorcode), ids=lambda number: errno.errorcode[number])
def test_whatever_the_operating_system_says_has_a_remedy(number: int, tmp_path: Path) -> None:
    with pytest.raises(RivetError) as caught, translated("part", tmp_path):
        raise OSError(number, os.strerror(number))
    assert caught.value.remedy
