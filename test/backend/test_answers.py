"""What the assembler is known to take (`answers.py`): nothing is taken for known that is another question."""

from __future__ import annotations

from pathlib import Path

import answers
import pytest
from answers import assembles, digest, same_code
from op_kernels import SAMPLES, module_of
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr

from freehold.backend import assembler
from freehold.backend.assembler import AssembleOptions
from freehold.backend.bytecode.writer import write_bytecode

SOME = [sample for sample in SAMPLES if sample.arch == "sm_100"]
CODE = write_bytecode(module_of(SOME[:1]))


def placed(folder: str, line: int) -> bytes:
    """A module whose first kernel stands in a file of a folder."""
    module = module_of(SOME[:1])
    for op in module.walk():
        op.location = FileLineColLoc(StringAttr(f"{folder}/kernels/add.py"), IntAttr(line), IntAttr(1))
    return write_bytecode(module)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The architectures that the assembler is run for, by a stand-in that takes everything and names no kernel."""
    found: list[str] = []

    def assemble(code: bytes, arch: str, options: AssembleOptions) -> bytes:
        found.append(arch)
        return b"\x7fELF"

    monkeypatch.setattr(answers, "assemble", assemble)
    for variable in (answers.ASK, answers.NOTE, answers.LACKED):
        monkeypatch.delenv(variable, raising=False)
    return found


def test_each_question_has_a_digest_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [digest(write_bytecode(module_of(SOME[:n])), "sm_100") for n in range(1, 40)]
    found += [digest(CODE, "sm_120"), digest(CODE, "sm_100", AssembleOptions(opt_level=0).flags)]
    monkeypatch.setattr(answers, "identity", lambda: "another release")
    assert len({*found, digest(CODE, "sm_100")}) == len(found) + 1


def test_lines_and_the_checkout_make_no_difference() -> None:
    here, there = placed("/here", 3), placed("/somewhere/else", 47)
    assert here != there
    assert digest(here, "sm_100", root=b"/here") == digest(there, "sm_100", root=b"/somewhere/else")
    assert digest(here, "sm_100", root=b"/here") != digest(there, "sm_100", root=b"/here")


def test_what_is_noted_is_not_asked_again(asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = tmp_path / "known.txt"
    assert assembles(CODE, "sm_100", known=known)
    assert not known.exists()
    monkeypatch.setenv(answers.NOTE, "1")
    assert assembles(CODE, "sm_100", known=known)
    assert assembles(CODE, "sm_120", known=known)
    assert len(known.read_text().split()) == 2
    answers._read.cache_clear()  # pyright: ignore[reportPrivateUsage] -- as in another process
    del asked[:]
    assert assembles(CODE, "sm_100", known=known)
    assert asked == []
    assert assembles(CODE, "sm_90", known=known)
    monkeypatch.setenv(answers.ASK, "1")
    assert assembles(CODE, "sm_100", known=known)
    assert asked == ["sm_90", "sm_100"]


def test_which_files_are_the_same_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known, made = tmp_path / "known.txt", list[str]()

    def assemble(code: bytes, arch: str, options: AssembleOptions) -> bytes:
        made.append(arch)
        return code[:1]

    monkeypatch.setattr(answers, "assemble", assemble)
    monkeypatch.delenv(answers.ASK, raising=False)
    monkeypatch.setenv(answers.NOTE, "1")
    assert same_code([b"ab", b"ac", b"ab"], "sm_100", known)
    assert not same_code([b"ab", b"bc"], "sm_100", known)
    assert len(known.read_text().split()) == 1
    answers._read.cache_clear()  # pyright: ignore[reportPrivateUsage] -- as in another process
    del made[:]
    assert same_code([b"ac", b"ab"], "sm_100", known)
    assert made == []
    assert same_code([b"ac", b"ab"], "sm_120", known)
    assert same_code([b"ac"], "sm_100", known)
    assert not same_code([b"ab", b"bc"], "sm_100", known)
    assert made == ["sm_120", "sm_120", "sm_100", "sm_100", "sm_100"]
    monkeypatch.setenv(answers.ASK, "1")
    assert same_code([b"ac", b"ab"], "sm_100", known)
    assert len(made) == 7


def test_a_cubin_without_its_kernels_is_not_noted(
    asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(answers.NOTE, "1")
    assert not assembles(CODE, "sm_100", kernels=["add"], known=tmp_path / "known.txt")
    assert not (tmp_path / "known.txt").exists()


def test_what_is_refused_is_refused_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(answers.NOTE, "1")
    for _ in range(2):
        with pytest.raises(assembler.Rejected):
            assembles(CODE, "sm_70", known=tmp_path / "known.txt")


def test_who_lacks_an_answer_is_written_down(asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known, lacking = tmp_path / "known.txt", tmp_path / "lacking"
    monkeypatch.setenv(answers.LACKED, str(lacking))
    assert assembles(CODE, "sm_100", known=known)
    assert not assembles(CODE, "sm_120", kernels=["no kernel's name"], known=known)
    [name] = lacking.read_text().splitlines()
    assert name.endswith("test_answers.py::test_who_lacks_an_answer_is_written_down")
    monkeypatch.setenv(answers.NOTE, "1")
    assert assembles(CODE, "sm_100", known=known)
    assert len(lacking.read_text().splitlines()) == 1, "it is noted now"
