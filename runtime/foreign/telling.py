"""What there is to say of a foreign kernel: `Extern.explain`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from freehold.backend.cubin import NotACubin, resources
from freehold.support.contract import EntryParameter, LaunchContract

if TYPE_CHECKING:
    from freehold.frontend.signature import KernelSignature
    from freehold.runtime.foreign.code import Source
    from freehold.runtime.variants.evaluation import Geometry

_WIDTH: Final = 120
_DONE: Final = {
    "ref": "read",
    "mut": "read and written, apart from all else",
    "out": "written, apart from all else",
    "acc": "updated, apart from all else",
    "raw": "anything, apart from all else",
}


def explained(
    signature: KernelSignature,
    source: Source,
    contract: LaunchContract,
    geometry: Geometry,
    codes: Mapping[str, bytes],
    *,
    stands_in: bool,
) -> str:
    """The text. `codes` is what GPUs load, by architecture."""
    return "\n".join(line for part in _lines(signature, source, contract, geometry, codes, stands_in) for line in part)


def _lines(
    signature: KernelSignature,
    source: Source,
    contract: LaunchContract,
    geometry: Geometry,
    codes: Mapping[str, bytes],
    stands_in: bool,
) -> Iterator[list[str]]:
    foreign = contract.foreign
    assert foreign is not None
    yield [f"{signature.kernel}: foreign code, {source.kind}, entry `{source.entry}`"]
    if foreign.promise:
        yield _filled(f'unsafe: nothing of it is proved; its author says: "{foreign.promise}"')
    else:
        yield ["audited: it does in this launch what is declared of it"]
    width = max(len(p.name) for p in signature.parameters)
    for p in signature.parameters:
        done = _DONE.get(p.mode, "passed" if p.mode == "scalar" else "known when it is compiled")
        place = [q.name for q in contract.parameters].index(p.name) if p.mode != "const" else -1
        told = {e.axis for e in contract.entry if e.kind == "stride" and e.argument == place}
        rest = "" if place not in foreign.contiguous else "; contiguous where its strides are not passed"
        rest = rest if told else rest.partition(" where")[0]
        yield _filled(f"{p.name:{width}}  {p.annotation}: {done}{rest}", first="  ")
    yield _filled(f"passes {', '.join(shown_entry(contract, e) for e in contract.entry)}")
    x, y, z, u, v, w, a, b, c, shared = geometry.shape
    cluster = f", clusters of {a} x {b} x {c} blocks" if (a, b, c) != (1, 1, 1) else ""
    threads = f"of {u} x {v} x {w} threads" if (u, v, w) != (1, 1, 1) or source.kind != "Tile IR" else "of tiles"
    yield _filled(f"this launch: {x} x {y} x {z} blocks {threads}{cluster}, {shared} bytes of dynamic shared memory")
    yield [f"on the host: {_host(source, stands_in)}"]
    for arch, code in codes.items():
        yield _filled(f"on {arch}: {_takes(code, source.entry)}")


def _host(source: Source, stands_in: bool) -> str:
    if stands_in:
        return "its stand-in, which results on a GPU are compared with in checked mode"
    return "the interpreter" if source.kind == "Tile IR" else "nothing, for it has no stand-in"


def _takes(code: bytes, entry: str) -> str:
    try:
        found = next((k for k in resources(code) if k.kernel == entry), None)
    except NotACubin:
        found = None
    if found is None:
        return "PTX, which the driver compiles"
    spills = f", {found.local_stores + found.local_loads} accesses to spilled registers" if found.local_stores else ""
    memory = f"{found.registers} registers a thread, {found.shared} bytes of static shared memory"
    return f"{memory}{spills}, {found.code} bytes of code"


def _filled(text: str, first: str = "") -> list[str]:
    return wrap(text, _WIDTH, initial_indent=first, subsequent_indent=f"{first}    ", break_long_words=False)


def shown_entry(contract: LaunchContract, entry: EntryParameter) -> str:
    """A parameter of the code, in words."""
    name = contract.parameters[entry.argument].name if entry.argument >= 0 else ""
    if entry.kind == "pointer":
        return f"`{name}`"
    if entry.kind == "scalar":
        return f"`{name}` ({contract.parameters[entry.argument].dtype})"
    strides = "strides" if entry.scale == 1 else "byte_strides"
    text = entry.term if entry.kind == "extent" else f"{name}.{strides}[{entry.axis}]"
    return f"`{text}` ({entry.dtype})"
