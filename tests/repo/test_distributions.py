from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import subprocess
import sys
from importlib.metadata import distribution, packages_distributions, version
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from rivet_core.plugins import ours

DISTRIBUTIONS = sorted(path.parent.name for path in Path(__file__).parents[2].glob("rivet-*/pyproject.toml"))
#: Declared though no module imports it, and why.
UNIMPORTED = {
    "adbc-driver-manager": "adbc-driver-postgresql loads it, and asks for any release where it needs the same one",
}

each_distribution = pytest.mark.parametrize("name", DISTRIBUTIONS)


def package(name: str) -> str:
    return name.replace("-", "_")


def dependencies(project: dict[str, Any]) -> list[Requirement]:
    optional = project.get("optional-dependencies", {}).values()
    return [Requirement(text) for group in (project["dependencies"], *optional) for text in group]


def test_there_are_six_distributions() -> None:
    assert DISTRIBUTIONS == [
        "rivet-core",
        "rivet-dest-cloud",
        "rivet-source-mongo",
        "rivet-source-mssql",
        "rivet-source-mysql",
        "rivet-source-postgres",
    ]


def test_all_carry_one_version(metadata: dict[str, Any]) -> None:
    assert len({project["version"] for project in metadata.values()}) == 1


@each_distribution
def test_a_folder_is_named_after_its_distribution(name: str, metadata: dict[str, Any]) -> None:
    assert name in metadata


@each_distribution
def test_the_installed_version_is_the_declared_one(name: str, metadata: dict[str, Any]) -> None:
    assert version(name) == metadata[name]["version"]


@each_distribution
def test_a_package_tells_its_version(name: str) -> None:
    assert importlib.import_module(package(name)).__version__ == version(name)


@each_distribution
def test_a_package_has_no_other_surprising_attributes(name: str) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'absent'"):
        _ = importlib.import_module(package(name)).absent


@each_distribution
def test_a_package_is_typed(name: str, root: Path) -> None:
    assert (root / name / "src" / package(name) / "py.typed").exists()


@each_distribution
def test_a_distribution_holds_one_package(name: str, root: Path) -> None:
    assert [path.name for path in (root / name / "src").iterdir()] == [package(name)]


@each_distribution
def test_a_distribution_carries_the_licence(name: str, root: Path) -> None:
    assert (root / name / "LICENSE").read_bytes() == (root / "LICENSE").read_bytes()


@each_distribution
def test_a_distribution_holds_no_settings_of_tools(name: str, root: Path) -> None:
    tools = re.findall(r"^\[+tool\.(\w+)", (root / name / "pyproject.toml").read_text(), flags=re.MULTILINE)
    assert set(tools) == {"hatch"}


@each_distribution
def test_a_plugin_allows_the_core_of_its_own_version(name: str, metadata: dict[str, Any]) -> None:
    cores = [need for need in dependencies(metadata[name]) if need.name == "rivet-core"]
    assert len(cores) == (0 if name == "rivet-core" else 1)
    assert all(need.specifier.contains(metadata["rivet-core"]["version"]) for need in cores)


@each_distribution
def test_installed_entry_points_are_the_declared_ones(name: str, metadata: dict[str, Any]) -> None:
    # They differ after an edit without a new installation.
    declared = metadata[name].get("entry-points", {})
    installed = distribution(name).entry_points
    for group in ("rivet", "pytest11"):
        assert {point.name: point.value for point in installed.select(group=group)} == declared.get(group, {})


@each_distribution
def test_entry_points_name_seam_and_kind_and_a_module_that_exists(name: str, metadata: dict[str, Any]) -> None:
    for entry, module in metadata[name].get("entry-points", {}).get("rivet", {}).items():
        assert re.fullmatch(r"(source|runner|format|destination|observer)\.[a-z][a-z0-9_]*", entry)
        assert module.startswith(f"{package(name)}.")
        assert importlib.util.find_spec(module) is not None, f"{entry} = {module}: there is no such module"


def test_the_command_exists() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("rivet"), "--version"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert version("rivet-core") in done.stdout


def test_remedies_send_people_to_what_exists_and_call_the_rest_unbuilt(metadata: dict[str, Any]) -> None:
    registered = {
        entry: name for name, project in metadata.items() for entry in project.get("entry-points", {}).get("rivet", {})
    }
    named = {f"{seam}.{kind}": name for (seam, kind), name in ours.DISTRIBUTIONS.items()}
    assert named == {entry: name for entry, name in registered.items() if not entry.startswith("observer.")}
    assert not {f"{seam}.{kind}" for seam, kind in ours.PLANNED} & set(registered)


@each_distribution
def test_a_plugin_that_registers_something_has_tests(name: str, root: Path, metadata: dict[str, Any]) -> None:
    if metadata[name].get("entry-points", {}).get("rivet"):
        assert list((root / "tests" / package(name)).rglob("test_*.py"))


def imported(folder: Path) -> set[str]:
    """The top names of all modules that are imported anywhere below, be it inside a function."""
    names = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module.partition(".")[0])
    return names


@each_distribution
def test_what_is_imported_is_declared_and_what_is_declared_is_imported(
    name: str, root: Path, metadata: dict[str, Any]
) -> None:
    providers = packages_distributions()
    outside = imported(root / name / "src") - set(sys.stdlib_module_names) - {package(name)}
    # Type checkers bring this one; it does not exist at run time.
    outside -= {"_typeshed"}
    used = {canonicalize_name(provider) for module in outside for provider in providers.get(module, [module])}
    declared = {canonicalize_name(need.name) for need in dependencies(metadata[name])}
    registers = bool(metadata[name].get("entry-points"))
    # A reserved place asks for the core only to be installed beside it.
    unused = declared - used - set(UNIMPORTED) if registers else declared - {"rivet-core"}
    assert (used - declared, unused) == (set(), set())
