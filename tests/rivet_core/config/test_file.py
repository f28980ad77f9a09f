from __future__ import annotations

import pickle
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rivet_core.config import Configuration, ConfigurationInvalid, Problem, load
from rivet_core.errors import EnvironmentFailure, UsageError
from rivet_core.plugins import Plugins
from rivet_core.types import Query

if TYPE_CHECKING:
    from collections.abc import Callable

    Read = Callable[..., Configuration]
    Problems = Callable[..., tuple[Problem, ...]]

ONE = "exports: [{name: a, table: t, format: csv, destination: {type: stdout}}]\n"
TWO = """
source: {type: duck, host: h}
exports:
  - name: orders
    table: orders
    format: parquet
    destination: {type: s3, bucket: b, prefix: "raw/{export}/"}
  - name: users
    table: users
    format: csv
    destination: {type: s3, bucket: b, prefix: "raw/{export}/"}
"""


def test_a_file_is_loaded_from_disk(kinds: Plugins, tmp_path: Path) -> None:
    path = tmp_path / "rivet.yaml"
    path.write_text("\ufeff" + TWO, encoding="utf-8")
    configuration = load(path, kinds, params={}, environ={})
    assert configuration.names == ("orders", "users")
    assert (configuration.folder, configuration.file) == (tmp_path, str(path))


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_a_file_that_cannot_be_read_is_an_error_of_its_own(
    kinds: Plugins, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "rivet.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(EnvironmentFailure) as caught:
        load(path, kinds, params={}, environ={})
    assert (caught.value.code, int(caught.value.exit)) == ("RIVET_CONFIG_FILE_UNREADABLE", 1)


def test_exports_are_chosen_by_name_in_the_order_of_the_file(read: Read) -> None:
    configuration = read(TWO)
    assert [intent.name for intent in configuration.chosen(["users", "orders"])] == ["orders", "users"]
    assert [intent.name for intent in configuration.chosen([])] == ["orders", "users"]


def test_an_unknown_export_gets_a_suggestion(read: Read) -> None:
    with pytest.raises(UsageError) as caught:
        read(TWO).chosen(["order"])
    assert caught.value.code == "RIVET_CLI_EXPORT_UNKNOWN"
    assert "did you mean 'orders'" in str(caught.value)


def test_all_problems_of_a_file_are_reported_together_in_their_order(problems: Problems) -> None:
    found = problems(
        """
        sources: {}
        source:
          type: duck
          host: h
          prot: 5
        exports:
          - name: orders
            table: orders
            format: parket
            destination: {type: local, path: out}
            parallel: many
          - name: orders
            query: ${NOPE}
            format: csv
            destination: {type: local, pth: out}
        """
    )
    assert [(problem.place.line, problem.place.path, problem.code) for problem in found] == [
        (2, "sources", "RIVET_CONFIG_YAML_INVALID"),
        (6, "source.prot", "RIVET_CONFIG_YAML_INVALID"),
        (10, "exports[0].format", "RIVET_PLUGIN_MISSING"),
        (12, "exports[0].parallel", "RIVET_CONFIG_YAML_INVALID"),
        (13, "exports[1].name", "RIVET_CONFIG_DUPLICATE_EXPORT"),
        (14, "exports[1].query", "RIVET_CONFIG_SECRET_UNSET"),
        (16, "exports[1].destination", "RIVET_CONFIG_YAML_INVALID"),
        (16, "exports[1].destination.pth", "RIVET_CONFIG_YAML_INVALID"),
    ]


def test_the_error_shows_every_problem_with_its_place_and_remedy(read: Read) -> None:
    with pytest.raises(ConfigurationInvalid) as caught:
        read("source: {type: duck, host: h, prot: 1}\nexports: []\n")
    text = str(caught.value)
    assert "rivet.yaml has 2 problems" in text
    assert "rivet.yaml:1:31, source.prot: unknown key 'prot'" in text
    assert "did you mean 'port'?" in text


def test_a_single_problem_is_the_error_itself(read: Read) -> None:
    with pytest.raises(ConfigurationInvalid) as caught:
        read("source: {type: duck, host: h, prot: 1}\n" + ONE)
    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.path) == (1, "source.prot")
    assert caught.value.remedy == "did you mean 'port'?"


def test_problems_are_data_for_programs(problems: Problems) -> None:
    (problem,) = problems("source: {type: duck, host: h}\nexports: []\n")
    assert problem.to_json() == {
        "code": "RIVET_CONFIG_NO_EXPORTS",
        "message": "'exports' must be a list of at least one export",
        "file": "rivet.yaml",
        "path": "exports",
        "line": 2,
        "column": 10,
        "remedy": "write exports: and below it - name: …",
    }


def test_the_error_travels_between_processes(read: Read) -> None:
    with pytest.raises(ConfigurationInvalid) as caught:
        read("source: {}\nexports: []\n")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.problems) == (str(caught.value), caught.value.problems)


def test_one_code_is_kept_and_several_become_the_general_one(read: Read) -> None:
    same = "source: {type: duck, host: '${A}', database: '${B}'}\n" + ONE
    with pytest.raises(ConfigurationInvalid) as caught:
        read(same)
    assert caught.value.code == "RIVET_CONFIG_SECRET_UNSET"
    with pytest.raises(ConfigurationInvalid) as caught:
        read(same.replace("exports: [", "exports: []\nnotexports: ["))
    assert caught.value.code == "RIVET_CONFIG_YAML_INVALID"


@pytest.mark.parametrize("text", ["[]", "just words", "5"])
def test_a_file_that_is_no_mapping_is_refused(problems: Problems, text: str) -> None:
    (problem,) = problems(text)
    assert "must be a mapping" in problem.message


@pytest.mark.parametrize("text", ["exports: []", "source: {type: duck, host: h}"])
def test_source_and_exports_are_required(problems: Problems, text: str) -> None:
    assert any("is missing" in problem.message for problem in problems(text))


@pytest.mark.parametrize("exports", ["", "[]", "{}", "orders", "[orders]"])
def test_exports_must_be_a_list_of_mappings(problems: Problems, exports: str) -> None:
    (problem,) = problems(f"source: {{type: duck, host: h}}\nexports: {exports}\n")
    assert problem.place.line == 2


def test_equal_names_are_found_after_placeholders_were_put_in(problems: Problems) -> None:
    found = problems(TWO.replace("name: users", "name: ${NAME}"), NAME="orders")
    assert [problem.code for problem in found if "DUPLICATE" in problem.code] == ["RIVET_CONFIG_DUPLICATE_EXPORT"]


@pytest.mark.parametrize(
    "prefixes",
    [
        ("raw/", "raw"),
        ("raw/x", "raw//x/"),
        ("raw/{date}", "raw/2026-03-04/"),
        ("raw/{export}", "raw/orders"),
        ("raw/{table}", "raw/orders"),
        ("", "./"),
    ],
)
def test_equal_resolved_prefixes_are_refused(problems: Problems, prefixes: tuple[str, str]) -> None:
    first, second = prefixes
    text = TWO.replace('"raw/{export}/"', f"'{first}'", 1).replace('"raw/{export}/"', f"'{second}'", 1)
    (problem,) = problems(text)
    assert (problem.code, problem.place.path) == ("RIVET_CONFIG_PREFIX_SHARED", "exports[1].destination")
    assert "'orders'" in problem.message


def test_a_symbolic_link_does_not_make_two_places_of_one(kinds: Plugins, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    path = tmp_path / "rivet.yaml"
    text = TWO.replace('{type: s3, bucket: b, prefix: "raw/{export}/"}', "{type: local, path: real/x}", 1)
    path.write_text(text.replace('{type: s3, bucket: b, prefix: "raw/{export}/"}', "{type: local, path: link/x}"))
    with pytest.raises(ConfigurationInvalid) as caught:
        load(path, kinds, params={}, environ={})
    assert caught.value.code == "RIVET_CONFIG_PREFIX_SHARED"


@pytest.mark.parametrize(
    "change",
    [
        ('{type: s3, bucket: b, prefix: "raw/{export}/"}', r'{type: local, path: "a\0b"}'),
        ("table: orders", r'query: "SELECT 1\0 AS a"'),
        ("host: h", r'url: "duck://h\0i"'),
    ],
)
def test_a_character_that_ends_a_text_for_the_system_is_refused(problems: Problems, change: tuple[str, str]) -> None:
    (problem,) = problems(TWO.replace(*change, 1))
    assert problem.code == "RIVET_CONFIG_VALUE_INVALID"
    assert "NUL" in problem.message


@pytest.mark.parametrize(
    "change",
    [
        ("bucket: b, prefix", "bucket: c, prefix"),
        ("{export}", "{export}/x"),
    ],
)
def test_different_places_are_not_shared(read: Read, change: tuple[str, str]) -> None:
    text = TWO.replace("{export}", "same").replace(*change, 1) if "bucket" in change[0] else TWO.replace(*change, 1)
    assert len(read(text).exports) == 2


def test_credentials_do_not_make_two_places_of_one(problems: Problems) -> None:
    text = TWO.replace("{export}", "same").replace("bucket: b,", "bucket: b, access_key_env: OTHER,", 1)
    assert [problem.code for problem in problems(text)] == ["RIVET_CONFIG_PREFIX_SHARED"]


def test_two_exports_may_go_to_standard_output(read: Read) -> None:
    text = TWO.replace('{type: s3, bucket: b, prefix: "raw/{export}/"}', "{type: stdout}")
    assert len(read(text).exports) == 2


def test_a_param_that_nothing_uses_is_a_warning(read: Read) -> None:
    configuration = read(TWO.replace("host: h", "host: '${HOST}'"), params={"HOST": "x", "DAY": "y"})
    assert [warning.message for warning in configuration.warnings] == ["--param DAY is not used by the file"]


def test_a_placeholder_in_a_comment_is_nobodys_business(read: Read) -> None:
    assert read(TWO + "# ${NOPE}\n").names == ("orders", "users")


def test_a_value_cannot_change_the_files_structure(read: Read) -> None:
    configuration = read(TWO.replace("table: users", "query: ${Q}"), Q="select 1\n  - name: evil: [{#'\"")
    assert str(configuration.exports[1].relation).startswith("select 1 - name: evil")
    assert len(configuration.exports) == 2


def test_an_anchor_may_be_used_by_several_exports(read: Read) -> None:
    text = TWO.replace("destination: {type: s3", "destination: &place {type: s3", 1)
    head, tail = text.rsplit("    destination:", 1)
    del tail
    configuration = read(head + "    destination: *place\n")
    assert configuration.exports[0].prefix == configuration.exports[1].prefix == "raw/{export}/"


def test_notifications_are_read_without_their_secret_in_sight(read: Read) -> None:
    text = (
        TWO
        + "notifications:\n  slack: {webhook_url: '${HOOK}', on: [failure, schema_change]}\nparallel_exports: true\n"
    )
    configuration = read(text, HOOK="https://hooks.example/hunter2")
    assert configuration.notifications is not None
    assert configuration.notifications.on == ("failure", "schema_change")
    assert "hunter2" not in repr(configuration)
    assert configuration.parallel_exports
    assert configuration.warnings == ()


@pytest.mark.parametrize(
    "slack", ["{}", "{webhook_url: a, webhook_url_env: b}", "{webhook_url: '${H}', on: [sometimes]}"]
)
def test_a_notification_that_cannot_be_sent_is_refused(problems: Problems, slack: str) -> None:
    (problem,) = problems(TWO + f"notifications:\n  slack: {slack}\n", H="x")
    assert (problem.place.path or "").startswith("notifications.slack")


def test_processes_of_their_own_are_refused_unless_they_are_switched_off(read: Read, problems: Problems) -> None:
    assert read(TWO + "parallel_export_processes: false\n").names
    (problem,) = problems(TWO + "parallel_export_processes: true\n")
    assert problem.code == "RIVET_CONFIG_KEY_UNSUPPORTED"


def test_loading_is_not_supported_yet(problems: Problems) -> None:
    (problem,) = problems(TWO + "load: {target: bigquery}\n")
    assert (problem.place.path, problem.code) == ("load", "RIVET_CONFIG_KEY_UNSUPPORTED")


def test_the_clock_is_now_unless_it_is_given(kinds: Plugins, tmp_path: Path) -> None:
    path = tmp_path / "rivet.yaml"
    today = datetime.now(UTC)
    prefixes = TWO.replace("{export}", "{date}", 1).replace("{export}", f"{today:%Y-%m-%d}", 1)
    path.write_text(prefixes)
    with pytest.raises(ConfigurationInvalid) as caught:
        load(path, kinds, params={}, environ={}, clock=today)
    assert caught.value.code == "RIVET_CONFIG_PREFIX_SHARED"


def test_a_query_file_may_begin_with_a_byte_order_mark(read: Read, tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_bytes(b"\xef\xbb\xbfselect 1")
    text = TWO.replace("table: orders", "query_file: q.sql", 1)
    assert read(text).exports[0].relation == Query("select 1")


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/null", ".", "no.yaml", "nul\0.yaml"])
def test_what_is_no_text_file_is_refused(kinds: Plugins, tmp_path: Path, name: str) -> None:
    with pytest.raises(EnvironmentFailure) as caught:
        load(name if name.startswith("/") else tmp_path / name, kinds, params={}, environ={})
    assert caught.value.code == "RIVET_CONFIG_FILE_UNREADABLE"
    assert caught.value.remedy


def test_a_large_file_is_refused(kinds: Plugins, tmp_path: Path) -> None:
    with (tmp_path / "rivet.yaml").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(EnvironmentFailure, match="larger than"):
        load(tmp_path / "rivet.yaml", kinds, params={}, environ={})


def test_a_large_query_file_is_refused(problems: Problems, tmp_path: Path) -> None:
    with (tmp_path / "q.sql").open("wb") as file:
        file.truncate(1 << 40)
    (problem,) = problems(TWO.replace("table: orders", "query_file: q.sql", 1))
    assert "larger than" in problem.message
