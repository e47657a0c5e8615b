"""What is noted of a function that allocates and launches (`freehold.planned`), and when it is asked again."""

# Stand-ins are of no type that checkers know, and what is tested has no public name.
# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownParameterType=false, reportUnknownLambdaType=false

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import freehold as fh
from freehold import Mut, Out, Ref, f32
from freehold.runtime.base import native
from freehold.runtime.interop import planned
from freehold.runtime.launch import launcher
from freehold.runtime.launch.launch import seen_by

torch: Any = pytest.importorskip("torch")
STREAMS = {"torch's": 0, "torch's by its other name": 1, "another": 7}
"""Streams of GPU 0 and their handles."""


@fh.kernel
def scale(y: Out["N"], x: Ref["N"], a: f32):
    y.store(a * x.load_like(y))


@fh.kernel
def accumulate(y: Mut["N"], x: Ref["N"]):
    y.store(y.load() + x.load_like(y))


class Line:
    """A stream, on which so much was enqueued."""

    def __init__(self) -> None:
        self.now = 5


class World:
    """A GPU that is the host: which tensors are there, what was enqueued, and what may be replayed."""

    def __init__(self) -> None:
        self.on_host: list[Any] = []
        self.line = Line()
        self.launcher: Any = "the launcher"

    def launch(self, kernel: Any, *arguments: Any, stream: str | None = "torch's", seen: bool = True) -> None:
        """What a launch tells."""
        self.line.now += 1
        dispatcher = SimpleNamespace(launcher=self.launcher, kernel=kernel, fixed=lambda given: (kernel, given))
        made: Any = SimpleNamespace(dispatcher=dispatcher, name=kernel.__name__)
        used: Any = None if stream is None else SimpleNamespace(stream=stream, device=0)
        for see in list(seen_by) if seen else ():
            see(made, arguments, used)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """Tensors of torch in the host's memory count as the GPU's."""
    found = World()

    def view(tensor: Any) -> Any:
        there = any(tensor.data_ptr() == other.data_ptr() for other in found.on_host)
        return SimpleNamespace(device=planned.HOST if there else 0)

    monkeypatch.setattr(planned, "view", view)
    monkeypatch.setattr(planned, "timelines", {0: {0: found.line, 1: found.line}, 1: {}})
    monkeypatch.setattr(planned, "allocation", lambda: (None, planned._layout))
    monkeypatch.setattr(planned, "_quick", lambda operator: operator.overloadpacket)  # which has a name
    monkeypatch.setattr(planned.driver, "device_count", lambda: 1)
    monkeypatch.setattr(planned.driver, "current_handle", lambda library, device: {("torch", 0): 0}[library, device])
    monkeypatch.setattr(planned.driver, "handle_of", STREAMS.__getitem__)
    return found


def told(plan: Any) -> str:
    """A plan in a line: what is made, what is launched of which parts, what is returned, and what has changed."""
    if plan is None:
        return "unsure"
    if plan is planned._UNPLANNED:
        return "never"
    actions, returns, outputs, changes = plan
    done = "; ".join(f"{TOLD[kind](what)}{f', and without {list(last)}' * bool(last)}" for kind, what, last in actions)
    kind = {0: "nothing", 1: "a tuple", -1: "one"}[returns]
    given = "".join(f" {part(*one[1:])}" for one in outputs)
    return f"{done or 'nothing'} | {kind}{given} | changes {changes}"


def part(base: int, shape: Any, strides: Any, first: int) -> str:
    """A part of a tensor: which, and what of it."""
    return str(base) if shape is None else f"{base}[{first} + {list(shape)} by {list(strides)}]"


def made(what: Any) -> str:
    size, stride, dtype, device = what
    return f"{list(size)} by {list(stride)} {str(dtype)[6:]} {device}"


def launched(what: Any) -> str:
    known, given, kept, launch, places, fixed = what
    assert fixed == (launch.dispatcher.kernel, given)
    return f"{launch.name} {known} of {len(given)}: {list(kept)} at {list(places)}"


def called(what: Any) -> str:
    function, given, named, parts, new = what
    assert (new is None) == function.__name__.endswith("_")
    assert all(given[at] is None for at, *_ in parts)
    where = ", ".join(f"{at}: {part(*rest)}" for at, *rest in parts)
    return f"{function.__name__}{list(given)}{f' {named}' * bool(named)} of {where}"


TOLD: dict[int, Callable[[Any], str]] = {planned.MAKES: made, planned.LAUNCHES: launched, planned.CALLS: called}


def x() -> Any:
    return torch.zeros(640)


def watched(world: World, function: Callable[..., Any], *arguments: Any) -> str:
    watch = planned.Watch(arguments)
    _, plan = watch.watch(lambda *given: function(world, *given))
    assert not seen_by
    return told(plan)


# --- What is done in the function's place -----------------------------------------------------------------------------


def scaled(w: World, x: Any) -> Any:
    y = torch.empty_like(x)
    w.launch(scale, fh.partition(y, 64), x, 2.0)
    return y


def of_parts(w: World, x: Any) -> Any:
    total = x.new_empty((4, 64))
    w.launch(scale, fh.partition(total[1], 64), x.reshape(-1, 64)[3], 2.0, stream="torch's by its other name")
    y = torch.empty(7, dtype=torch.int32)
    return y, total


def in_turns(w: World, x: Any) -> Any:
    first, second = torch.empty_strided((2, 3), (1, 2)), x.new_empty_strided((8,), (2,))
    w.launch(scale, first, x, 2.0)
    w.launch(scale, second, first, 3.0)
    return (second,)


def pieces(w: World, x: Any) -> Any:
    y = torch.empty_like(x)
    low, high = y.split(320)
    w.launch(scale, low, x.unbind()[0], 1.0)
    w.launch(scale, high, x, 1.0)
    return y


def changing(w: World, x: Any) -> None:
    w.launch(accumulate, fh.partition(x, 64), x)


def changing_a_part(w: World, x: Any, y: Any) -> None:
    w.launch(accumulate, y[64:], x)


def changing_both(w: World, y: Any, x: Any) -> None:
    w.launch(scale, x[1:], y, 1.0)


def in_a_tuple(w: World, x: Any) -> Any:
    return ()


def as_a_whole(w: World, x: Any) -> Any:
    y = x.new_empty(640)
    w.launch(scale, y, x, 2.0)
    return y.view(-1)


def gives_back(w: World, x: Any) -> Any:
    scaled(w, x)
    return x


def gives_parts(w: World, x: Any) -> Any:
    return scaled(w, x)[1:], None, x[64:74:2]


def writes(w: World, x: Any) -> Any:
    return torch.empty_like(x).zero_()


def changes_by_torch(w: World, x: Any, y: Any) -> None:
    x[1:4].copy_(y[:3])


def copies(w: World, x: Any) -> Any:
    y = x.view(10, 64).t().clone()
    w.launch(scale, y[10:], x, 1.0)
    return y.to(torch.bfloat16).sum(0, keepdim=True).view(-1)


def scales(w: World, x: Any) -> Any:
    y = x - x[639] * 3.0
    return y, y.new_zeros(3)


A, B = "[640] by [1] float32 cpu", "the launcher of"
PLANS: list[tuple[Callable[..., Any], int, str]] = [
    (scaled, 1, f"{A}; scale {B} 3: [None, None, 2.0] at [(1, 0), (0, 0)] | one 1 | changes ()"),
    (
        of_parts, 1,
        f"[4, 64] by [64, 1] float32 cpu; scale {B} 3: [None, None, 2.0] at [(1, 256), (0, 768)]; "
        "[7] by [1] int32 cpu | a tuple 2 1 | changes ()",
    ),
    (
        in_turns, 1,
        f"[2, 3] by [1, 2] float32 cpu; [8] by [2] float32 cpu; scale {B} 3: [None, None, 2.0] at "
        f"[(1, 0), (0, 0)]; scale {B} 3: [None, None, 3.0] at [(2, 0), (1, 0)], and without [1] | a tuple 2 | "
        "changes ()",
    ),
    (
        pieces, 1,
        f"{A}; scale {B} 3: [None, None, 1.0] at [(1, 0), (0, 0)]; scale {B} 3: [None, None, 1.0] at "
        "[(1, 1280), (0, 0)] | one 1 | changes ()",
    ),
    (changing, 1, f"accumulate {B} 2: [None, None] at [(0, 0), (0, 0)] | nothing | changes (0,)"),
    (changing_a_part, 2, f"accumulate {B} 2: [None, None] at [(1, 256), (0, 0)] | nothing | changes (1,)"),
    (changing_both, 2, f"scale {B} 3: [None, None, 1.0] at [(1, 4), (0, 0)] | nothing | changes (1,)"),
    (in_a_tuple, 1, "nothing | a tuple | changes ()"),
    (as_a_whole, 1, f"{A}; scale {B} 3: [None, None, 2.0] at [(1, 0), (0, 0)] | one 1 | changes ()"),
    (gives_back, 1, f"{A}; scale {B} 3: [None, None, 2.0] at [(1, 0), (0, 0)], and without [1] | one 0 | changes ()"),
    (
        gives_parts, 1,
        f"{A}; scale {B} 3: [None, None, 2.0] at [(1, 0), (0, 0)] | "
        "a tuple 1[1 + [639] by [1]] -1 0[64 + [5] by [2]] | changes ()",
    ),
    (writes, 1, f"{A}; zero_[None] of 0: 1 | one 1 | changes ()"),
    (changes_by_torch, 2, "copy_[None, None] of 0: 0[1 + [3] by [1]], 1: 1[0 + [3] by [1]] | nothing | changes ()"),
    (
        copies, 1,
        f"clone[None] of 0: 0[0 + [64, 10] by [1, 64]]; scale {B} 3: [None, None, 1.0] at [(1, 40), (0, 0)]; "
        "_to_copy[None] {'dtype': torch.bfloat16} of 0: 1, and without [1]; "
        "sum[None, [0], True] of 0: 2, and without [2] | one 3[0 + [10] by [1]] | changes ()",
    ),
    (
        scales, 1,
        "mul[None, 3.0] of 0: 0[639 + [] by []]; sub[None, None] of 0: 0, 1: 1, and without [1]; "
        "new_zeros[None, [3]] {'pin_memory': False} of 0: 2 | a tuple 2 3 | changes ()",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("function", "count", "wanted"), PLANS, ids=lambda p: getattr(p, "__name__", ""))
def test_what_is_noted(world: World, function: Callable[..., Any], count: int, wanted: str) -> None:
    assert watched(world, function, *[x() for _ in range(count)]) == wanted


def test_numbers_among_the_arguments_are_counted_and_not_looked_at(world: World) -> None:
    def run(w: World, a: float, y: Any, text: str, x: Any) -> None:
        w.launch(scale, y, x, a)

    watch = planned.Watch((2.5, x(), "text", x()))
    assert watch.inputs == [1, 3]
    found = watched(world, run, 2.5, x(), "text", x())
    assert found == f"scale {B} 3: [None, None, 2.5] at [(0, 0), (1, 0)] | nothing | changes (1,)"


def test_a_tensor_that_is_given_twice_is_two(world: World) -> None:
    def run(w: World, x: Any, same: Any, number: float, again: Any) -> Any:
        assert x is not same
        assert again is not same
        assert x.data_ptr() == same.data_ptr()
        y = torch.empty_like(x)
        w.launch(scale, y, again, number)
        return y

    one = x()
    found = watched(world, run, one, one, 1.0, one)
    assert found == f"{A}; scale {B} 3: [None, None, 1.0] at [(3, 0), (2, 0)] | one 3 | changes ()"
    given = planned.Watch((one, 1.0, x(), 1.0)).given
    assert given[0] is one
    assert given[3] == 1.0


# --- What is not ------------------------------------------------------------------------------------------------------


def reads(w: World, x: Any) -> Any:
    return torch.empty(int(x.sum()) + 4)


def of_a_stranger(w: World, x: Any) -> Any:
    y = torch.empty_like(x)
    w.launch(scale, y, KEPT, 1.0)
    return y


def a_part_of_a_stranger(w: World, x: Any) -> Any:
    KEPT.view(-1)
    return scaled(w, x)


def draws(w: World, x: Any) -> Any:
    return torch.empty_like(x).normal_()


def chooses(w: World, x: Any) -> Any:
    """How many there are depends on elements."""
    return x[x > 0]


def adds_a_stranger(w: World, x: Any) -> Any:
    return x + KEPT


def adds_other_elements(w: World, x: Any) -> Any:
    return x + x.view(torch.int32)


def writes_to_a_stranger(w: World, x: Any) -> Any:
    KEPT.zero_()
    return scaled(w, x)


def changes_by_torch_and_goes_on(w: World, x: Any) -> Any:
    x.zero_()
    return scaled(w, x)


def makes_too_many(w: World, x: Any) -> Any:
    return tuple(torch.empty_like(x) for _ in range(native.MOST))


def gives_other_elements(w: World, x: Any) -> Any:
    return scaled(w, x).view(torch.int32)


def gives_one_of_its_own(w: World, x: Any) -> Any:
    return scaled(w, x), 5


def elsewhere(w: World, x: Any) -> Any:
    y = torch.empty_like(x)
    w.launch(scale, y, x, 1.0, stream="another")
    return y


def nowhere(w: World, x: Any) -> Any:
    y = torch.empty_like(x)
    w.launch(scale, y, x, 1.0, stream=None)
    return y


def without_a_launcher(w: World, x: Any) -> Any:
    w.launcher = None
    return scaled(w, x)


def changes_and_goes_on(w: World, x: Any) -> Any:
    w.launch(accumulate, x, x)
    return scaled(w, x)


def sparse(w: World, x: Any) -> Any:
    return torch.empty((2, 3), layout=torch.sparse_coo)


def on_the_host(w: World, x: Any) -> Any:
    y = torch.empty_like(x)
    w.on_host.append(y)
    return y


def one_of_two_on_the_host(w: World, x: Any) -> Any:
    return on_the_host(w, x), torch.empty_like(x)


def enqueues_otherwise(w: World, x: Any) -> Any:
    w.line.now += 1
    return scaled(w, x)


def unseen(w: World, x: Any) -> Any:
    y = torch.empty_like(x)
    w.launch(scale, y, x, 1.0, seen=False)
    return y


def beside_a_thread(w: World, x: Any) -> Any:
    """Another thread's launch is not the function's, and it is not sure any more."""
    other = threading.Thread(target=w.launch, args=(scale, KEPT, KEPT, 1.0), kwargs={"stream": "another"})
    other.start()
    other.join()
    return scaled(w, x)


KEPT = torch.zeros(640)
UNPLANNED: list[tuple[Callable[..., Any], str]] = [
    *[
        (function, "never")
        for function in (
            reads, draws, chooses, of_a_stranger, a_part_of_a_stranger, adds_a_stranger, adds_other_elements,
            writes_to_a_stranger, gives_other_elements, gives_one_of_its_own, elsewhere, nowhere, without_a_launcher,
            changes_and_goes_on, changes_by_torch_and_goes_on, makes_too_many, sparse, on_the_host,
            one_of_two_on_the_host,
        )
    ],
    *[(function, "unsure") for function in (enqueues_otherwise, unseen, beside_a_thread)],
]  # fmt: skip


@pytest.mark.parametrize(("function", "wanted"), UNPLANNED, ids=lambda p: getattr(p, "__name__", ""))
def test_what_is_called_each_time(world: World, function: Callable[..., Any], wanted: str) -> None:
    assert watched(world, function, x()) == wanted


def test_what_a_planned_function_calls_follows_no_other_settings(world: World) -> None:
    inner = planned.planned(scaled, setting)
    for settings, plain in (((), False), ((setting,), True), ((dict, setting), True)):
        watch = planned.Watch((x(),), settings)
        watch.calls(inner)
        assert watch.plain == plain
    watch = planned.Watch((x().requires_grad_(),), (setting,))
    watch.calls(inner)
    assert not watch.plain
    with torch.no_grad():
        watch = planned.Watch((x().requires_grad_(),), (setting,))
    watch.calls(inner)
    assert watch.plain


def test_tensors_on_the_host_are_none_of_its(world: World) -> None:
    one, other = x(), x()
    world.on_host.append(other)
    assert watched(world, lambda w, a, b: scaled(w, a), one, other) == "never"


def test_a_function_that_raises_is_watched_no_longer(world: World) -> None:
    def fails(w: World, x: Any) -> Any:
        raise KeyError("within")

    with pytest.raises(KeyError, match="within"):
        watched(world, fails, x())
    assert not seen_by
    assert watched(world, scaled, x()).startswith(A)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [(0, 0, True), (0, 1, True), (1, 0, True), (1, 1, True), (7, 7, True), (0, 7, False), (7, 1, False), (1, 2, False)],
)
def test_the_default_stream_has_two_handles(one: int, other: int, same: bool) -> None:
    assert planned._same(one, other) == same


# --- When it is watched, and when it is asked -------------------------------------------------------------------------


class Calls:
    """The native module's: knows the calls that it was told of."""

    def __init__(self) -> None:
        self.known: dict[Any, Any] = {}
        self.forgot = 0

    def key(self, args: tuple[Any, ...]) -> Any:
        return None if args[0] == "no value" else repr(args).encode()

    def run(self, args: tuple[Any, ...]) -> Any:
        return self.known.get(self.key(args), NotImplemented)

    def run_unwatched(self, args: tuple[Any, ...]) -> Any:
        return ("unwatched", self.run(args))

    def add(self, key: bytes, *plan: Any) -> None:
        self.known[key] = ("planned", *plan)

    def forget(self) -> None:
        self.forgot += 1
        self.known.clear()


def setting() -> int:
    """What a function may depend on besides its arguments."""
    return 3


class Asked:
    """A planned function of which each call says what became of it: `called`, `watched`, or what is known."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, plan: Any) -> None:
        self.calls = Calls()
        self.plan = plan
        self.settings: list[Any] = []
        outer = self

        class Watch:
            def __init__(self, arguments: tuple[Any, ...], settings: tuple[Callable[[], Any], ...]) -> None:
                assert settings == (setting,)
                self.arguments = arguments

            def watch(self, function: Callable[..., Any]) -> tuple[Any, Any]:
                assert function(*self.arguments) == ("called", self.arguments, {})
                return "watched", outer.plan

        def calls(settings: tuple[Callable[[], Any], ...]) -> Any:
            self.settings.append(settings)
            return self.calls

        monkeypatch.setattr(planned, "Watch", Watch)
        monkeypatch.setattr(planned, "calls", calls)
        monkeypatch.setattr(planned, "_has_modes", lambda: False)
        monkeypatch.setattr(planned.driver, "gpu_available", lambda: True)
        self.function = planned.planned(lambda *args, **kwargs: ("called", args, kwargs), setting)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = self.function(*args, **kwargs)
        if found == ("called", args, kwargs):
            return "called"
        return found


def test_the_third_call_is_done_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    f = Asked(monkeypatch, (1, 2))
    assert f.function.known((1,)) is NotImplemented
    assert [f(1) for _ in range(4)] == ["called", "watched", ("planned", 1, 2), ("planned", 1, 2)]
    assert f.function.known((1,)) == ("unwatched", ("planned", 1, 2))
    assert [f(2) for _ in range(3)] == ["called", "watched", ("planned", 1, 2)]
    assert f.settings == [(setting,)]
    assert [f(1, named=2) for _ in range(4)] == ["called"] * 4
    assert [f("no value") for _ in range(4)] == ["called"] * 4


def test_what_cannot_be_done_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [Asked(monkeypatch, planned._UNPLANNED)(n) for n in (1,)] == ["called"]
    f = Asked(monkeypatch, planned._UNPLANNED)
    assert [f(1) for _ in range(6)] == ["called", "watched", *["called"] * 4]
    assert [f(2) for _ in range(2)] == ["called", "watched"]


def test_what_is_not_sure_is_tried_four_times(monkeypatch: pytest.MonkeyPatch) -> None:
    f = Asked(monkeypatch, None)
    assert [f(1) for _ in range(8)] == ["called", *["watched"] * 4, *["called"] * 3]


def test_all_is_forgotten_where_there_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planned, "MOST", 2)
    f = Asked(monkeypatch, ())
    done = [("planned",)]
    assert [f(n) for n in (1, 1, 2, 2, 1, 2)] == ["called", "watched", "called", "watched", *done, *done]
    assert f.calls.forgot == 0
    assert f(3) == "called"
    assert f.calls.forgot == 1
    assert [f(1), f(1)] == ["called", "watched"]


def test_modes_and_compilers_see_the_function(monkeypatch: pytest.MonkeyPatch) -> None:
    f = Asked(monkeypatch, ())
    modes = [True]
    monkeypatch.setattr(planned, "_has_modes", lambda: modes[0])
    assert [f(1) for _ in range(3)] == ["called"] * 3
    modes[0] = False
    assert [f(1) for _ in range(3)] == ["called", "watched", ("planned",)]
    monkeypatch.setattr(planned, "compiling", lambda: True)
    assert f(1) == "called"


def test_without_a_gpu_it_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    f = Asked(monkeypatch, ())
    monkeypatch.setattr(planned.driver, "gpu_available", lambda: False)
    assert [f(1) for _ in range(4)] == ["called"] * 4
    assert f.settings == []
    monkeypatch.setattr(planned.driver, "gpu_available", lambda: True)
    there: Any = f.calls
    f.calls = None  # type: ignore[assignment] -- there is no native module
    assert [f(1) for _ in range(4)] == ["called"] * 4
    assert f.function.known((1,)) is NotImplemented
    f.calls = there
    assert [f(1) for _ in range(3)] == ["called", "watched", ("planned",)]


def test_torch_has_modes() -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    assert not planned._has_modes()
    with TorchDispatchMode():
        assert planned._has_modes()
    seen: list[bool] = []

    def f(t: Any) -> Any:
        seen.append(planned._has_modes())
        return t

    torch.func.vmap(f)(torch.zeros(2))
    assert seen == [True]
    assert not planned._has_modes()


def test_what_the_native_module_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    module = SimpleNamespace(Calls=lambda *given: given)
    monkeypatch.setattr(planned.native, "module", lambda: module)
    monkeypatch.setattr(launcher, "ready", lambda: True)
    monkeypatch.setattr(planned, "allocation", lambda: ("what allocates", None))
    modes, transforms = torch._C._len_torch_dispatch_stack, torch._C._functorch.peek_interpreter_stack
    tensors = (torch.Tensor, torch.nn.Parameter)
    functions = "what allocates", torch.as_strided, modes, transforms
    assert planned.calls((setting,)) == (tensors, (torch.dtype,), *functions, (setting,))
    with monkeypatch.context() as changed:
        changed.setattr(launcher, "ready", lambda: False)
        assert planned.calls() is None
    with monkeypatch.context() as changed:
        changed.delattr(torch._C, "_len_torch_dispatch_stack")
        assert planned.calls() is None
    with monkeypatch.context() as changed:
        changed.delattr(torch._C._functorch, "peek_interpreter_stack")
        assert planned.calls() is None


def test_what_allocates(monkeypatch: pytest.MonkeyPatch) -> None:
    guards, count, available = SimpleNamespace(), [1], [True]
    monkeypatch.setattr(torch._C, "_dynamo", SimpleNamespace(guards=guards))
    monkeypatch.setattr(planned.driver, "device_count", lambda: count[0])
    monkeypatch.setattr(torch.cuda, "is_available", lambda: available[0])
    find = planned.allocation.__wrapped__
    like = torch.empty(2, 3, dtype=torch.int16).t()
    looks = ((3, 2), (1, 3), torch.int16)
    for quick, gpus, there in ((None, 1, True), ("quick", 2, True), ("quick", 1, False), ("quick", 1, True)):
        guards.__dict__.update({} if quick is None else {"_empty_strided_cuda": quick})
        count[0], available[0] = gpus, there
        allocate, arguments = find()
        if (quick, gpus, there) == ("quick", 1, True):
            assert (allocate, arguments(like)) == ("quick", looks)
            continue
        assert arguments(like) == (*looks, torch.device("cpu"))
        made = allocate(*arguments(like))
        assert (made.shape, made.stride(), made.dtype) == looks
