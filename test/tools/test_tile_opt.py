"""`tile-opt` as a program and as functions: pipelines, exit statuses, what goes where."""

from __future__ import annotations

import io
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import test as test_dialect
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from freehold.dialects.location import span_of
from freehold.support.diagnostic import Rejected
from freehold.tools import tile_opt, tile_run, tile_translate
from freehold.tools.context import make_context
from freehold.tools.errors import PassFailed
from freehold.tools.located_parser import parse_module
from freehold.tools.pipeline_text import PassFactories, available_passes, parse_pipeline, split_pipeline
from freehold.tools.processing import Statistics, Timing


@dataclass(frozen=True)
class RefuseTestPass(ModulePass):
    """Refuses every `test.op`."""

    name = "refuse-test"
    limit: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = [each for each in op.walk() if isinstance(each, test_dialect.TestOp)]
        if len(found) > self.limit:
            raise Rejected([PassFailed(span_of(each), self.name, "an op") for each in found], kernel="k")


@dataclass(frozen=True)
class GiveUpPass(ModulePass):
    """Fails as passes of xDSL do."""

    name = "give-up"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise PassFailedException("no way")


@dataclass(frozen=True)
class BreakPass(ModulePass):
    """Leaves a module that does not verify."""

    name = "break-ir"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        first = op.body.block.first_op
        assert first is not None
        first.regions[0].block.add_op(test_dialect.TestOp())


@dataclass(frozen=True)
class CrashPass(ModulePass):
    """Has a fault of its own."""

    name = "crash"
    key: str = "x"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if any(isinstance(each, test_dialect.TestOp) for each in op.walk()):
            raise KeyError(self.key)


PASSES: PassFactories = {
    "crash": lambda: CrashPass,
    "refuse-test": lambda: RefuseTestPass,
    "give-up": lambda: GiveUpPass,
    "break-ir": lambda: BreakPass,
}
Golden = Callable[[Path, str], None]
TWO = '"test.op"() : () -> ()\n  "test.op"() : () -> ()\n'


def write(tmp_path: Path, text: str) -> str:
    path = tmp_path / "k.mlir"
    path.write_text(text)
    return str(path)


def test_a_refusal_is_rendered_on_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tile_opt.main([write(tmp_path, TWO), "-p", "refuse-test"], PASSES) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert f' --> {tmp_path / "k.mlir"}:2:3\n  |\n2 |   "test.op"() : () -> ()\n' in err
    assert err.count("error[O503]") == 2
    assert err.endswith("\n2 errors, kernel `k` rejected\n")
    assert "\033" not in err


def test_print_diagnostics_prints_it_on_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tile_opt.main([write(tmp_path, TWO), "-p", "refuse-test", "--print-diagnostics"], PASSES) == 0
    out, err = capsys.readouterr()
    assert out.count("error[O503]") == 2
    assert err == ""


def test_every_chunk_is_processed_when_one_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, TWO + "// -----\n" + '"test.termop"() : () -> ()\n' + "// -----\n" + TWO)
    assert tile_opt.main([file, "-p", "refuse-test", "--split-input-file"], PASSES) == 1
    out, err = capsys.readouterr()
    assert out == 'builtin.module {\n  "test.termop"() : () -> ()\n}\n'
    assert [line.split(":")[-2:] for line in err.splitlines() if "-->" in line] == [
        ["1", "1"],
        ["2", "3"],
        ["6", "1"],
        ["7", "3"],
    ]


def test_options_reach_the_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tile_opt.main([write(tmp_path, TWO), "-p", "refuse-test{limit=2}"], PASSES) == 0
    assert capsys.readouterr().out.count("test.op") == 2


def test_a_pass_that_gives_up_is_named(golden: Golden) -> None:
    with pytest.raises(Rejected) as caught:
        tile_opt.process(make_context(), TWO, "k.mlir", [GiveUpPass()])
    golden(Path(__file__).with_name("give_up.err"), str(caught.value))


def test_a_pass_that_breaks_the_ir_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, '"test.op"() ({\n  "test.termop"() : () -> ()\n}) : () -> ()')
    assert tile_opt.main([file, "-p", "break-ir"], PASSES) == 1
    err = capsys.readouterr().err
    assert "error[O502]: `test.op`: " in err
    assert "= note: found after pass `break-ir`" in err
    assert tile_opt.main([file, "-p", "break-ir", "--no-verify"], PASSES) == 0


@pytest.mark.parametrize(
    ("pipeline", "said"),
    [
        ("csee", "error[O504]: there is no pass `csee`"),
        ("csee", "= help: write `cse`"),
        ("cse,", "a name is missing"),
        ("refuse-test{limit=x}", "error[O505]: `refuse-test{limit=x}`"),
        ("refuse-test{limt=1}", "limt"),
        ("cse{", "error[O505]: `cse{`"),
        ("cse}", "error[O504]: there is no pass `cse}`"),
        ("mlir{cse", "error[O505]: `mlir{cse`"),
    ],
)
def test_a_bad_pipeline_is_an_error_of_the_command_line(
    pipeline: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tile_opt.main(["-p", pipeline], PASSES) == 2
    assert said in capsys.readouterr().err


def test_all_mistakes_of_a_pipeline_are_told_at_once(golden: Golden) -> None:
    with pytest.raises(Rejected) as caught:
        parse_pipeline("nope,cse,cse{x=1},canonicalise")
    assert caught.value.codes == ("O504", "O505", "O504")
    golden(Path(__file__).with_name("pipeline.err"), str(caught.value))


def test_a_pipeline_may_have_blanks_and_passes_within_braces() -> None:
    assert split_pipeline(' a , b{x=1,2 y="p,q}"} ,mlir{c,d{e=1}}') == ["a", 'b{x=1,2 y="p,q}"}', "mlir{c,d{e=1}}"]
    assert split_pipeline("") == []
    (mlir,) = parse_pipeline("mlir{canonicalize{max-iterations=2},cse}")
    assert getattr(mlir, "pipeline", None) == "canonicalize{max-iterations=2},cse"


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_an_unreadable_file_is_an_error_of_the_command_line(
    content: bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    path = tmp_path / "k.mlir"
    if content is not None:
        path.write_bytes(content)
    assert tile_opt.main([str(path)]) == 2
    name = "no_file.err" if content is None else "no_text.err"
    golden(Path(__file__).with_name(name), capsys.readouterr().err.replace(str(path), "k.mlir"))


def test_standard_input_and_an_output_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TWO.encode())))
    assert tile_opt.main(["-o", str(tmp_path / "out.mlir"), "--print-op-generic"]) == 0
    assert (tmp_path / "out.mlir").read_text().startswith('"builtin.module"() ({')
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"?")))
    assert tile_opt.main([]) == 1
    assert " --> <stdin>:1:1\n  |\n1 | ?\n" in capsys.readouterr().err


def test_every_pass_is_listed_with_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert tile_opt.main(["--list-passes"], PASSES) == 0
    out = capsys.readouterr().out
    assert "refuse-test{limit:int=0}\n    Refuses every `test.op`.\n" in out
    for name in available_passes():
        assert f"\n{name}" in f"\n{out}"


def test_an_error_code_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert tile_opt.main(["--explain-error", "o504"]) == 0
    assert capsys.readouterr().out.startswith("# O504: there is no pass `<name>`\n")
    assert tile_opt.main(["--explain-error", "O999"]) == 2
    assert "there is no error O999" in capsys.readouterr().err


def test_the_function_underneath_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    printed = tile_opt.process(make_context(), TWO, "k.mlir", parse_pipeline("cse"))
    assert printed.count("test.op") == 2
    with pytest.raises(Rejected) as caught:
        tile_opt.process(make_context(), TWO, "k.mlir", [RefuseTestPass()])
    assert '2 |   "test.op"() : () -> ()' in str(caught.value)
    assert capsys.readouterr() == ("", "")


def test_output_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    accepted = write(tmp_path, TWO)
    assert tile_opt.main([accepted, "-o", "/no/such/folder/k.mlir"]) == 2
    golden(Path(__file__).with_name("no_folder.err"), capsys.readouterr().err)
    text = "cuda_tile.module @m {\n  entry @k() {\n    return\n  }\n}\n"
    (tmp_path / "m.mlir").write_text(text)
    bytecode = ["--to-bytecode", "-o", "/no/such/folder/k.tileirbc"]
    assert tile_translate.main([str(tmp_path / "m.mlir"), *bytecode]) == 2
    assert "error[O509]: cannot write `/no/such/folder/k.tileirbc`" in capsys.readouterr().err
    arguments = ["--arg", "zeros:f32[4]", "--save", "0=/no/such/folder/x.npy", "--print", "none"]
    (tmp_path / "s.mlir").write_text(text.replace("()", "(%p: tile<ptr<f32>>)"))
    assert tile_run.main([str(tmp_path / "s.mlir"), *arguments]) == 2
    assert "error[O509]: cannot write `/no/such/folder/x.npy`" in capsys.readouterr().err


@pytest.mark.parametrize("printing", ["--print-ir-before-all", "--print-ir-after-all"])
def test_a_crash_leaves_a_reproducer_that_crashes(
    printing: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left = tmp_path / "crash.mlir"
    with pytest.raises(KeyError) as crash:
        tile_opt.main(
            [write(tmp_path, TWO), "-p", 'canonicalize,crash{key="y z"},cse', "--reproducer", str(left), printing],
            PASSES,
        )
    assert capsys.readouterr().err.count("canonicalize") == 1  # it is run again for the reproducer, and says nothing
    assert crash.value.__notes__ == [f"a reproducer was left: tile-opt {left} --run-reproducer"]
    text = left.read_text()
    assert text.startswith("// tile-opt crashed in `crash`: KeyError: 'y z'\n// configuration: --pass-pipeline=")
    assert "canonicalize" not in text.splitlines()[1]
    assert '"test.op"() : () -> () loc(fused["' in text
    with pytest.raises(KeyError, match="y z"):
        tile_opt.main([str(left), "--run-reproducer", "--reproducer", str(tmp_path / "again.mlir")], PASSES)


@pytest.mark.parametrize("printing", ["--print-ir-before-all", "--print-ir-after-all", "--print-ir-after-change"])
def test_a_search_prints_nothing_between_its_runs(
    printing: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unused = "cuda_tile.module @m {\n  entry @k() {\n    %0 = constant <i32: 1> : tile<i32>\n    return\n  }\n}\n"
    words = [write(tmp_path, unused), "-p", "cse,canonicalize", printing]
    assert tile_opt.main([*words, "--bisect", "true {}"]) == 0
    told = capsys.readouterr()
    assert told.out == "// bisect: the command succeeds after all passes\n"
    assert told.err == ""


def test_a_reproducer_that_cannot_be_written_hides_no_crash(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere" / "crash.mlir"
    words = [write(tmp_path, TWO), "-p", "crash{key=k}"]
    with pytest.raises(KeyError) as crash:
        tile_opt.main([*words, "--reproducer", str(nowhere)], PASSES)
    (note,) = crash.value.__notes__
    assert note.startswith("no reproducer was written: ")
    assert "No such file or directory" in note
    left = tmp_path / "crash.mlir"
    for more in ([], ["--no-verify"]):
        with pytest.raises(KeyError):
            tile_opt.main([*words, *more, "--reproducer", str(left)], PASSES)
        assert left.read_text().splitlines()[1].endswith(" --no-verify") == bool(more)


def test_where_the_time_went() -> None:
    timing = Timing({"parse": 0.001, "canonicalize": 0.003})
    assert timing.table().splitlines() == [
        "parse             1.000 ms   25.0%",
        "canonicalize      3.000 ms   75.0%",
        "total             4.000 ms  100.0%",
    ]
    assert Timing().table() == "total      0.000 ms    0.0%"
    timing.add("parse", time.perf_counter())
    timing.add("print", time.perf_counter())
    assert [*timing.seconds] == ["parse", "canonicalize", "print"]
    assert timing.seconds["parse"] >= 0.001


def test_which_operations_passes_add_and_take_away() -> None:
    statistics = Statistics(Counter({"a.add": 2, "a.constant": 10}))
    statistics.ran("1. cse", Counter({"a.add": 2, "a.mul": 1}), Counter({"a.add": 3}))
    statistics.ran("1. cse", Counter({"a.add": 1}), Counter({"a.mul": 2}))
    statistics.ran("2. cse", Counter({"a.add": 1}), Counter({"a.add": 1}))
    assert statistics.operation_table().splitlines() == [
        "Operations encountered:", "  a.add       2", "  a.constant  10",
    ]  # fmt: skip
    assert statistics.pass_table().splitlines() == [
        "Operations added and taken away, by pass:", "  1. cse: +3 -2", "    a.add: +1 -1", "    a.mul: +2 -1",
        "  2. cse: +0 -0",
    ]  # fmt: skip
    assert statistics.passes["1. cse"][0] == 2


def test_a_pass_that_is_nested_sees_its_operation_alone() -> None:
    seen: list[tuple[str, int]] = []

    class SeePass(ModulePass):
        name = "see"

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            (inside,) = op.body.block.ops
            seen.append((inside.name, len(list(inside.walk()))))
            inside.detach()
            for _ in range(2):
                op.body.block.add_op(test_dialect.TestOp())

    text = '"test.op"() ({\n}) : () -> ()\n"other.op"() : () -> ()\n"test.op"() : () -> ()\n'
    factories: PassFactories = {"see": lambda: SeePass}
    context = make_context(allow_unregistered=True)
    printed = tile_opt.process(context, text, "k.mlir", parse_pipeline("test.op(see)", factories))
    assert seen == [("test.op", 1), ("test.op", 1)]
    assert [line.strip().split("(")[0] for line in printed.splitlines()[1:-1]] == [
        '"test.op"', '"test.op"', '"other.op"', '"test.op"', '"test.op"',
    ]  # fmt: skip


def test_a_text_that_ends_too_early_is_told_to_end() -> None:
    with pytest.raises(Rejected) as caught:
        parse_module(make_context(), "builtin.module {\n", "open.mlir")
    assert "error[O501]: the text ends in block definition" in str(caught.value)
