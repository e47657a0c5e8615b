"""Many kernels assembled at once: starting the assembler takes ten times as long as what it does with one of them."""

from __future__ import annotations

from collections.abc import Mapping

from answers import assembles
from xdsl.dialects.builtin import ModuleOp, StringAttr

from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.ops.module import EntryOp, TileModuleOp
from freehold.support.diagnostic import Rejected

TOGETHER = 32
"""Kernels of one module."""


def refusals(modules: Mapping[str, ModuleOp], arch: str) -> dict[str, str]:
    """What the assembler says against lowered modules, by their names; empty where it takes them all."""
    names, wrong = list(modules), dict[str, str]()
    groups = [names[n : n + TOGETHER] for n in range(0, len(names), TOGETHER)]
    while groups:
        group = groups.pop()
        try:
            code = write_bytecode(_one([modules[name] for name in group]))
            assert assembles(code, arch, kernels=[f"kernel_{n}" for n in range(len(group))])
        except Rejected as e:
            half = len(group) // 2
            if half:
                groups += [group[:half], group[half:]]
            else:
                wrong[group[0]] = f"{arch}: {e}"
    return wrong


def _one(modules: list[ModuleOp]) -> ModuleOp:
    """One module with the kernels of several, by number."""
    entries: list[EntryOp] = []
    for n, module in enumerate(modules):
        [of_tiles] = module.body.block.ops
        assert isinstance(of_tiles, TileModuleOp)
        [entry] = of_tiles.block.ops
        assert isinstance(entry, EntryOp)
        copy = entry.clone()
        copy.properties["sym_name"] = StringAttr(f"kernel_{n}")
        entries.append(copy)
    return ModuleOp([TileModuleOp("together", entries)])
