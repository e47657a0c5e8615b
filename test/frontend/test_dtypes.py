"""In which dtype tiles and numbers meet, and into which tensors a tile may be stored unasked."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import freehold as fh
from freehold import Const, Mut, Out, Ref, bool_, f16, f32, f64, i8, i32, i64, u8

MEETINGS: list[tuple[str, bool | float, fh.DType]] = [
    *((name, number, dtype) for name, dtype in (("int8", i8), ("uint8", u8), ("int64", i64)) for number in (True, 3)),
    ("bool", True, bool_),
    ("bool", 3, i32),
    *((name, 1.5, f32) for name in ("bool", "int8", "uint8", "int32", "int64", "uint64")),
    *((name, number, dtype) for name, dtype in (("float16", f16), ("float64", f64)) for number in (True, 3, 1.5)),
]


@pytest.mark.parametrize(("name", "number", "wanted"), MEETINGS)
def test_a_number_meets_a_tile(name: str, number: bool | float, wanted: fh.DType) -> None:
    @fh.kernel
    def kernel(y: Out["N"], x: Ref["N"]):
        t, n = x.load_like(y), fh.where(x.load_like(y) == x.load_like(y), x.load_like(y), number)
        fh.static_assert(n.dtype == wanted)
        y.store(t)

    y, x = np.zeros(16, name), np.ones(16, name)
    kernel(fh.partition(y, 16), x).sync()
    assert y.all()


STORED: list[tuple[str, str]] = [
    *(("int32", "bool"), ("uint8", "bool"), ("float32", "bool")),
    *(("float32", "int32"), ("float64", "int64"), ("float16", "uint8")),
]


def convert(y: Any, t: Any) -> None:
    """Stores in a helper."""
    y.store(t)


@fh.kernel
def straight(y: Mut["N"], x: Ref["N"]):
    y.store(x.load_like(y))


@fh.kernel
def in_a_branch(y: Mut["N"], x: Ref["N"]):
    if y.index[0] > 0:
        y.store(x.load_like(y))


@fh.kernel
def in_a_loop(y: Mut["N"], x: Ref["N"]):
    for _ in range(y.index[0]):
        y.store(x.load_like(y))


@fh.kernel
def in_a_helper(y: Mut["N"], x: Ref["N"]):
    convert(y, x.load_like(y))


@pytest.mark.parametrize("kernel", [straight, in_a_branch, in_a_loop, in_a_helper], ids=lambda k: k.__name__)
@pytest.mark.parametrize(("source", "target"), STORED)
def test_no_store_drops_anything_unasked(source: str, target: str, kernel: Any) -> None:
    y, x = np.zeros(16, target), np.ones(16, source)
    with pytest.raises(fh.Rejected, match="cannot be stored in `y`") as caught:
        kernel(fh.partition(y, 16), x).sync()
    assert caught.value.codes == ("O042",)


@pytest.mark.parametrize(
    ("source", "target"), [("bool", "int32"), ("bool", "float32"), ("int32", "float32"), ("int64", "int8")]
)
def test_stores_convert_to_the_same_or_a_higher_kind(source: str, target: str) -> None:
    y, x = np.zeros(16, target), np.ones(16, source)
    straight(fh.partition(y, 16), x).sync()
    assert y.tolist() == [1] * 16


FLOATS = ("float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu")
PADDINGS = {"neg_zero": -0.0, "nan": np.nan, "inf": np.inf, "-inf": -np.inf}


@pytest.mark.parametrize("name", FLOATS)
def test_what_is_padded_with_is_a_value_of_the_dtype(name: str) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name, name))

    def holds(value: float) -> bool:
        with np.errstate(all="ignore"):
            kept = float(np.asarray(value).astype(dtype))
        return bool(np.array_equal(kept, value, equal_nan=True) and np.signbit(kept) == np.signbit(value))

    def loads(padding: str) -> bool:
        @fh.kernel
        def kernel(y: Out["N"], x: Ref["N"], P: Const[Any]):
            y.store(x.load_like(y, padding=P))

        try:
            kernel.lower(fh.partition(np.zeros(16, dtype), 16), np.zeros(16, dtype), padding)
        except fh.Rejected:
            return False
        return True

    assert {padding: loads(padding) for padding in PADDINGS} == {p: holds(value) for p, value in PADDINGS.items()}
