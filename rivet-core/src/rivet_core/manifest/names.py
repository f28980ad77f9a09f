"""The names of the control objects at a prefix, and which paths a manifest may name."""

from __future__ import annotations

import re
from typing import Final

MANIFEST: Final = "manifest.json"
SUCCESS: Final = "_SUCCESS"
QUARANTINE: Final = "_quarantine/"
#: What ``doctor`` writes and removes again.
PROBE: Final = ".rivet_doctor_probe"
#: The largest manifest that is read, and therefore written; the Rust tool has the same limit.
CONTROL_LIMIT: Final = 64 * 1024 * 1024

_RUN_PREFIX: Final = "manifest-"
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]")
_CONTROL_CHARACTER: Final = re.compile(r"[\x00-\x1f\x7f]")


def safe_run_id(run_id: str) -> str:
    """Return the run id as it stands in a name: all but ASCII letters, digits, ``.``, ``_`` and ``-`` becomes ``-``."""
    return _UNSAFE.sub("-", run_id)


def run_manifest(run_id: str, roll: int | None = None) -> str:
    """Return the name of a run's own manifest.

    :param roll: the number of a roll that is not the run's last; None for the last, and for a run without rolls.
    """
    tail = "" if roll is None else f"-{roll:06d}"
    return f"{_RUN_PREFIX}{safe_run_id(run_id)}{tail}.json"


def is_run_manifest(key: str) -> bool:
    """Return whether a key, relative to its prefix, is some run's own manifest."""
    return key.startswith(_RUN_PREFIX) and key.endswith(".json") and "/" not in key


def is_roll_of(key: str, run_id: str) -> bool:
    """Return whether a key, relative to its prefix, is the manifest of a roll of this run that is not its last."""
    return re.fullmatch(rf"{_RUN_PREFIX}{re.escape(safe_run_id(run_id))}-\d{{6,}}\.json", key) is not None


def is_control(key: str) -> bool:
    """Return whether a key, relative to its prefix, is never a part: control objects, quarantine, probes."""
    return key in {MANIFEST, SUCCESS, PROBE} or is_run_manifest(key) or key.startswith(QUARANTINE)


def is_contained(path: str) -> bool:
    """Return whether a path stays below the folder that it is joined to, on every system."""
    segments = path.split("/")
    return (
        not any(segment in {"", ".", ".."} for segment in segments)
        and "\\" not in path
        and ":" not in segments[0][:2]
        and _CONTROL_CHARACTER.search(path) is None
    )
