"""Kernels of which the assembler makes wrong code: columns that blocks share, sums along products, loops left out."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Mut, Out, Ref, f32, i32
from freehold.backend.assembler import assemble
from freehold.backend.bytecode.writer import write_bytecode
from freehold.backend.flow import WORKERS, hint_of
from freehold.backend.wrong_code import wrong
from freehold.dialects.cuda_tile import EntryOp
from freehold.dialects.cuda_tile.text import parse_disassembly
from freehold.runtime.variants.build import bytecode
from freehold.support.diagnostic import Rejected

GOLDEN = Path(__file__).with_name("golden")


@fh.kernel
def in_columns(c: Mut["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], W: Const[int]):
    """A product, stored in two halves of its columns."""
    fh.require("N <= 1000000")
    m, _ = c.index
    TM, R = c.tile
    acc = fh.zeros((TM, W), f32)
    for k in fh.tiles(a, axis=1, size=32):
        acc = fh.mma(a.load((m, k), (TM, 32)), b.load((k, 0), (32, W)), acc)
    c.store((acc[:, :R] + acc[:, W - R :]).astype(c.dtype))


@fh.kernel
def in_rows(c: Mut["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], W: Const[int]):
    """A product, of which the upper rows are stored."""
    m, n = c.index
    acc = fh.zeros((W, c.tile[1]), f32)
    for k in fh.tiles(a, axis=1, size=32):
        acc = fh.mma(a.load((m, k), (W, 32)), b.load((k, n), (32, c.tile[1])), acc)
    c.store(acc[: c.tile[0]].astype(c.dtype))


def arguments(tile: tuple[int, int], W: int) -> tuple[Any, ...]:
    c, a, b = (np.zeros((512, 512), np.float16) for _ in range(3))
    return fh.partition(c, tile), a, b, W


def refused(kernel: Any, tile: tuple[int, int], W: int, **hints: int) -> bool:
    hinted = kernel.with_hints(**hints)
    return bool(wrong(bytecode(hinted.verify(*arguments(tile, W)), hinted.options), "sm_90"))


@pytest.mark.parametrize(("rows", "warps", "blocks"), [(64, 4, 2), (128, 8, 2), (256, 8, 4), (128, 4, 4), (64, 2, 2)])
def test_tiles_with_too_few_rows(rows: int, warps: int, blocks: int) -> None:
    hints = {"num_worker_warps": warps, "num_cta_in_cga": blocks}
    assert refused(in_columns, (rows, 64), 128, **hints)
    assert not refused(in_columns, (2 * rows, 64), 128, **hints)
    assert not refused(in_columns, (rows, 64), 128, num_worker_warps=warps)
    assert not refused(in_columns, (rows, 128), 128, **hints)  # takes all of them
    assert not refused(in_rows, (rows // 2, 64), rows, **hints)


def test_it_is_told_and_refused(golden: Callable[[Path, str], None]) -> None:
    kernel = in_columns.with_hints(num_worker_warps=8, num_cta_in_cga=2)
    with pytest.raises(Rejected) as caught:
        kernel.compile(*arguments((128, 64), 128), arch="sm_90")
    assert caught.value.codes == ("O415",)
    golden(GOLDEN / "columns_mixed.err", str(caught.value))
    code = bytecode(kernel.verify(*arguments((128, 64), 128)), kernel.options)
    with pytest.raises(Rejected, match="would mix columns up"):  # whoever assembles it
        assemble(code, "sm_90")
    in_columns.with_hints(num_worker_warps=8).compile(*arguments((128, 64), 128), arch="sm_90")  # the edits
    kernel.compile(*arguments((256, 64), 128), arch="sm_90")


@fh.kernel
def in_line(c: Mut["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    """Running sums of a product."""
    c.store(fh.cumsum(a.load((c.index[0], 0), (c.tile[0], 32)) @ b.load((0, c.index[1]), (32, c.tile[1])), axis=1))


@fh.kernel
def in_loop(c: Mut["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    """Running sums of what a loop adds to and returns by way of the tile it carries."""
    t = fh.zeros(c.tile, f32)
    seen = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=32):
        seen += fh.cumsum(t, axis=0)
        t = fh.mma(a.load((c.index[0], k), (c.tile[0], 32)), b.load((k, c.index[1]), (32, c.tile[1])), t)
    c.store(seen)


@fh.kernel
def in_if(c: Mut["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    """Running sums, in some of the blocks, of the exponentials of a product."""
    t = fh.exp(a.load((c.index[0], 0), (c.tile[0], 32)) @ b.load((0, c.index[1]), (32, c.tile[1])))
    if c.index[0] > 0:
        t = fh.cumsum(t, axis=1)
    c.store(t)


@fh.kernel
def in_loop_that_is_left(c: Mut["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    """Running sums of a product that a loop hands on where it is left early, within an `if`."""
    seen = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=32):
        t = a.load((c.index[0], k), (c.tile[0], 32)) @ b.load((k, c.index[1]), (32, c.tile[1]))
        if t.sum() > 0:
            seen = t
            break
    c.store(fh.cumsum(seen, axis=1))


def multiplied(a: fh.Tile, b: fh.Tile) -> fh.Tile:
    return (a @ b).max(axis=1, keepdims=True)


@fh.kernel
def in_helper(c: Mut["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    """Running sums of the maxima of a product that a helper returns."""
    t = multiplied(a.load((c.index[0], 0), (c.tile[0], 32)), b.load((0, c.index[1]), (32, c.tile[1])))
    c.store(fh.cumsum(t, axis=0) + fh.zeros(c.tile, f32))


@fh.kernel
def of_loads(c: Mut["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    """Running sums of what was loaded, which a product then takes."""
    t = fh.cumsum(a.load((c.index[0], 0), (c.tile[0], 32)), axis=1)
    c.store(t @ b.load((0, c.index[1]), (32, c.tile[1])))


@fh.kernel
def added_to(c: Mut["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    """Running sums to which a product is added."""
    t = fh.cumsum(a.load((c.index[0], 0), (c.tile[0], 64)), axis=1) * 2.0
    c.store(fh.mma(a.load((c.index[0], 0), (c.tile[0], 32)), b.load((0, c.index[1]), (32, c.tile[1])), t))


@fh.kernel
def added_to_in_loop(c: Mut["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    """The same in a loop that is left, and in one behind it."""
    t, u = fh.zeros(c.tile, f32), fh.zeros(c.tile, f32)
    for k in range(6):
        t = fh.cumsum(a.load((c.index[0], 0), (c.tile[0], 64)) * 5.0, axis=1)
        if k == 4:
            break
    for k in fh.tiles(a, axis=1, size=32):
        u = fh.mma(a.load((c.index[0], k), (c.tile[0], 32)), b.load((k, c.index[1]), (32, c.tile[1])), t)
    c.store(t + u)


@fh.kernel
def taken_in_loop(c: Mut["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    """Running sums of which products are made that are added up."""
    t = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=32):
        s = fh.cumsum(a.load((c.index[0], k), (c.tile[0], 32)), axis=1)
        t = fh.mma(s, b.load((k, c.index[1]), (32, c.tile[1])), t)
    c.store(t)


def products() -> tuple[Any, ...]:
    c, a, b = (np.zeros((256, 256), np.float32) for _ in range(3))
    return fh.partition(c, (64, 64)), a, b


@pytest.mark.parametrize(
    "kernel", [in_line, in_loop, in_loop_that_is_left, in_if, in_helper, added_to, added_to_in_loop]
)
def test_running_sums_of_products(kernel: Any) -> None:
    errors = wrong(bytecode(kernel.verify(*products()), kernel.options), "sm_90")
    assert [error.code for error in errors] == ["O416"]


@pytest.mark.parametrize("kernel", [of_loads, taken_in_loop])
def test_running_sums_of_what_is_loaded(kernel: Any) -> None:
    assert not wrong(bytecode(kernel.verify(*products()), kernel.options), "sm_90")


def test_running_sums_are_told_and_refused(golden: Callable[[Path, str], None]) -> None:
    with pytest.raises(Rejected) as caught:
        in_line.compile(*products(), arch="sm_90")
    golden(GOLDEN / "product_scanned.err", str(caught.value))


def paired(x: Any, i: Any, k: Any, W: Any) -> Any:
    """A tile of 16-bit numbers as words of two."""
    return fh.unpack(fh.pack(x.load((i, k), (1, W)).reshape(W)), i32)


@fh.kernel
def handed_on(y: Out["M"], x: Ref["M", "N"], W: Const[int], HOW: Const[str]):
    """Sums of words that are unpacked two turns ahead, handed on in one of the ways."""
    (i,) = y.index
    a, b = paired(x, i, 0, W), paired(x, i, 1, W)
    sums = fh.zeros(W // 2, i32)
    for k in fh.tiles(x, axis=1, size=W):
        if HOW == "loaded":
            sums += a
            a, b = paired(x, i, k, W), paired(x, i, k, W)
        elif HOW == "in line":
            sums += a
            a, b = b, paired(x, i, k, W)
        elif HOW == "in if":
            sums += a
            if k > 3:
                a, b = b, paired(x, i, k, W)
                continue
            sums += b
        elif HOW == "computed":
            sums += a
            a, b = b, paired(x, i, k, W) + 1
        else:
            sums += a
            a, b = moved(b, paired(x, i, k, W))
    y.store((sums >> 16).astype(f32).sum(axis=0, keepdims=True))


def moved(a: fh.Tile, b: fh.Tile) -> tuple[fh.Tile, fh.Tile]:
    return a, b


@fh.kernel
def kept(y: Out["M"], x: Ref["M", "N"], W: Const[int]):
    """The same with tiles as they were loaded."""
    (i,) = y.index
    a, b = x.load((i, 0), (1, W), allow_tma=False), x.load((i, 1), (1, W), allow_tma=False)
    sums = fh.zeros(W // 2, i32)
    for k in fh.tiles(x, axis=1, size=W):
        sums += fh.unpack(fh.pack(a.reshape(W)), i32)
        a, b = b, x.load((i, k), (1, W), allow_tma=False)
    y.store((sums >> 16).astype(f32).sum(axis=0, keepdims=True))


@fh.kernel
def counted_on(y: Out["M"], x: Ref["M", "N"], W: Const[int]):
    """Numbers that are handed on beside words that are not."""
    (i,) = y.index
    a, b = i, i + 1
    sums = fh.zeros(W // 2, i32)
    for k in fh.tiles(x, axis=1, size=W):
        sums += paired(x, i, k, W) * a
        a, b = b, a + b
    y.store((sums >> 16).astype(f32).sum(axis=0, keepdims=True))


def leaves_out(kernel: Any, *constants: Any) -> list[str]:
    x, y = np.zeros((4, 1024), np.int16), np.zeros(4, np.float32)
    verified = kernel.verify(fh.partition(y, 1), x, 64, *constants)
    return [error.code for error in wrong(bytecode(verified, kernel.options), "sm_90")]


@pytest.mark.parametrize("how", ["in line", "in if", "computed", "in helper"])
def test_unpacked_tiles_that_are_handed_on(how: str) -> None:
    assert leaves_out(handed_on, how) == ["O418"]


def test_tiles_that_a_turn_unpacks_for_itself() -> None:
    assert leaves_out(handed_on, "loaded") == leaves_out(kept) == leaves_out(counted_on) == []


def test_a_loop_that_might_be_left_out_is_told_and_refused(golden: Callable[[Path, str], None]) -> None:
    x, y = np.zeros((4, 1024), np.int16), np.zeros(4, np.float32)
    with pytest.raises(Rejected) as caught:
        handed_on.compile(fh.partition(y, 1), x, 64, "in line", arch="sm_90")
    assert caught.value.codes == ("O418",)
    golden(GOLDEN / "unpacked_handed_on.err", str(caught.value))
    numbers = np.arange(4096, dtype=np.int16).reshape(4, 1024)
    handed_on(fh.partition(y, 1), numbers, 64, "in line").sync()  # the edit computes the same
    other = np.zeros(4, np.float32)
    kept(fh.partition(other, 1), numbers, 64).sync()
    assert np.array_equal(y, other)
    kept.compile(fh.partition(y, 1), x, 64, arch="sm_90")


FLOW = """
cuda_tile.module @kernels {
  entry @k(%n: tile<i32>, %address: tile<ptr<i32>>) {
    %a = constant <i8: 1> : tile<16x32xi8>
    %b = constant <i8: 1> : tile<32x16xi8>
    %o = constant <i32: 0> : SQUARE
    %one = constant <i32: 1> : tile<i32>
    %true = constant <i1: true> : tile<i1>
    %p = mmai %a, %b, %o signed signed : tile<16x32xi8>, tile<32x16xi8>, SQUARE
    %cut = extract %p[%one, %one] : SQUARE -> tile<1x1xi32>
    %number = reshape %cut : tile<1x1xi32> -> tile<i32>
    %condition = cmpi greater_than %number, %one, signed : tile<i32> -> tile<i1>
    BODY
    %s = scan RESULT dim=1 reverse=false identities=[0 : i32] : SQUARE -> SQUARE
    (%l: tile<i32>, %m: tile<i32>) {
      %q = addi %l, %m : tile<i32>
      yield %q : tile<i32>
    }
    return
  }
}
"""
FOR = "%x:2 = for %i in (BOUNDS) : tile<i32> iter_values(%c = {}, %d = {}) -> (SQUARE, SQUARE) {{ {} }}"
ONCE = FOR.replace("BOUNDS", "%one to %n, step %one")
LOOP = "%x:2 = loop iter_values(%c = {}, %d = {}) : SQUARE, SQUARE -> SQUARE, SQUARE {{ {} }}"
IF = "%x:2 = if {} -> (SQUARE, SQUARE) {{ yield {} : SQUARE, SQUARE }} else {{ yield {} : SQUARE, SQUARE }}"
STAYS = "continue %c, %d : SQUARE, SQUARE"
LEAVES = "if %true {{ break {} : SQUARE, SQUARE }} continue {} : SQUARE, SQUARE"
COUNTED = "%w = reshape %i : tile<i32> -> tile<1x1xi32> %z = broadcast %w : tile<1x1xi32> -> SQUARE "
SUMS = """%r = reduce {} dim=0 identities=[0 : i32] : SQUARE -> tile<16xi32>
  (%e: tile<i32>, %f: tile<i32>) {{ %g = addi %e, %f : tile<i32> yield %g : tile<i32> }}
  %h = reshape %r : tile<16xi32> -> tile<1x16xi32> %x = broadcast %h : tile<1x16xi32> -> SQUARE"""
LOADED = """%t = make_tensor_view %address, shape = [16, 16], strides = [16, 1] : tensor_view<16x16xi32, strides=[16,1]>
  %v = make_partition_view %t : partition_view<tile=(16x16), tensor_view<16x16xi32, strides=[16,1]>>
  %x, %token = load_view_tko weak %v[%number, %one]
    : partition_view<tile=(16x16), tensor_view<16x16xi32, strides=[16,1]>>, tile<i32> -> SQUARE, token"""


@pytest.mark.parametrize(
    ("body", "results"),
    [
        ("%x = addi %p, %o : SQUARE", {"%x": True, "%o": False, "%p": True}),
        ("%x = addi %o, %o : SQUARE", {"%x": False}),
        (ONCE.format("%p", "%o", STAYS), {"%x#0": True, "%x#1": False}),
        (ONCE.format("%o", "%p", STAYS), {"%x#0": False, "%x#1": True}),
        (ONCE.format("%p", "%o", "continue %o, %o : SQUARE, SQUARE"), {"%x#0": True, "%x#1": False}),  # without a turn
        (ONCE.format("%o", "%o", "continue %o, %p : SQUARE, SQUARE"), {"%x#0": False, "%x#1": True}),
        (ONCE.format("%p", "%o", "continue %d, %c : SQUARE, SQUARE"), {"%x#0": True, "%x#1": True}),  # in a later turn
        (LOOP.format("%p", "%o", LEAVES.format("%o, %o", "%c, %d")), {"%x#0": False, "%x#1": False}),
        (LOOP.format("%p", "%o", LEAVES.format("%o, %c", "%c, %d")), {"%x#0": False, "%x#1": True}),
        (LOOP.format("%o", "%o", LEAVES.format("%p, %o", "%c, %d")), {"%x#0": True, "%x#1": False}),
        (LOOP.format("%o", "%o", LEAVES.format("%o, %d", "%p, %o")), {"%x#0": False, "%x#1": False}),
        (LOOP.format("%o", "%o", LEAVES.format("%d, %c", "%p, %o")), {"%x#0": False, "%x#1": True}),
        (IF.format("%true", "%p, %o", "%o, %o"), {"%x#0": True, "%x#1": False}),
        (IF.format("%true", "%o, %o", "%o, %p"), {"%x#0": False, "%x#1": True}),
        (IF.format("%condition", "%o, %o", "%o, %o"), {"%x#0": False, "%x#1": False}),
        *(
            (FOR.replace("BOUNDS", bounds).format("%o", "%o", COUNTED + "continue %c, %z : SQUARE, SQUARE"), found)
            for bounds, found in (
                ("%one to %n, step %one", {"%x#0": False, "%x#1": False}),
                ("%number to %n, step %one", {"%x#0": False, "%x#1": True}),
                ("%one to %number, step %one", {"%x#0": False, "%x#1": True}),
                ("%one to %n, step %number", {"%x#0": False, "%x#1": True}),
            )
        ),
        (ONCE.format("%p", "%o", COUNTED + "continue %c, %z : SQUARE, SQUARE"), {"%x#0": True, "%x#1": False}),
        (SUMS.format("%p"), {"%x": True}),
        (SUMS.format("%o"), {"%x": False}),
        (LOADED, {"%x": False}),  # by way of memory
    ],
)
def test_what_a_product_goes_into(body: str, results: dict[str, bool]) -> None:
    for result, reached in results.items():
        text = FLOW.replace("BODY", body).replace("RESULT", result).replace("SQUARE", "tile<16x16xi32>")
        errors = wrong(write_bytecode(parse_disassembly(text)), "sm_90")
        assert [error.code for error in errors if error.code != "O419"] == ["O416"] * reached, result


@pytest.mark.parametrize(
    ("hints", "found"),
    [
        ("", 7),
        (" optimization_hints=<sm_90 = {occupancy = 2}>", 7),
        (" optimization_hints=<sm_90 = {num_worker_warps_per_cta = 8}>", 8),
        (" optimization_hints=<sm_100 = {num_worker_warps_per_cta = 8}>", 7),
        (" optimization_hints=<default = {num_worker_warps_per_cta = 4}>", 4),
        (" optimization_hints=<default = {num_worker_warps_per_cta = 4}, sm_90 = {num_worker_warps_per_cta = 8}>", 8),
        (" optimization_hints=<default = {num_worker_warps_per_cta = 4}, sm_90 = {occupancy = 2}>", 4),
    ],
)
def test_hints_are_of_an_architecture_before_they_are_of_all(hints: str, found: int) -> None:
    module = parse_disassembly(f"cuda_tile.module @kernels {{ entry @k(){hints} {{ return }} }}")
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    assert hint_of(entry, "sm_90", WORKERS, 7) == found


@fh.kernel
def taken_behind(y: Out["M", 64], z: Out["M", 64], x: Ref["M", "N"], n: i32, HOW: Const[str]):
    """Tiles that a loop hands on in one of the ways, and what it holds in the end."""
    (i, _) = y.index
    a, b = x.load((i, 0), (1, 64)), x.load((i, 1), (1, 64))
    sums = fh.zeros((1, 64), x.dtype)
    if HOW == "in line":
        for k in fh.tiles(x, axis=1, size=64):
            a, b = b, x.load((i, k), (1, 64))
    elif HOW == "in if":
        for k in fh.tiles(x, axis=1, size=64):
            if k > n:
                a, b = b, x.load((i, k), (1, 64))
                continue
            a = a + b
    elif HOW == "in helper":
        for k in fh.tiles(x, axis=1, size=64):
            a, b = moved(b, x.load((i, k), (1, 64)) + a)
    elif HOW == "in a loop in a loop":
        for _ in range(n):
            for k in fh.tiles(x, axis=1, size=64):
                a, b = b, x.load((i, k), (1, 64))
    elif HOW == "three":
        c = a
        for k in fh.tiles(x, axis=1, size=64):
            a, b, c = b, c, x.load((i, k), (1, 64))
        b = c
    elif HOW == "kept":
        for k in fh.tiles(x, axis=1, size=64):
            a = b
            b = x.load((i, k), (1, 64))
    elif HOW == "numbers":
        p, q = x.load((i, 0), ()), x.load((i, 1), ())
        for k in fh.tiles(x, axis=1, size=64):
            p, q = q, x.load((i, k), ())
        a = a * p
    elif HOW == "alike":
        k = 0
        while k < n:
            a = x.load((i, 0), (1, 64)) + 1.0
            b = a
            k += 1
    elif HOW == "alike from the beginning":
        b = a
        for k in fh.tiles(x, axis=1, size=64):
            a = x.load((i, k), (1, 64)) + 1.0
            b = a
    elif HOW == "exchanged":
        for _ in range(n):
            a, b = b, a
    elif HOW == "exchanged in some turns":
        for k in range(n):
            a, b = b, a
            if k % 3 == 1:
                a, b = b, a
    elif HOW == "exchanged in an if in an if":
        for k in range(n):
            if k % 3 == 1:
                if k % 2 == 1:
                    a, b = moved(b, a)
            else:
                b = b + 1.0
    elif HOW == "computed in some turns":
        for k in range(n):
            if k % 3 == 1:
                a = a + b
    elif HOW == "while":
        k = 0
        while k < n:
            a, b = b, x.load((i, 0), (1, 64)) + a
            k += 1
    elif HOW == "in the turns":
        for k in fh.tiles(x, axis=1, size=64):
            sums += a
            a, b = b, x.load((i, k), (1, 64))
        a = sums
    else:
        for k in fh.tiles(x, axis=1, size=64):
            a, b = a + b, x.load((i, k), (1, 64))
    y.store(a)
    z.store(b)


def takes(how: str) -> list[str]:
    x, y, z = np.zeros((4, 1024), np.float32), *np.zeros((2, 4, 64), np.float32)
    verified = taken_behind.verify(fh.partition(y, (1, 64)), fh.partition(z, (1, 64)), x, 3, how)
    return [error.code for error in wrong(bytecode(verified, taken_behind.options), "sm_90")]


@pytest.mark.parametrize(
    "how",
    [
        "in line",
        "in if",
        "in helper",
        "in a loop in a loop",
        "three",
        "kept",
        "numbers",
        "alike",
        "exchanged in some turns",
        "exchanged in an if in an if",
    ],
)
def test_tiles_that_are_taken_for_others(how: str) -> None:
    assert takes(how) == ["O419"]


@pytest.mark.parametrize(
    "how",
    ["exchanged", "while", "in the turns", "alike from the beginning", "computed", "computed in some turns"],
)
def test_tiles_that_are_handed_on_rightly(how: str) -> None:
    assert takes(how) == []


def test_tiles_that_would_be_taken_for_others_are_told_and_refused(golden: Callable[[Path, str], None]) -> None:
    x, y, z = np.ones((4, 1024), np.float32), *np.zeros((2, 4, 64), np.float32)
    with pytest.raises(Rejected) as caught:
        taken_behind.compile(fh.partition(y, (1, 64)), fh.partition(z, (1, 64)), x, 3, "in line", arch="sm_90")
    assert caught.value.codes == ("O419",)
    golden(GOLDEN / "tile_mistaken.err", str(caught.value))
