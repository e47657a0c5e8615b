"""GPU tile kernels in Python that cannot contain a data race."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from freehold.frontend.index_maps import (
    LOWER_TRIANGLE,
    REVERSED,
    SKEWED,
    UPPER_TRIANGLE,
    IndexMap,
    interleaved,
    permuted,
)
from freehold.frontend.language import (
    Acc,
    Const,
    Index,
    Mut,
    Out,
    Raw,
    Ref,
    Region,
    Rounding,
    Scalar,
    Tile,
    add,
    argmax,
    argmin,
    argsort,
    assert_,
    atan2,
    bf16,
    bitcast,
    bool_,
    broadcast_to,
    cdiv,
    ceil,
    clip,
    concatenate,
    cos,
    cosh,
    cumprod,
    cumsum,
    divide,
    exp,
    exp2,
    expand_dims,
    extract,
    f4e2m1fn,
    f8e4m3fn,
    f8e5m2,
    f8e5m3fnu,
    f8e8m0fnu,
    f16,
    f32,
    f64,
    floor,
    fma,
    fmod,
    i4,
    i8,
    i16,
    i32,
    i64,
    insert,
    isfinite,
    isinf,
    isnan,
    log,
    log2,
    maximum,
    minimum,
    mma,
    mma_scaled,
    mulhi,
    multiply,
    pack,
    permute,
    powi,
    prod,
    random_bits,
    random_uniform,
    reduce,
    require,
    reshape,
    rsqrt,
    scan,
    sign,
    sin,
    sinh,
    sort,
    sqrt,
    static_assert,
    static_range,
    subtract,
    tan,
    tanh,
    tf32,
    tiles,
    top_k,
    transpose,
    u4,
    u8,
    u16,
    u32,
    u64,
    unpack,
    unsafe,
    where,
)
from freehold.frontend.language import (
    abs as abs,
)
from freehold.frontend.language import (
    all as all,
)
from freehold.frontend.language import (
    any as any,
)
from freehold.frontend.language import (
    max as max,
)
from freehold.frontend.language import (
    min as min,
)
from freehold.frontend.language import (
    print as print,
)
from freehold.frontend.language import (
    round as round,
)
from freehold.frontend.language import (
    sum as sum,
)
from freehold.frontend.schedule import COLUMN, EACH, PERSISTENT, ROW, Grid, grouped
from freehold.support.dtypes import DType
from freehold.support.span import register_source

if TYPE_CHECKING:
    from freehold.runtime.arguments import HOST
    from freehold.runtime.creation import (
        arange,
        empty,
        eye,
        from_numpy,
        full,
        linspace,
        ones,
        rand,
        randn,
        to_device,
        to_numpy,
        zeros,
    )
    from freehold.runtime.dlpack import from_dlpack
    from freehold.runtime.driver import gpu_available
    from freehold.runtime.execution import Execution
    from freehold.runtime.failures import raise_failures
    from freehold.runtime.graph import Graph, graph
    from freehold.runtime.kernel import kernel
    from freehold.runtime.modes import interpreting
    from freehold.runtime.operation import InFlight, Operation, Work, gather, value
    from freehold.runtime.package import load
    from freehold.runtime.package_build import build
    from freehold.runtime.partition import partition, ragged
    from freehold.runtime.show import show
    from freehold.runtime.streams import RoundRobin, SingleStream, stream_policy
    from freehold.runtime.tensor import Tensor
    from freehold.runtime.tuning import Tuned
    from freehold.support.diagnostic import KernelWarning, Rejected

__version__ = "0.1.0"

_LAZY: Final = {
    "build": "freehold.runtime.package_build",
    "kernel": "freehold.runtime.kernel",
    "load": "freehold.runtime.package",
    "partition": "freehold.runtime.partition",
    "ragged": "freehold.runtime.partition",
    "show": "freehold.runtime.show",
    "Execution": "freehold.runtime.execution",
    "Graph": "freehold.runtime.graph",
    "interpreting": "freehold.runtime.modes",
    "raise_failures": "freehold.runtime.failures",
    "graph": "freehold.runtime.graph",
    "InFlight": "freehold.runtime.operation",
    "Operation": "freehold.runtime.operation",
    "Work": "freehold.runtime.operation",
    "gather": "freehold.runtime.operation",
    "value": "freehold.runtime.operation",
    "RoundRobin": "freehold.runtime.streams",
    "SingleStream": "freehold.runtime.streams",
    "stream_policy": "freehold.runtime.streams",
    "gpu_available": "freehold.runtime.driver",
    "HOST": "freehold.runtime.arguments",
    "Tensor": "freehold.runtime.tensor",
    "Tuned": "freehold.runtime.tuning",
    "from_dlpack": "freehold.runtime.dlpack",
    "arange": "freehold.runtime.creation",
    "empty": "freehold.runtime.creation",
    "eye": "freehold.runtime.creation",
    "from_numpy": "freehold.runtime.creation",
    "full": "freehold.runtime.creation",
    "linspace": "freehold.runtime.creation",
    "ones": "freehold.runtime.creation",
    "rand": "freehold.runtime.creation",
    "randn": "freehold.runtime.creation",
    "to_device": "freehold.runtime.creation",
    "to_numpy": "freehold.runtime.creation",
    "zeros": "freehold.runtime.creation",
    "KernelWarning": "freehold.support.diagnostic",
    "Rejected": "freehold.support.diagnostic",
}
"""What lives above the language, loaded when first asked for."""


def __getattr__(name: str) -> object:
    if (module := _LAZY.get(name)) is None:
        raise AttributeError(f"module 'freehold' has no attribute {name!r}")
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The names that users type, those included that are loaded when first asked for."""
    return sorted({*__all__, *_PYTHONS, "__doc__", "__file__", "__name__", "__path__", "__version__"})


_PYTHONS: Final = ("abs", "all", "any", "max", "min", "print", "round", "sum")
"""Functions of Python's, too, which a star import must not take away from the host's code."""

__all__ = [
    "COLUMN",
    "EACH",
    "HOST",
    "LOWER_TRIANGLE",
    "PERSISTENT",
    "REVERSED",
    "ROW",
    "SKEWED",
    "UPPER_TRIANGLE",
    "Acc",
    "Const",
    "DType",
    "Execution",
    "Graph",
    "Grid",
    "InFlight",
    "Index",
    "IndexMap",
    "KernelWarning",
    "Mut",
    "Operation",
    "Out",
    "Raw",
    "Ref",
    "Region",
    "Rejected",
    "RoundRobin",
    "Rounding",
    "Scalar",
    "SingleStream",
    "Tensor",
    "Tile",
    "Tuned",
    "Work",
    "add",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "assert_",
    "atan2",
    "bf16",
    "bitcast",
    "bool_",
    "broadcast_to",
    "build",
    "cdiv",
    "ceil",
    "clip",
    "concatenate",
    "cos",
    "cosh",
    "cumprod",
    "cumsum",
    "divide",
    "empty",
    "exp",
    "exp2",
    "expand_dims",
    "extract",
    "eye",
    "f4e2m1fn",
    "f8e4m3fn",
    "f8e5m2",
    "f8e5m3fnu",
    "f8e8m0fnu",
    "f16",
    "f32",
    "f64",
    "floor",
    "fma",
    "fmod",
    "from_dlpack",
    "from_numpy",
    "full",
    "gather",
    "gpu_available",
    "graph",
    "grouped",
    "i4",
    "i8",
    "i16",
    "i32",
    "i64",
    "insert",
    "interleaved",
    "interpreting",
    "isfinite",
    "isinf",
    "isnan",
    "kernel",
    "linspace",
    "load",
    "log",
    "log2",
    "maximum",
    "minimum",
    "mma",
    "mma_scaled",
    "mulhi",
    "multiply",
    "ones",
    "pack",
    "partition",
    "permute",
    "permuted",
    "powi",
    "prod",
    "ragged",
    "raise_failures",
    "rand",
    "randn",
    "random_bits",
    "random_uniform",
    "reduce",
    "register_source",
    "require",
    "reshape",
    "rsqrt",
    "scan",
    "show",
    "sign",
    "sin",
    "sinh",
    "sort",
    "sqrt",
    "static_assert",
    "static_range",
    "stream_policy",
    "subtract",
    "tan",
    "tanh",
    "tf32",
    "tiles",
    "to_device",
    "to_numpy",
    "top_k",
    "transpose",
    "u4",
    "u8",
    "u16",
    "u32",
    "u64",
    "unpack",
    "unsafe",
    "value",
    "where",
    "zeros",
]
