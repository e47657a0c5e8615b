"""
Random kernels that are launched without a partition: with every tile that a launch could choose they compute the same.

`python test/fuzz/fuzz_tiles.py --cases 1000 --seed 0` ends with one line of figures, and with status 1 if there was a
finding. A kernel is refused if no tile is told to be right (O221), which is counted. Kernels write tensors of two or
three axes, or add to an accumulator what they read of a tensor that is cut. They put together what depends on the tile
and what does not: numbers of regions and of elements, parts of tables, masks, sums and extrema along axes. Extents are
small, so that a tile covers an axis or does not. Sums are never of what is beyond the end of a tensor.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from written_cases import Outcome, Outcomes, attempted, outcomes, search

import freehold as fh
from freehold.runtime.base.call_site import CallSite
from freehold.runtime.scheduling.candidates import Candidates, Nothing
from freehold.runtime.scheduling.completion import completed
from freehold.runtime.scheduling.problem import Schedule
from freehold.support.diagnostic import Rejected

SECONDS = 60.0
"""What a case may take of a processor."""
BATCH = 10
"""Cases that a process takes at a time."""
SIZES = (1, 2, 4, 16)
"""Extents of the tiles whose results are compared."""

# --- Kernels ----------------------------------------------------------------------------------------------------------

# T0, T1, ... is the tile; L its numbers of elements, and P the places that they are, along each axis; Z zeros.
PLACES: Final = (
    "P{a}*1.0", "L{a}*1.0", "(P{a}//2)*1.0", "(2*P{a}+1)*1.0", "(L{a}+{n})*1.0", "(L{a} < {e}-s{a})*1.0",
    "(L{a} < stop{a}-s{a})*1.0", "(P{a} < stop{a})*1.0", "(P{a} < {n})*1.0", "(L{a} < {n})*1.0", "(P{a} & 1)*1.0",
    "fh.random_uniform(7, P{a})", "fh.random_uniform(7, L{a})", "(s{a} + 2*L{a})*1.0",
    "(P{a} + 1 < stop{a})*1.0", "(2*P{a} < stop{a})*1.0", "(L{a} + 1 < stop{a}-s{a})*1.0",
)  # fmt: skip
"""What a tile of one axis is made of."""
NUMBERS: Final = (
    "i{a}*1.0", "s{a}*1.0", "(s{a}//8)*1.0", "(stop{a}-s{a})*1.0", "z.load(i0, ())", "z.load((s0,), ())",
    "z.gather(i0)", "z.gather(s0)", "2.0", "z.load((0,), (4,)).sum()", "z.load((0,), (16,)).max()",
    "z.load((i0,), (1,)).item()", "w.load((fh.where(i{a} > 0, 3, 5),), ())",
    "fh.arange(T{a}).sum()*1.0", "fh.arange(T{a}).max()*1.0", "z.gather(L0).sum()",
    "fh.cumsum(fh.ones((T{a},), f32)).max()", "fh.ones(shape, f32).flatten().sum()",
    "fh.ones((T{a}, T{a}), f32).flatten().sum()",
    "fh.mma(fh.ones((16, T{a}), f16), fh.ones((T{a}, 16), f16), fh.zeros((16, 16), f32)).max()",
)  # fmt: skip
TABLES: Final = (
    "z.load((i0,), (T0,))", "z.load((0,), (T0,))", "z.gather(P0)", "z.gather(L0)", "z.gather(P0+1)", "z.gather(P0//2)",
    "z.gather(P0, mask=L0 < {n})", "z.gather(P0, mask=P0 < {n})", "z.gather(P0, mask=s0 < {n})",
    "w.load((i0+1,), (T0,))", "w.load((i0,), (T0,))", "w.load_from((s0+{n},), (T0,))",
)  # fmt: skip
"""Tiles of the first axis, of a table."""
STEPS: Final = (
    "A + B", "A * B", "fh.maximum(A, B)", "fh.where(A > B, A, 1.0)", "A * 2.0 + 1.0", "fh.exp(A * 0.1)",
    "A - A.sum(axis={a}, keepdims=True)", "A - A.max(axis={a}, keepdims=True)", "A - A.max()", "A + A.sum()",
    "fh.cumsum(A, axis={a})", "fh.sort(A, axis={a})", "fh.where(A.max() > 1.0, A, B)", "(A if i{a} > 0 else B)",
    "(A if s{a} > 4 else B)", "A.flatten().reshape(shape)", "(A.flatten() - A.flatten().max()).reshape(shape)",
    "A + fh.expand_dims(fh.argmax(A, axis={a}), {a})", "fh.insert(A, origin, fh.zeros(ones, f32))",
)  # fmt: skip
LOOPS: Final = (
    "",
    "",
    "for k in fh.tiles(x, axis={a}, size=8):\n        t += x.load({k8}, {t8}).sum(axis={a}, keepdims=True)",
    "for k in fh.tiles(x, axis={a}, size=T{a}):\n        t += x.load({k}, shape).sum(axis={a}, keepdims=True)",
    "for k in range(3):\n        t += x.load_from({from_k}, shape)",
    "for k in range(3):\n        t += w.load((i0 + k,), ())",
    "for k in range(3):\n        t += w.load((s0 + k,), ())",
    "for k in range(3):\n        t += w.gather(i0 + k + fh.arange(8)).max()",
    "for k in range(2):\n        t += fh.expand_dims(w.load((i0 + k,), (T0,)), {after}) + Z",
    "for _ in range(i{a}):\n        t += 1.0",
    "a = b = c = d = e = t\n    for k in range(4):\n        a, b, c, d, e = b, c, d, e, t * x.load(at, shape)\n"
    "    t += a.max()",
)
ENDS: Final = (
    "h.at(0).add(t.sum())", "h.at(0).add(t.sum() + 1.0)", "h.at(0).add(t.max())", "h.at(0).add(1.0)",
    "h.add_at(t.sum(axis={others}), P{a} % 4)", "h.add_at(t.sum(axis={others}), L{a} % 4)",
    "h.add_at(1.0, P{a} % 4, mask=P{a} < {e})", "h.add_at(t.sum(), i{a} % 4)", "h.add_at(t.sum(), (s{a}//8) % 4)",
    "h.add_at(t.sum(), (t.sum() > 0).astype(i32))", "h.add_at(t.sum(), 0, mask=t.sum() > 0)",
    "h.at(0).add(2.0 * t.sum())", "h.add_at(t.sum(axis={others}), P{a}, mask=P{a} < 4)",
    "h.add_at(t.sum(), P{a} % 4)", "h.add_at(t.sum(), 0, mask=P{a} < {n})", "h.at(0).add((t > 0).sum() * 1.0)",
    "u = t.sum(axis={others})\n    h.at(0).add((u[:, None] * u[None, :]).sum())",
    "u = t.sum(axis={others})\n    h.at(0).add(w.gather((P{a}[:, None] + P{a}[None, :]) % 64).sum())",
)  # fmt: skip


class Writer:
    """Writes the kernel of a case."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.rank = rng.choice((2, 2, 3))
        self.adds = rng.random() < 0.4
        self.cut = "y" if not self.adds or rng.random() < 0.5 else "x"
        """The tensor whose tiles there are."""

    def axis(self) -> int:
        """One of the axes."""
        return self.rng.randrange(self.rank)

    def along(self, tile: str, axis: int) -> str:
        """A tile of one axis, as one of all."""
        inner = ", ".join(":" if n == axis else "None" for n in range(self.rank))
        return f"(({tile})[{inner}] + Z)"

    def filled(self, text: str, axis: int | None = None) -> str:
        """A line with the numbers of an axis."""
        a, rank = self.axis() if axis is None else axis, self.rank
        indices = [[f"i{n}" if n != a else "k" for n in range(rank)], [f"s{n}" for n in range(rank)]]
        indices[1][a] += " + k"
        short = [f"T{n}" if n != a else "8" for n in range(rank)]
        others = tuple(n for n in range(rank) if n != a)
        k = f"({', '.join(indices[0])})"
        return text.format(
            a=a, n=self.rng.choice((1, 3)), e=f"{self.cut}.shape[{a}]", k=k, k8=k, t8=f"({', '.join(short)})",
            from_k=f"({', '.join(indices[1])})", others=others, after=tuple(range(1, rank)),
        )  # fmt: skip

    def atom(self) -> str:
        """What is loaded or counted."""
        rng, rank = self.rng, self.rank
        match rng.randrange(6):
            case 0 | 1:
                return "x.load(at, shape)"
            case 2:
                a = self.axis()
                return self.along(self.filled(rng.choice(PLACES), a), a)
            case 3:
                return f"({self.filled(rng.choice(NUMBERS))} + Z)"
            case 4:
                return self.along(self.filled(rng.choice(TABLES)), 0)
            case _:
                index = [f"i{n}" for n in range(rank)]
                index[self.axis()] = rng.choice(("0", "0", "i0"))
                return rng.choice((f"x.load(({', '.join(index)}), shape)", "x.load_from(here, shape)"))

    def tile(self, depth: int) -> str:
        """A tile of all axes."""
        if not depth or self.rng.random() < 0.15:
            return self.atom()
        step = self.filled(self.rng.choice(STEPS))
        first, second = (f"({self.tile(depth - 1)})" for _ in range(2))
        return "".join(first if c == "A" else second if c == "B" else c for c in step)

    def text(self) -> str:
        """The kernel."""
        rank, cut = self.rank, self.cut
        each = range(rank)
        dims = ", ".join(f'"{d}"' for d in "BMN"[-rank:])
        tensors = f"y: Out[{dims}], " if cut == "y" else ""
        tensors += 'h: Acc["E"], ' if self.adds else ""
        names = [", ".join(f"{name}{n}" for n in each) for name in ("i", "s", "stop", "T")]
        lines = [f"{name} = {cut}.{of}" for name, of in zip(names, ("index", "start", "stop", "tile"), strict=True)]
        lines += [f"L{n} = fh.arange(T{n})" for n in each] + [f"P{n} = s{n} + L{n}" for n in each]
        lines += [f"at, here, shape = {cut}.index, {cut}.start, {cut}.tile", "Z = fh.zeros(shape, f32)"]
        lines += [f"origin, ones = {(0,) * rank}, {(1,) * rank}", f"t = {self.tile(2)} + Z"]
        lines += [self.filled(self.rng.choice(LOOPS))] + ["y.store(t)"] * (cut == "y")
        if self.adds:
            inside = " & ".join(f"fh.broadcast_to({self.along_only(n)}, shape)" for n in each)
            lines += [f"t = fh.where({inside}, t, 0.0)", self.filled(self.rng.choice(ENDS))]
        body = "".join(f"    {line}\n" for line in lines if line)
        return (
            "import freehold as fh\nfrom freehold import Acc, Out, Ref, f16, f32, i32\n\n@fh.kernel\n"
            f'def kernel({tensors}x: Ref[{dims}], z: Ref["{"BMN"[-rank]}"], w: Ref["W"]):\n{body}'
        )

    def along_only(self, axis: int) -> str:
        """Whether places along an axis are inside."""
        inner = ", ".join(":" if n == axis else "None" for n in range(self.rank))
        return f"(P{axis} < {self.cut}.shape[{axis}])[{inner}]"


# --- Cases ------------------------------------------------------------------------------------------------------------


def kernel_of(seed: int, number: int) -> tuple[str, Writer]:
    """The text of a case's kernel, and who wrote it."""
    writer = Writer(random.Random(f"tiles {seed} {number}"))
    return writer.text(), writer


def tiles_of(candidates: Candidates) -> Iterator[Schedule]:
    """The first schedule that is accepted, and all that have other tiles along the axes that do not have to be whole,
    also such as are too small to be chosen."""
    first, meaning = candidates.first()
    base = first.schedule
    yield base
    axes = list(candidates.last)
    sizes = [
        [base.tile[d]] if n in meaning.whole | meaning.ones else [s for s in SIZES if s <= candidates.caps[d]]
        for n, d in enumerate(axes)
    ]
    for tile in product(*sizes):
        schedule = replace(base, tile={**base.tile, **dict(zip(axes, tile, strict=True))})
        if schedule != base:
            with suppress(Nothing):
                yield candidates.look(schedule)[0].schedule


def outcome_of(text: str, file: str, writer: Writer) -> tuple[str, str]:
    """What became of a kernel, and what is wrong, if anything."""
    fh.register_source(file, text)
    names: dict[str, Any] = {}
    exec(compile(text, file, "exec"), names)
    kernel, rng = names["kernel"], np.random.default_rng(len(text))
    extents = ((4, 16), (8, 16), (3, 13), (16, 8)) if writer.rank == 2 else ((4, 8, 16), (3, 4, 8), (2, 5, 7))
    shape = writer.rng.choice(extents)
    x, z, w = (rng.standard_normal(s).astype(np.float32) for s in (shape, shape[0], 64))

    def fresh() -> list[Any]:
        written = [np.zeros(shape, np.float32)] if writer.cut == "y" else []
        return [*written, *([np.zeros(16, np.float32)] if writer.adds else []), x, z, w]

    try:
        found = completed(kernel, tuple(fresh()), CallSite(), None)
        assert found is not None
        schedules = [*tiles_of(Candidates(found.problem, kernel.verified, admitted=False))]
    except Rejected as rejected:
        return rejected.errors[0].code, ""
    results: list[tuple[str, list[Any]]] = []
    refused: Rejected | None = None
    for schedule in schedules:
        arrays = fresh()
        try:
            kernel(*found.problem.arguments(arrays, schedule)).sync()
        except Rejected as rejected:
            if rejected.errors[0].code != "O232":  # what the extents do not admit, of which another may be chosen
                raise
            refused = refused or rejected
            continue
        results.append((str(schedule), arrays))
    if refused is not None and not results:
        return refused.errors[0].code, ""
    if results:
        kernel(*fresh()).sync()  # where one is admitted, it is chosen
    for name, arrays in results[1:]:
        if not all(np.allclose(a, b, 1e-3, 1e-3, equal_nan=True) for a, b in zip(results[0][1], arrays, strict=True)):
            return "finding", f"of {shape}, {results[0][0]} and {name} differ\n{text}"
    return "same" if len(results) > 1 else "one tile", ""


def attempt(seed: int, number: int) -> Outcome:
    """What became of a case, and what is wrong with it, if anything."""
    text, writer = kernel_of(seed, number)
    file = f"<tiles {seed} {number}>"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is beyond the end, which is looked for elsewhere
        return attempted(text, file, SECONDS, lambda: outcome_of(text, file, writer))


def run(seed: int, numbers: range) -> Outcomes:
    """How often each outcome came, and what was found."""
    return outcomes(attempt, seed, numbers)


def told(figures: Counter[str]) -> str:
    """What the last line says of cases that are neither refused nor findings."""
    return f"{figures['same']} the same with all tiles, {figures['one tile']} with one tile"


def main() -> int:
    """The command line."""
    return search(__doc__, lambda seed, number: kernel_of(seed, number)[0], run, BATCH, told)


if __name__ == "__main__":
    sys.exit(main())
