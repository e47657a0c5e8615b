"""
Source spans as xDSL locations, and back.

A span is the fusion of its two ends, `fused["k.py":12:9, "k.py":12:21]`, with columns counted from 1 as MLIR does; the
second end is exclusive. Text that was inlined from a helper is a `callsite` of that and of the place of the call.
(MLIR's own range form is newer than what xDSL parses.)
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, TypeVar, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
)
from xdsl.ir import Attribute, Block, Operation, ParametrizedAttribute, SSAValue

from freehold.dialects.classes import array, put, string, whole
from freehold.support.span import Span

LocT = TypeVar("LocT", bound=ParametrizedAttribute)


@lru_cache(maxsize=4096)
def location_of(span: Span) -> LocationAttr:
    """The location that stands for a span."""
    here = _fused(span.file, span.line, span.start, span.end_line, span.end)
    return here if span.call_site is None else called(here, location_of(span.call_site))


def location_at(file: str, line: int, start: int, end_line: int, end: int) -> LocationAttr:
    """The location of a span: as `location_of`, where there are many that differ."""
    return _fused(file, line, start, end_line, end)


def position(file: StringAttr, line: int, column: int) -> FileLineColLoc:
    """A place in a file; lines and columns count from 1."""
    return _made(FileLineColLoc, filename=file, line=whole(line), column=whole(column))


def located(place: LocationAttr, scope: Attribute) -> FusedLoc:
    """A location with what it belongs to."""
    return _made(FusedLoc, locations=array((place,)), metadata=scope)


def called(callee: LocationAttr, caller: LocationAttr) -> CallSiteLoc:
    """A location in a function that was inlined where another one is."""
    return _made(CallSiteLoc, callee=callee, caller=caller)


def _fused(path: str, first_line: int, first: int, last_line: int, last: int) -> FusedLoc:
    file = _file(path)
    start, end = position(file, first_line, first + 1), position(file, last_line, last + 1)
    return _made(FusedLoc, locations=array((start, end)), metadata=_NONE)


_NONE: Final = NoneAttr()
_file = lru_cache(maxsize=64)(string)


def _made(kind: type[LocT], **parameters: Attribute) -> LocT:
    """A location, without the check of its parameters, which takes longer than all else: there is one for every node of
    a kernel's source."""
    made = kind.__new__(kind)
    for name, value in parameters.items():
        put(made, name, value)
    return made


def span_of(where: Operation | SSAValue | Block | Attribute) -> Span | None:
    """
    The span of an operation, of a value (its block argument's or its operation's), of a block's parent, or of a
    location; None where it is unknown.

    A location that other tools wrote and that names a single position becomes a span of one character.
    """
    match where:
        case Operation():
            return _span(where.location)
        case SSAValue():
            own = getattr(where, "location", None)
            span = _span(own) if isinstance(own, Attribute) else None
            if span is None and isinstance(where.owner, Operation):
                return _span(where.owner.location)
            return span
        case Block():
            parent = where.parent_op()
            return None if parent is None else _span(parent.location)
        case Attribute():
            return _span(where)


@lru_cache(maxsize=4096)
def _span(location: Attribute) -> Span | None:
    match location:
        case FileLineColLoc():
            column = max(0, location.column.data - 1)
            return Span.on_line(location.filename.data, location.line.data, column, column + 1)
        case NameLoc():
            return _span(location.location)
        case CallSiteLoc():
            callee, caller = _span(location.callee), _span(location.caller)
            return callee.inlined_at(caller) if callee is not None and caller is not None else callee or caller
        case FusedLoc():
            parts = cast(ArrayAttr[Attribute], location.locations).data
            start, end = parts if len(parts) == 2 else (None, None)
            if isinstance(start, FileLineColLoc) and isinstance(end, FileLineColLoc):
                first = (start.line.data, start.column.data)
                if start.filename == end.filename and first <= (end.line.data, end.column.data):
                    return Span(start.filename.data, first[0], first[1] - 1, end.line.data, end.column.data - 1)
            return next((span for part in parts if (span := _span(part)) is not None), None)
        case _:
            return None
