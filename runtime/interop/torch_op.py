"""
Kernels as operators of torch: what `Launchable.as_torch_op` makes.

The operator's schema follows from the kernel's signature: `Mut` and `Out` parameters are arguments that are mutated,
unless an `Out` is asked for as a result, which the operator then allocates. Its Python function is written out for the
signature, like a launch's reader, and registered for CPU and CUDA tensors directly, without the layers that
`torch.library.custom_op` puts in between.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from freehold.frontend.schedule import Grid
from freehold.runtime.errors.refusing import errors, reject
from freehold.runtime.interop.planned import planned
from freehold.runtime.interop.results import Cut, Results, array_of
from freehold.runtime.memory.scalars import scalar_dtype
from freehold.support.dtypes import DType
from freehold.support.terms import rounded_up

if TYPE_CHECKING:
    from freehold.frontend.signature import Parameter
    from freehold.runtime.launch.callee import Callee

_CONSTANTS: Final[Mapping[type | None, str]] = {int: "int", float: "float", bool: "bool", str: "str"}
"""How schemas call the types of `Const` parameters."""

_SCALARS: Final[Mapping[str, str]] = {"int": "SymInt", "float": "float", "bool": "bool"}
"""How schemas call scalars, by the kind of their dtype."""

_libraries: Final[list[Any]] = []
"""An operator is there as long as the library that defined it."""


def torch_dtype(dtype: DType) -> Any:
    """Torch's dtype for one of ours."""
    from freehold.runtime.memory.numpy_types import numpy_dtype

    return getattr(import_module("torch"), str(numpy_dtype(dtype.name).name))


def as_torch_op(
    kernel: Callee,
    name: str,
    partitions: Mapping[str, Cut | list[Cut]],
    *,
    returns: Sequence[str] | Mapping[str, Any] = (),
    fixed: Mapping[str, object] | None = None,
    backward: Callable[..., Any] | None = None,
    setup_context: Callable[..., None] | None = None,
) -> Any:
    """What `Launchable.as_torch_op` says."""
    made = _Operator(kernel, partitions, returns, fixed or {})
    return made.register(name, backward, setup_context)


def operator_of(
    kernel: Callee, name: str, partitions: Mapping[str, Cut | list[Cut]], fixed: Mapping[str, object]
) -> Any:
    """An operator that does as a launch does: nothing in it has a gradient."""
    return _Operator(kernel, partitions, (), fixed).register(name, None, None, watched=False)


class _Operator:
    def __init__(
        self,
        kernel: Callee,
        partitions: Mapping[str, Cut | list[Cut]],
        returns: Sequence[str] | Mapping[str, Any],
        fixed: Mapping[str, object],
    ):
        self.kernel = kernel
        self.results = Results(kernel, returns, fixed)
        self.results.check(partitions, fixed)
        self.cuts = {name: self.results.cut(name, value) for name, value in partitions.items()}
        # The points of a launch are no argument of an operator: those that the kernel says, or those that are fixed.
        fixed = {p.name: p.default for p in kernel.signature.parameters if p.type is Grid and p.has_default} | {**fixed}
        self.fixed = fixed
        self.taken = [p for p in kernel.signature.parameters if p.name not in {*self.results.dtypes, *fixed}]
        """The parameters that are arguments of the operator."""

    @property
    def schema(self) -> str:
        """The operator's schema, without its name."""
        alias = iter("abcdefghijklmnopqrstuvwxyz")
        taken = [self._argument(p, alias) for p in self.taken]
        results = ["Tensor"] * len(self.results.dtypes)
        answer = results[0] if len(results) == 1 else f"({', '.join(results)})"
        return f"({', '.join(taken)}) -> {answer}"

    def _argument(self, p: Parameter, alias: Any) -> str:
        if p.is_tensor:
            kind = "Tensor" if p.mode == "ref" else f"Tensor({next(alias)}!)"
            return f"{kind}{'?' * p.optional}{'[]' * p.many} {p.name}" + "=None" * (p.optional and p.has_default)
        if p.mode == "const":
            kind = _CONSTANTS.get(p.type)
            if kind is None:
                self.results.refuse(
                    f"torch's schemas have no type for `{p.name}: {p.annotation}`",
                    f'give its value here: `fixed={{"{p.name}": ...}}`',
                )
        else:
            kind = _SCALARS[scalar_dtype(p).kind]
        default = p.default if p.has_default and isinstance(p.default, bool | int | float | str) else None
        if default is None:
            return f"{kind} {p.name}"
        return f"{kind} {p.name}={json.dumps(default) if isinstance(default, str) else default}"

    def _functions(self) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """The operator's function, and the one for tensors that have no elements to work on."""
        torch: Any = import_module("torch")
        scope: dict[str, Any] = {"kernel": self.kernel, "empty": torch.empty, "ceildiv": rounded_up}
        arguments: list[str] = []
        for p in self.kernel.signature.parameters:
            value = p.name
            if p.name in self.fixed:
                value = f"fixed_{p.name}"
                scope[value] = self.fixed[p.name]
            if p.name in self.cuts and p.name not in self.fixed:
                scope[f"cut_{p.name}"] = self.cuts[p.name]
                value = f"cut_{p.name}({p.name})" + f" if {p.name} is not None else None" * p.optional
            arguments.append(value)
        scope["no_tensor"] = self.results.empty
        several = [p.name for p in self.results.given if p.many and self.results.dtypes]
        lines = [f"    if not {name}: no_tensor({name!r})" for name in several]
        for name in self.results.dtypes:
            first = array_of(self.results.first)
            dtype = self.results.dtype(name)
            scope[f"dtype_{name}"] = None if dtype is None else torch_dtype(dtype)
            chosen = f"{first}.dtype" if dtype is None else f"dtype_{name}"
            lines.append(f"    {name} = empty({self.results.shape(name)}, dtype={chosen}, device={first}.device)")
        scope |= {f"default_{p.name}": p.default for p in self.taken if p.has_default}  # torch leaves them to us
        taken = [f"{p.name}=default_{p.name}" if p.has_default else p.name for p in self.taken]
        head = f"({', '.join(taken)}):"
        answer = f"    return {', '.join(self.results.dtypes) or 'None'}"
        run = [f"def run{head}", *lines, f"    kernel({', '.join(arguments)}).on()", answer]
        fake = [f"def fake{head}", *lines, answer]
        exec("\n".join([*run, *fake]), scope)
        return scope["run"], scope["fake"]

    def register(
        self,
        name: str,
        backward: Callable[..., Any] | None,
        setup_context: Callable[..., None] | None,
        *,
        watched: bool = True,
    ) -> Any:
        """Defines the operator; returns it. Raises `Rejected` (O278), and what torch raises for names."""
        torch: Any = import_module("torch")
        namespace, _, own = name.partition("::")
        if not namespace.isidentifier() or not own.isidentifier():
            self.results.refuse(f"`{name}` is no name of an operator", 'name it with its namespace: `"mine::name"`')
        if backward is not None and any(p.is_tensor and p.mode != "ref" for p in self.taken):
            self.results.refuse(
                "torch differentiates no operators that mutate arguments",
                "let it return what it writes: `returns=[...]`, for `Out` parameters",
            )
        written, fake = self._functions()
        run = planned(written)
        run.serve(name)
        library = torch.library.Library(namespace, "FRAGMENT")
        library.define(own + self.schema, tags=(torch.Tag.pt2_compliant_tag,))
        for place in ("CPU", "CUDA"):
            library.impl(own, run, place)
        torch.library.register_fake(name, fake, lib=library)
        operator = getattr(getattr(torch.ops, namespace), own).default
        if backward is not None:
            torch.library.register_autograd(name, backward, setup_context=setup_context or self._save, lib=library)
        elif watched:
            library.impl(own, self._without_backward(torch, operator, run, name), "Autograd", with_keyset=True)
        _libraries.append(library)
        return operator

    def _without_backward(self, torch: Any, operator: Any, run: Any, name: str) -> Callable[..., Any]:
        """The operator as autograd sees it: what it writes needs a gradient where an argument does, and has none."""
        below, after = torch._C._AutoDispatchBelowAutograd, torch._C._after_autograd_keyset
        tensors = [n for n, p in enumerate(self.taken) if p.is_tensor]
        written = [n for n in tensors if self.taken[n].mode != "ref"]
        several = [n for n in tensors if self.taken[n].many]
        names = [p.name for p in self.taken]
        defaults = tuple(p.default if p.has_default else None for p in self.taken)
        kernel, returns = self.kernel.__name__, "" if self.results.dtypes else "returns=[...], "

        def each(n: int, given: Sequence[Any]) -> Sequence[Any]:
            """The tensors of an argument."""
            return given[n] if n in several else given[n : n + 1]

        def wants(n: int, given: Sequence[Any]) -> bool:
            return any([t is not None and t.requires_grad for t in each(n, given)])  # noqa: C419 -- quicker

        class Watched(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, keyset: Any, counts: tuple[int, ...], *flat: Any) -> Any:
                """`counts`: of each argument, how many of `flat` it is; negative where it is one, and no tuple."""
                ctx.counts = counts
                arguments = _grouped(counts, flat)
                with below():
                    result = operator.redispatch(keyset & after, *arguments)
                if not written:
                    return result
                changed = tuple(t for n in written for t in each(n, arguments) if t is not None)
                ctx.mark_dirty(*changed)
                return changed

            @staticmethod
            def backward(ctx: Any, *gradients: Any) -> Any:
                asked = _grouped(ctx.counts, ctx.needs_input_grad[2:])
                needed = " and ".join(f"`{names[n]}`" for n in tensors if any(each(n, asked)))
                reject(errors.NoBackward(None, name, kernel, needed or "its arguments", returns))

        def watched(keyset: Any, *given: Any, **named: Any) -> Any:
            if not named:
                found = run.known(given)  # on the way of most calls: torch has nothing else to do for these
                if found is not NotImplemented and found is not ...:
                    return found
            if not named and not any(n < len(given) and wants(n, given) for n in tensors):
                with below():
                    return operator.redispatch(keyset & after, *given)
            arguments: list[Any] = [*given, *defaults[len(given) :]]
            for key, value in named.items():
                arguments[names.index(key)] = value
            leaf = any(t is not None and t.requires_grad and t.is_leaf for n in written for t in each(n, arguments))
            if torch.is_grad_enabled() and not leaf and any(wants(n, arguments) for n in tensors):
                counts = tuple(len(a) if n in several else -1 for n, a in enumerate(arguments))
                result = Watched.apply(keyset, counts, *_flat(counts, arguments))
                return None if written else result
            with below():
                return operator.redispatch(keyset & after, *arguments)

        return watched

    def _save(self, ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Keeps all tensors for the backward function: arguments, then results."""
        results: tuple[Any, ...] = output if len(self.results.dtypes) > 1 else (output,)
        given = zip(self.taken, inputs, strict=True)
        tensors = [t for p, value in given if p.is_tensor for t in (value if p.many else (value,))]
        ctx.save_for_backward(*tensors, *results)


def _flat(counts: Sequence[int], arguments: Sequence[Any]) -> list[Any]:
    """Arguments with what is in tuples by itself."""
    return [one for count, a in zip(counts, arguments, strict=True) for one in ((a,) if count < 0 else a)]


def _grouped(counts: Sequence[int], flat: Sequence[Any]) -> list[Any]:
    """What `_flat` was given."""
    rest = iter(flat)
    return [next(rest) if count < 0 else [next(rest) for _ in range(count)] for count in counts]
