"""What is kept of cubins (`figures.py`): the assembler's own figures and of no other question; wrong ones are found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import answers
import figures
import pytest
from figures import kept
from op_kernels import SAMPLES, module_of

from freehold.backend import assembler
from freehold.backend.assembler import assemble
from freehold.backend.bytecode.writer import write_bytecode
from freehold.backend.cubin import architecture, resources

SOME = [sample for sample in SAMPLES if sample.arch == "sm_100"]
CODE = write_bytecode(module_of(SOME[:1]))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """For which architectures the assembler is started."""
    found: list[str] = []
    run: Any = assembler._run  # pyright: ignore[reportPrivateUsage] -- where it is started

    def noted(command: Any, *rest: Any) -> Any:
        found.append(next(word for word in command if word.startswith("--gpu-name=")).removeprefix("--gpu-name="))
        return run(command, *rest)

    monkeypatch.setattr(assembler, "_run", noted)
    for variable in (answers.ASK, answers.NOTE, answers.LACKED):
        monkeypatch.delenv(variable, raising=False)
    return found


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: list[str]) -> Iterator[Path]:
    """What is known of one module for one architecture."""
    path = tmp_path / "known.txt"
    monkeypatch.setenv(answers.NOTE, "1")
    with kept(path):
        assemble(CODE, "sm_100")
    monkeypatch.delenv(answers.NOTE)
    assert len(path.read_text().splitlines()) == 1
    assert started == ["sm_100"]
    del started[:]
    figures._read.cache_clear()  # pyright: ignore[reportPrivateUsage] -- as in another process
    yield path
    figures._read.cache_clear()  # pyright: ignore[reportPrivateUsage] -- as above


def test_what_is_known_is_read_as_of_the_assemblers(known: Path, started: list[str]) -> None:
    calls: list[int] = []
    with kept(known):
        found = assemble(CODE, "sm_100", meanwhile=lambda: calls.append(1))
    assert started == []
    assert calls == [1]
    made = assemble(CODE, "sm_100")
    assert found != made
    assert resources(found) == resources(made)
    assert architecture(found) == architecture(made)


def test_nothing_else_is_taken_for_known(known: Path, started: list[str]) -> None:
    other = write_bytecode(module_of(SOME[1:2]))
    with kept(known):
        assert assemble(CODE, "sm_120") == assemble(CODE, "sm_120")
        assert assemble(other, "sm_100") != assemble(CODE, "sm_100")
        assemble(CODE, "sm_100", remarks=("all", lambda _: None))
        with pytest.raises(assembler.Rejected):
            assemble(b"nonsense", "sm_100")
    assert started == ["sm_120", "sm_120", "sm_100", "sm_100", "sm_100"]


def test_a_figure_that_is_wrong_is_found_where_the_assembler_is_asked(
    known: Path, started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(answers.ASK, "1")
    with kept(known):
        assemble(CODE, "sm_100")
        assert started == ["sm_100"]
        text = known.read_text()
        known.write_text(text.replace(f'"{SOME[0].name}",', f'"{SOME[0].name}",1'))
        assert known.read_text() != text
        figures._read.cache_clear()  # pyright: ignore[reportPrivateUsage] -- as in another process
        with pytest.raises(AssertionError, match=r"known.txt is wrong of"):
            assemble(CODE, "sm_100")
