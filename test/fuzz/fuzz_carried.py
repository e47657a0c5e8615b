"""
Random kernels whose loops carry tiles and hand them on, on a GPU: the same to the bit as on the interpreter.

`python test/fuzz/fuzz_carried.py --cases 1000 --seed 0` needs a GPU and the assembler, ends with one line of figures,
and has status 1 if there was a finding. What the compiler says the assembler would make wrong code of is counted by its
code; so is what is refused otherwise. `--lowered` needs no GPU: it compares the lowered kernel with the one as it was
written, both interpreted. `--compile` only fills the cache of kernels.
"""

from __future__ import annotations

import linecache
import random
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any, Final

import ml_dtypes
import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from carried_kernels import BLOCKS, LENGTH, Case, case_of
from fuzz_ownership import TooSlow, command_line, in_processes

import freehold as fh
from freehold.passes.launch_contract import contract
from freehold.passes.pipeline import convert
from freehold.passes.split_loops import split_loops
from freehold.runtime.interpreter import run_entry
from freehold.support.diagnostic import Rejected
from freehold.support.sources import register_source

Array = np.ndarray[Any, Any]

_LONGEST: Final = 120.0
"""Seconds without news from any process: some kernel does not end."""
_SECONDS: Final = 30
"""What a case may take: of some kernels the assembler makes nothing for minutes."""
TURNS: Final = (3, 0, 5)
"""What is given for `n`."""


NUMPY: Final = {"f8e4m3fn": ml_dtypes.float8_e4m3fn, "bf16": ml_dtypes.bfloat16}


def held(dtype: str) -> np.dtype[Any]:
    """The dtype of an array for a dtype of ours."""
    words = {"f": "float", "i": "int", "u": "uint"}
    return np.dtype(NUMPY[dtype] if dtype in NUMPY else words[dtype[0]] + dtype[1:])


def written(seed: int, number: int) -> Case:
    """The program of a case."""
    return case_of(random.Random(f"carried {seed} {number}"))


def kernel_of(case: Case, file: str) -> Any:
    """Its kernel."""
    register_source(file, case.text)
    names: dict[str, Any] = {}
    exec(compile(case.text, file, "exec"), names)
    return names["kernel"]


def sources(case: Case, seed: int, number: int) -> list[Array]:
    """What it reads: small integers."""
    rng = np.random.default_rng((seed, number))
    return [
        rng.integers(0 if dtype[0] == "u" else -8, 9, (BLOCKS, LENGTH)).astype(held(dtype)) for dtype in case.sources
    ]


def outputs(case: Case) -> list[Array]:
    """What it writes."""
    return [np.zeros((BLOCKS, *kind.shape), held(kind.dtype)) for kind in case.results]


def parted(case: Case, arrays: list[Any]) -> list[Any]:
    return [fh.partition(array, (1, *kind.shape)) for array, kind in zip(arrays, case.results, strict=True)]


def alike(one: Array, other: Array) -> bool:
    """Whether two arrays hold the same numbers."""
    if one.dtype.kind in "iu":
        return np.array_equal(one, other)
    return np.array_equal(one.astype(np.float64), other.astype(np.float64), equal_nan=True)


def difference(case: Case, found: list[Array], wanted: list[Array], where: str) -> str:
    for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
        if not alike(one, other):
            a, b = one.astype(np.float64), other.astype(np.float64)
            return f"y{number} {where}: {int((a != b).sum())} of {one.size} differ: {a.ravel()[:8]} {b.ravel()[:8]}"
    return ""


def check(case: Case, kernel: Any, seed: int, number: int, how: str) -> str:
    """What is wrong with one kernel, or nothing."""
    ys, xs = outputs(case), sources(case, seed, number)
    if how == "compile":
        kernel.compile(*parted(case, ys), *xs, 1, arch="sm_90")
        return ""
    there = [fh.to_device(x) for x in xs] if how == "gpu" else []
    for turns in TURNS:
        with fh.interpreting("checked"):
            kernel(*parted(case, ys), *xs, turns).sync()
        if how == "gpu":
            others = [fh.to_device(np.zeros_like(y)) for y in ys]
            kernel(*parted(case, others), *there, turns).sync()
            found = [other.numpy() for other in others]
        else:
            found = [np.zeros_like(y) for y in ys]
            cut = split_loops(kernel.verify(*parted(case, found), *xs, turns))
            run_entry(convert(cut), contract(cut), [*found, *xs, turns], checked=True)
        if what := difference(case, found, ys, f"with n = {turns}"):
            return what
    return ""


def attempt(seed: int, number: int, how: str, figures: Counter[str]) -> str:
    """What is wrong with one case, or nothing."""
    case, file = written(seed, number), f"<carried {seed} {number}>"

    def end(_signal: int, _frame: object) -> None:
        raise TooSlow

    try:
        signal.signal(signal.SIGALRM, end)
        signal.alarm(_SECONDS)
        what = check(case, kernel_of(case, file), seed, number, how)
    except Rejected as refused:
        figures[refused.codes[0]] += 1
        return "" if refused.codes[0].startswith("O4") else f"{refused}\n{case.text}"
    except TooSlow:
        figures["slow"] += 1
        return ""
    except Exception:
        return f"{traceback.format_exc()}\n{case.text}"
    finally:
        signal.alarm(0)
        linecache.cache.pop(file, None)
    figures["alike"] += not what
    return f"{what}\n{case.text}" if what else ""


def cases(seed: int, how: str, until: float, numbers: range) -> tuple[Counter[str], list[str]]:
    """Some cases: figures and findings."""
    warnings.simplefilter("ignore")
    figures: Counter[str] = Counter()
    found: list[str] = []
    for number in numbers:
        if until and time.time() > until:
            break
        figures["cases"] += 1
        if what := attempt(seed, number, how, figures):
            found.append(f"case {number} of seed {seed}: {what}")
    return figures, found


def main() -> int:
    """The command."""
    parser = command_line(__doc__, 1000)
    parser.add_argument("--compile", action="store_true", help="fill the cache of kernels, and run nothing")
    parser.add_argument("--lowered", action="store_true", help="interpret what kernels were lowered to, GPU or not")
    parser.add_argument("--seconds", type=float, default=0.0, help="begin no case after that long; 0: all")
    chosen = parser.parse_args()
    how = "compile" if chosen.compile else "lowered" if chosen.lowered else "gpu"
    until = time.time() + chosen.seconds if chosen.seconds else 0.0
    numbers = range(chosen.first, chosen.first + chosen.cases)
    ranges = [numbers[n : n + 4] for n in range(0, len(numbers), 4)]
    figures, findings = in_processes(partial(cases, chosen.seed, how, until), ranges, chosen.jobs, _LONGEST)
    refused = ", ".join(f"{code}: {count}" for code, count in sorted(figures.items()) if code.startswith("O"))
    print(
        f"{figures['cases']} cases of seed {chosen.seed}: {figures['alike']} alike, {findings} findings, "
        f"{figures['slow']} too slow, refused: {refused or 'none'}"
    )
    return int(findings > 0 or not figures["alike"])


if __name__ == "__main__":
    sys.exit(main())
