"""The library: safe kernels by topic, and functions on torch tensors that are made of them (docs/kernels.md)."""

from __future__ import annotations

if __name__ != "freehold.kernels":  # the checkout's root on sys.path would make a second copy of every class
    raise ImportError("import freehold.kernels, not kernels: the folders at the root are parts of one package")

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from freehold.kernels.activations import activation, gated, geglu, swiglu
    from freehold.kernels.caches import rope_append
    from freehold.kernels.channels import batch_norm, group_norm, instance_norm
    from freehold.kernels.convolutions import conv, conv_transpose
    from freehold.kernels.counts import histogram
    from freehold.kernels.decoding import append_kv, decode_attention, paged_attention
    from freehold.kernels.distances import divergence, kl_div, mse_loss, pair_loss, smooth_l1_loss, triplet_margin_loss
    from freehold.kernels.embeddings import embedding
    from freehold.kernels.experts import combine, dispatch, grouped_linear, moe, route, sort_by_expert
    from freehold.kernels.layouts import transpose
    from freehold.kernels.losses import cross_entropy
    from freehold.kernels.norms import add_rms_norm, layer_norm, rms_norm
    from freehold.kernels.operators import define_operators
    from freehold.kernels.orders import sort, topk
    from freehold.kernels.patching import patch
    from freehold.kernels.pooling import avg_pool, max_pool
    from freehold.kernels.prefill import attention
    from freehold.kernels.products import linear, matmul
    from freehold.kernels.quantised import dequantise, quantise, scaled_linear
    from freehold.kernels.recurrences import linear_attention
    from freehold.kernels.reductions import argmax, argmin, normalize, reduce
    from freehold.kernels.rotary import rope
    from freehold.kernels.rows import log_softmax, softmax
    from freehold.kernels.sampling import greedy, logprobs, sample
    from freehold.kernels.scans import cumprod, cumsum
    from freehold.kernels.sequences import varlen_attention
    from freehold.kernels.vocabularies import linear_cross_entropy

_LAZY: Final = {
    "activation": "activations",
    "add_rms_norm": "norms",
    "append_kv": "decoding",
    "argmax": "reductions",
    "argmin": "reductions",
    "attention": "prefill",
    "avg_pool": "pooling",
    "batch_norm": "channels",
    "combine": "experts",
    "conv": "convolutions",
    "conv_transpose": "convolutions",
    "cross_entropy": "losses",
    "cumprod": "scans",
    "cumsum": "scans",
    "decode_attention": "decoding",
    "define_operators": "operators",
    "dequantise": "quantised",
    "dispatch": "experts",
    "divergence": "distances",
    "embedding": "embeddings",
    "gated": "activations",
    "geglu": "activations",
    "greedy": "sampling",
    "group_norm": "channels",
    "grouped_linear": "experts",
    "histogram": "counts",
    "instance_norm": "channels",
    "kl_div": "distances",
    "layer_norm": "norms",
    "linear": "products",
    "linear_attention": "recurrences",
    "linear_cross_entropy": "vocabularies",
    "log_softmax": "rows",
    "logprobs": "sampling",
    "matmul": "products",
    "max_pool": "pooling",
    "moe": "experts",
    "mse_loss": "distances",
    "normalize": "reductions",
    "paged_attention": "decoding",
    "pair_loss": "distances",
    "patch": "patching",
    "quantise": "quantised",
    "reduce": "reductions",
    "rms_norm": "norms",
    "rope": "rotary",
    "rope_append": "caches",
    "route": "experts",
    "sample": "sampling",
    "scaled_linear": "quantised",
    "smooth_l1_loss": "distances",
    "softmax": "rows",
    "sort": "orders",
    "sort_by_expert": "experts",
    "swiglu": "activations",
    "topk": "orders",
    "transpose": "layouts",
    "triplet_margin_loss": "distances",
    "varlen_attention": "sequences",
}
"""The functions, each by the file that has it, which is loaded when it is first asked for."""


def __getattr__(name: str) -> object:
    if (module := _LAZY.get(name)) is None:
        from freehold.kernels.elsewhere import NAMES, of_torch

        told = f"module 'freehold.kernels' has no attribute {name!r}"
        if name in NAMES:
            raise AttributeError(f"{told}: {NAMES[name]}")
        if (other := of_torch(name)) is not None:
            raise AttributeError(f"{told}: it is torch's own, `{other}`")
        raise AttributeError(told, name=name, obj=sys.modules[__name__])
    value = getattr(import_module(f"freehold.kernels.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, "__doc__", "__file__", "__name__", "__path__"})


__all__ = [
    "activation",
    "add_rms_norm",
    "append_kv",
    "argmax",
    "argmin",
    "attention",
    "avg_pool",
    "batch_norm",
    "combine",
    "conv",
    "conv_transpose",
    "cross_entropy",
    "cumprod",
    "cumsum",
    "decode_attention",
    "define_operators",
    "dequantise",
    "dispatch",
    "divergence",
    "embedding",
    "gated",
    "geglu",
    "greedy",
    "group_norm",
    "grouped_linear",
    "histogram",
    "instance_norm",
    "kl_div",
    "layer_norm",
    "linear",
    "linear_attention",
    "linear_cross_entropy",
    "log_softmax",
    "logprobs",
    "matmul",
    "max_pool",
    "moe",
    "mse_loss",
    "normalize",
    "paged_attention",
    "pair_loss",
    "patch",
    "quantise",
    "reduce",
    "rms_norm",
    "rope",
    "rope_append",
    "route",
    "sample",
    "scaled_linear",
    "smooth_l1_loss",
    "softmax",
    "sort",
    "sort_by_expert",
    "swiglu",
    "topk",
    "transpose",
    "triplet_margin_loss",
    "varlen_attention",
]
