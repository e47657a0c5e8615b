"""Arrays to run a kernel on, made from a few words."""

from __future__ import annotations

import numpy as np

from freehold.runtime.interpreter.arguments import element_of_dtype
from freehold.runtime.interpreter.elements import Array
from freehold.runtime.memory.numpy_types import numpy_dtype
from freehold.support.dtypes import BY_NAME

_ALIGNMENT = 256
"""Of every array that is made here, as GPU memory has it: layouts in a module may count on some."""


def aligned(found: Array) -> Array:
    """A copy of an array at an address that is a multiple of 256."""
    raw = np.empty(found.nbytes + _ALIGNMENT, np.uint8)
    skip = -raw.ctypes.data % _ALIGNMENT
    place = raw[skip : skip + found.nbytes].view(found.dtype).reshape(found.shape)
    place[...] = found
    return place


def filled(kind: str, element: str, shape: tuple[int, ...], seed: int = 0) -> Array | None:
    """An array of `zeros`, `ones`, `arange` or `rand`; None where there is no such element.

    `element` is the name of a dtype (`f32`, `u8`, `bool_`) or of an element type (`f8E4M3FN`, `i1`). `rand` is uniform
    over [0, 1) for floats, over 0 to 99 for integers, and the same for the same seed.
    """
    try:
        e = element_of_dtype(element)
    except KeyError:
        return None
    if e.is_pointer or e.name in ("i4", "fnv8E5M3FNU"):
        return None
    rng = np.random.default_rng(seed)
    match kind:
        case "zeros":
            values = np.zeros(shape)
        case "ones":
            values = np.ones(shape)
        case "arange":
            values = np.arange(int(np.prod(shape, dtype=np.int64)), dtype=np.float64).reshape(shape)
        case _:
            values = rng.random(shape) if e.is_float else rng.integers(0, 2 if e.bits == 1 else 100, shape)
    dtype = BY_NAME.get(element)
    with np.errstate(all="ignore"):
        found = np.asarray(values).astype(e.dtype)
    if dtype is not None and dtype.kind == "int":
        found = found.view(numpy_dtype(element))
    return aligned(found)
