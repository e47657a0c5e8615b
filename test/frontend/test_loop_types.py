"""Types of what loops carry: found from the turns, the same at every depth, and in time linear in the depth."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import freehold as fh
from freehold import Out, f16, f32, i32

Interpret = Callable[..., None]
Lowered = Callable[..., ModuleOp]

TYPED = [0]


@dataclass(frozen=True)
class Typed:
    """Made by the host each time the text that makes it is typed."""

    def __init__(self) -> None:
        TYPED[0] += 1


def nested(depth: int, body: str, begin: str = "a = 0", loop: str = "for i{n} in range(n):") -> str:
    """A kernel with loops within each other, and `body` in the innermost."""
    lines = ["def kernel(y: Out['N'], n: i32):", f"    {begin}"]
    for n in range(depth):
        lines.append("    " * (n + 1) + loop.format(n=n))
    lines += ["    " * (depth + 1) + line for line in body.splitlines()]
    return "\n".join([*lines, "    y.store(a)", ""])


def written(text: str) -> Callable[..., object]:
    """A function by its text."""
    file = f"<loops {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"fh": fh, "Out": Out, "f32": f32, "i32": i32, "Typed": Typed, "half": half}
    exec(compile(text, file, "exec"), names)
    return names["kernel"]


class Python:
    """An output for Python to run a kernel with."""

    def __init__(self, array: np.ndarray[Any, Any]):
        self.array = array

    def store(self, value: float) -> None:
        self.array[:] = value


def half(a: Any, n: Any) -> Any:
    """Adds a half in every turn of a loop of its own."""
    for _ in range(n):
        a = a + 0.5
    return a


BODIES = {
    "plain": "a = a + 0.5",
    "in an if": "if i0 > 0:\n    a = a + 0.5",
    "in a helper": "a = half(a, 2)",
    "of numbers": "a = a + 1\na = a * 0.5",
    "negative": "a = -a\na = abs(a) + 0.5",
    "chosen": "a = a + 0.5 if i0 > 0 else a",
    "the larger": "a = max(a, 1) + 0.5",
}


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("name", BODIES)
def test_a_number_that_becomes_a_float_is_one_at_every_depth(
    name: str, depth: int, part: Any, interpret: Interpret
) -> None:
    y = np.zeros(4, np.float32)
    kernel = written(nested(depth, BODIES[name]))
    interpret(kernel, part(y, 4), 2)
    wanted = np.zeros(4, np.float32)
    kernel(Python(wanted), 2)
    np.testing.assert_allclose(y, wanted)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_a_number_that_becomes_a_float_in_a_while(depth: int, part: Any, interpret: Interpret) -> None:
    lines = ["def kernel(y: Out['N'], n: i32):", "    a = 0"]
    for d in range(depth):
        lines += [
            "    " * (d + 1) + f"i{d} = 0",
            "    " * (d + 1) + f"while i{d} < n:",
            "    " * (d + 2) + f"i{d} += 1",
        ]
    lines += ["    " * (depth + 1) + "a = a + 0.5", "    y.store(a)", ""]
    y = np.zeros(4, np.float32)
    interpret(written("\n".join(lines)), part(y, 4), 2)
    np.testing.assert_allclose(y, 0.5 * 2**depth)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_what_is_no_number_keeps_its_type_at_every_depth(depth: int, part: Any, lowered: Lowered) -> None:
    kernel = written(nested(depth, "a = a + 0.5", "a = n"))
    with pytest.raises(fh.Rejected) as caught:
        lowered(kernel, part(np.zeros(4, np.float32), 4), 2)
    assert caught.value.codes == ("O025",)


def test_what_is_computed_of_numbers_is_not_made_narrower(part: Any, lowered: Lowered) -> None:
    kernel = written(nested(1, "a = a + 1\nt = a\nfor j in range(n):\n    t = fh.i8(1)\na = a + t"))
    with pytest.raises(fh.Rejected) as caught:
        lowered(kernel, part(np.zeros(4, np.float32), 4), 2)
    assert caught.value.codes == ("O025",)


@pytest.mark.parametrize("depth", [1, 2, 4, 6])
def test_bodies_are_typed_a_number_of_times_that_is_linear_in_their_depth(
    depth: int, part: Any, lowered: Lowered
) -> None:
    each = [f"{'    ' * (n + 1)}a{n} = 0\n{'    ' * (n + 1)}for i{n} in range(n):" for n in range(depth)]
    sums = [f"{'    ' * (n + 1)}a{n - 1} = a{n - 1} + a{n}" for n in range(depth - 1, 0, -1)]
    inner = "    " * (depth + 1)
    text = "\n".join(
        [
            "def kernel(y: Out['N'], n: i32):",
            *each,
            f"{inner}Typed()",
            f"{inner}a{depth - 1} = a{depth - 1} + 0.5",
            *sums,
        ]
    )
    TYPED[0] = 0
    lowered(written(f"{text}\n    y.store(fh.full(y.tile, a0))\n"), part(np.zeros(4, np.float32), 4), 2)
    assert TYPED[0] == depth + 1


def test_turns_that_are_written_out_have_types_of_their_own(part: Any, interpret: Interpret) -> None:
    def kernel(y: Out["N"], n: i32):
        total: Any = 0.0
        for j in range(n):
            for dtype in (f16, f32):
                acc: Any = 0
                for _ in range(n):
                    acc = acc + fh.full((), 1.0, dtype) + j
                total = total + acc.astype(f32)
        y.store(fh.full(y.tile, total))

    y = np.zeros(4, np.float32)
    interpret(kernel, part(y, 4), 2)
    np.testing.assert_allclose(y, 2 * (2 * 1 + 2 * 2))


@pytest.mark.parametrize(("turns", "left"), [(0, 0.0), (1, 1.5), (5, 3.0)])
def test_a_type_may_bring_a_way_out(turns: int, left: float, part: Any, interpret: Interpret) -> None:
    """The turns make a float of a number, and what is done with floats alone leaves the loop."""
    lines = (
        "if isinstance(a, int):",
        "    pass",
        "elif a.dtype == f32:",
        "    if i0 >= 2:",
        "        break",
        "a = a + 1.5",
    )
    y = np.full(4, -1.0, np.float32)
    interpret(written(nested(1, "\n".join(lines))), part(y, 4), turns)
    assert y.tolist() == [left] * 4
