"""What a run id tells by itself: its export, nearly, and its day."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

_RUN_ID: Final = re.compile(r"(?P<export>.+)_(?P<day>\d{8})T\d{6}\.\d{3}_[0-9a-f]{16}")


def day_of(run_id: str) -> datetime | None:
    """Return the day on which a run was opened, in UTC, or None for what is no run id of ours."""
    match = _RUN_ID.fullmatch(run_id)
    if match is None:
        return None
    try:
        return datetime.strptime(match["day"], "%Y%m%d").replace(tzinfo=UTC)
    except ValueError:
        return None


def export_of(run_id: str) -> str | None:
    """Return the export's name as a run id holds it, unusual characters replaced, or None."""
    match = _RUN_ID.fullmatch(run_id)
    return None if match is None else match["export"]
