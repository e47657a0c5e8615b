"""Operators and conversions: which operations they become, in which dtype numbers meet, and where they are written."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fragments import kernel_of, said, text_of

from freehold.dialects.cuda_tile.ops.arith_float import CmpFOp
from freehold.dialects.cuda_tile.ops.arith_int import CmpIOp
from freehold.dialects.cuda_tile.ops.conversion import ExtIOp, FToFOp, FToIOp, IToFOp, TruncIOp
from freehold.frontend.arithmetic import common_shape, convert, meet_dtype
from freehold.frontend.typed import Var
from freehold.frontend.types import ARITHMETIC, NARROW_INTS, computes
from freehold.frontend.values import POISON, Static, TileValue
from freehold.support import dtypes
from freehold.support.diagnostic import Rejected
from freehold.support.dtypes import ALL, DType

# --- Conversions -----------------------------------------------------------------------------------------------------


class Recorder:
    """A context that notes the steps taken: the operation, and the dtypes of what goes in and comes out."""

    def __init__(self) -> None:
        self.steps: list[tuple[Any, DType, DType]] = []

    def tile(self, dtype: DType, shape: tuple[int, ...], make: Any, *args: Any) -> TileValue:
        (source, *_) = [a.dtype for a in args if isinstance(a, TileValue)]
        self.steps.append((make, source, dtype))
        return TileValue(_var(), dtype, shape)

    def constant(self, value: float, dtype: DType, shape: tuple[int, ...] = ()) -> TileValue:
        assert value == 0
        return TileValue(_var(), dtype, shape)


def _var() -> Var:
    return Var(None)  # pyright: ignore[reportArgumentType] -- what has made it is asked of nothing here


def taken(source: DType, target: DType) -> list[tuple[Any, DType, DType]]:
    recorder: Any = Recorder()
    made = convert(recorder, TileValue(_var(), source, ()), target)
    assert (made.dtype, made.shape) == (target, ())
    return recorder.steps


def is_known(make: Any, source: DType, target: DType) -> bool:
    """Whether there is an operation of this kind: what the assembler takes."""
    whole = source.kind != "float", target.kind != "float"
    if make is FToFOp:
        return whole == (False, False) and (source in ARITHMETIC or target in ARITHMETIC)
    if make is FToIOp:
        return whole == (False, True) and source in ARITHMETIC and target.kind == "int" and target not in NARROW_INTS
    if make is IToFOp:
        return whole == (True, False) and target in ARITHMETIC and source not in NARROW_INTS
    if make is ExtIOp:
        narrow = source in NARROW_INTS and target is not NARROW_INTS[source]
        return whole == (True, True) and source.bits < target.bits and not narrow and target not in NARROW_INTS
    if make is TruncIOp:
        return whole == (True, True) and source.bits > target.bits and target.kind == "int"
    if make is CmpFOp or make is CmpIOp:
        return target is dtypes.bool_ and computes(source) and (make is CmpFOp) == source.is_float
    return False


def fewest(source: DType, target: DType) -> int:
    """How many steps there have to be, one at a time through dtypes that keep what the target holds."""
    if source is target:
        return 0
    if target is dtypes.bool_:
        return 1 if computes(source) else 2
    steps = 1
    if source in NARROW_INTS:
        if target in NARROW_INTS:
            return 0  # the same bits
        if not target.is_float and target.bits == 8:
            return 1
        steps += 1
    if source.is_float and target.is_float:
        return steps if source in ARITHMETIC or target in ARITHMETIC else steps + 1
    if source.is_float:
        return steps + (source not in ARITHMETIC) + (target in NARROW_INTS)
    if target.is_float:
        return steps + (target not in ARITHMETIC)
    if source.kind == "bool" and target in NARROW_INTS:
        return 2
    return 0 if source.bits == target.bits else steps


@pytest.mark.parametrize("source", ALL, ids=str)
def test_conversions_take_the_steps_that_there_are(source: DType) -> None:
    for target in ALL:
        steps = taken(source, target)
        assert all(is_known(*step) for step in steps), (target, steps)
        assert len(steps) == fewest(source, target), (target, steps)
        for (_, _, made), (_, given, _) in pairwise(steps):
            assert (made.kind, made.bits) == (given.kind, given.bits)


def test_a_sign_is_kept_on_the_way() -> None:
    """What a narrow integer is made first has the sign of its own."""
    for narrow, wide in NARROW_INTS.items():
        for target in (dtypes.i32, dtypes.u32, dtypes.f32, dtypes.f8e4m3fn, dtypes.bool_):
            assert taken(narrow, target)[0] == (ExtIOp, narrow, wide)
        for source in (dtypes.f32, dtypes.f8e5m2):
            assert taken(source, narrow)[-2:] == [
                (FToIOp, taken(source, narrow)[-2][1], wide),
                (TruncIOp, wide, narrow),
            ]


# --- Where two meet --------------------------------------------------------------------------------------------------

NUMBERS = [
    (True, False, dtypes.bool_),
    (1, 2, dtypes.i32),
    (True, 2, dtypes.i32),
    (2, True, dtypes.i32),
    (1.0, 2.0, dtypes.f32),
    (1, 2.0, dtypes.f32),
    (2.0, 1, dtypes.f32),
    (True, 2.0, dtypes.f32),
    (2.0, True, dtypes.f32),
]


@pytest.mark.parametrize(("a", "b", "wanted"), NUMBERS)
def test_two_numbers_meet_in_the_wider_dtype(a: float, b: float, wanted: DType) -> None:
    nothing: Any = None
    assert meet_dtype(nothing, Static(a), Static(b), nothing) is wanted


def test_nothing_else_meets() -> None:
    nothing: Any = None
    with pytest.raises(TypeError, match=r"^neither tiles nor numbers$"):
        meet_dtype(nothing, POISON, Static(1), nothing)


SHAPES = [(), (1,), (4,), (1, 4), (4, 1), (2, 1), (2, 4), (3, 1, 1), (3, 2, 4), (1, 1, 8)]


@pytest.mark.parametrize(("a", "b"), [*product(SHAPES, repeat=2)])
def test_shapes_meet_as_numpys(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    try:
        wanted: Any = np.broadcast_shapes(a, b)
    except ValueError:
        m, n = next((m, n) for m, n in zip(a[::-1], b[::-1], strict=False) if m != n and 1 not in (m, n))
        wanted = (m, n, None)
    assert common_shape(a, b) == wanted


# --- Where an operand is written -------------------------------------------------------------------------------------

HEAD = """
@dataclass(frozen=True)
class Pair:
    left: object
    right: object

def first(a, b): return a

def nothing(a): pass

def kernel(y: Out[f32, "N"], x: Ref[f32, "N"], n: int):
    t = x.load_like(y)
    b = fh.zeros((8,), i8)
    z = fh.zeros((8,), f8e5m2)
    k = fh.zeros((8,), fh.i4)
    pair = (b, 1000)
"""
DOES_NOT_FIT = [
    ("b + 1000", "1000"),
    ("1000 - b", "1000"),
    ("b < (500 + 500)", "500 + 500"),
    ("fh.maximum(b, 1000)", "1000"),
    ("fh.maximum(1000, b)", "1000"),
    ("fh.where(b > 0, b, 1000)", "1000"),
    ("fh.where(b > 0, 1000, b)", "1000"),
    ("fh.maximum(x=b, y=1000)", "1000"),
    ("fh.maximum(b, y=1000)", "1000"),
    ("fh.clip(b, 1000, 2)", "1000"),
    ("fh.clip(b, high=1000, low=0)", "1000"),
    ("fh.maximum(*pair)", "fh.maximum(*pair)"),
    ("b if n > 0 else 1000", "1000"),
    ("1000 if n > 0 else b", "1000"),
]


@pytest.mark.parametrize(("text", "place"), DOES_NOT_FIT)
def test_a_number_that_does_not_fit_is_shown_where_it_is_written(
    text: str, place: str, lowered: Callable[..., object], part: Any
) -> None:
    kernel = kernel_of(f"b = {text}", head=HEAD)
    with pytest.raises(Rejected) as caught:
        lowered(kernel, part(np.zeros(64, np.float32), 8), np.zeros(64, np.float32), 1)
    assert [(error.code, text_of(error.report().labels[0].span)) for error in caught.value.errors] == [("O031", place)]


# --- Numbers that are known ------------------------------------------------------------------------------------------


LONG = "x" * 38
LINES = f"""
2 ** 4097
(-2) ** 4097
2 ** 5000
1 << 4097
1 << -1
1 // 0
'{LONG}' - 1
'{LONG}x' - 1
-fh.f32
-first
first + 1
1 + first
first < 1
t + first
t // 0
t % 0
t // 0.0
t % 0.0
(t, t) - 1
1 - (t, t)
() - 1
(1, 2) * 2049
4097 * (t,)
"ab" * 2049
(t, t) - (t, t)
(t, t) * t
Pair(t, 1) + (t, 2)
Pair(t, 1) * 2
2 * Pair(t, 1)
-Pair(t, 1)
b ** 17
b ** -1
b ** n
n ** b
z ** 2.5
z ** 17
-z
abs(z)
fh.abs(z)
~z
z + z
z + 1
1 + z
k + k
-k
abs(k)
~t
~1.5
-"text"
b / 2
2 / b
n / 2
2 / n
n / n
b / b
(b + 1) / (b - 1)
t & t
t | (t > 0)
t ^ 1
t << 1
t >> 1
1 << t
t << b
n << t
n >> t
b << 1.0
t + x
x + t
-x
x * x
t + y
t + y.at(0)
t + None
t + nothing(t)
t + "text"
t + int
t + math
t + (lambda: t)
"""
REFUSED = LINES.strip().split("\n")


def test_what_is_said(golden: Callable[[Path, str], None], lowered: Callable[..., Any], part: Any) -> None:
    def refuse(line: str) -> None:
        kernel = kernel_of(f"a = {line}", head=HEAD)
        lowered(kernel, part(np.zeros(64, np.float32), 8), np.zeros(64, np.float32), 1)

    golden(Path(__file__).with_name("arithmetic.err"), "\n".join(said(REFUSED, refuse)))


KNOWN = """
2 ** 4096 == 1 << 4096 and (-2) ** 4096 == 1 << 4096
1 ** 5000 == 1 and 0 ** 5000 == 0 and (-1) ** 5001 == -1 and 2.0 ** 3 == 8.0
7 // 2 == 3 and -7 // 2 == -4 and 7 % -2 == -1 and 7 / 2 == 3.5
6 & 3 == 2 and 6 | 3 == 7 and 6 ^ 3 == 5 and 6 >> 1 == 3
-(3) == -3 and +True == 1 and ~5 == -6 and abs(-2.5) == 2.5
(1, 2) + (3,) == (1, 2, 3) and (1, 2) * 2 == (1, 2, 1, 2) == 2 * (1, 2)
(1,) * 0 == () and (1,) * -1 == () and len((1,) * 4096) == 4096
len((t, 1) * 2) == 4 and ((t, 1) * 2)[3] == 1 and len((t,) + (1, b)) == 3
(t + 1).dtype is f32 and (b + 1).dtype is i8 and (1 + b).dtype is i8 and (b + 1.5).dtype is f32
(b > 0).dtype is bool_ and ((b > 0) + (b > 0)).dtype is i32 and ((b > 0) & (b > 1)).dtype is bool_
((b > 0) << 1).dtype is i32 and ((b > 0) * 2).dtype is i32 and (-(b > 0)).dtype is i32 and (+(b > 0)).dtype is i32
(~(b > 0)).dtype is bool_ and abs(b > 0).dtype is i32 and (~b).dtype is i8
((b > 0) ** 2).dtype is i32 and (b ** 2).dtype is i8 and (z ** 2).dtype is f32 and (k ** 0).dtype is i8
(b << n).dtype is i8 and (n << b).dtype is i32 and (b >> 1).dtype is i8 and (1 << b).dtype is i8
(t ** n).dtype is f32 and (t ** 17).dtype is f32 and (t ** 2.5).dtype is f32
(n + b[:, None]).shape == (8, 1) and (t + b[:, None]).shape == (8, 8) and (t ** b[:, None]).shape == (8, 8)
"""


def test_what_is_known(lowered: Callable[..., Any], part: Any) -> None:
    lines = KNOWN.strip().split("\n")
    kernel = kernel_of(*(f"fh.static_assert({line})" for line in lines), head=HEAD)
    lowered(kernel, part(np.zeros(64, np.float32), 8), np.zeros(64, np.float32), 1)


# --- What is computed ------------------------------------------------------------------------------------------------

VALUES = [-128, -7, -3, -2, -1, 0, 1, 2, 3, 5, 7, 126, 127, 4, 6, 8]
FOR_ALL: list[tuple[str, Callable[[Any], Any]]] = [
    ("~v", lambda v: ~v),
    ("-v", lambda v: -v),
    ("+v", lambda v: +v),
    ("abs(v)", np.abs),
    ("v // 3", lambda v: v // 3),
    ("v % 3", lambda v: v % 3),
    ("(v // 3) * 3 + v % 3", lambda v: v),
    ("v ** 3", lambda v: v**3),
    ("v << 2", lambda v: v << 2),
    ("v >> 1", lambda v: v >> 1),
    ("(v ^ 5) & 6 | 1", lambda v: (v ^ 5) & 6 | 1),
]


@pytest.mark.parametrize("dtype", ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"])
def test_integers_are_numpys(dtype: str, interpret: Callable[..., None], part: Any) -> None:
    x: Any = np.array(VALUES).astype(dtype.replace("i", "int").replace("u", "uint"))
    names = [f"y{n}" for n in range(len(FOR_ALL))]
    head = f"\ndef kernel({', '.join(f'{n}: Out[fh.{dtype}, 16]' for n in names)}, x: Ref[fh.{dtype}, 16]):\n"
    lines = ["v = x.load((0,), (16,))", *(f"{n}.store({text})" for n, (text, _) in zip(names, FOR_ALL, strict=True))]
    found: list[Any] = [np.zeros_like(x) for _ in names]
    interpret(kernel_of(*lines, head=head, tail=""), *(part(y, 16) for y in found), x)
    for y, (text, wanted) in zip(found, FOR_ALL, strict=True):
        assert y.tolist() == wanted(x).tolist(), text


def test_truths_are_counted_as_python_does(interpret: Callable[..., None], part: Any) -> None:
    x: Any = np.array([True, False] * 8)
    texts = ["~v", "-v", "+v", "abs(v)", "v + v", "v - ~v", "v * 3", "v << 2", "v ** 2", "v // 2", "v & ~v", "v ^ v"]
    one = x.astype(np.int32)
    wanted: list[Any] = [~x, -one, one, one, one + one, one - (1 - one), one * 3, one << 2, one, one // 2]
    wanted += [x & ~x, x ^ x]
    kinds = ["bool_" if w.dtype == bool else "i32" for w in wanted]
    outs = ", ".join(f"y{n}: Out[fh.{kind}, 16]" for n, kind in enumerate(kinds))
    lines = ["v = x.load((0,), (16,))", *(f"y{n}.store({text})" for n, text in enumerate(texts))]
    found: list[Any] = [np.zeros_like(w) for w in wanted]
    kernel = kernel_of(*lines, head=f"\ndef kernel({outs}, x: Ref[bool_, 16]):\n", tail="")
    interpret(kernel, *(part(y, 16) for y in found), x)
    for y, text, want in zip(found, texts, wanted, strict=True):
        assert y.tolist() == want.tolist(), text
