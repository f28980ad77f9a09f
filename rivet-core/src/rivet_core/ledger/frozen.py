"""The values that a run freezes when it opens: clocks, and whatever placeholders resolved to."""

from __future__ import annotations

import json
from datetime import datetime

import attrs


@attrs.frozen(kw_only=True)
class FrozenValues:
    """Fixed for the run's whole life, also when it is resumed on another day.

    :param started: the run's clock: ``{date}``, ``_rivet_exported_at`` and the manifest's ``started_at``.
    :param prefix: the destination's resolved prefix template.
    :param uri: the destination's address at that prefix.
    :param relation: the relation's text with all placeholders put in.
    """

    started: datetime
    prefix: str
    uri: str
    relation: str

    def to_json(self) -> str:
        """Return the state's form."""
        return json.dumps({**attrs.asdict(self), "started": self.started.isoformat()})

    @staticmethod
    def from_json(text: str) -> FrozenValues:
        """Return the values of :meth:`to_json`."""
        data = json.loads(text)
        return FrozenValues(**{**data, "started": datetime.fromisoformat(data["started"])})

    def same_apart_from_clock(self, other: FrozenValues) -> bool:
        """Return whether a run frozen with these values may be continued by one that would freeze the others."""
        return (self.prefix, self.uri, self.relation) == (other.prefix, other.uri, other.relation)
