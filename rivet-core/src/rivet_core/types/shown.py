"""Names and texts as one line of a terminal: what a terminal would obey instead of showing is escaped."""

from __future__ import annotations

from typing import Final

#: C0, DEL and C1; the separators of lines that Unicode has besides; what turns the direction of writing.
_CONTROLS: Final = (
    *range(0x20),
    *range(0x7F, 0xA0),
    0x061C,
    0x200E,
    0x200F,
    *range(0x2028, 0x202F),
    *range(0x2066, 0x206A),
)
_SHORT: Final = {0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r"}
_LINE: Final = {
    number: _SHORT.get(number, f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}") for number in _CONTROLS
}
_BLOCK: Final = {number: text for number, text in _LINE.items() if number != 0x0A}
_JSON: Final = {number: f"\\u{number:04x}" for number in _CONTROLS if number >= 0x7F}


def one_line(text: str) -> str:
    """Return a text that stays on its line; escaping it once more changes nothing."""
    return text.translate(_LINE)


def block(text: str) -> str:
    """Return a text of several lines, of which none but the first can begin like a line of rivet's own."""
    first, *rest = text.translate(_BLOCK).split("\n")
    return "\n".join((first, *(line if line.startswith(" ") or not line else f"    {line}" for line in rest)))


def json_shown(document: str) -> str:
    """Return a JSON document that means the same; a terminal would obey what JSON itself does not escape."""
    return document.translate(_JSON)
