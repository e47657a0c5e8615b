"""
Packages: kernels compiled ahead of time, loaded without a compiler.

A package is a folder or a `.zip` file. Its `manifest.json` names the kernels, their parameters and variants, and every
other file with its length and SHA-256; of code also the digest of the IR that was verified. A variant is a launch
contract (`.json`), bytecode for all architectures (`.tileirbc`), and a cubin for each architecture that it was built
for. Of foreign kernels there is PTX (`.ptx`) in the place of bytecode, or nothing. `freehold.build` writes packages
(`runtime.deploy.package_build`), `freehold.load` reads them.

Loading checks the manifest and all contracts; other files are checked when they are read. Neither the frontend nor the
passes nor the assembler is loaded, unless bytecode has to be assembled, which `strict` forbids.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, cast

from freehold.frontend.schedule import Blocks, Grid, Order
from freehold.frontend.signature import (
    MISSING,
    ConstSpec,
    Form,
    KernelSignature,
    Parameter,
    ScalarSpec,
    Specialisation,
    TensorSpec,
)
from freehold.runtime.base.call_site import caller
from freehold.runtime.base.imported import once_imported
from freehold.runtime.errors.refusing import errors, reject
from freehold.runtime.jit.launchable import Launchable
from freehold.runtime.variants.build import DENY, Options, denied, stable_text
from freehold.runtime.variants.compiled import Compiled, Once
from freehold.runtime.variants.hints import Given, checked
from freehold.support.contract import LaunchContract, ScalarParameter, TensorParameter
from freehold.support.dtypes import BY_NAME
from freehold.support.public import public

if TYPE_CHECKING:
    from freehold.frontend.schedule import PartitionSpec
    from freehold.runtime.launch.callee import Interpreted
    from freehold.runtime.launch.modes import Kind

VERSION: Final = 5
"""Of the form of packages. Only packages of this one are read."""

MANIFEST: Final = "manifest.json"
FORMAT: Final = "freehold package"

_TYPES: Final[dict[str, type]] = {t.__name__: t for t in (int, float, bool, str, bytes, tuple, Grid)}
"""Python types of `Const` parameters and scalars that a package can name; others are not checked."""

_MOST_BYTES: Final = 1 << 30
"""Of a file in a zip file, unpacked."""

_NAME: Final = re.compile(r"\w[\w.-]*")


def digest(manifest: Mapping[str, Any]) -> str:
    """The checksum of a manifest, over all of it but the checksum itself."""
    rest = {key: value for key, value in manifest.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


class Files:
    """The files of a package. Raises `Rejected` (O272, O273) for what is no package, and for damaged files."""

    def __init__(self, path: str):
        self.path = path
        self.manifest = self._manifest()

    def read(self, name: str, verified: str | None = None) -> bytes:
        """A file that the manifest lists, checked; if it is code, given the digest of the IR that it must be of."""
        entry: Any = self.manifest["files"].get(name)
        if entry is None:
            self.damaged(MANIFEST, f"it uses `{name}` and does not list it")
        data = self._bytes(name)
        if data is None:
            self.damaged(name, "it is missing")
        if len(data) != entry["size"]:
            self.damaged(name, f"it has {len(data)} bytes, not {entry['size']}")
        if hashlib.sha256(data).hexdigest() != entry["sha256"]:
            self.damaged(name, "its checksum differs")
        if verified is not None and entry.get("verified") != verified:
            self.damaged(name, "it was made of other IR than its contract")
        return data

    def damaged(self, name: str, reason: str) -> NoReturn:
        """Raises `Rejected` (O273)."""
        reject(errors.PackageDamaged(None, name, self.path, reason))

    def _refuse(self, reason: str, rebuild: bool = False) -> NoReturn:
        error = errors.NoPackage(None, self.path, reason)
        reject(error.add(error.Rebuild()) if rebuild else error)

    def _manifest(self) -> dict[str, Any]:
        if not os.path.exists(self.path):
            self._refuse("there is no such file or folder")
        data = self._bytes(MANIFEST)
        if data is None:
            self._refuse(f"it is no package of kernels: it has no `{MANIFEST}`")
        try:
            found: Any = json.loads(data)
        except (ValueError, RecursionError) as e:
            self.damaged(MANIFEST, f"it is no JSON ({e})")
        if not isinstance(found, dict) or cast("dict[str, Any]", found).get("format") != FORMAT:
            self._refuse(f"its `{MANIFEST}` is of something else")
        manifest = cast("dict[str, Any]", found)
        if manifest.get("version") != VERSION:
            made_by = manifest.get("made_by", "another program")
            self._refuse(f"its form is {manifest.get('version')}, by {made_by}; {VERSION} is read here", rebuild=True)
        if manifest.get("sha256") != digest(manifest):
            self.damaged(MANIFEST, "its checksum differs")
        return manifest

    def _bytes(self, name: str) -> bytes | None:
        """The content of a file; None where there is none."""
        if _NAME.fullmatch(name) is None:
            self.damaged(MANIFEST, f"`{name}` is no name of a file of a package")
        if os.path.isdir(self.path):
            try:
                with open(os.path.join(self.path, name), "rb") as file:
                    return file.read()
            except FileNotFoundError:
                return None
            except OSError as e:
                self.damaged(name, e.strerror or str(e))
        return self._unzipped(name)

    def _unzipped(self, name: str) -> bytes | None:
        import zipfile
        import zlib

        try:
            with zipfile.ZipFile(self.path) as archive:
                if archive.getinfo(name).file_size > _MOST_BYTES:
                    self.damaged(name, "it is larger than any file of a package")
                return archive.read(name)
        except KeyError:
            return None
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError, OSError) as e:
            if name == MANIFEST and not zipfile.is_zipfile(self.path):
                self._refuse("it is neither a folder nor a zip file")
            self.damaged(name, str(e))


class Variant(NamedTuple):
    """A kernel for arguments of one kind."""

    form: Form
    """Which of the tensors that a call may leave out it has."""

    specs: tuple[Mapping[str, Any], ...]
    """By parameter, what `described` says of it."""
    options: Options
    contract: LaunchContract
    bytecode: str
    """A file; of foreign code one of PTX, or none."""
    cubins: Mapping[str, str]
    """Files by architecture."""

    @property
    def demands(self) -> int:
        """How much it asks of arguments: of variants that fit, the one that asks most is the fastest."""
        tensors = [s for s in self.specs if "rank" in s]
        return sum(s["align"] + sum(s["strides"]) + sum(s["stride_divs"]) + sum(s["extent_divs"]) for s in tensors)


def described(spec: TensorSpec | ScalarSpec | ConstSpec) -> dict[str, Any] | None:
    """What a variant is specialised to for one parameter, as JSON; None for what no text tells from others."""
    if isinstance(spec, ScalarSpec):
        return {"scalar": spec.dtype.name}
    if isinstance(spec, ConstSpec):
        text = stable_text(spec.value)
        return None if text is None else {"const": text}
    partition = None if spec.partition is None else _cut(spec.partition)
    if partition is not None and " at 0x" in partition:
        return None
    return {
        "dtype": spec.dtype.name,
        "rank": spec.rank,
        "partition": partition,
        "align": spec.align,
        "strides": list(spec.strides),
        "stride_divs": list(spec.stride_divs),
        "extent_divs": list(spec.extent_divs),
    }


def _cut(spec: PartitionSpec) -> str:
    """A partition as it could be written, so that specs are equal where their texts are, in any process."""
    said = {f.name: getattr(spec, f.name) for f in fields(spec) if getattr(spec, f.name) != f.default}
    if said["step"] == spec.tile:
        del said["step"]
    return f"partition({', '.join(f'{name}={value!r}' for name, value in said.items())})"


def _fits(wanted: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    """Whether an argument is all that a variant counts on."""
    if "rank" not in wanted or "rank" not in given:
        return wanted == given
    if any(wanted[key] != given[key] for key in ("dtype", "rank", "partition")):
        return False
    strides = all(w in (0, g) for w, g in zip(wanted["strides"], given["strides"], strict=True))
    pairs = [(wanted["align"], given["align"])]
    for key in ("stride_divs", "extent_divs"):
        pairs += zip(wanted[key], given[key], strict=True)
    return strides and all(g % w == 0 for w, g in pairs)


def _words(spec: Mapping[str, Any]) -> str:
    """What `described` says, in an error's words."""
    if "scalar" in spec:
        return str(spec["scalar"])
    if "const" in spec:
        return f"`{str(spec['const']).partition(' ')[2]}`"
    layout = "" if spec["strides"][-1:] in ([1], []) else " in steps"
    cut = "" if spec["partition"] is None else f", cut by `{spec['partition']}`"
    return f"{spec['dtype']} with {spec['rank']} {'axis' if spec['rank'] == 1 else 'axes'}{layout}{cut}"


class PackagedKernel(Launchable):
    """A kernel of a package. It is called as the kernel that it was built from."""

    def __init__(self, signature: KernelSignature, variants: tuple[Variant, ...], files: Files, strict: bool):
        super().__init__(signature)
        self.variants = variants
        self._files = files
        self._strict = strict
        self._once = Once()

    def _formed(self, form: Form) -> PackagedKernel:
        variants = tuple(v for v in self.variants if v.form == form)
        return PackagedKernel(self.signature.in_form(form), variants, self._files, self._strict)

    @property
    def architectures(self) -> tuple[str, ...]:
        """The architectures that some variant has code for."""
        return tuple(sorted({arch for variant in self.variants for arch in variant.cubins}))

    def variant(self, specialisation: Specialisation) -> Variant:
        """The variant that asks most of arguments of a kind, and gets it. Raises `Rejected` (O270)."""
        return self._once.get(specialisation, lambda: self._variant(specialisation))

    def _variant(self, specialisation: Specialisation) -> Variant:
        given = [described(spec) or {"const": ""} for spec in specialisation]
        fitting = [v for v in self.variants if all(_fits(w, g) for w, g in zip(v.specs, given, strict=True))]
        if fitting:
            return max(fitting, key=lambda v: v.demands)
        error = errors.VariantMissing(caller().span, self.__name__)
        by_parameter = zip(self.signature.parameters, given, *[v.specs for v in self.variants], strict=True)
        misfits = [(p, g, wanted) for p, g, *wanted in by_parameter if not any(_fits(w, g) for w in wanted)]
        if not self.variants:  # in this form
            absent = [p.name for p in self.signature.parameters if p.optional and p.mode == "const"]
            if absent:
                error.add(error.Absent(" and ".join(f"`{name}`" for name in absent)))
            elif any(p.optional for p in self.signature.parameters):
                error.add(error.Present())
            counts = Counter(p.of for p in self.signature.parameters if p.of is not None)
            error.add(*(error.Counted(name, str(count)) for name, count in counts.items()))
            reject(error)
        for parameter, g, wanted in misfits:
            error.add(error.Asked(parameter.name, _words(g), " or ".join(dict.fromkeys(map(_words, wanted)))))
        if not misfits:
            error.add(error.Together())
        return reject(error)

    def compiled(self, specialisation: Specialisation, arch: str) -> Compiled:
        """The GPU code for one kind of arguments; assembled, where there is none. Raises `Rejected` (O270 to O273)."""

        def make() -> Compiled:
            variant = self.variant(specialisation)
            verified = variant.contract.verified or None
            if arch in variant.cubins:
                cubin = self._files.read(variant.cubins[arch], verified)
            elif self._strict or not variant.bytecode:
                there = ", ".join(variant.cubins) or "none"
                reject(errors.ArchitectureMissing(None, self.__name__, arch, there))
            else:
                cubin = self._made(variant, self._files.read(variant.bytecode, verified), arch)
            return Compiled(self.__name__, variant.contract, arch, cubin, variant.options)

        return self._once.get((specialisation, arch), make)

    def _made(self, variant: Variant, code: bytes, arch: str) -> bytes:
        if variant.bytecode.endswith(".ptx"):
            from freehold.runtime.foreign.code import Ptx

            return Ptx(code.decode(), variant.contract.symbol).for_gpu(self.__name__, arch)
        from freehold.runtime.variants.build import assembled

        return assembled(code, arch, self.__name__)

    @property
    def promises(self) -> tuple[str, ...]:
        """The reasons to trust what is not proved of it: those of foreign code."""
        said = [v.contract.foreign.promise for v in self.variants if v.contract.foreign is not None]
        return tuple(dict.fromkeys(said))

    def interpreted(self, specialisation: Specialisation, mode: Kind = "fast") -> Interpreted:
        """The bytecode made ready for a mode of the interpreter. Raises `Rejected` (O270, O273, O284)."""

        def make() -> Interpreted:
            from freehold.backend.bytecode.reader import read_bytecode
            from freehold.runtime.interpreter.launch import Lowered
            from freehold.runtime.launch.callee import Interpreted
            from freehold.runtime.variants.evaluation import Evaluator

            variant = self.variant(specialisation)
            if not variant.bytecode.endswith(".tileirbc"):
                from freehold.runtime.foreign.kernel import no_stand_in

                no_stand_in(self.__name__, "for a GPU", [p.name for p in self.signature.parameters], packaged=True)
            module = read_bytecode(self._files.read(variant.bytecode, variant.contract.verified or None))
            adversarial = mode == "adversarial"
            made = Lowered(module, variant.contract, checked=mode == "checked", adversarial=adversarial)
            return Interpreted(Evaluator(variant.contract), made)

        return self._once.get((mode, specialisation), make)


class Package(Mapping[str, PackagedKernel]):
    """Kernels by name, as items and as attributes. Made by `freehold.load`."""

    def __init__(self, path: str, strict: bool):
        self._files = Files(path)
        self.path = path
        self._kernels: dict[str, PackagedKernel] = {}
        try:
            for entry in self._files.manifest["kernels"]:
                kernel = self._kernel(entry, strict)
                self._kernels[kernel.__name__] = kernel
        except (KeyError, TypeError, ValueError, AttributeError) as e:
            self._files.damaged(MANIFEST, f"it says too little, or too much ({type(e).__name__}: {e})")

    def __getitem__(self, name: str) -> PackagedKernel:
        return self._kernels[name]

    def __getattr__(self, name: str) -> PackagedKernel:
        kernels = self.__dict__.get("_kernels", {})
        if name not in kernels:
            raise AttributeError(f"the package has no kernel {name!r}; it has {', '.join(kernels) or 'none'}")
        return kernels[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._kernels]

    def __repr__(self) -> str:
        return f"<package {self.path}: {', '.join(self._kernels)}>"

    def check(self) -> None:
        """Reads every file. Raises `Rejected` (O273) for the first damaged one."""
        for name in self._files.manifest["files"]:
            self._files.read(name)

    def _kernel(self, entry: Mapping[str, Any], strict: bool) -> PackagedKernel:
        parameters = tuple(_parameter(p) for p in entry["parameters"])
        signature = KernelSignature(entry["name"], parameters, cut=entry.get("cut", True))
        variants = tuple(self._variant(v, signature) for v in entry["variants"])
        return PackagedKernel(signature, variants, self._files, strict)

    def _variant(self, entry: Mapping[str, Any], signature: KernelSignature) -> Variant:
        name = entry["contract"]
        form = tuple(int(n) for n in entry.get("form", ()))
        if signature.has_forms:
            signature = signature.in_form(form)
        try:
            contract = LaunchContract.from_json(self._files.read(name).decode())
        except (ValueError, KeyError, TypeError) as e:
            self._files.damaged(name, f"it is no launch contract ({e})")
        specs = tuple(cast("list[Mapping[str, Any]]", entry["specs"]))
        if not _agree(signature, specs, contract):
            self._files.damaged(name, f"it is the contract of another kernel than `{signature.kernel}`")
        hints = checked(signature.kernel, cast("dict[str, Given]", entry["hints"]))
        options = Options(hints=hints, checks=entry["checks"])
        return Variant(form, specs, options, contract, entry["bytecode"], dict(entry["cubins"]))


def _agree(signature: KernelSignature, specs: tuple[Mapping[str, Any], ...], contract: LaunchContract) -> bool:
    """Whether a contract is for these parameters, and specialised to what a variant says."""
    if len(specs) != len(signature.parameters):
        return False
    given = [(p, s) for p, s in zip(signature.parameters, specs, strict=True) if p.mode != "const"]
    if len(given) != len(contract.parameters):
        return False
    for n, ((parameter, spec), asked) in enumerate(zip(given, contract.parameters, strict=True)):
        name = parameter.name if parameter.name.isascii() else f"argument{n}"  # as values of the IR are called
        if asked.name != name or parameter.is_tensor != isinstance(asked, TensorParameter):
            return False
        if isinstance(asked, ScalarParameter):
            good = spec.get("scalar") == asked.dtype
        else:
            facts = (asked.align, asked.strides, asked.stride_divs, asked.extent_divs)
            said = (spec["align"], *(tuple(spec[k]) for k in ("strides", "stride_divs", "extent_divs")))
            good = spec["dtype"] == asked.dtype and spec["rank"] == len(asked.dims) and facts == said
        if not good:
            return False
    return True


def _grid(said: Mapping[str, Any]) -> Grid:
    blocks: int | Blocks = said["blocks"] if isinstance(said["blocks"], int) else Blocks(said["blocks"])
    return Grid(*said["extents"], order=Order(*said["order"]), blocks=blocks)


def _parameter(entry: Mapping[str, Any]) -> Parameter:
    default: Any = entry["default"]["value"] if "default" in entry else MISSING
    if isinstance(default, dict):
        default = _grid(cast("dict[str, Any]", default))
    if isinstance(default, list):
        default = tuple(cast("list[object]", default))
    return Parameter(
        entry["name"],
        entry["mode"],
        None if entry["dims"] is None else tuple(entry["dims"]),
        None if entry["dtype"] is None else BY_NAME[entry["dtype"]],
        default,
        _TYPES.get(entry["type"]),
        entry.get("optional", False),
        entry.get("many", False),
    )


def parameter_entry(parameter: Parameter) -> dict[str, Any]:
    """A parameter for the manifest. A default that JSON has no word for is left out: such a call has to give it."""
    entry: dict[str, Any] = {
        "name": parameter.name,
        "mode": parameter.mode,
        "dims": None if parameter.dims is None else list(parameter.dims),
        "dtype": None if parameter.dtype is None else parameter.dtype.name,
        "type": None if parameter.type is None else parameter.type.__name__,
        **({"optional": True} if parameter.optional else {}),
        **({"many": True} if parameter.many else {}),
    }
    default: Any = parameter.default
    flat = cast("tuple[object, ...]", default) if isinstance(default, tuple) else (default,)
    if isinstance(default, Grid):
        order, blocks = default.order, default.count or default.blocks.value
        extents = list(default.extents)
        entry["default"] = {"value": {"extents": extents, "order": [order.kind, order.size], "blocks": blocks}}
    elif parameter.has_default and all(v is None or type(v) in (bool, int, float, str) for v in flat):
        entry["default"] = {"value": list(flat) if isinstance(default, tuple) else default}
    return entry


@public
def load(path: str | os.PathLike[str], *, strict: bool = False, deny_unsafe: bool = False) -> Package:
    """
    The kernels of a package that `freehold.build` wrote: `freehold.load("kernels").saxpy(...)`.

    They are launched as kernels are; arrays in the host's memory run on the interpreter. With `strict` nothing is ever
    compiled: an architecture that the package has no code for is an error (O271). Without, the package's bytecode is
    assembled for it, where an assembler is installed. With `deny_unsafe`, and `FREEHOLD_DENY_UNSAFE=1`, a package is
    refused (O295) that has a foreign kernel of which nothing is proved.

    Raises `Rejected` (O272, O273) for what is no package, and for a damaged one.
    """
    found = Package(os.fspath(path), strict)
    for name, kernel in found.items():
        for reason in kernel.promises:
            if deny_unsafe or denied():
                from freehold.runtime.foreign.kernel import deny

                deny(
                    name, reason, "leave `deny_unsafe` out" if deny_unsafe else f"leave `{DENY}` out of the environment"
                )
    return found


def _tell_torch() -> None:
    from freehold.runtime.jit.tracing import tell_torch

    tell_torch()


once_imported("torch._dynamo", _tell_torch)
