"""
Kernels cut up and put together at random, for the frontend: each is accepted, and then well-formed IR, or refused with
a code, by the frontend or by the verifiers. What they accept has bytecode that passes validation. Anything else is a
finding: an exception of ours, IR that is not well-formed, a kernel that takes too long, or that has no code.

`python test/fuzz/fuzz_frontend.py --cases 1000 --seed 0` ends with one line of figures, and with status 1 if there was
a finding. Case `n` of a seed is the same program in every run: `--first n --cases 1 --show` prints it. `--jobs` shares
the cases among processes.
"""

from __future__ import annotations

import gc
import linecache
import multiprocessing
import random
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType

sys.path.insert(0, str(Path(__file__).parent))

from frontend_programs import Mutant, Mutants
from fuzz_ownership import CHECKS, TooSlow, command_line, limited, translated

from freehold.frontend.lower import lower
from freehold.frontend.schedule import PartitionSpec
from freehold.frontend.signature import ConstSpec, ScalarSpec, Specialisation, TensorSpec
from freehold.frontend.source import KernelFunction
from freehold.passes.pipeline import verify
from freehold.passes.verify_dominance import verify_dominance
from freehold.support import dtypes
from freehold.support.diagnostic import Rejected
from freehold.support.progress import progress
from freehold.support.sources import register_source

SECONDS = 20.0
"""What a case may take of a processor."""
BATCH = 250
"""Cases that a process takes at a time. Garbage is collected after each batch, and not during it."""


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


@dataclass(frozen=True)
class Finding:
    """A case that is neither accepted nor refused with a code."""

    case: int
    what: str
    text: str


@cache
def mutants() -> Mutants:
    """What programs are made of, read once in a process."""
    return Mutants()


def program_of(seed: int, number: int) -> tuple[Mutant | None, random.Random]:
    """The program of a case, and what its arguments are drawn from."""
    rng = random.Random(f"{seed} {number}")
    return mutants().draw(rng), rng


def attempt(seed: int, number: int) -> tuple[str, Finding | None]:
    """What became of a case."""
    mutant, rng = program_of(seed, number)
    if mutant is None:
        return "invalid", None
    file = f"<mutant {seed} {number}>"
    try:
        with limited(SECONDS):
            return outcome_of(mutant, file, rng), None
    except TooSlow:
        return "finding", Finding(number, f"takes more than {SECONDS} s", mutant.text)
    except Exception:
        return "finding", Finding(number, traceback.format_exc(), mutant.text)
    finally:
        linecache.cache.pop(file, None)


def run(seed: int, numbers: range) -> tuple[Counter[str], list[Finding]]:
    """How often each outcome came, and what was found."""
    outcomes: Counter[str] = Counter()
    findings: list[Finding] = []
    gc.disable()
    try:
        for number in numbers:
            outcome, finding = attempt(seed, number)
            outcomes[outcome] += 1
            if finding is not None:
                findings.append(finding)
    finally:
        gc.enable()
        gc.collect()
    return outcomes, findings


def _batch(task: tuple[int, range]) -> tuple[Counter[str], list[Finding], float]:
    began = time.process_time()
    outcomes, findings = run(*task)
    return outcomes, findings, time.process_time() - began


def batches(seed: int, numbers: range, jobs: int) -> Iterator[tuple[Counter[str], list[Finding], float]]:
    """All cases, in batches, with the seconds of a processor that each took."""
    tasks = [(seed, numbers[first : first + BATCH]) for first in range(0, len(numbers), BATCH)]
    if jobs == 1:
        yield from map(_batch, tasks)
        return
    with multiprocessing.Pool(jobs) as pool:
        yield from progress(pool.imap(_batch, tasks), "batches of cases", len(tasks))


def main() -> int:
    """The command line."""
    parser = command_line(__doc__, 1000)
    parser.add_argument("--show", action="store_true", help="print each program")
    chosen = parser.parse_args()
    numbers = range(chosen.first, chosen.first + chosen.cases)
    if chosen.show:
        for number in numbers:
            mutant, _ = program_of(chosen.seed, number)
            print(f"# case {number} of seed {chosen.seed}", mutant.text if mutant else "# no Python", sep="\n")
    outcomes: Counter[str] = Counter()
    found = 0
    taken = 0.0
    for some, findings, seconds in batches(chosen.seed, numbers, chosen.jobs):
        outcomes += some
        taken += seconds
        for finding in findings:
            found += 1
            print(f"case {finding.case} of seed {chosen.seed}: {finding.what}\n{finding.text}\n", flush=True)
    codes = sorted(code for code in outcomes if code.startswith("O"))
    print(", ".join(f"{code}: {outcomes[code]}" for code in codes))
    print(
        f"{outcomes.total()} cases of seed {chosen.seed}: {outcomes['accepted']} accepted, "
        f"{sum(outcomes[code] for code in codes)} refused with {len(codes)} codes, {outcomes['invalid']} no Python, "
        f"{found} findings, {outcomes.total() / taken:.0f} cases a second of one core"
    )
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
