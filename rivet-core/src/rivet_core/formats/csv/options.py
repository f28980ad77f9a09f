"""The options of the format ``csv``, of which no combination leaves two readings of a file."""

from __future__ import annotations

import re
from typing import Final, Literal

import attrs

from rivet_core.errors import UsageError

#: What numbers, dates, times, booleans and bytes are written with; as a delimiter it would cut them.
_IN_VALUES: Final = re.compile(r"[0-9A-Za-z+\-.:]")
#: What a value of another type than text can look like: digits after an optional sign, bytes, a UUID, or one of words.
_A_VALUE: Final = re.compile(r"[+-]?[0-9].*|[0-9a-f]+(-[0-9a-f]+)*|true|false|NaN|-?inf", re.DOTALL)
_LINE_ENDS: Final = {"lf": "\n", "crlf": "\r\n"}


@attrs.frozen(kw_only=True)
class CsvOptions:
    """How rows become lines.

    :param delimiter: one ASCII character that no number, date, boolean or UUID is written with.
    :param quote: stands around what would be misread otherwise, and twice for itself.
    :param null_string: what stands for NULL, never in quotes; a text of the same letters is written in quotes.
    :param header: whether the first line holds the columns' names.
    :param compression: ``none``, since nothing compresses CSV here; the other words are known only to be refused.
    """

    delimiter: str = ","
    quote: Literal['"', "'"] = '"'
    null_string: str = ""
    line_end: Literal["lf", "crlf"] = "lf"
    header: bool = True
    compression: Literal["zstd", "snappy", "gzip", "lz4", "none"] = "none"
    compression_profile: Literal["none", "fast", "balanced", "compact"] = "none"

    def __attrs_post_init__(self) -> None:
        if problem := _about_delimiter(self.delimiter, self.quote):
            msg = f"delimiter is {self.delimiter!r}: {problem}"
            raise _invalid(
                msg, remedy='write another character, such as "," or ";" or, for a tab, "\\t" in double quotes'
            )
        if problem := _about_null(self.null_string, self.delimiter, self.quote):
            msg = f"null_string is {self.null_string!r}: {problem}"
            raise _invalid(msg, remedy="leave it out, so that NULL is an empty field, or write a word such as NULL")
        for key in ("compression", "compression_profile"):
            word = getattr(self, key)
            if word != "none":
                msg = f"{key} is {word}, and nothing compresses CSV: the manifest would name a codec in vain"
                remedy = f"Write {key}: none, or choose format: parquet."
                raise UsageError(msg, code="RIVET_CONFIG_MODE_SETTING_INVALID", remedy=remedy)

    def line_break(self) -> str:
        """Return what ends each line, the last one too."""
        return _LINE_ENDS[self.line_end]


def _about_delimiter(delimiter: str, quote: str) -> str | None:
    if len(delimiter) != 1 or not delimiter.isascii():
        return "it must be one ASCII character"
    if delimiter in "\r\n\0" or delimiter == quote:
        return "it has a meaning of its own in the file"
    return "numbers, dates or words are written with it" if _IN_VALUES.fullmatch(delimiter) else None


def _about_null(null_string: str, delimiter: str, quote: str) -> str | None:
    if any(character in null_string for character in (delimiter, quote, "\r", "\n")):
        return "it would need quotes, and NULL has none"
    return "a value that is no NULL may be written so" if _A_VALUE.fullmatch(null_string) else None


def _invalid(message: str, *, remedy: str) -> UsageError:
    return UsageError(message, code="RIVET_CONFIG_VALUE_INVALID", remedy=remedy)
