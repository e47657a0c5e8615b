"""Views of tensors against NumPy's, whatever is indexed, reshaped, permuted and reinterpreted."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import freehold as fh

SHAPES = st.lists(st.integers(0, 5), max_size=4).map(tuple)


def both(shape: tuple[int, ...], dtype: Any = np.int32) -> tuple[fh.Tensor, Any]:
    """A tensor and an array with the same elements, all different."""
    array: Any = np.arange(prod(shape), dtype=dtype).reshape(shape)
    return fh.from_numpy(array, device=fh.HOST).sync(), array


@st.composite
def views(draw: st.DrawFn) -> tuple[fh.Tensor, Any]:
    """A tensor and an array, both permuted and sliced alike."""
    tensor, array = both(draw(SHAPES))
    axes = draw(st.permutations(range(tensor.ndim)))
    key = tuple(draw(st.slices(extent)) for extent in array.transpose(axes).shape)
    return tensor.permute(*axes)[key], array.transpose(axes)[(*key, ...)]


@st.composite
def indices(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Anything that selects a view."""
    key: list[Any] = []
    for extent in shape[: draw(st.integers(0, len(shape)))]:
        one = st.integers(-extent, extent - 1) if extent else st.nothing()
        key += draw(st.lists(st.none(), max_size=1))
        key.append(draw(st.slices(extent) | one))
    if draw(st.booleans()):
        key.insert(draw(st.integers(0, len(key))), Ellipsis)
    return tuple(key)


@given(st.data())
def test_indexing(data: st.DataObject) -> None:
    tensor, array = data.draw(views())
    key = data.draw(indices(array.shape))
    if Ellipsis in [k for k in key if not isinstance(k, slice)]:
        behind = [k for k in key[key.index(Ellipsis) + 1 :] if k is not None]
        lengths = array.shape[len(array.shape) - len(behind) :] if behind else ()
        if any(isinstance(k, int) and not -n <= k < n for k, n in zip(behind, lengths, strict=True)):
            with pytest.raises(fh.Rejected):
                tensor[key]
            return
    found, expected = tensor[key], array[key]
    assert found.shape == expected.shape
    assert np.array_equal(found.numpy(), expected)
    assert found.storage is tensor.storage


@given(views(), SHAPES, st.booleans())
def test_reshaping_is_a_view_wherever_numpy_needs_no_copy(
    pair: tuple[fh.Tensor, Any], shape: tuple[int, ...], infer: bool
) -> None:
    tensor, array = pair
    if prod(shape) != array.size:
        with pytest.raises(fh.Rejected) as wrong:
            tensor.reshape(*shape)
        assert wrong.value.codes == ("O255",)
        return
    asked = (-1, *shape[1:]) if infer and shape and prod(shape[1:]) else shape
    expected = array.reshape(shape)
    if array.size and not np.shares_memory(expected, array):
        with pytest.raises(fh.Rejected) as copies:
            tensor.reshape(*asked)
        assert ".copy().sync()" in str(copies.value)
        tensor = tensor.copy().sync()
    found = tensor.reshape(*asked)
    assert found.shape == shape
    assert np.array_equal(found.numpy(), expected)


@given(views(), st.sampled_from([fh.i8, fh.u16, fh.f32, fh.i64, fh.bf16]))
def test_reinterpreting_is_what_numpy_does(pair: tuple[fh.Tensor, Any], dtype: fh.DType) -> None:
    from freehold.runtime.memory.numpy_types import numpy_dtype

    tensor, array = pair
    new: Any = numpy_dtype(dtype.name)
    try:
        expected = array.view(new)
    except ValueError:
        with pytest.raises(fh.Rejected) as wrong:
            tensor.reinterpret(dtype)
        assert wrong.value.codes == ("O255",)
        return
    try:
        found = tensor.reinterpret(dtype)
    except fh.Rejected:  # NumPy lets elements lie where no kernel could read them
        assert array.ctypes.data % new.itemsize or any(s % new.itemsize for s in array.strides)
        return
    assert found.shape == expected.shape
    assert found.numpy().tobytes() == expected.tobytes()


@given(views())
def test_what_is_said_about_a_view_is_so(pair: tuple[fh.Tensor, Any]) -> None:
    tensor, array = pair
    assert (tensor.ndim, tensor.size, tensor.nbytes) == (array.ndim, array.size, array.nbytes)
    assert tensor.is_contiguous == array.flags.c_contiguous
    assert np.array_equal(tensor.T.numpy(), array.T)
    with tensor.borrow() as inside:
        assert np.array_equal(inside, array)
        assert not inside.flags.writeable
        if array.size:
            low, high = np.lib.array_utils.byte_bounds(inside)
            assert (tensor.low, tensor.high) == (low, high)


@pytest.mark.parametrize("index", [(0, 0, 0, 0), (..., ...), True, 1.5, [0, 1], 7, -4])
def test_what_selects_no_view_is_refused(index: Any) -> None:
    with pytest.raises(fh.Rejected) as caught:
        both((3, 4, 5))[0][index]
    assert caught.value.codes == ("O255",)


@pytest.mark.parametrize("axes", [((2, 0, 1),), ([2, 0, 1],), (2, 0, 1), (-1, 0, 1)])
def test_axes_may_be_given_as_one(axes: tuple[Any, ...]) -> None:
    tensor, array = both((3, 4, 5))
    assert np.array_equal(fh.to_numpy(tensor.permute(*axes)), array.transpose(2, 0, 1))


@pytest.mark.parametrize("axes", [(0,), (0, 0), (0, 2), (0, 1, 2)])
def test_axes_are_all_there_once(axes: tuple[int, ...]) -> None:
    with pytest.raises(fh.Rejected) as caught:
        both((3, 4))[0].permute(*axes)
    assert caught.value.codes == ("O255",)
