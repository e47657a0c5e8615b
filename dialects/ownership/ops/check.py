"""What a kernel checks while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, UnitAttr, i32
from xdsl.ir import SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.cuda_tile import TileType
from freehold.dialects.cuda_tile.constraints import SCALAR_BOOL
from freehold.dialects.cuda_tile.types import element_name
from freehold.dialects.ownership.format import FormattedOp
from freehold.dialects.ownership.ops.common import OwnershipEffect
from freehold.support.contract import MOST_VALUES

SHOWN: Final = frozenset(("bool_", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bf16", "f16", "f32", "f64"))
"""The dtypes of values that a check can show."""


@irdl_op_definition
class CheckOp(FormattedOp):
    """Ends the tile block where the condition is false, and fails the launch.

    `ownership.check %ok, "too far" values %k : tile<i1> (tile<i32>) {names = ["k"], dtypes = ["i32"]}`

    The launch's error shows `message`, and the values by their names and dtypes. Accesses before it in program order
    may have happened, those behind it do not. A `deferrable` one may end the block later, behind the `for` loops around
    it: reads that depend on its condition are made harmless where it is false. `number` is that of the kernel's checks
    (`LaunchContract.kernel_checks`), once the kernel is lowered.
    """

    name = "ownership.check"

    message = prop_def(StringAttr)
    names = opt_prop_def(ArrayAttr[StringAttr])
    dtypes = opt_prop_def(ArrayAttr[StringAttr])
    number = opt_prop_def(IntegerAttr.constr(i32))
    deferrable = opt_prop_def(UnitAttr)
    condition = operand_def(SCALAR_BOOL)
    values = var_operand_def(TileType)

    FORMAT: ClassVar[str] = (
        "$condition `,` $message (`values` $values^)? `:` type($condition) (`(` type($values)^ `)`)? attr-dict"
    )
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(OwnershipEffect())

    def __init__(
        self,
        condition: SSAValue,
        message: str,
        values: Sequence[SSAValue] = (),
        names: Sequence[str] = (),
        dtypes: Sequence[str] = (),
        number: int | None = None,
        *,
        deferrable: bool = False,
    ):
        properties = {
            "message": StringAttr(message),
            "names": ArrayAttr(map(StringAttr, names)) if names else None,
            "dtypes": ArrayAttr(map(StringAttr, dtypes)) if names else None,
            "number": None if number is None else IntegerAttr(number, i32),
            "deferrable": UnitAttr() if deferrable else None,
        }
        super().__init__(operands=[condition, values], properties=properties)

    @property
    def shown(self) -> tuple[tuple[str, str], ...]:
        """The names and dtypes of the values."""
        if self.names is None or self.dtypes is None:
            return ()
        return tuple((n.data, d.data) for n, d in zip(self.names, self.dtypes, strict=True))

    def verify_(self) -> None:
        counts = {len(self.values), len(self.names or ()), len(self.dtypes or ())}
        if len(counts) != 1:
            raise VerifyException(f"{self.name}: each value has a name and a dtype")
        if len(self.values) > MOST_VALUES:
            raise VerifyException(f"{self.name}: at most {MOST_VALUES} values are shown, not {len(self.values)}")
        for value, (_, dtype) in zip(self.values, self.shown, strict=True):
            assert isinstance(value.type, TileType)
            element = "i1" if dtype == "bool_" else dtype.replace("u", "i")
            if dtype not in SHOWN or value.type.dims or element_name(value.type.element_type) != element:
                raise VerifyException(f"{self.name}: {value.type} is no scalar of {dtype}")
        if self.deferrable is not None and [dtype for _, dtype in self.shown] != ["i32", "i32"]:
            raise VerifyException(f"{self.name}: what may be deferred shows two values of i32")
