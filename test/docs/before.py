"""What stands before the book's blocks where a page speaks of arrays and kernels that it does not make."""

from __future__ import annotations

BASICS = """
import freehold as fh
import numpy as np
from freehold import Acc, Const, Mut, Out, Raw, Ref, f32, i32, u8

rng = np.random.default_rng(0)
a, b = rng.standard_normal((96, 64), np.float32), rng.standard_normal((64, 80), np.float32)
c, other = np.zeros((96, 80), np.float32), a + 1
x, y, z = np.ones(2048, np.float32), np.zeros(2048, np.float32), np.zeros(2048, np.float32)


@fh.kernel
def gemm(c: Out["M", "N"], a: Ref["M", "K"], b: Ref["K", "N"], BK: Const[int] = 64):
    m, n = c.index
    acc = fh.zeros(c.tile, f32)
    for k in fh.tiles(a, axis=1, size=BK):
        acc = fh.mma(a.load((m, k), (c.tile[0], BK)), b.load((k, n), (BK, c.tile[1])), acc)
    c.store(acc.astype(c.dtype))


@fh.kernel
def saxpy(y: Mut["N"], x: Ref["N"], a: f32):
    y.store(a * x.load_like(y) + y.load())


@fh.kernel
def add(z: Out["N"], x: Ref["N"], y: Ref["N"]):
    z.store(x.load_like(z) + y.load_like(z))


@fh.kernel
def scale(y: Mut["N"], a: f32):
    y.store(y.load() * a)


@fh.kernel
def double(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) * 2.0)
"""

TORCH = "import pytest; torch = pytest.importorskip('torch')\n"

BEFORE: dict[tuple[str, int], str] = {
    ("deployment.md", 3): TORCH,
    ("deployment.md", 4): TORCH,
    ("deployment.md", 5): TORCH,
    ("deployment.md", 6): "import pytest; jax = pytest.importorskip('jax')\n",
    ("extern.md", 2): "import pytest; pytest.importorskip('cuda.tile')\n",
    ("interpreter.md", 1): """
from freehold.passes.launch_contract import contract as contract_of
from freehold.passes.lowering import translate

def saxpy_module():
    return saxpy.verify(fh.partition(y, 64), x, 2.0)

module = saxpy_module()
""",
    ("interpreter.md", 2): "def model(x): saxpy(fh.partition(y, 64), x, 2.0).sync()\n",
    ("engine.md", 1): """
import pytest
from pathlib import Path
for needed in ("safetensors", "tokenizers", "jinja2"):
    pytest.importorskip(needed)
from freehold.engine import demo
demo.make(Path("a-folder"))
""",
    ("kernels.md", 1): TORCH,
    ("kernels.md", 2): """
rows, K = 4, 4096
x, w = rng.standard_normal((rows, K), np.float32), np.ones(K, np.float32)
y, rstd = np.zeros((rows, K), np.float32), np.zeros(rows, np.float32)
""",
    ("operations.md", 1): "stream = None\n",
    ("operations.md", 4): """
first, second, t, new = double, double, np.zeros(2048, np.float32), x + 1
""",
    ("runtime.md", 1): "stream = None\n",
}
"""By page and number: what comes before a block, besides `BASICS`."""

NOT_RUN: dict[tuple[str, int], str] = {
    ("operations.md", 3): "an all-reduce of NCCL needs GPUs",
    ("runtime.md", 3): "a search times launches on a GPU; test/runtime/test_tuning.py has the same with other measures",
    ("interpreter.md", 1): "three kinds of modules; test/interpreter has each",
    ("interpreter.md", 4): "it records programs of cuTile Python, which have to be installed",
}
"""Blocks that are compiled, and not run, with the reason."""
