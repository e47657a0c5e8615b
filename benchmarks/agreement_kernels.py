"""Whole kernels for benchmarks/agreement.py: ownership modules on the interpreter against their cubins."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy

import freehold as fh
from benchmarks.agreement_inputs import distance
from benchmarks.kernels import add, gemm, saxpy
from freehold import Const, Out, Ref, f32, i32, u8

if TYPE_CHECKING:
    from benchmarks.agreement import Gpu, Row


np: Any = numpy
"""Typed loosely, as in agreement_inputs."""


@fh.kernel
def softmax(y: Out["M", "N"], x: Ref["M", "N"]):
    """The softmax of each row."""
    t = x.load_like(y)
    t = fh.where(fh.arange(y.tile[1]) < x.shape[1], t, float("-inf"))
    e = fh.exp(t - t.max(axis=1, keepdims=True))
    y.store(e / e.sum(axis=1, keepdims=True))


@fh.kernel
def layer_norm(y: Out["M", "N"], x: Ref["M", "N"], w: Ref["N"], bias: Ref["N"], eps: f32):
    """Rows brought to mean 0 and variance 1, scaled and shifted."""
    columns, n = y.tile[1], x.shape[1]
    t = x.load_like(y)
    mean = t.sum(axis=1, keepdims=True) / n
    d = fh.where(fh.arange(columns) < n, t - mean, 0.0)
    variance = (d * d).sum(axis=1, keepdims=True) / n
    y.store(d * fh.rsqrt(variance + eps) * w.load((0,), (columns,)) + bias.load((0,), (columns,)))


@fh.kernel
def attention(
    o: Out["B", "H", "S", "D"],
    q: Ref["B", "H", "S", "D"],
    k: Ref["B", "H // G", "S", "D"],
    v: Ref["B", "H // G", "S", "D"],
    scale: f32,
    G: Const[int],
    D: Const[int],
    TK: Const[int] = 32,
):
    """Causal attention with grouped queries."""
    b, h, i, _ = o.index
    rows_of = o.tile[2]
    queries = q.load_like(o).reshape(rows_of, D)
    top = fh.full((rows_of,), float("-inf"), f32)
    total = fh.zeros((rows_of,), f32)
    acc = fh.zeros((rows_of, D), f32)
    rows = i * rows_of + fh.arange(rows_of)
    for j in range(fh.cdiv((i + 1) * rows_of, TK)):
        keys = k.load((b, h // G, j, 0), (1, 1, TK, D)).reshape(TK, D)
        s = fh.mma(queries, keys.T, fh.zeros((rows_of, TK), f32)) * scale
        s = fh.where(rows[:, None] >= j * TK + fh.arange(TK), s, float("-inf"))
        new = fh.maximum(top, s.max(axis=1))
        p = fh.exp(s - new[:, None])
        fade = fh.exp(top - new)
        total = total * fade + p.sum(axis=1)
        values = v.load((b, h // G, j, 0), (1, 1, TK, D)).reshape(TK, D)
        acc = fh.mma(p.astype(values.dtype), values, acc * fade[:, None])
        top = new
    o.store((acc / total[:, None]).reshape(o.tile).astype(o.dtype))


@fh.kernel
def dequantised(y: Out["M", "N"], w: Ref[u8, "M", "N // 2"], scale: Ref["M"]):
    """Integers of 4 bits, two a byte, times the scale of their row."""
    i, j = y.index
    rows, columns = y.tile
    t = fh.unpack(w.load((i, j), (rows, columns // 2)), fh.i4)
    y.store(t.astype(f32) * scale.load((i,), (rows,))[:, None])


@fh.kernel
def moved(y: Out["M", "N"], x: Ref["M", "N"], at: Ref[i32, "B"]):
    """A part of each tile put elsewhere, and one element of it, at places that are read."""
    i, j = at.load((y.index[0],), ()), at.load((y.index[1],), ())
    t = x.load_like(y)
    part = t.extract((i, j), (2, 8))
    y.store(t.insert((j, i), part).insert((i, j), t[i, -1]))


@fh.kernel
def padded(y: Out["N"], x: Ref["N"]):
    """Every third element, and a number where there is none."""
    i = y.index[0] * y.tile[0] + fh.arange(y.tile[0])
    y.store(x.gather(i * 3 - 7, mask=i % 5 != 0, padding=-2))


@fh.kernel
def truths(y: Out[fh.bool_, "N"], x: Ref["N"]):
    """Which elements are not 0."""
    y.store(x.load_like(y).astype(fh.bool_))


@dataclass(frozen=True)
class Sample:
    """A kernel, and what it is launched on."""

    name: str
    types: str
    kernel: Any
    arrays: tuple[Any, ...]
    """Its arguments as the interpreter takes them, the output first."""
    call: Callable[..., tuple[Any, ...]]
    """Its arguments as a launch takes them, of `arrays`."""
    kind: str
    limit: float


def samples(seed: int) -> list[Sample]:
    """All of them."""
    rng = np.random.default_rng(seed)
    bf16: Any = np.dtype(ml_dtypes.bfloat16)
    f16, single = np.dtype(np.float16), np.dtype(np.float32)

    def normal(*shape: int, dtype: Any = single) -> Any:
        return rng.standard_normal(shape).astype(dtype)

    def plain(tile: Any, **options: Any) -> Callable[..., tuple[Any, ...]]:
        def call(out: Any, *rest: Any) -> tuple[Any, ...]:
            return (fh.partition(out, tile, **options), *rest)

        return call

    def heads(out: Any, *rest: Any) -> tuple[Any, ...]:
        return (fh.partition(out, (1, 1, 32, 32)), *rest, 2, 32)

    found: list[Sample] = []
    for dtype, name in ((single, "f32"), (f16, "f16"), (bf16, "bf16")):
        found.append(
            Sample(
                "add",
                name,
                add,
                (normal(1000, dtype=dtype), *(normal(1000, dtype=dtype) for _ in range(2))),
                plain(128),
                "exact",
                0,
            )
        )
    # The GPU joins the product and the sum into one rounding where it may.
    found.append(
        Sample(
            "saxpy, in place", "f32", saxpy, (normal(1000), normal(1000), np.float32(1.7)), plain(128), "norm", 2.0**-23
        )
    )
    found.append(
        Sample("softmax", "f32", softmax, (normal(37, 100), normal(37, 100)), plain((4, 128)), "norm", 2.0**-20)
    )
    found.append(
        Sample(
            "layer norm",
            "f32",
            layer_norm,
            (normal(37, 100), normal(37, 100), normal(100), normal(100), np.float32(1e-5)),
            plain((4, 128)),
            "norm",
            2.0**-19,
        )
    )
    schedules: Sequence[tuple[str, dict[str, Any]]] = (
        ("one block a tile", {}),
        ("grouped", {"order": fh.grouped(2)}),
        ("persistent", {"order": fh.grouped(2), "blocks": fh.PERSISTENT}),
    )
    for dtype, name, limit in ((single, "f32", 2.0**-18), (f16, "f16", 2.0**-9), (bf16, "bf16", 2.0**-6)):
        for schedule, options in schedules:
            arrays = normal(200, 136, dtype=dtype), normal(200, 104, dtype=dtype), normal(104, 136, dtype=dtype)
            found.append(Sample(f"GEMM, {schedule}", name, gemm, arrays, plain((64, 32), **options), "norm", limit))
    for dtype, name, limit in ((f16, "f16", 2.0**-9), (bf16, "bf16", 2.0**-6)):
        shapes = (1, 4, 128, 32), (1, 4, 128, 32), (1, 2, 128, 32), (1, 2, 128, 32)
        arrays = (*(normal(*shape, dtype=dtype) for shape in shapes), np.float32(0.2))
        found.append(
            Sample(
                "attention",
                name,
                attention,
                arrays,
                heads,
                "norm",
                limit,
            )
        )
    bytes_ = rng.integers(0, 256, (64, 48), np.uint8)
    found.append(
        Sample("4-bit integers", "f32", dequantised, (normal(64, 96), bytes_, normal(64)), plain((16, 32)), "exact", 0)
    )
    places = rng.integers(-100, 100, 8).astype(np.int32)
    whole = rng.integers(-100, 100, 200)
    for dtype, name in (
        (single, "f32"),
        (f16, "f16"),
        (bf16, "bf16"),
        (np.dtype(np.int8), "i8"),
        (np.dtype(np.int64), "i64"),
    ):
        square = rng.integers(-100, 100, (50, 60)).astype(dtype)
        found.append(
            Sample(
                "parts at computed places", name, moved, (square.copy(), square, places), plain((16, 16)), "exact", 0
            )
        )
        found.append(
            Sample(
                "gather with padding", name, padded, (whole.astype(dtype), whole.astype(dtype)), plain(64), "exact", 0
            )
        )
    for dtype, name in (
        (ml_dtypes.float8_e4m3fn, "f8E4M3FN"),
        (ml_dtypes.float8_e5m2, "f8E5M2"),
        (np.float16, "f16"),
        (np.int64, "i64"),
    ):
        given = rng.integers(-1, 2, 200).astype(dtype)
        found.append(Sample(f"truth values of {name}", "i1", truths, (given != given, given), plain(64), "exact", 0))
    return found


def prepared(folder: Path, arch: str) -> list[dict[str, Any]]:
    """Writes the kernels' cubins, and returns what the manifest says of them."""
    said: list[dict[str, Any]] = []
    for number, sample in enumerate(samples(0)):
        made = sample.kernel.compile(*sample.call(*sample.arrays), arch=arch)
        name = f"k{number:03}"
        (folder / f"{name}.cubin.z").write_bytes(zlib.compress(made.cubin, 9))
        said.append({"name": name, "kernel": sample.name, "types": sample.types, "contract": made.contract.to_json()})
    return said


def compare_kernels(folder: Path, kernels: list[dict[str, Any]], device: Gpu | None, seed: int) -> list[Row]:
    """Runs every kernel on both sides: the interpreter runs the ownership module, before anything is lowered."""
    from benchmarks.agreement import Form, Row
    from benchmarks.agreement_build import Bound
    from freehold.runtime.gpu import driver
    from freehold.runtime.interpreter.launch import entry_call, run
    from freehold.runtime.interpreter.values import aligned
    from freehold.support.contract import LaunchContract
    from freehold.support.diagnostic import Rejected

    rows: list[Row] = []
    for sample, data in zip(samples(seed), kernels, strict=True):
        assert (sample.name, sample.types) == (data["kernel"], data["types"])
        row = Row(f"kernel: {sample.name}", sample.types)
        rows.append(row)
        expected, got = ([aligned(x) if isinstance(x, np.ndarray) else x for x in sample.arrays] for _ in range(2))
        try:
            run(sample.kernel.lower(*sample.call(*expected)), expected)
            if device is not None:
                contract = LaunchContract.from_json(data["contract"])
                call = entry_call(contract, got)
                blocks = call.points
                if contract.persistent:
                    blocks = min(blocks, driver.multiprocessors(device.device))
                values = [np.int32(value) if isinstance(value, int) else value for value in call.values]
                cubin = zlib.decompress((folder / f"{data['name']}.cubin.z").read_bytes())
                device.launch(cubin, contract.symbol, values, blocks)
            else:
                got = expected
        except Rejected as e:
            row.error = str(e)
            continue
        bound = Bound(sample.kind, sample.limit)
        found = distance(sample.types, got[0].reshape(-1), expected[0].reshape(-1), bound.kind)
        worst = float(found.sum() if bound.kind == "exact" else found.max())
        form = Form("", bound, found.size, worst)
        if not form.fine:
            at = int(np.argmax(found > bound.limit))
            form.first = f"element {at}: GPU {got[0].flat[at]}, interpreter {expected[0].flat[at]}"
        row.forms.append(form)
    return rows
