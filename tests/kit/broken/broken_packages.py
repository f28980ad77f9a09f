"""A package with every fault that a package can have; a class names the contract tests that have to find them."""

from __future__ import annotations

from typing import ClassVar

import pytest

from rivet_core.testing import PackagingContract


class Broken(PackagingContract):
    witnesses: ClassVar[tuple[str, ...]] = ()

    @pytest.fixture
    def options_text(self) -> str:
        return "url: db://me:hunter2@host"

    @pytest.fixture
    def secrets(self) -> tuple[str, ...]:
        return ("hunter2",)


class TestLoud(Broken):
    entry = "source.loud"
    witnesses = (
        "test_every_declared_kind_has_an_entry_point",
        "test_the_contracts_version_is_ours",
        "test_importing_the_module_imports_no_driver",
        "test_only_the_public_contract_is_imported",
        "test_the_options_are_a_frozen_value",
        "test_the_repr_hides_secrets",
        "test_what_sounds_secret_is_a_secret",
        "test_type_checkers_may_look",
    )
    error = "AssertionError|LookupError"


class TestLoudNumbers(Broken):
    entry = "source.loud"
    witnesses = ("test_the_options_are_read_from_a_file",)
    error = "InternalError"

    @pytest.fixture
    def options_text(self) -> str:
        return "number: 1"


class TestMisnamed(Broken):
    entry = "source.misnamed"
    witnesses = ("test_the_entry_point_names_what_is_declared",)


class TestLoudFormat(Broken):
    entry = "format.loud"
    witnesses = ("test_flat_names_are_options",)


class TestLoudDestination(Broken):
    entry = "destination.loud"
    witnesses = ("test_the_prefix_is_an_option",)
