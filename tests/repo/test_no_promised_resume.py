"""A run that recorded nothing begins anew, so no remedy says that the next one resumes it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROMISE = re.compile(r"(remedy|CodeFacts|os\.write)\b[^#]*?\b(it|run) resumes")
MODULES = sorted(ROOT.glob("rivet-*/src/**/*.py"))


@pytest.mark.parametrize(
    "module", [one for one in MODULES if "resumes" in one.read_text("utf-8")], ids=lambda p: p.name
)
def test_no_remedy_promises_a_resume(module: Path) -> None:
    said = [line.strip() for line in module.read_text("utf-8").splitlines() if PROMISE.search(line)]
    assert said == []


#: What promises it in prose, broken over lines or not.
SENTENCE = re.compile(
    r"next (?:one|run) resumes it|stays open and (?:it )?is resumed|always resume[sd]?\b|unfinished run is resumed"
)
TEXTS = sorted(
    [
        *MODULES,
        *ROOT.glob("docs/**/*.md"),
        ROOT / "docs/generate.py",
        *ROOT.glob("changelog.d/*.md"),
        ROOT / "README.md",
    ]
)


@pytest.mark.parametrize(
    "text", [one for one in TEXTS if "resume" in one.read_text("utf-8")], ids=lambda p: str(p.relative_to(ROOT))
)
def test_no_page_and_no_docstring_promises_a_resume(text: Path) -> None:
    assert SENTENCE.findall(" ".join(text.read_text("utf-8").split())) == []
