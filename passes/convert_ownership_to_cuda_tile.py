"""`convert-ownership-to-cuda-tile`: a verified kernel becomes an entry point in Tile IR.

Ownership is gone afterwards: a tensor is a pointer with extents and strides, a region is a tile of a view, a
distribution is arithmetic on the tile block's number. What the launch contract guarantees is told to the assembler by
`assume`, for it decides about tensor memory accesses by divisibility.

No integer arithmetic emitted here can wrap. Extents lie in [1, 2^31 - 1]; `ceildiv(x, d)` is `(x - 1) / d + 1`;
products of grid extents divide the number of points, which the launcher keeps below 2^31; `schedules.point` is asked
for the form whose intermediate values stay below that number; and the counter of a persistent loop is below the number
of points (at most 2^31 - 2^25) when the number of blocks (at most 2^24 - 1) is added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from freehold.dialects.classes import drop_arguments, erase, insert_before
from freehold.dialects.cuda_tile.ops.module import EntryOp, TileModuleOp
from freehold.dialects.ownership import KernelOp, kernels_of
from freehold.passes.patterns import checks, distribution, elements, groups, tiles
from freehold.passes.patterns.context import Conversion, Patterns
from freehold.passes.rewriting import Dispatcher
from freehold.passes.verify_duties import Record, require_discharged
from freehold.support.contract import Checks, EntryParameter


@dataclass(frozen=True)
class ConvertOwnershipToCudaTilePass(ModulePass):
    """Turns verified ownership kernels into Tile IR entry points."""

    name = "convert-ownership-to-cuda-tile"

    checks: bool = True
    """Whether obligations met in the kernel become checks. Without them it is the unchecked build."""
    traps: bool = False
    """Whether checks are assertions, which stop the GPU, instead of `ownership.check`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replaces the kernels of each module by one `cuda_tile.module` there."""
        modules: dict[Block, TileModuleOp] = {}
        for kernel in kernels_of(op):
            block = kernel.parent
            assert block is not None
            if (module := modules.get(block)) is None:
                module = modules[block] = TileModuleOp(kernel.sym_name.data)
                module.location = kernel.location
                insert_before(module, kernel)
            entry = convert_kernel(kernel, checks="trap" if self.checks and self.traps else self.checks)
            erase(kernel)
            module.block.add_op(entry)


def convert_kernel(
    kernel: KernelOp,
    *,
    checks: Checks = True,
    record: Record | None = None,
    parameters: Sequence[EntryParameter] | None = None,
) -> EntryOp:
    """The entry point that does what `kernel` does; the kernel's body is consumed. `lower-checks` has to come.

    `record` says how its duties are met, where somebody has seen to it that none is open, and `parameters` are its
    `entry_parameters`, where they have been found.

    Raises `PassFailedException` for a kernel of which a duty is open.
    """
    c = Conversion(kernel, require_discharged(kernel) if record is None else record, checks, parameters)
    dispatcher = Dispatcher({kind: partial(pattern, c) for kind, pattern in PATTERNS.items()})
    c.visit = dispatcher.visit
    old = len(c.body.args)
    types = c.declare()
    dispatcher.run(c.body)
    drop_arguments(c.body, old)
    entry = EntryOp(kernel.sym_name.data, types, kernel.detach_region(0), kernel.optimization_hints)
    entry.location = kernel.location
    entry.attributes.update(kernel.attributes)
    return entry


PATTERNS: Final[Patterns] = {
    **distribution.PATTERNS,
    **tiles.PATTERNS,
    **groups.PATTERNS,
    **elements.PATTERNS,
    **checks.PATTERNS,
}
"""What each operation becomes. Of those that are Tile IR already nothing is changed."""
