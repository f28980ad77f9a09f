"""The ``source`` block: its kind, the keys that every source has, and the options of its plugin."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import attrs

from rivet_core.config.elsewhere import stray_key, telling
from rivet_core.config.hints import alternatives, option_fields
from rivet_core.config.keys import SourceKeys
from rivet_core.config.kinds import ask, kind_block
from rivet_core.config.nodes import Keyed
from rivet_core.config.showing import masked, shown
from rivet_core.config.structure import WRONG, structure, structure_class
from rivet_core.requests import Chosen
from rivet_core.types import Secret

if TYPE_CHECKING:
    from rivet_core.config.kinds import KindBlock, Kinds
    from rivet_core.config.nodes import Entry, Node
    from rivet_core.config.places import Places
    from rivet_core.config.reading import Reading
    from rivet_core.hookspecs import SourceType

_OWN = ("environment", "tuning")


@attrs.frozen(kw_only=True)
class SourceBlock:
    """A source whose kind is known.

    :param chosen: None when there is a problem with it; the exports are checked all the same.
    :param block: as written, so that an export's own tuning can be put over it.
    """

    chosen: Chosen | None
    keys: SourceKeys
    declaration: SourceType
    block: KindBlock

    def tuned(self, tuning: Entry | None, reading: Reading) -> Chosen | None:
        """Return the source as one export wants it: with the export's tuning over the source's, field by field.

        Only a source that has an option ``tuning`` looks at it itself.
        """
        if tuning is None or "tuning" not in {field.key for field in option_fields(self.declaration.options)}:
            return self.chosen
        common = self.block.options.get("tuning")
        if common is not None and isinstance(common.value, Keyed) and isinstance(tuning.value, Keyed):
            tuning = attrs.evolve(tuning, value=tuning.value.over(common.value))
        mapping = attrs.evolve(self.block.options, entries=(tuning,)).over(self.block.options)
        # The source's own mistakes are reported already.
        trial = reading.trial()
        options: Any = structure_class(self.declaration.options, _plugins_part(mapping, self.declaration), trial)
        reading.absorb(trial, new=True)
        return None if options is WRONG else Chosen(kind=self.declaration.kind, options=options)


def read_source(node: Node, kinds: Kinds, reading: Reading) -> SourceBlock | None:
    """Return the file's source, or None after reporting that nobody offers it; what else is wrong is reported, too."""
    block = kind_block(node, reading, seam="source", word=False)
    if block is None:
        return None
    before = len(reading.problems)
    keys = structure_class(SourceKeys, block.options.only(_OWN), reading)
    declaration = ask(kinds.source_type, block, reading)
    if declaration is None:
        return None
    mapping = _plugins_part(block.options, declaration)
    # The plugin finds the same faults in the blocks that both read, and may know of others.
    trial = reading.trial()

    def stray(entry: Entry, known: tuple[str, ...]) -> None:
        if entry.key == "mongo":
            remedy = "it belongs to sources of the type mongo: remove it"
            trial.problem(entry.place, f"unknown key 'mongo' for the source {shown(block.kind)}", remedy=remedy)
        else:
            trial.problems.append(stray_key(entry, (*known, *_OWN, "type")))

    options: Any = structure_class(declaration.options, mapping, trial, stray=stray)
    reading.absorb(trial, new=True)
    _check_scheme(mapping, declaration, reading)
    sound = options is not WRONG and keys is not WRONG and len(reading.problems) == before
    chosen = Chosen(kind=declaration.kind, options=options) if sound else None
    return SourceBlock(
        chosen=chosen, keys=SourceKeys() if keys is WRONG else keys, declaration=declaration, block=block
    )


def check_source(source: SourceBlock, places: Places, reading: Reading) -> None:
    """Report what the source's plugin knows to be wrong without connecting, each at its line."""
    if source.chosen is None:
        return
    for error in source.declaration.check(source.chosen.options):
        path = error.place.path if error.place is not None and error.place.path else "source"
        reading.problem(
            places.find(path), masked(error.message), code=error.code, remedy=error.remedy or f"change {path}"
        )


def _plugins_part(mapping: Keyed, declaration: SourceType) -> Keyed:
    """Return what the plugin reads: everything but our own keys, and those too where it has options of that name.

    Of ``tuning`` it gets the keys that it looks at; all of them are checked by us.
    """
    has = {field.key: field for field in option_fields(declaration.options)}
    mapping = telling(mapping.without(key for key in _OWN if key not in has), has)
    entry = mapping.get("tuning")
    if entry is None or not isinstance(entry.value, Keyed):
        return mapping
    classes = [part for part in alternatives(has["tuning"].hint) if attrs.has(part)]
    looked_at = {field.key for cls in classes for field in option_fields(cls)}
    # Each of them may be left empty, whatever the plugin's own class says.
    looked_at -= {inner.key for inner in entry.value if getattr(inner.value, "null", False)}
    return attrs.evolve(mapping, entries=(attrs.evolve(entry, value=entry.value.only(looked_at)),)).over(mapping)


def _check_scheme(mapping: Keyed, declaration: SourceType, reading: Reading) -> None:
    """Refuse a URL of another kind of source, without showing it."""
    entry = mapping.get("url")
    if entry is None or not declaration.schemes or getattr(entry.value, "null", False):
        return
    url = structure(entry.value, Secret, reading.trial(), key=entry)
    if url is WRONG:
        return
    match = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://", url.reveal())
    if match is None or match[1].lower() not in declaration.schemes:
        said = f"the scheme {match[1].lower()}" if match else "no scheme"
        reading.problem(
            entry.value.place,
            f"the url of a source of the type {declaration.kind} has {said}",
            code="RIVET_CONFIG_SOURCE_URL_SCHEME_MISMATCH",
            remedy=f"its URLs start with {' or '.join(f'{scheme}://' for scheme in declaration.schemes)}",
        )
