"""
Random ownership kernels, for the verifiers: what they accept runs in the interpreter's checked mode, and may not race,
leave a tensor, read what nobody wrote, or leave an output unwritten. What they refuse with a witness is replayed.

`python test/fuzz/fuzz_ownership.py --cases 200000 --seed 0` ends with one line of figures, and with status 1 if there
was a finding. Case `n` of a seed is the same kernel in every run: `--first n --cases 1 --show` prints it.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from ownership_kernels import Maker, Writer

from freehold.passes.pipeline import verify
from freehold.runtime.interpreter import Order
from freehold.runtime.interpreter.launch import Kernel
from freehold.support.diagnostic import Error, Rejected
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

ORDERS: tuple[Order, ...] = ("increasing", "decreasing", 3)
SIZES = ((1, 1, 1), (3, 5, 4), (8, 6, 7), (9, 2, 2), (16, 8, 3), (5, 12, 20))
"""Extents M, N, K."""
SCALARS = (0, 1, -1, 5, 2, 2**31 - 1)
SECONDS = 2.0
"""What a kernel may take; one that takes longer is counted, and decides nothing."""


class TooSlow(Exception):
    """A run that takes too long."""


@contextmanager
def limited() -> Generator[None]:
    """Ends what takes too long. Random loops may run for as many turns as there are integers."""

    def end(_signal: int, _frame: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, SECONDS, 0.5)  # again: Python drops what is raised in a destructor
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@dataclass
class Finding:
    """A kernel on which the verifiers are wrong."""

    case: int
    what: str
    text: str


def case_text(seed: int, number: int) -> str:
    """The kernel of a case."""
    return Writer(Maker(random.Random(seed * 1_000_003 + number)).kernel()).text()


def arguments(text: str, sizes: tuple[int, int, int], scalar: int) -> list[Any]:
    """Arrays for a kernel: outputs of which every element is 7, the borrowed array, and the scalar."""
    extents = {"M": sizes[0], "N": sizes[1], "K": sizes[2]}
    head = text.split("{", 1)[0]
    shapes = [
        [int(d) if d.isdecimal() else extents[d] for d in found.split(", ")]
        for found in re.findall(r"tensor<\[([^]]*)\]", head)
    ]
    *outputs, source = shapes
    return [*(np.full(shape, 7, np.int32) for shape in outputs), np.zeros(source, np.int32), scalar]


def ending(kernel: Kernel, values: list[Any], order: Order) -> tuple[str, str]:
    """The code and the text of the error a run ends with, or nothing."""
    try:
        kernel.run(values, blocks=3, order=order)
    except Rejected as refused:
        return refused.codes[0], str(refused)
    return "", ""


def wrong(text: str, module: Any) -> str:
    """What goes wrong in some launch of an accepted kernel."""
    kernel = Kernel.of(module, checked=True)
    outputs = [n for n, access in enumerate(re.findall(r"-> !ownership.partition<(\w+)", text)) if access == "out"]
    for number, (sizes, scalar) in enumerate(zip(SIZES, SCALARS, strict=True)):
        for order in ORDERS if number % 2 else ORDERS[:1]:
            values = arguments(text, sizes, scalar)
            code, message = ending(kernel, values, order)
            where = f"at extents {sizes}, scalar {scalar}, order {order}"
            # A check that was left to the launch or the kernel may fail, and a kernel may divide by zero or step back.
            divided = code == "O528" and re.search(r"division by zero|divided by -1|a step of", message)
            if code and code != "O527" and not divided:
                return f"{message}\n{where}"
            if not code and any((values[n] != 1).any() for n in outputs):
                return f"an output is not written everywhere, {where}"
            if code == "O527" and scalar == 0 and number > 1:
                break
    return ""


def replay(text: str, module: Any, errors: tuple[Error, ...]) -> str | None:
    """Whether the witness of an error goes wrong in a run: "yes", "no"; None where there is none that says enough."""
    for error in errors:
        if error.code not in ("O101", "O302"):
            continue
        shown = str(Rejected([error]))
        if "is never" in shown:  # whether the access happens at all is another question
            continue
        if not (note := re.search(r"note: (where .*|block.*|index .*)", shown)):
            continue
        found = {name: int(value) for name, value in re.findall(r"(\w+) = (-?\d+)", note.group(1))}
        sizes = [found.get(name, 4) for name in "MNK"]
        if max(sizes) > 256 or np.prod(sizes) > 1 << 16:
            continue
        scalar = found.get("s", 0)
        first = ending(Kernel.of(module, checked=True), arguments(text, (sizes[0], sizes[1], sizes[2]), scalar), None)
        return "yes" if first[0] else "no"
    return None


def check(seed: int, number: int, figures: Counter[str]) -> Finding | None:
    """One case."""
    text = case_text(seed, number)
    module = parse_module(make_context(), text, "case.mlir")
    module.verify()
    try:
        with limited():
            try:
                verify(module)
            except Rejected as refused:
                figures["refused"] += 1
                figures["unknown"] += refused.codes == ("O113",)
                again = parse_module(make_context(), text, "case.mlir")
                outcome = replay(text, again, tuple(refused.errors))
                figures["replayed"] += outcome == "yes"
                if outcome == "no":
                    return Finding(number, f"the witness does not replay\n{refused}", text)
                return None
            figures["accepted"] += 1
            if what := wrong(text, module):
                return Finding(number, what, text)
    except TooSlow:
        figures["slow"] += 1
    return None


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="print each kernel")
    chosen = parser.parse_args()
    figures: Counter[str] = Counter()
    found = 0
    start = time.perf_counter()
    for number in range(chosen.first, chosen.first + chosen.cases):
        if chosen.show:
            print(case_text(chosen.seed, number))
        finding = check(chosen.seed, number, figures)
        if finding is not None:
            found += 1
            print(f"case {finding.case} of seed {chosen.seed}: {finding.what}\n{finding.text}\n")
    taken = time.perf_counter() - start
    print(
        f"{chosen.cases} cases of seed {chosen.seed}: {figures['accepted']} accepted, {figures['refused']} refused "
        f"({figures['replayed']} witnesses replayed, {figures['unknown']} unknown), {figures['slow']} too slow, "
        f"{found} findings, {chosen.cases / taken:.0f} cases a second"
    )
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
