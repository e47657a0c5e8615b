"""The signatures that the audit proposes are those of kernels of Freehold that do the same: written and compared."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("cuda.tile", reason="cuda-tile is not installed")

from planted import CASES, Made

import freehold as fh
from freehold.audit.facts import Call, call_of, launch_from
from freehold.audit.replay import arrays_of
from freehold.audit.signature import proposed
from freehold.audit.verdict import audit
from freehold.backend.bytecode.reader import read_bytecode
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.runtime.interpreter.launch import Entry

HEAD = """
import freehold as fh
from freehold import Acc, Mut, Out, Raw, Ref, f32, i32


@fh.kernel
"""


class Written(NamedTuple):
    """A kernel of Freehold: the twin in cuTile Python that it does the same as, and its body."""

    twin: str
    body: str
    given: Mapping[str, Any] = MappingProxyType({})
    """Of its partition."""
    over: tuple[str, tuple[int, ...]] | None = None
    """What is partitioned, where that is not what is written."""


KERNELS = {
    "add": Written("same_tile", "y.store(x.load(y.index, y.tile) + 1.0)"),
    "scattered": Written("overlap_scatter", "y.store(x.load(y.index, y.tile))"),
    "stencil": Written(
        "stencil", "i = y.index[0]; y.store(x.load((fh.maximum(i - 1, 0),), y.tile) + x.load((i,), y.tile))"
    ),
    "transpose": Written("transpose_long", "j, i = y.index; y.store(x.load((i, j), (16, 16)).T)"),
    "parts": Written("split_parts", "y.store(x.load(y.index, y.tile))"),
    "clamped": Written("before_first", "i = y.index[0]; y.store(x.load((fh.maximum(i - 1, 0),), y.tile))"),
    "gathered": Written("unmasked_gather", "y.store(x.gather((y.index[0] + 1) * 64 + fh.arange(64)))"),
    "persistent": Written("persistent_step", "y.store(x.load(y.index, y.tile))", {"blocks": fh.PERSISTENT}),
    "grouped": Written("grouped_unclamped", "y.store(x.load(y.index, y.tile))", {"order": fh.grouped(4)}),
    "heads": Written("heads_divisor", "y.store(x.load(y.index, y.tile))"),
    "of blocks": Written("total_stored", "y.store(x.load(y.index, (64,)).sum().reshape(1))"),
    "two tiles": Written(
        "neighbour_read", "i = y.index[0]; t = x.load((i, 0), (1, 64)); y.store(fh.concatenate((t, t * 2.0), axis=1))"
    ),
    "rows": Written("loop_one_more", "y.store(x.load(y.index, y.tile))"),
    "histogram": Written("histogram", "y.add_at(1, bins.load())", over=("bins", (64,))),
    "total": Written("scope_of_block", "y.at(0).add(x.load().sum())", over=("x", (64,))),
    "sums": Written(
        "unwritten_read",
        "acc = fh.zeros(y.tile, f32)\n    for k in range(x.shape[0]):\n"
        "        acc += x.load((k, y.index[0]), (1, 64)).reshape(64)\n    y.store(acc)",
    ),
}


def of(made: Made) -> tuple[Any, EntryOp, Call]:
    """The module, the entry and the launch of a twin."""
    module = read_bytecode(made.bytecode())
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    return module, entry, call_of(entry, launch_from(made.facts))


def line_of(made: Made) -> str:
    module, entry, call = of(made)
    return proposed(audit(module, entry, call.launch))


def kernel(folder: Path, line: str, body: str) -> Any:
    """A kernel with a proposed signature."""
    path = folder / "proposed_kernel.py"
    path.write_text(f"{HEAD}{line.partition('  #')[0]}:\n    {body}\n")
    spec = importlib.util.spec_from_file_location("proposed_kernel", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (name,) = re.findall(r"def (\w+)", line)
    return getattr(module, name)


@pytest.mark.parametrize("name", KERNELS)
def test_a_proposed_signature_is_that_of_a_kernel_that_does_the_same(name: str, tmp_path: Path) -> None:
    written = KERNELS[name]
    made = CASES[written.twin][1]
    module, entry, call = of(made)
    line = line_of(made)
    rng = np.random.default_rng(3)
    values, _keep = arrays_of(call)
    named: dict[str, Any] = {n: v for n, v in zip(call.names, values, strict=False) if isinstance(v, np.ndarray)}
    if (x := named.get("x")) is not None and x.dtype == np.float32:
        x[...] = rng.standard_normal(x.shape, np.float32)
    named["y"][...] = 0 if written.over else np.nan
    mine: dict[str, Any] = {n: v.copy() for n, v in named.items()}
    Entry.of(module, entry.sym_name.data).run(values, call.launch.grid)
    over = written.over
    if over is None:
        (tile,) = re.findall(r"y by \[([0-9, ]+)\]", line)
        over = "y", tuple(map(int, tile.split(",")))
    partition = fh.partition(mine[over[0]], over[1], **written.given)
    kernel(tmp_path, line, written.body)(**{**mine, over[0]: partition}).sync()
    wrote = ~np.isnan(named["y"])
    assert wrote.mean() > 0.5, "some of the twins leave a part of it"
    np.testing.assert_allclose(mine["y"][wrote], named["y"][wrote], rtol=1e-5)
    assert mine["y"].any()
