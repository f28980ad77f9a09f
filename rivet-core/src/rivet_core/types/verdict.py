"""What a source or a destination says of an error it raised."""

from __future__ import annotations

from enum import Enum


class Verdict(Enum):
    """Whether trying again can help; how often and how long is the engine's business."""

    #: The same connection can try again.
    RETRY = "retry"
    #: A new connection can try again.
    RECONNECT = "reconnect"
    #: Trying again gives the same error.
    FATAL = "fatal"
    #: The configuration or the credentials are wrong.
    CONFIG = "config"
