"""One entry of ``exports`` becomes one intent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import attrs

from rivet_core.config.columns import column_rules
from rivet_core.config.elsewhere import FORMAT_KEYS, MODE_KEYS, stray_key, telling
from rivet_core.config.hints import option_fields
from rivet_core.config.keys import TARGETS, ExportKeys
from rivet_core.config.kinds import ask, kind_block
from rivet_core.config.modes import choose_format, choose_mode
from rivet_core.config.names import LOCALE, can_name_a_file, refuse_name
from rivet_core.config.nodes import Keyed
from rivet_core.config.prefix import Written, leaves_its_folder, prefix_template, unknown_tokens
from rivet_core.config.problems import VALUE
from rivet_core.config.relations import WAYS, read_relation
from rivet_core.config.scalars import Unreadable
from rivet_core.config.showing import masked, shown
from rivet_core.config.sizes import read_size
from rivet_core.config.structure import WRONG, Found, structure, structure_what_is_sound
from rivet_core.config.tuning import resolve_tuning
from rivet_core.errors import RivetError
from rivet_core.requests import Chosen, Intent
from rivet_core.types import Query

if TYPE_CHECKING:
    from rivet_core.config.kinds import Kinds
    from rivet_core.config.modes import FormatChoice, ModeChoice
    from rivet_core.config.nodes import Entry, Node
    from rivet_core.config.reading import Reading
    from rivet_core.config.source import SourceBlock
    from rivet_core.hookspecs import DestinationType

#: Input bytes of a part where ``max_file_size`` says nothing.
PART_BYTES: Final[int] = attrs.fields(Intent).part_bytes.default  # type: ignore[assignment]  # it has one


@attrs.frozen(kw_only=True)
class ReadExport:
    """An export as far as it could be read.

    :param intent: None when there is a problem with it.
    :param written: where it writes to, None when that is a problem.
    :param node: where it stands, for checks across exports.
    """

    intent: Intent | None
    written: Written | None
    node: Keyed


def read_export(node: Node, source: SourceBlock | None, kinds: Kinds, reading: Reading) -> ReadExport | None:
    """Return an export after reporting everything that is wrong with it; None when it is none.

    :param source: None when the file's source could not be read; the export is checked all the same.
    """
    if not isinstance(node, Keyed):
        reading.problem(node.place, "an export must be a mapping", remedy="write - name: … and its other keys below")
        return None
    before = len(reading.problems)
    destination_entry = node.get("destination")
    destination = _destination(destination_entry.value, kinds, reading) if destination_entry else None
    intent = _intent(node, source, destination, kinds, reading, before)
    name = _name_of(node, reading)
    written = None
    if destination is not None and name is not None:
        written = Written(export=name, declaration=destination[0], options=destination[1], template=destination[2])
    return ReadExport(intent=intent, written=written, node=node)


def _intent(
    node: Keyed,
    source: SourceBlock | None,
    destination: tuple[DestinationType, object, str] | None,
    kinds: Kinds,
    reading: Reading,
    before: int,
) -> Intent | None:
    """Return the intent of an export without problems.

    :param before: the number of problems that are not of this export.
    """
    core = node.only(field.key for field in option_fields(ExportKeys))
    # What is wrong in one key must not hide what is wrong between others.
    required = {"name": "", "format": node, "destination": node}
    keys = structure_what_is_sound(ExportKeys, core, reading, instead=required).made
    _check_name(node, reading)
    mode_entry, format_entry = node.get("mode"), node.get("format")
    mode = choose_mode(mode_entry.value if mode_entry else None, node, kinds, reading)
    form = choose_format(format_entry.value, node, kinds, reading) if format_entry else None
    _refuse_strays(node, core, mode, form, reading)
    if keys is None:
        return None
    folds = source is not None and source.declaration.capabilities.folds_names
    reads = read_relation(keys, node, reading, folds=folds)
    rules = column_rules(keys, reads.relation if reads else None, node, reading)
    part_bytes = _part_bytes(keys, node, reading)
    if source and reads and node.get("table") is None and not source.declaration.capabilities.queries:
        place = next(entry.place for entry in node if entry.key in WAYS)
        message = f"a source of the type {source.declaration.kind} reads tables, not queries"
        reading.problem(place, message, code="RIVET_CONFIG_EXPORT_SOURCE_INVALID", remedy="write table: instead")
    if source and reads and isinstance(reads.relation, Query):
        _check_query(reads.relation, source, node, reading)
    if reading.connects and keys.verify == "content" and destination and not destination[0].capabilities.md5:
        entry = node.get("verify")
        message = f"the destination {destination[0].kind} keeps no MD5 that could confirm a part"
        remedy = "write verify: size, and run with --validate, which reads every part again"
        reading.problem(entry.value.place if entry else node.place, message, code=VALUE, remedy=remedy)
    tuned = source.tuned(node.get("tuning"), reading) if source else None
    if len(reading.problems) > before or source is None or tuned is None:
        return None
    if form is None or form.chosen is None or destination is None or not mode.runners:
        return None
    declaration, options, prefix = destination
    resolved = resolve_tuning(source.keys.tuning, keys.tuning, source.keys.environment)
    hashed = keys.meta_columns.row_hash
    intent = Intent(
        name=keys.name,
        source=tuned,
        relation=reads.relation if reads else None,
        relation_template=reads.template if reads else "",
        mode=Chosen(kind=mode.runners[0][0].mode, options=mode.runners[0][1].options),
        runners=tuple(chosen for _, chosen in mode.runners),
        format=form.chosen,
        destination=Chosen(kind=declaration.kind, options=options),
        prefix=prefix,
        workers=keys.parallel,
        rules=rules,
        part_bytes=part_bytes,
        skip_empty=keys.skip_empty,
        exported_at=keys.meta_columns.exported_at,
        row_hash=hashed if isinstance(hashed, tuple) else () if hashed else None,
        on_schema_drift=keys.on_schema_drift,
        row_count_min=keys.quality.row_count_min,
        row_count_max=keys.quality.row_count_max,
        null_ratio_max=keys.quality.null_ratio_max,
        unique_columns=keys.quality.unique_columns,
        unique_max_entries=keys.quality.unique_max_entries,
        verify=keys.verify,
        shape_drift_warn_factor=keys.shape_drift_warn_factor,
        target=TARGETS[keys.target.lower()] if keys.target else None,
        tuning=resolved.tuning,
        max_attempts=resolved.max_attempts,
        retry_backoff_ms=resolved.retry_backoff_ms,
    )
    parallel = node.get("parallel")
    if parallel and keys.parallel > 1 and not any(one.capabilities.parallel for one, _ in mode.runners):
        reading.warn(parallel.place, f"parallel has no effect in mode {intent.mode.kind}, which reads one unit")
    if not _reads_something(intent, mode, node, reading) or len(reading.problems) > before:
        return None
    return intent


def _name_of(node: Keyed, reading: Reading) -> str | None:
    entry = node.get("name")
    name = structure(entry.value, str, reading.trial(), key=entry) if entry else WRONG
    return name if isinstance(name, str) else None


def _check_query(query: Query, source: SourceBlock, node: Keyed, reading: Reading) -> None:
    """Report a query that the source's plugin refuses without asking a server."""
    try:
        source.declaration.check_query(query.text)
    except RivetError as error:
        entry = next(entry for entry in node if entry.key in WAYS)
        reading.problem(
            entry.value.place, masked(error.message), code=error.code, remedy=error.remedy or "write another query"
        )


def _check_name(node: Keyed, reading: Reading) -> None:
    """Check the name on its own, so that it is reported beside whatever else is wrong with the export."""
    entry, name = node.get("name"), _name_of(node, reading)
    if entry is not None and name is not None and (reason := refuse_name(name)):
        message = f"{shown(name)} cannot be the name of an export: {reason}"
        remedy = "use letters, digits, '_' and '-'" if can_name_a_file(name) else LOCALE
        reading.problem(entry.value.place, message, code="RIVET_CONFIG_PATH_UNSAFE", remedy=remedy)


def _destination(node: Node, kinds: Kinds, reading: Reading) -> tuple[DestinationType, object, str] | None:
    """Return the declaration, the options, and the prefix template."""
    block = kind_block(node, reading, seam="destination", word=False)
    declaration = ask(kinds.destination_type, block, reading)
    if block is None or declaration is None:
        return None

    def stray(entry: Entry, known: tuple[str, ...]) -> None:
        reading.problems.append(stray_key(entry, (*known, "type")))

    given = telling(block.options, (field.key for field in option_fields(declaration.options)))
    found: Found[Any] = structure_what_is_sound(declaration.options, given, reading, stray=stray)
    options = found.made
    # A destination with a mistake may still say for certain where it is.
    if options is None or found.lost:
        return None
    template = prefix_template(declaration, options)
    entry = block.options.get(declaration.prefix or "")
    if entry is not None:
        if leaves_its_folder(getattr(entry.value, "text", "")) or leaves_its_folder(template):
            message = f"{entry.key!r} climbs out of its folder with '..'"
            reading.problem(
                entry.value.place, message, code="RIVET_CONFIG_PATH_UNSAFE", remedy="write the place itself"
            )
        for word, meant in unknown_tokens(template):
            hint = f"; did you mean {{{meant}}}?" if meant else ""
            reading.warn(entry.value.place, f"{{{word}}} stands for nothing and stays as it is{hint}")
    return declaration, options, template


def _refuse_strays(node: Keyed, core: Keyed, mode: ModeChoice, form: FormatChoice | None, reading: Reading) -> None:
    """Report the keys that neither rivet nor the chosen mode nor the chosen format takes."""
    flat = mode.flat | (form.flat if form else frozenset())
    known = {field.key for field in option_fields(ExportKeys)} | flat
    for entry in telling(node.without({entry.key for entry in core} | flat), ()):
        # The missing plugin is reported already; its keys are no second mistake.
        if not mode.known and MODE_KEYS.get(entry.key) in {mode.word, None} and entry.key in MODE_KEYS:
            continue
        if (form is None or not form.known) and entry.key in FORMAT_KEYS:
            continue
        # CSV files say so in words: no compression.
        if entry.key == "compression" and getattr(entry.value, "text", "") == "none":
            continue
        word = form.word if form else None
        reading.problems.append(stray_key(entry, known, mode=mode.word or "", format=word or ""))


def _part_bytes(keys: ExportKeys, node: Keyed, reading: Reading) -> int:
    entry = node.get("max_file_size")
    if keys.max_file_size is None or entry is None:
        return PART_BYTES
    try:
        return read_size(keys.max_file_size)
    except Unreadable as error:
        reading.problem(entry.value.place, f"max_file_size {error.reason}", code=VALUE, remedy=error.remedy)
        return PART_BYTES


def _reads_something(intent: Intent, mode: ModeChoice, node: Keyed, reading: Reading) -> bool:
    """Report an export without a relation, unless its runner names relations of its own."""
    if intent.relation is not None:
        return True
    if any(declaration.datasets(intent.served_by(declaration.kind)) for declaration, _ in mode.runners):
        return True
    message = "the export names nothing to read"
    remedy = f"add one of {', '.join(WAYS)}"
    reading.problem(node.place, message, code="RIVET_CONFIG_EXPORT_SOURCE_INVALID", remedy=remedy)
    return False
