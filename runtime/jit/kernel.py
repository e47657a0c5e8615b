"""Kernels: functions that are compiled for the arguments they are called with, and launched."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from importlib import import_module
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE
from pickle import PicklingError
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast, overload

from freehold.frontend.signature import Form, Specialisation
from freehold.frontend.source import KernelFunction
from freehold.runtime.base.call_site import caller
from freehold.runtime.base.imported import once_imported
from freehold.runtime.gpu import driver
from freehold.runtime.jit.launchable import Launchable
from freehold.runtime.variants.build import Math, Options, build, contract_of, is_kept, lower, verified, warn
from freehold.runtime.variants.compiled import Compiled, Once
from freehold.runtime.variants.hints import Given, Hints, checked, given, refuse_as_keywords
from freehold.support.contract import Checks
from freehold.support.public import refuse, shown

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from freehold.runtime.base.call_site import CallSite
    from freehold.runtime.interop.results import Cut
    from freehold.runtime.jit.explain import Explanation
    from freehold.runtime.launch.callee import Interpreted
    from freehold.runtime.launch.modes import Kind
    from freehold.runtime.scheduling.completion import Completed

T = TypeVar("T")
_WAITS: Final = CO_COROUTINE | CO_ASYNC_GENERATOR


class Kernel(Launchable):
    """
    A function that runs on tile blocks. Made by `freehold.kernel`; called with arrays, it returns a `Launch`.

    It is compiled when arguments of some kind are first seen: their dtypes, ranks, partitions, compile-time values, and
    whether addresses, strides and extents are multiples of 16 bytes. Global values that the function reads are read
    then, too, once for each kind.
    """

    def __init__(
        self,
        function: FunctionType,
        options: Options = Options(),  # noqa: B008 -- immutable
        cuts: Mapping[str, Cut] | None = None,
        form: Form | None = None,
    ):
        self.function = KernelFunction(function, form)
        super().__init__(self.function.signature)
        self.options = options
        self.cuts = dict(cuts or {})
        """How arrays are cut that a call does not cut, by parameter."""
        self.__qualname__ = function.__qualname__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self.__wrapped__ = function
        self.form: Final = form
        """Which tensors a call leaves out."""
        self._variants = Once()

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle: a kernel is found by its function's name, as functions are, and compiled where it is used."""
        found = _named(self.__module__, self.__qualname__)
        if not isinstance(found, Kernel) or found.__wrapped__ is not self.__wrapped__:
            raise PicklingError(
                f"kernel `{self.__name__}` is not found as `{self.__qualname__}` of the module `{self.__module__}`: "
                "define it there, outside of functions"
            )
        same = found.options == self.options and found.cuts == self.cuts
        return (_named, (self.__module__, self.__qualname__)) if same else (_like, (found, self.options, self.cuts))

    def _formed(self, form: Form) -> Kernel:
        return Kernel(self.__wrapped__, self.options, self.cuts, form)

    def with_hints(self, **hints: Given) -> Kernel:
        """
        The same kernel, compiled with hints: `num_worker_warps`, `occupancy`, `num_cta_in_cga`, `allow_tma`, and
        `begin_early`, for kernels that `overlap` (docs/operations.md). They change its speed and never its results. A
        hint is one value, or values by architecture: `occupancy={"sm_90": 2, "default": 1}`.

        Raises `Rejected` (O242) for other names and values.
        """
        merged = {**given(self.options.hints), **hints}
        options = self.options._replace(hints=checked(self.__name__, merged))
        return Kernel(self.__wrapped__, options, self.cuts)

    # --- Everything short of a launch: needs no GPU -------------------------------------------------------------------

    def lower(self, *args: Any, **kwargs: Any) -> ModuleOp:
        """The kernel in the ownership dialect, for arguments of this kind, not verified. Raises `Rejected`."""
        kernel, specialisation = self._specialised(args, kwargs)
        return lower(kernel.function, specialisation, self.options.hinted(specialisation.hints))

    def _specialised(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Kernel, Specialisation]:
        """The kernel in the form of a call, and what it is specialised to. Raises `Rejected`."""
        site = caller()
        kernel, arguments = self.given(args, kwargs, site)
        return kernel, kernel.checked(arguments, site).specialisation

    def verify(self, *args: Any, **kwargs: Any) -> ModuleOp:
        """As `lower`, with every obligation met and recorded; a copy, which is the caller's. Raises `Rejected`."""
        kernel, specialisation = self._specialised(args, kwargs)
        return kernel.verified(specialisation).clone()

    def proofs(self, *args: Any, **kwargs: Any) -> str:
        """
        What the verifiers concluded of the kernel for arguments of this kind, as a script in SMT-LIB 2.6 for any solver
        of integer arithmetic: each of its questions has to be answered `unsat`. Raises `Rejected`.
        """
        from freehold.passes.pipeline import proofs

        return proofs(self.lower(*args, **kwargs))

    def explain(
        self, *args: Any, arch: str | Sequence[str] | None = None, ir: bool = False, **kwargs: Any
    ) -> Explanation:
        """
        What the kernel is and does for these arguments, as text (`docs/seeing.md`): how each obligation is met, bytes
        and operations of a launch, registers and memory of the GPU code. With `ir` also its operations, stage by stage,
        beside the lines they came of.

        Needs no GPU. `arch` names one architecture or several; unless given it is the GPU's, or without a GPU one of
        each family; with `()` nothing is assembled. Raises `Rejected`.
        """
        from freehold.runtime.jit.explain import explain

        kernel, arguments = self.given(args, kwargs, caller())
        return explain(kernel, arguments, {}, arch, ir)

    def compile(self, *args: Any, arch: str | None = None, checks: Checks | None = None, **kwargs: Any) -> Compiled:
        """
        The kernel as GPU code, for arguments of this kind: `kernel.compile(partition(y, 64), x, arch="sm_90").cubin`.

        Arrays may be in any memory. `arch` is that of the GPU the arrays are on, or of the first one, unless given.
        `checks`, if given, takes the place of the kernel's own setting. Raises `Rejected`.
        """
        if not isinstance(cast(object, arch), str | None):
            refuse("Kernel.compile", f'`arch` is a text such as "sm_90", not {shown(arch)}')
        site = caller()
        kernel, arguments = self.given(args, kwargs, site)
        bound = kernel.checked(arguments, site, arch)
        if arch is None:
            driver.require_gpu('name an architecture: `arch="sm_90"`')
            arch = driver.architecture(max(0, bound.device))
        options = self.options if checks is None else self.options._replace(checks=checks)
        return kernel.compiled(bound.specialisation, arch, options)

    # --- What a call leaves open --------------------------------------------------------------------------------------

    def completed(self, arguments: tuple[Any, ...], site: CallSite, arch: str | None) -> tuple[tuple[Any, ...], Hints]:
        """
        The arguments of a call with partitions and constants that they leave open, and hints; for `arch`, or the GPU
        the arrays are on, or the interpreter. Raises `Rejected` (O221), and where the arguments are wrong.
        """
        from freehold.runtime.scheduling.completion import complete, cut
        from freehold.runtime.scheduling.problem import leaves_open

        if self.cuts:
            arguments = cut(self.signature, arguments, self.cuts)
        if not leaves_open(self.signature, arguments):
            return arguments, ()
        return complete(self, arguments, site, arch)

    def choice(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], arch: str | None, *, anew: bool = False
    ) -> Completed | None:
        """
        What is chosen for a call; None where nothing of it is open. Where it is made `anew`, and not found on disk, it
        says among what. Raises `Rejected`.
        """
        from freehold.runtime.scheduling.completion import completed, cut
        from freehold.runtime.scheduling.problem import leaves_open

        site = caller()
        kernel, arguments = self.given(args, kwargs, site)
        arguments = cut(kernel.signature, arguments, self.cuts)
        return completed(kernel, arguments, site, arch, anew=anew) if leaves_open(kernel.signature, arguments) else None

    def warn(self, specialisation: Specialisation) -> None:
        """Gives the warnings that there are about a variant, once each."""
        known: ModuleOp | None = self._variants.known(specialisation)
        if known is None:
            self.verified(specialisation)  # which warns
        else:
            warn(self.function, known)

    def known(self, key: Hashable, make: Callable[[], T]) -> T:
        """What was made for a key, made once. Raises what `make` raises."""
        return self._variants.get(key, make)

    # --- For `runtime.launch` -----------------------------------------------------------------------------------------

    def compiled(self, specialisation: Specialisation, arch: str, options: Options | None = None) -> Compiled:
        """The variant for one kind of arguments and an architecture, compiled once. Raises `Rejected`."""
        chosen = (options or self.options).hinted(specialisation.hints)

        def alone() -> Compiled:
            return self.compiled(specialisation, arch, (options or self.options)._replace(overlap=None))

        def make() -> Compiled:
            product = build(self.function, specialisation, chosen, arch, self._digest(specialisation))
            return Compiled(
                self.__name__, product.contract, arch, product.cubin, chosen, alone if chosen.waits(arch) else None
            )

        return self._variants.get((specialisation, arch, chosen), make)

    def job(self, specialisation: Specialisation, arch: str) -> bytes | None:
        """
        What another process needs to compile a variant into the cache on disk (`runtime.jit.assembling`); None where it
        is known or in the cache, or where another process would not find the kernel.
        """
        chosen = self.options.hinted(specialisation.hints)
        if self.form is not None or self._variants.known((specialisation, arch, chosen)) is not None:
            return None
        if is_kept(self.function, specialisation, chosen, arch):
            return None
        try:
            return pickle.dumps(pickle.dumps((self, specialisation, chosen, arch)))
        except Exception:  # a kernel in a function, or a value that is of this process alone
            return None

    def verified(self, specialisation: Specialisation) -> ModuleOp:
        """The verified module for one kind of arguments, made once, which nobody may change. Raises `Rejected`."""

        def make() -> ModuleOp:
            module = verified(self.function, specialisation, self.options.hinted(specialisation.hints))
            warn(self.function, module)
            return module

        return self._variants.get(specialisation, make)

    def _digest(self, specialisation: Specialisation) -> str | None:
        """The digest of the verified module for one kind of arguments, if it was made."""
        module: ModuleOp | None = self._variants.known(specialisation)
        if module is None:
            return None
        from freehold.dialects.ownership import BreakpointOp
        from freehold.passes.analysis.digest import digest

        stops = any(isinstance(op, BreakpointOp) for op in module.walk())  # the GPU's code has none
        return None if stops else digest(module)

    def interpreted(self, specialisation: Specialisation, mode: Kind = "fast") -> Interpreted:
        """The kernel made ready for a mode of the interpreter, for one kind of arguments. Raises `Rejected`."""

        def make() -> Interpreted:
            from freehold.runtime.interpreter.launch import Kernel as Interpreter
            from freehold.runtime.launch.callee import Interpreted
            from freehold.runtime.variants.evaluation import Evaluator

            module = self.verified(specialisation)
            made = Interpreter.of(module, checked=mode == "checked", adversarial=mode == "adversarial")
            return Interpreted(Evaluator(contract_of(module)), made)

        return self._variants.get((mode, specialisation), make)


def _named(module: str, qualname: str) -> Any:
    """What a module has under a name; None where there is nothing."""
    found: Any = sys.modules.get(module) or import_module(module)
    for part in qualname.split("."):
        found = getattr(found, part, None)
    return found


def _like(kernel: Kernel, options: Options, cuts: Mapping[str, Cut]) -> Kernel:
    """A kernel with other options."""
    return Kernel(kernel.__wrapped__, options, cuts)


@overload
def kernel(function: Callable[..., None], /) -> Kernel: ...


@overload
def kernel(
    *,
    hints: Mapping[str, Given] | None = None,
    deny_kernel_checks: bool = False,
    deny_unsafe: bool = False,
    checks: Checks = True,
    validate: bool = True,
    contract: bool = True,
    partition: Cut | Mapping[str, Cut] | None = None,
    math: Math = "precise",
    overlap: bool | Collection[str] = False,
) -> Callable[[Callable[..., None]], Kernel]: ...


def kernel(
    function: Callable[..., None] | None = None,
    /,
    *,
    hints: Mapping[str, Given] | None = None,
    deny_kernel_checks: bool = False,
    deny_unsafe: bool = False,
    checks: Checks = True,
    validate: bool = True,
    contract: bool = True,
    partition: Cut | Mapping[str, Cut] | None = None,
    math: Math = "precise",
    overlap: bool | Collection[str] = False,
    **others: object,
) -> Kernel | Callable[[Callable[..., None]], Kernel]:
    """
    Makes a kernel of a function: `@kernel`, or `@kernel(hints={"occupancy": 2}, deny_kernel_checks=True)`.

    `hints` are those of `Kernel.with_hints`. `deny_kernel_checks` refuses the kernel if anything would have to be
    checked while it runs, `deny_unsafe` if it has an `unsafe` block with an access in it. A check that fails is an
    exception of whoever waits for the launch (docs/runtime.md). `checks="trap"` stops the GPU instead, for the rest of
    the process; `checks=False` leaves the checks of indices out, and their truth to you. The bytecode of each variant
    is read again while the assembler runs, and refused if it is not shown to do what was verified (O140);
    `validate=False` leaves that out, and `FREEHOLD_VALIDATE=0` for every kernel. GPU code rounds a product of floats
    together with the sum that it is added to, as CUDA's own compilers do; `contract=False` rounds each by itself, as
    the interpreter does. `math="fast"` computes quotients, square roots and exponentials of f32 faster, less exactly,
    and with subnormal numbers as zero (docs/language.md has bounds). `partition` is how arrays are cut that a call
    gives without a partition: a tile, or a function of the array that makes one, for all that is written or by
    parameter (`{"c": (128, 256)}`); without it, the launch chooses (`docs/schedules.md`). With `overlap` a kernel in a
    graph, of ours or of torch's, begins while the one in front of it ends, for which it waits before it touches memory;
    arguments that are named (`overlap=("weights",)`), which it only reads, are loaded before that, in graphs of ours
    where nothing that may still run writes them.

    Raises `Rejected` where the signature is not understood. The body is looked at when the kernel is compiled.
    """
    if math not in ("precise", "fast"):
        refuse("freehold.kernel", f'`math` is "precise" or "fast", not {shown(math)}')
    refuse_as_keywords("kernel", others)

    def make(function: Callable[..., None]) -> Kernel:
        if not isinstance(function, FunctionType):
            refuse("freehold.kernel", f"a kernel is made of a function, not of {shown(function)}")
        if function.__code__.co_flags & _WAITS:
            refuse("freehold.kernel", f"`{function.__name__}` is `async`, and a kernel waits for nothing: write `def`")
        hinted = checked(function.__name__, hints or {})
        early = (*overlap,) if isinstance(overlap, Collection) else () if overlap else None
        options = Options(hinted, deny_kernel_checks, checks, deny_unsafe, validate, contract, math, early)
        made = Kernel(function, options)
        read = {p.name for p in made.signature.parameters if p.is_tensor and p.mode == "ref"}
        if others := [name for name in early or () if name not in read]:
            refuse("freehold.kernel", f"`{function.__name__}` has no argument `{others[0]}` that it only reads")
        if partition is not None:
            written = [p.name for p in made.signature.parameters if p.mode in ("mut", "out")]
            each = cast("Mapping[str, Cut] | None", partition if isinstance(partition, Mapping) else None)
            made.cuts = dict.fromkeys(written, cast("Cut", partition)) if each is None else dict(each)
        return made

    return make if function is None else make(function)


def _tell_torch() -> None:
    from freehold.runtime.jit.tracing import tell_torch

    tell_torch()


once_imported("torch._dynamo", _tell_torch)
