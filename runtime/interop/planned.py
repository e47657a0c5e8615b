"""
Functions that allocate and launch, of torch's tensors: `freehold.planned`.

What such a function does depends on what its arguments look like, and on nothing else. So it is watched once, by a mode
of torch's and by launches: what it allocates, of what tensors its launches' arrays are parts, and what it returns. From
then on the native module does all of this for arguments that look the same (`runtime/native_calls.c`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache, update_wrapper
from threading import get_ident
from typing import TYPE_CHECKING, Any, Final, Generic, ParamSpec, TypeVar, cast

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


def compiling() -> bool:
    """Whether torch's compiler reads this. Its own function takes the place of this one (`runtime.jit.tracing`)."""
    return False


class Planned(Generic[P, T]):
    """What `planned` makes of a function."""

    def __init__(self, function: Callable[P, T], settings: tuple[Callable[[], Any], ...]):
        self._function = function
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
            return self._function(*args, **kwargs)
        if self._calls is not None and not kwargs:
            found = self._calls.run(args)
            if found is not NotImplemented:
                return found
        return self.watched(args, kwargs)

    def watched(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls the function; watches what it does if there was such a call before."""
        function: Callable[..., Any] = self._function
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
        found, plan = Watch(args).watch(function)
        if plan is _UNPLANNED:
            self._tries[key] = _NEVER
        elif plan is not None:
            calls.add(key, *plan)
        return found

    def _ready(self) -> Any:
        if self._calls is None and "torch" in sys.modules and driver.gpu_available():
            self._calls = calls(self._settings)
            if self._calls is not None:
                self.known = self._calls.run_unwatched
        return self._calls


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
    and its like, takes views, launches by `on()`, and returns what it allocated, a tuple of it, or None. Where it does
    anything else that torch or a launch shows, it is called each time, as it is without a GPU or the native module.
    `settings` are functions that are called each time, and whose values it may depend on, too.
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
    return native.module().Calls(tensors, (torch.dtype,), allocation()[0], modes, transforms, settings)


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


class Watch:
    """One call of a function, as it is watched."""

    def __init__(self, arguments: tuple[Any, ...]):
        torch: Any = sys.modules["torch"]
        self._torch = torch
        given: list[Any] = []
        for a in arguments:  # a tensor that is given twice is another one each time
            again = isinstance(a, torch.Tensor) and any(a is b for b in given)
            given.append(a.view_as(a) if again else a)
        self.given = tuple(given)
        self.inputs = [n for n, a in enumerate(given) if isinstance(a, torch.Tensor)]
        self.bases: list[Any] = [given[n] for n in self.inputs]
        """Tensors among the arguments, and those that are allocated."""
        self.parts: dict[int, tuple[int, Any]] = {id(t): (n, t) for n, t in enumerate(self.bases)}
        """By identity of a tensor: which of them it is a part of, and itself."""
        self._thread = get_ident()
        self._streams = tuple([driver.current_handle("torch", n) for n in range(driver.device_count())])
        """Torch's current one of each GPU, where the native module does it all again."""
        self.launched: list[tuple[Launch, tuple[Any, ...]]] = []
        self.plain = all(view(a).device != HOST for a in self.bases)

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
        if _ticks() - before != len(self.launched):  # of others, or in another way
            return found, None
        return found, self._plan(found)

    def saw(self, launch: Launch, arguments: tuple[Any, ...], used: Timeline | None) -> None:
        """Takes note of a launch."""
        if get_ident() != self._thread:
            return
        if used is None or not _same(driver.handle_of(used.stream), self._streams[used.device]):
            self.plain = False
        else:
            self.launched.append((launch, arguments))

    def operator(self, function: Any, args: tuple[Any, ...], found: Any) -> None:
        """Takes note of an operator of torch's."""
        name = function.overloadpacket.__name__
        if name in _WITHOUT_ELEMENTS and function.namespace == "aten":
            self.parts[id(found)] = len(self.bases), found
            self.bases.append(found)
            return
        said = function._schema.arguments[0].alias_info if function._schema.arguments else None
        known = self.parts.get(id(args[0])) if args else None
        if said is None or said.is_write or known is None:
            self.plain = False
            return
        several = cast("Sequence[Any]", found if isinstance(found, tuple | list) else (found,))
        for part in several:
            self.parts[id(part)] = known[0], part

    def _plan(self, found: Any) -> Any:
        torch, count = self._torch, len(self.inputs)
        made = self.bases[count:]
        if not all(t.layout is torch.strided and view(t).device != HOST for t in made):
            return _UNPLANNED
        returned = found if found.__class__ is tuple else () if found is None else (found,)
        order = [self._made(r) for r in returned]
        if None in order:
            return _UNPLANNED
        steps = [self._step(*launched) for launched in self.launched]
        written = {n for step in steps if step is not None for n in step[1]}
        changes = tuple(self.inputs[n] for n in sorted(written) if n < count)
        if None in steps or (changes and len(steps) > 1):
            return _UNPLANNED
        made_of = allocation()[1]
        making = tuple([made_of(t) for t in made])
        outputs = len(order) if found.__class__ is tuple or found is None else -1
        return making, tuple(step[0] for step in steps if step is not None), outputs, tuple(order), changes

    def _made(self, tensor: Any) -> int | None:
        """Which of the allocated tensors a result is as a whole; None if it is none."""
        base = self.parts.get(id(tensor), (-1,))[0] - len(self.inputs)
        if base < 0:
            return None
        whole = self.bases[base + len(self.inputs)]
        same = tensor.is_set_to(whole) and tensor.dtype == whole.dtype
        return base if same else None

    def _step(self, launch: Launch, arguments: tuple[Any, ...]) -> tuple[tuple[Any, ...], set[int]] | None:
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
        return None if known is None else ((known, arguments, tuple(kept), launch, tuple(places)), written)


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
            found = function(*args, **(kwargs or {}))
            self._watch.operator(function, args, found)
            return found

    return Mode
