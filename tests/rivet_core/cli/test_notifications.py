from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest

if TYPE_CHECKING:
    from conftest import Ended, Rivet

SECRET = "T000-hunter2"


@attrs.define
class Hook:
    """A webhook on this machine; it answers as it is told and keeps what it got."""

    port: int = 0
    answer: int = 200
    posts: list[tuple[str, dict[str, Any]]] = attrs.field(factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/services/{SECRET}"

    @property
    def texts(self) -> list[str]:
        return [str(body["text"]) for _, body in self.posts]


@pytest.fixture
def hook() -> Iterator[Hook]:
    found = Hook()
    with serving(found):
        yield found


@contextmanager
def serving(hook: Hook) -> Iterator[None]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            hook.posts.append((self.headers["Content-Type"], json.loads(body)))
            self.send_response(hook.answer)
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class's word
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        hook.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


def one_export(address: str, on: str = "[failure]", **keys: str) -> str:
    body = "".join(f"    {key}: {value}\n" for key, value in keys.items())
    return f"""\
source: {{type: sqlite, path: shop.db}}
notifications:
  slack: {{{address}, on: {on}}}
exports:
  - name: orders
    table: orders
    format: parquet
    destination: {{type: local, path: out/orders}}
{body}"""


Configure = Callable[[str], None]


def test_a_failed_run_is_told(rivet: Rivet, configure: Configure, hook: Hook) -> None:
    configure(one_export(f"webhook_url: '{hook.url}'", quality="{row_count_min: 5000}"))
    ended = rivet("run", "-c", "rivet.yaml")
    assert ended.code == 3
    ((kind, body),) = hook.posts
    assert kind == "application/json"
    assert "0 of 1 exports succeeded" in body["text"]
    assert "- orders: failed [RIVET_RUN_GATE_FAILED] 1000 rows are fewer than row_count_min 5000" in body["text"]


def test_a_run_that_went_well_is_not_told(rivet: Rivet, configure: Configure, hook: Hook) -> None:
    configure(one_export(f"webhook_url: '{hook.url}'", on="[failure, schema_change, degraded]"))
    assert rivet("run", "-c", "rivet.yaml").code == 0
    assert hook.posts == []


def test_only_what_is_wanted_is_told(rivet: Rivet, configure: Configure, hook: Hook) -> None:
    configure(one_export(f"webhook_url: '{hook.url}'", on="[schema_change]", quality="{row_count_min: 5000}"))
    assert rivet("run", "-c", "rivet.yaml").code == 3
    assert hook.posts == []


def test_a_changed_schema_is_told(rivet: Rivet, configure: Configure, hook: Hook, shop: Path) -> None:
    configure(one_export(f"webhook_url: '{hook.url}'", on="[schema_change]"))
    assert rivet("run", "-c", "rivet.yaml").code == 0
    with closing(sqlite3.connect(shop / "shop.db")) as connection, connection:
        connection.execute("ALTER TABLE orders ADD COLUMN colour TEXT")
    assert rivet("run", "-c", "rivet.yaml").code == 0
    (text,) = hook.texts
    assert "- orders: schema changed: the schema changed since the last success: column colour was added" in text


def test_a_success_with_a_warning_is_told_as_degraded(rivet: Rivet, configure: Configure, hook: Hook) -> None:
    quality = "{unique_columns: [id], unique_max_entries: 10}"
    configure(one_export(f"webhook_url: '{hook.url}'", on="[degraded]", quality=quality))
    assert rivet("run", "-c", "rivet.yaml").code == 0
    (text,) = hook.texts
    assert "- orders: done, but unique: column id holds no value twice among 10 of about" in text


def test_the_address_may_come_from_a_variable(rivet: Rivet, configure: Configure, hook: Hook) -> None:
    configure(one_export("webhook_url_env: HOOK", quality="{row_count_min: 5000}"))
    assert rivet("run", "-c", "rivet.yaml", HOOK=hook.url).code == 3
    assert len(hook.posts) == 1


def test_an_unset_variable_is_a_warning_of_every_run(rivet: Rivet, configure: Configure) -> None:
    configure(one_export("webhook_url_env: HOOK"))
    ended = rivet("run", "-c", "rivet.yaml")
    assert ended.code == 0
    assert "the variable HOOK, which notifications.slack.webhook_url_env names, is not set" in ended.err


def test_nobody_is_told_when_the_command_says_so(rivet: Rivet, configure: Configure, hook: Hook) -> None:
    configure(one_export(f"webhook_url: '{hook.url}'", quality="{row_count_min: 5000}"))
    assert rivet("run", "-c", "rivet.yaml", "--no-notify").code == 3
    assert hook.posts == []


@pytest.mark.parametrize("answer", [404, 500])
def test_a_webhook_that_refuses_is_a_warning_without_its_address(
    rivet: Rivet, configure: Configure, hook: Hook, answer: int
) -> None:
    hook.answer = answer
    configure(one_export("webhook_url_env: HOOK", quality="{row_count_min: 5000}"))
    ended = rivet("run", "-c", "rivet.yaml", HOOK=hook.url)
    assert ended.code == 3
    assert f"Slack was not told: the webhook answered {answer}" in ended.err
    assert "hunter2" not in ended.err + ended.out


def test_a_webhook_that_is_not_there_does_not_change_the_exit(rivet: Rivet, configure: Configure, hook: Hook) -> None:
    gone = Hook()
    with serving(gone):
        pass
    configure(
        one_export("webhook_url_env: HOOK", on="[degraded]", quality="{unique_columns: [id], unique_max_entries: 1}")
    )
    ended = rivet("run", "-c", "rivet.yaml", HOOK=gone.url)
    assert ended.code == 0
    assert "Slack was not told: the webhook cannot be reached" in ended.err
    assert "hunter2" not in ended.err + ended.out


def test_the_object_of_the_error_comes_after_the_warning(rivet: Rivet, configure: Configure) -> None:
    gone = Hook()
    with serving(gone):
        pass
    configure(one_export("webhook_url_env: HOOK", quality="{row_count_min: 5000}"))
    ended = rivet("run", "-c", "rivet.yaml", "--json-errors", HOOK=gone.url)
    *_, warning, last = ended.err.splitlines()
    assert "Slack was not told" in warning
    assert json.loads(last)["code"] == "RIVET_RUN_GATE_FAILED"


def test_doctor_tells_of_an_unset_variable_before_any_run(rivet: Rivet, configure: Configure) -> None:
    configure(one_export("webhook_url_env: HOOK"))
    (found,) = notifications(rivet("doctor", "-c", "rivet.yaml", "--json"))
    assert (found["ok"], bool(found["hint"])) == (False, True)
    assert "the variable HOOK, which notifications.slack.webhook_url_env names, is not set" in found["detail"]


def test_doctor_tells_of_an_address_that_is_none_without_showing_it(rivet: Rivet, configure: Configure) -> None:
    configure(one_export("webhook_url_env: HOOK"))
    ended = rivet("doctor", "-c", "rivet.yaml", "--json", HOOK=SECRET)
    (found,) = notifications(ended)
    assert (found["ok"], found["detail"]) == (False, "the webhook's address is no http or https URL")
    assert "begins with http:// or https://," in found["hint"]
    assert "hunter2" not in ended.err + ended.out


def test_doctor_sends_nothing(rivet: Rivet, configure: Configure, hook: Hook) -> None:
    configure(one_export("webhook_url_env: HOOK"))
    (found,) = notifications(rivet("doctor", "-c", "rivet.yaml", "--json", HOOK=hook.url))
    assert (found["ok"], hook.posts) == (True, [])


def test_doctor_looks_for_no_address_that_nobody_will_use(rivet: Rivet, configure: Configure) -> None:
    configure(one_export("webhook_url_env: HOOK"))
    assert notifications(rivet("doctor", "-c", "rivet.yaml", "--json", "--no-notify")) == []


def notifications(ended: Ended) -> list[dict[str, Any]]:
    return [check for check in ended.json()["checks"] if check["name"] == "notifications"]


def test_check_warns_of_an_address_that_is_missing(rivet: Rivet, configure: Configure, hook: Hook) -> None:
    configure(one_export("webhook_url_env: HOOK"))
    ended = rivet("check", "-c", "rivet.yaml")
    assert (ended.code, "Warning: Slack could not be told: the variable HOOK" in ended.err) == (0, True)
    assert "Slack" not in rivet("check", "-c", "rivet.yaml", HOOK=hook.url).err
    assert "Slack" not in rivet("check", "-c", "rivet.yaml", "--no-notify").err
