"""Random kernels that own parts of tensors: windows at a position, groups that offsets bound; grids that a scalar
bounds; and kernels that check.

They are built from the same statements as `ownership_kernels`, with some more: `["look", coordinates]` loads from the
window that is lent, `["own", relation, counted, group, coordinates]` takes a region of a group where `coordinates[0]`
is related to the number of regions of group `counted`, and `["check", relation, a, b]` asserts.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from kernel_builder import OTHERS, SIGNED, Builder, blocks_of, order_of, tensor
from ownership_kernels import I, J, K, Maker, Node, S, const, load, loop, take, when
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Block, Region, SSAValue

from freehold.dialects.cuda_tile import TileType
from freehold.dialects.cuda_tile.ops.arith_int import CmpIOp
from freehold.dialects.cuda_tile.ops.control_flow import IfOp, YieldOp
from freehold.dialects.cuda_tile.ops.shape import ReshapeOp
from freehold.dialects.ownership import (
    BorrowOp,
    CheckOp,
    DimOp,
    DistributeOp,
    GroupTilesOp,
    KernelOp,
    LoadOp,
    PartitionOp,
    PartitionType,
    RegionOp,
    ReturnOp,
    TensorType,
    WindowOp,
)
from freehold.dialects.ownership.ops import INDEX

LONG: Node = ("long",)
"""The length of the window that is written."""
L: Node = ("point", 2)


def has_parts(seed: int, number: int) -> bool:
    """Whether a case is a kernel with parts: one in eight."""
    return random.Random(f"parts {seed} {number}").random() < 1 / 8


def own(group: Node, *coordinates: Node, counted: Node | None = None, relation: str = "less_than") -> Node:
    """Takes a region of a group if there is such a one, and stores to it."""
    return ["own", relation, group if counted is None else counted, group, list(coordinates)]


def look(*coordinates: Node) -> Node:
    return ["look", list(coordinates)]


_ONE: dict[str, Node] = {
    "rank": 1,
    "tile": [2, 2],
    "step": [2, 2],
    "access": "out",
    "second": "",
    "order": "row",
    "blocks": "each",
}
"""A partition of rank 1."""


def _windows() -> list[dict[str, Node]]:
    """Kernels that write through a window, and are right."""
    one = _ONE
    mut, two = {**one, "access": "mut"}, {**one, "rank": 2}
    inner, zero = ("tiles", 1), const(0)
    lent = {"use": "lend", "start": zero, "length": "4"}
    return [
        {**one, "start": S, "body": [take(I)]},
        {**two, "start": S, "body": [take(I, J), loop(inner, load(I, K))]},
        {**mut, "start": ("memory", 0), "body": [take(I), ["check", "less_than", I, ("grid", 0)]]},
        {**mut, "start": const(4), "other": lent, "body": [take(I), look(zero)]},
        {**one, "start": LONG, "other": {**lent, "length": "M"}, "body": [take(I), look(I)]},
        {**mut, "start": zero, "other": {**lent, "start": LONG}, "body": [take(I), loop(const(2), look(K))]},
        {
            **mut,
            "start": zero,
            "other": {"use": "split", "start": LONG, "length": "M"},
            "body": [take(I), take(I, partition=1)],
        },
        {**mut, "start": S, "body": [when("less_than", I, const(2), [take(I)], [take(I)])]},
        {**one, "fixed": "s", "start": const(1), "body": [take(I)]},
        {
            **two,
            "fixed": "s",
            "start": zero,
            "other": {**lent, "start": S, "length": "M"},
            "body": [take(I, J), look(I)],
        },
        {**mut, "start": S, "other": {**lent, "length": "s"}, "body": [take(I), look(zero)]},
    ]


def _groups() -> list[dict[str, Node]]:
    """Kernels that own regions of groups, and are right."""
    one = {**_ONE, "groups": True}
    mut, two = {**one, "access": "mut"}, {**one, "rank": 2}
    tall, few, wide = ["G", "ceildiv(M, 2)"], ["G", "2"], ["G", "ceildiv(M, 2)", "ceildiv(N, 2)"]
    inner = ("tiles", 1)
    return [
        {**one, "domain": tall, "body": [own(I, J)]},
        {**mut, "domain": ["G", "s"], "body": [own(I, J)]},
        {**one, "domain": few, "body": [own(I, J), ["check", "less_than", J, const(2)]]},
        {**two, "domain": wide, "body": [own(I, J, L)]},
        {**mut, "domain": tall, "body": [own(I, J), loop(inner, load(J, K))]},
        {**mut, "domain": tall, "body": [when("less_than", I, const(1), [own(I, J)], [own(I, J)])]},
    ]


def _grids() -> list[dict[str, Node]]:
    """Kernels over a grid of their own, which are right."""
    out, mut = _ONE, {**_ONE, "access": "mut"}
    two = {**mut, "rank": 2}
    rows, inner, zero = ("grid", 0), ("tiles", 1), const(0)
    return [
        {**out, "domain": ["ceildiv(M, 2)"], "body": [take(I)]},
        {**mut, "domain": ["s"], "body": [when("less_than", I, rows, [take(I)], [])]},
        {**mut, "domain": ["ceildiv(s, 2)"], "body": [when("less_than", I, rows, [take(I)], [load(zero, zero)])]},
        {**two, "domain": ["s", "ceildiv(N, 2)"], "body": [when("less_than", I, rows, [take(I, J)], [])]},
        {**mut, "domain": ["ceildiv(M, 2)", "s"], "body": [when("equal", J, zero, [take(I)], [])]},
        {**out, "domain": ["ceildiv(M, 2)"], "body": [take(I), loop(("mini", S, inner), load(I, K))]},
        {**mut, "domain": ["s"], "body": [["check", "less_than", I, rows], take(I)]},
        {**two, "domain": ["s"], "body": [when("less_than", I, rows, [loop(("mini", S, rows), take(I, K))], [])]},
    ]


def right() -> list[dict[str, Node]]:
    """Kernels that are right."""
    return [*_windows(), *_groups(), *_grids()]


class PartMaker(Maker):
    """Makes right kernels with parts, with up to two changes."""

    def kernel(self) -> dict[str, Node]:
        (made,) = self.chosen.choices((_windows, _groups, _grids), (5, 4, 3))
        kernel = deepcopy(self.chosen.choice(made()))
        kernel["blocks"] = self.chosen.choice(["each", "persistent", ("persistent", self.chosen.randrange(1, 4))])
        self.kinds(kernel)
        if "start" in kernel and kernel["element"] == "i1":  # elements of a window have addresses
            kernel["element"] = "i8"
        for _ in range(self.chosen.randrange(3)):
            if self.chosen.random() < 0.4:
                self.part(kernel)
            else:
                self.mutate(kernel)
        if "groups" in kernel:  # regions of a group lie a tile apart
            kernel["step"] = kernel["tile"]
        return kernel

    def part(self, kernel: dict[str, Node]) -> None:
        """One change to where parts are, or to the condition under which one is taken."""
        if "groups" in kernel:
            statements = [s for s in kernel["body"] if s[0] == "own"]
            for s in statements[:1]:
                n = self.chosen.randrange(4)
                if n == 0:
                    s[1] = "less_than_or_equal"
                elif n == 1:
                    kernel["domain"][self.chosen.randrange(len(kernel["domain"]))] = self.chosen.choice(
                        ("G", "2", "s", "G + 1", "ceildiv(M, 2)", "ceildiv(M, 4)", "ceildiv(N, 2)")
                    )
                elif n == 2:
                    s[3] = self.changed(s[3], [I, J])
                else:
                    axis = self.chosen.randrange(len(s[4]))
                    s[4][axis] = self.changed(s[4][axis], [I, J])
            return
        if "domain" in kernel:
            kernel["domain"][self.chosen.randrange(len(kernel["domain"]))] = self.chosen.choice(
                ("s", "s + 1", "ceildiv(s, 2)", "2 * s", "2", "ceildiv(M, 2)", "ceildiv(N, 2)", *self.counts(kernel))
            )
            return
        other = kernel.get("other")
        where = other if other is not None and self.chosen.random() < 0.5 else kernel
        where["start"] = self.chosen.choice(
            (S, LONG, const(0), const(3), ("memory", 0), ("memory", 1), self.changed(where["start"], [S]))
        )
        if other is not None and other["use"] == "lend" and self.chosen.random() < 0.3:
            other["length"] = self.chosen.choice(("2", "4", "s", "M", "M - 1", *self.counts(kernel)))

    def counts(self, kernel: dict[str, Node]) -> tuple[str, ...]:
        """Extents that other scalars give, where a kernel has them."""
        return ("b", "b + s", "w") if kernel.get("others") else ()


class PartBuilder(Builder):
    """Builds kernels with parts: of `y0`, of which a window is written, which falls into groups, or over a grid."""

    def __init__(self, kernel: dict[str, Node]):
        super().__init__(kernel)
        self.windows, self.groups = "start" in kernel, "groups" in kernel
        first = "T" if self.windows else "M"
        self.shapes = [[first, *self.dims[1:]], ["M", "K"], *([["G + 1"], ["G"]] if self.groups else [["2"]])]
        self.data: SSAValue | None = None
        self.lent: SSAValue | None = None

    def extents(self, sizes: tuple[int, int, int]) -> dict[str, int]:
        """Of the symbols, those that are free among them: a long enough tensor, and some groups."""
        return {**super().extents(sizes), "T": 2 * sizes[0] + 5, "G": 1 + sizes[2] % 4}

    def fill(self, arrays: list[Any], chosen: random.Random) -> None:
        """Positions of windows, or offsets: most of them such that they fit."""
        data, rows = arrays[2], arrays[1].shape[0]
        if not self.groups:
            data[:] = [chosen.choice((0, 1, rows)), chosen.choice((0, rows, rows + 4))]
            return
        cuts = sorted(chosen.randrange(rows + 1) for _ in range(len(data) - 2))
        data[:] = [0, *cuts, rows][: len(data)]
        if chosen.random() < 0.2:
            data[chosen.randrange(len(data))] += chosen.choice((-1, 1, 2))

    def remembered(self, arrays: list[Any]) -> Iterator[None]:
        """Where a window begins may stand in memory, and a witness is of a launch in which it fits."""
        yield
        for start in (-1, -2, -3, -4, 1, 2, 3, 4) if self.windows else ():
            arrays[2][...] = start
            yield

    def unwritten(self, arrays: list[Any], scalar: int) -> bool:
        """Whether an element of the output that somebody owns was not written."""
        if self.kernel["access"] != "out" or not self.windows:
            return super().unwritten(arrays, scalar)
        start = self.start_of(self.kernel["start"], arrays, scalar)
        fixed = self.kernel.get("fixed")
        length = scalar if fixed == "s" else fixed or arrays[1].shape[0]
        return start is not None and bool((arrays[0][start : start + length] != 1).any())

    def start_of(self, e: Node, arrays: list[Any], scalar: int) -> int | None:
        """Where the window begins, where that is plainly said."""
        match e:
            case ("scalar",):
                return scalar
            case ("long",):
                return arrays[1].shape[0]
            case ("const", value):
                return value
            case ("memory", n):
                return int(arrays[2][n])
            case _:
                return None

    def module(self) -> ModuleOp:
        """The module."""
        tensors = self.tensors()
        top = Block(arg_types=[*tensors, INDEX, *(OTHERS[name][0] for name in self.others)])
        for argument, name in zip(top.args, ("y0", "a", "at", *(("ends",) if self.groups else ())), strict=False):
            argument.name_hint = name
        self.name_scalars(top)
        whole = top.args[0]
        domain = self.kernel.get("domain")
        with self.into(top):
            self.source = self.value(BorrowOp(tensor(top.args[1])))
            self.data = self.value(BorrowOp(tensor(top.args[2])))
            if self.windows:
                self.parts(whole)
            else:
                axis, offsets = (0, self.data) if self.groups else (None, None)
                type_ = PartitionType.of(self.accesses[0], self.tiles, tensors[0], self.steps, axis)
                self.partitions.append(self.value(PartitionOp(whole, type_, offsets)))
            body = Block(arg_types=[INDEX] * (self.kernel["rank"] if domain is None else len(domain)))
            self.points = list(body.args)
            for argument, name in zip(body.args, "ijl", strict=False):
                argument.name_hint = name
            with self.into(body):
                self.one = self.ones(self.tiles)
                self.body(self.kernel["body"])
            order, blocks = order_of(self.kernel["order"]), blocks_of(self.kernel["blocks"])
            self.add(DistributeOp(self.partitions, Region(body), order, blocks, domain))
            self.add(ReturnOp())
        return ModuleOp([KernelOp("random", Region(top))])

    def parts(self, whole: SSAValue) -> None:
        """The window that is written, and another part of its tensor."""
        self.split(whole, self.kernel["start"], self.dims[0])
        if (other := self.kernel.get("other")) is None:
            return
        if other["use"] == "split":
            self.split(whole, other["start"], other["length"])
        else:
            window = self.value(WindowOp(whole, self.expression(other["start"]), 0, other["length"]))
            self.lent = self.value(BorrowOp(tensor(window)))

    def split(self, whole: SSAValue, start: Node, length: str) -> None:
        """Partitions a window."""
        window = self.value(WindowOp(whole, self.expression(start), 0, length))
        assert isinstance(window.type, TensorType)
        type_ = PartitionType.of(self.accesses[0], self.tiles, window.type, self.steps)
        self.partitions.append(self.value(PartitionOp(window, type_)))

    def expression(self, e: Node) -> SSAValue:
        """The value of an expression, in front of all points, too."""
        match e:
            case ("long",):
                return self.value(DimOp(self.source, 0))
            case ("memory", n):
                assert self.data is not None
                tile = self.value(LoadOp(self.data, [self.number(n)], TileType([1], i32)))
                return self.value(ReshapeOp(tile, []))
            case ("point" | "counter" | "carried" | "grid", *_) if not self.points:
                return self.number(2)
            case ("grid", _):
                return super().expression(("grid", 0))
            case _:
                return super().expression(e)

    def statement(self, s: Node) -> bool:
        """One statement; whether the end of it is reached."""
        match s:
            case ["look", coordinates]:
                if self.lent is not None:
                    where = [self.expression(c) for c in (coordinates * 2)[: self.kernel["rank"]]]
                    self.value(LoadOp(self.lent, where, TileType([2] * self.kernel["rank"], self.element)))
            case ["check", relation, a, b]:
                self.add(CheckOp(self.flag(relation, a, b), "a check"))
            case ["own", relation, counted, group, coordinates]:
                self.own(relation, counted, group, coordinates)
            case ["take" | "open", *_] if self.groups:
                pass
            case _:
                return super().statement(s)
        return True

    def own(self, relation: str, counted: Node, group: Node, coordinates: list[Node]) -> None:
        """A region of a group, under a condition."""
        partition = self.partitions[0]
        tiles = self.value(GroupTilesOp(partition, self.expression(counted)))
        where = [self.expression(c) for c in (group, *coordinates)]
        condition = self.value(CmpIOp(relation, where[1], tiles, SIGNED))
        with self.into(Block()) as block:
            mapped = all(coordinate in self.points for coordinate in where)
            self.region = self.value(RegionOp(partition, where, mapped=mapped))
            self.write()
            self.add(YieldOp())
        self.region = None
        self.add(IfOp(condition, (), Region(block)))
