"""Predicted bytes and operations against what the interpreter moves and against sums written out."""

from __future__ import annotations

from collections import Counter
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import freehold as fh
from freehold import Const, Mut, Out, Ref, f32, i32
from freehold.passes.analysis.wording import name_of
from freehold.passes.cost import Amount, Cost, Total, Variable, cost
from freehold.passes.launch_contract import contract, kernel_of
from freehold.passes.pipeline import verify
from freehold.runtime.interpreter.launch import Kernel as Interpreter
from freehold.runtime.interpreter.watch import Watch
from freehold.runtime.variants.evaluation import Evaluator
from freehold.support.terms import const, parse


@fh.kernel
def gemm(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int]):
    m, n = c.index
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=BK):
        acc = fh.mma(a.load((m, k), (c.tile[0], BK)), b.load((k, n), (BK, c.tile[1])), acc)
    c.store(acc.astype(c.dtype))


@fh.kernel
def causal(o: Out["H", "S"], k: Ref["H // 2", "S"], T: Const[int]):
    h, s = o.index
    acc = fh.zeros((1, T), f32)
    for j in range(min(fh.cdiv((s + 1) * o.tile[1], T), fh.cdiv(k.shape[1], T))):
        acc = acc + k.load((h // 2, j), (1, T))
    o.store(fh.broadcast_to(fh.sum(acc, axis=1, keepdims=True), o.tile))


@fh.kernel
def sparse(y: Mut["M", "N"], x: Ref["N"]):
    y.store(y.load() + x.load((0,), (y.tile[1],)))


@fh.kernel
def repeated(y: Mut["N"], n: i32, x: Ref["N"]):
    t = y.load()
    for _ in range(n):
        t = fh.fma(t, t, fh.exp(x.load_like(y)))
    y.store(t)


@fh.kernel
def sometimes(y: Mut["N"], x: Ref["N"], n: i32):
    if n > 3:
        y.store(x.load_like(y))
    i = 0
    while i * i < n:
        y.store(x.load_like(y) * 2.0)
        i += 1


def prepare(kernel: Any, *args: Any) -> tuple[Cost, dict[str, int], Counter[tuple[str, str]]]:
    """What is predicted for a call, the values of its symbols, and the bytes that the interpreter moves."""
    module = kernel.lower(*args)
    found = cost(kernel_of(module))
    run_time = [
        getattr(a, "array", a) for a, p in zip(args, kernel.signature.parameters, strict=True) if p.mode != "const"
    ]
    arrays: list[Any] = [a for a in run_time if isinstance(a, np.ndarray)]
    verify(module)
    values = Evaluator(contract(module)).bind([a.shape for a in arrays], run_time)
    values |= {name: run_time[n] for name, n in found.scalars.items()}
    moved: Counter[tuple[str, str]] = Counter()
    noting = Watch.access

    def access(self: Any, op: Any, kind: str, buffer: Any, addresses: Any, size: int, **rest: Any) -> int:
        moved[name_of(op.operands[kind == "write"]), kind] += addresses.size * size
        return noting(self, op, kind, buffer, addresses, size, **rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Watch, "access", access)
        inputs = [np.int32(a) if isinstance(a, int) else a for a in run_time]
        Interpreter.of(module, checked=True).run(inputs)
    return found, values, moved


def predicted(found: Cost, values: dict[str, int]) -> dict[tuple[str, str], int | None]:
    kinds = {"read": "read", "written": "write"}
    return {(t.tensor, kinds[t.direction]): t.work.launch.evaluate(values) for t in found.traffic}


tiles = st.sampled_from([2, 4, 8])
extents = st.integers(1, 20)


@settings(max_examples=25)
@given(extents, extents, extents, tiles, tiles, tiles, st.sampled_from([fh.EACH, fh.PERSISTENT]))
def test_a_product_moves_what_is_predicted(m: int, n: int, k: int, tm: int, tn: int, tk: int, blocks: Any):
    a, b, c = (np.zeros(s, ml_dtypes.bfloat16) for s in ((m, k), (k, n), (m, n)))
    found, values, moved = prepare(gemm, fh.partition(c, (tm, tn), blocks=blocks), a, b, tk)
    assert predicted(found, values) == moved
    assert all(t.work.launch.exact for t in found.traffic)
    turns = -(-m // tm) * -(-n // tn) * -(-k // tk)
    assert found.matrix.launch.evaluate(values) == 2 * tm * tn * tk * turns
    assert found.regions.evaluate(values) == -(-m // tm) * -(-n // tn)


@settings(max_examples=25)
@given(st.integers(1, 4), extents, tiles, tiles, st.sampled_from([fh.EACH, fh.PERSISTENT]))
def test_a_loop_bounded_by_the_block(h: int, s: int, tile: int, t: int, blocks: Any):
    o, k = np.zeros((2 * h, s), np.float32), np.zeros((h, s), np.float32)
    found, values, moved = prepare(causal, fh.partition(o, (1, tile), blocks=blocks), k, t)
    assert predicted(found, values) == moved
    turns = 2 * h * sum(min(-(-(i + 1) * tile // t), -(-s // t)) for i in range(-(-s // tile)))
    assert found.other.launch.evaluate(values) == turns * t + 2 * h * -(-s // tile) * (t - 1)


def test_what_may_wrap_around_is_taken_not_to():
    o, k = np.zeros((2, 300), np.float32), np.zeros((1, 300), np.float32)
    found, values, moved = prepare(causal, fh.partition(o, (1, 128), blocks=fh.PERSISTENT), k, 64)
    # Of so many points as a persistent launch may have, the last one's end is not shown to be a 32-bit integer.
    assert found.assumes
    assert not found.unknown
    assert predicted(found, values) == moved
    assert not prepare(causal, fh.partition(o, (1, 2)), k, 64)[0].assumes


@settings(max_examples=25)
@given(extents, extents, tiles, tiles, st.integers(0, 3), st.integers(0, 3))
def test_regions_with_gaps(m: int, n: int, tm: int, tn: int, gap_m: int, gap_n: int):
    y, x = np.zeros((m, n), np.float32), np.zeros(n, np.float32)
    found, values, moved = prepare(sparse, fh.partition(y, (tm, tn), step=(tm + gap_m, tn + gap_n)), x)
    assert predicted(found, values) == moved


@pytest.mark.parametrize("n", [-2, 0, 1, 5])
def test_a_loop_as_long_as_a_scalar_says(n: int):
    y, x = np.zeros(20, np.float32), np.zeros(20, np.float32)
    found, values, moved = prepare(repeated, fh.partition(y, 8), n, x)
    assert Counter({k: v for k, v in predicted(found, values).items() if v}) == moved
    assert found.other.launch.evaluate(values) == 3 * 8 * 3 * max(0, n)
    assert found.other.region.evaluate(values) == 8 * 3 * max(0, n)


def test_what_may_not_run_is_a_bound_and_what_nobody_knows_has_a_name():
    y, x = np.zeros(20, np.float32), np.zeros(20, np.float32)
    found, values, _ = prepare(sometimes, fh.partition(y, 8), x, 9)
    (name,) = found.unknown
    assert found.unknown[name].startswith("how often the loop in line ")
    read = next(t for t in found.traffic if t.tensor == "x")
    assert str(read.work.launch) == f"N * 4 + N * {name} * 4"
    assert not read.work.launch.exact
    assert read.work.launch.evaluate(values) is None
    assert read.work.launch.evaluate({**values, name: 3}) == 20 * 4 * 4


# --- Sums -------------------------------------------------------------------------------------------------------------


def test_a_sum_over_variables_bounded_by_others():
    variables = (
        Variable("i", const(0), parse("N"), const(1)),
        Variable("j", parse("i"), parse("2 * i + 1"), const(2)),
    )
    amount = Amount(parse("i * j + M"), variables)
    expected = sum(i * j + 7 for i in range(5) for j in range(i, 2 * i + 1, 2))
    assert amount.evaluate({"N": 5, "M": 7}) == expected
    assert str(amount) == "sum of i * j + M over i in 0 .. N, j in i .. i * 2 + 1 by 2"


def test_a_sum_too_long_is_not_made():
    amount = Amount(parse("i"), (Variable("i", const(0), parse("N"), const(1)),))
    assert amount.evaluate({"N": 1 << 16}) == (1 << 16) * ((1 << 16) - 1) // 2
    assert amount.evaluate({"N": (1 << 16) + 1}) is None
    assert amount.evaluate({}) is None


def test_amounts_over_the_same_variables_are_one():
    over = (Variable("i", const(0), parse("N"), const(1)),)
    total = Total.of(
        [(Amount(parse("i"), over), True), (Amount(parse("2")), True), (Amount(parse("i + 1"), over), False)]
    )
    assert [str(a) for a in total.amounts] == ["sum of i * 2 + 1 over i in 0 .. N", "2"]
    assert total.evaluate({"N": 3}) == 1 + 3 + 5 + 2
    assert not total.exact
