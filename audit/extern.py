"""
Kernels that others made: `freehold.extern`. What is declared of their Tile IR, the audit finds out for each launch.

What cannot be read, PTX, cubins and CUDA C++, rests on a reason that its author gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

from freehold.runtime.foreign.code import TileIR
from freehold.runtime.foreign.declaration import Declaration, LaunchShape, Number, Numbers, Passes, signature_of
from freehold.runtime.foreign.given import GivenCode, made_of, name_of
from freehold.runtime.foreign.kernel import Extern
from freehold.runtime.variants.evaluation import Judge
from freehold.support.contract import LaunchContract
from freehold.support.public import public


@overload
def extern(
    kernel: object = None,
    /,
    *,
    cubin: bytes | None = None,
    ptx: str | bytes | None = None,
    cuda_source: str | None = None,
    tile_ir: bytes | None = None,
    entry: str | None = None,
    signature: Callable[..., Any] | Mapping[str, Any],
    grid: Numbers,
    block: Numbers | None = None,
    cluster: Numbers = 1,
    shared: Number = 0,
    passes: Passes | None = None,
    align: Mapping[str, int] | None = None,
    macros: Mapping[str, object] | None = None,
    include: Sequence[str] = (),
    standard: str | None = None,
    unsafe: str | None = None,
    deny_unsafe: bool = False,
) -> Extern: ...
@overload
def extern(
    kernel: object = None,
    /,
    *,
    cubin: bytes | None = None,
    ptx: str | bytes | None = None,
    cuda_source: str | None = None,
    tile_ir: bytes | None = None,
    entry: str | None = None,
    grid: Numbers,
    block: Numbers | None = None,
    cluster: Numbers = 1,
    shared: Number = 0,
    passes: Passes | None = None,
    align: Mapping[str, int] | None = None,
    macros: Mapping[str, object] | None = None,
    include: Sequence[str] = (),
    standard: str | None = None,
    unsafe: str | None = None,
    deny_unsafe: bool = False,
) -> Callable[[Callable[..., Any]], Extern]: ...
@public
def extern(
    kernel: object = None,
    /,
    *,
    cubin: bytes | None = None,
    ptx: str | bytes | None = None,
    cuda_source: str | None = None,
    tile_ir: bytes | None = None,
    entry: str | None = None,
    signature: Callable[..., Any] | Mapping[str, Any] | None = None,
    grid: Numbers,
    block: Numbers | None = None,
    cluster: Numbers = 1,
    shared: Number = 0,
    passes: Passes | None = None,
    align: Mapping[str, int] | None = None,
    macros: Mapping[str, object] | None = None,
    include: Sequence[str] = (),
    standard: str | None = None,
    unsafe: str | None = None,
    deny_unsafe: bool = False,
) -> Extern | Callable[[Callable[..., Any]], Extern]:
    """
    A kernel that others made, to be called, launched, awaited, captured and packaged as Freehold's own:

        @fh.extern(cuda_source=SOURCE, grid=lambda N: fh.cdiv(N, 256), block=256, passes=["y", "x", "a", "N"],
                   unsafe="each thread writes the element of its number")
        def saxpy(y: Mut[f32, "N"], x: Ref[f32, "N"], a: f32): ...

    The code is one of `cubin`, `ptx`, `cuda_source` (CUDA C++), `tile_ir` (bytecode), or a kernel of cuTile Python,
    Triton, numba-cuda or CuPy. `entry` is its symbol, by default the function's name. The signature says of each array
    whether it is read (`Ref`), written (`Mut`, `Out`), updated (`Acc`), or anything (`Raw`), with dtype and extents as
    in any kernel; it is the decorated function, whose body is not used, or `signature`. A `Const[int]` is a macro of
    CUDA C++.

    `grid` (blocks), `block` (threads), `cluster` (blocks) and `shared` (bytes) are numbers, up to three each, texts
    such as `"cdiv(N, 256)"`, or functions of extents and integers by their names. `passes` says what is passed for the
    arguments: `"pointers"`, the default, `"cutile"`, the default of Tile IR, or a list of names and `("N", fh.i64)`.
    Arrays of which no strides are passed have to be contiguous; `align` says what else addresses are multiples of, up
    to 16 bytes. `macros`, `include` (folders) and `standard` are NVRTC's.

    `unsafe` is the reason why all that is right. Tile IR needs none: the audit checks each kind of launch, and refuses
    it (O287, O288) otherwise. `deny_unsafe` refuses a reason, too. Raises `Rejected` (O286, O294, O295), and where a
    launch needs the code, O282, O283 and O289.
    """
    given = {"cubin": cubin, "ptx": ptx, "cuda_source": cuda_source, "tile_ir": tile_ir}
    codes = {name: code for name, code in given.items() if code is not None}
    shape = LaunchShape(grid, 1 if block is None else block, cluster, shared)

    options = GivenCode(kernel, codes, entry, dict(macros or {}), tuple(include), standard, unsafe, deny_unsafe)

    threads = block is not None

    def make(function: Callable[..., Any]) -> Extern:
        return _made(options, function, name_of(function), shape, passes, dict(align or {}), threads)

    if signature is None:
        return make
    name = entry or name_of(kernel) or name_of(signature)
    return _made(options, signature, name, shape, passes, dict(align or {}), threads)


def _made(
    options: GivenCode,
    given: object,
    name: str,
    shape: LaunchShape,
    passes: Passes | None,
    align: dict[str, int],
    threads: bool,
) -> Extern:
    found = signature_of(given, name)
    made, tiles = made_of(options, found, threads=threads, align=align)
    chosen: Passes = passes if passes is not None else "cutile" if tiles else "pointers"
    declared = Declaration(found, shape, chosen, align, promise=options.unsafe or "")
    if options.kernel is None or passes is not None:
        declared.check()
    return Extern(declared, made, _judge_of, passes=passes is None)


def _judge_of(source: TileIR, declared: Declaration, contract: LaunchContract) -> Judge:
    """Who is asked about launches of Tile IR. Raises `Rejected` where the contract is none of it."""
    from freehold.audit.judge import judge_of  # which brings the interpreter

    return judge_of(source, declared, contract)
