"""
Programs that nobody wrote, and small ones, each by its number, and a row of a table for each: what the passes say of
it, make of it.

A row has what came out in short, and for each text how many lines it has, and its digest. `python
test/passes/lowering/corpora.py kernels 17` prints the texts themselves, to be compared with those of another commit.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import fields as dataclass_fields
from functools import cache
from pathlib import Path
from typing import Final, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

sys.path.insert(0, str(Path(__file__).parents[2] / "fuzz"))

import fuzz_analyses
from flow_programs import module_of, program
from fuzz_ownership import builder_of
from mutant_corpus import corpus
from mutation_operators import OPERATORS
from said import facts_of, origins, row, said
from written_lines import MIDDLES, lowered

from freehold.dialects.cuda_tile.text import print_module
from freehold.dialects.ownership import DistributeOp, LoadOp
from freehold.passes.analysis.facts import analyse
from freehold.passes.analysis.flow import Flow
from freehold.passes.analysis.tile_meaning import tile_meaning
from freehold.passes.launch_contract import kernel_of
from freehold.passes.pipeline import convert
from freehold.passes.validate_translation import entry_of, validate_translation
from freehold.passes.verify_tokens import roles_of, verify_tokens
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module
from freehold.tools.pipeline_text import parse_pipeline

PIPELINES: Final = (
    "canonicalize",
    "canonicalize{fold-integers=false}",
    "loop-split",
    "cse",
    "hoist-invariants",
    "cse,hoist-invariants,canonicalize,loop-split",
)
Row = tuple[str, dict[str, str]]
"""What came out, and all texts."""

SEED: Final = 20


def reread(module: ModuleOp) -> ModuleOp:
    """A module of its own text: each operation has its line as its place."""
    return parse_module(make_context(), str(module), "kernel.mlir")


def kernel(number: int) -> Row:
    """A random ownership kernel: what `verify` says of it, and what is made of it."""
    return said(reread(builder_of(SEED, number).module()))


FROM_ELSEWHERE: Final = ("library", "add", "saxpy", "gemm")
"""Kernels that are changed for their speed, and would change these tables each time."""


@cache
def originals() -> dict[str, str]:
    """The kernels that are damaged, as text."""
    return {case.name: str(case.make()) for case in corpus() if not case.name.startswith(FROM_ELSEWHERE)}


@cache
def sites() -> dict[str, list[tuple[str, int]]]:
    """By operator, where it can damage which kernels."""
    found: dict[str, list[tuple[str, int]]] = {operator: [] for operator in OPERATORS}
    for name, text in originals().items():
        module = parse_module(make_context(), text, "kernel.mlir")
        for operator, places in OPERATORS.items():
            found[operator] += [(name, n) for n, _ in enumerate(places(module))]
    return {operator: places for operator, places in found.items() if places}


def mutant(number: int) -> Row:
    """An accepted kernel that is damaged in one place: by the operators in turn, somewhere."""
    operators = [*sites()]
    operator = operators[number % len(operators)]
    name, site = random.Random(SEED + number).choice(sites()[operator])
    module = parse_module(make_context(), originals()[name], "kernel.mlir")
    change = [*OPERATORS[operator](module)][site]
    what = f"{name}: {operator}:"
    try:
        change()
        module.verify()
    except VerifyException as broken:
        return f"{what} {broken}", {}
    verdict, texts = said(module)
    return f"{what} {verdict}", texts


def analysed(number: int) -> Row:
    """A random kernel full of integers: the terms, the facts, the ranges of indices, and what may be reached."""
    made = fuzz_analyses.make(random.Random(SEED + number).getrandbits(40))
    if made is None:
        return "no kernel", {}
    facts = analyse(made.kernel)
    (distribution,) = (op for op in made.kernel.walk() if isinstance(op, DistributeOp))
    nothing: fuzz_analyses.Reached.State = (frozenset(), frozenset())
    ends = Flow(made.kernel, fuzz_analyses.Reached()).block(distribution.body.block, {frozenset(): nothing})
    order = [op for op in made.kernel.walk() if isinstance(op, LoadOp)]
    ways = [f"{len(flags)} {_chosen(every, order)} {_chosen(some, order)}" for flags, (every, some), _ in ends]
    return f"{len(order)} loads, {len(ways)} ways", {"facts": facts_of(made.kernel, facts), "ways": "\n".join(ways)}


def _chosen(ops: Collection[Operation], order: Sequence[Operation]) -> list[int]:
    return [n for n, op in enumerate(order) if op in ops]


def entry(number: int) -> Row:
    """A random entry with branches and loops in each other: what each pass leaves of it."""
    texts: dict[str, str] = {}
    counts: list[str] = []
    context, written = module_of(program(SEED + number))
    before = print_module(written)
    for pipeline in PIPELINES:
        module = written.clone()
        for each in parse_pipeline(pipeline):
            each.apply(context, module)
        after = print_module(module)
        texts[pipeline] = "" if after == before else after
        counts.append(str(sum(1 for _ in module.walk())))
    return " ".join(counts), texts


def line(number: int) -> Row:
    """A kernel that somebody might write, with one thing in the middle; what is made of it is shown to be right."""
    module = lowered(number)
    verdict, texts = said(module)
    kernel = kernel_of(module)
    checks, contracted = (True, True) if number % 2 else ("trap", False)
    code = convert(module, checks=checks, contract=contracted)
    entry = entry_of(code)
    validate_translation(kernel, entry, checks, contracted=contracted)
    verify_tokens(entry, roles_of(kernel))
    if number % 2:
        for each in parse_pipeline(PIPELINES[-1]):
            each.apply(make_context(), code)
    texts |= {"tidied" if number % 2 else "trapped": str(code), "origins": origins(code)}
    asked = tile_meaning(kernel, (4, 8), {"M": 64, "N": 96, "K": 96, "L": 128, "P": 40, "Q": 64})
    compared = {f.name for f in dataclass_fields(asked) if f.compare}
    fields = cast("dict[str, bool | set[object]]", {k: v for k, v in vars(asked).items() if k in compared})
    texts["tiles"] = str({k: v if isinstance(v, bool) else sorted(map(str, v)) for k, v in fields.items()})
    return f"{' / '.join(each.strip() for each in MIDDLES[number].split(chr(10)))}: {verdict}", texts


CORPORA: Final[dict[str, tuple[Callable[[int], Row], int]]] = {
    "kernels": (kernel, 60),
    "mutants": (mutant, 76),
    "analysed": (analysed, 90),
    "entries": (entry, 40),
    "lines": (line, len(MIDDLES)),
}
"""By name, how a row comes about, and how many there are."""


def table(name: str) -> str:
    """All rows of a corpus."""
    make, count = CORPORA[name]
    return "\n".join(row(number, *make(number)) for number in range(count))


if __name__ == "__main__":
    verdict, texts = CORPORA[sys.argv[1]][0](int(sys.argv[2]))
    print(verdict)
    for key, text in texts.items():
        print(f"--- {key}\n{text}")
