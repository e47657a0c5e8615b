"""Random entries in Tile IR with branches and loops in each other, which are left in every way there is."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from freehold.runtime.interpreter.launch import Entry
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module
from freehold.tools.processing import verify

HEAD = "%p: tile<ptr<i32>>, %a: tile<i32>, %b: tile<i32>, %c: tile<i1>, %d: tile<i1>"
TYPES = {"n": "tile<i32>", "t": "tile<i1>", "v": "tile<2xi32>"}


@dataclass
class Scope:
    """What can be used at a place: names of numbers, truth values and tiles; and how the place can be left."""

    n: list[str]
    t: list[str]
    v: list[str]
    ways: tuple[str, ...] = ("return",)

    def inner(self, *ways: str) -> Scope:
        return Scope([*self.n], [*self.t], [*self.v], ways or self.ways)


@dataclass
class FlowWriter:
    """Writes statements; what a seed decides is decided the same every time."""

    choose: random.Random
    lines: list[str] = field(default_factory=list[str])
    count: int = 0

    def name(self) -> str:
        self.count += 1
        return f"%x{self.count}"

    def pick(self, scope: Scope, kind: str) -> str:
        return self.choose.choice(getattr(scope, kind))

    def emit(self, scope: Scope, kind: str, text: str) -> str:
        name = self.name()
        self.lines.append(f"{name} = {text}")
        getattr(scope, kind).append(name)
        return name

    def statement(self, scope: Scope, depth: int) -> None:
        kinds = ["number", "number", "constant", "truth", "select", "print"]
        if depth:
            kinds += ["if", "if", "twice", "for", "loop"]
        getattr(self, f"write_{self.choose.choice(kinds)}")(scope, depth)

    def write_number(self, scope: Scope, depth: int) -> None:
        op, kind = self.choose.choice(["addi", "subi", "muli", "xori"]), self.choose.choice("nv")
        self.emit(scope, kind, f"{op} {self.pick(scope, kind)}, {self.pick(scope, kind)} : {TYPES[kind]}")

    def write_constant(self, scope: Scope, depth: int) -> None:
        kind = self.choose.choice("ntv")
        element, number = ("i1", self.choose.randint(0, 1)) if kind == "t" else ("i32", self.choose.randint(0, 2))
        self.emit(scope, kind, f"constant <{element}: {number}> : {TYPES[kind]}")

    def write_truth(self, scope: Scope, depth: int) -> None:
        if self.choose.random() < 0.4:
            true = self.emit(scope, "t", "constant <i1: true> : tile<i1>")
            self.emit(scope, "t", f"xori {self.pick(scope, 't')}, {true} : tile<i1>")
            return
        how = self.choose.choice(["equal", "not_equal", "less_than", "greater_than_or_equal"])
        self.emit(
            scope, "t", f"cmpi {how} {self.pick(scope, 'n')}, {self.pick(scope, 'n')}, signed : tile<i32> -> tile<i1>"
        )

    def write_select(self, scope: Scope, depth: int) -> None:
        kind = self.choose.choice("nt")
        values = f"{self.pick(scope, kind)}, {self.pick(scope, kind)}"
        self.emit(scope, kind, f"select {self.pick(scope, 't')}, {values} : tile<i1>, {TYPES[kind]}")

    def write_print(self, scope: Scope, depth: int) -> None:
        kind = self.choose.choice("nv")
        self.lines.append(f'print_tko "%d;", {self.pick(scope, kind)} : {TYPES[kind]} -> token')

    def block(self, scope: Scope, depth: int, most: int = 3) -> None:
        for _ in range(self.choose.randint(0, most)):
            self.statement(scope, depth)

    def leave(self, scope: Scope, way: str) -> None:
        """A way out: `continue` and `break` are given with what stands in front of the number that they hand on."""
        self.lines.append("return" if way == "return" else way.replace("?", self.pick(scope, "n")))

    def write_if(self, scope: Scope, depth: int, condition: str = "") -> None:
        condition = condition or self.pick(scope, "t")
        kinds = [self.choose.choice("ntv") for _ in range(self.choose.choice([0, 0, 1, 2]))]
        names = [self.name() for _ in kinds]
        types = ", ".join(TYPES[kind] for kind in kinds)
        self.lines.append(f"{', '.join(names)} = if {condition} -> ({types}) {{" if names else f"if {condition} {{")
        regions = 2 if names else self.choose.randint(1, 2)
        for number in range(regions):
            if number:
                self.lines.append("} else {")
            inner = scope.inner()
            self.block(inner, depth - 1)
            if scope.ways and self.choose.random() < 0.25:
                self.leave(inner, self.choose.choice(scope.ways))
            else:
                values = ", ".join(self.pick(inner, kind) for kind in kinds)
                self.lines.append(f"yield {values} : {types}" if kinds else "yield")
        self.lines.append("}")
        for kind, name in zip(kinds, names, strict=True):
            getattr(scope, kind).append(name)

    def write_twice(self, scope: Scope, depth: int) -> None:
        condition = self.pick(scope, "t")
        other = condition
        if self.choose.random() < 0.4:
            true = self.emit(scope, "t", "constant <i1: true> : tile<i1>")
            other = self.emit(scope, "t", f"xori {condition}, {true} : tile<i1>")
        self.write_if(scope, depth, condition)
        self.write_if(scope, depth, other)

    def write_for(self, scope: Scope, depth: int) -> None:
        low, high, step = (
            self.emit(scope, "n", f"constant <i32: {number}> : tile<i32>")
            for number in (self.choose.randint(-2, 1), self.choose.randint(0, 4), self.choose.randint(1, 3))
        )
        result, counter, carried = self.name(), self.name(), self.name()
        self.lines.append(
            f"{result} = for {counter} in ({low} to {high}, step {step}) : tile<i32>"
            f" iter_values({carried} = {self.pick(scope, 'n')}) -> (tile<i32>) {{"
        )
        inner = scope.inner("continue ? : tile<i32>")
        inner.n += [counter, counter, counter, carried, carried]
        how = self.choose.choice(["less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal"])
        pair = [counter, self.choose.choice(["%a", "%b", low, high])]
        self.choose.shuffle(pair)
        self.emit(inner, "t", f"cmpi {how} {pair[0]}, {pair[1]}, signed : tile<i32> -> tile<i1>")
        self.block(inner, depth - 1)
        self.lines += [f"continue {self.pick(inner, 'n')} : tile<i32>", "}"]
        scope.n.append(result)

    def write_loop(self, scope: Scope, depth: int) -> None:
        result, turn, carried = self.name(), self.name(), self.name()
        start = self.emit(scope, "n", "constant <i32: 0> : tile<i32>")
        self.lines.append(
            f"{result} = loop iter_values({turn} = {start}, {carried} = {self.pick(scope, 'n')})"
            f" : tile<i32>, tile<i32> -> tile<i32> {{"
        )
        inner = scope.inner("break ? : tile<i32>")
        inner.n += [carried, carried]
        one = self.emit(inner, "n", "constant <i32: 1> : tile<i32>")
        following = self.emit(inner, "n", f"addi {turn}, {one} : tile<i32>")
        last = self.emit(inner, "n", f"constant <i32: {self.choose.randint(1, 3)}> : tile<i32>")
        done = self.emit(inner, "t", f"cmpi greater_than_or_equal {turn}, {last}, signed : tile<i32> -> tile<i1>")
        self.lines += [f"if {done} {{", f"break {carried} : tile<i32>", "}"]
        inner.ways = ("break ? : tile<i32>", f"continue {following}, ? : tile<i32>, tile<i32>")
        self.block(inner, depth - 1)
        self.lines += [f"continue {following}, {self.pick(inner, 'n')} : tile<i32>, tile<i32>", "}"]
        scope.n.append(result)


def program(seed: int) -> str:
    """An entry of a few statements; what it computes is printed on the way, and stored in the end."""
    writer = FlowWriter(random.Random(seed))
    scope = Scope(["%a", "%b"], ["%c", "%d"], ["%e"])
    writer.lines.append("%e = constant <i32: [5, 7]> : tile<2xi32>")
    for _ in range(5):
        writer.statement(scope, 3)
    writer.lines.append(f"%end = store_ptr_tko weak %p, {scope.n[-1]} : tile<ptr<i32>>, tile<i32> -> token")
    body = "\n    ".join([*writer.lines, "return"])
    return f"cuda_tile.module @m {{\n  entry @k({HEAD}) {{\n    {body}\n  }}\n}}\n"


def module_of(text: str) -> tuple[Context, ModuleOp]:
    """The module of a text, verified, and the context that it was read in."""
    context = make_context()
    module = parse_module(context, text, "program.mlir")
    verify(module)
    return context, module


def told(module: ModuleOp, *arguments: object) -> list[object]:
    """What an entry prints and stores for some arguments."""
    array, printed = np.zeros(1, np.int32), list[str]()
    Entry.of(module, None).run([array, *arguments], (1, 1, 1), write=printed.append)
    return ["".join(printed), array.tolist()]
