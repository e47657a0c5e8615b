"""
Kernels of other libraries: what of theirs a launch needs, read off their objects.

Nothing of these libraries is imported that their kernels have not brought along. Written against cuTile Python 1.7,
Triton 3.9, numba-cuda 0.30 and CuPy 14; an object without what is needed here is refused (O294).
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, ClassVar, Final, cast

from freehold.frontend.signature import ConstSpec, KernelSignature, ScalarSpec, Specialisation, TensorSpec
from freehold.runtime.foreign.code import Adapted, CudaSource, Made, Ptx, TileIR, kernels_of
from freehold.runtime.foreign.declaration import Passed, unfit
from freehold.support import dtypes
from freehold.support.dtypes import BY_NAME, DType

_UNDERSTOOD: Final = (
    "give a kernel of cuTile Python, a compiled kernel of Triton, a function of numba-cuda, or a RawKernel of CuPy"
)


def adapted(kernel: object, signature: KernelSignature) -> tuple[Made, str]:
    """What makes the code of another library's kernel, and what it is in words. Raises `Rejected` (O294)."""
    names = {f"{base.__module__.partition('.')[0]}.{base.__name__}" for base in type(kernel).__mro__}
    for name, (adapt, kind) in _ADAPTERS.items():
        if name in names:
            return adapt(kernel, signature), kind
    return unfit(
        signature.kernel, f"a {type(kernel).__module__}.{type(kernel).__name__} is no kernel that is known", _UNDERSTOOD
    )


def _attribute(kernel: object, signature: KernelSignature, *names: str) -> Any:
    """An attribute of an attribute; refuses an object that has none."""
    found = kernel
    for name in names:
        if not hasattr(found, name):
            shown = f"the {type(kernel).__name__} has no `{'.'.join(names)}`"
            unfit(
                signature.kernel, shown, "it is of another version of its library than is known: give its code itself"
            )
        found = getattr(found, name)
    return found


# --- Triton -----------------------------------------------------------------------------------------------------------

_TRITON: Final[Mapping[str, str]] = {
    "i1": "bool_",
    "fp16": "f16", "bf16": "bf16", "fp32": "f32", "fp64": "f64", "fp8e4nv": "f8e4m3fn", "fp8e5": "f8e5m2",
    **{f"{sign}{bits}": f"{sign}{bits}" for sign in "iu" for bits in (8, 16, 32, 64)},
}  # fmt: skip
"""Dtypes as Triton calls them."""


def _triton(kernel: Any, signature: KernelSignature) -> Made:
    """A compiled kernel: `kernel.warmup(..., grid=(1,))`, `triton.compile(...)`, or what a launch of Triton returns."""
    metadata, asm = _attribute(kernel, signature, "metadata"), _attribute(kernel, signature, "asm")
    types: Mapping[str, str] = _attribute(kernel, signature, "src", "signature")
    for unknown in ("global_scratch_size", "profile_scratch_size"):
        if getattr(metadata, unknown, 0):
            unfit(signature.kernel, f"the Triton kernel needs memory of its own (`{unknown}`)", "launch it by Triton")
    if getattr(metadata, "num_ctas", 1) != 1 or getattr(metadata, "launch_cooperative_grid", False):
        unfit(signature.kernel, "the Triton kernel needs clusters, or a cooperative launch", "launch it by Triton")
    passes: list[Passed] = []
    for name, of in types.items():
        if of != "constexpr":
            passes.append(_of_triton(signature, name, of))
    threads = metadata.num_warps * getattr(metadata, "warp_size", 32)
    align, requires = _triton_facts(kernel, signature, list(types))
    arch = f"sm_{metadata.target.arch}"

    def make(specialisation: Specialisation) -> Adapted:
        _same_types(
            signature,
            specialisation,
            {n: _TRITON.get(bare, bare) for n, t in types.items() if (bare := t.removeprefix("*")) != "constexpr"},
        )
        cubin, ptx = asm.get("cubin"), asm.get("ptx")
        source = _Linked(cubin, metadata.name, arch, ptx) if cubin else Ptx(ptx, metadata.name)
        return Adapted(source, passes, (threads,), metadata.shared, align, requires)

    return make


@dataclass(frozen=True)
class _Linked:
    """A cubin for one architecture, with the PTX that it was made of, for others."""

    kind: ClassVar[str] = "a cubin"
    code: bytes = field(repr=False)
    entry: str
    arch: str
    ptx: str | None = field(repr=False)

    def for_gpu(self, kernel: str, arch: str) -> bytes:
        """The cubin where it is for the architecture, or else one of the PTX."""
        if arch == self.arch or self.ptx is None:
            return self.code
        return Ptx(self.ptx, self.entry).for_gpu(kernel, arch)


def _of_triton(signature: KernelSignature, name: str, of: str) -> Passed:
    """What is passed for a parameter of a Triton kernel: the argument of its name, or an extent of its name."""
    known = {p.name: p for p in signature.parameters}
    if name in known and known[name].is_tensor == of.startswith("*"):
        return name
    dims = {d for p in signature.tensors for d in p.dims or ()}
    if of in ("i32", "i64", "u32", "u64") and name in dims:
        return name, BY_NAME[of]
    what = "an array" if of.startswith("*") else f"a number of {of}"
    return unfit(
        signature.kernel,
        f"nothing in its signature is `{name}`, {what}",
        "call parameters and extents as the Triton kernel does",
    )


def _triton_facts(
    kernel: Any, signature: KernelSignature, names: list[str]
) -> tuple[dict[str, int], tuple[tuple[str, str], ...]]:
    """What the compiler took for granted: multiples of 16, and integers that are 1."""
    align: dict[str, int] = {}
    requires: list[tuple[str, str]] = []
    tensors = {p.name for p in signature.tensors}
    attrs: dict[tuple[int, ...], Any] = dict(getattr(kernel.src, "attrs", None) or {})
    for place, facts in attrs.items():
        name = names[place[0]]
        for what, value in facts:
            if what != "tt.divisibility":
                unfit(
                    signature.kernel,
                    f"the Triton kernel relies on `{what}` of `{name}`",
                    "compile it without, or launch it by Triton",
                )
            if name in tensors:
                align[name] = int(value)
            else:
                requires.append(
                    (f"{name} % {int(value)} == 0", f"the Triton kernel is compiled for multiples of {int(value)}")
                )
    types = kernel.src.signature
    constants: dict[Any, Any] = dict(getattr(kernel.src, "constants", None) or {})
    for place, value in constants.items():
        name = names[cast("tuple[int, ...]", place)[0]] if isinstance(place, tuple) else str(place)
        own = next((p for p in signature.parameters if p.name == name), None)
        if types.get(name) == "constexpr" and own is not None:
            if own.is_tensor or type(value) is not int:
                unfit(
                    signature.kernel,
                    f"`{name}` is {value!r} in the Triton kernel, and no argument",
                    "leave it out of the signature",
                )
            requires.append((f"{name} == {value}", f"the Triton kernel is compiled for {value}"))
    return align, tuple(requires)


def _same_types(signature: KernelSignature, specialisation: Specialisation, wanted: Mapping[str, str]) -> None:
    """Refuses arguments of other dtypes than code was compiled for."""
    for p, spec in zip(signature.parameters, specialisation, strict=True):
        if isinstance(spec, TensorSpec | ScalarSpec) and wanted.get(p.name, spec.dtype.name) != spec.dtype.name:
            said = f"`{p.name}` is of {spec.dtype}, and its code is compiled for {wanted[p.name]}"
            unfit(signature.kernel, said, f"declare the dtype that it is for: `{p.name}: ...[{wanted[p.name]}, ...]`")


# --- numba-cuda -------------------------------------------------------------------------------------------------------


def _numba(kernel: Any, signature: KernelSignature) -> Made:
    """A function that `numba.cuda.jit` made a kernel of; it is compiled for the dtypes of each launch."""
    function = _attribute(kernel, signature, "py_func")
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    own = [p.name for p in signature.parameters]
    if list(names) != own:
        unfit(signature.kernel, f"the numba function takes {', '.join(names)}", "declare these, in their order")

    def make(specialisation: Specialisation) -> Adapted:
        numba, cuda = import_module("numba"), import_module("numba.cuda")
        arguments: list[Any] = []
        passes: list[Passed] = []
        for name, spec in zip(own, specialisation, strict=True):
            if isinstance(spec, ConstSpec):
                unfit(signature.kernel, f"`{name}` is a constant", "close over it in the numba function")
            element = _numba_type(numba, signature, name, spec.dtype)
            if isinstance(spec, ScalarSpec):
                arguments.append(element)
                passes.append(name)
                continue
            arguments.append(numba.types.Array(element, spec.rank, "A"))
            size = " * ".join([f"{name}.shape[{axis}]" for axis in range(spec.rank)] or ["1"])
            passes += [(0, dtypes.u64), (0, dtypes.u64), (size, dtypes.i64), (spec.dtype.itemsize, dtypes.i64), name]
            passes += [(f"{name}.shape[{axis}]", dtypes.i64) for axis in range(spec.rank)]
            passes += [(f"{name}.byte_strides[{axis}]", dtypes.i64) for axis in range(spec.rank)]
        given: dict[str, Any] = {"device": False, "abi": "numba", "output": "ptx", "cc": (8, 0)}
        text, _ = cuda.compile(function, numba.types.void(*arguments), **given)
        text = text.decode() if isinstance(text, bytes) else text
        (entry,) = [*kernels_of(text.encode())] or [signature.kernel]
        return Adapted(Ptx(text, entry), passes)

    return make


def _numba_type(numba: Any, signature: KernelSignature, name: str, dtype: DType) -> Any:
    of = {"bool_": "boolean"}.get(dtype.name) or re.sub(
        r"^([iuf])(\d+)$", lambda m: f"{_KINDS[m[1]]}{m[2]}", dtype.name
    )
    if not hasattr(numba.types, of):
        unfit(signature.kernel, f"numba has no type for `{name}`, of {dtype}", "declare a dtype that numba has")
    return getattr(numba.types, of)


_KINDS: Final = {"i": "int", "u": "uint", "f": "float"}


# --- CuPy -------------------------------------------------------------------------------------------------------------


def _cupy(kernel: Any, signature: KernelSignature) -> Made:
    """A `RawKernel`: its CUDA C++, with the options that are known here."""
    code, name = _attribute(kernel, signature, "code"), _attribute(kernel, signature, "name")
    macros: list[tuple[str, str]] = []
    include: list[str] = []
    standard: str | None = None
    options: list[str] = list(_attribute(kernel, signature, "options") or ())
    if not isinstance(code, str):
        unfit(signature.kernel, "the RawKernel was made of no source", "give the code itself: `cubin=`, `ptx=`")
    for option in options:
        if option.startswith("-D"):
            macro, _, value = option[2:].strip().partition("=")
            macros.append((macro, value or "1"))
        elif option.startswith("-I"):
            include.append(option[2:].strip())
        elif option.startswith(("-std=", "--std=")):
            standard = option.partition("=")[2]
        else:
            unfit(
                signature.kernel,
                f"the RawKernel has the option `{option}`",
                "give its source: `cuda_source=kernel.code`",
            )
    source = CudaSource(code, name, tuple(macros), tuple(include), standard)
    return lambda specialisation: Adapted(source)


# --- cuTile Python ----------------------------------------------------------------------------------------------------

_CUTILE: Final[Mapping[str, str]] = {
    "bool_": "bool_", "bf16": "bfloat16", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2",
    "f8e8m0fnu": "float8_e8m0fnu", **{f"f{bits}": f"float{bits}" for bits in (16, 32, 64)},
    **{f"{short}{bits}": f"{long}{bits}" for short, long in (("i", "int"), ("u", "uint")) for bits in (8, 16, 32, 64)},
}  # fmt: skip


def _cutile(kernel: Any, signature: KernelSignature) -> Made:
    """A kernel of cuTile Python, which exports bytecode for the dtypes and ranks of each launch; no GPU is needed."""
    function = _attribute(kernel, signature, "_pyfunc")
    names = list(function.__code__.co_varnames[: function.__code__.co_argcount])
    own = [p.name for p in signature.parameters]
    if names != own:
        unfit(signature.kernel, f"the cuTile kernel takes {', '.join(names)}", "declare these, in their order")

    def make(specialisation: Specialisation) -> Adapted:
        tile, compilation = import_module("cuda.tile"), import_module("cuda.tile.compilation")
        given: list[Any] = []
        align: dict[str, int] = {}
        shared = ("read",) if sum(p.mode == "ref" for p in signature.tensors) > 1 else ()
        for p, spec in zip(signature.parameters, specialisation, strict=True):
            if isinstance(spec, ConstSpec):
                given.append(compilation.ConstantConstraint(spec.value))
                continue
            of = getattr(tile, _CUTILE.get(spec.dtype.name, ""), None)
            if of is None:
                unfit(
                    signature.kernel,
                    f"cuTile Python has no dtype for `{p.name}`, of {spec.dtype}",
                    "declare another dtype",
                )
            if isinstance(spec, ScalarSpec):
                given.append(compilation.ScalarConstraint(of))
                continue
            align[p.name] = spec.dtype.itemsize
            given.append(
                compilation.ArrayConstraint(
                    of, spec.rank, index_dtype=tile.int32, stride_lower_bound_incl=0,
                    alias_groups=shared if p.mode == "ref" else (), may_alias_internally=p.mode == "ref",
                    base_addr_divisible_by=spec.dtype.itemsize,
                )
            )  # fmt: skip
        convention = compilation.CallingConvention.cutile_python_v1()
        made = compilation.KernelSignature(given, convention).with_mangled_symbol(function.__name__)
        out = io.BytesIO()
        compilation.export_kernel(kernel, [made], out, gpu_code="sm_100", output_format="tileir_bytecode")
        return Adapted(TileIR(out.getvalue(), made.symbol), "cutile", align=align)

    return make


_ADAPTERS: Final[Mapping[str, tuple[Callable[[Any, KernelSignature], Made], str]]] = {
    "triton.CompiledKernel": (_triton, "a cubin"),
    "numba.CUDADispatcher": (_numba, "PTX"),
    "cupy.RawKernel": (_cupy, "CUDA C++"),
    "cuda.kernel": (_cutile, "Tile IR"),
}
"""By the package and the class of a kernel."""
