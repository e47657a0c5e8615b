"""Operations, graphs, and GPUs that are lost (O260 to O269, O280 and O281)."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Error, Note


class OperationRun(Error):
    """
    An operation was run a second time.

    An operation is one piece of work: `sync`, `on`, `await`, `graph`, and its place in another operation each use it
    up.
    """

    code: ClassVar[str] = "O260"
    title: ClassVar[str] = "{what} has been run already"
    label: ClassVar[str] = "run a second time here"
    helps: ClassVar[tuple[str, ...]] = (
        "to use its value in several places, run `.shared()` of it; to do the work again, describe it again",
    )
    what: str


class NoOperation(Error):
    """
    A function given to `then` returned something else than an operation.

    `then` runs the operation that the function describes; `map` takes whatever the function returns as the value.
    """

    code: ClassVar[str] = "O261"
    title: ClassVar[str] = "{function} given to `then` returned {article} `{given}`, which is no operation"
    helps: ClassVar[tuple[str, ...]] = ("use `.map(...)` for a function that returns a value",)
    function: str
    given: str

    @property
    def article(self) -> str:
        """Of the class's name."""
        return "an" if self.given[:1] in "aeiouAEIOU" else "a"


class GraphState(Error):
    """
    Something was asked of a graph that it cannot do now.

    A graph records inside its `with` block, can be replayed and updated after it, and can do nothing once it is closed.
    Its replays are not recorded in other graphs: the operations themselves are.
    """

    code: ClassVar[str] = "O262"
    title: ClassVar[str] = "the graph cannot {what}: {state}"
    helps: ClassVar[tuple[str, ...]] = ("{remedy}",)
    what: str
    state: str
    remedy: str


class AllocatesInGraph(Error):
    """
    An operation in a graph allocates memory.

    A replay works on the memory that was there when the graph was recorded. What one of its operations allocated would
    be there once, and be worked on many times.
    """

    code: ClassVar[str] = "O263"
    title: ClassVar[str] = "{what} allocates memory, which a graph cannot do"
    label: ClassVar[str] = "recorded here"
    helps: ClassVar[tuple[str, ...]] = (
        "make the tensor before the graph is recorded (`t = fh.zeros(...).sync()`) and pass it",
    )
    what: str


class MixedGraph(Error):
    """
    A graph was to record work in several places: on two GPUs, or on a GPU and on the host.

    A replay is one launch on one GPU, or the host's own work.
    """

    code: ClassVar[str] = "O264"
    title: ClassVar[str] = "a graph works in one place, and this one {places}"
    label: ClassVar[str] = "recorded here"
    helps: ClassVar[tuple[str, ...]] = ("record one graph for each place, and chain their replays with `then`",)
    places: str


class GraphUnused(Error):
    """
    `update` was asked to copy into a tensor that the graph does not use.

    A replay works on the very tensors that were recorded, so only what is copied into these has an effect on it.
    """

    code: ClassVar[str] = "O265"
    title: ClassVar[str] = "the graph does not use this tensor, so an update of it would change nothing"
    label: ClassVar[str] = "to be copied into here"
    helps: ClassVar[tuple[str, ...]] = ("update a tensor that was an argument of what the graph recorded",)


class EmptyGraph(Error):
    """A graph in which nothing was recorded is replayed."""

    code: ClassVar[str] = "O266"
    title: ClassVar[str] = "nothing was recorded in this graph"
    helps: ClassVar[tuple[str, ...]] = ("record an operation inside the block: `g.record(kernel(...))`",)


class UsesItself(Error):
    """
    A shared operation needs its own value, directly or by way of others, so it can never begin.
    """

    code: ClassVar[str] = "O267"
    title: ClassVar[str] = "a shared operation needs its own value"
    label: ClassVar[str] = "needed here, while it is being run"
    helps: ClassVar[tuple[str, ...]] = ("describe the work that comes later as another operation: `s.then(...)`",)


class SharedRecorded(Error):
    """
    A shared operation was recorded in a graph and is wanted elsewhere.

    What is recorded is not run: its value is there for what the same graph records, and nothing has been computed.
    """

    code: ClassVar[str] = "O268"
    title: ClassVar[str] = "a shared operation was recorded in a graph, and not run"
    label: ClassVar[str] = "its value is needed here"
    helps: ClassVar[tuple[str, ...]] = (
        "run it before the graph is recorded (`y = s.sync()`), or describe the work anew for the graph",
    )


class SharedLeft(Error):
    """
    A shared operation is wanted in a forked process, and another thread was running it when the process was forked.

    That thread is not there any more, and part of the work may have been done.
    """

    code: ClassVar[str] = "O269"
    title: ClassVar[str] = "another thread was running a shared operation when this process was forked"
    label: ClassVar[str] = "its value is needed here"
    helps: ClassVar[tuple[str, ...]] = ("wait for it before the fork, or describe the work anew",)


class GpuLost(Error):
    """
    A kernel did on a GPU what ends its use in this process: an illegal address, an assertion that fails.

    The driver says so at the next call, whatever that is, and says no more than what kind of fault it was. The launches
    named are those that may have been running. No tensor on that GPU can be read any more, and none of its memory is
    given back, because work may still be writing to it.
    """

    code: ClassVar[str] = "O280"
    title: ClassVar[str] = "GPU {device} was lost to a fault: {error}"
    label: ClassVar[str] = "launched here"
    notes: ClassVar[tuple[str, ...]] = ("noticed at: {what}",)
    helps: ClassVar[tuple[str, ...]] = (
        "start a new process; run it on the interpreter (`FREEHOLD_INTERPRET=1`), which checks every access",
    )
    device: int
    error: str
    what: str

    class Oldest(Note):
        text: ClassVar[str] = "the oldest launch that was not known to be done is of {launch}"
        launch: str

    class Others(Note):
        text: ClassVar[str] = "launches that came after it and may have been running: {count}"
        count: int

    class Unknown(Note):
        text: ClassVar[str] = "all launches of Freehold were seen to be done: the fault is of another library"


class Forked(Error):
    """
    A process that was forked from one that used the GPU wants to use it, too.

    The driver does not survive `fork`: its handles mean nothing in the child.
    """

    code: ClassVar[str] = "O281"
    title: ClassVar[str] = "this process was forked from one that uses the GPU, and cannot use it itself"
    helps: ClassVar[tuple[str, ...]] = (
        'start processes anew: `multiprocessing.get_context("spawn")`, or use the GPU in the children alone',
    )
