"""Places to stop in a kernel: they change no code, on a GPU nor elsewhere; where they may not stand, and a session."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Out, i32
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.ownership import BreakpointOp
from freehold.frontend import lower as frontend
from freehold.passes.pipeline import convert, verify
from freehold.runtime.variants.build import IgnoredBreakpoint

HERE = Path(__file__).parent
GOLDEN = HERE / "breakpoints"
pytestmark = pytest.mark.usefixtures("python_as_it_starts")
TEXT = Path(__file__).read_text(encoding="utf-8").splitlines()


def line_of(text: str) -> int:
    """The number of the one line of this file that holds a text."""
    (found,) = (n for n, line in enumerate(TEXT, 1) if text in line and "line_of(" not in line)
    return found


# --- On a GPU ---------------------------------------------------------------------------------------------------------


def test_gpu_code_has_none_and_says_so() -> None:
    @fh.kernel
    def twice(y: Out[i32, "N"]):
        breakpoint()  # of gpu code
        if y.index[0] == 1:
            breakpoint()  # again of gpu code
        y.store(fh.zeros(y.tile, i32))

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            assert twice.compile(fh.partition(np.zeros(4, np.int32), 4), arch="sm_90").cubin
    found = [(w.category, Path(w.filename), w.lineno) for w in caught]
    assert found == [
        (IgnoredBreakpoint, Path(__file__), line_of(f"breakpoint()  # {text}"))
        for text in ("of gpu code", "again of gpu code")
    ]
    assert "with fh.interpreting():" in str(caught[0].message)


@fh.kernel
def stops(y: Out[i32, "N"]):
    breakpoint()
    y.store(fh.zeros(y.tile, i32))


def test_no_warning_where_they_are_disabled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONBREAKPOINT", "0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert stops.compile(fh.partition(np.zeros(4, np.int32), 4), arch="sm_90").cubin


def test_code_is_the_same_as_without(tmp_path: Path) -> None:
    """Also where a branch is so cheap that both ways are computed."""
    text = """
import freehold as fh
from freehold import Out, Ref, f32

@fh.kernel
def kernel(y: Out[f32, "N"], x: Ref[f32, "N"], n: int):
    t = x.load_like(y)
    {0}
    if n > 3:
        {0}
        k = 1
    else:
        k = 2
    for i in range(n):
        t = t * k
        {0}
    y.store(t)
"""
    found: list[bytes] = []
    for n, word in enumerate(("pass", "breakpoint()")):
        path = tmp_path / str(n) / "kernel.py"
        path.parent.mkdir()
        path.write_text(text.format(word))
        scope: dict[str, Any] = {"__name__": "kernels"}
        exec(compile(path.read_text(), str(path), "exec"), scope)
        x = np.zeros(8, np.float32)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fh.build([scope["kernel"](fh.partition(x, 4), np.zeros(8, np.float32), 5)], [], tmp_path / f"built{n}")
        assert {w.category for w in caught} == ({IgnoredBreakpoint} if n else set())
        (code, *_) = (tmp_path / f"built{n}").rglob("*-0.tileirbc")
        found.append(code.read_bytes().replace(bytes(path.parent), b""))
    assert len(found[0]) == len(found[1])
    assert found[0] == found[1]


def all_kernels() -> list[Any]:
    names = ("attention", "elementwise", "folds", "grids", "matmul", "moe", "normalization", "tokens")
    sys.path.insert(0, str(HERE.parents[1]))
    try:
        assert {importlib.import_module(f"examples.kernels.{name}") for name in names}
        return list(importlib.import_module("examples.kernels").library())
    finally:
        sys.path.pop(0)


@pytest.mark.parametrize(("name", "example"), all_kernels())
def test_places_to_stop_change_nothing(name: str, example: Any) -> None:
    """The whole library, with a place to stop at every statement: the same code, to the byte, and the same results."""
    bound = example.kernel.bound(*example.arguments)
    plain = example.kernel.verified(bound.specialisation)
    module, c = frontend._lowered(example.kernel.function, bound.specialisation, None, stepping=True)  # pyright: ignore[reportPrivateUsage] -- as a breakpoint does
    assert module is not None
    assert not c.errors
    assert any(isinstance(op, BreakpointOp) for op in module.walk()), name
    module.verify()
    verify(module)
    assert write_bytecode(convert(module)) == write_bytecode(convert(plain))


# --- As text ----------------------------------------------------------------------------------------------------------


def test_arguments_are_refused(golden: Callable[[Path, str], None]) -> None:
    text = """
import freehold as fh
from freehold import Out, i32


@fh.kernel
def given(y: Out[i32, "N"]):
    breakpoint("here")
    y.store(fh.zeros(y.tile, i32))
"""
    fh.register_source("given.py", text)
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, "given.py", "exec"), scope)
    with pytest.raises(fh.Rejected) as caught:
        scope["given"](fh.partition(np.zeros(4, np.int32), 4)).sync()
    golden(GOLDEN / "arguments.err", str(caught.value))


def test_it_may_not_stand_in_a_fold(golden: Callable[[Path, str], None]) -> None:
    text = """
import freehold as fh
from freehold import Out, Ref, f32


def larger(a, b):
    breakpoint()
    return fh.maximum(a, b)


@fh.kernel
def given(y: Out[f32, "N"], x: Ref[f32, "N"]):
    y.store(fh.full(y.tile, 0.0, f32) + fh.reduce(x.load_like(y), axis=0, function=larger, identity=0.0))
"""
    fh.register_source("given.py", text)
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, "given.py", "exec"), scope)
    with pytest.raises(fh.Rejected) as caught:
        scope["given"](fh.partition(np.zeros(4, np.float32), 4), np.zeros(4, np.float32)).sync()
    golden(GOLDEN / "fold.err", str(caught.value))


SCRIPT = """
import numpy as np
import freehold as fh
from freehold import Out, Ref, f32

@fh.kernel
def double(y: Out[f32, "N"], x: Ref[f32, "N"]):
    t = x.load_like(y)
    if y.index[0] == 1:
        breakpoint()
    y.store(t * 2)

y, x = np.zeros(12, np.float32), np.arange(12, dtype=np.float32)
double(fh.partition(y, 4), x).sync()
print(y)
"""


def test_a_program_from_outside(tmp_path: Path, golden: Callable[[Path, str], None]) -> None:
    (tmp_path / "double.py").write_text(SCRIPT)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONBREAKPOINT"}
    commands = "where\np t\np t.mean()\nlist\nnext\nblock\ndisplay t\nnext\ncontinue\n"
    done = subprocess.run(
        [sys.executable, "double.py"],
        cwd=tmp_path,
        env={**environment, "HOME": str(tmp_path)},
        input=commands,
        capture_output=True,
        text=True,
        check=True,
    )
    golden(GOLDEN / "session.txt", done.stdout.replace(str(tmp_path), ""))
