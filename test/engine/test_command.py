"""The command `freehold`, on a tiny model."""

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import gc
import io
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from freehold.engine import Delta, Engine, EngineError, Sampling, command
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


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--tokens", "0"), "tokens is 1 or more, not 0"), (("--sequences", "-2"), "sequences is 1 or more, not -2"),
        (("--pages", "0"), "pages is 1 or more, not 0"), (("--page", "0"), "page is 1 or more, not 0"),
        (("--page", "3"), "page is a power of two, not 3"), (("--device", "-2"), "device is -1 or more, not -2"),
        (("--memory", "7"), "memory is a share of what is free, above 0 and up to 1, not 7"),
        (("--memory", "0"), "memory is a share of what is free, above 0 and up to 1, not 0"),
        (("--max-tokens", "0"), "max_tokens is from 1 to 1073741824, not 0"),
        (("--temperature", "-0.5"), "temperature is from 0 to 1e+06, not -0.5"),
    ],
)  # fmt: skip
def test_numbers_with_which_nothing_runs(given: tuple[str, str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", *SMALL, "one", *given]) == 1
    assert capsys.readouterr().err.endswith(f"freehold: {said}\n")


@pytest.mark.parametrize("port", ["-1", "65536", "x"])
def test_what_is_no_port(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", *SMALL, "--port", port])
    assert ended.value.code == 2
    assert f"argument --port: a port is from 0 to 65535, not {port}" in capsys.readouterr().err


def test_packages_that_are_missing_are_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacks(name: str) -> Callable[..., None]:
        def run(given: object) -> None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

        return run

    monkeypatch.setattr(command, "_run", lacks("jinja2.sandbox"))
    assert main(["generate", *SMALL, "one"]) == 1
    assert capsys.readouterr().err == "freehold needs jinja2: pip install 'freehold[engine]'\n"
    monkeypatch.setattr(command, "_run", lacks("of_the_users_own"))
    with pytest.raises(ModuleNotFoundError):
        main(["generate", *SMALL, "one"])


def test_a_reader_that_has_gone_is_no_error() -> None:
    line = f"{sys.executable} -m freehold.engine.command generate {' '.join(SMALL)} one --max-tokens 4"
    done = subprocess.run(
        ["bash", "-c", f"{line} | true; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True, check=False
    )
    assert done.stdout == "1\n"
    assert "Traceback" not in done.stderr


class Said:
    """Stands for an engine: notes what it is given, and answers each prompt with two deltas."""

    made: ClassVar[list[tuple[Any, dict[str, Any]]]] = []
    answers: ClassVar[list[Delta | BaseException]] = [Delta("a", (1,)), Delta("b", (2,), (), "stop")]
    last: Said
    closed = False
    name = "said"
    config = SimpleNamespace(vocabulary=50)

    def __init__(self, model: Any, **options: Any):
        Said.made.append((model, options))
        self.asked: list[Any] = []
        self.cancelled = 0
        self.generated: list[Any] = []
        Said.last = self

    def __enter__(self) -> Said:
        return self

    def __exit__(self, *_: object) -> None:
        self.closed = True

    def prompt(self, prompt: Any) -> Any:
        return [dict(m) for m in prompt] if isinstance(prompt, list) else prompt

    def submit(self, prompt: Any, sampling: Sampling, tell: Callable[[Any], None]) -> Any:
        self.asked.append((prompt, sampling))
        for answer in Said.answers:
            tell(answer)
        return SimpleNamespace(cancel=self.cancel)

    def cancel(self) -> None:
        self.cancelled += 1

    def generate(self, prompts: Any, sampling: Sampling) -> None:
        self.generated.append(([len(p) for p in prompts], sampling))


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> type[Said]:
    monkeypatch.setattr(command, "Engine", Said)
    monkeypatch.delenv("LOCAL_RANK", raising=False)
    monkeypatch.delenv("FREEHOLD_TOKEN", raising=False)
    monkeypatch.setattr(Said, "made", [])
    return Said


OPTIONS: dict[str, Any] = {
    "device": None, "tokens": 2048, "sequences": 64, "page": None, "pages": None, "memory": 0.9, "weights": None,
    "graphs": True, "prepare": True, "waiting": 1 << 30,
}  # fmt: skip


def test_what_an_engine_is_given(said: type[Said], tmp_path: Path) -> None:
    every = ["--device", "3", "--tokens", "9", "--sequences", "8", "--page", "32", "--pages", "7", "--memory", "0.5"]
    every += ["--weights", "fp8", "--no-graphs", "--no-prepare"]
    assert main(["generate", "org/model", "a"]) == 0
    assert main(["generate", str(tmp_path), "a", *every]) == 0
    (model, given), (folder, other) = said.made
    assert (model, folder) == ("org/model", tmp_path)
    assert given.pop("ranks").count == 1
    assert callable(given.pop("progress"))
    assert given == OPTIONS
    assert {name: other[name] for name in OPTIONS} == {
        "device": 3, "tokens": 9, "sequences": 8, "page": 32, "pages": 7, "memory": 0.5, "weights": "fp8",
        "graphs": False, "prepare": False, "waiting": 1 << 30,
    }  # fmt: skip
    assert said.last.closed


def test_each_process_has_a_gpu_of_its_own(said: type[Said], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_RANK", "2")
    assert main(["generate", "org/model", "a"]) == 0
    assert main(["generate", "org/model", "a", "--device", "1"]) == 0
    assert [given["device"] for _, given in said.made] == [2, 1]


def test_how_texts_are_asked_for(said: type[Said], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "m/n", "one ", "two ", "--max-tokens", "5", "--temperature", "0.25", "--seed", "4"]) == 0
    sampling = Sampling(max_tokens=5, temperature=0.25, seed=4)
    assert said.last.asked == [("one ", sampling), ("two ", sampling)]
    assert said.last.cancelled == 2
    assert capsys.readouterr().out == "one ab\ntwo ab\n"
    assert main(["generate", "m/n", "x"]) == 0
    assert said.last.asked[0][1] == Sampling(max_tokens=128, temperature=0.7)


def test_a_chat_is_remembered(said: type[Said], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("hello\nand\n"))
    assert main(["chat", "m/n"]) == 0
    first, second = (prompt for prompt, _ in said.last.asked)
    assert first == [{"role": "user", "content": "hello"}]
    assert second == [*first, {"role": "assistant", "content": "ab"}, {"role": "user", "content": "and"}]


def test_what_interrupts_and_what_fails(
    said: type[Said], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(said, "answers", [EngineError("no more")])
    assert main(["generate", "m/n", "x"]) == 1
    assert capsys.readouterr().err == "freehold: no more\n"
    assert said.last.cancelled == 1
    monkeypatch.setattr(said, "answers", [KeyboardInterrupt()])
    assert main(["generate", "m/n", "x"]) == 130
    assert said.last.cancelled == 1
    assert gc.get_freeze_count() == 0
    with pytest.raises(SystemExit) as caught:
        main([])
    assert caught.value.code == 2


def test_a_server_is_told_where_it_is(
    said: type[Said], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("fastapi")
    pytest.importorskip("prometheus_client")
    from freehold.engine import server

    apps: list[Any] = []
    runs: list[Any] = []
    monkeypatch.setattr(server, "application", lambda engine, **given: apps.append(given) or "app")
    monkeypatch.setitem(sys.modules, "uvicorn", SimpleNamespace(run=lambda app, **given: runs.append((app, given))))
    assert main(["serve", "org/model"]) == 0
    assert said.made[0][1]["waiting"] == 1024
    assert capsys.readouterr().out == "serving said at http://127.0.0.1:8000/v1\n"
    given = ["--host", "0.0.0.0", "--port", "9", "--name", "it", "--token", "key", "--drain", "2.5", "--waiting", "3"]
    assert main(["serve", "org/model", *given]) == 0
    assert said.made[1][1]["waiting"] == 3
    assert capsys.readouterr().out == "serving it at http://0.0.0.0:9/v1\n"
    assert apps == [{"token": None, "name": None, "drain": 30.0}, {"token": "key", "name": "it", "drain": 2.5}]
    ends = {"log_level": "warning", "timeout_graceful_shutdown": 30}
    assert runs[0] == ("app", {"host": "127.0.0.1", "port": 8000, **ends})
    assert runs[1] == ("app", {"host": "0.0.0.0", "port": 9, **ends, "timeout_graceful_shutdown": 2})


def test_figures_are_of_what_came_when(
    said: type[Said], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = count(0)
    monkeypatch.setattr(command.time, "perf_counter", lambda: next(now) / 100)
    assert main(["bench", "m/n", "--requests", "2", "--input", "5", "--output", "3"]) == 0
    ((lengths, warm),) = said.last.generated
    assert (lengths, warm) == ([5], Sampling(max_tokens=4, ignore_eos=True))
    assert [prompt for prompt, _ in said.last.asked] == [[32, 31, 25, 19, 30], [22, 37, 13, 32, 8]]  # always
    assert all(0 <= token < 50 for prompt, _ in said.last.asked for token in prompt)
    assert {s for _, s in said.last.asked if s.seed} == set()
    assert said.last.asked[0][1] == Sampling(max_tokens=3, temperature=0.0, ignore_eos=True)
    assert capsys.readouterr().out.splitlines() == [
        "2 requests of 5 + 3 tokens",
        "4 tokens in 0.070 s, 57.1 tokens a second",
        "first token: median 10.0 ms, p90 10.0, p99 10.0",
        "each next: median 10.0 ms, p90 10.0, p99 10.0",
        "142.9 tokens of prompts a second",
    ]
    monkeypatch.setattr(said, "answers", [RuntimeError("gone")])
    assert main(["bench", "m/n", "--requests", "1"]) == 0
    assert "0 tokens in" in capsys.readouterr().out


def test_a_process_that_does_not_lead_follows(said: type[Said], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is given what the first one is given, makes no engine, and leaves when that ends."""
    seen: list[Any] = []
    ranks = SimpleNamespace(leads=False, leave=lambda: seen.append("left"))
    monkeypatch.setattr(command.Ranks, "joined", lambda device: seen.append(device) or ranks)
    monkeypatch.setattr(command, "follow", lambda model, of, **given: seen.append((model, of, given)))
    assert main(["generate", "m/n", "a", "--device", "3", "--tokens", "9"]) == 0
    options = {name: given for name, given in OPTIONS.items() if name != "waiting"}
    assert seen == [3, ("m/n", ranks, {**options, "device": 3, "tokens": 9}), "left"]
    assert not said.made
