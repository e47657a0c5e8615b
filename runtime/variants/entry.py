"""Entry points: where the parameters of a launch lie in memory, and how they are packed."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from freehold.runtime.base import native
from freehold.runtime.memory.numpy_types import numpy_dtype, scalar_type
from freehold.support.contract import LaunchContract, TensorParameter


class Mismatch(Exception):
    """The arguments of a launch are not what the plan is for, or overlap. The thorough way finds out what it is."""


class ParameterLayout:
    """
    Where the parameters of a contract's entry point lie in memory, eight bytes each: what a launch brings, in front,
    and behind it the extents and strides that a plan knows.
    """

    def __init__(self, contract: LaunchContract):
        self.given: Final = [n for n, e in enumerate(contract.entry) if e.kind in ("pointer", "scalar", "failures")]
        """The parameters that each launch brings, of the entry point's."""
        checks = [place for place, n in enumerate(self.given) if contract.entry[n].kind == "failures"]
        self.failures: Final = checks[0] if checks else -1
        """Which of these is where checks that fail are written down; -1 where the kernel has none."""
        known = [n for n, e in enumerate(contract.entry) if e.kind in ("extent", "stride")]
        self._known: Final = [f"={_CODES[contract.entry[n].dtype]}" for n in known]
        places = {n: 8 * place for place, n in enumerate([*self.given, *known])}
        self.offsets: Final = tuple(places[n] for n in range(len(contract.entry)))
        """By parameter of the entry point, in bytes."""
        form = "="
        self._values: list[tuple[int, Callable[[Any], Any] | None]] = []
        for entry in (contract.entry[n] for n in self.given):
            parameter = None if entry.kind == "failures" else contract.parameters[entry.argument]
            if parameter is None or isinstance(parameter, TensorParameter):
                form += "Q"
                self._values.append((-1 if parameter is None else entry.argument, None))
                continue
            code, bits = _CODES.get(parameter.dtype), None
            if code is None:
                code = _CODES[f"u{8 * numpy_dtype(parameter.dtype).itemsize}"]
                bits = scalar_type(parameter.dtype)
            form += f"{code}{8 - struct.calcsize(f'={code}')}x"
            self._values.append((entry.argument, bits))
        self._pack = struct.Struct(form).pack_into

    def filled(self, integers: Sequence[int]) -> bytearray:
        """Memory with the integers that a plan knows."""
        data = bytearray(8 * max(1, len(self.offsets)))
        for place, (form, value) in enumerate(zip(self._known, integers, strict=True), len(self.given)):
            struct.pack_into(form, data, 8 * place, value)
        return data

    def pack(self, data: bytearray, values: Sequence[Any], failures: Callable[[], int] | None = None) -> None:
        """
        Packs what a launch brings: an address or a scalar for each of the kernel's run-time arguments; and where checks
        that fail are written down, if the kernel has any.

        Raises `Mismatch`, `TypeError`, `OverflowError` or `struct.error` for values that cannot be passed.
        """
        found: list[Any] = []
        for n, bits in self._values:
            if n < 0:
                if failures is None:
                    raise Mismatch
                found.append(failures())
            else:
                found.append(values[n] if bits is None else int(bits(values[n])))
        self._pack(data, 0, *found)


_CODES: Final[Mapping[str, str]] = {**native.CODES, "f16": "e"}
"""How `struct` calls the dtypes that it can pack."""


def in_native_code(contract: LaunchContract, layout: ParameterLayout) -> bool:
    """Whether the native module can pack launches with this contract."""
    given = sorted(contract.entry[n].argument for n in layout.given if contract.entry[n].kind != "failures")
    known = all(isinstance(p, TensorParameter) or p.dtype in native.CODES for p in contract.parameters)
    kinds = {e.kind for e in contract.entry} <= {"pointer", "scalar", "extent", "stride", "failures"}
    return known and kinds and given == [*range(len(contract.parameters))]
