"""The engine behind OpenAI's interface over HTTP: completions and chats, streamed or whole, with health and metrics."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.exceptions import HTTPException

from freehold.engine import protocol
from freehold.engine.engine import Delta, Engine
from freehold.engine.errors import EngineError, Overloaded, RequestError
from freehold.engine.grammar import Constraint
from freehold.engine.metrics import Metrics
from freehold.engine.protocol import ChatRequest, CompletionRequest, Options
from freehold.engine.sampling import Sampling
from freehold.engine.tools import ToolCalls

LARGEST: Final = 8 << 20
"""Bytes of a request, at most."""


def application(engine: Engine, *, token: str | None = None, name: str | None = None, drain: float = 30.0) -> FastAPI:
    """
    The server of an engine. With `token`, requests under /v1 have it as their bearer token. `name` is what the model is
    called. When it is shut down, it answers what it has for up to `drain` seconds; the engine is left open.
    """
    served = name or engine.name
    metrics = Metrics(engine)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncGenerator[None]:
        yield
        await asyncio.to_thread(engine.drain, drain)

    app = FastAPI(title="Freehold", lifespan=life, docs_url=None, redoc_url=None)
    _refuse_politely(app)

    @app.middleware("http")
    async def guard(request: Request, call: Callable[[Request], Any]) -> Response:  # pyright: ignore[reportUnusedFunction]
        if request.url.path.startswith("/v1") and token is not None:
            given = request.headers.get("authorization", "")
            if not secrets.compare_digest(given.encode(), f"Bearer {token}".encode()):
                return _failed(401, "the bearer token is missing or wrong", None, "invalid_api_key")
        length = request.headers.get("content-length")
        if request.method == "POST" and (length is None or not length.isdigit() or int(length) > LARGEST):
            return _failed(413, f"a request says its length, of up to {LARGEST} bytes", None, None)
        return await call(request)

    @app.get("/health")
    async def health() -> Response:  # pyright: ignore[reportUnusedFunction]
        return PlainTextResponse("ok" if engine.healthy else "stopped", 200 if engine.healthy else 503)

    @app.get("/metrics")
    async def figures() -> Response:  # pyright: ignore[reportUnusedFunction]
        return PlainTextResponse(metrics.text(), media_type="text/plain; version=0.0.4")

    @app.get("/v1/models")
    async def models() -> dict[str, Any]:  # pyright: ignore[reportUnusedFunction]
        return {"object": "list", "data": [_model(served, engine)]}

    @app.get("/v1/models/{wanted:path}")
    async def model(wanted: str) -> dict[str, Any]:  # pyright: ignore[reportUnusedFunction]
        _known(wanted, served)
        return _model(served, engine)

    @app.post("/v1/completions")
    async def completions(given: CompletionRequest) -> Response:  # pyright: ignore[reportUnusedFunction]
        _known(given.model, served)
        limit = protocol.ANSWER if given.max_tokens is None else given.max_tokens
        sampling = given.sampling(limit, given.logprobs)
        prompts = [p if isinstance(p, list) else engine.prompt(p) for p in given.prompts()]
        return await _answer(Texts(engine, metrics, served, given, sampling, prompts))

    @app.post("/v1/chat/completions")
    async def chats(given: ChatRequest) -> Response:  # pyright: ignore[reportUnusedFunction]
        _known(given.model, served)
        messages, options = given.for_template()
        prompt = engine.prompt(messages, **options)
        left = min(engine.config.positions, engine.pages.count * engine.pages.size) - len(prompt)
        asked = given.max_completion_tokens if given.max_tokens is None else given.max_tokens
        count = (given.top_logprobs or 0) if given.logprobs else None
        sampling = given.sampling(max(1, left) if asked is None else asked, count)
        answer = Chats(engine, metrics, served, given, sampling, [prompt])
        if (tools := given.forced()) is not None:
            answer.constrain = lambda: engine.grammars.of_calls(tools, given.parallel_tool_calls is not False)
        elif given.response_format is not None and given.response_format.type != "text":
            schema = given.response_format.schema_of()
            answer.constrain = lambda: engine.grammars.of_json(schema)
        await asyncio.to_thread(answer.constrain)  # compiled, or refused, in front of the answer
        return await _answer(answer)

    return app


class Answer:
    """The choices of one request, told as OpenAI's interface tells them, whole or as a stream of chunks."""

    kind = ""

    def __init__(
        self,
        engine: Engine,
        metrics: Metrics,
        model: str,
        given: Options,
        sampling: Sampling,
        prompts: list[list[int]],
    ):
        self.engine, self.metrics, self.given, self.sampling = engine, metrics, given, sampling
        self.prompts = [p for p in prompts for _ in range(given.n)]
        self.head = {"id": f"{self.kind}-{secrets.token_hex(12)}", "created": int(time.time()), "model": model}
        self.counts = [0] * len(self.prompts)
        self.reused = [0] * len(self.prompts)
        self.constrain: Callable[[], Constraint | None] = lambda: None
        """Makes the constraint of a choice."""

    async def deltas(self) -> AsyncGenerator[tuple[int, Delta]]:
        """What each choice grows by, in the order in which it comes. Ends all where this is left."""
        queue: asyncio.Queue[tuple[int, Delta | Exception]] = asyncio.Queue()

        async def follow(index: int, prompt: list[int]) -> None:
            sampling = self.sampling
            if sampling.seed is not None and index:
                sampling = replace(sampling, seed=sampling.seed + index)
            try:
                with self.metrics.request() as seen:
                    async with aclosing(self.engine.stream(prompt, sampling, self.constrain())) as deltas:
                        async for delta in deltas:
                            seen(delta)
                            queue.put_nowait((index, delta))
            except Exception as error:
                # Raised by who follows: a task that fails would cancel whoever sends what it said.
                queue.put_nowait((index, error))

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(follow(i, p)) for i, p in enumerate(self.prompts)]
            try:
                left = len(tasks)
                while left:
                    index, delta = await queue.get()
                    if isinstance(delta, Exception):
                        raise delta
                    self.counts[index] += len(delta.tokens)
                    self.reused[index] = delta.reused
                    left -= delta.reason is not None
                    yield index, delta
            finally:
                for task in tasks:
                    task.cancel()

    def usage(self) -> dict[str, Any]:
        """How many tokens there were."""
        once = slice(None, None, self.given.n)  # a prompt counts once, however many answers it has
        return protocol.usage(sum(map(len, self.prompts[once])), sum(self.counts), sum(self.reused[once]))

    def chunk(self, choices: list[dict[str, Any]]) -> dict[str, Any]:
        """A chunk of a stream."""
        raise NotImplementedError

    def opening(self) -> list[dict[str, Any]]:
        """The choices of a first chunk; none if there is none."""
        return []

    def choice(self, index: int, delta: Delta) -> list[dict[str, Any]]:
        """What a chunk says of a choice that grew; nothing where there is nothing to say yet."""
        raise NotImplementedError

    async def whole(self) -> dict[str, Any]:
        """The answer in one piece."""
        raise NotImplementedError


class Texts(Answer):
    """An answer to /v1/completions."""

    kind = "cmpl"

    def __init__(self, *given: Any):
        super().__init__(*given)
        self.letters = [0] * len(self.prompts)
        """How many have been told of each choice."""

    def chunk(self, choices: list[dict[str, Any]]) -> dict[str, Any]:
        return {**self.head, "object": "text_completion", "choices": choices}

    def grown(self, index: int, delta: Delta) -> str:
        """The text that a choice grew by."""
        given: Any = self.given
        first = given.echo and self.counts[index] == len(delta.tokens)
        return self.engine.tokenizer.decode(self.prompts[index]) + delta.text if first else delta.text

    def choice(self, index: int, delta: Delta) -> list[dict[str, Any]]:
        text = self.grown(index, delta)
        at = self.letters[index] + len(text) - len(delta.text)
        self.letters[index] += len(text)
        found = protocol.text_logprobs(self.engine.tokenizer.name, delta.tokens, delta.logprobs, at)
        return [{"index": index, "text": text, "logprobs": found, "finish_reason": delta.reason}]

    async def whole(self) -> dict[str, Any]:
        texts, reasons = ["" for _ in self.prompts], ["" for _ in self.prompts]
        lengths = [0] * len(self.prompts)
        tokens: list[list[int]] = [[] for _ in self.prompts]
        found: list[list[Any]] = [[] for _ in self.prompts]
        async for index, delta in self.deltas():
            texts[index] += self.grown(index, delta)
            lengths[index] += len(delta.text)
            reasons[index] = delta.reason or ""
            tokens[index] += delta.tokens
            found[index] += delta.logprobs
        name = self.engine.tokenizer.name
        choices = [
            {
                "index": i,
                "text": text,
                "logprobs": protocol.text_logprobs(name, tokens[i], found[i], len(text) - lengths[i]),
                "finish_reason": reasons[i],
            }
            for i, text in enumerate(texts)
        ]
        return {**self.chunk(choices), "usage": self.usage()}


class Chats(Answer):
    """An answer to /v1/chat/completions."""

    kind = "chatcmpl"

    def __init__(self, *given: Any):
        super().__init__(*given)
        self.tools = [ToolCalls() if getattr(self.given, "tools", None) else None for _ in self.prompts]

    def chunk(self, choices: list[dict[str, Any]]) -> dict[str, Any]:
        return {**self.head, "object": "chat.completion.chunk", "choices": choices}

    def opening(self) -> list[dict[str, Any]]:
        first = {"role": "assistant", "content": ""}
        return [{"index": i, "delta": first, "finish_reason": None} for i in range(len(self.prompts))]

    def grown(self, index: int, delta: Delta) -> tuple[str, list[dict[str, Any]], str | None]:
        """The text and the calls that a choice grew by, and why it ended."""
        tools = self.tools[index]
        if tools is None:
            return delta.text, [], delta.reason
        text, calls = tools.add(delta.text)
        if delta.reason is None:
            return text, calls, None
        return text + tools.rest(), calls, "tool_calls" if tools.calls and delta.reason == "stop" else delta.reason

    def choice(self, index: int, delta: Delta) -> list[dict[str, Any]]:
        text, calls, reason = self.grown(index, delta)
        said: dict[str, Any] = {"content": text} if text else {}
        if calls:
            said["tool_calls"] = calls
        found = protocol.chat_logprobs(self.engine.tokenizer.name, delta.tokens, delta.logprobs)
        if not said and reason is None and found is None:
            return []
        return [{"index": index, "delta": said, "logprobs": found, "finish_reason": reason}]

    async def whole(self) -> dict[str, Any]:
        messages: list[dict[str, Any]] = [{"role": "assistant", "content": ""} for _ in self.prompts]
        found: list[list[Any]] = [[] for _ in self.prompts]
        reasons: list[str | None] = [None for _ in self.prompts]
        async for index, delta in self.deltas():
            text, calls, reasons[index] = self.grown(index, delta)
            messages[index]["content"] += text
            if calls:
                plain = [{k: v for k, v in call.items() if k != "index"} for call in calls]
                messages[index].setdefault("tool_calls", []).extend(plain)
            told = protocol.chat_logprobs(self.engine.tokenizer.name, delta.tokens, delta.logprobs)
            found[index] += told["content"] if told else []
        choices = [
            {
                "index": i,
                "message": {**m, "content": m["content"] or (None if "tool_calls" in m else "")},
                "logprobs": {"content": found[i], "refusal": None} if found[i] else None,
                "finish_reason": reasons[i],
            }
            for i, m in enumerate(messages)
        ]
        return {**self.head, "object": "chat.completion", "choices": choices, "usage": self.usage()}


async def _answer(answer: Answer) -> Response:
    for prompt in answer.prompts:  # refused in front of the stream, whose status would be 200
        answer.engine.check(prompt, answer.sampling)
    if answer.given.stream:
        return StreamingResponse(_events(answer), media_type="text/event-stream", headers={"Cache-Control": "no-cache"})
    return JSONResponse(await answer.whole())


async def _events(answer: Answer) -> AsyncGenerator[str]:
    """The answer as server-sent events; an error that comes while it is told is the last event but one."""
    try:
        if opening := answer.opening():
            yield _event(answer.chunk(opening))
        async with aclosing(answer.deltas()) as deltas:
            async for index, delta in deltas:
                if said := answer.choice(index, delta):
                    yield _event(answer.chunk(said))
        if answer.given.wants_usage:
            yield _event({**answer.chunk([]), "usage": answer.usage()})
    except* EngineError as errors:
        yield _event(protocol.failure(500, str(errors.exceptions[0])))
    yield "data: [DONE]\n\n"


def _event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"


def _model(name: str, engine: Engine) -> dict[str, Any]:
    return {
        "id": name,
        "object": "model",
        "created": 0,
        "owned_by": "freehold",
        "max_model_len": engine.config.positions,
    }


def _known(wanted: str, served: str) -> None:
    if wanted != served:
        raise HTTPException(404, f"there is no model {wanted!r}, only {served!r}")


def _failed(status: int, text: str, parameter: str | None, code: str | None) -> JSONResponse:
    return JSONResponse(protocol.failure(status, text, parameter, code), status)


def _refused(error: Exception) -> JSONResponse:
    match error:
        case RequestError():
            return _failed(400, str(error), error.parameter, None)
        case Overloaded():
            return _failed(429, str(error), None, "rate_limit_exceeded")
        case EngineError():
            return _failed(503, str(error), None, None)
        case _:
            return _failed(500, "failed", None, None)


def _refuse_politely(app: FastAPI) -> None:
    """Errors of every kind, in OpenAI's form."""

    @app.exception_handler(EngineError)
    async def one(_: Request, error: EngineError) -> Response:  # pyright: ignore[reportUnusedFunction]
        return _refused(error)

    @app.exception_handler(ExceptionGroup)
    async def several(_: Request, group: ExceptionGroup[Exception]) -> Response:  # pyright: ignore[reportUnusedFunction]
        return _refused(group.exceptions[0])

    @app.exception_handler(HTTPException)
    async def other(_: Request, error: HTTPException) -> Response:  # pyright: ignore[reportUnusedFunction]
        return _failed(error.status_code, str(error.detail), None, "not_found" if error.status_code == 404 else None)

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> Response:  # pyright: ignore[reportUnusedFunction]
        first = error.errors()[0]
        where = ".".join(str(p) for p in first["loc"][1:])
        return _failed(400, f"{where or 'the request'}: {first['msg']}", where or None, None)
