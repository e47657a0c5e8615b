"""GPUs that do not answer, and what cannot be asked of them (O240 to O243)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from freehold.support.diagnostic import Error, Help


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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

    @dataclass(frozen=True)
    class DidYouMean(Help):
        text: ClassVar[str] = "write `{name}={value}`"
        name: str


@dataclass(frozen=True)
class AlreadyRun(Error):
    """
    A launch was run a second time. One launch is one piece of work: call the kernel again for another.
    """

    code: ClassVar[str] = "O243"
    title: ClassVar[str] = "this launch of `{kernel}` has been run already"
    helps: ClassVar[tuple[str, ...]] = ("call `{kernel}(...)` again",)
    kernel: str
