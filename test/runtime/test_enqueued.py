"""What launches, bound launches and graphs do when they are enqueued on a GPU, on stand-ins that write it down."""

# Stand-ins are of no type that checkers know, and what is tested has no public name.
# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownParameterType=false, reportUnknownLambdaType=false

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Mut, Ref, f32
from freehold.runtime.launch import bound_launch, launch
from freehold.runtime.launch.bound_launch import BoundLaunch
from freehold.runtime.launch.launch import UNDONE, Dispatcher, Launch
from freehold.runtime.memory.arguments import view
from freehold.runtime.memory.ledger import Busy, Refusal
from freehold.runtime.operations import graph
from freehold.runtime.operations.graph import Recorded

HERE = (lambda: None).__code__
"""Where launches stand."""


@fh.kernel
def saxpy(y: Mut["N"], x: Ref["N"], a: f32 = 1.0):  # pyright: ignore[reportArgumentType] -- a number
    y.store(a * x.load_like(y) + y.load())


@pytest.fixture
def said() -> list[Any]:
    return []


class User:
    """A timeline."""

    def __init__(self, said: list[Any]) -> None:
        self.said = said
        self.lock = self

    def __enter__(self) -> None:
        self.said.append("locks")

    def __exit__(self, *_: object) -> None:
        self.said.append("unlocks")

    def trace(self, what: str, code: Any, instruction: int) -> None:
        assert code is HERE
        self.said.append(f"trace of {what} at {instruction}")

    def wait(self, what: str) -> None:
        self.said.append(f"waits for {what}")

    def enqueued(self) -> None:
        self.said.append("enqueued")


class Dispatches:
    """A dispatcher: what its launcher and its runs answer."""

    what = "`saxpy`"

    def __init__(self, said: list[Any], user: Any, launcher: Any = None) -> None:
        self.said, self.user, self.launcher, self.kernel = said, user, launcher, saxpy

    def run(self, arguments: Any, made: Launch, execution: Any, looks: Any = None) -> Any:
        self.said.append(("runs", arguments, execution))
        assert made.arguments is None
        return self.user

    def done(self, arguments: Any) -> str:
        self.said.append("done")
        return f"value of {arguments}"


def launched(said: list[Any], user: Any, launcher: Any = None) -> Any:
    dispatcher: Any = Dispatches(said, user, launcher)
    return Launch(dispatcher, ("y", "x"), HERE, 40)


def test_what_is_run_leaves_a_trace_and_is_waited_for(said: list[Any]) -> None:
    assert launched(said, User(said)).sync() == "value of ('y', 'x')"
    run = ("runs", ("y", "x"), None)
    assert said == [run, "trace of `saxpy` at 40", "waits for `saxpy`", "done"]
    said.clear()
    assert launched(said, None).sync() == "value of ('y', 'x')"
    assert said == [run, "done"]  # it is


@pytest.mark.parametrize("checks", [True, False])
def test_what_nobody_waits_for_is_told(checks: bool, said: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "fresh", ["a check"] if checks else [])
    monkeypatch.setattr(launch, "failures", SimpleNamespace(publish=lambda *given: said.append(("publishes", *given))))
    monkeypatch.setattr(launch, "seen_by", [lambda made, arguments, used: said.append(("seen", arguments, used))])
    user = User(said)
    flight = launched(said, user).on()
    run, published = ("runs", ("y", "x"), None), [("publishes", HERE, 40)] if checks else []
    assert said == [run, "trace of `saxpy` at 40", ("seen", ("y", "x"), user), *published, "done"]
    assert flight.value == "value of ('y', 'x')"
    said.clear()
    flight.wait()
    assert said == ["waits for `saxpy`"]
    said.clear()
    flight = launched(said, None).on()
    assert said == [run, ("seen", ("y", "x"), None), "done"]
    flight.wait()
    assert len(said) == 3


def execution(said: list[Any], **changes: Any) -> Any:
    user = User(said)

    def uses(views: Any) -> list[object]:
        said.append(f"uses {len(views)} arrays")
        return changes.get("kept", [])

    return SimpleNamespace(**{
        "recording": None, "prefer": lambda argument: said.append(f"prefers {argument}"), "user": user,
        "place": lambda device, family="": (said.append(f"place on {device} of {family!r}"), 21, user),
        "uses": uses, "give_back": lambda: said.append("gives back"),
        "borrow": lambda handle, device: said.append(f"borrows {handle} of {device}"), **changes,
    })  # fmt: skip


def test_a_part_of_another_operation_is_left_to_the_launcher(said: list[Any]) -> None:
    run = execution(said)
    made = SimpleNamespace(run=lambda own, given: "done by it" if given is run else None)
    own = launched(said, None, made)
    assert own.enqueue(run) == "done by it"
    own.spend()  # as the native module has done
    assert said == []
    made.run = lambda own, given: UNDONE
    done = ["prefers y", ("runs", ("y", "x"), run), "trace of `saxpy` at 40", "done"]
    for launcher in (made, None):
        said.clear()
        assert launched(said, User(said), launcher).enqueue(run) == "value of ('y', 'x')"
        assert said == done
    said.clear()
    launched(said, None).enqueue(run)
    assert said == [*done[:2], "done"]


def test_a_launcher_is_made_once(said: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = [None, SimpleNamespace(read="reads")]
    monkeypatch.setattr(launch.launcher, "launcher", lambda signature, what: said.append(what) or made[len(said) - 1])
    monkeypatch.setattr(launch.modes, "watch", lambda own: said.append("watched"))
    dispatcher = Dispatcher(saxpy.dispatcher.kernel)
    assert dispatcher.ready() is None
    assert dispatcher.read is launch.reads_nothing
    assert dispatcher.ready() is made[1]
    assert (dispatcher.read, said) == ("reads", ["`saxpy`", "`saxpy`", "watched"])
    assert dispatcher.ready() is made[1]
    assert len(said) == 3
    learnt: list[Any] = []
    monkeypatch.setattr(launch.launcher, "learn", lambda *given: learnt.append(given))
    plan: Any = object.__new__(launch.Plan)
    dispatcher._learn(("y",), plan, ("view",))  # type: ignore[arg-type]
    assert learnt == [(made[1], ("y",), saxpy.signature, plan, ("view",))]
    dispatcher._learn(("y",), SimpleNamespace(), ("view",))  # type: ignore[arg-type]
    assert len(learnt) == 1  # what runs on the host has none


USED: Any = SimpleNamespace(writes="what it writes")


class Used(tuple[str, str]):
    """What is read and written."""

    writes = "what it writes"


@pytest.fixture
def dispatcher(said: list[Any], monkeypatch: pytest.MonkeyPatch) -> Dispatcher:
    def enqueue(user: Any, reads: Any, writes: Any, work: Any, blame: Any, kept: Any) -> None:
        said.append(("enqueue", reads, writes, blame, kept))
        work()

    monkeypatch.setattr(launch, "leases", lambda signature, views: Used(("reads", "writes")))
    monkeypatch.setattr(launch, "early", lambda signature, known, views: f"early by {known}")
    monkeypatch.setattr(launch, "enqueue", enqueue)
    return Dispatcher(saxpy.dispatcher.kernel)


def plan(said: list[Any], early: Any = None) -> Any:
    def enqueue(*given: Any, **named: Any) -> None:
        said.append(("launches", *given, *named.items()))

    return SimpleNamespace(device=2, family="torch", enqueue=enqueue, compiled=SimpleNamespace(early=early))


def views() -> Any:
    return tuple(view(np.zeros(8, np.float32)) for _ in range(2))


def test_a_launch_is_put_in_order(dispatcher: Dispatcher, said: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    found = views()
    values = (found[0], found[1], 2.0)
    passed = ("launches", 21, found[0].pointer, found[1].pointer, 2.0)
    for kept in ([], ["an owner"]):
        run = execution(said, kept=kept)
        said.clear()
        assert dispatcher._enqueued(plan(said), found, values, run, "blame") is run.user  # type: ignore[arg-type]
        enqueued = ("enqueue", "reads", "writes", "blame", kept or None)
        assert said == ["place on 2 of 'torch'", "uses 2 arrays", enqueued, passed]
    run = execution(said)
    monkeypatch.setattr(launch, "Execution", lambda: run)
    said.clear()
    assert dispatcher._enqueued(plan(said), found, values, None) is run.user
    assert said[-2:] == [passed, "gives back"]  # for it is alone
    broken = plan(said)

    def fails(*_: Any) -> None:
        raise Busy(())

    broken.enqueue = fails
    with pytest.raises(Busy):
        dispatcher._enqueued(broken, found, values, None)
    assert said[-1] == "gives back"


@pytest.mark.parametrize("early", [None, "loads"])
def test_a_launch_is_recorded(early: Any, dispatcher: Dispatcher, said: list[Any]) -> None:
    recording = SimpleNamespace(
        uses=lambda *given: said.append(("uses", *given[1:])) or "apart",
        enqueued=lambda *given: said.append(("enqueued", *given)),
    )
    run, found = execution(said, recording=recording), views()
    assert dispatcher._enqueued(plan(said, early), found, (found[0], 2.0), run) is run.user
    assert said == [
        "place on 2 of 'torch'", ("uses", "reads", "writes", f"early by {early}"),
        ("launches", 21, found[0].pointer, 2.0, ("apart", "apart")),
        ("enqueued", "what it writes", "kernel that loads first" if early else "kernel", "apart"),
    ]  # fmt: skip


def test_a_plan_is_of_code_for_its_points(
    dispatcher: Dispatcher, said: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from freehold.runtime.launch import checks

    def compiled(overlaps: bool) -> Any:
        return SimpleNamespace(
            evaluator="evaluator", overlaps=overlaps, of_points=lambda *given: said.append(given) or "code of points"
        )

    monkeypatch.setattr(launch.driver, "architecture", lambda device: f"architecture of {device}")
    monkeypatch.setattr(launch.driver, "multiprocessors", lambda device: 100 + device)
    monkeypatch.setattr(checks, "geometry", lambda *given: SimpleNamespace(points=7))
    monkeypatch.setattr(launch, "Plan", lambda *given: given)
    bound: Any = SimpleNamespace(specialisation="of it", device=2, views="views", run_time="values")
    for overlaps in (True, False):
        code = compiled(overlaps)
        kernel: Any = SimpleNamespace(signature=None, compiled=lambda *given, code=code: said.append(given) or code)
        dispatcher.kernel = kernel
        made: Any = dispatcher.plan(bound, None)  # type: ignore[arg-type]
        assert made[0] == ("code of points" if overlaps else code)
        assert made[1:3] + made[4:] == ("views", "values", 2)
        assert said == [("of it", "architecture of 2"), *([(7, 102)] if overlaps else [])]
        said.clear()


# --- Bound launches ---------------------------------------------------------------------------------------------------


class Native:
    """What the native module makes of a bound launch."""

    def __init__(self, value: Any, user: Any) -> None:
        self.value, self.user = value, user

    def run(self, execution: Any) -> Any:
        return self.value

    def fire(self, execution: Any) -> Any:
        return self.user

    def on(self, stream: Any = None) -> str:
        return "in flight"


@pytest.fixture
def bound() -> BoundLaunch:
    y = np.ones(8, np.float32)
    return saxpy.bind(fh.partition(y, 4), y.copy())


def watched(bound: BoundLaunch, said: list[Any], user: Any) -> None:
    """Its dispatcher's runs are written down."""
    dispatcher: Any = Dispatches(said, user)
    dispatcher.value = saxpy.dispatcher.value
    bound._state = bound._state._replace(launch=Launch(dispatcher, ("y", "x"), HERE, 40).spend())


def test_a_bound_launch_runs_by_the_native_module_where_it_can(bound: BoundLaunch, said: list[Any]) -> None:
    user = User(said)
    watched(bound, said, user)
    state, run = bound._state, execution(said)
    bound._state = state._replace(native=Native("its value", user))
    assert bound.enqueue(run) == "its value"
    assert said == []
    bound.sync()
    assert said == ["trace of `saxpy` at 40", "waits for `saxpy`"]
    said.clear()
    ran = ("runs", state.arguments, run)
    bound._state = state._replace(native=Native(UNDONE, None))
    assert bound.enqueue(run) is state.value
    assert said == [f"prefers {state.arguments[0]}", ran, "trace of `saxpy` at 40"]
    said.clear()
    bound._state = state
    assert bound.enqueue(run) is state.value
    assert said[1:] == [ran, "trace of `saxpy` at 40"]
    said.clear()
    assert bound.sync() is state.value
    assert said == [("runs", state.arguments, None), "trace of `saxpy` at 40", "waits for `saxpy`"]
    watched(bound, said, None)
    said.clear()
    assert bound.sync() is state.value
    bound.enqueue(run)
    assert [text for text in said if isinstance(text, str)] == [f"prefers {state.arguments[0]}"]


def test_a_bound_launch_in_flight(bound: BoundLaunch, said: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "fresh", ["a check"])
    monkeypatch.setattr(launch, "failures", SimpleNamespace(publish=lambda *given: said.append(("publishes", *given))))
    watched(bound, said, User(said))
    flight = bound.on()
    assert said[1:] == ["trace of `saxpy` at 40", ("publishes", HERE, 40)]
    said.clear()
    flight.wait()
    assert said == ["waits for `saxpy`"]
    watched(bound, said, None)
    said.clear()
    bound.on().wait()
    assert said == [("runs", bound._state.arguments, None)]


@pytest.mark.parametrize(
    ("ready", "checks", "made", "native"),
    [
        (True, (), True, True), (True, ("a check",), True, False), (False, (), True, False), (True, (), False, False),
        (False, ("a check",), True, False),
    ],
)  # fmt: skip
def test_what_is_bound_on_a_gpu(
    ready: bool, checks: Any, made: bool, native: bool, said: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is packed once; where failures of checks are to go has to be seen each time."""
    layout = SimpleNamespace(
        filled=lambda integers: bytearray(integers), pack=lambda data, values: said.append((bytes(data), len(values)))
    )
    planned = SimpleNamespace(contract=SimpleNamespace(kernel_checks=checks), layout=layout, integers=(1, 2))
    own = Native(None, None)
    monkeypatch.setattr(bound_launch, "HOST", -7)  # arrays here are taken for a GPU's
    monkeypatch.setattr(Dispatcher, "plan", lambda self, bound, site: planned)
    monkeypatch.setattr(Dispatcher, "ready", lambda self: "a launcher" if ready else None)
    monkeypatch.setattr(
        bound_launch.launchers, "bound", lambda *given: said.append(given[4:]) or (own if made else None)
    )
    y = np.ones(8, np.float32)
    found = saxpy.bind(fh.partition(y, 4), y.copy())
    assert found._state.native is (own if native else None)
    assert ("on" in vars(found)) is native
    if ready and not checks:
        assert said[0] == (b"\1\2", 3)
        (launched, value, _, flight) = said[1]
        assert value is y
        assert launched.what == "`saxpy`"
        assert callable(flight)
    else:
        assert said == []
    with fh.interpreting():
        found.rebind(a=2.0)
    assert found._state.native is None
    assert "on" not in vars(found)


# --- Graphs -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def recorded(said: list[Any], monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A graph of GPU 2 that has been recorded."""
    found: Any = Recorded()
    found._state, found._made, found.value = "complete", "what the driver made", "its value"
    found.recording = SimpleNamespace(
        changed_array=lambda: None, captured="stream", device=2, families=(), checked=(), reads="reads",
        writes="writes", changed="changed", work=[],
    )  # fmt: skip

    def enqueue(user: Any, reads: Any, writes: Any, work: Any, kept: Any = None) -> None:
        said.append(("enqueue", reads, writes, kept))
        work()

    monkeypatch.setattr(graph.captures, "run_graph", lambda *given: said.append(("runs", *given)))
    monkeypatch.setattr(graph.captures, "drop_graph", lambda made: said.append(f"drops {made}"))
    monkeypatch.setattr(graph.checked, "replayed", lambda *given: said.append(("replayed", given[0])))
    monkeypatch.setattr(graph.driver, "current_handle", lambda family, device: f"current of {family}")
    monkeypatch.setattr(graph, "changed", lambda what: said.append(f"says that {what} has changed"))
    monkeypatch.setattr(graph, "lease", lambda user, reads, writes: said.append(("lease", reads, writes)))
    monkeypatch.setattr(graph, "enqueue", enqueue)
    monkeypatch.setattr(graph, "later", lambda work: work())
    yield found
    found._made = None  # or it would be given back to the driver, when nothing stands in for it any more


RUNS = ("runs", "what the driver made", 21, 2)


def test_a_replay_is_leased_and_run(recorded: Any, said: list[Any]) -> None:
    run = execution(said)
    assert recorded.run(run) == "its value"
    whole = ["place on 2 of ''", "locks", ("lease", "reads", "writes"), RUNS]
    rest = ["enqueued", "unlocks", "says that changed has changed"]
    assert said == whole + rest
    said.clear()
    recorded.recording.checked = ("a check",)
    recorded.run(run)
    assert said == [*whole, ("replayed", ("a check",)), *rest]


def test_a_replay_of_others_arrays_is_put_in_order(recorded: Any, said: list[Any]) -> None:
    for families, first in ((("torch",), "torch"), (("cupy", "torch"), "torch"), (("cupy",), "cupy")):
        recorded.recording.families = families
        said.clear()
        recorded.run(execution(said))
        assert said == [
            f"place on 2 of {first!r}", *(f"borrows current of {family} of 2" for family in families),
            ("enqueue", "reads", "writes", recorded.recording), RUNS, "says that changed has changed",
        ]  # fmt: skip


@pytest.mark.parametrize("kind", [Busy, Refusal])
def test_a_replay_that_cannot_be_leased_at_once_waits_or_is_refused(
    kind: type[Exception], recorded: Any, said: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise kind.__new__(kind)

    monkeypatch.setattr(graph, "lease", fails)
    recorded.run(execution(said))
    assert said[1:] == ["locks", "unlocks", ("enqueue", "reads", "writes", None), RUNS, "says that changed has changed"]
    monkeypatch.setattr(graph, "of_operation", lambda doing: lambda refusal: LookupError(doing))
    monkeypatch.setattr(graph, "enqueue", fails)
    with pytest.raises(LookupError if kind is Refusal else Busy):
        recorded.run(execution(said))


def test_graphs_are_dropped_once(recorded: Any, said: list[Any]) -> None:
    recorded.__del__(lambda: True)  # the process ends
    assert said == []
    recorded.close()
    assert said == ["drops what the driver made"]
    recorded.__del__(lambda: False)
    assert len(said) == 1
    again: Any = Recorded()
    again._made = "another"
    again.__del__(lambda: False)
    assert said[1:] == ["drops another"]
    again._made = None
