"""The renderer, by itself: every drawing is a golden file in `renderings/`."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest

from freehold.support.diagnostic import Error, Help, Label, Note, Rejected
from freehold.support.render import WIDEST, columns, render, wants_colour
from freehold.support.report import Argument
from freehold.support.span import SourceMap, Span

KERNELS = """\
from freehold import Const, Mut, Ref, kernel


@kernel
def smooth(x: Ref["N"], y: Mut["N"]) -> None:
    (i,) = y.index
    tiles = partition(y, shape=(128,), step=(64,))
    t = x.load((i,), (128,))
    tiles[i].store(t)


@kernel
def axpy(a: f32, x: Ref["N"], y: Mut["N"]) -> None:
    (i,) = y.index
    y.store(a * x.load((i,), y.tile) + y.load())
"""
CALLER = """\
import kernels

h = kernels.randn(4096)
kernels.axpy(2.0, h[0:2048], h[1024:3072])
"""


class Overlap(Error):
    """Used by these tests alone."""

    code: ClassVar[str] = "O999"
    title: ClassVar[str] = "two tile blocks write overlapping regions of `{name}`"
    label: ClassVar[str] = "block `i` writes `{name}[{step}*i .. {step}*i + {extent}]`"
    notes: ClassVar[tuple[str, ...]] = ("blocks run in no fixed order, so this would be a data race",)
    name: str
    step: int
    extent: int

    @property
    def shared(self) -> str:
        return f"{self.name}[{self.step} .. {self.extent}]"

    class Step(Label):
        text: ClassVar[str] = "step {step} is smaller than the tile extent {extent}"

    class Witness(Note):
        text: ClassVar[str] = "blocks i = {first} and i = {second} both write `{shared}`"
        first: int
        second: int

    class Disjoint(Help):
        text: ClassVar[str] = "make the tiles disjoint: `step=({extent},)`"


class Said(Error):
    """An error with free text, used by these tests alone."""

    code: ClassVar[str] = "O998"
    title: ClassVar[str] = "{what}"
    label: ClassVar[str] = "{here}"
    what: str
    here: str = ""

    class Because(Label):
        text: ClassVar[str] = "{why}"
        why: str

    class Also(Note):
        text: ClassVar[str] = "{what_else}"
        what_else: str

    class Try(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


def at(file: str, text: str, line: int, needle: str) -> Span:
    start = text.splitlines()[line - 1].index(needle)
    return Span.on_line(file, line, start, start + len(needle))


def overlap() -> Overlap:
    error = Overlap(at("kernels.py", KERNELS, 9, "tiles[i]"), "y", 64, 128)
    return error.add(
        error.Step(at("kernels.py", KERNELS, 7, "partition(y, shape=(128,), step=(64,))")),
        error.Witness(0, 1),
        error.Disjoint(),
    )


def aliasing() -> Said:
    error = Said(
        at("train.py", CALLER, 4, "h[1024:3072]"),
        "argument `y` aliases argument `x` in this launch of `axpy`",
        "lent to exclusive `y`: `h[1024 .. 3072]`",
    )
    return error.add(
        error.Because(at("train.py", CALLER, 4, "h[0:2048]"), "lent to shared `x`: `h[0 .. 2048]`"),
        error.Because(at("kernels.py", KERNELS, 13, 'y: Mut["N"]'), "exclusive access is required here"),
        error.Also("both are views of one allocation; they share `h[1024 .. 2048]` (4096 bytes)"),
        error.Also("nothing was launched"),
        error.Try("lend disjoint views, for example `h[0:2048]` and `h[2048:4096]`"),
    )


def three_labels() -> Said:
    line = "y.store(a * x.load((i,), y.tile) + y.load())"
    error = Said(at("kernels.py", KERNELS, 15, "x.load"), "three labels on one line", "in the middle")
    return error.add(
        error.Because(at("kernels.py", KERNELS, 15, line), "around the other two"),
        error.Because(at("kernels.py", KERNELS, 15, "y.load()"), "to the right"),
    )


def inlined() -> Said:
    call = at("train.py", CALLER, 4, "kernels.axpy")
    return Said(at("kernels.py", KERNELS, 14, "y.index").inlined_at(call), "wrong in the helper", "here")


def short_multi_line() -> Said:
    span = at("kernels.py", KERNELS, 13, "def").to(at("kernels.py", KERNELS, 15, "y.load())"))
    return Said(span, "a span of three lines", "the whole function")


def four_lines() -> Said:
    span = at("kernels.py", KERNELS, 6, "(i,)").to(at("kernels.py", KERNELS, 9, "tiles[i]"))
    return Said(span, "a span of four lines, the most that are underlined each", "all of them")


def five_lines() -> Said:
    span = at("kernels.py", KERNELS, 5, "def").to(at("kernels.py", KERNELS, 9, "tiles[i]"))
    return Said(span, "a span of five lines", "the first and the last")


def long_multi_line() -> Said:
    span = at("kernels.py", KERNELS, 5, "def").to(at("kernels.py", KERNELS, 15, "y.load())"))
    error = Said(span, "a span of eleven lines", "ends here")
    return error.add(error.Because(at("kernels.py", KERNELS, 9, "tiles[i]"), "a label inside it"))


def argument() -> Said:
    error = Said(Argument("x", "axpy"), "argument `x` of `axpy` has dtype float64, the kernel needs float32")
    return error.add(
        error.Because(at("kernels.py", KERNELS, 13, 'x: Ref["N"]'), "declared here"),
        error.Try("convert it: `x.astype(np.float32)`"),
    )


def bare_argument() -> Said:
    return Said(Argument("--arch", "tile-translate"), "`sm_1` is not an architecture", "got `sm_1`")


def no_place() -> Said:
    return Said(None, "the assembler was not found").add(Said.Also("searched:\n  PATH\n  CUDA_HOME"))


def wide() -> Said:
    text = "    名前 = é(日本, 'e\u0301', b)\n"
    span = at("wide.py", text, 1, "b")
    error = Said(span, "wide and combining characters", "the carets stand under `b`")
    return error.add(error.Because(at("wide.py", text, 1, "日本"), "four columns"))


def tabs() -> Said:
    return Said(at("tabs.py", "\tif x:\n\t\treturn\ty\n", 2, "y"), "tabs", "under `y`")


def control() -> Said:
    return Said(at("control.py", "x = '\x1b[2J' + y\n", 1, "y"), "no \x1b[31mescapes", "under `y`\x07")


def past_the_end() -> Said:
    return Said(Span.on_line("tabs.py", 1, 6, 6), "an empty span at the end of a line", "something is missing")


def gone() -> Said:
    error = Said(Span.on_line("gone.py", 120, 4, 9), "a file that is not there", "the forbidden act")
    return error.add(
        error.Because(Span.on_line("gone.py", 7, 0, 3), "the reason"),
        error.Because(Span.on_line("tabs.py", 99, 0, 3), "a line the file has no more"),
    )


LONG = f"first({', '.join(f'argument_{i}' for i in range(100))})\n"


def long_line() -> Said:
    error = Said(at("long.py", LONG, 1, "argument_50"), "a line of a thousand columns", "in the middle")
    return error.add(
        error.Because(at("long.py", LONG, 1, "argument_51"), "beside it"),
        error.Because(at("long.py", LONG, 1, "argument_99"), "far to the right"),
    )


def long_line_from_the_start() -> Said:
    span = Span.on_line("long.py", 1, 0, len(LONG) - 1)
    return Said(span, "a line of a thousand columns", "all of it")


def title_of_lines() -> Said:
    return Said(at("kernels.py", KERNELS, 7, "tiles"), "a title\nof three\nlines", "here")


def half_way() -> Said:
    """The last place to which a long line is shown from its start, and beside it the first that is too far."""
    error = Said(Span.on_line("long.py", 1, WIDEST // 2, WIDEST // 2 + 3), "half of the width", "here")
    return error.add(error.Because(Span.on_line("even.py", 1, WIDEST // 2 + 1, WIDEST // 2 + 3), "one further"))


def as_wide_as_shown() -> Said:
    error = Said(Span.on_line("fits.py", 1, WIDEST - 1, WIDEST), "all of a line fits", "its end")
    return error.add(error.Because(Span.on_line("even.py", 1, WIDEST, WIDEST + 1), "one more does not"))


CASES: list[Callable[[], Error]] = [
    title_of_lines,
    half_way,
    as_wide_as_shown,
    overlap,
    aliasing,
    three_labels,
    inlined,
    short_multi_line,
    four_lines,
    five_lines,
    long_multi_line,
    argument,
    bare_argument,
    no_place,
    wide,
    tabs,
    control,
    past_the_end,
    gone,
    long_line,
    long_line_from_the_start,
]


def sources() -> SourceMap:
    known = SourceMap()
    known.add("kernels.py", KERNELS)
    known.add("train.py", CALLER)
    known.add("fits.py", "x" * WIDEST + "\n")
    known.add("even.py", "x" * (WIDEST + 1) + "\n")
    known.add("long.py", LONG)
    known.add("wide.py", "    名前 = é(日本, 'e\u0301', b)\n")
    known.add("tabs.py", "\tif x:\n\t\treturn\ty\n")
    known.add("control.py", "x = '\x1b[2J' + y\n")
    return known


def renderings() -> Path:
    return Path(__file__).with_name("renderings")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_drawing(case: Callable[[], Error], golden: Callable[[Path, str], None]) -> None:
    golden(renderings() / f"{case.__name__}.txt", render(case().report(), sources()))


def test_every_drawing_is_of_a_case() -> None:
    names = {case.__name__ for case in CASES} | {"all_errors"}
    assert {path.stem for path in renderings().iterdir()} == names


def test_all_errors_in_order_of_position_with_a_closing_line(golden: Callable[[Path, str], None]) -> None:
    errors = [long_multi_line(), three_labels(), overlap(), argument(), overlap()]
    rejected = Rejected(errors, kernel="axpy", sources=sources())
    assert [error.place for error in rejected.errors] == [
        argument().place,
        long_multi_line().place,
        overlap().place,
        three_labels().place,
    ]
    assert rejected.codes == ("O998", "O998", "O999", "O998")
    golden(renderings() / "all_errors.txt", str(rejected))


def test_one_error_without_a_kernel() -> None:
    assert str(Rejected([no_place()])).endswith("\n\n1 error")


def test_a_notebook_shows_the_errors_alone() -> None:
    rejected = Rejected([overlap(), argument()], kernel="k", sources=sources())
    show = getattr(rejected, "_render_traceback_")  # noqa: B009 - what IPython does
    assert "\n".join(show()) == str(rejected)


def test_nothing_is_rejected_without_an_error() -> None:
    with pytest.raises(ValueError, match="without an error"):
        Rejected([])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_colour_changes_no_character(case: Callable[[], Error]) -> None:
    coloured = render(case().report(), sources(), colour=True)
    assert "\033[1;31m" in coloured
    assert re.sub(r"\033\[[0-9;]*m", "", coloured) == render(case().report(), sources())


def test_a_missing_field_is_named() -> None:
    class Wrong(Error):
        code: ClassVar[str] = "O997"
        title: ClassVar[str] = "`{nobody}`"

    with pytest.raises(KeyError, match="nobody"):
        Wrong(None).report()


def test_values_with_braces_are_not_templates() -> None:
    assert Said(None, "a set `{x}`").report().title == "a set `{x}`"


def test_colour_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert wants_colour(Terminal())
    assert not wants_colour(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour(Terminal())


def test_columns() -> None:
    assert [columns(text) for text in ("abc", "日本", "e\u0301", "\t", "")] == [3, 4, 1, 4, 0]


def test_what_is_wrong_is_said_where_there_is_no_text_of_it() -> None:
    error = Said(None, "there is no view", "the index is too large").add(Said.Also("it is 3"), Said.Try("use 2"))
    assert render(error.report(), sources()).splitlines()[1:] == [
        "  = note: the index is too large",
        "  = note: it is 3",
        "  = help: use 2",
    ]
    placed = Said(None, "the value was used twice", "the second time here").add(Said.Also("it is 3"))
    assert render(placed.report(), sources()).splitlines()[1:] == ["  = note: it is 3"]
