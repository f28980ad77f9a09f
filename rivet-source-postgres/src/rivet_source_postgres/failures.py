"""The driver's errors as errors of ours: a code, the server's own sentence without secrets, and a verdict."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import attrs

from rivet_core.errors import EnvironmentFailure, Place, RefusalError, RivetError, SnapshotGone
from rivet_core.types import Verdict, redact
from rivet_source_postgres.driver import ERRORS
from rivet_source_postgres.refusals import refusal

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


@attrs.frozen(kw_only=True)
class _Meaning:
    """What a SQLSTATE, or the class of it, means here."""

    state: str
    code: str
    verdict: Verdict
    remedy: str


_TRY_LATER: Final = "Run the same command again when the server has recovered."
#: The longest matching state wins.
_MEANINGS: Final = (
    _Meaning(state="", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL, remedy=""),
    _Meaning(state="08", code="RIVET_SOURCE_CONNECT_FAILED", verdict=Verdict.RECONNECT,
             remedy="Check host, port and the network, then run the same command again."),
    _Meaning(state="08P01", code="RIVET_SOURCE_CONNECT_FAILED", verdict=Verdict.FATAL, remedy=""),
    _Meaning(state="08004", code="RIVET_SOURCE_CONNECT_FAILED", verdict=Verdict.CONFIG,
             remedy="Check how the connection is asked for."),
    _Meaning(state="57P01", code="RIVET_SOURCE_CONNECT_FAILED", verdict=Verdict.RECONNECT, remedy=_TRY_LATER),
    _Meaning(state="57P02", code="RIVET_SOURCE_CONNECT_FAILED", verdict=Verdict.RECONNECT, remedy=_TRY_LATER),
    _Meaning(state="57P03", code="RIVET_SOURCE_CONNECT_FAILED", verdict=Verdict.RECONNECT, remedy=_TRY_LATER),
    _Meaning(state="57P05", code="RIVET_SOURCE_CONNECT_FAILED", verdict=Verdict.RECONNECT, remedy=_TRY_LATER),
    _Meaning(state="25P03", code="RIVET_SOURCE_CONNECT_FAILED", verdict=Verdict.RECONNECT, remedy=_TRY_LATER),
    _Meaning(state="53", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.RETRY, remedy=_TRY_LATER),
    _Meaning(state="53300", code="RIVET_SOURCE_CONNECT_FAILED", verdict=Verdict.RECONNECT,
             remedy="The server has no free connection: use fewer workers, or wait."),
    _Meaning(state="40001", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.RETRY,
             remedy="On a standby, raise max_standby_streaming_delay or read from the primary."),
    _Meaning(state="40P01", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.RETRY, remedy=_TRY_LATER),
    _Meaning(state="55P03", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.RETRY,
             remedy="Another session holds a lock on the table: wait for it, or raise tuning.lock_timeout_s."),
    _Meaning(state="57014", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL, remedy=""),
    _Meaning(state="28", code="RIVET_SOURCE_CREDENTIALS_INVALID", verdict=Verdict.CONFIG,
             remedy="Check user, password and database, and the server's pg_hba.conf."),
    _Meaning(state="3D000", code="RIVET_SOURCE_CONNECT_FAILED", verdict=Verdict.CONFIG,
             remedy="Check the database's name."),
    _Meaning(state="42501", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.CONFIG,
             remedy="Grant SELECT to the user that rivet connects as."),
    _Meaning(state="42P01", code="RIVET_SOURCE_TABLE_NOT_FOUND", verdict=Verdict.FATAL,
             remedy="Check the relation's name and schema, and that the user may see it."),
    _Meaning(state="3F000", code="RIVET_SOURCE_TABLE_NOT_FOUND", verdict=Verdict.FATAL,
             remedy="Check the relation's schema."),
)  # fmt: skip
_UNTRANSLATABLE: Final = frozenset({"22021", "22P05"})
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
    return _meaning(sqlstate(error)).verdict


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
    meaning = _meaning(state)
    code, remedy = meaning.code, meaning.remedy
    refused = refusal(_text(error))
    if refused is not None and refused[0] == state:
        remedy = refused[1]
    if state == "57014" and "user request" not in said:
        code = "RIVET_SOURCE_STATEMENT_TIMEOUT"
        remedy = "The server or a pooler has a limit of its own: raise it for this user, or read smaller units."
    return EnvironmentFailure(
        f"{said} (SQLSTATE {state})" if state else said,
        code=code,
        place=place,
        remedy=remedy or None,
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
        text = re.sub(r"\s*Query was:.*", "", text, flags=re.DOTALL)
        text = re.sub(r"^[A-Z_]+: (\[libpq\] )?|\s*\.? SQLSTATE: .*$", "", text, flags=re.DOTALL)
        # The severity, in whatever language, has two blanks behind it.
        text = re.sub(r"^[^\n]*?: {2}", "", text)
    return redact(" ".join(text.split()))


def _meaning(state: str | None) -> _Meaning:
    fitting = [meaning for meaning in _MEANINGS if (state or "").startswith(meaning.state)]
    return max(fitting, key=lambda meaning: len(meaning.state))


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
