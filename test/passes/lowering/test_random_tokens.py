"""Random control flow around accesses to two regions: lowered, nothing may be unordered, and the result stays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

import lowering_kernels as kernels
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from freehold.passes.launch_contract import contract
from freehold.passes.lowering import convert
from freehold.runtime.interpreter import run, run_entry

BODY = "[N], i32"
REGION = f"<mut tile [1], {BODY}>"
TILE = "tile<1xi32>"


@dataclass
class Writer:
    """Writes the statements of a kernel, with fresh names."""

    lines: list[str] = field(default_factory=list[str])
    count: int = 0

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def load(self, region: str) -> str:
        name = self.name()
        self.lines.append(f"{name} = ownership.load {region} : !ownership.region{REGION} -> !cuda_tile.{TILE}")
        return name

    def store(self, value: str, region: str) -> None:
        self.lines.append(f"ownership.store {value}, {region} : !cuda_tile.{TILE}, !ownership.region{REGION}")

    def add(self, a: str, b: str) -> str:
        name = self.name()
        self.lines.append(f"{name} = cuda_tile.addi {a}, {b} : {TILE}")
        return name


Statement = tuple[object, ...]


def statements(depth: int) -> st.SearchStrategy[list[Statement]]:
    region = st.sampled_from(["%r", "%s"])
    simple = st.one_of(
        st.tuples(st.just("set"), region),
        st.tuples(st.just("move"), region, region),
        st.tuples(st.just("grow"), region),
    )
    if depth == 0:
        return st.lists(simple, min_size=1, max_size=3)
    inner = statements(depth - 1)
    flag = st.sampled_from(["%f", "%g"])
    nested = st.one_of(
        simple,
        st.tuples(st.just("if"), flag, inner, st.none() | inner),
        st.tuples(st.just("for"), st.integers(0, 2), inner, st.none() | flag),
        st.tuples(st.just("loop"), st.integers(1, 3), inner, st.booleans()),
    )
    return st.lists(nested, min_size=1, max_size=4)


def inside(body: object) -> list[Statement]:
    """The statements inside another."""
    return cast("list[Statement]", body)


def write(w: Writer, program: list[Statement]) -> None:
    for statement in program:
        match statement:
            case ("set", str(region)):
                w.store("%one1", region)
            case ("move", str(source), str(target)):
                w.store(w.load(source), target)
            case ("grow", str(region)):
                w.store(w.add(w.load(region), "%one1"), region)
            case ("if", str(flag), then, otherwise):
                w.lines.append(f"cuda_tile.if {flag} {{")
                write(w, inside(then))
                if otherwise is not None:
                    w.lines.append("} else {")
                    write(w, inside(otherwise))
                w.lines.append("}")
            case ("for", int(turns), body, early):
                w.lines.append(f"cuda_tile.for {w.name()} in (%c0 to %c{turns}, step %c1) : tile<i32> {{")
                if early is not None:  # the rest of the turn is skipped
                    w.lines.append(f"cuda_tile.if {early} {{")
                    write(w, inside(body)[:1])
                    w.lines.append("cuda_tile.continue\n}")
                write(w, inside(body))
                w.lines.append("}")
            case ("loop", int(turns), body, late):
                counter, following, done = w.name(), w.name(), w.name()
                w.lines.append(f"cuda_tile.loop iter_values({counter} = %c0) : tile<i32> {{")
                if late:
                    write(w, inside(body))
                w.lines.append(f"{following} = cuda_tile.addi {counter}, %c1 : tile<i32>")
                w.lines.append(
                    f"{done} = cuda_tile.cmpi greater_than {following}, %c{turns}, signed : tile<i32> -> tile<i1>"
                )
                w.lines.append(f"cuda_tile.if {done} {{")
                write(w, inside(body)[:1])
                w.lines.append("cuda_tile.break\n}")
                write(w, inside(body))
                w.lines.append(f"cuda_tile.continue {following} : tile<i32>\n}}")
            case _:
                raise AssertionError(statement)


def kernel(program: list[Statement]) -> str:
    w = Writer()
    write(w, program)
    constants = "\n".join(f"%c{n} = cuda_tile.constant <i32: {n}> : tile<i32>" for n in range(4))
    body = "\n".join(w.lines)
    return f"""
ownership.kernel @random(%x: !ownership.tensor<{BODY}>, %y: !ownership.tensor<{BODY}>,
    %f: !cuda_tile.tile<i1>, %g: !cuda_tile.tile<i1>) {{
  %p = ownership.partition %x : !ownership.tensor<{BODY}> -> !ownership.partition{REGION}
  %q = ownership.partition %y : !ownership.tensor<{BODY}> -> !ownership.partition{REGION}
  ownership.distribute %p, %q : !ownership.partition{REGION}, !ownership.partition{REGION} {{
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition{REGION} -> !ownership.region{REGION}
    %s = ownership.region %q[%i] : !ownership.partition{REGION} -> !ownership.region{REGION}
    %one1 = cuda_tile.constant <i32: 1> : {TILE}
    {constants}
    {body}
  }}
}}
"""


@settings(max_examples=40)
@given(statements(2), st.booleans(), st.booleans())
def test_lowered_accesses_are_ordered(program: list[Statement], f: bool, g: bool) -> None:
    module = kernels.parse(kernel(program))

    def arrays() -> list[np.ndarray]:
        return [np.array([5, 7], np.int32), np.array([11, 13], np.int32)]

    wanted, found = arrays(), arrays()
    run(module, [*wanted, f, g])
    lowered = convert(module)
    lowered.verify()
    run_entry(lowered, contract(module), [*found, f, g], checked=True)
    assert [a.tolist() for a in found] == [a.tolist() for a in wanted]
