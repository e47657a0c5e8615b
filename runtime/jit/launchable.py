"""What is launched by calling it: kernels, those of packages among them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pickle import PicklingError
from sys import _getframe as _frame  # pyright: ignore[reportPrivateUsage] -- documented, and the only way
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self, cast
from weakref import WeakValueDictionary

from freehold.frontend.signature import NoTuple
from freehold.runtime.base import native
from freehold.runtime.base.call_site import CallSite, caller
from freehold.runtime.errors.refusing import errors, refuse
from freehold.runtime.operations.finished import eagerly, finished
from freehold.support.locks import mutex
from freehold.support.public import public

if TYPE_CHECKING:
    from freehold.frontend.signature import Form, KernelSignature, Parameter, Specialisation
    from freehold.runtime.base.call_site import CallSite
    from freehold.runtime.interop.results import Cut
    from freehold.runtime.launch.binding import Bound
    from freehold.runtime.launch.bound_launch import BoundLaunch
    from freehold.runtime.launch.callee import Interpreted
    from freehold.runtime.launch.launch import Dispatcher, Launch
    from freehold.runtime.launch.modes import Kind
    from freehold.runtime.variants.compiled import Compiled
    from freehold.runtime.variants.hints import Hints


_numbers: Final = count()
kernels: Final[WeakValueDictionary[int, Launchable]] = WeakValueDictionary()
"""All that there are, by number."""


def compiling() -> bool:
    """Whether torch's compiler reads this. Its own function takes the place of this one (`runtime.jit.tracing`)."""
    return False


described: Callable[..., Any] = compiling
"""What stands for a call where torch's compiler reads it."""


eager_threads: Final[set[int]] = set()
"""Threads in which kernels run as they are called (`runtime.jit.eager`)."""


class Launchable(native.Caller, ABC):
    """A kernel as its callers see it: parameters, and code for arguments of each kind."""

    def __init__(self, signature: KernelSignature):
        super().__init__()
        self.signature = signature
        self.__name__ = signature.kernel
        self._count = len(signature.parameters)
        self._lock = mutex()
        self.number: Final = next(_numbers)
        """Of no other kernel of the process."""
        kernels[self.number] = self
        self._forms: dict[Form, Self] = {}
        self._whole: Self | None = None
        self._dispatcher: Any = None
        self._launch: type[Launch] | None = None

    @abstractmethod
    def compiled(self, specialisation: Specialisation, arch: str) -> Compiled:
        """The GPU code for one kind of arguments and an architecture. Raises `Rejected`."""

    @abstractmethod
    def interpreted(self, specialisation: Specialisation, mode: Kind = "fast") -> Interpreted:
        """The kernel made ready for a mode of the interpreter, for one kind of arguments. Raises `Rejected`."""

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}>"

    if not TYPE_CHECKING:  # which would then know no attribute to be missing

        def __getattr__(self, name: str) -> NoReturn:
            from freehold.support.missing import KERNEL, missing

            raise missing("a kernel", name, KERNEL, self)

    def __copy__(self) -> Self:
        return self  # nothing of it changes but what it has compiled

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        raise PicklingError(f"kernel `{self.__name__}` is of a package: load the package where it is needed")

    def _called(self, *args: Any, **kwargs: Any) -> Launch:
        """
        A launch on these arguments, which does nothing until it is run: `.sync()` or `.on(stream)`.

        Raises `Rejected` (O210) where arguments are missing or too many; everything else is checked when it is run.
        """
        if compiling():
            return described(self, *args, **kwargs)
        frame = _frame(1)
        launch = self._launch or self._prepared()
        if kwargs or len(args) != self._count:
            from freehold.runtime.launch.positional import positional

            args = positional(self.signature, args, kwargs, CallSite(frame.f_code, frame.f_lasti))
        kernel, args = self.in_form(args)
        made = launch(kernel.dispatcher, args, frame.f_code, frame.f_lasti)
        return cast("Launch", finished(made)) if eager_threads and eagerly.on else made

    if TYPE_CHECKING or not native.BUILT:  # else `Caller` does it, and asks `_called` where anything is unusual
        __call__ = _called

    def __getitem__(self, grid: object) -> NoReturn:
        """Refuses `kernel[grid](...)` (O228): the partitions of the outputs are the grid."""
        parameters = self.signature.parameters
        shown = [f"fh.partition({p.name}, tile)" if p.mode in ("mut", "out") else p.name for p in parameters]
        refuse(errors.GridGiven, self.__name__, ", ".join(shown))

    def _prepared(self) -> type[Launch]:
        """Loads what launches need, once."""
        from freehold.runtime.launch.launch import Dispatcher, Launch

        with self._lock:
            if self._dispatcher is None:
                self._dispatcher = Dispatcher(self)
        self._launch = Launch
        self.call_plainly()
        return Launch

    def call_plainly(self) -> None:
        """Has the native module make its launches, where that is all that a call does."""
        if native.module() is not None and self._dispatcher is not None:
            plain = not self.signature.has_forms and not eager_threads
            self._plain = (self._count, self._dispatcher) if plain else None

    @property
    def dispatcher(self) -> Dispatcher:
        """Of its launches."""
        if self._dispatcher is None:
            self._prepared()
        return cast("Dispatcher", self._dispatcher)

    def in_form(self, arguments: tuple[Any, ...]) -> tuple[Self, tuple[Any, ...]]:
        """The kernel in the form that a call asks for (`KernelSignature.form_of`), and an argument for each of its
        parameters."""
        signature = self.signature
        if not signature.has_forms:
            return self, arguments
        try:
            form = signature.form_of(arguments)
        except NoTuple as e:
            self._no_tuple(e.parameter, arguments)
        found = self._forms.get(form)
        if found is None:
            found = self._formed(form)
            found._whole = self
            found = self._forms.setdefault(form, found)
        return found, signature.flat(arguments)

    def _no_tuple(self, parameter: Parameter, arguments: tuple[Any, ...]) -> NoReturn:
        from freehold.support.diagnostic import LaunchError

        site: CallSite = caller()
        position = self.signature.parameters.index(parameter)
        place = site.argument(position, parameter.name, self.__name__)
        what = f"a {type(arguments[position]).__name__}"
        error = errors.NotATuple(place, parameter.name, self.__name__, what, parameter.annotation)
        raise LaunchError([error.add(error.Tuple(f"({site.text(position, parameter.name) or parameter.name},)"))])

    @property
    def whole(self) -> Self:
        """The kernel that it is a form of, or itself."""
        return self._whole or self

    @abstractmethod
    def _formed(self, form: Form) -> Self:
        """The kernel in a form of its own."""

    def given(self, args: Sequence[Any], kwargs: Mapping[str, Any], site: CallSite) -> tuple[Self, tuple[Any, ...]]:
        """As `in_form`, for a call. Raises `Rejected` (O210)."""
        from freehold.runtime.launch.positional import positional

        return self.in_form(positional(self.signature, tuple(args), kwargs, site))

    def bound(self, *args: Any, arch: str | None = None, **kwargs: Any) -> Bound:
        """
        The arguments of a call, checked, with what the kernel is specialised to for them, where anything is open for
        `arch` if given. Raises `Rejected`.
        """

        site: CallSite = caller()
        kernel, arguments = self.given(args, kwargs, site)
        return kernel.checked(arguments, site, arch)

    def checked(self, arguments: tuple[Any, ...], site: CallSite, arch: str | None = None) -> Bound:
        """The arguments of a call, as `bound`, one for each parameter. Raises `Rejected`."""
        from freehold.runtime.launch.binding import bind

        arguments, hints = self.completed(arguments, site, arch)
        return bind(self.signature, arguments, site, hints)

    def completed(self, arguments: tuple[Any, ...], site: CallSite, arch: str | None) -> tuple[tuple[Any, ...], Hints]:
        """The arguments of a call with what they leave open, and the hints that go with it. Raises `Rejected`."""
        return arguments, ()

    def bind(self, *args: Any, **kwargs: Any) -> BoundLaunch:
        """
        A launch on these arguments that may be run any number of times: `bound.on()`, `bound.sync()`.

        Everything is checked here; a run only looks whether the arrays, which it keeps alive, are still where they
        were. `bound.rebind(x=...)` exchanges some. Raises `Rejected`.
        """
        from freehold.runtime.launch.bound_launch import bind_here

        return bind_here(self, args, kwargs)

    # --- In other frameworks ------------------------------------------------------------------------------------------

    @public
    def as_torch_op(
        self,
        name: str,
        partitions: Mapping[str, Cut | list[Cut]],
        *,
        returns: Sequence[str] | Mapping[str, Any] = (),
        fixed: Mapping[str, object] | None = None,
        backward: Callable[..., Any] | None = None,
        setup_context: Callable[..., None] | None = None,
    ) -> Any:
        """
        The kernel as an operator of torch, which `torch.compile` and `torch.export` see as one piece:
        `saxpy.as_torch_op("mine::saxpy", {"y": 1024})` defines and returns `torch.ops.mine.saxpy`.

        `partitions` says how each output is cut: a tile, or a function that makes the partition of a tensor; of a tuple
        of tensors each is cut so, or as a list says. Arguments are the kernel's, in order, tuples as lists
        (`Tensor[]`). `Mut` and `Out` parameters are mutated, and the schema says so; those `Out` parameters that
        `returns` names are allocated instead and returned. Their extents follow from the dimensions of other
        arguments, their dtype is the annotation's, the one that `returns` maps them to, or else that of the first
        tensor. `fixed` gives values to parameters that the operator leaves out.

        `backward(ctx, *gradients)` makes it differentiable, as in `torch.library.register_autograd`; it needs an
        operator that mutates nothing. Unless `setup_context` is given, `ctx.saved_tensors` are all tensors among the
        arguments and then the results.

        Raises `Rejected` (O278) where no operator can be made of it.
        """
        from freehold.runtime.interop.torch_op import as_torch_op

        return as_torch_op(
            self, name, partitions, returns=returns, fixed=fixed, backward=backward, setup_context=setup_context
        )

    @public
    def as_jax(
        self,
        partitions: Mapping[str, Cut | list[Cut]],
        *,
        returns: Mapping[str, Any] | None = None,
        fixed: Mapping[str, object] | None = None,
        vmap_method: str | None = None,
    ) -> Callable[..., Any]:
        """
        The kernel as a function of JAX arrays, also under `jax.jit`: `y = gemm.as_jax({"c": (64, 64)})(a, b)`.

        It returns what the kernel writes and changes no argument: `Out` parameters are no arguments but results, and
        `Mut` parameters are both. Several results are a tuple, in the order of the parameters; those of a tuple of
        tensors are one in it. `partitions` and `fixed`
        are as in `as_torch_op`; `returns` gives the dtypes of `Out` parameters that are neither annotated nor that of
        the first array. Scalars and constants have to be known when JAX traces. `vmap_method` is that of `jax.ffi`.

        Raises `Rejected` (O278) where no function can be made of it.
        """
        from freehold.runtime.interop.jax_call import Function

        return Function(self, partitions, returns or {}, fixed or {}, vmap_method)


def call_in_python() -> None:
    """Has Python make the calls of all kernels, for torch's compilers that know no method of a native module."""
    Launchable.__call__ = Launchable._called  # pyright: ignore[reportPrivateUsage] -- of this file
