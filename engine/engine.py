"""The engine: takes requests from any thread, steps the model in one of its own, and hands out tokens as they come."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import Any, NamedTuple, Self

import freehold as fh
from freehold.engine.config import Config
from freehold.engine.errors import EngineError, ModelError, Overloaded, RequestError
from freehold.engine.grammar import Constraint, Grammars
from freehold.engine.pages import Pages
from freehold.engine.ranks import Ranks
from freehold.engine.runner import Begun, Runner, Setup
from freehold.engine.sampling import Sampling
from freehold.engine.scheduler import Plan, Scheduler
from freehold.engine.scheduler import Sequence as Tokens
from freehold.engine.text import Growing, Tokenizer

Prompt = str | Sequence[int] | Sequence[Mapping[str, Any]]
"""A text, tokens, or the messages of a conversation."""


class Delta(NamedTuple):
    """What an answer grew by. `reason` says why it ended ("stop", "length"), with the last one."""

    text: str = ""
    tokens: tuple[int, ...] = ()
    logprobs: tuple[tuple[float, tuple[tuple[int, float], ...]], ...] = ()
    """For each token the logarithm of its probability, and the likeliest tokens with theirs, if that was asked for."""
    reason: str | None = None
    reused: int = 0
    """Tokens of the prompt that were in the cache already."""


@dataclass(frozen=True)
class Completion:
    """An answer, whole."""

    text: str
    tokens: tuple[int, ...]
    reason: str
    prompt_tokens: int
    reused_tokens: int
    """Tokens of the prompt that were in the cache already."""
    logprobs: tuple[tuple[float, tuple[tuple[int, float], ...]], ...] = ()


class Request:
    """An answer that is being made. `cancel` ends it; nothing is told after that."""

    def __init__(self, sequence: Tokens, growing: Growing, tell: Callable[[Delta | BaseException], None]):
        self.sequence = sequence
        self.growing = growing
        self.tell = tell

    def cancel(self) -> None:
        """Says that nobody waits for the answer any more; its pages are free before the next step."""
        self.sequence.cancelled = True


@dataclass
class Figures:
    """What the engine has done since it began."""

    steps: int = 0
    prompt_tokens: int = 0
    generated_tokens: int = 0
    requests: int = 0
    finished: dict[str, int] = field(default_factory=dict[str, int])


class Engine:
    """
    A model that answers many requests at once.

    `model` is a folder as Hugging Face publishes it, or a name of its hub. `device` is a GPU's number or `fh.HOST`
    (the interpreter, for trying things out); without it, the thread's GPU, or the host if there is none. `tokens` and
    `sequences` limit a step; `waiting` is how many requests may wait. `pages` of `page` tokens hold keys and values:
    without a number, as many as fit in the share `memory` of what is free on the GPU once the weights are there.
    `weights`: "fp8" makes those of attention and of feed-forwards 8-bit floats with a scale a row, as they are loaded.
    `ahead`: a step begins before the tokens of the one in front of it are read, where it can; without a word, on GPUs.
    `ranks` are the processes that share the model, of which the first has the engine and the others `follow` it.
    With `prepare` the kernels of all steps are compiled, and graphs recorded, before there are requests; else when they
    are needed first. `progress` is told what is being done until then.

    To be closed, or used as a context manager. Raises `ModelError` for folders that cannot be served.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        device: int | None = None,
        tokens: int = 2048,
        sequences: int = 64,
        page: int | None = None,
        pages: int | None = None,
        memory: float = 0.9,
        waiting: int = 1024,
        graphs: bool = True,
        weights: str | None = None,
        ahead: bool | None = None,
        ranks: Ranks | None = None,
        prepare: bool = True,
        progress: Callable[[str], None] | None = None,
    ):
        setup = Setup(device, tokens, sequences, page, pages, memory, graphs, weights, prepare)
        setup.check()
        folder = _folder(model)
        self.name = str(model).rstrip("/").rpartition("/")[2] if isinstance(model, Path) else model
        self.config = Config.read(folder)
        self.tokenizer = Tokenizer(folder)
        self.grammars = Grammars(self.config, self.tokenizer)
        self.runner = Runner(folder, self.config, setup, ranks or Ranks(), progress)
        self.pages = Pages(self.runner.pages, self.runner.page)
        self.scheduler = Scheduler(self.pages, tokens, sequences)
        self.figures = Figures()
        self.limit = waiting
        self._ahead = not self.runner.on_host if ahead is None else ahead
        self._lock = threading.Condition()
        self._closed: BaseException | bool = False
        self._draining = False
        self._thread = threading.Thread(target=self._run, name="freehold-engine", daemon=True)
        self._thread.start()

    # --- Requests -----------------------------------------------------------------------------------------------------

    def prompt(self, prompt: Prompt, **template: Any) -> list[int]:
        """The tokens of a prompt. `template` is given to the chat template, with messages."""
        if isinstance(prompt, str):
            return self.tokenizer.encode(prompt)
        if all(isinstance(p, int) for p in prompt):
            return [int(p) for p in prompt]  # pyright: ignore[reportArgumentType] -- integers, as was just asked
        return self.tokenizer.chat([dict(m) for m in prompt], **template)  # pyright: ignore[reportCallIssue, reportArgumentType]

    def submit(
        self,
        prompt: Sequence[int],
        sampling: Sampling,
        tell: Callable[[Delta | BaseException], None],
        constraint: Constraint | None = None,
    ) -> Request:
        """
        Lets a request begin. `tell` is called in the engine's thread with each delta, or with what went wrong.

        Raises `RequestError` for a prompt that is empty, of other tokens than there are, or too long; `Overloaded`
        where too many wait; `EngineError` where the engine has stopped.
        """
        self.check(prompt, sampling)
        seed = secrets.randbits(62) if sampling.seed is None else sampling.seed
        sequence = Tokens(list(prompt), sampling, seed, constraint)
        sequence.ends = frozenset(sampling.stop_token_ids) | (frozenset() if sampling.ignore_eos else self.config.ends)
        request = sequence.owner = Request(sequence, Growing(self.tokenizer, sampling.stop), tell)
        with self._lock:
            if self._closed or self._draining:
                why = f": {self._closed!r}" if isinstance(self._closed, BaseException) else ""
                raise EngineError(f"the engine has stopped{why}")
            if len(self.scheduler.waiting) >= self.limit:
                raise Overloaded(f"{self.limit} requests wait already")
            self.scheduler.add(sequence)
            self.figures.requests += 1
            self.figures.prompt_tokens += len(prompt)
            self._lock.notify()
        return request

    def check(self, prompt: Sequence[int], sampling: Sampling) -> None:
        """Raises what `submit` does for a prompt that does not fit."""
        most = min(self.config.positions, self.pages.count * self.pages.size)
        if not prompt:
            raise RequestError("a prompt has a token at least", "prompt")
        if min(prompt) < 0 or max(prompt) >= self.config.vocabulary:
            raise RequestError(f"tokens are numbers from 0 to {self.config.vocabulary - 1}", "prompt")
        if len(prompt) + sampling.max_tokens > most:
            raise RequestError(
                f"a prompt of {len(prompt)} tokens and an answer of up to {sampling.max_tokens} are more than the "
                f"{most} that fit",
                "max_tokens",
            )

    def generate(self, prompts: Sequence[Prompt], sampling: Sampling | None = None) -> list[Completion]:
        """The answers to several prompts, which are worked on together. Waits for all of them."""
        queues: list[SimpleQueue[Delta | BaseException]] = [SimpleQueue() for _ in prompts]
        given = sampling or Sampling()
        requests = [self.submit(self.prompt(p), given, q.put) for p, q in zip(prompts, queues, strict=True)]
        return [joined(request, [*following(queue)]) for request, queue in zip(requests, queues, strict=True)]

    async def stream(
        self, prompt: Sequence[int], sampling: Sampling, constraint: Constraint | None = None
    ) -> AsyncGenerator[Delta]:
        """The answer, as it grows. Leaving the loop, or cancelling the task, ends the request."""
        loop, queue = asyncio.get_running_loop(), asyncio.Queue[Delta | BaseException]()

        def tell(delta: Delta | BaseException) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(queue.put_nowait, delta)

        request = self.submit(prompt, sampling, tell, constraint)
        try:
            while True:
                delta = await queue.get()
                if isinstance(delta, BaseException):
                    raise delta
                yield delta
                if delta.reason is not None:
                    return
        finally:
            request.cancel()

    # --- The engine's thread ------------------------------------------------------------------------------------------

    def _run(self) -> None:
        begun = None
        try:
            while True:
                with self._lock:
                    while not self._closed and not self._work():
                        self._lock.wait()
                    if self._closed:
                        break
                begun = self._turn(begun)
        except BaseException as error:
            self._stop(error)
        else:
            self._stop(EngineError("the engine was closed"))

    def _work(self) -> bool:
        return bool(self.scheduler.running or self.scheduler.waiting)

    def _drop_cancelled(self) -> None:
        for s in [s for s in (*self.scheduler.running, *self.scheduler.waiting) if s.cancelled]:
            self._end(s, "cancelled")

    def _turn(self, begun: Begun | None) -> Begun | None:
        """Begins a step, behind the one that runs if that can be, reads what that one chose; returns the new one."""
        plan = Plan()
        if begun is None or self._ahead:
            with self._lock:
                self._drop_cancelled()
                plan = self.scheduler.plan(begun.plan if begun else None)
        after = self._begin(plan, begun) if plan else None
        if begun is not None:
            self._take(begun)
        return after

    def _begin(self, plan: Plan, before: Begun | None) -> Begun | None:
        """Begins a step; None where there was no memory for it: then another is tried when nothing runs."""
        try:
            return self.runner.begin(plan, before)
        except MemoryError as error:
            if before is None:
                with self._lock:
                    self._shrink(plan, error)
            return None

    def _shrink(self, plan: Plan, error: MemoryError) -> None:
        """Makes the next steps smaller than one that had no memory; where that cannot be, its request ends."""
        if self.scheduler.shrink(plan):
            return
        (s,) = [p.sequence for p in plan]
        self._end(s, "error")
        s.owner.tell(EngineError(f"there was no memory for a step of this request: {error}"))

    def _take(self, begun: Begun) -> None:
        chosen = self.runner.read(begun)
        with self._lock:
            self.figures.steps += 1
            self.figures.generated_tokens += len(chosen)
            for planned in begun.plan:
                if not planned.sequence.ended:  # before its last step was over
                    self.scheduler.done(planned)
            for planned, token, logprob in chosen:
                if not planned.sequence.ended:
                    self._grow(planned.sequence, token, logprob)

    def _grow(self, s: Tokens, token: int, logprob: Any) -> None:
        s.tokens.append(token)
        if s.constraint is not None:
            s.constraint.accept(token)
        request: Request = s.owner
        ended = token in s.ends
        text = "" if ended else request.growing.add(token)
        reason = "stop" if ended or request.growing.stopped else "length" if len(s.tokens) >= s.limit else None
        if reason is not None:
            text += request.growing.rest()
            self._end(s, reason)
        if not s.cancelled:
            request.tell(Delta(text, (token,), (logprob,) if logprob else (), reason, s.reused))

    def _end(self, s: Tokens, reason: str) -> None:
        self.scheduler.finish(s)
        self.figures.finished[reason] = self.figures.finished.get(reason, 0) + 1

    def _stop(self, error: BaseException) -> None:
        with self._lock:
            self._closed = self._closed or error
            left = [*self.scheduler.running, *self.scheduler.waiting]
            for s in left:
                self.scheduler.finish(s)
        for s in left:
            if not s.cancelled:
                s.owner.tell(error if isinstance(error, EngineError | fh.Rejected) else EngineError(f"{error!r}"))
        self.runner.ranks.tell(None)
        self.runner.close()

    # --- Its end ------------------------------------------------------------------------------------------------------

    @property
    def healthy(self) -> bool:
        """Whether requests are answered."""
        return not self._closed and self._thread.is_alive()

    def drain(self, seconds: float = 30.0) -> bool:
        """Takes no more requests, and waits for those that there are; whether all were answered in time."""
        self._draining = True
        waited = threading.Event()
        for _ in range(max(1, int(seconds * 50))):
            with self._lock:
                if self._closed or not self._work():
                    return True
            waited.wait(0.02)
        return False

    def close(self) -> None:
        """Ends the engine; who still waits is told so."""
        with self._lock:
            self._closed = self._closed or True
            self._lock.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def following(queue: SimpleQueue[Delta | BaseException]) -> Iterator[Delta]:
    """The deltas of a request as they come, up to the last; raises what went wrong."""
    reason = None
    while reason is None:
        delta = queue.get()
        if isinstance(delta, BaseException):
            raise delta
        yield delta
        reason = delta.reason


def joined(request: Request, deltas: Sequence[Delta]) -> Completion:
    """The answer that some deltas come to."""
    return Completion(
        text="".join(d.text for d in deltas),
        tokens=tuple(t for d in deltas for t in d.tokens),
        reason=deltas[-1].reason or "",
        prompt_tokens=request.sequence.prompt,
        reused_tokens=request.sequence.reused,
        logprobs=tuple(found for d in deltas for found in d.logprobs),
    )


def follow(model: str | Path, ranks: Ranks, **setup: Any) -> None:
    """Works for the engine of the first process, until that is closed. `setup` is what that one is given (`Setup`)."""
    folder = _folder(model)
    Runner(folder, Config.read(folder), Setup(**setup), ranks).follow()


def _folder(model: str | Path) -> Path:
    path = Path(model)
    if path.is_dir():
        return path
    if isinstance(model, Path) or model.count("/") != 1 or model.startswith((".", "/")):
        raise ModelError(f"there is no folder {model}")
    from importlib import import_module

    hub: Any = import_module("huggingface_hub")
    try:
        return Path(hub.snapshot_download(model, allow_patterns=["*.json", "*.safetensors", "*.jinja"]))
    except Exception as error:
        raise ModelError(f"{model} is no folder, and cannot be had from the hub: {error}") from None
