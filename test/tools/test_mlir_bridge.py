"""Modules to upstream MLIR and back; skipped where there is none, unless FREEHOLD_REQUIRE_MLIR is set."""

from __future__ import annotations

import importlib.util
import os
import stat
import sys
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from freehold.dialects.cuda_tile.text import text_of
from freehold.support.diagnostic import Rejected
from freehold.tools import mlir_bridge
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module
from freehold.tools.pipeline_text import parse_pipeline
from freehold.tools.processing import verify

TEXT = """\
%0 = "test.op"() {a = 1 : i32} : () -> i32 loc("k.py":1:2)
"test.op"(%0) ({
  "test.termop"() : () -> ()
}) : (i32) -> ()
"""


def module() -> ModuleOp:
    return parse_module(make_context(), TEXT, "k.mlir")


@pytest.fixture
def upstream() -> mlir_bridge.Upstream:
    found = mlir_bridge.find()
    if found is None:
        if os.environ.get("FREEHOLD_REQUIRE_MLIR"):
            pytest.fail("FREEHOLD_REQUIRE_MLIR is set, but upstream MLIR was not found")
        pytest.skip("no upstream MLIR (docs/mlir.md)")
    return found


def test_there_and_back_changes_nothing(upstream: mlir_bridge.Upstream) -> None:
    back = mlir_bridge.run(make_context(), module(), "", upstream)
    assert back.is_structurally_equivalent(module())
    assert mlir_bridge.to_mlir(back).replace("%arg0", "%0") == mlir_bridge.to_mlir(module())


def test_passes_of_upstream_run(upstream: mlir_bridge.Upstream) -> None:
    if upstream.knows_tile_ir:
        pytest.skip("NVIDIA's tool has no `strip-debuginfo` (test_nvidia_tool.py)")
    stripped = mlir_bridge.run(make_context(), module(), "strip-debuginfo", upstream)
    assert "k.py" not in mlir_bridge.to_mlir(stripped)


def test_a_refusal_carries_upstream_s_words(upstream: mlir_bridge.Upstream) -> None:
    with pytest.raises(Rejected, match="no-such-pass") as caught:
        mlir_bridge.run(make_context(), module(), "no-such-pass", upstream)
    assert caught.value.codes == ("O508",)


def program(folder: Path, name: str, body: str) -> Path:
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{body}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def only_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No bindings, and a PATH with one empty folder."""
    monkeypatch.setattr(mlir_bridge, "PACKAGES", ())
    monkeypatch.delenv("FREEHOLD_MLIR_OPT", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_without_upstream_there_is_one_clear_error(only_programs: Path) -> None:
    assert mlir_bridge.find() is None
    with pytest.raises(Rejected, match="placeholder") as caught:
        mlir_bridge.run(make_context(), module(), "cse")
    assert caught.value.codes == ("O507",)


def test_the_newest_program_is_found_and_one_that_is_named_comes_first(
    only_programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for release in (19, 22):
        program(only_programs, f"mlir-opt-{release}", "")
    found = mlir_bridge.find()
    assert found is not None
    assert found.name == "mlir-opt-22"
    monkeypatch.setenv("FREEHOLD_MLIR_OPT", str(only_programs / "mlir-opt-19"))
    found = mlir_bridge.find()
    assert found is not None
    assert found.name == "mlir-opt-19"


def test_a_program_gets_generic_text_and_the_pipeline(only_programs: Path) -> None:
    body = "import sys\nassert '--pass-pipeline=builtin.module(cse)' in sys.argv\nprint(sys.stdin.read())"
    program(only_programs, "mlir-opt", body)
    assert mlir_bridge.run(make_context(), module(), "cse").is_structurally_equivalent(module())


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("import sys\nsys.exit('out of order')", "O508", "out of order"),
        ("import sys\nsys.exit(3)", "O508", "exit status 3"),
        ("print('!')", "O501", "<mlir>:1:1"),
    ],
)
def test_a_program_that_fails_becomes_an_error(only_programs: Path, body: str, code: str, words: str) -> None:
    program(only_programs, "mlir-opt", body)
    with pytest.raises(Rejected, match=words) as caught:
        mlir_bridge.run(make_context(), module(), "cse")
    assert caught.value.codes == (code,)


TILE_IR = """\
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %k: tile<i32>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %m = constant <i32: [1, 2, 3, 4]> : tile<4xi32>
    %r = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
      %late = cmpi less_than %k, %i, signed : tile<i32> -> tile<i1>
      %t = if %late -> (tile<i32>) {
        %u = addi %s, %i overflow<no_signed_wrap> : tile<i32> loc("k.py":7:9)
        yield %u : tile<i32>
      } else {
        yield %s : tile<i32>
      }
      continue %t : tile<i32>
    }
    store_ptr_tko release device %p, %r : tile<ptr<i32>>, tile<i32> -> token
    print_tko "%d", %m : tile<4xi32> -> token
    return
  }
}
"""


def test_nvidia_s_tool_lends_its_passes(only_programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The stand-in is our own tool under that name: it takes what theirs takes, and prints generic form as theirs does.
    body = f"import sys\nsys.path[:0] = {sys.path}\nfrom freehold.tools.tile_opt import main\nsys.exit(main())"
    monkeypatch.setenv("FREEHOLD_MLIR_OPT", str(program(only_programs, "cuda-tile-opt", body)))
    context = make_context()
    before = parse_module(context, TILE_IR, "k.mlir")
    same = mlir_bridge.run(context, before, "")
    assert text_of(same, locations=True) == text_of(before, locations=True)
    (each,) = parse_pipeline("mlir{cuda_tile.module(cuda_tile.entry(loop-split{split-threshold=1}))}")
    each.apply(context, before)
    verify(before)
    printed = text_of(before, locations=True)
    assert printed.count("cuda_tile.for") == 2
    assert "cuda_tile.if" not in printed
    assert '"k.py":7:9' in printed
    with pytest.raises(Rejected, match="no pass `nothing`") as caught:
        mlir_bridge.run(context, before, "nothing")
    assert caught.value.codes == ("O508",)


def test_what_is_named_and_not_there_is_not_replaced(only_programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(only_programs, "mlir-opt", "")
    monkeypatch.setenv("FREEHOLD_MLIR_OPT", "cuda-tile-opt")
    assert mlir_bridge.find() is None
    with pytest.raises(Rejected, match="`FREEHOLD_MLIR_OPT` is `cuda-tile-opt`, which is no program here"):
        mlir_bridge.run(make_context(), module(), "cse")


def test_the_placeholder_is_not_taken_for_bindings(only_programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (only_programs / "mlir_python_bindings").mkdir()
    (only_programs / "mlir_python_bindings" / "__init__.py").touch()
    monkeypatch.setattr(sys, "path", [str(only_programs), *sys.path])
    monkeypatch.setattr(mlir_bridge, "PACKAGES", ("mlir",))
    if importlib.util.find_spec("mlir") is not None:
        pytest.skip("the real bindings are installed")
    assert mlir_bridge.find() is None
