"""
Ownership IR as text, damaged at random: each text is refused with a code, by the parser, the operations or the
verifiers, or accepted; then it prints as text that is read as the same module, its bytecode passes validation, and it
runs in the interpreter's checked mode on small launches without breaking a promise. Anything else is a finding.

`python test/fuzz/fuzz_text.py --cases 100000 --seed 0` ends with one line of figures, and with status 1 if there was a
finding. Case `n` of a seed is the same text in every run: `--first n --cases 1 --show` prints it.
"""

from __future__ import annotations

import multiprocessing
import random
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from xdsl.dialects.builtin import ModuleOp

sys.path.insert(0, str(Path(__file__).parent))

from fuzz_ownership import CHECKS, Finding, TooSlow, builder_of, command_line, limited, translated
from mutants import UNSAFE

from freehold.dialects.cuda_tile import TileType
from freehold.dialects.ownership import KernelOp, TensorType, kernels_of
from freehold.dialects.ownership.ops.unsafe import UnsafeOp
from freehold.passes.drop_breakpoints import drop_breakpoints
from freehold.passes.pipeline import verify
from freehold.runtime.interpreter.elements import element_of
from freehold.runtime.interpreter.launch import Kernel
from freehold.support.diagnostic import Rejected
from freehold.support.progress import progress
from freehold.tools import tile_opt
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

ROOT: Final = Path(__file__).parents[2]
SECONDS: Final = 20.0
"""What a case may take of a processor."""
RUNS: Final = 0.4
"""What its launches may take together; those that take longer decide nothing."""
AT_ONCE: Final = 100
GENERATED: Final = 60
"""Kernels of the corpus that `fuzz_ownership` makes."""
SIZES: Final = ((3, 0), (8, 1), (5, -1), (16, 2**31 - 1))
"""Launches: what extents are, or one more or less, and scalars."""
LARGEST: Final = 1 << 16
"""Elements of an array that is made."""
WORD: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|[%@^!#]?[A-Za-z_][\w.$-]*|%\d+|\d+|->|//[^\n]*|[^\s\w]')
NUMBERS: Final = (
    "0",
    "1",
    "2",
    "3",
    "-1",
    "7",
    "127",
    "128",
    "2147483647",
    "2147483648",
    "9223372036854775808",
    "1" * 40,
)


@cache
def corpus() -> tuple[str, ...]:
    """Texts with kernels: those of the suites and examples, chunk by chunk, and some that were made at random."""
    files = [ROOT / "examples" / "gemm.mlir"]
    for folder in ("passes", "dialects/ownership", "tools"):
        files += sorted((ROOT / "test" / "lit" / folder).glob("*.mlir"))
    chunks = [chunk for file in files for chunk in file.read_text(encoding="utf-8").split("// -----")]
    bare = [re.sub(r"^\s*//.*\n", "", chunk, flags=re.MULTILINE) for chunk in chunks]
    made = [str(builder_of(0, number).module()) for number in range(GENERATED)]
    return tuple(text for text in (*bare, *made) if "ownership.kernel" in text)


@cache
def words() -> tuple[str, ...]:
    """What texts consist of, each once."""
    return tuple(sorted({word for text in corpus() for word in WORD.findall(text)}))


@cache
def lines() -> tuple[str, ...]:
    """The lines of all texts."""
    return tuple(sorted({line for text in corpus() for line in text.splitlines() if line.strip()}))


def kind(word: str) -> str:
    """Words of one kind may stand in each other's place."""
    return "number" if word.isdigit() else "name" if word[0].isalpha() else word[0]


def text_of(seed: int, number: int) -> tuple[str, random.Random]:
    """The text of a case, and what its launches are drawn from."""
    rng = random.Random(f"text {seed} {number}")
    text = rng.choice(corpus())
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 6))):
        text = damaged(text, rng)
    return text, rng


def damaged(text: str, rng: random.Random) -> str:
    """A text with one change: of a word, mostly, or of lines."""
    if rng.random() < 0.25:
        return _lines_changed(text, rng)
    found = list(WORD.finditer(text))
    if not found:
        return text
    chosen = rng.choice(found)
    word = chosen[0]
    alike = [other[0] for other in found if kind(other[0]) == kind(word)]
    match rng.randrange(10):
        case 0:
            new = ""
        case 1:
            new = f"{word} {rng.choice(words())}"
        case 2:
            new = rng.choice(words())
        case 3:
            new = rng.choice([w for w in words() if kind(w) == kind(word)] or [word])
        case _ if word.isdigit() and rng.random() < 0.6:
            new = rng.choice((*NUMBERS, str(int(word) + 1), str(int(word) * 2), str(int(word) - 1)))
        case _:
            new = rng.choice(alike)
    return text[: chosen.start()] + new + text[chosen.end() :]


def _lines_changed(text: str, rng: random.Random) -> str:
    """A line left out, doubled, moved, or one of another text put in."""
    all_lines = text.splitlines() or [""]
    n, m = rng.randrange(len(all_lines)), rng.randrange(len(all_lines))
    match rng.randrange(4):
        case 0:
            del all_lines[n]
        case 1:
            all_lines.insert(n, all_lines[n])
        case 2:
            all_lines.insert(m, all_lines.pop(n))
        case _:
            all_lines.insert(n, rng.choice(lines()))
    return "\n".join(all_lines)


def launches(op: KernelOp, rng: random.Random) -> Iterator[list[Any]]:
    """Arguments for a kernel, for a few launches; none for one with arrays that are too large to make."""
    for size, scalar in SIZES:
        extents: dict[str, int] = {}
        given: list[Any] = []
        for argument in op.body.block.args:
            match argument.type:
                case TensorType() as type_:
                    for name in sorted({name for e in type_.extents for name in e.symbols()}):
                        extents.setdefault(name, max(1, size + rng.randrange(-1, 2)))
                    shape = [e.evaluate(extents) for e in type_.extents]
                    if min(shape, default=1) < 0 or np.prod(shape, dtype=object) > LARGEST:
                        return
                    given.append(np.zeros(shape, element_of(type_.element).dtype))
                case TileType() as type_:
                    dtype = element_of(type_.element_type).dtype
                    number = np.array(scalar).astype(dtype)
                    given.append(number.item())
                case _:
                    return
        yield given


def wrong(op: KernelOp, rng: random.Random) -> str:
    """The promise that a launch of an accepted kernel breaks, or nothing."""
    if any(isinstance(each, UnsafeOp) for each in op.walk()):
        return ""
    op = op.clone()
    drop_breakpoints(op)  # nobody is there to be asked
    kernel = Kernel.of(ModuleOp([op]), checked=True)  # its name may be another one's, too, in another module
    said: list[str] = []
    for given in launches(op, rng):
        try:
            kernel.run(given, blocks=3, order=rng.choice(("increasing", "decreasing", 3)), write=said.append)
        except Rejected as refused:
            if refused.codes[0] in UNSAFE:
                return f"{refused}\nwhere {[np.shape(value) or value for value in given]}"
    return ""


def outcome_of(text: str, rng: random.Random, figures: Counter[str]) -> str:
    """What is wrong with what becomes of a text, or nothing. Raises whatever is raised besides `Rejected`."""
    try:
        module = parse_module(make_context(), text, "case.mlir")
        tile_opt.verify(module)
        printed = str(module)
        again = parse_module(make_context(), printed, "again.mlir")
        if str(again) != printed:
            return f"it is printed as another module: {printed}"
        verify(module)
    except Rejected as refused:
        figures[refused.codes[0]] += 1
        str(refused)
        return ""
    figures["accepted"] += 1
    for op in kernels_of(module):
        try:
            with limited(RUNS):
                if what := wrong(op, rng):
                    return what
        except TooSlow:
            figures["slow"] += 1
    if len(list(kernels_of(module))) == 1 and (what := translated(module, rng.choice(CHECKS))):
        return what
    return ""


def check(seed: int, number: int, figures: Counter[str]) -> Finding | None:
    """One case."""
    text, rng = text_of(seed, number)
    figures["done"] += 1
    try:
        with limited(SECONDS):
            what = outcome_of(text, rng, figures)
    except TooSlow:
        what = f"takes more than {SECONDS:g} s"
    except Exception:  # of ours, whichever it is
        what = traceback.format_exc()
    return Finding(number, what, text) if what else None


def cases(seed: int, numbers: Sequence[int]) -> tuple[Counter[str], list[Finding]]:
    """Some cases: the figures, milliseconds of the processor among them, and what was found."""
    figures: Counter[str] = Counter()
    start = time.process_time()
    found = [finding for number in numbers if (finding := check(seed, number, figures)) is not None]
    figures["ms"] = round((time.process_time() - start) * 1e3)
    return figures, found


def main() -> int:
    """The command."""
    parser = command_line(__doc__, 1000)
    parser.add_argument("--show", action="store_true", help="print each text")
    chosen = parser.parse_args()
    numbers = range(chosen.first, chosen.first + chosen.cases)
    if chosen.show:
        print("\n// -----\n".join(text_of(chosen.seed, number)[0] for number in numbers))
    ranges = [numbers[n : n + AT_ONCE] for n in range(0, len(numbers), AT_ONCE)]
    figures: Counter[str] = Counter()
    found = 0
    work = partial(cases, chosen.seed)
    with multiprocessing.Pool(min(chosen.jobs, len(ranges))) as pool:
        done: Iterable[tuple[Counter[str], list[Finding]]] = pool.imap_unordered(work, ranges)
        ended = map(work, ranges) if chosen.jobs == 1 else done
        for counted, findings in progress(ended, "ranges of cases", len(ranges)):
            figures += counted
            found += len(findings)
            for finding in findings:
                print(f"case {finding.case} of seed {chosen.seed}: {finding.what}\n{finding.text}\n", flush=True)
    codes = sorted(code for code in figures if re.fullmatch(r"O\d+", code))
    print(", ".join(f"{code}: {figures[code]}" for code in codes))
    print(
        f"{figures['done']} cases of seed {chosen.seed}: {figures['accepted']} accepted, "
        f"{sum(figures[code] for code in codes)} refused with {len(codes)} codes, {figures['slow']} too slow, "
        f"{found} findings, {figures['done'] / max(1, figures['ms']) * 1e3:.0f} cases a second of one core"
    )
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
