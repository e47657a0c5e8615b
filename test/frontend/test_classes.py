"""Objects of users' classes in kernels: operators, fields, methods and properties, as Python has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from fragments import kernel_of

BINARY = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "<<": "lshift",
    ">>": "rshift",
    "&": "and",
    "|": "or",
    "^": "xor",
}
COMPARED = {
    "<": ("lt", "gt"),
    "<=": ("le", "ge"),
    ">": ("gt", "lt"),
    ">=": ("ge", "le"),
    "==": ("eq", "eq"),
    "!=": ("ne", "ne"),
}
UNARY = {"-": "neg", "+": "pos", "~": "invert"}


def method(name: str, result: str, *parameters: str) -> str:
    return f"    def __{name}__({', '.join(('self', *parameters))}): return {result}\n"


NOTED = "".join(
    [
        *(method(name, f'("{name}", other)', "other") for name in BINARY.values()),
        *(method(f"r{name}", f'("r{name}", other)', "other") for name in BINARY.values()),
        *(method(name, f'("{name}", other)', "other") for name, _ in COMPARED.values()),
        *(method(name, f'"{name}"') for name in (*UNARY.values(), "abs")),
    ]
)
HEAD = f"""
from enum import Enum
from functools import cached_property

@dataclass(frozen=True, eq=False)
class Noted:
    value: object
{NOTED}
@dataclass(frozen=True)
class Plain:
    value: object

class Kind(Enum):
    ROW = "r"
    COLUMN = "c"

    def turned(self): return Kind.COLUMN if self is Kind.ROW else Kind.ROW

    @property
    def first(self): return self.value

class Point(NamedTuple):
    x: object
    y: object
    z: object = 5

    @property
    def sum(self): return self.x + self.y

    def scaled(self, by): return Point(self.x * by, self.y * by, self.z)

    @staticmethod
    def origin(): return Point(0, 0)

@dataclass(frozen=True)
class Base:
    value: object

    @property
    def double(self): return self.value * 2

    @cached_property
    def triple(self): return self.value * 3

    def plus(self, other): return self.value + other

@dataclass(frozen=True)
class Derived(Base):
    other: object = 7

    def plus(self, other): return self.value + other + 1

def kernel(y: Out[f32, "M", "N"], x: Ref[f32, "M", "N"], n: int):
    t = x.load_like(y)
"""


def arguments(part: Any) -> list[Any]:
    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    return [part(np.zeros((4, 8), np.float32), 4, 8), x, 3]


def check(lowered: Callable[..., Any], part: Any, lines: list[str], *before: str) -> None:
    """Each line holds when the kernel is compiled."""
    asserted = (f"fh.static_assert({line})" for line in lines)
    lowered(kernel_of(*before, *asserted, head=HEAD), *arguments(part))


@pytest.mark.parametrize("value", ["1", "t"], ids=["known", "computed"])
def test_operators_are_the_methods_of_the_class(value: str, lowered: Callable[..., Any], part: Any) -> None:
    lines = [f'(a {symbol} 3) == ("{name}", 3)' for symbol, name in BINARY.items()]
    lines += [f'(3 {symbol} a) == ("r{name}", 3)' for symbol, name in BINARY.items()]
    lines += [f'(a {symbol} 3) == ("{name}", 3)' for symbol, (name, _) in COMPARED.items()]
    lines += [f'(3 {symbol} a) == ("{mirrored}", 3)' for symbol, (_, mirrored) in COMPARED.items()]
    lines += [f'({symbol}a) == "{name}"' for symbol, name in UNARY.items()]
    check(lowered, part, [*lines, 'abs(a) == "abs"'], f"a = Noted({value})")


def test_the_first_operand_comes_first(lowered: Callable[..., Any], part: Any) -> None:
    lines = ["(a + b)[0] == 'add'", "(a < b)[0] == 'lt'", "(p + b)[0] == 'radd'", "(p < b)[0] == 'gt'"]
    check(lowered, part, lines, "a, b, p = Noted(t), Noted(t), Plain(t)")


FIELDS = [
    "Kind.ROW.name == 'ROW' and Kind.ROW.value == 'r' and Kind.ROW.first == 'r'",
    "Kind.ROW.turned() is Kind.COLUMN and Kind.COLUMN.turned() is Kind.ROW",
    "Kind.ROW != Kind.COLUMN and Kind.ROW == Kind.ROW and not Kind.ROW == Kind.COLUMN",
    "tuple(k.value for k in Kind) == ('r', 'c')",
    "p.x == 1 and p.y == 2 and p.z == 5 and p.sum == 3 and p[1] == 2 and len(p) == 3",
    "p.scaled(3) == Point(3, 6, 5) and p.scaled(by=2).y == 4",
    "p._replace(y=9) == Point(1, 9, 5) and p._replace(x=0, z=1) == Point(0, 2, 1)",
    "isinstance(p, Point) and isinstance(p, tuple) and not isinstance((1, 2), Point)",
    "b.value == 4 and b.double == 8 and b.triple == 12 and b.plus(1) == 5",
    "d.value == 4 and d.other == 7 and d.double == 8 and d.triple == 12 and d.plus(1) == 6",
    "isinstance(d, Base) and isinstance(d, Derived) and not isinstance(b, Derived)",
    "Plain(1) == Plain(1) and Plain(1) != Plain(2) and Plain((1, 2)).value[1] == 2",
    "q.value.shape == (4, 8) and q.double.shape == (4, 8) and q.plus(1).dtype is f32",
]


def test_fields_methods_and_properties(lowered: Callable[..., Any], part: Any) -> None:
    check(lowered, part, FIELDS, "p, b, d, q = Point(1, 2), Base(4), Derived(4), Base(t)")
