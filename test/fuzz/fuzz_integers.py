"""
One operation on integers at a time, against a second definition of them all (`registers.py`): the table of meanings,
constant folding, the interpreter, and the normal form that validation computes.

`python test/fuzz/fuzz_integers.py --rounds 20000 --seed 0` ends with a line of figures, and with status 1 if something
disagreed. A round is every operation once, on two numbers of one width.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Block, Operation, SSAValue

sys.path.insert(0, str(Path(__file__).parent))

from registers import WIDTHS, Undefined, bits_of, content, evaluate, every_operation

from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.folding import fold, literal
from freehold.dialects.cuda_tile.integers import meaning_of, width_of
from freehold.dialects.cuda_tile.ops.shape import ConstantOp
from freehold.dialects.cuda_tile.types import tile
from freehold.passes.analysis.machine_integers import Integers
from freehold.passes.analysis.tile_values import Values
from freehold.runtime.interpreter.compile import Compiler
from freehold.runtime.interpreter.table import PURE
from freehold.support import terms
from freehold.support.diagnostic import Rejected
from freehold.support.progress import progress
from freehold.support.terms import Term

EXTREME = (0, 1, 2, 3, 7, 8, 31, 32, 63, 64, -1, -2, -3, 127, -128, 128, 255)


def number(r: random.Random, width: int) -> int:
    """What a register may hold; often an end of something."""
    choice = r.choice((*EXTREME, 1 << (width - 1), (1 << (width - 1)) - 1, r.getrandbits(width)))
    return content(bits_of(choice, width))


def meant(op: Operation, contents: list[int]) -> int | None:
    """The result by the second definition; None where there is none."""
    try:
        return evaluate(op, contents)
    except Undefined:
        return None


def by_table(op: Operation, contents: list[int]) -> int | None:
    """What the table says."""
    meaning = meaning_of(op)
    assert meaning is not None
    return meaning(*contents)


def by_folding(op: Operation) -> int | None:
    """What an operation on constants folds to."""
    result = fold(op)
    if result is None:
        return None
    (found,) = result
    value = literal(found) if isinstance(found, SSAValue) else found
    assert isinstance(value, DenseElementsAttr)
    return int(value.splat_value)


def by_interpreter(op: Operation, contents: list[int]) -> int | None:
    """What the interpreter makes of it in checked mode."""
    kinds: dict[int, Any] = {1: np.bool_, 8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}
    arrays = [np.array([c], kinds[width]) for c, width in zip(contents, _widths(op), strict=True)]
    try:
        with np.errstate(all="ignore"):
            return int(PURE[op.name](op, Compiler({}, {}, checked=True))(*arrays)[0])
    except Rejected:
        return None


def by_normal_form(op: Operation, contents: list[int], known: list[bool]) -> int | None:
    """What validation computes, where it computes a number: of literals, or of unknown numbers of the width."""
    integers, names = Integers(), dict[str, int]()
    values = Values(integers, {})
    for n, (operand, value, width) in enumerate(zip(op.operands, contents, _widths(op), strict=True)):
        found: Term = terms.const(value) if known[n] else integers.unknown(n, width)
        names |= {} if known[n] else {found.name: value}
        values.define(operand, found)
    result = values.at(op.results[0], ())
    return result.evaluate(names) if result.symbols() <= names.keys() else None


def _widths(op: Operation) -> list[int]:
    return [width_of(operand.type) or 0 for operand in op.operands]


def check(r: random.Random) -> list[str]:
    """What disagrees in a round."""
    width = r.choice(WIDTHS)
    a, b = number(r, width), number(r, width)
    kind = IntegerType(width)
    constants = [ConstantOp.scalar(x, kind).result for x in (a, b)]
    arguments = Block(arg_types=[tile((), kind)] * 2).args
    wider = r.choice([IntegerType(w) for w in WIDTHS if w > width] or [None])
    narrower = r.choice([IntegerType(w) for w in WIDTHS if w < width] or [None])
    seed = r.random()
    found: list[str] = []
    operations = [every_operation(random.Random(seed), x, y, wider, narrower) for x, y in (constants, [*arguments])]
    for op, symbolic in zip(*operations, strict=True):
        contents = [a, b][: len(op.operands)]
        wanted = meant(op, contents)
        results = {"table": by_table(op, contents), "interpreter": by_interpreter(op, contents)}
        if op.operands[0] is not op.operands[-1] or len(op.operands) == 1:
            results["folding"] = by_folding(op)
        known = [r.random() < 0.5 for _ in op.operands]
        normal = None if wanted is None else by_normal_form(symbolic, contents, known)
        if normal is not None:
            results["normal form"] = normal
        # What is undefined may fold to anything: an identity that holds for what is defined.
        wrong = {k: v for k, v in results.items() if v != wanted and not (k == "folding" and wanted is None)}
        found += [f"{op.name} {op.properties} of i{width} {contents}: {wanted}, but {wrong}"] if wrong else []
    return found


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    r = random.Random(options.seed)
    findings = 0
    for _ in progress(range(options.rounds), "rounds"):
        for text in check(r):
            findings += 1
            print(text)
    print(f"{options.rounds} rounds of every operation, {findings} findings")
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
