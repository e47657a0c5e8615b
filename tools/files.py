"""What the tools read and write: files, standard input and output, modules as text or bytecode."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from freehold.support.diagnostic import Rejected
from freehold.support.report import Argument
from freehold.tools.errors import NoInput, NoOutput

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.dialects.builtin import ModuleOp

    from freehold.support.span import SourceMap


def read(name: str, program: str) -> tuple[bytes, str]:
    """The bytes of a file, or of standard input where it is `-`, and its name in errors. Raises `Rejected` (O506)."""
    try:
        return (sys.stdin.buffer.read(), "<stdin>") if name == "-" else (Path(name).read_bytes(), name)
    except OSError as error:
        raise Rejected([NoInput(Argument("file", program), name, error.strerror or str(error))]) from error


def decoded(data: bytes, file: str, program: str) -> str:
    """Bytes as text. Raises `Rejected` (O506) where they are none."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is not UTF-8 text"
        raise Rejected([NoInput(Argument("file", program), file, reason)]) from None


def write(name: str, data: bytes, program: str) -> None:
    """Writes a file, or to standard output where it is `-`. Raises `Rejected` (O509), and `BrokenPipeError`."""
    if name != "-":
        written(name, lambda: Path(name).write_bytes(data), "-o", program)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def written(name: str, save: Callable[[], object], option: str, program: str) -> None:
    """Calls what writes the file that `option` names. Raises `Rejected` (O509) where that fails."""
    try:
        save()
    except OSError as error:
        raise Rejected([NoOutput(Argument(option, program), name, error.strerror or str(error))]) from error


def read_module(
    data: bytes, file: str, program: str, sources: SourceMap, *, must_be_bytecode: bool = False
) -> ModuleOp:
    """The module of a file, text or bytecode, not verified. Raises `Rejected`."""
    from freehold.backend.bytecode.encoding import MAGIC, MalformedBytecode

    if data[: len(MAGIC)] == MAGIC or must_be_bytecode:
        from freehold.backend.bytecode.reader import read_bytecode
        from freehold.backend.errors import UnreadableBytecode

        try:
            return read_bytecode(data)
        except MalformedBytecode as problem:
            place = Argument(file, program)
            raise Rejected([UnreadableBytecode(place, problem.reason, problem.offset)]) from None
    from freehold.tools.context import make_context
    from freehold.tools.located_parser import parse_module

    return parse_module(make_context(), decoded(data, file, program), file, sources=sources)
