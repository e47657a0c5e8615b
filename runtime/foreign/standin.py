"""
What runs on the host in the place of foreign code: a function of NumPy arrays, which results of a GPU are held to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from freehold.runtime.arrays.contents import difference
from freehold.runtime.errors.refusing import errors, refuse
from freehold.runtime.gpu import driver, transfers
from freehold.runtime.launch.plan import Plan
from freehold.support.contract import LaunchContract, TensorParameter

if TYPE_CHECKING:
    from freehold.runtime.memory.arguments import ArrayView
    from freehold.runtime.variants.compiled import Compiled


class StandIn:
    """A function of NumPy arrays, for arguments of one kind."""

    def __init__(self, function: Callable[..., Any], contract: LaunchContract, constants: Sequence[tuple[int, object]]):
        self.function = function
        self.contract = contract
        self.constants = constants
        """Compile-time values, by their places among all parameters."""

    def run(self, arguments: Sequence[Any], *, order: object = None) -> None:
        """Calls it; what is declared as read cannot be written by it."""
        values: list[Any] = []
        for parameter, value in zip(self.contract.parameters, arguments, strict=True):
            if isinstance(parameter, TensorParameter) and parameter.mode == "ref":
                value = value.view()
                value.flags.writeable = False
            values.append(value)
        for place, constant in self.constants:
            values.insert(place, constant)
        self.function(*values)


def compare(
    compiled: Compiled,
    tolerance: float | None,
    views: Sequence[ArrayView],
    run_time: Sequence[Any],
    written: Sequence[tuple[str, ArrayView, Any]],
) -> None:
    """
    Runs code on a GPU, and compares what it wrote with what its stand-in computed on copies. Raises `Rejected` (O296).

    `written` are the names of the arrays that may have been written, where they are, and the stand-in's results.
    """
    import numpy as np

    evaluator, device = compiled.evaluator, views[0].device
    shapes, strides = [v.shape for v in views], [v.element_strides for v in views]
    geometry = evaluator.evaluate(shapes, strides, run_time)
    assert geometry is not None, "what the host's plan is made of has been looked at"
    plan = Plan(compiled, views, run_time, geometry, device)
    values = [getattr(value, "pointer", value) for value in run_time]
    plan.enqueue(0, *values)
    driver.synchronize(device)
    for name, view, expected in written:
        data: Any = np.empty(view.size, np.uint8)
        transfers.copy_to_host(data.ctypes.data, view.pointer, view.size, device)
        found: Any = np.ndarray(view.shape, expected.dtype, data, strides=view.strides)
        apart, limit = difference(expected, found, tolerance)
        if not apart <= limit:
            _differs(compiled.name, name, apart, limit, expected, found)


def _differs(kernel: str, name: str, apart: float, limit: float, expected: Any, found: Any) -> None:
    """Raises `Rejected` (O296), with the element that is furthest from what it should be."""
    import numpy as np

    one, other = np.asarray(expected), np.asarray(found)
    with np.errstate(all="ignore"):
        distance: Any = np.abs(one.astype(np.float64) - other.astype(np.float64))
    distance = np.where(np.isnan(distance), np.where(one == other, 0.0, np.inf), distance)
    distance = np.where(np.isnan(one.astype(np.float64)) & np.isnan(other.astype(np.float64)), 0.0, distance)
    place = np.unravel_index(int(np.argmax(distance)), distance.shape)
    at = f"[{', '.join(str(int(n)) for n in place)}]"
    witness = f"`{name}{at}` is {found[place]}, and the stand-in's is {expected[place]}"
    refuse(errors.StandInDiffers, kernel, name, apart, limit, witness)
