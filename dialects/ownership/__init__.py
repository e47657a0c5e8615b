"""The ownership dialect: who may touch which part of which tensor, written down in types.

docs/ownership.md says what it means and why a verified module has no data race.
"""

from xdsl.ir import Dialect

from freehold.dialects.ownership import ops
from freehold.dialects.ownership.attrs import (
    Access,
    AccessAttr,
    BlocksAttr,
    BlocksKind,
    LayoutAttr,
    OrderAttr,
    OrderKind,
    Update,
    UpdateAttr,
)
from freehold.dialects.ownership.duties import Duty, DutyAttr, OwingOp, Rung, TermAttr, duties_of
from freehold.dialects.ownership.interface import AccessOp, Action, Indexing
from freehold.dialects.ownership.ops import *  # noqa: F403 -- the list of operations is theirs
from freehold.dialects.ownership.symbols import RESERVED, extent_symbols, scalar_symbols
from freehold.dialects.ownership.types import AccType, PartitionType, RawType, RefType, RegionType, TensorType

__all__ = [
    "RESERVED",
    "AccType",
    "Access",
    "AccessAttr",
    "AccessOp",
    "Action",
    "BlocksAttr",
    "BlocksKind",
    "Duty",
    "DutyAttr",
    "Indexing",
    "LayoutAttr",
    "OrderAttr",
    "OrderKind",
    "OwingOp",
    "Ownership",
    "PartitionType",
    "RawType",
    "RefType",
    "RegionType",
    "Rung",
    "TensorType",
    "TermAttr",
    "Update",
    "UpdateAttr",
    "duties_of",
    "extent_symbols",
    "scalar_symbols",
]
__all__ += ops.__all__

Ownership = Dialect(
    "ownership",
    [*ops.OPS],
    [
        AccType,
        AccessAttr,
        BlocksAttr,
        DutyAttr,
        LayoutAttr,
        OrderAttr,
        PartitionType,
        RawType,
        RefType,
        RegionType,
        TensorType,
        TermAttr,
        UpdateAttr,
    ],
)
