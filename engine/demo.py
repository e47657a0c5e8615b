"""A tiny model with random weights, for trying out the engine where there is no GPU and no model."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

TEMPLATE: Final = """\
{%- for message in messages %}
<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}
{%- if tools %}
<|im_start|>system
Tools: {{ tools | tojson }}<|im_end|>
{% endif %}
{%- if add_generation_prompt %}
<|im_start|>assistant
{% endif %}"""

SETTINGS: Final[dict[str, Any]] = {
    "architectures": ["Qwen3ForCausalLM"],
    "model_type": "qwen3",
    "hidden_act": "silu",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "vocab_size": 384,
    "max_position_embeddings": 512,
    "rms_norm_eps": 1e-6,
    "rope_theta": 1e6,
    "tie_word_embeddings": True,
    "dtype": "float32",
    "eos_token_id": 1,
}
"""The configuration of the tiny model: as published ones, and small."""


def make(folder: Path, *, seed: int = 0, **settings: Any) -> Path:
    """
    Writes a model with random weights to `folder`: config.json, model.safetensors, tokenizer.json and its settings.

    `settings` replace those of config.json. Weights are normal, 0.25 wide; those of norms are 1.
    """
    folder.mkdir(parents=True, exist_ok=True)
    config = {**SETTINGS, **settings}
    (folder / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
    _tokenizer(folder, config["vocab_size"])
    rng = np.random.default_rng(seed)
    weights = {name: _weight(rng, name, shape) for name, shape in shapes(config).items()}
    safetensors: Any = import_module("safetensors.numpy")
    if config["dtype"] == "bfloat16":
        bfloat16 = import_module("ml_dtypes").bfloat16
        weights = {name: w.astype(bfloat16) for name, w in weights.items()}
    safetensors.save_file(weights, folder / "model.safetensors")
    return folder


def shapes(config: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """The tensors of a model, by the names that published ones have."""
    hidden, feed, head = config["hidden_size"], config["intermediate_size"], config["head_dim"]
    q, kv = config["num_attention_heads"] * head, config["num_key_value_heads"] * head
    found: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (config["vocab_size"], hidden)}
    for n in range(config["num_hidden_layers"]):
        at = f"model.layers.{n}."
        for name, rows in (("q", q), ("k", kv), ("v", kv)):
            found[f"{at}self_attn.{name}_proj.weight"] = (rows, hidden)
        found[f"{at}self_attn.o_proj.weight"] = (hidden, q)
        if "Qwen3" in config["architectures"][0]:
            found |= {f"{at}self_attn.{name}_norm.weight": (head,) for name in "qk"}
        found |= {f"{at}{name}_layernorm.weight": (hidden,) for name in ("input", "post_attention")}
        found |= _fed(config, at, hidden, feed)
    found["model.norm.weight"] = (hidden,)
    if not config["tie_word_embeddings"]:
        found["lm_head.weight"] = (config["vocab_size"], hidden)
    return found


def _fed(config: dict[str, Any], at: str, hidden: int, feed: int) -> dict[str, tuple[int, ...]]:
    if "num_experts" not in config:
        return _products(f"{at}mlp.", hidden, feed)
    found = {f"{at}mlp.gate.weight": (config["num_experts"], hidden)}
    for e in range(config["num_experts"]):
        found |= _products(f"{at}mlp.experts.{e}.", hidden, config["moe_intermediate_size"])
    return found


def _products(at: str, hidden: int, feed: int) -> dict[str, tuple[int, ...]]:
    return {
        f"{at}gate_proj.weight": (feed, hidden),
        f"{at}up_proj.weight": (feed, hidden),
        f"{at}down_proj.weight": (hidden, feed),
    }


def _weight(rng: np.random.Generator, name: str, shape: tuple[int, ...]) -> Any:
    if "norm" in name:
        return (1 + 0.1 * rng.standard_normal(shape)).astype(np.float32)
    return (0.25 * rng.standard_normal(shape)).astype(np.float32)


def _tokenizer(folder: Path, vocabulary: int) -> None:
    """A tokenizer of bytes, with the tokens that begin and end messages."""
    t: Any = import_module("tokenizers")
    found = t.Tokenizer(t.models.BPE())
    found.pre_tokenizer = t.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    found.decoder = t.decoders.ByteLevel()
    special = ["<|im_start|>", "<|im_end|>"]
    trainer = t.trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=special,
        initial_alphabet=t.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    found.train_from_iterator(["user assistant system"], trainer)
    found.save(str(folder / "tokenizer.json"))
    settings = {"chat_template": TEMPLATE, "eos_token": "<|im_end|>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2), encoding="utf-8")
