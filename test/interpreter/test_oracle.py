"""The interpreter as oracle for the prover: nothing that is accepted may ever trip checked mode.

Random kernels take regions and load tiles at random coordinates: sums, products, quotients, remainders, bounds and
selections of the point's coordinates, loop counters and numbers of tiles. Those that the passes accept run on small
extents, in several orders, before and after they are lowered. `FREEHOLD_ORACLE_CASES` asks for more of them.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import interpreted as kernels
import numpy as np
import pytest
from evaluate import parse

from freehold.passes.launch_contract import contract
from freehold.passes.pipeline import convert, verify
from freehold.runtime.interpreter import Order, run_entry
from freehold.runtime.interpreter.launch import Kernel
from freehold.support.diagnostic import Rejected

CASES = int(os.environ.get("FREEHOLD_ORACLE_CASES", "60"))
PROMISED = {"", "O233", "O527", "O528"}
"""How a run of an accepted kernel may end: well, with a check that was left to the launch or the kernel, or with a
division by zero of the kernel's own."""
PROMISED_LOWERED = {"", "O233"}
"""How a run may then end once it is lowered: a check in the kernel may come earlier."""


class Generator:
    """Writes the text of a random kernel."""

    def __init__(self, seed: int):
        self.random = np.random.default_rng(seed)
        self.lines: list[str] = []
        self.count = 0

    def pick(self, *choices: Any) -> Any:
        return choices[int(self.random.integers(len(choices)))]

    def emit(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def constant(self, value: int) -> str:
        return self.emit(f"cuda_tile.constant <i32: {value}> : tile<i32>")

    def integer(self, atoms: list[str], depth: int) -> str:
        """A random integer of the atoms."""
        if depth == 0 or self.random.random() < 0.3:
            return self.constant(int(self.random.integers(0, 4))) if self.random.random() < 0.25 else self.pick(*atoms)
        a, b = self.integer(atoms, depth - 1), self.integer(atoms, depth - 1)
        match self.pick("addi", "subi", "muli", "divi", "remi", "mini", "maxi", "select"):
            case "divi":
                divisor = self.pick(b, self.constant(int(self.random.integers(1, 4))))
                rounding = self.pick("", " rounding<negative_inf>")
                return self.emit(f"cuda_tile.divi {a}, {divisor} signed{rounding} : tile<i32>")
            case "remi":
                divisor = self.pick(b, self.constant(int(self.random.integers(1, 4))))
                return self.emit(f"cuda_tile.remi {a}, {divisor} signed : tile<i32>")
            case "mini" | "maxi" as name:
                return self.emit(f"cuda_tile.{name} {a}, {b} signed : tile<i32>")
            case "select":
                relation = self.pick("less_than", "equal", "greater_than_or_equal")
                flag = self.emit(f"cuda_tile.cmpi {relation} {a}, {b}, signed : tile<i32> -> tile<i1>")
                return self.emit(f"cuda_tile.select {flag}, {a}, {b} : tile<i1>, tile<i32>")
            case name:
                return self.emit(f"cuda_tile.{name} {a}, {b} : tile<i32>")

    def coordinate(self, atoms: list[str], own: str) -> str:
        """Mostly the point's own coordinate: what is entirely random is hardly ever right."""
        return own if self.random.random() < 0.45 else self.integer(atoms, 2)

    def kernel(self) -> str:
        rank = self.pick(1, 2)
        dims = ", ".join("MN"[:rank])
        tile = [self.pick(2, 4) for _ in range(rank)]
        step = [self.pick(t, t, t, 2 * t, t // 2) for t in tile]
        access = self.pick("mut", "out")
        shape = "x".join(map(str, tile))
        body = f"{access} tile {tile}{f' step {step}' if step != tile else ''}, [{dims}], i32"
        partition, region = f"!ownership.partition<{body}>", f"!ownership.region<{body}>"
        tensor, source = f"!ownership.tensor<[{dims}], i32>", "!ownership.tensor<[M, K], i32>"
        order = self.pick("", "order #ownership.order<column>", "order #ownership.order<grouped 2>" if rank > 1 else "")
        blocks = self.pick("", "blocks #ownership.blocks<persistent>")
        points = ["%i", "%j"][:rank]
        self.lines = []
        atoms = [*points, *points]
        atoms.append(self.emit("ownership.tiles %ra, 0 by 2 : !ownership.ref<[M, K], i32>"))
        atoms.append(self.emit("ownership.tiles %ra, 1 by 2 : !ownership.ref<[M, K], i32>"))
        atoms.append(self.emit(f"ownership.tiles %p, 0 by {step[0]} : {partition}"))
        place = ", ".join(self.coordinate(atoms, own) for own in points)
        self.lines.append(f"%r = ownership.region %p[{place}] : {partition} -> {region}")
        self.lines.append(f"%q = ownership.coordinate %r, 0 : {region}")
        if access == "mut" and self.random.random() < 0.5:
            self.emit(f"ownership.load %r : {region} -> !cuda_tile.tile<{shape}xi32>")
        if self.random.random() < 0.7:
            self.loads([*atoms, "%q"])
        value = self.emit(f"cuda_tile.constant <i32: 1> : tile<{shape}xi32>")
        self.lines.append(f"ownership.store {value}, %r : !cuda_tile.tile<{shape}xi32>, {region}")
        arguments = ", ".join(f"{p}: !cuda_tile.tile<i32>" for p in points)
        text = "\n    ".join(self.lines)
        return f"""ownership.kernel @random(%y: {tensor}, %a: {source}) {{
  %ra = ownership.borrow %a : {source} -> !ownership.ref<[M, K], i32>
  %p = ownership.partition %y : {tensor} -> {partition}
  ownership.distribute %p {order} {blocks} : {partition} {{
  ^bb0({arguments}):
    {text}
  }}
}}"""

    def loads(self, atoms: list[str]) -> None:
        """A load of a shared borrow, perhaps in a loop."""
        load = "ownership.load %ra[{}, {}] : !ownership.ref<[M, K], i32> -> !cuda_tile.tile<2x2xi32>"
        if self.random.random() < 0.5:
            self.emit(load.format(self.coordinate(atoms, "%q"), self.coordinate(atoms, atoms[-2])))
            return
        low, one = self.constant(0), self.constant(1)
        high = self.pick(*atoms, self.integer(atoms, 1))
        self.lines.append(f"cuda_tile.for %k in ({low} to {high}, step {one}) : tile<i32> {{")
        inner = [*atoms, "%k", "%k"]
        self.emit(load.format(self.coordinate(inner, "%q"), self.coordinate(inner, "%k")))
        self.lines.append("cuda_tile.continue }")


def extents(rank: int) -> list[tuple[tuple[int, ...], tuple[int, int]]]:
    """Small shapes of both arrays."""
    found = [((m, n)[:rank], (m, k)) for m, n, k in product((1, 3, 4, 9), (1, 5, 8), (2, 7))]
    return list(dict.fromkeys(found))


def accepted(text: str) -> Any:
    """The verified module, or None where the passes refuse it."""
    module = parse(text)
    try:
        verify(module)
    except Rejected:
        return None
    return module


ORDERS: list[Order] = ["increasing", "decreasing", 3]


def ending(launch: Callable[[], None]) -> str:
    """The code of the error that a run ends with; nothing where it ends well."""
    try:
        launch()
    except Rejected as refused:
        return refused.codes[0]
    return ""


def outcomes(text: str, module: Any) -> Counter[str]:
    """How runs of an accepted kernel end. Any end but a check that was promised is a mistake of the prover."""
    ends: Counter[str] = Counter()
    kernel, found = Kernel.of(module, checked=True), contract(module)
    rank = 1 if "[M], i32" in text else 2
    lowered = convert(module)
    for number, (shape, source) in enumerate(extents(rank)):
        order = ORDERS[number % len(ORDERS)]
        before, after, a = np.zeros(shape, np.int32), np.zeros(shape, np.int32), np.zeros(source, np.int32)
        where = f"{text}\n\nextents {shape}, {source}, order {order}"
        code = ending(partial(kernel.run, [before, a], blocks=2, order=order))
        ends[code] += 1
        assert code in PROMISED, f"{code}\n{where}"
        if not code:
            code = ending(partial(run_entry, lowered, found, [after, a], blocks=2, order=order, checked=True))
            assert code in PROMISED_LOWERED, f"{code} when lowered\n{where}"
            assert code or np.array_equal(before, after), f"lowering changes the result\n{where}"
    return ends


def test_nothing_that_is_accepted_trips_the_oracle() -> None:
    ends: Counter[str] = Counter()
    for seed in range(CASES):
        text = Generator(seed).kernel()
        module = accepted(text)
        if module is None:
            ends["refused"] += 1
        else:
            ends["accepted"] += 1
            ends += outcomes(text, module)
    # Neither all nor nothing, or the test says nothing.
    assert ends["accepted"] > CASES // 20
    assert ends["refused"] > CASES // 20
    assert ends[""] > ends["accepted"]


@pytest.mark.parametrize("text", [kernels.OVERLAPPING, kernels.IN_PLACE, kernels.EARLY, kernels.TWO_GRIDS])
def test_what_the_oracle_finds_is_refused(text: str) -> None:
    assert accepted(text) is None
