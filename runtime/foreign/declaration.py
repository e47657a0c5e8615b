"""
What is declared of a foreign kernel: its signature, the shape of its launches, and how arguments are passed.

A declaration makes launch contracts, so that everything behind it is what launches of Freehold's own kernels have.
Numbers of a launch's shape may be functions of extents and integer parameters: they are called once, with symbols.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FunctionType, SimpleNamespace
from typing import Any, Final, Literal, NoReturn, cast

from freehold.frontend.index_maps import OfPoint, SymbolicInt, Untraceable
from freehold.frontend.signature import (
    ConstSpec,
    KernelSignature,
    Parameter,
    ScalarSpec,
    Specialisation,
    TensorSpec,
    read_signature,
)
from freehold.frontend.source import KernelFunction
from freehold.runtime.errors.refusing import errors, refuse
from freehold.runtime.memory.scalars import scalar_dtype
from freehold.support import dtypes, terms
from freehold.support.contract import (
    EntryParameter,
    Foreign,
    LaunchCheck,
    LaunchContract,
    ScalarParameter,
    TensorParameter,
)
from freehold.support.dtypes import DType
from freehold.support.terms import Term

Number = int | str | OfPoint
"""A number of a launch's shape: itself, a term over extents and integers as text, or a function of them."""

Numbers = Number | Sequence[Number]
"""Up to three of them, or one function that returns as many."""

Passed = str | int | tuple[str | int, DType]
"""
One parameter of the code: an argument by its name, or an integer, as `i32` unless a dtype stands beside it: a number,
or a term over extents and integer arguments (`"N"`, `"x.shape[0] * 4"`), or a stride in elements (`"x.strides[0]"`).
"""

Passes = Literal["pointers", "cutile"] | Sequence[Passed]
"""How arguments are passed: arrays as addresses; as cuTile passes them, with extents and strides behind; or a list."""

_INTEGERS: Final = frozenset(("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"))


def unfit(kernel: str, what: str, remedy: str) -> NoReturn:
    """Raises `Rejected` (O294), about the caller's line."""
    refuse(errors.DeclarationUnfit, kernel, what, remedy)


def signature_of(given: object, name: str) -> KernelSignature:
    """The signature of a function, or of annotations by parameter, for a kernel of a name. Raises `Rejected`."""
    name = name or "kernel"
    if isinstance(given, FunctionType):
        found = KernelFunction(given).signature
    elif isinstance(given, Mapping) and all(str(n).isidentifier() for n in cast("Mapping[object, object]", given)):
        annotations = cast("Mapping[str, object]", given)
        scope: dict[str, Any] = {}
        exec(f"def signature({', '.join(annotations)}): ...", scope)
        function: FunctionType = scope["signature"]
        function.__name__ = name
        function.__annotations__ = dict(annotations)
        found = read_signature(function)
    else:
        said = f"its signature is a {type(cast(object, given)).__name__}"
        unfit(name, said, 'write it as a function, or as `signature={"y": Out[f32, "N"], "x": Ref[f32, "N"]}`')
    for p in found.parameters:
        if p.mode == "const" and p.type is not int:
            unfit(name, f"`{p.name}` is `{p.annotation}`", "constants of foreign kernels are `Const[int]`")
    if found.has_forms:
        unfit(name, "it has arrays that depend on the call", "declare a kernel for each number of arrays")
    if not found.tensors:
        unfit(name, "it takes no array", "declare the arrays that it reads and writes")
    return replace(found, kernel=name, cut=False)


@dataclass(frozen=True)
class LaunchShape:
    """The shape of launches, as declared."""

    grid: Numbers
    block: Numbers
    cluster: Numbers = 1
    shared: Number = 0


@dataclass(frozen=True)
class Declaration:
    """All that is declared of a kernel besides its code."""

    signature: KernelSignature
    shape: LaunchShape
    passes: Passes = "pointers"
    align: Mapping[str, int] | None = None
    requires: tuple[tuple[str, str], ...] = ()
    promise: str = ""

    def contract(self, symbol: str, specialisation: Specialisation) -> LaunchContract:
        """What a launch on arguments of a kind must respect. Raises `Rejected` (O294)."""
        return _Contract(self, specialisation).made(symbol)

    def check(self) -> None:
        """Raises `Rejected` (O294) for what is wrong whatever the arguments, where ranks and constants are known."""
        specs: list[TensorSpec | ScalarSpec] = []
        for p in self.signature.parameters:
            if p.mode == "const" or (p.is_tensor and p.dims is None):
                return
            rank = len(p.dims or ())
            specs.append(TensorSpec.plain(p.dtype or dtypes.f32, rank) if p.is_tensor else ScalarSpec(scalar_dtype(p)))
        self.contract("", Specialisation(tuple(specs)))


class _Contract:
    """The making of one contract."""

    def __init__(self, declared: Declaration, specialisation: Specialisation):
        self.declared = declared
        self.kernel = declared.signature.kernel
        pairs = list(zip(declared.signature.parameters, specialisation, strict=True))
        constants = {p.name: s.value for p, s in pairs if isinstance(s, ConstSpec) and type(s.value) is int}
        self.known: dict[str, Term] = {name: terms.const(value) for name, value in constants.items()}
        """Names that stand for terms: constants, and extents by their arrays."""
        self.given = [(p.given(constants), s) for p, s in pairs if p.mode != "const"]
        """The parameters that a launch brings."""
        self.names: dict[str, object] = dict(constants)
        """What functions of the shape may be called with."""
        self.symbols: set[str] = set()
        self.parameters = [self._parameter(p, s) for p, s in self.given]

    def _parameter(self, p: Parameter, spec: object) -> TensorParameter | ScalarParameter:
        if isinstance(spec, TensorSpec):
            dims = p.dims or tuple(f"{p.name}.shape[{axis}]" for axis in range(spec.rank))
            for axis, text in enumerate(dims):
                self._name(f"{p.name}.shape[{axis}]", terms.parse(text))
            shape = tuple(SymbolicInt(terms.parse(text)) for text in dims)
            self.names[p.name] = SimpleNamespace(shape=shape)
            align = (self.declared.align or {}).get(p.name, spec.dtype.itemsize)
            ones, zeros = (1,) * spec.rank, (0,) * spec.rank
            return TensorParameter(p.name, cast(Any, p.mode), spec.dtype.name, dims, align, zeros, ones, ones)
        dtype = scalar_dtype(p)
        counts = dtype.name in _INTEGERS
        if counts:
            self.symbols.add(p.name)
            self.names.setdefault(p.name, SymbolicInt(terms.sym(p.name)))
        return ScalarParameter(p.name, dtype.name, p.name if counts else "")

    def _name(self, text: str, term: Term) -> None:
        self.known[text] = term
        self.symbols |= term.symbols()
        for name in term.symbols():
            self.names.setdefault(name, SymbolicInt(terms.sym(name)))

    def made(self, symbol: str) -> LaunchContract:
        """The contract."""
        declared = self.declared
        shape = declared.shape
        entry, contiguous = self._entry()
        x, y, z = self._three("grid", shape.grid)
        u, v, w = self._three("block", shape.block)
        a, b, c = self._three("cluster", shape.cluster)
        (shared,) = self._terms("shared", shape.shared, 1)
        checks = [LaunchCheck(str(self._term(text)), reason) for text, reason in declared.requires]
        foreign = Foreign((u, v, w), (a, b, c), shared, contiguous, promise=declared.promise)
        return LaunchContract(
            symbol, tuple(self.parameters), entry, (x, y, z), False, tuple(checks), foreign=foreign
        )  # fmt: skip

    # --- Terms --------------------------------------------------------------------------------------------------------

    def _term(self, given: object) -> Term:
        """A number or a text as a term over symbols that launches bind."""
        if isinstance(given, SymbolicInt):
            found = given.term
        elif isinstance(given, int) and not isinstance(given, bool):
            found = terms.const(given)
        elif isinstance(given, str):
            try:
                found = terms.parse(given)
            except ValueError as e:
                unfit(self.kernel, str(e), "write integers, names of extents and of integer parameters, `+ - * // %`")
        else:
            self._refuse_number(given)
        found = found.substitute(self.known)
        if unknown := sorted(found.symbols() - self.symbols):
            known = ", ".join(f"`{n}`" for n in sorted(self.symbols | self.known.keys()))
            unfit(self.kernel, f"`{unknown[0]}` of `{found}` is no extent and no integer", f"there are {known}")
        return found

    def _refuse_number(self, given: object) -> NoReturn:
        said = f"`{given!r}` is no number of its launches"
        unfit(self.kernel, said, 'give an integer, a text such as `"cdiv(N, 256)"`, or a function of extents')

    def _three(self, what: str, given: Numbers) -> tuple[str, str, str]:
        x, y, z = self._terms(what, given, 3)
        return x, y, z

    def _terms(self, what: str, given: Numbers, most: int) -> tuple[str, ...]:
        """The terms of a number, or of several, with 1 for those that are left out."""
        found = self._called(what, given) if callable(given) else given
        several = isinstance(found, tuple | list)
        parts: list[Any] = list(cast("Sequence[Any]", found)) if several else [found]
        parts = [self._called(what, part) if callable(part) else part for part in parts]
        if not 1 <= len(parts) <= most:
            unfit(self.kernel, f"its {what} has {len(parts)} extents", f"give one to {most}")
        found_terms = [str(self._term(part)) for part in parts]
        return (*found_terms, *("1",) * (most - len(parts)))

    def _called(self, what: str, function: Callable[..., Any]) -> Any:
        """What a function of the shape returns for symbols."""
        try:
            wanted = list(inspect.signature(function).parameters)
        except (TypeError, ValueError):
            self._refuse_number(function)
        if missing := [name for name in wanted if name not in self.names]:
            known = ", ".join(f"`{n}`" for n in self.names)
            unfit(self.kernel, f"the function of its {what} takes `{missing[0]}`", f"its parameters are among {known}")
        try:
            return function(*[self.names[name] for name in wanted])
        except Untraceable as e:
            instead = e.instead.partition("; leave")[0] or "compute with `+ - * // %`"
            unfit(self.kernel, f"the function of its {what} {e.what}", instead)
        except TypeError as e:
            unfit(self.kernel, f"the function of its {what} fails: {e}", "compute with `+ - * // %` and `fh.cdiv`")

    # --- Parameters of the code ---------------------------------------------------------------------------------------

    def _entry(self) -> tuple[tuple[EntryParameter, ...], tuple[int, ...]]:
        """The parameters of the code, and the positions of arrays that have to be contiguous."""
        passes = self.declared.passes
        if isinstance(passes, str) and passes not in ("pointers", "cutile"):
            unfit(
                self.kernel,
                f"`passes={passes!r}` is none of the ways to pass arguments",
                'write `"pointers"`, `"cutile"` or a list',
            )
        entry: list[EntryParameter] = []
        if isinstance(passes, str):
            for n, p in enumerate(self.parameters):
                entry += self._argument(n, p, whole=passes == "cutile")
        else:
            for item in passes:
                entry.append(self._passed(item))
        told = {(e.argument, e.axis) for e in entry if e.kind == "stride"}
        contiguous = [
            n
            for n, p in enumerate(self.parameters)
            if isinstance(p, TensorParameter) and any((n, axis) not in told for axis in range(len(p.dims)))
        ]
        if not entry:
            unfit(self.kernel, "it is passed nothing", "pass its arrays")
        return tuple(entry), tuple(contiguous)

    def _argument(self, n: int, p: TensorParameter | ScalarParameter, *, whole: bool) -> list[EntryParameter]:
        """An argument as it is passed unless a list says more; `whole`: with extents and strides."""
        if isinstance(p, ScalarParameter):
            return [EntryParameter("scalar", n)]
        found = [EntryParameter("pointer", n)]
        if whole:
            found += [EntryParameter("extent", term=str(terms.parse(d))) for d in p.dims]
            found += [EntryParameter("stride", n, axis) for axis in range(len(p.dims))]
        return found

    def _passed(self, item: Passed) -> EntryParameter:
        text, dtype = item if isinstance(item, tuple) else (item, None)
        if dtype is not None and dtype.name not in _INTEGERS:
            unfit(
                self.kernel,
                f"`{text}` is passed as {dtype}",
                "integers are passed as `fh.i32`, `fh.i64`, `fh.u32`, ...",
            )
        places = {p.name: n for n, p in enumerate(self.parameters)}
        if isinstance(text, str) and text in places and dtype is None:
            return self._argument(places[text], self.parameters[places[text]], whole=False)[0]
        name = (dtype or dtypes.i32).name
        if isinstance(text, str) and (stride := self._stride(text, places)) is not None:
            n, axis, scale = stride
            return EntryParameter("stride", n, axis, dtype=name, scale=scale)
        return EntryParameter("extent", term=str(self._term(text)), dtype=name)

    def _stride(self, text: str, places: Mapping[str, int]) -> tuple[int, int, int] | None:
        """The array and the axis of `x.strides[0]`, in elements, or of `x.byte_strides[0]`, and its unit."""
        array, dot, rest = text.partition(".")
        which, bracket, axis = rest.partition("[")
        if not dot or not bracket or which not in ("strides", "byte_strides") or array not in places:
            return None
        p, number = self.parameters[places[array]], axis.removesuffix("]")
        if not isinstance(p, TensorParameter) or not number.isdecimal() or int(number) >= len(p.dims):
            unfit(self.kernel, f"there is no `{text}`", "count axes from 0")
        scale = dtypes.BY_NAME[p.dtype].itemsize if which == "byte_strides" else 1
        return places[array], int(number), scale
