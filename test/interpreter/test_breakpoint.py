"""`ownership.breakpoint` in a module written as text: what a hook sees of a run without a function of Python's."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from evaluate import parse

from freehold.runtime.interpreter import breakpoints, run

TEXT = """
ownership.kernel @doubled(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i]
      : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %a = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
    %b = cuda_tile.addf %a, %a : tile<4xf32>
    ownership.breakpoint %x, %i, %a, %b
      : !ownership.tensor<[N], f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>
      {dtypes = ["f32", "i32", "f32", "f32"], asked, scopes = [
        {begins = #builtin.int<1>, function = "doubled", module = "nowhere", names = [
          "x = tensor(_0, (_1, ), (4, ))", "both = (_2, _3, )", "gone = host('nowhere', 'it')", "eps = float('inf')"]}]}
    ownership.store %b, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
  }
}
"""


def test_a_hook_sees_the_names(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def hook() -> None:
        frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage] -- as debuggers do
        names = frame.f_locals
        low, high = names["both"]
        place = names["x"].index, names["x"].tile
        seen.append((frame.f_code.co_name, *place, low.tolist(), high.tolist(), names["eps"]))
        assert names["gone"] is None
        with pytest.raises(ValueError, match="read-only"):
            low[0] = 1

    monkeypatch.setattr(sys, "breakpointhook", hook)
    x = np.arange(8, dtype=np.float32)
    run(parse(TEXT), [x])
    assert seen == [
        ("doubled", (0,), (4,), [0, 1, 2, 3], [0, 2, 4, 6], float("inf")),
        ("doubled", (1,), (4,), [4, 5, 6, 7], [8, 10, 12, 14], float("inf")),
    ]
    assert x.tolist() == [2 * n for n in range(8)]


def test_whose_debugger_it_would_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours stands in for Python's own, and for no other: neither a hook, nor one that the environment names."""
    is_pdb = breakpoints._is_pdb  # pyright: ignore[reportPrivateUsage] -- of which no session is held here
    monkeypatch.setattr(sys, "breakpointhook", sys.__breakpointhook__)
    monkeypatch.delenv("PYTHONBREAKPOINT", raising=False)
    own: Any = ModuleType("pdb")
    own.set_trace = lambda: None
    own.set_trace.__module__ = "pdb"
    monkeypatch.setitem(sys.modules, "pdb", own)
    assert is_pdb(sys.__breakpointhook__)
    assert not is_pdb(print)
    for named, same in (("pdb.set_trace", True), ("ipdb.set_trace", False)):
        monkeypatch.setenv("PYTHONBREAKPOINT", named)
        assert is_pdb(sys.__breakpointhook__) is same
    monkeypatch.delenv("PYTHONBREAKPOINT")
    own.set_trace.__module__ = "_pytest.debugging"
    assert not is_pdb(sys.__breakpointhook__)
    monkeypatch.delitem(sys.modules, "pdb")
    assert is_pdb(sys.__breakpointhook__)
