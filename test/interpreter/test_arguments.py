"""What the interpreter takes as arguments of a kernel: numbers and arrays at their limits, extents, and predicates."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from evaluate import parse

import freehold as fh
from freehold.runtime.interpreter import run_tile
from freehold.runtime.interpreter.arguments import (
    Parameter,
    array,
    bind,
    element_of_dtype,
    hold,
    regular,
    scalar,
    value_of,
)
from freehold.runtime.interpreter.elements import by_name
from freehold.support import terms
from freehold.support.diagnostic import Rejected

M, N = terms.sym("M"), terms.sym("N")


@pytest.mark.parametrize(
    ("name", "least", "greatest"),
    [("i1", -1, 1), ("i8", -128, 255), ("i16", -(1 << 15), 65535), ("i32", -(1 << 31), (1 << 32) - 1),
     ("i64", -(1 << 63), (1 << 64) - 1)],
)  # fmt: skip
def test_integers_of_either_sign_fit_by_their_bits(name: str, least: int, greatest: int) -> None:
    e = by_name(name)
    for number in (least, 0, 1, greatest):
        found = scalar("k", "x", number, e)
        assert found.dtype == e.dtype
        assert int(found) % (1 << e.bits) == (number % (1 << e.bits) if name != "i1" else bool(number))
    for number in (least - 1, greatest + 1):
        with pytest.raises(fh.Rejected, match=rf"{number} does not fit in {name}") as caught:
            scalar("k", "x", number, e)
        assert f"pass an integer of {e.bits} bits" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [("f32", 2, np.float32(2)), ("f32", np.float64(0.5), np.float32(0.5)), ("i32", np.array(7), np.int32(7)),
     ("bf16", np.array(1.5, ml_dtypes.bfloat16)[()], ml_dtypes.bfloat16(1.5))],
)  # fmt: skip
def test_numbers_become_those_of_the_element(name: str, value: Any, expected: Any) -> None:
    found = scalar("k", "x", value, by_name(name))
    assert (found, found.dtype) == (expected, expected.dtype)


@pytest.mark.parametrize(("name", "value"), [("f16", 70000.0), ("bf16", -1e300), ("f32", 1e39), ("f32", 10**400)])
def test_what_would_round_to_an_infinity_does_not_fit(name: str, value: float) -> None:
    with pytest.raises(fh.Rejected, match=f"does not fit in {name}"):
        scalar("k", "x", value, by_name(name))
    assert np.isinf(scalar("k", "x", float("inf"), by_name(name)).astype(np.float64))


@pytest.mark.parametrize(
    ("name", "value"), [("i32", 1.0), ("f32", "1"), ("f32", np.ones(1)), ("i32", None), ("f32", 1j)]
)
def test_what_is_no_number_is_refused(name: str, value: Any) -> None:
    with pytest.raises(fh.Rejected, match=f"is no {name}") as caught:
        scalar("k", "x", value, by_name(name))
    assert f"pass a number that {name} can hold" in str(caught.value)


def test_arrays_are_taken_as_they_are_or_with_a_sign() -> None:
    i32 = by_name("i32")
    same, unsigned = np.zeros(3, np.int32), np.full(3, 1 << 31, np.uint32)
    assert array("k", "x", same, i32, 1) is same
    seen = array("k", "x", unsigned, i32, 1)
    assert seen.dtype == np.int32
    assert seen.base is unsigned
    assert (seen == -(1 << 31)).all()
    assert array("k", "x", np.zeros((0, 2), np.int32), i32, None).size == 0  # of a view, and no tensor


@pytest.mark.parametrize(
    ("value", "rank", "what"),
    [
        ([1, 2], None, "list is no NumPy array"), (np.zeros(3, np.int64), 1, "an array of int64 where i32 is needed"),
        (np.zeros(3, np.float32), 1, "an array of float32 where i32 is needed"),
        (np.zeros((3, 1), np.int32), 1, "an array of rank 2 where 1 is needed"),
        (np.zeros(0, np.int32), 1, r"an array of shape \(0,\), without elements"),
    ],
)  # fmt: skip
def test_arrays_that_do_not_fit(value: Any, rank: int | None, what: str) -> None:
    with pytest.raises(fh.Rejected, match=what):
        array("k", "x", value, by_name("i32"), rank)


def test_addresses_that_grow_with_the_index() -> None:
    whole = np.zeros((4, 6), np.float32)
    strided: Any = np.lib.stride_tricks.as_strided
    assert all(map(regular, (whole, whole.T, whole[::2, ::3], whole[:1], whole[:, :0], np.zeros(()))))
    for shape, strides in (
        ((4, 6), (20, 4)),
        ((4, 6), (4, 4)),
        ((3,), (0,)),
        ((3,), (-4,)),
        ((3,), (6,)),
        ((2,), (3,)),
    ):
        assert not regular(strided(whole, shape, strides)), (shape, strides)
    assert regular(strided(whole, (4, 6), (24, 4)))  # a row begins where the one before ends
    assert regular(strided(whole, (1, 6), (0, 4)))  # nobody asks where a second one would be


def tensor(name: str, *dims: Any, dtype: str = "") -> Parameter:
    return Parameter(name, by_name("i32" if dtype.startswith(("i", "u")) else "f32"), dims, dtype)


X, Y = tensor("x", M, N), tensor("y", M + 1, terms.const(4))
COUNT, SCALE = Parameter("n", by_name("i32"), None, "u32", "count"), Parameter("s", by_name("f32"), None, "f32")


def test_extents_bind_symbols_and_integers_do() -> None:
    x, y = np.zeros((3, 5), np.float32), np.zeros((4, 4), np.float32)
    found = bind("k", (X, Y, COUNT, SCALE), (x, y, 9, 0.5))
    assert found.symbols == {"M": 3, "N": 5, "count": 9}
    assert found.values[0] is x
    assert found.values[2:] == (9, 0.5)
    assert bind("k", (Y,), (y,)).symbols == {"M": 3}  # ... of what is affine in them, too
    assert bind("k", (SCALE,), (1 << 40,)).values == (2.0**40,)
    plain = bind("k", (Parameter("n", by_name("i32"), None),), (5,))
    assert plain.symbols == {"n": 5}


def test_equal_terms_are_equal_extents_even_where_nobody_knows_them() -> None:
    squared = tensor("x", M * N), tensor("y", M * N)
    a, b = np.zeros(6, np.float32), np.zeros(7, np.float32)
    assert bind("k", squared, (a, a)).symbols == {}
    with pytest.raises(fh.Rejected, match="an extent of 7 where"):
        bind("k", squared, (a, b))


@pytest.mark.parametrize(
    ("given", "what", "name"),
    [
        ((), "0 arguments for 4 parameters", "x"), ((1,), "1 arguments for 4 parameters", "y"),
        ((1, 2, 3, 4, 5), "5 arguments for 4 parameters", "s"),
        ((np.zeros((3, 5), np.float32), np.zeros((3, 4), np.float32), 1, 1.0), "an extent of 3 where `.*` is 4", "y"),
        ((np.zeros((3, 5), np.float32), np.zeros((4, 3), np.float32), 1, 1.0), "an extent of 3 where `4` is 4", "y"),
        ((np.zeros((3, 5), np.float32), np.zeros((4, 4), np.float32), -1, 1.0), "-1 is no u32", "n"),
        ((np.zeros((3, 5), np.float32), np.zeros((4, 4), np.float32), 1 << 32, 1.0), "4294967296 is no u32", "n"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit(given: tuple[Any, ...], what: str, name: str) -> None:
    with pytest.raises(fh.Rejected, match=what) as caught:
        bind("k", (X, Y, COUNT, SCALE), given)
    assert f"`{name}`" in str(caught.value)


def test_no_parameters_take_no_arguments() -> None:
    assert bind("k", (), ()).values == ()
    with pytest.raises(fh.Rejected, match="1 arguments for 0 parameters"):
        bind("k", (), (1,))


@pytest.mark.parametrize(("dtype", "least", "greatest"), [("i8", -128, 127), ("u8", 0, 255), ("bool_", None, None)])
def test_signs_that_the_kernel_says(dtype: str, least: int | None, greatest: int | None) -> None:
    parameter = Parameter("n", element_of_dtype(dtype), None, dtype)
    assert bind("k", (parameter,), (np.bool_(True) if least is None else np.int64(least),)).values
    if least is not None and greatest is not None:
        assert bind("k", (parameter,), (greatest,)).symbols == {"n": int(np.array(greatest).astype(np.int8))}
        for beyond in (least - 1, greatest + 1):
            with pytest.raises(fh.Rejected, match=f"pass an integer from {least} to {greatest}"):
                bind("k", (parameter,), (beyond,))


def test_arrays_of_the_sign_that_the_kernel_says() -> None:
    unsigned = tensor("x", N, dtype="u32")
    assert bind("k", (unsigned,), (np.zeros(3, np.uint32),)).symbols == {"N": 3}
    with pytest.raises(fh.Rejected, match="an array of int32 where u32 is needed"):
        bind("k", (unsigned,), (np.zeros(3, np.int32),))
    with pytest.raises(fh.Rejected, match="list is no NumPy array"):
        bind("k", (unsigned,), ([1, 2, 3],))


def test_predicates_hold_or_say_with_which_values_they_do_not() -> None:
    hold(terms.compare("<", M, N), {"M": 1, "N": 2}, None, "k")
    for predicate, symbols, said in (
        (terms.compare("<", M, N), {"M": 2, "N": 2}, "M = 2, N = 2"),
        (terms.compare("<", M, N), {"M": 1}, "M = 1, N = ?"),
        (terms.compare("==", terms.floordiv(M, N), terms.const(0)), {"M": 1, "N": 0}, "M = 1, N = 0"),
        (terms.compare("<", terms.const(1), terms.const(1)), {}, "no symbol in it"),
    ):
        with pytest.raises(fh.Rejected) as caught:
            hold(predicate, symbols, None, "k")
        assert said in str(caught.value)
    assert (value_of(M + 1, {"M": 2}), value_of(M + N, {"M": 2})) == (3, None)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_an_entry_point_takes_as_many_arguments_as_it_has_parameters(count: int) -> None:
    text = "cuda_tile.module @m { cuda_tile.entry @k(%a: !cuda_tile.tile<i32>, %b: !cuda_tile.tile<i32>) { return } }"
    run_tile(parse(text), [1, 2])
    with pytest.raises(Rejected) as caught:
        run_tile(parse(text), [1] * count)
    assert caught.value.codes == ("O530",)
    assert f"{count} arguments for 2 parameters" in str(caught.value)
