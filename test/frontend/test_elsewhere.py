"""What users of other libraries are told to write instead computes what they asked for."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import freehold as fh
from freehold.frontend.elsewhere import EDITS

Array = NDArray[Any]
RNG = np.random.default_rng(7)
X, Y = (RNG.uniform(-0.9, 0.9, (16, 16)).astype(np.float32) for _ in range(2))
N = 16
INTEGERS = {
    *("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "invert", "left_shift", "right_shift"),
    *("floor_divide", "mod", "remainder"),
}


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def gelu(x: Array) -> Array:
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))


UNARY: dict[str, Callable[[Array], Any]] = {
    **{name: getattr(np, name) for name in ("absolute", "negative", "reciprocal", "square", "expm1", "arctan")},
    **{name: getattr(np, name) for name in ("arcsin", "arccos", "rint", "trunc", "nan_to_num", "mean", "average")},
    **{name: getattr(np, name) for name in ("var", "std", "count_nonzero", "trace", "tril", "triu", "ravel")},
    **{name: getattr(np, name) for name in ("bitwise_not", "invert", "logical_not", "ptp", "amax", "amin")},
    **{name: getattr(np, name) for name in ("zeros_like", "ones_like")},
    "log1p": np.log1p, "log10": lambda x: np.log10(np.abs(x)), "norm": np.linalg.norm, "numel": np.size,
    "atan": np.arctan, "asin": np.arcsin, "acos": np.arccos,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "silu": lambda x: x / (1 + np.exp(-x)),
    "swish": lambda x: x / (1 + np.exp(-x)), "relu": lambda x: np.maximum(x, 0), "gelu": gelu, "erf": gelu,
    "softplus": lambda x: np.log1p(np.exp(x)), "clamp": lambda x: np.clip(x, -0.5, 0.5),
    "softmax": softmax, "log_softmax": lambda x: np.log(softmax(x)), "logsumexp": lambda x: np.log(np.exp(x).sum()),
    "diag": np.diagonal, "diagonal": np.diagonal, "cast": lambda x: x,
    "eye": lambda x: np.eye(N), "identity": lambda x: np.eye(N), "linspace": lambda x: np.linspace(-0.5, 0.5, N),
    "cummax": lambda x: np.maximum.accumulate(x[0]), "cummin": lambda x: np.minimum.accumulate(x[0]),
    "tile": lambda x: np.tile(x, (2, 1)), "repeat": lambda x: np.repeat(x[0], 2), "unsqueeze": lambda x: x[:, None],
    "swapaxes": lambda x: x.T, "moveaxis": lambda x: x.T, "permute_dims": lambda x: x.T,
    "empty": lambda x: np.zeros((N, N)), "empty_like": np.zeros_like, "full_like": lambda x: np.full_like(x, 3),
    "expand": lambda x: x, "split": lambda x: x[:8], "chunk": lambda x: x[:8],
}  # fmt: skip
BINARY: dict[str, Callable[[Array, Array], Any]] = {
    **{name: getattr(np, name) for name in ("hypot", "logaddexp", "arctan2", "fmax", "fmin", "true_divide", "mod")},
    **{name: getattr(np, name) for name in ("floor_divide", "remainder", "equal", "not_equal", "less", "less_equal")},
    **{name: getattr(np, name) for name in ("greater", "greater_equal", "bitwise_and", "bitwise_or", "bitwise_xor")},
    **{name: getattr(np, name) for name in ("logical_and", "logical_or", "logical_xor", "left_shift", "right_shift")},
    "pow": lambda x, y: np.abs(x) ** y, "power": lambda x, y: np.abs(x) ** y,
    "float_power": lambda x, y: np.abs(x) ** y,
    "outer": lambda x, y: np.outer(x[0], y[0]), "inner": lambda x, y: x[0] @ y[0], "vdot": lambda x, y: x[0] @ y[0],
    "matmul": lambda x, y: x @ y, "dot": lambda x, y: x @ y, "stack": lambda x, y: np.stack((x, y)),
    "cat": lambda x, y: np.concatenate((x, y), 1), "concat": lambda x, y: np.concatenate((x, y), 1),
    "hstack": lambda x, y: np.hstack((x, y)), "vstack": lambda x, y: np.vstack((x, y)),
}  # fmt: skip
WORDS = {
    *("program_id", "num_programs", "bid", "num_blocks", "load", "store", "scatter", "take", "bincount", "histogram"),
    *("syncthreads", "debug_barrier", "constexpr", "Constant", "rand", "random", "randint", "randn", "median", "topk"),
    *("linalg", "einsum", "roll", "flip"),
}
"""Edits of another form than an expression of tiles at hand."""

PREPARED = {
    **dict.fromkeys(("cummax", "cummin", "repeat"), "    x, k = x[0], 2\n"),
    **dict.fromkeys(("outer", "inner", "vdot"), "    x, y = x[0], y[0]\n"),
    **dict.fromkeys(("pow", "power", "float_power"), "    x = abs(x)\n"),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor", "logical_not"), "    x, y = x > 0, y > 0\n"),
    "log10": "    x = abs(x)\n",
    **dict.fromkeys(("mean", "average", "var", "std"), "    n, axis = 256, None\n"),
    **dict.fromkeys(("split", "chunk"), "    i, shape = 0, (8, 16)\n"),
}
SETTING = """
@fh.kernel
def kernel(out: fh.Out, p: fh.Ref["A", "B"], q: fh.Ref["A", "B"]):
    x, y = p.load((0, 0), (16, 16)), q.load((0, 0), (16, 16))
    m, n, axis, low, high, value, shape, dtype = 16, 16, 1, -0.5, 0.5, 3, (16, 16), f32
{prepared}    t, a, b = x, x, y
{body}
"""


def compiled(body: str, prepared: str) -> Any:
    text = SETTING.format(body="\n".join(f"    {line}" for line in body.splitlines()), prepared=prepared)
    name = f"<elsewhere {abs(hash(text))}>"
    fh.register_source(name, text)
    names: dict[str, Any] = {"fh": fh, "f32": fh.f32, "i32": fh.i32, "math": math, "np": np}
    exec(compile(text, name, "exec"), names)
    return names["kernel"]


def advised(name: str, call: str, x: Array, y: Array) -> str:
    """The code in the help for a call."""
    out = np.zeros((1,), np.float32)
    with pytest.raises(fh.Rejected) as caught:
        compiled(f"z = {call}\nout.store(0)", "")(fh.partition(out, 1), x, y).sync()
    found = [line for line in str(caught.value).splitlines() if "= help:" in line]
    assert len(found) == 1, (name, str(caught.value))
    return found[0]


def statements(help_line: str) -> tuple[list[str], str]:
    """The assignments of an edit, and its last expression."""
    codes = re.findall(r"`(.*?)`", help_line)
    before = [code for code in codes if re.match(r"\w+ = ", code)]
    values = [code for code in codes if not re.match(r"\w+ = ", code)]
    if " or `" in help_line:
        values = [c for c in values if "@" in c] or values[-1:]
    return before, values[-1]


CASES = [*((name, "(x)") for name in UNARY), *((name, "(x, y)") for name in BINARY)]


@pytest.mark.parametrize(("name", "given"), CASES, ids=[name for name, _ in CASES])
def test_the_edit_computes_it(name: str, given: str) -> None:
    x, y = X, Y
    if name in INTEGERS:
        x, y = RNG.integers(0, 100, (16, 16)).astype(np.int32), RNG.integers(1, 9, (16, 16)).astype(np.int32)
    before, value = statements(advised(name, f"fh.{name}{given}", x, y))
    if name in ("split", "chunk"):
        value = "fh.extract(t, (i, 0), shape)"
    wanted = UNARY[name](x) if name in UNARY else BINARY[name](x, y)
    if name.startswith("logical"):
        wanted = UNARY[name](x > 0) if name in UNARY else BINARY[name](x > 0, y > 0)
    wanted = np.asarray(wanted, np.float32)
    out = np.full(wanted.shape or (1,), np.nan, np.float32)
    body = "\n".join((*before, f"r = {value}", "out.store(r.astype(f32) if isinstance(r, fh.Tile) else r)"))
    compiled(body, PREPARED.get(name, ""))(fh.partition(out, out.shape), x, y).sync()
    np.testing.assert_allclose(out.reshape(wanted.shape), wanted, rtol=2e-3, atol=1e-4)


def test_every_edit_that_is_an_expression_is_tried() -> None:
    assert UNARY.keys() | BINARY.keys() | WORDS == EDITS.keys()


@pytest.mark.parametrize("call", ["x.log1p()", "np.log1p(x)", "x.expm1()", "x.softplus()", "x.square()", "x.sqrt()"])
def test_methods_and_functions_of_the_host_are_told_the_same(call: str) -> None:
    line = advised(call, call, X, Y)
    reference: dict[str, Callable[[Array], Any]] = {**UNARY, "log1p": np.log1p, "sqrt": np.sqrt}
    name = re.sub(r"^(x|np)\.|\(.*", "", call)
    out = np.zeros((16, 16), np.float32)
    compiled(f"out.store({statements(line)[1]})", "    x = abs(x)\n")(fh.partition(out, (16, 16)), X, Y).sync()
    np.testing.assert_allclose(out, reference[name](np.abs(X)), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "call",
    ["x.mean()", "x.mean(1)", "x.mean(axis=-1)", "x.mean(axis=0, keepdims=True)", "x.mean((0, 1))", "x.mean(dim=-1)"],
)
def test_a_mean_is_the_sum_divided_along_the_same_axes(call: str) -> None:
    line = advised(call, call, X, Y)
    wanted = np.asarray(eval(call.replace("dim=", "axis="), {"x": X}))
    out = np.zeros(wanted.shape or (1,), np.float32)
    compiled(f"out.store({statements(line)[1]})", "")(fh.partition(out, out.shape), X, Y).sync()
    np.testing.assert_allclose(out.reshape(wanted.shape), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["lstsq", "cholesky", "fft", "softmin"])
def test_a_name_that_is_no_misspelling_is_not_corrected(name: str) -> None:
    out = np.zeros((1,), np.float32)
    with pytest.raises(fh.Rejected) as caught:
        compiled(f"out.store(fh.{name}(x))", "")(fh.partition(out, 1), X, Y).sync()
    assert "= help:" not in str(caught.value)
