"""A kernel around lines by themselves, with records that have fields of all kinds; and its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import fragments
import numpy as np

HEAD = """
import dataclasses
LISTED = [1, 2]

@dataclass(frozen=True)
class Pair:
    left: object
    right: object
    kept: int = field(init=False, default=3)

class Point(NamedTuple):
    x: object
    y: object

@dataclass(frozen=True)
class Boxed:
    scale: InitVar[int]
    whole: int = 0

    def __post_init__(self, scale): object.__setattr__(self, "whole", self.whole * scale or scale)

@dataclass(frozen=True)
class Made:
    one: object
    other: object = field(default_factory=lambda: 3, kw_only=False)

    @property
    def two(self): return (self.one, self.other)

@dataclass(frozen=True)
class Late:
    one: object
    other: object = field(init=False)

    def __post_init__(self): object.__setattr__(self, "other", 3)

@dataclass(frozen=True)
class Checked:
    one: int

    def __post_init__(self):
        if self.one < 0: raise ValueError("negative")

def first(a, b): return a

def nothing(a): pass

def kernel(y: Out[f32, "M", "N"], x: Ref[f32, "M", "N"], v: Ref[f32, "N"], n: int):
    t = x.load_like(y)
    r = v.load((0,), (8,))
"""


def kernel_of(*lines: str) -> Callable[..., Any]:
    """A kernel with these lines in the middle."""
    return fragments.kernel_of(*lines, head=HEAD)


def arguments(part: Any) -> list[Any]:
    """Of the kernel: `x` and `v` count from 0, `n` is 3."""
    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    return [part(np.zeros((4, 8), np.float32), 4, 8), x, x[0].copy(), 3]
