"""
`tile-reduce`: the smallest module for which a command still fails.

    tile-reduce crash.mlir --test 'tile-opt {} -p canonicalize'
    tile-reduce wrong.mlir --test 'not tile-run {} --arg zeros:f32[8] | grep "1., 1."' --says 'some text' -o small.mlir

Takes operations away in ever smaller groups, puts what is inside a region in the place of the operation around it, and
leaves out attributes, as long as the module verifies and the command fails. With `--says` a failure counts only if the
command's output has that text, so that one fault does not turn into another. The exit status is 0 where the result is
no longer reducible, 1 where the command does not fail on what was read, 2 where the command line or the file was wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from freehold.support.diagnostic import Rejected
from freehold.support.span import SourceMap
from freehold.tools import driver, files

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation, SSAValue

PROGRAM = "tile-reduce"


def argument_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description="Find the smallest module for which a command fails.")
    parser.add_argument("file", nargs="?", default="-", help="text or bytecode; standard input if `-` or left out")
    parser.add_argument("-o", "--output", default="-", metavar="FILE", help="the file to write the result to")
    parser.add_argument(
        "--split-input-file", action="store_true", help="reduce the first module between lines `// -----` that fails"
    )
    parser.add_argument("--test", required=True, metavar="COMMAND", help="what fails, with {} for the file")
    parser.add_argument("--says", default="", metavar="TEXT", help="what the command prints when it fails")
    parser.add_argument("--time-limit", type=float, default=60.0, metavar="SECONDS", help="for one run; 60 if left out")
    parser.add_argument("--no-verify", action="store_true", help="try modules that do not verify, too")
    parser.add_argument("--quiet", action="store_true", help="do not say how far it is")
    driver.add_version(parser)
    return parser


@driver.command(PROGRAM)
def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    from freehold.tools.commands import Check
    from freehold.tools.processing import Options, told

    arguments = argument_parser().parse_args(argv)
    check = Check(arguments.test, arguments.time_limit, arguments.says)
    data, file = files.read_source(arguments.file, PROGRAM, split=arguments.split_input_file)

    def fails(candidate: ModuleOp) -> bool:
        return check.fails(told(candidate, Options()).encode())

    def say(text: str) -> None:
        if not arguments.quiet:
            print(f"{PROGRAM}: {text}", file=sys.stderr)

    status = 0
    chunks = files.chunks(data, arguments.split_input_file)
    modules = (files.read_module(chunk, file, PROGRAM, SourceMap()) for chunk in chunks)
    try:
        module = next(filter(fails, modules), None)
        if module is None:
            print(f"{PROGRAM}: the command does not fail on {file}", file=sys.stderr)
            return 1
        result = reduced(module, fails, verifies=not arguments.no_verify, say=say)
    except Interrupted as interrupted:
        say("interrupted: this is the smallest so far")
        result, status = interrupted.module, 130
    except FileNotFoundError as error:
        print(f"{PROGRAM}: the command cannot be run: {error}", file=sys.stderr)
        return 2
    files.write(arguments.output, told(result, Options()).encode(), PROGRAM)
    return status


class Interrupted(KeyboardInterrupt):
    """Whoever waits for a small module has waited long enough."""

    def __init__(self, module: ModuleOp):
        super().__init__()
        self.module = module
        """The smallest that was found to fail."""


@dataclass
class _Reducer:
    """A module that fails, and how smaller ones are tried."""

    module: ModuleOp
    fails: Callable[[ModuleOp], bool]
    verifies: bool
    tried: int = 0

    def attempt(self, change: Callable[[list[Operation]], bool]) -> bool:
        """Makes a change to a copy, and keeps it if the copy is still a module and still fails."""
        from freehold.tools.processing import verify

        candidate = self.module.clone()
        try:
            if not change(operations(candidate)):
                return False
            if self.verifies:
                verify(candidate)
        except Rejected:
            return False
        self.tried += 1
        if not self.fails(candidate):
            return False
        self.module = candidate
        return True


def operations(module: ModuleOp) -> list[Operation]:
    """The operations of a module, in the order of the text, without the module itself."""
    return list(module.walk())[1:]


def reduced(
    module: ModuleOp,
    fails: Callable[[ModuleOp], bool],
    *,
    verifies: bool = True,
    say: Callable[[str], None] = lambda _: None,
) -> ModuleOp:
    """
    A module that fails and of which nothing more can be taken away by one step; `module` itself is left as it is.

    `verifies`: whether only modules that verify are tried. Raises `Interrupted`.
    """
    state = _Reducer(module, fails, verifies)
    try:
        while True:
            before = _size(state.module)
            _without_operations(state)
            _one_by_one(state, lambda count: ((_inlined, n) for n in reversed(range(count))))
            _one_by_one(state, lambda count: ((_without_attribute, n) for n in range(count)))
            after = _size(state.module)
            say(f"{after[0]} operations, {after[1]} attributes, after {state.tried} runs of the command")
            if after == before:
                return state.module
    except KeyboardInterrupt:
        raise Interrupted(state.module) from None


def _size(module: ModuleOp) -> tuple[int, int]:
    found = operations(module)
    return len(found), sum(len(op.properties) + len(op.attributes) for op in found)


def _without_operations(state: _Reducer) -> None:
    """Takes operations away in groups, the largest first: delta debugging."""
    size = max(1, len(operations(state.module)) // 2)
    while True:
        end = len(operations(state.module))
        while end > 0:
            begin = max(0, end - size)
            state.attempt(lambda found, group=(begin, end): _erase(found[group[0] : group[1]]))
            end = min(begin, len(operations(state.module)))
        if size == 1:
            return
        size //= 2


def _one_by_one(state: _Reducer, steps: Callable[[int], Iterator[tuple[Callable[[Operation], bool], int]]]) -> None:
    for step, number in steps(len(operations(state.module))):
        while state.attempt(lambda found, step=step, number=number: number < len(found) and step(found[number])):
            pass


def _erase(group: Sequence[Operation]) -> bool:
    """Takes operations away, the last first; those whose results have no stand-in stay. Whether any went."""
    from xdsl.traits import IsTerminator

    gone: list[Operation] = []
    for op in reversed(group):
        if op.parent is None or op.has_trait(IsTerminator):
            continue
        if all(_replaced(result, op) for result in op.results):
            gone.append(op)
            op.detach()
            op.erase()
    return bool(gone)


def _replaced(result: SSAValue, op: Operation) -> bool:
    """Gives the uses of a result another value of its type: an operand, or what was there before."""
    if not any(True for _ in result.uses):
        return True
    for value in _before(op):
        if value.type == result.type and value is not result:
            result.replace_all_uses_with(value)
            return True
    return False


def _before(op: Operation) -> Iterator[SSAValue]:
    """Values that are there before an operation: its operands first, then what was computed, nearest first."""
    yield from op.operands
    each: Operation | None = op
    while each is not None and each.parent is not None:
        earlier = each.prev_op
        while earlier is not None:
            yield from earlier.results
            earlier = earlier.prev_op
        yield from each.parent.args
        each = each.parent_op()


def _inlined(op: Operation) -> bool:
    """Puts what is in a region of one block in the place of its operation, whose results are what that ends with."""
    from xdsl.traits import IsTerminator, SymbolOpInterface

    if op.parent is None or op.has_trait(SymbolOpInterface) or not op.regions:
        return False
    for region in op.regions:
        if len(region.blocks) != 1 or region.block.last_op is None:
            continue
        block, last = region.block, region.block.last_op
        ended = list(last.operands) if last.has_trait(IsTerminator) else []
        if [value.type for value in ended[: len(op.results)]] != [result.type for result in op.results]:
            continue
        if not all(_replaced_from(argument, list(op.operands)) for argument in block.args):
            continue
        for result, value in zip(op.results, ended, strict=False):
            result.replace_all_uses_with(value)
        for each in list(block.ops):
            each.detach()
            if each is last and last.has_trait(IsTerminator):
                each.erase()
            else:
                op.parent.insert_op_before(each, op)
        op.detach()
        op.erase()
        return True
    return False


def _replaced_from(value: SSAValue, others: Sequence[SSAValue]) -> bool:
    other = next((other for other in others if other.type == value.type), None)
    if other is None:
        return not any(True for _ in value.uses)
    value.replace_all_uses_with(other)
    return True


def _without_attribute(op: Operation) -> bool:
    """Leaves out the first attribute without which an operation verifies."""
    from xdsl.utils.exceptions import VerifyException

    for held in (op.attributes, op.properties):
        for name in list(held):
            value = held.pop(name)
            try:
                op.verify(verify_nested_ops=False)
            except (VerifyException, KeyError, AttributeError):
                held[name] = value
            else:
                return True
    return False


if __name__ == "__main__":
    sys.exit(main())
