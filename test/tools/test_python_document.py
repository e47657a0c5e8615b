"""Kernels in Python files that are being edited: what each rests on, what is made up for it, and what is kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold.tools.lsp import python_document
from freehold.tools.lsp.python_document import Hint, PythonDocument, Verdict, Warned

HEAD = "import freehold as fh\nfrom freehold import Const, Mut, Out, Ref, f16, i32\n\n"
SCALED = HEAD + (
    "BY = 2.0\nOTHER = 3.0\n\n"
    "def scaled(t):\n    return t * BY\n\n"
    '@fh.kernel\ndef kernel(y: Out["N"], x: Ref["N"]):\n    y.store(scaled(x.load_like(y)))\n'
)


def test_what_is_proved_is_told_at_the_end_of_lines() -> None:
    (verdict,) = PythonDocument("a.py").update(SCALED)
    assert (verdict.errors, verdict.warnings, verdict.fault) == ([], [], "")
    assert [(hint.line, hint.text) for hint in verdict.hints] == [(11, "proved"), (12, "proved")]
    assert all("12:" in hint.tooltip for hint in verdict.hints)
    assert verdict.places == ((1, 1), (2, 2), (4, 4), (7, 8), (10, 12))


def test_a_comment_above_a_kernel_says_its_arguments_wherever_that_is() -> None:
    """On the first line too; a comment at the end of a file is above no kernel."""
    kernel = '@fh.kernel\ndef kernel(y: Out["N"], x: Ref["N"]):\n    y.store(x.load_like(y))\n'
    asked: list[str] = []

    def note(value: object, file: str, said: str) -> Verdict:
        asked.append(said)
        return Verdict()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(python_document, "verdict_of", note)
        for text in (f"# freehold: N=7\n{kernel}", f"{kernel}# freehold: N=9\n", f"\n# freehold: N=8\n{kernel}"):
            PythonDocument("a.py").update(text)
    assert asked == ["N=7", "", "N=8"]


def test_what_has_moved_is_told_where_it_stands_now() -> None:
    document = PythonDocument("a.py")
    (before,) = document.update(SCALED)
    (after,) = document.update(
        SCALED.replace("OTHER = 3.0\n", "").replace("import freehold as fh\n", "\nimport freehold as fh\n\n")
    )
    assert [hint.line for hint in after.hints] == [hint.line + 1 for hint in before.hints]
    assert [hint.text for hint in after.hints] == [hint.text for hint in before.hints]
    assert "13:" in after.hints[0].tooltip
    assert document.found == [after]


MOVES: list[tuple[Verdict, tuple[tuple[int, int], ...], list[int] | None]] = [
    (Verdict(hints=[Hint(2, "", ""), Hint(3, "", "")], places=((2, 3),)), ((2, 3),), [2, 3]),
    (Verdict(hints=[Hint(2, "", ""), Hint(3, "", "")], places=((2, 3),)), ((5, 6),), [5, 6]),
    (Verdict(hints=[Hint(1, "", ""), Hint(4, "", "")], places=((2, 3),)), ((5, 6),), [1, 4]),
    (Verdict(hints=[Hint(2, "", ""), Hint(8, "", "")], places=((1, 2), (7, 9))), ((1, 2), (4, 6)), [2, 5]),
    (Verdict(warnings=[Warned(2, "")], places=((2, 3),)), ((2, 3),), []),
    (Verdict(warnings=[Warned(2, "")], places=((2, 3),)), ((5, 6),), None),
]


@pytest.mark.parametrize(("verdict", "places", "lines"), MOVES, ids=range(len(MOVES)))
def test_verdicts_move_with_their_statements(
    verdict: Verdict, places: tuple[tuple[int, int], ...], lines: list[int] | None
) -> None:
    moved = verdict.at(places)
    assert (None if moved is None else [hint.line for hint in moved.hints]) == lines
    assert moved is None or moved.places == places


def test_lines_in_reports_move_too() -> None:
    report = "kernel `k`\n  2: x.load\n  9: elsewhere\n    2: deeper\n"
    moved = Verdict(hints=[Hint(2, "", report)], fault="F", places=((2, 3),)).at(((12, 13),))
    assert moved is not None
    assert moved.fault == "F"
    assert moved.hints[0].tooltip == "kernel `k`\n  12: x.load\n  9: elsewhere\n    2: deeper\n"


ANEW = [
    ("OTHER = 3.0", "OTHER = 4.0", False),
    ("BY = 2.0", "BY = 4.0", True),
    ("return t * BY", "return t + BY", True),
    ("x.load_like(y)", "(x.load_like(y))", True),
    ("@fh.kernel", "# freehold: N=64\n@fh.kernel", True),
    ("@fh.kernel", "# a remark\n@fh.kernel", False),
    ("BY = 2.0\n", "BY = 2.0\n\n\n", False),
]


@pytest.mark.parametrize(("old", "new", "anew"), ANEW, ids=[new for _, new, _ in ANEW])
def test_only_what_a_kernel_rests_on_makes_it_verified_anew(old: str, new: str, anew: bool) -> None:
    document = PythonDocument("a.py")
    assert len([*document.steps(SCALED)]) == 1
    assert len([*document.steps(SCALED)]) == 0
    assert len([*document.steps(SCALED.replace(old, new))]) == int(anew)


def test_text_that_is_no_python_says_nothing_new() -> None:
    document = PythonDocument("a.py")
    found = document.update(SCALED)
    assert document.update(SCALED + "\ndef (") == found
    assert document.text.endswith("def (")


def test_what_was_undone_is_known() -> None:
    document = PythonDocument("a.py")
    texts = [SCALED.replace("2.0", f"{n}.0") for n in range(6)]
    for text in texts:
        document.update(text)
    assert len(document.verdicts) == 4
    assert [len([*document.steps(text)]) for text in (texts[5], texts[2], texts[3], texts[0])] == [0, 0, 0, 1]


def test_functions_without_decorators_and_statements_that_raise_are_passed_over() -> None:
    text = SCALED.replace("BY = 2.0", "BY = 2.0\nBAD = 1 / 0\n\ndef alone(y): ...") + "\n@print\ndef other(y): ...\n"
    kernel, other = PythonDocument("a.py").update(text)
    assert len(kernel.hints) == 2
    assert (other.hints, other.errors, other.fault) == ([], [], "")


def test_future_statements_count() -> None:
    text = "from __future__ import annotations\n" + SCALED.replace('y: Out["N"]', "y: Out[later]")
    (verdict,) = PythonDocument("a.py").update(text)
    assert (verdict.fault, verdict.errors) == ("", [])  # the annotation is a text
    assert "later" in verdict.hints[0].tooltip
    assert (1, 1) in verdict.places


def test_errors_of_made_up_arguments_are_not_told() -> None:
    refused = SCALED.replace("y.store(scaled(x.load_like(y)))", "y.store(scaled(x.lod(y)))")
    (verdict,) = PythonDocument("a.py").update(refused)
    assert [error.code for error in verdict.errors] == ["O012"]
    assert verdict.hints == []


def made(parameters: str, asked: str = "") -> list[Any] | None:
    """The arguments that are made up for a kernel."""
    text = HEAD + f"@fh.kernel\ndef kernel({parameters}): ...\n"
    fh.register_source("made.py", text)
    names: dict[str, Any] = {}
    exec(compile(text, "made.py", "exec"), names)
    return python_document._arguments(names["kernel"], asked)  # pyright: ignore[reportPrivateUsage]


SHAPES = [
    ('x: Ref["N"]', "", (256,)),
    ('x: Ref["M", "N"]', "", (256, 256)),
    ('x: Ref["L", "M", "N"]', "", (64, 64, 64)),
    ('x: Ref["K", "L", "M", "N"]', "", (32, 32, 32, 32)),
    ('x: Ref["J", "K", "L", "M", "N"]', "", (16, 16, 16, 16, 16)),
    ("x: Ref", "", (256, 256)),
    ('x: Ref["N", "2 * N"]', "N=24", (24, 48)),
    ('x: Ref["N", 7]', "", (256, 7)),
    ('x: Ref["M", "N"]', "x=f32[3, 5]", (3, 5)),
    ('x: Ref["M", "N"]', "M=3", (3, 256)),
    ("x: Ref", "x=f32[]", (256, 256)),
]


@pytest.mark.parametrize(("parameters", "asked", "shape"), SHAPES, ids=[f"{p} {a}" for p, a, _ in SHAPES])
def test_arrays_have_extents_that_are_asked_for(parameters: str, asked: str, shape: tuple[int, ...]) -> None:
    found = made(parameters, asked)
    assert found is not None
    assert found[0].shape == shape


def test_what_is_said_of_one_array_is_known_of_those_before_it() -> None:
    found = made('x: Ref["M", "K"], y: Ref["K", "N"]', "y=f16[8, 4]")
    assert found is not None
    x, y = found
    assert (x.shape, y.shape) == ((256, 8), (8, 4))
    assert (x.dtype, y.dtype) == (np.float32, np.float16)


NUMBERS = [
    ("n: int", "", 16),
    ("n: float", "", 1.0),
    ("n: bool", "", True),
    ("n: i32", "", 16),
    ("n: f16", "", 1.0),
    ("n: int", "n=5", 5),
    ("n: int = 7", "", 7),
    ("n: int = 7", "n=5", 5),
    ("n: Const[int]", "", 16),
    ("n: Const[bool]", "", True),
    ("n: Const[str]", "n='a b'", "a b"),
    ("n: Const[tuple[int, ...]]", "n=(2, 3)", (2, 3)),
]


@pytest.mark.parametrize(("parameters", "asked", "value"), NUMBERS, ids=[f"{p} {a}" for p, a, _ in NUMBERS])
def test_numbers_are_what_is_asked_for(parameters: str, asked: str, value: object) -> None:
    found = made(f'x: Ref["N"], {parameters}', asked)
    assert found is not None
    assert found[1] == value
    assert type(found[1]) is type(value)


@pytest.mark.parametrize("parameters", ["n: Const[str]", "n: Const"])
def test_of_some_constants_nothing_is_made_up(parameters: str) -> None:
    assert made(f'x: Ref["N"], {parameters}') is None


TILES = [(1, 1), (2, 2), (3, 2), (15, 8), (16, 16), (17, 16), (256, 16)]


@pytest.mark.parametrize(("extent", "tile"), TILES)
def test_a_tile_is_a_power_of_two_that_fits(extent: int, tile: int) -> None:
    found = made('y: Out["N"]', f"N={extent}")
    assert found is not None
    assert found[0].spec.tile == (tile,)


def test_a_tile_may_be_asked_for() -> None:
    found = made('y: Mut["M", "N"]', "y=(4,8)")
    assert found is not None
    assert (found[0].spec.tile, found[0].array.shape) == ((4, 8), (256, 256))
