"""
`tile-diff`: two modules side by side, up to the names of values and the order of what has no order.

    tile-diff before.mlir after.mlir
    tile-diff kernel.mlir kernel.tileirbc --width 160

Each module is brought into an order of its own: operations that wait for nothing but their operands are sorted by what
they compute, those with effects stay in their order; values are numbered. What then differs is shown beside each
other. With `--names` and `--order` those count, too. The exit status is 0 where the modules are the same, 1 where they
differ, 2 where the command line or a file was wrong or refused.
"""

from __future__ import annotations

import argparse
import hashlib
import heapq
import sys
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING

from freehold.support.diagnostic import Rejected
from freehold.support.span import SourceMap
from freehold.tools import driver, files

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Block, Operation, SSAValue

PROGRAM = "tile-diff"


def argument_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description="Compare two modules up to names and order.")
    parser.add_argument("left", help="text or bytecode; standard input if `-`")
    parser.add_argument("right", help="text or bytecode; standard input if `-`")
    parser.add_argument("--width", type=int, default=0, metavar="N", help="columns to print; as wide as needed if 0")
    parser.add_argument("--context", type=int, default=3, metavar="N", help="equal lines around differences; 3")
    parser.add_argument("--names", action="store_true", help="names of values count")
    parser.add_argument("--order", action="store_true", help="the order of all operations counts")
    parser.add_argument(
        "--split-input-file", action="store_true", help="compare the modules between lines `// -----` in turn"
    )
    driver.add_version(parser)
    return parser


@driver.command(PROGRAM)
def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argument_parser()
    arguments = parser.parse_args(argv)
    if arguments.left == arguments.right == "-":
        parser.error("standard input can be one of both modules")
    sides = [_texts(name, arguments) for name in (arguments.left, arguments.right)]
    differ = len(sides[0]) != len(sides[1])
    for number, (left, right) in enumerate(zip_longest(*sides, fillvalue="")):
        if left != right:
            differ = True
            if number:
                print("// -----")
            print("\n".join(side_by_side(left.splitlines(), right.splitlines(), arguments.context, arguments.width)))
    return int(differ)


def _texts(name: str, arguments: argparse.Namespace) -> list[str]:
    from freehold.tools.processing import Options, told, verify

    data, file = files.read(name, PROGRAM)
    texts: list[str] = []
    for chunk in files.chunks(data, arguments.split_input_file):
        sources = SourceMap()
        try:
            module = files.read_module(chunk, file, PROGRAM, sources)
            verify(module)
        except Rejected as rejected:
            rejected.sources = rejected.sources or sources
            raise
        normalise(module, names=arguments.names, order=arguments.order)
        texts.append(told(module, Options(elide_prefix=True)))
    return texts


def normalise(module: ModuleOp, *, names: bool = False, order: bool = False) -> None:
    """Takes the names of values away, unless `names` count, and sorts operations, unless their `order` counts."""
    if not names:
        for op in module.walk():
            for value in (
                *op.results,
                *(arg for region in op.regions for block in region.blocks for arg in block.args),
            ):
                value.name_hint = None
    if not order:
        _sorted(module, {})


def _sorted(op: Operation, known: dict[SSAValue, str]) -> str:
    """Sorts what is in an operation, and returns a digest of what it is: not of its names, nor of the order inside."""
    parts = [op.name]
    parts += [f"{name}={value}" for name, value in sorted((op.properties | op.attributes).items())]
    parts += [known.get(operand, "?") for operand in op.operands]
    parts += [str(result.type) for result in op.results]
    for region in op.regions:
        for number, block in enumerate(region.blocks):
            for at, argument in enumerate(block.args):
                known[argument] = f"argument {number}.{at} of {'|'.join(parts)}"
            parts += _sort_block(block, known)
    digest = hashlib.sha256("|".join(parts).encode()).hexdigest()
    for at, result in enumerate(op.results):
        known[result] = f"{digest}.{at}"
    return digest


def _sort_block(block: Block, known: dict[SSAValue, str]) -> list[str]:
    """Puts the operations of a block in their order: what is ready, by what it is; what has effects, as it stood."""
    ops = list(block.ops)
    waits: dict[Operation, int] = {}
    unlocks: dict[Operation, list[Operation]] = {op: [] for op in ops}
    inside = set(ops)
    effect: Operation | None = None
    for op in ops:
        needs = {owner for each in op.walk() for value in each.operands if (owner := _in_block(value, inside))} - {op}
        if _has_effects(op):
            needs |= {effect} if effect is not None else set()
            effect = op
        if op is ops[-1]:
            needs |= set(ops[:-1])
        waits[op] = len(needs)
        for need in needs:
            unlocks[need].append(op)
    place = {op: n for n, op in enumerate(ops)}
    ready: list[tuple[str, int]] = []
    digests: list[str] = []
    for op in ops:
        if not waits[op]:
            heapq.heappush(ready, (_sorted(op, known), place[op]))
    result: list[Operation] = []
    while ready:
        digest, number = heapq.heappop(ready)
        result.append(ops[number])
        digests.append(digest)
        for op in unlocks[ops[number]]:
            waits[op] -= 1
            if not waits[op]:
                heapq.heappush(ready, (_sorted(op, known), place[op]))
    if len(result) != len(ops):
        return [_sorted(op, known) for op in ops]  # a graph region with a cycle keeps its order
    for op in result:
        op.detach()
        block.add_op(op)
    return digests


def _in_block(value: SSAValue, inside: set[Operation]) -> Operation | None:
    """The operation of a block that a value comes of; None where it comes of another block."""
    from xdsl.ir import Operation

    owner = value.owner
    return owner if isinstance(owner, Operation) and owner in inside else None


def _has_effects(op: Operation) -> bool:
    from xdsl.traits import is_side_effect_free

    return not is_side_effect_free(op)


def side_by_side(left: Sequence[str], right: Sequence[str], context: int, width: int) -> list[str]:
    """Two texts beside each other, with `|` between lines that differ, `<` and `>` beside those of one text alone."""
    half = (width - 3) // 2 if width else max((len(line) for line in left), default=0)
    lines: list[str] = []
    for group in SequenceMatcher(None, left, right, autojunk=False).get_grouped_opcodes(context):
        lines.append(f"@@ {group[0][1] + 1} | {group[0][3] + 1} @@")
        for kind, a, b, c, d in group:
            for one, other in zip_longest(left[a:b], right[c:d]):
                sign = " " if kind == "equal" else "<" if other is None else ">" if one is None else "|"
                lines.append(f"{(one or '')[:half]:{half}} {sign} {(other or '')[: half if width else None]}".rstrip())
    return lines


if __name__ == "__main__":
    sys.exit(main())
