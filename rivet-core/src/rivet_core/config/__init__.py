"""Reads the configuration file into intents, and reports everything that is wrong with it at once."""

from __future__ import annotations

from rivet_core.config.configuration import Configuration, Notifications
from rivet_core.config.kinds import Kinds
from rivet_core.config.load import load, parse
from rivet_core.config.placeholders import read_params
from rivet_core.config.places import Places
from rivet_core.config.prefix import prefix_template, resolve_prefix
from rivet_core.config.problems import ConfigurationInvalid, ConfigWarning, Problem

__all__ = [
    "ConfigWarning",
    "Configuration",
    "ConfigurationInvalid",
    "Kinds",
    "Notifications",
    "Places",
    "Problem",
    "load",
    "parse",
    "prefix_template",
    "read_params",
    "resolve_prefix",
]
