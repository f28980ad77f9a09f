"""The driver's errors as errors of ours: a code, the server's own sentence without secrets, and a verdict."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rivet_core.errors import EnvironmentFailure, Place, RefusalError, RivetError, SnapshotGone
from rivet_core.types import Verdict, redact
from rivet_source_postgres.driver import ERRORS
from rivet_source_postgres.quoting import ALIAS
from rivet_source_postgres.refusals import refusal
from rivet_source_postgres.sqlstates import ROW_SECURITY_REMEDY, meaning_of

if TYPE_CHECKING:
    from collections.abc import Iterator

#: What the driver leaves without a SQLSTATE, above all while connecting: text of the library or of the server, and the
#: state that it stands for. The server may speak another language; then the state stays unknown.
_TEXTS: Final = tuple(
    (re.compile(text, re.IGNORECASE), state)
    for text, state in (
        (r"password authentication failed|no password supplied|authentication failed", "28P01"),
        (r"role \".*\" does not exist|not permitted to log in|certificate authentication", "28000"),
        (r"database \".*\" does not exist|no such database", "3D000"),
        (r"too many clients|connection slots are reserved|no more connections allowed", "53300"),
        (r"the database system is (starting up|shutting down|in recovery|not yet accepting)", "57P03"),
        (r"terminating connection due to administrator command", "57P01"),
        (r"canceling statement due to", "57014"),
        (r"unsupported startup parameter", "08P01"),
        (r"connection to server|could not (connect|receive|send)|server closed the connection", "08006"),
        (r"connection reset|no connection to the server|SSL|could not translate host name", "08006"),
        (r"timeout expired|failed to connect|EOF", "08006"),
    )
)


_UNTRANSLATABLE: Final = frozenset({"22021", "22P05"})
#: Where the server finds a mistake in the statement: a line, and below it a mark at its column.
_POINTER: Final = re.compile(r"\n[^\n:]* (?P<line>\d+): (?P<text>[^\n]*)\n *\^")
#: The text that a guarded array raises, see :func:`rivet_source_postgres.arrays.refusing`.
ARRAY_MARK: Final = "rivet-array"
_ARRAY: Final = re.compile(rf"{ARRAY_MARK}\|(?P<column>.*)\|(?P<shape>(?:\[[-\d]+:[-\d]+\])+)", re.DOTALL)


def sqlstate(error: BaseException) -> str | None:
    """Return the SQLSTATE of an error or of what caused it."""
    for one in _chain(error):
        state = getattr(one, "sqlstate", None)
        if isinstance(state, str) and state.strip("\0 "):
            return state
    text = _text(error)
    if refused := refusal(text):
        return refused[0]
    return next((state for pattern, state in _TEXTS if pattern.search(text)), None)


def verdict(error: BaseException) -> Verdict:
    """Return whether trying again can help; what is unknown is fatal."""
    if isinstance(error, SnapshotGone | RefusalError):
        return Verdict.FATAL
    if any(isinstance(one, RivetError) for one in _chain(error)) and not _foreign(error):
        transient = isinstance(error, EnvironmentFailure) and error.transient
        return Verdict.RECONNECT if transient else Verdict.FATAL
    return meaning_of(sqlstate(error)).verdict


def failure(error: BaseException, *, relation: str | None = None) -> RivetError:
    """Return the error of ours for an error of the driver; raise it from the driver's own.

    :param relation: what was being read.
    """
    state = sqlstate(error)
    place = Place(relation=relation) if relation else None
    said = sentence(error)
    array = _ARRAY.search(str(error))
    if array is not None:
        return RefusalError(
            f"an array has the bounds {array['shape']}, which a list cannot hold",
            code="RIVET_SOURCE_VALUE_UNREPRESENTABLE",
            place=Place(relation=relation, field=array["column"], value=array["shape"]),
            remedy="Override the column's type with json or text, or set on_invalid_value to null or text.",
        )
    if state in _UNTRANSLATABLE:
        return RefusalError(
            f"a text cannot be given in UTF-8: {said}",
            code="RIVET_SOURCE_VALUE_UNREPRESENTABLE",
            place=place,
            remedy="Repair the value in the source, or leave its column out of the query.",
        )
    meaning = meaning_of(state)
    code, remedy = meaning.code, meaning.remedy
    refused = refusal(_text(error))
    if refused is not None and refused[0] == state:
        remedy = refused[1]
    if state == "42501" and "row-level security" in said:
        remedy = ROW_SECURITY_REMEDY
    if state == "57014" and "user request" not in said:
        code = "RIVET_SOURCE_STATEMENT_TIMEOUT"
        remedy = "The server or a pooler has a limit of its own: raise it for this user, or read smaller units."
    return EnvironmentFailure(
        f"{said} (SQLSTATE {state})" if state else said,
        code=code,
        place=place,
        remedy=remedy,
        transient=meaning.verdict in {Verdict.RETRY, Verdict.RECONNECT},
    )


def sentence(error: BaseException) -> str:
    """Return the server's own message without secrets, on one line, else the driver's."""
    text = str(error)
    told: dict[str, str] = {}
    for name, value in getattr(error, "details", None) or ():
        told[name] = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    if primary := told.get("PG_DIAG_MESSAGE_PRIMARY"):
        text = ". ".join(part for part in (primary, told.get("PG_DIAG_MESSAGE_DETAIL")) if part)
    else:
        text = _POINTER.sub(_pointed, text)
        text = re.sub(r"\s*Query was:.*", "", text, flags=re.DOTALL)
        text = re.sub(r"^[A-Z_]+: (\[libpq\] )?|\s*\.? SQLSTATE: .*$", "", text, flags=re.DOTALL)
        # The severity, in whatever language, has two blanks behind it.
        text = re.sub(r"^[^\n]*?: {2}", "", text)
    return redact(" ".join(text.split()))


def _pointed(match: re.Match[str]) -> str:
    """Return a mistake's line in the user's own text, which begins in the second line of a statement of ours."""
    if match["text"].lstrip().startswith(f") AS {ALIAS}"):
        return ", at the end of the query"
    return f", line {int(match['line']) - 1} of the query" if int(match["line"]) > 1 else ""


def _text(error: BaseException) -> str:
    """Return what the driver says, in full."""
    return " ".join(str(one) for one in _chain(error) if isinstance(one, ERRORS))


def _foreign(error: BaseException) -> bool:
    return any(not isinstance(one, RivetError) for one in _chain(error))


def _chain(error: BaseException) -> Iterator[BaseException]:
    one: BaseException | None = error
    while one is not None:
        yield one
        one = one.__cause__
