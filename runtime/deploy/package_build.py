"""Writes packages of compiled kernels: `freehold.build`. What they are is said in `runtime.deploy.package`."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from zipfile import ZIP_DEFLATED, ZipFile

from freehold.frontend.signature import ConstSpec, Form, Specialisation, TensorSpec
from freehold.runtime.base.call_site import caller
from freehold.runtime.deploy.package import FORMAT, MANIFEST, VERSION, described, digest, parameter_entry
from freehold.runtime.errors.refusing import errors, reject
from freehold.runtime.variants.hints import given
from freehold.support.progress import progress
from freehold.support.public import public

if TYPE_CHECKING:
    from freehold.passes.analysis.facts import KernelFacts
    from freehold.runtime.foreign.kernel import Extern
    from freehold.runtime.jit.kernel import Kernel
    from freehold.runtime.launch.launch import Launch
    from freehold.support.span import Span


@public
def build(
    launches: Iterable[Launch],
    archs: Sequence[str],
    path: str | os.PathLike[str],
    *,
    general: bool = True,
    proofs: bool = False,
) -> Path:
    """
    Compiles kernels ahead of time, and writes them as a package: a folder, or a file if `path` ends in `.zip`.

    Kernels, and the kinds of arguments they are compiled for, are given as launches, which are not run:

        launches = [saxpy(fh.partition(y, tile), x, 2.0) for tile in (512, 1024)]
        fh.build(launches, archs=["sm_90", "sm_100"], path="kernels")

    Arrays may be in any memory; only what they look like matters. Each value of a `Const` parameter and each partition
    is a variant of its own. What is special about the arrays (addresses, strides and extents that are multiples of 16
    bytes) makes faster code, which other arrays cannot use; with `general` there is code for those, too: any extents,
    and strides as long as contiguous axes stay so. `archs` may be empty: then there is bytecode alone. With `proofs`
    there is a file beside each contract with what was concluded of the variant (as `Kernel.proofs` has it).

    Replaces a package that is there. Needs the compiler and the assembler, and no GPU. Raises `Rejected`: O274, and
    what compiling raises.
    """
    target = Path(path)
    made = _Builder(tuple(archs), general, proofs)
    for launch in progress(launches, "launches compiled"):
        made.add(launch)
    if not made.kernels:
        _unpackable("an empty list of launches", "there would be nothing to load", "kernel(...)")
    if target.exists() and not _is_package(target):
        _unpackable(f"`{target}`", "it is there, and it is no package")
    made.write(target)
    return target


class _Builder:
    """Collects variants and files."""

    def __init__(self, archs: tuple[str, ...], general: bool, proofs: bool):
        self.archs = archs
        self.general = general
        self.proofs = proofs
        self.kernels: dict[
            str, tuple[Kernel | Extern, list[dict[str, Any]], set[tuple[Form | None, Specialisation]]]
        ] = {}
        self.files: dict[str, bytes] = {}
        self.verified: dict[str, str] = {}
        """Of files with code: the digest of the IR that was verified."""

    def add(self, launch: Any) -> None:
        """Compiles the variants that a launch stands for."""
        from freehold.runtime.foreign.kernel import Extern
        from freehold.runtime.jit.kernel import Kernel
        from freehold.runtime.launch.launch import Launch
        from freehold.runtime.scheduling.problem import leaves_open

        if not isinstance(launch, Launch):
            call = f"{launch.__name__ if isinstance(launch, Kernel) else 'kernel'}(...)"
            _unpackable(f"a {type(launch).__name__.lower()}", "it does not say what to compile for", call)
        kernel = launch.dispatcher.kernel
        if launch.arguments is not None and leaves_open(kernel.signature, launch.arguments):
            reason = "it leaves its schedule open, which is chosen where kernels are compiled"
            call = f"{kernel.__name__}(fh.partition(...), ...)"
            _unpackable(f"this launch of `{kernel.__name__}`", reason, call)
        if not isinstance(kernel, Kernel | Extern):
            _unpackable(f"`{kernel.__name__}`", "it comes from a package itself")
        _, bound = launch.described()
        known, variants, seen = self.kernels.setdefault(kernel.__name__, (kernel.whole, [], set()))
        if known is not kernel.whole:
            _unpackable(f"`{kernel.__name__}`", "another kernel of this name is in the package")
        if isinstance(kernel, Extern):
            variant = _foreign(kernel, bound.specialisation, self.archs, self._file)
            if all(v["specs"] != variant["specs"] for v in variants):
                variants.append(variant)
            return
        for specialisation in dict.fromkeys((bound.specialisation, *self._general(bound.specialisation))):
            if (kernel.signature.form, specialisation) not in seen:
                seen.add((kernel.signature.form, specialisation))
                variants.append(self._variant(kernel, specialisation, len(variants)))

    def _general(self, specialisation: Specialisation) -> tuple[Specialisation, ...]:
        if not self.general:
            return ()
        specs = [
            replace(s, align=s.dtype.itemsize, stride_divs=(1,) * s.rank, extent_divs=(1,) * s.rank)
            if isinstance(s, TensorSpec)
            else s
            for s in specialisation
        ]
        return (Specialisation(tuple(specs)),)

    def _variant(self, kernel: Kernel, specialisation: Specialisation, number: int) -> dict[str, Any]:
        from freehold.backend.bytecode.writer import write_bytecode
        from freehold.passes.prover.journal import journal
        from freehold.passes.prover.script import script
        from freehold.runtime.variants.build import (
            contract_of,
            cubin_of,
            emitted,
            in_this_environment,
            optimised,
            pinned,
            validate,
            verified,
            warn,
            warn_of_breakpoints,
        )

        specs: list[dict[str, Any]] = []
        for parameter, spec in zip(kernel.signature.parameters, specialisation, strict=True):
            text = described(spec)
            if text is None:
                value = f"`{spec.value!r}`" if isinstance(spec, ConstSpec) else "its partition"
                what = f"`{parameter.name}` of `{kernel.__name__}`"
                _unpackable(what, f"no text tells {value} from others in every process")
            specs.append(text)
        breakpoints: list[Span] = []
        with journal() if self.proofs else nullcontext(()) as claims:
            facts: list[KernelFacts] = []
            module = verified(kernel.function, specialisation, kernel.options, breakpoints, facts=facts)
            chosen = optimised(module, kernel.options.math, facts)
        warn(kernel.function, module)
        warn_of_breakpoints(breakpoints)
        translated = emitted(chosen, kernel.options)
        cubins = {arch: cubin_of(translated, arch, kernel.__name__)[0] for arch in self.archs}
        code = write_bytecode(translated)
        if in_this_environment(kernel.options).validate:
            validate(chosen, code, kernel.options)
        stem = f"{kernel.__name__}-{number}"
        contract = pinned(contract_of(chosen, kernel.options.checks), module)
        if self.proofs:
            self._file(f"{stem}.smt2", script(claims, f"kernel `{kernel.__name__}`").encode())
        return {
            **({} if kernel.signature.form is None else {"form": [*kernel.signature.form]}),
            "specs": specs,
            "hints": given(kernel.options.hints),
            "checks": kernel.options.checks,
            "contract": self._file(f"{stem}.json", contract.to_json().encode()),
            "bytecode": self._file(f"{stem}.tileirbc", code, contract.verified),
            "cubins": {
                arch: self._file(f"{stem}.{arch}.cubin", cubin, contract.verified) for arch, cubin in cubins.items()
            },
        }

    def _file(self, name: str, data: bytes, verified: str = "") -> str:
        self.files[name] = data
        if verified:
            self.verified[name] = verified
        return name

    def write(self, target: Path) -> None:
        """Writes the package aside and puts it in its place when it is whole."""
        import freehold
        from freehold.backend import cache

        manifest: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "made_by": f"freehold {freehold.__version__}",
            "assembler": cache.identity(),
            "kernels": [
                {
                    "name": name,
                    "parameters": [*map(parameter_entry, kernel.signature.parameters)],
                    "variants": variants,
                    **({} if kernel.signature.cut else {"cut": False}),
                }
                for name, (kernel, variants, _) in self.kernels.items()
            ],
            "files": {
                name: {
                    "sha256": hashlib.sha256(data).hexdigest(),
                    "size": len(data),
                    **({"verified": self.verified[name]} if name in self.verified else {}),
                }
                for name, data in self.files.items()
            },
        }
        manifest["sha256"] = digest(manifest)
        files = {MANIFEST: json.dumps(manifest, indent=1).encode() + b"\n", **self.files}
        target.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        try:
            if target.suffix == ".zip":
                made = aside / target.name
                with ZipFile(made, "w", ZIP_DEFLATED) as archive:
                    for name, data in files.items():
                        archive.writestr(name, data)
                os.replace(made, target)
                return
            made = aside / "new"
            made.mkdir()
            for name, data in files.items():
                (made / name).write_bytes(data)
            if target.exists():
                os.replace(target, aside / "old")
            os.replace(made, target)
        finally:
            shutil.rmtree(aside, ignore_errors=True)


def _foreign(
    kernel: Extern, specialisation: Specialisation, archs: Sequence[str], file: Callable[[str, bytes], str]
) -> dict[str, Any]:
    """The variant of a foreign kernel for arguments of a kind: cubins, and PTX or bytecode where there is some."""
    from freehold.backend.cubin import architecture
    from freehold.runtime.foreign.code import Cubin, Ptx, TileIR
    from freehold.support.contract import TensorParameter

    source, contract = kernel.made_for(specialisation)
    name = f"`{kernel.__name__}`"
    assert contract.foreign is not None
    if not contract.foreign.promise:
        _unpackable(name, "the audit looks at each launch of it, which needs the compiler: give a reason, `unsafe=`")
    if isinstance(source, Cubin) and (other := {*archs} - {architecture(source.code)}):
        _unpackable(name, f"its cubin is for {architecture(source.code)}, and {', '.join(sorted(other))} was asked for")
    known = {p.name: p for p in contract.parameters}
    specs: list[dict[str, Any]] = []
    for parameter, spec in zip(kernel.signature.parameters, specialisation, strict=True):
        if isinstance(spec, TensorSpec):
            asked = known[parameter.name]
            assert isinstance(asked, TensorParameter)
            layout = {"stride_divs": asked.stride_divs, "extent_divs": asked.extent_divs}
            spec = replace(spec, align=asked.align, strides=asked.strides, **layout)
        specs.append(described(spec) or {})
    stem = f"{kernel.__name__}-{_key(specs)}"
    compiled = {arch: kernel.compiled(specialisation, arch) for arch in archs}
    contract = next((c.contract for c in compiled.values()), contract)  # with what the code makes of its launches
    beside = ""
    if isinstance(source, TileIR):
        beside = file(f"{stem}.tileirbc", source.code)
    elif isinstance(source, Ptx):
        beside = file(f"{stem}.ptx", source.text.encode())
    return {
        "specs": specs,
        "hints": {},
        "checks": True,
        "contract": file(f"{stem}.json", contract.to_json().encode()),
        "bytecode": beside,
        "cubins": {arch: file(f"{stem}.{arch}.cubin", c.cubin) for arch, c in compiled.items()},
    }


def _key(specs: Sequence[dict[str, Any]]) -> str:
    """What tells a variant's files from others."""
    return hashlib.sha256(json.dumps(specs, sort_keys=True).encode()).hexdigest()[:12]


def _is_package(target: Path) -> bool:
    if target.is_dir():
        return (target / MANIFEST).is_file() or not any(target.iterdir())
    return target.suffix == ".zip"


def _unpackable(what: str, reason: str, call: str = "") -> NoReturn:
    error = errors.Unpackable(caller().span, what, reason)
    reject(error.add(error.Example(call)) if call else error)
