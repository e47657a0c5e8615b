"""Views of strided memory: where the elements are after indexing, reshaping, permuting. Nothing here touches memory."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import index as as_integer
from typing import Any, NamedTuple, cast

from freehold.runtime.memory.arguments import contiguous


class Layout(NamedTuple):
    """Elements in memory, relative to some address."""

    offset: int
    """Of element (0, ..., 0), in bytes."""
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """In bytes."""


class NoView(Exception):
    """There is no such view; `why` is a fact, and `copies` says whether a contiguous copy would have it."""

    def __init__(self, why: str, copies: bool = False):
        super().__init__(why)
        self.why = why
        self.copies = copies


def reach(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> tuple[int, int]:
    """The first byte and the one behind the last, relative to element (0, ..., 0); both 0 where there is no element."""
    if 0 in shape:
        return 0, 0
    low = high = 0
    for extent, stride in zip(shape, strides, strict=True):
        if stride < 0:
            low += (extent - 1) * stride
        else:
            high += (extent - 1) * stride
    return low, high + itemsize


def is_contiguous(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> bool:
    """Whether elements lie one behind the other in row-major order."""
    step = itemsize
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent != 1 and stride != step and 0 not in shape:
            return False
        step *= extent
    return True


def indexed(shape: tuple[int, ...], strides: tuple[int, ...], key: Any) -> Layout:
    """As NumPy indexes by integers, slices, `...` and `None`. Raises `NoView`, also for indices that would copy."""
    keys: tuple[Any, ...] = cast("tuple[Any, ...]", key) if isinstance(key, tuple) else (key,)
    taken = sum(1 for k in keys if k is not None and k is not Ellipsis)
    if taken > len(shape):
        raise NoView(f"{taken} indices for {len(shape)} axes")
    dots = sum(1 for k in keys if k is Ellipsis)
    if dots > 1:
        raise NoView("`...` stands twice")
    if not dots:
        keys = (*keys, Ellipsis)
    offset, axis = 0, 0
    extents: list[int] = []
    steps: list[int] = []
    for k in keys:
        if k is None:
            extents.append(1)
            steps.append(0 if axis == len(shape) else strides[axis] * shape[axis])
        elif k is Ellipsis:
            rest = len(shape) - taken
            extents += shape[axis : axis + rest]
            steps += strides[axis : axis + rest]
            axis += rest
        elif isinstance(k, slice):
            start, stop, step = cast("slice[Any, Any, Any]", k).indices(shape[axis])
            count = len(range(start, stop, step))
            offset += start * strides[axis] if count else 0
            extents.append(count)
            steps.append(step * strides[axis] if count > 1 else strides[axis])
            axis += 1
        else:
            offset += _position(k, shape[axis], axis) * strides[axis]
            axis += 1
    return Layout(offset, tuple(extents), tuple(steps))


def _position(key: Any, extent: int, axis: int) -> int:
    if isinstance(key, bool):
        raise NoView("a truth value selects no view")
    try:
        position = as_integer(key)
    except TypeError:
        raise NoView(f"a {type(key).__name__} selects no view", copies=False) from None
    if not -extent <= position < extent:
        raise NoView(f"index {position} is out of bounds for axis {axis} of {extent} elements")
    return position % extent


def _integers(given: Any, what: str) -> list[int]:
    """Raises `NoView` for what are no integers."""
    try:
        return [as_integer(e) for e in given]
    except TypeError:
        raise NoView(f"{what} are integers") from None


def shape_of(given: Sequence[Any], size: int) -> tuple[int, ...]:
    """The shape that is meant by `reshape(*given)` of `size` elements; one extent may be -1. Raises `NoView`."""
    nested = len(given) == 1 and not hasattr(given[0], "__index__")
    extents = _integers(given[0] if nested else given, "extents")
    if extents.count(-1) > 1 or any(e < -1 for e in extents):
        raise NoView("extents are at least 0, and one may be -1")
    if -1 in extents:
        rest = prod(e for e in extents if e != -1)
        if rest == 0 or size % rest:
            raise NoView(f"{size} elements are no multiple of {rest}")
        extents[extents.index(-1)] = size // rest
    if prod(extents) != size:
        raise NoView(f"{size} elements are not {prod(extents)}")
    return tuple(extents)


def reshaped(shape: tuple[int, ...], strides: tuple[int, ...], new: tuple[int, ...], itemsize: int) -> Layout:
    """The same elements in row-major order under another shape of the same size. Raises `NoView` where that copies."""
    if 0 in shape:
        return Layout(0, new, contiguous(new, itemsize))
    # Axes that lie in memory as one, as (extent, stride of its elements); a new axis must be within one of them.
    runs: list[list[int]] = []
    for extent, stride in zip(shape, strides, strict=True):
        if extent == 1:
            continue
        if runs and runs[-1][1] == extent * stride:
            runs[-1] = [runs[-1][0] * extent, stride]
        else:
            runs.append([extent, stride])
    made: list[int] = []
    left, step = runs.pop() if runs else (1, itemsize)
    for extent in reversed(new):
        if left == 1 and extent != 1 and runs:
            left, step = runs.pop()
        if left % extent:
            raise NoView("its elements do not lie in memory so that they could be seen in this order", copies=True)
        made.append(step)
        left //= extent
        step *= extent
    return Layout(0, new, tuple(reversed(made)))


def permuted(shape: tuple[int, ...], strides: tuple[int, ...], axes: Sequence[Any]) -> Layout:
    """Axis `axes[i]` at place `i`. Raises `NoView`."""
    nested = len(axes) == 1 and not hasattr(axes[0], "__index__")
    order = _integers(axes[0] if nested else axes, "axes")
    rank = len(shape)
    places = [a + rank if a < 0 else a for a in order]
    if sorted(places) != list(range(rank)):
        raise NoView(f"the axes are 0 to {rank - 1}, each once" if rank else "there are no axes")
    return Layout(0, tuple(shape[a] for a in places), tuple(strides[a] for a in places))


def reinterpreted(shape: tuple[int, ...], strides: tuple[int, ...], size: int, new: int) -> Layout:
    """The same bytes as elements of `new` bytes instead of `size`: the last axis grows or shrinks. Raises `NoView`."""
    if size == new:
        return Layout(0, shape, strides)
    if not shape:
        raise NoView(f"one element of {size} bytes is none of {new}")
    if shape[-1] != 1 and strides[-1] != size and 0 not in shape:
        raise NoView("the elements of its last axis do not lie one behind the other", copies=True)
    if shape[-1] * size % new:
        raise NoView(f"{shape[-1]} elements of {size} bytes are no whole number of {new} bytes")
    if 0 in shape:
        made = (*shape[:-1], shape[-1] * size // new)
        return Layout(0, made, contiguous(made, new))
    if any(stride % new for stride in strides[:-1]):
        raise NoView(f"strides {strides} are no multiples of {new} bytes", copies=True)
    return Layout(0, (*shape[:-1], shape[-1] * size // new), (*strides[:-1], new))
