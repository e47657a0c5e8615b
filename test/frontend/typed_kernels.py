"""What type checkers know of a kernel: read by one in test_typing.py, and never run.

A line ends in `# error: RULE` exactly where there is one to be reported.
"""

from typing import Any, assert_type

import freehold as fh
from freehold import Const, Mut, Out, Ref, Scalar, Tile, bf16, bool_, f16, f32, f64, i32, i64, u8, u32


def dtypes_are_kept(x: Ref["M", "N"], a: f32, n: int):
    t = fh.zeros((16, 16), f32)
    assert_type(t * 2 + 1.0, Tile[f32])
    assert_type(1.0 / t, Tile[f32])
    assert_type(t + a, Tile[f32])
    assert_type(a * t, Tile[f32])
    assert_type(a * 2, f32)
    assert_type(-t, Tile[f32])
    assert_type(t @ t, Tile)
    assert_type(t < a, Tile[bool_])
    assert_type(a < 0.5, bool_)
    assert_type((t > 0) & (t < 1), Tile[bool_])
    assert_type(fh.exp(t), Tile)
    assert_type(-a, f32)
    assert_type(fh.exp(a), Scalar)
    assert_type(t.sum(), Scalar[f32])
    assert_type(t.max(axis=1, keepdims=True), Tile[f32])
    assert_type((t > 0).sum(), i32)
    assert_type(t.argmax(axis=1), Tile[i32])
    assert_type(t[:, None].reshape(16, 1, 16).T, Tile[f32])
    assert_type(fh.sort(t), Tile[f32])
    assert_type(fh.top_k(t, 4), tuple[Tile[f32], Tile[i32]])
    assert_type(fh.pack(t), Tile[u8])
    assert_type(fh.random_bits(1, fh.arange(16)), Tile[u32])


def dtypes_meet(x: Ref["M", "N"]):
    t, h, k = fh.zeros(16, f32), fh.zeros(16, f16), fh.arange(16)
    assert_type(k * 2 + 1, Tile[i32])
    assert_type(t * k, Tile[f32])
    assert_type(k + h, Tile[f16])
    assert_type(k / h, Tile[f16])
    assert_type(t + h, Tile)
    assert_type(k * 0.5, Tile)
    assert_type(k.astype(i64) + k, Tile)
    assert_type(t.astype(bf16, rounding=fh.Rounding.ZERO), Tile[bf16])
    assert_type(fh.bitcast(t, u32), Tile[u32])


def what_is_loaded_is_of_any_dtype(x: Ref["M", "N"], y: Mut["M", "N"]):
    t = x.load((0, 0), (16, 16))
    assert_type(t, Tile)
    assert_type(t + 1, Tile)
    assert_type(t / t, Tile)
    assert_type(t & 3, Tile)
    assert_type(t.sum(), Scalar)
    assert_type(t.astype(x.dtype), Tile)
    known: Tile[f16] = t
    assert_type(known * 2, Tile[f16])
    y.store(known)


def scalars_are_told_from_tiles(x: Ref["M", "N"]):
    t, known = x.load((0, 0), (16, 16)), fh.zeros((16, 16), f32)
    assert_type(t.sum().astype(i32), i32)
    assert_type(t[:1, :1].item(), Scalar)
    assert_type(t[:1, :1].reshape(()), Scalar)
    assert_type(known[:1, :1].item(), Scalar[f32])
    assert_type(t.reshape(-1), Tile)
    assert_type(x.load((0, 0), ()), Scalar)
    assert_type(fh.clip(t.max(), 0, 1), Scalar)
    assert_type(fh.exp(-t.max()), Scalar)
    assert_type(-known.max(), Scalar[f32])
    assert_type(fh.maximum(t.max(), 1.0), Scalar)
    assert_type(fh.maximum(t.max(), t), Tile)
    assert_type(t.extract((0, t.argmax()), (8, 8)), Tile)
    assert_type(known.extract((0, 1), (8, 8)), Tile[f32])
    assert_type(known.sum().round(), Scalar[f32])


def indices(x: Ref["M", "N"], y: Out["M", "N"], table: Ref[i32, "E"], BK: Const[int] = 16):
    i, j = y.index
    assert_type(i, i32)
    assert_type(i * 16 + 1, i32)
    assert_type(i * 16 + fh.arange(16), Tile[i32])
    assert_type(x.shape[0], i32)
    assert_type(x.shape[0].astype(f32), f32)
    assert_type(i.clip(0, 3), i32)
    for k in fh.tiles(x, axis=1, size=BK, start=j, stop=fh.cdiv(i, 2)):
        assert_type(k, i32)
        x.load((i, k // 2), (16, BK))
    x.load((table.load(0, 1).max(), j), (16, 16))
    x.load((fh.minimum(i, j), j % 4), (16, 16))


def products(x: Ref["M", "N"]):
    h, b, d, s = (fh.zeros((16, 16), f16), fh.zeros((16, 16), bf16), fh.zeros((16, 16), f64), fh.zeros((16, 16), u8))
    t = x.load((0, 0), (16, 16))
    assert_type(fh.mma(h, h, fh.zeros((16, 16), f16)), Tile[f16])
    assert_type(fh.mma(h, h, fh.zeros((16, 16), f32)), Tile[f32])
    assert_type(fh.mma(b, b, fh.zeros((16, 16), f32)), Tile[f32])
    assert_type(fh.mma(d, d, d), Tile[f64])
    assert_type(fh.mma(s, s, fh.zeros((16, 16), i32)), Tile[i32])
    assert_type(fh.mma(t, t, fh.zeros((16, 16), f32)), Tile[f32])
    fh.mma(b, b, b)  # error: reportCallIssue
    fh.mma(h, h, fh.zeros((16, 16), i32))  # error: reportCallIssue
    fh.mma(h, d, fh.zeros((16, 16), f32))  # error: reportCallIssue


def misuse(x: Ref["M", "N"], y: Mut["M", "N"], a: f32):
    t, k = fh.zeros((16, 16), f32), fh.arange(16)
    _ = k / k  # error: reportOperatorIssue
    _ = t & t  # error: reportOperatorIssue
    _ = t << 1  # error: reportOperatorIssue
    _ = ~t  # error: reportOperatorIssue
    x.load((a, 0), (16, 16))  # error: reportArgumentType
    x.load((k, 0), (16, 16))  # error: reportArgumentType
    x.store(t)  # error: reportAttributeAccessIssue
    y.load((0, 0), (16, 16))  # error: reportCallIssue
    t.mean()  # error: reportAttributeAccessIssue
    t.astype("f32")  # error: reportCallIssue
    t.cumsum(1, "reverse")  # error: reportCallIssue
    fh.add(t, t, rounding="up")  # error: reportCallIssue
    fh.clip(t, 0.0)  # error: reportCallIssue
    half: Tile[f16] = t  # error: reportAssignmentType
    y.store(half)


def dtypes_are_values(made: fh.DType, other: Any):
    def shown(dtype: fh.DType) -> str:
        return f"{dtype.name} {dtype.itemsize}"

    assert_type(shown(f32), str)
    assert_type(shown(made), str)
    assert_type(f32.bits, int)
