"""Sends one text to a Slack webhook, whose address is a secret: it is in no message that comes out of here."""

from __future__ import annotations

import json
from http.client import HTTPException
from typing import TYPE_CHECKING, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from rivet_core.types import Secret, redact
from rivet_core.types.foreign_text import reads_like_a_variable, utf8

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rivet_core.config import Notifications

_SECONDS: Final = 10.0


def webhook(notifications: Notifications, environ: Mapping[str, str]) -> Secret | str:
    """Return the webhook's address, or as text why there is none."""
    if notifications.webhook is not None:
        found = notifications.webhook
    else:
        name = notifications.webhook_env or ""
        value = utf8(environ.get(name, ""))
        if not value:
            # What is no name of a variable may be the address itself, put under the wrong key.
            key = "notifications.slack.webhook_url_env"
            named = f"{name}, which {key} names," if reads_like_a_variable(name) else f"that {key} names"
            return f"the variable {named} is {'not set' if value is not None else 'no UTF-8 text'}"
        found = Secret(value)
    try:
        parts = urlsplit(found.reveal())
        good = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        good = False
    return found if good else "the webhook's address is no http or https URL"


def send(address: Secret, text: str, *, seconds: float = _SECONDS) -> str | None:
    """Send the text; return why it did not arrive, or None.

    :param seconds: to connect, and then for each answer of the server.
    """
    body = json.dumps({"text": _escaped(text)}).encode()
    try:
        request = Request(  # noqa: S310 - the scheme was looked at by webhook()
            address.reveal(), data=body, headers={"Content-Type": "application/json"}, method="POST"
        )
        with urlopen(request, timeout=seconds):  # noqa: S310 - as above
            pass
    except HTTPError as error:
        error.close()
        return f"the webhook answered {error.code}"
    except (URLError, HTTPException, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        return f"the webhook cannot be reached: {redact(f'{type(reason).__name__}: {reason}')}"
    return None


def _escaped(text: str) -> str:
    """Return the text as Slack shows it: three signs mean something to it."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
