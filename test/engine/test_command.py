"""The command `freehold`, on a tiny model."""

from __future__ import annotations

import gc
import io

import pytest

from freehold.engine import Engine
from freehold.engine.command import main

SMALL = ["tiny", "--device", "-1", "--tokens", "32", "--sequences", "2", "--pages", "8"]


def test_texts_are_continued(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", *SMALL, "one", "--max-tokens", "3", "--seed", "1"]) == 0
    first = capsys.readouterr().out
    assert first.startswith("one")
    assert main(["generate", *SMALL, "one", "--max-tokens", "3", "--seed", "1"]) == 0
    assert capsys.readouterr().out == first


def test_a_chat_goes_on_until_there_is_no_more(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("hello\n"))
    assert main(["chat", *SMALL, "--max-tokens", "2", "--seed", "1"]) == 0
    assert capsys.readouterr().out.count("> ") == 2


def test_figures_of_random_prompts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *SMALL, "--requests", "2", "--input", "5", "--output", "3"]) == 0
    said = capsys.readouterr().out
    assert "2 requests of 5 + 3 tokens" in said
    assert "first token: median" in said


def test_what_stays_is_not_collected_while_requests_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    frozen: list[int] = []

    def told(engine: Engine, given: object) -> None:
        frozen.append(gc.get_freeze_count())

    monkeypatch.setattr("freehold.engine.command._generate", told)
    before = gc.get_freeze_count()
    assert main(["generate", *SMALL, "one"]) == 0
    assert frozen[0] > before + 1000
    assert gc.get_freeze_count() == 0


def test_what_is_wrong_is_said_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "./nowhere", "a"]) == 1
    assert capsys.readouterr().err == "freehold: there is no folder ./nowhere\n"
