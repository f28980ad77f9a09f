"""What verifying a dataset found, as values: failures of a fixed vocabulary, and the report that they add up to."""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import Any, Final

import attrs

from rivet_core.errors import Exit


class Depth(StrEnum):
    """How deep to look: control objects; one listing besides; every part's content besides."""

    LIGHT = "light"
    SAMPLE = "sample"
    FULL = "full"


class Weight(Enum):
    """What a failure means for the exit status."""

    #: Told, and nothing more.
    WARNING = Exit.DONE
    #: There is nothing finished to judge, or it could not be read: no word about the data.
    UNVERIFIED = Exit.USAGE
    #: The destination is not what its manifest says.
    FATAL = Exit.INTEGRITY


class FailureKind(Enum):
    """The vocabulary: the ``kind`` of a failure, its code without ``RIVET_VERIFY_``, its weight."""

    PART_MISSING = ("part_missing", "PART_MISSING", Weight.FATAL)
    PART_SIZE = ("part_size_mismatch", "PART_SIZE_MISMATCH", Weight.FATAL)
    PART_CHECKSUM = ("part_checksum_mismatch", "PART_CHECKSUM_MISMATCH", Weight.FATAL)
    PART_ROWS = ("part_row_count_mismatch", "PART_ROW_COUNT", Weight.FATAL)
    VALUE_CHECKSUM = ("value_checksum_mismatch", "VALUE_CHECKSUM", Weight.FATAL)
    MANIFEST_INCONSISTENT = ("manifest_self_inconsistent", "MANIFEST_INCONSISTENT", Weight.FATAL)
    MANIFEST_MISSING = ("manifest_missing_under_marker", "MANIFEST_MISSING", Weight.FATAL)
    MARKER_MALFORMED = ("success_marker_malformed", "SUCCESS_MALFORMED", Weight.FATAL)
    MARKER_STALE = ("success_marker_stale", "SUCCESS_STALE", Weight.FATAL)
    EXPORT = ("manifest_of_another_export", "EXPORT_MISMATCH", Weight.FATAL)
    CONTENT_UNMET = ("content_unmet", "CONTENT_UNMET", Weight.FATAL)
    COMMIT_UNFINISHED = ("commit_unfinished", "COMMIT_UNFINISHED", Weight.UNVERIFIED)
    RUN_NOT_SUCCESSFUL = ("run_not_successful", "RUN_NOT_SUCCESSFUL", Weight.UNVERIFIED)
    MANIFEST_REQUIRED = ("manifest_required", "MANIFEST_REQUIRED", Weight.UNVERIFIED)
    MANIFEST_UNREAD = ("manifest_read_error", "MANIFEST_READ_ERROR", Weight.UNVERIFIED)
    MARKER_UNREAD = ("success_marker_read_error", "SUCCESS_READ_ERROR", Weight.UNVERIFIED)
    PART_UNREAD = ("part_read_error", "PART_READ_ERROR", Weight.UNVERIFIED)
    UNLISTED = ("list_error", "LIST_ERROR", Weight.UNVERIFIED)
    UNTRACKED = ("untracked_object", "UNTRACKED_OBJECT", Weight.WARNING)
    NO_READER = ("format_not_readable", "FORMAT_NOT_READABLE", Weight.WARNING)

    @property
    def word(self) -> str:
        """The failure's ``kind`` in reports."""
        return self.value[0]

    @property
    def code(self) -> str:
        """The failure's stable code."""
        return f"RIVET_VERIFY_{self.value[1]}"

    @property
    def weight(self) -> Weight:
        """What it means for the exit status."""
        return self.value[2]


@attrs.frozen(kw_only=True)
class Failure:
    """One finding.

    :param detail: a sentence for a person.
    :param facts: what a program wants to know, such as ``path``; names as the Rust tool has them.
    """

    kind: FailureKind
    detail: str
    facts: tuple[tuple[str, str | int], ...] = ()

    def to_json(self) -> dict[str, str | int]:
        """Return the failure's JSON form."""
        return {"kind": self.kind.word, **dict(self.facts), "detail": self.detail, "code": self.kind.code}


@attrs.frozen(kw_only=True)
class Verification:
    """The report on one dataset.

    :param legacy_run: the prefix has neither manifest nor marker.
    :param parts_verified: parts that are present at their recorded size; 0 at depth ``light``.
    :param parts_md5_verified: of these, parts whose MD5 the store confirmed.
    :param success_marker_consistent: the marker names the bytes of the canonical manifest.
    :param manifest_self_consistent: the manifest could be read and does not contradict itself.
    :param failures: warnings included.
    """

    depth: Depth
    manifest_found: bool = False
    legacy_run: bool = False
    parts_verified: int = 0
    parts_md5_verified: int = 0
    parts_failed: int = 0
    success_marker_consistent: bool = False
    manifest_self_consistent: bool = False
    failures: tuple[Failure, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether there is a finished dataset and nothing but warnings was found."""
        return self.exit is Exit.DONE

    @property
    def exit(self) -> Exit:
        """3 when something is wrong, 1 when nothing finished could be verified, else 0."""
        return max((failure.kind.weight.value for failure in self.failures), default=Exit.DONE)

    @property
    def code(self) -> str | None:
        """The error code that goes with :attr:`exit`."""
        return _CODES[self.exit]

    @property
    def warnings(self) -> tuple[Failure, ...]:
        """The failures that change no exit status."""
        return tuple(failure for failure in self.failures if failure.kind.weight is Weight.WARNING)

    def to_json(self) -> dict[str, Any]:
        """Return the ``verification`` object of a machine-readable report."""
        return {
            "manifest_found": self.manifest_found,
            "legacy_run": self.legacy_run,
            "parts_verified": self.parts_verified,
            "parts_md5_verified": self.parts_md5_verified,
            "parts_failed": self.parts_failed,
            "success_marker_consistent": self.success_marker_consistent,
            "manifest_self_consistent": self.manifest_self_consistent,
            "passed": self.passed,
            "failures": [failure.to_json() for failure in self.failures],
            "depth_level": self.depth.value,
        }


_CODES: Final = {
    Exit.DONE: None,
    Exit.USAGE: "RIVET_VALIDATE_UNVERIFIED",
    Exit.INTEGRITY: "RIVET_VALIDATE_FAILED",
}
