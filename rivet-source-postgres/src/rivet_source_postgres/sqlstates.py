"""What a SQLSTATE, or the class of it, means here: a code, a verdict, and what to do next, for every one of them."""

from __future__ import annotations

from typing import Final

import attrs

from rivet_core.types import Verdict


@attrs.frozen(kw_only=True)
class Meaning:
    """What a state, or all that begin with it, mean."""

    state: str
    code: str
    verdict: Verdict
    remedy: str


ROW_SECURITY_REMEDY: Final = (
    "Give the user BYPASSRLS to read every row, or take row_security=off out to read those that it may see."
)
_TRY_LATER: Final = "Run the same command again when the server has recovered."
#: The longest matching state wins.
_MEANINGS: Final = (
    Meaning(state="", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL,
             remedy="Ask the server the same with psql, as the same user, and mend what it complains of."),
    Meaning(state="08", code="RIVET_SOURCE_CONNECT_FAILED", verdict=Verdict.RECONNECT,
             remedy="Check host, port and the network, then run the same command again."),
    Meaning(state="08P01", code="RIVET_SOURCE_CONNECT_FAILED", verdict=Verdict.FATAL,
             remedy="Check what lies between, such as a pooler, and whether host and port are those of PostgreSQL."),
    Meaning(state="08004", code="RIVET_SOURCE_CONNECT_FAILED", verdict=Verdict.CONFIG,
             remedy="Check how the connection is asked for."),
    Meaning(state="57P01", code="RIVET_SOURCE_CONNECT_FAILED", verdict=Verdict.RECONNECT, remedy=_TRY_LATER),
    Meaning(state="57P02", code="RIVET_SOURCE_CONNECT_FAILED", verdict=Verdict.RECONNECT, remedy=_TRY_LATER),
    Meaning(state="57P03", code="RIVET_SOURCE_CONNECT_FAILED", verdict=Verdict.RECONNECT, remedy=_TRY_LATER),
    Meaning(state="57P05", code="RIVET_SOURCE_CONNECT_FAILED", verdict=Verdict.RECONNECT, remedy=_TRY_LATER),
    Meaning(state="25P03", code="RIVET_SOURCE_CONNECT_FAILED", verdict=Verdict.RECONNECT, remedy=_TRY_LATER),
    Meaning(state="53", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.RETRY, remedy=_TRY_LATER),
    Meaning(state="53300", code="RIVET_SOURCE_CONNECT_FAILED", verdict=Verdict.RECONNECT,
             remedy="The server has no free connection: use fewer workers, or wait."),
    Meaning(state="40001", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.RETRY,
             remedy="On a standby, raise max_standby_streaming_delay or read from the primary."),
    Meaning(state="40P01", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.RETRY, remedy=_TRY_LATER),
    Meaning(state="55P03", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.RETRY,
             remedy="Another session holds a lock on the table: wait for it, or raise tuning.lock_timeout_s."),
    Meaning(state="57014", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL,
             remedy="Somebody had the statement ended: run the same command again when nobody minds."),
    Meaning(state="28", code="RIVET_SOURCE_CREDENTIALS_INVALID", verdict=Verdict.CONFIG,
             remedy="Check user, password and database, and the server's pg_hba.conf."),
    Meaning(state="3D000", code="RIVET_SOURCE_CONNECT_FAILED", verdict=Verdict.CONFIG,
             remedy="Check the database's name."),
    Meaning(state="42501", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.CONFIG,
             remedy="Grant SELECT to the user that rivet connects as."),
    Meaning(state="42P01", code="RIVET_SOURCE_TABLE_NOT_FOUND", verdict=Verdict.FATAL,
             remedy="Check the relation's name and schema, and that the user may see it."),
    Meaning(state="3F000", code="RIVET_SOURCE_TABLE_NOT_FOUND", verdict=Verdict.FATAL,
             remedy="Check the relation's schema."),
    Meaning(state="0A", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL,
             remedy="The server cannot do this here: write the query otherwise, or read another relation."),
    Meaning(state="21", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL,
             remedy="Let the subquery that is meant give one row."),
    Meaning(state="22", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL,
             remedy="A value is none that the query or view can work with: repair it, or leave its row out."),
    Meaning(state="25006", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL,
             remedy="A read changes nothing: take out what writes or locks, such as FOR UPDATE or nextval()."),
    Meaning(state="38", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL,
             remedy="Mend the function that the query or view calls, or leave it out."),
    Meaning(state="39", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL,
             remedy="Mend the function that the query or view calls, or leave it out."),
    Meaning(state="42", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL,
             remedy="Correct the query, or the view: it is one SELECT, and names and types are taken exactly."),
    Meaning(state="42P02", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL,
             remedy="Write the value where the parameter stands: a query has none."),
    Meaning(state="44", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL,
             remedy="Correct the view."),
    Meaning(state="54", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL,
             remedy="The server has a limit for this: name fewer columns, or read smaller rows with a query."),
    Meaning(state="55", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL,
             remedy="The relation is not ready: refresh the materialized view, or wait for who works on it."),
    Meaning(state="57", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL,
             remedy=_TRY_LATER),
    Meaning(state="58", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL,
             remedy="The server's own disk or files failed: have its log looked at, then run the same command again."),
    Meaning(state="72", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL,
             remedy="Read in smaller units, or raise old_snapshot_threshold."),
    Meaning(state="F0", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL,
             remedy="The server's configuration is faulty: have its log looked at."),
    Meaning(state="HV", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL,
             remedy="The server behind the foreign table failed: check it, its user mapping and its rights."),
    Meaning(state="P0", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL,
             remedy="A function of the query or view refuses: mend what it complains of, or leave the row out."),
    Meaning(state="XX", code="RIVET_SOURCE_QUERY_FAILED", verdict=Verdict.FATAL,
             remedy="The server failed, or its data is damaged: have its log looked at before more is read."),
)  # fmt: skip


def meaning_of(state: str | None) -> Meaning:
    """Return what a state means; None, and one that nobody has heard of, mean what is true of all."""
    fitting = [meaning for meaning in _MEANINGS if (state or "").startswith(meaning.state)]
    return max(fitting, key=lambda meaning: len(meaning.state))
