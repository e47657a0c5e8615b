"""Whether strided arrays share memory: exactly where that is cheap to find out, and otherwise yes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

BUDGET: Final = 20_000
"""Steps of the search that are taken before the answer is yes."""


def repeated(shape: Sequence[int], strides: Sequence[int]) -> tuple[int, ...] | None:
    """
    The difference of two indices with the same address, or None if all elements have different ones.

    Strides are positive and in elements. An empty difference means that the search was given up.
    """
    axes = sorted(((s, n - 1, axis) for axis, (n, s) in enumerate(zip(shape, strides, strict=True)) if n > 1))
    reach = 0
    for stride, most, _ in axes:
        if stride <= reach:
            break
        reach += stride * most
    else:  # each stride steps over all that smaller ones reach, as in every slice of a contiguous array
        return None
    found = _solve([(s, -n, n) for s, n, _ in reversed(axes)], 0, nonzero=True)
    if found is None or not found:
        return found
    difference = [0] * len(shape)
    for (_, _, axis), value in zip(reversed(axes), found, strict=True):
        difference[axis] = value
    return tuple(difference)


def overlap(
    first: tuple[int, Sequence[int], Sequence[int], int], second: tuple[int, Sequence[int], Sequence[int], int]
) -> bool:
    """
    Whether two arrays share a byte. Each is an address, a shape, strides in bytes (not negative) and an element's size.

    True also where the search is given up.
    """
    (p, shape, strides, size), (q, other_shape, other_strides, other_size) = first, second
    if p + _span(shape, strides) + size <= q or q + _span(other_shape, other_strides) + other_size <= p:
        return False
    # p + sum(i * s) + b == q + sum(j * t) + c, for bytes b and c of an element; axes with the same stride are one.
    least: dict[int, int] = {}
    most: dict[int, int] = {}
    for n, s in zip(shape, strides, strict=True):
        most[s] = most.get(s, 0) + n - 1
    for n, s in zip(other_shape, other_strides, strict=True):
        least[s] = least.get(s, 0) - (n - 1)
    most[1] = most.get(1, 0) + size - 1
    least[1] = least.get(1, 0) - (other_size - 1)
    strides_of_both = sorted((least.keys() | most.keys()) - {0}, reverse=True)  # along others the address stays
    axes = [(s, least.get(s, 0), most.get(s, 0)) for s in strides_of_both]
    return _solve(axes, q - p) is not None


def _span(shape: Sequence[int], strides: Sequence[int]) -> int:
    return sum((n - 1) * s for n, s in zip(shape, strides, strict=True))


def _solve(axes: Sequence[tuple[int, int, int]], target: int, nonzero: bool = False) -> tuple[int, ...] | None:
    """
    Integers `x` with `sum(x[k] * stride[k]) == target` and `low[k] <= x[k] <= high[k]`, or None if there are none.

    `axes` are (stride, low, high), the largest stride first. `nonzero` asks for one that is not all zeros. An empty
    tuple means that the search was given up.
    """
    lows, highs = [0], [0]  # what the remaining axes can add at least and at most
    for stride, low, high in reversed(axes):
        lows.append(lows[-1] + stride * low)
        highs.append(highs[-1] + stride * high)
    steps = 0
    stack: list[tuple[int, int, tuple[int, ...]]] = [(0, target, ())]
    while stack:
        depth, rest, chosen = stack.pop()
        if depth == len(axes):
            if rest == 0 and not (nonzero and not any(chosen)):
                return chosen
            continue
        stride, low, high = axes[depth]
        below, above = lows[len(axes) - depth - 1], highs[len(axes) - depth - 1]
        first = max(low, -((above - rest) // stride))  # ceil((rest - above) / stride)
        last = min(high, (rest - below) // stride)
        for x in range(first, last + 1):
            steps += 1
            if steps > BUDGET:
                return ()
            stack.append((depth + 1, rest - x * stride, (*chosen, x)))
    return None
