"""Drafts of exports, each tried as ``rivet check`` would before it is written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs

from rivet_core.cli.init_source import Origin
from rivet_core.config import parse
from rivet_core.engine.declarations import Declarations
from rivet_core.engine.report_text import count_text
from rivet_core.engine.scaffold.modes import Served, Suggestion, suggestions, unserved
from rivet_core.engine.scaffold.proving import refusal
from rivet_core.engine.scaffold.text import ExportText, Scaffold, render
from rivet_core.engine.scaffold.words import table_word
from rivet_core.errors import Place, RivetError, UsageError
from rivet_core.plugins import Plugins

if TYPE_CHECKING:
    from rivet_core.config import Configuration
    from rivet_core.engine.scaffold.looked import LeftOut, Looked
    from rivet_core.types import SourceIdentity

#: The modes that the rules know, besides which any other can be asked for.
_MODES: Final = ("full", "incremental", "chunked")
#: Keys of a suggestion that belong to no runner.
_COMMON: Final = frozenset({"parallel"})


@attrs.frozen(kw_only=True)
class Drafts:
    """What all exports of the file have in common.

    :param mode: of every export; None for what suits each.
    :param file: the configuration's name, as given, and ``folder`` where it lies, absolute.
    :raises RivetError: when nothing offers the mode or the format.
    """

    plugins: Plugins
    origin: Origin
    form: str
    destination: str
    mode: str | None
    file: str
    folder: Path
    environ: Mapping[str, str]
    served: Served = attrs.field(init=False, repr=False)

    @served.default
    def _served(self) -> Served:
        self.plugins.format_type(self.form)
        if self.mode is not None:
            self.plugins.runner_types(self.mode)
        return {mode: flat for mode in _MODES if (flat := self._flat(mode))}

    def settle(self, name: str, looked: Looked, identity: SourceIdentity) -> ExportText:
        """Return the export of a relation in the best mode that would be accepted.

        :raises RivetError: why the last one would not be.
        """
        if table_word(looked.relation.table) is None:
            msg = f"the name {looked.relation.table.name!r} cannot be written as table:"
            raise UsageError(
                msg,
                code="RIVET_CONFIG_EXPORT_SOURCE_INVALID",
                place=Place(relation=str(looked.relation.table)),
                remedy="read it through a query",
            )
        wanted = suggestions(looked, mode=self.mode)
        refused: RivetError | None = None
        for suggestion in wanted if self.mode else [one for one in wanted if one.served(self.served)]:
            export = ExportText(name=name, looked=looked, suggestion=suggestion, note=self._note(looked, suggestion))
            refused = self._refusal(export, identity)
            if refused is None:
                return export
        if refused is None:
            # No runner serves any of them: whoever has none for the simplest says so.
            self.plugins.runner_types(wanted[-1].mode)
            msg = f"no suggestion of {looked.relation.table} is served"
            remedy = "choose another with --mode; rivet plugins lists the modes that are installed"
            raise UsageError(msg, code="RIVET_CONFIG_RUNNER_REFUSED", remedy=remedy)
        raise refused

    def whole(self, exports: tuple[ExportText, ...], left_out: tuple[LeftOut, ...]) -> str:
        """Return the text of the file, read once more by the loader."""
        text = self._text(
            exports,
            left_out,
            head=(
                f"Written by rivet init: {count_text(len(exports), 'export')}. Sizes are the catalogue's estimates.",
                f"Review it, then: rivet check -c {self.file}",
            ),
        )
        self._read(text)
        return text

    def _note(self, looked: Looked, suggestion: Suggestion) -> str | None:
        return None if self.mode else unserved(looked, suggestion, self.served)

    def _refusal(self, export: ExportText, identity: SourceIdentity) -> RivetError | None:
        try:
            intent = self._read(self._text((export,))).exports[0]
        except UsageError as error:
            return error
        declarations = Declarations(
            source=self.origin.declaration,
            runners=self.plugins.runner_types(intent.mode.kind),
            format=self.plugins.format_type(intent.format.kind),
            destination=self.plugins.destination_type(intent.destination.kind),
        )
        return refusal(intent, declarations, identity, export.looked.schema)

    def _text(
        self, exports: tuple[ExportText, ...], left_out: tuple[LeftOut, ...] = (), head: tuple[str, ...] = ()
    ) -> str:
        return render(
            Scaffold(
                source=self.origin.text,
                format=self.form,
                destination=self.destination,
                exports=exports,
                left_out=left_out,
                head=head,
            )
        )

    def _read(self, text: str) -> Configuration:
        return parse(
            text,
            self.plugins,
            path=self.folder / Path(self.file).name,
            file=self.file,
            params=self.origin.params,
            environ=self.environ,
        )

    def _flat(self, mode: str) -> tuple[frozenset[str], ...]:
        try:
            return tuple(frozenset(runner.flat) | _COMMON for runner in self.plugins.runner_types(mode))
        except RivetError:  # nothing that is installed serves it
            return ()
