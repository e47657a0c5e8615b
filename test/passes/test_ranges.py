"""Ranges of tiles against the interpreter: what is proved of a gather holds for every element at every point.

Random tiles of indices are computed from the point, counters of loops, scalar arguments, numbers out of memory and
constants, with arithmetic that may wrap. Where a gather by one is proved to be in bounds, it runs: an index out of
bounds then ends the run. `FREEHOLD_RANGES_CASES` asks for more.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from freehold.dialects.ownership import GatherOp, LoadFromOp, Rung, duties_of
from freehold.passes.analysis.facts import analyse
from freehold.passes.launch_contract import kernel_of
from freehold.passes.resolve_obligations import resolve_obligations
from freehold.runtime.interpreter.launch import Kernel
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

CASES = int(os.environ.get("FREEHOLD_RANGES_CASES", "120"))
TILE, INDEX = "tile<4xi32>", "tile<i32>"
EXTREMES = (-(2**31), -(2**31) + 3, -7, -1, 0, 1, 2, 3, 5, 64, 2**30, 2**31 - 5, 2**31 - 1)

TEMPLATE = """
ownership.kernel @k(%y: !ownership.tensor<[N], i32>, %x: !ownership.tensor<[M], f32>, %d: !ownership.tensor<[N], i32>,
    %s: !cuda_tile.tile<i32>, %e: !ownership.tensor<[8], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], i32> -> !ownership.partition<mut tile [4], [N], i32>
  %b = ownership.borrow %x : !ownership.tensor<[M], f32> -> !ownership.ref<[M], f32>
  %data = ownership.borrow %d : !ownership.tensor<[N], i32> -> !ownership.ref<[N], i32>
  %eight = ownership.borrow %e : !ownership.tensor<[8], f32> -> !ownership.ref<[8], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], i32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : tile<i32>
    %one = cuda_tile.constant <i32: 1> : tile<i32>
    %three = cuda_tile.constant <i32: 3> : tile<i32>
    %m = ownership.dim %b, 0 : !ownership.ref<[M], f32>
    %iota = cuda_tile.iota : tile<4xi32>
    %loaded = ownership.load %data[%i] : !ownership.ref<[N], i32> -> !cuda_tile.tile<4xi32>
BODY
  }
}
"""


class Generator:
    """Writes the text of a random tile of indices."""

    def __init__(self, seed: int):
        self.random = np.random.default_rng(seed)
        self.lines: list[str] = []

    def pick(self, *choices: Any) -> Any:
        return choices[int(self.random.integers(len(choices)))]

    def emit(self, text: str) -> str:
        self.lines.append(f"%v{len(self.lines)} = {text}")
        return f"%v{len(self.lines) - 1}"

    def stretched(self, scalar: str) -> str:
        one = self.emit(f"cuda_tile.reshape {scalar} : {INDEX} -> tile<1xi32>")
        return self.emit(f"cuda_tile.broadcast {one} : tile<1xi32> -> {TILE}")

    def constant(self, type_: str) -> str:
        value = self.pick(*EXTREMES) if self.random.random() < 0.3 else int(self.random.integers(-4, 20))
        return self.emit(f"cuda_tile.constant <i32: {value}> : {type_}")

    def scalar(self, atoms: list[str], depth: int) -> str:
        if depth == 0 or self.random.random() < 0.5:
            return self.pick(*atoms)
        return self.operation(self.scalar(atoms, depth - 1), self.scalar(atoms, depth - 1), INDEX)

    def tile(self, atoms: list[str], depth: int) -> str:
        if depth == 0 or self.random.random() < 0.2:
            kind = self.pick("iota", "iota", "loaded", "constant", "scalar", "scalar")
            if kind in ("iota", "loaded"):
                return f"%{kind}"
            return self.constant(TILE) if kind == "constant" else self.stretched(self.scalar(atoms, 2))
        if self.random.random() < 0.15:
            return self.remainder(self.tile(atoms, depth - 1), self.stretched(self.pick("%m", "%three", *atoms)))
        return self.operation(self.tile(atoms, depth - 1), self.tile(atoms, depth - 1), TILE)

    def remainder(self, a: str, b: str) -> str:
        """As the frontend writes `a % b`."""
        quotient = self.emit(f"cuda_tile.divi {a}, {b} signed rounding<negative_inf> : {TILE}")
        product = self.emit(f"cuda_tile.muli {self.pick(f'{quotient}, {b}', f'{b}, {quotient}')} : {TILE}")
        return self.emit(f"cuda_tile.subi {a}, {product} : {TILE}")

    def operation(self, a: str, b: str, type_: str) -> str:
        sign = self.pick("signed", "signed", "unsigned")
        match self.pick("addi", "addi", "subi", "muli", "mini", "maxi", "divi", "remi", "andi", "shri", "select"):
            case "mini" | "maxi" | "remi" as name:
                return self.emit(f"cuda_tile.{name} {a}, {b} {sign} : {type_}")
            case "divi":
                divisor = self.pick(b, self.emit(f"cuda_tile.constant <i32: {self.pick(1, 2, 3, 7)}> : {type_}"))
                rounding = self.pick("", " rounding<negative_inf>") if sign == "signed" else ""
                return self.emit(f"cuda_tile.divi {a}, {divisor} {sign}{rounding} : {type_}")
            case "shri":
                amount = self.emit(f"cuda_tile.constant <i32: {self.pick(0, 1, 4, 30)}> : {type_}")
                return self.emit(f"cuda_tile.shri {a}, {amount} {sign} : {type_}")
            case "select":
                relation = self.pick(
                    "less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal", "equal"
                )
                truth = type_.replace("i32", "i1")
                flag = self.emit(f"cuda_tile.cmpi {relation} {a}, {b}, {sign} : {type_} -> {truth}")
                return self.emit(f"cuda_tile.select {flag}, {self.pick(f'{a}, {b}', f'{b}, {a}')} : {truth}, {type_}")
            case name:
                return self.emit(f"cuda_tile.{name} {a}, {b} : {type_}")

    def clamped(self, index: str) -> str:
        """Mostly what would be in bounds: what is entirely random is hardly ever proved."""
        last = self.stretched(self.emit(f"cuda_tile.subi %m, %one : {INDEX}"))
        match self.pick("clip", "remainder", "as it is", "upper"):
            case "clip":
                zeros = self.emit(f"cuda_tile.constant <i32: 0> : {TILE}")
                low = self.emit(f"cuda_tile.maxi {index}, {zeros} signed : {TILE}")
                return self.emit(f"cuda_tile.mini {low}, {last} signed : {TILE}")
            case "remainder":
                return self.remainder(index, self.stretched("%m"))
            case "upper":
                return self.emit(f"cuda_tile.mini {index}, {last} signed : {TILE}")
            case _:
                return index

    def few(self, index: str) -> str:
        """What is small, and moved by a little: of a tensor with eight elements it may be in bounds."""
        by = self.emit(f"cuda_tile.constant <i32: {self.pick(2, 3, 7, 8)}> : {TILE}")
        sign = self.pick("signed", "signed", "unsigned")
        match self.pick("remi", "remainder", "andi", "both", "shri", "divi", "muli", "as it is"):
            case "both":
                other = self.pick("%iota", self.emit(f"cuda_tile.remi {index}, {by} signed : {TILE}"))
                index = self.emit(f"cuda_tile.andi {index}, {other} : {TILE}")
            case "muli":
                factor = self.emit(f"cuda_tile.constant <i32: {self.pick(-2, -1, 2)}> : {TILE}")
                index = self.emit(f"cuda_tile.muli {self.pick('%iota', index)}, {factor} : {TILE}")
            case "remi":
                index = self.emit(f"cuda_tile.remi {index}, {by} {sign} : {TILE}")
            case "remainder":
                index = self.remainder(index, by)
            case "andi":
                index = self.emit(f"cuda_tile.andi {index}, {by} : {TILE}")
            case "shri":
                amount = self.emit(f"cuda_tile.constant <i32: {self.pick(1, 29, 30)}> : {TILE}")
                index = self.emit(f"cuda_tile.shri {index}, {amount} {sign} : {TILE}")
            case "divi":
                rounding = self.pick("", " rounding<negative_inf>") if sign == "signed" else ""
                index = self.emit(f"cuda_tile.divi {index}, {by} {sign}{rounding} : {TILE}")
            case _:
                pass
        offset = self.emit(f"cuda_tile.constant <i32: {int(self.random.integers(-3, 8))}> : {TILE}")
        return self.pick(index, self.emit(f"cuda_tile.addi {index}, {offset} : {TILE}"))

    def kernel(self) -> str:
        """Two gathers and one window, straight, in a loop or under a condition."""
        form = self.pick("straight", "for", "if")
        atoms = ["%i", "%i", "%m", "%s", "%zero", "%one", "%three"] + ["%t"] * 2 * (form == "for")
        index = self.clamped(self.tile(atoms, self.pick(1, 2, 3)))
        few = self.few(self.tile(atoms, self.pick(1, 1, 2)))
        start = self.scalar(atoms, 2)
        text = "\n".join(self.lines)
        text += (
            f"\n%g = ownership.gather %b[{index}] : !ownership.ref<[M], f32>, (!cuda_tile.{TILE})"
            " -> !cuda_tile.tile<4xf32>\n"
            f"%h = ownership.gather %eight[{few}] : !ownership.ref<[8], f32>, (!cuda_tile.{TILE})"
            " -> !cuda_tile.tile<4xf32>\n"
            f"%w = ownership.load_from %b[{start}] : !ownership.ref<[M], f32> -> !cuda_tile.tile<8xf32>"
        )
        if form == "for":
            text = f"cuda_tile.for %t in (%zero to %three, step %one) : {INDEX} {{\n{text}\ncuda_tile.continue\n}}"
        elif form == "if":
            bound = self.pick("%three", "%m")
            low = f"%low = cuda_tile.cmpi less_than_or_equal %zero, %s, signed : {INDEX} -> tile<i1>"
            high = f"%high = cuda_tile.cmpi less_than %s, {bound}, signed : {INDEX} -> tile<i1>"
            both = "%both = cuda_tile.andi %low, %high : tile<i1>"
            text = f"{low}\n{high}\n{both}\ncuda_tile.if %both {{\n{text}\ncuda_tile.yield\n}}"
        return TEMPLATE.replace("BODY", text)


def resolved(seed: int) -> tuple[ModuleOp, bool]:
    """A random kernel with what is known of its accesses, and whether anything is proved."""
    module = parse_module(make_context(), Generator(seed).kernel(), "random.mlir")
    assert all(e.code == "O303" for e in resolve_obligations(analyse(kernel_of(module))))
    accesses = [op for op in module.walk() if isinstance(op, GatherOp | LoadFromOp)]
    return module, any(o.rung is Rung.PROVED for op in accesses for o in duties_of(op))


@pytest.mark.parametrize("block", range(6))
def test_what_is_proved_holds(block: int) -> None:
    proved = 0
    for seed in range(block * CASES // 6, (block + 1) * CASES // 6):
        module, some = resolved(seed)
        if not some:
            continue
        proved += 1
        kernel = Kernel.of(module)
        random = np.random.default_rng(seed)
        for n, m, s in ((9, 1, 0), (9, 7, 5), (4, 40, -3), (17, 16, 2**31 - 1)):
            data = random.choice(np.array(EXTREMES), n).astype(np.int32)
            # A division by zero is undefined, and here it is any number; no index that is proved comes of one.
            kernel.run([np.zeros(n, np.int32), np.zeros(m, np.float32), data, np.int32(s), np.zeros(8, np.float32)])
    assert proved >= CASES // 60


SPREAD = """
%at = cuda_tile.reshape %three : tile<i32> -> tile<1xi32>
%threes = cuda_tile.broadcast %at : tile<1xi32> -> tile<4xi32>
%low = cuda_tile.constant <i32: -5> : tile<4xi32>
%high = cuda_tile.constant <i32: 20> : tile<4xi32>
"""
"""`%iota` is 0 to 3."""
SIGNED = f"signed : {TILE}"
BOUNDED = {
    "a scalar that is known": ("addi %iota, %threes : tile<4xi32>", 0, 1),
    "a maximum": (f"maxi %iota, %low {SIGNED}", 0, 4),
    "a maximum, the other way": (f"maxi %low, %iota {SIGNED}", 0, 4),
    "a minimum": (f"mini %iota, %high {SIGNED}", 0, 4),
    "a minimum, the other way": (f"mini %high, %iota {SIGNED}", 0, 4),
}
"""A tile of indices, and how much less and more than it lies in 0 to 7; by one more it does not."""


@pytest.mark.parametrize("name", BOUNDED)
def test_bounds_are_neither_too_wide_nor_too_narrow(name: str) -> None:
    code, less, more = BOUNDED[name]
    for added, proved in (
        (-less, True),
        (more, True),
        (-less - 1 - 3 * (less == 0 and "known" in name), False),
        (more + 1, False),
    ):
        lines = f"""{SPREAD}%found = cuda_tile.{code}
%by = cuda_tile.constant <i32: {added}> : tile<4xi32>
%moved = cuda_tile.addi %found, %by : tile<4xi32>
%g = ownership.gather %eight[%moved] : !ownership.ref<[8], f32>, (!cuda_tile.{TILE}) -> !cuda_tile.tile<4xf32>"""
        module = parse_module(make_context(), TEMPLATE.replace("BODY", lines), "bounds.mlir")
        found = [e.code for e in resolve_obligations(analyse(kernel_of(module)))]
        (gather,) = [op for op in module.walk() if isinstance(op, GatherOp)]
        rungs = {o.rung for o in duties_of(gather)}
        assert (rungs == {Rung.PROVED}) is proved, (name, added, found)
