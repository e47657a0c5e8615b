"""Every function of the library with tiny arguments, and the calls of operators that they are made of."""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest
from comparing import integers, made, tuple_of

from freehold import kernels
from freehold.kernels.operators import Operator

torch: Any = pytest.importorskip("torch")


class Row(NamedTuple):
    """A function of tensors, the shapes of those with gradients, and the arguments behind them, which have none."""

    function: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    rest: tuple[Any, ...] = ()
    theirs: Callable[..., Any] | None = None
    """What torch makes of the same, where the function takes no float64, for which there are differences."""
    is_differentiable: bool = True
    """Whether there are gradients. Where not, and where results are floats, asking for one raises an error."""
    dtype: Any = torch.float64

    def arguments(self) -> tuple[list[Any], list[Any]]:
        """Those with gradients, and copies of the rest."""
        given = [made(shape, self.dtype, n).requires_grad_() for n, shape in enumerate(self.shapes)]
        return given, [t.clone() if torch.is_tensor(t) else t for t in self.rest]


def int32(*values: Any) -> Any:
    return torch.tensor(values, dtype=torch.int32)


def f32(*shape: int, seed: int = 50) -> Any:
    return made(shape, torch.float32, seed)


NARROW: dict[str, Any] = {"dtype": torch.float32, "is_differentiable": False}
K = kernels
IDS = integers(6, 4)
OTHER = made((3, 6), torch.float64, 40)
POSITIVE = OTHER.abs() + 0.1
EXPERTS = integers(3, 4, 2).int()
OFFSETS, SLOT, SOURCE = kernels.sort_by_expert(EXPERTS, 3)
QUANTISED = kernels.quantise(f32(4, 32))
PAGES = f32(3, 1, 16, 8), f32(3, 1, 16, 8, seed=51)
ROPED = f32(5, 4).cos(), f32(5, 4).sin()
HEADS = (1, 2, 5, 8), (1, 1, 5, 8), (1, 1, 5, 8)


ROWS: dict[str, Row] = {
    "activation": Row(partial(K.activation, kind="silu"), ((3, 6),)),
    "add_rms_norm": Row(K.add_rms_norm, ((3, 6), (3, 6), (6,))),
    "append_kv": Row(
        K.append_kv, (), (*(torch.zeros(2, 1, 6, 8) for _ in range(2)), f32(2, 1, 2, 8), f32(2, 1, 2, 8), int32(1, 3))
    ),
    "append_kv, a row each": Row(
        K.append_kv, (), (*(torch.zeros(2, 1, 6, 8) for _ in range(2)), f32(2, 1, 1, 8), f32(2, 1, 1, 8), int32(1, 3))
    ),
    "argmax": Row(K.argmax, ((3, 6),), is_differentiable=False),
    "argmin": Row(partial(K.argmin, dim=0), ((3, 6),), is_differentiable=False),
    "attention": Row(K.attention, HEADS),
    "attention, window and sinks": Row(
        lambda q, k, v, sinks: K.attention(q, k, v, window=3, sinks=sinks), (*HEADS, (2,))
    ),
    "avg_pool": Row(partial(K.avg_pool, size=2), ((1, 2, 4, 6),)),
    "batch_norm": Row(lambda *a: K.batch_norm(*a)[0], ((3, 2, 5), (2,), (2,))),
    "combine": Row(lambda x, w: K.combine(x, SLOT, SOURCE, w), ((8, 6), (4, 2))),
    "conv": Row(partial(K.conv, stride=(2, 1), padding=1, groups=2), ((2, 4, 5, 6), (4, 2, 3, 3), (4,))),
    "conv_transpose": Row(partial(K.conv_transpose, stride=2), ((2, 4, 5), (4, 2, 3))),
    "cross_entropy": Row(partial(K.cross_entropy, label_smoothing=0.125), ((4, 6),), (IDS,)),
    "cross_entropy, each": Row(partial(K.cross_entropy, reduction="none"), ((4, 6),), (IDS,)),
    "cumprod": Row(K.cumprod, ((3, 6),), is_differentiable=False),
    "cumsum": Row(partial(K.cumsum, mask=OTHER > 0, reverse=True, exclusive=True), ((3, 6),)),
    "decode_attention": Row(
        K.decode_attention, ((2, 2, 8), (2, 1, 20, 8), (2, 1, 20, 8)), (torch.tensor([7, 20]),), is_differentiable=False
    ),
    "dequantise": Row(lambda scales, q: K.dequantise(q, scales), ((4,),), QUANTISED[:1], **NARROW),
    "dispatch": Row(K.dispatch, ((4, 6),), (SLOT, SOURCE)),
    "divergence": Row(lambda x: K.divergence(x.abs() + 0.1, POSITIVE, "sum"), ((3, 6),)),
    "embedding": Row(lambda table, ids: K.embedding(ids, table), ((6, 5),), (IDS,)),
    "gated": Row(partial(K.gated, kind="silu"), ((3, 6), (3, 6))),
    "geglu": Row(K.geglu, ((3, 6), (3, 6))),
    "greedy": Row(K.greedy, ((3, 6),), **NARROW),
    "group_norm": Row(lambda x, w, b: K.group_norm(x, 2, w, b), ((2, 4, 5), (4,), (4,))),
    "grouped_linear": Row(K.grouped_linear, ((8, 5), (3, 6, 5)), (OFFSETS,)),
    "grouped_linear of few rows": Row(K.grouped_linear, ((2, 5), (3, 6, 5)), (int32(0, 1, 1, 2),)),
    "histogram": Row(partial(K.histogram, bins=4, low=0.0, high=1.0), ((3, 6),), is_differentiable=False),
    "instance_norm": Row(K.instance_norm, ((2, 3, 5),)),
    "kl_div": Row(K.kl_div, ((3, 6),), (POSITIVE,)),
    "layer_norm": Row(K.layer_norm, ((3, 6), (6,), (6,))),
    "layer_norm without bias": Row(K.layer_norm, ((3, 6), (6,))),
    "linear": Row(lambda x, w, b, r: K.linear(x, w, b, activation="silu", residual=r), ((3, 6), (5, 6), (5,), (3, 5))),
    "linear_attention": Row(
        lambda q, k, v, g: K.linear_attention(q, k, v, -g.abs()), ((1, 2, 5, 8), (1, 2, 5, 8), (1, 2, 5, 6), (1, 2, 5))
    ),
    "linear_cross_entropy": Row(partial(K.linear_cross_entropy, chunk=3), ((4, 5), (6, 5)), (IDS,)),
    "log_softmax": Row(K.log_softmax, ((3, 6),)),
    "logprobs": Row(K.logprobs, ((4, 6),), (IDS,), **NARROW),
    "matmul": Row(K.matmul, ((3, 6), (6, 5))),
    "matmul of batches": Row(K.matmul, ((2, 3, 6), (2, 6, 5))),
    "max_pool": Row(partial(K.max_pool, size=2), ((1, 2, 4, 6),)),
    "moe": Row(partial(K.moe, k=2), ((4, 6), (4, 3), (3, 8, 6), (3, 6, 4))),
    "mse_loss": Row(K.mse_loss, ((3, 6),), (OTHER,)),
    "normalize": Row(K.normalize, ((3, 6),), is_differentiable=False),
    "paged_attention": Row(
        K.paged_attention, (), (f32(2, 2, 8), *PAGES, torch.tensor([[0, 2], [1, 0]]).int(), torch.tensor([20, 9]))
    ),
    "pair_loss": Row(partial(K.pair_loss, kind="hinge"), ((3, 6),), (OTHER.sign(),)),
    "quantise": Row(K.quantise, ((3, 32),), **NARROW),
    "quantise in groups": Row(partial(K.quantise, format="mxfp8"), ((3, 64),), **NARROW),
    "reduce": Row(partial(K.reduce, kind="square sum", dim=0), ((3, 6),)),
    "reduce to the largest": Row(partial(K.reduce, kind="amax"), ((3, 6),), is_differentiable=False),
    "rms_norm": Row(K.rms_norm, ((3, 6), (6,))),
    "rope": Row(K.rope, ((1, 5, 2, 8),), ROPED),
    "rope_append": Row(
        lambda *a: K.rope_append(*a[:5], *ROPED, a[5]),
        (),
        (f32(2, 2, 2, 8), *(f32(2, 2, 1, 8),) * 2, *(torch.zeros(2, 1, 6, 8) for _ in range(2)), int32(1, 2)),
    ),
    "route": Row(lambda x: K.route(x, 2)[0], ((4, 3),)),
    "sample": Row(partial(K.sample, seed=7, top_k=3, top_p=0.9), ((3, 6),), **NARROW),
    "scaled_linear": Row(
        lambda x, w, s, t, bias: K.scaled_linear(x, w, s, t, bias, torch.float32),
        (),
        (QUANTISED[0], QUANTISED[0].flip(0), QUANTISED[1], QUANTISED[1].flip(0), f32(4)),
    ),
    "smooth_l1_loss": Row(partial(K.smooth_l1_loss, reduction="sum"), ((3, 6),), (OTHER,)),
    "softmax": Row(partial(K.softmax, dim=0), ((3, 6),)),
    "sort": Row(K.sort, ((3, 6),), (), torch.sort, dtype=torch.float32),
    "sort_by_expert": Row(partial(K.sort_by_expert, count=3), (), (EXPERTS,)),
    "swiglu": Row(K.swiglu, ((3, 6), (3, 6))),
    "topk": Row(partial(K.topk, k=2), ((3, 6),), (), partial(torch.topk, k=2), dtype=torch.float32),
    "transpose": Row(K.transpose, ((2, 3, 5),)),
    "triplet_margin_loss": Row(K.triplet_margin_loss, ((3, 6), (3, 6), (3, 6))),
    "varlen_attention": Row(partial(K.varlen_attention, most=4), ((6, 2, 8), (6, 1, 8), (6, 1, 8)), (int32(0, 2, 6),)),
}
"""Each public function under its name; and what it does in other ways, with words behind it."""


def operators() -> dict[str, Operator]:
    """The operators that the library's files have."""
    files = [import_module(f"{kernels.__name__}.{file.name}") for file in iter_modules(kernels.__path__)]
    return {value.name: value for file in files for value in vars(file).values() if isinstance(value, Operator)}


class Call(NamedTuple):
    """A call of an operator: its arguments as they were in front of it."""

    operator: Operator
    arguments: tuple[Any, ...]


def copied(value: Any) -> Any:
    return value.detach().clone().requires_grad_(value.requires_grad) if torch.is_tensor(value) else value


def total(results: tuple[Any, ...]) -> Any:
    """What gradients are asked of: each element is of other weight, so that no sum hides an error."""
    floats = [t for t in results if t.is_floating_point()]
    return sum((t * made(tuple(t.shape), t.dtype, 60)).sum() for t in floats)


@contextmanager
def watched() -> Generator[dict[str, Call]]:
    """The first calls of operators, by their names, and which tensors there were."""
    found: dict[str, Call] = {}
    called = Operator.__call__

    def watch(self: Operator, *arguments: Any) -> Any:
        kinds = ["-" if a is None else "t" if torch.is_tensor(a) else "" for a in arguments]
        found.setdefault(f"{self.name} {''.join(kinds)}", Call(self, tuple(map(copied, arguments))))
        return called(self, *arguments)

    with patch.object(Operator, "__call__", watch):
        yield found


def calls() -> dict[str, Call]:
    """What the rows call, and the gradients of those that have some; tensors of the others want none."""
    with watched() as found:
        for row in ROWS.values():
            given, rest = row.arguments()
            if not row.is_differentiable:
                given = [t.detach() for t in given]
            results = tuple_of(row.function(*given, *rest))
            if row.is_differentiable and given:
                total(results).backward()
    return found
