"""What other libraries have names for outside kernels: who asks a module, a kernel or a launch for one is told ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from freehold.support import dtypes

_KERNEL: Final = "a kernel is a function below `@fh.kernel`"
_RUN: Final = "call the kernel, and run it: `kernel(fh.partition(y, tile), x).sync()`"
_READ: Final = "what a kernel reads is a `Ref`, what it writes an `Out`, what it updates a `Mut`"
CONSTANT: Final = "a parameter that is known when the kernel is compiled is a `Const[int]`"
_SCHEDULES: Final = "leave tiles open (`fh.choose(64, 128)`), or search for the fastest (`fh.Tuned`)"
_TIMES: Final = "launches are timed as any work on a stream, by two `torch.cuda.Event`s around `kernel(...).on()`"
_STREAM: Final = "give `.on(stream)` a stream of torch, of CuPy or of `cuda.core`"
_OUTPUT: Final = "`kernel.compile(...).cubin` is its code, and `kernel.explain(...)` says what it costs"

MODULE: Final[Mapping[str, str]] = {
    **dict.fromkeys(("jit", "function", "entry", "global_"), _KERNEL),
    **dict.fromkeys(("launch", "run", "call", "forall"), _RUN),
    **dict.fromkeys(("In", "InOut", "Input", "Output", "Array", "array", "Pointer", "pointer_type"), _READ),
    **dict.fromkeys(("constexpr", "Constant", "Constexpr", "Static"), CONSTANT),
    **dict.fromkeys(("autotune", "Config", "heuristics", "tune", "tuned", "Autotuner"), _SCHEDULES),
    **dict.fromkeys(("Stream", "stream", "current_stream"), _STREAM),
    **{name: f"write `fh.{ours}`" for name, ours in dtypes.SPELLINGS.items() if name not in dtypes.BY_NAME},
    "boolean": "write `fh.bool_`",
    "program_id": "a block's coordinates are those of its region: `y.index`",
    "num_programs": "there is a tile block for each tile of a partition",
    "next_power_of_2": "`1 << (n - 1).bit_length()`; a launch without a partition finds tiles by itself",
    "synchronize": "`.sync()` runs a launch and waits, `.wait()` waits for what `.on(stream)` began",
    **dict.fromkeys(("benchmark", "bench", "do_bench", "timeit", "profile", "profiler"), _TIMES),
    "asarray": "arrays of torch, CuPy, JAX and NumPy are passed as they are; `fh.from_numpy(x)` copies one to the GPU",
}
KERNEL: Final[Mapping[str, str]] = {
    **dict.fromkeys(("run", "launch", "forall", "apply", "execute", "sync", "on", "wait"), _RUN),
    **dict.fromkeys(("asm", "ptx", "sass", "cubin", "inspect_asm", "inspect_sass", "code", "warmup"), _OUTPUT),
    "set_options": "hints are given by `kernel.with_hints(num_worker_warps=8)`",
}
UNRUN: Final = "it is not run yet: `.sync()` runs it, and returns what it wrote"
LAUNCH: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("run", "launch", "wait", "result", "sync_on", "async_on", "start", "execute", "synchronize"),
        "`.sync()` runs it and waits, `.on(stream)` puts it on a stream and goes on, "
        "`await` lets others go on meanwhile",
    ),
    **dict.fromkeys(("shape", "dtype", "ndim", "size", "device", "T", "numpy", "cpu", "item", "tolist", "copy"), UNRUN),
    **dict.fromkeys(("sum", "mean", "max", "min", "any", "all", "reshape", "astype", "to", "get", "detach"), UNRUN),
}


def missing(what: str, name: str, known: Mapping[str, str], owner: object) -> AttributeError:
    """The error for an attribute that there is not; Python proposes one with a similar name where it is not known."""
    told = f"{what} has no attribute {name!r}"
    if name in known:
        return AttributeError(f"{told}: {known[name]}")
    return AttributeError(told, name=name, obj=owner)
