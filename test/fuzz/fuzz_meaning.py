"""
Kernels that Python itself can run, as the interpreter runs what they were compiled to: both compute the same, to a bit.

`python test/fuzz/fuzz_meaning.py --cases 1000 --seed 0` ends with one line of figures, and with status 1 if there was a
finding: another result, an exception of ours, IR that is not well-formed, a kernel without code, or one that the
verifiers refuse, since every way through these stores once. What changes its type is refused by the frontend, and a few
that have very many ways by O108: that is counted.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from fuzz_ownership import CHECKS, translated
from python_programs import program
from written_cases import Outcome, Outcomes, attempted, outcomes, search

from freehold.frontend.lower import lower
from freehold.frontend.schedule import PartitionSpec
from freehold.frontend.signature import ScalarSpec, Specialisation, TensorSpec
from freehold.frontend.source import KernelFunction
from freehold.passes.pipeline import verify
from freehold.passes.verify_dominance import verify_dominance
from freehold.runtime.interpreter import run as interpret
from freehold.support import dtypes
from freehold.support.diagnostic import Rejected
from freehold.support.sources import register_source

Array = np.ndarray[Any, Any]

SECONDS = 30.0
"""What a case may take of a processor."""
BATCH = 50
"""Cases that a process takes at a time."""
TILE = 4
SPECS = Specialisation(
    (
        TensorSpec.plain(dtypes.f32, 1, PartitionSpec((TILE,), (TILE,))),
        TensorSpec.plain(dtypes.f32, 1),
        ScalarSpec(dtypes.i32),
        ScalarSpec(dtypes.i32),
    )
)


# --- What Python runs a kernel with ----------------------------------------------------------------------------------


def _tiles(x: Source, axis: int, size: int, start: int = 0, stop: int | None = None, step: int = 1) -> range:
    del axis
    count = -(-len(x.array) // size)
    return range(max(start, 0), count if stop is None else min(stop, count), step)


@dataclass
class Source:
    """A `Ref` of one axis."""

    array: Array

    def load(self, index: int, size: int) -> Array:
        return self.array[index * size : (index + 1) * size]


@dataclass
class Target:
    """One region of an `Out`."""

    array: Array
    tile: tuple[int, ...] = (TILE,)
    stored: int = 0

    def store(self, value: Array | float) -> None:
        self.array[:] = value
        self.stored += 1


HOST = SimpleNamespace(
    tiles=_tiles,
    zeros=lambda shape, dtype: np.zeros(shape),  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    full=np.full,
    where=np.where,
    maximum=np.maximum,
    static_range=range,
)
"""What a kernel asks of Freehold."""


def names_of(text: str, file: str) -> dict[str, Any]:
    """What a module defines."""
    register_source(file, text)
    names: dict[str, Any] = {}
    exec(compile(text, file, "exec"), names)
    return names


def python(text: str, file: str, x: Array, a: int, b: int) -> Array:
    """What Python computes."""
    y = np.zeros(TILE)
    names = names_of(text, file)
    names["fh"] = HOST
    target = Target(y)
    names["kernel"](target, Source(x), a, b)
    assert target.stored == 1
    return y


# --- Cases -----------------------------------------------------------------------------------------------------------


def outcome_of(text: str, file: str, rng: random.Random) -> str:
    """What became of a program: `same`, or the code with which the frontend refused it. Raises on a finding."""
    try:
        module = lower(KernelFunction(names_of(text, file)["kernel"]), SPECS)
    except Rejected as e:
        return e.codes[0]
    module.verify()
    if undominated := verify_dominance(module):
        raise AssertionError(f"a value is used where it may not be defined: {undominated[0]}")
    try:
        verify(module)
    except Rejected as e:
        if e.codes == ("O108",):  # a limit: of so many ways, not all stay apart (docs/ownership.md)
            return "O108"
        raise
    if wrong := translated(module, rng.choice(CHECKS)):
        raise AssertionError(f"accepted, and has no code: {wrong}")
    x = np.array([rng.randint(-12, 12) / 4 for _ in range(3 * TILE)], np.float32)
    for _ in range(4):
        a, b = rng.randint(-4, 8), rng.randint(-4, 8)
        y = np.full(TILE, np.nan, np.float32)
        interpret(module, [y, x, a, b])
        expected = python(text, file, x, a, b)
        if not np.array_equal(y, expected):
            raise AssertionError(
                f"with x={x.tolist()}, a={a}, b={b}: {y.tolist()}, and Python says {expected.tolist()}"
            )
    return "same"


def program_of(seed: int, number: int) -> tuple[str, random.Random]:
    """The program of a case, and what its arguments are drawn from."""
    rng = random.Random(f"meaning {seed} {number}")
    return program(rng), rng


def attempt(seed: int, number: int) -> Outcome:
    """What became of a case, and what is wrong with it, if anything."""
    text, rng = program_of(seed, number)
    file = f"<program {seed} {number}>"
    return attempted(text, file, SECONDS, lambda: (outcome_of(text, file, rng), ""))


def run(seed: int, numbers: range) -> Outcomes:
    """How often each outcome came, and what was found."""
    return outcomes(attempt, seed, numbers)


def told(figures: Counter[str]) -> str:
    """What the last line says of cases that are neither refused nor findings."""
    return f"{figures['same']} as in Python"


def main() -> int:
    """The command line."""
    return search(__doc__, lambda seed, number: program_of(seed, number)[0], run, BATCH, told)


if __name__ == "__main__":
    sys.exit(main())
