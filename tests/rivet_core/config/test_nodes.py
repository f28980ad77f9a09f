from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from rivet_core.config.nodes import MAX_NODES, Items, Keyed, Node, Scalar, compose
from rivet_core.config.problems import ConfigurationInvalid

words = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Co", "Cn")), max_size=10).filter(
    lambda word: "\ufeff" not in word
)
trees = st.recursive(
    words, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3), max_leaves=12
)


def plain(node: Node) -> Any:
    if isinstance(node, Keyed):
        return {entry.key: plain(entry.value) for entry in node}
    return [plain(item) for item in node.items] if isinstance(node, Items) else node.text


def refused(text: str) -> Any:
    with pytest.raises(ConfigurationInvalid) as caught:
        compose(text, file="f.yaml")
    (problem,) = caught.value.problems
    return problem


@given(trees)
def test_texts_come_back_as_they_were_dumped(tree: Any) -> None:
    node, problems = compose(yaml.safe_dump(tree, allow_unicode=True), file="f.yaml")
    assert (plain(node), problems) == (tree, [])


@pytest.mark.parametrize(
    "text", ["no", "yes", "on", "0123", "1_000", "1:30", "2026-01-01", "~", "null", "1.0", "=", "0x1F"]
)
def test_a_scalar_keeps_the_text_that_was_written(text: str) -> None:
    node, problems = compose(f"key: {text}", file="f.yaml")
    assert (plain(node), problems) == ({"key": text}, [])


def test_a_key_that_yaml_takes_for_a_truth_value_stays_a_word() -> None:
    assert plain(compose("on: [failure]", file="f.yaml")[0]) == {"on": ["failure"]}


def test_places_count_lines_and_columns_from_one_and_paths_from_zero() -> None:
    node, _ = compose("a:\n  - b: x\n  - 'c d': y\n", file="f.yaml")
    assert isinstance(node, Keyed)
    items = node.entries[0].value
    assert isinstance(items, Items)
    assert isinstance(items.items[1], Keyed)
    place = items.items[1].entries[0].value.place
    assert (place.file, place.path, place.line, place.column) == ("f.yaml", 'a[1]."c d"', 3, 12)


def test_every_duplicate_key_is_reported_with_the_line_of_the_first() -> None:
    node, problems = compose("a: 1\nb: 2\na: 3\nb: 4\n", file="f.yaml")
    assert [(problem.place.line, problem.place.path) for problem in problems] == [(3, "a"), (4, "b")]
    assert "first on line 1" in problems[0].message
    assert plain(node) == {"a": "1", "b": "2"}


def test_an_alias_stands_for_its_anchor() -> None:
    assert plain(compose("a: &x {k: v}\nb: *x\n", file="f.yaml")[0]) == {"a": {"k": "v"}, "b": {"k": "v"}}


def test_a_merge_key_brings_what_is_not_given() -> None:
    text = "a: &x {k: 1, l: 2}\nb: {<<: *x, l: 3}\n"
    node, problems = compose(text, file="f.yaml")
    assert (plain(node)["b"], problems) == ({"k": "1", "l": "3"}, [])


def test_the_first_mapping_of_a_merged_list_wins() -> None:
    text = "a: &x {k: 1}\nb: &y {k: 2, l: 2}\nc: {<<: [*x, *y]}\n"
    assert plain(compose(text, file="f.yaml")[0])["c"] == {"k": "1", "l": "2"}


def test_merging_what_is_no_mapping_is_a_problem() -> None:
    _, problems = compose("a: &x [1]\nb: {<<: *x}\n", file="f.yaml")
    assert "takes a mapping" in problems[0].message


def test_an_alias_bomb_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert str(MAX_NODES) in refused("\n".join(lines)).message


def test_an_anchor_that_holds_itself_is_refused() -> None:
    problem = refused("a:\n  b: &x\n    c: *x\n")
    assert ("alias of itself" in problem.message, problem.place.path, problem.place.line) == (True, "a.b.c", 2)


@pytest.mark.parametrize("text", ["[" * 5000, "a: " + "{b: " * 5000, "[" * 500 + "]" * 500])
def test_deep_nesting_is_refused(text: str) -> None:
    assert "nested" in refused(text).message or "not YAML" in refused(text).message


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: [1", 1),
        ("a: b: c", 1),
        ("a: 'x", 1),
        ("a: 1\n\tb: 2", 2),
        ("a: @x", 1),
        ("a: 1\n---\nb: 2", 2),
        ("a: *nowhere", 1),
    ],
)
def test_a_text_that_is_not_yaml_is_refused_with_its_line(text: str, line: int) -> None:
    problem = refused(text)
    assert problem.code == "RIVET_CONFIG_YAML_INVALID"
    assert problem.place.line >= line


def test_a_tab_gets_a_remedy() -> None:
    assert "spaces" in (refused("a:\n\tb: 1").remedy or "")


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n"])
def test_an_empty_file_is_refused(text: str) -> None:
    if text == "---\n":
        assert compose(text, file="f.yaml")[0] == Scalar(
            text="", plain=True, place=compose(text, file="f.yaml")[0].place
        )
    else:
        assert "empty" in refused(text).message


@pytest.mark.parametrize(
    "text", ["a: !!str 5", "a: !!python/object:os.system {}", "a: !secret x", "a: !!int '5'", "!!set {a, b}"]
)
def test_a_tag_is_a_problem(text: str) -> None:
    _, problems = compose(text, file="f.yaml")
    assert "tag" in problems[0].message


def test_a_key_that_is_no_word_is_a_problem() -> None:
    _, problems = compose("? [a, b]\n: c\n", file="f.yaml")
    assert "a key must be a word" in problems[0].message


def test_control_characters_are_refused() -> None:
    assert "not YAML" in refused("a: \x07").message


def test_the_two_escapes_that_json_writes_for_one_character_are_one() -> None:
    tree, problems = compose(r'{"\ud83e\udd80": "caf\u00e9 \ud83e\udd80"}', file="f.json")
    assert (plain(tree), problems) == ({"🦀": "café 🦀"}, [])


def test_half_a_character_is_a_problem() -> None:
    _, problems = compose(r'a: "\ud83e alone"', file="f.yaml")
    assert [(problem.place.line, "half a character" in problem.message) for problem in problems] == [(1, True)]
