"""Kernels for clusters of blocks: which are taken, and which are refused as they might be wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Out, Ref, f16, f32, i32
from freehold.backend import wrong_clusters
from freehold.backend.wrong_code import wrong
from freehold.dialects.cuda_tile import EntryOp
from freehold.dialects.cuda_tile.text import parse_disassembly
from freehold.runtime.variants.build import bytecode
from freehold.support.diagnostic import Rejected

GOLDEN = Path(__file__).with_name("golden")
inner: Any = wrong_clusters


@fh.kernel
def reduced(y: Out["M", "N"], x: Ref["M", "N"], n: i32, HOW: Const[str]):
    """Tiles of (64, 64), and what is reduced of them."""
    t, u = x.load((0, 0), (64, 64)), x.load((0, 1), (64, 64))
    if HOW == "columns":
        t = t + t.sum(axis=0, keepdims=True)
    elif HOW == "rows":
        t = t - t.max(axis=1, keepdims=True)
    elif HOW == "all":
        t = t + fh.sum(t)
    elif HOW == "in if":
        if n > 3:
            t = t + t.sum(axis=0, keepdims=True)
    elif HOW == "in a loop":
        for _ in range(n):
            t = t + u.min(axis=1, keepdims=True)
    elif HOW == "in helper":
        t = t * total_of(u)
    elif HOW == "the first place":
        y.store(t + u)
        fh.print(fh.argmax(t, axis=0)[:1])
    elif HOW == "nothing":
        t = fh.exp(t) * u
    else:
        t = t + fh.cumsum(u, axis=0)
    y.store(t)


def total_of(t: fh.Tile) -> fh.Tile:
    return fh.sum(t, axis=1)[:, None]


@fh.kernel
def in_a_row(y: Out["M", "N"], x: Ref["M", "N"], n: i32, HOW: Const[str], W: Const[int]):
    """Rows of W."""
    i, _ = y.index
    t = x.load((i, 0), (1, W))
    if HOW == "all":
        t = t - t.max(axis=1, keepdims=True)
        y.store(t / t.sum(axis=1, keepdims=True))
    elif HOW == "neighbours":
        groups = t.reshape(1, W // 8, 8)
        y.store((groups - groups.max(axis=2, keepdims=True)).reshape(1, W))
    elif HOW == "neighbours of 16 bits":
        groups = t.astype(f16).reshape(1, W // 8, 8)
        y.store((groups - groups.max(axis=2, keepdims=True)).reshape(1, W).astype(f32))
    elif HOW == "more neighbours":
        groups = t.reshape(1, W // 16, 16)
        y.store((groups - groups.max(axis=2, keepdims=True)).reshape(1, W))
    elif HOW == "not neighbours":
        groups = t.reshape(1, 8, W // 8)
        y.store((groups - groups.max(axis=1, keepdims=True)).reshape(1, W))
    elif HOW == "loaded by threads":
        groups = t.reshape(1, W // 8, 8)
        other = x.load((i, 1), (1, W), allow_tma=False).reshape(1, W // 8, 8)
        y.store((other - groups.max(axis=2, keepdims=True)).reshape(1, W))
    else:
        sums = fh.zeros((1, 1), f32)
        for k in range(n):
            sums += x.load((i, k), (1, W)).sum(axis=1, keepdims=True)
        y.store(t * sums)


@fh.kernel
def of_products(y: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], n: i32, HOW: Const[str], ROWS: Const[int]):
    """What is reduced of products."""
    t = fh.zeros((ROWS, 64), f32)
    most = fh.full((ROWS, 1), 0.0, f32)
    for k in range(n):
        scores = a.load((0, k), (ROWS, 32)) @ b.load((k, 0), (32, 64))
        if HOW == "rows":
            more = fh.maximum(most, scores.max(axis=1, keepdims=True))
            t = fh.mma((scores - more).astype(f16), b.load((k, 0), (64, 64)), t * (most - more))
            most = more
        elif HOW == "twice":
            t = fh.mma(scores.astype(f16), b.load((k, 0), (64, 64)), t)
        elif HOW == "columns":
            t = t + scores.max(axis=0, keepdims=True)
        elif HOW == "loaded":
            t = t + (scores.max(axis=1, keepdims=True) + a.load((0, k), (ROWS, 64)))
        else:
            t = t + scores
    y.store(t.astype(y.dtype))


@fh.kernel
def handed_on(y: Out["M", "N"], z: Out["M", "N"], x: Ref["M", "N"], n: i32, HOW: Const[str]):
    """What loops do to the tiles that they carry."""
    t, u = x.load_like(y), x.load_like(z) * 2.0
    before = t + 1.0
    if HOW == "exchanged":
        for _ in range(n):
            t, u = u, t
    elif HOW == "computed of another":
        for _ in range(n):
            t = before * 2.0
    elif HOW == "from before":
        for _ in range(n):
            t = before
    elif HOW == "while":
        k = 0
        while k < n:
            t = before
            k += 1
    elif HOW == "in if":
        for k in range(n):
            if k > 2:
                t = before
    elif HOW == "loaded":
        for k in range(n):
            t = x.load((0, k), (64, 64))
    elif HOW == "joined":
        for _ in range(n):
            t = fh.concatenate((t[32:], t[:32]), axis=0) * 2.0
    elif HOW == "reshaped":
        for _ in range(n):
            t = (t * 2.0).reshape(16, 256).reshape(64, 64)
    elif HOW == "reshaped in if":
        for k in range(n):
            if k > 2:
                t = (t * 2.0).reshape(16, 256).reshape(64, 64)
            else:
                t = t * 3.0
    elif HOW == "computed":
        for k in range(n):
            t = t * 2.0 + x.load((0, k), (64, 64))
            if k > 2:
                u = u + t
    else:
        for _ in range(n):
            t = t
    y.store(t)
    z.store(u)


def codes(kernel: Any, *arguments: Any, **hints: int) -> list[str]:
    hinted = kernel.with_hints(**{"num_cta_in_cga": 2, **hints})
    return [error.code for error in wrong(bytecode(hinted.verify(*arguments), hinted.options), "sm_90")]


def square() -> tuple[Any, Any]:
    x, y = np.zeros((2, 256, 256), np.float32)
    return fh.partition(y, (64, 64)), x


@pytest.mark.parametrize("how", ["columns", "rows", "all", "in if", "in a loop", "in helper", "the first place"])
def test_reductions_that_are_in_doubt(how: str) -> None:
    assert codes(reduced, *square(), 3, how) == ["O422"]
    assert codes(reduced, *square(), 3, how, num_cta_in_cga=1) == []


@pytest.mark.parametrize("how", ["nothing", "running sums"])
def test_kernels_that_reduce_nothing(how: str) -> None:
    assert codes(reduced, *square(), 3, how) == []


def row(how: str, length: int = 4096, **hints: int) -> list[str]:
    x, y = np.zeros((2, 4, 2 * length), np.float32)
    return codes(in_a_row, fh.partition(y, (1, length)), x, 3, how, length, **hints)


@pytest.mark.parametrize("how", ["all", "neighbours", "in a loop"])
def test_long_rows_are_taken(how: str) -> None:
    assert row(how) == []
    assert row(how, 2048) == ["O422"]
    assert row(how, num_cta_in_cga=8) == ["O422"]


@pytest.mark.parametrize("how", ["neighbours of 16 bits", "more neighbours", "not neighbours", "loaded by threads"])
def test_parts_of_rows_that_are_in_doubt(how: str) -> None:
    assert row(how) == ["O422"]


def test_neighbours_that_a_thread_has_several_of() -> None:
    assert row("neighbours", num_worker_warps=8) == []
    assert row("neighbours", num_worker_warps=16) == ["O422"]


def product(how: str, rows: int, **hints: int) -> list[str]:
    a, b, c = np.zeros((256, 256), np.float16), np.zeros((256, 64), np.float16), np.zeros((256, 64), np.float32)
    return codes(of_products, fh.partition(c, (rows, 64)), a, b, 3, how, rows, **hints)


def test_rows_of_products() -> None:
    assert product("rows", 128) == []
    assert product("rows", 64) == ["O422"]
    assert product("rows", 128, num_worker_warps=8) == ["O422"]
    assert product("rows", 256, num_cta_in_cga=4) == []
    assert product("columns", 128) == ["O422"]
    assert product("loaded", 128) == ["O422"]


def test_products_of_products() -> None:
    assert product("twice", 128) == []
    assert product("twice", 64) == ["O422"]
    assert product("nothing", 64) == []


def test_products_of_few_rows() -> None:
    assert product("nothing", 64, num_cta_in_cga=4) == []
    assert product("nothing", 32) == ["O422"]
    assert product("nothing", 32, num_cta_in_cga=1) == []


def loop(how: str) -> list[str]:
    x, y, z = np.zeros((3, 256, 256), np.float32)
    return codes(handed_on, fh.partition(y, (64, 64)), fh.partition(z, (64, 64)), x, 3, how)


@pytest.mark.parametrize(
    "how",
    [
        "exchanged",
        "computed of another",
        "from before",
        "while",
        "in if",
        "loaded",
        "joined",
        "reshaped",
        "reshaped in if",
    ],
)
def test_loops_that_are_in_doubt(how: str) -> None:
    assert loop(how) == ["O422"]


@pytest.mark.parametrize("how", ["computed", "kept"])
def test_loops_that_compute(how: str) -> None:
    assert loop(how) == []


FOR = "%r, %s = for %k in (%n to %n, step %n) : tile<i32> iter_values(%p = {}, %q = {}) -> (T, T) {{ {} }}"
LOOP = "%r, %s = loop iter_values(%p = {}, %q = {}) : T, T -> T, T {{ {} }}"
IF = "%r, %s = if %on -> (T, T) {{ {} yield {} : T, T }} else {{ yield {} : T, T }}"


def entry_of(body: str) -> EntryOp:
    """A kernel of this text, where T is a type of tiles."""
    text = f"entry @k(%n: tile<i32>, %on: tile<i1>, %at: tile<ptr<f32>>, %a: T, %b: T, %d: T) {{ {body} return }}"
    module = parse_disassembly(f"cuda_tile.module @m {{ {text.replace('T', 'tile<8xf32>')} }}")
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    return entry


ONE = "%x = addf %p, %d : T %y = addf %q, %d : T "
"""What a turn makes of the variables."""
LEAVES = ONE + "if %on {{ break {} : T, T }} continue {} : T, T"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("%x = addf %a, %d : T %y = addf %d, %d : T", "x"),
        ("%x = addf %d, %b : T %y = addf %x, %d : T", "x y"),
        (FOR.format("%a", "%d", ONE + "continue %x, %y : T, T"), "r p x"),
        (FOR.format("%d", "%a", ONE + "continue %x, %y : T, T"), "s q y"),
        (FOR.format("%a", "%b", ONE + "continue %x, %q : T, T"), "r s p q x y"),
        (FOR.format("%d", "%d", ONE + "continue %x, %y : T, T"), ""),
        (FOR.format("%a", "%d", ONE + "continue %y, %x : T, T"), ""),  # the other's, in the next turn
        (FOR.format("%a", "%b", ONE + "continue %y, %x : T, T"), "r s p q x y"),
        (FOR.format("%a", "%b", ONE + "continue %q, %d : T, T"), ""),  # of two that change, one in a later turn
        (FOR.format("%a", "%b", ONE + "if %on { continue %d, %y : T, T } continue %x, %y : T, T"), "s q y"),
        (FOR.format("%d", "%d", "%x = addf %a, %p : T continue %x, %x : T, T"), "x"),
        (LOOP.format("%a", "%d", LEAVES.format("%x, %y", "%x, %y")), "r p x"),
        (LOOP.format("%a", "%d", LEAVES.format("%y, %x", "%x, %y")), "s p x"),
        (LOOP.format("%a", "%d", LEAVES.format("%a, %b", "%y, %y")), "r s"),
        (LOOP.format("%a", "%d", "if %on { break %d, %a : T, T } " + LEAVES.format("%x, %x", "%x, %y")), "s p x"),
        (LOOP.format("%a", "%b", ONE + "continue %x, %y : T, T"), "p q x y"),  # it is never left
        (IF.format("%x = addf %a, %d : T", "%x, %d", "%b, %a"), "r x"),
        (IF.format("", "%a, %b", "%d, %b"), "s"),
    ],
)
def test_what_a_block_computes_of_some_values(body: str, found: str) -> None:
    """Of %a and %b, whichever way it goes."""
    entry = entry_of(body)
    values = {arg for arg in entry.body.block.args if arg.name_hint in ("a", "b")}
    inner._add_computed(entry.body.block, values)
    assert {value.name_hint for value in values} - {"a", "b"} == {*found.split()}


LOADED = """%view = make_tensor_view %at, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
  %tiles = make_partition_view %view : partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>
  %{}, %token = load_view_tko weak %tiles[%n]
    : partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>, tile<i32> -> T, token """
"""A tile that is loaded."""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (LOADED.format("l") + "%x = addf %l, %d : T %y = addf %x, %d : T %z = addf %d, %d : T", "l x y"),
        (LOADED.format("l") + FOR.format("%l", "%d", ONE + "continue %x, %y : T, T"), "l r p x"),
        (FOR.format("%d", "%d", ONE + LOADED.format("l") + "continue %x, %l : T, T"), "l s q y"),  # in the next turn
        (FOR.format("%d", "%d", ONE + LOADED.format("l") + "continue %y, %l : T, T"), "l r s p q x y"),  # and the next
        (LOADED.format("l") + IF.format("%x = addf %l, %d : T", "%x, %d", "%d, %d"), "l r x"),
    ],
)
def test_what_is_computed_of_what_is_loaded(body: str, found: str) -> None:
    origins = inner._origins([*entry_of(body).walk()], "sm_90")
    assert {value.name_hint for value, kinds in origins.items() if kinds} == {*found.split()}


def test_it_is_told_and_refused(golden: Callable[[Path, str], None]) -> None:
    kernel = reduced.with_hints(num_cta_in_cga=2)
    with pytest.raises(Rejected) as caught:
        kernel.compile(*square(), 3, "columns", arch="sm_90")
    assert caught.value.codes == ("O422",)
    golden(GOLDEN / "cluster_in_doubt.err", str(caught.value))
    reduced.compile(*square(), 3, "columns", arch="sm_90")  # the edit
