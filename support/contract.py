"""What a compiled kernel asks of its launch: plain data between the compiler, which writes it, and the launcher.

It holds everything a launch needs besides the cubin, so a cached kernel is launched without any part of the
compiler. Its JSON form is stored with the cubin.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Literal, Self

from freehold.support.span import Span

Checks = bool | Literal["trap"]
"""What becomes of checks in a kernel: they fail the launch, they stop the GPU ("trap"), or indices are not checked."""

MOST_EACH: Final = 2**24 - 1
"""Points of a launch with one block a point."""

MOST_PERSISTENT: Final = 2**31 - 2**25
"""Points of a launch with persistent blocks, whose counters may run past the end by the number of blocks."""

FAILURE_SLOTS: Final = 1024
"""How many launches a failure buffer has room for: what belongs to one of them lies as many words apart."""

MOST_VALUES: Final = 6
"""How many values a check in a kernel shows."""

FAILURE_WORDS: Final = 2 + MOST_VALUES
"""
The 64-bit words of one launch in a failure buffer. The first is 0, or the number of the check that failed first, plus
1; it is -1 while that is being written down. Then come the number of the tile block, and the values.
"""

Mode = Literal["ref", "acc", "raw", "mut", "out", "partial"]
"""How a tensor is used: read; read and written; written, all of it; written in part, while the rest stays."""


@dataclass(frozen=True, slots=True)
class TensorParameter:
    """A tensor argument.

    `dims` are terms (`freehold.support.terms`) over the kernel's symbols: a bare symbol is bound by the first argument
    that has it and compared at the others; any other term is evaluated and compared. The layout facts are those of
    `ownership.layout`: base alignment in bytes, static strides in elements (0: any), divisors of strides and extents.
    """

    name: str
    mode: Mode
    dtype: str
    dims: tuple[str, ...]
    align: int
    strides: tuple[int, ...]
    stride_divs: tuple[int, ...]
    extent_divs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ScalarParameter:
    """A scalar argument, passed by value in the element type `dtype`.

    `symbol` is what the contract's checks call an integer, which they read with a sign; empty for other scalars.
    """

    name: str
    dtype: str
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class EntryParameter:
    """One parameter of the entry point.

    `pointer`: base address of tensor argument `argument`. `extent`: the term `term` over the symbols, as i32.
    `stride`: stride `axis` of tensor argument `argument` in elements, as i32. `scalar`: scalar argument `argument`.
    `failures`: the launch's first word in a failure buffer (`FAILURE_WORDS`); the last parameter of kernels that check
    something while they run. `argument` counts all of the kernel's arguments. Extents and strides may be of another
    `dtype` where code is foreign, and strides be counted in units of which an element has `scale`.
    """

    kind: Literal["pointer", "extent", "stride", "scalar", "failures"]
    argument: int = -1
    axis: int = -1
    term: str = ""
    dtype: str = "i32"
    scale: int = 1


@dataclass(frozen=True, slots=True)
class LaunchCheck:
    """
    A predicate over the kernel's symbols that must hold for a launch, and what it is for, in the user's words.

    A `required` one is what the kernel's author asked for, and `reason` the author's message; it may be empty.
    """

    predicate: str
    reason: str
    span: Span | None = None
    required: bool = False


@dataclass(frozen=True, slots=True)
class KernelCheck:
    """
    What a kernel checks while it runs, and what is shown where it does not hold.

    An index: `predicate` is over the kernel's symbols, `tensor`, `axis` and `step` say what is accessed, and the values
    are the index and the number of tiles. An assertion: `predicate` is its message, and `tensor` is empty. `values` are
    the names and dtypes of what a failure brings.
    """

    predicate: str
    values: tuple[tuple[str, str], ...] = ()
    span: Span | None = None
    tensor: str = ""
    axis: int = 0
    step: int = 0


@dataclass(frozen=True, slots=True)
class Foreign:
    """
    What a launch of code that others made has besides: threads of a block, blocks of a cluster, bytes of dynamic
    shared memory, as terms; the arrays, by position among the arguments, that must be contiguous along axes of
    which the code is not told the strides; the threads of a block that the code is made for, or 0s where it does
    not say, and the most that it takes; and the reason why what is declared of it is right, which is empty where
    that is shown.
    """

    block: tuple[str, str, str]
    cluster: tuple[str, str, str] = ("1", "1", "1")
    shared: str = "0"
    contiguous: tuple[int, ...] = ()
    threads: tuple[int, int, int] = (0, 0, 0)
    most_threads: int = 1024
    promise: str = ""


@dataclass(frozen=True, slots=True)
class LaunchContract:
    """Everything a launch of one compiled kernel must respect.

    `symbol` is the entry point's name in the cubin. `grid` are the extents of the launch's domain, as terms: each is at
    least 1, and their product is the number of points. One block a point, unless `persistent`; then any positive number
    of blocks that does not exceed the points: `blocks` of them where that is not 0, or else as many as the GPU holds.
    `checks` are the obligations met on the launch rung, `kernel_checks` what the kernel itself checks, by number, where
    it writes failures down. `verified` is the digest of the verified IR that the code was made of. Of `foreign` code
    the grid are three terms, the blocks along x, y and z.
    """

    symbol: str
    parameters: tuple[TensorParameter | ScalarParameter, ...]
    entry: tuple[EntryParameter, ...]
    grid: tuple[str, ...]
    persistent: bool
    checks: tuple[LaunchCheck, ...]
    blocks: int = 0
    kernel_checks: tuple[KernelCheck, ...] = ()
    verified: str = ""
    foreign: Foreign | None = None

    def to_json(self) -> str:
        """As text."""
        data = asdict(self)
        if self.foreign is None:  # as it was before there was any
            del data["foreign"]
            for entry in data["entry"]:
                del entry["dtype"], entry["scale"]
        for p, d in zip(self.parameters, data["parameters"], strict=True):
            d["is_tensor"] = isinstance(p, TensorParameter)
        return json.dumps(data, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Reads `to_json`'s text. Raises `ValueError`, `KeyError` or `TypeError` on anything else."""
        data: dict[str, Any] = {"foreign": None, **json.loads(text)}
        if set(data) != {f.name for f in fields(cls)}:
            raise ValueError("not a launch contract")
        return cls(
            symbol=data["symbol"],
            parameters=tuple(_parameter(p) for p in data["parameters"]),
            entry=tuple(EntryParameter(**e) for e in data["entry"]),
            grid=tuple(data["grid"]),
            persistent=data["persistent"],
            checks=tuple(
                LaunchCheck(c["predicate"], c["reason"], _span(c["span"]), c["required"]) for c in data["checks"]
            ),
            blocks=data["blocks"],
            kernel_checks=tuple(_kernel_check(c) for c in data["kernel_checks"]),
            verified=data["verified"],
            foreign=_foreign(data["foreign"]),
        )


def _parameter(data: dict[str, Any]) -> TensorParameter | ScalarParameter:
    if not data.pop("is_tensor"):
        return ScalarParameter(**data)
    for key in ("dims", "strides", "stride_divs", "extent_divs"):
        data[key] = tuple(data[key])
    return TensorParameter(**data)


def _foreign(data: dict[str, Any] | None) -> Foreign | None:
    if data is None:
        return None
    for key in ("block", "cluster", "contiguous", "threads"):
        data[key] = tuple(data[key])
    if [len(data[key]) for key in ("block", "cluster", "threads")] != [3, 3, 3]:
        raise ValueError("not a shape")
    return Foreign(**data)


def _kernel_check(data: dict[str, Any]) -> KernelCheck:
    values = tuple((str(name), str(dtype)) for name, dtype in data["values"])
    return KernelCheck(data["predicate"], values, _span(data["span"]), data["tensor"], data["axis"], data["step"])


def _span(data: dict[str, Any] | None) -> Span | None:
    if data is None:
        return None
    call_site = _span(data["call_site"])
    return Span(data["file"], data["line"], data["start"], data["end_line"], data["end"], call_site)
