"""What is beyond the end of a tensor: in checked mode it may not change a result, and is not stored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Mut, Out, Ref, f32, i32
from freehold.runtime.interpreter import marks


def softmax_of(t: Any) -> Any:
    e = fh.exp(t - t.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@fh.kernel
def zeros(y: Out["M", "N"], x: Ref["M", "N"]):
    t = x.load_like(y)
    e = fh.exp(t - t.max(axis=1, keepdims=True))
    y.store(e / e.sum(axis=1, keepdims=True))


@fh.kernel
def in_a_helper(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(softmax_of(x.load_like(y)))


@fh.kernel
def in_a_branch(y: Out["M", "N"], x: Ref["M", "N"]):
    if y.index[0] >= 0:
        y.store(softmax_of(x.load_like(y)))
    else:
        y.store(x.load_like(y))


@fh.kernel
def in_a_loop(y: Out["M", "N"], x: Ref["M", "N"]):
    total = fh.zeros(y.tile, f32)
    for k in fh.tiles(x, axis=1, size=y.tile[1]):
        total += softmax_of(x.load((y.index[0], k), y.tile))
    y.store(total)


@fh.kernel
def padded(y: Out["M", "N"], x: Ref["M", "N"]):
    y.store(softmax_of(x.load_like(y, padding="-inf")))


@fh.kernel
def masked(y: Out["M", "N"], x: Ref["M", "N"]):
    inside = y.start[1] + fh.arange(y.tile[1]) < y.shape[1]
    y.store(softmax_of(fh.where(inside, x.load_like(y), -float("inf"))))


def rows(columns: int = 20) -> Any:
    return np.random.default_rng(0).standard_normal((6, columns), np.float32)


def expected(x: Any) -> Any:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("kernel", [zeros, in_a_helper, in_a_branch, in_a_loop], ids=lambda k: k.__name__)
def test_padding_that_counts_is_found(kernel: Any) -> None:
    y, x = np.zeros((6, 20), np.float32), rows()
    kernel(fh.partition(y, (4, 32)), x).sync()
    assert not np.allclose(y, expected(x))
    with fh.interpreting("checked"), pytest.raises(fh.Rejected) as caught:
        kernel(fh.partition(y, (4, 32)), x).sync()
    assert caught.value.codes == ("O536",)
    assert "x.load" in str(caught.value)
    with fh.interpreting("checked"):  # where nothing overhangs but rows, which are apart
        kernel(fh.partition(np.zeros((6, 32), np.float32), (4, 32)), rows(32)).sync()


@pytest.mark.parametrize("kernel", [padded, masked], ids=lambda k: k.__name__)
def test_padding_that_does_not_count(kernel: Any) -> None:
    y, x = np.zeros((6, 20), np.float32), rows()
    with fh.interpreting("checked"):
        kernel(fh.partition(y, (4, 32)), x).sync()
    assert np.allclose(y, expected(x), atol=1e-6)


@fh.kernel
def folded(y: Out["M"], x: Ref["M", "N"], how: Const[str]):
    t = x.load((y.index[0], 0), (y.tile[0], 32))
    if how == "sum":
        y.store(t.sum(axis=1))
    elif how == "largest size":
        y.store(abs(t).max(axis=1))
    elif how == "largest":
        y.store(t.max(axis=1))
    elif how == "smallest":
        y.store(t.min(axis=1))
    elif how == "product":
        y.store(t.prod(axis=1))
    elif how == "squares about the mean":
        away = t - (t.sum(axis=1, keepdims=True) / 20.0)
        y.store((away * away).sum(axis=1))
    elif how == "masked by a product":
        inside = (fh.arange(32) < x.shape[1]).astype(f32)
        away = (t - (t.sum(axis=1, keepdims=True) / 20.0)) * inside
        y.store((away * away).sum(axis=1))
    elif how == "the place of the largest":
        y.store(t.argmax(axis=1).astype(f32))
    else:
        y.store(fh.reduce(t, lambda a, b: fh.maximum(a, b), -float("inf"), axis=1))


@pytest.mark.parametrize("how", ["sum", "largest size", "masked by a product"])
def test_what_does_not_see_zeros(how: str) -> None:
    y = np.zeros(6, np.float32)
    with fh.interpreting("checked"):
        folded(fh.partition(y, 4), rows(), how).sync()
    assert y.all()


@pytest.mark.parametrize(
    "how", ["largest", "smallest", "product", "squares about the mean", "the place of the largest", "a fold"]
)
def test_what_sees_zeros(how: str) -> None:
    x = -abs(rows()) if how != "smallest" else abs(rows())
    with fh.interpreting("checked"), pytest.raises(fh.Rejected) as caught:
        folded(fh.partition(np.zeros(6, np.float32), 4), x, how).sync()
    assert caught.value.codes == ("O536",)
    with fh.interpreting("checked"):
        folded(fh.partition(np.zeros(6, np.float32), 4), rows(32), how).sync()


@fh.kernel
def product(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"]):
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=16):
        acc = fh.mma(a.load((c.index[0], k), (c.tile[0], 16)), b.load((k, c.index[1]), (16, c.tile[1])), acc)
    c.store(acc)


@fh.kernel
def scores(y: Out["M"], a: Ref["M", "K"], b: Ref["K", "N"]):
    s = fh.mma(a.load((y.index[0], 0), (y.tile[0], 16)), b.load((0, 0), (16, 32)), fh.zeros((y.tile[0], 32), f32))
    y.store(s.max(axis=1))


def test_products_do_not_see_zeros_and_what_follows_may() -> None:
    rng = np.random.default_rng(1)
    a, b = -abs(rng.standard_normal((6, 10), np.float32)), abs(rng.standard_normal((10, 20), np.float32))
    c = np.zeros((6, 20), np.float32)
    with fh.interpreting("checked"):
        product(fh.partition(c, (4, 16)), a, b).sync()
        assert np.allclose(c, a @ b, atol=1e-5)
        with pytest.raises(fh.Rejected) as caught:
            scores(fh.partition(np.zeros(6, np.float32), 4), a, b).sync()
    assert caught.value.codes == ("O536",)


@fh.kernel
def gathered(y: Out["M"], x: Ref["M", "N"], shift: Const[float]):
    acc = fh.zeros((y.tile[0], 16), f32)
    for k in fh.tiles(x, axis=1, size=16):
        acc += x.load((y.index[0], k), (y.tile[0], 16)) + shift
    y.store(acc.sum(axis=1))


def test_zeros_add_nothing_to_what_is_accumulated() -> None:
    x = rows()
    with fh.interpreting("checked"):
        y = np.zeros(6, np.float32)
        gathered(fh.partition(y, 4), x, 0.0).sync()
        assert np.allclose(y, x.sum(axis=1), atol=1e-5)
        with pytest.raises(fh.Rejected) as caught:
            gathered(fh.partition(y, 4), x, 1.0).sync()
    assert caught.value.codes == ("O536",)


MARKS = [(rows, columns, accumulator) for rows in range(3) for columns in range(3) for accumulator in range(2)]


@pytest.mark.parametrize(("rows", "columns", "accumulator"), MARKS)
def test_whole_rows_and_columns_of_padding_mark_a_product(rows: int, columns: int, accumulator: int) -> None:
    """Of two by three times three by four: rows of the one, columns of the other, and elements of the accumulator."""
    a, b, c = np.zeros((2, 3), np.bool_), np.zeros((3, 4), np.bool_), np.zeros((2, 4), np.bool_)
    a[0, : 2 + (rows == 2)] = rows > 0  # not all of it is nothing
    b[: 2 + (columns == 2), 3] = columns > 0
    c[1, 1] = accumulator
    origin = marks.Origin(None)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] -- it is only handed on
    values: list[Any] = [marks.marked(np.ones(mark.shape), mark, origin) for mark in (a, b, c)]
    rule: Any = vars(marks)["_RULES"]["cuda_tile.mmaf"]
    found = np.broadcast_to(rule(None, None, None, values), (2, 4))
    wanted = c.copy()
    wanted[0] |= rows == 2
    wanted[:, 3] |= columns == 2
    assert found.tolist() == wanted.tolist()


def test_a_maximum_is_padding_where_no_element_of_the_tensor_is_as_large() -> None:
    found = list[tuple[float, float, bool, bool]]()
    for a in (0.0, 1.0, np.nan):
        for b in (0.0, 1.0, np.nan):
            found += [(a, b, p, q) for p in (False, True) for q in (False, True)]
    left, right, p, q = (np.array(each) for each in zip(*found, strict=True))
    origin = marks.Origin(None)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] -- it is only handed on
    operands: list[Any] = [marks.marked(left, p, origin), marks.marked(right, q, origin)]
    rule: Any = vars(marks)["_RULES"]["cuda_tile.maxf"]
    result = np.fmax(left, right)
    marked = rule(None, result, [left, right], operands)
    for (a, b, of_a, of_b), largest_, is_marked in zip(found, result, marked, strict=True):
        as_large = [m for x, m in ((a, of_a), (b, of_b)) if x == largest_ or (x != x and largest_ != largest_)]
        assert is_marked == all(as_large), (a, b, of_a, of_b)


@fh.kernel
def largest(y: Out["M"], x: Ref["M", "N"]):
    y.store(x.load((y.index[0], 0), (y.tile[0], 32)).max(axis=1))


def test_a_result_that_is_no_number_with_padding_and_without_is_the_same() -> None:
    x, y = rows(), np.zeros(6, np.float32)
    x[:, 3] = np.nan
    with fh.interpreting("checked"):
        largest(fh.partition(y, 2), x).sync()
    assert y.shape == (6,)


@fh.kernel
def longer(y: Out["M"], x: Ref["N"]):
    y.store(x.load((0,), y.tile))


@fh.kernel
def shifted(y: Mut["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(fh.where(fh.arange(32) % 2 == 0, t, y.load()))


@fh.kernel
def copied(y: Mut["M"], x: Ref["N"]):
    y.store(x.load((y.index[0],), y.tile))


@fh.kernel
def in_tiles(y: Mut["M", "K"], x: Ref["L", "N"]):
    i, j = y.index
    if i == 3:
        y.store(x.load((0, j), y.tile))
    else:
        y.store(fh.zeros(y.tile, f32))


@fh.kernel
def picked(y: Mut["N"], x: Ref["M"], on: Ref[i32, "N"], PADDED: Const[bool]):
    a, b = x.load((y.index[0],), y.tile), y.load()
    y.store(fh.where(on.load_like(y) != 0, a, b) if PADDED else fh.where(on.load_like(y) != 0, b, a))


def test_what_a_choice_leaves_out_is_not_stored() -> None:
    """Of 32 elements, the last 12 are padding in one of two tiles."""
    for padded in (True, False):
        for at in (19, 20, 31):
            on = np.full(32, not padded, np.int32)
            on[at] = padded
            y = np.zeros(32, np.float32)
            launch = picked(fh.partition(y, 32), np.ones(20, np.float32), on, padded)
            with fh.interpreting("checked"):
                if at < 20:
                    launch.sync()
                    assert y.nonzero()[0].tolist() == [at]
                    continue
                with pytest.raises(fh.Rejected, match=rf"element \[{at}\] that is written is padding"):
                    launch.sync()


def test_padding_is_not_stored() -> None:
    y, x = np.zeros(32, np.float32), np.ones(20, np.float32)
    with fh.interpreting("checked"):
        with pytest.raises(fh.Rejected) as caught:
            longer(fh.partition(y, 32), x).sync()
        assert caught.value.codes == ("O536",)
        assert "element [20]" in str(caught.value)
        with pytest.raises(fh.Rejected, match=r"element \[20\] that is written is padding"):
            copied(fh.partition(y[:24], 8), x).sync()
        with pytest.raises(fh.Rejected, match=r"element \[3, 20\] that is written is padding"):
            in_tiles(fh.partition(np.zeros((5, 24), np.float32), (1, 8)), rows()[3:]).sync()
        shifted(fh.partition(y[:20], 32), x).sync()


@fh.kernel
def running(y: Out["M", "N"], x: Ref["M", "N"], back: Const[bool]):
    y.store(fh.scan(x.load_like(y), lambda a, b: fh.maximum(a, b), -float("inf"), axis=1, reverse=back))


def test_scans_see_what_comes_before() -> None:
    y, x = np.zeros((6, 20), np.float32), -abs(rows())
    with fh.interpreting("checked"):
        running(fh.partition(y, (4, 32)), x, False).sync()
        assert np.array_equal(y, np.maximum.accumulate(x, axis=1))
        with pytest.raises(fh.Rejected) as caught:
            running(fh.partition(y, (4, 32)), x, True).sync()
    assert caught.value.codes == ("O536",)


@fh.kernel
def counted(y: Out[i32, "M"], x: Ref[i32, "M", "N"]):
    y.store((x.load((y.index[0], 0), (y.tile[0], 32)) == 0).astype(i32).sum(axis=1))


def test_comparisons_hand_it_on() -> None:
    with fh.interpreting("checked"), pytest.raises(fh.Rejected) as caught:
        counted(fh.partition(np.zeros(6, np.int32), 4), np.ones((6, 20), np.int32)).sync()
    assert caught.value.codes == ("O536",)


@fh.kernel
def larger(y: Out["M"], x: Ref["M", "N"], padding: Const[Any]):
    t: fh.Tile[f32] = x.load((y.index[0], 0), (y.tile[0], 32), padding=padding)
    y.store(fh.maximum(t, 0.0).sum(axis=1))


def test_padding_that_wins_a_maximum_by_being_nan_is_found() -> None:
    y, x = np.zeros(6, np.float32), rows()
    with fh.interpreting("checked"):
        for padding in ("nan", "inf"):
            with pytest.raises(fh.Rejected) as caught:
                larger(fh.partition(y, 2), x, padding).sync()
            assert "O536" in caught.value.codes
        for padding in ("zero", "-inf"):  # what is there wins, or they are equal
            larger(fh.partition(y, 2), x, padding).sync()
            np.testing.assert_allclose(y, np.maximum(x, 0).sum(axis=1), rtol=1e-5)
