"""The engine at its limits: settings, prompts, models and queues that just fit, and those that just do not."""

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportArgumentType=false

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from inspect import signature
from math import pi
from pathlib import Path
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import numpy as np
import pytest

import freehold as fh
from freehold.engine import Delta, Engine, EngineError, ModelError, Overloaded, RequestError, Sampling, demo
from freehold.engine import config as config_file
from freehold.engine.batch import Shape
from freehold.engine.config import Config
from freehold.engine.grammar import Grammars
from freehold.engine.layers import most_split, size_of
from freehold.engine.runner import Runner, Setup, Ways
from freehold.engine.scheduler import Plan, Planned, Sequence
from freehold.engine.text import Growing, Tokenizer
from freehold.engine.tools import BEGIN, END, ToolCalls, tool_format

# --- Settings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "low", "high", "step"),
    [
        ("max_tokens", 1, 1 << 30, 1),
        ("temperature", 0.0, 1e6, 1e-3),
        ("top_k", 0, 1 << 30, 1),
        ("top_p", 1e-9, 1.0, 1e-12),
        ("min_p", 0.0, 1.0, 1e-9),
        ("presence_penalty", -2.0, 2.0, 1e-9),
        ("frequency_penalty", -2.0, 2.0, 1e-9),
        ("logprobs", 0, 20, 1),
    ],
)
def test_ranges_of_settings(name: str, low: Any, high: Any, step: Any) -> None:
    for fits in (low, high):
        assert getattr(Sampling(**{name: fits}), name) == fits
    wrong = [low - step, high + step, *((float("nan"), float("inf"), float("-inf")) if isinstance(low, float) else ())]
    for value in wrong:
        with pytest.raises(RequestError, match=f"{name} is from") as caught:
            Sampling(**{name: value})
        assert caught.value.parameter == name


def test_settings_of_who_says_nothing() -> None:
    assert Sampling() == Sampling(16, 1.0, 0, 1.0, 0.0, 0.0, 0.0, {}, None, (), (), False, None)
    assert not Sampling().changes
    for given in ({"presence_penalty": 0.1}, {"frequency_penalty": -0.1}, {"logit_bias": {1: 0.0}}):
        assert Sampling(**given).changes
    row = np.zeros(4)
    Sampling(logit_bias={-1: 1.0, 0: 2.0, 3: 3.0, 4: 4.0}).change(row, [])
    assert row.tolist() == [2, 0, 0, 3]


# --- The engine -------------------------------------------------------------------------------------------------------


def test_prompts_that_just_fit(engine: Engine) -> None:
    most = 24 * 16
    for prompt, sampling in (
        ([0] * (most - 3), Sampling(max_tokens=3)),
        ([383], Sampling(max_tokens=most - 1)),
        ([0], Sampling(max_tokens=1)),
    ):
        engine.check(prompt, sampling)
    for prompt, sampling, what in (
        ([0] * (most - 2), Sampling(max_tokens=3), "max_tokens"),
        ([384], Sampling(), "prompt"),
        ([5, -1], Sampling(), "prompt"),
        ([], Sampling(), "prompt"),
    ):
        with pytest.raises(RequestError) as caught:
            engine.check(prompt, sampling)
        assert caught.value.parameter == what
    assert engine.healthy
    assert engine.name == "tiny"


def test_kinds_of_prompts(engine: Engine) -> None:
    assert engine.prompt("ab") == engine.tokenizer.encode("ab")
    assert engine.prompt([3, 4]) == [3, 4]
    messages = [{"role": "user", "content": "a"}]
    chat = engine.prompt(messages)
    assert chat == engine.tokenizer.chat(messages)
    assert len(engine.prompt(messages, tools=[{"a": 1}])) > len(chat)
    assert len(engine.prompt(messages, add_generation_prompt=False)) < len(chat)


def test_what_waits_what_is_answered_and_the_end(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing steps until it is let, so that it is known what waits."""
    gate: SimpleQueue[None] = SimpleQueue()
    turn = Engine._turn  # pyright: ignore[reportPrivateUsage] -- what is to wait

    def turned(self: Engine, begun: Any) -> Any:
        gate.get()
        return turn(self, begun)

    monkeypatch.setattr(Engine, "_turn", turned)
    told: list[SimpleQueue[Delta | BaseException]] = [SimpleQueue() for _ in range(4)]
    engine = Engine(tiny, device=fh.HOST, tokens=16, sequences=1, pages=8, page=16, waiting=3)
    try:
        sampling = Sampling(max_tokens=2, temperature=0, ignore_eos=True)
        requests = [engine.submit([5 + n], sampling, told[n].put) for n in range(3)]
        with pytest.raises(Overloaded, match="3 requests wait already"):
            engine.submit([9], sampling, told[3].put)
        assert (engine.figures.requests, engine.figures.prompt_tokens) == (3, 3)
        assert not engine.drain(0.01)
        with pytest.raises(EngineError, match=r"has stopped$"):
            engine.submit([9], sampling, told[3].put)
        requests[2].cancel()
        for _ in range(20):
            gate.put(None)
        assert engine.drain(60.0)
        assert engine.figures.finished == {"cancelled": 1, "length": 2}
        assert (engine.figures.steps, engine.figures.generated_tokens) == (4, 4)
        for queue in told[:2]:
            first, second = cast(list[Delta], [queue.get_nowait(), queue.get_nowait()])
            assert (len(first.tokens), first.reason, second.reason) == (1, None, "length")
            assert (first.logprobs, first.reused) == ((), 0)
            assert queue.empty()
        assert told[2].empty()
        assert told[3].empty()
    finally:
        gate.put(None)
        engine.close()
    assert not engine.healthy
    assert engine.drain()
    engine.close()


def test_who_waits_at_the_end_is_told_of_it(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Engine, "_work", lambda _self: False)
    engine = Engine(tiny, device=fh.HOST, tokens=16, sequences=1, pages=8)
    told: list[SimpleQueue[Delta | BaseException]] = [SimpleQueue(), SimpleQueue()]
    requests = [engine.submit([1], Sampling(), queue.put) for queue in told]
    requests[1].cancel()
    engine.close()
    error = told[0].get_nowait()
    assert isinstance(error, EngineError)
    assert str(error) == "the engine was closed"
    assert told[0].empty()
    assert told[1].empty()


def test_why_an_answer_ended(engine: Engine) -> None:
    (letter,) = engine.tokenizer.encode("Z")
    always: dict[str, Any] = {"temperature": 0, "logit_bias": {letter: 100.0}}
    found = engine.generate(["ab"], Sampling(max_tokens=3, **always))[0]
    assert (found.text, found.tokens, found.reason) == ("ZZZ", (letter,) * 3, "length")
    assert (found.prompt_tokens, found.logprobs) == (2, ())
    end = min(engine.config.ends)
    ended = engine.generate(["ab"], Sampling(max_tokens=3, temperature=0, logit_bias={end: 100.0}))[0]
    assert (ended.text, ended.tokens, ended.reason) == ("", (end,), "stop")
    ignored = engine.generate(["ab"], Sampling(max_tokens=2, temperature=0, logit_bias={end: 100.0}, ignore_eos=True))
    assert (ignored[0].tokens, ignored[0].reason) == ((end, end), "length")
    last = engine.generate(["ab"], Sampling(max_tokens=1, temperature=0, logit_bias={end: 100.0}))[0]
    assert last.reason == "stop"
    told = engine.generate(["ab"], Sampling(max_tokens=2, logprobs=0, **always))[0]
    assert [len(best) for _, best in told.logprobs] == [0, 0]
    assert all(value <= 0 for value, _ in told.logprobs)


def test_an_answer_is_held_to_what_may_follow(engine: Engine) -> None:
    """Each token is told before the next one is chosen, and only those that may come are."""

    class Alternating:
        accepted: ClassVar[list[int]] = []

        def mask(self, row: Any) -> None:
            kept = row[7 + len(self.accepted) % 2]
            row[:] = -np.inf
            row[7 + len(self.accepted) % 2] = kept

        def accept(self, token: int) -> None:
            self.accepted.append(token)

    told: SimpleQueue[Delta | BaseException] = SimpleQueue()
    given = Sampling(max_tokens=4, temperature=0, ignore_eos=True)
    engine.submit([5, 6], given, told.put, cast(Any, Alternating()))
    deltas = cast(list[Delta], [told.get(timeout=60) for _ in range(4)])
    assert [token for delta in deltas for token in delta.tokens] == [7, 8, 7, 8]
    assert Alternating.accepted == [7, 8, 7, 8]


@pytest.mark.parametrize(
    ("model", "said"),
    [("nowhere", "there is no folder"), ("./a/b", "there is no folder"), ("/a/b", "there is no folder")],
)
def test_names_that_are_no_models(model: str, said: str) -> None:
    for given in (model, Path(model)):
        with pytest.raises(ModelError, match=said):
            Engine(given)


def test_a_name_of_the_hub(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def snapshot_download(name: str, allow_patterns: list[str]) -> str:
        asked.append((name, allow_patterns))
        if name != "of/mine":
            raise OSError("nothing there")
        return str(tiny)

    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=snapshot_download))
    with Engine("of/mine", device=fh.HOST, tokens=16, sequences=1, pages=8) as engine:
        assert engine.name == "of/mine"
    with pytest.raises(ModelError, match="other/one is no folder, and cannot be had from the hub: nothing there"):
        Engine("other/one", device=fh.HOST)
    assert asked[0] == ("of/mine", ["*.json", "*.safetensors", "*.jinja"])


@pytest.mark.parametrize(
    ("left", "share", "pages"),
    [
        (None, 0.9, 32),
        ((10240, 1), 0.9, 9),
        ((1024, 1), 1.0, 1),
        ((1023, 1), 1.0, None),
        ((1 << 30, 1), 0.9, 32),
        ((1 << 40, 1), 0.9, 32),
    ],
)
def test_as_many_pages_as_fit(
    left: tuple[int, int] | None, share: float, pages: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = SimpleNamespace(positions=120, kv_heads=2, head=16)
    model = SimpleNamespace(config=config, sequences=4, page_bytes=lambda: 1024)
    runner: Any = SimpleNamespace(model=model, page=16, on_host=left is None, device=0)
    monkeypatch.setattr(fh, "memory_left", lambda _: left)
    fitting = partial_of(Runner, "_pages_that_fit")
    if pages is None:
        with pytest.raises(ModelError, match="no room for a page"):
            fitting(runner, share)
        return
    assert fitting(runner, share) == pages
    config.positions = 10**9
    model.sequences = 1000
    most = 256 if left is None else min(int(left[0] * share) // 1024, (2**31 - 1) // (16 * 2 * 2 * 16))
    assert fitting(runner, share) == most


@pytest.mark.parametrize(
    ("lengths", "asked"),
    [
        ([1], (1, 1, 1, 11)),
        ([1] * 5, (5, 5, 1, 11)),
        ([7], (7, 1, 7, 17)),
        ([1, 7], (8, 5, 7, 17)),  # four that are alone, of which three say nothing, and one that is not
        ([1, 1, 1, 1, 2], (6, 5, 2, 12)),
        ([1, 1, 1, 1, 1, 2, 3], (10, 10, 3, 13)),
    ],
)
def test_the_shape_that_a_step_asks_for(lengths: list[int], asked: tuple[int, ...]) -> None:
    """Tokens, sequences with room for those that are alone, the longest share, and the end of the longest sequence."""
    told: list[Any] = []
    filled: list[Any] = []
    choice = SimpleNamespace(fill=lambda given: filled.append([end for _, _, end in given]))
    inputs = SimpleNamespace(choice=choice, fill=lambda shares: filled.append(shares), numbers=np.zeros(1), alone=0)
    runner = SimpleNamespace(
        _turn=0,
        _shape=lambda *of: told.append(of) or Shape(*of[:3]),
        _numbers=lambda shape: inputs,
        _batch=lambda shape: shape,
        _go=lambda batch, order: order,
        ranks=SimpleNamespace(tell=told.append),
    )
    plan = Plan()
    for length in lengths:
        sequence = Sequence([5] * (10 + length), Sampling(temperature=0), 0)
        plan.append(Planned(sequence, 10, length))
    begun = partial_of(Runner, "begin")(runner, plan)
    assert told[0] == asked
    assert filled[0] == [10 + length for length in lengths]
    assert [(len(share.ids), share.first) for share in filled[1]] == [(length, 10) for length in lengths]
    assert told[1:] == [begun.flight]
    assert runner._turn == 1
    assert begun.ways == Ways(False, False)


def partial_of(kind: type, name: str) -> Callable[..., Any]:
    """A method of a class, for who only looks like one of it."""
    return vars(kind)[name]


def test_sizes_in_bytes(engine: Engine) -> None:
    assert not engine.runner.graphs, "there is nothing to replay on the host"
    assert [size_of(d) for d in (fh.f32, fh.bf16, fh.f16)] == [4, 2, 2]
    assert engine.runner.model.page_bytes() == 1 * 16 * 2 * 2 * 16 * 4
    assert most_split([100000], 4096, 4096, 2) == 1
    assert most_split([1, 16], 64, 65536, 2) == 16 * 64 * 8
    for wrong in ("int8", ""):
        with pytest.raises(ModelError, match="weights are made 'fp8', or stay as they are"):
            Runner(Path(), engine.config, Setup(device=fh.HOST, weights=wrong), engine.runner.ranks)


def test_what_a_model_is_run_with_where_nobody_says() -> None:
    assert Setup() == Setup(None, 2048, 64, None, None, 0.9, True, None, True)
    asked = signature(Engine).parameters
    assert {name: asked[name].default for name in Setup._fields} == Setup()._asdict()
    assert asked["waiting"].default == 1024, "requests"


# --- Models -----------------------------------------------------------------------------------------------------------


def config_of(folder: Path, **changes: Any) -> Config:
    given = {**demo.SETTINGS, **changes}
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps({k: v for k, v in given.items() if v is not None}), "utf-8")
    return Config.read(folder)


def test_a_configuration_is_read(tmp_path: Path) -> None:
    found = config_of(tmp_path, rope_theta=100.0)
    assert (found.architecture, found.hidden, found.feed, found.layers) == ("Qwen3ForCausalLM", 64, 128, 2)
    assert (found.heads, found.kv_heads, found.head, found.group, found.norm_heads) == (4, 2, 16, 2, True)
    assert (found.vocabulary, found.positions, found.eps, found.tied) == (384, 512, 1e-6, True)
    assert (found.dtype, found.ends, found.experts, found.chosen, found.expert_feed) == (fh.f32, {1}, 0, 0, 0)
    assert np.allclose(found.frequencies, [100.0 ** (-i / 8) for i in range(8)])
    silent: dict[str, Any] = dict.fromkeys(("head_dim", "rope_theta", "dtype", "tie_word_embeddings"))
    other = config_of(tmp_path, **silent, architectures=["LlamaForCausalLM"])
    assert (other.head, other.dtype, other.tied, other.norm_heads) == (16, fh.bf16, False, False)
    assert np.isclose(other.frequencies[1], 10000.0 ** (-1 / 8))
    assert config_of(tmp_path, dtype=None, torch_dtype="float16").dtype == fh.f16
    assert config_of(tmp_path, rope_parameters={"rope_theta": 16.0}, rope_theta=None).frequencies[4] == 0.25
    shared = found.share(2)
    assert (shared.heads, shared.kv_heads, shared.feed, shared.hidden, shared.head) == (2, 1, 64, 64, 16)
    with pytest.raises(ModelError, match="`kv_heads` = 2 cannot be shared by 4"):
        found.share(4)


@pytest.mark.parametrize(
    ("ends", "generation", "found"),
    [(1, None, {1}), ([1, 2], None, {1, 2}), (None, None, set()), (1, 5, {5}), (1, [6, 7], {6, 7}), (1, {}, {1})],
)
def test_which_tokens_end_a_text(ends: Any, generation: Any, found: set[int], tmp_path: Path) -> None:
    if generation is not None:
        said = {} if generation == {} else {"eos_token_id": generation}
        (tmp_path / "generation_config.json").write_text(json.dumps(said), "utf-8")
    assert config_of(tmp_path, eos_token_id=ends).ends == found


@pytest.mark.parametrize(
    ("given", "theta"),
    [
        ({}, 10000.0),
        ({"rope_theta": 81.0}, 81.0),
        ({"rope_parameters": {"rope_theta": 16.0}}, 16.0),
        ({"rope_scaling": {"rope_theta": 256.0}, "rope_parameters": None}, 256.0),
        ({"rope_theta": 81.0, "rope_scaling": None, "rope_parameters": {"rope_theta": 16.0}}, 81.0),
        ({"rope_scaling": {"rope_theta": 256.0}, "rope_parameters": {"rope_theta": 16.0}}, 16.0),
    ],
)
def test_where_the_slowness_of_positions_comes_from(given: dict[str, Any], theta: float) -> None:
    assert vars(config_file)["_frequencies"](given, 6) == pytest.approx((1.0, theta ** (-1 / 3), theta ** (-2 / 3)))


def test_positions_that_are_stretched(tmp_path: Path) -> None:
    """Turns in the original length: at most `low` are slower by the factor, at least `high` stay."""
    rope = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
    plain = config_of(tmp_path, rope_theta=16.0, head_dim=8).frequencies
    found = config_of(
        tmp_path, rope_theta=16.0, head_dim=8, rope_scaling={**rope, "original_max_position_embeddings": 8 * pi}
    ).frequencies
    turns = [f * 4 for f in plain]  # 4, 2, 1, 0.5
    assert np.allclose(turns, [4, 2, 1, 0.5])
    between = 2 / 3 * plain[1] / 8 + 1 / 3 * plain[1]
    assert np.allclose(found, [plain[0], between, plain[2] / 8, plain[3] / 8])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"head_dim": 15}, "heads of 15 elements do not fit together"),
        ({"attention_bias": True}, "`attention_bias` = True is not known, only with False"),
        ({"mlp_bias": True}, "`mlp_bias` = True"),
        ({"vocab_size": None}, "does not say 'vocab_size'"),
        ({"architectures": []}, "is a model without a name; known are"),
        ({"architectures": ["Qwen3MoeForCausalLM"], "mlp_only_layers": [1]}, "only some layers have experts"),
        ({"architectures": ["Qwen3MoeForCausalLM"], "decoder_sparse_step": 2}, "only some layers have experts"),
    ],
)
def test_configurations_that_are_not_known(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        config_of(tmp_path, **changes)
    assert said in str(caught.value)
    (tmp_path / "config.json").write_text("[]", "utf-8")
    with pytest.raises(ModelError, match="holds no JSON object"):
        Config.read(tmp_path)


def test_a_configuration_with_experts(tmp_path: Path) -> None:
    given = {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "decoder_sparse_step": 1}
    found = config_of(tmp_path, architectures=["Qwen3MoeForCausalLM"], **given)
    assert (found.experts, found.chosen, found.expert_feed, found.normalised) == (8, 2, 32, False)
    assert config_of(tmp_path, architectures=["Qwen3MoeForCausalLM"], **given, norm_topk_prob=True).normalised


# --- Texts ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def tokenizer(tiny: Path, tmp_path: Path) -> Tokenizer:
    """One of its own, with settings that may be changed."""
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((tiny / name).read_bytes())
    return Tokenizer(tmp_path)


def test_where_a_chat_template_comes_from(tokenizer: Tokenizer, tmp_path: Path) -> None:
    def text(found: Tokenizer, **options: Any) -> str:
        return found.decode(found.chat([{"role": "user", "content": "hi"}], **options))

    settings = json.loads((tmp_path / "tokenizer_config.json").read_text("utf-8"))
    named = [{"name": "rag", "template": "no"}, {"name": "default", "template": "{{ messages[0].content }}!"}]
    for template, found in (
        (named, "hi!"),
        ("{{ bos_token }}{{ eos_token }}", "<s>end"),
        (named[:1], None),
        (None, None),
    ):
        changed = {**settings, "chat_template": template, "bos_token": {"content": "<s>"}, "eos_token": "end"}
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(changed), "utf-8")
        made = Tokenizer(tmp_path)
        if found is not None:
            assert text(made) == found
            continue
        with pytest.raises(RequestError, match="this model has no chat template") as caught:
            made.chat([])
        assert caught.value.parameter == "messages"
    loop = "{% for m in messages %}\n    {{ m.content }}{% break %}\n{% endfor %}\n{{ tools | tojson }}"
    rest = "{{ add_generation_prompt }}{{ strftime_now('%d')|length }}{{ x }}"
    (tmp_path / "chat_template.jinja").write_text(loop + rest, "utf-8")
    assert text(Tokenizer(tmp_path), tools=["é"], x=5) == '    hi["é"]True25'
    (tmp_path / "tokenizer_config.json").unlink()
    assert Tokenizer(tmp_path).settings == {}
    (tmp_path / "tokenizer.json").write_text("{", "utf-8")
    with pytest.raises(ModelError, match="cannot be read"):
        Tokenizer(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match="there is no"):
        Tokenizer(tmp_path)


def test_what_may_be_a_stop_text_is_held_back(tokenizer: Tokenizer) -> None:
    def told(stops: list[str], text: str) -> list[str]:
        growing = Growing(tokenizer, stops)
        return [*(growing.add(t) for letter in text for t in tokenizer.encode(letter)), growing.rest()]

    assert told([], "abc") == ["a", "b", "c", ""]
    assert told(["bcd"], "abcxb") == ["a", "", "", "bcx", "", "b"]
    assert told(["bcd", "c"], "abcd") == ["a", "", "b", "", ""]
    assert told(["aab"], "aaabx") == ["", "", "a", "", "", ""]


def test_what_may_be_a_call_is_held_back() -> None:
    tools = ToolCalls()
    assert tools.add("a <") == ("a ", [])
    assert tools.add("b") == ("<b", [])
    assert tools.add(BEGIN[:-1]) == ("", [])
    assert tools.add(BEGIN[-1] + '{"name": 1}') == ("", [])
    text, (call,) = tools.add(END + " ")
    assert (text, call["index"], call["function"]) == ("", 0, {"name": "1", "arguments": "{}"})
    assert tools.add("z") == ("z", [])
    text, calls = tools.add(f'{BEGIN}{{"name": "f", "arguments": "x"}}{END}{BEGIN}[]{END}{BEGIN}{{"name": "g"}}{END}')
    assert text == f"{BEGIN}[]{END}"
    assert [(c["index"], c["function"]["name"], c["type"]) for c in calls] == [
        (1, "f", "function"),
        (2, "g", "function"),
    ]
    assert calls[0]["function"]["arguments"] == "x"
    assert len({c["id"] for c in tools.calls}) == 3
    assert tools.add(f"{BEGIN}x") == ("", [])
    assert (tools.rest(), tools.rest()) == (f"{BEGIN}x", "")
    assert ToolCalls().add("  ") == ("  ", [])  # spaces are left out between calls alone


def test_what_a_call_looks_like() -> None:
    found = tool_format({"a": {"x": 1}}, several=False)["format"]
    assert (found["stop_after_first"], found["at_least_one"], found["separator"]) == (True, True, "\n")
    assert tool_format({}, several=True)["format"]["stop_after_first"] is False
    (tag,) = found["tags"]
    assert (tag["begin"], tag["end"]) == ('<tool_call>\n{"name": "a", "arguments": ', "}\n</tool_call>")
    assert tag["content"] == {"type": "json_schema", "json_schema": {"x": 1}, "max_whitespace_cnt": 1}


# --- Answers of a form ------------------------------------------------------------------------------------------------


class Matcher:
    def __init__(self, compiled: Any):
        self.compiled = compiled
        self.accepted: list[int] = []

    def fill_next_token_bitmask(self, mask: Any) -> None:
        assert mask.shape == (1, 12)
        assert mask.dtype == np.int32
        mask[:] = 0
        mask[0, 0], mask[0, 11] = 0b101, -(1 << 31)

    def is_terminated(self) -> bool:
        return len(self.accepted) == 2

    def accept_token(self, token: int) -> None:
        self.accepted.append(token)


class Compiler:
    def __init__(self, info: Any):
        self.info = info
        self.asked: list[Any] = []

    def compile_structural_tag(self, given: str) -> Any:
        return self.compiled("calls", given)

    def compile_builtin_json_grammar(self) -> Any:
        return self.compiled("any")

    def compile_json_schema(self, given: str, any_whitespace: bool) -> Any:
        return self.compiled("json", given, any_whitespace)

    def compiled(self, *asked: Any) -> Any:
        self.asked.append(asked)
        if "bad" in str(asked):
            raise ValueError("no such thing\nat all")
        return asked


def test_forms_are_compiled_once_and_masked_by_bits(tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for xgrammar says what it is asked."""
    config: Any = SimpleNamespace(vocabulary=384, ends=frozenset([3, 1]))
    grammars = Grammars(config, tokenizer)
    monkeypatch.setitem(sys.modules, "xgrammar", None)
    with pytest.raises(RequestError, match="need xgrammar") as caught:
        grammars.of_json(None)
    assert caught.value.parameter == "response_format"
    kinds = SimpleNamespace(BYTE_LEVEL="bytes")
    library = SimpleNamespace(
        TokenizerInfo=lambda *a, **k: (a, k), VocabType=kinds, GrammarCompiler=Compiler, GrammarMatcher=Matcher
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "xgrammar", library)
    first: Any = grammars.of_json({"b": 1, "a": 2})
    grammars.of_json({"a": 2, "b": 1})
    compiler = vars(grammars)["_compiler"]
    assert compiler.asked == [("json", '{"a": 2, "b": 1}', False)]
    (words, kind), said = compiler.info
    assert (len(words), kind, said) == (384, "bytes", {"vocab_size": 384, "stop_token_ids": [1, 3]})
    assert words[:2] == ["<|im_start|>", "<|im_end|>"]
    grammars.of_json(None)
    grammars.of_calls({"f": {}}, True)
    assert compiler.asked[1:] == [("any",), ("calls", json.dumps(tool_format({"f": {}}, True)))]
    for ask, parameter in ((lambda: grammars.of_json({"bad": 1}), "response_format"),
                           (lambda: grammars.of_calls({"bad": {}}, False), "tools")):  # fmt: skip
        with pytest.raises(RequestError, match=r"can follow: no such thing$") as caught:
            ask()
        assert caught.value.parameter == parameter
    row = np.ones(384)
    first.mask(row)
    assert np.flatnonzero(np.isfinite(row)).tolist() == [0, 2, 383]
    assert row[0] == 1
    short = np.ones(2)
    first.mask(short)
    assert short.tolist() == [1, -np.inf]
    for token in (7, 8, 9):
        first.accept(token)
    assert vars(first)["_matcher"].accepted == [7, 8]
