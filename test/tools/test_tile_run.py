"""`tile-run`: what its words mean, what it prints and saves, and which words it does not take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from freehold.tools.tile_run import main

KERNEL = """
ownership.kernel @twice(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>) {
  %rx = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p SCHEDULE : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %t = ownership.load %rx[%i] : !ownership.ref<[N], f32> -> !cuda_tile.tile<4xf32>
    %s = cuda_tile.addf %t, %t : tile<4xf32>
    %o = cuda_tile.print_tko "block %d\\0A", %i : tile<i32> -> token
    ownership.store %s, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
  }
}
""".replace(" SCHEDULE", "")  # noqa: E501
ENTRY = """
cuda_tile.module @m {
  entry @halves(%x: tile<ptr<bf16>>, %n: tile<i32>, %s: tile<f32>, %c: tile<i1>) {
    %i, %j, %k = get_tile_block_id : tile<i32>
    %at = addi %i, %n : tile<i32>
    %p = offset %x, %at : tile<ptr<bf16>>, tile<i32> -> tile<ptr<bf16>>
    %h = ftof %s : tile<f32> -> tile<bf16>
    if %c {
      %t = store_ptr_tko weak %p, %h : tile<ptr<bf16>>, tile<bf16> -> token
    }
    return
  }
}
"""
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("kernel.mlir").write_text(KERNEL, encoding="utf-8")
    Path("entry.mlir").write_text(ENTRY, encoding="utf-8")

    def run(*words: str) -> tuple[int, str, str]:
        try:
            status = main(list(words))
        except SystemExit as end:
            status = int(str(end.code))
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


PLAIN = ["kernel.mlir", "--arg", "zeros:f32[6]", "--arg", "arange:f32[6]"]
WRITTEN = "argument 0: float32[6]\n[ 0.,  2.,  4.,  6.,  8., 10.]\n"
READ = "argument 1: float32[6]\n[0., 1., 2., 3., 4., 5.]\n"


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        ([], f"block 0\nblock 1\n{WRITTEN}"),
        (["--order", "increasing"], f"block 0\nblock 1\n{WRITTEN}"),
        (["--order", "decreasing"], f"block 1\nblock 0\n{WRITTEN}"),
        (["--checked", "--print", "all"], f"block 0\nblock 1\n{WRITTEN}{READ}"),
        (["--print", "none"], "block 0\nblock 1\n"),
    ],
)
def test_what_is_printed(words: list[str], printed: str, run: Run) -> None:
    assert run(*PLAIN, *words) == (0, printed, "")


def test_random_numbers_are_those_of_their_seed(run: Run) -> None:
    def made(word: str) -> str:
        return run("kernel.mlir", "--arg", word, "--arg", "zeros:f32[6]", "--print", "all")[1].partition("argument 1")[
            2
        ]

    def read(word: str) -> str:
        return run("kernel.mlir", "--arg", "zeros:f32[6]", "--arg", word, "--print", "all")[1].partition("argument 1")[
            2
        ]

    assert read("rand:f32[6]") == read("rand:f32[6]:0") != read("rand:f32[6]:1") != read("rand:f32[6]:2")
    assert made("rand:f32[6]") == read("zeros:f32[6]")


def test_arrays_of_an_entry_may_all_be_written(run: Run) -> None:
    words = ["entry.mlir", "--grid", "2", "--arg", "1", "--arg", "0.5"]
    printed = "argument 0: bfloat16[4]\n[1. , 0.5, 0.5, 1. ]\n"
    assert run(*words[:3], "--arg", "ones:bf16[4]", *words[3:], "--arg", "true") == (0, printed, "")
    assert run(*words[:3], "--arg", "ones:bf16[4]", *words[3:], "--arg", "false")[1].endswith("[1., 1., 1., 1.]\n")


def test_arrays_come_from_files_and_go_into_files(run: Run) -> None:
    """A file of bfloat16 says that its elements are bytes, as many as each has."""
    np.save("x.npy", np.arange(4).astype(ml_dtypes.bfloat16))
    words = ["--grid", "1", "--arg", "x.npy", "--arg", "0", "--arg", "2.5", "--arg", "true"]
    status, printed, _ = run("entry.mlir", *words, "--save", "0=out.npy")
    assert (status, printed) == (0, "argument 0: bfloat16[4]\n[2.5, 1. , 2. , 3. ]\n")
    saved = np.load("out.npy").view(ml_dtypes.bfloat16)
    assert saved.tolist() == [2.5, 1, 2, 3]
    np.save("wide.npy", np.zeros(4, np.dtype("V4")))
    words[3] = "wide.npy"
    assert run("entry.mlir", *words)[0] == 1


def test_a_kernel_that_there_is_not(run: Run) -> None:
    status, _, errors = run(*PLAIN, "--symbol", "thrice")
    assert status == 1
    assert "thrice" in errors
    assert run(*PLAIN, "--symbol", "twice")[0] == 0


def test_arguments_in_brackets_are_a_table(run: Run) -> None:
    words = ["--print", "all", "--arg", "[ones:f32[2], 7, zeros:i32[1]]", "--arg", "zeros:f32[4]"]
    status, _, errors = run("kernel.mlir", *words)
    assert status == 1
    assert "list is no NumPy array" in errors


REFUSED = [
    (["--grid", "0"], "--grid takes one to three positive numbers"),
    (["--grid", "1,1,1,1"], "--grid takes one to three positive numbers"),
    (["--grid", "two"], "--grid takes one to three positive numbers"),
    (["--order", "sideways"], "--order takes increasing, decreasing or a number"),
    (["--order", "-1"], "--order takes increasing, decreasing or a number"),
    (["--blocks", "0"], "--blocks takes a positive number"),
    (["--gpu", "--order", "increasing"], "--order is the interpreter's: leave it out, or leave out --gpu"),
    (["--gpu", "--checked"], "--checked is the interpreter's"),
    (["--gpu", "--adversarial"], "--adversarial is the interpreter's"),
    (["--checked", "--adversarial"], "not allowed with argument"),
    (["--arg", "twelve"], "`twelve` is neither a number nor an array"),
    (["--arg", "twos:f32[4]"], "`twos:f32[4]` is neither a number nor an array"),
    (["--arg", "nowhere.npy"], "No such file or directory"),
    (["--save", "0"], "`0` names no argument and .npy file"),
    (["--save", "2=out.npy"], "`2=out.npy` names no argument and .npy file"),
    (["--save", "x=out.npy"], "`x=out.npy` names no argument and .npy file"),
    (["--save", "0=out.txt"], "`0=out.txt` names no argument and .npy file"),
]


@pytest.mark.parametrize(("words", "said"), REFUSED, ids=[" ".join(words) for words, _ in REFUSED])
def test_what_is_refused(words: list[str], said: str, run: Run) -> None:
    status, printed, errors = run(*PLAIN, *words)
    assert (status, printed) == (2, "")
    assert said in errors


@pytest.mark.parametrize("blocks", ["1", "2"])
def test_what_is_just_taken(blocks: str, run: Run) -> None:
    words = ["--grid", "1,1,1", "--order", "0", "--blocks", blocks, "--print", "written", "--save", "1=out.npy"]
    status, printed, errors = run(*PLAIN, *words)
    assert (status, errors) == (0, "")
    assert printed.endswith(WRITTEN)
    assert np.load("out.npy").tolist() == [0, 1, 2, 3, 4, 5]


def test_what_a_gpu_is_not_asked(run: Run) -> None:
    words = ["--gpu", "--blocks", "1", "--arg", "ones:bf16[4]", "--arg", "1", "--arg", "0.5", "--arg", "true"]
    status, _, errors = run("entry.mlir", *words)
    assert status == 1
    assert "a cuda_tile entry has the grid that it is given" in errors
    assert "--grid instead" in errors
