"""How the tools end: what they say, and with which status, where their input or output is not what it should be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from freehold.tools import driver, tile_audit, tile_diff, tile_graph, tile_opt, tile_reduce, tile_run, tile_translate

MODULE = "cuda_tile.module @m {\n  entry @k(%p: tile<ptr<f32>>) {\n    return\n  }\n}\n"
OWNERSHIP = "ownership.kernel @k() {\n}\n"
FULL = Path("/dev/full")
LISTENING = """
import signal, sys
from freehold.tools.tile_reduce import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background is started without
sys.exit(main())
"""
TOOLS = {
    "opt": [], "run": ["--arg", "zeros:f32[5000]", "--print", "all"], "translate": ["--to-bytecode"], "graph": [],
    "audit": ["--arg", "p=f32[4]"], "reduce": ["--test", "! grep -q k {}", "--quiet"],
}  # fmt: skip
MAINS = {
    "opt": tile_opt.main, "run": tile_run.main, "translate": tile_translate.main, "graph": tile_graph.main,
    "audit": tile_audit.main, "reduce": tile_reduce.main, "diff": tile_diff.main,
}  # fmt: skip


@pytest.fixture
def module(tmp_path: Path) -> str:
    path = tmp_path / "m.mlir"
    path.write_text(MODULE, encoding="utf-8")
    return str(path)


def line(tool: str, *words: str) -> str:
    """A shell's text for a tool in a process of its own: what Python itself does at the end counts, too."""
    return " ".join((sys.executable, "-m", f"freehold.tools.tile_{tool}", *(f"'{word}'" for word in words)))


def run(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", text], capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.skipif(not FULL.exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("tool", TOOLS)
def test_output_that_is_full(tool: str, module: str) -> None:
    done = run(f"{line(tool, module, *TOOLS[tool])} > {FULL}")
    assert done.returncode == 2
    assert done.stderr.startswith("error[O509]: cannot write `<stdout>`: No space left on device\n"), done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize("tool", TOOLS)
def test_a_reader_that_has_gone(tool: str, module: str) -> None:
    done = run(f"{line(tool, module, *TOOLS[tool])} | true; echo ${{PIPESTATUS[0]}}")
    assert done.stdout == "2\n"
    assert not done.stderr


@pytest.mark.parametrize("tool", ["opt", "translate", "graph", "audit"])
def test_output_that_is_closed(tool: str, module: str) -> None:
    done = run(f"{line(tool, module, *TOOLS[tool])} >&-")
    assert done.returncode == 2
    assert done.stderr.startswith("error[O509]: cannot write `<stdout>`: it is closed\n"), done.stderr


def test_input_that_is_closed() -> None:
    done = run(f"{line('opt')} <&-")
    assert done.returncode == 2
    assert done.stderr.startswith("error[O506]: cannot read `<stdin>`: it is closed\n")


def test_an_interrupt_is_told_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    @driver.command("tile-test")
    def main() -> int:
        raise KeyboardInterrupt

    assert main() == 130
    assert capsys.readouterr().err == "tile-test: interrupted\n"


def test_other_errors_of_the_system_stay_what_they_are() -> None:
    @driver.command("tile-test")
    def main() -> int:
        raise FileNotFoundError(2, "No such file or directory", "x")

    with pytest.raises(FileNotFoundError):
        main()


@pytest.mark.parametrize("tool", ["opt", "run", "translate", "graph", "audit", "reduce"])
def test_bytes_that_are_no_text(tool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "b.mlir").write_bytes(b"ok \xff\xfe")
    assert MAINS[tool]([str(tmp_path / "b.mlir"), *TOOLS[tool]]) == 2
    assert "b.mlir`: byte 3 is not UTF-8 text\n" in capsys.readouterr().err


@pytest.mark.parametrize("tool", MAINS)
def test_the_version(tool: str, capsys: pytest.CaptureFixture[str]) -> None:
    with suppress(SystemExit):  # as argparse's own actions end
        MAINS[tool](["--version"])
    assert capsys.readouterr().out.startswith(f"tile-{tool} of Freehold ")


def test_standard_input_is_one_module(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        tile_diff.main(["-", "-"])
    assert ended.value.code == 2
    assert "standard input can be one of both modules" in capsys.readouterr().err


@pytest.mark.parametrize("shape", ["99999999,99999999", "9999999999,9999999999,99"])
def test_an_array_for_which_there_is_no_memory(shape: str, module: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert tile_run.main([module, "--arg", f"zeros:f32[{shape}]"]) == 2
    assert f"there is no memory for `zeros:f32[{shape}]`" in capsys.readouterr().err


def test_a_kernel_that_has_not_been_lowered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.mlir").write_text(OWNERSHIP, encoding="utf-8")
    assert tile_audit.main([str(tmp_path / "own.mlir")]) == 2
    assert "but a kernel that has not been lowered" in capsys.readouterr().err
    assert tile_translate.main([str(tmp_path / "own.mlir"), "--to-bytecode"]) == 1
    assert "and this one `ownership.kernel`" in capsys.readouterr().err


def test_an_interrupted_search_leaves_the_smallest_so_far(tmp_path: Path, module: str) -> None:
    """The command marks that it is under way, and then takes long: the interrupt comes while it runs."""
    mark, small = tmp_path / "mark", tmp_path / "small.mlir"
    command = f": {{}}; if [ -e {mark} ]; then touch {mark}.again; sleep 60; fi; touch {mark}; false"
    words = [sys.executable, "-c", LISTENING, module, "-o", str(small), "--test", command]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        for _ in range(3000):
            if Path(f"{mark}.again").exists() or process.poll() is not None:
                break
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        said = process.communicate(timeout=60)[1]
    finally:
        process.kill()
    assert process.returncode == 130
    assert "interrupted: this is the smallest so far" in said
    assert "entry @k" in small.read_text(encoding="utf-8")
