"""What an editor asks of `.mlir` text, asked here: names at places, where they are defined, their types, what fits."""

from __future__ import annotations

import pytest

from freehold.support.span import Span
from freehold.tools.lsp.mlir_document import MlirDocument, vocabulary

TEXT = """cuda_tile.module @m {
  entry @k(%x: tile<i32>, %y: tile<f32>) {
    %sum = addi %x, %x : tile<i32>
    %a, %b, %d = "test.op"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<f32>, !cuda_tile.tile<i8>)
    %sum2 = muli %sum, %sum : tile<i32>
    %last = for %i in (%x to %sum, step %x) : tile<i32> iter_values(%c = %sum) -> (tile<i32>) {
      %next = addi %c, %i : tile<i32>
      continue %next : tile<i32>
    }
    return
  }
}
"""
LINES = TEXT.split("\n")


@pytest.fixture
def document() -> MlirDocument:
    made = MlirDocument("k.mlir")
    assert made.update(TEXT) == []
    return made


def place(line: int, word: str, skip: int = 0) -> tuple[int, int]:
    """The line, from 0, and the column of a word in it."""
    text, column = LINES[line], -1
    for _ in range(skip + 1):
        column = text.index(word, column + 1)
    return line, column


def test_the_word_at_a_place(document: MlirDocument) -> None:
    line, column = place(2, "%sum")
    ends = column + len("%sum")
    assert [document.word(line, at) for at in (column - 1, column, column + 2, ends, ends + 1)] == [
        "",
        *["%sum"] * 3,
        "",
    ]
    assert document.word(*place(0, "module")) == "cuda_tile.module"
    assert document.word(*place(0, "@m")) == "@m"
    assert document.word(*place(3, "!cuda_tile")) == "!cuda_tile.tile"
    assert document.word(len(LINES), 0) == ""
    assert document.word(len(LINES) + 5, 0) == ""


TYPES = [
    (2, "%sum", 0, "!cuda_tile.tile<i32>"),
    (2, "%x", 1, "!cuda_tile.tile<i32>"),
    (1, "%y", 0, "!cuda_tile.tile<f32>"),
    (3, "%a", 0, "!cuda_tile.tile<i32>"),
    (3, "%b", 0, "!cuda_tile.tile<f32>"),
    (3, "%d", 0, "!cuda_tile.tile<i8>"),
    (5, "%c", 0, "!cuda_tile.tile<i32>"),
    (6, "%i", 0, "!cuda_tile.tile<i32>"),
    (7, "%next", 0, "!cuda_tile.tile<i32>"),
]


@pytest.mark.parametrize(("line", "word", "skip", "type_"), TYPES, ids=[word for _, word, _, _ in TYPES])
def test_a_value_has_its_type(document: MlirDocument, line: int, word: str, skip: int, type_: str) -> None:
    assert document.hover(*place(line, word, skip)) == f"```mlir\n{word} : {type_}\n```"


def test_what_else_is_explained(document: MlirDocument) -> None:
    entry = document.hover(*place(1, "entry"))
    assert entry is not None
    assert entry.startswith("**cuda_tile.entry** (operation)\n\n")
    tile = document.hover(*place(3, "!cuda_tile"))
    assert tile is not None
    assert tile.startswith("**cuda_tile.tile** (type)\n\n`tile<4x8xf32>`: an immutable array")
    assert document.hover(*place(2, "addi")) == document.hover(*place(6, "addi"))
    for line, column in (place(0, "@m"), place(0, "{"), (len(LINES) + 1, 0)):
        assert document.hover(line, column) is None


def test_of_what_was_never_read_no_type_is_known() -> None:
    assert MlirDocument("k.mlir", TEXT).type_of("%sum", 2) is None
    assert MlirDocument("k.mlir").hover(0, 0) is None


DEFINED = [
    ((2, "%x", 0), (1, "%x")),
    ((4, "%sum", 1), (2, "%sum")),
    ((4, "%sum2", 0), (4, "%sum2")),
    ((5, "%sum", 0), (2, "%sum")),
    ((5, "%last", 0), (5, "%last")),
    ((6, "%c", 0), (5, "%c")),
    ((6, "%i", 0), (5, "%i")),
    ((7, "%next", 0), (6, "%next")),
    ((3, "%b", 0), (3, "%b")),
    ((3, "%d", 0), (3, "%d")),
    ((0, "@m", 0), (0, "@m")),
    ((1, "@k", 0), (1, "@k")),
]


@pytest.mark.parametrize(("asked", "wanted"), DEFINED, ids=[f"{a[1]} in {a[0]}" for a, _ in DEFINED])
def test_where_a_name_is_defined(document: MlirDocument, asked: tuple[int, str, int], wanted: tuple[int, str]) -> None:
    line, column = place(*wanted)
    found = document.definition(*place(*asked))
    assert found == Span.on_line("k.mlir", line + 1, column, column + len(wanted[1]))


def test_what_is_defined_nowhere(document: MlirDocument) -> None:
    document.text = "%r = addi %later, %r : tile<i32>\n%later = addi %r, @no : tile<i32>\n"
    assert document.definition(0, 11) is None  # it stands below
    assert document.definition(1, 1) == Span.on_line("k.mlir", 2, 0, 6)
    assert document.definition(1, 20) is None
    assert document.definition(0, 6) is None


def test_names_that_fit(document: MlirDocument) -> None:
    document.text = "%one = addi %two, @f\n%s = @g\n  %\n%three = @\nadd\n!ownership.re\n#cuda_tile.round\n"
    fitting = [known.name for known in document.completions(2, 3)]
    assert fitting == ["%one", "%s", "%two"]
    assert [known.kind for known in document.completions(2, 3)] == ["value"] * 3
    assert [known.name for known in document.completions(0, 4)] == ["%two"]  # the other is typed already
    assert [known.name for known in document.completions(0, 3)] == ["%one", "%two"]
    assert [(k.name, k.kind) for k in document.completions(3, 10)] == [("@f", "symbol"), ("@g", "symbol")]
    assert [known.name for known in document.completions(1, 7)] == ["@f"]
    assert [known.name for known in document.completions(4, 3)] == [n for n in vocabulary() if n.startswith("add")]
    assert {"addf", "addi"} <= {known.name for known in document.completions(4, 3)}
    named = [name for name in vocabulary() if name.lstrip("!").startswith("ownership.re")]
    assert [known.name for known in document.completions(5, 13)] == named
    assert {"!ownership.ref", "!ownership.region", "ownership.release"} <= {*named}
    assert "#cuda_tile.rounding" in {known.name for known in document.completions(6, 16)}
    assert {known.name for known in document.completions(99, 3)} == {*vocabulary()}


def test_each_part_of_a_file_is_read_by_itself() -> None:
    wrong = "cuda_tile.module @m {\n  entry @k() {\n    %s = addi %x, %x : tile<i32>\n    return\n  }\n}\n"
    document = MlirDocument("k.mlir")
    errors = document.update(f"{wrong}// -----\n{TEXT}// -----\n{wrong}")
    assert len(errors) == 2
    assert [error.place.line for error in errors if isinstance(error.place, Span)] == [3, 3 + 7 + 13]


GRIDS = """ownership.kernel @grids(%y: !ownership.tensor<[256], f32>, %z: !ownership.tensor<[256], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[256], f32> -> !ownership.partition<mut tile [64], [256], f32>
  %q = ownership.partition %z : !ownership.tensor<[256], f32> -> !ownership.partition<mut tile [32], [256], f32>
  ownership.distribute %p, %q
    : !ownership.partition<mut tile [64], [256], f32>, !ownership.partition<mut tile [32], [256], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}
"""


def test_what_kernels_owe_is_proved() -> None:
    document = MlirDocument("k.mlir")
    (error,) = document.update(GRIDS)
    assert error.code == "O115"
    assert document.update(GRIDS.replace("[32]", "[64]")) == []


def test_values_of_other_types_stand_above_and_at_the_beginning() -> None:
    document = MlirDocument("k.mlir")
    other = "    %f = itof %x signed : tile<i32> -> tile<f32>\n    %sum = addi"
    assert document.update(TEXT.replace("    %sum = addi", other)) == []
    assert document.type_of("%sum", 3) == "!cuda_tile.tile<i32>"
    document.text = "%r = addi %x, %x : tile<i32>\n%s = addi %r, %r : tile<i32>\n"
    assert document.definition(1, 11) == Span.on_line("k.mlir", 1, 0, 2)
