"""The benchmark of verification compiles what the library has, with the checks that a kernel says it needs."""

from __future__ import annotations

import pytest
from answers import assembles
from benchmarks import kernels_verify
from benchmarks.kernels_verify import steps
from examples.kernels import library

KERNELS = dict(library())


def test_each_step_takes_time() -> None:
    assert min(steps(KERNELS["softmax_rows"], "sm_90")) > 0


@pytest.mark.parametrize("name", [name for name, example in KERNELS.items() if example.checks])
def test_with_the_checks_that_it_needs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def assemble(code: bytes, arch: str) -> None:
        asked.append(assembles(code, arch))

    monkeypatch.setattr(kernels_verify, "assemble", assemble)
    assert min(steps(KERNELS[name], "sm_90")) > 0
    assert asked == [True]
