from __future__ import annotations

import pytest

from rivet_core.types import without_url_passwords


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://admin:Zq9pwX7@x",
        "postgresql:admin:Zq9pwX7@x",
        "postgresql:/admin:Zq9pwX7@x",
        "postgres:admin:a@Zq9/pwX7@x",
        "no such file (mysql:admin:Zq9pwX7@x)",
    ],
)
def test_user_information_is_masked_with_and_without_slashes(text: str) -> None:
    shown = without_url_passwords(text)
    assert "pwX7" not in shown
    assert "***@x" in shown


@pytest.mark.parametrize(
    "text", ["rivet.yaml:1:31, a@b", "a:b:c@d", "postgres: the source x:y@z", "postgresql://u@h/d", "postgres:5432"]
)
def test_what_is_no_url_stays(text: str) -> None:
    assert without_url_passwords(text) == text
