"""The server as OpenAI's own client sees it: every option, errors in its form, streams that are left, and its end."""

# The client's answers are of many types, told apart by what was asked.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAttributeAccessIssue=false, reportUnknownLambdaType=false

from __future__ import annotations

import json
import runpy
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

import freehold as fh
from freehold.engine import Engine

openai: Any = pytest.importorskip("openai")
uvicorn: Any = pytest.importorskip("uvicorn")
pytest.importorskip("fastapi")
pytest.importorskip("prometheus_client")

HELLO = [{"role": "user", "content": "hello"}]


class Told(NamedTuple):
    """What a server says of a request that OpenAI's client would not make."""

    status: int
    kind: str
    text: str


def asked_of(address: str, body: bytes | None = None, **headers: str) -> Told:
    """GET, or POST where there is a body."""
    try:
        with urlopen(Request(address, body, {"content-type": "application/json", **headers})) as found:
            return Told(found.status, found.headers["content-type"], found.read().decode())
    except HTTPError as error:
        with error:
            return Told(error.code, error.headers["content-type"], error.read().decode())


@contextmanager
def serving(engine: Engine, **options: Any) -> Generator[str]:
    """A server of an engine, in a thread of its own; its address."""
    from freehold.engine.server import application

    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(application(engine, **options), log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{sock.getsockname()[1]}"
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def engine(tiny: Path) -> Iterator[Engine]:
    """One of its own: where a server ends, its engine takes no more requests."""
    with Engine(tiny, device=fh.HOST, tokens=48, sequences=4, pages=24) as made:
        yield made


@pytest.fixture(scope="module")
def address(engine: Engine) -> Iterator[str]:
    with serving(engine, token="secret", name="tiny") as found:
        yield found


@pytest.fixture(scope="module")
def client(address: str) -> Iterator[Any]:
    with openai.OpenAI(base_url=f"{address}/v1", api_key="secret", max_retries=0, timeout=None) as made:
        yield made


def settled(engine: Engine) -> bool:
    """Whether the engine comes to have nothing to do, with all its pages free."""
    for _ in range(5000):
        if not engine.scheduler.running and not engine.scheduler.waiting:
            return engine.pages.free == engine.pages.count
        time.sleep(0.02)
    return False


def test_models_and_health(client: Any, address: str) -> None:
    assert [m.id for m in client.models.list()] == ["tiny"]
    assert client.models.retrieve("tiny").owned_by == "freehold"
    assert asked_of(f"{address}/health") == (200, "text/plain; charset=utf-8", "ok")


def test_a_completion_whole_and_streamed(client: Any) -> None:
    asked: dict[str, Any] = {"model": "tiny", "prompt": "hello", "max_tokens": 5, "seed": 4, "n": 2}
    whole = client.completions.create(**asked, logprobs=2)
    assert [c.finish_reason for c in whole.choices] == ["length"] * 2
    assert whole.usage.completion_tokens == 10
    assert whole.usage.prompt_tokens == len("hello")
    assert all(len(c.logprobs.tokens) == 5 for c in whole.choices)
    texts = ["", ""]
    chunks = list(client.completions.create(**asked, stream=True, stream_options={"include_usage": True}))
    for chunk in chunks[:-1]:
        for choice in chunk.choices:
            texts[choice.index] += choice.text
    assert texts == [c.text for c in whole.choices]
    assert chunks[-1].usage.completion_tokens == 10


def test_several_prompts_and_echo(client: Any) -> None:
    found = client.completions.create(model="tiny", prompt=["ab", "c"], max_tokens=2, temperature=0, echo=True)
    assert len(found.choices) == 2
    assert found.choices[0].text.startswith("ab")


def test_a_chat_whole_and_streamed(client: Any) -> None:
    asked: dict[str, Any] = {"model": "tiny", "messages": HELLO, "max_completion_tokens": 4, "seed": 5}
    whole = client.chat.completions.create(**asked, logprobs=True, top_logprobs=2)
    (choice,) = whole.choices
    assert (choice.message.role, choice.finish_reason) == ("assistant", "length")
    assert [len(entry.top_logprobs) for entry in choice.logprobs.content] == [2] * 4
    chunks = list(client.chat.completions.create(**asked, stream=True))
    assert chunks[0].choices[0].delta.role == "assistant"
    assert "".join(c.choices[0].delta.content or "" for c in chunks) == choice.message.content
    assert chunks[-1].choices[0].finish_reason == "length"


def test_content_in_parts_and_options(client: Any) -> None:
    messages = [
        {"role": "developer", "content": "short"},
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
    ]
    found = client.chat.completions.create(
        model="tiny",
        messages=messages,
        max_tokens=3,
        temperature=0.5,
        top_p=0.9,
        presence_penalty=0.5,
        frequency_penalty=0.5,
        stop=["zzz", "yyy"],
        user="somebody",
        extra_body={"top_k": 5, "min_p": 0.1, "chat_template_kwargs": {"enable_thinking": False}},
    )
    assert found.choices[0].finish_reason in ("length", "stop")


def test_prompts_of_tokens(client: Any) -> None:
    for prompt, count in (([5, 6], 2), ([[5, 6], [7]], 3)):
        found = client.completions.create(model="tiny", prompt=prompt, max_tokens=1)
        assert found.usage.prompt_tokens == count


def spelled(engine: Engine, text: str) -> dict[str, Any]:
    """A bias and a limit with which the model writes one letter again and again."""
    (letter,) = engine.tokenizer.encode(text)
    return {"logit_bias": {str(letter): 100}, "temperature": 0}


def test_a_stop_text_ends_an_answer(client: Any, engine: Engine) -> None:
    found = client.completions.create(model="tiny", prompt="a", max_tokens=9, stop="xxx", **spelled(engine, "x"))
    assert (found.choices[0].text, found.choices[0].finish_reason) == ("", "stop")


SCHEMA = {
    "type": "object",
    "properties": {"yes": {"type": "boolean"}, "unit": {"enum": ["m", "km"]}},
    "required": ["yes", "unit"],
    "additionalProperties": False,
}


def test_an_answer_of_a_schema(client: Any) -> None:
    pytest.importorskip("xgrammar")
    form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}}
    asked = {"model": "tiny", "messages": HELLO, "max_tokens": 40, "response_format": form}
    (choice,) = client.chat.completions.create(**asked).choices
    assert choice.finish_reason == "stop"
    assert json.loads(choice.message.content).keys() == {"yes", "unit"}
    wrong = {"type": "json_schema", "json_schema": {"name": "answer", "schema": {"type": "nothing"}}}
    with pytest.raises(openai.BadRequestError, match="no JSON schema"):
        client.chat.completions.create(model="tiny", messages=HELLO, response_format=wrong)


def test_calls_of_tools(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model is random: what it would say of a tool is put into its mouth."""
    from freehold.engine import text

    said = ['<tool_call>{"name": "add", ', '"arguments": {"a": 1}}</tool_', "call>"]
    tools = [{"type": "function", "function": {"name": "add", "parameters": {}}}]
    asked: dict[str, Any] = {"model": "tiny", "messages": HELLO, "tools": tools, "max_tokens": 3, "stop": ["x"]}
    asked["seed"] = 4  # by chance it would end before it has said all

    def speak() -> None:
        pieces = iter(said)
        monkeypatch.setattr(text.Growing, "add", lambda _self, _token: next(pieces, ""))
        monkeypatch.setattr(text.Growing, "rest", lambda _self: "")

    speak()
    (choice,) = client.chat.completions.create(**asked).choices
    (call,) = choice.message.tool_calls
    assert (call.function.name, json.loads(call.function.arguments)) == ("add", {"a": 1})
    assert choice.message.content is None
    speak()
    chunks = list(client.chat.completions.create(**asked, stream=True))
    (call,) = [c for chunk in chunks for c in chunk.choices[0].delta.tool_calls or []]
    assert (call.index, call.function.name) == (0, "add")


ONE = {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]}
TOOLS = [{"type": "function", "function": f} for f in ({"name": "ask"}, {"name": "set", "parameters": ONE})]


def chosen(client: Any, choice: Any, **more: Any) -> Any:
    asked = {"model": "tiny", "messages": HELLO, "max_tokens": 90, "tools": TOOLS, "tool_choice": choice, **more}
    return client.chat.completions.create(**asked)


@pytest.mark.parametrize(
    ("choice", "names"), [("required", {"ask", "set"}), ({"type": "function", "function": {"name": "set"}}, {"set"})]
)
def test_calls_that_are_forced(client: Any, choice: Any, names: set[str]) -> None:
    pytest.importorskip("xgrammar")
    (found,) = chosen(client, choice, parallel_tool_calls=False).choices
    assert found.finish_reason == "tool_calls"
    (call,) = found.message.tool_calls
    assert call.function.name in names
    assert call.function.name == "ask" or json.loads(call.function.arguments).keys() == {"a"}
    assert found.message.content is None


def test_tokens_that_were_in_the_cache_are_told(client: Any) -> None:
    asked = {"model": "tiny", "prompt": [7] * 40, "max_tokens": 1, "n": 2}
    for cached in (None, 32):
        usage = client.completions.create(**asked).usage
        assert usage.prompt_tokens == 40
        assert cached is None or usage.prompt_tokens_details.cached_tokens == cached


@pytest.mark.parametrize(
    ("ask", "status", "said"),
    [
        (lambda c: c.completions.create(model="other", prompt="a"), 404, "there is no model 'other'"),
        (lambda c: c.completions.create(model="tiny", prompt="a", temperature=-1), 400, "temperature is from 0"),
        (lambda c: c.completions.create(model="tiny", prompt="a", max_tokens=10**6), 400, "are more than the"),
        (lambda c: c.completions.create(model="tiny", prompt="a", suffix="b"), 400, "no `suffix`"),
        (lambda c: c.completions.create(model="tiny", prompt=""), 400, "a token at least"),
        (lambda c: c.completions.create(model="tiny", prompt="a", n=0), 400, "greater than or equal to 1"),
        (lambda c: c.completions.create(model="tiny", prompt="a", extra_body={"beam": 2}), 400, "beam"),
        (lambda c: c.chat.completions.create(model="tiny", messages=[]), 400, "messages"),
        (lambda c: c.chat.completions.create(model="tiny", messages=[{"role": "x"}]), 400, "not 'x'"),
        (
            lambda c: c.chat.completions.create(model="tiny", messages=HELLO, tool_choice="required"),
            400,
            "there are none",
        ),
        (lambda c: chosen(c, {"type": "function", "function": {"name": "mul"}}), 400, "names 'mul', which is none"),
        (lambda c: chosen(c, "required", response_format={"type": "json_object"}), 400, "has no other format"),
        (
            lambda c: c.chat.completions.create(model="tiny", messages=HELLO, tools=[{}], tool_choice="required"),
            400,
            "with a name",
        ),
    ],
)
def test_what_is_wrong_with_a_request_is_said(client: Any, ask: Callable[[Any], Any], status: int, said: str) -> None:
    with pytest.raises(openai.APIStatusError) as caught:
        ask(client)
    assert caught.value.status_code == status
    body = caught.value.response.json()["error"]
    assert said in body["message"]
    assert set(body) == {"message", "type", "param", "code"}


def test_tokens_of_bearers_and_bodies(address: str) -> None:
    with (
        openai.OpenAI(base_url=f"{address}/v1", api_key="wrong", max_retries=0) as stranger,
        pytest.raises(openai.AuthenticationError),
    ):
        stranger.models.list()
    for body in (b"{", b"[]", b"\xff\xfe", b'{"model": "tiny"}'):
        found = asked_of(f"{address}/v1/completions", body, authorization="Bearer secret")
        assert found.status == 400
        assert "message" in json.loads(found.text)["error"]


def test_a_client_that_leaves_frees_its_pages(client: Any, engine: Engine) -> None:
    before = engine.figures.finished.get("cancelled", 0)
    stream = client.completions.create(
        model="tiny", prompt="a", max_tokens=300, stream=True, extra_body={"ignore_eos": True}
    )
    next(iter(stream))
    stream.close()
    assert settled(engine)
    assert engine.figures.finished["cancelled"] == before + 1


def test_figures_for_prometheus(client: Any, address: str, engine: Engine) -> None:
    client.completions.create(model="tiny", prompt="a", max_tokens=1)
    lines = dict(
        line.rsplit(" ", 1)
        for line in asked_of(f"{address}/metrics").text.splitlines()
        if line and not line.startswith("#")
    )
    assert float(lines["freehold_generated_tokens_total"]) == engine.figures.generated_tokens
    assert float(lines["freehold_pages"]) == engine.pages.count
    assert float(lines["freehold_time_to_first_token_seconds_count"]) > 0


def test_what_was_begun_is_answered_at_the_end(tiny: Any) -> None:
    found: list[Any] = []
    with Engine(tiny, device=fh.HOST, tokens=16, sequences=1, pages=8) as engine:
        with serving(engine, name="tiny") as where:
            asked = json.dumps({"model": "tiny", "prompt": "a", "max_tokens": 6, "ignore_eos": True}).encode()
            ask = threading.Thread(target=lambda: found.append(asked_of(f"{where}/v1/completions", asked)))
            ask.start()
            while not engine.figures.requests:
                time.sleep(0.01)
        ask.join()
    assert json.loads(found[0].text)["usage"]["completion_tokens"] == 6


def test_the_demonstration(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "examples" / "serve.py"), run_name="__main__")
    assert "has tiny, which says" in capsys.readouterr().out
