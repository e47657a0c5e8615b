"""
The library of safe kernels: nothing unsafe in it, nothing checked in a kernel but data, and what it computes is what
NumPy computes, in every order of blocks and under every schedule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from answers import assembles
from examples.kernels import library
from examples.kernels.example import Array, Example, with_one
from xdsl.dialects.builtin import DictionaryAttr

import freehold as fh
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.attrs import OptimizationHintsAttr
from freehold.dialects.ownership import KernelOp, Rung, UnsafeOp, duties_of
from freehold.frontend.schedule import Blocks
from freehold.passes.pipeline import contract, convert, verify
from freehold.passes.split_loops import split_loops
from freehold.runtime.interpreter import run, run_entry
from freehold.runtime.jit.kernel import Kernel
from freehold.runtime.launch.partition import Partition
from freehold.runtime.memory.numpy_types import numpy_dtype
from freehold.support.contract import ScalarParameter

LIBRARY = dict(library())
RATCHET = Path(__file__).with_name("ratchet.txt")


def strict(example: Example) -> Kernel:
    """The kernel, refused if anything is unsafe, or checked in it that does not have to be."""
    kernel: Kernel = example.kernel
    options = kernel.options._replace(deny_kernel_checks=not example.checks, deny_unsafe=True)
    made = Kernel(kernel.__wrapped__, options)
    return with_one(made) if kernel.signature.form is not None else made


def under(example: Example, **schedule: Any) -> tuple[Any, ...]:
    """The arguments, each array of its own, with the same schedule in all partitions."""

    def scheduled(argument: Any) -> Any:
        if isinstance(argument, Partition):
            return type(argument)(argument.array.copy(), replace(argument.spec, **schedule))
        return argument.copy() if hasattr(argument, "copy") else argument

    return tuple(map(scheduled, example.arguments))


def array_of(argument: Any) -> Any:
    return argument.array if isinstance(argument, Partition) else argument


def check(example: Example, arguments: tuple[Any, ...]) -> None:
    """That the arrays hold what is expected."""
    for number, wanted in example.expected.items():
        found: Any = array_of(arguments[number]).astype(np.float64)
        error = float(np.linalg.norm(found - wanted))
        assert error <= example.tolerance * float(np.linalg.norm(wanted.astype(np.float64))), (number, error)
        each = excess(found, wanted.astype(np.float64), example.tolerance)
        assert each <= 1, (number, each)


def excess(found: Any, wanted: Any, tolerance: float) -> float:
    """How far the worst element is from what it may be at most: off by the tolerance of itself and of an element of
    usual size, twice. An element of usual size that is zero, or another one, is far beyond."""
    usual = float((wanted * wanted).mean()) ** 0.5
    allowed: Any = 2 * tolerance * (np.abs(wanted) + usual)
    off: Any = np.abs(found - wanted)
    return float(np.max(np.divide(off, allowed, out=np.where(off > 0, np.inf, 0.0), where=allowed > 0), initial=0))


def passed(kernel: Kernel, arguments: tuple[Any, ...], parameters: tuple[Any, ...]) -> list[Any]:
    """The arguments that there are when a kernel runs, as the interpreter takes them."""
    modes = [p.mode for p in kernel.signature.parameters]
    there = (a for a, mode in zip(arguments, modes, strict=False) if mode != "const" and a is not None)
    given = [array_of(a) for a in there]
    return [
        numpy_dtype(p.dtype).type(a) if isinstance(p, ScalarParameter) else a
        for a, p in zip(given, parameters, strict=True)
    ]


SCHEDULES: dict[str, dict[str, Any]] = {
    "each": {},
    "persistent": {"blocks": Blocks.PERSISTENT},
    "two blocks": {"blocks": Blocks.PERSISTENT, "count": 2},
    "columns": {"order": fh.COLUMN},
}


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", LIBRARY)
def test_computes_what_numpy_does(name: str, schedule: str) -> None:
    example = LIBRARY[name]
    kernel = strict(example)
    arguments = under(example, **SCHEDULES[schedule])
    before = {n: array_of(a).copy() for n, a in enumerate(arguments) if isinstance(array_of(a), np.ndarray)}
    module = kernel.verify(*arguments)
    cut = split_loops(module)
    found, lowered = contract(cut), convert(cut)
    if cut is not module:
        verify(cut.clone())
    given = passed(kernel, arguments, tuple(found.parameters))
    for order in ("decreasing", 1) if schedule == "each" else (2,):
        for is_lowered in (False, True):
            for n, array in before.items():
                array_of(arguments[n])[...] = array
            if is_lowered:
                run_entry(lowered, found, given, order=order, checked=True)
            else:
                run(module, given, order=order, checked=True)
            check(example, arguments)


@pytest.mark.parametrize("name", LIBRARY)
def test_launches(name: str) -> None:
    """Through the front door: contracts are checked, and what they ask for holds."""
    example = LIBRARY[name]
    arguments = under(example)
    example.kernel(*arguments).sync()
    check(example, arguments)


@pytest.mark.parametrize("name", LIBRARY)
def test_assembles(name: str) -> None:
    example = LIBRARY[name]
    module = convert(split_loops(strict(example).verify(*example.arguments)))
    assert assembles(write_bytecode(module), "sm_90")


def counts(example: Example) -> str:
    """How many obligations a kernel has on each rung, its launch checks, and its unsafe accesses."""
    module = example.kernel.verify(*example.arguments)
    rungs = dict.fromkeys(Rung, 0)
    unsafe = 0
    for kernel in module.body.block.ops:
        assert isinstance(kernel, KernelOp)
        for op in kernel.walk():
            unsafe += isinstance(op, UnsafeOp)
            for obligation in duties_of(op):
                rungs[obligation.rung] += bool(obligation.text)
    launch = len(contract(module).checks)
    return f"{rungs[Rung.PROVED]:6} {rungs[Rung.MASKED]:6} {launch:6} {rungs[Rung.KERNEL]:6} {unsafe:6}"


def test_ratchet(golden: Callable[[Path, str], None]) -> None:
    """What is left to launches and kernels is written down, kernel by kernel: more of it shows in review."""
    lines = [f"{name:28}{counts(example)}" for name, example in LIBRARY.items()]
    kernels = len({example.kernel.__name__ for example in LIBRARY.values()})
    header = f"{kernels} kernels\n{'':28}proved masked launch kernel unsafe"
    golden(RATCHET, "\n".join([header, *lines]))


def moved(example: Example) -> Iterator[str]:
    """How a kernel loads and stores tiles, where it says so: by TMA or by threads, how far ahead; and how often."""
    told: dict[str, int] = {}
    for op in example.kernel.verify(*example.arguments).walk():
        hints = op.properties.get("hints")
        if isinstance(hints, OptimizationHintsAttr):
            for arch, given in hints.hints.data.items():
                asked = " ".join(f"{key}={value}" for key, value in cast(DictionaryAttr, given).data.items())
                line = f"{op.name.removeprefix('ownership.')} {asked}{'' if arch == 'default' else f' on {arch}'}"
                told[line] = told.get(line, 0) + 1
    yield from (f"{count:3} x {line}" for line, count in sorted(told.items()))


def test_how_tiles_are_moved(golden: Callable[[Path, str], None]) -> None:
    """Nothing but speed depends on it, so that it is seen here alone, and meant: `--update-golden` writes it anew."""
    lines = [line for name, example in LIBRARY.items() for line in (name, *moved(example))]
    golden(RATCHET.with_name("moved.txt"), "\n".join(lines))


def test_the_library_is_large_and_safe() -> None:
    totals = [list(map(int, line[28:].split())) for line in RATCHET.read_text().splitlines()[2:]]
    assert len(totals) == len(LIBRARY) >= 30
    data = [example.checks for example in LIBRARY.values()]
    assert [t[3] for t in totals] == data, "something is checked in a kernel that does not come from memory"
    assert sum(t[4] for t in totals) == 0, "something is unsafe"


def test_every_kernel_is_in_its_family_and_documented() -> None:
    for name, example in LIBRARY.items():
        assert example.kernel.__doc__, name
        assert example.expected, name


def expected_arrays() -> list[Array]:
    return [wanted for example in LIBRARY.values() for wanted in example.expected.values()]


def test_nothing_is_expected_that_compares_with_everything() -> None:
    for wanted in expected_arrays():
        assert np.isfinite(wanted.astype(np.float64)).all()
        assert wanted.any()


def test_one_wrong_element_is_too_many() -> None:
    """Under the norm of a whole array most elements may be zeroed, one at a time."""
    wanted = np.random.default_rng(0).standard_normal((64, 64))
    good = wanted * (1 + 2e-2)
    assert excess(good, wanted, 2e-2) <= 1
    caught = 0
    for n in range(wanted.size):
        bad = wanted.copy()
        bad.flat[n] = 0
        caught += excess(bad, wanted, 2e-2) > 1
    assert caught > 0.95 * wanted.size
