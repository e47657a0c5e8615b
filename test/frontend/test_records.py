"""Dataclasses, named tuples and enumerations of the user's in kernels: they do there what they do on the host."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import freehold as fh
from freehold import Mut, Out, Ref, f32, i32
from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp
from freehold.frontend.source import KernelFunction
from freehold.support.diagnostic import Rejected

Interpret = Callable[..., None]


class Mode(enum.Enum):
    LOW = 1
    HIGH = 2

    @property
    def other(self) -> Mode:
        return Mode.HIGH if self is Mode.LOW else Mode.LOW

    def scaled(self, x: int) -> int:
        return x * self.value


class Level(enum.IntEnum):
    ONE = 1
    TWO = 2


@dataclass(frozen=True)
class Range:
    low: int
    high: int = 10
    mode: Mode = Mode.LOW
    scale: int = field(default=2, kw_only=True)
    steps: tuple[int, ...] = field(default_factory=lambda: (1, 2))

    LIMIT = 7

    def __post_init__(self) -> None:
        assert self.scale > 0, "scale is positive"

    @property
    def width(self) -> int:
        return self.high - self.low

    @cached_property
    def middle(self) -> int:
        return (self.low + self.high) // 2

    def moved(self, by: int, times: int = 1) -> Range:
        return dataclasses.replace(self, low=self.low + by * times, high=self.high + by * times)

    @classmethod
    def about(cls, x: int) -> Range:
        return cls(x - 1, x + 1)

    @staticmethod
    def clipped(x: int) -> int:
        return min(x, Range.LIMIT)

    def __add__(self, other: Range) -> Range:
        return Range(self.low + other.low, self.high + other.high, self.mode, scale=self.scale)

    def __rmul__(self, factor: int) -> Range:
        return Range(factor * self.low, factor * self.high)

    def __getitem__(self, i: int) -> int:
        return self.low + i

    def __call__(self, x: int) -> int:
        return self.low * x

    def __lt__(self, other: Range) -> bool:
        return self.width < other.width

    def __neg__(self) -> Range:
        return Range(-self.high, -self.low)


class Point(NamedTuple):
    x: int
    y: int = 3

    def length(self) -> int:
        return self.x * self.x + self.y * self.y


@dataclass(frozen=True)
class Pair:
    first: Range
    second: Point


def fields(a: int, b: int) -> int:
    r = Range(a, b, scale=3)
    p = Point(b)
    return r.low + r.high * 2 + r.scale * 100 + r.steps[1] + p.x - p.y + Range(a).high


def methods(a: int, b: int) -> int:
    r = Range(a, b).moved(2).moved(b, times=3)
    return r.low * 7 + r.width + r.middle + Range.about(a).high + Range.clipped(b) + Point(a, b).length() + r.LIMIT


def operators(a: int, b: int) -> int:
    r = Range(a, b) + 2 * Range(b, a)  # pyright: ignore[reportOperatorIssue] -- by `__rmul__`
    return r.low + r.high * 3 + r[4] + r(5) + (-r).low + (1 if Range(0, a) < Range(0, b) else 2)


def carried(a: int, b: int) -> int:
    r = Range(0, 0)
    p = Point(1, 2)
    n = 0
    for i in range(a):
        r = r.moved(i) if i % 2 else Range(r.low, r.high + b, r.mode)
        p = Point(p.y, p.x + i)
        n += p.x
    while p.x < 9:
        p = p._replace(x=p.x + 4)
        if p.y > 100:
            break
    return r.low + 10 * r.high + p.x + p.y + n


def joined(a: int, b: int) -> int:
    if a > b:
        r = Range(a, 1)
        n = r.low
    else:
        r = dataclasses.replace(Range(b, 2), low=a)
        n = r.width
    p = Point(a, b) if a > 3 else Point(b)
    return r.low + r.high * 5 + n + p.x * p.y


def chosen(r: Range, p: Point, n: int) -> Pair:
    if n > 4:
        return Pair(r, p)
    return Pair(r.moved(1), Point(p.y, p.x))


def returned(a: int, b: int) -> int:
    pair = chosen(Range(a, b), Point(a, 7), b)
    r, (x, y) = pair.first, pair.second
    return r.low + r.high + x * 3 - y + pair.first.scale


def compared(a: int, b: int) -> int:
    same = Range(a, 5) == Range(b, 5)
    apart = Point(a, b) != (b, a)
    return int(same) + 2 * int(apart) + 4 * int((a, 1) == (a, 1)) + 8 * int(Point(a) == Point(a, 4))


def enumerations(a: int, b: int) -> int:
    n = 0
    mode = Mode.LOW
    for member in Mode:
        n += member.value * a
        if member is Mode.HIGH or member in (Mode.LOW,):
            n += member.scaled(b)
    if mode.other is Mode(2) and Mode["LOW"] == mode and mode != mode.other and mode.name == "LOW":
        n += 1000
    r = Range(a, b, Mode.HIGH)
    for i in range(3):
        r = Range(r.low + i, r.high, r.mode)
    return n + (r.low if r.mode is Mode.HIGH else 0) + Level.TWO * a + (Level.ONE < Level.TWO)


def is_tuple(value: object) -> int:
    return 1 if isinstance(value, tuple) and not isinstance(value, Range | Mode) else 0


def nested(a: int, b: int) -> int:
    pair = Pair(Range(a, b), Point(1))
    for i in range(3):
        pair = dataclasses.replace(pair, first=pair.first.moved(i), second=pair.second._replace(x=pair.second.x + i))
    return pair.first.low + pair.second.x * pair.second.y + is_tuple(pair.second)


def numbers_stay_known(a: int, b: int) -> int:
    t = (0, a, 4)
    for i in range(b):
        t = (t[0] + 1, t[1] + i, t[2])
    total = 0
    for k in range(t[2]):
        total += k
    return t[0] + t[1] + total


def numbers_adapt(a: int, b: int) -> int:
    t = (0, (0, 1))
    for i in range(4):
        t = (t[0] + a, (t[1][0] + b, i)) if i > 1 else (a, t[1])
    return t[0] + t[1][0] * 3 + t[1][1]


def shape(value: Range | Point | Pair | Mode | int, a: int) -> int:
    match value:
        case Range(low=0, high=h):
            return h
        case Range(low, high, Mode.HIGH):
            return low - high
        case Point(x, 3) if x > 4:
            return x
        case Point(x=x, y=y) | Pair(second=Point(x, y)):
            return x * y + a
        case Mode.LOW:
            return 7
        case Mode():
            return value.value * a
        case Range():
            return 1000
        case _:
            return -1


def matched(a: int, b: int) -> int:
    n = shape(Range(0, a), b) + shape(Range(a, b, Mode.HIGH), b) * 2 + shape(Range(b, a), b) * 3
    return (
        n
        + shape(Point(a), b) * 5
        + shape(Point(b, a), a) * 7
        + shape(Pair(Range(1), Point(a, b)), a)
        + shape(Mode.LOW, b)
        + shape(Mode.HIGH, a)
    )


FUNCTIONS = (
    fields,
    methods,
    operators,
    carried,
    joined,
    returned,
    compared,
    enumerations,
    nested,
    numbers_stay_known,
    numbers_adapt,
    matched,
)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_as_python(function: Callable[[int, int], int], part: Any, prepare: Callable[..., Interpret]):
    def kernel(out: Out["N"], a: i32, b: i32):
        out.store(function(a, b))  # pyright: ignore[reportArgumentType] -- scalars of a kernel are no ints

    run = prepare(kernel, part(np.zeros(4, np.int32), 4), 0, 0)
    for a in (0, 1, 4, 9):
        for b in (-2, 0, 3, 5):
            out = np.zeros(4, np.int32)
            run(part(out, 4), a, b)
            assert out.tolist() == [function(a, b)] * 4, (a, b)


@dataclass(frozen=True)
class Online:
    """The running maximum of rows and the sum of their exponentials."""

    top: fh.Tile
    total: fh.Tile

    def with_tile(self, t: fh.Tile) -> Online:
        top = fh.maximum(self.top, t.max(axis=1))
        scale = fh.exp(self.top - top)
        return Online(top, self.total * scale + fh.exp(t - top[:, None]).sum(axis=1))

    @property
    def log_sum(self) -> fh.Tile:
        return self.top + fh.log(self.total)


def log_sum_exp(y: Out["M"], x: Ref["M", "N"]):
    state = Online(fh.full(y.tile, -1e30, f32), fh.zeros(y.tile, f32))
    for k in fh.tiles(x, axis=1, size=16):
        state = state.with_tile(x.load((y.index[0], k), (y.tile[0], 16)))
    y.store(state.log_sum)


def test_tiles_in_a_dataclass_are_carried_by_a_loop(part: Any, interpret: Interpret, lowered: Callable[..., ModuleOp]):
    x = np.random.default_rng(0).standard_normal((8, 64)).astype(np.float32)
    y = np.zeros(8, np.float32)
    interpret(log_sum_exp, part(y, 4), x)
    np.testing.assert_allclose(y, np.log(np.exp(x).sum(axis=1)), rtol=1e-5)
    (loop,) = (op for op in lowered(log_sum_exp, part(y, 4), x).walk() if isinstance(op, ForOp))
    assert len(loop.results) == 2


def test_fields_that_are_known_are_not_computed(part: Any, lowered: Callable[..., ModuleOp]):
    def kernel(y: Out["N"], n: i32):
        r = Range(0, 4)
        for i in range(n):
            r = Range(r.low + i, r.high, r.mode)
        t = r if n > 3 else r.moved(1)
        y.store(fh.zeros((r.high,), f32) + t.scale)

    module = lowered(kernel, part(np.zeros(4, np.float32), 4), 3)
    (loop,) = (op for op in module.walk() if isinstance(op, ForOp))
    assert len(loop.results) == 1
    (choice,) = (op for op in module.walk() if isinstance(op, IfOp))
    assert len(choice.results) == 2


def test_constants_of_a_dataclass_are_shapes(part: Any, interpret: Interpret):
    config = Range(1, 8)

    def kernel(y: Mut["N"]):
        local = Range(2, 8)
        y.store(y.load() + fh.full((config.high,), local.width, f32) + fh.ones((local.high,), f32))

    y = np.zeros(8, np.float32)
    interpret(kernel, part(y, 8))
    assert y.tolist() == [7.0] * 8


@dataclass
class Changing:
    n: int


@dataclass(frozen=True)
class ByHand:
    n: int

    def __init__(self, n: int) -> None:
        object.__setattr__(self, "n", n)


@dataclass(frozen=True)
class Late:
    n: int
    m: dataclasses.InitVar[int] = 0


def refused(kernel: Callable[..., object], lowered: Callable[..., ModuleOp], part: Any) -> str:
    with pytest.raises(Rejected) as caught:
        lowered(kernel, part(np.zeros(4, np.float32), 4), 1)
    return str(caught.value)


def test_what_makes_no_object(part: Any, lowered: Callable[..., ModuleOp]):
    def changing(y: Out["N"], n: i32):
        y.store(Changing(n).n)  # pyright: ignore[reportArgumentType] -- as above

    def by_hand(y: Out["N"], n: i32):
        y.store(ByHand(n).n)  # pyright: ignore[reportArgumentType] -- as above

    def late(y: Out["N"], n: i32):
        y.store(Late(n).n)  # pyright: ignore[reportArgumentType] -- as above

    assert "make its class immutable: `@dataclass(frozen=True)`" in refused(changing, lowered, part)
    assert "its `__init__` is written by hand" in refused(by_hand, lowered, part)
    assert "it has an `InitVar`" in refused(late, lowered, part)


def test_two_objects_do_not_meet(part: Any, lowered: Callable[..., ModuleOp]):
    def modes(y: Out["N"], n: i32):
        r = Range(n) if n > 3 else Range(n, mode=Mode.HIGH)  # pyright: ignore[reportArgumentType] -- as above
        y.store(r.low)

    def loop(y: Out["N"], n: i32):
        r = Range(n)  # pyright: ignore[reportArgumentType] -- as above
        for i in range(n):
            r = Range(r.low + i, mode=r.mode.other)
        y.store(r.low)

    assert "`Mode.LOW` and `Mode.HIGH`" in refused(modes, lowered, part)
    assert "`r.mode` changes its type" in refused(loop, lowered, part)


def test_fingerprints_follow_the_methods_of_classes():
    def make(body: str) -> str:
        names: dict[str, Any] = {}
        text = (
            "from dataclasses import dataclass\nfrom typing import NamedTuple\n"
            "@dataclass(frozen=True)\nclass A:\n    n: int\n    @property\n    def p(self): return " + body + "\n"
            "class B(NamedTuple):\n    n: int\n    def m(self): return " + body + "\n"
        )
        exec(compile(text, "<classes>", "exec"), names)
        a, b = names["A"], names["B"](3)

        def kernel(y: Out["N"]):
            y.store(a(1).p + b.m())

        return KernelFunction(kernel).fingerprint().hexdigest()  # pyright: ignore[reportArgumentType] -- a function

    assert make("1") == make("1") != make("2")
