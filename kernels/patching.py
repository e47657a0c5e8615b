"""Models of transformers that run on the library: norms, rotary embedding, gated products, attention and the loss."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, update_wrapper
from importlib import import_module
from inspect import unwrap
from types import FunctionType, MethodType
from typing import Any, Final

from freehold.kernels.activations import gated
from freehold.kernels.losses import cross_entropy
from freehold.kernels.norms import rms_norm
from freehold.kernels.prefill import attention
from freehold.kernels.rotary import rope

MODELS: Final = ("qwen3", "llama")
"""The types of models, as their configurations have them, that `patch` knows."""

_ATTENTION: Final = "freehold"


def patch(model: Any) -> Any:
    """
    Lets a model of transformers, of the type `qwen3` or `llama`, run on this library, and returns it.

    It changes the modules of this one model: root mean square norms, rotary embedding, gated products, attention and,
    of a model with a language modelling head, the loss. Weights, inputs and outputs stay what they are. Attention is
    causal, over all positions or a sliding window: where sequences are padded or packed, as a mask says, `ValueError`
    is raised when the model is called. Raises `ValueError` for other types, and for activations that the library does
    not have.
    """
    config = model.config
    if config.model_type not in MODELS:
        raise ValueError(f"models of the types {', '.join(MODELS)} are known, not {config.model_type!r}")
    if config.hidden_act not in ("silu", "gelu_pytorch_tanh"):
        raise ValueError(f"no gated product with the activation {config.hidden_act!r}")
    kind = "silu" if config.hidden_act == "silu" else "gelu"
    for module in model.modules():
        name = type(module).__name__
        if name.endswith("RMSNorm"):
            module.forward = MethodType(_norm, module)
        elif name.endswith("MLP"):
            module.forward = MethodType(partial(_mlp, kind=kind), module)
        elif name.endswith("Attention"):
            known: Any = module
            module.forward = MethodType(_with(known.__class__.forward, apply_rotary_pos_emb=_rotate), module)
    _register()
    model.set_attn_implementation(_ATTENTION)
    if hasattr(model, "lm_head"):
        model.loss_function = _loss
    return model


def _norm(self: Any, x: Any) -> Any:
    return rms_norm(x, self.weight, self.variance_epsilon)


def _mlp(self: Any, x: Any, *, kind: str) -> Any:
    return self.down_proj(gated(self.gate_proj(x), self.up_proj(x), kind))


def _rotate(q: Any, k: Any, cos: Any, sin: Any, unsqueeze_dim: int = 1) -> tuple[Any, Any]:
    """Queries and keys (B, H, T, D), by angles (B or 1, T, D) whose halves are equal."""
    if unsqueeze_dim != 1:
        raise ValueError("heads stand in front of positions")
    half = q.shape[-1] // 2
    angles = [t[..., :half].expand(q.shape[0], -1, -1).contiguous() for t in (cos, sin)]
    one, other = (rope(t.transpose(1, 2), *angles).transpose(1, 2) for t in (q, k))
    return one, other


def _with(function: Callable[..., Any], **names: Any) -> Callable[..., Any]:
    """A function that sees other things under some of its global names."""
    inner: Any = unwrap(function)
    made = FunctionType(inner.__code__, {**inner.__globals__, **names}, None, inner.__defaults__, inner.__closure__)
    made.__kwdefaults__ = inner.__kwdefaults__
    return update_wrapper(made, inner)


def _attention(
    module: Any, query: Any, key: Any, value: Any, attention_mask: Any, scaling: float | None = None, **options: Any
) -> tuple[Any, None]:
    """Attention as transformers call it: the result is (B, S, H, D)."""
    if attention_mask is not None:
        raise ValueError("attention of a patched model takes no mask: sequences of one length, without padding")
    if options.get("dropout"):
        raise ValueError("attention of a patched model has no dropout")
    window = options.get("sliding_window") or getattr(module, "sliding_window", None)
    found = attention(query, key, value, causal=True, scale=scaling, window=window)
    return found.transpose(1, 2), None


def _mask(*_: Any, attention_mask: Any = None, **__: Any) -> Any:
    """No mask, where nothing is padded; else what there is, for `_attention` to refuse."""
    return None if attention_mask is None or bool(attention_mask.all()) else attention_mask


def _register() -> None:
    interface: Any = import_module("transformers").AttentionInterface
    masks: Any = import_module("transformers.masking_utils").AttentionMaskInterface
    interface.register(_ATTENTION, _attention)
    masks.register(_ATTENTION, _mask)


def _loss(
    logits: Any,
    labels: Any,
    vocab_size: int | None = None,
    num_items_in_batch: Any = None,
    ignore_index: int = -100,
    shift_labels: Any = None,
    **_: Any,
) -> Any:
    """The loss of each position's logits against the next label."""
    if shift_labels is None:
        shift_labels = labels.new_full(labels.shape, ignore_index)
        shift_labels[..., :-1] = labels[..., 1:]
    rows, target = logits.reshape(-1, logits.shape[-1]), shift_labels.reshape(-1).to(logits.device)
    if num_items_in_batch is None:
        return cross_entropy(rows, target, ignore_index=ignore_index)
    return cross_entropy(rows, target, ignore_index=ignore_index, reduction="sum") / num_items_in_batch
