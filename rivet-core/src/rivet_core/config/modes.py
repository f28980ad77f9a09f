"""The mode and the format of an export: whose options are which keys, flat or nested."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from rivet_core.config.elsewhere import IGNORED, stray_key
from rivet_core.config.kinds import KindBlock, ask, kind_block
from rivet_core.config.nodes import Keyed
from rivet_core.config.structure import WRONG, structure_class
from rivet_core.requests import Chosen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rivet_core.config.kinds import Kinds
    from rivet_core.config.nodes import Entry, Node
    from rivet_core.config.reading import Reading
    from rivet_core.hookspecs import FormatType, RunnerType


@attrs.frozen(kw_only=True)
class ModeChoice:
    """What is known of an export's mode.

    :param word: the mode, or None when it cannot be read.
    :param runners: each runner that takes the given keys, with its options; empty when there is a problem.
    :param flat: the keys at the export's level that belong to the mode.
    """

    word: str | None
    runners: tuple[tuple[RunnerType, Chosen], ...] = ()
    flat: frozenset[str] = frozenset()
    known: bool = False


@attrs.frozen(kw_only=True)
class FormatChoice:
    """What is known of an export's format; fields as in :class:`ModeChoice`."""

    word: str | None
    chosen: Chosen | None = None
    flat: frozenset[str] = frozenset()
    known: bool = False


def choose_mode(node: Node | None, export: Keyed, kinds: Kinds, reading: Reading) -> ModeChoice:
    """Return the runners that could serve an export; ``full`` is the mode of an export that names none."""
    if node is None:
        block: KindBlock | None = KindBlock(kind="full", place=export.place, options=attrs.evolve(export, entries=()))
    else:
        block = kind_block(node, reading, seam="mode")
    declarations = ask(kinds.runner_types, block, reading)
    if block is None or declarations is None:
        return ModeChoice(word=block.kind if block else None)
    flat = frozenset(key for declaration in declarations for key in declaration.flat)
    runners = _fitting(declarations, block, export, flat, reading)
    return ModeChoice(word=block.kind, runners=runners, flat=flat, known=True)


def choose_format(node: Node, export: Keyed, kinds: Kinds, reading: Reading) -> FormatChoice:
    """Return the format of an export with its options."""
    block = kind_block(node, reading, seam="format")
    declaration = ask(kinds.format_type, block, reading)
    if block is None or declaration is None:
        return FormatChoice(word=block.kind if block else None)
    options = _options(declaration, block, export, reading)
    chosen = None if options is WRONG else Chosen(kind=declaration.kind, options=options)
    return FormatChoice(word=block.kind, chosen=chosen, flat=frozenset(declaration.flat), known=True)


def _fitting(
    declarations: Sequence[RunnerType], block: KindBlock, export: Keyed, flat: frozenset[str], reading: Reading
) -> tuple[tuple[RunnerType, Chosen], ...]:
    """Return the runners that take every given key; when there is none, report why the nearest one does not."""
    fitting: list[tuple[RunnerType, Chosen]] = []
    trials: list[Reading] = []
    for declaration in declarations:
        trial = reading.trial()
        for entry in export.only(flat - set(declaration.flat)):
            message = f"{entry.key!r} is not taken by the runner {declaration.kind!r} of this mode"
            trial.problem(entry.place, message, code=IGNORED, remedy="remove it, or the keys of the other runner")
        options = _options(declaration, block, export, trial)
        trials.append(trial)
        if not trial.problems:
            fitting.append((declaration, Chosen(kind=declaration.kind, options=options)))
    nearest = min(trials, key=lambda trial: len(trial.problems))
    reading.absorb(nearest)
    return tuple(fitting)


def _options(declaration: RunnerType | FormatType, block: KindBlock, export: Keyed, reading: Reading) -> object:
    """Return the options that the nested block and the flat keys give together."""
    given = export.only(declaration.flat)
    for entry in given:
        if nested := block.options.get(entry.key):
            line = nested.place.line
            reading.problem(entry.place, f"{entry.key!r} is also given on line {line}", remedy="remove one of the two")
    mapping = attrs.evolve(given.over(block.options), place=block.place)

    def stray(entry: Entry, known: tuple[str, ...]) -> None:
        reading.problems.append(stray_key(entry, known))

    return structure_class(declaration.options, mapping, reading, stray=stray)
