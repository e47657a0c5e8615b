"""Foreign kernels: code that others made, called, launched, captured and packaged as Freehold's own kernels are."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pickle import PicklingError
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, overload

from freehold.frontend.signature import ConstSpec, Specialisation, TensorSpec
from freehold.runtime.base.call_site import caller
from freehold.runtime.errors.refusing import errors, refuse, reject
from freehold.runtime.foreign.code import Adapted, EntryPoint, Made, Source, TileIR, kernels_of, unknown_entry
from freehold.runtime.foreign.declaration import Declaration, unfit
from freehold.runtime.foreign.telling import explained, shown_entry
from freehold.runtime.gpu import driver
from freehold.runtime.jit.launchable import Launchable
from freehold.runtime.launch.callee import Interpreted
from freehold.runtime.variants.build import DENY, Options, denied
from freehold.runtime.variants.compiled import Compiled, Once
from freehold.runtime.variants.evaluation import Evaluator, Judge
from freehold.support.contract import EntryParameter, LaunchContract

if TYPE_CHECKING:
    from freehold.frontend.signature import Form
    from freehold.runtime.launch.callee import Interpreted
    from freehold.runtime.launch.modes import Kind

F = TypeVar("F", bound=Callable[..., Any])


class Extern(Launchable):
    """
    A kernel that others made. Made by `freehold.extern`; called with arrays, it returns a `Launch`.

    Arrays are given whole, and each that is more than read must be apart from the others.
    """

    def __init__(
        self,
        declared: Declaration,
        made: Made,
        judge_of: Callable[[TileIR, Declaration, LaunchContract], Judge] | None = None,
        *,
        passes: bool = True,
    ):
        super().__init__(declared.signature)
        self.declared = declared
        self.__qualname__ = self.__name__
        self._made = made
        self._judge_of = judge_of
        self._passes = passes
        """Whether other libraries' kernels say what is passed, and not the declaration."""
        self._stand_in: tuple[Callable[..., Any], float | None] | None = None
        self._once = Once()

    @property
    def promise(self) -> str:
        """The reason that was given why its declaration is right; empty where the audit finds out."""
        return self.declared.promise

    def __reduce__(self) -> tuple[Any, ...]:
        raise PicklingError(f"foreign kernel `{self.__name__}` cannot be pickled: declare it where it is needed")

    def _formed(self, form: Form) -> NoReturn:
        raise AssertionError(f"`{self.__name__}` has parameters that may be None")  # which its declaration refuses

    def __getitem__(self, grid: object) -> NoReturn:
        """Refuses `kernel[grid](...)`: its declaration says the shape of launches."""
        shown = ", ".join(p.name for p in self.signature.parameters)
        unfit(
            self.__name__,
            "a launch of it is given a grid",
            f"leave the brackets out: `{self.__name__}({shown}).sync()`",
        )

    # --- The stand-in -------------------------------------------------------------------------------------------------

    @overload
    def reference(self, function: F, /) -> F: ...
    @overload
    def reference(self, function: None = None, /, *, tolerance: float | None = None) -> Callable[[F], F]: ...
    def reference(self, function: Any = None, /, *, tolerance: float | None = None) -> Any:
        """
        `@kernel.reference`: gives it a stand-in, a function of the same arguments as NumPy arrays and numbers, which
        writes what the kernel writes in place.

        It runs on arrays in the host's memory and on the interpreter. In checked mode (`fh.interpreting("checked")`) on
        a GPU both run, and results are compared: integers exactly, floats up to `tolerance` of the result's norm.
        Raises `Rejected` (O294) where it takes other arguments.
        """
        if function is None:
            return partial(self._refer, tolerance=tolerance)
        return self._refer(function, tolerance=None)

    def _refer(self, function: F, *, tolerance: float | None) -> F:
        names = [p.name for p in self.signature.parameters]
        try:
            inspect.signature(function).bind(*names)
        except TypeError as e:
            unfit(
                self.__name__,
                f"its stand-in does not fit: {e}",
                f"write it with the kernel's parameters: {', '.join(names)}",
            )
        self._stand_in = function, tolerance
        self._once = Once()
        self._dispatcher = self._launch = self._plain = None  # what they know is of another stand-in
        return function

    # --- For `runtime.launch` -----------------------------------------------------------------------------------------

    def compiled(self, specialisation: Specialisation, arch: str) -> Compiled:
        """The code for one kind of arguments and an architecture. Raises `Rejected`."""
        kind = _kind(specialisation)
        return self._once.get((kind, arch), lambda: self._compiled(kind, arch))

    def _compiled(self, kind: Specialisation, arch: str) -> Compiled:
        self.allowed()
        adapted, contract = self._declared(kind)
        code = adapted.source.for_gpu(self.__name__, arch)
        if not isinstance(adapted.source, TileIR):  # which has been looked at
            there = _read(self.__name__, adapted.source.kind, code)
            contract = matching(self.__name__, adapted.source, contract, there, hidden=adapted.passes is not None)
        return _Compiled(self.__name__, contract, arch, code, self._judge(adapted.source, contract))

    def _declared(self, kind: Specialisation) -> tuple[Adapted, LaunchContract]:
        """The code for arguments of a kind, and what its launches must respect."""

        def make() -> tuple[Adapted, LaunchContract]:
            adapted = self._made(kind)
            declared = self.declared
            if adapted.passes is not None and self._passes:
                declared = replace(declared, passes=adapted.passes)
            if adapted.align or adapted.requires:
                align = {**adapted.align, **(declared.align or {})}
                declared = replace(declared, align=align, requires=(*declared.requires, *adapted.requires))
            if adapted.block is not None:
                declared = replace(declared, shape=replace(declared.shape, block=adapted.block))
            if adapted.shared is not None:
                declared = replace(declared, shape=replace(declared.shape, shared=adapted.shared))
            contract = declared.contract(adapted.source.entry, kind)
            if isinstance(adapted.source, TileIR):
                contract = matching(self.__name__, adapted.source, contract, adapted.source.kernels())
            return adapted, contract

        return self._once.get(kind, make)

    def _judge(self, source: Source, contract: LaunchContract) -> Judge | None:
        judge_of = self._judge_of
        if self.promise or judge_of is None or not isinstance(source, TileIR):
            return None
        return self._once.get(("judge", contract.symbol, contract), lambda: judge_of(source, self.declared, contract))

    def allowed(self) -> None:
        """Raises `Rejected` (O295) where it rests on a promise, and the environment denies such."""
        if self.promise and denied():
            deny(self.__name__, self.promise, f"leave `{DENY}` out of the environment")

    def interpreted(self, specialisation: Specialisation, mode: Kind = "fast") -> Interpreted:
        """Its stand-in, or its Tile IR on the interpreter, for one kind of arguments. Raises `Rejected` (O284)."""
        kind = _kind(specialisation)
        return self._once.get((mode, kind), lambda: self._interpreted(kind, mode))

    def _interpreted(self, kind: Specialisation, mode: Kind) -> Interpreted:
        from freehold.runtime.foreign.standin import StandIn, compare

        self.allowed()
        adapted, contract = self._declared(kind)
        evaluator = Evaluator(contract, self._judge(adapted.source, contract))
        if self._stand_in is not None:
            function, tolerance = self._stand_in
            constants = [(n, s.value) for n, s in enumerate(kind) if isinstance(s, ConstSpec)]

            def beside(views: Any, run_time: Any, written: Any) -> None:
                compiled = self.compiled(kind, driver.architecture(views[0].device))
                compare(compiled, tolerance, views, run_time, written)

            made = StandIn(function, contract, constants)
            return Interpreted(evaluator, made, beside if mode == "checked" else None)
        if isinstance(adapted.source, TileIR):
            from freehold.runtime.interpreter.launch import Lowered

            module, adversarial = adapted.source.module(), mode == "adversarial"
            return Interpreted(
                evaluator, Lowered(module, contract, checked=mode == "checked", adversarial=adversarial)
            )  # fmt: skip
        return no_stand_in(self.__name__, adapted.source.kind, [p.name for p in self.signature.parameters])

    # --- Short of a launch --------------------------------------------------------------------------------------------

    def compile(self, *args: Any, arch: str | None = None, **kwargs: Any) -> Compiled:
        """The code for arguments of this kind, as `Kernel.compile`. Raises `Rejected`."""
        bound = self.bound(*args, arch=arch, **kwargs)
        if arch is None:
            driver.require_gpu('name an architecture: `arch="sm_90"`')
            arch = driver.architecture(max(0, bound.device))
        return self.compiled(bound.specialisation, arch)

    def explain(self, *args: Any, arch: str | Sequence[str] | None = None, **kwargs: Any) -> str:
        """
        What it is and does for these arguments, as text: on whose word it rests, what is done to each array, what is
        passed, the shape of the launch, and what the code takes of a GPU of each architecture that is named.

        Raises `Rejected`.
        """
        from freehold.runtime.launch.checks import geometry

        site = caller()
        bound = self.bound(*args, **kwargs)
        adapted, contract = self._declared(_kind(bound.specialisation))
        found = geometry(self.signature, Evaluator(contract, self._judge(adapted.source, contract)), bound, site)
        archs = [arch] if isinstance(arch, str) else list(arch or ())
        codes = {a: self.compiled(bound.specialisation, a).cubin for a in archs}
        return explained(self.signature, adapted.source, contract, found, codes, stands_in=self._stand_in is not None)

    def made_for(self, specialisation: Specialisation) -> tuple[Source, LaunchContract]:
        """The code for arguments of a kind and its contract, for packages. Raises `Rejected`."""
        self.allowed()
        adapted, contract = self._declared(_kind(specialisation))
        return adapted.source, contract


class _Compiled(Compiled):
    """Foreign code for arguments of one kind and one architecture."""

    def __init__(self, name: str, contract: LaunchContract, arch: str, code: bytes, judge: Judge | None):
        super().__init__(name, contract, arch, code, Options())
        self._judge = judge

    @property
    def evaluator(self) -> Any:
        """The contract as a function."""
        return self._once.get("evaluator", lambda: Evaluator(self.contract, self._judge))


def _kind(specialisation: Specialisation) -> Specialisation:
    """What of a call's arguments decides about code that others made: dtypes, ranks, constants."""
    specs = [TensorSpec.plain(s.dtype, s.rank) if isinstance(s, TensorSpec) else s for s in specialisation]
    return Specialisation(tuple(specs))


def deny(kernel: str, reason: str, allow: str) -> NoReturn:
    """Raises `Rejected` (O295)."""
    refuse(errors.PromiseDenied, kernel, reason, allow)


def no_stand_in(kernel: str, kind: str, parameters: Sequence[str], *, packaged: bool = False) -> NoReturn:
    """Raises `Rejected` (O284)."""
    remedy = f"give it one, in NumPy: `@{kernel}.reference` above `def _({', '.join(parameters)}): ...`"
    if packaged:
        remedy = "a package holds no functions of Python: give it arrays on a GPU"
    refuse(errors.StandInMissing, kernel, "the host", kind, remedy)


# --- What code says against its declaration ---------------------------------------------------------------------------


def matching(
    kernel: str, source: Source, contract: LaunchContract, there: Mapping[str, EntryPoint], *, hidden: bool = False
) -> LaunchContract:
    """
    The contract, with the conditions that the code, which has the kernels `there`, makes of its launches. Raises
    `Rejected` where it is not for the code (O282, O283).

    With `hidden`, pointers that the code has behind the others are passed as nothing: a compiler's own.
    """
    found = there.get(source.entry)
    if found is None:
        reject(unknown_entry(kernel, source.kind, source.entry, there))
    passed = [_size(contract, e) for e in contract.entry]
    if found.sizes is not None:
        behind = found.sizes[len(passed) :]
        if hidden and behind and set(behind) == {8}:
            more = tuple(EntryParameter("extent", term="0", dtype="u64") for _ in behind)
            contract, passed = replace(contract, entry=(*contract.entry, *more)), [*passed, *behind]
        if tuple(passed) != found.sizes:
            _differ(kernel, source.entry, found.sizes, passed, contract)
    assert contract.foreign is not None
    threads, most = found.threads or (0, 0, 0), found.most_threads or 1024
    return replace(contract, foreign=replace(contract.foreign, threads=threads, most_threads=most))


def _size(contract: LaunchContract, entry: EntryParameter) -> int:
    """The bytes of a parameter."""
    from freehold.support.dtypes import BY_NAME

    if entry.kind == "pointer":
        return 8
    return BY_NAME[entry.dtype if entry.kind != "scalar" else contract.parameters[entry.argument].dtype].itemsize


def _differ(kernel: str, entry: str, taken: Sequence[int], passed: Sequence[int], contract: LaunchContract) -> NoReturn:

    shown = ", ".join(shown_entry(contract, e) for e in contract.entry)
    refuse(errors.ParametersDiffer, kernel, entry, _counted(taken), _counted(passed), shown)


def _counted(sizes: Sequence[int]) -> str:
    each = ", ".join(map(str, sizes))
    return f"{len(sizes)} parameter{'' if len(sizes) == 1 else 's'} of {each or 'no'} bytes"


def _read(kernel: str, kind: str, code: bytes) -> Mapping[str, EntryPoint]:
    """The kernels that code has. Raises `Rejected` (O289)."""
    from freehold.backend.cubin import NotACubin

    try:
        return kernels_of(code)
    except NotACubin as e:
        refuse(errors.CodeRefused, kernel, kind, str(e))
