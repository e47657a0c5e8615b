"""Some random kernels that read and write their own regions, after each pass; and faults of passes that they find."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from xdsl.ir import Operation

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))

import fuzz_memory

from freehold.dialects.cuda_tile.op import SEGMENTS, segments
from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp
from freehold.passes import cse
from freehold.passes.rewriting import of_kind
from freehold.runtime.interpreter.launch import Lowered


def test_random_kernels_leave_behind_what_python_does() -> None:
    """`make fuzz-passes` tries as many as one likes."""
    figures, findings = fuzz_memory.run(0, range(8))
    assert not findings, findings[0]
    assert figures["same"] == 8


def test_loads_that_are_merged_across_a_store_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if two loads were the same whatever token they wait for."""

    def key(op: Operation) -> tuple[object, ...]:
        return (LoadViewTkoOp, *op.operands[:-1]) if isinstance(op, LoadViewTkoOp) else told(op)

    def equal(a: Any, b: Any) -> bool:
        return isinstance(a, LoadViewTkoOp) or alike(a, b)

    told, alike = cse._key, cse._equal  # pyright: ignore[reportPrivateUsage] -- what is broken on purpose
    monkeypatch.setattr(cse, "_key", key)
    monkeypatch.setattr(cse, "_equal", equal)
    _, findings = fuzz_memory.run(0, range(8))
    assert findings


def test_accesses_without_tokens_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nothing told a load that it has to wait for a store. The interpreter's own check of it is left out."""
    lowered = fuzz_memory.convert

    def unchecked(module: Any, contract: Any, checked: bool) -> Lowered:
        del checked
        return Lowered(module, contract)

    def convert(*given: Any, **named: Any) -> Any:
        module = lowered(*given, **named)
        for op in of_kind(module, LoadViewTkoOp):
            if op.token is not None:
                op.operands = op.operands[:-1]
                op.properties[SEGMENTS] = segments(1, len(op.index), 0)
        return module

    monkeypatch.setattr(fuzz_memory, "convert", convert)
    monkeypatch.setattr(fuzz_memory, "Lowered", unchecked)
    _, findings = fuzz_memory.run(0, range(9))
    assert any("in another order" in finding for finding in findings)
