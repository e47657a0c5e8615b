"""What we print is read by NVIDIA's own `cuda-tile-opt`, and what it prints by us; skipped where it is not named."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.op import TileOp
from freehold.dialects.cuda_tile.text import text_of
from freehold.dialects.cuda_tile.version import V13_3
from freehold.support.diagnostic import Rejected
from freehold.tools import mlir_bridge
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module
from freehold.tools.processing import verify

FOLDER = Path(__file__).parents[1] / "lit" / "dialects" / "cuda_tile"


@pytest.fixture
def theirs() -> mlir_bridge.Upstream:
    found = mlir_bridge.find() if os.environ.get("FREEHOLD_MLIR_OPT") else None
    if found is None or not found.knows_tile_ir:
        pytest.skip("FREEHOLD_MLIR_OPT names no `cuda-tile-opt` (docs/mlir.md)")
    return found


def modules(path: Path) -> list[ModuleOp]:
    """The modules of a file that we accept and that 13.3 has everything of: the newest that is published as source."""
    found: list[ModuleOp] = []
    for text in re.split(r"^// -----.*$", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
        try:
            module = parse_module(make_context(), text, path.name)
            verify(module)
            if all(isinstance(op, TileOp | ModuleOp) for op in module.walk()):
                write_bytecode(module, V13_3)
                found.append(module)
        except Rejected:
            continue
    return found


def nameless(module: ModuleOp, locations: bool) -> str:
    """The module as text, without the names of its values, which no MLIR keeps."""
    for op in module.walk():
        for value in (*op.results, *(each for region in op.regions for block in region.blocks for each in block.args)):
            value.name_hint = None
    return text_of(module, locations=locations)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.mlir")), ids=lambda path: path.stem)
def test_nvidia_s_tool_reads_what_we_print(theirs: mlir_bridge.Upstream, path: Path) -> None:
    for module in modules(path):
        generic = mlir_bridge.to_mlir(module, knows_tile_ir=True)
        custom = text_of(module, locations=True, version=V13_3)
        # Their parser gives a terminator that is left out the place where it would stand.
        for text, locations in ((generic, True), (custom, False)):
            again = mlir_bridge.from_mlir(make_context(), theirs.run(text, ""))
            verify(again)
            assert nameless(again, locations) == nameless(module, locations)


def test_nvidia_s_passes_run_between_ours(theirs: mlir_bridge.Upstream) -> None:
    text = """
    cuda_tile.module @m {
      entry @k(%p: tile<ptr<f32>>, %a: tile<f32>, %b: tile<f32>) {
        %product = mulf %a, %b : tile<f32>
        %sum = addf %product, %b : tile<f32>
        %t = store_ptr_tko weak %p, %sum : tile<ptr<f32>>, tile<f32> -> token
      }
    }
    """
    context = make_context()
    before = parse_module(context, text, "k.mlir")
    module = mlir_bridge.run(context, before, "cuda_tile.module(cuda_tile.entry(fuse-fma))", theirs)
    verify(module)
    printed = text_of(module)
    assert "cuda_tile.fma" in printed
    assert "cuda_tile.mulf" not in printed
