"""
Launches in functions that torch compiles: `torch.compile` sees each as one operator, which changes what is written.

Torch reads the text of what it compiles, and a call of a kernel is no text that it knows. It is given other text for
such calls (`torch.compiler.substitute_in_graph`), once its compiler has been loaded: what describes a launch is kept
as it is, and what runs one calls an operator, which is defined for the kernel, its partitions and its constants. These
are known when torch traces; arrays and scalars are the operator's arguments. What torch cannot follow stays as it was:
its graph ends before it, and it is launched as ever.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from freehold.frontend.schedule import Order
from freehold.runtime.base import native
from freehold.runtime.interop import planned
from freehold.runtime.interop.torch_op import operator_of
from freehold.runtime.jit import launchable
from freehold.runtime.jit.launchable import Launchable, kernels
from freehold.runtime.launch import partition as partitions
from freehold.runtime.launch.partition import Partition
from freehold.support.dtypes import DType, from_name
from freehold.support.locks import mutex

if TYPE_CHECKING:
    from freehold.frontend.signature import KernelSignature

NAMESPACE: Final = "freehold_launch"

_defined: Final[dict[object, str]] = {}
"""Operators by what they launch."""
_unrun: Final[dict[tuple[str, int], tuple[str, int] | None]] = {}
"""Launches of the trace by file and line: their kernel, and how many graphs had ended early; None once they are run."""
_lock: Final = mutex()
_torch: Any = None
"""The module, once its compiler has been loaded."""

_REASON: Final = (
    "a launch that writes what autograd watches, on a stream of its own, or of a partition that was made elsewhere"
)
_TENSOR, _SCALAR, _CONSTANT = "tensor", "scalar", "constant"
_EACH: Final = "each"
"""Told of a tuple of tensors, before how each is cut."""


# --- What torch reads in place of calls: plain Python, of which it knows every statement -----------------------------


class TracedPartition:
    """A partition, as it was asked for: `fh.partition(array, tile, ...)` or `fh.ragged(...)`."""

    def __init__(self, array: Any, maker: str, given: tuple[Any, ...], named: tuple[tuple[str, Any], ...]):
        self.array = array
        self.how = (maker, tuple([_as_constant(v) for v in given]), tuple([(n, _as_constant(v)) for n, v in named]))


class TracedLaunch:
    """A launch or, once it was run, what stands for it."""

    def __init__(self, kernel: Any, given: tuple[Any, ...], named: dict[str, Any]):
        self.kernel = kernel
        self.given = given
        self.named = named
        self.value: Any = None
        self.place = _noted(kernel.number)

    def sync(self) -> Any:
        """Launches it. Compiled code never waits: what is after it in the graph is after it on the stream."""
        _ran(self.place)
        self.value = _launched(self.kernel, self.given, self.named, None)
        return self.value

    def on(self, stream: Any = None) -> TracedLaunch:
        """Launches it, on the stream that the graph runs on."""
        _ran(self.place)
        self.value = _launched(self.kernel, self.given, self.named, stream)
        return self

    def wait(self) -> Any:
        """What was written."""
        return self.value


def _partition(array: Any, *given: Any, **named: Any) -> TracedPartition:
    return TracedPartition(array, "partition", given, tuple(named.items()))


def _ragged(array: Any, *given: Any, **named: Any) -> TracedPartition:
    return TracedPartition(array, "ragged", given, tuple(named.items()))


def _as_constant(value: Any) -> Any:
    """A value made of what torch takes for constants: objects of our own are what they are made of."""
    if isinstance(value, Order):
        return (Order, value.kind, value.size)
    if isinstance(value, DType):
        return (DType, value.name)
    return value


def described(kernel: Any, *given: Any, **named: Any) -> TracedLaunch:
    """A launch, where a kernel is called."""
    return TracedLaunch(kernel, given, named)


def _launched(kernel: Any, given: tuple[Any, ...], named: dict[str, Any], stream: Any) -> Any:
    """Calls the operator that stands for a launch; returns what the launch returns."""
    names, every = tuple(named), [*given, *named.values()]
    kinds = _kinds(kernel.number, len(given), names)
    several = [kinds[n] == _TENSOR and isinstance(every[n], (tuple, list)) for n in range(len(every))]
    each = [every[n] if several[n] else [every[n]] for n in range(len(every))]
    if stream is not None or any([isinstance(a, Partition) for some in each for a in some]):  # noqa: C419 -- torch knows lists
        return _outside(kernel, given, named, stream)
    arrays = [[_array(a) for a in every[n]] if several[n] else _array(every[n]) for n in range(len(every))]
    told: list[Any] = []
    for n in range(len(every)):
        argument = every[n]
        if several[n]:
            told.append((_EACH, tuple([a.how if isinstance(a, TracedPartition) else None for a in argument])))
        elif isinstance(argument, TracedPartition):
            told.append(argument.how)
        elif kinds[n] == _CONSTANT or argument is None:
            told.append((_as_constant(argument),))
        else:
            told.append(None)
    name, taken, written = _operator(kernel.number, len(given), names, tuple(told))
    outputs = [a for n in written for a in (arrays[n] if several[n] else [arrays[n]]) if a is not None]
    if _torch.is_grad_enabled() and any([a.requires_grad for a in outputs]):  # noqa: C419 -- as above
        return _outside(kernel, given, named, stream)
    getattr(getattr(_torch.ops, NAMESPACE), name).default(*[arrays[n] for n in taken])
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _array(argument: Any) -> Any:
    """The array of what may be a partition."""
    return argument.array if isinstance(argument, TracedPartition) else argument


def _launch(kernel: Any, given: tuple[Any, ...], named: dict[str, Any], stream: Any) -> Any:
    """Launches as ever."""
    cut = {name: _cut_at_last(a) for name, a in named.items()}
    return kernel(*map(_cut_at_last, given), **cut).on(stream).value


_outside: Callable[..., Any] = _launch
"""The same, which torch does not look into: its graph ends before it."""


def _cut_at_last(argument: Any) -> Any:
    """What an argument is where nothing is compiled."""
    if isinstance(argument, tuple | list):
        return [_cut_at_last(a) for a in argument]  # pyright: ignore[reportUnknownVariableType] -- of a caller
    return _cut(argument.how)(argument.array) if isinstance(argument, TracedPartition) else argument


# --- What is found out when torch traces: numbers and names, which are constants for it ------------------------------


def _constant(function: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a function of constants whose result is one, as `torch.compiler.assume_constant_result` does."""
    setattr(function, "_dynamo_marked_constant", True)  # noqa: B010 -- no attribute that functions declare
    return function


def _of_constant(said: Any) -> Any:
    """What `_as_constant` was given."""
    match said:
        case (kind, str(order), int(size)) if kind is Order:
            return Order(order, size)  # pyright: ignore[reportArgumentType] -- as it was
        case (kind, str(name)) if kind is DType:
            return from_name(name)
        case _:
            return said


def _cut(how: tuple[str, tuple[Any, ...], tuple[tuple[str, Any], ...]]) -> Callable[[Any], Any]:
    """What partitions an array as it was asked for."""
    maker, by_position, by_name = how
    given, named = tuple(map(_of_constant, by_position)), {name: _of_constant(value) for name, value in by_name}
    return lambda array: getattr(partitions, maker)(array, *given, **named)


@_constant
def _noted(number: int) -> tuple[str, int] | None:
    """Notes that a launch is described; returns file and line, or nothing where torch does not say them."""
    try:
        stack = import_module("torch._guards").TracingContext.extract_stack()
        handler = import_module("torch._dynamo.callback").callback_handler
        ended = handler.end_callbacks
    except (AttributeError, ImportError):  # another torch
        return None
    places = [(frame.filename, frame.lineno) for frame in stack if not frame.filename.startswith(_not_of_users())]
    if not places:
        return None
    with _lock:
        _unrun.setdefault(places[-1], (kernels[number].__name__, _breaks()))
        if _traced not in ended:  # `torch.compiler.reset()` forgets it
            ended.append(_traced)
    return places[-1]


@_constant
def _ran(place: tuple[str, int] | None) -> bool:
    """Notes that what was described is run."""
    with _lock:
        if place in _unrun:
            _unrun[place] = None
    return True


def _not_of_users() -> tuple[str, ...]:
    """How the names of files begin in which no user calls a kernel: torch's, and ours."""
    return str(Path(_torch.__file__).parent), str(Path(__file__).parents[2])


def _breaks() -> int:
    """How many graphs have ended early."""
    return sum(import_module("torch._dynamo.utils").counters["graph_break"].values())


def _traced(*_: Any) -> None:
    """Warns of what was described and is not run, at the end of a trace: nothing is dropped later that could warn."""
    from freehold.runtime.launch.launch import UnrunLaunch, unrun

    with _lock:
        left, now = {place: noted for place, noted in _unrun.items() if noted is not None}, _breaks()
        _unrun.clear()
    for place, (name, before) in left.items():
        if before == now:  # else it may be run where the next graph begins
            warnings.warn_explicit(unrun(name, *place), UnrunLaunch, *place)


@_constant
def _kinds(number: int, count: int, names: tuple[str, ...]) -> tuple[str, ...]:
    """What each argument of a call is for: by position, then by name."""
    kernel = kernels[number]
    modes = {p.name: _TENSOR if p.is_tensor else _SCALAR if p.mode == "scalar" else _CONSTANT for p in _taken(kernel)}
    return tuple(modes[name] for name in _in_order(kernel.signature, count, names))


def _taken(kernel: Launchable) -> Any:
    return kernel.signature.parameters


def _in_order(signature: KernelSignature, count: int, names: tuple[str, ...]) -> list[str]:
    """The parameters that a call gives, in the order of its text. Raises `Rejected` (O210)."""
    from freehold.runtime.base.call_site import caller
    from freehold.runtime.launch.positional import positional

    positional(signature, (None,) * count, dict.fromkeys(names), caller())
    return [*(p.name for p in signature.parameters[:count]), *names]


@_constant
def _operator(
    number: int, count: int, names: tuple[str, ...], told: tuple[Any, ...]
) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """The operator for a call, by name; which arguments of the call it takes, in order; which it writes."""
    kernel = kernels[number]
    parameters = kernel.signature.parameters
    given = _in_order(kernel.signature, count, names)
    fixed = {p.name: p.default for p in parameters if p.name not in given}
    cuts: dict[str, Callable[[Any], Any] | list[Callable[[Any], Any]]] = {}
    for name, how in zip(given, told, strict=True):
        if how is None:
            continue
        if how[0] == _EACH:
            cuts[name] = [_as_it_is if one is None else _cut(one) for one in how[1]]
        elif len(how) == 1:
            fixed[name] = _of_constant(how[0])
        else:
            cuts[name] = _cut(how)
    key = (number, tuple(given), repr(told), tuple((n, repr(v)) for n, v in fixed.items()))
    with _lock:
        if key not in _defined:
            _defined[key] = _define(kernel, key[1:], cuts, fixed)
    taken = [p.name for p in parameters if p.name not in fixed]
    written = [p.name for p in parameters if p.is_tensor and p.mode != "ref" and p.name in given]
    return _defined[key], tuple(map(given.index, taken)), tuple(map(given.index, written))


def _define(kernel: Launchable, call: object, cuts: dict[str, Any], fixed: dict[str, Any]) -> str:
    """
    Defines the operator of a call; returns its name.

    Torch keeps what it compiled on disk, where operators are names. So a name says what is launched: in another process
    it is that of the same kernel, of the same text and with the same values, cut in the same way, or of none.
    """
    from freehold.runtime.variants.build import stable_text

    name = f"{kernel.__name__}_{uuid4().hex}"
    function = getattr(kernel, "function", None)
    if function is not None and all(stable_text(value) is not None for value in fixed.values()):
        said = [function.fingerprint().hexdigest(), repr(getattr(kernel, "options", None)), repr(call)]
        if " at 0x" not in said[-1]:
            name = f"{kernel.__name__}_{hashlib.sha256(chr(10).join(said).encode()).hexdigest()[:32]}"
    whole = {p.name: _as_it_is for p in kernel.signature.tensors if p.mode in ("mut", "out") and p.name not in fixed}
    operator_of(kernel, f"{NAMESPACE}::{name}", {**whole, **cuts}, fixed)
    return name


def _as_it_is(array: Any) -> Any:
    return array


# --- Telling torch ---------------------------------------------------------------------------------------------------


def tell_torch() -> None:
    """Has torch's compiler, which was loaded, read calls of kernels and partitions as what is written here; once."""
    global _torch, _outside
    if _torch is not None:
        return
    _torch = torch = import_module("torch")
    texts: list[tuple[Any, Any]] = [(partitions.partition, _partition), (partitions.ragged, _ragged)]
    try:
        reason = {"reason": _REASON} if torch.__version__ >= "2.7" else {}
        _outside = torch.compiler.disable(_launch, **reason)
        if native.BUILT and torch.__version__ >= "2.13":
            texts.append((native.caller_call(), described))
        elif native.BUILT:  # it knows no method that is not written in Python
            launchable.call_in_python()
        for original, text in texts:
            torch.compiler.substitute_in_graph(original, skip_signature_check=True)(text)
    except (AttributeError, TypeError, ValueError):  # another torch, which ends its graphs at launches
        return
    launchable.compiling, launchable.described = torch.compiler.is_dynamo_compiling, described
    planned.compiling = torch.compiler.is_dynamo_compiling
