"""Assemblers that are not there, cannot do it, or say how they did it (O401 to O408, O417)."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Error, Help, Note


class AssemblerMissing(Error):
    """
    Kernels become GPU code by way of `tileiras`, NVIDIA's assembler for CUDA Tile IR, and none was found.

    It is looked for in the Python package `nvidia-cuda-tileiras`, then where the environment variable
    `FREEHOLD_TILEIRAS` points, on `PATH`, and in `$CUDA_HOME/bin`. It needs no GPU. Verification, `tile-opt` and the
    interpreter need no assembler.
    """

    code: ClassVar[str] = "O401"
    title: ClassVar[str] = "no Tile IR assembler (`{program}`) was found"
    notes: ClassVar[tuple[str, ...]] = ("looked in {looked}",)
    helps: ClassVar[tuple[str, ...]] = ("install the assembler: `pip install nvidia-cuda-tileiras`",)

    program: str
    """The program's file name."""
    places: tuple[str, ...]
    """Where it was looked for, in order."""

    @property
    def looked(self) -> str:
        """The places as one phrase."""
        return ", ".join(self.places)


class AssemblerNotThere(Error):
    """
    The environment variable that names the assembler names something that is no file.

    The variable is checked even where the Python package would be used first: a setting that does nothing would
    mislead.
    """

    code: ClassVar[str] = "O402"
    title: ClassVar[str] = "`{variable}` names no file: {path}"
    helps: ClassVar[tuple[str, ...]] = ("set `{variable}` to the path of `tileiras`, or unset it",)

    variable: str
    """The environment variable, or the argument, that was given."""
    path: str
    """Its value."""


class AssemblerNotRunnable(Error):
    """
    The assembler is there and cannot be run.

    Some ways of unpacking a wheel drop the permission to run its programs. Freehold then sets it where the file is
    yours, and otherwise keeps a runnable copy in your cache directory. Neither was possible.
    """

    code: ClassVar[str] = "O403"
    title: ClassVar[str] = "the Tile IR assembler cannot be run: {reason}"
    notes: ClassVar[tuple[str, ...]] = ("it is {path}",)

    path: str
    reason: str
    """Why, in the operating system's words."""

    class Allow(Help):
        """Where nothing but the permission is missing."""

        text: ClassVar[str] = "allow it to be run: `chmod +x {path}`"


class AssemblerFailed(Error):
    """What the assembler failed on. Whoever has the kernel's hints asks it again without them."""

    class WithoutHints(Help):
        """The hints that it fails with, and not without."""

        text: ClassVar[str] = "leave {hints} out of the kernel's hints: without {them} the assembler takes it"
        hints: str
        them: str


class AssemblerCrashed(AssemblerFailed):
    """
    The assembler was ended by a signal while it worked on a kernel. Nothing was kept, and it is not tried again.

    The module that it was given has passed Freehold's verifiers, so this is a fault of the assembler or a shortage of
    memory, and worth a report.
    """

    code: ClassVar[str] = "O404"
    title: ClassVar[str] = "the Tile IR assembler crashed on {subject} ({signal})"
    helps: ClassVar[tuple[str, ...]] = ("try smaller tiles or another architecture than {arch}",)

    subject: str
    """The kernel, in words."""
    signal: str
    """The signal's name."""
    arch: str


class AssemblerTimedOut(Error):
    """
    The assembler did not finish in the time it was given. It and everything it had started were ended.

    Compile time grows with the size of tiles (in registers) and with the number of operations. Of some small kernels
    for clusters of blocks (`num_cta_in_cga`) the assembler (release 13.5) makes nothing in any time.
    """

    code: ClassVar[str] = "O405"
    title: ClassVar[str] = "the Tile IR assembler did not finish {subject} for {arch} within {seconds:g} s"
    helps: ClassVar[tuple[str, ...]] = ("make the kernel's tiles smaller", "give it more time: `time_limit=`")

    subject: str
    arch: str
    seconds: float
    """The time it was given, in seconds."""

    class WithoutClusters(Help):
        """Where the kernel is for clusters."""

        text: ClassVar[str] = "leave out the hint `num_cta_in_cga`: with it the assembler does not end for some kernels"


class AssemblerRefused(AssemblerFailed):
    """
    The assembler refused a kernel.

    The module that it was given has passed Freehold's verifiers, and uses nothing that the architecture is known to
    lack (O408). Where the assembler says which operation it means, the kernel's own line is shown. Some kernels are
    refused for their hints alone, as for an `occupancy`: those are found out, by asking again without them.
    """

    code: ClassVar[str] = "O406"
    title: ClassVar[str] = "the Tile IR assembler refused {subject} for {arch}"
    label: ClassVar[str] = "{message}"

    subject: str
    arch: str
    message: str
    """The first line of what it said, without its location."""
    status: int
    """Its exit status."""

    class Said(Note):
        """What the assembler printed, where no place in the kernel could be shown with it."""

        text: ClassVar[str] = "it said: {said} (exit status {status})"
        said: str


class UnsupportedArchitecture(Error):
    """
    The assembler that was found generates no code for this architecture.

    Architectures are written as `sm_90`. Which ones there are depends on the assembler's release.
    """

    code: ClassVar[str] = "O407"
    title: ClassVar[str] = "the Tile IR assembler has no architecture `{arch}`"

    arch: str

    class ChooseOne(Help):
        """The architectures there are."""

        text: ClassVar[str] = "choose one of {archs}"
        archs: str


class NotOnArchitecture(Error):
    """
    A kernel uses a dtype or an operation that the GPU it is compiled for does not have.

    `f8e4m3fn`, `f8e5m2`, and sums of `bf16` in memory, are there from sm_89 on; `f8e8m0fnu`, `f4e2m1fn` and
    `mma_scaled` from sm_100 on; `f8e5m3fnu` on sm_107 alone. The interpreter has them all, and every kernel can be
    compiled for any architecture without its GPU.
    """

    code: ClassVar[str] = "O408"
    title: ClassVar[str] = "{subject} uses {what}, which {arch} does not have"
    label: ClassVar[str] = "{what}: {where}"
    helps: ClassVar[tuple[str, ...]] = (
        'compile it for a GPU that has it (`arch="{first}"`), or run it on NumPy arrays, which the interpreter does',
    )

    subject: str
    what: str
    """The dtype or operation, in the user's words."""
    arch: str
    first: str
    """The first architecture that has it."""
    alone: bool = False
    """Whether no other one has it."""

    @property
    def where(self) -> str:
        """Which architectures have it."""
        return f"on {self.first} alone" if self.alone else f"from {self.first} on"


class AssemblerRemark(Error):
    """
    The assembler says how it translated an operation, and what it would have needed to do better.

    Remarks refuse nothing. `tile-opt --remarks memory --arch sm_100` asks for them. `failed` names what could not be
    used (the copy engine, tensor cores), `passed` what was.
    """

    severity: ClassVar[str] = "remark"
    code: ClassVar[str] = "O417"
    title: ClassVar[str] = "{what}"
    label: ClassVar[str] = "{outcome}"

    what: str
    outcome: str
    """How it went: failed, passed, missed, analysis."""

    class Detail(Note):
        """What the assembler adds."""

        text: ClassVar[str] = "{name}: {value}"
        name: str
        value: str
