"""
Functions that allocate and launch, of torch's tensors: `freehold.planned`.

What such a function does depends on what its arguments look like, and on nothing else. So it is watched once, by a mode
of torch's and by launches: what it allocates, of what tensors its launches' arrays are parts, which operators of torch
it calls between them, and what it returns. From then on the native module does all of this for arguments that look the
same (`runtime/native_calls.c`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, update_wrapper
from threading import get_ident
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, ParamSpec, TypeVar, cast

from freehold.runtime.base import native
from freehold.runtime.gpu import driver
from freehold.runtime.gpu.timeline import Timeline, timelines
from freehold.runtime.memory.arguments import HOST, view

if TYPE_CHECKING:
    from freehold.runtime.launch.launch import Launch

P = ParamSpec("P")
T = TypeVar("T")

MOST: Final = 4096
"""Kinds of arguments that a function remembers; past that it forgets all and begins anew."""

_TRIES: Final = 4
"""How often a kind of arguments is watched that something came in the way of, as another thread's work does."""

_NEVER: Final = -1
_WITHOUT_ELEMENTS: Final = ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided")
"""Torch's operators that allocate and do nothing else."""

_VIEWS: Final = ("_unsafe_view", "_reshape_alias")
"""Torch's operators whose results are views, which their schemas do not say."""

_COPYING: Final = ("contiguous", "flatten", "reshape", "to")
"""Torch's operators whose results are views where they can be, and else copies."""

_CHANGING: Final = ("add_", "copy_", "div_", "fill_", "mul_", "scatter_", "scatter_add_", "sub_", "zero_")
_MAKING: Final = (
    *("clone", "_to_copy", "flip", "repeat", "index_select", "gather"),
    *("new_full", "new_ones", "new_zeros", "ones_like", "zeros", "zeros_like"),
    *("add", "sub", "mul", "div", "neg", "reciprocal", "sign", "exp", "log", "sum", "softmax", "_softmax"),
    *("eq", "ne", "ge", "gt", "le", "lt"),
)
"""
Torch's operators that are called again: what they do, and what their results look like, depends on no elements, and on
nothing random. The others make something new, these change the first argument.
"""

MAKES, LAUNCHES, CALLS = range(3)
"""What an action of a plan does, as the native module calls it."""


def compiling() -> bool:
    """Whether torch's compiler reads this. Its own function takes the place of this one (`runtime.jit.tracing`)."""
    return False


class Planned(Generic[P, T]):
    """What `planned` makes of a function."""

    def __init__(self, function: Callable[P, T], settings: tuple[Callable[[], Any], ...]):
        self.inner = function
        """What is planned, for others that are watched while they call it."""
        self._settings = settings
        self._calls: Any = None
        """The native module's, once there was a call on a GPU."""
        self.known: Callable[[tuple[Any, ...]], Any] = _nothing_yet
        """What the function returns, of a tuple of arguments, or `NotImplemented` and nothing was done: where it is not
        known what it does for such arguments; or `...` and nothing was done, where autograd has to see it."""
        self._tries: dict[bytes, int] = {}
        """By kind of arguments: how often there were some."""
        update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """What the function returns."""
        if compiling():
            return self.inner(*args, **kwargs)
        if self._calls is not None and not kwargs:
            found = self._calls.run(args)
            if found is not NotImplemented:
                return found
        return self.watched(args, kwargs)

    def watched(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls the function; watches what it does if there was such a call before."""
        function: Callable[..., Any] = self.inner
        calls = self._ready()
        if kwargs or calls is None:
            return function(*args, **kwargs)
        key = calls.key(args)
        if key is None or _has_modes():
            return function(*args, **kwargs)
        if key not in self._tries and len(self._tries) >= MOST:
            self._tries.clear()
            calls.forget()
        tries = self._tries.get(key, 0)
        if tries == _NEVER:
            return function(*args)
        self._tries[key] = tries + 1 if tries < _TRIES else _NEVER
        if not tries:  # it may compile and choose schedules: it is watched the next time
            return function(*args)
        found, plan = Watch(args, self._settings).watch(function)
        if plan is _UNPLANNED:
            self._tries[key] = _NEVER
        elif plan is not None:
            calls.add(key, *plan)
        return found

    def serve(self, name: str) -> None:
        """Says that it is an operator of torch's, by its full name, so that what it does is part of others' plans."""
        _operators[name] = self

    def settings_among(self, settings: tuple[Callable[[], Any], ...]) -> bool:
        """Whether it depends on these settings only."""
        return all(own in settings for own in self._settings)

    def _ready(self) -> Any:
        if self._calls is None and "torch" in sys.modules and driver.gpu_available():
            self._calls = calls(self._settings)
            if self._calls is not None:
                self.known = self._calls.run_unwatched
        return self._calls


_operators: Final[dict[str, Planned[..., Any]]] = {}
"""By full name: operators of torch's that are planned functions."""


def _nothing_yet(arguments: tuple[Any, ...]) -> Any:
    """Knows no arguments."""
    return NotImplemented


def planned(function: Callable[P, T], *settings: Callable[[], Any]) -> Planned[P, T]:
    """
    Decorates a function that allocates tensors of torch and launches kernels on them: from the third call with
    arguments that look alike on, the native module does the same again, and a call costs the host little more than the
    launches do.

        @fh.planned
        def scaled(x, a):
            y = torch.empty_like(x)
            scale(fh.partition(y, 1024), x, a).on()
            return y

    What it does may depend on shapes, strides, dtypes and the other arguments, which are numbers, texts, dtypes, or
    tuples of them, and on nothing else: no other tensors, nothing random, no elements. It allocates by `torch.empty`
    and its like, takes views, launches by `on()`, and returns tensors that it was given or made, parts of them, a tuple
    of them and of None, or None. It may copy, clear, convert, turn around, add up and compute with tensors by operators
    of torch that need no elements to know what they make: `clone`, `copy_`, `zero_`, `to`, `flip`, `sum`, `mul` and
    their like; and call functions of `freehold.kernels`. Where it does anything else that torch or a launch shows, it
    is called each time, as it is without a GPU or the native module; so is one that changes an argument and does
    anything besides. `settings` are functions that are called each time, and whose values it may depend on, too.
    """
    return Planned(function, settings)


def calls(settings: tuple[Callable[[], Any], ...] = ()) -> Any:
    """What makes the native module's calls; None where it is not built, or torch does not say what modes it has."""
    from freehold.runtime.launch import launcher

    torch: Any = sys.modules["torch"]
    modes = getattr(torch._C, "_len_torch_dispatch_stack", None)
    transforms = getattr(torch._C._functorch, "peek_interpreter_stack", None)
    if modes is None or transforms is None or not launcher.ready():
        return None
    tensors = (torch.Tensor, torch.nn.Parameter)
    views = torch.as_strided
    return native.module().Calls(tensors, (torch.dtype,), allocation()[0], views, modes, transforms, settings)


@cache
def allocation() -> tuple[Callable[..., Any], Callable[[Any], tuple[Any, ...]]]:
    """
    What allocates a tensor, and what makes its arguments of one like it.

    The code that torch compiles has a function that looks at nothing, and allocates on the current GPU.
    """
    torch: Any = sys.modules["torch"]
    quick = getattr(torch._C._dynamo.guards, "_empty_strided_cuda", None)
    if quick is not None and driver.device_count() == 1 and torch.cuda.is_available():
        return quick, lambda t: _layout(t)[:3]
    plain = torch.empty_strided

    def allocate(size: Any, stride: Any, dtype: Any, device: Any) -> Any:
        return plain(size, stride, dtype=dtype, device=device)

    return allocate, _layout


def _layout(tensor: Any) -> tuple[Any, ...]:
    return tuple(tensor.shape), tensor.stride(), tensor.dtype, tensor.device


_UNPLANNED: Final = object()
"""What a function does cannot be done in its place."""


class Part(NamedTuple):
    """What is seen of a tensor of a call."""

    base: int
    """Which of the tensors; negative: none."""
    shape: tuple[int, ...] | None = None
    """None where all of the tensor is seen."""
    strides: tuple[int, ...] | None = None
    first: int = 0
    """Where its elements begin in the tensor, in elements."""


@dataclass
class Event:
    """What a function did."""

    kind: int
    what: Any
    """What the native module is told of it."""
    uses: set[int]
    """Of which tensors."""
    writes: set[int]
    made: int = -1
    """Which tensor was made by it, if any."""


class Watch:
    """One call of a function, as it is watched."""

    def __init__(self, arguments: tuple[Any, ...], settings: tuple[Callable[[], Any], ...] = ()):
        torch: Any = sys.modules["torch"]
        self._torch = torch
        given: list[Any] = []
        for a in arguments:  # a tensor that is given twice is another one each time
            again = isinstance(a, torch.Tensor) and any(a is b for b in given)
            given.append(a.view_as(a) if again else a)
        self.given = tuple(given)
        self.inputs = [n for n, a in enumerate(given) if isinstance(a, torch.Tensor)]
        self.bases: list[Any] = [given[n] for n in self.inputs]
        """Tensors among the arguments, and those that are made."""
        self.parts: dict[int, tuple[int, Any]] = {id(t): (n, t) for n, t in enumerate(self.bases)}
        """By identity of a tensor: which of them it is a part of, and itself."""
        self._settings = settings
        self._thread = get_ident()
        self._streams = tuple([driver.current_handle("torch", n) for n in range(driver.device_count())])
        """Torch's current one of each GPU, where the native module does it all again."""
        self.events: list[Event | tuple[Launch, tuple[Any, ...]]] = []
        self.plain = all(view(a).device != HOST for a in self.bases)
        self._differentiates = torch.is_grad_enabled() and any(t.requires_grad for t in self.bases)

    def watch(self, function: Callable[..., Any]) -> tuple[Any, Any]:
        """What the function returns, and the plan of what it did: None where it is not sure, or `_UNPLANNED`."""
        from freehold.runtime.launch.launch import seen_by

        mode = _mode()(self)
        seen_by.append(self.saw)
        before = _ticks()
        try:
            with mode:
                found = function(*self.given)
        finally:
            seen_by.remove(self.saw)
        if not self.plain:
            return found, _UNPLANNED
        if _ticks() - before != sum(isinstance(e, tuple) for e in self.events):  # of others, or in another way
            return found, None
        return found, self._plan(found)

    def saw(self, launch: Launch, arguments: tuple[Any, ...], used: Timeline | None) -> None:
        """Takes note of a launch."""
        if get_ident() != self._thread:
            return
        if used is None or not _same(driver.handle_of(used.stream), self._streams[used.device]):
            self.plain = False
        else:
            self.events.append((launch, arguments))

    def calls(self, operator: Planned[..., Any]) -> None:
        """Takes note that another planned function is called, which is watched as if its text stood there."""
        if self._differentiates or not operator.settings_among(self._settings):
            self.plain = False

    def operator(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], found: Any) -> None:
        """Takes note of an operator of torch's."""
        name = function.overloadpacket.__name__ if function.namespace == "aten" else ""
        if name in _WITHOUT_ELEMENTS:
            made = self._made_new(found)
            self.events.append(Event(MAKES, made, set(), set(), made))
            return
        said = function._schema.arguments[0].alias_info if function._schema.arguments else None
        known = self.parts.get(id(args[0])) if args else None
        copies = name in _COPYING and not _shares(found, args[0])
        if copies or name in _MAKING or name in _CHANGING:
            self._called(name, function, args, kwargs, found)
            return
        if known is None or (name not in _VIEWS and (said is None or said.is_write)):
            self.plain = False
            return
        several = cast("Sequence[Any]", found if isinstance(found, tuple | list) else (found,))
        self.plain = self.plain and all(_shares(part, args[0]) for part in several)
        for part in several:
            self.parts[id(part)] = known[0], part

    def _made_new(self, tensor: Any) -> int:
        self.parts[id(tensor)] = len(self.bases), tensor
        self.bases.append(tensor)
        return len(self.bases) - 1

    def _called(self, name: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], found: Any) -> None:
        """Takes note of an operator that is called again."""
        tensor = self._torch.Tensor
        seen = {n: self._part(a) for n, a in enumerate(args) if isinstance(a, tensor)}
        rest = [a for n, a in enumerate(args) if n not in seen]
        plain = (
            all(_is_value(a, self._torch) for a in (*rest, *kwargs.values())) and found.layout is self._torch.strided
        )
        if self._differentiates or not plain or None in seen.values():
            self.plain = False
            return
        known = [(n, part) for n, part in seen.items() if part is not None]
        parts = [(n, *part) for n, part in known]
        uses = {part.base for _, part in known}
        given = tuple(None if n in seen else a for n, a in enumerate(args))
        if name in _CHANGING:
            told = _quick(function), given, kwargs or None, tuple(parts), None
            self.events.append(Event(CALLS, told, uses, {known[0][1].base}))
            return
        told = _quick(function), given, kwargs or None, tuple(parts), found
        made = self._made_new(found)
        self.events.append(Event(CALLS, told, uses | {made}, set(), made))

    def _part(self, tensor: Any) -> Part | None:
        """What a tensor is of those of the call; None if it is no part of them."""
        base = self.parts.get(id(tensor), (-1,))[0]
        if base < 0:
            return None
        whole = self.bases[base]
        if tensor.dtype != whole.dtype or tensor.is_neg() != whole.is_neg():
            return None
        if tensor.is_set_to(whole):
            return Part(base)
        return Part(base, tuple(tensor.shape), tensor.stride(), tensor.storage_offset() - whole.storage_offset())

    def _plan(self, found: Any) -> Any:
        torch, count = self._torch, len(self.inputs)
        made = self.bases[count:]
        if len(self.bases) > native.MOST or not all(t.layout is torch.strided and view(t).device != HOST for t in made):
            return _UNPLANNED
        returned = found if found.__class__ is tuple else () if found is None else (found,)
        outputs = [Part(-1) if r is None else self._part(r) for r in returned]
        if None in outputs:
            return _UNPLANNED
        events = [self._step(*event) if isinstance(event, tuple) else event for event in self.events]
        if None in events:
            return _UNPLANNED
        known = [event for event in events if event is not None]
        changed = [n for event in known if event.kind != MAKES for n in sorted(event.writes) if n < count]
        if changed and sum(event.kind != MAKES for event in known) > 1:
            return _UNPLANNED
        by_launches = {n for event in known if event.kind == LAUNCHES for n in event.writes if n < count}
        kept = {part.base for part in outputs if part is not None}
        actions = tuple([self._action(n, known, kept) for n in range(len(known))])
        returns = 1 if found.__class__ is tuple else 0 if found is None else -1
        told = tuple([(n, *part) for n, part in enumerate(outputs) if part is not None])
        return actions, returns, told, tuple(self.inputs[n] for n in sorted(by_launches))

    def _action(self, n: int, events: list[Event], kept: set[int]) -> tuple[int, Any, tuple[int, ...]]:
        """An event as the native module takes it, with the tensors that nothing behind it needs."""
        event = events[n]
        later = {base for other in events[n + 1 :] for base in other.uses}
        made: set[int] = {event.made} if event.made >= 0 else set()
        own = event.uses | made
        last = sorted(base for base in own - later - kept if base >= len(self.inputs))
        what = allocation()[1](self.bases[event.made]) if event.kind == MAKES else event.what
        return event.kind, what, tuple(last)

    def _step(self, launch: Launch, arguments: tuple[Any, ...]) -> Event | None:
        """A launch as the native module takes it, and of which tensors it writes parts."""
        from freehold.runtime.launch.partition import Partition

        known = launch.dispatcher.launcher
        parameters = launch.dispatcher.kernel.signature.parameters
        places: list[tuple[int, int]] = []
        kept: list[Any] = []
        written: set[int] = set()
        for p, a in zip(parameters, arguments, strict=True):
            if not p.is_tensor:
                kept.append(a)
                continue
            array = a.array if isinstance(a, Partition) else a
            base = self.parts.get(id(array), (None,))[0]
            if base is None:
                return None
            kept.append(None)
            places.append((base, array.data_ptr() - self.bases[base].data_ptr()))
            if p.mode != "ref":
                written.add(base)
        if known is None:
            return None
        fixed = launch.dispatcher.fixed(arguments)
        told = known, arguments, tuple(kept), launch, tuple(places), fixed
        return Event(LAUNCHES, told, {base for base, _ in places}, written)


def _quick(operator: Any) -> Any:
    """
    What calls an operator of torch's, which takes the same arguments: torch's function or method of this name is twice
    as fast as what finds out at each call which arguments the operator has.
    """
    torch: Any = sys.modules["torch"]
    name = operator.overloadpacket.__name__
    for place in (torch, torch.Tensor):
        found = getattr(place, name, None)
        if found is not None and found.__class__.__name__ in ("builtin_function_or_method", "method_descriptor"):
            return found
    return getattr(operator, "_op", operator)


def _shares(part: Any, tensor: Any) -> bool:
    """Whether a tensor is in the memory of another one."""
    dense: Any = sys.modules["torch"].strided
    if part.layout is not dense or tensor.layout is not dense:
        return False
    return part.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr()


def _is_value(value: Any, torch: Any) -> bool:
    """Whether an argument of an operator holds no tensor."""
    if isinstance(value, tuple | list):
        return all(_is_value(one, torch) for one in cast("Sequence[Any]", value))
    kinds = bool, int, float, str, torch.dtype, torch.device, torch.layout, torch.memory_format
    return value is None or isinstance(value, kinds)


def _same(one: int, other: int) -> bool:
    """Whether two handles are one stream's: the default stream has two."""
    return one == other or {one, other} <= {0, 1}


def _has_modes() -> bool:
    """Whether a mode of torch's may do something else than what operators say, or a function is being transformed."""
    torch: Any = sys.modules["torch"]
    return torch._C._len_torch_dispatch_stack() > 0 or torch._C._functorch.peek_interpreter_stack() is not None


def _ticks() -> int:
    """How much was enqueued so far, on all streams."""
    different = {known for of_device in list(timelines.values()) for known in list(of_device.values())}
    return sum(known.now for known in different)  # the default stream has two names


@cache
def _mode() -> Any:
    """A class of modes of torch's that tell a `Watch` of all operators."""
    from torch.utils._python_dispatch import TorchDispatchMode  # pyright: ignore -- torch may not be installed

    class Mode(TorchDispatchMode):
        def __init__(self, watch: Watch):
            super().__init__()  # pyright: ignore[reportUnknownMemberType] -- torch's
            self._watch = watch

        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            named: dict[str, Any] = kwargs or {}
            inner = _operators.get(f"{function.namespace}::{function.overloadpacket.__name__}")
            if inner is not None:
                self._watch.calls(inner)
                with self:  # its own operators and launches are the watched function's
                    return inner.inner(*args, **named)
            found = function(*args, **named)
            self._watch.operator(function, args, named, found)
            return found

    return Mode
