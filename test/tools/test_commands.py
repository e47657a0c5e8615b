"""Tools as programs: each that is started by its file runs its command, and says by its status how it went."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"
COMMANDS = [
    file.stem
    for file in sorted(TOOLS.glob("*.py"))
    if re.search(r"^if __name__", text := file.read_text(encoding="utf-8"), re.MULTILINE) and "argparse" in text
]


def started(name: str, *arguments: str) -> object:
    """The status with which a file ends that is run as a program."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "argv", [name, *arguments])
        with pytest.raises(SystemExit) as end:
            runpy.run_path(str(TOOLS / f"{name}.py"), run_name="__main__")
    return end.value.code


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_how_it_is_called(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert started(name, "--help") == 0
    said = capsys.readouterr()
    assert said.out.startswith("usage: ")
    assert said.err == ""


@pytest.mark.parametrize("name", COMMANDS)
def test_an_unknown_option_is_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert started(name, "--no-such-option") == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("usage: ")


def test_these_are_commands() -> None:
    assert {"tile_opt", "tile_translate", "tile_graph", "tile_run", "tile_diff", "tile_audit"} <= {*COMMANDS}
