"""Parts of tensors: windows at a position, the groups that offsets bound, and where regions begin and end."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import ParsePropInAttrDict, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import NoMemoryEffect
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.cuda_tile.types import ELEMENT_BITS, element_name
from freehold.dialects.ownership.attrs import LayoutAttr
from freehold.dialects.ownership.duties import Duty, Owed, OwingOp
from freehold.dialects.ownership.format import FormattedOp
from freehold.dialects.ownership.ops.common import INDEX, OwnershipEffect, check_axis
from freehold.dialects.ownership.ops.distribution import RegionAxisOp
from freehold.dialects.ownership.types import PartitionType, TensorType


def window_type(tensor: TensorType, axis: int, length: str) -> TensorType:
    """The type of a window of `length` elements (a term) along `axis`: at least so aligned, wherever it begins."""
    layout = tensor.layout
    width = ELEMENT_BITS[element_name(tensor.element)]
    stride = layout.strides.data[axis].data or layout.stride_divs.data[axis].data
    divs = [1 if n == axis else d.data for n, d in enumerate(layout.extent_divs.data)]
    return TensorType(
        ArrayAttr(StringAttr(length) if n == axis else d for n, d in enumerate(tensor.dims.data)),
        tensor.element,
        LayoutAttr(
            IntAttr(gcd(layout.align.data, max(1, stride * width // 8))),
            layout.strides,
            layout.stride_divs,
            ArrayAttr(map(IntAttr, divs)),
        ),
    )


@irdl_op_definition
class WindowOp(OwingOp, FormattedOp):
    """Elements `start` and on along an axis of a tensor, as many as the result's type says: a tensor of its own.

    `%w = ownership.window %cache[%at] {axis = #builtin.int<0>} : !ownership.tensor<[S, D], f32> -> ...<[T, D], f32>`,
    at the top level of a kernel. `start` is the same in all tile blocks, so all regions of a window are shifted alike.
    Owes that the window lies in the tensor (`in_bounds`), and that it has an element.
    """

    name = "ownership.window"

    tensor = operand_def(TensorType)
    start = operand_def(INDEX)
    axis = prop_def(IntAttr)
    result = result_def(TensorType)

    FORMAT: ClassVar[str] = "$tensor `[` $start `]` attr-dict `:` type($tensor) `->` type($result)"
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(OwnershipEffect())

    def __init__(self, tensor: SSAValue, start: SSAValue, axis: int, length: str):
        assert isinstance(tensor.type, TensorType)
        super().__init__(
            operands=[tensor, start],
            properties={"axis": IntAttr(axis)},
            result_types=[window_type(tensor.type, axis, length)],
        )

    @property
    def owed(self) -> Sequence[Owed]:
        return (Duty.FITS, self.axis.data), (Duty.IN_BOUNDS, self.axis.data)

    def verify_(self) -> None:
        tensor, axis = self.tensor.type, self.axis.data
        assert isinstance(tensor, TensorType)
        check_axis(self.name, axis, tensor.rank)
        if ELEMENT_BITS[element_name(tensor.element)] < 8:
            raise VerifyException(f"{self.name}: an element of {tensor.element} has no address")
        if self.result.type != (wanted := window_type(tensor, axis, self.result.type.dims.data[axis].data)):
            raise VerifyException(f"{self.name}: a window of {tensor} along axis {axis} is {wanted}")


@irdl_op_definition
class GroupTilesOp(FormattedOp):
    """How many regions a group has along the axis of a partition along which there are groups; 0 of an empty one.

    `%n = ownership.group_tiles %p[%e] : !ownership.partition<out tile [64, 64] ragged 0, [M, N], f32>`. Of offsets that
    do not bound groups of the tensor, no group has any. A group that there is not has none either.
    """

    name = "ownership.group_tiles"

    partition = operand_def(PartitionType)
    group = operand_def(INDEX)
    result = result_def(INDEX)

    FORMAT: ClassVar[str] = "$partition `[` $group `]` attr-dict `:` type($partition)"
    traits = traits_def(NoMemoryEffect())

    def __init__(self, partition: SSAValue, group: SSAValue):
        super().__init__(operands=[partition, group], result_types=[INDEX])

    def verify_(self) -> None:
        assert isinstance(self.partition.type, PartitionType)
        if self.partition.type.groups_axis is None:
            raise VerifyException(f"{self.name}: {self.partition.type} has no groups")


@irdl_op_definition
class StartOp(RegionAxisOp):
    """The first element of a region along an axis, counted in its tensor: `%s = ownership.start %r, 0 : ...`."""

    name = "ownership.start"


@irdl_op_definition
class StopOp(RegionAxisOp):
    """The element behind the last one of a region along an axis: what overhangs the tensor, or the group, is no part
    of it. `%s = ownership.stop %r, 0 : ...`"""

    name = "ownership.stop"
