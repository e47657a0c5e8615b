"""
`move-by-threads`: tiles are loaded and stored by threads, and not by the tensor memory accelerator.

A hint, `allow_tma = false`, on each `load_view_tko` and `store_view_tko` that says nothing of it for the architecture
(`arch`, or `default` for all). With `stores`, on stores alone; in Python, on those of `some`. Results stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import BoolAttr, DictionaryAttr, ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from freehold.dialects.cuda_tile.attrs import OptimizationHintsAttr
from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp, StoreViewTkoOp
from freehold.passes.rewriting import walk

_HINT = "allow_tma"


@dataclass(frozen=True)
class MoveByThreadsPass(ModulePass):
    """Takes the tensor memory accelerator away from loads and stores of tiles."""

    name = "move-by-threads"
    arch: str = "default"
    stores: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Hints everywhere in the module."""
        move_by_threads(op, self.arch, stores=self.stores)


def move_by_threads(
    root: Operation, arch: str = "default", *, stores: bool = False, some: Iterable[Operation] | None = None
) -> int:
    """Hints loads and stores inside `root`, in place, or `stores` alone, or `some` of them; returns how many."""
    hinted = 0
    for op in walk(root) if some is None else some:
        if isinstance(op, StoreViewTkoOp) or (isinstance(op, LoadViewTkoOp) and not stores):
            by_arch = {} if op.optimization_hints is None else dict(op.optimization_hints.hints.data)
            own = dict(cast("DictionaryAttr", by_arch.get(arch, DictionaryAttr({}))).data)
            default = cast("DictionaryAttr", by_arch.get("default", DictionaryAttr({}))).data
            if _HINT in own or _HINT in default:
                continue
            own[_HINT] = BoolAttr.from_bool(False)
            by_arch[arch] = DictionaryAttr(own)
            op.optimization_hints = OptimizationHintsAttr(by_arch)
            hinted += 1
    return hinted
