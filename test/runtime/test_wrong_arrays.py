"""What is said of each array that no kernel takes, or not there: every kind of them for every kind of parameter."""

# Kernels here have no bodies, and what they are given is wrong.
# pyright: reportArgumentType=false

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import freehold as fh
from freehold import Acc, Mut, Out, Raw, Ref, bf16, f8e4m3fn, f32, i32, u64

HERE = Path(__file__).parent
strided: Any = np.lib.stride_tricks.as_strided


@fh.kernel
def rows(y: Out[f32, "M", "N"], x: Ref[f32, "N"], z: Acc["N"], w: Raw[i32, "N"], v: Ref):
    pass


@fh.kernel
def narrow(y: Out["N"], a: Ref[f8e4m3fn, "N"], b: Ref[bf16, "N"], c: Ref[fh.bool_, "N"], d: Ref[u64, "N"]):
    pass


@fh.kernel
def column(y: Mut["M"], x: Ref["M"] | None = None):
    pass


def of(*shape: int, dtype: Any = np.float32) -> Any:
    return np.zeros(shape, dtype)


def locked(array: Any) -> Any:
    array.flags.writeable = False
    return array


class Named:
    """What NumPy can make an array of, and is none."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        return of(8)


class Described:
    """What describes itself as an array on a GPU, and wrongly."""

    def __init__(self, **said: Any) -> None:
        self.__cuda_array_interface__ = {"shape": (8,), "typestr": "<f4", "data": (4096, False), "version": 3} | said


def packed() -> Any:
    return np.zeros(8, np.dtype([("of one byte", "i1"), ("wanted", "<f4")]))["wanted"]


ARRAYS: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "a number": lambda: 3.5,
    "a large number": lambda: 10**30,
    "a text": lambda: "x",
    "a dtype": lambda: fh.f32,
    "a class": lambda: Named,
    "a list": lambda: [1.0, 2.0],
    "a tuple": lambda: (1.0, 2.0),
    "what NumPy makes an array of": Named,
    "no axes": lambda: of(),
    "one axis": lambda: of(8),
    "two axes": lambda: of(4, 8),
    "three axes": lambda: of(2, 4, 8),
    "nothing along the first": lambda: of(0, 8),
    "nothing along the second": lambda: of(4, 0),
    "no elements": lambda: of(0),
    "f64": lambda: of(8, dtype=np.float64),
    "i32": lambda: of(8, dtype=np.int32),
    "bool": lambda: of(8, dtype=np.bool_),
    "complex": lambda: of(8, dtype=np.complex64),
    "complex of two axes": lambda: of(4, 8, dtype=np.complex128),
    "of four bits": lambda: of(8, dtype=ml_dtypes.int4),
    "big-endian": lambda: of(8, dtype=">f4"),
    "objects": lambda: of(8, dtype=object),
    "texts": lambda: of(8, dtype="U3"),
    "dates": lambda: of(8, dtype="M8[s]"),
    "structures": lambda: np.zeros(8, np.dtype([("a", "i1"), ("b", "<f4")])),
    "backwards": lambda: of(8)[::-1],
    "rows backwards": lambda: of(4, 8)[::-1],
    "repeated": lambda: np.broadcast_to(np.float32(1), (8,)),
    "rows repeated": lambda: strided(of(8), (4, 8), (0, 4)),
    "read-only": lambda: locked(of(8)),
    "read-only rows": lambda: locked(of(4, 8)),
    "rows that overlap": lambda: strided(of(16), (4, 8), (4, 4)),
    "in steps of five bytes": packed,
    "between elements": lambda: np.zeros(33, np.uint8)[1:].view(np.float32),
    "too long": lambda: strided(of(1), (1 << 31,), (0,)),
    "too far apart": lambda: strided(of(1), (1, 8), (1 << 34, 0)),
    "partitioned": lambda: fh.partition(of(8), 4),
    "partitioned rows": lambda: fh.partition(of(4, 8), (4, 8)),
    "partitioned with a tile of one axis": lambda: fh.partition(of(4, 8), 4),
    "partitioned with a tile of two": lambda: fh.partition(of(8), (4, 4)),
    "a partition of a list": lambda: fh.partition([1.0], 4),
    "a partition of nothing": lambda: fh.partition(None, 4),
    "a partition that is read-only": lambda: fh.partition(locked(of(4, 8)), (4, 8)),
    "left open": lambda: fh.partition(of(8)),
    "on a GPU, without a pointer": lambda: Described(data=(0, False)),
    "on a GPU, of objects": lambda: Described(typestr="|O8"),
    "on a GPU, big-endian": lambda: Described(typestr=">f4"),
    "on a GPU, of no shape": lambda: Described(shape=None),
    "on a GPU, with strides of another rank": lambda: Described(strides=(4, 4)),
    "on a GPU, of less than nothing": lambda: Described(shape=(-1,)),
    "on a GPU, masked": lambda: Described(mask=of(8)),
    "on a GPU, without its data": lambda: Described(data=None),
}  # fmt: skip


PARAMETERS = ("y", "x", "z", "w", "v", "column.y", "column.x")


def said(parameter: str, value: Any) -> Iterator[str]:
    """What a call is told with this for one of its arguments, as if all parameters were called alike."""
    given: dict[str, Any] = {"y": fh.partition(of(4, 8), (4, 8)), "x": of(8)}
    kernel, _, name = parameter.rpartition(".")
    given |= {"y": fh.partition(of(8), 4)} if kernel else {"z": of(8), "w": of(8, dtype=np.int32), "v": of(3)}
    called: Any = column if kernel else rows
    annotation = next(p.annotation for p in called.signature.parameters if p.name == name)
    try:
        called.bound(*{**given, name: value}.values())
        yield "is taken"
    except fh.Rejected as e:
        for report in (error.report() for error in e.errors):
            texts = f"{report.code}: {report.title}", report.label, *report.notes, *report.helps
            text = "; ".join(text for text in texts if text and text != "nothing was launched")
            text = re.sub(rf"(?<=[`(]){name}(?=[`:.),])", "_", text.replace(annotation, "..."))
            text = re.sub(r"kernels have bool_, [^;]*", "kernels have ...", text)
            yield text.replace(f"`{called.__name__}`", "the kernel")


def test_what_is_said_of_arrays_that_are_not_taken(golden: Callable[[Path, str], None]) -> None:
    lines: list[str] = []
    for kind, made in ARRAYS.items():
        lines.append(f"{kind}:")
        found: dict[tuple[str, ...], list[str]] = {}
        for name in PARAMETERS:
            found.setdefault(tuple(said(name, made())), []).append(name)
        for (first, *rest), names in found.items():
            lines += [f"  {', '.join(names)}: {first}", *(f"    {text}" for text in rest)]
    golden(HERE / "wrong_arrays.txt", "\n".join(lines))


def test_a_list_is_made_an_array_of_the_dtype_that_is_wanted() -> None:
    some: Any = [1]
    with pytest.raises(fh.Rejected) as caught:
        narrow.bound(fh.partition(of(8), 4), some, some, some, some)
    said = [error.report().helps for error in caught.value.errors]
    made = ("ml_dtypes.float8_e4m3fn", "ml_dtypes.bfloat16", "numpy.bool", "numpy.uint64")
    assert said == [(f"make an array of it first: `numpy.array(some, {dtype})`",) for dtype in made]
