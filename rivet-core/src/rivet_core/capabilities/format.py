"""Capabilities of a format."""

from __future__ import annotations

import attrs


@attrs.frozen(kw_only=True)
class FormatCapabilities:
    """What a format can hold.

    :param readable: it is a :class:`~rivet_core.protocols.ReadableFormat`, so its parts can be verified in full.
    :param typed: a file carries its schema, so that zero rows still make a useful file.
    :param nested: lists and structs can be written.
    :param streams: a file can be written front to back without seeking, to a pipe for example.
    """

    readable: bool = True
    typed: bool = True
    nested: bool = True
    streams: bool = False
