"""Operations: what runs when, what their values are, and that each is run once. On the interpreter."""

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportPrivateUsage=false

from __future__ import annotations

import asyncio
import gc
import threading
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import freehold as fh
from freehold import Mut, Out, Ref
from freehold.runtime.launch.launch import UnrunLaunch, seen_by
from freehold.runtime.operations import operation as operations_module
from freehold.runtime.operations import waiting
from freehold.runtime.operations.execution import Execution
from freehold.runtime.operations.operation import Operation, Work, gather, value

inner: Any = operations_module
"""The module, of which some is not for others."""


@fh.kernel
def add(z: Out["N"], x: Ref["N"], y: Ref["N"]):
    z.store(x.load_like(z) + y.load_like(z))


@fh.kernel
def double(z: Mut["N"]):
    z.store(z.load() * 2)


@fh.kernel
def both(s: Out["N"], d: Out["N"], x: Ref["N"], y: Ref["N"]):
    a, b = x.load_like(s), y.load_like(s)
    s.store(a + b)
    d.store(a - b)


def ones(n: int = 100) -> Operation[Any]:
    return Work("ones", lambda execution: np.ones(n, np.float32))


def test_work_names_what_it_uses() -> None:
    x, y = fh.ones(10, device=fh.HOST).sync(), array(10)

    def adds(execution: fh.Execution) -> str:
        y[...] += x.numpy()
        return "done"

    assert Work("a sum", adds, reads=[x], writes=[y]).sync() == "done"
    assert np.array_equal(y, array(10) + 1)
    with x.borrow_mut(), pytest.raises(fh.Rejected) as caught:
        Work("a sum", adds, reads=[x], writes=[y]).sync()
    assert caught.value.codes == ("O251",)
    with pytest.raises(TypeError):
        Work("a sum", adds, reads=["x"]).sync()
    recorded = Work("a sum", lambda execution: None, reads=[x]).graph()
    with x.borrow_mut(), pytest.raises(fh.Rejected):
        recorded.replay().sync()


def array(n: int = 100, start: float = 0) -> Any:
    return np.arange(n, dtype=np.float32) + np.float32(start)


def run(operation: Operation[Any], how: str) -> Any:
    """Runs an operation in one of all ways."""
    if how == "sync":
        return operation.sync()
    if how == "on":
        return operation.on().wait()
    if how == "await":

        async def main() -> Any:
            return await operation

        return asyncio.run(main())
    if how == "await on":

        async def enqueued() -> Any:
            return await operation.on()

        return asyncio.run(enqueued())
    raise AssertionError(how)


def test_an_operation_becomes_a_task() -> None:
    async def tasks() -> list[Any]:
        task = asyncio.ensure_future(ones(3))
        return [*await asyncio.gather(ones(1), ones(2)), await task, await asyncio.wait_for(ones(4), 60)]

    assert [len(found) for found in asyncio.run(tasks())] == [1, 2, 3, 4]


WAYS = ("sync", "on", "await", "await on")


@pytest.mark.parametrize("how", WAYS)
def test_a_launch_has_what_it_writes_for_a_value(how: str) -> None:
    z, x, y = array(), array(), array(start=5)
    assert run(add(fh.partition(z, 32), x, y), how) is z
    assert np.array_equal(z, x + y)
    s, d = array(), array()
    found = run(both(fh.partition(s, 32), fh.partition(d, 32), x, y), how)
    assert found[0] is s
    assert found[1] is d
    assert np.array_equal(d, x - y)


@pytest.mark.parametrize("how", WAYS)
def test_chains(how: str) -> None:
    z, x = array(), array()
    seen: list[Any] = []
    chain = (
        add(fh.partition(z, 32), x, x)
        .then(lambda t: double(fh.partition(t, 32)))
        .map(lambda t: seen.append(t) or t)
        .then(lambda t: double(fh.partition(t, 32)))
        .map(lambda t: float(t[3]))
    )
    assert not seen
    assert run(chain, how) == 24.0
    assert len(seen) == 1
    assert seen[0] is z


@pytest.mark.parametrize("how", WAYS)
def test_operations_as_arguments(how: str) -> None:
    operation = add(fh.partition(ones(), 32), double(fh.partition(ones(), 32)), array())
    found = run(operation, how)
    assert np.array_equal(found, 2 + array())


@pytest.mark.parametrize("how", WAYS)
def test_several(how: str) -> None:
    x, y = array(), array(start=1)
    first, second = run(double(fh.partition(x, 32)).zip(double(fh.partition(y, 32))), how)
    assert first is x
    assert second is y
    assert np.array_equal(y, 2 * array(start=1))
    assert run(gather(value(n) for n in range(5)), how) == [0, 1, 2, 3, 4]
    assert run(gather([]), how) == []
    assert run(value(1).zip(value("a"), value(None)), how) == (1, "a", None)


def test_what_is_shared_is_run_once() -> None:
    x = array()
    shared = double(fh.partition(x, 32)).shared()
    z = array()
    add(fh.partition(z, 32), shared, shared).sync()
    assert np.array_equal(x, 2 * array())
    assert np.array_equal(z, 4 * array())
    assert shared.sync() is x
    assert shared.shared() is shared
    assert np.array_equal(x, 2 * array())


def test_a_shared_failure_is_raised_for_everybody() -> None:
    def fails(execution: Execution) -> None:
        raise ValueError("no")

    shared = Work("a failure", fails).shared()
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            shared.sync()


def test_shared_operations_in_threads() -> None:
    x = array()
    shared = double(fh.partition(x, 32)).shared()
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(shared.sync())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(f is x for f in found)
    assert len(found) == 8
    assert np.array_equal(x, 2 * array())


def test_nothing_is_too_deep() -> None:
    depth = 5000
    chain: Operation[int] = value(0)
    for _ in range(depth):
        chain = chain.map(lambda n: n + 1)
    assert chain.sync() == depth

    def count(n: int) -> Operation[int]:
        return value(n) if n == depth else value(n + 1).then(count)

    assert count(0).sync() == depth
    nested: Operation[Any] = value(0)
    for _ in range(depth):
        nested = nested.zip(value(1)).map(sum)
    assert nested.sync() == depth


def test_arguments_nest_as_deep_as_one_likes() -> None:
    made: list[int] = []

    class Stop(Exception):
        pass

    def stops(execution: Execution) -> Any:
        made.append(1)
        raise Stop

    operation: Operation[Any] = Work("a stop", stops)
    for _ in range(2000):
        operation = double(fh.partition(operation, 8))
    with pytest.raises(Stop):
        operation.sync()
    assert made == [1]


def test_only_the_outermost_of_what_was_never_run_warns() -> None:
    operation: Operation[Any] = value(array())
    with pytest.warns(UnrunLaunch, match="`double` was never run") as caught:  # noqa: PT031 -- it warns when it is dropped
        for _ in range(2000):
            operation = double(fh.partition(operation, 8))
        del operation
        gc.collect()
    assert len(caught) == 1


def test_a_failure_leaves_what_comes_after_undone() -> None:
    x = array()
    ran: list[int] = []
    chain = double(fh.partition(x, 32)).map(lambda t: 1 // 0).map(lambda t: ran.append(1))
    with pytest.raises(ZeroDivisionError):
        chain.sync()
    assert not ran
    assert np.array_equal(x, 2 * array())


def test_host_work_lets_the_event_loop_run() -> None:
    async def main() -> list[str]:
        order: list[str] = []

        async def other() -> None:
            for _ in range(3):
                order.append("other")
                await asyncio.sleep(0)

        task = asyncio.create_task(other())
        for _ in range(3):
            await double(fh.partition(array(), 32))
            order.append("kernel")
            await asyncio.sleep(0)
        await task
        return order

    order = asyncio.run(main())
    assert order.count("kernel") == 3
    assert "other" in order[:2]


def test_asyncio_takes_an_operation_as_a_coroutine() -> None:
    async def main() -> list[Any]:
        tasks = [asyncio.create_task(cast(Any, double(fh.partition(array(), 32)))) for _ in range(3)]
        async with asyncio.timeout(100):
            return [await task for task in tasks]

    for found in asyncio.run(main()):
        assert np.array_equal(found, 2 * array())
    assert np.array_equal(asyncio.run(cast(Any, double(fh.partition(array(), 32)))), 2 * array())
    assert not waiting.awaited


def test_a_task_of_an_operation_fails_and_is_cancelled_as_any() -> None:
    shared = double(fh.partition(array(), 32)).map(lambda t: 1 // 0)

    async def main() -> None:
        with pytest.raises(ZeroDivisionError):
            await asyncio.create_task(cast(Any, shared))
        late = asyncio.create_task(cast(Any, ones()))
        late.cancel()
        with pytest.raises(asyncio.CancelledError):
            await late

    asyncio.run(main())
    assert not waiting.awaited


# --- Graphs -----------------------------------------------------------------------------------------------------------


def test_a_graph_records_and_replays() -> None:
    x, t, z = array(), array(), array()
    with fh.graph() as g:
        first = g.record(add(fh.partition(t, 32), x, x))
        assert first is t
        g.record(add(fh.partition(z, 32), t, x))
    assert np.array_equal(z, array())
    for _ in range(2):
        assert g.replay().sync() is z
        assert np.array_equal(z, 3 * x)
    x += 1
    g.replay().sync()
    assert np.array_equal(z, 3 * (array() + 1))


def test_a_replay_of_an_array_that_was_exchanged_is_refused() -> None:
    y, x = np.zeros(512, np.float32), np.ones(512, np.float32)
    replayed = add(fh.partition(y, 64), x, x).graph()
    replayed.replay().sync()
    x.resize(10_000_000, refcheck=False)  # too large to stay where it is
    with pytest.raises(fh.Rejected, match=r"an array of numpy, f32 of shape \(512,\), .* has changed since") as caught:
        replayed.replay().sync()
    assert caught.value.codes == ("O275",)
    assert (y == 2).all()


def test_an_operation_becomes_a_graph() -> None:
    x = array()
    g = double(fh.partition(x, 32)).then(lambda t: double(fh.partition(t, 32))).graph()
    assert np.array_equal(x, array())
    g.replay().sync()
    asyncio.run(awaited(g.replay()))
    assert np.array_equal(x, 16 * array())
    gather([g.replay(), g.replay()]).sync()
    assert np.array_equal(x, 256 * array())


async def awaited(operation: Operation[Any]) -> Any:
    return await operation


def test_a_graph_that_fails_to_record_cannot_be_replayed() -> None:
    with pytest.raises(ZeroDivisionError), fh.graph() as g:
        g.record(double(fh.partition(array(), 32)).map(lambda t: 1 // 0))
    assert repr(g) == "<graph, closed>"
    refused("O262", lambda: g.replay().sync())


def test_graphs_have_states() -> None:
    g = fh.graph()
    refused("O262", lambda: g.record(value(1)))
    refused("O262", lambda: g.replay().sync())
    x = array()
    with g:
        g.record(double(fh.partition(x, 32)))
        refused("O262", lambda: g.replay().sync())
    refused("O262", lambda: g.record(value(1)))
    refused("O262", lambda: g.__enter__())
    replay = g.replay()
    replay.sync()
    refused("O260", replay.sync)
    refused("O262", lambda: g.replay().graph())
    g.close()
    refused("O262", lambda: g.replay().sync())
    refused("O266", lambda: value(1).graph().replay().sync())


def test_creation_in_a_graph_is_refused() -> None:
    def allocates(execution: Execution) -> Any:
        execution.allocating("`zeros`")

    refused("O263", lambda: Work("zeros", allocates).graph())
    assert Work("zeros", allocates).sync() is None


def test_operations_run_once() -> None:
    for make in (
        lambda: value(1),
        lambda: value(1).map(str),
        lambda: value(1).zip(value(2)),
        lambda: gather([value(1)]),
    ):
        operation: Operation[Any] = make()
        operation.sync()
        refused("O260", operation.sync)
    refused("O261", lambda: value(1).then(lambda n: n).sync())  # pyright: ignore[reportArgumentType, reportUnknownArgumentType, reportUnknownLambdaType] -- what is tested


def refused(code: str, function: Any) -> None:
    with pytest.raises(fh.Rejected) as caught:
        function()
    assert caught.value.codes == (code,), str(caught.value)


def test_what_is_no_operation_is_told_where_it_is_given() -> None:
    zeros: Any = fh.zeros(4, fh.f32, device=fh.HOST)
    mixed: list[Any] = [zeros, 1]
    with pytest.raises(TypeError, match=r"`freehold.gather` was called wrongly: it takes operations, .*, not 1"):
        gather(mixed)
    with pytest.raises(TypeError, match=r"`Operation.zip` was called wrongly: it takes operations, .*, not '2'"):
        zeros.zip("2")


def test_who_watches_is_told_of_launches_that_nobody_waits_for() -> None:
    y, x = np.zeros(64, np.float32), np.ones(64, np.float32)
    told: list[Any] = []

    def see(*what: Any) -> None:
        told.append(what)

    seen_by.append(see)
    try:
        part = fh.partition(y, 16)
        launch = add(part, x, x)
        flying = launch.on()
        add(part, x, x).sync()  # which is waited for
    finally:
        seen_by.remove(see)
    add(part, x, x).on()
    ((who, arguments, where),) = told
    assert who is launch
    assert arguments[0] is part
    assert arguments[1] is x
    assert where is None  # of no GPU
    assert flying.wait() is y


# --- Without the native module ----------------------------------------------------------------------------------------


class Asks(Operation[Any]):
    """An operation that needs another one's value first."""

    _what = "an operation that asks"

    def __init__(self, first: Operation[Any], more: bool):
        self.first, self.more = first, more

    def enqueue(self, execution: Execution) -> Any:
        return inner.Next(self.first, (lambda found: found + 100) if self.more else None)


def trees() -> dict[str, Operation[Any]]:
    return {
        "a value": value(1),
        "a chain": value(1).map(lambda n: n + 1).map(str),
        "a nested one": value(1).then(lambda n: value(n + 1)).map(lambda n: n * 10),
        "a chain in a chain": value(1).then(lambda n: value(n).map(lambda m: m + 5)).then(lambda n: value(-n)),
        "one that asks": Asks(value(1).map(lambda n: n + 1), True).map(lambda n: n * 2),
        "one that hands on": Asks(value(3), False).map(lambda n: n * 2),
        "several": gather([value(1).map(lambda n: n + n), value(2)]).map(sum),
    }


def test_python_runs_operations_as_the_native_module_does() -> None:
    wanted = {
        "a value": 1, "a chain": "2", "a nested one": 20, "a chain in a chain": -6, "one that asks": 204,
        "one that hands on": 6, "several": 4,
    }  # fmt: skip
    for walk in (inner.walk, inner._walk):
        assert {name: walk(tree, Execution()) for name, tree in trees().items()} == wanted
        used = value(1).map(str)
        assert walk(used, Execution()) == "1"
        refused("O260", lambda walk=walk, used=used: walk(used, Execution()))
        no_operation: Any = value(1)
        refused("O261", lambda walk=walk, one=no_operation: walk(one.then(lambda n: n), Execution()))


def test_a_base_of_operations_is_none() -> None:
    refused("O045", lambda: inner.Operation().enqueue(Execution()))


def test_a_replay_is_put_on_the_stream_of_its_graph_unless_another_is_named() -> None:
    said = list[Any]()
    user: Any = SimpleNamespace(device=0)
    for place, stream, quick in ((("s", 7, user), None, True), (None, None, False), (("s", 7, user), "other", False)):
        graph = SimpleNamespace(place=place, value="v", enqueue=lambda *given: said.append(given))
        replay: Any = inner.Replay(cast(Any, graph))
        said.clear()
        if quick:
            flying = replay.on(stream)
            assert said == [(7, user)]
            assert isinstance(flying, inner.InFlight)
            refused("O260", replay.on)
        else:
            with pytest.raises(Exception, match=r"."):
                replay.on(stream)
            assert said != [(7, user)]


def test_an_error_of_an_iterator_is_its_own() -> None:
    def broken() -> Any:
        yield value(1)
        raise TypeError("the iterator's own")

    with pytest.raises(TypeError, match="the iterator's own"):
        gather(broken())
    for wrong in (3, None):
        nothing: Any = wrong
        with pytest.raises(TypeError, match=rf"it takes operations, such as launches, not {wrong}"):
            gather(nothing)


def test_what_is_made_ready_counts_as_run() -> None:
    made = [Work("one", lambda _: 1), Work("two", lambda _: 2)]
    launch = cast(Any, double)(fh.partition(array(4), 4))
    for operation, code in (gather(made), "O260"), (gather([]), "O260"), (launch, "O243"):
        operation.prepare()
        for again in (operation.prepare, operation.sync):
            with pytest.raises(fh.Rejected) as caught:
                again()
            assert caught.value.codes == (code,)
            assert code != "O243" or "was made ready, which compiles it and does not run it" in str(caught.value)


def test_a_launch_that_is_not_run_is_told_to_be_no_array() -> None:
    given = array(4)
    launch = cast(Any, double)(fh.partition(given, 4))
    uses = (lambda: launch + 1, lambda: 2 * launch, lambda: launch[0], lambda: given - launch, lambda: launch @ launch)
    for use in (*uses, lambda: launch > 0, lambda: float(launch), lambda: list(launch)):
        with pytest.raises(
            TypeError, match=r"a launch of `double` is no array: it is not run yet: `.sync\(\)` runs it"
        ):
            use()
    for name in ("shape", "sum", "numpy"):
        with pytest.raises(AttributeError, match=r"it is not run yet: `.sync\(\)` runs it, and returns what it wrote"):
            getattr(launch, name)
    launch.sync()
    for use in (lambda: launch + 1, lambda: launch.shape):
        with pytest.raises((TypeError, AttributeError), match=r"it has been run: what it wrote is in the arrays"):
            use()
