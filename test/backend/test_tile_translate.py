"""The command `tile-translate`: its inputs, outputs and exit statuses."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from freehold.backend.bytecode.reader import bytecode_version
from freehold.dialects.cuda_tile.version import V13_1, V13_4
from freehold.tools.tile_translate import main

FIXTURE = Path(__file__).parent / "fixtures" / "axpy_13.1.tileirbc"
Capture = pytest.CaptureFixture[bytes]


def test_bytecode_to_text_to_bytecode(tmp_path: Path, capsysbinary: Capture):
    text, bytecode = tmp_path / "axpy.mlir", tmp_path / "axpy.tileirbc"
    assert main([str(FIXTURE), "--from-bytecode", "-o", str(text)]) == 0
    assert "entry @axpy(" in text.read_text(encoding="utf-8")
    assert main([str(text), "--to-bytecode", "-o", str(bytecode)]) == 0
    assert bytecode_version(bytecode.read_bytes()) == V13_1
    assert capsysbinary.readouterr().out == b""


def test_standard_input_and_output(monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FIXTURE.read_bytes())))
    assert main(["--to-bytecode", "--version", "13.4"]) == 0
    assert bytecode_version(capsysbinary.readouterr().out) == V13_4


def test_locations_are_printed_on_request(capsysbinary: Capture):
    assert main([str(FIXTURE), "--from-bytecode", "--print-debuginfo"]) == 0
    assert b'loc("/kernels/cutile_kernels.py":' in capsysbinary.readouterr().out


def test_a_cubin_with_and_without_lines(tmp_path: Path):
    arguments = [str(FIXTURE), "--to-cubin", "--arch", "sm_90", "-o"]
    assert main([*arguments, str(tmp_path / "with")]) == 0
    assert main([*arguments, str(tmp_path / "without"), "--no-line-info", "--opt-level", "0"]) == 0
    assert b"cutile_kernels.py" in (tmp_path / "with").read_bytes()
    assert b"cutile_kernels.py" not in (tmp_path / "without").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (["/no/such/file", "--to-bytecode"], 2, b"error[O"),
        ([str(FIXTURE), "--to-bytecode", "--version", "12.0"], 2, b"error[O411]"),
        ([str(Path(__file__)), "--from-bytecode"], 1, b"error[O413]"),
        ([str(Path(__file__)), "--to-bytecode"], 1, b"error[O501]"),
        ([str(FIXTURE), "--to-cubin", "--arch", "sm_10"], 1, b"error[O407]"),
    ],
)
def test_what_is_refused(arguments: list[str], status: int, code: bytes, capsysbinary: Capture):
    assert main(arguments) == status
    captured = capsysbinary.readouterr()
    assert code in captured.err
    assert captured.out == b""


def test_bytes_that_are_neither_text_nor_bytecode(tmp_path: Path, capsysbinary: Capture):
    path = tmp_path / "noise"
    path.write_bytes(b"\xff\xfe\xfd")
    assert main([str(path), "--to-bytecode"]) == 2
    assert b"is not UTF-8 text" in capsysbinary.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["--to-cubin"], ["--to-bytecode", "--from-bytecode"]])
def test_command_lines_that_say_nothing(arguments: list[str]):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
