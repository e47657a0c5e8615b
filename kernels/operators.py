"""Functions that launch kernels, as operators of torch: allocation of results, fake tensors, gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from threading import Lock
from typing import Any, Final, NamedTuple, cast

import freehold as fh
from freehold.kernels.arguments import Takes, wrong_kind


def _torch() -> Any:
    """Torch, imported as `torch.compile` can trace it, which warns of functions that remember what they returned."""
    import torch  # pyright: ignore[reportMissingImports] -- it may not be installed

    return torch


def _no_mode(torch: Any) -> bool:
    """Whether torch has no mode that sees operators, and transforms none. Where it does not say, there may be one."""
    modes = getattr(torch._C, "_len_torch_dispatch_stack", None)
    transforms = getattr(torch._C._functorch, "peek_interpreter_stack", None)
    return modes is not None and transforms is not None and modes() == 0 and transforms() is None


Results = (
    Callable[[Any], Any]
    | Callable[[Any, Any], Any]
    | Callable[[Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any, Any, Any, Any, Any], Any]
)
"""A function of an operator's arguments, which type checkers tell by their number."""

_NAMESPACE: Final = "freehold"
_defining: Final = Lock()


class _Context(NamedTuple):
    """What a function that makes gradients is told, as of `torch.autograd.Function`."""

    saved_tensors: tuple[Any, ...]
    arguments: tuple[Any, ...]
    needs_input_grad: tuple[bool, ...]


class Operator:
    """
    An operator of torch, `freehold::name`, which `torch.compile`, `torch.export` and autograd see as one piece.

    It is defined when it is first called, so that this package is imported without torch. `results` allocates what
    the operator returns, from its arguments; it also stands for the operator where there are no elements, as under
    `torch.compile`. `launch` is called with the results and then the arguments, and writes the results. Where a tensor
    has no elements nothing is launched, and results are zeros. An operator without `results` changes its arguments.

    `for_gradients` allocates results that are there for gradients alone, each of them by a function of the arguments;
    they come behind those of `results`, which is a tuple then. Autograd is not told of them where it can be helped, and
    a call may leave them out. Where nobody asks for a gradient they are not allocated: `launch` is called with None in
    place of each, and they are not returned.

    Copies and pickles are the operator itself, by the name of the function in its file. Where nothing says what its
    gradients are, whoever asks for one gets an error: in backward, or at the call of one that changes its arguments.
    """

    def __init__(
        self,
        schema: str,
        launch: Callable[..., Any],
        results: Callable[..., Any] | None,
        takes: Takes | None = None,
        for_gradients: Sequence[Callable[..., Any]] = (),
    ):
        self.name, _, rest = schema.partition("(")
        self.schema = f"({rest}"
        self.launch = launch
        self.results = results
        self.takes = takes
        self.for_gradients = tuple(for_gradients)
        self._backward: Callable[..., Any] | None = None
        self._kept: Callable[[Any, Any], Any] | None = None
        self._library: Any = None
        self._torch: Any = None
        self._run: Any = None
        """Allocates and launches, as it did before where arguments look alike (`freehold.planned`): what callers
        want, without what is there for gradients alone."""
        self._all: Any = None
        """The same with all results."""
        self._again: Any = None
        """The function that makes the gradients, planned as a whole."""
        self._differentiable: Callable[..., Any] | None = None
        """The same as a function of autograd's, without torch's dispatcher."""
        self._is_traced: Callable[[], bool] = _is_traced
        self._operator: Callable[..., Any] | None = None
        """Not set while torch traces, gradients neither: what it has read must not change meanwhile."""
        self._is_defined = False
        self.__doc__, self.__module__ = launch.__doc__, launch.__module__

    def __reduce__(self) -> str:
        return self.launch.__qualname__

    def __call__(self, *arguments: Any) -> Any:
        """The results. Where nobody watches, torch is not asked who does: that would take longer than a launch."""
        operator = self._operator or self.defined()
        if self._is_traced():
            return operator(*arguments)
        found = self._run.known(arguments)
        if found is NotImplemented and self.for_gradients and self._torch.is_grad_enabled():
            found = self._all.known(arguments)
        if found is ...:  # nothing but autograd looks
            found = self._differentiable(*arguments) if self._differentiable else NotImplemented
        if found is not NotImplemented:
            return found
        if self._is_seen(self._torch, arguments):
            return operator(*arguments)
        self._operator = operator
        if not self._torch.is_grad_enabled() or not any(getattr(a, "requires_grad", False) for a in arguments):
            return self._run(*arguments)
        return (self._differentiable or operator)(*arguments)

    def backward(self, keeps: Callable[[Any, Any], Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """
        Decorates the function that makes the gradients of all arguments, `function(ctx, *gradients)`.

        `ctx.saved_tensors` is what `keeps(arguments, results)` returns, `ctx.arguments` all arguments that are no
        tensors, and `ctx.needs_input_grad` says of each argument whether its gradient is wanted. Nothing else may be
        asked of `ctx`: the function is planned as a whole (`freehold.planned`). A gradient is None where nothing
        depends on the result, but never is each of them.
        """

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            self._backward, self._kept = function, keeps
            return function

        return decorate

    def _is_seen(self, torch: Any, arguments: tuple[Any, ...]) -> bool:
        """Whether anything traces, transforms or stands in for tensors."""
        plain = torch.Tensor, torch.nn.Parameter
        strange = any(isinstance(a, torch.Tensor) and a.__class__ not in plain for a in arguments)
        return strange or not _no_mode(torch)

    def _gradients(self, ctx: Any, *gradients: Any) -> Any:
        if all(g is None for g in gradients):  # nothing depends on the results
            return (None,) * len(ctx.needs_input_grad)
        if self._backward is None:  # torch itself would warn, and leave the gradient out
            raise NotImplementedError(
                f"freehold::{self.name} has no gradient: call it under torch.no_grad(), or on detached tensors"
            )
        if self._is_traced():
            return self._backward(ctx, *gradients)
        saved = ctx.saved_tensors
        given = (ctx.needs_input_grad, len(saved), len(gradients), *saved, *gradients, *ctx.arguments)
        found = self._again.known(given)
        if found is NotImplemented:
            return self._again.watched(given, {})
        return self._backward(ctx, *gradients) if found is ... else found  # of gradients there are gradients, too

    def _backward_of(self, needed: tuple[bool, ...], saved: int, gradients: int, *rest: Any) -> Any:
        """What makes the gradients, as a function of what it depends on."""
        ctx = _Context(rest[:saved], rest[saved + gradients :], needed)
        return cast(Callable[..., Any], self._backward)(ctx, *rest[saved : saved + gradients])

    def defined(self) -> Callable[..., Any]:
        """The operator as torch has it, defined once; also where `torch.compile` reads this code to trace it."""
        namespace = self._define_once()
        return getattr(getattr(self._torch.ops, namespace), self.name).default

    def _define_once(self) -> str:
        """Defines it unless it is; where torch has it then. What is returned has to be a constant for torch."""
        with _defining:
            if not self._is_defined:
                self._define()
                self._is_defined = True
        return _NAMESPACE

    # As `torch.compiler.assume_constant_result` does, without torch.
    setattr(_define_once, "_dynamo_marked_constant", True)  # noqa: B010 -- no attribute that functions declare

    def _define(self) -> None:
        torch = _torch()
        tensor = torch.Tensor
        library = torch.library.Library(_NAMESPACE, "FRAGMENT")
        library.define(self.name + self.schema, tags=(torch.Tag.pt2_compliant_tag,))
        launch, results, keeps = self.launch, self.results, self._kept
        allocate = cast(Callable[..., Any], results)

        schema = torch._C.parse_schema(f"{_NAMESPACE}::{self.name}{self.schema}")
        values = _values(schema)
        takes, names = self.takes, [a.name for a in schema.arguments]
        needed = [n for n, a in enumerate(schema.arguments) if a.type.kind() == "TensorType"]

        def called(arguments: tuple[Any, ...], make: Callable[..., Any], unasked: tuple[None, ...]) -> Any:
            for n, argument in enumerate(arguments):
                if n not in values and not isinstance(argument, tensor) and (argument is not None or n in needed):
                    raise TypeError(f"{self.name}: {wrong_kind(names[n], ('Tensor',), argument)}")
            if takes is not None:
                takes.check(dict(zip(names, arguments, strict=True)))
            made: Any = () if results is None else make(*arguments)
            given: tuple[Any, ...] = made if made.__class__ is tuple else (made,)
            if any(a.numel() == 0 for a in (*given, *arguments) if isinstance(a, tensor)):
                for result in given:
                    result.zero_()
            else:
                launch(*given, *unasked, *arguments)
            return None if results is None else made

        def function(*arguments: Any) -> Any:
            return called(arguments, self._everything, ())

        def without(*arguments: Any) -> Any:
            return called(arguments, allocate, (None,) * len(self.for_gradients))

        settings = _tf32_settings(torch) if "tf32" in self.schema else ()
        run = self._run = self._all = fh.planned(function, *settings)
        if self.for_gradients:
            self._run = fh.planned(without, *settings)
        self._again = fh.planned(self._backward_of, *settings)
        run.serve(f"{_NAMESPACE}::{self.name}")
        self._torch, self._is_traced = torch, torch.compiler.is_dynamo_compiling
        for place in ("CPU", "CUDA"):
            library.impl(self.name, run, place)
        full = f"{_NAMESPACE}::{self.name}"
        torch.library.register_fake(full, self._everything if results else _nothing, lib=library)
        if "!" not in self.schema:  # torch differentiates nothing that changes its arguments

            def keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
                ctx.set_materialize_grads(False)
                ctx.arguments = tuple([inputs[n] for n in values if inputs[n] is not None])
                if keeps is not None:
                    ctx.save_for_backward(*keeps(inputs, output))

            torch.library.register_autograd(full, self._gradients, setup_context=keep, lib=library)
            self._differentiable = self._function_of_autograd(torch, run, keep, len(schema.returns))
        else:
            library.impl(self.name, self._without_gradients, "Autograd")
        self._library = library

    def _everything(self, *arguments: Any) -> Any:
        """What `results` allocates, and behind it what is there for gradients alone."""
        made = cast(Callable[..., Any], self.results)(*arguments)
        return (*made, *(more(*arguments) for more in self.for_gradients)) if self.for_gradients else made

    def _without_gradients(self, *arguments: Any) -> Any:
        """What changes its arguments. Nothing that torch makes of it would ever ask for a gradient."""
        torch = self._torch
        if torch.is_grad_enabled() and any(getattr(a, "requires_grad", False) for a in arguments):
            raise NotImplementedError(
                f"freehold::{self.name} changes its arguments and has no gradient: "
                "call it under torch.no_grad(), or on detached tensors"
            )
        with torch._C._AutoDispatchBelowAutograd():
            return self.defined()(*arguments)

    def _function_of_autograd(
        self, torch: Any, run: Any, keep: Callable[..., None], results: int
    ) -> Callable[..., Any]:
        """What torch makes of `register_autograd`, where it has nothing else to do: that takes twice as long."""
        gradients, unasked = self._gradients, (None,) * len(self.for_gradients)
        wanted = results - len(unasked)

        class Differentiable(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, *arguments: Any) -> Any:
                found = run.known(arguments)
                if found is NotImplemented or found is ...:
                    found = run(*arguments)
                keep(ctx, arguments, found)
                return found[:wanted] if unasked else found

            @staticmethod
            def backward(ctx: Any, *of_results: Any) -> Any:
                return gradients(ctx, *of_results, *unasked)

        # What torch's own method looks for before this, wrappers of its transforms, was looked for already.
        apply: Callable[..., Any] = torch._C._FunctionBase.__dict__["apply"].__get__(None, Differentiable)
        return apply


def operator(
    schema: str,
    results: Results | None,
    takes: Mapping[str, str] | None = None,
    where: Sequence[str] = (),
    for_gradients: Sequence[Callable[..., Any]] = (),
) -> Callable[[Callable[..., Any]], Operator]:
    """
    Decorates a function that launches kernels: `@operator("name(Tensor x) -> Tensor", results=...)`.

    `takes` and `where` say what tensors are taken (`arguments.Takes`), which is looked at once for arguments that look
    alike. An operator that only others of the library call need not say it. `for_gradients` as of `Operator`.
    """
    known = Takes(schema.partition("(")[0], takes, where) if takes else None
    return lambda launch: Operator(schema, launch, results, known, for_gradients)


def define_operators() -> None:
    """
    Defines every operator of the library in torch (`torch.ops.freehold`); else each is when it is first called.

    For a process that loads a program which another one exported, or compiled ahead of time: torch looks for the
    operators in it by their names, and does not know where they come from. Raises `ImportError` where torch is missing.
    """
    package = Path(__file__).parent
    for file in [import_module(f"freehold.kernels.{found.name}") for found in iter_modules([str(package)])]:
        for value in vars(file).values():
            if isinstance(value, Operator):
                value.defined()


def _values(schema: Any) -> tuple[int, ...]:
    """The arguments of an operator that are no tensors, by place."""
    kinds = [a.type.getElementType() if a.type.kind() == "OptionalType" else a.type for a in schema.arguments]
    return tuple([n for n, kind in enumerate(kinds) if kind.kind() != "TensorType"])


def _is_traced() -> bool:
    """Stands for torch's function until it is asked for."""
    return False


def _nothing(*_: Any) -> None:
    """What an operator without results makes of tensors without elements."""


def torch_dtype(name: str) -> Any:
    """Torch's dtype of a name."""
    return getattr(_torch(), name)


def asked(tf32: bool | None) -> int:
    """Whether TF32 is asked for, as an argument of operators: 1 or 0, and -1 to do as torch's settings say."""
    return -1 if tf32 is None else int(tf32)


def _tf32_settings(torch: Any) -> tuple[Callable[[], Any], ...]:
    """What tells torch's settings of TF32, which `in_tf32` looks at when an operator runs."""
    return torch._C._get_cublas_allow_tf32, torch._C._get_cudnn_allow_tf32


def in_tf32(x: Any, tf32: int, convolution: bool) -> bool:
    """
    Whether products of float32 may be in TF32: as `asked`, or for tensors of a GPU as torch's settings say, which are
    `torch.backends.cuda.matmul` for products and `torch.backends.cudnn` for convolutions.
    """
    torch = _torch()
    if x.dtype != torch.float32:
        return False
    if tf32 >= 0 or not x.is_cuda:
        return tf32 > 0
    backend = torch.backends.cudnn if convolution else torch.backends.cuda.matmul
    try:
        return bool(backend.allow_tf32)
    except RuntimeError:  # where the newer settings were used, torch does not answer of the older
        return getattr(backend, "conv", backend).fp32_precision == "tf32"


def wide_dtype(x: Any) -> Any:
    """Torch's dtype for sums of the elements of a tensor: float64 for float64, else float32."""
    torch = _torch()
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def integer_sums(x: Any) -> Any:
    """Torch's dtype for products of the elements of a tensor: int32 for int8, else the tensor's own."""
    torch = _torch()
    return torch.int32 if x.dtype == torch.int8 else x.dtype


def as_rows(x: Any) -> Any:
    """A tensor as a matrix, its last axis along the rows; without a copy where its strides allow."""
    return x if x.dim() == 2 else x.reshape(-1, x.shape[-1])
