"""The ownership dialect: who may touch which part of which tensor, written down in types.

docs/ownership.md says what it means and why a verified module has no data race.
"""

from xdsl.ir import Dialect

from freehold.dialects.ownership.attrs import (
    Access,
    AccessAttr,
    BlocksAttr,
    BlocksKind,
    Duty,
    LayoutAttr,
    ObligationAttr,
    OrderAttr,
    OrderKind,
    Rung,
)
from freehold.dialects.ownership.ops import (
    INDEX,
    OPS,
    BorrowOp,
    CoordinateOp,
    DimOp,
    DistributeOp,
    EndOp,
    KernelOp,
    LoadOp,
    PartitionOp,
    RegionOp,
    ReleaseOp,
    ReturnOp,
    StoreOp,
    TilesOp,
    tensor_type,
)
from freehold.dialects.ownership.types import PartitionType, RefType, RegionType, TensorType

__all__ = [
    "INDEX",
    "Access",
    "AccessAttr",
    "BlocksAttr",
    "BlocksKind",
    "BorrowOp",
    "CoordinateOp",
    "DimOp",
    "DistributeOp",
    "Duty",
    "EndOp",
    "KernelOp",
    "LayoutAttr",
    "LoadOp",
    "ObligationAttr",
    "OrderAttr",
    "OrderKind",
    "Ownership",
    "PartitionOp",
    "PartitionType",
    "RefType",
    "RegionOp",
    "RegionType",
    "ReleaseOp",
    "ReturnOp",
    "Rung",
    "StoreOp",
    "TensorType",
    "TilesOp",
    "tensor_type",
]

Ownership = Dialect(
    "ownership",
    [*OPS],
    [
        AccessAttr,
        BlocksAttr,
        LayoutAttr,
        ObligationAttr,
        OrderAttr,
        PartitionType,
        RefType,
        RegionType,
        TensorType,
    ],
)
