"""``docs/configuration.md`` names every key, and no key that is none."""

from __future__ import annotations

import re
from pathlib import Path

import attrs
import pytest

from rivet_core.config import keys, parse
from rivet_core.config.columns import TYPE_WORDS
from rivet_core.config.hints import alternatives, option_fields
from rivet_core.config.prefix import TOKENS
from rivet_core.plugins import Plugins

PAGE = (Path(__file__).parents[3] / "docs" / "configuration.md").read_text(encoding="utf-8")
BUILT_IN = {
    "The file": keys.RootKeys,
    "`source`": keys.SourceKeys,
    "`tuning`": keys.TuningKeys,
    "`exports`": keys.ExportKeys,
    "`meta_columns`": keys.MetaColumnKeys,
    "`quality`": keys.QualityKeys,
    "`notifications`": keys.NotificationKeys,
    "`notifications.slack`": keys.SlackKeys,
}


def documented(heading: str) -> set[str]:
    """Return the keys of the first table below a heading."""
    parts = re.split(rf"^#+ {re.escape(heading)}$", PAGE, flags=re.MULTILINE)
    assert len(parts) == 2, f"the page needs exactly one heading {heading}"
    section = re.split(r"^#", parts[1], maxsplit=1, flags=re.MULTILINE)[0]
    return set(re.findall(r"^\| `([^`]+)` \|", section, flags=re.MULTILINE)) - {"type"}


def keys_of(cls: type) -> set[str]:
    return {field.key for field in option_fields(cls)}


@pytest.mark.parametrize("heading", BUILT_IN)
def test_every_built_in_key_has_its_line(heading: str) -> None:
    assert documented(heading) == keys_of(BUILT_IN[heading])


@pytest.mark.parametrize(
    ("seam", "kind", "heading"),
    [
        ("source", "sqlite", "`source.type: sqlite`"),
        ("source", "postgres", "`source.type: postgres`"),
        ("format", "parquet", "`format: parquet`"),
        ("destination", "local", "`destination.type: local`"),
        ("destination", "stdout", "`destination.type: stdout`"),
    ],
)
def test_every_option_of_our_plugins_has_its_line(seam: str, kind: str, heading: str) -> None:
    declaration = getattr(Plugins.installed({}), f"{seam}_type")(kind)
    assert documented(heading) == keys_of(declaration.options)


@pytest.mark.parametrize(
    ("seam", "kind", "key", "heading"),
    [
        ("source", "postgres", "tls", "`source.tls` of postgres"),
        ("format", "parquet", "parquet", "`parquet` of the format"),
    ],
)
def test_every_key_of_an_options_block_has_its_line(seam: str, kind: str, key: str, heading: str) -> None:
    declaration = getattr(Plugins.installed({}), f"{seam}_type")(kind)
    hint = next(field.hint for field in option_fields(declaration.options) if field.key == key)
    (block,) = [part for part in alternatives(hint) if attrs.has(part)]
    assert documented(heading) == keys_of(block)


def test_every_type_word_and_every_word_in_braces_is_named() -> None:
    assert [word for word in TYPE_WORDS if f"`{word}`" not in PAGE] == []
    assert [word for word in TOKENS if f"`{{{word}}}`" not in PAGE] == []


def test_the_example_is_read(tmp_path: Path) -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, flags=re.DOTALL)
    configuration = parse(
        example,
        Plugins.installed({}),
        path=tmp_path / "rivet.yaml",
        file="rivet.yaml",
        params={},
        environ={"DATABASE_URL": "postgresql://u@localhost/d"},
    )
    assert configuration.names == ("orders", "late_orders")
    assert configuration.warnings == ()
