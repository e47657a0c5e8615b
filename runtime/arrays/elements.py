"""The dtypes of elements that tensors can hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from freehold.runtime.errors.refusing import errors, refuse, reject
from freehold.support import dtypes
from freehold.support.dtypes import DType

if TYPE_CHECKING:
    from freehold.frontend.language.tile import AnyDType
    from freehold.runtime.base.call_site import CallSite


def dtype_of(given: AnyDType) -> DType:
    """A dtype of elements that can be in memory, from what a user names as one. Raises `Rejected` (O256)."""
    found = dtypes.understood(given)
    if found is None or not found.storage_bits:
        named = dtypes.from_name(given) if isinstance(given, str) else None
        meant = named if named is not None and named.storage_bits else dtypes.f32
        refuse(errors.TensorUnfit, "the dtype", f"one that memory can hold, such as `freehold.{meant}`", f"`{given!r}`")
    return found


def unfit(what: str, expected: str, given: str, site: CallSite) -> NoReturn:
    """Raises `Rejected` (O256) for what no tensor can be made of, or copied from."""
    reject(errors.TensorUnfit(site.span, what, expected, given))
