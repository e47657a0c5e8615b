"""Freehold in five minutes: two kernels that run, their cubins, and one that is refused.

Runs anywhere. With an NVIDIA GPU the kernels run there; without one they run on the interpreter, which executes the
same verified IR in NumPy.
"""

# An editor sees the mistake in `smooth_in_place`, too:
# pyright: reportCallIssue=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import time
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

import freehold as fh
from freehold import Const, Mut, Out, Ref, f32


@fh.kernel
def saxpy(y: Mut["N"], x: Ref["N"], a: f32):
    """y = a * x + y, one tile of y for each tile block."""
    y.store(a * x.load_like(y) + y.load())


@fh.kernel
def gemm(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int] = 64):
    """c = a @ b, accumulated in float32."""
    m, n = c.index
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=BK):
        acc = fh.mma(a.load((m, k), (c.tile[0], BK)), b.load((k, n), (BK, c.tile[1])), acc)
    c.store(acc.astype(c.dtype))


@fh.kernel
def smooth_in_place(u: Mut["N"]):
    """An average with the tile on the left that forgets that this tile is being overwritten."""
    (i,) = u.index
    left = u.load((fh.maximum(i - 1, 0),), u.tile)
    u.store((left + u.load()) / 2.0)


def main() -> None:
    """Run everything and say what happened."""
    rng = np.random.default_rng(0)
    where = "the GPU" if fh.gpu_available() else "the interpreter (no GPU here)"
    print(f"Kernels run on {where}.\n")

    print("1. saxpy: y = a * x + y, 100 000 elements in tiles of 1024")
    x, y = (rng.standard_normal(100_000, dtype=np.float32) for _ in range(2))
    device_x, device_y = fh.to_device(x), fh.to_device(y)
    saxpy(fh.partition(device_y, 1024), device_x, 2.0).sync()
    report(fh.to_numpy(device_y), 2.0 * x + y, 1e-6)

    print("\n2. gemm: bfloat16, 512 x 384 x 256, tiles of 64 x 64; the same kernel under three schedules")
    a = rng.standard_normal((512, 256), dtype=np.float32).astype(ml_dtypes.bfloat16)
    b = rng.standard_normal((256, 384), dtype=np.float32).astype(ml_dtypes.bfloat16)
    expected = a.astype(np.float32) @ b.astype(np.float32)
    device_a, device_b = fh.to_device(a), fh.to_device(b)
    poison = np.full((512, 384), np.nan, np.float32).astype(ml_dtypes.bfloat16)
    device_c = fh.to_device(poison)
    for title, order, blocks in (
        ("one block a tile, row by row", fh.ROW, fh.EACH),
        ("one block a tile, groups of 4 rows", fh.grouped(4), fh.EACH),
        ("persistent blocks, groups of 4 rows", fh.grouped(4), fh.PERSISTENT),
    ):
        device_c = fh.to_device(poison)
        gemm(fh.partition(device_c, (64, 64), order=order, blocks=blocks), device_a, device_b).sync()
        print(f"   {title}:")
        report(fh.to_numpy(device_c).astype(np.float32), expected, 1e-2)

    print("\n3. What was proved about gemm")
    print(indent(gemm.explain(fh.partition(device_c, (64, 64), order=fh.grouped(4)), device_a, device_b)))

    print("\n4. Cubins for machines that are not here")
    for arch in ("sm_80", "sm_90", "sm_100", "sm_120"):
        began = time.perf_counter()
        cubin = gemm.compile(fh.partition(device_c, (64, 64)), device_a, device_b, arch=arch).cubin
        print(f"   {arch}: {len(cubin):6d} bytes, {(time.perf_counter() - began) * 1e3:5.0f} ms")

    print("\n5. A kernel with a data race, and the answer to it\n")
    try:
        smooth_in_place(fh.partition(device_y, 1024)).sync()
    except fh.Rejected as refused:
        print(refused)
    else:
        raise AssertionError("a racy kernel was accepted")


def report(result: NDArray[Any], expected: NDArray[Any], tolerance: float) -> None:
    """Print the relative error in the Frobenius norm; fail where it is too large (or a NaN)."""
    error = float(np.linalg.norm(result - expected) / np.linalg.norm(expected))
    print(f"   relative error against NumPy: {error:.1e}")
    if not error <= tolerance:
        raise AssertionError(f"expected at most {tolerance:.0e}")


def indent(text: str) -> str:
    """Three blanks before every line."""
    return "\n".join(f"   {line}" for line in text.splitlines())


if __name__ == "__main__":
    main()
