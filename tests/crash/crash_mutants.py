"""The ledger with one step broken: each mutant is a small change of source text, and some proof must catch it.

A function's code is replaced in place, so every module that imported it runs the mutant.
"""

from __future__ import annotations

import importlib
import inspect
import textwrap
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FunctionType


@attrs.frozen
class Mutant:
    """One broken step.

    :param function: ``module:qualified name``, below ``rivet_core``.
    :param old: text that stands in the function exactly once.
    :param caught_by: the proof that must fail on it.
    """

    name: str
    function: str
    old: str
    new: str
    caught_by: str


def _function(path: str) -> FunctionType:
    module_name, _, qualified = path.partition(":")
    target: Any = importlib.import_module(f"rivet_core.{module_name}")
    for name in qualified.split("."):
        target = getattr(target, name)
    return inspect.unwrap(target)


@contextmanager
def applied(mutant: Mutant) -> Iterator[None]:
    """Run the block with the mutant in place of the real function.

    :raises AssertionError: when the text to change is not there: the mutant is out of date.
    """
    function = _function(mutant.function)
    source = textwrap.dedent(inspect.getsource(function))
    assert source.count(mutant.old) == 1, f"mutant {mutant.name} does not fit {mutant.function} any more"
    scratch: dict[str, Any] = {}
    text = source.replace(mutant.old, mutant.new)
    lines = [line for line in text.splitlines() if not line.startswith("@")]
    exec(compile("from __future__ import annotations\n" + "\n".join(lines), mutant.name, "exec"), scratch)
    original = function.__code__
    function.__code__ = scratch[function.__name__].__code__
    try:
        yield
    finally:
        function.__code__ = original


MUTANTS: tuple[Mutant, ...] = (
    # -- the ten that the design names
    Mutant(
        "advance before seal",
        "engine.sealing:seal_roll",
        "    sealed = complete_sealing(run.access, run.run_id, roll)\n",
        "    from rivet_core.ledger import sealing as inner\n"
        "    sealed = inner.Sealed(inner._PROOF, run.run_id, roll, inner.SealFacts.from_json(roll.facts))\n"
        "    from rivet_core.ledger import advance as steps\n"
        "    following = steps.advance(run.access, sealed)\n"
        "    complete_sealing(run.access, run.run_id, roll)\n"
        "    advance = lambda access, proof: following\n",
        caught_by="gate_is_not_asked_again_while_sealing",
    ),
    Mutant(
        "pointer before manifest",
        "ledger.sealing:complete_sealing",
        "        for manifest in manifests:\n            _put_control(access, manifest.key, manifest.bytes)\n"
        '        access.probe("run_manifest_put")\n',
        "        for manifest in manifests:\n"
        "            _put_control(access, _sibling(manifest.key, SUCCESS), encode_marker(manifest.bytes))\n"
        '        access.probe("run_manifest_put")\n'
        "        for manifest in manifests:\n            _put_control(access, manifest.key, manifest.bytes)\n",
        caught_by="commit_window_is_no_corruption",
    ),
    Mutant(
        "record before put",
        "ledger.unit:UnitLedger.deliver",
        '    access.probe("part_intended")\n',
        "    with access.transaction() as database:\n"
        "        _writes.record_part(database, self._run_id, key, etag=None, store_md5=None, now=access.now())\n"
        "        _writes.move_mark(database, self._run_id, self.unit_id, None, done=False)\n"
        '    access.probe("part_intended")\n',
        caught_by="resumed_run_keeps_its_id_and_its_parts",
    ),
    Mutant(
        "done in its own transaction",
        "ledger.unit:UnitLedger.record",
        "        _writes.move_mark(database, self._run_id, self.unit_id, mark, done=point.done)\n",
        "        pass\n"
        "    with access.transaction() as database:\n"
        "        _writes.move_mark(database, self._run_id, self.unit_id, mark, done=point.done)\n",
        caught_by="every_statement[seek]",
    ),
    Mutant(
        "resume ignores the mark",
        "ledger.run:RunLedger.begin",
        "mark=None if row.mark is None else Position.from_json(json.loads(row.mark)),",
        "mark=None,",
        caught_by="orphans_are_moved_aside",
    ),
    Mutant(
        "parts recorded out of order",
        "ledger.unit:UnitLedger.record",
        "    waiting = tuple(self._waiting)\n",
        "    waiting = tuple(self._waiting[-1:])\n",
        caught_by="acknowledgement_follows_the_position",
    ),
    Mutant(
        "units planned again",
        "engine.open_run:_open",
        "        ledger = resume(access, unfinished, shape=shape)\n",
        "        from rivet_core.requests import encode_unit\n"
        "        ledger = resume(access, unfinished, shape=shape)\n"
        "        for unit in runner.factory(intent.mode.options).units(SourceReader(source, plan)):\n"
        "            access.database.execute('UPDATE unit SET request = ? WHERE run_id = ? AND id = ?',"
        " (encode_unit(unit), unfinished.id, unit.id))\n",
        caught_by="units_are_planned_once",
    ),
    Mutant(
        "gates run again while sealing",
        "engine.unfinished:complete_unfinished_sealing",
        '    if roll.phase != "sealing":\n        return None\n',
        "    access.database.execute(\"UPDATE roll SET phase = 'reading', verdict = NULL, facts = NULL, final = 0"
        ' WHERE run_id = ? AND number = ?", (run.id, roll.number))\n'
        "    access.database.execute('DELETE FROM sealing WHERE run_id = ? AND roll = ?', (run.id, roll.number))\n"
        "    return None\n",
        caught_by="gate_is_not_asked_again_while_sealing",
    ),
    Mutant(
        "attempt absent from the key",
        "ledger.naming:part_key",
        "_a{attempt}_{sequence:05d}",
        "_{sequence:05d}",
        caught_by="orphans_are_moved_aside",
    ),
    Mutant(
        "token unchecked",
        "ledger.lease:Fence.check",
        "for key, token in self.tokens:",
        "for key, token in ():",
        caught_by="stale_process_cannot_write",
    ),
    # -- every other step, removed
    Mutant(
        "attempt unchecked",
        "ledger.unit:UnitLedger._check",
        "if not database_attempt:",
        "if False:",
        caught_by="earlier_attempt_cannot_write",
    ),
    Mutant(
        "a part enters the ledger before its restart point",
        "engine.committer:Committer._commit",
        "            self._ledger.deliver(produced)\n",
        "            self._ledger.deliver(produced)\n            self._ledger.record(RestartPoint())\n",
        caught_by="units_are_planned_once",
    ),
    Mutant(
        "no intent",
        "ledger.unit:UnitLedger.deliver",
        '"intended", part.size',
        '"quarantined", part.size',
        caught_by="resumed_run_keeps_its_id_and_its_parts",
    ),
    Mutant(
        "no put",
        "ledger.unit:_put_once",
        "access.destination.put(key, path, create=access.capabilities.conditional_create)",
        "PutReceipt(key=key, size=size)",
        caught_by="resumed_run_keeps_its_id_and_its_parts",
    ),
    Mutant(
        "recorded parts are not looked at",
        "ledger.sealing:begin_sealing",
        "    check_recorded(access, run.every_recorded())\n",
        "",
        caught_by="part_deleted_while_reading_is_refused",
    ),
    Mutant(
        "recorded parts are not looked at on resume",
        "ledger.opening:resume",
        "    check_recorded(access, parts.recorded(access.database, run.id))\n",
        "",
        caught_by="deleted_part_is_refused",
    ),
    Mutant(
        "no run manifest",
        "ledger.sealing:complete_sealing",
        "            _put_control(access, manifest.key, manifest.bytes)\n",
        "            pass\n",
        caught_by="gate_is_not_asked_again_while_sealing",
    ),
    Mutant(
        "no canonical manifest",
        "ledger.sealing:complete_sealing",
        "                _put_control(access, _sibling(manifest.key, MANIFEST), manifest.bytes)\n",
        "                pass\n",
        caught_by="resumed_run_keeps_its_id_and_its_parts",
    ),
    Mutant(
        "no success marker",
        "ledger.sealing:complete_sealing",
        "                _put_control(access, _sibling(manifest.key, SUCCESS), encode_marker(manifest.bytes))\n",
        "                pass\n",
        caught_by="units_are_planned_once",
    ),
    Mutant(
        "a failed run replaces the canonical pair",
        "ledger.sealing:complete_sealing",
        'if roll.final and roll.verdict == "success":',
        "if roll.final:",
        caught_by="failed_gate_closes_the_run",
    ),
    Mutant(
        "manifest not recorded",
        "ledger.advance:advance",
        "            _writes.record_manifest(\n",
        "            (lambda *a, **k: None)(\n",
        caught_by="failed_gate_closes_the_run",
    ),
    Mutant(
        "position not replaced",
        "ledger.advance:_replace",
        "if facts.position is not None and facts.position_facts is not None:",
        "if False:",
        caught_by="acknowledgement_follows_the_position",
    ),
    Mutant(
        "generation not swapped",
        "ledger.advance:_replace",
        "if not _writes.swap_generation(database, export_id, generation):",
        "if False:",
        caught_by="acknowledgement_follows_the_position",
    ),
    Mutant(
        "run not closed",
        "ledger.advance:advance",
        '        _writes.close_run(database, run_id, sealed.verdict or "failed", now)\n',
        "        pass\n",
        caught_by="orphans_are_moved_aside",
    ),
    Mutant(
        "source not acknowledged",
        "ledger.advance:_replace",
        "if facts.acknowledge and facts.position is not None:",
        "if False:",
        caught_by="acknowledgement_follows_the_position",
    ),
    Mutant(
        "pending acknowledgement not repeated",
        "engine.open_run:_open",
        "    if tell is not None:\n",
        "    if False:\n",
        caught_by="every_point[stream]",
    ),
    Mutant(
        "outcome not recorded",
        "ledger.run:RunLedger.record_outcome",
        "        _writes.record_outcome(database, self.run_id, self.access.now(), metrics)\n",
        "        pass\n",
        caught_by="outcomes_are_recorded",
    ),
    Mutant(
        "orphans stay",
        "ledger.run:RunLedger.begin",
        "    quarantine(access, self.run_id, unit_id=unit_id)\n",
        "",
        caught_by="orphans_are_moved_aside",
    ),
    Mutant(
        "an edited export is resumed",
        "ledger.resume:decide",
        "    if run.fingerprint != fingerprint:\n",
        "    if False:\n",
        caught_by="edited_export_over_recorded_parts_is_refused",
    ),
    Mutant(
        "another day's run is resumed",
        "ledger.resume:decide",
        "    if not run.same_values:\n",
        "    if False:\n",
        caught_by="tonight_after_yesterdays_death",
    ),
    Mutant(
        "snapshot units are resumed",
        "ledger.resume:decide",
        "    if not resumable:\n",
        "    if False:\n",
        caught_by="every_point[snapshot]",
    ),
    Mutant(
        "no gate",
        "engine.sealing:seal_roll",
        "judgement.failure is None else Status.FAILED",
        "True else Status.FAILED",
        caught_by="failed_gate_closes_the_run",
    ),
)
