"""What a message may repeat of the file: enough to find the place by, and nothing that may be a secret.

Where the value's text is not needed for the remedy, it is not shown at all: the line says where it is.
"""

from __future__ import annotations

import re
from typing import Final

from rivet_core.types import redact
from rivet_core.types.foreign_text import is_ordinary, reads_like_a_variable

_LONGEST: Final = 60
_URL: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://).*@.*", re.DOTALL)
_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_PLACEHOLDER: Final = re.compile(r"\$\{([^}:]*)\}")
_SOURCE: Final = re.compile(r"source\b")
#: Keys that can hold a secret, also misspelt or of a stranger's plugin.
_SECRETIVE: Final = re.compile(
    r"(?i)p.?a?s+.?w|pwd|pass|secret|token|key|url|uri|dsn|webhook|cred|auth|sas|sign|(_env|_file)$"
)


def masked(text: str) -> str:
    """Return a text without the passwords of URLs and without known secrets."""
    return redact(without_passwords(text))


def without_passwords(text: str) -> str:
    """Return a text without what follows the scheme of a URL that has an ``@``."""
    return _URL.sub(r"\1***", text)


def shown(text: str) -> str:
    """Return a text in quotes, as a message repeats it."""
    text = masked(text)
    return repr(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")


def is_a_word(key: str) -> bool:
    """Whether a text looks like a key, and not like a secret that slipped into the place of one."""
    return _KEY.fullmatch(key) is not None


def can_hold_a_secret(key: str) -> bool:
    """Whether what stands under a key may be a secret, whoever's key it is."""
    return _SECRETIVE.search(key) is not None


def may_be_told(text: str, path: str | None) -> bool:
    """Whether a message may say what stands at a YAML path; in the source's block, anything may be a slipped secret."""
    if not in_source(path) or is_ordinary(text):
        return True
    match = _PLACEHOLDER.fullmatch(text)
    return match is not None and reads_like_a_variable(match[1])


def in_source(path: str | None) -> bool:
    """Whether a YAML path lies in the source's block, where any word may be a secret that slipped."""
    return path is not None and _SOURCE.match(path) is not None
