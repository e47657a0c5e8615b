"""Arrays of other libraries as tensors over the same memory."""

from __future__ import annotations

from typing import Any

from freehold.runtime.arrays import dlpack
from freehold.runtime.arrays.copying import overwritten
from freehold.runtime.arrays.dlpack import adopted, read_array, refuse
from freehold.runtime.arrays.tensor import Tensor
from freehold.runtime.base.call_site import caller
from freehold.runtime.operations.operation import Operation
from freehold.support.dtypes import DType, from_name


def from_dlpack(array: Any) -> Tensor:
    """
    An array of another library as a tensor over the same memory: of NumPy, torch, CuPy or JAX, or whatever has
    `__dlpack__` or `__cuda_array_interface__`.

    The array is kept for as long as the tensor or work on it lives. Its library's current stream is waited for now, and
    not again: what is written through the array later is the writer's to order. Raises `Rejected` (O257) where it is no
    such array, or may not be written.
    """
    if isinstance(array, Tensor):
        return array
    found = read_array(array)
    if found.read_only is not None:
        refuse(array, f"{found.read_only[0]}; `freehold.from_numpy` copies it")
    return adopted(Tensor, found)


def adopted_any(array: Any) -> Tensor:
    """As `from_dlpack`, also for an array that may not be written, to be read only."""
    return dlpack.adopted_any(Tensor, array)


def copy(target: Any, source: Any) -> Operation[Any]:
    """
    An operation that overwrites `target` with `source`, each a tensor or an array of another library, of one shape.

    Elements of another dtype are converted. The value is `target`. Raises `Rejected` (O256, O257).
    """
    made = overwritten(from_dlpack(target), source, caller())
    return made if isinstance(target, Tensor) else made.map(lambda _: target)


def dtype_in(array: Any) -> DType:
    """The dtype of a NumPy array's elements. Raises `Rejected` (O257) where there is none."""
    found = from_name(array.dtype.name)
    if found is None or not array.dtype.isnative:
        refuse(array, f"its elements are of type {array.dtype}, which kernels do not have")
    return found
