"""GPUs that do not answer, what cannot be asked of them, and the interpreter in their place (O240 to O245)."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Error, Help


class NoGpu(Error):
    """
    A launch needs a GPU and this process has none that it can use: no driver, no device, or cuda-python is missing.

    Arrays in the host's memory run on the interpreter instead, and `kernel.compile(..., arch="sm_90")` needs no GPU.
    """

    code: ClassVar[str] = "O240"
    title: ClassVar[str] = "no NVIDIA GPU can be used here"
    notes: ClassVar[tuple[str, ...]] = ("{reason}",)
    helps: ClassVar[tuple[str, ...]] = ("{remedy}",)
    reason: str
    remedy: str


class DriverFailed(Error):
    """
    The CUDA driver reported an error.

    A fault in a kernel is reported by whatever call comes next, so it may stem from an earlier launch, also from one
    of another library. After a fault the process cannot use the GPU any more.
    """

    code: ClassVar[str] = "O241"
    title: ClassVar[str] = "{what} failed: {error}"
    notes: ClassVar[tuple[str, ...]] = ("work that was in flight before, from any library, may be the cause",)
    what: str
    """What was tried, in words."""
    error: str
    """The driver's name and text of the error."""


class HintUnknown(Error):
    """A hint has a name or a value that there is not."""

    code: ClassVar[str] = "O242"
    title: ClassVar[str] = "hint `{hint}={value}` of `{kernel}`: {problem}"
    notes: ClassVar[tuple[str, ...]] = ("hints are {known}",)
    kernel: str
    hint: str
    value: str
    problem: str
    known: str

    class DidYouMean(Help):
        text: ClassVar[str] = "write `{name}={value}`"
        name: str

    class AsHint(Help):
        text: ClassVar[str] = 'write `hints={{"{name}": {value}}}`'
        name: str

    class OfLoads(Help):
        text: ClassVar[str] = "leave it out: how far loads run ahead is found out, or said of a load: `latency=3`"


class AlreadyRun(Error):
    """
    A launch was run a second time. One launch is one piece of work: call the kernel again for another.

    Where `freehold.eager` says that kernels run as they are called, a call leaves nothing to be recorded in a graph.
    """

    code: ClassVar[str] = "O243"
    title: ClassVar[str] = "this launch of `{kernel}` {how}"
    helps: ClassVar[tuple[str, ...]] = ("{edit}",)
    kernel: str
    how: str = "has been run already"
    eagerly: bool = False

    @property
    def edit(self) -> str:
        """What to do instead."""
        return "record it outside of `fh.eager()`" if self.eagerly else f"call `{self.kernel}(...)` again"


class ModeUnknown(Error):
    """
    The interpreter was asked for a mode that it does not have.

    The environment variable `FREEHOLD_INTERPRET` and `with fh.interpreting(...)` name one: `fast` (also `1`) computes,
    `adversarial` lets blocks run in an unusual order, `checked` finds races. What is left open is decided by a seed,
    which the latter two take: a whole number that is not negative.
    """

    code: ClassVar[str] = "O245"
    title: ClassVar[str] = "`{given}` names no mode of the interpreter"
    notes: ClassVar[tuple[str, ...]] = ("modes are fast, adversarial and checked; the latter two take a seed",)
    helps: ClassVar[tuple[str, ...]] = (
        'write `FREEHOLD_INTERPRET=checked,seed=7`, or `with fh.interpreting("checked", seed=7):`',
    )
    given: str
