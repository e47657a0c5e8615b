"""The command line tools over a few modules: the status, what is printed and what is said, for each option."""

from __future__ import annotations

import io
import json
import re
import shlex
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Final

import numpy as np
import pytest

ENTRY: Final = """\
cuda_tile.module @m {
  cuda_tile.entry @k(%x: tile<ptr<i32>>, %n: tile<i32>) {
    %i, %j, %l = cuda_tile.get_tile_block_id : tile<i32>
    %a = cuda_tile.addi %n, %i : tile<i32>
    %b = cuda_tile.addi %n, %i : tile<i32>
    %c = cuda_tile.muli %a, %b : tile<i32>
    %at = cuda_tile.offset %x, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t = cuda_tile.store_ptr_tko weak %at, %c : tile<ptr<i32>>, tile<i32> -> token
    %u = cuda_tile.print_tko "%d;", %c token=%t : tile<i32> -> token
    cuda_tile.return
  }
}
"""
FILES: Final = {
    "m.mlir": ENTRY,
    "other.mlir": ENTRY.replace("muli %a, %b", "subi %b, %a").replace("%c", "%d"),
    "two.mlir": f"{ENTRY.replace('@k', '@first')}// -----\nnonsense\n// -----\n{ENTRY}",
    "same.mlir": f"{ENTRY}// -----\n{ENTRY.replace('%a', '%z')}",
    "several.mlir": ENTRY.replace("cuda_tile.module @m {", "cuda_tile.module @m {\n  cuda_tile.entry @e() {\n  }", 1),
    "plain.mlir": "%v = cuda_tile.make_token : token\n",
    "foo.mlir": '"foo.bar"() : () -> ()\n',
    "hinted.mlir": ENTRY.replace("{\n    %i", "optimization_hints=<sm_90 = {num_cta_in_cga = 2}> {\n    %i", 1),
    "unverified.mlir": ENTRY.replace("muli %a, %b : tile<i32>", "muli %a, %b : tile<i64>"),
    "wrong.mlir": ENTRY.replace("muli %a", "muli %nobody"),
    "bad.mlir": ENTRY.replace(
        "cuda_tile.muli %a, %b : tile<i32>",
        '"cuda_tile.muli"(%a) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>',
    ),
    "expected.mlir": "// expected-error @below {{not registered}}\nnope.op\n",
    "no.txt": "",
    # ruff: noqa: E501 -- text of programs
    "own.mlir": """\
ownership.kernel @twice(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>) {
  %rx = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [4], [N], f32>
  ownership.distribute %p blocks #ownership.blocks<persistent 2> : !ownership.partition<out tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [4], [N], f32> -> !ownership.region<out tile [4], [N], f32>
    %t = ownership.load %rx[%i] : !ownership.ref<[N], f32> -> !cuda_tile.tile<4xf32>
    %s = cuda_tile.addf %t, %t : tile<4xf32>
    ownership.store %s, %r : !cuda_tile.tile<4xf32>, !ownership.region<out tile [4], [N], f32>
  }
}
""",
    "facts.json": json.dumps({"grid": 2, "arguments": [{"dtype": "i32", "shape": [4]}, {"value": 3}]}),
    "facts.toml": 'grid = [2]\n[[arguments]]\nname = "x"\ndtype = "i32"\nshape = [1]\n[[arguments]]\nvalue = 3\n',
}  # fmt: skip
FOLDER: Final = Path(__file__).with_name("lines")
LINES: Final = (FOLDER / "commands.txt").read_text(encoding="utf-8").splitlines()
TOOLS: Final = ("opt", "translate", "run", "diff", "graph", "audit")


def plain(text: str) -> str:
    """Without what differs from run to run: addresses, and the usage that a mistake of the command line shows."""
    text = re.sub(r"usage: .*?\n(?=tile-\w+: error)", "", text, flags=re.DOTALL)
    return re.sub(r"0x[0-9a-f]{6,}", "0x..", text)


@pytest.mark.parametrize("tool", TOOLS)
def test_command_lines(
    tool: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    golden: Callable[[Path, str], None],
) -> None:
    main: Callable[[list[str]], int] = import_module(f"freehold.tools.tile_{tool}").main
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    np.save("saved.npy", np.zeros(1, np.int32))
    lines: list[str] = []
    for line in [line for line in LINES if line.startswith(f"tile-{tool} ")]:
        words, _, name = line.partition(" < ")
        given = Path(name).read_bytes() if name else b""
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
        try:
            status: object = main(shlex.split(words)[1:])
        except SystemExit as end:
            status = end.code
        said = capsys.readouterr()
        lines += [f"== {status}: {line}", plain(said.out).rstrip()]
        lines += ["-- on standard error", plain(said.err).rstrip()] if said.err else []
    golden(FOLDER / f"tile_{tool}.txt", "\n".join(line for line in lines if line))
