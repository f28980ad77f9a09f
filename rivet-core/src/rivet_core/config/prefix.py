"""The placeholders of destination prefixes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

_TOKEN = re.compile(r"\{(date|export|table)\}")


def resolve_prefix(template: str, *, export: str, started: datetime) -> str:
    """Return the prefix with ``{date}``, ``{export}`` and ``{table}`` put in; other tokens stay as they are.

    :param started: the run's frozen clock; the date is its UTC date.
    """
    values = {"date": f"{started:%Y-%m-%d}", "export": export, "table": export}
    return _TOKEN.sub(lambda match: values[match[1]], template)
