"""The native module: that it does what Python does in its place, that all works without it, and what launches cost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from stub_printed import Printed, names_of

from freehold.runtime.base import native
from freehold.tools.build_native import compile_native

WITHOUT = (
    "stub_program.py", "stub_operations.py", "stub_tensors.py", "stub_deployment.py", "stub_lifetimes.py",
    "stub_extern.py", "stub_planned.py", "stub_gradients.py", "stub_overlap.py",
)  # fmt: skip
needed = pytest.mark.skipif(not native.BUILT, reason="the native module is not built")


@pytest.fixture(scope="module")
def compared(on_stub: Callable[..., Printed]) -> Printed:
    return on_stub("stub_native.py")


@needed
@pytest.mark.parametrize("name", names_of("stub_native.py"))
def test_it_is_python_s_equal(name: str, compared: Printed) -> None:
    assert compared.ran(name), compared.wrong


@needed
@pytest.mark.parametrize("program", WITHOUT)
def test_all_works_without_it(program: str, on_stub: Callable[..., Printed]) -> None:
    found = on_stub(program, native=False)
    done = {name.removesuffix(":skipped") for name in found.passed}
    assert [name for name in names_of(program) if name not in done] == [], found.wrong


@pytest.mark.parametrize("wanted", [pytest.param(True, marks=needed), False])
def test_launches_cost_what_they_did(wanted: bool, on_stub: Callable[..., Printed]) -> None:
    found = on_stub("stub_costs.py", native=wanted)
    assert len(found.passed) == 9, found.wrong
    assert [row for row in found.passed if "more_than" in row] == []


@needed
def test_it_compiles_without_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        "CC", "cc -Wall -Wextra -Werror -Wno-unused-parameter -Wno-missing-field-initializers -Wno-cast-function-type"
    )
    monkeypatch.delenv("FREEHOLD_NATIVE", raising=False)
    assert compile_native(tmp_path) is None
    assert [file.name for file in tmp_path.iterdir()] == ["_native.abi3.so"]


@pytest.mark.parametrize(
    ("variable", "value"), [("FREEHOLD_NATIVE", "0"), ("CC", "false"), ("CC", "/no/such/compiler")]
)
def test_it_need_not_be_built(variable: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, value)
    assert compile_native(tmp_path) is not None
    assert list(tmp_path.iterdir()) == []
