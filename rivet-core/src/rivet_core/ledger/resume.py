"""What to do with an unfinished run: resume it, abandon it, or refuse. Pure.

Abandoning an unsealed run loses nothing, because its position never moved; refusing is for the one case in which a
person edited the export while durable parts of the old meaning lie at the prefix.
"""

from __future__ import annotations

from enum import Enum

import attrs

from rivet_core.planning.identity import differences


class Choice(Enum):
    """What happens to the unfinished run."""

    RESUME = "resume"
    ABANDON = "abandon"
    REFUSE = "refuse"


@attrs.frozen
class Decision:
    """The choice, and why, as a person should read it."""

    choice: Choice
    reason: str


@attrs.frozen(kw_only=True)
class UnfinishedRun:
    """What the state tells of the run.

    :param fingerprint: of the plan that it was opened with.
    :param recorded: whether any part, mark or unit of it is durable.
    :param same_values: whether prefix and relation resolve to what the run froze.
    """

    fingerprint: str
    recorded: bool
    same_values: bool


def decide(run: UnfinishedRun, fingerprint: str, *, resumable: bool, fresh: bool) -> Decision:
    """Return what to do with an unfinished run.

    :param fingerprint: of tonight's plan.
    :param resumable: False for sources that restart never and for units that live in one snapshot.
    :param fresh: the user asked for a new start.
    """
    if fresh:
        return Decision(Choice.ABANDON, "a fresh start was asked for")
    if not resumable:
        return Decision(Choice.ABANDON, "this source and runner cannot continue a broken run")
    if not run.recorded:
        return Decision(Choice.ABANDON, "nothing of it was recorded")
    if run.fingerprint != fingerprint:
        return Decision(Choice.REFUSE, "; ".join(differences(run.fingerprint, fingerprint)))
    if not run.same_values:
        return Decision(Choice.ABANDON, "its date or parameters differ from this run's")
    return Decision(Choice.RESUME, "same plan")
