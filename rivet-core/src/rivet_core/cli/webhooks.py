"""Whether those whom the file names could be told: looked at before a run, and nothing is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rivet_core.cli.invocation import Invocation
    from rivet_core.cli.loading import Loaded


def wanted(loaded: Loaded, invocation: Invocation) -> bool:
    """Whether a run with these options would tell anybody."""
    return loaded.configuration.notifications is not None and not invocation.no_notify


def missing(loaded: Loaded, invocation: Invocation) -> str | None:
    """Return why Slack could not be told, or None where nothing speaks against it or nobody wants it."""
    notifications = loaded.configuration.notifications
    if notifications is None or not wanted(loaded, invocation):
        return None
    # Nobody else pays for an HTTP client.
    from rivet_core.engine import slack

    found = slack.webhook(notifications, invocation.environ)
    return found if isinstance(found, str) else None
