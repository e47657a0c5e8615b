"""The engine on the interpreter: many requests give what each gives alone, however they are put into steps."""

from __future__ import annotations

import asyncio
import importlib
import sys
import threading
from collections import Counter
from contextlib import aclosing, nullcontext
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold.engine import Completion, Delta, Engine, EngineError, Overloaded, RequestError, Sampling
from freehold.engine.batch import all_rows
from freehold.engine.layers import Room
from freehold.engine.runner import Runner
from freehold.engine.sampling import choice, likeliest, reserve

PROMPTS = [[5, 6, 7], list(range(20, 59)), [9] * 33, [9] * 40]
GREEDY = Sampling(max_tokens=6, temperature=0, ignore_eos=True)


@pytest.fixture(scope="module")
def alone(tiny: Path) -> list[Completion]:
    """Each answer by itself, nothing shared and nothing in chunks."""
    with Engine(tiny, device=fh.HOST, tokens=64, sequences=1, pages=24) as engine:
        return [engine.generate([p], GREEDY)[0] for p in PROMPTS]


def test_together_in_chunks_and_from_the_cache(engine: Engine, alone: list[Completion]) -> None:
    found: list[Completion] = []
    for _ in range(2):
        found = engine.generate(PROMPTS, GREEDY)
        assert [c.tokens for c in found] == [c.tokens for c in alone]
        assert [c.reason for c in found] == ["length"] * 4
    assert [c.reused_tokens for c in found] == [0, 32, 32, 32]
    assert engine.pages.free == engine.pages.count


def test_those_that_give_back_their_pages_go_on(tiny: Path, alone: list[Completion]) -> None:
    with Engine(tiny, device=fh.HOST, tokens=64, sequences=4, pages=7, ahead=True) as engine:
        longer = Sampling(max_tokens=20, temperature=0, ignore_eos=True)
        found = engine.generate([PROMPTS[1], PROMPTS[2], PROMPTS[0]], longer)
        assert engine.scheduler.preempted > 0
        assert [c.tokens[:6] for c in found] == [alone[n].tokens for n in (1, 2, 0)]
        assert engine.pages.free == 7


def test_room_is_for_the_rows_of_all_steps(engine: Engine) -> None:
    runner = engine.runner
    rows = {n for shape in runner.shapes() for n in shape[:2]}
    assert rows <= all_rows(runner.model.tokens, runner.model.sequences)


@pytest.mark.parametrize("ahead", [False, True])
def test_a_sequence_that_is_short_no_longer(
    tiny: Path, alone: list[Completion], ahead: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its steps have other kernels from there on, twice, and it has the same tokens."""
    reach: list[int] = []
    begin = Runner.begin

    def told(self: Runner, plan: Any, before: Any = None) -> Any:
        begun = begin(self, plan, before)
        reach.append(begun.batch.shape.reach)
        return begun

    monkeypatch.setattr(Runner, "begin", told)

    def few(heads: int) -> tuple[int, int]:
        return 41, 43

    for module in ("freehold.engine.runner", "freehold.kernels.serving"):
        monkeypatch.setattr(f"{module}.reaches", few)
    with Engine(tiny, device=fh.HOST, tokens=64, sequences=1, pages=24, ahead=ahead) as engine:
        assert engine.generate([PROMPTS[1]], GREEDY)[0].tokens == alone[1].tokens
    assert reach == [0, 41, 41, 43, 43, 0]  # the prompt, and 40 to 44 tokens


def test_steps_that_begin_before_the_last_one_is_read(
    tiny: Path, engine: Engine, alone: list[Completion], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They give the same tokens; what was begun in vain, because an answer had ended, is nobody's."""
    begun: list[bool] = []
    begin = Runner.begin

    def counted(self: Runner, plan: Any, before: Any = None) -> Any:
        begun.append(before is not None)
        return begin(self, plan, before)

    monkeypatch.setattr(Runner, "begin", counted)
    drawn = Sampling(max_tokens=7, seed=5, top_k=50, ignore_eos=True)
    with Engine(tiny, device=fh.HOST, tokens=64, sequences=4, pages=24, ahead=True) as ahead:
        assert [c.tokens for c in ahead.generate(PROMPTS, GREEDY)] == [c.tokens for c in alone]
        begun.clear()
        assert ahead.generate(PROMPTS[:1], GREEDY)[0].tokens == alone[0].tokens
        assert begun == [False] + 5 * [True]
        begun.clear()
        wanted = engine.generate(PROMPTS, drawn)
        assert not any(begun)
        assert [c.tokens for c in ahead.generate(PROMPTS, drawn)] == [c.tokens for c in wanted]
        for prompt, known in zip(PROMPTS, alone, strict=True):
            found = ahead.generate([prompt], replace(GREEDY, stop_token_ids=[known.tokens[2]]))[0]
            end = known.tokens.index(known.tokens[2]) + 1
            assert (found.tokens, found.reason) == (known.tokens[:end], "stop")
        assert ahead.pages.free == 24
        told = (e.generate(PROMPTS, replace(GREEDY, logprobs=0)) for e in (ahead, engine))
        ours, theirs = ([[value for value, _ in c.logprobs] for c in found] for found in told)
        np.testing.assert_allclose(ours, theirs, atol=1e-5)  # in other chunks, so that sums are rounded elsewhere


def test_a_seed_gives_the_same_in_any_company(engine: Engine) -> None:
    drawn = Sampling(max_tokens=6, seed=11, top_k=40, top_p=0.9, min_p=0.01, ignore_eos=True)
    (one,) = engine.generate([PROMPTS[0]], drawn)
    several = engine.generate([PROMPTS[2], PROMPTS[0], PROMPTS[1]], drawn)
    assert several[1].tokens == one.tokens
    other = engine.generate([PROMPTS[0]], Sampling(max_tokens=6, seed=12, ignore_eos=True))
    assert other[0].tokens != one.tokens


def test_probabilities_biases_and_penalties(engine: Engine) -> None:
    (found,) = engine.generate([PROMPTS[0]], Sampling(max_tokens=2, temperature=0, logprobs=3, ignore_eos=True))
    for token, (value, best) in zip(found.tokens, found.logprobs, strict=True):
        assert best[0] == (token, value)
        assert [v for _, v in best] == sorted((v for _, v in best), reverse=True)
    biased = Sampling(max_tokens=3, temperature=0, logit_bias={77: 100.0}, ignore_eos=True)
    assert engine.generate([PROMPTS[0]], biased)[0].tokens == (77, 77, 77)
    row = np.zeros(8)
    Sampling(presence_penalty=0.5, frequency_penalty=0.25, logit_bias={2: 4.0, 3: -1.0, 9: 1.0}).change(row, [2, 5, 2])
    np.testing.assert_array_equal(row, [0, 0, 3, -1, 0, -0.75, 0, 0])


def test_likeliest_tokens() -> None:
    value, best = likeliest(np.log(np.array([0.5, 0.125, 0.25, 0.125], np.float32)), 2, 2)
    assert np.isclose(np.exp(value), 0.25)
    assert [t for t, _ in best] == [0, 2]


def test_logits_that_are_no_numbers_end_in_some_token() -> None:
    """A model may give them, and the search for what may be drawn has to end all the same."""
    room, columns = Room(fh.HOST), 300
    reserve(room, 2, columns)
    logits = fh.from_numpy(np.full((2, columns), np.nan, np.float32), device=fh.HOST).sync()
    numbers = np.array([[1.0, 1.0], [0.5, 1.0], [0.0, 0.0]], np.float32)
    floats, top_k = (fh.from_numpy(a, device=fh.HOST).sync() for a in (numbers, np.array([0, 5], np.int32)))
    chosen, seeds = (fh.zeros((2,), kind, device=fh.HOST).sync() for kind in (fh.i32, fh.i64))
    for operation in choice(room, chosen, logits, floats, top_k, seeds, draws=True):
        operation.sync()
    assert chosen.shape == (2,)


def test_answers_end_at_tokens_and_texts(engine: Engine) -> None:
    word = engine.tokenizer.encode("Z")[0]
    always: dict[str, Any] = {"max_tokens": 4, "temperature": 0, "logit_bias": {word: 100.0}}
    other: dict[str, Any] = {**always, "logit_bias": {1: 100.0}}
    assert engine.generate(["a"], Sampling(**always))[0].text == "ZZZZ"
    ended = engine.generate(["a"], Sampling(**always, stop=["ZZZ"]))[0]
    assert (ended.text, ended.reason, len(ended.tokens)) == ("", "stop", 3)
    ended = engine.generate(["a"], Sampling(**always, stop_token_ids=[word]))[0]
    assert (ended.text, ended.reason) == ("", "stop")
    ended = engine.generate(["a"], Sampling(**other))[0]
    assert (ended.tokens, ended.reason) == ((1,), "stop")


@pytest.mark.parametrize(
    ("prompt", "sampling", "said"),
    [
        ([], GREEDY, "a token at least"),
        ([999], GREEDY, "from 0 to 383"),
        ([1] * 300, Sampling(max_tokens=100), "more than the 384 that fit"),
    ],
)
def test_requests_that_do_not_fit(engine: Engine, prompt: list[int], sampling: Sampling, said: str) -> None:
    with pytest.raises(RequestError, match=said):
        engine.generate([prompt], sampling)


@pytest.mark.parametrize("wrong", [{"temperature": -1.0}, {"top_p": 0.0}, {"logprobs": 21}, {"stop": [""]}])
def test_settings_out_of_range(wrong: dict[str, Any]) -> None:
    with pytest.raises(RequestError) as caught:
        Sampling(**wrong)
    assert caught.value.parameter in wrong


def test_leaving_a_stream_ends_the_request(engine: Engine) -> None:
    async def listen() -> None:
        tokens: list[int] = []
        long = Sampling(max_tokens=200, temperature=0, ignore_eos=True)
        async with aclosing(engine.stream(PROMPTS[0], long)) as stream:
            async for delta in stream:
                tokens += delta.tokens
                if len(tokens) == 2:
                    break

    asyncio.run(listen())
    for _ in range(5000):
        if not engine.scheduler.running:
            break
        threading.Event().wait(0.02)
    assert not engine.scheduler.running
    assert engine.pages.free == engine.pages.count


@pytest.mark.parametrize("device", [fh.HOST, 0])
@pytest.mark.parametrize("prepare", [True, False])
def test_kernels_are_compiled_ahead_on_a_gpu_where_it_is_asked_for(
    prepare: bool, device: int, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead: list[bool] = []

    class Elsewhere(Runner):
        """On the interpreter, whatever it takes itself for."""

        @property
        def on_host(self) -> bool:
            return device == fh.HOST

        @on_host.setter
        def on_host(self, value: bool) -> None:
            assert value

        def _prepare(self, tell: Any) -> None:
            del tell
            ahead.append(prepare)

    monkeypatch.setattr("freehold.engine.engine.Runner", Elsewhere)
    Engine(tiny, device=fh.HOST, tokens=16, sequences=1, pages=8, page=16, graphs=False, prepare=prepare).close()
    assert ahead == [True] * (prepare and device != fh.HOST)


def test_full_and_closed(tiny: Path) -> None:
    told: SimpleQueue[Delta | BaseException] = SimpleQueue()
    engine = Engine(tiny, device=fh.HOST, tokens=16, sequences=1, pages=8, waiting=2)
    sampling = Sampling(max_tokens=60, ignore_eos=True)

    def ask(count: int) -> None:
        for _ in range(count):
            engine.submit([1], sampling, told.put)

    with pytest.raises(Overloaded):
        ask(5)
    engine.close()
    assert not engine.healthy
    with pytest.raises(EngineError):
        engine.generate([[1]], sampling)
    ends = Counter(type(told.get()).__name__ for _ in range(told.qsize()))
    assert ends["EngineError"] >= 2


def test_a_failure_in_a_step_is_told_to_all(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(tiny, device=fh.HOST, tokens=16, sequences=2, pages=8)

    def fail(*_: Any) -> Any:
        raise RuntimeError("no more")

    monkeypatch.setattr(engine.runner, "begin", fail)
    with pytest.raises(EngineError, match="no more"):
        engine.generate([[1]], GREEDY)
    assert not engine.healthy
    with pytest.raises(EngineError, match=r"has stopped: .*no more"):
        engine.generate([[1]], GREEDY)
    engine.close()


def test_a_failure_in_a_step_is_raised_by_who_follows_a_stream(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the deltas that came before it; and a stream that begins later is refused."""
    engine = Engine(tiny, device=fh.HOST, tokens=16, sequences=2, pages=8)
    begin, steps = engine.runner.begin, list[None]()

    def fail(*given: Any) -> Any:
        steps.append(None)
        if len(steps) > 2:
            raise RuntimeError("no more")
        return begin(*given)

    monkeypatch.setattr(engine.runner, "begin", fail)
    told: list[int] = []

    async def listen() -> None:
        async with aclosing(engine.stream([1, 2], Sampling(max_tokens=9, temperature=0, ignore_eos=True))) as stream:
            async for delta in stream:
                told.extend(delta.tokens)

    for said in (r"^RuntimeError\(.no more.\)$", "has stopped: .*no more"):
        with pytest.raises(EngineError, match=said):
            asyncio.run(listen())
    assert len(told) <= 2
    engine.close()


@pytest.mark.parametrize(("given", "turns"), [((), 1500), ((0.1,), 5), ((0.02,), 1), ((0.0,), 1)])
def test_how_long_an_engine_waits_for_its_last_answers(
    given: tuple[float, ...], turns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look each 20 ms, and one at least; none is needed where there is nothing to do, or no engine any more."""
    waited: list[float] = []
    module = importlib.import_module("freehold.engine.engine")
    monkeypatch.setattr(module, "threading", SimpleNamespace(Event=lambda: SimpleNamespace(wait=waited.append)))
    one: Any = SimpleNamespace(_draining=False, _closed=False, _lock=nullcontext(), _work=lambda: True)
    assert not Engine.drain(one, *given)
    assert waited == [0.02] * turns
    assert one._draining
    one._work = lambda: len(waited) <= turns
    assert Engine.drain(one, 1.0)
    assert len(waited) == turns + 1
    one._work, one._closed = lambda: True, True
    assert Engine.drain(one, 0.0)
    assert len(waited) == turns + 1


@pytest.mark.parametrize("kind", ["its own", "rejected", "another"])
def test_what_ends_an_engine_is_told_to_who_runs_and_who_waits(
    kind: str, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error itself where it says what it is; once each, and not to who has left."""
    with pytest.raises(fh.Rejected) as rejected:
        fh.zeros((-1,), fh.f32).sync()
    error = {"its own": EngineError("of its own"), "rejected": rejected.value, "another": ValueError("of another")}[
        kind
    ]
    engine = Engine(tiny, device=fh.HOST, tokens=16, sequences=1, pages=8)
    told: list[list[Any]] = [[], [], []]
    begun = threading.Event()

    def fail(*_: Any) -> Any:
        begun.wait(60)
        raise error

    monkeypatch.setattr(engine.runner, "begin", fail)
    requests = [engine.submit([1, 2], GREEDY, each.append) for each in told]
    requests[2].cancel()
    begun.set()
    for _ in range(3000):
        if not engine.healthy:
            break
        threading.Event().wait(0.02)
    assert [len(each) for each in told] == [1, 1, 0]
    for (found,) in told[:2]:
        if isinstance(error, ValueError):
            assert (type(found), str(found)) == (EngineError, repr(error))
        else:
            assert found is error
    assert (len(engine.scheduler.running), len(engine.scheduler.waiting)) == (0, 0)
    engine.close()


def test_names_of_the_engine() -> None:
    """Each is there before it is asked for, and what it says it is; nothing else is."""
    package = importlib.import_module("freehold.engine")
    names = {*package.__all__, "__doc__", "__file__", "__name__", "__path__"}
    assert dir(package) == sorted(names)
    for name in package.__all__:
        found = getattr(package, name)
        assert (found.__name__, found.__module__.rpartition(".")[0]) == (name, "freehold.engine")
    with pytest.raises(AttributeError, match=r"^module 'freehold\.engine' has no attribute 'engines'$"):
        getattr(package, "engines")  # noqa: B009 -- a name that there is not


@pytest.mark.parametrize("most", [1, 9, 33])
def test_steps_that_have_no_memory_become_smaller(
    tiny: Path, alone: list[Completion], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers stay what they are; what still has none ends, and the engine goes on."""
    refused: list[int] = []
    begin = Runner.begin

    def tight(self: Runner, plan: Any, before: Any = None) -> Any:
        count = sum(p.length for p in plan)
        if count > most:
            refused.append(count)
            raise MemoryError("no room")
        return begin(self, plan, before)

    monkeypatch.setattr(Runner, "begin", tight)
    with Engine(tiny, device=fh.HOST, tokens=64, sequences=4, pages=24, ahead=True) as engine:
        assert [c.tokens for c in engine.generate(PROMPTS, GREEDY)] == [c.tokens for c in alone]
        assert refused
        most = 0
        with pytest.raises(EngineError, match="no room"):
            engine.generate(PROMPTS[:1], GREEDY)
        assert engine.healthy
        most = 64
        assert engine.generate(PROMPTS[1:2], GREEDY)[0].tokens == alone[1].tokens
        assert engine.pages.free == 24
        assert (engine.scheduler.tokens, engine.scheduler.sequences) == (64, 4)


def test_a_soak(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """In short: `make soak-engine` goes on for longer. So few requests say nothing of memory."""
    import many_requests

    monkeypatch.setattr(sys, "argv", ["many_requests", "--requests", "60", "--most", "1000"])
    assert many_requests.main() == 0
    assert "40 of 40 pages free" in capsys.readouterr().out
