"""What is taken away of a module for which something fails, and what has to stay."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from freehold.support.diagnostic import Rejected
from freehold.support.span import SourceMap
from freehold.tools import processing
from freehold.tools.errors import PassFailed
from freehold.tools.files import read_module
from freehold.tools.processing import Options, told
from freehold.tools.tile_reduce import main, operations, reduced

TEXT = """
cuda_tile.module @reduce {
  entry @other() {
    return
  }
  entry @k(%n: tile<i32>, %z: tile<f32>) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %x = constant <f32: 2.0> : tile<f32>
    %p = cmpi less_than %n, %c1, signed : tile<i32> -> tile<i1>
    %r = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc = %x) -> (tile<f32>) {
      %q = if %p -> (tile<f32>) {
        %y = mulf %acc, %x rounding<zero> : tile<f32>
        yield %y : tile<f32>
      } else {
        yield %acc : tile<f32>
      }
      continue %q : tile<f32>
    }
    %t = addf %r, %z : tile<f32>
    %token = print_tko "%f", %t : tile<f32> -> token
    return
  }
}
"""


def module(text: str = TEXT) -> ModuleOp:
    return read_module(text.encode(), "reduce.mlir", "tile-reduce", SourceMap())


def names(of: ModuleOp) -> list[str]:
    return [op.name.removeprefix("cuda_tile.") for op in operations(of)]


def has(*wanted: str) -> Callable[[ModuleOp], bool]:
    return lambda candidate: set(wanted) <= set(names(candidate))


@pytest.mark.parametrize(
    ("wanted", "left"),
    [
        ((), []),
        (("return",), ["module", "entry", "return"]),
        (("mulf",), ["module", "entry", "mulf", "return"]),
        (("print_tko",), ["module", "entry", "print_tko", "return"]),
        (("for",), ["module", "entry", "for", "continue", "return"]),
        (("if", "mulf"), ["module", "entry", "cmpi", "if", "mulf", "yield", "yield", "return"]),
        (("addf", "for"), ["module", "entry", "for", "continue", "addf", "return"]),
    ],
)  # fmt: skip
def test_what_the_failure_does_not_need_goes(wanted: tuple[str, ...], left: list[str]) -> None:
    given = module()
    before, told_of = str(given), list[str]()
    found = reduced(given, has(*wanted), say=told_of.append)
    assert sorted(names(found)) == sorted(left)
    assert str(given) == before
    found.verify()
    assert all(said.endswith("runs of the command") for said in told_of)
    attributes = sum(len(op.properties) + len(op.attributes) for op in operations(found))
    runs = int(told_of[-1].split()[-5])
    assert told_of[-1] == f"{len(left)} operations, {attributes} attributes, after {runs} runs of the command"
    assert len(told_of) >= 2  # the last time nothing more went


def test_operations_are_taken_away_in_groups() -> None:
    """Of 64 operations in a row two are needed, and far fewer candidates are tried than there are groups."""
    rows = "\n".join(f"    %t{n} = constant <i32: {n}> : tile<i32>" for n in range(64))
    text = f"cuda_tile.module @m {{\n  entry @k() {{\n{rows}\n    return\n  }}\n}}"
    sizes: list[int] = []

    def fails(candidate: ModuleOp) -> bool:
        sizes.append(len(operations(candidate)))
        return "i32: 40" in str(candidate) and "i32: 7>" in str(candidate)

    found = reduced(module(text), fails)
    assert names(found) == ["module", "entry", "constant", "constant", "return"]
    assert len(sizes) < 64
    assert sizes[0] < 40  # half of them at first


def test_attributes_that_are_not_needed_go() -> None:
    text = TEXT.replace("entry @other()", "entry @other() optimization_hints=<sm_90 = {occupancy = 2}>")
    assert "occupancy" in str(module(text))
    found = reduced(module(text), lambda m: "@other" in str(m))
    assert "occupancy" not in str(found)
    kept = reduced(module(text), lambda m: "occupancy" in str(m))
    assert names(kept) == ["module", "entry", "return"]


def test_modules_that_do_not_verify_are_tried_where_that_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(candidate: ModuleOp) -> None:
        raise Rejected([PassFailed(None, "verify", f"{len(names(candidate))} operations")])

    monkeypatch.setattr(processing, "verify", refuses)
    assert names(reduced(module(), has("mulf"))) == names(module())
    assert names(reduced(module(), has("mulf"), verifies=False)) == ["module", "entry", "mulf", "return"]


@pytest.mark.parametrize(
    ("command", "options", "status", "left"),
    [
        ("! grep -q mulf {}", [], 0, "mulf"), ("! grep mulf {}", ["--says", "mulf"], 0, "mulf"),
        ("! grep mulf {}", ["--says", "no such text"], 1, None), ("true {}", [], 1, None),
        ("/no/such/program {}", [], 2, None),
    ],
)  # fmt: skip
def test_the_command(
    command: str, options: list[str], status: int, left: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, output = tmp_path / "m.mlir", tmp_path / "small.mlir"
    file.write_text(TEXT, encoding="utf-8")
    assert main([str(file), "-o", str(output), "--test", command, "--quiet", *options]) == status
    assert output.exists() == (left is not None)
    said = capsys.readouterr().err
    if left is not None:
        assert "print_tko" not in output.read_text(encoding="utf-8")
        assert left in output.read_text(encoding="utf-8")
        assert not said
    elif status == 1:
        assert said == f"tile-reduce: the command does not fail on {file}\n"
    else:
        assert said.startswith("tile-reduce: the command cannot be run: ")


def test_the_first_module_of_a_file_that_fails_is_reduced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, output = tmp_path / "m.mlir", tmp_path / "small.mlir"
    file.write_text(f"{TEXT.replace('mulf', 'addf')}// -----\n{TEXT}", encoding="utf-8")
    assert main([str(file), "-o", str(output), "--test", "! grep -q mulf {}", "--split-input-file"]) == 0
    assert "mulf" in output.read_text(encoding="utf-8")
    assert "tile-reduce: 5 operations, " in capsys.readouterr().err
    file.write_text("nonsense", encoding="utf-8")
    assert main([str(file), "--test", "false"]) == 2
    assert "error[O5" in capsys.readouterr().err


def test_what_is_told_of_a_result_can_be_read_again() -> None:
    found = reduced(module(), has("for"))
    assert names(module(told(found, Options()))) == names(found)


MANY = """
cuda_tile.module @many attributes {producer = "a compiler"} {
  global @g alignment = 16 <f32: [1.0, 2.0]> : tile<2xf32>
  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) optimization_hints=<sm_90 = {occupancy = 2}> {
    %t = make_token : token
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %sum = addi %one, %two overflow<no_signed_wrap> : tile<i32>
    %more = muli %sum, %n : tile<i32>
    %x, %t1 = load_ptr_tko weak %p token=%t : tile<ptr<f32>> -> tile<f32>, token
    %y = addf %x, %x rounding<zero> flush_to_zero : tile<f32>
    %w, %t2 = if %b -> (tile<f32>, token) {
      %u = store_ptr_tko weak %p, %y token=%t1 : tile<ptr<f32>>, tile<f32> -> token
      yield %y, %u : tile<f32>, token
    } else {
      %z = negf %y : tile<f32>
      yield %z, %t1 : tile<f32>, token
    }
    %found, %t3 = loop iter_values(%i = %one, %v = %w, %t4 = %t2) : tile<i32>, tile<f32>, token -> tile<f32>, token {
      %d = cmpi less_than %i, %more, signed : tile<i32> -> tile<i1>
      if %d {
        break %v, %t4 : tile<f32>, token
      }
      %q = sqrt %v : tile<f32>
      %r = addi %i, %one : tile<i32>
      continue %r, %q, %t4 : tile<i32>, tile<f32>, token
    }
    %t5 = store_ptr_tko weak %p, %found token=%t3 : tile<ptr<f32>>, tile<f32> -> token
    %row = iota : tile<8xi32>
    %all = reduce %row dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32> (%l: tile<i32>, %m: tile<i32>) {
      %h = maxi %l, %m signed : tile<i32>
      yield %h : tile<i32>
    }
    %t6 = print_tko "%d", %all token=%t5 : tile<i32> -> token
    return
  }
}
"""
KEPT: list[tuple[str, ...]] = [
    (), ("@g",), ("producer",), ("no_signed_wrap",), ("rounding<zero>",), ("occupancy",), ("load_ptr_tko",),
    ("store_ptr_tko",), ("negf",), ("sqrt",), ("break",), ("loop",), ("cmpi",), ("muli", "iota"), ("maxi",),
    ("reduce",), ("print_tko",), ("if",), ("token=",), ("-> (tile<f32>",), ("%d",), ("signed",),
]  # fmt: skip
"""Words, of which each module that fails has all."""


def test_what_is_left_of_a_module(golden: Callable[[Path, str], None]) -> None:
    """All of it, and how many candidates were tried."""
    lines: list[str] = []
    for words in KEPT:

        def fails(candidate: ModuleOp, words: tuple[str, ...] = words) -> bool:
            text = told(candidate, Options())
            return all(word in text for word in words)

        told_of = list[str]()
        found = told(reduced(module(MANY), fails, say=told_of.append), Options())
        lines += [f"// == {' '.join(words)}", *(f"// {each}" for each in told_of), found]
    golden(Path(__file__).with_name("reduced.mlir"), "\n".join(lines))
