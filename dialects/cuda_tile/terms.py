"""Terms (`support.terms`) as operations: what each operator is in Tile IR, on scalars of 32 bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from xdsl.ir import Operation, SSAValue

from freehold.dialects.cuda_tile.attrs import SIGNED, UNSIGNED, RoundingModeAttr
from freehold.dialects.cuda_tile.ops.arith_int import AddIOp, DivIOp, MaxIOp, MinIOp, MulIOp, RemIOp, SubIOp

Operator = Callable[[SSAValue, SSAValue], Operation]

_RING: Final[dict[str, Operator]] = {"+": AddIOp, "-": SubIOp, "*": MulIOp}

OF_TERMS: Final[dict[str, Operator]] = {
    **_RING,
    "//": partial(DivIOp, signedness=SIGNED, rounding=RoundingModeAttr.of("negative_inf")),
    "ceildiv": partial(DivIOp, signedness=SIGNED, rounding=RoundingModeAttr.of("positive_inf")),
    "min": partial(MinIOp, signedness=SIGNED),
    "max": partial(MaxIOp, signedness=SIGNED),
}
"""Of any numbers."""

OF_COUNTS: Final[dict[str, Operator]] = {
    **_RING,
    "//": partial(DivIOp, signedness=UNSIGNED),
    "%": partial(RemIOp, signedness=UNSIGNED),
    "min": partial(MinIOp, signedness=UNSIGNED),
    "max": partial(MaxIOp, signedness=UNSIGNED),
}
"""Of numbers that are not negative, for which division is cheaper."""
