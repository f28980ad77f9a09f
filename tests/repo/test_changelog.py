from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

FOLDER = Path(__file__).parents[2] / "changelog.d"
FRAGMENTS = sorted(path.name for path in FOLDER.iterdir() if path.name != "README.md")


@pytest.fixture(scope="module")
def types(root: Path) -> list[str]:
    settings = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["towncrier"]
    return [entry["directory"] for entry in settings["type"]]


@pytest.mark.parametrize("name", FRAGMENTS)
def test_a_fragment_is_named_after_its_change_and_type(name: str, types: list[str]) -> None:
    match = re.fullmatch(r"(\d+|\+[a-z0-9-]+)\.([a-z]+)\.md", name)
    assert match, "name it <issue>.<type>.md or +<words>.<type>.md"
    assert match[2] in types


@pytest.mark.parametrize("name", FRAGMENTS)
def test_a_fragment_is_whole_sentences(name: str) -> None:
    text = (FOLDER / name).read_text()
    assert re.match(r"[A-Z`]", text)
    assert text.endswith(".\n")
    assert not re.search(r"^[#*-]", text, flags=re.MULTILINE), "headings and lists come from the template"


def test_the_readme_of_the_fragments_names_every_type(types: list[str]) -> None:
    assert re.findall(r"^\| `([a-z]+)` \|", (FOLDER / "README.md").read_text(), flags=re.MULTILINE) == types


def test_the_changelog_says_why_each_dependency_is_there(root: Path, metadata: dict[str, Any]) -> None:
    text = "".join(path.read_text() for path in FOLDER.glob("*.dependency.md")) + (root / "CHANGELOG.md").read_text()
    needs = set()
    for project in metadata.values():
        for group in (project["dependencies"], *project.get("optional-dependencies", {}).values()):
            needs |= {Requirement(need).name for need in group}
    reasons = text.lower()
    assert [need for need in sorted(needs - set(metadata)) if f"`{need}`" not in reasons] == []
