"""What the tools read and write: files, standard input and output, modules as text or bytecode."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from freehold.support.diagnostic import Rejected
from freehold.support.report import Argument
from freehold.tools.errors import NoInput, NoOutput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xdsl.dialects.builtin import ModuleOp

    from freehold.dialects.cuda_tile.version import Version
    from freehold.support.span import SourceMap


def read(name: str, program: str) -> tuple[bytes, str]:
    """The bytes of a file, or of standard input where it is `-`, and its name in errors. Raises `Rejected` (O506)."""
    if name == "-" and sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] -- so Python says it is closed
        raise Rejected([NoInput(Argument("file", program), "<stdin>", "it is closed")])
    try:
        return (sys.stdin.buffer.read(), "<stdin>") if name == "-" else (Path(name).read_bytes(), name)
    except OSError as error:
        raise Rejected([NoInput(Argument("file", program), name, error.strerror or str(error))]) from error


def read_source(name: str, program: str, *, split: bool = False) -> tuple[bytes, str]:
    """As `read`, of a file that is text or bytecode; `split` if it may be both. Raises `Rejected` (O506)."""
    data, file = read(name, program)
    if not split and not is_bytecode(data):
        decoded(data, file, program)
    return data, file


def decoded(data: bytes, file: str, program: str) -> str:
    """Bytes as text. Raises `Rejected` (O506) where they are none."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is not UTF-8 text"
        raise Rejected([NoInput(Argument("file", program), file, reason)]) from None


def write(name: str, data: bytes, program: str) -> None:
    """Writes a file, or to standard output where it is `-`. Raises `Rejected` (O509), `OSError` of the latter."""
    if name != "-":
        written(name, lambda: Path(name).write_bytes(data), "-o", program)
        return
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] -- so Python says it is closed
        raise Rejected([no_output("it is closed")])
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def no_output(why: OSError | str) -> NoOutput:
    """The error of standard output that cannot be written; it is no argument of a tool."""
    return NoOutput(None, "<stdout>", why if isinstance(why, str) else why.strerror or str(why))


def written(name: str, save: Callable[[], object], option: str, program: str) -> None:
    """Calls what writes the file that `option` names. Raises `Rejected` (O509) where that fails."""
    try:
        save()
    except OSError as error:
        raise Rejected([NoOutput(Argument(option, program), name, error.strerror or str(error))]) from error


_DIVIDER = re.compile(rb"^// -----[^\S\n]*(?:\n|\Z)", re.MULTILINE)


def chunks(data: bytes, split: bool) -> Iterator[bytes]:
    """
    The modules of a file divided by lines `// -----`, or the whole file where it is not to be split.

    Text is moved down to the lines where it stands, so that positions are those of the file; bytecode is not.
    """
    from freehold.backend.bytecode.encoding import MAGIC

    if not split:
        yield data
        return
    line, position = 0, 0
    for divider in [*_DIVIDER.finditer(data), None]:
        chunk = data[position : divider.start() if divider else len(data)]
        yield chunk if chunk.startswith(MAGIC) else b"\n" * line + chunk
        if divider:
            line += data.count(b"\n", position, divider.end())
            position = divider.end()


def is_bytecode(data: bytes) -> bool:
    """Whether a file is bytecode."""
    from freehold.backend.bytecode.encoding import MAGIC

    return data.startswith(MAGIC)


def read_bytecode_module(data: bytes, file: str, program: str) -> ModuleOp:
    """The module of a bytecode file. Raises `Rejected` (O413)."""
    from freehold.backend.bytecode.encoding import MalformedBytecode
    from freehold.backend.bytecode.reader import read_bytecode
    from freehold.backend.errors.bytecode import UnreadableBytecode

    try:
        return read_bytecode(data)
    except MalformedBytecode as problem:
        raise Rejected([UnreadableBytecode(Argument("file", program), file, problem.reason, problem.offset)]) from None


def version_of(text: str | None, program: str, option: str = "--version") -> Version | None:
    """The version of Tile IR that an option names. Raises `Rejected`."""
    from freehold.backend.errors.bytecode import UnknownVersion
    from freehold.dialects.cuda_tile.version import VERSIONS, Version

    if text is None:
        return None
    try:
        return Version.parse(text)
    except ValueError:
        known = ", ".join(map(str, VERSIONS))
        raise Rejected([UnknownVersion(Argument(option, program), text, known)]) from None


def read_module(
    data: bytes, file: str, program: str, sources: SourceMap, *, must_be_bytecode: bool = False
) -> ModuleOp:
    """The module of a file, text or bytecode, not verified. Raises `Rejected`."""
    if must_be_bytecode or is_bytecode(data):
        return read_bytecode_module(data, file, program)
    from freehold.tools.context import make_context
    from freehold.tools.located_parser import parse_module

    return parse_module(make_context(), decoded(data, file, program), file, sources=sources)
