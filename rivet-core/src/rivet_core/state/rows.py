"""The state's rows as values; fields are the columns of :mod:`rivet_core.state.schema`, JSON still as text."""

from __future__ import annotations

import attrs


@attrs.frozen
class ExportRow:
    """An export on one source, with its high-water mark and baselines."""

    id: int
    name: str
    source: str
    generation: int
    position: str | None
    position_facts: str | None
    drift: str | None
    shape: str | None
    pending_ack: str | None


@attrs.frozen
class RunRow:
    """One run."""

    id: str
    export_id: int
    phase: str
    status: str | None
    generation: int
    token: int
    fingerprint: str
    frozen: str
    opened_at: str
    closed_at: str | None


@attrs.frozen
class UnitRow:
    """A unit of a run."""

    id: str
    ordinal: int
    request: str
    attempt: int
    done: bool
    mark: str | None


@attrs.frozen
class RollRow:
    """A stretch of a run that is sealed by itself; an ordinary run has one, the final one."""

    number: int
    phase: str
    final: bool
    verdict: str | None
    facts: str | None


@attrs.frozen
class PartRow:
    """A part, from its intent on; its counters, which are large, are asked for by themselves."""

    dataset: str
    key: str
    unit_id: str
    attempt: int
    sequence: int
    roll: int
    state: str
    size: int
    fingerprint: str
    md5: str
    rows: int
    etag: str | None
    store_md5: str | None
    recorded_at: str | None


@attrs.frozen
class PartTotals:
    """What some parts are together."""

    parts: int
    rows: int
    size: int


@attrs.frozen
class SealingRow:
    """The exact bytes of a manifest that is being, or was, put."""

    dataset: str
    key: str
    bytes: bytes


@attrs.frozen
class OutcomeRow:
    """A run as ``state runs`` lists it."""

    run_id: str
    export: str
    source: str
    phase: str
    status: str | None
    opened_at: str
    closed_at: str | None
    metrics: str | None


@attrs.frozen
class FileRow:
    """A recorded part as ``state files`` lists it."""

    run_id: str
    export: str
    dataset: str
    key: str
    rows: int
    size: int
    fingerprint: str
    recorded_at: str
