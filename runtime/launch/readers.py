"""
Readers: what looks at the arguments of a launch when ones like them have been seen before.

For arrays of torch, CuPy and Freehold, also mixed, a reader is written out for the classes of the arguments: it reads
addresses, and a key of everything else that matters. A key that was seen before leads to a plan, which knows all the
rest. A reader never decides that something is wrong: it hands over to the thorough way (`runtime.launch.binding`).

Torch has a faster comparison than a key: the guards by which `torch.compile` recognises tensors compare class, dispatch
keys, dtype, device, extents, strides and whether autograd watches, for all tensors in one call. They are no public
interface, so they are used only where a test at first use shows that they tell apart all that is relied on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from struct import error as StructError
from typing import TYPE_CHECKING, Any, Final

from freehold.runtime.base.locks import lock
from freehold.runtime.gpu import driver
from freehold.runtime.gpu.timeline import timeline
from freehold.runtime.launch import launcher as launchers
from freehold.runtime.launch import modes
from freehold.runtime.launch.partition import Partition
from freehold.runtime.launch.plan import Plan
from freehold.runtime.memory.arguments import quick_family
from freehold.runtime.memory.ledger import Busy, Refusal, lease
from freehold.runtime.memory.scalars import is_plain
from freehold.runtime.memory.storage import Outside
from freehold.runtime.variants.entry import Mismatch

if TYPE_CHECKING:
    from freehold.frontend.signature import KernelSignature
    from freehold.runtime.gpu.timeline import Timeline
    from freehold.runtime.memory.ledger import Space

MOST_PLANS: Final = 4096
"""Plans that a reader remembers; past that it forgets all and begins anew."""

RECENT: Final = 4
"""Plans whose guards are tried before a key is made."""

Read = Callable[[tuple[Any, ...], Any], Any]
"""
`read(arguments, execution)`: launches if there is a plan for arguments like these, and returns the timeline.

With `execution` it runs where that says, and else on the current stream of the arguments' library. Otherwise it returns
None for arguments of other classes, and a tuple of their key where there is no plan yet. Raises one of `WRONG` for
arguments that are not as they should be; nothing was launched then.
"""

WRONG: Final = (
    Busy,
    Mismatch,
    Refusal,
    AttributeError,
    RuntimeError,
    TypeError,
    ValueError,
    OverflowError,
    StructError,
)
"""What comes of reading or passing something that is no good. The driver's errors are `Rejected`."""


class Plans:
    """The plans of one reader, by key."""

    def __init__(self) -> None:
        self.by_key: dict[object, Plan] = {}

    def add(self, key: object, plan: Plan) -> None:
        """Remembers a plan for the next time."""
        if len(self.by_key) >= MOST_PLANS:
            self.by_key.clear()
        self.by_key[key] = plan


def reads_nothing(arguments: tuple[Any, ...], execution: Any) -> None:
    """The reader for arguments that are read thoroughly each time."""


def make_reader(
    signature: KernelSignature, arguments: tuple[Any, ...], promote: Callable[..., None]
) -> tuple[Read, Plans]:
    """
    The reader for arguments of these classes, and the plans that it uses.

    `promote` takes a faster reader for arguments that look the same as the last ones, which leaves others to this one,
    and perhaps what takes a whole launch (`Dispatcher.plain`).
    """
    plans = Plans()
    written = None if modes.environment() is not None else _Writer(signature, arguments)
    if written is None or written.family is None:
        return reads_nothing, plans
    if not modes.watched():
        return written.function(plans, promote), plans

    def guarded(found: Read, *_: Any) -> None:
        promote(modes.asking(found, reads_nothing))

    read = written.function(plans, guarded)
    return modes.asking(read, reads_nothing), plans


class _Writer:
    """Writes out one reader."""

    def __init__(self, signature: KernelSignature, arguments: tuple[Any, ...]):
        from freehold.frontend.signature import EXACT, ConstSpec

        self.signature = signature
        self.scope: dict[str, Any] = {"constant": ConstSpec}
        self.unpack: list[str] = []
        self.classes: list[str] = []
        self.others: list[str] = []
        """Of these conditions, those on what is no array."""
        self.opened: list[str] = []
        """Lines that take arrays out of partitions."""
        self.fixed: list[str] = []
        """Of the key, what is no array: specs of partitions, and compile-time arguments."""
        self.arrays: list[str] = []
        self.written: list[bool] = []
        """Whether each array is more than read."""
        self.values: list[str] = []
        """What is passed: addresses and scalars."""
        families: list[str | None] = []
        for n, (parameter, argument) in enumerate(zip(signature.parameters, arguments, strict=True)):
            name = f"a{n}"
            self.scope[f"c{n}"] = type(argument)
            self.unpack.append(f"{name}, ")
            self.classes.append(f"{name}.__class__ is c{n}")
            if not parameter.is_tensor:
                self.others.append(self.classes[-1])
            if parameter.mode == "const":
                self.fixed.append(name if type(argument) in EXACT else f"constant({name})")
            elif not parameter.is_tensor:
                self.values.append(name)
            else:
                array = argument
                if isinstance(argument, Partition):
                    array, name = argument.array, f"t{n}"
                    self.opened.append(f"    {name} = a{n}.array")
                    self.fixed.append(f"id(a{n}.spec)")  # equal specs are one object, and none is ever dropped
                families.append(quick_family(array))
                self.arrays.append(name)
                self.written.append(parameter.mode != "ref")
                self.values.append(f"p{len(self.arrays) - 1}")
        # What may be another number when it is asked again is asked once, the thorough way.
        scalars: list[type] = [
            type(a) for p, a in zip(signature.parameters, arguments, strict=True) if p.mode == "scalar"
        ]
        self.families = [family for family in families if family is not None]
        """The library of each array."""
        plain = len(self.families) == len(families) and all(map(is_plain, scalars))
        self.family = next((family for family in _CURRENT if plain and family in families), None)
        """Whose current stream is used; None where arguments like these are not read quickly."""
        if self.family == "torch" and getattr(sys.modules["torch"]._C, "_cuda_getCurrentRawStream", None) is None:
            self.family = None  # a torch without CUDA

    def function(self, plans: Plans, promote: Callable[..., None]) -> Read:
        """The reader."""

        assert self.family is not None
        looked_at = [part for parts in self._looks() for part in parts]
        aligned = [f"p{n} & 15" for n in range(len(self.arrays))]
        key = f"({''.join(f'{part}, ' for part in (*self.fixed, *looked_at, *aligned))})"
        self.scope |= {"get": plans.by_key.get, "promote": promote, "hot": self._hot}
        if self.family == "torch":
            self.scope["grad_enabled"] = sys.modules["torch"].is_grad_enabled
        for family in {*self.families} - {"freehold"}:
            self.scope[f"{family}_stream"] = driver.current_of(family)
        guarded = {*self.families} == {"torch"} and guards() is not None
        lines = [
            "def read(arguments, execution):",
            f"    {''.join(self.unpack)} = arguments",
            f"    if not ({' and '.join(self.classes)}):",
            "        return None",
            *self.opened,
            *self._pointers(),
            *(self._guarded(key) if guarded else self._keyed(key)),
            *self._enqueued(),
        ]
        exec("\n".join(lines), self.scope)
        return self.scope["read"]

    def _looks(self) -> list[list[str]]:
        """By array: everything but its address that matters, as expressions."""
        return [
            [part.format(name) for part in _QUICK[family][1].split(", ")]
            for name, family in zip(self.arrays, self.families, strict=True)
        ]

    def _pointers(self) -> list[str]:
        """Lines that read addresses."""
        return [
            f"    p{n} = {_QUICK[family][0].format(name)}"
            for n, (name, family) in enumerate(zip(self.arrays, self.families, strict=True))
        ]

    def _enqueued(self, first: Sequence[str] = ()) -> list[str]:
        """Lines that choose the stream, lease the arrays, and enqueue, where the `first` do not."""
        assert self.family is not None
        self.scope |= {"lease": lease, "lock": lock, "timeline": timeline}
        others = [family for family in _CURRENT if family in self.families and family not in (self.family, "freehold")]
        call = f"plan.enqueue(plan, handle, {', '.join(self.values)})"
        lines = [f"    handle = their = {_CURRENT[self.family]}", "    if execution is None:"]
        for other in others:  # whoever has to wait for whom is not seen here
            lines += [f"        if {_CURRENT[other]} != handle:", "            raise mismatch"]
        lines += [
            "        user = plan.timelines.get(handle) or timeline(plan.device, handle)",
            "    else:",
            "        place = execution.places.get(plan.device) or execution.place(plan.device, plan.family)",
            "        stream, handle, user = place",
        ]
        if self.family != "freehold":
            lines += ["        if handle != their:", "            execution.borrow(their, plan.device)"]
        lines += [f"        execution.borrow({_CURRENT[other]}, plan.device)" for other in others]
        return [
            *lines,
            *first,
            "    with user.lock:",
            f"        {self._leased()}",
            f"        {call}",
            "        if user.eager:",
            "            user.enqueued()",
            "    return user",
        ]

    def _leased(self) -> str:
        """What leases the arrays."""
        self.scope |= {"alone": alone, "outside": Outside, "mismatch": Mismatch}
        if "freehold" not in self.families:
            pointers = ", ".join(f"p{n}" for n in range(len(self.arrays)))
            return f"alone(user, plan.outside) or lease(user, *plan.leases({pointers}))"
        theirs = "outside(plan.device, p{n}, p{n} + plan.sizes[{n}])"
        reads, writes = (
            [self.arrays[n] if self.families[n] == "freehold" else theirs.format(n=n) for n in self._chosen(written)]
            for written in (False, True)
        )
        return f"lease(user, {_tuple(reads)}, {_tuple(writes)})"

    def _chosen(self, written: bool) -> list[int]:
        """The numbers of the arrays that are more than read, or that are only read."""
        return [n for n, found in enumerate(self.written) if found is written]

    def _at_once(self) -> list[str]:
        """Lines that do all of it in the native module, where a stream alone uses all arrays."""
        reads, writes = (
            [self.arrays[n] for n in self._chosen(written) if self.families[n] == "freehold"]
            for written in (False, True)
        )
        used = f"user, plan.outside, {_tuple(reads)}, {_tuple(writes)}, handle, {', '.join(self.values)}"
        return [f"    if at_once({used}):", "        return user"]

    def _keyed(self, key: str) -> list[str]:
        """Lines that find the plan by a key."""
        self.scope |= {"last": [(None, None)], "quick": self._quick}
        # Of a tensor that was never asked for its key, `_key` is one that nothing has.
        asked = [
            f"            key = {key.replace('._key', '.key')}",
            "            plan = get(key)",
            "        if plan is None:",
        ]
        return [
            f"    key = {key}",
            "    recent, plan = last[0]",
            "    if key != recent:",  # the same again is common, and found without hashing
            "        plan = get(key)",
            "        if plan is None:",
            *(asked if "freehold" in self.families else []),
            "            return key",
            "        last[0] = key, plan",
            "    else:",
            "        if plan.quick is None:",
            "            plan.quick = quick(read, arguments, plan)",
            "        promote(*plan.quick)",
        ]

    def _guarded(self, key: str) -> list[str]:
        """Lines that find the plan by torch's guards, and by a key where none of them holds."""
        self.scope |= {"guards": [()], "make_guard": guards(), "last": [None]}
        tensors = ", ".join(self.arrays)
        conditions = ["fixed == known", f"guard({tensors})"]
        if driver.device_count() != 1:  # that guards look at the number of a device is not tested
            conditions.append(f"found.device == {' == '.join(f'{name}.get_device()' for name in self.arrays)}")
        return [
            # Guards see which tensors autograd watches, but not whether it is looking.
            f"    fixed = ({''.join(f'{part}, ' for part in (*self.fixed, 'grad_enabled()'))})",
            f"    aligned = not ({' | '.join(f'p{n}' for n in range(len(self.arrays)))}) & 15",
            "    plan = None",
            "    if aligned:",
            "        for entry in guards[0]:",
            "            guard, known, found = entry",
            f"            if {' and '.join(conditions)}:",
            "                plan = found",
            "                if entry is last[0] and execution is None:",
            "                    promote(hot(read, arguments, guard, plan))",
            "                last[0] = entry",
            "                break",
            "    if plan is None:",
            f"        key = {key}",
            "        plan = get(key)",
            "        if plan is None:",
            "            return key",
            "        if aligned:",
            "            plan.missed += 1",
            "            if not plan.missed & (plan.missed - 1):",  # ever more rarely, should guards not help
            f"                guards[0] = ((make_guard({tensors}), fixed, plan), *guards[0][:{RECENT - 1}])",
        ]

    def _hot(self, read: Read, arguments: tuple[Any, ...], guard: Callable[..., bool], plan: Plan) -> Read:
        """The reader for arguments that look like these, which have passed a guard. Others it leaves to `read`."""
        functions = plan.functions
        scope: dict[str, Any] = {**functions.scope, **self.scope, "read": read, "guard": guard, "plan": plan}
        scope |= {"timelines": plan.timelines, "outside": plan.outside, "lock": lock(plan.device), "alone": alone}
        scope["values"] = plan.values and plan.values.alone
        values = {f"a{n}": a for n, a in enumerate(arguments)}
        exec("\n".join([line.strip() for line in self.opened]), scope, values)
        conditions = [*self.others, *_unchanged(self.fixed, scope, values)]
        if any(eval(f"{name}.requires_grad", scope, values) for name in self.arrays):
            scope["grad"] = scope["grad_enabled"]()
            conditions.append("grad_enabled() is grad")
        conditions.append(f"guard({', '.join(self.arrays)})")
        if driver.device_count() != 1:
            conditions.append(f"{' == '.join(f'{name}.get_device()' for name in self.arrays)} == {plan.device}")
        pointers = [f"p{n}" for n in range(len(self.arrays))]
        native_first = [
            f"    if values(user, outside, (), (), handle, {', '.join(self.values)}):",
            "        return user",
        ]
        lines = [
            "def hot(arguments, execution):",
            f"    {''.join(self.unpack)} = arguments",
            *self.opened,
            f"    if execution is not None or not ({' and '.join(conditions)}):",
            "        return read(arguments, execution)",
            *[f"    {p} = {name}.data_ptr()" for p, name in zip(pointers, self.arrays, strict=True)],
            f"    handle = torch_stream({plan.device})",
            "    user = timelines.get(handle)",
            f"    if ({' | '.join(pointers)}) & 15 or user is None:",
            "        return read(arguments, execution)",
            *[f"    v{n} = {value}" for n, value in enumerate(self.values) if value != f"v{n}"],
            *(native_first if plan.values else []),
            "    with lock:",
            "        if alone(user, outside):",
            *[f"        {line}" for line in functions.body],
            "            return user",
            "    return read(arguments, execution)",
        ]
        exec("\n".join(lines), scope)
        return scope["hot"]

    def _quick(self, read: Read, arguments: tuple[Any, ...], plan: Plan) -> tuple[Any, ...]:
        """What to promote for arguments that look like these: the native launcher, or a reader that makes no key."""
        assert self.family is not None
        launcher = launchers.launcher(plan, self.signature, arguments) if self.family == "freehold" else None
        if launcher is not None:
            return launcher.read, launcher.run
        values = {f"a{n}": a for n, a in enumerate(arguments)}
        scope: dict[str, Any] = {**self.scope, "plan": plan, "read": read}
        exec("\n".join([line.strip() for line in self.opened]), scope, values)
        if any(eval(line.partition(" = ")[2], scope, values) & 15 for line in self._pointers()):
            return (read,)
        parts = [part for looks in self._looks() for part in looks]
        if driver.device_count() == 1:
            parts = [part for part in parts if not part.endswith(".device.id")]
        conditions = _unchanged([*self.fixed, *parts], scope, values)
        pointers = [f"p{n}" for n in range(len(self.arrays))]
        first: list[str] = []
        if plan.values is not None and self.family != "freehold":
            scope["at_once"], first = plan.values.alone, self._at_once()
        lines = [
            "def quick(arguments, execution):",
            f"    {''.join(self.unpack)} = arguments",
            f"    if not ({' and '.join(self.classes)}):",
            "        return read(arguments, execution)",
            *self.opened,
            *self._pointers(),
            f"    if ({' | '.join(pointers)}) & 15 or not ({' and '.join(conditions)}):",
            "        return read(arguments, execution)",
            *self._enqueued(first),
        ]
        exec("\n".join(lines), scope)
        return (scope["quick"],)


def alone(user: Timeline, space: Space) -> bool:
    """Enters a launch in a timeline, if that uses a space alone: then there is nothing to order it with."""
    if space.sole is not user:
        return False
    user.now = space.wrote = user.now + 1
    return True


def _tuple(parts: Sequence[str]) -> str:
    return f"({''.join(f'{part}, ' for part in parts)})"


def _unchanged(parts: Sequence[str], scope: dict[str, Any], values: dict[str, Any]) -> list[str]:
    """Conditions that expressions have the values that they have at the moment, which are put in the scope."""
    conditions: list[str] = []
    for n, part in enumerate(parts):
        identity = part.startswith("id(")
        shown = part[3:-1] if identity else part
        scope[f"k{n}"] = eval(shown, scope, values)
        conditions.append(f"k{n} {'is' if identity else '=='} ({shown})")
    return conditions


@cache
def guards() -> Callable[..., Callable[..., bool]] | None:
    """Torch's guards: `guards()(*tensors)(*others)` says whether the others look the same; None where they fail us."""
    torch: Any = sys.modules["torch"]
    try:
        made: Any = torch._C._dynamo.guards.TensorGuards

        def make(*tensors: Any) -> Callable[..., bool]:
            return made(*tensors, dynamic_dims_sizes=None, dynamic_dims_strides=None).check

        return make if _tells_apart(torch, make) else None
    except Exception:  # whatever a later torch makes of a private class
        return None


def _tells_apart(torch: Any, make: Callable[..., Callable[..., bool]]) -> bool:
    """Whether guards see all that is relied on, and let pass what is the same."""
    with torch.inference_mode(False), torch.no_grad():
        plain, same = torch.empty(2, 2), torch.empty(2, 2)
        watched = torch.empty(2, 2, requires_grad=True)
        others = [
            torch.empty(2, 2, dtype=torch.int32),
            torch.empty(2, 3),
            torch.empty(4),
            torch.empty(2, 2).t(),
            torch.empty(4, 2)[::2],
            torch._neg_view(torch.empty(2, 2)),
            torch.empty(2, 2, device="meta"),
            torch.empty(2, 2).to_sparse(),
            torch.nn.Parameter(torch.empty(2, 2), requires_grad=False),
        ]
        guard, watching = make(plain, same), make(watched)
        good = guard(plain, same) is True and guard(same, plain) is True and watching(watched) is True
        return good and not any(guard(plain, other) or guard(other, plain) for other in (*others, watched))


_QUICK: Final[Mapping[str, tuple[str, str]]] = {
    "torch": (
        "{0}.data_ptr()",
        "{0}.shape, {0}.stride(), {0}.dtype, {0}.get_device(), {0}.is_neg(), {0}.requires_grad and grad_enabled()",
    ),
    "cupy": ("{0}.data.ptr", "{0}.shape, {0}.strides, {0}.dtype, {0}.device.id"),
    "freehold": ("{0}.pointer", "{0}._key"),
}
"""By family: the address of an array, and everything else about it that matters, as Python expressions."""

_CURRENT: Final[Mapping[str, str]] = {
    "torch": "torch_stream(plan.device)",
    "cupy": "cupy_stream(plan.device).ptr",
    "freehold": "0",
}
"""By family: the handle of its current stream. The first of them whose arrays are given says where a launch runs."""
