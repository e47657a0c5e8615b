"""What lit's tests here rest on: that a command which ends as it should not fails the test, however it is started."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

WARM = Path(__file__).resolve().parents[1] / "lit" / "warm.py"


@pytest.fixture(scope="module")
def warm() -> ModuleType:
    spec = importlib.util.spec_from_file_location("warm", WARM)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["warm"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def run(warm: ModuleType, tmp_path: Path) -> Callable[[str], str | None]:
    """`run(line)` runs a RUN line in which `%` stands for a folder with two modules; None where it passed."""
    (tmp_path / "good.mlir").write_text("// CHECK: builtin.module\n// OTHER: nothing like it\nbuiltin.module {}\n")
    (tmp_path / "bad.mlir").write_text('// CHECK: error[O5\n"ownership.nothing"() : () -> ()\n')
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {"PATH": programs, "NO_COLOR": "1", "SEEN": "here"}

    def said(line: str) -> str | None:
        commands = warm.pipeline(line.replace("%", f"{tmp_path}{os.sep}"))
        assert commands
        return warm.run(commands, tmp_path, environment)

    return said


@pytest.mark.parametrize(
    "line",
    [
        "tile-opt %good.mlir",
        "tile-opt %good.mlir | filecheck %good.mlir",
        "tile-opt %good.mlir | tile-opt - | tile-opt | filecheck %good.mlir --check-prefix=CHECK",
        "tile-opt < %good.mlir | filecheck %good.mlir",
        "not tile-opt %bad.mlir 2>&1 | filecheck %bad.mlir",
        "tile-opt %bad.mlir --print-diagnostics | filecheck %bad.mlir",
        "tile-opt %good.mlir | not filecheck %good.mlir --check-prefix=OTHER",
        "not tile-opt --no-such-option",
        "env tile-opt %good.mlir | filecheck %good.mlir",
        "cat %good.mlir | tile-opt | filecheck %good.mlir",
        "tile-opt %good.mlir > %out.mlir",
        "not tile-opt %bad.mlir 2>&1 >/dev/null | filecheck %bad.mlir",
    ],
)
def test_what_passes(run: Callable[[str], str | None], line: str) -> None:
    assert run(line) is None


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("tile-opt %bad.mlir", "tile-opt ended with status 1"),
        ("tile-opt %none.mlir", "tile-opt ended with status 2"),
        ("tile-opt %bad.mlir 2>&1 | filecheck %bad.mlir", "tile-opt ended with status 1"),
        ("not tile-opt %good.mlir | filecheck %good.mlir", "tile-opt ended with status 0"),
        ("tile-opt %good.mlir | filecheck %good.mlir --check-prefix=OTHER", "filecheck ended with status 1"),
        ("tile-opt %good.mlir | filecheck %good.mlir --check-prefix=NONE", "No check strings found with prefix NONE"),
        ("not tile-opt %bad.mlir | filecheck %bad.mlir", "filecheck ended with status 1"),
        ("not filecheck", "filecheck ended with status 0"),
        ("tile-opt %good.mlir > %out.mlir | filecheck %good.mlir", "filecheck ended with status"),
        ("cat %none.mlir", "cat ended with status 1"),
        ("not cat %good.mlir", "cat ended with status 0"),
    ],
)
def test_what_fails(run: Callable[[str], str | None], line: str, reason: str) -> None:
    assert reason in (run(line) or "")


def test_an_exception_is_no_refusal(run: Callable[[str], str | None], warm: ModuleType) -> None:
    def broken() -> int:
        raise LookupError("an oversight")

    tools: dict[str, Callable[[], int | None]] = warm.imported()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(tools, "tile-opt", broken)
        assert "LookupError: an oversight" in (run("not tile-opt %good.mlir") or "")
        patch.setitem(tools, "tile-opt", lambda: os.kill(os.getpid(), 9))
        assert "status -9" in (run("not tile-opt %good.mlir") or "")


def test_a_command_has_an_environment_and_a_folder_of_its_own(
    run: Callable[[str], str | None], warm: ModuleType, tmp_path: Path
) -> None:
    before = (dict(os.environ), Path.cwd(), sys.argv, sys.stdin, sys.stdout)

    def seen() -> int:
        Path("seen").write_text(f"{sorted(os.environ)} {sys.argv} {sys.stdin.read()}", encoding="utf-8")
        return 0

    tools: dict[str, Callable[[], int | None]] = warm.imported()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(tools, "tile-run", seen)
        assert run("tile-opt %good.mlir | tile-run 'a | b'") is None
    found = (tmp_path / "seen").read_text(encoding="utf-8")
    assert found.startswith("['NO_COLOR', 'PATH', 'SEEN'] ['tile-run', 'a | b'] builtin.module")
    assert (dict(os.environ), Path.cwd(), sys.argv, sys.stdin, sys.stdout) == before


@pytest.mark.parametrize(
    "line",
    ["no-such-program", "cd x", "tile-opt > x 2>&1", "tile-opt && tile-opt", "tile-opt *.mlir", "tile-opt >> x"],
)
def test_what_needs_a_shell(warm: ModuleType, line: str) -> None:
    assert warm.pipeline(line) is None
