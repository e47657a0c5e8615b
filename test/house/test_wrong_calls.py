"""
Wrong calls of the public interface: what is raised is a refusal with a code, or Python's own word on a public name.

The names are those of `freehold.__all__` and what their classes offer, as `api.txt` lists them, so a new one is tried.
"""

from __future__ import annotations

import inspect
import os
import re
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from interface import members

import freehold as fh
from freehold import Out, Ref, frontend
from freehold.frontend.language.tensors import Tensor as InKernels

ROOT: Final = str(Path(frontend.__file__).resolve().parents[1])
WRONG: Final[tuple[Any, ...]] = (None, "text", [], {}, -1, 1.5, object())
MANY: Final = 30

PRIVATE: Final = re.compile(r"(?<![\w.`'\"])_[A-Za-z]\w*|<locals>|\bfreehold\.(?!\w+`?\b(?!\.))\w+\.\w+")
"""Names that begin with `_`, and paths of modules."""


@fh.kernel
def double(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) * 2.0)


def arrays() -> tuple[Any, Any]:
    return fh.partition(np.zeros(64, np.float32), 16), np.ones(64, np.float32)


def recorded() -> Any:
    return double(*arrays()).graph()


def enqueued() -> Any:
    return fh.zeros((4, 6), device=fh.HOST).on()


def tuned() -> Any:
    made: Any = fh.Tuned
    return made(double)


INSTANCES: Final[Mapping[str, Callable[[], Any]]] = {
    "Execution": fh.Execution,
    "Graph": recorded,
    "InFlight": enqueued,
    "Operation": lambda: fh.value(1).map(abs),
    "RoundRobin": fh.RoundRobin,
    "SingleStream": fh.SingleStream,
    "Tensor": lambda: fh.zeros((4, 6), device=fh.HOST).sync(),
    "Tuned": tuned,
    "Work": lambda: fh.value(1),
}
"""An object of each public class whose methods are called outside kernels."""

OF_THE_HOUSE: Final = {
    "Execution": {"allocating", "give_back", "leave", "place", "prefer", "stream", "uses", "wait", "borrow"},
    "Graph": {"enqueue", "expect", "run"},
    "Operation": {"enqueue"},
    "Work": {"enqueue"},
}
"""Methods that operations and graphs call of one another while work is enqueued; they look at nothing, for speed."""

ASYNCIO: Final = {"send", "throw", "close"}
"""The protocol of coroutines: asyncio calls them, and asyncio's own error is raised where it does not run."""

PYTHON_S_OWN: Final = {"Const": ("'TypeVar' object", "'typing.TypeVar' object")}
"""Names that Python calls otherwise: a type alias (before 3.12, and since)."""

OTHERS: Final = {
    "kernel.as_jax": lambda: double.as_jax,
    "kernel.as_torch_op": lambda: double.as_torch_op,
    "kernel.compile": lambda: double.compile,
    "kernel.explain": lambda: double.explain,
    "kernel.bind": lambda: double.bind,
    "kernel.with_hints": lambda: double.with_hints,
    "launch.sync": lambda: double(*arrays()).sync,
    "launch.on": lambda: double(*arrays()).on,
    "kernel": lambda: double,
}
"""What is called of objects whose classes have no public name."""


def callables() -> Iterator[tuple[str, Callable[[], Any]]]:
    """What there is to call, by its name, made anew for each call."""
    for name in sorted(fh.__all__):
        value = getattr(fh, name)
        if not callable(value) or (inspect.isclass(value) and issubclass(value, Enum | Warning)):  # as Python's own are
            continue
        yield name, lambda value=value: value
        if not inspect.isclass(value) or issubclass(value, InKernels | fh.Tile | BaseException):
            continue
        for line in members(value):
            method = line.strip().partition("(")[0]
            if "(" in line and method not in OF_THE_HOUSE.get(name, ()):
                yield f"{name}.{method}", lambda name=name, method=method: getattr(INSTANCES[name](), method)
    yield from OTHERS.items()


CALLABLES: Final = dict(callables())


def calls(function: Callable[..., Any]) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Wrong calls: nothing, too much, an unknown keyword, all of a wrong kind, and each keyword by itself."""
    parameters = inspect.signature(function).parameters.values()
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = sum(p.default is p.empty for p in positional)
    keywords = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    yield (), {}
    yield (1,) * MANY, {}
    yield (), {"no_such_keyword": 1}
    for wrong in WRONG:
        needed: dict[str, Any] = {p.name: wrong for p in keywords if p.default is p.empty}
        for count in range(max(1, required), len(positional) + 2):
            yield (wrong,) * count, needed
        for keyword in keywords:
            yield (wrong,) * required, {**needed, keyword.name: wrong}


def done(found: object) -> None:
    """Runs what a call has described: some of it fails only then."""
    if isinstance(found, fh.Operation):
        found.sync()


def objection(name: str, error: BaseException) -> str:
    """What is wrong with what a call raised; empty where it is as it should be."""
    said = str(error).splitlines()[0] if str(error) else ""
    inside = [f for f in traceback.extract_tb(error.__traceback__) if os.path.realpath(f.filename).startswith(ROOT)]
    inside = [f for f in inside if not f.filename.startswith(str(Path(__file__).parents[1]))]
    if PRIVATE.search(said):
        return f"a private name: {said}"
    if inside:
        return f"{type(error).__name__}, raised at {Path(inside[-1].filename).name}:{inside[-1].lineno}: {said}"
    if isinstance(error, fh.Rejected):
        return "" if error.codes else "no code"
    first, _, last = name.partition(".")
    names = {kind.__name__ for kind in getattr(getattr(fh, first, None), "__mro__", ())} & set(fh.__all__)
    names |= {"Kernel", "Launch"} if name in OTHERS else set()
    spoken = {last or first, f"{first}.{last}", *PYTHON_S_OWN.get(first, (first,)), *names}
    if isinstance(error, TypeError | ValueError) and any(said.startswith((f"{n}(", f"{n}.", n)) for n in spoken):
        return ""
    return f"{type(error).__name__}, which names something else: {said}"


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """`fh.eager()` is a right call, and lasts."""
    yield
    fh.eager(False)


@pytest.mark.parametrize("name", CALLABLES)
def test_a_wrong_call_is_answered_in_its_own_words(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FREEHOLD_TRACEBACK", "")
    found: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of launches that are not run
        for given, named in calls(CALLABLES[name]()):
            try:
                done(CALLABLES[name]()(*given, **named))
            except RuntimeError as e:
                if name.rpartition(".")[2] not in ASYNCIO or "event loop" not in str(e):
                    raise
            except Exception as e:
                if wrong := objection(name, e):
                    found.append(f"{str(given)[:60]} {named}: {wrong}")
    assert not found, "\n".join(found)


def test_there_is_an_object_of_each_class() -> None:
    methods = {name.partition(".")[0] for name in CALLABLES if "." in name and name not in OTHERS}
    assert methods <= set(INSTANCES)


def test_it_can_fail() -> None:
    def inner() -> None:
        raise TypeError("_inner() takes 0 positional arguments")

    with pytest.raises(TypeError) as info:
        inner()
    assert objection("zeros", info.value).startswith("a private name")
    assert objection("zeros", ValueError("something else")).startswith("ValueError, which names")
    assert objection("zeros", TypeError("zeros() takes an argument")) == ""
