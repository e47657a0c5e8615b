"""Views of tensors against NumPy's, whatever is indexed, reshaped, permuted and reinterpreted."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import freehold as fh
from freehold.runtime.memory.views import is_contiguous, reach

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


# --- Where elements are, and what is said where they are not ----------------------------------------------------------

COPIES = "make a contiguous copy first: `.copy().sync()`"
LIES = "its elements do not lie in memory so that they could be seen in this order"
TAIL = "the elements of its last axis do not lie one behind the other"
NO_VIEWS: list[tuple[tuple[int, ...], str, str, str, bool]] = [
    ((3, 4), "t[0, 0, 0]", "[0, 0, 0]", "3 indices for 2 axes", False),
    ((3, 4), "t[None, 0, 0, 0, ...]", "[None, 0, 0, 0, ...]", "3 indices for 2 axes", False),
    ((3, 4), "t[..., ...]", "[..., ...]", "`...` stands twice", False),
    ((3, 4), "t[3]", "[3]", "index 3 is out of bounds for axis 0 of 3 elements", False),
    ((3, 4), "t[-4]", "[-4]", "index -4 is out of bounds for axis 0 of 3 elements", False),
    ((3, 4), "t[:, 4]", "[:, 4]", "index 4 is out of bounds for axis 1 of 4 elements", False),
    ((3, 4), "t[1:3:2, None, 4]", "[1:3:2, None, 4]", "index 4 is out of bounds for axis 1 of 4 elements", False),
    ((3, 4), "t[..., 4]", "[..., 4]", "index 4 is out of bounds for axis 1 of 4 elements", False),
    ((3, 4), "t[::2, 4]", "[::2, 4]", "index 4 is out of bounds for axis 1 of 4 elements", False),
    ((3, 0), "t[:, 0]", "[:, 0]", "index 0 is out of bounds for axis 1 of 0 elements", False),
    ((3, 4), "t[True]", "[True]", "a truth value selects no view", False),
    ((3, 4), "t[1.5]", "[1.5]", "a float selects no view", False),
    ((3, 4), "t[[0, 1]]", "[[0, 1]]", "a list selects no view", False),
    ((3, 4), "t.reshape(5, 2)", ".reshape(5, 2)", "12 elements are not 10", False),
    ((3, 4), "t.reshape(())", ".reshape()", "12 elements are not 1", False),
    ((3, 4), "t.reshape(13)", ".reshape(13)", "12 elements are not 13", False),
    ((3, 4), "t.reshape(5, -1)", ".reshape(5, -1)", "12 elements are no multiple of 5", False),
    ((3, 4), "t.reshape(0, -1)", ".reshape(0, -1)", "12 elements are no multiple of 0", False),
    ((3, 0), "t.reshape(0, -1)", ".reshape(0, -1)", "0 elements are no multiple of 0", False),
    ((3, 4), "t.reshape(-1, -1)", ".reshape(-1, -1)", "extents are at least 0, and one may be -1", False),
    ((3, 4), "t.reshape(-2, 6)", ".reshape(-2, 6)", "extents are at least 0, and one may be -1", False),
    ((3, 4), "t.reshape(3.0, 4)", ".reshape(3.0, 4)", "extents are integers", False),
    ((3, 4), "t.T.reshape(12)", ".reshape(12)", LIES, True),
    ((3, 4), "t[:, :3].reshape(9)", ".reshape(9)", LIES, True),
    ((6, 4), "t.T.reshape(2, 12)", ".reshape(2, 12)", LIES, True),
    ((3, 4), "t.permute(0)", ".permute(0)", "the axes are 0 to 1, each once", False),
    ((3, 4), "t.permute(0, -2)", ".permute(0, -2)", "the axes are 0 to 1, each once", False),
    ((3, 4), "t.permute(0, 2)", ".permute(0, 2)", "the axes are 0 to 1, each once", False),
    ((3, 4), "t.permute(1, -3)", ".permute(1, -3)", "the axes are 0 to 1, each once", False),
    ((3, 4), "t.permute(0, 1.0)", ".permute(0, 1.0)", "axes are integers", False),
    ((), "t.permute(0)", ".permute(0)", "there are no axes", False),
    ((), "t.reinterpret(fh.i8)", ".reinterpret(i8)", "one element of 4 bytes is none of 1", False),
    ((3, 4), "t.T.reinterpret(fh.i8)", ".reinterpret(i8)", TAIL, True),
    ((2, 4), "t[:, ::2].reinterpret(fh.i64)", ".reinterpret(i64)", TAIL, True),
    (
        (3, 3), "t.reinterpret(fh.i64)", ".reinterpret(i64)",
        "3 elements of 4 bytes are no whole number of 8 bytes", False,
    ),
    (
        (3, 5), "t[:, :4].reinterpret(fh.i64)", ".reinterpret(i64)",
        "strides (20, 4) are no multiples of 8 bytes", True,
    ),
    (
        (2, 4, 5), "t[:, :, :4].reinterpret(fh.i64)", ".reinterpret(i64)",
        "strides (80, 20, 4) are no multiples of 8 bytes", True,
    ),
    (
        (3, 4), "t[:, 1:3].reinterpret(fh.i64)", ".reinterpret(i64)",
        "it begins at an address that is no multiple of 8", True,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "asked", "what", "why", "copies"), NO_VIEWS)
def test_what_is_no_view_says_why(shape: tuple[int, ...], asked: str, what: str, why: str, copies: bool) -> None:
    t = both(shape)[0]
    with pytest.raises(fh.Rejected) as caught:
        eval(asked, {"t": t, "fh": fh})
    (error,) = caught.value.errors
    report = error.report()
    assert (report.code, report.label, report.helps) == ("O255", why, (COPIES,) * copies)
    assert report.title.endswith(f" has no view `{what}`")
    assert f"= note: {why}" in str(caught.value)  # there is no text of the call to be marked with it


@pytest.mark.parametrize(
    ("shape", "asked", "offset", "found", "strides"),
    [
        ((3, 4), "t[None]", 0, (1, 3, 4), (48, 16, 4)),
        ((3, 4), "t[:, None]", 0, (3, 1, 4), (16, 16, 4)),
        ((3, 4), "t[..., None]", 0, (3, 4, 1), (16, 4, 0)),
        ((3, 4), "t[1:, ::-1]", 28, (2, 4), (16, -4)),
        ((3, 4), "t[2:1, 3:3]", 0, (0, 0), (16, 4)),
        ((3, 4), "t[2::5, ::3]", 32, (1, 2), (16, 12)),
        ((3, 4), "t[-1, -1]", 44, (), ()),
        ((3, 4), "t[..., 1]", 4, (3,), (16,)),
        ((3, 4), "t.reshape(2, 6)", 0, (2, 6), (24, 4)),
        ((3, 4), "t.reshape(-1)", 0, (12,), (4,)),
        ((3, 4), "t.reshape((4, 3, 1))", 0, (4, 3, 1), (12, 4, 4)),
        ((3, 0), "t.reshape(0, 5)", 0, (0, 5), (20, 4)),
        ((1, 1), "t.reshape(())", 0, (), ()),
        ((), "t.reshape(1, 1)", 0, (1, 1), (4, 4)),
        ((4, 6), "t[:, ::2].reshape(2, 2, 3, 1)", 0, (2, 2, 3, 1), (48, 24, 8, 8)),
        ((4, 6), "t[::2].reshape(2, 3, 2)", 0, (2, 3, 2), (48, 8, 4)),
        ((3, 4), "t.permute(-1, 0)", 0, (4, 3), (4, 16)),
        ((2, 3, 4), "t.transpose()", 0, (4, 3, 2), (4, 16, 48)),
        ((2, 3, 4), "t.transpose(0, 2, 1)", 0, (2, 4, 3), (48, 4, 16)),
        ((3, 4), "t.reinterpret(fh.i64)", 0, (3, 2), (16, 8)),
        ((3, 4), "t.reinterpret(fh.i8)", 0, (3, 16), (16, 1)),
        ((3, 4), "t.reinterpret(fh.f32)", 0, (3, 4), (16, 4)),
        ((3, 4), "t.T.reinterpret(fh.f32)", 0, (4, 3), (4, 16)),
        ((3, 4), "t[:, 2:].reinterpret(fh.i64)", 8, (3, 1), (16, 8)),
        ((3, 4), "t[:, :1].reinterpret(fh.i16)", 0, (3, 2), (16, 2)),
        ((0, 4), "t.reinterpret(fh.i64)", 0, (0, 2), (16, 8)),
    ],
)
def test_where_the_elements_of_a_view_are(
    shape: tuple[int, ...], asked: str, offset: int, found: tuple[int, ...], strides: tuple[int, ...]
) -> None:
    t = both(shape)[0]
    view = eval(asked, {"t": t, "fh": fh})
    assert (view.pointer - t.pointer, view.shape, view.strides) == (offset, found, strides)


@pytest.mark.parametrize(
    ("shape", "strides", "reached", "contiguous"),
    [
        ((), (), (0, 4), True),
        ((3, 4), (16, 4), (0, 48), True),
        ((3, 4), (4, 12), (0, 48), False),
        ((3, 4), (20, 4), (0, 56), False),
        ((3, 4), (-16, 4), (-32, 16), False),
        ((3, 4), (16, -4), (-12, 36), False),
        ((3, 4), (-16, -4), (-44, 4), False),
        ((1, 4), (999, 4), (0, 16), True),
        ((4, 1), (4, 999), (0, 16), True),
        ((1, 4), (-999, 4), (0, 16), True),
        ((3, 1, 4), (16, 5, 4), (0, 48), True),
        ((3, 4), (0, 4), (0, 16), False),
        ((0, 4), (-7, 3), (0, 0), True),
        ((4, 0), (-7, 3), (0, 0), True),
    ],
)
def test_the_bytes_that_elements_reach(
    shape: tuple[int, ...], strides: tuple[int, ...], reached: tuple[int, int], contiguous: bool
) -> None:
    assert reach(shape, strides, 4) == reached
    assert is_contiguous(shape, strides, 4) == contiguous
