"""The benchmark of verification compiles what the library has, with the checks that a kernel says it needs."""

from __future__ import annotations

import pytest
from benchmarks.kernels_verify import steps
from examples.kernels import library

KERNELS = dict(library())


@pytest.mark.parametrize("name", ["softmax_rows", *(name for name, example in KERNELS.items() if example.checks)])
def test_each_step_takes_time(name: str) -> None:
    assert min(steps(KERNELS[name], "sm_90")) > 0
