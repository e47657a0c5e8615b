"""What arrays hold: read to be compared, and given back to those that a kernel reads and writes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from freehold.runtime.arrays.copying import read, write
from freehold.runtime.arrays.tensor import Tensor

TOLERANCES: Final[Mapping[str, float]] = {"f64": 2.0**-40, "f32": 2.0**-14, "f16": 2.0**-6, "bf16": 2.0**-5}
"""How far floats may differ, by the norm; 8-bit floats by 1/8. Sums are made in different orders."""


_PIECE: Final = 1 << 16
"""Elements that are compared at once: so many stay in a processor's cache."""


def difference(first: Any, second: Any, tolerance: float | None = None) -> tuple[float, float]:
    """
    How far two NumPy arrays are apart, and how far they may be: integers and bools not at all, floats by `tolerance`.

    Floats are compared by the norm of their difference over the first one's; NaNs and infinities stand at equal places.
    """
    import numpy as np

    from freehold.runtime.memory.arguments import view

    dtype = view(first).dtype
    if not dtype.is_float:
        return (0.0 if np.array_equal(first, second) else math.inf), 0.0
    limit = TOLERANCES.get(dtype.name, 0.125) if tolerance is None else tolerance
    one, other = (np.ascontiguousarray(x).reshape(-1) for x in (first, second))
    if np.array_equal(one.view(np.uint8), other.view(np.uint8)):  # most often, and a hundred times as fast
        return 0.0, limit
    apart = size = 0.0
    for start in range(0, one.size, _PIECE):
        a, b = (x[start : start + _PIECE].astype(np.float64) for x in (one, other))
        finite = np.isfinite(a)
        if not finite.all():
            if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
                return math.inf, limit
            a, b = a[finite], b[finite]
        if not np.isfinite(b).all():
            return math.inf, limit
        apart += float(np.square(a - b).sum())
        size += float(np.square(a).sum())
    return math.sqrt(apart) / (math.sqrt(size) or 1.0), limit


class Contents:
    """What tensors hold that a kernel reads and writes, by its parameters, so that it can be given back to them."""

    def __init__(self) -> None:
        self._before: dict[str, Any] = {}
        self._tensors: list[tuple[str, Tensor]] = []

    def keep(self, name: str, tensor: Tensor) -> None:
        """Notes a tensor; what the first of a name holds is what all of them are to hold."""
        if name not in self._before:
            self._before[name] = read(tensor, None)
        self._tensors.append((name, tensor))

    def give_back(self) -> None:
        """Writes it."""
        for name, tensor in self._tensors:
            write(tensor, self._before[name], None)


def tensor_of(array: Any) -> Tensor:
    """An array of any library as a tensor over its memory."""
    from freehold.runtime.arrays.adoption import adopted_any

    return array if isinstance(array, Tensor) else adopted_any(array)
