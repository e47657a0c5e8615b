"""
Random ownership kernels on a GPU: those that the verifiers accept leave behind what the interpreter says.

`python test/fuzz/fuzz_gpu.py --cases 2000 --seed 0` needs a GPU and the assembler, ends with one line of figures, and
with status 1 if there was a finding. The cases are those of `fuzz_ownership`, in launches of the same arguments. What
is refused at launch is so on both sides. Where a check in the kernel fails, its block ends and the others go on: so it
is in the interpreter if it runs what the kernel was lowered to. What the interpreter calls undefined is left out, and
what does not end there.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from fuzz_ownership import (
    REFUSED_AT_LAUNCH,
    TooSlow,
    arguments,
    builder_of,
    command_line,
    ending,
    in_processes,
    limited,
    runs,
)
from kernel_builder import Builder

from freehold.passes.pipeline import convert
from freehold.runtime.interpreter import run_entry
from freehold.runtime.interpreter.launch import Kernel
from freehold.runtime.jit.module_launch import LoadedKernel, load_kernel
from freehold.support.diagnostic import Rejected

_AT_ONCE: Final = 20
"""How many cases a process is given."""
_BLOCKS: Final = 3
"""Where blocks are persistent. Behind a check that fails, each leaves out the points that it would have had."""
_LONGEST: Final = 120.0
"""Seconds without news from any process: some kernel does not end."""
_AT_LAUNCH: Final = frozenset(("O527", "O531", "O533"))
"""What refuses a launch before anything runs."""
_IN_KERNEL: Final = frozenset(REFUSED_AT_LAUNCH) - _AT_LAUNCH
"""What is known of a launch when it has run."""


def expected(built: Builder, loaded: LoadedKernel, number: int) -> Iterator[tuple[list[Any], str, list[Any]]]:
    """Launches of a case: the arguments, and with which error they end or what the arrays hold then."""
    kernel, lowered = Kernel.of(loaded.module, checked=True), convert(loaded.module.clone())
    for sizes, scalar, order in runs(number):
        given, left = arguments(built, sizes, scalar), arguments(built, sizes, scalar)
        code, _ = ending(kernel, left, order)
        if code in _IN_KERNEL:
            left = arguments(built, sizes, scalar)
            try:
                run_entry(lowered, loaded.contract, left, blocks=_BLOCKS, order=order, checked=True)
            except Rejected as refused:
                code = refused.codes[0]
            else:
                raise AssertionError(f"case {number}: no check fails in what it was lowered to")
        if not code or code in _AT_LAUNCH | _IN_KERNEL:
            yield given, code, left


def check(seed: int, number: int, figures: Counter[str]) -> str:
    """What is wrong with one case, or nothing."""
    built = builder_of(seed, number)
    try:
        loaded = load_kernel(built.module())
    except Rejected:
        return ""
    try:
        with limited():
            launches = list(expected(built, loaded, number))
    except TooSlow:
        return ""
    if not launches:
        return ""
    figures["kernels"] += 1
    for given, code, wanted in launches:
        refused = ""
        try:
            loaded.launch(given, _BLOCKS if loaded.contract.persistent else None)
        except Rejected as error:
            refused = error.codes[0]
        figures["failed" if refused in _IN_KERNEL else "refused" if refused else "compared"] += 1
        where = f"for {[np.shape(v) or v for v in given]}"
        if not any({refused, code} <= alike for alike in ({""}, _AT_LAUNCH, _IN_KERNEL)):
            return f"the GPU says {refused or 'nothing'}, the interpreter {code or 'nothing'}, {where}"
        for n, (one, other) in enumerate(zip(given, wanted, strict=True)):
            if code not in _AT_LAUNCH and not np.array_equal(one, other):
                return f"argument {n} differs {where}: {one.tolist()} and {other.tolist()}"
    return ""


def cases(seed: int, numbers: range) -> tuple[Counter[str], list[str]]:
    """Some cases: figures and findings."""
    figures: Counter[str] = Counter(cases=len(numbers))
    found: list[str] = []
    for number in numbers:
        if what := check(seed, number, figures):
            found.append(f"case {number} of seed {seed}: {what}\n{builder_of(seed, number).module()}")
    return figures, found


def main() -> int:
    """The command."""
    chosen = command_line(__doc__, 2000).parse_args()
    numbers = range(chosen.first, chosen.first + chosen.cases)
    ranges = [numbers[n : n + _AT_ONCE] for n in range(0, len(numbers), _AT_ONCE)]
    figures, findings = in_processes(partial(cases, chosen.seed), ranges, chosen.jobs, _LONGEST)
    print(
        f"{figures['cases']} cases of seed {chosen.seed}: {figures['kernels']} kernels ran on the GPU, "
        f"{figures['compared']} launches ended, {figures['failed']} failed by a check in the kernel and "
        f"{figures['refused']} by one at launch, {findings} findings"
    )
    return int(findings > 0 or not figures["compared"])


if __name__ == "__main__":
    sys.exit(main())
