"""What is launched, as launches know it: parameters, and code for arguments of each kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from freehold.frontend.signature import KernelSignature, Specialisation
from freehold.runtime.base.call_site import CallSite
from freehold.runtime.launch.binding import Bound
from freehold.runtime.launch.modes import Kind
from freehold.runtime.memory.arguments import ArrayView
from freehold.runtime.variants.compiled import Compiled
from freehold.runtime.variants.evaluation import Evaluator

if TYPE_CHECKING:
    from freehold.runtime.operations.operation import Operation


class Interpreted(NamedTuple):
    """A kernel made ready for the interpreter, for arguments of one kind."""

    evaluator: Evaluator
    kernel: Any
    """Of `runtime.interpreter`, or what stands in for foreign code."""
    beside: Callable[[Sequence[ArrayView], Sequence[Any], Sequence[tuple[str, ArrayView, Any]]], None] | None = None
    """For arrays on a GPU: runs the GPU's code on them, and compares what was written with the results given."""


class Callee(Protocol):
    """A kernel (`runtime.jit.launchable`)."""

    signature: KernelSignature
    __name__: str

    @property
    def dispatcher(self) -> Any: ...
    def in_form(self, arguments: tuple[Any, ...]) -> tuple[Callee, tuple[Any, ...]]: ...
    def checked(self, arguments: tuple[Any, ...], site: CallSite, arch: str | None = None) -> Bound: ...
    def compiled(self, specialisation: Specialisation, arch: str) -> Compiled: ...
    def interpreted(self, specialisation: Specialisation, mode: Kind = "fast") -> Interpreted: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Operation[Any]: ...
