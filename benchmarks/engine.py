"""
The engine on a GPU with random weights of a real model's sizes: its tokens beside those of transformers, and its speed.

    python -m benchmarks.engine --size 0.6B
"""

# What torch, transformers and safetensors have is of no types here.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import freehold as fh
from freehold.engine import Engine, Sampling, demo

SIZES: dict[str, dict[str, Any]] = {
    "tiny": {"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 2, "num_attention_heads": 4},
    "0.6B": {"hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 28, "num_attention_heads": 16},
    "4B": {"hidden_size": 2560, "intermediate_size": 9728, "num_hidden_layers": 36, "num_attention_heads": 32},
    "8B": {
        "hidden_size": 4096,
        "intermediate_size": 12288,
        "num_hidden_layers": 36,
        "num_attention_heads": 32,
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


def made(folder: Path, size: str) -> Path:
    """Writes a model of a size, with random weights that leave activations near 1. They are made on the GPU."""
    torch: Any = import_module("torch")
    settings = {**demo.SETTINGS, **SHARED, **SIZES[size]}
    if size == "tiny":
        settings |= {"vocab_size": 1024, "num_key_value_heads": 2}
    folder.mkdir(parents=True, exist_ok=True)
    demo.make(folder)  # for its tokenizer
    (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    weights: dict[str, Any] = {}
    for name, shape in demo.shapes(settings).items():
        weight = torch.ones(shape) if "norm" in name else torch.randn(shape, device="cuda") * shape[-1] ** -0.5
        weights[name] = weight.to(torch.bfloat16).cpu()
    import_module("safetensors.torch").save_file(weights, folder / "model.safetensors")
    return folder


def _transformers() -> Any:
    """The library, imported without the checkout's root on the path: it looks for `kernels`, and would find ours."""
    root, before = Path(__file__).resolve().parents[1], list(sys.path)
    sys.path[:] = [p for p in before if Path(p or ".").resolve() != root]
    try:
        import_module("transformers.activations")
        return import_module("transformers")
    finally:
        sys.path[:] = before


def compared(folder: Path, engine: Engine, prompts: list[list[int]], count: int) -> None:
    """Prints after how many greedy tokens ours and those of transformers part, if they do."""
    torch: Any = import_module("torch")
    transformers = _transformers()
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).cuda().eval()
    ours = engine.generate(prompts, Sampling(max_tokens=count, temperature=0, ignore_eos=True))
    for prompt, found in zip(prompts, ours, strict=True):
        whole = torch.tensor([prompt + list(found.tokens)], device="cuda")
        with torch.no_grad():
            logits = model(whole).logits[0, len(prompt) - 1 : -1].float()
        best = logits.argmax(-1).tolist()
        same = sum(a == b for a, b in zip(best, found.tokens, strict=True))
        short = [float(row.max() - row[t]) for row, t in zip(logits, found.tokens, strict=True)]
        print(
            f"  {len(prompt)} + {count} tokens: {same} of {count} are transformers' own, others {max(short):.4f} below"
        )


def rate(engine: Engine, prompts: list[list[int]], count: int) -> float:
    """Tokens a second of answers to prompts that were seen before: decoding alone, nearly."""
    sampling = Sampling(max_tokens=count, temperature=0, ignore_eos=True)
    engine.generate(prompts, sampling)
    began = time.perf_counter()
    engine.generate(prompts, sampling)
    return len(prompts) * count / (time.perf_counter() - began)


def main() -> None:
    """Makes a model, runs it, and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="0.6B")
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--no-check", action="store_true", help="do not compare with transformers")
    given = parser.parse_args()
    if not fh.gpu_available():
        parser.error("there is no GPU")
    with tempfile.TemporaryDirectory() as temporary:
        began = time.perf_counter()
        folder = made(Path(temporary) / given.size, given.size)
        print(f"{given.size}: weights made in {time.perf_counter() - began:.1f} s", flush=True)
        began = time.perf_counter()
        with Engine(folder, sequences=64, memory=0.5) as engine:
            engine.generate([[1, 2, 3]], Sampling(max_tokens=4, temperature=0, ignore_eos=True))
            print(f"  from the folder to the first answer: {time.perf_counter() - began:.1f} s", flush=True)
            words = engine.config.vocabulary
            prompts = [[(7919 * (n + 1) * (t + 1)) % words for t in range(100 + n)] for n in range(given.batch)]
            if not given.no_check:
                compared(folder, engine, prompts[:2], min(32, given.tokens))
            print(f"  one at a time: {rate(engine, prompts[:1], given.tokens):.1f} tokens a second", flush=True)
            print(f"  {given.batch} at a time: {rate(engine, prompts, given.tokens):.1f} tokens a second", flush=True)
            long = [(104729 * t) % words for t in range(8000)]
            began = time.perf_counter()
            engine.generate([long], Sampling(max_tokens=1, temperature=0))
            print(f"  a prompt of 8000 tokens: {8000 / (time.perf_counter() - began):.0f} tokens a second", flush=True)


if __name__ == "__main__":
    main()
