"""
The native module (`native*.c`): plain launches, and chains of them, without Python in between, where it was built.

Nothing else needs it. It is built with the package where there is a C compiler (`tools/build_native.py`).
`FREEHOLD_NATIVE=0` does without it, and so does a Python without the interpreter's lock, on which it relies. It
launches only where everything is as it was when a plan was made. The rest it leaves to the Python that makes all
checks (`runtime.launch.launch`), so there is one place that says what is wrong, and nothing differs but time.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from inspect import Signature, signature
from threading import RLock, local
from typing import TYPE_CHECKING, Any, Final

MOST: Final = 64
"""Parameters of an entry point that it takes, and arguments of a kernel."""

CODES: Final = {
    "bool_": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q",
    "f32": "f", "f64": "d",
}  # fmt: skip
"""How `struct` calls the dtypes of scalars that it packs."""


INTERFACE: Final = 14
"""What this module and the native one expect of each other; one that was built of another source is not used."""


def _found() -> Any:
    if os.environ.get("FREEHOLD_NATIVE", "1") == "0" or sys.implementation.name != "cpython" or "t" in sys.abiflags:
        return None
    try:
        found = import_module("freehold.runtime._native")
    except ImportError:
        return None
    return found if getattr(found, "INTERFACE", 0) == INTERFACE else None


_NATIVE: Final = _found()

BUILT: Final = _NATIVE is not None
"""Whether it is there: it was built, and is wanted."""

if TYPE_CHECKING or not BUILT:
    _Caller: Final = object

    class Dropped:
        """What says when it was dropped too early: `Launch._unrun` does it."""

        __slots__ = ()

else:
    _Caller = _NATIVE.Caller
    Dropped = _NATIVE.Dropped


class Caller(_Caller):
    """What is called as a kernel is: `Launchable._called` does it, and the native module where nothing is unusual."""

    __slots__ = ("_plain",)

    def __init__(self) -> None:
        self._plain: tuple[int, Any] | None = None
        """How many arguments are usual, and the dispatcher of the launches, once it is ready."""


def caller_call() -> Any:
    """What calls kernels, as Python knows methods: where it was built."""
    return _NATIVE.Caller.__call__


def lock() -> Any:
    """A lock to be taken by `with`, as `threading.RLock`, which the native module takes without calling it."""
    return _NATIVE.Lock() if BUILT else RLock()


def renew(held: Any) -> None:
    """Makes a lock free, whoever has it: in a forked process, where that thread is not."""
    if BUILT:
        held.renew()
    else:
        held._at_fork_reinit()


class _Thread(local):
    new = True
    """Whether it may have no context of the driver yet: to launch without one is an error, which tools report."""


thread: Final = _Thread()
"""The calling one."""


def enter_thread() -> None:
    """Says that the calling thread has a context. Launches in others do nothing here, and are left to Python."""
    thread.new = False
    if BUILT:
        _NATIVE.enter_thread()


def partition(instance: Any, kinds: dict[type, type], specs: dict[Any, Any], python: Callable[..., Any]) -> Any:
    """`freehold.partition`, for what it knows; `python` takes the rest, and has the documentation."""
    return _NATIVE.partitions(instance, kinds, specs, python, _documented(python)) if BUILT else python


def chains(instance: Any, operation: Any) -> None:
    """Gives operations methods `map` and `then` without an initialiser's call; `instance` is a chain."""
    if BUILT:
        python = operation.map, operation.then
        operation.map, operation.then = _NATIVE.chains(instance, operation, python, tuple(map(_documented, python)))


def launches(launch: Any, flight: Any, *told: list[Any]) -> None:
    """Has a class's method `on` do what is usual; `tell` is called where a list of `told` has something in it."""
    if module() is not None:
        learn("InFlight", flight)
        launch.on = _NATIVE.launches_on(launch, launch.on, _documented(launch.on), told)


def runs(python: tuple[Any, Any], *known: Any) -> tuple[Any, Any]:
    """`walk` and `in_a_row` of `operations.operation`, which know a `Next`, two classes and three functions of its."""
    return _NATIVE.runs(*known) if BUILT else python


def _documented(function: Callable[..., Any]) -> str:
    """A function's documentation, with its signature as built-in functions have it: `...` for what is an object."""
    parameters = [
        p.replace(annotation=p.empty, default=p.default if p.default in (p.empty, None, False, ()) else ...)
        for p in signature(function).parameters.values()
    ]
    shown = Signature(parameters)
    return f"{function.__name__}{shown}\n--\n\n{function.__doc__}".replace("=Ellipsis", "=...")


def learn(name: str, instance: Any) -> None:
    """Tells the native module how the objects of a class are laid out, by one of them. Its sources name the classes."""
    global _fits
    if BUILT and _fits:
        try:
            _NATIVE.learn(name, instance)
        except SystemError:  # objects are not laid out as they always were
            _fits = False


_fits = True


def module() -> Any:
    """The module; None where there is none, or where objects are not laid out as it expects."""
    return _NATIVE if _fits else None


learn("Caller", Caller())


def blank(kind: Any, slot: str) -> Any:
    """An object without its initialiser's work, but for one slot."""
    made: Any = kind.__new__(kind)
    setattr(made, slot, None)
    return made
