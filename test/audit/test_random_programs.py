"""Entries of random control flow: what the audit says of them, against the same program run block by block in Python.

A program is a tree. It is written as text of the dialect, which is audited, and run with Python's integers for each
tile block, noting which elements are touched, and what the tokens order before. Nothing here knows how the audit works.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import Any, Final

import numpy as np
import pytest

from freehold.audit.cells import runs_of
from freehold.audit.facts import launch_from
from freehold.audit.lanes import Unknown
from freehold.audit.verdict import Audit, audit
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

EXTENT: Final = 24
"""Elements of the array. Tile blocks write their own parts of it, and sometimes others'."""
STATE: Final = ("t", "a", "b")
"""What every region hands on: a token and two integers."""
TYPES: Final = {"t": "token", "a": "tile<i32>", "b": "tile<i32>"}
COMPARED: Final[dict[str, Callable[[int, int], bool]]] = {
    "less_than": int.__lt__,
    "equal": int.__eq__,
    "greater_than_or_equal": int.__ge__,
}
COMPUTED: Final[dict[str, Callable[[int, int], int]]] = {
    "addi": int.__add__,
    "subi": int.__sub__,
    "muli": int.__mul__,
    "maxi": lambda x, y: max(x, y),
    "mini": lambda x, y: min(x, y),
}
SIGNED: Final = ("maxi", "mini")
UNKNOWN: Final = "unknown"


@dataclass(frozen=True)
class Event:
    """An access by a tile block."""

    block: int
    kind: str
    elements: frozenset[int]
    before: frozenset[int]
    """The accesses of the same block that its token orders before it."""


class Gone(Exception):
    """A jump: what it leaves, and with what state."""

    def __init__(self, what: str, state: dict[str, Any]) -> None:
        self.what, self.state = what, state


@dataclass
class Run:
    """One tile block's run of a program."""

    block: int
    choices: Random
    """What is taken where a condition is unknown."""
    events: list[Event] = field(default_factory=list[Event])

    def value(self, tree: Any, state: dict[str, Any]) -> int:
        if isinstance(tree, int):
            return tree
        if isinstance(tree, str):
            return self.block if tree == "block" else state[tree]
        name, left, right = tree
        return COMPUTED[name](self.value(left, state), self.value(right, state))

    def holds(self, tree: Any, state: dict[str, Any]) -> bool:
        if tree == UNKNOWN:
            return self.choices.random() < 0.5
        name, left, right = tree
        return COMPARED[name](self.value(left, state), self.value(right, state))

    def body(self, statements: list[Any], state: dict[str, Any]) -> dict[str, Any]:
        for statement in statements:
            state = self.statement(statement, state)
        return state

    def statement(self, statement: Any, state: dict[str, Any]) -> dict[str, Any]:
        match statement:
            case ("set", name, tree):
                return {**state, name: self.value(tree, state)}
            case ("access", kind, at, width, stride, count, fresh):
                begin, most = self.value(at, state), width if count is None else self.value(count, state)
                touched = frozenset(begin + stride * n for n in range(width) if n < most)
                before = frozenset[int]() if fresh else state["t"]
                number = len(self.events)
                self.events.append(Event(self.block, kind, touched, before))
                return {**state, "t": before | {number}}
            case ("tile", kind, at):
                begin = 4 * (self.value(at, state) % (EXTENT // 4))
                number = len(self.events)
                self.events.append(Event(self.block, kind, frozenset(range(begin, begin + 4)), state["t"]))
                return {**state, "t": state["t"] | {number}}
            case ("if", condition, then, other):
                return self.body(then if self.holds(condition, state) else other, state)
            case ("leave", condition, what):
                if self.holds(condition, state):
                    raise Gone(what, state)
                return state
            case ("for", low, high, step, body):
                outside, counter, end = state, self.value(low, state), self.value(high, state)
                while counter < end:
                    try:
                        state = self.body(body, {**state, "i": counter})
                    except Gone as gone:
                        if gone.what != "continue":
                            raise
                        state = gone.state
                    counter += step
                return {**outside, **{name: state[name] for name in STATE}}
            case ("loop", most, body):
                outside, state = state, {**state, "i": 0}
                while state["i"] < most:
                    try:
                        state = self.body(body, state)
                    except Gone as gone:
                        if gone.what == "break":
                            state = gone.state
                            break
                        raise
                    state = {**state, "i": state["i"] + 1}
                return {**outside, **{name: state[name] for name in STATE}}
            case _:
                raise AssertionError(statement)


@dataclass
class Text:
    """A program as text."""

    lines: list[str] = field(default_factory=list[str])
    names: int = 0
    depth: int = 2

    def name(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def put(self, line: str) -> None:
        self.lines.append("  " * self.depth + line)

    def of(self, form: str, type_: str) -> str:
        name = self.name()
        self.put(f"{name} = {form} : {type_}")
        return name

    def value(self, tree: Any, state: dict[str, str]) -> str:
        if isinstance(tree, int):
            return self.of(f"constant <i32: {tree}>", "tile<i32>")
        if isinstance(tree, str):
            return "%block" if tree == "block" else state[tree]
        name, left, right = tree
        pair = f"{self.value(left, state)}, {self.value(right, state)}"
        return self.of(f"{name} {pair}{' signed' if name in SIGNED else ''}", "tile<i32>")

    def condition(self, tree: Any, state: dict[str, str]) -> str:
        if tree == UNKNOWN:
            read, token, name, zero = self.name(), self.name(), self.name(), self.of("constant <f32: 0.0>", "tile<f32>")
            self.put(f"{read}, {token} = load_ptr_tko weak %other token=%begin : tile<ptr<f32>> -> tile<f32>, token")
            self.put(f"{name} = cmpf less_than ordered {read}, {zero} : tile<f32> -> tile<i1>")
            return name
        compared, left, right = tree
        pair = f"{self.value(left, state)}, {self.value(right, state)}"
        name = self.name()
        self.put(f"{name} = cmpi {compared} {pair}, signed : tile<i32> -> tile<i1>")
        return name

    def handed(self, word: str, state: dict[str, str], *more: str) -> None:
        values = [*(state[name] for name in STATE), *more]
        types = [*(TYPES[name] for name in STATE), *("tile<i32>" for _ in more)]
        self.put(f"{word} {', '.join(values)} : {', '.join(types)}")

    def body(self, statements: list[Any], state: dict[str, str]) -> dict[str, str]:
        for statement in statements:
            state = self.statement(statement, state)
        return state

    def statement(self, statement: Any, state: dict[str, str]) -> dict[str, str]:
        types = ", ".join(TYPES.values())
        match statement:
            case ("set", name, tree):
                return {**state, name: self.value(tree, state)}
            case ("access", kind, at, width, stride, count, fresh):
                return {**state, "t": self.access(kind, at, width, stride, count, fresh, state)}
            case ("tile", kind, at):
                index, count = self.value(at, state), self.of(f"constant <i32: {EXTENT // 4}>", "tile<i32>")
                low = self.of(f"remi {index}, {count} signed", "tile<i32>")
                once = self.of(f"addi {low}, {count}", "tile<i32>")
                index, token = self.of(f"remi {once}, {count} signed", "tile<i32>"), self.name()
                given = f"%tiles[{index}] token = {state['t']}"
                if kind == "write":
                    self.put(f"{token} = store_view_tko weak %four, {given} : tile<4xf32>, {VIEW}, tile<i32> -> token")
                else:
                    self.put(
                        f"{self.name()}, {token} = load_view_tko weak {given} : {VIEW}, tile<i32> -> tile<4xf32>, token"
                    )
                return {**state, "t": token}
            case ("if", condition, then, other):
                results = [self.name() for _ in STATE]
                chosen = self.condition(condition, state)
                self.put(f"{', '.join(results)} = if {chosen} -> ({types}) {{")
                for side, body in enumerate((then, other)):
                    self.depth += 1
                    self.handed("yield", self.body(body, state))
                    self.depth -= 1
                    self.put("}" if side else "} else {")
                return {**state, **dict(zip(STATE, results, strict=True))}
            case ("leave", condition, what):
                chosen = self.condition(condition, state)
                self.put(f"if {chosen} {{")
                self.depth += 1
                if what == "return":
                    self.put("return")
                else:
                    self.handed(what, state)
                self.depth -= 1
                self.put("}")
                return state
            case ("for", low, high, step, body):
                bounds = [self.value(tree, state) for tree in (low, high, step)]
                results, inner = [self.name() for _ in STATE], {name: self.name() for name in (*STATE, "i")}
                carried = ", ".join(f"{inner[name]} = {state[name]}" for name in STATE)
                self.put(
                    f"{', '.join(results)} = for {inner['i']} in ({bounds[0]} to {bounds[1]}, step {bounds[2]})"
                    f" : tile<i32> iter_values({carried}) -> ({types}) {{"
                )
                self.depth += 1
                self.handed("continue", self.body(body, inner))
                self.depth -= 1
                self.put("}")
                return {**state, **dict(zip(STATE, results, strict=True))}
            case ("loop", most, body):
                zero, one = self.of("constant <i32: 0>", "tile<i32>"), self.of("constant <i32: 1>", "tile<i32>")
                results, inner = [self.name() for _ in STATE], {name: self.name() for name in (*STATE, "i")}
                carried = ", ".join(f"{inner[name]} = {state.get(name, zero)}" for name in STATE)
                self.put(
                    f"{', '.join(results)} = loop iter_values({carried}, {inner['i']} = {zero})"
                    f" : {types}, tile<i32> -> {types} {{"
                )
                self.depth += 1
                self.statement(("leave", ("greater_than_or_equal", "i", most), "break"), inner)
                last = self.body(body, inner)
                counter = self.of(f"addi {inner['i']}, {one}", "tile<i32>")
                self.handed("continue", last, counter)
                self.depth -= 1
                self.put("}")
                return {**state, **dict(zip(STATE, results, strict=True))}
            case _:
                raise AssertionError(statement)

    def access(
        self, kind: str, at: Any, width: int, stride: int, count: Any, fresh: bool, state: dict[str, str]
    ) -> str:
        begin, token = self.value(at, state), "%begin" if fresh else state["t"]
        pointer, value, tile, mask = "%x", "%c", "tile<ptr<f32>>", ""
        if width > 1:
            tile, value, pointer = f"tile<{width}xptr<f32>>", "%four", "%fours"
            step = self.of(f"constant <i32: {stride}>", f"tile<{width}xi32>")
            begin = self.spread(begin)
            far = self.of(f"muli %iota, {step}", "tile<4xi32>")
            begin = self.of(f"addi {begin}, {far}", "tile<4xi32>")
            if count is not None:
                most, mask = self.spread(self.value(count, state)), self.name()
                self.put(f"{mask} = cmpi less_than %iota, {most}, signed : tile<4xi32> -> tile<4xi1>")
        shape = "4x" if width > 1 else ""
        place, after = self.name(), self.name()
        self.put(f"{place} = offset {pointer}, {begin} : {tile}, tile<{shape}i32> -> {tile}")
        masked, of_mask = (f", {mask}", f", tile<{shape}i1>") if mask else ("", "")
        if kind == "write":
            given = f"store_ptr_tko weak {place}, {value}{masked} token={token}"
            self.put(f"{after} = {given} : {tile}, tile<{shape}f32>{of_mask} -> token")
        else:
            given = f"load_ptr_tko weak {place}{masked} token={token}"
            self.put(f"{self.name()}, {after} = {given} : {tile}{of_mask} -> tile<{shape}f32>, token")
        return after

    def spread(self, scalar: str) -> str:
        one, four = self.name(), self.name()
        self.put(f"{one} = reshape {scalar} : tile<i32> -> tile<1xi32>")
        self.put(f"{four} = broadcast {one} : tile<1xi32> -> tile<4xi32>")
        return four


VIEW: Final = f"partition_view<tile=(4), tensor_view<{EXTENT}xf32, strides=[1]>>"
HEAD: Final = f"""
cuda_tile.module @m {{
  entry @k(%x: tile<ptr<f32>>, %other: tile<ptr<f32>>) {{
    %block, %block1, %block2 = get_tile_block_id : tile<i32>
    %begin = make_token : token
    %c = constant <f32: 1.0> : tile<f32>
    %four = constant <f32: 1.0> : tile<4xf32>
    %iota = iota : tile<4xi32>
    %one = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %fours = broadcast %one : tile<1xptr<f32>> -> tile<4xptr<f32>>
    %view = make_tensor_view %x, shape = [{EXTENT}], strides = [1] : tensor_view<{EXTENT}xf32, strides=[1]>
    %tiles = make_partition_view %view : {VIEW}
    %zero = constant <i32: 0> : tile<i32>
"""


def text_of(program: list[Any]) -> str:
    """The whole module."""
    text = Text()
    text.body(program, {"t": "%begin", "a": "%zero", "b": "%block"})
    return "\n".join([HEAD, *text.lines, "    return", "  }", "}"])


def run(program: list[Any], blocks: int, choices: Random) -> list[list[Event]]:
    """What each tile block does."""
    found: list[list[Event]] = []
    for block in range(blocks):
        one = Run(block, choices)
        try:
            one.body(program, {"t": frozenset(), "a": 0, "b": block})
        except Gone as gone:
            if gone.what != "return":
                raise
        found.append(one.events)
    return found


def wrong_in(events: list[list[Event]]) -> set[str]:
    """What is wrong with a run: elements beyond the array, blocks that meet, accesses of a block without order."""
    found: set[str] = set()
    for own in events:
        if any(not 0 <= n < EXTENT for event in own for n in event.elements):
            found.add("bounds")
        for (first, one), (_, other) in combinations(enumerate(own), 2):
            meet = one.elements & other.elements and "write" in (one.kind, other.kind)
            if meet and first not in other.before:
                found.add("unordered")
    for mine, others in combinations(events, 2):
        for one in mine:
            for other in others:
                if one.elements & other.elements and "write" in (one.kind, other.kind):
                    found.add("race")
    return found


def made(random: Random, unknown: bool) -> list[Any]:
    """A random program."""

    def value(depth: int, names: list[str]) -> Any:
        if not depth or random.random() < 0.4:
            return random.choice([*names, "block", random.randrange(4)])
        return random.choice(list(COMPUTED)), value(depth - 1, names), value(depth - 1, names)

    def own(names: list[str]) -> Any:
        """A place that is mostly the block's own: of each eight elements."""
        inner = ("mini", ("maxi", value(1, names), 0), random.choice([3, 4, 4]))
        return ("addi", ("muli", "block", 8), inner) if random.random() < 0.9 else value(2, names)

    def condition(names: list[str]) -> Any:
        if unknown and random.random() < 0.6:
            return UNKNOWN
        return random.choice(list(COMPARED)), value(1, names), value(1, names)

    def statement(depth: int, names: list[str], leaves: list[str]) -> Any:
        kind = random.choice(["access"] * 4 + ["set", "set", "tile", "if", "if", "leave", "for", "loop"])
        if kind == "leave" and leaves:
            return "leave", condition(names), random.choice(leaves)
        if depth and kind == "if":
            return "if", condition(names), body(depth - 1, names, leaves), body(depth - 1, names, leaves)
        if depth and kind == "for":
            inner = body(depth - 1, [*names, "i"], ["continue"])
            return "for", value(1, names), value(1, names), random.choice([1, 2]), inner
        if depth and kind == "loop":
            ways = ["break", *(way for way in leaves if way == "return")]  # nothing returns out of a `for`
            return "loop", random.randrange(1, 4), body(depth - 1, [*names, "i"], ways)
        if kind == "set":
            return "set", random.choice(["a", "b"]), value(2, names)
        what = random.choice(["read", "write", "write"])
        if kind == "tile":
            return "tile", what, ("addi", ("muli", "block", 2), random.choice([0, 1]))
        width = random.choice([1, 4])
        count = value(1, names) if width > 1 and random.random() < 0.5 else None
        return "access", what, own(names), width, random.choice([1, 1, 2]), count, random.random() < 0.1

    def body(depth: int, names: list[str], leaves: list[str]) -> list[Any]:
        return [statement(depth, names, leaves) for _ in range(random.randrange(1, 4))]

    return [each for _ in range(random.randrange(1, 3)) for each in body(2, ["a", "b"], ["return"])]


def audited(program: list[Any], blocks: int) -> Audit:
    module = parse_module(make_context(), text_of(program), "k.mlir")
    module.verify()
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    arrays = [{"name": name, "dtype": "f32", "shape": [size]} for name, size in (("x", EXTENT), ("other", 1))]
    return audit(module, entry, launch_from({"grid": [blocks], "arguments": arrays}))


def touched(found: Audit) -> set[tuple[str, int, int]]:
    """Which block reads and writes which element of the array, as the audit has it."""
    seen: set[tuple[str, int, int]] = set()
    start = found.call.arrays[0].start
    for access in found.trace.accesses:
        if access.base == 0 and not isinstance(access.place, Unknown):
            for block, first, end in np.stack(runs_of(access), axis=1).tolist():
                seen |= {(access.kind, block, n) for n in range((first - start) // 4, (end - start) // 4)}
    return seen


CODES: Final = {"O520": "bounds", "O521": "bounds", "O523": "race", "O525": "unordered"}
"""What the interpreter calls each."""


@pytest.mark.parametrize("seed", range(80))
def test_what_is_known_is_decided(seed: int) -> None:
    """Each element that each block touches, and what is wrong."""
    program = made(Random(seed), unknown=False)
    events = run(program, 3, Random(0))
    wrong = wrong_in(events)
    found = audited(program, 3)
    assert touched(found) == {(e.kind, e.block, n) for own in events for e in own for n in e.elements}
    assert found.verdict == ("faulty" if wrong else "safe"), (wrong, [str(each.why) for each in found.open])
    assert {CODES[finding.error.report().code] for finding in found.findings} <= wrong


@pytest.mark.parametrize("seed", range(50))
def test_what_is_unknown_is_never_called_safe_where_it_is_not(seed: int) -> None:
    """Against runs in which the conditions come out in many ways."""
    program = made(Random(1000 + seed), unknown=True)
    runs = [run(program, 3, Random(n)) for n in range(24)]
    wrong = [wrong_in(events) for events in runs]
    found = audited(program, 3)
    if any(wrong):
        assert found.verdict != "safe", text_of(program)
    if not all(wrong):
        assert found.verdict != "faulty", text_of(program)
