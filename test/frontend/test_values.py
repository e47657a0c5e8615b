"""What an expression of a kernel is: which values are one, which are known, and how errors name them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from math import inf, nan
from typing import Any, NamedTuple

import pytest

import freehold as fh
from freehold.frontend.intrinsics import intrinsic_of
from freehold.frontend.signature import Parameter, TensorSpec
from freehold.frontend.values import (
    ANYTHING,
    NONE,
    POISON,
    Absent,
    BoundValue,
    GridValue,
    MethodValue,
    PlaceValue,
    RangeValue,
    RecordValue,
    RegionValue,
    ReplaceValue,
    Static,
    TensorValue,
    TextValue,
    TilesValue,
    TileValue,
    TupleValue,
    Unbound,
    Value,
    describe,
    is_poison,
    items_of,
    of_host,
    padding_named,
    record,
    record_of,
    same,
    static_of,
    tensor_of,
)
from freehold.support import dtypes


class Point(NamedTuple):
    x: object
    y: object


@dataclass(frozen=True)
class Pair:
    left: object
    right: object


@dataclass
class Loose:
    left: object


class Kind(Enum):
    ROW = 1
    COLUMN = 2


def tile(dtype: dtypes.DType = dtypes.f32, shape: tuple[int, ...] = (4, 8)) -> TileValue:
    made: Any = object()
    return TileValue(made, dtype, shape)


def number(value: object) -> Static:
    return Static(value)


ANY: Any = object()
TENSOR = TensorValue(Parameter("x", "ref", None, None), TensorSpec.plain(dtypes.f32, 2), ANY, ANY)
TILE, OTHER, SCALAR = tile(), tile(), tile(dtypes.i32, ())


def function() -> None: ...


DESCRIBED: list[tuple[Value, str]] = [
    (TILE, "an f32 tile (4, 8)"),
    (tile(dtypes.f16, (8,)), "an f16 tile (8,)"),
    (tile(dtypes.f64, ()), "an f64 scalar"),
    (tile(dtypes.f8e5m2), "an f8e5m2 tile (4, 8)"),
    (tile(dtypes.f4e2m1fn), "an f4e2m1fn tile (4, 8)"),
    (tile(dtypes.bf16), "a bf16 tile (4, 8)"),
    (tile(dtypes.bool_, ()), "a bool_ scalar"),
    (tile(dtypes.i8), "an i8 tile (4, 8)"),
    (tile(dtypes.i16), "an i16 tile (4, 8)"),
    (SCALAR, "an i32 scalar"),
    (tile(dtypes.i64), "an i64 tile (4, 8)"),
    (tile(dtypes.u8), "a u8 tile (4, 8)"),
    (TupleValue((TILE, SCALAR)), "a tuple of 2"),
    (TupleValue(()), "a tuple of 0"),
    (TupleValue((TILE, SCALAR), Point), "a `Point`"),
    (RecordValue(Pair, (TILE, SCALAR)), "a `Pair`"),
    (TENSOR, "tensor `x`"),
    (GridValue("g", ()), "grid `g`"),
    (RegionValue(TENSOR, ANY, ()), "a region of `x`"),
    (PlaceValue(TENSOR, ()), "a place in `x`"),
    (ReplaceValue(TupleValue((), Point)), "the method `_replace`"),
    (BoundValue(TILE, function), "the method `function`"),
    (RangeValue(number(0), number(4), number(1)), "a range"),
    (TilesValue(TENSOR, 0, 8, number(0), NONE, number(1)), "a range of tiles"),
    (TextValue(("a",)), "a text that is known when the kernel runs"),
    (Absent(None, "b"), "`b`, which is `None` in this launch"),
    (NONE, "`None`"),
    (number(True), "`True`"),
    (number(3), "the number 3"),
    (number(2.5), "the number 2.5"),
    (number(inf), "the number inf"),
    (number("a"), "the text 'a'"),
    (number("a" * 80), f"the text '{'a' * 80}'"),
    (number("a" * 81), f"the text '{'a' * 77}'..."),
    (number(Kind.ROW), "`Kind.ROW`"),
    (number(dtypes.f32), "the dtype `f32`"),
    (number(math), "the module `math`"),
    (number(function), "the function `function`"),
    (number(len), "the function `len`"),
    (number(int), "the class `int`"),
    (number(Pair(1, 2)), "a `Pair`"),
    (number(Loose(1)), "an object of type `Loose`"),
    (number([1]), "an object of type `list`"),
    (number({1}), "an object of type `set`"),
    (POISON, "a value"),
    (ANYTHING, "a value"),
    (Unbound("assigned", "", ""), "a value"),
]


@pytest.mark.parametrize(("value", "said"), DESCRIBED, ids=range(len(DESCRIBED)))
def test_errors_name_values(value: Value, said: str) -> None:
    assert describe(value) == said


def test_methods_are_named_as_declared() -> None:
    declared = intrinsic_of(fh.exp)
    assert declared is not None
    assert describe(MethodValue(TILE, declared)) == "the method `exp`"


PADDINGS = [
    (0, "zero"),
    (0.0, "zero"),
    (-0.0, "neg_zero"),
    (inf, "inf"),
    (-inf, "-inf"),
    (nan, "nan"),
    (-nan, "nan"),
    (1, None),
    (-1.5, None),
    (False, None),
    (True, None),
    ("zero", None),
    (None, None),
]


@pytest.mark.parametrize(("value", "name"), PADDINGS, ids=[repr(value) for value, _ in PADDINGS])
def test_loads_pad_with_five_numbers(value: object, name: str | None) -> None:
    assert padding_named(number(value)) == name


def test_loads_pad_with_nothing_that_is_computed() -> None:
    assert padding_named(TILE) is None
    assert padding_named(TupleValue((number(0),))) is None


def test_tuples_are_taken_apart() -> None:
    whole = of_host((1, (2, "a"), Point(3, None)))
    assert isinstance(whole, TupleValue)
    assert whole.kind is None
    one, two, three = whole.items
    assert isinstance(one, Static)
    assert one.value == 1
    assert isinstance(two, TupleValue)
    assert two.kind is None
    assert [static_of(item) for item in two.items] == [(2,), ("a",)]
    assert isinstance(three, TupleValue)
    assert three.kind is Point
    assert static_of(whole) == ((1, (2, "a"), Point(3, None)),)
    assert type(three.items) is tuple


class Odd(tuple[int, ...]):
    """A tuple of a class of its own, of which nobody knows what it does."""


def test_tuples_of_unknown_classes_stay_whole() -> None:
    value = of_host(Odd((1, 2)))
    assert isinstance(value, Static)
    assert type(value.value) is Odd


def test_what_is_known_of_what() -> None:
    assert static_of(number(None)) == (None,)
    assert static_of(TILE) is None
    assert static_of(TupleValue((number(1), TILE))) is None
    assert static_of(TupleValue(())) == ((),)
    assert static_of(TupleValue((number(1), TupleValue((number(2),))))) == ((1, (2,)),)
    assert static_of(RecordValue(Pair, (number(1), TILE))) is None


def test_objects_of_known_fields_are_known() -> None:
    known = record(Pair, (number(1), TupleValue((number(2), number(3)))))
    assert isinstance(known, Static)
    assert known.value == Pair(1, (2, 3))
    open_ = record(Pair, (number(1), TILE))
    assert isinstance(open_, RecordValue)
    assert open_.items[1] is TILE
    named = record(Point, (number(1), number(2)))
    assert isinstance(named, TupleValue)
    assert named.kind is Point
    found = record_of(known)
    assert found is not None
    assert found.kind is Pair
    assert [static_of(item) for item in found.items] == [(1,), ((2, 3),)]
    assert record_of(open_) is open_
    for other in (number(Loose(1)), number(3), named, TILE):
        assert record_of(other) is None


RUN_OVER: list[tuple[Value, int, tuple[object, ...] | None]] = [
    (TupleValue((number(1), number(2), number(3))), 9, (1, 2, 3)),
    (TupleValue((number(1), number(2), number(3))), 2, (1, 2)),
    (number("abc"), 2, ("a", "b")),
    (number(range(5, 0, -2)), 9, (5, 3, 1)),
    (number(range(5)), 3, (0, 1, 2)),
    (number(Kind), 9, (Kind.ROW, Kind.COLUMN)),
    (RangeValue(number(1), number(7), number(2)), 9, (1, 3, 5)),
    (RangeValue(number(1), number(7), number(2), backwards=True), 9, (5, 3, 1)),
    (RangeValue(number(7), number(1), number(-2), backwards=True), 2, (3, 5)),
    (RangeValue(number(0), number(7), number(1)), 2, (0, 1)),
    (RangeValue(number(0), number(7), number(0)), 9, None),
    (RangeValue(number(0), SCALAR, number(1)), 9, None),
    (RangeValue(SCALAR, number(7), number(1)), 9, None),
    (RangeValue(number(0), number(7), SCALAR), 9, None),
    (number(3), 9, None),
    (number([1, 2]), 9, None),
    (TILE, 9, None),
    (RecordValue(Pair, (number(1), number(2))), 9, None),
]


@pytest.mark.parametrize(("value", "most", "wanted"), RUN_OVER, ids=range(len(RUN_OVER)))
def test_what_is_run_over_at_compile_time(value: Value, most: int, wanted: tuple[object, ...] | None) -> None:
    found = items_of(value, most)
    known = None if found is None else static_of(TupleValue(found))
    assert known == (None if wanted is None else (wanted,))


def test_poison_is_found_at_any_depth() -> None:
    assert not is_poison()
    assert not is_poison(TILE, number(1), TupleValue((TILE,)), RecordValue(Pair, (TILE, NONE)))
    for poisoned in (POISON, TupleValue((TILE, POISON)), TupleValue((TupleValue((POISON,)),))):
        assert is_poison(TILE, poisoned)
        assert is_poison(RecordValue(Pair, (TILE, poisoned)))


def test_a_part_knows_its_tensor() -> None:
    assert tensor_of(TENSOR) is TENSOR
    assert tensor_of(RegionValue(TENSOR, ANY, ())) is TENSOR
    assert tensor_of(PlaceValue(TENSOR, ())) is TENSOR


VAR: Any = object()
REGION = RegionValue(TENSOR, VAR, ())
ONE: list[tuple[Value, Value]] = [
    (TILE, TILE),
    (TileValue(VAR, dtypes.f32, ()), TileValue(VAR, dtypes.f32, ())),
    (number(1), number(1)),
    (number("a"), number("".join("a"))),
    (number(None), NONE),
    (number(math), number(math)),
    (number(Pair(1, 2)), number(Pair(1, 2))),
    (TupleValue((number(1), TILE)), TupleValue((number(1), TILE))),
    (TupleValue((TILE,), None), TupleValue((TILE,), None)),
    (RecordValue(Pair, (number(1), TILE)), RecordValue(Pair, (number(1), TILE))),
    (REGION, RegionValue(TENSOR, VAR, ())),
    (number(0.0), number(0.0)),
    (number(nan), number(nan)),
]
TWO: list[tuple[Value, Value]] = [
    (TILE, OTHER),
    (TileValue(VAR, dtypes.f32, ()), TileValue(VAR, dtypes.i32, ())),
    (number(1), number(2)),
    (number(1), number(1.0)),
    (number(1), number(True)),
    (number(0.0), number(-0.0)),
    (number("a"), number("b")),
    (number(["a"]), number(["a"])),
    (number(Pair(1, 2)), number(Pair(1, 3))),
    (number(Pair(1, 2)), number(Point(1, 2))),
    (TupleValue((number(1), TILE)), TupleValue((number(1), OTHER))),
    (TupleValue((number(1),)), TupleValue((number(1), number(2)))),
    (TupleValue((TILE, TILE), Point), TupleValue((TILE, TILE))),
    (RecordValue(Pair, (number(1), TILE)), RecordValue(Pair, (number(2), TILE))),
    (RecordValue(Pair, (TILE,)), TupleValue((TILE,))),
    (REGION, RegionValue(TENSOR, ANY, ())),
    (TILE, number(1)),
    (PlaceValue(TENSOR, ()), PlaceValue(TENSOR, ())),
]


@pytest.mark.parametrize(("a", "b"), ONE, ids=range(len(ONE)))
def test_which_values_are_certainly_one(a: Value, b: Value) -> None:
    assert same(a, b)
    assert same(b, a)


@pytest.mark.parametrize(("a", "b"), TWO, ids=range(len(TWO)))
def test_which_values_may_be_two(a: Value, b: Value) -> None:
    assert not same(a, b)
    assert not same(b, a)
