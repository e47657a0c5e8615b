"""What a run is given: arrays and numbers checked against the parameters of a kernel, and the symbols they bind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, cast

import numpy as np

from freehold.runtime.interpreter.compile import reject
from freehold.runtime.interpreter.elements import Array, Element, by_name
from freehold.runtime.interpreter.errors import CheckFailed, UnfitArgument
from freehold.runtime.memory.numpy_types import numpy_dtype
from freehold.support.dtypes import BY_NAME, bounds, held
from freehold.support.report import Argument
from freehold.support.span import Span
from freehold.support.terms import Term, solved

_FROM_DTYPE = {
    "bool_": "i1",
    "u8": "i8",
    "u16": "i16",
    "u32": "i32",
    "u64": "i64",
    "f8e4m3fn": "f8E4M3FN",
    "f8e5m2": "f8E5M2",
    "f8e8m0fnu": "f8E8M0FNU",
}


def element_of_dtype(name: str) -> Element:
    """The element that kernel authors call `name` (`bf16`, `u32`, `bool_`)."""
    return by_name(_FROM_DTYPE.get(name, name))


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: a tensor with these extents, or a scalar where `dims` is None."""

    name: str
    element: Element
    dims: tuple[Term, ...] | None
    dtype: str = ""
    """The dtype with its sign (`u32`, `bool_`), where the kernel says; else integers of the same width will do."""
    symbol: str = ""
    """What terms call an integer scalar, where that is not its name."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Arguments in the form in which they are used, and the values of the symbols."""

    values: tuple[Any, ...]
    symbols: dict[str, int]


def _unfit(kernel: str, name: str, what: str, fitting: str) -> NoReturn:
    error = UnfitArgument(Argument(name, kernel), what)
    reject(error.add(error.Give(fitting)))


def scalar(kernel: str, name: str, value: object, e: Element) -> Any:
    """A number as a scalar of an element type."""
    given: Any = value
    plain: Any = given.item() if isinstance(value, np.generic | np.ndarray) and given.ndim == 0 else given
    if e.is_float and isinstance(plain, int | float):
        if (holds := held(BY_NAME[e.name.lower()], plain)) is not None:
            _unfit(kernel, name, f"{plain} does not fit in {e.name}", f"a number of {e.name}: {holds}")
        return np.asarray(float(plain)).astype(e.dtype)[()]
    if not e.is_float and isinstance(plain, int):
        if -(1 << (e.bits - 1)) <= plain < 1 << e.bits:
            return np.array(plain & ((1 << e.bits) - 1), np.uint64).astype(e.dtype)[()]
        _unfit(kernel, name, f"{plain} does not fit in {e.name}", f"an integer of {e.bits} bits")
    _unfit(kernel, name, f"{value!r} is no {e.name}", f"a number that {e.name} can hold")


def array(kernel: str, name: str, value: object, e: Element, rank: int | None) -> Array:
    """An array of an element type: the array itself, or a view of it whose integers are signed.

    With a `rank`, as tensors of kernels have it, it must have that rank and elements.
    """
    if not isinstance(value, np.ndarray):
        _unfit(kernel, name, f"{type(value).__name__} is no NumPy array", "a numpy.ndarray")
    found = cast(Array, value)
    if found.dtype != e.dtype:
        same_bits = found.dtype.kind in "biu" and e.dtype.kind in "iu" and found.dtype.itemsize == e.dtype.itemsize
        if not same_bits:
            _unfit(kernel, name, f"an array of {found.dtype} where {e.name} is needed", f"an array of {e.dtype}")
        found = found.view(e.dtype)
    if rank is not None and found.ndim != rank:
        _unfit(kernel, name, f"an array of rank {found.ndim} where {rank} is needed", f"an array of rank {rank}")
    if found.size == 0 and rank is not None:
        _unfit(kernel, name, f"an array of shape {found.shape}, without elements", "an array with elements")
    return found


def regular(found: Array) -> bool:
    """Whether distinct indices are distinct addresses that grow with the index, whole elements apart."""
    axes = sorted((s, n) for s, n in zip(found.strides, found.shape, strict=True) if n > 1)
    reach = found.dtype.itemsize
    for stride, extent in axes:
        if stride < reach or stride % found.dtype.itemsize:
            return False
        reach += stride * (extent - 1)
    return True


def _signed(kernel: str, parameter: Parameter, value: object) -> None:
    """Refuses an array, or an integer, that is not of the dtype that the kernel says."""
    dtype = BY_NAME[parameter.dtype]
    if parameter.dims is not None:
        wanted = numpy_dtype(dtype.name)
        if isinstance(value, np.ndarray) and (found := cast(Array, value).dtype) != wanted:
            what = f"an array of {found} where {dtype} is needed"
            _unfit(kernel, parameter.name, what, f"an array of {wanted}")
        return
    given: Any = value
    plain: object = given.item() if isinstance(value, np.generic) else value
    if dtype.kind == "int" and isinstance(plain, int):
        low, high = bounds(dtype)
        if not low <= plain <= high:
            _unfit(kernel, parameter.name, f"{plain} is no {dtype}", f"an integer from {low} to {high}")


def bind(kernel: str, parameters: Sequence[Parameter], arguments: Sequence[object]) -> Bound:
    """Checks arguments against parameters; binds a bare symbol to the first extent it names, compares the others."""
    if len(arguments) != len(parameters):
        names = ", ".join(p.name for p in parameters)
        what = f"{len(arguments)} arguments for {len(parameters)} parameters"
        _unfit(kernel, parameters[min(len(arguments), len(parameters) - 1)].name if parameters else "", what, names)
    values: list[Any] = []
    symbols: dict[str, int] = {}
    for parameter, argument in zip(parameters, arguments, strict=True):
        if parameter.dtype:
            _signed(kernel, parameter, argument)
        if parameter.dims is None:
            value = scalar(kernel, parameter.name, argument, parameter.element)
            if not parameter.element.is_float:
                symbols.setdefault(parameter.symbol or parameter.name, int(value))
        else:
            value = array(kernel, parameter.name, argument, parameter.element, len(parameter.dims))
        values.append(value)
    sized = [
        (p.name, term, extent)
        for p, v in zip(parameters, values, strict=True)
        if p.dims is not None
        for term, extent in zip(p.dims, v.shape, strict=True)
    ]
    for name, found in solved([term for _, term, _ in sized]).items():
        symbols.setdefault(name, found.of(sized[found.at][2], symbols))
    unbound: dict[Term, int] = {}
    for name, term, extent in sized:
        wanted = value_of(term, symbols)
        if wanted is None:  # equal terms are equal extents, whatever their symbols stand for
            wanted = unbound.setdefault(term, extent)
        if wanted != extent:
            _unfit(kernel, name, f"an extent of {extent} where `{term}` is {wanted}", f"an extent of {wanted}")
    return Bound(tuple(values), symbols)


def value_of(term: Term, symbols: Mapping[str, int]) -> int | None:
    """The value of a term; None where a symbol of it has none."""
    try:
        return term.evaluate(symbols)
    except KeyError:
        return None


def hold(predicate: Term, symbols: Mapping[str, int], span: Span | None, kernel: str) -> None:
    """Refuses the run unless a predicate is true. One whose symbols have no values is refused, too."""
    try:
        good = predicate.evaluate(symbols)
    except (KeyError, ZeroDivisionError):
        good = 0
    if not good:
        error = CheckFailed(span or Argument("", kernel), str(predicate))
        values = ", ".join(f"{name} = {symbols.get(name, '?')}" for name in sorted(predicate.symbols()))
        reject(error.add(error.Values(values or "no symbol in it")))
