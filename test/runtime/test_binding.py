"""What calls are refused for and what is proposed instead, at the limits: extents, strides, numbers, empty arrays."""

# pyright: reportUnknownParameterType=false, reportMissingTypeArgument=false, reportUnknownArgumentType=false

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import freehold as fh
from freehold import Acc, Const, Out, Ref, f32, i32, i64, u8
from freehold.runtime.launch.advice import suggested_tile
from freehold.runtime.launch.launch import UnrunLaunch

LARGEST = (1 << 31) - 1
strided: Any = np.lib.stride_tricks.as_strided


@fh.kernel
def first(y: Out[u8, "N"], x: Ref[u8, "M"]):
    y.store(x.load((0,), (1,)))


@fh.kernel
def scaled(y: Out[f32, "N"], a: i32, b: i64, K: Const[int] = 1):
    y.store(fh.full(y.tile, 1, f32) * a * b * K)


@fh.kernel
def counted(total: Acc[i32, "N"], x: Ref[i32, "N"]):
    total.add(1)


@fh.kernel
def nothing(x: Ref["RefM"]):
    x.load((0,), (4,))


def refused(launch: Any) -> str:
    with pytest.raises(fh.Rejected) as caught:
        launch().sync()
    return str(caught.value)


def bytes_of(shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """An array of these extents and strides over very few bytes; nobody may look at what is behind them."""
    return strided(np.zeros(1, np.uint8), shape, strides)


def test_extents_and_strides_at_the_largest() -> None:
    y = np.zeros(1, np.uint8)
    first(fh.partition(y, 1), bytes_of((LARGEST,), (0,))).sync()
    said = refused(lambda: first(fh.partition(y, 1), bytes_of((LARGEST + 1,), (0,))))
    assert "error[O2" in said
    assert str(LARGEST + 1) in said
    first(fh.partition(y, 1), bytes_of((2,), (LARGEST,))).sync()
    assert "stride" in refused(lambda: first(fh.partition(y, 1), bytes_of((2,), (LARGEST + 1,))))
    assert "stride" in refused(lambda: first(fh.partition(y, 1), bytes_of((2,), (-1,))))
    assert "stride" in refused(lambda: first(fh.partition(bytes_of((2,), (0,)), 1), y))


@fh.kernel
def typed(
    y: Out["N"], f: f32, on: fh.bool_, F: Const[float] = 1.0, B: Const[bool] = True, S: Const[str] = "s",
    T: Const[tuple] = (1,), C: Const = None,
):  # fmt: skip
    y.store(f)


class Three:
    """An integer in all but its class."""

    def __index__(self) -> int:
        return 3


I32 = "an integer from -2147483648 to 2147483647"
HASHED = "something that can be hashed, such as a number or a tuple"
WRONG_VALUES: list[tuple[str, Any, str, str, str]] = [
    ("a", 3.0, I32, "`3.0`", "int(value)"),
    ("a", float(LARGEST), I32, "`2147483647.0`", "int(value)"),
    ("a", -float(LARGEST), I32, "`-2147483647.0`", "int(value)"),
    ("a", float(LARGEST + 1), I32, "`2147483648.0`", ""),
    ("a", 3.5, I32, "`3.5`", ""),
    ("a", 1e30, I32, "`1e+30`", ""),
    ("a", float("nan"), I32, "`nan`", ""),
    ("a", float("inf"), I32, "`inf`", ""),
    ("a", LARGEST + 1, I32, "`2147483648`", ""),
    ("a", -LARGEST - 2, I32, "`-2147483649`", ""),
    ("a", 10**22, I32, f"`{10**22}`", ""),
    ("a", 10**24, I32, "an int", ""),
    ("a", True, I32, "`True`", ""),
    ("a", None, I32, "`None`", ""),
    ("a", "3", I32, "`'3'`", ""),
    ("a", "x" * 22, I32, f"`'{'x' * 22}'`", ""),
    ("a", "x" * 23, I32, "a str", ""),
    ("a", [3], I32, "a list", ""),
    ("a", object(), I32, "an object", ""),
    ("a", np.float32(3), I32, "a float32", "int(value)"),
    ("a", np.int64(2**40), I32, "an int64", ""),
    ("a", np.uint64(2**40), I32, "an uint64", ""),
    ("a", np.array([3]), I32, "an ndarray", "value.item()"),
    ("a", np.array([2**40]), I32, "an ndarray", ""),
    ("a", np.array([3, 4]), I32, "an ndarray", ""),
    ("a", np.zeros(0), I32, "an ndarray", ""),
    ("a", np.array(3.0), I32, "an ndarray", "int(value)"),
    ("a", np.array(3.5), I32, "an ndarray", ""),
    ("a", np.array(True), I32, "an ndarray", ""),
    ("a", fh.partition(np.zeros(4, np.float32), 4), I32, "a partition", ""),
    ("f", True, "a number", "`True`", ""),
    ("f", "1", "a number", "`'1'`", ""),
    ("f", np.array([1.5]), "a number", "an ndarray", "value.item()"),
    ("f", np.array([1]), "a number", "an ndarray", "value.item()"),
    ("f", np.array([True]), "a number", "an ndarray", ""),
    ("f", 10**400, "a number that `f32` holds (-3.4028235e+38 to 3.4028235e+38)", "an int", ""),
    ("f", 1e39, "a number that `f32` holds (-3.4028235e+38 to 3.4028235e+38)", "`1e+39`", ""),
    ("f", -1e300, "a number that `f32` holds (-3.4028235e+38 to 3.4028235e+38)", "`-1e+300`", ""),
    ("on", 1, "`True` or `False`", "`1`", ""),
    ("on", 0.0, "`True` or `False`", "`0.0`", ""),
    ("on", np.array([True]), "`True` or `False`", "an ndarray", "value.item()"),
    ("K", 2.0, "an `int`", "`2.0`", "int(value)"),
    ("K", 2.5, "an `int`", "`2.5`", ""),
    ("K", True, "an `int`", "`True`", ""),
    ("K", np.int64(2**40), "an `int`", "an int64", "int(value)"),
    ("K", Three(), "an `int`", "a Three", "int(value)"),
    ("K", np.array([2]), "an `int`", "an ndarray", "value.item()"),
    ("K", np.array([2.0]), "an `int`", "an ndarray", "int(value)"),
    ("K", [1], "an `int`", "a list", ""),
    ("K", fh.partition(np.zeros(4, np.float32), 4), "an `int`", "a partition", ""),
    ("F", 1, "a `float`", "`1`", "float(value)"),
    ("F", np.float32(0.5), "a `float`", "a float32", "float(value)"),
    ("F", np.array(0.5), "a `float`", "an ndarray", "value.item()"),
    ("F", np.array(2), "a `float`", "an ndarray", "float(value)"),
    ("F", 2**53 + 1, "a `float`", "`9007199254740993`", ""),
    ("F", 10**400, "a `float`", "an int", ""),
    ("F", True, "a `float`", "`True`", ""),
    ("F", 1j, "a `float`", "a complex", ""),
    ("B", 1, "a `bool`", "`1`", ""),
    ("B", None, "a `bool`", "`None`", ""),
    ("S", 1, "a `str`", "`1`", ""),
    ("T", [1], "a `tuple`", "a list", "tuple(value)"),
    ("T", [[1]], "a `tuple`", "a list", ""),
    ("C", [1], HASHED, "a list", "tuple(value)"),
    ("C", {}, HASHED, "a dict", ""),
    ("C", np.array([7]), HASHED, "an ndarray", "value.item()"),
    ("C", fh.partition(np.zeros(4, np.float32), 4), "a `constant`", "a partition", ""),
]


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "a": lambda y, value: scaled(y, value, 1),
    "K": lambda y, value: scaled(y, 1, 1, value),
    "f": lambda y, value: typed(y, value, True),
    "on": lambda y, value: typed(y, 1.0, value),
    "F": lambda y, value: typed(y, 1.0, True, value),
    "B": lambda y, value: typed(y, 1.0, True, 1.0, value),
    "S": lambda y, value: typed(y, 1.0, True, 1.0, True, value),
    "T": lambda y, value: typed(y, 1.0, True, 1.0, True, "s", value),
    "C": lambda y, value: typed(y, 1.0, True, 1.0, True, "s", (), value),
}


@pytest.mark.parametrize(("name", "value", "wanted", "given", "edit"), WRONG_VALUES)
def test_numbers_that_are_meant(name: str, value: Any, wanted: str, given: str, edit: str) -> None:
    """Of what is right in all but its class it is said how to write it, where that would be taken; of nothing else."""
    y = fh.partition(np.zeros(4, np.float32), 4)
    with pytest.raises(fh.Rejected) as caught:
        CALLS[name](y, value).sync()
    (error,) = caught.value.errors
    report, kernel = error.report(), "scaled" if name in "aK" else "typed"
    assert (report.code, report.title) == ("O215", f"argument `{name}` of `{kernel}` must be {wanted}, not {given}")
    assert report.label.startswith(f"{given} given for `{name}: ")
    several = isinstance(value, np.ndarray) and value.size != 1
    help_ = f"an array is declared as a tensor: `{name}: Ref`" if several else f"convert it: `{edit}`"
    assert report.helps == ((help_,) if edit or several else ())


def test_a_float_of_digits_gets_its_point() -> None:
    with pytest.raises(fh.Rejected, match=r"convert it: `2\.0`"):
        typed(fh.partition(np.zeros(4, np.float32), 4), 1.0, True, 2).sync()  # pyright: ignore


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("a", LARGEST), ("a", -LARGEST - 1), ("a", np.int8(3)), ("a", Three()), ("f", 3), ("f", np.float16(2)),
        ("f", 1e400), ("f", -3.4e38),
        ("on", True), ("on", np.bool_(1)), ("K", 2**40), ("C", (1, 2)), ("C", "text"), ("C", 1.5),
    ],
)  # fmt: skip
def test_values_that_are_taken(name: str, value: Any) -> None:
    y = np.zeros(4, np.float32)
    one: dict[str, Any] = {name: value}
    given: dict[str, Any] = {"a": 1, "b": 1} if name in "aK" else {"f": 1.0, "on": True}
    kernel: Any = scaled if name in "aK" else typed
    assert kernel.verify(fh.partition(y, 4), **{**given, **one})


def test_an_integer_of_numpy_is_one() -> None:
    y = np.zeros(4, np.float32)
    scaled(fh.partition(y, 4), np.int8(3), np.int64(-2)).sync()
    assert (y == -6).all()


def test_what_writes_nothing_is_told_how_to() -> None:
    said = refused(lambda: nothing(np.zeros(4, np.float32)))
    assert 'Out["RefM"]' in said  # of the annotation the mode alone


def test_empty_arrays_launch_nothing_only_where_something_would_be_written() -> None:
    empty = np.zeros(0, np.int32)
    with pytest.raises(fh.Rejected):
        nothing(np.zeros(0, np.float32)).sync()
    y = np.zeros(0, np.float32)
    scaled(fh.partition(y, 4), 1, 1).sync()
    with pytest.raises(fh.Rejected, match="O202"):
        first(fh.partition(np.zeros(4, np.uint8), 1), empty.astype(np.uint8)).sync()


def test_a_launch_that_is_not_run_says_where_it_was_written() -> None:
    y = np.zeros(4, np.float32)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (
            scaled(
                fh.partition(y, 4), 1, 1
            )
        )  # fmt: skip
        gc.collect()
    (told,) = caught
    assert told.category is UnrunLaunch
    here = test_a_launch_that_is_not_run_says_where_it_was_written.__code__.co_firstlineno
    line = int(str(told.message).rsplit(":", 1)[1])
    assert line - here in (4, 5)  # of the call, and not of what is in its brackets or of the function's beginning


@fh.kernel
def two_read(x: Ref["N"], z: Ref["N"]):
    pass


@fh.kernel
def of_two_axes(y: Out["M", "N"], z: Out["M"]):
    y.store(fh.zeros(y.tile, f32))
    z.store(fh.zeros(z.tile, f32))


def test_what_writes_nothing_is_told_of_its_first_array() -> None:
    x = np.zeros(4, np.float32)
    said = refused(lambda: two_read(x, x))
    assert 'x: Out["N"]' in said
    assert 'z: Out["N"]' not in said


@pytest.mark.parametrize("columns", [1, 2, 3, 16, 17])
def test_a_tile_that_covers_the_rest_is_proposed(columns: int) -> None:
    y, z = np.zeros((8, columns), np.float32), np.zeros(8, np.float32)
    if columns == 1:
        of_two_axes(fh.partition(y, (4, 1)), fh.partition(z, 4)).sync()
        return
    said = refused(lambda: of_two_axes(fh.partition(y, (4, 1)), fh.partition(z, 4)))
    assert f"(4, {1 << (columns - 1).bit_length()})" in said


def test_sums_over_nothing_are_refused_where_nothing_else_is_cut() -> None:
    with pytest.raises(fh.Rejected, match="O202"):
        counted(np.zeros(4, np.int32), np.zeros(0, np.int32)).sync()


@pytest.mark.parametrize(
    ("shape", "tile"),
    [
        ((1,), "1"), ((2,), "2"), ((5,), "8"), ((1023,), "1024"), ((1 << 20,), "1024"), ((1, 1), "(1, 1)"),
        ((3, 65), "(4, 64)"), ((100, 33), "(64, 64)"), ((9, 100, 7), "(1, 64, 8)"), ((9, 8, 2, 1), "(1, 1, 2, 1)"),
    ],
)  # fmt: skip
def test_a_tile_that_is_proposed_is_no_larger_than_need_be(shape: tuple[int, ...], tile: str) -> None:
    assert suggested_tile(shape) == tile


@pytest.mark.parametrize(
    ("dtype", "help"),
    [
        ("float4_e2m1fn", "pass bytes of two elements, as `uint8`, and write "
         "`fh.unpack(t, fh.f4e2m1fn)` in the kernel"),
        ("int4", "pass bytes of two elements, as `uint8`, and write `fh.unpack(t, fh.i4)` in the kernel"),
        ("uint4", "pass bytes of two elements, as `uint8`, and write `fh.unpack(t, fh.u4)` in the kernel"),
        ("float6_e2m3fn", None),
        ("int2", None),
        ("complex64", "pass real and imaginary parts, along an axis of two behind the others: "
         "`x[..., None].view(numpy.float32)`"),
    ],
)  # fmt: skip
def test_elements_that_no_kernel_takes(dtype: str, help: str | None) -> None:
    x: Any = np.zeros(4, getattr(ml_dtypes, dtype, dtype))
    with pytest.raises(fh.Rejected) as caught:
        first(fh.partition(np.zeros(4, np.uint8), 4), x).sync()
    assert caught.value.codes == ("O214",)
    assert caught.value.errors[0].report().helps == (() if help is None else (help,))
