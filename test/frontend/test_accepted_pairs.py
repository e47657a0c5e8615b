"""Whatever the frontend accepts, on whatever dtype, the assembler accepts too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from answers import assembles
from assembling import refusals
from xdsl.dialects.builtin import ModuleOp

import freehold as fh
from freehold import Acc, Mut, Out, Raw, Ref, f32
from freehold.dialects.cuda_tile.types import TileType, element_name
from freehold.passes.lowering import translate
from freehold.runtime.memory.numpy_types import numpy_dtype
from freehold.runtime.variants.build import bytecode
from freehold.support import dtypes
from freehold.support.diagnostic import Rejected
from freehold.support.dtypes import DType
from freehold.support.sources import register_source
from freehold.support.span import Span

GROUP = 32
"""Functions of one kernel: starting the assembler takes as long as several of them do."""

Function = Callable[[Any, Any], Any]

ARITHMETIC: dict[str, Function] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "//": lambda x, y: x // y,
    "%": lambda x, y: x % y,
    "**": lambda x, y: x**y,
    "** 3": lambda x, y: x**3,
    "** 0": lambda x, y: x**0,
    "** -1": lambda x, y: x**-1,
    "&": lambda x, y: x & y,
    "|": lambda x, y: x | y,
    "^": lambda x, y: x ^ y,
    "<<": lambda x, y: x << 1,
    ">>": lambda x, y: x >> 1,
    "neg": lambda x, y: -x,
    "pos": lambda x, y: +x,
    "~": lambda x, y: ~x,
    "abs": lambda x, y: abs(x),
    "+ 1": lambda x, y: x + 1,
    "1 +": lambda x, y: 1 + x,
    "* 0.5": lambda x, y: x * 0.5,
    "+ True": lambda x, y: x + True,
    "divmod": lambda x, y: divmod(x, y)[1],
    "fh.add": lambda x, y: fh.add(x, y),
    "fh.add DOWN": lambda x, y: fh.add(x, y, rounding=fh.Rounding.DOWN),
    "fh.multiply UP": lambda x, y: fh.multiply(x, y, rounding=fh.Rounding.UP),
    "fh.add flush": lambda x, y: fh.add(x, y, flush_to_zero=True),
    "fh.subtract ZERO": lambda x, y: fh.subtract(x, y, rounding=fh.Rounding.ZERO),
    "fh.divide": lambda x, y: fh.divide(x, y),
    "fh.divide ZERO": lambda x, y: fh.divide(x, y, rounding=fh.Rounding.ZERO),
    "fh.divide DOWN": lambda x, y: fh.divide(x, y, rounding=fh.Rounding.DOWN),
    "fh.divide UP": lambda x, y: fh.divide(x, y, rounding=fh.Rounding.UP),
    "fh.divide APPROX": lambda x, y: fh.divide(x, y, rounding=fh.Rounding.APPROX),
    "fh.divide FULL": lambda x, y: fh.divide(x, y, rounding=fh.Rounding.FULL),
    "fh.fmod": lambda x, y: fh.fmod(x, y),
    "fh.mulhi": lambda x, y: fh.mulhi(x, y),
    "fh.powi": lambda x, y: fh.powi(x, 3),
    "fh.powi by it": lambda x, y: fh.powi(2.0, x),
    "fh.cdiv": lambda x, y: fh.cdiv(x, y),
    "fh.fma": lambda x, y: fh.fma(x, y, x),
    "fh.fma UP": lambda x, y: fh.fma(x, y, x, rounding=fh.Rounding.UP),
    "fh.maximum": lambda x, y: fh.maximum(x, y),
    "fh.minimum": lambda x, y: fh.minimum(x, y, propagate_nan=False),
    "fh.maximum 0": lambda x, y: fh.maximum(x, 0),
    "fh.clip": lambda x, y: fh.clip(x, 0, 1),
    "fh.sign": lambda x, y: fh.sign(x),
    "fh.atan2": lambda x, y: fh.atan2(x, y),
}

FUNCTIONS: dict[str, Function] = {
    "exp": lambda x, y: fh.exp(x),
    "exp FULL": lambda x, y: fh.exp(x, rounding=fh.Rounding.FULL),
    "exp APPROX": lambda x, y: fh.exp(x, rounding=fh.Rounding.APPROX),
    "exp2": lambda x, y: fh.exp2(x),
    "exp2 flush": lambda x, y: fh.exp2(x, flush_to_zero=True),
    "log": lambda x, y: fh.log(x),
    "log2": lambda x, y: fh.log2(x),
    "sqrt": lambda x, y: fh.sqrt(x),
    "sqrt UP": lambda x, y: fh.sqrt(x, rounding=fh.Rounding.UP),
    "sqrt APPROX": lambda x, y: fh.sqrt(x, rounding=fh.Rounding.APPROX),
    "rsqrt": lambda x, y: fh.rsqrt(x),
    "sin": lambda x, y: fh.sin(x),
    "cos": lambda x, y: fh.cos(x),
    "tan": lambda x, y: fh.tan(x),
    "sinh": lambda x, y: fh.sinh(x),
    "cosh": lambda x, y: fh.cosh(x),
    "tanh": lambda x, y: fh.tanh(x),
    "tanh APPROX": lambda x, y: fh.tanh(x, rounding=fh.Rounding.APPROX),
    "floor": lambda x, y: fh.floor(x),
    "ceil": lambda x, y: fh.ceil(x),
    "round": lambda x, y: fh.round(x),
    "isnan": lambda x, y: fh.isnan(x),
    "isinf": lambda x, y: fh.isinf(x),
    "isfinite": lambda x, y: fh.isfinite(x),
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
    "== 1": lambda x, y: x == 1,
    "where": lambda x, y: fh.where(fh.arange(16) < 8, x, y),
    "where of it": lambda x, y: fh.where(x, 1, 2),
    "where 1": lambda x, y: fh.where(fh.arange(16) < 8, x, 1),
    "bitcast i8": lambda x, y: fh.bitcast(x, fh.i8),
    "bitcast i16": lambda x, y: fh.bitcast(x, fh.i16),
    "bitcast u32": lambda x, y: fh.bitcast(x, fh.u32),
    "bitcast f64": lambda x, y: fh.bitcast(x, fh.f64),
    "bitcast i4": lambda x, y: fh.bitcast(x, fh.i4),
    "bitcast f4": lambda x, y: fh.bitcast(x, fh.f4e2m1fn),
    "bitcast e8m0": lambda x, y: fh.bitcast(x, fh.f8e4m3fn),
    "pack": lambda x, y: fh.pack(x),
    "random_bits": lambda x, y: fh.random_bits(0, x),
    "random_uniform": lambda x, y: fh.random_uniform(0, x),
    "assert_": lambda x, y: (fh.assert_(x, "all of them"), x)[1],  # noqa: PT009 -- a kernel's
    "print": lambda x, y: (fh.print(f"{x}"), x)[1],
    "if": lambda x, y: x if fh.cdiv(8, 4) > y.astype(f32).sum() else y,
}

SHAPES: dict[str, Function] = {
    "reshape": lambda x, y: x.reshape(-1),
    "T": lambda x, y: x.T,
    "permute": lambda x, y: x.permute(1, 0),
    "[0]": lambda x, y: x[0],
    "[0, 0]": lambda x, y: x[0, 0],
    "[i]": lambda x, y: x[y.astype(f32).sum().astype(fh.i32)],
    "extract": lambda x, y: x.extract((0, y.astype(f32).sum().astype(fh.i64)), (2, 4)),
    "insert": lambda x, y: x.insert((0, y.astype(f32).sum().astype(fh.u8)), y[:2, :4]),
    "[:, 8:]": lambda x, y: x[:, 8:],
    "[:, None]": lambda x, y: x[:, None],
    "broadcast_to": lambda x, y: fh.broadcast_to(x[:, :, None], (4, 16, 2)),
    "concatenate": lambda x, y: fh.concatenate((x, y)),
    "zeros": lambda x, y: fh.zeros((4, 16), x.dtype),
    "ones": lambda x, y: fh.ones((4, 16), x.dtype),
    "full": lambda x, y: fh.full((4, 16), x.astype(f32).sum(), x.dtype),
    "arange": lambda x, y: fh.arange(16, x.dtype),
    "unpack": lambda x, y: fh.unpack(fh.pack(x), x.dtype),
    "sum": lambda x, y: fh.sum(x),  # pyright: ignore[reportUnknownLambdaType] -- of what may be anything
    "sum 1": lambda x, y: x.sum(axis=1),
    "prod": lambda x, y: x.prod(axis=0),
    "max": lambda x, y: x.max(axis=1, keepdims=True),
    "min": lambda x, y: x.min(),
    "any": lambda x, y: x.any(),
    "all": lambda x, y: x.all(axis=0),
    "argmax": lambda x, y: x.argmax(axis=1),
    "argmin": lambda x, y: x.argmin(),
    "cumsum": lambda x, y: x.cumsum(axis=1),
    "cumprod": lambda x, y: x.cumprod(axis=0, reverse=True),
    "sort": lambda x, y: fh.sort(x),
    "argsort": lambda x, y: fh.argsort(x, descending=True),
    "top_k": lambda x, y: fh.top_k(x, 4)[0],
    "reduce": lambda x, y: fh.reduce(x, lambda a, b: a, 1, axis=0),
    "reduce two": lambda x, y: fh.reduce((x, y), lambda a, b: a, (1, 1), axis=0)[0],
    "scan": lambda x, y: fh.scan(x, lambda a, b: b, 1, axis=1),
    "@": lambda x, y: x @ y.T,
    "mma f16": lambda x, y: fh.mma(x, y.T, fh.zeros((4, 4), fh.f16)),
    "mma f32": lambda x, y: fh.mma(x, y.T, fh.zeros((4, 4), f32)),
    "mma fast_acc": lambda x, y: fh.mma(x, y.T, fh.zeros((4, 4), f32), fast_acc=True),
    "mma batch": lambda x, y: x[None] @ y.T[None],
    "mma_scaled": lambda x, y: fh.mma_scaled(
        fh.concatenate((x, y), 1),
        fh.ones((4, 1), fh.f8e8m0fnu),
        fh.concatenate((x, y), 1).T,
        fh.ones((1, 4), fh.f8e8m0fnu),
        fh.zeros((4, 4), f32),
    ),
    "for": lambda x, y: carried(x, y),
}


def converting(dtype: DType, rounding: fh.Rounding | None = None, saturate: bool = False) -> Function:
    """A conversion to a dtype."""
    if saturate:
        return lambda x, y: x.astype(dtype, saturate=True)
    return lambda x, y: x.astype(dtype, rounding=rounding)


CONVERSIONS: dict[str, Function] = {
    f"astype {d} {rounding or ''}": converting(d, rounding) for d in dtypes.ALL for rounding in (None, *fh.Rounding)
} | {f"saturate {d}": converting(d, saturate=True) for d in dtypes.ALL}

ALL = ARITHMETIC | FUNCTIONS | SHAPES | CONVERSIONS


def carried(x: Any, y: Any) -> Any:
    """A value that a loop carries and a branch changes."""
    for k in range(y.astype(f32).sum().astype(fh.i32)):
        if k > 3:
            x = y
    return x


def unpacking(dtype: DType) -> Callable[[Any], Any]:
    """What makes a tile of a dtype of one that was loaded."""

    def value(t: Any) -> Any:
        if dtype.storage_bits:
            return t
        return t.astype(dtype) if dtype is dtypes.tf32 else fh.unpack(t, dtype)

    return value


def columns_of(dtype: DType) -> int:
    """How many columns are loaded."""
    return 8 if dtype.bits == 4 else 16


def kernel_of(functions: tuple[Function, ...], dtype: DType) -> Any:
    """A kernel that computes everything that functions make of two tiles of a dtype, and keeps it."""
    value, columns = unpacking(dtype), columns_of(dtype)

    @fh.kernel
    def kernel(z: Out[f32, "N"], a: Ref["M", "K"], b: Ref["M", "K"]):
        x, y = value(a.load((0, 0), (4, columns))), value(b.load((0, 0), (4, columns)))
        total = 0.0
        for function in functions:
            total += function(x, y).astype(f32).sum()
        z.store(total)

    return kernel


def arguments(dtype: DType) -> tuple[Any, ...]:
    """Of such a kernel."""
    z = fh.partition(np.zeros(1, np.float32), 1)
    held = dtype if dtype.storage_bits else dtypes.f32 if dtype is dtypes.tf32 else dtypes.u8
    array = np.zeros((4, 16), numpy_dtype(held.name))
    return z, array, array.copy()


HEAD = """def kernel(z: Out[f32, "N"], a: Ref["M", "K"], b: Ref["M", "K"]):
    x, y = value(a.load((0, 0), (4, columns))), value(b.load((0, 0), (4, columns)))
"""


def refused_of(dtype: DType, given: tuple[Any, ...]) -> set[str]:
    """The names of the functions that are refused: each has a line of one kernel, of which all errors are told."""
    lines = [f"    function_{n}(x, y).astype(f32).sum()\n" for n in range(len(ALL))]
    text, file = HEAD + "".join(lines) + "    z.store(0.0)\n", f"<all functions of {dtype}>"
    register_source(file, text)
    scope: dict[str, Any] = {
        "value": unpacking(dtype),
        "columns": columns_of(dtype),
        "Out": Out,
        "Ref": Ref,
        "f32": f32,
    }
    scope |= {f"function_{n}": function for n, function in enumerate(ALL.values())}
    exec(compile(text, file, "exec"), scope)
    try:
        fh.kernel(scope["kernel"]).lower(*given)
    except Rejected as e:
        names = [*ALL]
        return {names[outermost(error.place).line - HEAD.count("\n") - 1] for error in e.errors}
    return set()


def outermost(place: Any) -> Span:
    """Where a kernel calls what an error is about."""
    while place.call_site is not None:
        place = place.call_site
    return place


def verified(kernel: Any, given: tuple[Any, ...]) -> ModuleOp:
    """A verified kernel, which is looked at and not changed."""
    return kernel.verified(kernel.bound(*given).specialisation)


def architecture(module: Any) -> str:
    """The first architecture that has all elements of a module, sm_90 or later."""
    names = {
        element_name(v.type.element_type) for op in module.walk() for v in op.results if isinstance(v.type, TileType)
    }
    if "fnv8E5M3FNU" in names:
        return "sm_107"
    return "sm_100" if names & {"f8E8M0FNU", "f4E2M1FN"} else "sm_90"


NEWER = ("f8e8m0fnu", "f8e5m3fnu", "f4", "scaled")
"""Parts of the names of functions whose results may have elements that not every architecture has."""


@pytest.mark.slow
@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_what_is_accepted_is_assembled(dtype: DType):
    accepted: dict[str, list[str]] = {}
    given = arguments(dtype)
    refused = refused_of(dtype, given)
    usual = architecture(kernel_of((lambda x, y: x,), dtype).lower(*given))
    for name, function in ALL.items():
        if name not in refused:
            other = any(part in name for part in NEWER)
            arch = architecture(kernel_of((function,), dtype).lower(*given)) if other else usual
            accepted.setdefault(arch, []).append(name)
    wrong: list[str] = []
    groups = [(arch, names[n : n + GROUP]) for arch, names in accepted.items() for n in range(0, len(names), GROUP)]
    while groups:
        arch, names = groups.pop()
        kernel = kernel_of(tuple(ALL[name] for name in names), dtype)
        try:
            module = verified(kernel, given)
            assert architecture(module) == arch
            module.verify()
            assert assembles(bytecode(module, kernel.options), arch)
        except Rejected as e:
            if len(names) == 1:
                wrong.append(f"{names[0]} on {arch}: {e}")
            else:
                half = len(names) // 2
                groups += [(arch, names[:half]), (arch, names[half:])]
    assert wrong == []
    assert len(refused) < len(ALL) - 20


# --- Memory ----------------------------------------------------------------------------------------------------------


def reading(access: Callable[[Any, Any], Any]) -> Any:
    """A kernel that reads in some way."""

    @fh.kernel
    def kernel(y: Mut["N"], x: Ref["N"]):
        y.store(access(x, y))

    return kernel


def updating(access: Callable[[Any, Any], Any]) -> Any:
    """A kernel that updates an accumulator in some way."""

    @fh.kernel
    def kernel(x: Ref["N"], a: Acc["N"]):
        access(a, x.load())

    return kernel


def raw(name: str) -> Any:
    """A kernel that accesses a raw tensor in a way."""

    @fh.kernel
    def kernel(y: Mut["N"], r: Raw["N"]):
        t, i = y.load(), fh.arange(4)
        with fh.unsafe("one block is launched"):
            match name:
                case "gather":
                    t = r.gather(i)
                case "gather acquire":
                    t = r.gather(i, order="acquire", scope="system")
                case "scatter":
                    r.scatter(t, i)
                case "scatter release":
                    r.scatter(t, i, order="release")
                case "atomic_add":
                    t = r.atomic_add(t, i)
                case "atomic_max":
                    t = r.atomic_max(t, i)
                case "atomic_min":
                    t = r.atomic_min(t, i)
                case "atomic_and":
                    t = r.atomic_and(t, i)
                case "atomic_or":
                    t = r.atomic_or(t, i)
                case "atomic_xor":
                    t = r.atomic_xor(t, i)
                case "atomic_exchange":
                    t = r.atomic_exchange(t, i)
                case _:
                    t = r.atomic_cas(t, t, i)
        y.store(t)

    return kernel


PADDINGS = ("zero", "neg_zero", "nan", "inf", "-inf")


def padded(access: str, padding: str) -> Function:
    """A way to read, with what is read out of bounds."""
    ways: dict[str, Function] = {
        "load": lambda x, y: x.load_like(y, padding=padding),
        "gather": lambda x, y: x.gather(fh.arange(4) + 3, padding=padding),
        "load_from": lambda x, y: x.load_from(3, 4, padding=padding),
    }
    return ways[access]


READS: dict[str, Function] = {
    **{f"{a} {p}": padded(a, p) for a in ("load", "gather", "load_from") for p in PADDINGS},
    "gather 0.5": lambda x, y: x.gather(fh.arange(4) + 3, padding=0.5),
    "gather 1": lambda x, y: x.gather(fh.arange(4) + 3, padding=1),
    "latency": lambda x, y: x.load_like(y, latency=3),
    "its own": lambda x, y: y.load(),
}
UPDATES: dict[str, Function] = {
    "add": lambda a, t: a.at(0).add(t),
    "maximum": lambda a, t: a.at(0).maximum(t),
    "minimum": lambda a, t: a.at(0).minimum(t),
    "bitwise_and": lambda a, t: a.at(0).bitwise_and(t),
    "bitwise_or": lambda a, t: a.at(0).bitwise_or(t),
    "bitwise_xor": lambda a, t: a.at(0).bitwise_xor(t),
    "add_at": lambda a, t: a.add_at(t, fh.arange(4)),
    "maximum_at": lambda a, t: a.maximum_at(t, fh.arange(4)),
    "minimum_at": lambda a, t: a.minimum_at(t, fh.arange(4)),
    "bitwise_and_at": lambda a, t: a.bitwise_and_at(t, fh.arange(4)),
    "bitwise_or_at": lambda a, t: a.bitwise_or_at(t, fh.arange(4)),
    "bitwise_xor_at": lambda a, t: a.bitwise_xor_at(t, fh.arange(4)),
}
RAW = ("gather", "gather acquire", "scatter", "scatter release", "atomic_add", "atomic_max", "atomic_min", "atomic_and",
       "atomic_or", "atomic_xor", "atomic_exchange", "atomic_cas")  # fmt: skip
MEMORY = {
    **{f"ref: {name}": reading(access) for name, access in READS.items()},
    **{f"acc: {name}": updating(access) for name, access in UPDATES.items()},
    **{f"raw: {name}": raw(name) for name in RAW},
}


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [d for d in dtypes.ALL if d.storage_bits], ids=str)
def test_what_memory_is_accessed_by_is_assembled(dtype: DType):
    accepted: dict[str, dict[str, ModuleOp]] = {}
    for name, kernel in MEMORY.items():
        array = np.zeros(5, numpy_dtype(dtype.name))
        try:
            module = verified(kernel, (fh.partition(array, 4), array.copy()))
        except Rejected:
            continue
        accepted.setdefault(architecture(module), {})[name] = translate(module, checks=kernel.options.checks)
    assert [refusals(modules, arch) for arch, modules in accepted.items()] == [{}] * len(accepted)
    names = {name for modules in accepted.values() for name in modules}
    assert {"ref: load zero", "ref: gather zero", "ref: load_from zero", "raw: scatter"} <= names
