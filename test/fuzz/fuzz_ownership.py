"""
Random ownership kernels, for the verifiers: what they accept runs in the interpreter's checked mode, in three orders of
blocks at least, and may not race, leave a tensor, read what nobody wrote, or leave an output unwritten. What they
refuse with a witness is replayed.

`python test/fuzz/fuzz_ownership.py --cases 200000 --seed 0` ends with one line of figures, and with status 1 if there
was a finding. Case `n` of a seed is the same kernel in every run: `--first n --cases 1 --show` prints it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import re
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from math import prod
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np
from numpy.lib.stride_tricks import as_strided
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

sys.path.insert(0, str(Path(__file__).parent))

from kernel_builder import Builder
from ownership_kernels import Maker
from part_kernels import PartBuilder, PartMaker, has_parts

from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.ops.control_flow import ForOp
from freehold.dialects.ownership import RegionOp
from freehold.passes.errors.bounds import OutOfBounds
from freehold.passes.errors.partition import NotCovered, NotShownDisjoint, OverlappingRegions, RegionTakenTwice
from freehold.passes.pipeline import convert, verify
from freehold.passes.split_loops import split_loops
from freehold.runtime.interpreter import Order, launch, ownership, scattered
from freehold.runtime.interpreter.compile import Compiler
from freehold.runtime.interpreter.launch import Kernel
from freehold.runtime.variants.build import Options, validate
from freehold.support import terms
from freehold.support.contract import Checks
from freehold.support.diagnostic import Error, Rejected
from freehold.support.progress import progress

ORDERS: tuple[Order, ...] = ("increasing", "decreasing", 3)
LAUNCHES = (
    ((3, 5, 4), 1),
    ((9, 2, 2), 5),
    ((5, 12, 20), 2**31 - 1),
    ((1, 1, 1), 0),
    ((8, 6, 7), -1),
    ((16, 8, 3), 2),
)
"""Extents M, N, K, and the scalar."""
SECONDS = 0.4
"""What a run may take of a processor; one that takes longer is counted, and decides nothing."""
LONGER: Final = 10 * SECONDS
"""What a run may take in which a witness has not come about before: the machine may have stood still meanwhile."""


_AT_ONCE = 100
"""Cases that a process is handed at once."""


class TooSlow(Exception):
    """A run that takes too long."""


@contextmanager
def limited(seconds: float = SECONDS) -> Generator[None]:
    """Ends what takes too long. Random loops may run for as many turns as there are integers."""

    def end(_signal: int, _frame: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 0.1)  # again: Python drops what is raised in a destructor
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@dataclass
class Finding:
    """A kernel on which the verifiers are wrong."""

    case: int
    what: str
    text: str


def builder_of(seed: int, number: int) -> Builder:
    """The builder of a case's kernel."""
    chosen = random.Random(seed * 1_000_003 + number)
    return PartBuilder(PartMaker(chosen).kernel()) if has_parts(seed, number) else Builder(Maker(chosen).kernel())


def arrays_of(built: Builder, extents: Mapping[str, int]) -> list[Any]:
    """Arrays for a kernel: first those it writes, of which no element is 1. Of large ones one element is made."""
    shapes = [[terms.parse(d).evaluate(extents) for d in shape] for shape in built.shapes]
    small = sum(map(prod, shapes)) <= _MOST_ELEMENTS
    made: list[Any] = []
    for n, (shape, (_, dtype)) in enumerate(zip(shapes, built.elements, strict=True)):
        value = built.before if n < len(built.accesses) else 0
        one = np.full(1, value, dtype)
        made.append(np.full(shape, value, dtype) if small else as_strided(one, shape, [0] * len(shape)))
    return made


def arguments(built: Builder, sizes: tuple[int, int, int], scalar: int) -> list[Any]:
    """Arguments for a kernel."""
    arrays = arrays_of(built, built.extents(sizes))
    built.fill(arrays, random.Random(repr((sizes, scalar))))
    return [*arrays, *built.scalars(scalar)]


def ending(kernel: Kernel, values: list[Any], order: Order) -> tuple[str, str]:
    """The code and the text of the error a run ends with, or nothing."""
    try:
        kernel.run(values, blocks=3, order=order)
    except Rejected as refused:
        return refused.codes[0], str(refused)
    return "", ""


def runs(number: int) -> Generator[tuple[tuple[int, int, int], int, Order]]:
    """The launches of a case: three, the first of them in every order."""
    for n, (sizes, scalar) in enumerate(LAUNCHES[(number + k) % len(LAUNCHES)] for k in (0, 1, 3)):
        for order in ORDERS if n == 0 else (ORDERS[(number + n) % 3],):
            yield sizes, scalar, order


REFUSED_AT_LAUNCH = ("O233", "O234", "O235", "O236", "O527", "O531", "O533")
"""A check that was left to the launch or the kernel, or is the author's; windows, offsets, grids."""
_MOST_ELEMENTS: Final = 1 << 20
"""Of arrays that are made."""


def wrong(built: Builder, module: Any, number: int) -> str:
    """What goes wrong in some launch of an accepted kernel."""
    kernel = Kernel.of(module, checked=True)
    for sizes, scalar, order in runs(number):
        values = arguments(built, sizes, scalar)
        code, message = ending(kernel, values, order)
        where = f"at extents {sizes}, scalar {scalar}, order {order}"
        # A kernel may divide by zero or step back.
        divided = code == "O528" and re.search(r"division by zero|divided by -1|a step of", message)
        if code and code not in REFUSED_AT_LAUNCH and not divided:
            return f"{message}\n{where}"
        if not code and built.unwritten(values[: len(built.shapes)], scalar):
            return f"an output is not written everywhere, {where}"
    return ""


Box = tuple[tuple[int, int], ...]
"""By axis: the first element, and the one behind the last."""


@dataclass(frozen=True)
class Visit:
    """A tile of an array that a block takes, accesses or stores: its indices, how many there are, and its elements."""

    kind: str
    array: str
    indices: tuple[int, ...]
    counts: tuple[int, ...]
    elements: Box

    @property
    def outside(self) -> bool:
        """Whether there is no such tile."""
        return any(not 0 <= i < n for i, n in zip(self.indices, self.counts, strict=True))


def _inside(index: Any, step: int, extent: int) -> int:
    return min(max(int(index), 0), -(-extent // step) - 1)


@contextmanager
def runs_of(points: Sequence[tuple[int, ...]] | None, note: Callable[[Visit], object]) -> Generator[None]:
    """Runs of these points alone, or of all, that go on where a tile does not exist: nothing depends on memory. `note`
    is given what they take, access and store."""
    starts_of, store_box, handed_out = ownership.starts_of, ownership.store_box, vars(ownership)["_points"]

    def starts(machine: Any, op: Any, window: Any, places: Any, steps: Any, checks: Any) -> tuple[int, ...]:
        tile = op.result.type.partition.tile_shape if isinstance(op, RegionOp) else steps
        indices = tuple(map(int, places))
        first = [i * s for i, s in zip(indices, steps, strict=True)]
        elements = tuple((a, min(a + t, n)) for a, t, n in zip(first, tile, window.shape, strict=True))
        counts = tuple(-(-n // s) for n, s in zip(window.shape, steps, strict=True))
        kind = "region" if isinstance(op, RegionOp) else "access"
        note(Visit(kind, window.name, indices, counts, elements))
        inside = [_inside(i, s, n) for i, s, n in zip(indices, steps, window.shape, strict=True)]
        return starts_of(machine, op, window, inside, steps, checks)

    def store(machine: Any, op: Any, window: Any, at: Any, tile: Any) -> None:
        ends = zip(at, tile.shape, window.shape, strict=True)
        note(Visit("store", window.name, (), (), tuple((a, min(a + t, n)) for a, t, n in ends)))
        store_box(machine, op, window, at, tile)

    def chosen(order: Any, grid: Any, numbers: Any) -> Any:
        if points is None:
            return handed_out(order, grid, numbers)
        return ((n, np.array(point, np.int32)) for n, point in enumerate(points))

    with (
        patch.object(ownership, "starts_of", starts),
        patch.object(scattered, "starts_of", starts),
        patch.object(ownership, "store_box", store),
        patch.object(ownership, "_points", chosen),
        patch.object(launch, "regular", return_value=True),
    ):
        yield


_undefined: Final = Compiler.undefined


def _any_number(self: Compiler, op: Operation, reason: str) -> None:
    """An undefined result is some number, which has nothing to do with who meets whom; but a loop has to end."""
    if isinstance(op, ForOp):
        _undefined(self, op, reason)


Points = Sequence[tuple[int, ...]] | None
"""Some points of a launch, or all."""


def unwatched(
    kernel: Kernel, values: list[Any], points: Points, note: Callable[[Visit], object], seconds: float
) -> str:
    """The code that a run of some points ends with, whoever races. Raises `TooSlow`."""
    nobody = patch.object(launch, "Watch", return_value=None)
    with runs_of(points, note), nobody, limited(seconds):
        return ending(kernel, values, None)[0]


def visits(kernel: Kernel, values: list[Any], points: Points, seconds: float) -> list[Visit]:
    """What points take, access and store, or what all of them do: up to where a run ends or takes too long. It ends
    where a number is not defined, but not where blocks race."""
    found: list[Visit] = []
    with suppress(TooSlow):
        unwatched(kernel, values, points, found.append, seconds)
    return found


WITNESSES: Final = (
    OutOfBounds.Witness,
    OverlappingRegions.Witness,
    RegionTakenTwice.Witness,
    NotCovered.Witness,
    NotShownDisjoint.NoSuchRegion,
)


def _witnesses(error: Error) -> list[Any]:
    return [part for part in error.added if isinstance(part, WITNESSES)]


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"-?\d+", text)))


def _box(text: str) -> Box:
    return tuple((int(a), int(b)) for a, b in re.findall(r"(\d+) \.\. (\d+)", text))


def _holds(outer: Box, inner: Box) -> bool:
    return all(a <= c < d <= b for (a, b), (c, d) in zip(outer, inner, strict=True))


def _meet(one: Box, other: Box) -> bool:
    return all(max(a, c) < min(b, d) for (a, b), (c, d) in zip(one, other, strict=True))


def launch_of(built: Builder, where: str) -> list[Any] | None:
    """Arguments of the extents and with the scalar that a witness names; None if it leaves one open."""
    named = {name: int(value) for name, value in re.findall(r"(\w+) = (-?\d+)", where)}
    needed = {name for shape in built.shapes for d in shape for name in terms.parse(d).symbols()} | {"s"}
    if not needed <= named.keys():
        return None
    others = zip(built.others, built.scalars(named["s"])[1:], strict=True)
    return [*arrays_of(built, named), named["s"], *(named.get(name, value) for name, value in others)]


def replay(built: Builder, module: ModuleOp, error: Error) -> bool:
    """Whether what the witness of an error says comes about: in a run of the very launch that it names, and of the
    points that it names alone. Raises `TooSlow` where that is not known in time."""
    (witness,) = _witnesses(error)
    values = launch_of(built, witness.where)
    return values is not None and any(
        comes_about(error, module, values, seconds)
        for seconds in (SECONDS, LONGER)
        for _ in built.remembered(values[: len(built.shapes)])
    )


def comes_about(error: Any, module: ModuleOp, values: list[Any], seconds: float) -> bool:
    """Whether a run does what an error's witness says."""
    (witness,) = _witnesses(error)
    kernel = Kernel.of(module, checked=True)

    def of(block: str) -> list[Visit]:
        return visits(kernel, values, [_numbers(block)], seconds)

    match witness:
        case OutOfBounds.Witness(_, index, count, who):
            return any((index, count) in zip(v.indices, v.counts, strict=True) for v in of(who))
        case OverlappingRegions.Witness(_, first, second):
            kinds = ("region", "store") if witness.do == "write" else ("region",)
            shared = _box(witness.shared)
            both = [
                {v.kind for v in of(b) if v.array == error.name and _holds(v.elements, shared)} for b in (first, second)
            ]
            return all({*kinds} <= found for found in both) and (
                witness.do != "write" or _races(module, values, [_numbers(first), _numbers(second)], seconds)
            )
        case RegionTakenTwice.Witness(_, coordinates, who):
            taken = Counter(v.indices for v in of(who) if v.kind == "region" and v.array == error.name)
            return taken[_numbers(coordinates)] > 1
        case NotShownDisjoint.NoSuchRegion(_, block, "divides by zero to find its region"):
            return unwatched(kernel, values, [_numbers(block)], _ignored, seconds) == "O528"
        case NotShownDisjoint.NoSuchRegion(_, block, does):
            outside = (v for v in of(block) if v.kind == "region" and v.outside)
            said = [f"takes region {[*v.indices]} of {' x '.join(map(str, v.counts))}" for v in outside]
            return does in said
        case NotCovered.Witness(_, left):
            made = (v for v in visits(kernel, values, None, seconds) if v.kind == "region" and v.array == error.name)
            return not any(_meet(v.elements, _box(left)) for v in made if not v.outside)
        case _:
            raise ValueError(witness)


def _races(module: ModuleOp, values: list[Any], points: Sequence[tuple[int, ...]], seconds: float) -> bool:
    """Whether the interpreter's watch says that two points race, or do something else first that nobody may do; of
    arrays that are not made, it is not asked."""
    if not all(v.flags.c_contiguous for v in values if isinstance(v, np.ndarray)):
        return True
    values = [v.copy() if isinstance(v, np.ndarray) else v for v in values]
    with runs_of(points, _ignored), patch.object(Compiler, "undefined", _any_number), limited(seconds):
        return ending(Kernel.of(module, checked=True), values, None)[0] not in ("", *REFUSED_AT_LAUNCH)


def _ignored(_: Visit) -> None:
    pass


def replayed(seed: int, number: int, refused: Rejected, figures: Counter[str]) -> Finding | None:
    """A case that was refused: each of its witnesses is run."""
    for error in refused.errors:
        if not _witnesses(error):
            continue
        built = builder_of(seed, number)
        module = built.module()
        try:
            if not replay(built, module, error):
                return Finding(number, f"the witness does not replay\n{refused}", str(module))
            figures["witnesses"] += 1
        except TooSlow:
            figures["slow"] += 1
    return None


def check(seed: int, number: int, figures: Counter[str]) -> Finding | None:
    """One case."""
    built = builder_of(seed, number)
    module = built.module()
    if number % 32 == 0:
        module.verify()  # the generator's own
    try:
        verify(module)
    except Rejected as refused:
        figures["refused"] += 1
        if "O142" in refused.codes:
            return Finding(number, f"the verifiers leave open what they accept: {refused}", str(module))
        figures["unknown"] += all(isinstance(e, NotShownDisjoint) and not _witnesses(e) for e in refused.errors)
        return replayed(seed, number, refused, figures)
    except Exception:  # a verifier that breaks is a finding, too
        return Finding(number, traceback.format_exc(), str(module))
    figures["accepted"] += 1
    try:
        with limited():
            what = wrong(built, module, number)
            if not what and (cut := split_loops(module)) is not module:
                what = wrong(built, cut, number)
                figures["cut"] += 1
    except TooSlow:
        figures["slow"] += 1
        return None
    if not what:
        what = translated(module, CHECKS[number % len(CHECKS)])
        figures["validated"] += not what
    return Finding(number, what, str(module)) if what else None


CHECKS: Final[tuple[Checks, ...]] = (True, "trap", False)


def translated(module: ModuleOp, checks: Checks) -> str:
    """What is wrong with the bytecode of an accepted kernel, its loops cut, as translation validation tells it."""
    try:
        cut = split_loops(module)
        validate(cut, write_bytecode(convert(cut, checks=checks)), Options(checks=checks))
    except (PassFailedException, Rejected) as refused:
        return f"{refused}\nwith checks={checks!r}"
    return ""


def cases(seed: int, numbers: range, seconds: float = 0.0, show: bool = False) -> tuple[Counter[str], list[Finding]]:
    """Some cases: the figures, `done` and the processor's `seconds` among them, and what was found."""
    figures: Counter[str] = Counter()
    found: list[Finding] = []
    start = time.process_time()
    for number in numbers:
        if seconds and time.process_time() - start > seconds:
            break
        figures["done"] += 1
        if show:
            print(builder_of(seed, number).module())
        finding = check(seed, number, figures)
        if finding is not None:
            found.append(finding)
    figures["ms"] = round((time.process_time() - start) * 1e3)
    return figures, found


def in_processes(
    cases: Callable[[range], tuple[Counter[str], list[str]]], ranges: Sequence[range], jobs: int, longest: float
) -> tuple[Counter[str], int]:
    """Figures and the number of findings of cases in new processes; it ends where nothing does for so many seconds."""
    figures: Counter[str] = Counter()
    findings = 0
    with multiprocessing.get_context("spawn").Pool(min(jobs, len(ranges))) as pool:
        done = pool.imap_unordered(cases, ranges)
        for _ in ranges:
            try:
                counted, found = done.next(longest)
            except multiprocessing.TimeoutError:
                print(f"nothing has ended for {longest:g} seconds", flush=True)
                findings += 1
                break
            figures += counted
            findings += len(found)
            for text in found:
                print(text, flush=True)
    return figures, findings


def command_line(about: str | None, cases: int) -> argparse.ArgumentParser:
    """What every fuzzer of numbered cases is asked for: by default `cases` of seed 0, on all cores."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--cases", type=int, default=cases)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    return parser


def main() -> int:
    """The command."""
    parser = command_line(__doc__, 1000)
    parser.add_argument("--seconds", type=float, default=0.0, help="stop after that much of each processor; 0: never")
    parser.add_argument("--show", action="store_true", help="print each kernel, in one process")
    chosen = parser.parse_args()
    figures: Counter[str] = Counter()
    found = 0
    numbers = range(chosen.first, chosen.first + chosen.cases)
    jobs = 1 if chosen.show else max(1, min(chosen.jobs, len(numbers)))
    # With a limit of time a range each, for a process cannot know what the others have used; short ones without.
    size = -(-len(numbers) // jobs) if chosen.seconds or chosen.show else _AT_ONCE
    ranges = [numbers[n : n + size] for n in range(0, len(numbers), size)]
    work = partial(cases, chosen.seed, seconds=chosen.seconds, show=chosen.show)
    with ExitStack() as stack:
        done = map(work, ranges)
        if jobs > 1:
            done = stack.enter_context(multiprocessing.Pool(jobs)).imap_unordered(work, ranges)
        for counted, findings in progress(done, "ranges of cases", len(ranges)):
            figures += counted
            found += len(findings)
            for finding in findings:
                print(f"case {finding.case} of seed {chosen.seed}: {finding.what}\n{finding.text}\n", flush=True)
    print(
        f"{figures['done']} cases of seed {chosen.seed}: {figures['accepted']} accepted, {figures['refused']} refused "
        f"({figures['witnesses']} witnesses replayed, {figures['unknown']} unknown), "
        f"{figures['slow']} too slow, {figures['validated']} translations validated, "
        f"{found} findings, {figures['done'] / max(1, figures['ms']) * 1e3:.0f} cases a second of one core"
    )
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
