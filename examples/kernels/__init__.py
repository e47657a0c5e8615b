"""A library of safe kernels, by family: each with launches on small arrays and what NumPy makes of the same."""

from __future__ import annotations

from collections.abc import Iterator

from examples.kernels import attention, elementwise, folds, grids, matmul, moe, normalization, tokens
from examples.kernels.example import Example

FAMILIES = (elementwise, normalization, matmul, attention, moe, tokens, folds, grids)


def library() -> Iterator[tuple[str, Example]]:
    """All launches by a name of their own: the kernel's, with a number from its second launch on."""
    seen: dict[str, int] = {}
    for family in FAMILIES:
        for example in family.examples():
            name = example.kernel.__name__
            seen[name] = seen.get(name, 0) + 1
            yield name if seen[name] == 1 else f"{name}_{seen[name]}", example
