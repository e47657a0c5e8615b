"""
Random kernels whose loops carry tiles and hand them on, for `fuzz_carried`: the neighbours of code that the assembler
is known to make wrongly (`backend/wrong_code.py`).

Every value is an integer, also that of a float, and small enough for its dtype where it is carried. So sums and
products are exact in any order, and what two machines compute is the same to the bit.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final, NamedTuple

from program_text import ProgramText

PRELUDE: Final = "import freehold as fh\nfrom freehold import Out, Ref\n\n\n"
BLOCKS: Final = 3
"""Tile blocks of a launch."""
LENGTH: Final = 8192
"""Elements of a row of every source."""
BITS: Final = {"i8": 8, "u8": 8, "i16": 16, "i32": 32, "i64": 64, "f16": 16, "bf16": 16, "f32": 32, "f8e4m3fn": 8}
SHAPES: Final = (
    (64,),
    (128,),
    (512,),
    (1024,),
    (1, 64),
    (1, 256),
    (4, 32),
    (8, 64),
    (16, 16),
    (32, 32),
    (64, 32),
    (64, 64),
    (128, 16),
    (2, 8, 16),
)
COMPUTED: Final = ("i8", "u8", "i16", "i32", "i64", "f16", "bf16", "f32")
WHOLE: Final = tuple(dtype for dtype in COMPUTED if dtype[0] in "iu")
WAYS: Final = ("turns", "tiles", "while", "broken", "back")


class Type(NamedTuple):
    """What a variable holds."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def elements(self) -> int:
        found = 1
        for extent in self.shape:
            found *= extent
        return found

    @property
    def text(self) -> str:
        return str(self.shape)


@dataclass(frozen=True)
class Case:
    """A kernel `kernel(y0, y1, ..., x0, ..., n)`."""

    text: str
    results: tuple[Type, ...]
    """What `y0`, `y1`, ... get of a block: arrays of one axis more."""
    sources: tuple[str, ...]
    """The dtypes of `x0`, `x1`, ..., each of BLOCKS rows of LENGTH elements."""


class Writer(ProgramText):
    """A kernel being written."""

    SCOPES = ("counters",)

    def __init__(self, rng: random.Random):
        super().__init__(rng, 1)
        self.counters = ["n"]
        self.sources: list[str] = []
        self.variables: dict[str, Type] = {}
        self.way = rng.choice(("", "", "repack", "product", "reduce", "join"))
        """What this kernel does more often than others."""

    # --- Expressions -------------------------------------------------------------------------------------------------

    def number(self) -> str:
        """An integer that the kernel computes."""
        p = self.rng.choice(self.counters)
        return self.rng.choice((p, f"({p} + {self.rng.randint(1, 5)})", f"({p} * 3)", f"({p} + n)"))

    def source(self, dtype: str) -> str:
        if dtype not in self.sources:
            self.sources.append(dtype)
        return f"x{self.sources.index(dtype)}"

    def loaded(self, kind: Type) -> str:
        """A tile out of memory."""
        x, count = self.source(kind.dtype), LENGTH // kind.elements
        known, computed = str(self.rng.randrange(count)), f"{self.number()} % {count}"
        at = self.rng.choice((computed, computed, known))
        how = self.rng.choice(("", "", ", allow_tma=False", f", latency={self.rng.randint(1, 8)}"))
        if not kind.shape:
            return f"{x}.load((i, {at}), ())"
        return f"{x}.load((i, {at}), (1, {kind.elements}){how}).reshape({kind.text})"

    def variable(self, kind: Type) -> str | None:
        alike = [name for name, other in self.variables.items() if other == kind]
        return self.rng.choice(alike) if alike else None

    def expression(self, kind: Type, depth: int) -> str:
        """A tile of a type."""
        known = self.variable(kind)
        if depth <= 0 or self.rng.random() < 0.2:
            return known if known and self.rng.random() < 0.75 else self.loaded(kind)
        if not kind.shape:
            return getattr(self, self.rng.choice(("_total", "_total", "_add", "_choose", "_extreme")))(kind, depth - 1)
        ways = ["convert", "reshape", "repack", "repack"]
        if kind.dtype in COMPUTED:
            ways += ["add", "add", "choose", "extreme", "reduce", "join"]
            if kind.dtype in WHOLE:
                ways += ["multiply", "bits", "bitcast", "scan"]
            if len(kind.shape) == 2:
                ways += ["turn", "product"] if self.way != "product" else ["product"] * 12
            if len(kind.shape) == 1 and kind.elements <= 128:
                ways.append("sort")
        if self.way in ("repack", "reduce", "join"):
            ways += [self.way] * 6 if self.way == "repack" or kind.dtype in COMPUTED else []
        return getattr(self, f"_{self.rng.choice(ways)}")(kind, depth - 1)

    def _add(self, kind: Type, depth: int) -> str:
        return f"({self.expression(kind, depth)} {self.rng.choice('+-')} {self.expression(kind, depth - 1)})"

    def _multiply(self, kind: Type, depth: int) -> str:
        return f"({self.expression(kind, depth)} * {self.rng.choice((2, 3, 5, -1 if kind.dtype[0] == 'i' else 7))})"

    def _bits(self, kind: Type, depth: int) -> str:
        p = self.expression(kind, depth)
        ways = (f"({p} >> {self.rng.randint(1, 5)})", f"({p} & {self.rng.choice((1, 15, 127))})")
        return self.rng.choice((*ways, f"({p} {self.rng.choice('&|^')} {self.expression(kind, depth - 1)})"))

    def _choose(self, kind: Type, depth: int) -> str:
        p, q = self.expression(kind, depth), self.expression(kind, depth - 1)
        return f"fh.where({p} {self.rng.choice(('<', '==', '>='))} {q}, {p}, {q})"

    def _extreme(self, kind: Type, depth: int) -> str:
        p, q = self.expression(kind, depth), self.expression(kind, depth - 1)
        return f"fh.{self.rng.choice(('maximum', 'minimum'))}({p}, {q})"

    def _convert(self, kind: Type, depth: int) -> str:
        other = self.rng.choice(WHOLE if kind.dtype[0] in "iu" else COMPUTED)
        if kind.dtype[0] == "f" or kind.dtype == "bf16":
            return f"{self.small(self.expression(Type(other, kind.shape), depth), other)}.astype(fh.{kind.dtype})"
        return f"{self.expression(Type(other, kind.shape), depth)}.astype(fh.{kind.dtype})"

    def _reshape(self, kind: Type, depth: int) -> str:
        shapes = [shape for shape in SHAPES if Type("", shape).elements == kind.elements]
        if kind.elements > 1 and kind.shape not in shapes:
            shapes.append((kind.elements,))
        return f"{self.expression(Type(kind.dtype, self.rng.choice(shapes)), depth)}.reshape({kind.text})"

    def _turn(self, kind: Type, depth: int) -> str:
        return f"{self.expression(Type(kind.dtype, kind.shape[::-1]), depth)}.T"

    def _bitcast(self, kind: Type, depth: int) -> str:
        others = [dtype for dtype in BITS if BITS[dtype] == BITS[kind.dtype]]
        other = Type(self.rng.choice(others), kind.shape)
        inner = self.expression(other, depth) if other.dtype in WHOLE else self.loaded(other)
        return f"fh.bitcast({inner}, fh.{kind.dtype})"

    def _repack(self, kind: Type, depth: int) -> str:
        """The same bytes as other numbers."""
        if kind.dtype not in WHOLE:
            return self._reshape(kind, depth)
        other = self.rng.choice([dtype for dtype in BITS if dtype not in ("i64",)])
        extent = kind.shape[-1] * BITS[kind.dtype] // BITS[other]
        inner = Type(other, (*kind.shape[:-1], extent))
        if not 8 <= extent <= 2048 or inner.elements > LENGTH:
            return self._reshape(kind, depth)
        tile = self.expression(inner, depth) if other in WHOLE else self.loaded(inner)
        packed = tile if other in ("u8", "i8") and self.rng.random() < 0.5 else f"fh.pack({tile})"
        if kind.dtype == "u8" and packed != tile:
            return packed
        return f"fh.unpack({packed}, fh.{kind.dtype})"

    def _reduce(self, kind: Type, depth: int) -> str:
        axis = self.rng.randrange(len(kind.shape))
        p, how = self.expression(kind, depth), self.rng.choice(("sum", "max", "min"))
        reduced = f"fh.{how}({p}, axis={axis}, keepdims=True)"
        if how == "sum" and kind.dtype not in WHOLE:
            reduced = f"fh.clip({reduced}, -64, 64)"
        return f"({self.expression(kind, depth - 1)} + {reduced})"

    def _total(self, kind: Type, depth: int) -> str:
        """A number of a whole tile."""
        how = self.rng.choice(("sum", "max", "min"))
        total = f"fh.{how}({self.expression(Type(kind.dtype, self.rng.choice(SHAPES)), depth)})"
        return f"fh.clip({total}, -64, 64)" if how == "sum" and kind.dtype not in WHOLE else total

    def _scan(self, kind: Type, depth: int) -> str:
        back = self.rng.choice(("", ", reverse=True"))
        return f"fh.cumsum({self.expression(kind, depth)}, axis={self.rng.randrange(len(kind.shape))}{back})"

    def _sort(self, kind: Type, depth: int) -> str:
        return f"fh.sort({self.expression(kind, depth)})"

    def _join(self, kind: Type, depth: int) -> str:
        axis = self.rng.randrange(len(kind.shape))
        if kind.shape[axis] < 8:
            return self._add(kind, depth)
        half = kind.shape[axis] // 2
        ends = [":"] * len(kind.shape)
        low, high = list(ends), list(ends)
        low[axis], high[axis] = f":{half}", f"{half}:"
        p, q = self.expression(kind, depth), self.expression(kind, depth - 1)
        first, second = self.rng.choice(((low, high), (high, low), (low, low), (high, high)))
        return f"fh.concatenate(({p}[{', '.join(first)}], {q}[{', '.join(second)}]), axis={axis})"

    def _product(self, kind: Type, depth: int) -> str:
        if kind.dtype not in ("f32", "f16", "i32") or min(kind.shape) < 16:
            return self._turn(kind, depth)
        of = {"f32": ("bf16", "f16", "f8e4m3fn"), "f16": ("f16",), "i32": ("i8", "u8")}[kind.dtype]
        dtype, inner = self.rng.choice(of), self.rng.choice((16, 32))
        left, right = Type(dtype, (kind.shape[0], inner)), Type(dtype, (inner, kind.shape[1]))
        p, q = (self.few(self.expression(t, depth - 1), dtype) for t in (left, right))
        onto = f"fh.zeros({kind.text}, fh.{kind.dtype})"
        if self.rng.random() < 0.5:
            onto = self.expression(kind, depth - 1)
        return f"fh.mma({p}, {q}, {onto})"

    def few(self, text: str, dtype: str) -> str:
        """So small that a sum of 32 products is exact in `f16`."""
        if dtype == "f8e4m3fn":
            return f"fh.clip({text}.astype(fh.f16), -4, 4).astype(fh.f8e4m3fn)"
        return f"fh.clip({text}, {0 if dtype[0] == 'u' else -4}, 4)"

    def small(self, text: str, dtype: str) -> str:
        """So small that each dtype holds it."""
        if dtype == "f8e4m3fn":
            return text
        return f"fh.clip({text}, {0 if dtype[0] == 'u' else -16}, 16)"

    def assigned(self, kind: Type, depth: int) -> str:
        """What a variable gets: small where the dtype is of a float."""
        text = self.expression(kind, depth)
        if kind.dtype in WHOLE or kind.dtype == "f8e4m3fn" or text in self.variables:
            return text
        return f"fh.clip({text}, -64, 64)"

    # --- Statements --------------------------------------------------------------------------------------------------

    def groups(self) -> list[list[str]]:
        """Variables that may be exchanged."""
        by: dict[Type, list[str]] = {}
        for name, kind in self.variables.items():
            by.setdefault(kind, []).append(name)
        return [names for names in by.values() if len(names) > 1]

    def handed_on(self) -> None:
        """Some variables of one type get each other's values, and the last one new ones."""
        names = self.rng.choice(self.groups())
        self.rng.shuffle(names)
        kind = self.variables[names[0]]
        values = names[1:] + ([names[0]] if self.rng.random() < 0.4 else [self.assigned(kind, self.rng.randint(0, 3))])
        values = [
            self.unchanged(value, kind) if value in names and self.rng.random() < 0.3 else value for value in values
        ]
        self.line(f"{', '.join(names)} = {', '.join(values)}")

    def unchanged(self, name: str, kind: Type) -> str:
        """A variable by way of operations that change nothing, or that choose between it and another one."""
        others = [other for other, its in self.variables.items() if its == kind]
        other, ways = self.rng.choice(others), [f"fh.maximum({name}, {name})"] if kind.dtype in COMPUTED else []
        if kind.shape:
            ways += [f"{name}.reshape({kind.elements}).reshape({kind.text})"]
        if kind.shape and kind.elements % 2 == 0:
            ways += [f"{name}.reshape({kind.elements // 2}, 2).reshape({kind.text})"]
        if kind.dtype in WHOLE:
            ways += [f"(({name} + {other}) - {other})", f"(({name} ^ {other}) ^ {other})", f"({name} * 1)", f"~~{name}"]
        if kind.dtype in COMPUTED and kind.dtype[0] != "u":
            ways += [f"-(-{name})"]
        ways += [f"fh.where({self.number()} % 2 == {self.rng.randint(0, 1)}, {name}, {other})"]
        return self.rng.choice(ways)

    def statement(self, depth: int) -> None:
        way = self.rng.random()
        if self.groups() and way < 0.4:
            self.handed_on()
        elif way < 0.55 and self.indent < 4:
            with self.block(f"if {self.number()} % {self.rng.randint(2, 3)} == {self.rng.randint(0, 1)}:"):
                self.statement(0)
        elif way < 0.7 and depth:
            self.loop(depth - 1)
        else:
            name = self.rng.choice(list(self.variables))
            self.line(f"{name} = {self.assigned(self.variables[name], self.rng.randint(1, 3))}")

    def loop(self, depth: int) -> None:
        k, way, turns = self.name("k"), self.rng.choice(WAYS), self.rng.randint(2, 7)
        if way == "tiles":
            x = self.source(self.rng.choice(COMPUTED))
            header = f"for {k} in fh.tiles({x}, axis=1, size={LENGTH // self.rng.choice((4, 8, 16))}):"
        elif way == "while":
            self.line(f"{k} = 0")
            header = f"while {k} < {self.rng.choice((str(turns), 'n'))}:"
        elif way == "back":
            header = f"for {k} in range({turns}, 0, -1):"
        else:
            header = f"for {k} in range({self.rng.choice((str(turns), 'n', 'n + 2'))}):"
        with self.block(header):
            self.counters.append(k)
            for _ in range(self.rng.randint(1, 3)):
                self.statement(depth)
            if way == "while":
                self.line(f"{k} += 1")
            if way == "broken":
                with self.block(f"if {k} == {self.rng.randint(1, 4)}:"):
                    self.line(self.rng.choice(("break", "continue")))
                self.statement(0)


def case_of(rng: random.Random) -> Case:
    """A kernel."""
    w = Writer(rng)
    dtypes = {"product": ("f32", "f16", "i32"), "repack": WHOLE}.get(w.way, tuple(BITS))
    shapes = [shape for shape in SHAPES if len(shape) == 2 and min(shape) > 8] if w.way == "product" else SHAPES
    kinds = [Type(rng.choice(dtypes), rng.choice(shapes)) for _ in range(rng.choice((1, 1, 2)))]
    if rng.random() < 0.2:
        kinds.append(Type(rng.choice(COMPUTED), ()))
    for number in range(rng.randint(2, 5)):
        kind = kinds[number % len(kinds)]
        w.line(f"v{number} = {w.assigned(kind, rng.randint(0, 2))}")
        w.variables[f"v{number}"] = kind
    for _ in range(rng.randint(1, 2)):
        w.loop(rng.choice((0, 0, 1)))
    results = tuple(w.variables.values())
    for number, kind in enumerate(results):
        w.line(f"y{number}.store(v{number}.reshape(({', '.join(map(str, (1, *kind.shape)))})))")
    outs = [f'y{n}: Out[fh.{kind.dtype}, "B"{"".join(f", {n}" for n in kind.shape)}]' for n, kind in enumerate(results)]
    refs = [f'x{n}: Ref[fh.{dtype}, "B", {LENGTH}]' for n, dtype in enumerate(w.sources)]
    hints: dict[str, int] = {}
    if rng.random() < 0.5:
        hints["num_worker_warps"] = rng.choice((4, 8))
    if rng.random() < 0.25:
        hints["num_cta_in_cga"] = 2
    if rng.random() < 0.25:
        hints["occupancy"] = rng.choice((1, 2, 4))
    head = [
        f"@fh.kernel(hints={hints}, contract={rng.random() < 0.5})",
        f"def kernel({', '.join((*outs, *refs))}, n: fh.i32):",
        "    i = y0.index[0]",
    ]
    return Case(PRELUDE + "\n".join((*head, *w.lines)) + "\n", results, tuple(w.sources))
