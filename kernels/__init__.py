"""The library: safe kernels by topic, and functions on torch tensors that are made of them (docs/kernels.md)."""

from __future__ import annotations

if __name__ != "freehold.kernels":  # the checkout's root on sys.path would make a second copy of every class
    raise ImportError("import freehold.kernels, not kernels: the folders at the root are parts of one package")

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from freehold.kernels.activations import activation, gated, geglu, swiglu
    from freehold.kernels.decoding import append_kv, decode_attention, paged_attention
    from freehold.kernels.embeddings import embedding
    from freehold.kernels.losses import cross_entropy
    from freehold.kernels.norms import add_rms_norm, layer_norm, rms_norm
    from freehold.kernels.prefill import attention
    from freehold.kernels.products import linear, matmul
    from freehold.kernels.rotary import rope
    from freehold.kernels.rows import log_softmax, softmax

_LAZY: Final = {
    "activation": "activations",
    "add_rms_norm": "norms",
    "append_kv": "decoding",
    "attention": "prefill",
    "cross_entropy": "losses",
    "decode_attention": "decoding",
    "embedding": "embeddings",
    "gated": "activations",
    "geglu": "activations",
    "layer_norm": "norms",
    "linear": "products",
    "log_softmax": "rows",
    "matmul": "products",
    "paged_attention": "decoding",
    "rms_norm": "norms",
    "rope": "rotary",
    "softmax": "rows",
    "swiglu": "activations",
}
"""The functions, each by the file that has it, which is loaded when it is first asked for."""


def __getattr__(name: str) -> object:
    if (module := _LAZY.get(name)) is None:
        raise AttributeError(f"module 'freehold.kernels' has no attribute {name!r}")
    value = getattr(import_module(f"freehold.kernels.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, "__doc__", "__file__", "__name__", "__path__"})


__all__ = [
    "activation",
    "add_rms_norm",
    "append_kv",
    "attention",
    "cross_entropy",
    "decode_attention",
    "embedding",
    "gated",
    "geglu",
    "layer_norm",
    "linear",
    "log_softmax",
    "matmul",
    "paged_attention",
    "rms_norm",
    "rope",
    "softmax",
    "swiglu",
]
