"""The interpreter's speed against Triton's: `python -m benchmarks.interpreter [--json FILE]`. Needs torch and Triton.

Four kernels on the CPU, in the same tiles on both sides, timed in turns. Each call is what a user writes: all checks of
a launch are in it, compilation is not, as the first call of each does not count. Times are CPU time of the process, on
one thread, so that they do not depend on who else uses the machine.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

# Before NumPy, torch and Triton are loaded, which read these once.
os.environ["TRITON_INTERPRET"] = "1"
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

MARK = "ratio >= 5"


def main() -> None:
    """Run the benchmark and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    arguments = parser.parse_args()

    from benchmarks.host import cpu
    from benchmarks.report import against, show

    torch: Any = import_module("torch")
    torch.set_num_threads(1)
    rows = [
        against(work, lambda ours=ours: cpu(ours), lambda theirs=theirs: cpu(theirs), "Triton", times=9, mark=MARK)
        for work, ours, theirs in pairs(torch)
    ]
    show(rows, arguments.json)


def pairs(torch: Any) -> list[tuple[str, Callable[[], object], Callable[[], object]]]:
    """What is timed: a name, ours and theirs, on the same numbers; results are compared first."""
    import freehold as fh
    from benchmarks import rival_interpreter as theirs
    from benchmarks.agreement_kernels import layer_norm, softmax
    from benchmarks.kernels import add, gemm

    torch.manual_seed(0)
    n, rows, columns, size = 1 << 18, 256, 1000, 256
    x, y = torch.randn(n), torch.randn(n)
    matrix, weight, bias = torch.randn(rows, columns), torch.randn(columns), torch.randn(columns)
    a, b = torch.randn(size, size), torch.randn(size, size)
    kernels: Any = theirs
    row_tile = (1, 1024)

    def work(name: str, like: Any, expected: Any, ours: Callable[[Any], Any], rival: Callable[[Any], object]):
        mine, other = torch.full_like(like, float("nan")), torch.full_like(like, float("nan"))
        array = mine.numpy()
        ours(array).sync()
        rival(other)
        for result in (mine, other):
            torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-4)
        return name, lambda: ours(array).sync(), lambda: rival(other)

    tensors = {"x": x, "y": y, "m": matrix, "w": weight, "bias": bias, "a": a, "b": b}
    hosts = {name: tensor.numpy() for name, tensor in tensors.items()}
    return [
        work(
            f"add, f32, {n} in tiles of 1024",
            x,
            x + y,
            lambda z: add(fh.partition(z, 1024), hosts["x"], hosts["y"]),
            lambda z: kernels.add[(n // 1024,)](z, x, y, n, BLOCK=1024),
        ),
        work(
            f"softmax, f32, {rows} x {columns}, a row a block",
            matrix,
            torch.softmax(matrix, 1),
            lambda z: softmax(fh.partition(z, row_tile), hosts["m"]),
            lambda z: kernels.softmax[(rows,)](z, matrix, columns, BLOCK=1024),
        ),
        work(
            f"layer norm, f32, {rows} x {columns}, a row a block",
            matrix,
            torch.nn.functional.layer_norm(matrix, (columns,), weight, bias, 1e-5),
            lambda z: layer_norm(fh.partition(z, row_tile), hosts["m"], hosts["w"], hosts["bias"], 1e-5),
            lambda z: kernels.layer_norm[(rows,)](z, matrix, weight, bias, columns, 1e-5, BLOCK=1024),
        ),
        work(
            f"GEMM, f32, {size}^3 in tiles of 64 x 64 x 32",
            a,
            a @ b,
            lambda z: gemm(fh.partition(z, (64, 64)), hosts["a"], hosts["b"], BK=32),
            lambda z: kernels.gemm[(size // 64, size // 64)](z, a, b, size, size, size, BM=64, BN=64, BK=32),
        ),
    ]


if __name__ == "__main__":
    main()
