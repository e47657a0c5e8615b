"""Operations that were run when they were described: what calls of kernels are where `freehold.eager` says so."""

from __future__ import annotations

from collections.abc import Callable
from threading import local
from typing import TYPE_CHECKING, Any, Final, TypeVar

from freehold.runtime.errors.refusing import errors, refuse
from freehold.runtime.operations.operation import Operation
from freehold.support.public import function_of

if TYPE_CHECKING:
    from freehold.runtime.operations.execution import Execution

T_co = TypeVar("T_co", covariant=True)
U = TypeVar("U")


class _Eagerly(local):
    """What a thread does with launches."""

    on: bool = False
    """Whether it runs them as soon as they are described."""


eagerly: Final = _Eagerly()


class Finished(Operation[T_co]):
    """An operation that is done, and its `value`. To run it does nothing, however often."""

    __slots__ = ("_what", "value")

    def __init__(self, what: str, value: T_co):
        self._what = what
        self.value = value

    def enqueue(self, execution: Execution) -> T_co:
        """Its value. Raises `Rejected` (O243) where it is to be recorded: nothing of it is left to do."""
        if execution.recording is not None:
            refuse(errors.AlreadyRun, self._what.strip("`"), eagerly=True)
        return self.value

    def then(self, function: Callable[[T_co], Operation[U]]) -> Operation[U]:
        """The operation that the function makes of its value."""
        return function_of(function, "Operation.then")(self.value)

    def map(self, function: Callable[[T_co], U]) -> Operation[U]:
        """What the function makes of its value, which is done, too."""
        return Finished(self._what, function_of(function, "Operation.map")(self.value))

    def __repr__(self) -> str:
        return f"<{self._what}, done: {self.value!r}>"


def finished(operation: Operation[Any]) -> Finished[Any]:
    """Runs an operation, and waits until it is done. Raises `Rejected`."""
    return Finished(operation.what, operation.sync())
