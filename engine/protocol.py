"""OpenAI's interface as data: what requests may say, what answers look like, and errors in its form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, cast

from pydantic import BaseModel, ConfigDict, Field

from freehold.engine.errors import RequestError
from freehold.engine.sampling import Sampling

ANSWER: Final = 256
"""Tokens of an answer of a completion for which the request sets no limit; a chat goes on to the model's own."""


class Options(BaseModel):
    """What both kinds of requests may say. What is not known is an error, so that nothing is silently left out."""

    model_config = ConfigDict(extra="forbid")

    model: str
    n: Annotated[int, Field(ge=1, le=128)] = 1
    temperature: float | None = None
    top_p: float | None = None
    top_k: int = 0
    min_p: float = 0.0
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    logit_bias: dict[str, float] | None = None
    seed: int | None = None
    stop: str | list[str] | None = None
    stop_token_ids: list[int] = []
    ignore_eos: bool = False
    max_tokens: int | None = None
    stream: bool = False
    stream_options: dict[str, bool] | None = None
    user: str | None = None
    metadata: dict[str, Any] | None = None
    store: bool | None = None
    service_tier: str | None = None

    def sampling(self, limit: int, logprobs: int | None) -> Sampling:
        """How tokens are chosen. Raises `RequestError` for numbers out of their range."""
        stops = [self.stop] if isinstance(self.stop, str) else self.stop or []
        try:
            bias = {int(token): float(value) for token, value in (self.logit_bias or {}).items()}
        except ValueError:
            raise RequestError("logit_bias has numbers of tokens as keys", "logit_bias") from None
        given = {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "presence_penalty": self.presence_penalty,
            "frequency_penalty": self.frequency_penalty,
        }
        return Sampling(
            max_tokens=limit,
            top_k=self.top_k,
            min_p=self.min_p,
            logit_bias=bias,
            seed=self.seed,
            stop=tuple(stops),
            stop_token_ids=tuple(self.stop_token_ids),
            ignore_eos=self.ignore_eos,
            logprobs=logprobs,
            **{name: value for name, value in given.items() if value is not None},
        )

    @property
    def wants_usage(self) -> bool:
        """Whether a stream ends with how many tokens there were."""
        return bool((self.stream_options or {}).get("include_usage"))


class CompletionRequest(Options):
    """POST /v1/completions."""

    prompt: str | list[str] | list[int] | list[list[int]]
    logprobs: Annotated[int, Field(ge=0, le=20)] | None = None
    echo: bool = False
    best_of: int | None = None
    suffix: str | None = None

    def prompts(self) -> list[str | list[int]]:
        """The prompts, each by itself. Raises `RequestError` for what is not offered."""
        if self.suffix:
            raise RequestError("texts are not filled in: there is no `suffix`", "suffix")
        if self.best_of is not None and self.best_of != self.n:
            raise RequestError("answers are not chosen among: `best_of` is `n`", "best_of")
        if isinstance(self.prompt, str):
            return [self.prompt]
        if not self.prompt:
            raise RequestError("there is no prompt", "prompt")
        if isinstance(self.prompt[0], int):
            return [self.prompt]  # pyright: ignore[reportReturnType] -- all of them are, or the request had failed
        return list(self.prompt)  # pyright: ignore[reportReturnType] -- as above


class ResponseFormat(BaseModel):
    """What an answer has to look like."""

    type: Literal["text", "json_object", "json_schema"]
    json_schema: dict[str, Any] | None = None

    def schema_of(self) -> dict[str, Any] | None:
        """The schema; None for any JSON. Raises `RequestError` where there is to be one, and is none."""
        if self.type != "json_schema":
            return None
        found = (self.json_schema or {}).get("schema")
        if not isinstance(found, dict):
            raise RequestError("a json_schema has a `schema`", "response_format")
        return cast(dict[str, Any], found)


class ChatRequest(Options):
    """POST /v1/chat/completions."""

    messages: Annotated[list[dict[str, Any]], Field(min_length=1)]
    max_completion_tokens: int | None = None
    logprobs: bool = False
    top_logprobs: Annotated[int, Field(ge=0, le=20)] | None = None
    tools: list[dict[str, Any]] | None = None
    tool_choice: str | dict[str, Any] | None = None
    parallel_tool_calls: bool | None = None
    response_format: ResponseFormat | None = None
    chat_template_kwargs: dict[str, Any] = {}
    reasoning_effort: str | None = None

    def for_template(self) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Messages and options as chat templates take them. Raises `RequestError` for what is no message of text."""
        options = dict(self.chat_template_kwargs)
        if self.tools and self.tool_choice != "none":
            options["tools"] = self.tools
        return [_message(m) for m in self.messages], options

    def forced(self) -> dict[str, Any] | None:
        """
        The tools of which the answer has to call one, with the schemas of their arguments; None if it need not.

        Raises `RequestError` where there is no such tool, or where the answer is to have a format as well.
        """
        wanted = self.tool_choice
        if wanted in (None, "auto", "none"):
            return None
        if self.response_format is not None and self.response_format.type != "text":
            raise RequestError("an answer that has to call a tool has no other format", "tool_choice")
        tools = dict(map(_tool, self.tools or []))
        if wanted == "required" and tools:
            return tools
        name = wanted.get("function", {}).get("name") if isinstance(wanted, dict) else wanted
        if name not in tools:
            known = ", ".join(tools) or "there are none"
            raise RequestError(f"`tool_choice` names {name!r}, which is none of the tools ({known})", "tool_choice")
        return {name: tools[name]}


def _tool(given: Mapping[str, Any]) -> tuple[str, Any]:
    function = given.get("function")
    found = cast(dict[str, Any], function) if isinstance(function, dict) else {}
    if given.get("type") != "function" or not isinstance(found.get("name"), str):
        raise RequestError("a tool is a function with a name", "tools")
    return found["name"], found.get("parameters") or {"type": "object", "additionalProperties": False}


def _message(given: Mapping[str, Any]) -> dict[str, Any]:
    if given.get("role") not in ("system", "developer", "user", "assistant", "tool"):
        raise RequestError(f"a message is of system, user, assistant or tool, not {given.get('role')!r}", "messages")
    message = dict(given)
    if message["role"] == "developer":
        message["role"] = "system"
    content = message.get("content")
    if isinstance(content, list):
        message["content"] = "".join(_text(part) for part in cast(list[Any], content))
    elif content is None:
        message["content"] = ""
    elif not isinstance(content, str):
        raise RequestError("the content of a message is a text", "messages")
    return message


def _text(part: Any) -> str:
    given = cast(dict[str, Any], part) if isinstance(part, dict) else {}
    if given.get("type") != "text" or not isinstance(given.get("text"), str):
        raise RequestError("messages have texts, and nothing else", "messages")
    return str(given["text"])


def usage(prompt: int, answer: int, reused: int) -> dict[str, Any]:
    """How many tokens there were."""
    return {
        "prompt_tokens": prompt,
        "completion_tokens": answer,
        "total_tokens": prompt + answer,
        "prompt_tokens_details": {"cached_tokens": reused},
    }


def failure(status: int, text: str, parameter: str | None = None, code: str | None = None) -> dict[str, Any]:
    """An error in OpenAI's form."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": text, "type": kind, "param": parameter, "code": code}}


def chat_logprobs(names: Any, tokens: Sequence[int], found: Sequence[Any]) -> dict[str, Any] | None:
    """Probabilities as a chat tells them; `names(token)` is the text of a token."""
    if not found:
        return None

    def entry(token: int, value: float) -> dict[str, Any]:
        text = names(token)
        return {"token": text, "logprob": max(value, -9999.0), "bytes": list(text.encode())}

    content = [
        {**entry(token, value), "top_logprobs": [entry(t, v) for t, v in best]}
        for token, (value, best) in zip(tokens, found, strict=True)
    ]
    return {"content": content, "refusal": None}


def text_logprobs(names: Any, tokens: Sequence[int], found: Sequence[Any], at: int) -> dict[str, Any] | None:
    """Probabilities as a completion tells them, from letter `at` of the text on."""
    if not found:
        return None
    offsets: list[int] = []
    for token in tokens:
        offsets.append(at)
        at += len(names(token))
    return {
        "tokens": [names(t) for t in tokens],
        "token_logprobs": [max(value, -9999.0) for value, _ in found],
        "top_logprobs": [{names(t): max(v, -9999.0) for t, v in best} for _, best in found],
        "text_offset": offsets,
    }
