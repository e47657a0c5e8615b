"""Arrays that tools make by a word: `zeros`, `ones`, `arange`, `rand`, of every element."""

from __future__ import annotations

import numpy as np
import pytest

from freehold.runtime.interpreter.values import aligned, filled
from freehold.runtime.memory.numpy_types import numpy_dtype
from freehold.support import dtypes

IN_MEMORY = [d.name for d in dtypes.ALL if d.storage_bits]
NAMED = {"i1": "bool_", "f8E4M3FN": "f8e4m3fn", "f8E5M2": "f8e5m2", "f8E8M0FNU": "f8e8m0fnu"}
"""Elements as the IR calls them, with the dtype that they are."""


@pytest.mark.parametrize("element", [*IN_MEMORY, *NAMED])
def test_every_element_has_its_arrays(element: str) -> None:
    dtype = numpy_dtype(NAMED.get(element, element))
    wanted = np.arange(6).reshape(2, 3).astype(np.float32)
    with np.errstate(all="ignore"):  # an exponent alone has no zero
        for kind, values in (("zeros", wanted * 0), ("ones", wanted * 0 + 1), ("arange", wanted)):
            found = filled(kind, element, (2, 3))
            assert found is not None
            assert found.dtype == dtype
            assert found.tobytes() == values.astype(dtype).tobytes()
    found, same, other = (filled("rand", element, (50, 20), seed) for seed in (3, 3, 4))
    assert found is not None
    assert same is not None
    assert other is not None
    assert found.tobytes() == same.tobytes() != other.tobytes()
    numbers = found.astype(np.float64)
    kind = next(d.kind for d in dtypes.ALL if d.name == NAMED.get(element, element))
    low, high = {"bool": (0, 1), "int": (0, 99)}.get(kind, (0.0, 1.0))
    assert (numbers.min() >= low, numbers.max() <= high) == (True, True)
    assert numbers.max() - numbers.min() > 0.9 * (high - low)
    if kind == "int":
        assert {*numbers.ravel().tolist()} == {*range(100)}
    assert abs(numbers.mean() - (low + high) / 2) < 0.05 * (high - low)  # a truth value is true as often as not


@pytest.mark.parametrize("element", ["ptr", "i4", "fnv8E5M3FNU", "none", ""])
def test_what_no_array_holds(element: str) -> None:
    assert [filled(kind, element, (2,)) for kind in ("zeros", "rand")] == [None, None]


@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5)])
def test_arrays_begin_where_those_of_gpus_do(shape: tuple[int, ...]) -> None:
    for dtype in (np.uint8, np.float64):
        array = np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)
        found = aligned(array)
        assert found.ctypes.data % 256 == 0
        assert np.array_equal(found, array)
        assert (found.dtype, found.shape) == (array.dtype, shape)
        assert not np.shares_memory(found, array)
