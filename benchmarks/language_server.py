"""From a keystroke to diagnostics, by the language server: `python -m benchmarks.language_server`.

Opens the library's kernels, or the files that are named, in a server of its own, as an editor would; then adds a line
to the body of one kernel after the other, so that all behind it move, and takes the time until diagnostics come. Prints
the median and the worst of each file in milliseconds: by the clock, and (on Linux) of the server's processor.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

KERNELS = Path(__file__).resolve().parents[1] / "kernels"


def keystrokes(text: str, language: str) -> list[str]:
    """The text with a harmless statement added at the end of one kernel's body, for each kernel; in `.mlir`, with the
    name of an operation misspelt, and mended again."""
    lines = text.splitlines(keepends=True)
    if language == "mlir":
        at = next((n for n, line in enumerate(lines) if " = " in line), 0)
        return ["".join([*lines[:at], lines[at].replace(" = ", " = x", 1), *lines[at + 1 :]]), text]
    found: list[str] = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            last = node.body[-1]
            at, indent = last.lineno - 1, " " * last.col_offset
            found.append("".join([*lines[:at], f"{indent}typed = 1\n", *lines[at:]]))
    return found


def processor(pid: int) -> float:
    """The processor time of a process in milliseconds, in steps of a clock tick; 0 where there is no /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return 1e3 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measured(files: list[Path], most: int) -> None:
    """Prints a line for each file."""
    client: Any = LanguageClient("benchmark", "1")
    told: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()

    @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def _(params: lsp.PublishDiagnosticsParams) -> None:  # pyright: ignore[reportUnusedFunction] -- the client calls it
        told.put_nowait(params)

    await client.start_io(sys.executable, "-m", "freehold.tools.lsp.server")
    await client.initialize_async(lsp.InitializeParams(capabilities=lsp.ClientCapabilities()))
    pid = client._server.pid  # there is no other way to it
    every: list[float] = []
    worked: list[float] = []
    for file in files:
        uri, text = file.resolve().as_uri(), file.read_text(encoding="utf-8")
        start = time.perf_counter()
        language = "python" if file.suffix == ".py" else "mlir"
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, language, 0, text)))
        await told.get()
        opened, taken, busy = time.perf_counter() - start, list[float](), list[float]()
        for version, changed in enumerate(keystrokes(text, language)[:most], start=1):
            start, before = time.perf_counter(), processor(pid)
            document = lsp.VersionedTextDocumentIdentifier(version, uri)
            whole = lsp.TextDocumentContentChangeWholeDocument(changed)
            client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [whole]))
            await told.get()
            taken.append(1e3 * (time.perf_counter() - start))
            busy.append(processor(pid) - before)
        every += taken
        worked += busy
        if taken:
            print(f"{file.name:24} opened {1e3 * opened:7.0f}  clock {of(taken)}  processor {of(busy)}", flush=True)
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    if every:
        print(f"{len(every)} keystrokes, in ms: clock {of(every)}  processor {of(worked)}")


def of(taken: list[float]) -> str:
    """The median and the worst."""
    return f"median {statistics.median(taken):5.0f} worst {max(taken):5.0f}"


def main() -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="the library's kernels, if none is named")
    parser.add_argument("--most", type=int, default=4, metavar="N", help="keystrokes in one file; 4 if left out")
    options = parser.parse_args()
    files = options.files or sorted(path for path in KERNELS.glob("*.py") if "@safe" in path.read_text())
    asyncio.run(measured(files, options.most))
    return 0


if __name__ == "__main__":
    sys.exit(main())
