"""Kernels: functions that are compiled for the arguments they are called with, and launched."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from threading import Lock
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn, overload

from freehold.frontend.signature import Specialisation
from freehold.frontend.source import KernelFunction
from freehold.runtime.build import HINTS, Options
from freehold.support.contract import LaunchContract

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from freehold.runtime.binding import Bound
    from freehold.runtime.call_site import CallSite
    from freehold.runtime.explain import Explanation
    from freehold.runtime.host import Interpreted
    from freehold.runtime.launch import Launch
    from freehold.runtime.plan import Enqueue, Layout


class Once:
    """Values by key, each made by one thread while others that want it wait; what fails is made again."""

    def __init__(self) -> None:
        self._values: dict[Hashable, Any] = {}
        self._making: dict[Hashable, Lock] = {}
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value of a key, made if there is none yet. Raises what `make` raises."""
        found = self._values.get(key)
        if found is not None:
            return found
        with self._lock:
            own = self._making.setdefault(key, Lock())
        with own:
            found = self._values.get(key)
            if found is None:
                found = self._values[key] = make()
        with self._lock:
            self._making.pop(key, None)
        return found


class Compiled:
    """A kernel compiled for arguments of one kind and one architecture."""

    def __init__(self, name: str, contract: LaunchContract, arch: str, cubin: bytes, options: Options):
        self.name = name
        self.contract = contract
        """What a launch must respect."""
        self.arch = arch
        """The architecture, such as `sm_90`."""
        self.cubin = cubin
        """GPU code, an ELF file."""
        hints = dict(options.hints)
        self.occupancy = hints.get("occupancy", 1)
        self.ctas = hints.get("num_cta_in_cga", 1)
        self._once = Once()

    def __repr__(self) -> str:
        return f"<kernel {self.name} for {self.arch}, {len(self.cubin)} bytes>"

    @property
    def evaluator(self) -> Any:
        """The contract as a function (`runtime.evaluation`)."""
        from freehold.runtime.evaluation import Evaluator

        return self._once.get("evaluator", lambda: Evaluator(self.contract))

    @property
    def enqueue(self) -> Enqueue:
        """What launches it (`runtime.plan`)."""
        from freehold.runtime.plan import make_enqueue

        return self._once.get("enqueue", lambda: make_enqueue(self.contract, self.layout))

    @property
    def layout(self) -> Layout:
        """Where the parameters of a launch lie in memory (`runtime.plan`)."""
        from freehold.runtime.plan import Layout

        return self._once.get("layout", lambda: Layout(self.contract))

    def loaded(self, device: int) -> Any:
        """It, loaded for a GPU. Raises `Rejected` (O241)."""
        from freehold.runtime import driver

        return self._once.get(device, lambda: driver.load(self.cubin, self.contract.symbol, device))


class Kernel:
    """
    A function that runs on tile blocks. Made by `freehold.kernel`; called with arrays, it returns a `Launch`.

    It is compiled when arguments of some kind are first seen: their dtypes, ranks, partitions, compile-time values, and
    whether addresses, strides and extents are multiples of 16 bytes. Global values that the function reads are read
    then, too, once for each kind.
    """

    def __init__(self, function: FunctionType, options: Options = Options()):  # noqa: B008 -- immutable
        self.function = KernelFunction(function)
        self.signature = self.function.signature
        self.options = options
        self.__name__ = function.__name__
        self.__qualname__ = function.__qualname__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self.__wrapped__ = function
        self._variants = Once()
        self._count = len(self.signature.parameters)
        self._lock = Lock()
        self._dispatcher: Any = None
        self._launch: type[Launch] | None = None

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Launch:
        """
        A launch on these arguments, which does nothing until it is run: `.sync()` or `.on(stream)`.

        Raises `Rejected` (O210) where arguments are missing or too many; everything else is checked when it is run.
        """
        frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage] -- documented, and there is no other way
        launch = self._launch or self._prepared()
        if kwargs or len(args) != self._count:
            from freehold.runtime.binding import positional
            from freehold.runtime.call_site import CallSite

            args = positional(self.signature, args, kwargs, CallSite(frame.f_code, frame.f_lasti))
        return launch(self._dispatcher, args, frame.f_code, frame.f_lasti)

    def __getitem__(self, grid: object) -> NoReturn:
        """Refuses `kernel[grid](...)` (O228): the partitions of the outputs are the grid."""
        from freehold.runtime.call_site import caller
        from freehold.runtime.errors import GridGiven
        from freehold.support.diagnostic import Rejected

        parameters = self.signature.parameters
        shown = [f"fh.partition({p.name}, tile)" if p.mode in ("mut", "out") else p.name for p in parameters]
        raise Rejected([GridGiven(caller().span, self.__name__, ", ".join(shown))])

    def _prepared(self) -> type[Launch]:
        """Loads what launches need, once."""
        from freehold.runtime.launch import Dispatcher, Launch

        with self._lock:
            if self._dispatcher is None:
                self._dispatcher = Dispatcher(self)
        self._launch = Launch
        return Launch

    def with_hints(self, **hints: int) -> Kernel:
        """
        The same kernel, compiled with hints: `num_worker_warps`, `occupancy`, `num_cta_in_cga`. They change its speed
        and never its results.

        Raises `Rejected` (O242) for other names and values.
        """
        merged = {**dict(self.options.hints), **hints}
        options = self.options._replace(hints=_hints(self.__name__, merged))
        return Kernel(self.__wrapped__, options)

    # --- Everything short of a launch: needs no GPU -------------------------------------------------------------------

    def lower(self, *args: Any, **kwargs: Any) -> ModuleOp:
        """The kernel in the ownership dialect, for arguments of this kind, not verified. Raises `Rejected`."""
        from freehold.runtime.build import lower

        return lower(self.function, self.bound(*args, **kwargs).specialisation, self.options)

    def verify(self, *args: Any, **kwargs: Any) -> ModuleOp:
        """As `lower`, with every obligation of the kernel met and recorded. Raises `Rejected`."""
        return self.verified(self.bound(*args, **kwargs).specialisation)

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
        from freehold.runtime.explain import explain

        return explain(self, args, kwargs, arch, ir)

    def compile(self, *args: Any, arch: str | None = None, checks: bool | None = None, **kwargs: Any) -> Compiled:
        """
        The kernel as GPU code, for arguments of this kind: `kernel.compile(partition(y, 64), x, arch="sm_90").cubin`.

        Arrays may be in any memory. `arch` is that of the GPU the arrays are on, or of the first one, unless given.
        `checks`, if given, takes the place of the kernel's own setting. Raises `Rejected`.
        """
        bound = self.bound(*args, **kwargs)
        if arch is None:
            from freehold.runtime import driver

            driver.require_gpu('name an architecture: `arch="sm_90"`')
            arch = driver.architecture(max(0, bound.device))
        options = self.options if checks is None else self.options._replace(checks=checks)
        return self.compiled(bound.specialisation, arch, options)

    # --- For `runtime.launch` -----------------------------------------------------------------------------------------

    def compiled(self, specialisation: Specialisation, arch: str, options: Options | None = None) -> Compiled:
        """The variant for one kind of arguments and an architecture, compiled once. Raises `Rejected`."""
        chosen = options or self.options

        def make() -> Compiled:
            from freehold.runtime.build import build

            product = build(self.function, specialisation, chosen, arch)
            return Compiled(self.__name__, product.contract, arch, product.cubin, chosen)

        return self._variants.get((specialisation, arch, chosen), make)

    def verified(self, specialisation: Specialisation) -> ModuleOp:
        """The verified module for one kind of arguments, made once. Raises `Rejected`."""
        from freehold.runtime.build import verified

        return self._variants.get(specialisation, lambda: verified(self.function, specialisation, self.options))

    def interpreted(self, specialisation: Specialisation) -> Interpreted:
        """The kernel made ready for the interpreter, for one kind of arguments. Raises `Rejected`."""

        def make() -> Interpreted:
            from freehold.runtime.build import contract_of
            from freehold.runtime.evaluation import Evaluator
            from freehold.runtime.host import Interpreted
            from freehold.runtime.interpreter.launch import Kernel as Interpreter

            module = self.verified(specialisation)
            return Interpreted(Evaluator(contract_of(module)), Interpreter.of(module))

        return self._variants.get(("interpreted", specialisation), make)

    def bound(self, *args: Any, **kwargs: Any) -> Bound:
        """The arguments of a call, checked, with what the kernel is specialised to for them. Raises `Rejected`."""
        from freehold.runtime.binding import bind, positional
        from freehold.runtime.call_site import caller

        site: CallSite = caller()
        return bind(self.signature, positional(self.signature, args, kwargs, site), site)


@overload
def kernel(function: Callable[..., None], /) -> Kernel: ...


@overload
def kernel(
    *,
    hints: Mapping[str, int] | None = None,
    deny_kernel_checks: bool = False,
    deny_unsafe: bool = False,
    checks: bool = True,
) -> Callable[[Callable[..., None]], Kernel]: ...


def kernel(
    function: Callable[..., None] | None = None,
    /,
    *,
    hints: Mapping[str, int] | None = None,
    deny_kernel_checks: bool = False,
    deny_unsafe: bool = False,
    checks: bool = True,
) -> Kernel | Callable[[Callable[..., None]], Kernel]:
    """
    Makes a kernel of a function: `@kernel`, or `@kernel(hints={"occupancy": 2}, deny_kernel_checks=True)`.

    `hints` are those of `Kernel.with_hints`. `deny_kernel_checks` refuses the kernel if anything would have to be
    checked while it runs, `deny_unsafe` if it has an `unsafe` block with an access in it. `checks=False` leaves such checks out, and their truth to you.

    Raises `Rejected` where the signature is not understood. The body is looked at when the kernel is compiled.
    """

    def make(function: Callable[..., None]) -> Kernel:
        if not isinstance(function, FunctionType):
            raise TypeError(f"a kernel is made of a function, not of a {type(function).__name__}")
        options = Options(_hints(function.__name__, hints or {}), deny_kernel_checks, checks, deny_unsafe=deny_unsafe)
        return Kernel(function, options)

    return make if function is None else make(function)


def _known_hints() -> str:
    listed: list[str] = []
    for name, (_, values) in HINTS.items():
        low, high = min(values), max(values)
        whole = values == tuple(range(low, high + 1))
        shown = f"{low} to {high}" if whole else ", ".join(map(str, values))
        listed.append(f"`{name}` ({shown})")
    return ", ".join(listed)


def _hints(kernel: str, hints: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    for name, value in hints.items():
        if name in HINTS and type(value) is int and value in HINTS[name][1]:
            continue
        from difflib import get_close_matches

        from freehold.runtime.call_site import caller
        from freehold.runtime.errors import HintUnknown
        from freehold.support.diagnostic import Rejected

        problem = "there is no such value" if name in HINTS else "there is no such hint"
        error = HintUnknown(caller().span, kernel, name, repr(value), problem, _known_hints())
        for close in get_close_matches(name, [n for n in HINTS if n != name], 1):
            error.add(error.DidYouMean(close))
        raise Rejected([error])
    return tuple(sorted(hints.items()))
