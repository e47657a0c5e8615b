"""
The engine on a GPU with random weights of a real model's sizes: its tokens beside those of transformers, and its speed.

    python -m benchmarks.engine --size 0.6B
    python -m benchmarks.engine --size 8B --many 64 1024 256

Weights are made on the GPU, each by a seed of its name, so that no file holds them and transformers has the same.
"""

# What torch and transformers have is of no types here.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from importlib import import_module
from math import ceil
from pathlib import Path
from typing import Any
from unittest.mock import patch
from zlib import crc32

import freehold as fh
from benchmarks.gpu import seconds
from freehold.engine import Engine, Sampling, demo
from freehold.engine.command import Seen
from freehold.engine.errors import ModelError
from freehold.engine.weights import Checkpoint

SIZES: dict[str, dict[str, Any]] = {
    "tiny": {
        "hidden_size": 256,
        "intermediate_size": 512,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "vocab_size": 1024,
        "num_key_value_heads": 2,
    },
    "0.6B": {"hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 28, "num_attention_heads": 16},
    "4B": {"hidden_size": 2560, "intermediate_size": 9728, "num_hidden_layers": 36, "num_attention_heads": 32},
    "8B": {
        "hidden_size": 4096,
        "intermediate_size": 12288,
        "num_hidden_layers": 36,
        "num_attention_heads": 32,
        "tie_word_embeddings": False,
    },
    "32B": {
        "hidden_size": 5120,
        "intermediate_size": 25600,
        "num_hidden_layers": 64,
        "num_attention_heads": 64,
        "tie_word_embeddings": False,
    },
    "30B-A3B": {
        "architectures": ["Qwen3MoeForCausalLM"],
        "model_type": "qwen3_moe",
        "hidden_size": 2048,
        "intermediate_size": 6144,
        "num_hidden_layers": 48,
        "num_attention_heads": 32,
        "num_key_value_heads": 4,
        "num_experts": 128,
        "num_experts_per_tok": 8,
        "moe_intermediate_size": 768,
        "norm_topk_prob": True,
        "tie_word_embeddings": False,
    },
}
"""The sizes of Qwen3's models, as their config.json has them; heads of 128 elements, eight of keys."""

SHARED: dict[str, Any] = {
    "vocab_size": 151936,
    "head_dim": 128,
    "num_key_value_heads": 8,
    "max_position_embeddings": 40960,
    "dtype": "bfloat16",
}


def made(folder: Path, size: str, **other: Any) -> Path:
    """Writes what a model's folder has besides weights; `other` replaces settings of the size."""
    demo.make(folder)  # for its tokenizer
    (folder / "model.safetensors").unlink()
    settings = {**demo.SETTINGS, **SHARED, **SIZES[size], **other}
    (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder


def weight(name: str, shape: Sequence[int]) -> Any:
    """A tensor of torch on the GPU, in bf16, that leaves activations near 1; the same for the same name."""
    torch: Any = import_module("torch")
    if "norm" in name:
        return torch.ones(*shape, device="cuda", dtype=torch.bfloat16)
    by = torch.Generator(device="cuda").manual_seed(crc32(name.encode()))
    return torch.empty(*shape, device="cuda", dtype=torch.bfloat16).normal_(0, shape[-1] ** -0.5, generator=by)


class Made(Checkpoint):
    """A checkpoint without files, of `weight`."""

    def __init__(self, folder: Path, device: int | None, share: tuple[int, int] = (0, 1), narrow: bool = False):
        self.folder, self.device, self.narrow, self.files = folder, device, narrow, ExitStack()
        if share != (0, 1):
            raise ModelError("weights that are made are of one process")

    def _pieces(self, name: str, shape: tuple[int, ...], shared: int | None) -> Iterator[Any]:
        yield weight(name, shape)

    def _brought(self, piece: Any, dtype: Any) -> Any:
        return fh.from_dlpack(piece).astype(dtype)


@contextmanager
def engine_of(size: str, given: dict[str, Any] | None = None, **options: Any) -> Generator[Engine]:
    """An engine of random weights; `given` replaces settings of the size, and `options` are the engine's."""
    with tempfile.TemporaryDirectory() as temporary, patch("freehold.engine.model.Checkpoint", Made):
        folder = made(Path(temporary) / size, size, **(given or {}))
        with Engine(folder, **options) as engine:
            yield engine


def transformers_of(size: str, **other: Any) -> Any:
    """The same model of transformers."""
    torch: Any = import_module("torch")
    transformers = _transformers()
    given = {**demo.SETTINGS, **SHARED, **SIZES[size], **other}
    config = transformers.AutoConfig.for_model(**given)
    with torch.device("meta"):
        model = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    rotary = type(model.model.rotary_emb)(config).cuda()
    model = model.to_empty(device="cuda").eval()
    model.model.rotary_emb = rotary  # of no weights, but computed when it is made
    for name, tensor in model.state_dict().items():
        if name != "lm_head.weight" or not config.tie_word_embeddings:
            tensor.copy_(weight(name, tensor.shape))
    model.tie_weights()
    return model


def _transformers() -> Any:
    """The library, imported without the checkout's root on the path: it looks for `kernels`, and would find ours."""
    root, before = Path(__file__).resolve().parents[1], list(sys.path)
    sys.path[:] = [p for p in before if Path(p or ".").resolve() != root]
    try:
        import_module("transformers.activations")
        return import_module("transformers")
    finally:
        sys.path[:] = before


def compared(model: Any, prompts: list[list[int]], found: list[tuple[int, ...]]) -> None:
    """Prints how many tokens that we chose greedily are those of transformers' model, and how far below others are."""
    torch: Any = import_module("torch")
    for prompt, tokens in zip(prompts, found, strict=True):
        whole = torch.tensor([prompt + list(tokens)], device="cuda")
        with torch.no_grad():
            logits = model(whole).logits[0, len(prompt) - 1 : -1].float()
        best = logits.argmax(-1).tolist()
        same = sum(a == b for a, b in zip(best, tokens, strict=True))
        short = [float(row.max() - row[t]) for row, t in zip(logits, tokens, strict=True)]
        print(
            f"  {len(prompt)} + {len(tokens)} tokens: {same} are transformers' own, others {max(short):.4f} below",
            flush=True,
        )


def prompts_of(engine: Engine, count: int, length: int) -> list[list[int]]:
    """Prompts of a length, each another."""
    words = engine.config.vocabulary
    return [[(7919 * (n + 1) * (t + 1)) % words for t in range(length)] for n in range(count)]


def rate(engine: Engine, count: int, tokens: int, length: int) -> float:
    """
    Tokens a second that so many sequences decode at a time, whose prompts have `length` tokens.

    What two answers of different lengths to prompts that are in the cache differ by is decoding alone.
    """
    prompts = prompts_of(engine, count, length)
    for prompt in prompts:
        engine.generate([prompt], greedy(1))
    few = tokens // 4
    times = [[_seconds(engine, prompts, n) for n in (few, tokens)] for _ in range(3)]
    return count * (tokens - few) / (min(t[1] for t in times) - min(t[0] for t in times))


def bound(engine: Engine, count: int, length: int, tokens: int) -> float:
    """
    Seconds that the same work takes at least: cuBLAS's products of whole steps of prompts, and then of steps in which
    each has one token, which read the caches and the head as fast as memory is copied.
    """
    torch: Any = import_module("torch")
    c, step = engine.config, engine.runner.model.tokens
    if c.experts:
        raise ModelError("products of experts have no such bound")
    a = torch.randn(1 << 28, device="cuda", dtype=torch.bfloat16)
    b = torch.empty_like(a)
    byte = seconds(torch, lambda: torch.neg(a, out=b), 20, ahead=True) / (4 * a.numel())
    cache = 4 * c.kv_heads * c.head * c.layers * sum(count * (length + t) for t in range(tokens))
    head = 2 * tokens * c.vocabulary * c.hidden
    del a, b
    prompts, answers = _layers(engine, step), _layers(engine, count)
    found = prompts(count * length * c.layers // step) + answers(tokens * c.layers)
    return found + byte * (cache + head)


def _layers(engine: Engine, rows: int) -> Callable[[int], float]:
    """
    A function that lets cuBLAS do the products of so many layers with so many rows, and tells how long it took. It is
    to be asked for as many as the engine has: after a second of products a GPU is at its limit of power, and slower.
    """
    torch: Any = import_module("torch")
    c, different = engine.config, 4  # layers: their weights are more than the L2 cache holds
    attended = c.heads * c.head
    shapes = [(attended + 2 * c.kv_heads * c.head, c.hidden), (c.hidden, attended)]
    shapes += [(2 * c.feed, c.hidden), (c.hidden, c.feed)]
    here: dict[str, Any] = {"device": "cuda", "dtype": torch.bfloat16}
    products = [
        (torch.randn(rows, k, **here), torch.randn(n, k, **here) * k**-0.5, torch.empty(rows, n, **here))
        for _ in range(different)
        for n, k in shapes
    ]
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for recording in (False, True):
            torch.cuda.synchronize()
            with torch.cuda.graph(graph, stream=stream) if recording else nullcontext():
                for x, weight, y in products:
                    torch.matmul(x, weight.T, out=y)

    graph.replay()  # the first time takes longer
    torch.cuda.synchronize()

    def took(layers: int) -> float:
        times = layers * len(shapes) / len(products)  # which stay, for the graph works on them
        return seconds(torch, graph.replay, ceil(times), ahead=True) * times

    return took


def tell_many(engine: Engine, count: int, length: int, tokens: int) -> None:
    """Prints what so many prompts take that come at once, three times with others, beside the bound."""
    print(f"  {count} prompts of {length} tokens, {tokens} answered each", flush=True)
    words = engine.config.vocabulary
    for turn in range(3):
        prompts = [[(t + 131 * (turn + 1)) % words for t in p] for p in prompts_of(engine, count, length)]
        seen = Seen.of(engine, prompts, tokens)
        if len(seen.first) + len(seen.between) != count * tokens:
            raise AssertionError("an answer has another length")
        print("".join(f"    {line}\n" for line in seen.told()), end="", flush=True)
        least = bound(engine, count, length, tokens)
        print(f"    cuBLAS's products and copies: {least:.3f} s, {least / seen.took:.3f} of the time", flush=True)


def _seconds(engine: Engine, prompts: list[list[int]], tokens: int) -> float:
    began = time.perf_counter()
    engine.generate(prompts, greedy(tokens))
    return time.perf_counter() - began


def greedy(tokens: int) -> Sampling:
    """So many tokens, the likeliest ones."""
    return Sampling(max_tokens=tokens, temperature=0, ignore_eos=True)


def main() -> None:
    """Makes a model, runs it, and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="0.6B")
    parser.add_argument("--tokens", type=int, default=128, help="of each answer")
    parser.add_argument("--batch", type=int, nargs="*", default=[1, 32, 64])
    parser.add_argument("--prompt", type=int, default=129, help="tokens of the prompts of these")
    parser.add_argument(
        "--many",
        type=int,
        nargs=3,
        metavar=("COUNT", "PROMPT", "TOKENS"),
        help="only so many prompts at once, of so many tokens, answered with so many, beside cuBLAS's products",
    )
    parser.add_argument("--weights", choices=["fp8"])
    parser.add_argument("--no-check", action="store_true", help="do not compare with transformers")
    given = parser.parse_args()
    if not fh.gpu_available():
        parser.error("there is no GPU")
    began = time.perf_counter()
    sequences = given.many[0] if given.many else max(given.batch)
    with engine_of(given.size, sequences=sequences, memory=0.5, weights=given.weights) as engine:
        engine.generate([[1, 2, 3]], greedy(4))
        print(f"{given.size}: from nothing to the first answer: {time.perf_counter() - began:.1f} s", flush=True)
        if given.many:
            tell_many(engine, *given.many)
            return
        for count in given.batch:
            found = rate(engine, count, given.tokens, given.prompt)
            print(f"  {count} at a time: {found:.1f} tokens a second", flush=True)
        long = prompts_of(engine, 1, 8000)
        print(f"  a prompt of 8000 tokens: {8000 / _seconds(engine, long, 1):.0f} tokens a second", flush=True)
        prompts = prompts_of(engine, 2, 101)
        answers = [answer.tokens for answer in engine.generate(prompts, greedy(64))]
    if not given.no_check and given.weights is None:
        compared(transformers_of(given.size), prompts, answers)


if __name__ == "__main__":
    main()
