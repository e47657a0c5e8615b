"""The library's functions as modules of torch, with the parameters and names that torch's own have."""

# What torch has is of no types here.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from importlib import import_module
from typing import Any

from freehold.kernels.activations import gated
from freehold.kernels.channels import group_norm
from freehold.kernels.embeddings import embedding
from freehold.kernels.losses import cross_entropy
from freehold.kernels.norms import add_rms_norm, layer_norm, rms_norm
from freehold.kernels.products import linear
from freehold.kernels.vocabularies import linear_cross_entropy

torch: Any = import_module("torch")
Module: Any = torch.nn.Module


class RMSNorm(Module):
    """`rms_norm` along the last axis, of `size` elements, with a weight."""

    def __init__(self, size: int, eps: float = 1e-6, device: Any = None, dtype: Any = None):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(size, device=device, dtype=dtype))
        self.eps = eps

    def forward(self, x: Any) -> Any:
        """The norm of (..., size)."""
        return rms_norm(x, self.weight, self.eps)


class AddRMSNorm(Module):
    """`add_rms_norm`: the norm of `x + residual`, and that sum; otherwise as `RMSNorm`."""

    def __init__(self, size: int, eps: float = 1e-6, device: Any = None, dtype: Any = None):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(size, device=device, dtype=dtype))
        self.eps = eps

    def forward(self, x: Any, residual: Any) -> Any:
        """The norm and the sum."""
        return add_rms_norm(x, residual, self.weight, self.eps)


class LayerNorm(Module):
    """`layer_norm` along the last axis, of `size` elements, with a weight, and a bias unless `bias` is false."""

    def __init__(self, size: int, eps: float = 1e-5, bias: bool = True, device: Any = None, dtype: Any = None):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(size, device=device, dtype=dtype))
        self.bias = torch.nn.Parameter(torch.zeros(size, device=device, dtype=dtype)) if bias else None
        self.eps = eps

    def forward(self, x: Any) -> Any:
        """The norm of (..., size)."""
        return layer_norm(x, self.weight, self.bias, self.eps)


class GroupNorm(Module):
    """`group_norm` of (N, channels, ...), with a weight and a bias."""

    def __init__(self, groups: int, channels: int, eps: float = 1e-5, device: Any = None, dtype: Any = None):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(channels, device=device, dtype=dtype))
        self.bias = torch.nn.Parameter(torch.zeros(channels, device=device, dtype=dtype))
        self.groups, self.eps = groups, eps

    def forward(self, x: Any) -> Any:
        """The norm of each group of channels."""
        return group_norm(x, self.groups, self.weight, self.bias, self.eps)


class Linear(torch.nn.Linear):  # pyright: ignore[reportUntypedBaseClass] -- torch has no types here
    """`torch.nn.Linear` with an activation, one of `activations.KINDS`, behind it."""

    def __init__(self, inputs: int, outputs: int, bias: bool = True, activation: str = "", **options: Any):
        super().__init__(inputs, outputs, bias, **options)
        self.activation = activation

    def forward(self, x: Any) -> Any:
        """activate(x @ weight.T + bias)."""
        return linear(x, self.weight, self.bias, activation=self.activation)


class Embedding(torch.nn.Embedding):  # pyright: ignore[reportUntypedBaseClass] -- torch has no types here
    """`torch.nn.Embedding`; of its options none but `device` and `dtype` is known."""

    def __init__(self, count: int, size: int, device: Any = None, dtype: Any = None):
        super().__init__(count, size, device=device, dtype=dtype)

    def forward(self, ids: Any) -> Any:
        """The rows that the numbers say."""
        return embedding(ids, self.weight)


class GatedMLP(Module):
    """`down(activate(gate(x)) * up(x))`, as transformers have it: SwiGLU for "silu", GEGLU for "gelu"."""

    def __init__(self, size: int, hidden: int, kind: str = "silu", device: Any = None, dtype: Any = None):
        super().__init__()
        self.gate_up = Linear(size, 2 * hidden, bias=False, device=device, dtype=dtype)
        self.down = Linear(hidden, size, bias=False, device=device, dtype=dtype)
        self.kind = kind

    def forward(self, x: Any) -> Any:
        """The two products of (..., size), with what is between them."""
        gate, up = self.gate_up(x).chunk(2, dim=-1)
        return self.down(gated(gate, up, self.kind))


class CrossEntropyLoss(Module):
    """`cross_entropy`, with its options."""

    def __init__(self, ignore_index: int = -100, label_smoothing: float = 0.0, reduction: str = "mean"):
        super().__init__()
        self.options: dict[str, Any] = {
            "ignore_index": ignore_index,
            "label_smoothing": label_smoothing,
            "reduction": reduction,
        }

    def forward(self, logits: Any, target: Any) -> Any:
        """The loss of (M, N) against (M)."""
        return cross_entropy(logits, target, **self.options)


class LinearCrossEntropyLoss(Module):
    """`linear_cross_entropy`, with its options."""

    def __init__(self, ignore_index: int = -100, label_smoothing: float = 0.0, chunk: int = 1024):
        super().__init__()
        self.options: dict[str, Any] = {
            "ignore_index": ignore_index,
            "label_smoothing": label_smoothing,
            "chunk": chunk,
        }

    def forward(self, x: Any, weight: Any, target: Any) -> Any:
        """The loss of `x @ weight.T` against the target."""
        return linear_cross_entropy(x, weight, target, **self.options)
