"""Launches and operations on a driver that has no GPU: what arrives there, and in which order. Needs a C compiler."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from stub_printed import Printed, names_of

PROGRAMS = (
    "stub_program.py", "stub_operations.py", "stub_tensors.py", "stub_deployment.py", "stub_checks.py", "stub_grids.py",
    "stub_lifetimes.py", "stub_extern.py", "stub_engine.py", "stub_planned.py", "stub_gradients.py", "stub_two_gpus.py",
    "stub_overlap.py",
)  # fmt: skip


@pytest.fixture(scope="module")
def printed(on_stub: Callable[..., Printed]) -> Callable[[str], Printed]:
    """What a program printed, which is run once."""
    done: dict[str, Printed] = {}

    def find(program: str) -> Printed:
        if program not in done:
            done[program] = on_stub(program)
        return done[program]

    return find


@pytest.mark.parametrize(("program", "name"), [(p, name) for p in PROGRAMS for name in names_of(p)])
def test_on_the_stub(program: str, name: str, printed: Callable[[str], Printed]) -> None:
    found = printed(program)
    assert found.ran(name), found.wrong


def test_memory_stays_flat(on_stub: Callable[..., Printed]) -> None:
    found = on_stub("soak.py", "--launches", "40000", "--on-stub", fresh=True)
    assert found.status == 0, f"{found.passed}\n{found.wrong}"


@pytest.mark.parametrize("native", [True, False])
def test_the_end_of_a_program_says_nothing(native: bool, on_stub: Callable[..., Printed]) -> None:
    found = on_stub("stub_ending.py", native=native, fresh=True)
    assert (found.status, found.passed, found.wrong) == (0, ["ends"], "")
