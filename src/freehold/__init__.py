"""GPU tile kernels in Python that cannot contain a data race."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from freehold.frontend.language import (
    Acc,
    Const,
    Index,
    Mut,
    Out,
    Raw,
    Ref,
    Region,
    Scalar,
    Tile,
    arange,
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
    exp,
    exp2,
    expand_dims,
    f8e4m3fn,
    f8e5m2,
    f16,
    f32,
    f64,
    floor,
    fma,
    full,
    i8,
    i16,
    i32,
    i64,
    isfinite,
    isinf,
    isnan,
    log,
    log2,
    maximum,
    minimum,
    mma,
    ones,
    permute,
    prod,
    random_bits,
    random_uniform,
    reduce,
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
    tan,
    tanh,
    tf32,
    tiles,
    top_k,
    transpose,
    u8,
    u16,
    u32,
    u64,
    unsafe,
    where,
    zeros,
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
from freehold.frontend.schedule import COLUMN, EACH, PERSISTENT, ROW, grouped
from freehold.support.dtypes import DType
from freehold.support.span import register_source

if TYPE_CHECKING:
    from freehold.runtime.device_array import gpu_available, to_device, to_numpy

    from freehold.runtime.graph import Graph, graph
    from freehold.runtime.kernel import kernel
    from freehold.runtime.operation import InFlight, Operation, gather, value
    from freehold.runtime.partition import partition
    from freehold.runtime.show import show
    from freehold.runtime.streams import RoundRobin, SingleStream, stream_policy
    from freehold.support.diagnostic import Rejected

__version__ = "0.1.0"

_LAZY: Final = {
    "kernel": "freehold.runtime.kernel",
    "partition": "freehold.runtime.partition",
    "show": "freehold.runtime.show",
    "Graph": "freehold.runtime.graph",
    "graph": "freehold.runtime.graph",
    "InFlight": "freehold.runtime.operation",
    "Operation": "freehold.runtime.operation",
    "gather": "freehold.runtime.operation",
    "value": "freehold.runtime.operation",
    "RoundRobin": "freehold.runtime.streams",
    "SingleStream": "freehold.runtime.streams",
    "stream_policy": "freehold.runtime.streams",
    "gpu_available": "freehold.runtime.device_array",
    "to_device": "freehold.runtime.device_array",
    "to_numpy": "freehold.runtime.device_array",
    "Rejected": "freehold.support.diagnostic",
}
"""What lives above the language, loaded when first asked for."""


def __getattr__(name: str) -> object:
    if (module := _LAZY.get(name)) is None:
        raise AttributeError(f"module 'freehold' has no attribute {name!r}")
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


# Not `abs`, `max`, `min`, `sum`: a star import must not take Python's own away from the host's code.
__all__ = [
    "COLUMN",
    "EACH",
    "PERSISTENT",
    "ROW",
    "Acc",
    "Const",
    "DType",
    "Graph",
    "InFlight",
    "Index",
    "Mut",
    "Operation",
    "Out",
    "Raw",
    "Ref",
    "Region",
    "Rejected",
    "RoundRobin",
    "Scalar",
    "SingleStream",
    "Tile",
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
    "cdiv",
    "ceil",
    "clip",
    "concatenate",
    "cos",
    "cosh",
    "cumprod",
    "cumsum",
    "exp",
    "exp2",
    "expand_dims",
    "f8e4m3fn",
    "f8e5m2",
    "f16",
    "f32",
    "f64",
    "floor",
    "fma",
    "full",
    "gather",
    "gpu_available",
    "graph",
    "grouped",
    "i8",
    "i16",
    "i32",
    "i64",
    "isfinite",
    "isinf",
    "isnan",
    "kernel",
    "log",
    "log2",
    "maximum",
    "minimum",
    "mma",
    "ones",
    "partition",
    "permute",
    "prod",
    "random_bits",
    "random_uniform",
    "reduce",
    "register_source",
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
    "tan",
    "tanh",
    "tf32",
    "tiles",
    "to_device",
    "to_numpy",
    "top_k",
    "transpose",
    "u8",
    "u16",
    "u32",
    "u64",
    "unsafe",
    "value",
    "where",
    "zeros",
]
