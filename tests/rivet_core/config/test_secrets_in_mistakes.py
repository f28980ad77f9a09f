"""No mistake makes a message repeat what stands at a key that can hold a secret, or on a line that is no YAML."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

import pytest

from rivet_core.config import Configuration, ConfigurationInvalid

if TYPE_CHECKING:
    from collections.abc import Callable

    Read = Callable[..., Configuration]

WORD = "Zq7secretW"
URL = "duck://user:" + WORD + "@host/database"
EXPORTS = "exports:\n  - {name: a, table: t, format: csv, destination: {type: stdout}}\n"
#: What may stand before, within or behind a word so that YAML takes it for something else.
CHARACTERS = [*string.punctuation, " ", "\t", "\0", "\u00a0", "- ", "? ", ": ", " #", "--- ", "!!", "$$", "${"]
#: A file with a hole for the secret, one for each place that a secret can stand at.
PLACES = {
    "password": "source:\n  type: duck\n  host: h\n  password:§\n" + EXPORTS,
    "url": "source:\n  type: duck\n  url:§\n" + EXPORTS,
    "misspelt": "source:\n  type: duck\n  host: h\n  pasword:§\n" + EXPORTS,
    "variable": "source:\n  type: duck\n  host: h\n  password_env:§\n" + EXPORTS,
    "file": "source:\n  type: duck\n  url_file:§\n" + EXPORTS,
    "flow": "source: {type: duck, host: h, password:§}\n" + EXPORTS,
    "webhook": "source: {type: duck, host: h}\n" + EXPORTS + "notifications:\n  slack:\n    webhook_url:§\n",
    "webhook's variable": "source: {type: duck, host: h}\n"
    + EXPORTS
    + "notifications:\n  slack:\n    webhook_url_env:§\n",
}
#: What a person may write in place of a text in quotes: ``S`` is the secret.
FORMS = {
    "bare": " S",
    "two words": " S S",
    "on its own line": "\n      S",
    "on two lines": " S\n      S",
    "an item": "\n      - S",
    "a list": " [S, S]",
    "a key": "\n      S: x",
    "a key given twice": "\n      S: x\n      S: y",
    "a mapping": " {S: x, S: y}",
    "a mapping of mappings": " {a: {S: S, S: S}}",
    "a key that is no word": "\n      ? [S]\n      : S",
    "merged": "\n      <<: S",
    "an open quote": ' "S',
    "an open single quote": " 'S",
    "an escape": ' "\\S"',
    "behind a quote": " 'x'S",
    "a block": " |S\n      x",
    "a folded block": " >S",
    "half a character": ' "\\ud800S"',
    "a placeholder": " ${S}",
    "a broken placeholder": " ${S",
    "two values": " S: S",
    "given twice": " S\n  password: S",
    "without a space": "S",
}


def told(read: Read, text: str) -> str:
    """Return everything that is said of a file, with what a traceback would show of the error's causes."""
    try:
        found = read(text)
    except ConfigurationInvalid as error:
        json = [str(problem.to_json()) for problem in error.problems]
        return "\n".join(
            [str(error), *json, str(error.__cause__), *([] if error.__suppress_context__ else [str(error.__context__)])]
        )
    return "\n".join(map(str, found.warnings))


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_secret_with_any_character_is_in_no_message(read: Read, place: str, form: str) -> None:
    leaks = {}
    for character in CHARACTERS:
        for secret in (character + WORD, f"ab{character}{WORD}{character}"):
            said = told(read, place.replace("§", form.replace("S", secret)))
            # The name of a sibling key is another matter: it stands on a line of its own.
            if WORD in said:
                leaks[secret] = said
    assert leaks == {}


TEXTS = {
    "source": "type: S", "host": "type: duck\n  host: S", "port": "type: duck\n  host: h\n  port: S",
    "ratio": "type: duck\n  host: h\n  ratio: S", "labels": "type: duck\n  host: h\n  labels: {S: x, S: y}",
    "label": "type: duck\n  host: h\n  labels: S", "tls": "type: duck\n  host: h\n  tls: {mode: S}",
    "ca_file": "type: duck\n  host: h\n  tls: {ca_file: S}", "environment": "type: duck\n  host: h\n  environment: S",
    "profile": "type: duck\n  host: h\n  tuning: {profile: S}",
    "batch": "type: duck\n  host: h\n  tuning: {batch_size: S}",
    "unknown": "type: duck\n  host: h\n  S: x", "variable": "type: duck\n  password_env: S",
    "file": "type: duck\n  url_file: S",
}  # fmt: skip


@pytest.mark.parametrize("quote", ['"', "'"])
@pytest.mark.parametrize("block", TEXTS.values(), ids=TEXTS)
def test_a_url_under_any_key_of_the_source_does_not_show_its_password(read: Read, block: str, quote: str) -> None:
    said = told(read, "source:\n  " + block.replace("S", f"{quote}{URL}{quote}") + "\n" + EXPORTS)
    assert WORD not in said


KEYS = (
    *("name: S", "table: S", "query_file: S", "mode: S", "mode: {type: S}", "format: S", "format: {type: csv, S: x}"),
    *("destination: S", "destination: {type: S}", "destination: {type: local, path: S}", "parallel: S", "verify: S"),
    *("destination: {type: s3, bucket: S, prefix: S}", "columns: {S: x}", "columns: {a: S}", "columns: {S.x: int}"),
    *("on_invalid_value: S", "on_invalid_value: {a: S}", "on_invalid_value: {S: x}", "max_file_size: S", "target: S"),
    *("quality: {unique_columns: S}", "quality: {unique_columns: [S, S]}", "quality: {null_ratio_max: {S: 7}}"),
    *("meta_columns: {row_hash: S}", "meta_columns: {row_hash: [S, S]}", "compression: S", "skip_empty: S", "S: x"),
    *("on_schema_drift: S", "shape_drift_warn_factor: S", "cursor_column: S", "tuning: {S: 1}", "tuning: {profile: S}"),
    *("source_group: S", "wave: S", "tuning: S", "quality: S", "columns: S", "meta_columns: S", "parquet: {S: 1}"),
)


@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("password", [WORD, f"a'{WORD}", f"a@{WORD}", f"a b{WORD}", f"a/{WORD}", f"a<{WORD}>"])
def test_a_url_under_any_key_of_an_export_does_not_show_its_password(
    read: Read, export_text: Callable[[str], str], keys: str, password: str
) -> None:
    written = "'" + f"duck://user:{password}@host/d".replace("'", "''") + "'"
    assert WORD not in told(read, export_text(keys.replace("S", written)))


@pytest.mark.parametrize("name", ["Zq7secretW", "s3cr3tpw", "XK7D9Q2P", "hunter2", "a b", "u:pw@host/db"])
def test_a_placeholder_in_a_secret_is_named_only_when_it_reads_like_a_variable(read: Read, name: str) -> None:
    assert name not in told(read, PLACES["password"].replace("§", f" ${{{name}}}"))


@pytest.mark.parametrize("name", ["PASSWORD", "DB_PASSWORD", "PG_2_PASSWORD", "PGPASSWORD"])
def test_an_unset_variable_of_a_secret_is_named(read: Read, name: str) -> None:
    assert f"{name} is not set" in told(read, PLACES["password"].replace("§", f" ${{{name}}}"))


#: Blocks of a source with a word in the place of a key, or of a variable's name.
SLIPPED = {
    "key": "type: duck, host: h, S: x",
    "key given twice": "type: duck, host: h, S: x, S: y",
    "key of tls": "type: duck, host: h, tls: {S: x}",
    "key of tuning": "type: duck, host: h, tuning: {S: 1}",
    "key of tuning given twice": "type: duck, host: h, tuning: {S: 1, S: 2}",
    "variable of the host": "type: duck, host: '${S}'",
    "variable of the user": "type: duck, host: h, user: '${S}'",
    "variable of the type": "type: '${S}', host: h",
    "variable of the environment": "type: duck, host: h, environment: '${S}'",
    "variable of tuning": "type: duck, host: h, tuning: {batch_size: '${S}'}",
}


@pytest.mark.parametrize("word", ["Hunter2Zebra", "Zq7secretW", "hunter2"])
@pytest.mark.parametrize("block", SLIPPED.values(), ids=SLIPPED)
def test_a_word_in_the_place_of_a_key_or_a_variable_of_the_source_is_not_repeated(
    read: Read, block: str, word: str
) -> None:
    said = told(read, "source: {" + block.replace("S", word) + "}\n" + EXPORTS)
    assert word not in said
    assert "rivet.yaml:1:" in said


@pytest.mark.parametrize("block", ["hosst: h, S: x", "host: h, tuning: {S: 1}"])
def test_an_unknown_key_of_the_source_that_is_spelt_as_keys_are_is_named(read: Read, block: str) -> None:
    assert "unknown key 'colour'" in told(
        read, "source: {type: duck, " + block.replace("S", "colour") + "}\n" + EXPORTS
    )


def test_a_near_miss_of_a_key_of_the_source_is_named_however_it_is_spelt(read: Read) -> None:
    said = told(read, "source: {type: duck, host: h, tuning: {Batch-Size: 5}}\n" + EXPORTS)
    assert "unknown key 'Batch-Size'" in said
    assert "did you mean 'batch_size'?" in said


#: Blocks of a source with a word in the place of a value that is no secret.
VALUES = {
    "the type": "type: S, host: h",
    "a number": "type: duck, host: h, port: S",
    "a number in quotes": "type: duck, host: h, port: 'S'",
    "a fraction": "type: duck, host: h, ratio: S",
    "one of several words": "type: duck, host: h, tls: {mode: S}",
    "the environment": "type: duck, host: h, environment: S",
    "the profile": "type: duck, host: h, tuning: {profile: S}",
    "a number of the tuning": "type: duck, host: h, tuning: {max_retries: S}",
    "a truth value": "type: duck, host: h, tuning: {adaptive: S}",
    "a block": "type: duck, host: h, tls: S",
    "a name in a mapping": "type: duck, host: h, labels: {S: [x]}",
    "what a plugin's rule refuses": "type: duck, host: h, paint: S",
}


@pytest.mark.parametrize("word", ["S3cret-Pw9", "S3cretPw9", "hunter2", "12345678"])
@pytest.mark.parametrize("block", VALUES.values(), ids=VALUES)
def test_a_word_in_the_place_of_a_value_of_the_source_is_not_repeated(read: Read, block: str, word: str) -> None:
    said = told(read, "source: {" + block.replace("S", word) + "}\n" + EXPORTS)
    assert word not in said


@pytest.mark.parametrize("block", ["type: S, host: h", "type: duck, host: h, environment: S"])
def test_an_ordinary_word_in_the_place_of_a_value_of_the_source_is_repeated(read: Read, block: str) -> None:
    assert "'colour'" in told(read, "source: {" + block.replace("S", "colour") + "}\n" + EXPORTS)


def test_a_mistaken_value_of_an_export_is_repeated(read: Read, export_text: Callable[[str], str]) -> None:
    assert "'Co-1o4r'" in told(read, export_text("verify: Co-1o4r"))
