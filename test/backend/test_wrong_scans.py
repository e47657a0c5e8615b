"""Running sums that the assembler joins wrongly: which kernels are refused, and by what in their code (O424)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cubins import elf

import freehold as fh
from freehold import Const, Out, Ref
from freehold.backend import wrong_scans
from freehold.backend.bytecode.writer import write_bytecode
from freehold.backend.errors.wrong_code import ScanMixed
from freehold.dialects.cuda_tile.ops.reduce import ScanOp
from freehold.runtime.variants import build
from freehold.support.diagnostic import Rejected

inner: Any = wrong_scans
GOLDEN = Path(__file__).parent / "golden"

UP = "shfl.sync.up.b32 \t%r34, %r122, 4, 0, -1;\n"
HANDED = "shfl.sync.idx.b32 \t%r104, %r2, 7, 31, -1;\n"
SHARED = "st.shared::cta.b32 [%r74], %r6;\n"


@fh.kernel
def added_up(y: Out["A", "R", "C"], x: Ref["A", "R", "C"], AXIS: Const[int]):
    """Running sums of each tile."""
    y.store(fh.cumsum(x.load_like(y), axis=AXIS))


@fh.kernel
def added_up_in_loop(y: Out["A", "R", "C"], x: Ref["A", "R", "C"], AXIS: Const[int]):
    """Of each tile twice."""
    t = x.load_like(y)
    for _ in range(2):
        t = fh.cumsum(t, axis=AXIS)
    y.store(t)


def arguments(tile: tuple[int, int, int], axis: int = 1) -> tuple[Any, ...]:
    x = np.ones((8, 64, 512), np.float32)
    return fh.partition(np.empty_like(x), tile), x, axis


def codes(kernel: Any, warps: int, tile: tuple[int, int, int], axis: int = 1) -> tuple[str, ...]:
    try:
        kernel.with_hints(num_worker_warps=warps).compile(*arguments(tile, axis), arch="sm_90")
    except Rejected as rejected:
        return tuple(rejected.codes)
    return ()


@pytest.mark.parametrize("kernel", [added_up, added_up_in_loop])
@pytest.mark.parametrize(("warps", "tile"), [(1, (1, 16, 16)), (1, (2, 32, 32)), (1, (1, 64, 64)), (2, (2, 16, 16))])
def test_columns_that_go_on_from_other_columns_are_refused(kernel: Any, warps: int, tile: tuple[int, int, int]):
    assert codes(kernel, warps, tile) == ("O424",)


@pytest.mark.parametrize(
    ("warps", "tile", "axis"),
    [
        (1, (1, 64, 128), 1),  # each thread has columns of its own
        (2, (1, 16, 16), 1),  # warps hand them on
        (4, (1, 64, 64), 1),
        (1, (1, 16, 256), 2),  # a warp has one row
        (4, (1, 16, 512), 2),
        (1, (1, 64, 1), 1),
    ],
)
def test_others_are_not(warps: int, tile: tuple[int, int, int], axis: int):
    assert codes(added_up, warps, tile, axis) == ()


def test_what_is_said(golden: Callable[[Path, str], None]):
    with pytest.raises(Rejected) as caught:
        added_up.with_hints(num_worker_warps=1).compile(*arguments((1, 16, 32)), arch="sm_90")
    golden(GOLDEN / "scan_mixed.err", str(caught.value))


@pytest.mark.parametrize(
    ("text", "axes", "is_right"),
    [
        (HANDED, 1, True),  # nothing is added up across threads
        (UP, 1, True),
        (UP + HANDED, 0, True),
        (UP + HANDED, 1, False),
        (UP + HANDED.replace("7", "31"), 1, True),
        (UP + HANDED.replace("7", "0"), 1, True),
        (UP + HANDED.replace("7", "%r7"), 1, False),  # a thread that nothing is known of
        (UP + SHARED, 1, True),
        (UP + SHARED, 2, False),
        (UP, 2, True),
        (None, 0, True),
        (None, 1, False),
    ],
)
def test_what_the_text_of_a_kernel_says(text: str | None, axes: int, is_right: bool):
    assert inner._is_right(text, axes) == is_right


def test_a_cubin_without_text_counts_as_wrong_where_a_tile_has_several_axes():
    def code(tile: tuple[int, int, int]) -> bytes:
        module = build.emitted(added_up.verify(*arguments(tile)), added_up.options)
        assert any(isinstance(op, ScanOp) for op in module.walk())
        return write_bytecode(module)

    expected = [ScanMixed(None, "kernel `added_up`", "sm_90", "1 x 16 x 16", 1)]
    for cubin in (b"", elf([])):
        assert wrong_scans.mixed(cubin, code((1, 16, 16)), "sm_90") == expected
        assert wrong_scans.mixed(cubin, code((1, 16, 1)), "sm_90") == []
    text = b".version 9.5\0\0.visible .entry added_up(\0)\0{\0" + UP.encode() + b"}\0"
    cubin = elf([(".nv_debug_ptx_txt", 1, text, 0, 0)])
    assert wrong_scans.mixed(cubin, code((1, 16, 16)), "sm_90") == []
