"""What calls leave to be chosen: every kind of argument for every kind of parameter, and what a kernel's text says."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import freehold as fh
from freehold.frontend.schedule import OpenPartition, PartitionSpec
from freehold.frontend.signature import ConstSpec, KernelSignature, Parameter, ScalarSpec, TensorSpec
from freehold.runtime.launch.partition import Partition
from freehold.runtime.scheduling import problem
from freehold.runtime.scheduling.problem import cut_in_text, leaves_open, problem_of

HERE = Path(__file__).parent
MODES = ("out", "mut", "acc", "raw", "ref")
ARRAY = SimpleNamespace(shape=(64, 100))
ARRAYS: dict[str, Any] = {
    "array": ARRAY,
    "left open": Partition(ARRAY, OpenPartition()),
    "partition": Partition(ARRAY, PartitionSpec((8, 8), (8, 8))),
}
CONSTANTS: dict[str, Any] = {"3": 3, "choice": fh.choose(1, 2), "grid": fh.Grid(4)}
TEXTS = ("x.load()", "x.load((0,), (1,))", "x.index", "y.load() + y.tile", "z.load()")
NONE = "-"
"""Where there is no problem, and nothing is open."""


def parameters(y: str, x: str) -> tuple[Parameter, ...]:
    return (
        Parameter("y", cast(Any, y), ("M", "N")), Parameter("n", "scalar"), Parameter("x", cast(Any, x), ("M", "N")),
        Parameter("K", "const"),
    )  # fmt: skip


def opened(modes: tuple[str, str], arguments: tuple[Any, Any, Any], text: str) -> str:
    """The names of what is open."""
    y, x, constant = arguments
    tensor = TensorSpec.plain(fh.f32, 2)
    specs = (tensor, ScalarSpec(fh.i32), tensor, ConstSpec(constant))
    found = problem_of(parameters(*modes), (y, 5, x, constant), specs, (ARRAY, 5, ARRAY), ast.parse(text))
    if found is None:
        return NONE
    assert found.shapes == {"y": (64, 100), "x": (64, 100)}
    for name, argument in (("y", y), ("x", x)):
        if name in found.open:
            assert found.open[name] == (argument.spec if isinstance(argument, Partition) else OpenPartition())
    assert found.constants == ({"K": constant} if "K" in found.constants else {})
    return "".join([*found.open, *found.constants])


def test_what_is_left_open(golden: Callable[[Path, str], None]) -> None:
    cases = [*product(ARRAYS, ARRAYS, CONSTANTS)]
    lines = ["the columns:", *(f"  {n}: y is {y}, x is {x}, K is {k}" for n, (y, x, k) in enumerate(cases))]
    lines += ["", "what a call is chosen for, by the modes of y and x and by the kernel's text; `?` where it is asked:"]
    for modes in product(MODES, MODES):
        signature = KernelSignature("k", parameters(*modes))
        asked = [
            leaves_open(signature, (ARRAYS[y], 5, ARRAYS[x], CONSTANTS[k])) for y, x, k in cases
        ]  # fmt: skip
        by_text: dict[str, list[str]] = {}
        for text in TEXTS:
            cells = [
                opened(modes, (ARRAYS[y], ARRAYS[x], CONSTANTS[k]), text) + "?" * asks
                for (y, x, k), asks in zip(cases, asked, strict=True)
            ]
            by_text.setdefault(" ".join(f"{cell:4}" for cell in cells).rstrip(), []).append(text)
        lines += [f"{modes[0]} {modes[1]} {cells}  {' | '.join(texts)}" for cells, texts in by_text.items()]
    golden(HERE / "left_open.txt", "\n".join(lines))


def test_a_call_that_is_not_whole_or_not_cut_leaves_nothing_open() -> None:
    signature = KernelSignature("k", parameters("out", "ref"))
    assert leaves_open(signature, (ARRAY, 5, ARRAY, 3))
    assert not leaves_open(signature, (ARRAY, 5, ARRAY))
    assert not leaves_open(KernelSignature("k", parameters("out", "ref"), cut=False), (ARRAY, 5, ARRAY, 3))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x.load()", ["x"]), ("y.store(x.load())", ["x"]), ("x.load(0)", []), ("x.index", ["x"]), ("x.tile", ["x"]),
        ("x.shape", []), ("x.store()", []), ("f(x).load()", []), ("x[0].load()", []), ("w.load()", []),
        ("y.index[0] + x.tile[1]", ["x", "y"]), ("x.load(axis=0)", ["x"]), ("load()", []), ("def f(): x.load()", ["x"]),
    ],
)  # fmt: skip
def test_what_a_text_speaks_of_as_cut(text: str, found: list[str]) -> None:
    """In the order of the parameters."""
    assert cut_in_text(ast.parse(text), ("z", "x", "y")) == found


def test_extents_that_are_compiled_in_are_whole_numbers_of_vectors() -> None:
    even = problem.EVEN
    shape = (even, 2 * even, even + 1, 3 * even)
    dims = ("A", "B", "C", "D + 1")
    tensor = SimpleNamespace(shape=shape)
    found = problem_of(
        (Parameter("y", "out", dims),), (tensor,), (TensorSpec.plain(fh.f32, 4),), (tensor,), ast.parse("")
    )
    assert found is not None
    assert found.whole == ("A", "B")
