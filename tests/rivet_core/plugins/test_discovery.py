from __future__ import annotations

import pickle
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rivet_core.errors import EnvironmentFailure, RivetError, UsageError
from rivet_core.plugins import Plugins, PluginState

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Install = Callable[..., str]

ONE_SOURCE = """
@hookimpl
def rivet_sources():
    return [source("duck")]
"""


def test_nothing_is_imported_for_the_index(install: Install) -> None:
    module = install("rivet-duck", ("source.duck",), "raise RuntimeError('imported')")
    plugins = Plugins.installed({})
    rows = [row for row in plugins.listing() if row.kind == "duck"]
    assert [(row.seam, row.distribution, row.version, row.module, row.state) for row in rows] == [
        ("source", "rivet-duck", "1.0", module, PluginState.NOT_LOADED)
    ]
    assert module not in sys.modules


def test_the_module_is_imported_when_its_kind_is_asked_for(install: Install) -> None:
    module = install("rivet-duck", ("source.duck",), ONE_SOURCE)
    plugins = Plugins.installed({})
    assert plugins.source_type("duck").kind == "duck"
    assert module in sys.modules
    assert [row.state for row in plugins.listing() if row.kind == "duck"] == [PluginState.LOADED]


def test_one_module_behind_several_entries_is_registered_once(install: Install) -> None:
    install(
        "rivet-duck",
        ("source.duck", "format.quack", "destination.pond"),
        """
        calls = []

        @hookimpl
        def rivet_sources():
            calls.append("sources")
            return [source("duck")]

        @hookimpl
        def rivet_formats():
            return (format_("quack"),)

        @hookimpl
        def rivet_destinations():
            yield destination("pond")
        """,
    )
    plugins = Plugins.installed({})
    source = plugins.source_type("duck")
    assert plugins.format_type("quack").kind == "quack"
    assert plugins.destination_type("pond").kind == "pond"
    assert plugins.source_type("duck") is source
    assert sys.modules[source.options.__module__].calls == ["sources"]


def test_a_missing_kind_of_ours_names_the_distribution_and_no_index() -> None:
    with pytest.raises(UsageError) as caught:
        Plugins().source_type("postgres")
    assert caught.value.code == "RIVET_PLUGIN_MISSING"
    assert "install rivet-source-postgres from where this rivet-core came from" in str(caught.value)


@pytest.mark.parametrize("kind", ["mysql", "mssql", "mongo"])
def test_a_source_that_is_not_built_yet_says_so_and_what_there_is(kind: str) -> None:
    with pytest.raises(UsageError) as caught:
        Plugins.installed({}).source_type(kind)
    assert caught.value.code == "RIVET_PLUGIN_MISSING"
    assert f"the source '{kind}' is not built yet" in (caught.value.remedy or "")
    assert "use postgres or sqlite" in (caught.value.remedy or "")
    assert "pip" not in str(caught.value)


@pytest.mark.parametrize("kind", ["s3", "gcs", "azure"])
def test_a_cloud_that_is_not_built_yet_says_so_and_what_there_is(kind: str) -> None:
    with pytest.raises(UsageError) as caught:
        Plugins.installed({}).destination_type(kind)
    assert f"the destination '{kind}' is not built yet" in (caught.value.remedy or "")
    assert "use local or stdout" in (caught.value.remedy or "")


@pytest.mark.parametrize("mode", ["incremental", "chunked", "time_window", "cdc"])
def test_a_mode_that_is_not_built_yet_says_so_and_what_there_is(mode: str) -> None:
    with pytest.raises(UsageError) as caught:
        Plugins.installed({}).runner_types(mode)
    assert caught.value.remedy == (f"mode '{mode}' is not built yet, and there is nothing to install for it: use full")


def test_another_word_for_what_is_not_built_yet_says_that_too() -> None:
    with pytest.raises(UsageError) as caught:
        Plugins.installed({}).source_type("mariadb")
    assert "did you mean 'mysql'? If so, the source 'mysql' is not built yet" in str(caught.value)


def test_a_missing_kind_lists_what_is_installed(install: Install) -> None:
    install("rivet-duck", ("source.duck",), ONE_SOURCE)
    with pytest.raises(UsageError) as caught:
        Plugins.installed({}).source_type("oracle")
    assert "duck" in caught.value.message
    assert "sqlite" in caught.value.message


@pytest.mark.parametrize(("kind", "meant"), [("postgresql", "postgres"), ("mariadb", "mysql"), ("sqlit", "sqlite")])
def test_a_misspelt_kind_gets_a_suggestion(kind: str, meant: str) -> None:
    with pytest.raises(UsageError) as caught:
        Plugins().source_type(kind)
    assert f"did you mean '{meant}'" in str(caught.value)


def test_two_distributions_with_one_kind_are_both_named(install: Install) -> None:
    install("rivet-duck", ("source.duck",), ONE_SOURCE, version="1.5")
    install("other-duck", ("source.duck",), ONE_SOURCE, version="0.3")
    plugins = Plugins.installed({})
    with pytest.raises(UsageError) as caught:
        plugins.source_type("duck")
    assert caught.value.code == "RIVET_PLUGIN_DUPLICATE"
    assert "other-duck 0.3 and rivet-duck 1.5" in caught.value.message
    reasons = [row.reason for row in plugins.listing() if row.kind == "duck"]
    assert reasons == ["also offered by rivet-duck 1.5", "also offered by other-duck 0.3"]


def test_a_module_that_does_not_exist_is_told_from_one_whose_import_failed(install: Install) -> None:
    module = install("rivet-duck", ("source.duck",), "import surely_not_installed")
    with pytest.raises(EnvironmentFailure) as caught:
        Plugins.installed({}).source_type("duck")
    assert f"importing {module} needs the module surely_not_installed" in caught.value.message


def test_metadata_that_names_no_module_says_to_install_again(install: Install, tmp_path: Path) -> None:
    module = install("rivet-duck", ("source.duck",), ONE_SOURCE)
    (tmp_path / "site" / f"{module}.py").unlink()
    with pytest.raises(EnvironmentFailure) as caught:
        Plugins.installed({}).source_type("duck")
    assert f"names the module {module}, which does not exist" in caught.value.message
    assert "install rivet-duck again" in str(caught.value)


def test_a_plugin_that_fails_to_import_names_its_distribution_and_chains_the_cause(install: Install) -> None:
    install("rivet-duck", ("source.duck",), "raise RuntimeError('no pond')", version="2.1")
    plugins = Plugins.installed({})
    with pytest.raises(EnvironmentFailure) as caught:
        plugins.source_type("duck")
    assert caught.value.code == "RIVET_PLUGIN_BROKEN"
    assert "rivet-duck 2.1" in caught.value.message
    assert isinstance(caught.value.__cause__, RuntimeError)
    row = next(row for row in plugins.listing() if row.kind == "duck")
    assert (row.state, "no pond" in row.reason) == (PluginState.BROKEN, True)


def test_a_broken_plugin_leaves_all_others_usable(install: Install) -> None:
    install("rivet-broken", ("source.broken", "runner.broken"), "raise RuntimeError('no pond')")
    install(
        "rivet-duck",
        ("source.duck", "runner.duck"),
        ONE_SOURCE + "\n@hookimpl\ndef rivet_runners():\n    return [runner('duck', 'duck')]\n",
    )
    plugins = Plugins.installed({})
    with pytest.raises(EnvironmentFailure):
        plugins.source_type("broken")
    assert plugins.source_type("duck").kind == "duck"
    assert [runner.kind for runner in plugins.runner_types("duck")] == ["duck"]


def test_a_secret_in_an_import_error_is_masked(install: Install) -> None:
    install("rivet-duck", ("source.duck",), "raise RuntimeError('postgresql://u:hunter2@host/db')")
    with pytest.raises(EnvironmentFailure) as caught:
        Plugins.installed({}).source_type("duck")
    assert "hunter2" not in str(caught.value)


def test_another_version_of_the_contract_is_refused(install: Install) -> None:
    install("rivet-duck", ("source.duck",), "@hookimpl\ndef rivet_sources():\n    return [source('duck', api=2)]\n")
    with pytest.raises(UsageError) as caught:
        Plugins.installed({}).source_type("duck")
    assert caught.value.code == "RIVET_PLUGIN_API_MISMATCH"
    assert "rivet-duck 1.0" in caught.value.message


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("@hookimpl\ndef rivet_sorces():\n    return [source('duck')]\n", "rivet_sorces"),
        ("@hookimpl\ndef rivet_sources(evnt):\n    return [source('duck')]\n", "evnt"),
        ("def rivet_sources():\n    return [source('duck')]\n", "marked with @hookimpl"),
        ("@hookimpl\ndef rivet_sources():\n    return [source('goose')]\n", "it declares goose"),
        ("@hookimpl\ndef rivet_sources():\n    return [source('duck'), source('goose')]\n", "source.goose"),
        ("@hookimpl\ndef rivet_sources():\n    return source('duck')\n", "did not return declarations"),
        ("@hookimpl\ndef rivet_sources():\n    return [format_('duck')]\n", "not SourceType"),
        ("@hookimpl\ndef rivet_sources():\n    raise KeyError('x')\n", "rivet_sources failed: KeyError"),
        (
            "@hookimpl\ndef rivet_sources():\n    return [attrs.evolve(source('duck'), options=dict)]\n",
            "not an attrs class",
        ),
    ],
)
def test_a_plugin_that_breaks_the_contract_is_told_how(install: Install, body: str, words: str) -> None:
    install("rivet-duck", ("source.duck",), body)
    with pytest.raises(EnvironmentFailure) as caught:
        Plugins.installed({}).source_type("duck")
    assert caught.value.code == "RIVET_PLUGIN_BROKEN"
    assert words in caught.value.message
    assert "rivet-duck 1.0" in caught.value.message


def test_a_kind_declared_twice_is_refused(install: Install) -> None:
    install("rivet-duck", ("source.duck",), "@hookimpl\ndef rivet_sources():\n    return [source('duck')] * 2\n")
    with pytest.raises(UsageError) as caught:
        Plugins.installed({}).source_type("duck")
    assert caught.value.code == "RIVET_PLUGIN_DUPLICATE"


def test_flat_names_that_the_options_lack_are_refused(install: Install) -> None:
    body = "@hookimpl\ndef rivet_formats():\n    return [attrs.evolve(format_('quack'), flat=('volume',))]\n"
    install("rivet-duck", ("format.quack",), body)
    with pytest.raises(EnvironmentFailure) as caught:
        Plugins.installed({}).format_type("quack")
    assert "volume" in caught.value.message


def test_an_entry_that_is_not_seam_and_kind_shows_as_broken_and_stops_nobody(install: Install) -> None:
    install("rivet-duck", ("sauce.duck", "source.duck"), ONE_SOURCE)
    plugins = Plugins.installed({})
    assert plugins.source_type("duck").kind == "duck"
    row = next(row for row in plugins.listing(load=True) if row.kind == "sauce.duck")
    assert row.state is PluginState.BROKEN


def test_the_variable_restricts_the_list_to_the_named_distributions(install: Install) -> None:
    install("rivet-duck", ("source.duck",), ONE_SOURCE)
    install("rivet-goose", ("source.goose",), ONE_SOURCE.replace("duck", "goose"))
    plugins = Plugins.installed({"RIVET_PLUGINS": "Rivet_Goose"})
    assert plugins.source_type("goose").kind == "goose"
    with pytest.raises(UsageError) as caught:
        plugins.source_type("duck")
    assert "RIVET_PLUGINS leaves it out" in str(caught.value)


def test_the_empty_variable_leaves_the_built_in_plugins_alone(install: Install) -> None:
    install("rivet-duck", ("source.duck",), ONE_SOURCE)
    rows = Plugins.installed({"RIVET_PLUGINS": ""}).listing()
    in_use = {row.distribution for row in rows if row.state is not PluginState.LEFT_OUT}
    assert in_use == {"rivet-core"}


def test_every_runner_of_a_mode_is_found_whatever_its_own_name(install: Install) -> None:
    body = "@hookimpl\ndef rivet_runners():\n    return [runner('{0}', 'sliced')]\n"
    install("rivet-thin", ("runner.thin",), body.format("thin"))
    install("rivet-sliced", ("runner.sliced",), body.format("sliced"))
    found = Plugins.installed({"RIVET_PLUGINS": "rivet-thin,rivet-sliced"}).runner_types("sliced")
    assert [runner.kind for runner in found] == ["sliced", "thin"]


def test_the_runner_of_a_source_is_looked_at_only_once_its_source_is_in_use(install: Install) -> None:
    module = install(
        "rivet-duck",
        ("source.duck", "runner.paddle"),
        ONE_SOURCE + "\n@hookimpl\ndef rivet_runners():\n    return [runner('paddle', 'sliced')]\n",
    )
    install(
        "rivet-sliced", ("runner.sliced",), "@hookimpl\ndef rivet_runners():\n    return [runner('sliced', 'sliced')]\n"
    )
    plugins = Plugins.installed({})
    assert [runner.kind for runner in plugins.runner_types("sliced")] == ["sliced"]
    assert module not in sys.modules
    plugins.source_type("duck")
    assert [runner.kind for runner in plugins.runner_types("sliced")] == ["paddle", "sliced"]


def test_a_mode_that_nobody_serves_names_the_runners_that_could_not_be_asked(install: Install) -> None:
    install("rivet-broken", ("runner.broken",), "raise RuntimeError('no pond')")
    with pytest.raises(UsageError) as caught:
        Plugins.installed({"RIVET_PLUGINS": "rivet-broken"}).runner_types("no_such_mode")
    assert "no pond" in caught.value.message


def test_a_registered_object_is_found_without_metadata(install: Install) -> None:
    module = install("not-named", (), ONE_SOURCE)
    plugins = Plugins()
    plugins.register(__import__(module), name="in-test")
    assert plugins.source_type("duck").kind == "duck"
    assert [(row.kind, row.distribution, row.state) for row in plugins.listing()] == [
        ("duck", "in-test", PluginState.LOADED)
    ]


def test_a_registered_object_may_not_take_a_kind_that_is_there(install: Install) -> None:
    install("rivet-duck", ("source.duck",), ONE_SOURCE)
    module = install("not-named", (), ONE_SOURCE)
    plugins = Plugins.installed({})
    with pytest.raises(UsageError) as caught:
        plugins.register(__import__(module), name="in-test")
    assert caught.value.code == "RIVET_PLUGIN_DUPLICATE"
    assert plugins.source_type("duck").options.__module__ != module


def test_hook_calls_are_printed_on_request(install: Install, capsys: pytest.CaptureFixture[str]) -> None:
    install("rivet-duck", ("source.duck",), ONE_SOURCE)
    Plugins.installed({"RIVET_TRACE_PLUGINS": "1"}).source_type("duck")
    assert "rivet hook rivet_sources() -> " in capsys.readouterr().err


def test_hook_calls_are_not_printed_otherwise(install: Install, capsys: pytest.CaptureFixture[str]) -> None:
    install("rivet-duck", ("source.duck",), ONE_SOURCE)
    Plugins.installed({}).source_type("duck")
    assert capsys.readouterr().err == ""


def test_the_errors_travel_between_processes() -> None:
    with pytest.raises(RivetError) as caught:
        Plugins().source_type("mysql")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_the_index_of_this_installation_imports_no_plugin_and_no_driver() -> None:
    program = (
        "import sys; from rivet_core.plugins import Plugins; Plugins.installed({}).listing(); "
        "names = [name for name in sys.modules if 'rivet' in name and name.endswith('.plugin')]; "
        "print(names + [name for name in sys.modules if name in ('adbc_driver_manager', 'pymongo', 'sqlite3')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
