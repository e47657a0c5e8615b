"""
Kernels cut up and put together at random, for the frontend: each is accepted, and then well-formed IR, or refused with
a code, by the frontend or by the verifiers. What they accept has bytecode that passes validation. Anything else is a
finding: an exception of ours, IR that is not well-formed, a kernel that takes too long, or that has no code.

`python test/fuzz/fuzz_frontend.py --cases 1000 --seed 0` ends with one line of figures, and with status 1 if there was
a finding. Case `n` of a seed is the same program in every run: `--first n --cases 1 --show` prints it. `--jobs` shares
the cases among processes.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections import Counter
from functools import cache
from pathlib import Path
from types import FunctionType

sys.path.insert(0, str(Path(__file__).parent))

from frontend_programs import Mutant, Mutants
from fuzz_ownership import CHECKS, translated
from written_cases import Outcome, Outcomes, attempted, outcomes, search

from freehold.frontend.lower import lower
from freehold.frontend.schedule import PartitionSpec
from freehold.frontend.signature import ConstSpec, ScalarSpec, Specialisation, TensorSpec
from freehold.frontend.source import KernelFunction
from freehold.passes.pipeline import verify
from freehold.passes.verify_dominance import verify_dominance
from freehold.support import dtypes
from freehold.support.diagnostic import Rejected
from freehold.support.sources import register_source

SECONDS = 20.0
"""What a case may take of a processor."""
BATCH = 250
"""Cases that a process takes at a time."""


def specialisation(function: KernelFunction, rng: random.Random) -> Specialisation:
    """Arguments for the parameters, mostly fitting."""
    specs: list[TensorSpec | ScalarSpec | ConstSpec] = []
    for p in function.signature.parameters:
        if p.mode == "const":
            specs.append(ConstSpec(rng.choice([p.default] * 16 + [16, 64, 7, "text"])))
        elif p.mode == "scalar":
            specs.append(ScalarSpec(p.dtype or (dtypes.i32 if p.type is int else dtypes.f32)))
        else:
            rank = len(p.dims) if p.dims else rng.choice([1, 2])
            tile = (16,) * rank
            split = rng.random() < (0.97 if p.mode in ("mut", "out") else 0.03)
            dtype = p.dtype or rng.choice([dtypes.f32] * 40 + [dtypes.f16, dtypes.i32, dtypes.bool_, dtypes.u8])
            specs.append(TensorSpec.plain(dtype, rank, PartitionSpec(tile, tile) if split else None))
    return Specialisation(tuple(specs))


def outcome_of(mutant: Mutant, file: str, rng: random.Random) -> str:
    """What became of a program: `invalid` (no Python), `accepted`, or the code of its first error. Raises on a bug."""
    names = mutant.start
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            code = compile(mutant.run, file, "exec")
        register_source(file, mutant.run)
        exec(code, names)
    except Rejected as e:
        return e.codes[0]
    except Exception:  # what the program does before there is a kernel is Python's
        return "invalid"
    function = names.get("kernel")
    if not isinstance(function, FunctionType):
        return "invalid"
    try:
        kernel = KernelFunction(function)
        module = lower(kernel, specialisation(kernel, rng))
    except Rejected as e:
        str(e)
        return e.codes[0]
    module.verify()
    if undominated := verify_dominance(module):
        raise AssertionError(f"a value is used where it may not be defined: {undominated[0]}")
    try:
        verify(module)
    except Rejected as e:
        str(e)
        return e.codes[0]
    if wrong := translated(module, rng.choice(CHECKS)):
        raise AssertionError(f"accepted, and has no code: {wrong}")
    return "accepted"


@cache
def mutants() -> Mutants:
    """What programs are made of, read once in a process."""
    return Mutants()


def program_of(seed: int, number: int) -> tuple[Mutant | None, random.Random]:
    """The program of a case, and what its arguments are drawn from."""
    rng = random.Random(f"{seed} {number}")
    return mutants().draw(rng), rng


def attempt(seed: int, number: int) -> Outcome:
    """What became of a case, and what is wrong with it, if anything."""
    mutant, rng = program_of(seed, number)
    if mutant is None:
        return "invalid", ""
    file = f"<mutant {seed} {number}>"
    return attempted(mutant.text, file, SECONDS, lambda: (outcome_of(mutant, file, rng), ""))


def run(seed: int, numbers: range) -> Outcomes:
    """How often each outcome came, and what was found."""
    return outcomes(attempt, seed, numbers)


def shown(seed: int, number: int) -> str:
    """The text of a case."""
    mutant, _ = program_of(seed, number)
    return mutant.text if mutant else "# no Python"


def told(figures: Counter[str]) -> str:
    """What the last line says of cases that are neither refused nor findings."""
    return f"{figures['accepted']} accepted, {figures['invalid']} no Python"


def main() -> int:
    """The command line."""
    return search(__doc__, shown, run, BATCH, told)


if __name__ == "__main__":
    sys.exit(main())
