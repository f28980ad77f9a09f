"""Steps 5 to 8: from complete parts to a durable manifest, and the proof that the position may move.

A roll that is sealing only completes: what is put are the recorded bytes, whoever completes them and whenever.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import attrs

from rivet_core.errors import EnvironmentFailure, InternalError
from rivet_core.ledger.attempts import attempted
from rivet_core.ledger.parts import check_recorded
from rivet_core.manifest.marker import encode_marker
from rivet_core.manifest.names import MANIFEST, SUCCESS
from rivet_core.state import _writes, reads

if TYPE_CHECKING:
    from rivet_core.ledger.access import LedgerAccess
    from rivet_core.ledger.run import RunLedger
    from rivet_core.state.rows import RollRow


@attrs.frozen(kw_only=True)
class SealFacts:
    """What step 9 will write, recorded with the verdict so that a completion needs nothing else.

    :param position: JSON text of the export's new position, or None where it does not move.
    :param position_facts: JSON text of what the position means; stored with it and compared by the next run.
    :param position_dataset: the dataset whose manifest carries the position.
    :param drift: JSON text of the schema baseline.
    :param shape: JSON text of the widths baseline.
    :param acknowledge: whether the source wants to be told.
    """

    position: str | None
    position_facts: str | None
    position_dataset: str
    drift: str
    shape: str
    acknowledge: bool

    def to_json(self) -> str:
        """Return the state's form."""
        return json.dumps(attrs.asdict(self))

    @staticmethod
    def from_json(text: str) -> SealFacts:
        """Return the facts of :meth:`to_json`."""
        return SealFacts(**json.loads(text))


@attrs.frozen(kw_only=True)
class DatasetManifest:
    """A manifest's exact bytes, ready to be put.

    :param prefix: the dataset's key prefix.
    :param name: the run-unique name, such as ``manifest-<run_id>.json``.
    """

    dataset: str
    prefix: str
    name: str
    data: bytes


_PROOF = object()


class Sealed:
    """Proof that a roll's manifests are durable; only :func:`complete_sealing` makes it, and ``advance`` demands it."""

    __slots__ = ("facts", "roll", "run_id", "verdict")

    def __init__(self, proof: object, run_id: str, roll: RollRow, facts: SealFacts) -> None:
        if proof is not _PROOF:
            msg = "a seal was forged"
            raise InternalError(msg, code="RIVET_INTERNAL_LEDGER")
        self.run_id = run_id
        self.roll = roll
        self.facts = facts
        self.verdict = roll.verdict


def begin_sealing(
    run: RunLedger,
    *,
    verdict: str,
    final: bool,
    facts: SealFacts,
    manifests: tuple[DatasetManifest, ...],
) -> None:
    """Steps 5 and 6: look at every recorded part, then record the verdict and the manifests' exact bytes.

    :param verdict: ``success`` or ``failed``.
    :raises RefusalError: when a recorded part is gone or different.
    :raises InternalError: for a final success over units that are not done.
    """
    access = run.access
    if final and verdict == "success" and not run.complete():
        msg = "a run is never shorter than its plan: units are missing"
        raise InternalError(msg, code="RIVET_INTERNAL_LEDGER")
    check_recorded(access, run.every_recorded())
    with access.transaction() as database:
        _writes.begin_sealing(database, run.run_id, run.roll, final=final, verdict=verdict, facts=facts.to_json())
        for manifest in manifests:
            _writes.insert_sealing(
                database, run.run_id, run.roll, manifest.dataset, manifest.prefix + manifest.name, manifest.data
            )
    access.probe("sealing_recorded")


def complete_sealing(access: LedgerAccess, run_id: str, roll: RollRow) -> Sealed:
    """Steps 7 and 8: put the recorded bytes, run-unique first, then the canonical pair; each is read back.

    The canonical pair is put only by a run's final roll, and only for a success.

    :param roll: in the phase ``sealing``.
    """
    _check_fence(access)
    if roll.phase != "sealing" or roll.facts is None:
        msg = f"roll {roll.number} of {run_id} is not sealing"
        raise InternalError(msg, code="RIVET_INTERNAL_LEDGER")
    manifests = reads.sealing(access.database, run_id, roll.number)
    if access.capabilities.durable:
        for manifest in manifests:
            _put_control(access, manifest.key, manifest.bytes)
        access.probe("run_manifest_put")
        if roll.final and roll.verdict == "success":
            for manifest in manifests:
                _put_control(access, _sibling(manifest.key, MANIFEST), manifest.bytes)
            access.probe("canonical_manifest_put")
            for manifest in manifests:
                _put_control(access, _sibling(manifest.key, SUCCESS), encode_marker(manifest.bytes))
            access.probe("success_put")
    return Sealed(_PROOF, run_id, roll, SealFacts.from_json(roll.facts))


def _sibling(key: str, name: str) -> str:
    folder, slash, _ = key.rpartition("/")
    return folder + slash + name


def _check_fence(access: LedgerAccess) -> None:
    """Stop here when another process took over; it completes the same bytes."""
    with access.transaction():
        pass


def _put_control(access: LedgerAccess, key: str, data: bytes) -> None:
    """Put a control object and read it back."""
    _check_fence(access)
    destination = access.destination
    attempted(access, key, lambda: destination.put_bytes(key, data, create=False))
    if access.capabilities.readable and attempted(access, key, lambda: destination.get(key, len(data) + 1)) != data:
        msg = f"{key} does not read back as it was written"
        raise EnvironmentFailure(
            msg,
            code="RIVET_DEST_MANIFEST_NOT_WRITTEN",
            remedy="run the same command again: the run completes without reading the source",
            transient=True,
        )
