"""Which modules are the same up to names and order, and how those that are not stand side by side."""

from __future__ import annotations

from pathlib import Path

import pytest

from freehold.tools.tile_diff import main, side_by_side

TEXT = """
cuda_tile.module @diff {{
  entry @k(%x: tile<i32>, %y: tile<i32>, %o: tile<ptr<i32>>) {{
    {body}
    return
  }}
}}
"""
SUM = "%sum = addi %x, %y : tile<i32>"
PRODUCT = "%product = muli %x, %y : tile<i32>"
ALL = "%all = subi %sum, %product : tile<i32>"
PRINTS = 'print_tko "%i", %all : tile<i32> -> token', 'print_tko "%i", %sum : tile<i32> -> token'
LOOP = """%r = for %i in (%x to %y, step %x) : tile<i32> iter_values(%acc = %x) -> (tile<i32>) {
      %a = addi %acc, %i : tile<i32>
      %b = muli %acc, %i : tile<i32>
      %c = subi %a, %b : tile<i32>
      continue %c : tile<i32>
    }"""
BODY = (SUM, PRODUCT, ALL, *PRINTS, LOOP)


def status(tmp_path: Path, left: str, right: str, *options: str) -> int:
    files = tmp_path / "left.mlir", tmp_path / "right.mlir"
    for file, text in zip(files, (left, right), strict=True):
        file.write_text(text, encoding="utf-8")
    return main([*map(str, files), *options])


def text(*lines: str) -> str:
    return TEXT.format(body="\n    ".join(lines))


SAME = {
    "itself": text(*BODY),
    "other names": text(*BODY).replace("%sum", "%other").replace("%acc", "%v"),
    "another order": text(PRODUCT, SUM, ALL, *PRINTS, LOOP),
    "another order in a loop": text(*BODY[:-1], LOOP.replace(
        "%a = addi %acc, %i : tile<i32>\n      %b = muli %acc, %i : tile<i32>",
        "%b = muli %acc, %i : tile<i32>\n      %a = addi %acc, %i : tile<i32>",
    )),
}  # fmt: skip
OTHER = {
    "a loop before what prints": text(SUM, LOOP, PRODUCT, ALL, *PRINTS),
    "another order of what prints": text(SUM, PRODUCT, ALL, *PRINTS[::-1], LOOP),
    "another operation": text(*BODY).replace("muli %x", "addi %x"),
    "other operands": text(*BODY).replace("subi %sum, %product", "subi %product, %sum"),
    "another argument": text(*BODY).replace("muli %x, %y", "muli %x, %x"),
    "another attribute": text(*BODY).replace("addi %x, %y :", "addi %x, %y overflow<no_signed_wrap> :"),
    "an operation more": text(*BODY, "%more = addi %x, %x : tile<i32>"),
    "another operation in a loop": text(*BODY).replace("addi %acc", "subi %acc"),
    "other operands in a loop": text(*BODY).replace("subi %a, %b", "subi %b, %a"),
}


@pytest.mark.parametrize("name", SAME)
def test_modules_that_are_the_same(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(tmp_path, text(*BODY), SAME[name]) == 0
    assert not capsys.readouterr().out


@pytest.mark.parametrize("name", OTHER)
def test_modules_that_are_not(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(tmp_path, text(*BODY), OTHER[name]) == 1
    assert capsys.readouterr().out.startswith("@@ ")


@pytest.mark.parametrize(("name", "option", "differ"), [
    ("other names", "--names", True), ("another order", "--names", False), ("another order", "--order", True),
    ("other names", "--order", False), ("another order in a loop", "--order", True),
])  # fmt: skip
def test_names_and_order_may_count(name: str, option: str, differ: bool, tmp_path: Path) -> None:
    assert status(tmp_path, text(*BODY), SAME[name], option) == differ


def test_several_modules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = text(*BODY), text(SUM)
    split = f"{one}// -----\n{other}"
    assert status(tmp_path, split, split, "--split-input-file") == 0
    assert status(tmp_path, split, f"{one}// -----\n{one}", "--split-input-file") == 1
    assert capsys.readouterr().out.startswith("// -----\n@@ ")
    assert status(tmp_path, split, one, "--split-input-file") == 1
    assert "< " not in (said := capsys.readouterr().out.splitlines())[0]
    assert said[0] == "// -----"
    assert all(line.endswith(" <") for line in said[2:])
    assert status(tmp_path, other, one) == 1
    assert capsys.readouterr().out.startswith("@@ ")


def test_what_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(tmp_path, text(SUM), "nonsense") == 2
    assert "error[O5" in capsys.readouterr().err


LEFT = ["a", "b", "c", "d", "e", "f"]
RIGHT = ["a", "b", "C", "d", "e", "f", "g"]


@pytest.mark.parametrize(
    ("context", "width", "lines"),
    [
        (0, 0, ["@@ 3 | 3 @@", "c | C", "@@ 7 | 7 @@", "  > g"]),
        (1, 0, ["@@ 2 | 2 @@", "b   b", "c | C", "d   d", "@@ 6 | 6 @@", "f   f", "  > g"]),
        (9, 0, ["@@ 1 | 1 @@", "a   a", "b   b", "c | C", "d   d", "e   e", "f   f", "  > g"]),
        (0, 13, ["@@ 3 | 3 @@", "c     | C", "@@ 7 | 7 @@", "      > g"]),
    ],
)  # fmt: skip
def test_texts_side_by_side(context: int, width: int, lines: list[str]) -> None:
    assert side_by_side(LEFT, RIGHT, context, width) == lines


def test_lines_are_cut_to_the_width() -> None:
    assert side_by_side(["abcdefgh"], ["abcdefgi"], 3, 13) == ["@@ 1 | 1 @@", "abcde | abcde"]
    assert side_by_side(["abcdefgh"], ["abcdefgi"], 3, 14) == ["@@ 1 | 1 @@", "abcde | abcde"]
    assert side_by_side(["abcdefgh"], ["abcdefgij"], 3, 0) == ["@@ 1 | 1 @@", "abcdefgh | abcdefgij"]
    assert side_by_side(["a", "b"], [], 3, 0) == ["@@ 1 | 1 @@", "a <", "b <"]
    assert side_by_side(["a"], ["a"], 3, 0) == []
    assert side_by_side([], ["a"], 3, 0) == ["@@ 1 | 1 @@", " > a"]
