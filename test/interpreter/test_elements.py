"""Real kernels with gathers, windows, accumulators and unsafe accesses, through every room.

Each is lowered and verified, runs against NumPy in several orders of blocks with everything watched, before and after
it is converted, and is assembled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from answers import assembles
from xdsl.dialects.builtin import ArrayAttr, ModuleOp

import freehold as fh
from freehold import Acc, Const, Mut, Out, Raw, Ref, Rejected, f32, i32
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.ownership import Duty, DutyAttr, Rung, duties_of
from freehold.passes.launch_contract import contract
from freehold.passes.pipeline import convert
from freehold.runtime.interpreter import Order, run_entry
from freehold.runtime.interpreter.launch import Kernel as Interpreter

RNG = np.random.default_rng(5)


def normal(*shape: int) -> Any:
    return RNG.standard_normal(shape, np.float32)


# --- Gathers and windows ---------------------------------------------------------------------------------------------


@fh.kernel
def embedding(y: Out["N", "D"], table: Ref["V", "D"], ids: Ref[i32, "N"]):
    rows = ids.load((y.index[0],), (y.tile[0],))
    columns = y.index[1] * y.tile[1] + fh.arange(y.tile[1])
    y.store(table.gather(rows[:, None], columns[None, :]))


@fh.kernel
def stencil(v: Out["M", "N"], u: Ref["M", "N"]):
    tile = v.tile
    i, j = v.index[0] * tile[0], v.index[1] * tile[1]
    around = u.load_from((i - 1, j), tile) + u.load_from((i + 1, j), tile)
    around += u.load_from((i, j - 1), tile) + u.load_from((i, j + 1), tile)
    v.store(around - 4.0 * u.load_from((i, j), tile))


@fh.kernel
def paged_values(o: Out["S", "L", "D"], pages: Ref["P", 16, "D"], pages_of: Ref[i32, "S", "B"]):
    s, block, d = o.index
    position = block * 16 + fh.arange(16)
    page = pages_of.gather(s, position // 16)
    columns = d * o.tile[2] + fh.arange(o.tile[2])
    o.store(pages.gather(page[:, None], (position % 16)[:, None], columns[None, :])[None])


@fh.kernel
def convolution(y: Out["H", "W", "C"], x: Ref["H", "W", "K"], w: Ref[9, "K", "C"], TK: Const[int] = 8):
    h, c = y.index[0], y.index[2]
    across = y.index[1] * y.tile[1] + fh.arange(y.tile[1])
    acc = fh.zeros((y.tile[1], y.tile[2]), f32)
    for tap in fh.static_range(9):
        for k in fh.tiles(x, axis=2, size=TK):
            patch = x.gather(h + tap // 3 - 1, (across + tap % 3 - 1)[:, None], (k * TK + fh.arange(TK))[None, :])
            acc = fh.mma(patch, w.load((tap, k, c), (1, TK, y.tile[2])).reshape(TK, y.tile[2]), acc)
    y.store(acc[None])


@fh.kernel
def clamped(y: Out["N"], x: Ref["N"]):
    at = y.index[0] * 64 + fh.arange(64) + 3
    y.store(x.gather(fh.clip(at, 0, x.shape[0] - 1)) + x.gather(at % x.shape[0]))


# --- Accumulators ----------------------------------------------------------------------------------------------------


@fh.kernel
def histogram(h: Acc[i32, "B"], x: Ref[i32, "N"]):
    inside = x.index[0] * x.tile[0] + fh.arange(x.tile[0]) < x.shape[0]
    h.add_at(1, x.load(), mask=inside)


@fh.kernel
def norm_backward(
    dx: Out["M", "N"], dw: Acc[f32, "N"], db: Acc[f32, "N"], dy: Ref["M", "N"], x: Ref["M", "N"], w: Ref["N"], n: f32
):
    """Of `y = (x - mean) / std * w + b`, rows that fit a tile."""
    t, g = x.load_like(dx), dy.load_like(dx)
    inside = fh.arange(dx.tile[1])[None] < x.shape[1]
    mean = t.sum(axis=1, keepdims=True) / n
    centred = fh.where(inside, t - mean, 0.0)
    scale = fh.rsqrt((centred * centred).sum(axis=1, keepdims=True) / n + 1e-5)
    xhat = centred * scale
    wg = g * w.load((0,), (dx.tile[1],))[None]
    a = (wg * xhat).sum(axis=1, keepdims=True) / n
    b = wg.sum(axis=1, keepdims=True) / n
    dx.store(scale * (wg - xhat * a - b))
    dw.at(0).add((g * xhat).sum(axis=0))
    db.at(0).add(g.sum(axis=0))


@fh.kernel
def combine(y: Acc["T", "D"], x: Ref["S", "D"], token: Ref[i32, "S"], weight: Ref["S"]):
    """Of a mixture of experts: row `s` counts for token `token[s]`, and several rows for one."""
    s, d = x.index
    rows = token.load((s,), (x.tile[0],))
    columns = d * x.tile[1] + fh.arange(x.tile[1])
    inside = s * x.tile[0] + fh.arange(x.tile[0]) < x.shape[0]
    part = x.load() * weight.load((s,), (x.tile[0],))[:, None]
    y.add_at(part, rows[:, None], columns[None, :], mask=inside[:, None])


@fh.kernel
def extremes(low: Acc[i32, 1], high: Acc[fh.u32, 1], seen: Acc[fh.i64, 2], x: Ref[i32, "N"]):
    v = x.load()
    low.minimum_at(v.min(), 0)
    high.maximum_at(v.max().astype(fh.u32), 0)
    seen.bitwise_or_at(fh.ones(v.shape, fh.i64) << (v % 32).astype(fh.i64), (v // 32) % 2)


@fh.kernel
def overlap_add(y: Acc["N"], x: Ref["G", 64]):
    """Frames that overlap by half, added up."""
    y.add(x.load((y.index[0], 0), (1, 64)).reshape(64))


# --- Unsafe ----------------------------------------------------------------------------------------------------------


@fh.kernel
def last_block(total: Raw[f32, 1], parts: Raw[f32, "G"], done: Raw[i32, 1], x: Ref["N"], G: i32):
    """The sum of all, in one order: the last block to be done adds up what the others have stored."""
    part = x.load().sum()
    with fh.unsafe("a part is written by its block alone, before the release, and read after the last acquire"):
        parts.scatter(part, x.index[0], order="relaxed")
        before = done.atomic_add(1, 0, order="acq_rel")
        if before == G - 1:
            n = fh.arange(16)
            total.scatter(parts.gather(n, mask=n < G, order="relaxed").sum(), 0)


@fh.kernel
def locked(counts: Raw[i32, 2], lock: Raw[i32, 1], y: Mut[i32, "N"]):
    with fh.unsafe("who holds the lock is alone"):
        while lock.atomic_cas(0, 1, 0, order="acquire") != 0:
            pass
        n = counts.gather(0)
        counts.scatter(n + 1, 0)
        lock.atomic_exchange(0, 0, order="release")
    y.store(n)


# --- Cases -----------------------------------------------------------------------------------------------------------


@dataclass
class Case:
    """Arguments of a kernel, and what should be in those that it writes, by their numbers."""

    arguments: list[Any]
    wanted: dict[int, Any]
    exact: bool = True


def _embedding() -> Case:
    table, ids = normal(11, 40), RNG.integers(-2, 13, 37).astype(np.int32)
    inside = (ids >= 0) & (ids < 11)
    wanted = np.where(inside[:, None], table[np.clip(ids, 0, 10)], 0)
    return Case([fh.partition(np.zeros((37, 40), np.float32), (16, 32)), table, ids], {0: wanted})


def _stencil() -> Case:
    u = normal(21, 37)
    p = np.pad(u, 1)
    wanted = (p[:-2, 1:-1] + p[2:, 1:-1]) + (p[1:-1, :-2] + p[1:-1, 2:]) - 4 * u
    return Case([fh.partition(np.zeros_like(u), (8, 16)), u], {0: wanted}, exact=False)


def _paged_values() -> Case:
    pages = normal(7, 16, 24)
    table = RNG.permutation(7)[:6].reshape(2, 3).astype(np.int32)
    wanted = pages[table].reshape(2, 48, 24)
    return Case([fh.partition(np.zeros((2, 48, 24), np.float32), (1, 16, 16)), pages, table], {0: wanted})


def _convolution() -> Case:
    x, w = normal(5, 9, 11), normal(9, 11, 6)
    p = np.pad(x, ((1, 1), (1, 1), (0, 0)))
    wanted = sum(p[t // 3 : t // 3 + 5, t % 3 : t % 3 + 9] @ w[t] for t in range(9))
    return Case([fh.partition(np.zeros((5, 9, 6), np.float32), (1, 8, 4)), x, w], {0: wanted}, exact=False)


def _clamped() -> Case:
    x = normal(150)
    at = np.arange(150) + 3
    return Case([fh.partition(np.zeros(150, np.float32), 64), x], {0: x[np.clip(at, 0, 149)] + x[at % 150]})


def _histogram() -> Case:
    x = RNG.integers(-3, 13, 1000).astype(np.int32)
    wanted = np.bincount(x[(x >= 0) & (x < 10)], minlength=10)
    return Case([np.zeros(10, np.int32), fh.partition(x, 64)], {0: wanted})


def _norm_backward() -> Case:
    m, n = 20, 50
    dy, x, w = normal(m, n), normal(m, n), normal(n)
    scale = 1 / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    xhat = (x - x.mean(1, keepdims=True)) * scale
    g = dy * w
    dx = scale * (g - xhat * (g * xhat).mean(1, keepdims=True) - g.mean(1, keepdims=True))
    zeros = [np.zeros(n, np.float32), np.zeros(n, np.float32)]
    return Case(
        [fh.partition(np.zeros_like(x), (8, 64)), *zeros, dy, x, w, float(n)],
        {0: dx, 1: (dy * xhat).sum(0), 2: dy.sum(0)},
        exact=False,
    )


def _combine() -> Case:
    x, token, weight = normal(50, 24), RNG.integers(0, 9, 50).astype(np.int32), normal(50)
    wanted = np.zeros((9, 24), np.float32)
    np.add.at(wanted, token, x * weight[:, None])
    return Case([np.zeros((9, 24), np.float32), fh.partition(x, (16, 16)), token, weight], {0: wanted}, exact=False)


def _extremes() -> Case:
    x = RNG.integers(0, 64, 256).astype(np.int32)
    seen = [sum({1 << (int(v) % 32) for v in x if v // 32 == half}) for half in (0, 1)]
    low, high = np.full(1, 99, np.int32), np.zeros(1, np.uint32)
    return Case([low, high, np.zeros(2, np.int64), fh.partition(x, 64)], {0: [x.min()], 1: [x.max()], 2: seen})


def _overlap_add() -> Case:
    x = normal(4, 64)
    wanted = np.zeros(128, np.float32)
    for n, frame in enumerate(x):
        wanted[n * 32 : n * 32 + 64] += frame[: 128 - n * 32]
    return Case([fh.partition(np.zeros(128, np.float32), 64, step=32), x], {0: wanted}, exact=False)


def _last_block() -> Case:
    x = normal(500)
    arrays = [np.zeros(1, np.float32), np.zeros(8, np.float32), np.zeros(1, np.int32)]
    return Case([*arrays, fh.partition(x, 64), 8], {0: [x.sum()], 2: [8]}, exact=False)


CASES: dict[str, tuple[Any, Callable[[], Case]]] = {
    "embedding": (embedding, _embedding),
    "stencil": (stencil, _stencil),
    "paged values": (paged_values, _paged_values),
    "convolution": (convolution, _convolution),
    "clamped": (clamped, _clamped),
    "histogram": (histogram, _histogram),
    "norm backward": (norm_backward, _norm_backward),
    "combine": (combine, _combine),
    "extremes": (extremes, _extremes),
    "overlap add": (overlap_add, _overlap_add),
    "last block": (last_block, _last_block),
}


@cache
def verified(name: str) -> ModuleOp:
    kernel, make = CASES[name]
    return kernel.verify(*make().arguments)


def arrays_of(case: Case) -> list[Any]:
    """Copies of the arguments, without their partitions."""
    found: list[Any] = [getattr(argument, "array", argument) for argument in case.arguments]
    return [np.array(x) if np.ndim(x) else x for x in found]


def compare(case: Case, arrays: list[Any]) -> None:
    for n, wanted in case.wanted.items():
        if case.exact:
            np.testing.assert_array_equal(arrays[n], wanted)
        else:
            np.testing.assert_allclose(arrays[n], wanted, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("order", ["increasing", "decreasing", 3])
def test_computes_what_numpy_does(name: str, order: Order) -> None:
    module, case = verified(name), CASES[name][1]()
    before = arrays_of(case)
    Interpreter.of(module, checked=True).run(before, order=order)
    compare(case, before)
    after = arrays_of(case)
    run_entry(convert(module), contract(module), after, order=order, checked=True)
    compare(case, after)


@pytest.mark.parametrize("name", [*CASES, "locked"])
def test_is_assembled(name: str) -> None:
    if name == "locked":
        arguments = [np.zeros(2, np.int32), np.zeros(1, np.int32), fh.partition(np.zeros(4, np.int32), 1)]
        module = locked.verify(*arguments)
    else:
        module = verified(name)
    assert assembles(write_bytecode(convert(module)), "sm_90")


@pytest.mark.cuda
@pytest.mark.parametrize("name", CASES)
def test_a_gpu_computes_what_numpy_does(name: str) -> None:
    kernel, make = CASES[name]
    case = make()
    arrays: list[Any] = [fh.to_device(x) if np.ndim(x) else x for x in arrays_of(case)]
    cut = [hasattr(argument, "spec") for argument in case.arguments]
    kernel(*(a.of(x) if c else x for a, x, c in zip(case.arguments, arrays, cut, strict=True))).sync()
    compare(case, [fh.to_numpy(x) if n in case.wanted else x for n, x in enumerate(arrays)])


def rungs(name: str) -> set[Rung]:
    return {o.rung for op in verified(name).walk() if "gather" in op.name for o in duties_of(op)}


def test_what_is_clamped_is_proved() -> None:
    assert rungs("clamped") == {Rung.PROVED}


def test_what_comes_from_memory_is_masked() -> None:
    assert Rung.MASKED in rungs("embedding")


# --- What checked mode finds in unsafe accesses ----------------------------------------------------------------------


@fh.kernel
def everybody_stores(y: Out["N"], r: Raw["M"]):
    with fh.unsafe("it is not right: every block stores to one element"):
        r.scatter(1.0, 0)
    y.store(0.0)


@fh.kernel
def stores_what_is_added_to(y: Out["N"], r: Raw["M"]):
    with fh.unsafe("it is not right: an update and a plain store of another block meet"):
        r.atomic_add(1.0, 0)
        r.scatter(1.0, 0)
    y.store(0.0)


@pytest.mark.parametrize("kernel", [everybody_stores, stores_what_is_added_to], ids=lambda k: k.__name__)
def test_an_unsafe_race_is_found(kernel: Any) -> None:
    arguments = [np.zeros(8, np.float32), np.zeros(3, np.float32)]
    module = kernel.verify(fh.partition(arguments[0], 2), arguments[1])
    with pytest.raises(Rejected) as caught:
        Interpreter.of(module, checked=True).run(arguments)
    assert caught.value.errors[0].code == "O523"
    with pytest.raises(Rejected) as caught:
        run_entry(convert(module), contract(module), arguments, checked=True)
    assert caught.value.errors[0].code == "O523"


def test_a_lock_keeps_count() -> None:
    counts, y = np.zeros(2, np.int32), np.zeros(6, np.int32)
    locked(counts, np.zeros(1, np.int32), fh.partition(y, 1)).sync()
    assert counts[0] == 6
    assert sorted(y) == list(range(6))


# --- Every operation, by name, in every dtype it takes: unsafe_load, unsafe_store, unsafe_update, unsafe_swap --------


@pytest.mark.parametrize("dtype", ["f16", "f32", "f64", "i32", "i64", "u32", "u64"])
def test_sums_of_every_dtype(dtype: str) -> None:
    element = getattr(fh, dtype)

    @fh.kernel
    def sums(total: Acc["T"], x: Ref["N"]):
        total.add_at(x.load().sum(), 0)

    x = np.arange(40).astype(np.dtype({"f": "float", "i": "int", "u": "uint"}[dtype[0]] + dtype[1:]))
    total = np.zeros(1, x.dtype)
    sums(total, fh.partition(x, 16)).sync()
    assert total[0] == 780
    assert element.name == dtype


def test_the_list_of_operations_is_whole() -> None:
    """gather, load_from, accumulator, accumulate, accumulate_at, expose and the four unsafe ones are all met here."""
    names = {op.name.partition(".")[2] for name in CASES for op in verified(name).walk()}
    names |= {op.name.partition(".")[2] for op in locked_module().walk()}
    wanted = {"gather", "load_from", "accumulator", "accumulate", "accumulate_at", "expose"}
    assert names >= wanted | {"unsafe_load", "unsafe_store", "unsafe_update", "unsafe_swap"}


def locked_module() -> ModuleOp:
    arguments = [np.zeros(2, np.int32), np.zeros(1, np.int32), fh.partition(np.zeros(4, np.int32), 1)]
    return locked.verify(*arguments)


@fh.kernel
def swaps(was: Out["N"], r: Raw["K"], at: Ref[i32, "N"], expected: Ref["N"], desired: Ref["N"], mask: Ref[i32, "N"]):
    place, inside = at.load_like(was), mask.load_like(was) != 0
    with fh.unsafe("whoever comes first swaps"):
        found = r.atomic_cas(expected.load_like(was), desired.load_like(was), place, mask=inside)
    was.store(fh.where(inside, found, 99))


def test_elements_are_swapped_where_their_bits_are_equal() -> None:
    """Of a tile of places, each by itself: zero is no negative zero, NaN is itself, and a place is swapped once."""
    nan = np.float32("nan")
    r = np.array([0.0, -0.0, nan, 4.0, 5.0], np.float32)
    at = np.array([0, 1, 2, 3, 4, 4, 0, 3], np.int32)
    expected = np.array([0.0, 0.0, nan, 5.0, 5.0, 5.0, 0.0, 4.0], np.float32)
    desired = np.array([7, 8, 9, 10, 11, 11, 12, 13], np.float32)
    mask = np.array([1, 1, 1, 1, 1, 1, 0, 1], np.int32)
    was = np.zeros(8, np.float32)
    swaps(fh.partition(was, 8), r, at, expected, desired, mask).sync()
    np.testing.assert_array_equal(r, np.array([7, -0.0, 9, 13, 11], np.float32))
    assert np.signbit(r[1])
    np.testing.assert_array_equal(was[[0, 1, 2, 3, 6, 7]], np.array([0, -0.0, nan, 4, 99, 4], np.float32))
    assert sorted(was[4:6]) == [5, 11]


@fh.kernel
def taken(y: Out["N"], x: Ref["M"], at: Ref["N"]):
    y.store(x.gather(at.load_like(y)))


def test_a_wrong_proof_is_found_where_it_is_relied_upon() -> None:
    """What is masked reads zeros outside of the tensor; where it was proved to lie inside, the run ends."""
    y, x, at = np.full(4, 9, np.float32), np.ones(8, np.float32), np.array([0, 7, 8, -1], np.int32)
    module = taken.verify(fh.partition(y, 4), x, at)
    run = Interpreter.of(module).run
    run([y, x, at])
    assert y.tolist() == [1, 1, 0, 0]
    (op,) = (op for op in module.walk() if op.name == "ownership.gather")
    op.properties["duties"] = ArrayAttr([DutyAttr.of(Duty.IN_BOUNDS, Rung.PROVED, axis=0)])
    for places in (at, at[::-1].copy()):
        with pytest.raises(Rejected) as caught:
            Interpreter.of(module).run([y, x, places])
        assert caught.value.codes == ("O532",)
    Interpreter.of(module).run([y, x, np.array([0, 7, 6, 1], np.int32)])
    assert y.tolist() == [1, 1, 1, 1]
