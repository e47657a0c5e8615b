"""
What random kernels ask of their tiles, as a table: which axes are whole, of one element, or counted, which tensors go
along, and of which no tile is right.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

import freehold as fh
from freehold.passes.analysis.tile_axes import TileMeaning
from freehold.passes.analysis.tile_meaning import tile_meaning
from freehold.passes.launch_contract import kernel_of

M, N = 4, 16
EXTENTS: Final = {"M": M, "N": N, "K": 8}
TILES: Final = ((2, 8), (1, 8), (2, 16), (4, 8))
ATOMS: Final = (
    "x.load_like(y)", "x.load_like(y)", "x.load((i, 0), (T0, T1))", "x.load((0, j), (T0, T1))",
    "x.load((0, 0), (T0, T1))",
    "fh.full(y.tile, 2.0, f32)", "fh.full(y.tile, 1.0, f32) * i", "fh.full(y.tile, 1.0, f32) * (j * T1)",
    "fh.broadcast_to((j * T1 + fh.arange(T1))[None, :], y.tile).astype(f32)",
    "fh.broadcast_to(fh.arange(T0)[:, None], y.tile).astype(f32)",
    "fh.broadcast_to(z.load((j,), (T1,))[None, :], y.tile)", "fh.broadcast_to(z.load((0,), (T1,))[None, :], y.tile)",
    "(fh.full(y.tile, 0.0, f32) + w.load((0,), (8,)).sum())", "(fh.full(y.tile, 0.0, f32) + w.load((0,), (4,)).sum())",
    "z.gather(fh.broadcast_to((j * T1 + fh.arange(T1))[None, :], y.tile))",
    "x.gather(i, fh.arange(T1))[None, :] + fh.zeros(y.tile, f32)",
    "(fh.zeros(y.tile, f32) + z.load((i,), (1,)).item())",
)  # fmt: skip
STEPS: Final = (
    "A + B", "A * B", "fh.maximum(A, B)", "A - A.sum(axis=1, keepdims=True)", "A - A.max(axis=0, keepdims=True)",
    "A + A.sum()", "fh.cumsum(A, axis=1)", "fh.cumsum(A, axis=0)", "A.T.T", "A.T.reshape(T0, T1)",
    "A.reshape(T0 * T1).reshape(T0, T1)",
    "A.reshape(T0, T1, 1).sum(axis=2)", "fh.where(A > B, A, 1.0)", "A * 2.0 + 1.0", "(A if i > 0 else B)",
    "(A if j * T1 > 8 else B)", "A.sum(axis=1, keepdims=True) + B", "A.reshape(T0, 1, T1).max(axis=1) + B",
)  # fmt: skip
LOOPS: Final = (
    "",
    "    for k in range(2):\n        t = t + x.load((i, k), (T0, T1))\n",
    "    for k in fh.tiles(x, axis=1, size=8):\n        t = t + x.load((i, k), (T0, 8)).sum(axis=1, keepdims=True)\n",
    "    for k in fh.tiles(x, axis=0, size=T0):\n        t = t + x.load((k, j), (T0, T1))\n",
)


def expression(choose: random.Random, depth: int) -> str:
    if not depth or choose.random() < 0.2:
        return choose.choice(ATOMS)
    step = choose.choice(STEPS)
    return (
        "(" + step.replace("B", expression(choose, depth - 1)).replace("A", f"({expression(choose, depth - 1)})") + ")"
    )


def made(seed: int) -> tuple[str, Any]:
    """A kernel that computes a random expression, and its text."""
    choose = random.Random(seed)
    body = expression(choose, 2)
    loop = choose.choice(LOOPS) if choose.random() < 0.4 else ""
    text = (
        "import freehold as fh\nfrom freehold import Out, Ref, f32\n\n@fh.kernel\n"
        'def kernel(y: Out["M", "N"], x: Ref["M", "N"], z: Ref["N"], w: Ref["K"]):\n'
        f"    i, j = y.index\n    t = {body}\n{loop}    y.store(t)\n"
    )
    text = text.replace("T0", "y.tile[0]").replace("T1", "y.tile[1]")
    name = f"<tiles {seed}>"
    fh.register_source(name, text)
    names: dict[str, Any] = {}
    exec(compile(text, name, "exec"), names)
    what = body + (f" and in a loop {loop.splitlines()[1].strip()}" if loop else "")
    return what, names["kernel"]


def asked(found: TileMeaning) -> str:
    parts = [f"{name} {sorted(axes)}" for name in ("whole", "ones", "counted") if (axes := getattr(found, name))]
    parts += ["unclear"] if found.unclear else []
    return ", ".join(parts) or "nothing"


def test_what_is_asked(golden: Callable[[Path, str], None]) -> None:
    lines: list[str] = []
    for seed in range(50):
        what, kernel = made(seed)
        lines.append(f"{seed}: {what}")
        for tile in TILES:
            arrays = [np.zeros(shape, np.float32) for shape in ((M, N), (M, N), (N,), (8,))]
            module = kernel.lower(fh.partition(arrays[0], tile), *arrays[1:])
            found = tile_meaning(kernel_of(module), tile, EXTENTS)
            counts = (-(-M // tile[0]), -(-N // tile[1]))
            allowed = found.allows(tile, counts)
            lines.append(f"  {tile}: {asked(found)}, spans {sorted(found.spans)}{'' if allowed else ': not right'}")
    golden(Path(__file__).with_name("tiles_asked.txt"), "\n".join(lines))
