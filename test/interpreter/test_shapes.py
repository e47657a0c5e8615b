"""Making, reshaping, joining, picking; matrix products. Against NumPy, in higher precision where there is rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from evaluate import TYPES, array, evaluate, values
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i32, i64

from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.types import tile
from freehold.runtime.interpreter.elements import by_name
from freehold.support.diagnostic import Rejected

RNG = np.random.default_rng(7)
X = np.arange(32, dtype=np.int32).reshape(4, 8)


@pytest.mark.parametrize("element", [e for e in TYPES if e != "i4"])
def test_constants(element: str) -> None:
    type_ = tile((2, 2), TYPES[element])
    numbers = {"i1": [1, 0, 0, 1], "f8E8M0FNU": [1.0, 2.0, 0.5, 4.0], "fnv8E5M3FNU": [0.0, 1.0, 1.5, 2.0]}.get(
        element, [1.0, -2.0, 0.5, 0.0] if by_name(element).is_float else [1, -2, 7, 0]
    )
    if element == "fnv8E5M3FNU":
        dense = DenseElementsAttr(type_, bytes([0, 15 << 3, 15 << 3 | 4, 16 << 3]))
    else:
        dense = DenseElementsAttr.from_values(type_, numbers)
    found = evaluate("constant", [], element, (2, 2), value=dense)
    shown = values(element, found) if by_name(element).is_float else found.astype(np.int64)
    assert shown.reshape(-1).tolist() == numbers


@pytest.mark.parametrize(("element", "number"), [("i1", 1), ("i8", -3), ("f32", 0.1), ("bf16", 2.0), ("tf32", 1.5)])
@pytest.mark.parametrize("shape", [(), (4,), (2, 8)])
def test_fills(element: str, number: float, shape: tuple[int, ...]) -> None:
    dense = DenseElementsAttr.splat(tile(shape, TYPES[element]), number)
    found = evaluate("constant", [], element, shape, value=dense)
    assert np.all(found == np.array(number).astype(by_name(element).dtype))


def test_literals_keep_the_bits_of_nan() -> None:
    dense = DenseElementsAttr(tile((2,), TYPES["f32"]), b"\x01\x00\xa0\x7f\x00\x00\xc0\xff")
    found = evaluate("constant", [], "f32", (2,), value=dense)
    assert found.view(np.uint32).tolist() == [0x7FA00001, 0xFFC00000]


@pytest.mark.parametrize(("element", "count"), [("i32", 64), ("i8", 256), ("i1", 2)])
def test_iota_counts_modulo_the_width(element: str, count: int) -> None:
    found = evaluate("iota", [], element, (count,))
    assert [int(v) % (1 << by_name(element).bits) for v in found] == list(range(count))


def test_shapes() -> None:
    assert np.array_equal(evaluate("reshape", [("i32", X)], shape=(2, 16)), X.reshape(2, 16))
    assert evaluate("reshape", [("i32", X[:1, :1])], shape=()) == 0
    assert evaluate("reshape", [("i32", np.int32(3))], shape=(1, 1)).tolist() == [[3]]
    assert np.array_equal(evaluate("broadcast", [("i32", X[:1])], shape=(4, 8)), np.tile(X[0], (4, 1)))
    permutation = DenseArrayBase.from_list(i32, [2, 0, 1])
    cube = X.reshape(2, 4, 4)
    found = evaluate("permute", [("i32", cube)], shape=(4, 2, 4), permutation=permutation)
    assert all(found[k, i, j] == cube[i, j, k] for i in range(2) for j in range(4) for k in range(4))


def test_joining_and_picking() -> None:
    joined = evaluate("cat", [("i32", X), ("i32", X)], shape=(4, 16), dim=IntegerAttr(1, i64))
    assert np.array_equal(joined, np.hstack([X, X]))
    one, two = np.int32(1), np.int32(2)
    found = evaluate("extract", [("i32", X), ("i32", one), ("i32", two)], shape=(2, 2))
    assert np.array_equal(found, X[2:4, 4:6])
    small = np.full((2, 2), -1, np.int32)
    found = evaluate("insert", [("i32", small), ("i32", X), ("i32", one), ("i32", two)], shape=(4, 8))
    wanted = X.copy()
    wanted[2:4, 4:6] = -1
    assert np.array_equal(found, wanted)
    assert X[2, 4] == 20
    condition = X % 2 == 0
    found = evaluate("select", [("i1", condition), ("i32", X), ("i32", -X)], "i32")
    assert np.array_equal(found, np.where(condition, X, -X))
    assert evaluate("select", [("i1", np.bool_(False)), ("i32", one), ("i32", two)], "i32") == 2


def test_a_place_outside_the_tile_is_undefined() -> None:
    with pytest.raises(Rejected) as refused:
        evaluate("extract", [("i32", X), ("i32", np.int32(2)), ("i32", np.int32(0))], shape=(2, 2), checked=True)
    assert refused.value.codes == ("O528",)


MMA = [
    ("f16", "f16"), ("f16", "f32"), ("bf16", "f32"), ("tf32", "f32"), ("f32", "f32"), ("f64", "f64"),
    ("f8E4M3FN", "f16"), ("f8E4M3FN", "f32"), ("f8E5M2", "f16"), ("f8E5M2", "f32"),
]  # fmt: skip


@pytest.mark.parametrize(("element", "accumulator"), MMA)
@pytest.mark.parametrize("batch", [(), (2,)])
def test_float_products(element: str, accumulator: str, batch: tuple[int, ...]) -> None:
    a, b = (array(element, RNG.standard_normal((*batch, 16, 16)) / 4) for _ in range(2))
    if element == "tf32":
        a, b = (x.view(np.uint32) & np.uint32(0xFFFFE000) for x in (a, b))
        a, b = a.view(np.float32), b.view(np.float32)
    acc = array(accumulator, RNG.standard_normal((*batch, 16, 16)))
    found = evaluate("mmaf", [(element, a), (element, b), (accumulator, acc)], accumulator)
    wanted = values(element, a) @ values(element, b) + values(accumulator, acc)
    slack = {"f16": 2.0**-10, "f32": 2.0**-20, "f64": 2.0**-48}[accumulator]
    np.testing.assert_allclose(values(accumulator, found), wanted, rtol=slack, atol=slack)


@pytest.mark.parametrize("lhs", ["signed", "unsigned"])
@pytest.mark.parametrize("rhs", ["signed", "unsigned"])
def test_integer_products_wrap(lhs: str, rhs: str) -> None:
    a, b = (RNG.integers(-128, 128, (8, 64)).astype(np.int8) for _ in range(2))
    b = b.reshape(64, 8)
    acc = RNG.integers(-(2**31), 2**31, (8, 8)).astype(np.int32)
    found = evaluate(
        "mmai", [("i8", a), ("i8", b), ("i32", acc)], "i32", (8, 8), signedness_lhs=lhs, signedness_rhs=rhs
    )

    def read(x: Any, how: str) -> Any:
        return (x if how == "signed" else x.view(np.uint8)).astype(object)

    wanted = read(a, lhs) @ read(b, rhs) + acc.astype(object)
    assert np.array_equal(found.astype(object) % 2**32, wanted % 2**32)


@pytest.mark.parametrize(
    ("element", "scale", "block"),
    [("f8E4M3FN", "f8E8M0FNU", 32), ("f4E2M1FN", "f8E4M3FN", 16), ("f4E2M1FN", "fnv8E5M3FNU", 32)],
)
def test_scaled_products(element: str, scale: str, block: int) -> None:
    k = 64
    a, b = array(element, RNG.integers(-4, 5, (4, k))), array(element, RNG.integers(-4, 5, (k, 8)))
    if scale == "fnv8E5M3FNU":
        sa, sb = (RNG.integers(12 << 3, 17 << 3, s, np.uint8) for s in ((4, k // block), (k // block, 8)))
    else:
        sa, sb = (array(scale, 2.0 ** RNG.integers(-2, 3, s)) for s in ((4, k // block), (k // block, 8)))
    acc = array("f32", RNG.integers(-9, 9, (4, 8)))
    found = evaluate("mmaf_scaled", [(element, a), (element, b), ("f32", acc), (scale, sa), (scale, sb)], "f32", (4, 8))
    va, vb, wa, wb = values(element, a), values(element, b), values(scale, sa), values(scale, sb)
    wanted = values("f32", acc)
    for i in range(4):
        for j in range(8):
            for p in range(k):
                wanted[i, j] += va[i, p] * wa[i, p // block] * vb[p, j] * wb[p // block, j]
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
