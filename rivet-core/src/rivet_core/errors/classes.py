"""The exception classes: one per recovery, not per subsystem; the code says which failure it is."""

from __future__ import annotations

from typing import Any, ClassVar

from rivet_core.errors.exits import Exit
from rivet_core.errors.place import Place


class RivetError(Exception):
    """An error with a stable code, a place and a remedy.

    :param message: what is wrong, one sentence, free of secrets.
    :param code: a key of :data:`rivet_core.errors.CODES`.
    :param place: where it is.
    :param remedy: what to do next.
    """

    exit_code: ClassVar[Exit] = Exit.INTERNAL

    def __init__(self, message: str, *, code: str, place: Place | None = None, remedy: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.place = place
        self.remedy = remedy

    def __reduce__(self) -> tuple[Any, ...]:
        # Keyword-only arguments do not survive the default pickling, and errors cross process borders.
        return (_rebuild, (type(self), self.message, self.code, self.place, self.remedy))

    @property
    def exit(self) -> Exit:
        """The exit status that this error asks for."""
        return self.exit_code

    def __str__(self) -> str:
        text = f"[{self.code}] {self.message}"
        if self.place is not None and str(self.place):
            text += f" ({self.place})"
        if self.remedy:
            text += f"\n  What to do: {self.remedy}"
        return text


def _rebuild(kind: type[RivetError], message: str, code: str, place: Place | None, remedy: str | None) -> RivetError:
    return kind(message, code=code, place=place, remedy=remedy)


class UsageError(RivetError):
    """The command line, the configuration or a plugin's declaration is wrong: edit and run again."""

    exit_code = Exit.USAGE


class EnvironmentFailure(RivetError):
    """Something outside failed.

    :param transient: whether the same command may succeed later (exit 2) or something must be mended first (exit 1).
    """

    exit_code = Exit.USAGE

    def __init__(
        self,
        message: str,
        *,
        code: str,
        place: Place | None = None,
        remedy: str | None = None,
        transient: bool = False,
    ) -> None:
        super().__init__(message, code=code, place=place, remedy=remedy)
        self.transient = transient

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild_environment, (type(self), self.message, self.code, self.place, self.remedy, self.transient))

    @property
    def exit(self) -> Exit:
        """2 when waiting can help, else 1."""
        return Exit.TRANSIENT if self.transient else Exit.USAGE


def _rebuild_environment(
    kind: type[EnvironmentFailure],
    message: str,
    code: str,
    place: Place | None,
    remedy: str | None,
    transient: bool,  # noqa: FBT001 - positional because pickle calls it so
) -> EnvironmentFailure:
    return kind(message, code=code, place=place, remedy=remedy, transient=transient)


class SnapshotGone(EnvironmentFailure):
    """The shared snapshot of a run no longer exists: its units can be neither retried nor resumed in another."""


class BusyError(RivetError):
    """Another live process holds what this one needs: wait, then run the same command."""

    exit_code = Exit.TRANSIENT


class StaleWriter(BusyError):
    """This process's lease or attempt was superseded: it must stop and may write nothing more."""


class IntegrityError(RivetError):
    """Data may be wrong: look before loading it."""

    exit_code = Exit.INTEGRITY


class DriftError(RivetError):
    """The source's schema is not the one that was recorded."""

    exit_code = Exit.DRIFT


class RefusalError(RivetError):
    """Stopped on purpose to protect data: a person decides between the named ways out."""

    exit_code = Exit.REFUSED


class InternalError(RivetError):
    """An invariant of rivet itself broke: report it."""

    exit_code = Exit.INTERNAL
