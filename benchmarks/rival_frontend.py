"""saxpy and GEMM for NVIDIA's own Python frontend, cuda-tile, to compare compile times with. Imports only where it is
installed."""

from collections.abc import Callable
from importlib import import_module
from io import BytesIO
from typing import Any

ct: Any = import_module("cuda.tile")
cc: Any = import_module("cuda.tile.compilation")


def saxpy(y: Any, x: Any, a: Any, tile: Any) -> None:
    """y = a * x + y."""
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=a * ct.load(x, index=(i,), shape=(tile,)) + ct.load(y, index=(i,), shape=(tile,)))


def gemm(c: Any, a: Any, b: Any, tm: Any, tn: Any, tk: Any) -> None:
    """c = a @ b, blocks in groups of 8 rows of tiles, which this frontend's users write out themselves."""
    rows, columns = ct.cdiv(c.shape[0], tm), ct.cdiv(c.shape[1], tn)
    n = ct.bid(0)
    first = n // (8 * columns) * 8
    height = min(rows - first, 8)
    i = first + (n % (8 * columns)) % height
    j = (n % (8 * columns)) // height
    acc = ct.full((tm, tn), 0, dtype=ct.float32)
    for k in range(ct.num_tiles(a, axis=1, shape=(tm, tk))):
        left = ct.load(a, index=(i, k), shape=(tm, tk), padding_mode=ct.PaddingMode.ZERO)
        right = ct.load(b, index=(k, j), shape=(tk, tn), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(left, right, acc)
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


# Its annotations are values that a type checker would take for mistakes.
saxpy.__annotations__ = dict.fromkeys(["tile"], ct.Constant[int])
gemm.__annotations__ = dict.fromkeys(["tm", "tn", "tk"], ct.Constant[int])


def _array(dtype: Any, rank: int) -> Any:
    return cc.ArrayConstraint(
        dtype,
        rank,
        index_dtype=ct.int32,
        stride_lower_bound_incl=0,
        alias_groups=(),
        may_alias_internally=False,
        stride_constant=(None,) * (rank - 1) + (1,),
        stride_divisible_by=(8,) * (rank - 1) + (1,),
        shape_divisible_by=(1,) * (rank - 1) + (8,),
        base_addr_divisible_by=16,
    )


def frontends() -> dict[str, Callable[[], object]]:
    """By name, a function that compiles a kernel to bytecode."""
    convention = cc.CallingConvention.cutile_python_v1()
    one, two = _array(ct.float32, 1), _array(ct.float16, 2)
    constant, scalar = cc.ConstantConstraint, cc.ScalarConstraint(ct.float32)
    made = {
        "saxpy": (ct.kernel(saxpy), (one, one, scalar, constant(1024))),
        "gemm": (ct.kernel(gemm), (two, two, two, constant(128), constant(256), constant(32))),
    }

    def compiler(kernel: Any, parameters: tuple[Any, ...]) -> Callable[[], object]:
        signature = cc.KernelSignature(parameters, convention)

        def compile_once() -> bytes:
            file = BytesIO()
            cc.export_kernel(
                kernel, [signature], file, gpu_code="sm_90", output_format="tileir_bytecode", bytecode_version="13.3"
            )
            return b""

        return compile_once

    return {name: compiler(*parts) for name, parts in made.items()}
