"""What a model's folder says of it: its sizes, and the few ways in which Qwen3, Qwen3-MoE and Llama differ."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from math import pi
from pathlib import Path
from typing import Any, Final, cast

import freehold as fh
from freehold.engine.errors import ModelError

DTYPES: Final = {"bfloat16": fh.bf16, "float16": fh.f16, "float32": fh.f32}
"""Dtypes of weights, by the names that config.json has for them."""

FAMILIES: Final = {"Qwen3ForCausalLM": True, "Qwen3MoeForCausalLM": True, "LlamaForCausalLM": False}
"""The architectures, and whether the heads of queries and keys are normalised."""


@dataclass(frozen=True)
class Config:
    """The sizes of a model, in elements, and its constants."""

    architecture: str
    hidden: int
    feed: int
    layers: int
    heads: int
    kv_heads: int
    head: int
    vocabulary: int
    positions: int
    """The longest sequence the model is made for, in tokens."""
    eps: float
    frequencies: tuple[float, ...]
    """By how much each pair of a head turns from one position to the next, in radians: head // 2 of them."""
    tied: bool
    """Whether the table of embeddings is that of the head, too."""
    dtype: Any
    ends: frozenset[int]
    """The tokens that end a text."""
    experts: int = 0
    """Experts of a layer; 0: one feed-forward for all tokens."""
    chosen: int = 0
    """Experts that see a token."""
    expert_feed: int = 0
    normalised: bool = True
    """Whether the weights of the chosen experts are made to sum to 1."""

    @property
    def norm_heads(self) -> bool:
        """Whether the heads of queries and keys are normalised."""
        return FAMILIES[self.architecture]

    @property
    def group(self) -> int:
        """Heads of queries that share one of keys."""
        return self.heads // self.kv_heads

    def share(self, count: int) -> Config:
        """What one of `count` processes has of it: as many of the heads, and of the width of the feed-forward."""
        for name in ("kv_heads", "feed", "expert_feed"):
            if getattr(self, name) % count:
                raise ModelError(f"`{name}` = {getattr(self, name)} cannot be shared by {count} processes")
        parts = {name: getattr(self, name) // count for name in ("heads", "kv_heads", "feed", "expert_feed")}
        return replace(self, **parts)

    @staticmethod
    def read(folder: Path) -> Config:
        """
        The configuration of the model in `folder`, from its config.json and generation_config.json.

        Raises `ModelError` for files that are missing or are no JSON, and for models that are not known.
        """
        given = document(folder / "config.json")
        (name,) = given.get("architectures") or [""]
        if name not in FAMILIES:
            raise ModelError(f"{folder} is a {name or 'model without a name'}; known are {', '.join(sorted(FAMILIES))}")
        try:
            return _made(name, given, folder)
        except KeyError as missing:
            raise ModelError(f"{folder / 'config.json'} does not say {missing}") from None


def document(path: Path) -> dict[str, Any]:
    """A JSON object in a file. Raises `ModelError` if there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(f"there is no {path}") from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read: {error}") from None
    if not isinstance(found, dict):
        raise ModelError(f"{path} holds no JSON object")
    return cast(dict[str, Any], found)


def _made(name: str, given: dict[str, Any], folder: Path) -> Config:
    heads, kv = int(given["num_attention_heads"]), int(given["num_key_value_heads"])
    head = int(given.get("head_dim") or given["hidden_size"] // heads)
    dtype = str(given.get("dtype") or given.get("torch_dtype") or "bfloat16")
    if heads % kv or head % 2:
        raise ModelError(f"{heads} heads of queries, {kv} of keys and heads of {head} elements do not fit together")
    if dtype not in DTYPES:
        raise ModelError(f"weights of {dtype} are not known; known are {', '.join(DTYPES)}")
    for key, known in (("hidden_act", "silu"), ("attention_bias", False), ("mlp_bias", False)):
        if given.get(key, known) != known:
            raise ModelError(f"a model with `{key}` = {given[key]!r} is not known, only with {known!r}")
    moe = name == "Qwen3MoeForCausalLM"
    if moe and (given.get("mlp_only_layers") or given.get("decoder_sparse_step", 1) != 1):
        raise ModelError("models in which only some layers have experts are not known")
    return Config(
        architecture=name,
        hidden=int(given["hidden_size"]),
        feed=int(given["intermediate_size"]),
        layers=int(given["num_hidden_layers"]),
        heads=heads,
        kv_heads=kv,
        head=head,
        vocabulary=int(given["vocab_size"]),
        positions=int(given["max_position_embeddings"]),
        eps=float(given["rms_norm_eps"]),
        frequencies=_frequencies(given, head),
        tied=bool(given.get("tie_word_embeddings", False)),
        dtype=DTYPES[dtype],
        ends=_ends(given, folder),
        experts=int(given["num_experts"]) if moe else 0,
        chosen=int(given["num_experts_per_tok"]) if moe else 0,
        expert_feed=int(given["moe_intermediate_size"]) if moe else 0,
        normalised=bool(given.get("norm_topk_prob", False)),
    )


def _frequencies(given: dict[str, Any], head: int) -> tuple[float, ...]:
    rope: dict[str, Any] = {**(given.get("rope_scaling") or {}), **(given.get("rope_parameters") or {})}
    theta = float(given.get("rope_theta") or rope.get("rope_theta") or 10000.0)
    plain = [theta ** (-2 * i / head) for i in range(head // 2)]
    match rope.get("rope_type", rope.get("type", "default")):
        case "default":
            return tuple(plain)
        case "llama3":
            return tuple(_stretched(f, rope) for f in plain)
        case other:
            raise ModelError(f"positions of the kind {other!r} are not known; known are 'default' and 'llama3'")


def _stretched(frequency: float, rope: dict[str, Any]) -> float:
    """As Llama 3.1 does: slow turns are slower by a factor, fast ones stay, and those between are between."""
    factor, low, high = (float(rope[k]) for k in ("factor", "low_freq_factor", "high_freq_factor"))
    turns = frequency * float(rope["original_max_position_embeddings"]) / (2 * pi)
    if turns < low:
        return frequency / factor
    if turns > high:
        return frequency
    share = (turns - low) / (high - low)
    return (1 - share) * frequency / factor + share * frequency


def _ends(given: dict[str, Any], folder: Path) -> frozenset[int]:
    path = folder / "generation_config.json"
    said = document(path).get("eos_token_id") if path.exists() else None
    found = given.get("eos_token_id") if said is None else said
    return frozenset(cast(list[int], found) if isinstance(found, list) else () if found is None else (found,))
