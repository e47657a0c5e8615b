"""Faults planted in kernels of cuTile Python: each is found and replayed, and no twin without it is suspected."""

from __future__ import annotations

import pytest

pytest.importorskip("cuda.tile")

from planted import CASES, Made

from freehold.audit.facts import launch_from
from freehold.audit.verdict import Audit, audit
from freehold.backend.bytecode.reader import read_bytecode
from freehold.dialects.cuda_tile.ops.module import EntryOp


def audited(made: Made) -> Audit:
    module = read_bytecode(made.bytecode())
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    return audit(module, entry, launch_from(made.facts))


@pytest.mark.parametrize("name", CASES)
def test_the_fault_is_found_and_replayed(name: str) -> None:
    found = audited(CASES[name][0])
    assert found.verdict == "faulty"
    assert {finding.error.code for finding in found.findings} <= {
        "O520",
        "O521",
        "O523",
        "O524",
        "O525",
        "O528",
        "O534",
    }


@pytest.mark.parametrize("name", CASES)
def test_the_twin_is_safe(name: str) -> None:
    found = audited(CASES[name][1])
    assert found.verdict == "safe", (found.findings, found.open)


def test_there_are_enough() -> None:
    assert len(CASES) >= 40


@pytest.mark.parametrize("name", ["same_tile", "overlap_scatter", "transpose_long", "persistent_step", "heads_swapped"])
def test_that_blocks_are_apart_is_shown_for_every_launch(name: str) -> None:
    assert all(array.everywhere for array in audited(CASES[name][1]).arrays)


@pytest.mark.parametrize("name", ["table_twice", "scatter_twice", "ragged_unended", "some_blocks"])
def test_what_holds_in_this_launch_alone_is_not_said_of_every_one(name: str) -> None:
    bad, good = (audited(made) for made in CASES[name])
    assert not any(array.everywhere for array in bad.arrays if array.share != "read only")
    assert name == "some_blocks" or not any(array.everywhere for array in good.arrays if array.share != "read only")
