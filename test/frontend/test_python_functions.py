"""What is said of calls of Python's functions that have no meaning, in lines of kernels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from advised import of_section

PYTHON = """
q = enumerate((1, 2), "a") ;; t = t + q[0][0]
q = enumerate((1, 2), 1.5) ;; t = t + q[0][0]
q = enumerate((1, 2), t) ;; t = t + q[0][0]
q = enumerate((1, 2), s) ;; t = t + q[0][0]
r = enumerate(3)
r = reversed(3)
r = zip((1, 2), (3,), strict=True)
r = zip((1, 2), (3,), strict=n)
r = zip((1, 2), 3)
r = sum(("a", 1))
r = sum(t)
r = sum(3)
r = sum(range(1001))
r = max(range(1 << 70))
r = min(range(1001))
r = tuple(range(1, 1002))
r = tuple("a" * 1001)
r = tuple(3)
r = any(range(2000))
r = any(t)
r = all(3)
r = all((t,))
r = tuple(i for i in range(1001) if i % 100 == 0)
r = tuple(i for i in range(1001))
r = tuple(i + j for i in range(100) for j in range(11))
for q in fh.static_range(1001): t = t + 1
for q in range(1 << 70): t = t + 1
r = len(x)
r = len(n)
r = len(range(3))
r = max(t)
r = min((t,))
r = max()
r = max(range(5), 2)
r = max((1, "a"))
r = abs(None)
r = abs("a")
r = bool(t)
r = int("x")
r = int(float("inf"))
r = int(float("nan"))
r = float("x")
r = divmod(t, "a")
r = divmod(1, 0)
r = isinstance(t, t)
r = isinstance(t, 3)
r = isinstance(x, fh.Tile)
r = f32("a")
r = f32(t, t)
r = f32()
r = fh.f4e2m1fn(1)
r = i8(128)
r = i8(-129)
r = u8(-1)
r = u8(256)
r = i32(float("inf"))
r = fh.full((4, 4), float("-inf"), i32)
r = fh.full((4, 4), float("nan"), bool_)
r = fh.full((4, 4), 2, bool_)
r = fh.full((4, 4), 1 << 2000, i32)
r = fh.full((4, 4), 65520.0, f16)
r = fh.full((4, 4), -1e39, f32)
r = fh.arange(1 << 70)
r = fh.arange(0, 8, 3)
r = fh.arange(8, 0)
r = fh.arange(0, 8, 0)
r = fh.arange(0, 8, n)
r = fh.arange(8.0)
r = fh.arange((4, 8))
r = fh.Rounding.ZERO(1)
r = math.sqrt(t)
r = math.gcd(12, n)
r = math.floor("a")
r = kernel(y)
r = LISTED(1)
r = dataclasses.replace(Pair(1, 2), middle=3)
r = dataclasses.replace(3)
r = fh.add(t.astype(f8e5m2), 1, rounding=fh.Rounding.ZERO)
r = fh.subtract(t.astype(f8e5m2), 1)
r = "a".sqrtt
r = 2 ** 5000
r = 2 << 5000
r = 0.0 ** -1
r = 1 << -1
r = f"{2.5:d}"
r = -"a"
r = ~2.5
r = 3 @ 4
"""


def test_what_is_said(golden: Callable[[Path, str], None], part: Any, lowered: Callable[..., Any]) -> None:
    golden(Path(__file__).parent / "advice" / "python.err", of_section(PYTHON, lowered, part))
