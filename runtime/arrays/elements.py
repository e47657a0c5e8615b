"""The dtypes of elements that tensors can hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freehold.runtime.base.call_site import caller
from freehold.support import dtypes
from freehold.support.dtypes import DType

if TYPE_CHECKING:
    from freehold.frontend.language.tile import AnyDType


def dtype_of(given: AnyDType) -> DType:
    """A dtype of elements that can be in memory, from what a user names as one. Raises `Rejected` (O256)."""
    found = dtypes.understood(given)
    if found is not None and found.storage_bits:
        return found
    from freehold.runtime.errors import TensorUnfit
    from freehold.support.diagnostic import Rejected

    raise Rejected(
        [TensorUnfit(caller().span, "the dtype", "one that memory can hold, such as `freehold.f32`", f"`{given!r}`")]
    )
