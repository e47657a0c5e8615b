"""
Random kernels that Python itself can run, for `fuzz_meaning`: loops in loops, early exits, variables that loops carry.

All numbers are small multiples of a quarter, so that f32, f64 and integers agree to the bit. Every variable is assigned
before it is read, and every way through the kernel stores once.
"""

from __future__ import annotations

import random

from program_text import ProgramText

PRELUDE = "import freehold as fh\nfrom freehold import Out, Ref, f32\n\n\n"
LINES = 90
"""Lines of a program at which no more loops are begun."""
DEPTH = 6
"""How deep statements are nested."""


class Program(ProgramText):
    """A kernel `kernel(y, x, a, b)` being written: `y` has tiles of 4, `a` and `b` are integers."""

    SCOPES = "integers", "floats", "tiles"
    BEFORE_NUMBER = "_"

    def __init__(self, rng: random.Random):
        super().__init__(rng)
        self.loops = 0
        """How many loops of the function are around."""
        self.integers: list[str] = []
        """Variables that hold integers, and so on: those that may be read."""
        self.floats: list[str] = []
        self.truths: list[str] = []
        self.tiles: list[str] = []
        self.pairs: list[str] = []
        self.fixed: set[str] = set()
        """Variables that are not assigned again: counters, parameters, and what patterns capture."""
        self.result = ""
        """What the function being written returns: `integer`, `float` or `pair`; empty where it is the kernel."""

    # --- Text --------------------------------------------------------------------------------------------------------

    def choose(self, *options: str) -> str:
        return self.rng.choice(options)

    # --- Expressions -------------------------------------------------------------------------------------------------

    def integer(self, depth: int = 2) -> str:
        """An integer of less than a million."""
        if depth == 0 or self.rng.random() < 0.25:
            return self.choose(str(self.rng.randint(-3, 6)), *self.integers * 2)
        p, q = self.integer(depth - 1), self.integer(0)
        return self.choose(
            *(f"({p} {op} {q})" for op in ("+", "-", "*", "&", "|", "^")),
            *(f"({p} {op} {self.rng.randint(1, 7)})" for op in ("//", "%", "+", "*")),
            f"({p} if {self.truth(depth - 1)} else {q})",
            f"-{p}",
            f"abs({p})",
            f"max({p}, {q})",
            f"min({p}, {q}, {self.integer(0)})",
            f"({p}, {q}, 3)[{self.rng.randint(-3, 2)}]",
            f"sum(q * {q} for q in (1, 2, {self.integer(0)}) if a is not None)",
            f"sum(q + r for q in range(3) if q % 2 for r in ({q}, q))",
            f"(lambda q, r={q}: q - r)({p})",
            *(f"{pair}[0]" for pair in self.pairs),
        )

    def number(self, depth: int = 2) -> str:
        """A float: a multiple of a quarter."""
        if depth == 0 or self.rng.random() < 0.25:
            return self.choose(str(self.rng.randint(-12, 12) / 4), *self.floats * 2)
        p, q = self.number(depth - 1), self.number(0)
        return self.choose(
            *(f"({p} {op} {q})" for op in ("+", "-")),
            f"({p} + {self.integer(0)})",
            f"({p} * {self.rng.randint(-3, 3)})",
            f"({self.integer(0)} - {p})",
            f"({p} if {self.truth(depth - 1)} else {q})",
            f"max({p}, {q})",
            f"min({p}, {q}, {self.number(0)})",
            f"abs({p})",
            f"-{p}",
            *(f"{tile}.{self.choose('sum', 'max', 'min')}()" for tile in self.tiles[-2:]),
            *(f"{pair}[1]" for pair in self.pairs),
        )

    def tile(self) -> str:
        """Four multiples of a quarter."""
        p, q = self.rng.choice(self.tiles), self.rng.choice(self.tiles)
        return self.choose(
            f"({p} + {q})",
            f"({p} - {self.number(1)})",
            f"({p} * {self.rng.randint(-2, 2)} + {q})",
            f"fh.where({p} > {self.number(1)}, {p}, {q})",
            f"fh.maximum({p}, {self.number(0)})",
            f"({p} if {self.truth()} else {q})",
            f"fh.full(y.tile, {self.number(1)})",
        )

    def truth(self, depth: int = 1) -> str:
        p, q = self.integer(0), self.integer(min(depth, 1))
        options = [
            f"{p} < {q}",
            f"{p} == {q}",
            f"{p} % {self.rng.randint(2, 4)} == {self.rng.randint(0, 2)}",
            f"{self.number(0)} > {self.number(0)}",
            f"{p} < {q} <= {self.integer(0)}",
            f"{p} != {self.integer(min(depth, 1))} + 1 != {self.integer(0)} > 0",
            *self.truths * 2,
        ]
        if depth:
            r, s = self.truth(depth - 1), self.truth(depth - 1)
            options += [f"({r} and {s})", f"({r} or {s})", f"not {r}"]
            options += [f"({self.rng.choice(self.tiles)} > {self.number(0)}).any()"] if self.tiles else []
        return self.choose(*options)

    # --- Statements --------------------------------------------------------------------------------------------------

    def body(self, most: int = 3) -> None:
        """Some statements; what leaves stands last."""
        for _ in range(self.rng.randint(1, most)):
            if self.statement():
                return

    def statement(self) -> bool:
        """Writes a statement; whether nothing follows it."""
        kinds = ["integer_", "float_", "float_", "augmented", "truth_", "pair", *["tile_"] * bool(self.tiles)]
        if self.indent < DEPTH and len(self.lines) < LINES:
            kinds += ["if_"] * 4 + ["matched", "counted", "counted", "unrolled", "while_", "endless"]
            kinds += ["tiled"] * (not self.result)
        if self.indent > 1:
            kinds += ["leave"] * 2 + ["loop_left"] * (2 if self.loops else 0)
        kind = self.rng.choice(kinds)
        getattr(self, kind)()
        return kind in ("leave", "loop_left")

    def _assigned(self, names: list[str]) -> str:
        return self.choose(*(n for n in names if n not in self.fixed))

    def integer_(self) -> None:
        self.line(f"{self._assigned(self.integers)} = {self.integer()} % 31")

    def float_(self) -> None:
        self.line(f"{self._assigned(self.floats)} = {self.number()} % 32")

    def augmented(self) -> None:
        if self.rng.random() < 0.5:
            self.line(f"{self._assigned(self.integers)} {self.choose('%', '//')}= {self.rng.randint(1, 7)}")
        else:
            name = self._assigned(self.floats)
            self.line(f"{name} {self.choose('+', '-')}= {self.number(1)}")
            self.line(f"{name} %= 32")

    def truth_(self) -> None:
        self.line(f"{self._assigned(self.truths)} = {self.truth()}")

    def pair(self) -> None:
        pair = self._assigned(self.pairs)
        if self.rng.random() < 0.3:
            self.line(f"{self._assigned(self.integers)}, {self._assigned(self.floats)} = {pair}")
        else:
            self.line(f"{pair} = {self.integer()} % 31, {self.number()} % 32")

    def tile_(self) -> None:
        self.line(f"{self._assigned(self.tiles)} = {self.tile()} % 32")

    def if_(self) -> None:
        with self.block(f"if {self.truth()}:"):
            self.body()
        if self.rng.random() < 0.4:
            with self.block(f"elif {self.truth()}:"):
                self.body()
        if self.rng.random() < 0.4:
            with self.block("else:"):
                self.body()

    def matched(self) -> None:
        pair = self.rng.random() < 0.4
        with self.block(f"match {self.rng.choice(self.pairs) if pair else f'{self.integer()} % 4'}:"):
            for _ in range(self.rng.randint(1, 3)):
                guard = f" if {self.truth()}" if self.rng.random() < 0.5 else ""
                p, q = self.name("p"), self.name("q")
                of_pair = (f"({self.rng.randint(0, 3)}, {q})", f"({p}, {q})", f"({p}, *_)", f"(1 | 2 as {p}, {q})")
                plain = ("0 | 3", "1", f"{p}", "2 | 5")
                pattern = self.choose(*(of_pair if pair else plain))
                with self.block(f"case {pattern}{guard}:"):
                    for name, found in ((p, self.integers), (q, self.floats)):
                        if name in pattern:
                            found.append(name)
                            self.fixed.add(name)
                    self.body()
                if pattern in (p, f"({p}, {q})", f"({p}, *_)") and not guard:
                    return  # nothing may follow it

    def _turns(self, header: str, *counters: str, first: str = "") -> None:
        with self.block(header):
            self.loops += 1
            self.integers += counters
            self.fixed.update(counters)
            if first:
                self.line(first)
            self.body()
            self.loops -= 1

    def counted(self) -> None:
        i, p, q = self.name("i"), self.integer(0), self.integer(0)
        over = self.choose(
            f"range({p} % 4)",
            f"range({self.rng.randint(0, 3)})",
            f"range({p} % 3, {q} % 5)",
            f"range({p} % 5, {q} % 3, -1)",
            f"range({p} % 3, 6, {self.rng.randint(2, 3)})",
            f"range(0, {p} % 5, {q} % 3 + 1)",
            f"reversed(range({p} % 4))",
        )
        self._turns(f"for {i} in {over}:", i)

    def tiled(self) -> None:
        i, t = self.name("i"), self.name("t")
        over = f"fh.tiles(x, axis=0, size=4{self.choose('', ', start=1', ', step=2', f', stop={self.integer(0)} % 3')})"
        with self.block(f"for {i} in {self.choose(over, f'reversed({over})')}:"):
            self.loops += 1
            self.line(f"{t} = x.load({i}, 4)")
            self.integers.append(i)
            self.tiles.append(t)
            self.fixed.update((i, t))
            self.body()
            self.loops -= 1

    def unrolled(self) -> None:
        i, j, p = self.name("i"), self.name("j"), self.integer(0)
        header, counters = self.rng.choice(
            [
                (f"for {i} in (1, {p}, 3):", (i,)),
                (f"for {i}, {j} in ((1, {p}), ({self.integer(0)}, 2)):", (i, j)),
                (f"for {i}, {j} in enumerate(({p}, 2, {self.integer(1)})):", (i, j)),
                (f"for {i}, {j} in zip((1, 2), ({p}, 3), strict=True):", (i, j)),
                (f"for {i} in fh.static_range({self.rng.randint(1, 3)}):", (i,)),
            ]
        )
        self._turns(header, *counters)

    def while_(self) -> None:
        n = self.name("n")
        self.line(f"{n} = 0")
        self._turns(f"while {n} < {self.rng.randint(1, 3)} and {self.truth()}:", n, first=f"{n} += 1")

    def endless(self) -> None:
        n = self.name("n")
        self.line(f"{n} = 0")
        with self.block("while True:"):
            self.loops += 1
            self.integers.append(n)
            self.fixed.add(n)
            self.line(f"{n} += 1")
            with self.block(f"if {n} > {self.rng.randint(1, 3)}:"):
                self.choose_way_out()
            self.body()
            self.loops -= 1

    def choose_way_out(self) -> None:
        if self.rng.random() < 0.7:
            self.line("break")
        else:
            self.leave()

    def loop_left(self) -> None:
        self.line(self.choose("break", "continue"))

    def leave(self) -> None:
        """A `return`; what the kernel returns from has been stored."""
        match self.result:
            case "integer":
                self.line(f"return {self.integer()} % 31")
            case "float":
                self.line(f"return {self.number()} % 32")
            case "pair":
                self.line(f"return {self.integer(1)} % 31, {self.number(1)} % 32")
            case _:
                self.line(f"y.store({self.tile()})")
                self.line("return")

    # --- Functions ---------------------------------------------------------------------------------------------------

    def variables(self, *parameters: str) -> None:
        """What a function begins with. Floats begin as whatever number they please."""
        self.integers, self.floats, self.truths, self.pairs = [*parameters], [], [], []
        self.fixed = set(parameters)
        for names, word, options in (
            (self.integers, "s", ("0", "1", *parameters)),
            (self.floats, "f", ("0", "0.5", "2")),
            (self.truths, "c", ("True", f"{parameters[0]} > 1")),
            (self.pairs, "best", ("(0, 0)", "(1, 0.5)")),
        ):
            for _ in range(self.rng.randint(1, 2)):
                name = self.name(word)
                self.line(f"{name} = {self.choose(*options)}")
                names.append(name)

    def function(self, name: str, result: str) -> None:
        """A helper of two integers."""
        self.result = result
        with self.block(f"def {name}(a, b):"):
            self.variables("a", "b")
            self.body(5)
            self.leave()

    def kernel(self) -> None:
        results = [self.choose("integer", "float", "pair") for _ in range(self.rng.randint(0, 2))]
        inner = self.rng.random() < 0.3
        if not inner:
            for number, result in enumerate(results):
                self.function(f"helper{number}", result)
        with self.block('def kernel(y: Out[f32, "N"], x: Ref[f32, "M"], a: int, b: int):'):
            if inner:
                for number, result in enumerate(results):
                    self.function(f"helper{number}", result)
            self.result = ""
            self.variables("a", "b")
            self.line("acc, t = fh.zeros(y.tile, f32), x.load(0, 4)")
            self.tiles, self.fixed = ["acc", "t"], self.fixed | {"t"}
            for number, result in enumerate(results):
                name = self._assigned({"integer": self.integers, "float": self.floats, "pair": self.pairs}[result])
                self.line(f"{name} = helper{number}({self.integer(1)}, b)")
            self.body(6)
            self.line(f"y.store(acc + {self.number(1)} + {self.integer(0)})")


def program(rng: random.Random) -> str:
    """The text of a module with a function `kernel`."""
    made = Program(rng)
    made.kernel()
    return PRELUDE + "\n".join(made.lines) + "\n"
