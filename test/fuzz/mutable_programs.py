"""
Random kernels that read and write their own regions again and again, for `fuzz_memory`: in loops, in branches, by other
names and in functions. Python itself can run them.

Each tile block has one row of a `Mut` of three regions, `y.at(0)` to `y.at(2)`, and one region of another one, `z`. All
numbers are integers below 32, also those of floats.
"""

from __future__ import annotations

import random
from typing import Final

from program_text import ProgramText

PRELUDE: Final = "import freehold as fh\nfrom freehold import Mut, Ref, f32\n\n\n"
REGIONS: Final = 3
"""Regions of a block's row of `y`, and tiles of a row of `x`."""
LINES: Final = 28
"""Lines of a program at which no more is nested."""
DEPTH: Final = 4
"""How deep statements are nested."""


class Program(ProgramText):
    """A kernel `kernel(y, z, x, a, b)` being written."""

    SCOPES = "integers", "tiles", "regions"

    def __init__(self, rng: random.Random):
        super().__init__(rng)
        self.loops = 0
        self.integers: list[str] = []
        self.fixed: set[str] = set()
        """Integers that are not assigned."""
        self.tiles: list[str] = []
        self.regions: list[str] = []
        """Names of regions."""
        self.row = ""
        """The name of what has three regions, where there is one."""
        self.helpers: list[str] = []

    # --- Expressions -------------------------------------------------------------------------------------------------

    def integer(self) -> str:
        p, q = self.rng.choice(self.integers), self.rng.choice(self.integers)
        return self.rng.choice((p, str(self.rng.randint(0, 4)), f"({p} + {q})", f"({p} * 2 - {q})"))

    def truth(self) -> str:
        p = self.integer()
        return self.rng.choice(
            (
                f"{p} < {self.integer()}",
                f"{p} % 2 == {self.rng.randint(0, 1)}",
                f"{self.rng.choice(self.tiles)}.sum() > 8.0",
            )
        )

    def region(self) -> str:
        """A region of this block."""
        if self.row and self.rng.random() < 0.6:
            e = self.integer()
            known, clipped, checked = (
                self.rng.randrange(REGIONS),
                f"min(max({e}, 0), {REGIONS - 1})",
                f"({e}) % {REGIONS}",
            )
            number = self.rng.choice((known, clipped, checked))
            return f"{self.row}.at({number})"
        return self.rng.choice(self.regions)

    def tile(self) -> str:
        p, q = (self.rng.choice(self.tiles) for _ in range(2))
        return self.rng.choice(
            (
                f"{self.region()}.load()",
                f"{self.region()}.load()",
                f"({self.region()}.load() + {self.region()}.load()) % 32",
                f"({p} + {q}) % 32",
                f"({p} * 2 + {self.integer()}) % 32",
                f"fh.where({p} > {q}, {p}, {self.region()}.load())",
                f"({p} if {self.truth()} else {q})",
            )
        )

    # --- Statements --------------------------------------------------------------------------------------------------

    def body(self, most: int = 4) -> None:
        """Some statements; what leaves stands last."""
        for _ in range(self.rng.randint(1, most)):
            if self.statement():
                return

    def statement(self) -> bool:
        """Writes a statement; whether nothing follows it."""
        kinds = ["store"] * 4 + ["load"] * 3 + ["integer_", "other_name"]
        if self.indent < DEPTH and len(self.lines) < LINES:
            kinds += ["if_"] * 2 + ["counted", "counted", "while_"] + ["walked"] * bool(self.row)
        kinds += ["call"] * (3 * bool(self.helpers))
        if self.indent > 1:
            kinds += ["loop_left"] * bool(self.loops)
        kind = self.rng.choice(kinds)
        getattr(self, kind)()
        return kind == "loop_left"

    def store(self) -> None:
        self.line(f"{self.region()}.store({self.tile()})")

    def load(self) -> None:
        self.line(f"{self.rng.choice(self.tiles)} = {self.tile()}")

    def integer_(self) -> None:
        self.line(f"{self.rng.choice([n for n in self.integers if n not in self.fixed])} = {self.integer()} % 7")

    def other_name(self) -> None:
        """One more name of a region."""
        name = self.name("r")
        self.line(f"{name} = {self.region()}")
        self.regions.append(name)

    def if_(self) -> None:
        with self.block(f"if {self.truth()}:"):
            self.body(3)
        if self.rng.random() < 0.5:
            with self.block("else:"):
                self.body(3)

    def _turns(self, header: str, counter: str, first: str = "") -> None:
        with self.block(header):
            self.loops += 1
            self.integers.append(counter)
            self.fixed.add(counter)
            if first:
                self.line(first)
            self.body()
            self.loops -= 1

    def counted(self) -> None:
        k = self.name("k")
        over = self.rng.choice((f"{self.integer()} % 4", "2", "3", f"1, {self.integer()} % 5"))
        self._turns(f"for {k} in range({over}):", k)

    def walked(self) -> None:
        """A loop over the regions of the row: the number of a turn is one of them."""
        k, r = self.name("k"), self.name("r")
        with self.block(f"for {k} in range({REGIONS}):"):
            self.loops += 1
            self.integers.append(k)
            self.fixed.add(k)
            self.line(f"{r} = {self.row}.at({k})")
            self.regions += [r, r]
            self.body()
            self.loops -= 1

    def while_(self) -> None:
        n = self.name("n")
        self.line(f"{n} = 0")
        self._turns(f"while {n} < {self.rng.randint(1, 3)} and {self.truth()}:", n, first=f"{n} += 1")

    def loop_left(self) -> None:
        self.line(self.rng.choice(("break", "continue")))

    def call(self) -> None:
        """A function of two regions, which may be one, of a tile and a number; it returns a tile."""
        given = f"{self.region()}, {self.region()}, {self.rng.choice(self.tiles)}, {self.integer()}"
        self.line(f"{self.rng.choice(self.tiles)} = {self.rng.choice(self.helpers)}({given})")

    # --- Functions ---------------------------------------------------------------------------------------------------

    def function(self, name: str) -> None:
        with self.block(f"def {name}(p, q, t, n):"):
            self.regions, self.tiles, self.integers, self.fixed = ["p", "q"], ["t"], ["n", "m"], {"n"}
            self.line("m = n % 3")
            self.body(3)
            self.line(f"return {self.tile()}")

    def kernel(self) -> None:
        helpers = [f"helper{number}" for number in range(self.rng.randint(0, 2))]
        for name in helpers:
            self.function(name)
        self.helpers = helpers
        parameters = f'y: Mut[f32, "M", {4 * REGIONS}], z: Mut[f32, "M", 4], x: Ref[f32, "M", 4], a: int, b: int'
        with self.block(f"def kernel({parameters}):"):
            self.row, self.regions = "y", ["z"]
            self.integers, self.fixed = ["a", "b", "s"], {"a", "b"}
            self.tiles = ["t", "u"]
            self.line("t, u, s = x.load_like(z), z.load(), a % 3")
            self.body(6)
            self.store()


def program(rng: random.Random) -> str:
    """The text of a module with a function `kernel`."""
    made = Program(rng)
    made.kernel()
    return PRELUDE + "\n".join(made.lines) + "\n"
