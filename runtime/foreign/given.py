"""
What `freehold.extern` is given: the code, of whatever maker, and the reason to trust it, looked at when it is
declared.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, NoReturn, cast

from freehold.frontend.signature import ConstSpec, KernelSignature, Specialisation
from freehold.runtime.errors.refusing import errors, refuse
from freehold.runtime.foreign.adapters import adapted
from freehold.runtime.foreign.code import Adapted, Cubin, CudaSource, Made, Ptx, Source, TileIR
from freehold.runtime.foreign.declaration import unfit
from freehold.runtime.foreign.kernel import deny

_KINDS: Final = {"cubin": Cubin, "ptx": Ptx, "cuda_source": CudaSource, "tile_ir": TileIR}


class GivenCode(NamedTuple):
    """The code, and all that is said of it."""

    kernel: object
    """Another library's, or None."""
    codes: Mapping[str, Any]
    entry: str | None
    macros: Mapping[str, object]
    include: tuple[str, ...]
    standard: str | None
    unsafe: str | None
    deny_unsafe: bool


def name_of(given: object) -> str:
    """What a function, or another library's kernel, is called; empty where it does not say."""
    of: object = getattr(given, "_pyfunc", given)  # cuTile's
    for place in ("__name__", "name"):
        found = getattr(of, place, None)
        if isinstance(found, str):
            return found
    return ""


def made_of(
    given: GivenCode, signature: KernelSignature, *, threads: bool, align: Mapping[str, int]
) -> tuple[Made, bool]:
    """
    What makes the code for arguments of each kind, and whether it is Tile IR. `threads` says that their number was
    given.

    Raises `Rejected` (O286, O294, O295).
    """
    name, kernel = signature.kernel, given.kernel
    count = (kernel is not None) + len(given.codes)
    if count != 1:
        unfit(
            name,
            f"{count or 'no'} codes are given",
            "give one: `cubin=`, `ptx=`, `cuda_source=`, `tile_ir=`, or another library's kernel",
        )
    if any(not 1 <= n <= 16 or n & (n - 1) for n in align.values()):
        unfit(name, "an alignment is no power of two up to 16", "declare what the code relies on, up to 16 bytes")
    if unknown := [n for n in align if n not in [p.name for p in signature.tensors]]:
        unfit(name, f"`align` names `{unknown[0]}`, which is no array", "name arrays of its signature")
    made, kind = adapted(kernel, signature) if kernel is not None else _of_code(given, signature)
    tiles = kind == TileIR.kind
    if tiles and threads:
        unfit(name, "a number of threads is given for Tile IR", "leave `block` out: tile blocks are no threads")
    if not tiles and not threads and type(kernel).__module__.partition(".")[0] != "triton":
        unfit(name, "no number of threads is given", "say how many threads a block has: `block=256`")
    _check_promise(name, kind, given.unsafe, tiles, given.deny_unsafe)
    return made, tiles


def _of_code(given: GivenCode, signature: KernelSignature) -> tuple[Made, str]:
    """What makes code that was given itself, and what it is in words."""
    ((which, code),) = given.codes.items()
    name, symbol = signature.kernel, given.entry or signature.kernel
    if which in ("ptx", "cuda_source") and isinstance(code, bytes):
        code = code.rstrip(b"\0").decode()
    wanted = str if which in ("ptx", "cuda_source") else bytes
    if not isinstance(code, wanted):
        unfit(name, f"`{which}` is a {type(code).__name__}", f"give it as `{wanted.__name__}`")
    code = cast("Any", code)
    if which != "cuda_source":
        if given.macros or given.include or given.standard:
            unfit(name, f"`{which}` is compiled already", "`macros`, `include` and `standard` are for `cuda_source`")
        source = cast("Source", _KINDS[which](code, symbol))
        return (lambda specialisation: Adapted(source)), source.kind
    texts = tuple((n, str(int(v) if isinstance(v, bool) else v)) for n, v in given.macros.items())

    def make(specialisation: Specialisation) -> Adapted:
        pairs = zip(signature.parameters, specialisation, strict=True)
        constants = tuple((p.name, str(s.value)) for p, s in pairs if isinstance(s, ConstSpec))
        return Adapted(CudaSource(code, symbol, texts + constants, given.include, given.standard))

    return make, CudaSource.kind


def _check_promise(name: str, kind: str, reason: str | None, tiles: bool, denied: bool) -> None:
    """Refuses code that nobody vouches for, and a reason where such are denied."""
    if reason is None and not tiles:
        _no_promise(name, kind)
    if reason is not None and not reason.strip():
        unfit(name, "the reason is empty", 'say why it is right: `unsafe="each thread writes its own element"`')
    if reason is not None and denied:
        deny(name, reason, "leave `deny_unsafe` out")


def _no_promise(name: str, kind: str) -> NoReturn:
    """Raises `Rejected` (O286)."""
    refuse(errors.PromiseMissing, name, kind)
