"""
Paths through branches and loops on truth values, as `Flow` follows them, against the same programs run for all values:
what is printed on every path that comes to the end, and on some. What `Flow` says is so; the table says what it misses.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import ClassVar

from flow_programs import module_of
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from freehold.dialects.classes import Kinds
from freehold.dialects.cuda_tile.ops.control_flow import ForOp, LoopOp
from freehold.dialects.cuda_tile.ops.misc import PrintTkoOp
from freehold.passes.analysis.flow import End, Flags, Flow
from freehold.passes.validate_translation import entry_of

State = tuple[frozenset[Operation], frozenset[Operation]]
Numbers = frozenset[int]
Values = dict[str, bool]
ARGUMENTS: tuple[str, ...] = ("%a", "%b", "%c", "%d")
MOST_TURNS = 8


class Endless(Exception):
    """A run of too many turns."""


class Broken(Exception):
    """A loop is left."""

    def __init__(self, value: bool):
        super().__init__()
        self.value = value


Step = Callable[[Values, set[int]], None]
"""What a statement does to values and to what is printed."""


@dataclass
class Program:
    """A random program, as text and as steps that do the same."""

    choose: random.Random
    lines: list[str] = field(default_factory=list[str])
    names: int = 0
    prints: int = 0

    def name(self) -> str:
        self.names += 1
        return f"%x{self.names}"

    def block(self, known: list[str], depth: int, most: int, *, in_loop: bool = False) -> list[Step]:
        kinds = ["print", "computed", "computed", "constant"] + (["branch"] * 4 + ["loop"] if depth else [])
        kinds += ["leave"] if in_loop and depth else []
        return [getattr(self, self.choose.choice(kinds))(known, depth, in_loop) for _ in range(most)]

    def print(self, known: list[str], depth: int, in_loop: bool) -> Step:
        number = self.prints
        self.prints += 1
        self.lines.append(f'print_tko "%d;", {known[0]} : tile<i1> -> token')
        return lambda _, printed: printed.add(number)

    def constant(self, known: list[str], depth: int, in_loop: bool) -> Step:
        name, value = self.name(), self.choose.random() < 0.5
        self.lines.append(f"{name} = constant <i1: {str(value).lower()}> : tile<i1>")
        known.append(name)
        return lambda values, _: values.__setitem__(name, value)

    def computed(self, known: list[str], depth: int, in_loop: bool) -> Step:
        name, (x, y, z) = self.name(), (self.choose.choice(known) for _ in range(3))
        op = self.choose.choice(["andi", "ori", "xori", "select"])
        types = "tile<i1>, tile<i1>" if op == "select" else "tile<i1>"
        self.lines.append(f"{name} = {op} {x}, {y}{f', {z}' if op == 'select' else ''} : {types}")
        known.append(name)
        rules: dict[str, Callable[[Values], bool]] = {
            "andi": lambda v: v[x] and v[y],
            "ori": lambda v: v[x] or v[y],
            "xori": lambda v: v[x] != v[y],
            "select": lambda v: v[y] if v[x] else v[z],
        }
        return lambda values, _: values.__setitem__(name, rules[op](values))

    def branch(self, known: list[str], depth: int, in_loop: bool) -> Step:
        """An `if`, which may yield a truth value: most of these are constants."""
        name, condition = self.name(), self.choose.choice(known)
        yields = self.choose.random() < 0.6
        self.lines.append(f"{name} = if {condition} -> (tile<i1>) {{" if yields else f"if {condition} {{")
        sides: list[tuple[list[Step], str]] = []
        for number in range(2):
            if number:
                self.lines.append("} else {")
            inner = [*known]
            steps = self.block(inner, depth - 1, self.choose.randint(0, 2))
            if yields and self.choose.random() < 0.7:
                steps.append(self.constant(inner, 0, in_loop))
            sides.append((steps, inner[-1]))
            self.lines.append(f"yield {inner[-1]} : tile<i1>" if yields else "yield")
        self.lines.append("}")
        if yields:
            known.append(name)

        def run(values: Values, printed: set[int]) -> None:
            steps, last = sides[not values[condition]]
            for step in steps:
                step(values, printed)
            values[name] = values[last]

        return run

    def leave(self, known: list[str], depth: int, in_loop: bool) -> Step:
        condition, value = self.choose.choice(known), self.choose.choice(known)
        self.lines += [f"if {condition} {{", f"break {value} : tile<i1>", "}"]

        def run(values: Values, printed: set[int]) -> None:
            if values[condition]:
                raise Broken(values[value])

        return run

    def loop(self, known: list[str], depth: int, in_loop: bool) -> Step:
        """A loop that carries a truth value, and is left with one."""
        name, carried, start = self.name(), self.name(), self.choose.choice(known)
        self.lines.append(f"{name} = loop iter_values({carried} = {start}) : tile<i1> -> tile<i1> {{")
        inner = [*known, carried, carried]
        steps = [
            *self.block(inner, depth - 1, self.choose.randint(0, 2), in_loop=True),
            self.leave(inner, 0, True),
            *self.block(inner, depth - 1, self.choose.randint(0, 2), in_loop=True),
        ]
        following = self.choose.choice(inner)
        self.lines += [f"continue {following} : tile<i1>", "}"]
        known.append(name)

        def run(values: Values, printed: set[int]) -> None:
            values[carried] = values[start]
            for _ in range(MOST_TURNS):
                try:
                    for step in steps:
                        step(values, printed)
                except Broken as broken:
                    values[name] = broken.value
                    return
                values[carried] = values[following]
            raise Endless

        return run


def made(seed: int) -> tuple[ModuleOp, list[Numbers]]:
    """A program, and what it prints in each of its runs that end."""
    program = Program(random.Random(seed))
    steps = program.block([*ARGUMENTS], 3, 6)
    steps.append(program.print(["%a"], 0, False))
    head = ", ".join(f"{name}: tile<i1>" for name in ARGUMENTS)
    body = "\n".join([*program.lines, "return"])
    _, module = module_of(f"cuda_tile.module @m {{\nentry @k({head}) {{\n{body}\n}}\n}}\n")
    runs: list[Numbers] = []
    for given in product((False, True), repeat=len(ARGUMENTS)):
        values, printed = dict(zip(ARGUMENTS, given, strict=True)), set[int]()
        try:
            for step in steps:
                step(values, printed)
        except Endless:
            continue
        runs.append(frozenset(printed))
    return module, runs


class Printed:
    """A domain: what has been printed on every path, and on some."""

    VISITS: ClassVar = Kinds(PrintTkoOp)

    def __init__(self, prints: Sequence[Operation], *, matter: bool | Collection[SSAValue]):
        self.prints, self.matter = prints, matter
        self.visits = 0
        self.ends: list[State] = []
        """What is known of each way to the last print."""

    def visit(self, op: Operation, state: State) -> State:
        self.visits += 1
        every, some = state[0] | {op}, state[1] | {op}
        if op is self.prints[-1]:
            self.ends.append((every, some))
        return every, some

    def numbered(self) -> list[tuple[Numbers, Numbers]]:
        """What is known of each way, prints by their numbers."""
        number = {op: n for n, op in enumerate(self.prints)}
        return [(frozenset(number[op] for op in e), frozenset(number[op] for op in s)) for e, s in self.ends]

    def fork(self, state: State) -> State:
        return state

    def meet(self, op: Operation, ends: Sequence[End[State]], names: Sequence[SSAValue]) -> State:
        first, *others = (end.state for end in ends)
        return first[0].intersection(*(s[0] for s in others)), first[1].union(*(s[1] for s in others))

    def turned(self, loop: ForOp | LoopOp, state: State) -> State:
        return state

    def runs(self, loop: ForOp) -> bool:
        return False

    def first_turn(self, loop: LoopOp) -> Flags:
        return frozenset()

    def matters(self, flag: SSAValue) -> bool:
        return self.matter if isinstance(self.matter, bool) else flag in self.matter


def followed(module: ModuleOp, *, matter: bool | Collection[SSAValue]) -> Printed:
    """What is known of a program where these flags matter, or all or none of them."""
    domain = Printed([op for op in module.walk() if isinstance(op, PrintTkoOp)], matter=matter)
    nothing: State = (frozenset(), frozenset())
    Flow(module, domain).block(entry_of(module).body.block, {frozenset(): nothing})
    return domain


def ways(module: ModuleOp, *, matter: bool | Collection[SSAValue]) -> list[tuple[Numbers, Numbers]]:
    """Of each way to the end that stays apart, what is printed on it for certain, and what may be."""
    return followed(module, matter=matter).numbered()


def together(found: Sequence[tuple[Numbers, Numbers]]) -> tuple[Numbers, Numbers]:
    """What is printed on all ways, and on some."""
    return frozenset[int].intersection(*(e for e, _ in found)), frozenset[int]().union(*(s for _, s in found))


def listed(numbers: Numbers) -> str:
    return " ".join(map(str, sorted(numbers))) or "-"


def test_what_is_printed_on_the_way(golden: Callable[[Path, str], None]) -> None:
    lines: list[str] = []
    exact = 0
    for seed in range(80):
        module, runs = made(seed)
        said = ways(module, matter=True)
        for found in runs:
            assert any(every <= found <= some for every, some in said), seed
        if not runs or not said:
            lines.append(f"{seed}: {len(said)} ways, {len(runs)} runs")
            continue
        every, some = together(said)
        so = frozenset[int].intersection(*runs), frozenset[int]().union(*runs)
        assert every <= so[0], seed
        assert so[1] <= some, seed
        line = f"{seed}: {len(said)} ways, certain {listed(every)}, possible {listed(some - every)}"
        if (every, some) == so:
            exact += 1
        else:
            line += f"; not seen: always {listed(so[0] - every)}, never {listed(some - so[1])}"
        if (less := ways(module, matter=False)) != said:
            line += f"; {len(less)} ways where nothing matters"
        lines.append(line)
    golden(Path(__file__).with_name("flow_ways.txt"), "\n".join([*lines, f"{exact} of {len(lines)} exactly"]))


def test_where_there_are_too_many_paths_those_stay_apart_that_differ_in_a_flag_that_matters() -> None:
    """Each of `flags` decides what is printed at its first branch, and again, the other way round, at its second."""

    def twice(flags: Sequence[str], *matter: int) -> list[tuple[Numbers, Numbers]]:
        head = ", ".join(f"{name}: tile<i1>" for name in flags)
        print_ = 'print_tko "%d;", %a : tile<i1> -> token'
        first = "\n".join(f"if {name} {{\n{print_}\nyield\n}}" for name in flags)
        again = "\n".join(f"if {name} {{\nyield\n}} else {{\n{print_}\nyield\n}}" for name in flags)
        types = ", ".join("tile<i1>" for _ in flags)
        last = f'print_tko "{"%d" * len(flags)};", {", ".join(flags)} : {types} -> token'  # asks for all of them
        text = f"cuda_tile.module @m {{\nentry @k({head}) {{\n{first}\n{again}\n{last}\nreturn\n}}\n}}\n"
        _, module = module_of(text)
        arguments = entry_of(module).body.block.args
        return ways(module, matter={arguments[n] for n in matter})

    runs = [frozenset({*c, 6}) for c in product((0, 3), (1, 4), (2, 5))]
    for matter in ((), (0,), (0, 1, 2)):
        assert {*twice(ARGUMENTS[:3], *matter)} == {(every, every) for every in runs}
    assert together(twice(ARGUMENTS)) == ({8}, {*range(9)})
    for n in range(4):
        assert {n in every for every, _ in twice(ARGUMENTS, n)} == {True, False}
        assert all((n in every) != (n + 4 in some) for every, some in twice(ARGUMENTS, n)), n


LATE = {49: (229, 129), 122: (502, 537), 209: (112, 48), 517: (270, 257), 659: (76, 44), 838: (71, 61)}
"""Programs with loops in which paths that stay apart in one round meet in the next, again and again: how many prints
are come by until they meet for good, where all flags matter, and where none does."""


def test_loops_in_which_paths_do_not_settle_are_followed_as_often_as_they_may_be() -> None:
    for seed, visits in LATE.items():
        module, runs = made(seed)
        for matter, most in zip((True, False), visits, strict=True):
            domain = followed(module, matter=matter)
            assert domain.visits == most, seed
            said = domain.numbered()
            assert all(any(every <= found <= some for every, some in said) for found in runs), seed
