"""What a launch costs the host: `python -m benchmarks.launch [--json FILE]`. Needs a GPU, torch and Triton.

Host time of enqueueing an add of three small torch tensors, without waiting: all checks of Freehold are on. The same of
arrays of CuPy, against `cupy.add`, where that is installed. A bound launch is compared with cuda.core's launch of the
same kernel, with arguments that are ready to be passed. Rivals are timed in turns; the ratio is the rival's time over
ours, pair by pair.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from importlib import import_module
from time import perf_counter
from typing import Any

import numpy

import freehold as fh
from benchmarks.kernels import add, saxpy
from benchmarks.report import Row, against, show

CALLS = 2000
PAIRS = 11


def main() -> None:
    """Run the benchmark and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    arguments = parser.parse_args()
    torch: Any = import_module("torch")
    x, y, z = (torch.randn(4096, device="cuda") for _ in range(3))

    def ours() -> None:
        add(fh.partition(z, 512), x, y).on()

    ours()
    torch.cuda.synchronize()
    if not torch.equal(z, x + y):
        raise AssertionError("add: wrong result")
    rivals: dict[str, Callable[[], None]] = {"torch.add": lambda: torch.add(x, y, out=z)}
    if (triton := triton_add(torch, x, y, z)) is not None:
        rivals["Triton"] = triton
    work = "launch of an add of three torch tensors, host time"
    rows = [row(torch, work, name, ours, theirs) for name, theirs in rivals.items()]
    bound = add.bind(fh.partition(z, 512), x, y)
    rows.append(row(torch, "bound launch of it, host time", "cuda.core", bound.on, bare(torch, x, y, z)))
    operator = add.as_torch_op("freehold_benchmarks::add", {"z": 512})
    through = partial(operator, z, x, y)
    rows.append(row(torch, "it as an operator of torch, host time", "torch.add", through, rivals["torch.add"]))
    rows += mixed_rows(torch, ours, x, y, z)
    rows += cupy_rows(torch)
    show(rows, arguments.json)


class Described:
    """A tensor of torch as another library's array: by `__cuda_array_interface__`, which is made anew each time."""

    def __init__(self, tensor: Any):
        self._shape, self._data = tuple(tensor.shape), (tensor.data_ptr(), False)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self._shape, "typestr": "<f4", "data": self._data, "strides": None, "version": 3}


class Lent:
    """The same by DLPack."""

    def __init__(self, tensor: Any):
        self._tensor = tensor

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._tensor.__dlpack_device__()

    def __dlpack__(self, **options: Any) -> Any:
        return self._tensor.__dlpack__(**options)


def mixed_rows(torch: Any, ours: Callable[[], None], x: Any, y: Any, z: Any) -> list[Row]:
    """Launches with arguments of other kinds, against three tensors of torch (`ours`)."""
    own = [fh.to_device(numpy.zeros(4096, numpy.float32), 0) for _ in range(3)]
    said: list[Any] = [Described(t) for t in (z, x, y)]
    lent = [Lent(t) for t in (z, x, y)]
    in_torch = partial(seconds, torch, lambda: [t.__dlpack__(stream=1, max_version=(1, 0)) for t in (z, x, y)])
    ways: dict[str, Callable[[], Any]] = {
        "three tensors of Freehold": lambda: add(fh.partition(own[0], 512), own[1], own[2]).on(),
        "Freehold's and torch's": lambda: add(fh.partition(own[0], 512), x, own[2]).on(),
        "by `__cuda_array_interface__`": lambda: add(fh.partition(said[0], 512), said[1], said[2]).on(),
        "torch's and one by `__cuda_array_interface__`": lambda: add(fh.partition(z, 512), said[1], y).on(),
        "by DLPack": lambda: add(fh.partition(lent[0], 512), lent[1], lent[2]).on(),
        "torch's, with an open schedule": lambda: add(z, x, y).on(),
        "torch's and a scalar": lambda: saxpy(fh.partition(z, 512), x, 2.0).on(),
        "torch's and a scalar of NumPy": lambda: saxpy(fh.partition(z, 512), x, numpy.float32(2.0)).on(),
        "bound, of Freehold and torch": add.bind(fh.partition(own[0], 512), x, own[2]).on,
    }
    for way in ways.values():
        way()
    rows = [row(torch, f"launch: {name}, host time", "torch's", way, ours) for name, way in ways.items()]
    described = partial(seconds, torch, lambda: [t.__cuda_array_interface__ for t in said])
    rows.append(against("three dictionaries of `__cuda_array_interface__`", described, None, unit="us", scale=1e6))
    return [*rows, against("three capsules of DLPack, made by torch", in_torch, None, unit="us", scale=1e6)]


def cupy_rows(torch: Any) -> list[Row]:
    """The same with arrays of CuPy; none where it is not installed."""
    try:
        cupy: Any = import_module("cupy")
    except ImportError:
        return []
    x, y, z = (cupy.random.rand(4096).astype(cupy.float32) for _ in range(3))

    def ours() -> None:
        add(fh.partition(z, 512), x, y).on()

    ours()
    cupy.cuda.Device().synchronize()
    if not cupy.array_equal(z, x + y):
        raise AssertionError("add: wrong result")
    bound, theirs = add.bind(fh.partition(z, 512), x, y), partial(cupy.add, x, y, z)
    return [
        row(torch, "launch of an add of three arrays of CuPy, host time", "cupy.add", ours, theirs),
        row(torch, "bound launch of it, host time", "cupy.add", bound.on, theirs),
    ]


def bare(torch: Any, x: Any, y: Any, z: Any) -> Callable[[], None]:
    """The same kernel through cuda.core alone, on torch's current stream."""
    from freehold.runtime.gpu import driver

    core: Any = import_module("cuda.core")
    compiled = add.compile(fh.partition(z, 512), x, y)
    kernel, stream = compiled.loaded(0), driver.stream(torch.cuda.current_stream().cuda_stream, 0)
    config = core.LaunchConfig(grid=(8, 1, 1), block=(1, 1, 1))
    passed = [z.data_ptr(), x.data_ptr(), y.data_ptr(), numpy.int32(4096)]
    if len(passed) != len(compiled.contract.entry):
        raise AssertionError("add: other parameters than were thought")
    return partial(core.launch, stream, config, kernel, *passed)


def triton_add(torch: Any, x: Any, y: Any, z: Any) -> Callable[[], None] | None:
    """The same add as a launch of Triton's, or None where it is not installed."""
    try:
        kernels: Any = import_module("benchmarks.rival_triton")
    except ImportError:
        return None

    def launch() -> None:
        kernels.add[(8,)](z, x, y, 4096, BLOCK=512)

    launch()
    torch.cuda.synchronize()
    return launch


def row(torch: Any, work: str, name: str, ours: Callable[[], Any], theirs: Callable[[], Any]) -> Row:
    """Times both in turns."""
    mine, others = (partial(seconds, torch, function) for function in (ours, theirs))
    return against(work, mine, others, name, unit="us", scale=1e6, times=PAIRS)


def seconds(torch: Any, function: Callable[[], Any]) -> float:
    """Host seconds of a call, with an empty queue at the start of each hundred calls."""
    total = 0.0
    for _ in range(CALLS // 100):
        torch.cuda.synchronize()
        began = perf_counter()
        for _ in range(100):
            function()
        total += perf_counter() - began
    return total / CALLS


if __name__ == "__main__":
    main()
