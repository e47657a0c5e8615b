"""What the server makes of an engine's answers, field by field: the engine says what it is told to, over no network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("prometheus_client")

from freehold.engine import Delta, EngineError, Overloaded, RequestError, Sampling, protocol
from freehold.engine.engine import Figures
from freehold.engine.protocol import ChatRequest, CompletionRequest
from freehold.engine.server import LARGEST, application


def of_letters(ids: Sequence[int]) -> str:
    return "".join(map(chr, ids))


class Grammars:
    """Says what it was asked for."""

    def of_json(self, schema: Any) -> Any:
        return "json", schema

    def of_calls(self, tools: Any, several: bool) -> Any:
        return "calls", sorted(tools), several


class Said:
    """An engine whose answers are written down beforehand: for each choice deltas, the last with a reason."""

    def __init__(self, *answers: Sequence[Delta | BaseException]):
        self.answers = list(answers)
        self.asked: list[tuple[list[int], Sampling, Any]] = []
        self.templates: list[Any] = []
        self.drained: list[float] = []
        self.name = "said"
        self.config = SimpleNamespace(positions=100)
        self.pages = SimpleNamespace(count=6, size=16, free=5, hits=7)
        self.scheduler = SimpleNamespace(running=[1, 2], waiting=[3], preempted=4)
        self.figures = Figures(11, 12, 13, 14, {"stop": 2, "length": 1})
        self.tokenizer = SimpleNamespace(name=chr, decode=of_letters)
        self.grammars = Grammars()
        self.healthy = True

    def prompt(self, prompt: Any, **options: Any) -> list[int]:
        if isinstance(prompt, str):
            return list(map(ord, prompt))
        self.templates.append((prompt, options))
        return [1] * 10

    def check(self, prompt: Sequence[int], sampling: Sampling) -> None:
        if not prompt:
            raise RequestError("nothing", "prompt")

    async def stream(self, prompt: list[int], sampling: Sampling, constraint: Any) -> AsyncGenerator[Delta]:
        self.asked.append((prompt, sampling, constraint))
        for delta in self.answers.pop(0):
            if isinstance(delta, BaseException):
                raise delta
            yield delta

    def drain(self, seconds: float) -> bool:
        self.drained.append(seconds)
        return True


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def events(self) -> list[Any]:
        """The chunks of a stream; it has ended as it should."""
        *events, end, nothing = self.text.split("\n\n")
        assert (end, nothing) == ("data: [DONE]", "")
        return [json.loads(e.removeprefix("data: ")) for e in events]


def ask(app: Any, path: str, body: Any = None, headers: dict[str, str] | None = None, method: str = "") -> Answer:
    """The answer of an application to one request."""
    data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {"content-type": "application/json", "content-length": str(len(data)), **(headers or {})}
    method = method or ("GET" if body is None else "POST")
    sent: list[Any] = []
    received = iter([{"type": "http.request", "body": data, "more_body": False}])

    async def receive() -> Any:
        return next(received, None) or await asyncio.Future()

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(k.encode(), v.encode()) for k, v in given.items() if v],
    }
    asyncio.run(app(scope, receive, send))
    told = {k.decode(): v.decode() for k, v in sent[0]["headers"]}
    return Answer(sent[0]["status"], told, b"".join(m.get("body", b"") for m in sent[1:]).decode())


def served(*answers: Sequence[Delta | BaseException], **options: Any) -> tuple[Any, Any]:
    said: Any = Said(*answers)
    return said, application(said, **options)


def letters(text: str, **more: Any) -> Delta:
    return Delta(text, tuple(map(ord, text)), **more)


PROBABLE = ((-0.5, ((97, -0.5), (98, -99999.0))),)
HELLO = [{"role": "user", "content": "hello"}]


def test_a_completion() -> None:
    told = [Delta("a", (97,), PROBABLE), Delta("bc", (98,), ((-99999.0, ()),), "stop", 3)]
    other = [letters("x", reason="length", reused=1)]
    said, app = served(told, other, name="tiny")
    found = ask(app, "/v1/completions", {"model": "tiny", "prompt": "hi", "n": 2, "seed": 5, "logprobs": 2}).json
    assert found["id"].startswith("cmpl-")
    assert len(found["id"]) == len("cmpl-") + 24
    assert (found["object"], found["model"]) == ("text_completion", "tiny")
    assert found["created"] > 1_700_000_000
    one, two = found["choices"]
    assert one == {
        "index": 0,
        "text": "abc",
        "finish_reason": "stop",
        "logprobs": {
            "tokens": ["a", "b"],
            "token_logprobs": [-0.5, -9999.0],
            "top_logprobs": [{"a": -0.5, "b": -9999.0}, {}],
            "text_offset": [0, 1],
        },
    }
    assert two == {"index": 1, "text": "x", "finish_reason": "length", "logprobs": None}
    assert found["usage"] == {  # a prompt counts once, and so does what is found of it
        "prompt_tokens": 2,
        "completion_tokens": 3,
        "total_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 3},
    }
    assert [(prompt, s.seed, s.max_tokens, s.logprobs) for prompt, s, _ in said.asked] == [
        ([104, 105], 5, protocol.ANSWER, 2),
        ([104, 105], 6, protocol.ANSWER, 2),
    ]


def test_a_completion_as_a_stream() -> None:
    told = [Delta("a", (97,), PROBABLE), Delta("", (98,)), letters("c", reason="stop")]
    asked = {"model": "said", "prompt": [[72], [73]], "max_tokens": 9, "echo": True, "stream": True, "logprobs": 2}
    said, app = served(told, [letters("x", reason="length")])
    found = ask(app, "/v1/completions", {**asked, "stream_options": {"include_usage": True}})
    assert found.headers["content-type"].startswith("text/event-stream")
    assert found.headers["cache-control"] == "no-cache"
    *chunks, last = found.events
    assert {(c["object"], c["model"], c["id"]) for c in chunks} == {("text_completion", "said", last["id"])}
    each = {0: list[Any](), 1: list[Any]()}
    for chunk in chunks:
        (choice,) = chunk["choices"]
        each[choice["index"]].append((choice["text"], choice["finish_reason"], bool(choice["logprobs"])))
    assert each == {  # the prompt is told once
        0: [("Ha", None, True), ("", None, False), ("c", "stop", False)],
        1: [("Ix", "length", False)],
    }
    assert last["choices"] == []
    assert last["usage"]["completion_tokens"] == 4
    assert last["usage"]["prompt_tokens"] == 2
    assert [s.max_tokens for _, s, _ in said.asked] == [9, 9]


def test_letters_are_counted_from_the_beginning_of_the_text() -> None:
    told = [Delta("ab", (97, 98), PROBABLE * 2), Delta("c", (99,), PROBABLE, "stop")]
    for echo, at in ((False, 0), (True, 2)):
        asked = {"model": "said", "prompt": "hi", "logprobs": 2, "echo": echo}
        whole = ask(served(told)[1], "/v1/completions", asked).json["choices"][0]
        assert whole["logprobs"]["text_offset"] == [at, at + 1, at + 2]
        chunks = ask(served(told)[1], "/v1/completions", {**asked, "stream": True}).events
        offsets = [c["choices"][0]["logprobs"]["text_offset"] for c in chunks]
        assert offsets == [[at, at + 1], [at + 2]]


def test_a_chat() -> None:
    told = [Delta("a", (97,), PROBABLE), letters("b", reason="length", reused=2)]
    said, app = served(told)
    asked = {"model": "said", "messages": HELLO, "logprobs": True, "top_logprobs": 1, "temperature": 0.5}
    found = ask(app, "/v1/chat/completions", {**asked, "chat_template_kwargs": {"x": 1}}).json
    assert found["id"].startswith("chatcmpl-")
    assert found["object"] == "chat.completion"
    entry = {"token": "a", "logprob": -0.5, "bytes": [97]}
    rare = {"token": "b", "logprob": -9999.0, "bytes": [98]}
    assert found["choices"] == [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "ab"},
            "logprobs": {"content": [{**entry, "top_logprobs": [entry, rare]}], "refusal": None},
            "finish_reason": "length",
        }
    ]
    assert found["usage"]["prompt_tokens"] == 10
    ((_, sampling, constraint),) = said.asked
    assert (sampling.max_tokens, sampling.temperature, sampling.logprobs, constraint) == (86, 0.5, 1, None)
    assert said.templates == [(HELLO, {"x": 1})]


@pytest.mark.parametrize(
    ("positions", "given", "limit"),
    [
        (100, {}, 86),  # of 6 pages of 16 tokens
        (50, {}, 40),
        (11, {}, 1),
        (10, {}, 1),
        (9, {}, 1),
        (100, {"max_completion_tokens": 4}, 4),
        (100, {"max_tokens": 5, "max_completion_tokens": 4}, 5),
    ],
)
def test_a_chat_goes_on_to_the_end_of_its_room(positions: int, given: dict[str, int], limit: int) -> None:
    said, app = served([letters("a", reason="stop")])
    said.config.positions = positions
    assert ask(app, "/v1/chat/completions", {"model": "said", "messages": HELLO, **given}).status == 200
    assert said.asked[0][1].max_tokens == limit


@pytest.mark.parametrize(
    ("given", "logprobs"),
    [({}, None), ({"logprobs": True}, 0), ({"logprobs": True, "top_logprobs": 3}, 3), ({"top_logprobs": 3}, None)],
)
def test_how_many_of_the_likeliest_are_told_of(given: dict[str, Any], logprobs: int | None) -> None:
    said, app = served([letters("a", reason="stop")])
    ask(app, "/v1/chat/completions", {"model": "said", "messages": HELLO, **given})
    assert said.asked[0][1].logprobs == logprobs


CALL = '<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>'
TOOLS = [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}]


def test_a_chat_as_a_stream() -> None:
    _, app = served(
        [letters("a"), Delta("", (98,)), Delta("", (), PROBABLE[:0], "stop")], [letters("x", reason="stop")]
    )
    found = ask(app, "/v1/chat/completions", {"model": "said", "messages": HELLO, "n": 2, "stream": True}).events
    first = found[0]
    assert first["object"] == "chat.completion.chunk"
    opening = {"delta": {"role": "assistant", "content": ""}, "finish_reason": None}
    assert first["choices"] == [{"index": 0, **opening}, {"index": 1, **opening}]
    said = [c["choices"][0] for c in found[1:]]
    assert [c for c in said if c["index"] == 0] == [
        {"index": 0, "delta": {"content": "a"}, "logprobs": None, "finish_reason": None},
        {"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"},
    ]
    assert all("usage" not in c for c in found)


@pytest.mark.parametrize(("end", "reason"), [("stop", "tool_calls"), ("length", "length")])
def test_calls_in_a_chat(end: str, reason: str) -> None:
    told = [letters("so "), letters(CALL[:20]), letters(CALL[20:]), letters("<tool", reason=end)]
    asked = {"model": "said", "messages": HELLO, "tools": TOOLS}
    (choice,) = ask(served(told)[1], "/v1/chat/completions", asked).json["choices"]
    (call,) = choice["message"]["tool_calls"]
    assert call.pop("id").startswith("call_")
    assert call == {"type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
    assert (choice["message"]["content"], choice["finish_reason"]) == ("so <tool", reason)
    *chunks, last = ask(served(told)[1], "/v1/chat/completions", {**asked, "stream": True}).events
    deltas = [c["choices"][0]["delta"] for c in chunks]
    assert [d.get("content") for d in deltas] == ["", "so ", None]
    assert [[c["index"] for c in d.get("tool_calls", ())] for d in deltas] == [[], [], [0]]
    assert last["choices"][0] == {
        "index": 0,
        "delta": {"content": "<tool"},
        "logprobs": None,
        "finish_reason": reason,
    }


def test_an_answer_of_calls_alone_has_no_text() -> None:
    for told, content in (([letters(CALL, reason="stop")], None), ([Delta("", (), (), "stop")], "")):
        asked = {"model": "said", "messages": HELLO, "tools": TOOLS}
        (choice,) = ask(served(told)[1], "/v1/chat/completions", asked).json["choices"]
        assert choice["message"]["content"] is content or choice["message"]["content"] == content
        assert ("tool_calls" in choice["message"]) == (content is None)
        assert choice["finish_reason"] == ("tool_calls" if content is None else "stop")


def test_tags_stay_text_where_there_are_no_tools() -> None:
    (choice,) = ask(
        served([letters(CALL, reason="stop")])[1], "/v1/chat/completions", {"model": "said", "messages": HELLO}
    ).json["choices"]
    assert (choice["message"]["content"], choice["finish_reason"]) == (CALL, "stop")


@pytest.mark.parametrize(
    ("given", "constraint"),
    [
        ({}, None),
        ({"response_format": {"type": "text"}}, None),
        ({"response_format": {"type": "json_object"}}, ("json", None)),
        ({"response_format": {"type": "json_schema", "json_schema": {"schema": {"a": 1}}}}, ("json", {"a": 1})),
        ({"tools": TOOLS}, None),
        ({"tools": TOOLS, "tool_choice": "auto"}, None),
        ({"tools": TOOLS, "tool_choice": "required"}, ("calls", ["add"], True)),
        ({"tools": TOOLS, "tool_choice": "required", "parallel_tool_calls": True}, ("calls", ["add"], True)),
        ({"tools": TOOLS, "tool_choice": "required", "parallel_tool_calls": False}, ("calls", ["add"], False)),
        ({"tools": TOOLS, "tool_choice": "required", "response_format": {"type": "text"}}, ("calls", ["add"], True)),
    ],
)
def test_what_an_answer_is_held_to(given: dict[str, Any], constraint: Any) -> None:
    said, app = served([letters("a", reason="stop")])
    assert ask(app, "/v1/chat/completions", {"model": "said", "messages": HELLO, **given}).status == 200
    assert said.asked[0][2] == constraint
    assert said.templates[0][1] == ({"tools": TOOLS} if "tools" in given else {})


def failed(found: Answer) -> tuple[int, str, str, Any, Any]:
    error = found.json["error"]
    assert set(found.json) == {"error"}
    return found.status, error["type"], error["message"], error["param"], error["code"]


def test_errors_are_told_in_one_form() -> None:
    bad, busy = "invalid_request_error", "server_error"
    asked = {"model": "said", "prompt": "a"}
    path = "/v1/completions"

    def told(error: BaseException | None = None, **changes: Any) -> tuple[Any, ...]:
        return failed(ask(served([error or letters("a")])[1], path, {**asked, **changes}))

    assert told(model="x") == (404, bad, "there is no model 'x', only 'said'", None, "not_found")
    assert told(prompt="") == (400, bad, "nothing", "prompt", None)
    assert told(top_p=0) == (400, bad, "top_p is from 1e-09 to 1, not 0", "top_p", None)
    assert told(logit_bias={"x": 1})[2:4] == ("logit_bias has numbers of tokens as keys", "logit_bias")
    assert told(n=129)[:2] == (400, bad)
    assert told(n=129)[3] == "n"
    assert told(beam=1)[2:4] == ("beam: Extra inputs are not permitted", "beam")
    said = "the request: Input should be a valid dictionary or object to extract fields from"
    assert failed(ask(served()[1], path, []))[1:4] == (bad, said, None)
    assert told(Overloaded("full")) == (429, bad, "full", None, "rate_limit_exceeded")
    assert told(RequestError("wrong", "here")) == (400, bad, "wrong", "here", None)
    assert told(EngineError("gone")) == (503, busy, "gone", None, None)
    assert told(KeyError("secret")) == (500, busy, "failed", None, None)
    assert failed(ask(served()[1], "/v1/models/x"))[0] == 404
    assert failed(ask(served()[1], "/nowhere")) == (404, bad, "Not Found", None, "not_found")
    assert failed(ask(served()[1], path)) == (405, bad, "Method Not Allowed", None, None)


def test_errors_in_front_of_the_answer() -> None:
    for error, status, code in (
        (Overloaded("full"), 429, "rate_limit_exceeded"),
        (EngineError("gone"), 503, None),
        (RequestError("wrong", "here"), 400, None),
    ):
        said, app = served()

        def refuse(*_: Any, error: Exception = error) -> None:
            raise error

        said.check = refuse
        found = failed(ask(app, "/v1/completions", {"model": "said", "prompt": "a", "stream": True}))
        assert (found[0], found[2], found[4]) == (status, str(error), code)


def test_an_error_in_a_stream_is_its_last_event() -> None:
    _, app = served([letters("a"), EngineError("gone")])
    *first, last = ask(app, "/v1/completions", {"model": "said", "prompt": "a", "stream": True}).events
    assert [c["choices"][0]["text"] for c in first] == ["a"]
    assert last == {"error": {"message": "gone", "type": "server_error", "param": None, "code": None}}


@pytest.mark.parametrize(
    ("path", "given", "status"),
    [
        ("/v1/models", {"authorization": "Bearer key"}, 200),
        ("/v1/models", {"authorization": "Bearer keys"}, 401),
        ("/v1/models", {"authorization": "key"}, 401),
        ("/v1/models", {}, 401),
        ("/health", {}, 200),
        ("/metrics", {}, 200),
    ],
)
def test_a_token_is_asked_for_under_v1(path: str, given: dict[str, str], status: int) -> None:
    found = ask(served(token="key")[1], path, headers=given)
    assert found.status == status
    if status == 401:
        assert failed(found)[1:] == (
            "invalid_request_error",
            "the bearer token is missing or wrong",
            None,
            "invalid_api_key",
        )
    assert ask(served()[1], path, headers=given).status == 200  # nobody asks without one


@pytest.mark.parametrize(
    ("length", "status"), [(str(LARGEST), 400), (str(LARGEST + 1), 413), ("", 413), ("-1", 413), ("x", 413), ("0", 400)]
)
def test_a_request_says_its_length(length: str, status: int) -> None:
    found = ask(served()[1], "/v1/completions", b"{", {"content-length": length})
    assert failed(found)[0] == status
    assert LARGEST == 8 << 20
    if status == 413:
        assert failed(found)[2] == "a request says its length, of up to 8388608 bytes"
    assert ask(served()[1], "/health", None, {"content-length": length}).status == 200  # where nothing is sent


def test_models_health_and_the_end() -> None:
    said, app = served(drain=2.5)
    model = {"id": "said", "object": "model", "created": 0, "owned_by": "freehold", "max_model_len": 100}
    assert ask(app, "/v1/models").json == {"object": "list", "data": [model]}
    assert ask(app, "/v1/models/said").json == model
    named = application(said, name="org/tiny")
    assert ask(named, "/v1/models/org/tiny").json["id"] == "org/tiny"
    assert (ask(app, "/health").status, ask(app, "/health").text) == (200, "ok")
    said.healthy = False
    assert (ask(app, "/health").status, ask(app, "/health").text) == (503, "stopped")
    assert [ask(app, path).status for path in ("/docs", "/redoc")] == [404, 404]

    async def life() -> None:
        messages = iter([{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}])

        async def receive() -> Any:
            assert not said.drained
            return next(messages)

        async def send(_: Any) -> None:
            pass

        await app({"type": "lifespan", "asgi": {"version": "3.0"}}, receive, send)

    asyncio.run(life())
    assert said.drained == [2.5]


def test_figures() -> None:
    _, app = served([letters("a"), letters("b"), letters("c", reason="stop")])
    ask(app, "/v1/completions", {"model": "said", "prompt": "a"})
    found = ask(app, "/metrics")
    assert found.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = dict(line.rsplit(" ", 1) for line in found.text.splitlines() if line and not line.startswith("#"))
    assert {name: float(value) for name, value in lines.items() if "seconds" not in name} == {
        "freehold_steps_total": 11,
        "freehold_prompt_tokens_total": 12,
        "freehold_generated_tokens_total": 13,
        "freehold_cached_tokens_total": 7,
        "freehold_preemptions_total": 4,
        "freehold_requests_total": 14,
        'freehold_finished_total{reason="stop"}': 2,
        'freehold_finished_total{reason="length"}': 1,
        "freehold_running": 2,
        "freehold_waiting": 1,
        "freehold_pages_free": 5,
        "freehold_pages": 6,
    }
    counts = {name: float(value) for name, value in lines.items() if name.endswith("_count")}
    assert counts == {
        "freehold_time_to_first_token_seconds_count": 1,
        "freehold_time_between_tokens_seconds_count": 2,
        "freehold_request_seconds_count": 1,
    }
    sums = [float(lines[f"freehold_{name}_seconds_sum"]) for name in ("time_to_first_token", "request")]
    assert 0 <= sums[0] <= sums[1] < 60
    assert 0 <= float(lines["freehold_time_between_tokens_seconds_sum"]) < 60
    bounds = [line.split('le="')[1].split('"')[0] for line in lines if "request_seconds_bucket" in line]
    assert list(map(float, bounds)) == [
        *(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
        float("inf"),
    ]


# --- What requests may say --------------------------------------------------------------------------------------------


def test_options_are_those_of_the_request() -> None:
    asked = CompletionRequest(
        model="m", prompt="p", temperature=0.25, top_p=0.5, top_k=3, min_p=0.125, presence_penalty=-1, seed=8,
        frequency_penalty=1.5, logit_bias={"7": 2}, stop=["a", "b"], stop_token_ids=[4], ignore_eos=True,
    )  # fmt: skip
    assert asked.sampling(9, 2) == Sampling(9, 0.25, 3, 0.5, 0.125, -1, 1.5, {7: 2.0}, 8, ("a", "b"), (4,), True, 2)
    plain = CompletionRequest(model="m", prompt="p", stop="ab", temperature=0)
    assert plain.sampling(3, None) == Sampling(3, temperature=0, stop=("ab",))
    assert CompletionRequest(model="m", prompt="p").sampling(1, 0).stop == ()
    assert not plain.wants_usage
    assert not CompletionRequest(model="m", prompt="p", stream_options={}).wants_usage
    assert not CompletionRequest(model="m", prompt="p", stream_options={"include_usage": False}).wants_usage


@pytest.mark.parametrize(
    ("given", "prompts"),
    [
        ({"prompt": "a"}, ["a"]),
        ({"prompt": ["a", "b"]}, ["a", "b"]),
        ({"prompt": [1, 2]}, [[1, 2]]),
        ({"prompt": [[1], [2]]}, [[1], [2]]),
        ({"prompt": "a", "n": 2, "best_of": 2}, ["a"]),
        ({"prompt": "a", "best_of": 2}, "best_of"),
        ({"prompt": "a", "suffix": "b"}, "suffix"),
        ({"prompt": []}, "prompt"),
    ],
)
def test_prompts(given: dict[str, Any], prompts: Any) -> None:
    asked = CompletionRequest(model="m", **given)
    if isinstance(prompts, list):
        assert asked.prompts() == prompts
        return
    with pytest.raises(RequestError) as caught:
        asked.prompts()
    assert caught.value.parameter == prompts


@pytest.mark.parametrize(
    ("message", "taken"),
    [
        ({"role": "developer", "content": "a"}, {"role": "system", "content": "a"}),
        ({"role": "system", "content": None}, {"role": "system", "content": ""}),
        ({"role": "assistant", "tool_calls": [1]}, {"role": "assistant", "content": "", "tool_calls": [1]}),
        (
            {"role": "tool", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            {"role": "tool", "content": "ab"},
        ),
        ({"role": "user", "content": 3}, None),
        ({"role": "user", "content": ["a"]}, None),
        ({"role": "user", "content": [{"type": "image", "text": "a"}]}, None),
        ({"role": "user", "content": [{"type": "text"}]}, None),
        ({"content": "a"}, None),
    ],
)
def test_messages(message: dict[str, Any], taken: dict[str, Any] | None) -> None:
    asked = ChatRequest(model="m", messages=[message])
    if taken is not None:
        assert asked.for_template() == ([taken], {})
        return
    with pytest.raises(RequestError) as caught:
        asked.for_template()
    assert caught.value.parameter == "messages"


NAMELESS = {"type": "function", "function": {"name": "ask"}}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"tools": TOOLS}, None),
        ({"tools": TOOLS, "tool_choice": "none"}, None),
        ({"tools": TOOLS, "tool_choice": "required"}, {"add": {"type": "object"}}),
        ({"tools": [NAMELESS], "tool_choice": "required"}, {"ask": {"type": "object", "additionalProperties": False}}),
        ({"tools": [*TOOLS, NAMELESS], "tool_choice": TOOLS[0]}, {"add": {"type": "object"}}),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"tools": TOOLS, "tool_choice": {}}, "tool_choice"),
        ({"tools": TOOLS, "tool_choice": "add"}, {"add": {"type": "object"}}),
        ({"tools": [{"type": "other", "function": {"name": "a"}}], "tool_choice": "required"}, "tools"),
        ({"tools": [{"type": "function", "function": {"name": 1}}], "tool_choice": "required"}, "tools"),
        ({"tools": [{"type": "function", "function": 1}], "tool_choice": "required"}, "tools"),
    ],
)
def test_tools_that_have_to_be_called(given: dict[str, Any], found: Any) -> None:
    asked = ChatRequest(model="m", messages=HELLO, **given)
    offered = {"tools": given["tools"]} if "tools" in given and given.get("tool_choice") != "none" else {}
    assert asked.for_template()[1] == offered
    if not isinstance(found, str):
        assert asked.forced() == found
        return
    with pytest.raises(RequestError) as caught:
        asked.forced()
    assert caught.value.parameter == found


def test_schemas() -> None:
    form = protocol.ResponseFormat
    assert form(type="text").schema_of() is None
    assert form(type="json_object", json_schema={"schema": {}}).schema_of() is None
    assert form(type="json_schema", json_schema={"schema": {"a": 1}}).schema_of() == {"a": 1}
    for wrong in (None, {}, {"schema": 3}):
        with pytest.raises(RequestError):
            form(type="json_schema", json_schema=wrong).schema_of()


def test_whose_fault_an_error_is() -> None:
    kinds = {status: protocol.failure(status, "t")["error"]["type"] for status in (400, 499, 500, 503)}
    assert kinds == {
        400: "invalid_request_error",
        499: "invalid_request_error",
        500: "server_error",
        503: "server_error",
    }
