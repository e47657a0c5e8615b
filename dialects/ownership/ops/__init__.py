"""Operations of the ownership dialect.

A kernel is one `ownership.kernel`. Its arguments are tensors, which the launch holds, and scalars. `borrow` and
`partition` say what becomes of a tensor; `distribute` hands the points of a partition's index space to tile blocks;
`region` names the part of a partition that a point owns. Everything else is arithmetic on tiles, for which the
dialect uses `cuda_tile`'s own operations.

The operations accept more than the discipline allows (a `store` takes a shared borrow, `region` any coordinates), so
that `verify-borrows` and `verify-partitions` can say what is wrong in the user's words.
"""

from xdsl.irdl import IRDLOperation

from freehold.dialects.ownership.ops.access import LoadOp, StoreOp
from freehold.dialects.ownership.ops.accumulate import ATOMIC, AccumulateAtOp, AccumulateOp, AccumulatorOp
from freehold.dialects.ownership.ops.breakpoint import BreakpointOp, Scope
from freehold.dialects.ownership.ops.check import SHOWN, CheckOp
from freehold.dialects.ownership.ops.common import INDEX, tensor_type
from freehold.dialects.ownership.ops.distribution import (
    BorrowOp,
    CoordinateOp,
    DistributeOp,
    EndOp,
    PartitionOp,
    RegionOp,
    ReleaseOp,
)
from freehold.dialects.ownership.ops.extents import DimOp, TilesOp
from freehold.dialects.ownership.ops.gather import GatherOp, LoadFromOp
from freehold.dialects.ownership.ops.kernel import KernelOp, ReturnOp, kernels_of
from freehold.dialects.ownership.ops.require import RequireOp
from freehold.dialects.ownership.ops.unsafe import (
    ExposeOp,
    UnsafeLoadOp,
    UnsafeOp,
    UnsafeStoreOp,
    UnsafeSwapOp,
    UnsafeUpdateOp,
)
from freehold.dialects.ownership.ops.window import GroupTilesOp, StartOp, StopOp, WindowOp, window_type

__all__ = [
    "ATOMIC",
    "INDEX",
    "SHOWN",
    "AccumulateAtOp",
    "AccumulateOp",
    "AccumulatorOp",
    "BorrowOp",
    "BreakpointOp",
    "CheckOp",
    "CoordinateOp",
    "DimOp",
    "DistributeOp",
    "EndOp",
    "ExposeOp",
    "GatherOp",
    "GroupTilesOp",
    "KernelOp",
    "LoadFromOp",
    "LoadOp",
    "PartitionOp",
    "RegionOp",
    "ReleaseOp",
    "RequireOp",
    "ReturnOp",
    "Scope",
    "StartOp",
    "StopOp",
    "StoreOp",
    "TilesOp",
    "UnsafeLoadOp",
    "UnsafeOp",
    "UnsafeStoreOp",
    "UnsafeSwapOp",
    "UnsafeUpdateOp",
    "WindowOp",
    "kernels_of",
    "tensor_type",
    "window_type",
]

OPS: tuple[type[IRDLOperation], ...] = tuple(
    found
    for found in map(globals().__getitem__, __all__)
    if isinstance(found, type) and issubclass(found, IRDLOperation) and "name" in vars(found)
)
"""Every operation of the dialect."""
