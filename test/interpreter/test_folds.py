"""Functions that fold, and the laws that a GPU counts on: what breaks one is found, in every nesting."""

from __future__ import annotations

from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest
from evaluate import parse
from interpreted import ENTRY

import freehold as fh
from freehold import Const, Out, Ref, f32, i32
from freehold.runtime.interpreter import reductions, run_tile
from freehold.runtime.interpreter.laws import broken


def right(a: Any, b: Any) -> Any:
    return b


def middle(a: Any, b: Any) -> Any:
    return (a + b) / 2.0


def plus(a: Any, b: Any) -> Any:
    return a + b


def larger(a: Any, b: Any) -> Any:
    return fh.maximum(a, b)


def minus(a: Any, b: Any) -> Any:
    return a - b


def folded(x: Any, function: Any, identity: Any) -> Any:
    return fh.reduce(x, function, identity, axis=1)


@fh.kernel
def straight(y: Out["M"], x: Ref["M", "N"], f: Const[Any], e: Const[float]):
    y.store(fh.reduce(x.load((y.index[0], 0), (y.tile[0], 32)), f, e, axis=1))


@fh.kernel
def in_a_loop(y: Out["M"], x: Ref["M", "N"], f: Const[Any], e: Const[float]):
    total = fh.zeros(y.tile, f32)
    for k in fh.tiles(x, axis=1, size=32):
        total += fh.reduce(x.load((y.index[0], k), (y.tile[0], 32)), f, e, axis=1)
    y.store(total)


@fh.kernel
def in_a_branch(y: Out["M"], x: Ref["M", "N"], f: Const[Any], e: Const[float]):
    tile = x.load((y.index[0], 0), (y.tile[0], 32))
    if y.index[0] >= 0:
        total = fh.reduce(tile, f, e, axis=1)
    else:
        total = fh.zeros(y.tile, f32)
    y.store(total)


@fh.kernel
def in_a_helper(y: Out["M"], x: Ref["M", "N"], f: Const[Any], e: Const[float]):
    y.store(folded(x.load((y.index[0], 0), (y.tile[0], 32)), f, e))


@fh.kernel
def running(y: Out["M", "N"], x: Ref["M", "N"], f: Const[Any], e: Const[float]):
    y.store(fh.scan(x.load_like(y), f, e, axis=1))


def tile(rows: int = 4, columns: int = 32) -> Any:
    return np.random.default_rng(0).standard_normal((rows, columns), np.float32)


KERNELS = (straight, in_a_loop, in_a_branch, in_a_helper)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.__name__)
@pytest.mark.parametrize("function", [plus, larger, middle, right, minus], ids=lambda f: f.__name__)
def test_checked_mode_tries_the_laws(kernel: Any, function: Any) -> None:
    neutral = {plus: 0.0, larger: -float("inf")}
    for identity in (0.0, 1.0, -float("inf")):
        y = np.zeros(4, np.float32)
        launch = kernel(fh.partition(y, 4), tile(), function, identity)
        with fh.interpreting("checked"):
            if neutral.get(function) == identity:
                launch.sync()
                continue
            with pytest.raises(fh.Rejected) as caught:
                launch.sync()
        assert caught.value.codes == ("O535",)


def test_a_scan_need_not_be_commutative() -> None:
    y = np.zeros((4, 32), np.float32)
    with fh.interpreting("checked"):
        running(fh.partition(y, (4, 32)), tile(), plus, 0.0).sync()
        for function, identity in ((plus, 1.0), (middle, 0.0), (minus, 0.0)):
            with pytest.raises(fh.Rejected) as caught:
                running(fh.partition(y, (4, 32)), tile(), function, identity).sync()
            assert caught.value.codes == ("O535",)


class Line(NamedTuple):
    """Of numbers: so many times each, and so much more."""

    times: Any
    more: Any


def one_after_another(a: Line, b: Line) -> Line:
    return Line(a.times * b.times, a.more * b.times + b.more)


@fh.kernel
def lines(y: Out["M", "N"], x: Ref["M", "N"], ALL: Const[bool]):
    t = x.load_like(y)
    if ALL:
        y.store(t * fh.reduce(Line(t, t), one_after_another, Line(1.0, 0.0), axis=1).more[:, None])
    else:
        y.store(fh.scan(Line(t, t), one_after_another, Line(1.0, 0.0), axis=1).more)


def test_a_function_whose_order_counts_may_run_along_an_axis_and_not_fold_it() -> None:
    """It is associative, and its identity is neutral: a reduction is in any order all the same."""
    x = 1 + 2.0 ** -np.arange(8, dtype=np.float32).reshape(2, 4)
    y = fh.partition(np.zeros_like(x), (2, 4))
    with fh.interpreting("checked"):
        lines(y, x, False).sync()
        with pytest.raises(fh.Rejected, match="the function is not commutative") as caught:
            lines(y, x, True).sync()
    assert caught.value.codes == ("O535",)


def test_what_is_said() -> None:
    y = np.zeros(1, np.float32)
    x = np.arange(32, dtype=np.float32)[None, :]
    with fh.interpreting("checked"), pytest.raises(fh.Rejected) as caught:
        straight(fh.partition(y, 1), x, plus, 1.0).sync()
    (error,) = caught.value.errors
    assert error.report().notes == ("f(identity, a) = 1.0, and a = 0.0", "with a = 0.0")
    assert "fh.reduce(x.load" in str(caught.value)


class Moments(NamedTuple):
    """How many numbers there were, their mean, and the sum of squares about it."""

    count: Any
    mean: Any
    squares: Any


def both(a: Moments, b: Moments) -> Moments:
    count = a.count + b.count
    ahead = b.mean - a.mean
    share = fh.where(count > 0.0, b.count / fh.maximum(count, 1.0), 0.0)
    return Moments(count, a.mean + ahead * share, a.squares + b.squares + ahead * ahead * a.count * share)


@fh.kernel
def variance(y: Out["M"], x: Ref["M", "N"]):
    values = x.load((y.index[0], 0), (y.tile[0], 32))
    start = Moments(fh.full(values.shape, 1.0, f32), values, fh.zeros(values.shape, f32))
    y.store(fh.reduce(start, both, Moments(0.0, 0.0, 0.0), axis=1).squares / 32.0)


def test_functions_of_several_tiles() -> None:
    y, x = np.zeros(4, np.float32), tile() * 3 + 100
    for mode in ("fast", "checked", "adversarial"):
        with fh.interpreting(mode):
            variance(fh.partition(y, 4), x).sync()
        assert np.allclose(y, x.var(axis=1), rtol=1e-3)


def test_adversarial_mode_joins_in_other_orders() -> None:
    def results(kernel: Any, function: Any, identity: float, shape: tuple[int, ...], cut: Any) -> set[bytes]:
        found: set[bytes] = set()
        for seed in range(6):
            y = np.zeros(shape, np.float32)
            with fh.interpreting("adversarial", seed=seed):
                kernel(fh.partition(y, cut), tile(), function, identity).sync()
            found.add(y.tobytes())
        return found

    assert len(results(straight, right, 0.0, (4,), 4)) > 1
    assert len(results(straight, middle, 0.0, (4,), 4)) > 1
    assert len(results(running, middle, 0.0, (4, 32), (4, 32))) > 1
    assert len(results(straight, larger, -float("inf"), (4,), 4)) == 1


def test_the_identity_counts_in_every_mode() -> None:
    x = np.ones((4, 32), np.float32)
    for mode in ("fast", "adversarial"):
        y, z = np.zeros(4, np.float32), np.zeros((4, 32), np.float32)
        with fh.interpreting(mode):
            straight(fh.partition(y, 4), x, plus, 5.0).sync()
            running(fh.partition(z, (4, 32)), x, plus, 5.0).sync()
        assert y.tolist() == [37.0] * 4
        assert z[0].tolist() == [6.0 + n for n in range(32)]


@fh.kernel
def whole(y: Out[i32, "M"], x: Ref[i32, "M", "N"]):
    y.store(fh.reduce(x.load((y.index[0], 0), (y.tile[0], 32)), lambda a, b: a ^ b, 0, axis=1))


def test_integers_are_compared_exactly() -> None:
    x = np.random.default_rng(1).integers(-(2**31), 2**31 - 1, (4, 32), dtype=np.int32)
    y = np.zeros(4, np.int32)
    with fh.interpreting("checked"):
        whole(fh.partition(y, 4), x).sync()
    assert np.array_equal(y, np.bitwise_xor.reduce(x, axis=1))


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
@pytest.mark.parametrize("join", [np.add, np.multiply, np.maximum, np.minimum, np.logaddexp], ids=lambda f: f.__name__)
def test_rounding_breaks_no_law(dtype: Any, join: Any) -> None:
    neutral = {np.add: 0, np.multiply: 1, np.maximum: -np.inf, np.minimum: np.inf, np.logaddexp: -np.inf}
    rng = np.random.default_rng(2)
    for scale in (1e-3, 1.0, 100.0):
        values = (rng.standard_normal((64, 8)) * scale).astype(dtype)

        def pairs(left: Any, right: Any) -> list[Any]:
            return [join(left[0].astype(np.float64), right[0].astype(np.float64)).astype(dtype)]

        with np.errstate(all="ignore"):
            assert broken(pairs, [values], [np.array(neutral[join], dtype)], commutes=True) is None


# --- What NumPy folds by itself ---------------------------------------------------------------------------------------

SUM = """%lanes = iota : tile<8xi32> %f = itof %lanes signed : tile<8xi32> -> tile<8xf32>
  %h = ftof %f : tile<8xf32> -> tile<8xf16>
  %r = reduce %OF dim=0 identities=[START] : tile<8xTYPE> -> tile<TYPE> (%a: tile<TYPE>, %b: tile<TYPE>) {
    %s = OP : tile<TYPE>
    yield %s : tile<TYPE>
  }"""
PAIR = """%lanes = iota : tile<8xi32>
  %r, %q = reduce %lanes, %lanes dim=0 identities=[0 : i32, 0 : i32] : tile<8xi32>, tile<8xi32> -> tile<i32>, tile<i32>
    (%a: tile<i32>, %b: tile<i32>, %c: tile<i32>, %d: tile<i32>) {
    %s = addi %a, %b : tile<i32>
    yield %s, %s : tile<i32>, tile<i32>
  }"""


@pytest.mark.parametrize(
    ("type_", "op", "start", "quick"),
    [
        ("i32", "addi %a, %b", "0 : i32", "unchecked"),
        ("i32", "addi %b, %a", "0 : i32", "unchecked"),
        ("i32", "addi %a, %b overflow<no_signed_wrap>", "0 : i32", "unchecked"),
        ("i32", "addi %a, %a", "0 : i32", "never"),
        ("i32", "addi %a, %b", "1 : i32", "never"),
        ("i32", "subi %a, %b", "0 : i32", "never"),
        ("f32", "addf %a, %b", "0.0 : f32", "always"),
        ("f32", "addf %a, %b rounding<nearest_even>", "0.0 : f32", "always"),
        ("f32", "addf %a, %b rounding<zero>", "0.0 : f32", "never"),
        ("f32", "addf %a, %b rounding<nearest_even> flush_to_zero", "0.0 : f32", "never"),
        ("f16", "addf %a, %b rounding<nearest_even>", "0.0 : f16", "never"),
    ],
)
@pytest.mark.parametrize("checked", [False, True])
def test_numpy_folds_what_it_folds_as_well(
    type_: str, op: str, start: str, quick: str, checked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One plain operation on both arguments, that begins with what changes nothing; no promise is to be watched."""

    class Slowly(Exception):
        pass

    def slowly(*_: Any) -> Any:
        raise Slowly

    of = {"i32": "lanes", "f32": "f", "f16": "h"}[type_]
    body = SUM.replace("OP", op).replace("START", start).replace("TYPE", type_).replace("%OF", f"%{of}")
    text = parse(ENTRY.replace("BODY", body))
    monkeypatch.setattr(reductions, "_combiner", slowly)
    out = np.zeros(1, np.int32)
    if quick == "always" or (quick == "unchecked" and not checked):
        run_tile(text, [out], checked=checked)
        return
    with pytest.raises(Slowly):
        run_tile(text, [out], checked=checked)


def test_several_tiles_are_folded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    def slowly(*_: Any) -> Any:
        raise NotImplementedError

    text = parse(ENTRY.replace("BODY", PAIR))
    run_tile(text, [np.zeros(1, np.int32)])
    monkeypatch.setattr(reductions, "_combiner", slowly)
    with pytest.raises(NotImplementedError):
        run_tile(text, [np.zeros(1, np.int32)])


BRANCH = """cmpi less_than %a, %b, signed : tile<i32> -> tile<i1>
    %s = if %c -> (tile<i32>) { yield %b : tile<i32> } else { yield %a : tile<i32> }"""


@pytest.mark.parametrize(("op", "whole"), [("%s = subi %a, %b : tile<i32>", True), (f"%c = {BRANCH}", False)])
def test_what_is_done_element_by_element_is_done_on_whole_tiles(
    op: str, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A function with branches is called for each pair, any other for all pairs at once."""
    turns = list[Any]()
    each = np.ndindex

    def counted(*shape: Any) -> Any:
        turns.append(shape)
        return each(*shape)

    body = (
        SUM.replace("%s = OP : tile<TYPE>", op)
        .replace("START", "0 : i32")
        .replace("TYPE", "i32")
        .replace("%OF", "%lanes")
    )
    monkeypatch.setattr(reductions.np, "ndindex", counted)
    run_tile(parse(ENTRY.replace("BODY", body)), [np.zeros(1, np.int32)])
    assert bool(turns) != whole
