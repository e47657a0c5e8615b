"""
Random trees of sums and products, contracted and not: results keep the bounds of their roundings, and what is exact.

`python test/fuzz/fuzz_contraction.py --cases 1000 --seed 0` ends with one line of figures, and with status 1 if there
was a finding. Of each kernel:

- without contraction it computes what the kernel does as it was written, to the bit;
- with it, every element is as near to the exact result as it could be without;
- on small integers, where nothing is rounded, both are the same;
- a tree less itself is 0, and equals itself, also where one of the two has operands in another order and signs in
  other places, and stands in a branch or in a loop;
- translation validation accepts both, and the first as contracted, too.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from fuzz_meaning import names_of
from written_cases import Outcome, Outcomes, attempted, outcomes, search

from freehold.backend.bytecode.reader import read_bytecode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.ops.arith_float import FmaOp
from freehold.frontend.lower import lower
from freehold.frontend.schedule import PartitionSpec
from freehold.frontend.signature import ScalarSpec, Specialisation, TensorSpec
from freehold.frontend.source import KernelFunction
from freehold.passes.launch_contract import contract, kernel_of
from freehold.passes.pipeline import convert, verify
from freehold.passes.validate_translation import entry_of, validate_translation
from freehold.runtime.interpreter import run as interpret
from freehold.runtime.interpreter import run_entry
from freehold.support import dtypes

Array = np.ndarray[Any, Any]
Tree = tuple[Any, ...]

SECONDS = 30.0
"""What a case may take of a processor."""
BATCH = 50
"""Cases that a process takes at a time."""
TILE: Final = 32
LEAVES: Final[tuple[str, ...]] = ("a", "b", "c", "d")
PRELUDE: Final = "import freehold as fh\nfrom freehold import Out, Ref, f16, f32\n\n\n"
ONES: Final = "fh.where(t == u, 1.0, 0.0)"
MOST: Final = 2.0**10
"""How large a number is in a tree on small integers, so that f16 holds it."""

# --- Trees -----------------------------------------------------------------------------------------------------------
# ("leaf", name), ("number", value), ("named", name, tree), ("-", tree), (operation, tree, tree), ("cast", tree),
# ("where", name, name, tree, tree), where the first tree is taken where the one leaf is less than the other.


class Writer:
    """Writes the kernel of a case."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.named: list[Tree] = []
        """Variables, and what each holds."""

    def tree(self, depth: int) -> Tree:
        """A tree, no number of which can be large."""
        rng = self.rng
        if not depth or rng.random() < 0.1:
            return rng.choice(
                [*self.named * 2, *(("leaf", name) for name in LEAVES), ("number", rng.choice((1, 2, -3)))]
            )
        first, second = self.tree(depth - 1), self.tree(rng.randrange(depth))
        match rng.choice(("*", "*", "*", "+", "+", "-", "-", "negated", "where", "cast", "twice", "max")):
            case "negated":
                return "-", first
            case "where":
                return "where", rng.choice(LEAVES), rng.choice(LEAVES), first, second
            case "cast" if of_tiles(first):
                return "cast", first
            case "twice" | "cast":
                return rng.choice("+-*"), first, self.again(first)
            case "max":
                return "max", first, second
            case "*" if largest(first) * largest(second) > MOST:
                return "-", first, second
            case "+" | "-" if largest(first) + largest(second) > MOST:
                return "max", first, second
            case operation:
                return operation, first, second

    def again(self, tree: Tree) -> Tree:
        """A tree of the same value, up to the sign of zero, however its sums and products are rounded."""
        flip = self.rng.random() < 0.3
        match tree:
            case ("named", _, inner):
                return self.again(inner) if self.rng.random() < 0.5 else tree
            case ("-", inner):
                return ("-", self.again(inner)) if flip else negated(self.again(inner))
            case ("+" | "-" | "*" as operation, first, second):
                first, second = self.again(first), self.again(second)
                if flip and operation == "*":
                    return "*", negated(second), negated(first)
                if flip and operation == "+":
                    return "-", ("-", negated(second), first)
                if flip:
                    return "-", ("+", second, negated(first))
                if operation == "-":
                    return "+", negated(second), first
                return operation, second, first
            case _:
                return tree  # as it is: what is rounded after that is not told apart from others

    def text(self) -> str:
        """The kernel."""
        rng = self.rng
        lines = [f"{', '.join(LEAVES)} = {', '.join(f'{name}_.load_like(y)' for name in LEAVES)}"]
        for number in range(rng.randint(1, 3)):
            tree = self.tree(rng.randint(1, 2))
            lines.append(f"v{number} = {text_of(tree)}")
            self.named.append(("named", f"v{number}", tree))
        self.result = self.tree(rng.randint(2, 4))
        one, other = text_of(self.result), text_of(self.again(self.result))
        if rng.random() < 0.5:
            one, other = other, one
        again = rng.choice(
            (
                [f"u = {other}"],
                ["u = t", "if n > 0:", f"    u = {other}"],
                ["u = t", "for k in range(n):", f"    u = {other}"],
                ["u = t", "for k in range(n):", f"    u = fh.where({other} == {one}, u, 7.0)"],
            )
        )
        lines += [f"t = {one}", *again, "y.store(t)", "z.store(t - u)", f"w.store({ONES})"]
        parameters = ", ".join(f'{name}: Out[f32, "N"]' for name in "yzw")
        parameters += "".join(f', {name}_: Ref[f32, "N"]' for name in LEAVES) + ", n: int"
        return f"{PRELUDE}def kernel({parameters}):\n" + "".join(f"    {line}\n" for line in lines)


def negated(tree: Tree) -> Tree:
    """A tree with the other sign: where there is a sign, without it."""
    return tree[1] if tree[0] == "-" and len(tree) == 2 else ("-", tree)


def of_tiles(tree: Tree) -> bool:
    """Whether a tree is more than a number that the frontend computes."""
    return tree[0] == "leaf" or any(of_tiles(cast("Tree", part)) for part in tree if isinstance(part, tuple))


def largest(tree: Tree) -> float:
    """What no number of a tree is beyond, on integers of up to 2."""
    match tree:
        case ("leaf", _):
            return 2.0
        case ("number", value):
            return abs(value)
        case ("named", _, inner) | ("-", inner) | ("cast", inner):
            return largest(inner)
        case ("*", first, second):
            return largest(first) * largest(second)
        case ("+" | "-", first, second):
            return largest(first) + largest(second)
        case _:
            return max(largest(tree[-2]), largest(tree[-1]))


def text_of(tree: Tree) -> str:
    """A tree in Python."""
    match tree:
        case ("leaf" | "named", name, *_):
            return name
        case ("number", value):
            return f"({float(value)})"
        case ("-", inner):
            return f"(-{text_of(inner)})"
        case ("cast", inner):
            return f"{text_of(inner)}.astype(f16).astype(f32)"
        case ("where", a, b, first, second):
            return f"fh.where({a} < {b}, {text_of(first)}, {text_of(second)})"
        case ("max", first, second):
            return f"fh.maximum({text_of(first)}, {text_of(second)})"
        case (operation, first, second):
            return f"({text_of(first)} {operation} {text_of(second)})"
        case _:
            raise ValueError(tree)


@dataclass
class Near:
    """What a tree is in real numbers, and how far from it any way to round its operations may lead."""

    value: Array
    error: Array

    def rounded(self, bits: int, least: float) -> Near:
        """Rounded to so many bits, or to multiples of the least number."""
        return Near(self.value, self.error + (abs(self.value) + self.error) * 2.0**-bits + least)


def near(tree: Tree, leaves: dict[str, Array]) -> Near:
    """What a tree is of some leaves. Computed in f64, whose own errors are a billionth of what is allowed for."""
    match tree:
        case ("leaf", name):
            return Near(leaves[name].astype(np.float64), np.zeros(TILE))
        case ("number", value):
            return Near(np.full(TILE, float(value)), np.zeros(TILE))
        case ("named", _, inner):
            return near(inner, leaves)
        case ("-", inner):
            found = near(inner, leaves)
            return Near(-found.value, found.error)
        case ("cast", inner):
            return near(inner, leaves).rounded(11, 2.0**-25)
        case _:
            p, q = near(tree[-2], leaves), near(tree[-1], leaves)
    match tree[0]:
        case "where":
            chosen = leaves[tree[1]] < leaves[tree[2]]
            return Near(np.where(chosen, p.value, q.value), np.where(chosen, p.error, q.error))
        case "max":
            return Near(np.maximum(p.value, q.value), np.maximum(p.error, q.error))
        case "*":
            error = abs(p.value) * q.error + abs(q.value) * p.error + p.error * q.error
            return Near(p.value * q.value, error).rounded(24, 2.0**-150)
        case operation:
            value = p.value + q.value if operation == "+" else p.value - q.value
            return Near(value, p.error + q.error).rounded(24, 2.0**-150)


# --- Cases -----------------------------------------------------------------------------------------------------------


def specialisation() -> Specialisation:
    """The arguments of a kernel."""
    outputs = [TensorSpec.plain(dtypes.f32, 1, PartitionSpec((TILE,), (TILE,)))] * 3
    return Specialisation((*outputs, *[TensorSpec.plain(dtypes.f32, 1)] * len(LEAVES), ScalarSpec(dtypes.i32)))


def differs(found: Sequence[Array], wanted: Sequence[Array], what: str) -> None:
    for name, one, other in zip("yzw", found, wanted, strict=True):
        if not np.array_equal(one, other):
            raise AssertionError(f"{what}: `{name}` is {one.tolist()}, and was {other.tolist()}")


def outcome_of(text: str, file: str, writer: Writer, rng: np.random.Generator) -> str:
    """Whether the kernel was contracted. Raises on a finding."""
    module = lower(KernelFunction(names_of(text, file)["kernel"]), specialisation())
    verify(module)
    plain, contracted = convert(module, contract=False), convert(module)
    fused = any(isinstance(op, FmaOp) for op in contracted.walk())
    if any(isinstance(op, FmaOp) for op in plain.walk()):
        raise AssertionError("a sum was contracted, and should not be")
    for lowered, may in ((plain, False), (plain, True), (contracted, True)):
        validate_translation(kernel_of(module), entry_of(read_bytecode(write_bytecode(lowered))), contracted=may)
    for exact in (True, False):
        drawn = rng.integers(-2, 3, (len(LEAVES), TILE)) if exact else rng.uniform(-2, 2, (len(LEAVES), TILE))
        leaves: dict[str, Array] = dict(zip(LEAVES, drawn.astype(np.float32), strict=True))
        results: list[list[Array]] = []
        for lowered in (None, plain, contracted):
            made = [np.zeros(TILE, np.float32) for _ in range(3)]
            if lowered is None:
                interpret(module, [*made, *leaves.values(), 1], checked=True)
            else:
                run_entry(lowered, contract(module), [*made, *leaves.values(), 1], checked=True)
            results.append(made)
        differs(results[1], results[0], "lowered, and not contracted")
        if exact:
            differs(results[2], results[1], "contracted, of small integers")
        y, z, w = results[2]
        if z.any() or not w.all():
            raise AssertionError(f"contracted, a tree is not itself: {z.tolist()}, equal: {w.tolist()}")
        sure = near(writer.result, leaves)
        if (abs(y - sure.value) > sure.error * (1 + 1e-6)).any():
            raise AssertionError(f"contracted, {y.tolist()} is too far from {sure.value.tolist()}")
    return "contracted" if fused else "plain"


def kernel_of_case(seed: int, number: int) -> tuple[str, Writer]:
    """The text of a case's kernel, and who wrote it."""
    writer = Writer(random.Random(f"contraction {seed} {number}"))
    return writer.text(), writer


def attempt(seed: int, number: int) -> Outcome:
    """What became of a case, and what is wrong with it, if anything."""
    text, writer = kernel_of_case(seed, number)
    file, rng = f"<contraction {seed} {number}>", np.random.default_rng((seed, number))
    return attempted(text, file, SECONDS, lambda: (outcome_of(text, file, writer, rng), ""))


def run(seed: int, numbers: range) -> Outcomes:
    """How often each outcome came, and what was found."""
    return outcomes(attempt, seed, numbers)


def told(figures: Counter[str]) -> str:
    """What the last line says of cases that are not findings."""
    return f"{figures['contracted']} contracted, {figures['plain']} with nothing to contract"


def main() -> int:
    """The command line."""
    return search(__doc__, lambda seed, number: kernel_of_case(seed, number)[0], run, BATCH, told)


if __name__ == "__main__":
    sys.exit(main())
