"""
Code that others made, and cubins of it: as they are, linked, compiled or assembled; kept on disk as other kernels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn, Protocol

from freehold.backend import cubin
from freehold.runtime.base.call_site import caller
from freehold.runtime.errors.refusing import errors, reject
from freehold.runtime.gpu import toolchain
from freehold.support.spelling import nearest

if TYPE_CHECKING:
    from freehold.frontend.signature import Specialisation
    from freehold.support.diagnostic import Error


class Source(Protocol):
    """Code for arguments of one kind."""

    kind: ClassVar[str]
    """What it is, in an error's words."""

    @property
    def entry(self) -> str:
        """The symbol of the kernel in it."""
        ...

    def for_gpu(self, kernel: str, arch: str) -> bytes:
        """What the driver loads on a GPU of an architecture: a cubin, or PTX. Raises `Rejected`."""
        ...


Made = Callable[["Specialisation"], "Adapted"]
"""Makes the code for arguments of a kind, where it is other code for each: of libraries that compile by types."""


class Adapted(NamedTuple):
    """What another library's kernel comes to, besides what its user declares."""

    source: Source
    passes: Any = None
    """What it is passed (`runtime.foreign.declaration`)."""
    block: tuple[int, ...] | None = None
    shared: int | None = None
    align: Mapping[str, int] = {}
    """What addresses of arrays are multiples of."""
    requires: tuple[tuple[str, str], ...] = ()
    """Conditions of its launches, over extents and integers, each with a reason."""


@dataclass(frozen=True)
class Cubin:
    """Code for one architecture, an ELF file."""

    kind: ClassVar[str] = "a cubin"
    code: bytes = field(repr=False)
    entry: str

    def for_gpu(self, kernel: str, arch: str) -> bytes:
        """Itself: the driver says whether it is for the GPU (O276)."""
        return self.code


@dataclass(frozen=True)
class Ptx:
    """NVIDIA's virtual assembly, as text."""

    kind: ClassVar[str] = "PTX"
    text: str = field(repr=False)
    entry: str

    def for_gpu(self, kernel: str, arch: str) -> bytes:
        """A cubin by nvJitLink; where there is none, the text, which the driver compiles. Raises `Rejected` (O289)."""
        try:
            return _kept("ptx", self.text, arch, (), lambda: toolchain.to_cubin(self.text, "ptx", arch))
        except toolchain.NotCompiled as e:
            if e.missing:
                return self.text.encode()
            _refuse(kernel, self.kind, e, "ptx")


@dataclass(frozen=True)
class CudaSource:
    """CUDA C++, as text, with what its preprocessor is told."""

    kind: ClassVar[str] = "CUDA C++"
    text: str = field(repr=False)
    entry: str
    macros: tuple[tuple[str, str], ...] = ()
    include: tuple[str, ...] = ()
    standard: str | None = None

    def for_gpu(self, kernel: str, arch: str) -> bytes:
        """A cubin by NVRTC. Raises `Rejected` (O289)."""

        def compiled() -> bytes:
            given: dict[str, Any] = {"macros": self.macros, "include": self.include, "standard": self.standard}
            return toolchain.to_cubin(self.text, "c++", arch, **given)

        try:
            if self.include:  # what these files hold is in no key
                return compiled()
            return _kept("c++", self.text, arch, (repr(self.macros), self.standard or ""), compiled)
        except toolchain.NotCompiled as e:
            _refuse(kernel, self.kind, e, "c++")


@dataclass(frozen=True)
class TileIR:
    """Tile IR bytecode, which is for all architectures."""

    kind: ClassVar[str] = "Tile IR"
    code: bytes = field(repr=False)
    entry: str

    def for_gpu(self, kernel: str, arch: str) -> bytes:
        """A cubin by the assembler. Raises `Rejected` (O40x)."""
        from freehold.backend import cache
        from freehold.runtime.variants.build import assembled

        return _kept_by(cache.identity(), self.code, arch, (), lambda: assembled(self.code, arch, kernel))

    def module(self) -> Any:
        """It as a verified module of the `cuda_tile` dialect. Raises `Rejected` where it is no bytecode."""
        from freehold.backend.bytecode.reader import read_bytecode

        module = read_bytecode(self.code)
        module.verify()
        return module

    def kernels(self) -> dict[str, EntryPoint]:
        """Its entries, with the bytes of their parameters. Raises `Rejected` where it is no bytecode."""
        from freehold.dialects.cuda_tile.ops.module import EntryOp
        from freehold.dialects.cuda_tile.types import PointerType
        from freehold.runtime.interpreter.elements import element_of

        def size(argument: Any) -> int:
            of = argument.type.element_type
            return 8 if isinstance(of, PointerType) else element_of(of).memory_bytes

        entries = [op for op in self.module().walk() if isinstance(op, EntryOp)]
        return {op.sym_name.data: EntryPoint(tuple(map(size, op.body.block.args))) for op in entries}


def _kept(language: str, text: str, arch: str, more: tuple[str, ...], make: Callable[[], bytes]) -> bytes:
    return _kept_by(toolchain.identity(language), text, arch, (language, *more), make)


def _kept_by(
    compiler: str | None, code: str | bytes, arch: str, more: tuple[str, ...], make: Callable[[], bytes]
) -> bytes:
    """What a compiler makes of code, or made of it before, by the cache of compiled kernels."""
    from freehold.backend import cache

    store = cache.open_cache() if compiler is not None else None
    if store is None or compiler is None:
        return make()
    key = cache.key_of(["foreign", code, arch, compiler, *more])
    found = store.load(key)
    if found is not None and found.assembler == compiler:
        return found.cubin
    made = make()
    store.store(key, cache.Entry("", made, compiler))
    return made


def _refuse(kernel: str, kind: str, failed: toolchain.NotCompiled, language: str) -> NoReturn:
    """Raises `Rejected` (O289), with the compiler's own lines."""
    if failed.missing:
        error = errors.CodeRefused(caller().span, kernel, kind, "its compiler is not installed")
        reject(error.add(error.Install(toolchain.PACKAGES[language])))
    error = errors.CodeRefused(caller().span, kernel, kind, "its compiler refuses it")
    lines = [line.strip() for line in failed.said.splitlines()]
    for line in [x for x in lines if "error" in x.lower()][:4] or [x for x in lines if x][:4]:
        error.add(error.Said(line))
    reject(error)


# --- What code says of itself -----------------------------------------------------------------------------------------


class EntryPoint(NamedTuple):
    """A kernel that code has."""

    sizes: tuple[int, ...] | None
    """Bytes of each parameter; None where the code does not say."""
    threads: tuple[int, int, int] | None = None
    """Threads of a block, where it requires a number."""
    most_threads: int | None = None


_ENTRY = re.compile(r"\.entry\s+([A-Za-z_$%][\w$]*)\s*(?:\(([^)]*)\))?")
_PARAMETER = re.compile(
    r"\.param\s+(?:\.align\s+\d+\s+)?\.([a-z]\d+)((?:\s+\.\w+(?:\s+\d+)?)*)\s+[\w$%]+(?:\[(\d+)\])?"
)


def kernels_of(code: bytes) -> dict[str, EntryPoint]:
    """The kernels of a cubin or of PTX, by symbol. Raises `NotACubin`."""
    if code[:4] == b"\x7fELF":
        found = cubin.resources(code)
        return {k.kernel: EntryPoint(k.sizes, k.threads, k.most_threads) for k in found}
    kernels: dict[str, EntryPoint] = {}
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", code.decode(errors="replace"), flags=re.DOTALL)
    for name, parameters in _ENTRY.findall(text):
        sizes = [int(of[1:]) // 8 * int(n or 1) for of, _, n in _PARAMETER.findall(parameters)]
        kernels[name] = EntryPoint(tuple(sizes))
    return kernels


def unknown_entry(kernel: str, kind: str, entry: str, there: Mapping[str, object]) -> Error:
    """The error for an entry that code does not have."""
    names = ", ".join(f"`{name}`" for name in there) or "none"
    error = errors.EntryMissing(caller().span, kernel, kind, entry, names)
    mangled = [name for name in there if name.startswith("_Z") and f"{len(entry)}{entry}" in name]
    if mangled and kind == CudaSource.kind:
        return error.add(error.Unmangled(entry))
    meant = nearest(entry, there) or next(iter([*mangled, *(there if len(there) == 1 else ())]), None)
    return error if meant is None else error.add(error.Meant(meant))
