"""
What the analyses say, against a machine of registers: every term of an integer, every fact at an access, every range of
a tile of indices, and what is reached on every path or on some, in random kernels with branches, loops of both kinds,
and exits from them.

`python test/fuzz/fuzz_analyses.py --kernels 100000 --seed 0` ends with a line of figures, and with status 1 if what was
said is not so. `--kernel N` looks at one kernel alone, and prints it. `--fault` puts a fault into the analyses.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Final
from unittest.mock import patch

from xdsl.dialects.builtin import IntegerType, ModuleOp, i32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

sys.path.insert(0, str(Path(__file__).parent))

from fuzz_integers import number
from registers import Undefined, as_signed, as_unsigned, bits_of, content, evaluate, every_operation, width

from freehold.dialects.classes import Kinds
from freehold.dialects.cuda_tile.attrs import SIGNED
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, CmpIOp, MaxIOp, MinIOp
from freehold.dialects.cuda_tile.ops.control_flow import BreakOp, ContinueOp, ForOp, IfOp, LoopOp, YieldOp
from freehold.dialects.cuda_tile.ops.shape import BroadcastOp, ConstantOp, IotaOp, ReshapeOp, SelectOp
from freehold.dialects.cuda_tile.types import TileType, tile
from freehold.dialects.ownership import (
    Access,
    BorrowOp,
    DistributeOp,
    EndOp,
    GatherOp,
    KernelOp,
    LoadOp,
    PartitionOp,
    PartitionType,
    ReturnOp,
    TensorType,
)
from freehold.passes.analysis import arithmetic
from freehold.passes.analysis.facts import KernelFacts, analyse
from freehold.passes.analysis.flow import End, Flags, Flow
from freehold.passes.analysis.ranges import Ranges
from freehold.passes.verify_domains import verify_domains
from freehold.support.integers import Meaning
from freehold.support.progress import progress
from freehold.support.terms import Term

LANES: Final = 8
RUNS: Final = 12
"""Launches that each kernel is looked at in."""
_MOST_STEPS: Final = 4000
_MOST_TURNS: Final = 12


def _is_tile(value: SSAValue) -> bool:
    return isinstance(value.type, TileType) and bool(value.type.dims)


def _scalar(bits: int) -> Any:
    return tile((), IntegerType(bits))


class Builder:
    """Makes a random kernel, `kernel`, with loads and gathers wherever something may be known."""

    def __init__(self, r: random.Random):
        self.r = r
        self.loops: list[tuple[bool, list[int], list[int]]] = []
        """Of each loop around: whether it may be broken, and the widths that `continue` and `break` hand on."""
        tensor = TensorType.of(["N"], i32)
        scalars = [_scalar(r.choice((32, 32, 32, 8, 16, 64, 1))) for _ in range(3)]
        body = Block(arg_types=[tensor, TensorType.of(["M"], i32), *scalars])
        for value, name in zip(body.args, "yxabc", strict=True):
            value.name_hint = name
        tensors: Any = body.args
        partition = PartitionOp(tensors[0], PartitionType.of(Access.MUT, (4,), tensor))
        borrow = BorrowOp(tensors[1])
        self.borrow = borrow.result
        block = Block(arg_types=[_scalar(32)])
        self.values: list[SSAValue] = [*body.args[2:], block.args[0]]
        self.tiles: list[SSAValue] = []
        self.block(block, 3, r.randint(4, 12))
        block.add_op(EndOp())
        body.add_ops([partition, borrow, DistributeOp([partition.result], Region(block)), ReturnOp()])
        self.kernel = KernelOp("k", Region(body))
        self.module = ModuleOp([self.kernel])
        self.module.verify()

    def put(self, block: Block, op: Operation) -> SSAValue:
        """Adds an operation, whose result may be used from here on."""
        op.verify()
        block.add_op(op)
        (self.tiles if _is_tile(op.results[0]) else self.values).append(op.results[0])
        return op.results[0]

    def value(self, block: Block, bits: int) -> SSAValue:
        """Some scalar of a width."""
        known = [v for v in self.values if width(v) == bits]
        if known and self.r.random() < 0.7:
            return self.r.choice(known)
        op = ConstantOp.scalar(number(self.r, bits), IntegerType(bits))
        block.add_op(op)
        return op.result

    def flag(self, block: Block) -> SSAValue:
        """Some condition; most are comparisons."""
        if self.r.random() < 0.25:
            return self.value(block, 1)
        bits = self.r.choice((32, 32, 32, 8, 64))
        pair = self.value(block, bits), self.value(block, bits)
        return self.put(block, _of_kind(self.r, CmpIOp, *pair))

    def compute(self, block: Block) -> None:
        """Some operation on scalars."""
        bits = self.r.choice((32, 32, 32, 32, 8, 16, 64, 1))
        a, b = self.value(block, bits), self.value(block, bits)
        if self.r.random() < 0.1:
            self.put(block, SelectOp(self.flag(block), a, b))
        else:
            self.put(block, _any(self.r, a, b))

    def spread(self, block: Block, bits: int) -> SSAValue:
        """Some tile of a width."""
        r, type_ = self.r, tile((LANES,), IntegerType(bits))
        known = [v for v in self.tiles if width(v) == bits]
        if known and r.random() < 0.7:
            return r.choice(known)
        match r.randint(0, 3):
            case 0:
                return self.put(block, IotaOp(type_))
            case 1:
                return self.put(block, ConstantOp.splat(type_, number(r, bits)))
            case 2:
                numbers = [number(r, bits) for _ in range(LANES)]
                return self.put(block, ConstantOp(DenseElementsAttr.from_values(type_, numbers)))
            case _:
                one = ReshapeOp(self.value(block, bits), (1,))
                block.add_op(one)
                return self.put(block, BroadcastOp(one.results[0], (LANES,)))

    def compute_tile(self, block: Block) -> None:
        """Some operation on tiles, and sometimes a gather."""
        bits = self.r.choice((32, 32, 32, 64, 8, 1))
        a, b = self.spread(block, bits), self.spread(block, bits)
        if self.r.random() < 0.2:
            self.put(block, SelectOp(self.put(block, _of_kind(self.r, CmpIOp, a, b)), a, b))
        else:
            self.put(block, _any(self.r, a, b))
        if width(self.tiles[-1]) in (32, 64):
            block.add_op(GatherOp(self.borrow, [self.tiles[-1]], tile((LANES,), i32)))

    def block(self, block: Block, depth: int, count: int) -> None:
        """Statements."""
        for _ in range(count):
            x = self.r.random()
            if x < 0.5 or depth == 0:
                self.compute(block)
            elif x < 0.62:
                self.compute_tile(block)
            elif x < 0.72:
                self.load(block)
            elif x < 0.86:
                self.branch(block, depth)
            else:
                self.loop(block, depth)
        self.load(block)

    def load(self, block: Block) -> None:
        """A load, at which facts are looked at."""
        block.add_op(LoadOp(self.borrow, [self.value(block, 32)], tile((1,), i32)))

    def inner(self, block: Block, work: Callable[[], None]) -> Region:
        """A region, whose values are not to be seen behind it."""
        values, tiles = list(self.values), list(self.tiles)
        work()
        self.values, self.tiles = values, tiles
        return Region(block)

    def branch(self, block: Block, depth: int) -> None:
        """An `if`, of which one side may leave a loop, and which may yield constants."""
        r, condition = self.r, self.flag(block)
        widths = [r.choice((32, 32, 1, 1, 8)) for _ in range(r.randint(0, 2))]
        leaves = r.randint(0, 1) if self.loops and r.random() < 0.3 else -1
        regions: list[Region] = []
        for n in range(2):
            side = Block()

            def work(side: Block = side, n: int = n) -> None:
                self.block(side, depth - 1, r.randint(0, 4))
                side.add_op(self.exit(side) if n == leaves else YieldOp([self.value(side, w) for w in widths]))

            regions.append(self.inner(side, work))
        op = IfOp(condition, [_scalar(w) for w in widths], *regions)
        block.add_op(op)
        self.values += op.results

    def exit(self, block: Block) -> Operation:
        """A way out of a turn."""
        may_break, continued, broken = self.loops[-1]
        if may_break and self.r.random() < 0.6:
            return BreakOp([self.value(block, w) for w in broken])
        return ContinueOp([self.value(block, w) for w in continued])

    def loop(self, block: Block, depth: int) -> None:
        """A loop of either kind."""
        r, counts = self.r, self.r.random() < 0.6
        bits = r.choice((32, 32, 32, 8, 1))
        carried = [r.choice((32, 32, 8, 1)) for _ in range(r.randint(0, 2))]
        results = carried if counts else [r.choice((32, 32, 1)) for _ in range(r.randint(0, 2))]
        bounds = [self.value(block, bits) for _ in range(3)] if counts else []
        initial = [self.value(block, w) for w in carried]
        body = Block(arg_types=[_scalar(w) for w in ([bits] if counts else []) + carried])

        def work() -> None:
            self.values += body.args
            self.loops.append((not counts, carried, results))
            self.block(body, depth - 1, r.randint(1, 4))
            if not counts:
                self.way_out(body, results)
            self.block(body, 0, r.randint(0, 2))
            kept = zip(body.args[int(counts) :], carried, strict=True)
            body.add_op(ContinueOp([k if r.random() < 0.3 else self.value(body, w) for k, w in kept]))
            self.loops.pop()

        region = self.inner(body, work)
        op: Operation = (
            ForOp(bounds[0], bounds[1], bounds[2], initial, region, unsigned=r.random() < 0.2)
            if counts
            else LoopOp(initial, [_scalar(w) for w in results], region)
        )
        block.add_op(op)
        self.values += op.results

    def way_out(self, body: Block, results: Sequence[int]) -> None:
        """A `break`, so that loops may end."""
        condition, side, other = self.flag(body), Block(), Block()
        region = self.inner(side, lambda: side.add_op(BreakOp([self.value(side, w) for w in results])))
        other.add_op(YieldOp([]))
        body.add_op(IfOp(condition, [], region, Region(other)))


def _any(r: random.Random, a: SSAValue, b: SSAValue) -> Operation:
    """An operation on two values, without promises: those are refused."""
    bits = width(a)
    wider, narrower = ([IntegerType(w) for w in (1, 8, 16, 32, 64) if pick(w)] for pick in (bits.__lt__, bits.__gt__))
    found = every_operation(r, a, b, r.choice(wider or [None]), r.choice(narrower or [None]))
    plain = [op for op in found if "wrap" not in str(op.properties.get("overflow"))]
    plain += [AddIOp(a, b), MinIOp(a, b, SIGNED), MaxIOp(a, b, SIGNED)]
    return r.choice(plain)


def _of_kind(r: random.Random, kind: type[Operation], a: SSAValue, b: SSAValue) -> Operation:
    return next(op for op in every_operation(r, a, b, None, None) if isinstance(op, kind))


class Machine:
    """A point of a launch, worked through; `findings` are what the analyses say and is not so."""

    def __init__(self, facts: KernelFacts, values: dict[SSAValue, Any], extents: dict[str, int]):
        self.facts = facts
        self.values = values
        self.extents = extents
        self.steps = 0
        self.reached: set[Operation] = set()
        """The loads that have been come to."""
        self.findings: list[str] = []

    def known(self) -> dict[str, int]:
        """What symbols are now."""
        return self.extents | {n: self.values[v] for n, v in self.facts.symbols.items() if v in self.values}

    def worth(self, t: Term) -> int | None:
        """What a term is worth now, where it is known."""
        try:
            return int(t.evaluate(self.known()))
        except (KeyError, ZeroDivisionError):
            return None

    def set(self, value: SSAValue, found: int) -> None:
        """A scalar gets a value, which its term has to have, too."""
        self.values[value] = found
        if (t := self.facts.terms.get(value)) is not None and (said := self.worth(t)) is not None and said != found:
            self.findings.append(f"{t} is {said}, and {value} is {found}")

    def hand(self, values: Sequence[int], targets: Sequence[SSAValue]) -> None:
        """Values handed on."""
        for target, value in zip(targets, values, strict=True):
            self.set(target, value)

    def block(self, block: Block) -> tuple[Operation, list[int]]:
        """Works through a block; what ends it, and what that hands on."""
        for op in block.ops:
            self.steps += 1
            if self.steps > _MOST_STEPS:
                raise Undefined
            match op:
                case YieldOp() | ContinueOp() | BreakOp() | EndOp():
                    return op, [self.values[o] for o in op.operands]
                case LoadOp():
                    self.reached.add(op)
                    wrong = (f for f in self.facts.places[op].given.facts if self.worth(f) == 0)
                    self.findings += (f"{fact} does not hold" for fact in wrong)
                case GatherOp():
                    self.gather(op)
                case IfOp():
                    end, values = self.block(op.regions[0 if self.values[op.condition] else 1].block)
                    if not isinstance(end, YieldOp):
                        return end, values
                    self.hand(values, op.results)
                case ForOp():
                    self.count(op)
                case LoopOp():
                    self.repeat(op)
                case _:
                    self.compute(op)
        raise AssertionError

    def compute(self, op: Operation) -> None:
        """An operation on scalars, or on tiles, element by element; an element without a value is None."""
        result = op.results[0]
        if isinstance(op, ConstantOp) and not op.value.is_splat:
            self.values[result] = [int(v) for v in op.value.values()]
        elif isinstance(op, ConstantOp):
            value = content(bits_of(int(op.value.splat_value), width(result)))
            self.values[result] = [value] * LANES if _is_tile(result) else value
        elif isinstance(op, IotaOp):
            self.values[result] = list(range(LANES))
        elif isinstance(op, ReshapeOp):
            self.values[result] = [self.values[op.operands[0]]]
        elif isinstance(op, BroadcastOp):
            self.values[result] = self.values[op.operands[0]] * LANES
        elif _is_tile(result):
            self.values[result] = [
                self.element(op, lane) for lane in zip(*(self.values[o] for o in op.operands), strict=True)
            ]
        else:
            self.set(result, evaluate(op, [self.values[o] for o in op.operands]))

    def element(self, op: Operation, operands: Sequence[int | None]) -> int | None:
        """An element of a tile."""
        numbers = [o for o in operands if o is not None]
        try:
            return evaluate(op, numbers) if len(numbers) == len(operands) else None
        except Undefined:
            return None

    def gather(self, op: GatherOp) -> None:
        """The range of the indices, where the launch is known."""
        index = op.indices[0]
        low, high = (self.worth(t) for t in Ranges(self.facts.terms, self.facts.places[op].given).of(index))
        found = [v for v in self.values[index] if v is not None]
        if low is not None and high is not None and not all(low <= v <= high for v in found):
            self.findings.append(f"{index} is in [{low}, {high}], and is {found}")

    def count(self, op: ForOp) -> None:
        """A counted loop."""
        bits = width(op.lowerBound)
        read = as_signed if op.unsignedCmp is None else as_unsigned
        low, high, step = (read(bits_of(self.values[v], bits)) for v in (op.lowerBound, op.upperBound, op.step))
        if step <= 0 or as_signed(bits_of(self.values[op.step], bits)) <= 0:
            raise Undefined
        carried = [self.values[v] for v in op.initValues]
        for turn in range(_MOST_TURNS + 1):
            if low >= high:
                break
            if turn == _MOST_TURNS:
                raise Undefined
            counter = content(bits_of(low, bits))
            self.values[op.block.args[0]] = counter
            self.hand(carried, op.block.args[1:])
            self.set(op.block.args[0], counter)
            _, carried = self.block(op.block)
            low = read(bits_of(low + step, bits))
        self.hand(carried, op.results)

    def repeat(self, op: LoopOp) -> None:
        """A loop that is broken."""
        carried = [self.values[v] for v in op.initValues]
        for _ in range(_MOST_TURNS):
            self.hand(carried, op.block.args)
            end, carried = self.block(op.block)
            if isinstance(end, BreakOp):
                self.hand(carried, op.results)
                return
        raise Undefined


class Reached:
    """A domain of `Flow`: the loads that are come to on every path so far, and on some."""

    State = tuple[frozenset[Operation], frozenset[Operation]]
    VISITS: ClassVar = Kinds(LoadOp)

    def visit(self, op: Operation, state: State) -> State:
        """Both grow by a load."""
        return (state[0] | {op}, state[1] | {op}) if isinstance(op, LoadOp) else state

    def fork(self, state: State) -> State:
        """States are never changed."""
        return state

    def meet(self, op: Operation, ends: Sequence[End[State]], names: Sequence[SSAValue]) -> State:
        """All of them, and any of them."""
        every, some = ends[0].state
        for end in ends[1:]:
            every, some = every & end.state[0], some | end.state[1]
        return every, some

    def turned(self, loop: ForOp | LoopOp, state: State) -> State:
        """Nothing is forgotten."""
        return state

    def matters(self, flag: SSAValue) -> bool:
        """Some do."""
        return bool(flag.uses) and len(list(flag.uses)) > 2

    def first_turn(self, loop: LoopOp) -> Flags:
        """Any turn is as any other."""
        return frozenset()

    def runs(self, loop: ForOp) -> bool:
        """Any loop may have no turn."""
        return False


def make(seed: int) -> Builder | None:
    """A kernel; None where it is none."""
    try:
        made = Builder(random.Random(seed))
    except VerifyException:
        return None
    return None if verify_domains(made.kernel) else made


def check(made: Builder, r: random.Random) -> list[str]:
    """What the analyses say of a kernel that is not so, in some launches."""
    kernel = made.kernel
    facts = analyse(kernel)
    (distribution,) = (op for op in kernel.body.block.ops if isinstance(op, DistributeOp))
    work = distribution.body.block
    nothing: Reached.State = (frozenset(), frozenset())
    ends = Flow(kernel, Reached()).block(work, {frozenset(): nothing})
    for _ in range(RUNS):
        extents = {"N": r.choice((1, 2, 3, 5, 8, 17, 2**24, r.randint(1, 40))), "M": r.choice((1, 4, 9, 2**31 - 1))}
        points = distribution.extents[0].evaluate(extents)
        values: dict[SSAValue, Any] = {a: number(r, width(a)) for a in kernel.body.block.args[2:]}
        values[work.args[0]] = r.randrange(points)
        machine = Machine(facts, values, extents)
        with suppress(Undefined):
            machine.block(work)
            if not any(every <= machine.reached <= some for _, (every, some), _ in ends):
                machine.findings.append(f"no path comes to the {len(machine.reached)} loads that were reached")
        if machine.findings:
            return machine.findings
    return []


def _all_signed(meaning: Meaning) -> tuple[bool, ...]:
    return tuple(True for _ in _READINGS(meaning))


def _all_unsigned(meaning: Meaning, operands: list[Term]) -> Term | None:
    return _OF_TRUTHS(replace(meaning, signed=False), operands)


def _fits(_ranges: Ranges, _found: object, _value: object) -> bool:
    return True


_READINGS: Final = Meaning.readings
_OF_TRUTHS: Final[Callable[..., Term | None]] = vars(arithmetic)["_of_truths"]


def _no_branch(_flow: Flow[Any], condition: SSAValue, value: int) -> frozenset[tuple[SSAValue, int]]:
    return frozenset({(condition, 1 - value)})


FAULTS: Final[dict[str, Callable[[], AbstractContextManager[object]]]] = {
    "all numbers are signed": lambda: patch.object(Meaning, "readings", _all_signed),
    "truth values have no sign": lambda: patch.object(arithmetic, "_of_truths", _all_unsigned),
    "branches are taken the other way": lambda: patch.object(Flow, "_learnt", _no_branch),
    "tiles do not wrap": lambda: patch.object(Ranges, "_fits", _fits),
}
"""By name: what puts a fault in."""


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernels", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kernel", type=int, default=None)
    parser.add_argument("--fault", choices=FAULTS, default=None)
    parser.add_argument("--first", action="store_true", help="stop at the first finding")
    options = parser.parse_args()
    r, kernels, findings = random.Random(options.seed), 0, 0
    with FAULTS[options.fault]() if options.fault else nullcontext():
        for _ in progress(range(1 if options.kernel is not None else options.kernels), "kernels"):
            seed = r.getrandbits(40) if options.kernel is None else options.kernel
            if (made := make(seed)) is None:
                continue
            kernels += 1
            found = check(made, random.Random(seed))
            findings += bool(found)
            for text in found[:1]:
                print(f"kernel {seed}: {text}")
            if options.kernel is not None:
                print(made.module)
            if found and options.first:
                break
    print(f"{kernels} kernels, {RUNS * kernels} runs, {findings} findings")
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
