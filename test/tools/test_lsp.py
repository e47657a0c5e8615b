"""The language server, asked by a client over standard input and output, as an editor asks it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="the extra `lsp` is not installed")

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from freehold.runtime.jit.kernel import Kernel
from freehold.tools.lsp import python_document
from freehold.tools.lsp.mlir_document import vocabulary

MLIR = """cuda_tile.module @m {
  entry @k(%x: tile<i32>) {
    %sum = addi %x, %x : tile<i32>
    %both = muli %sum, %sum : tile<i32>
    return
  }
}
"""
PYTHON = """import freehold as fh
from freehold import Mut, Out, Ref

raise RuntimeError("nothing is run")


@fh.kernel
def good(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) * 2.0)


@fh.kernel
def wrong(y: Mut["N"]):
    (i,) = y.index
    left = y.load((fh.maximum(i - 1, 0),), y.tile)
    y.store((left + y.load()) / 2.0)


@fh.kernel
def misspelt(y: Out["N"], x: Ref["N"]):
    y.store(fh.sqrtt(x.load_like(y)))
"""


class Editor:
    """A client that keeps what the server says of each file."""

    def __init__(self) -> None:
        self.client: Any = LanguageClient("test", "1")
        self.told: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()
        self.version = 0

        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def _(params: lsp.PublishDiagnosticsParams) -> None:  # pyright: ignore[reportUnusedFunction] -- the client calls it
            self.told.put_nowait(params)

    async def start(self) -> None:
        await self.client.start_io(sys.executable, "-m", "freehold.tools.lsp.server")
        await self.client.initialize_async(lsp.InitializeParams(capabilities=lsp.ClientCapabilities()))
        self.client.initialized(lsp.InitializedParams())

    async def open(self, uri: str, text: str) -> list[lsp.Diagnostic]:
        language = "python" if uri.endswith(".py") else "mlir"
        item = lsp.TextDocumentItem(uri, language, 0, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return [*(await self.told.get()).diagnostics]

    async def change(self, uri: str, text: str) -> list[lsp.Diagnostic]:
        self.version += 1
        whole = lsp.TextDocumentContentChangeWholeDocument(text)
        document = lsp.VersionedTextDocumentIdentifier(self.version, uri)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [whole]))
        return [*(await self.told.get()).diagnostics]

    async def stop(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()


def edited(work: Callable[[Editor], Awaitable[None]]) -> None:
    async def run() -> None:
        editor = Editor()
        await editor.start()
        try:
            await work(editor)
        except BaseException:  # a server that failed would not answer that it ends
            editor.client._server.kill()
            raise
        await editor.stop()

    asyncio.run(run())


def at(text: str, word: str, skip: int = 0) -> lsp.Position:
    lines = [n for n, line in enumerate(text.split("\n")) if word in line]
    line = lines[skip]
    return lsp.Position(line, text.split("\n")[line].index(word) + 1)


def test_names_are_explained_as_they_are_written() -> None:
    known = vocabulary()
    assert known["rounding"] == known["#cuda_tile.rounding"]
    assert known["addf"] == known["cuda_tile.addf"]
    assert "!ownership.ref" in known
    assert "ownership.ref" not in known  # which nobody may write without its mark


def test_mlir_is_checked_as_it_is_typed(tmp_path: Path) -> None:
    uri = (tmp_path / "k.mlir").as_uri()

    async def work(editor: Editor) -> None:
        assert await editor.open(uri, MLIR) == []
        (wrong,) = await editor.change(uri, MLIR.replace("muli", "mulx"))
        assert (wrong.code, wrong.range.start.line, wrong.range.start.character) == ("O501", 3, 12)
        (wrong,) = await editor.change(uri, MLIR.replace("%both = muli %sum, %sum", "%both = muli %sum, %nope"))
        assert "nope" in wrong.message
        assert await editor.change(uri, MLIR) == []

    edited(work)


def test_mlir_names_are_explained_defined_and_completed(tmp_path: Path) -> None:
    uri = (tmp_path / "k.mlir").as_uri()
    document = lsp.TextDocumentIdentifier(uri)

    async def work(editor: Editor) -> None:
        await editor.open(uri, MLIR)
        hover = await editor.client.text_document_hover_async(lsp.HoverParams(document, at(MLIR, "%sum", 1)))
        assert hover is not None
        assert isinstance(hover.contents, lsp.MarkupContent)
        found = await editor.client.text_document_hover_async(lsp.HoverParams(document, at(MLIR, "addi")))
        assert found is not None
        assert isinstance(found.contents, lsp.MarkupContent)
        assert found.contents.value.startswith("**cuda_tile.addi** (operation)\n\n")
        place = lsp.Position(3, 18)  # %sum, where it is used
        value: Any = await editor.client.text_document_hover_async(lsp.HoverParams(document, place))
        assert value.contents.value == "```mlir\n%sum : !cuda_tile.tile<i32>\n```"
        for column in range(4, 9):  # wherever in the name the cursor stands, and behind it
            again = lsp.HoverParams(document, lsp.Position(2, column))
            value = await editor.client.text_document_hover_async(again)
            assert value.contents.value == "```mlir\n%sum : !cuda_tile.tile<i32>\n```", column
        beside = lsp.HoverParams(document, lsp.Position(3, 3))  # spaces
        assert await editor.client.text_document_hover_async(beside) is None
        where: Any = await editor.client.text_document_definition_async(lsp.DefinitionParams(document, place))
        assert where.range == lsp.Range(lsp.Position(2, 4), lsp.Position(2, 8))
        argument: Any = await editor.client.text_document_definition_async(
            lsp.DefinitionParams(document, lsp.Position(2, 16))
        )
        assert argument.range.start == lsp.Position(1, 11)
        items: Any = await editor.client.text_document_completion_async(
            lsp.CompletionParams(document, lsp.Position(3, 14))
        )
        assert {"muli", "mulf", "mulhii"} <= {item.label for item in items}
        items = await editor.client.text_document_completion_async(lsp.CompletionParams(document, lsp.Position(3, 18)))
        assert {item.label for item in items} >= {"%x"}

    edited(work)


def test_kernels_in_python_are_checked_without_being_run(tmp_path: Path) -> None:
    uri = (tmp_path / "k.py").as_uri()
    document = lsp.TextDocumentIdentifier(uri)
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0))

    async def work(editor: Editor) -> None:
        found = {each.code: each for each in await editor.open(uri, PYTHON)}
        assert "O103" in found
        assert found["O103"].range.start.line == at(PYTHON, "left =").line
        assert len(found) == 2
        (misspelt,) = [each for code, each in found.items() if code != "O103"]
        assert misspelt.range.start.line == at(PYTHON, "sqrtt").line
        context = lsp.CodeActionContext(diagnostics=[misspelt])
        params = lsp.CodeActionParams(document, misspelt.range, context)
        actions: Any = await editor.client.text_document_code_action_async(params)
        assert any(
            edit.new_text == "fh.sqrt" or edit.new_text == "sqrt"
            for action in actions
            for edit in action.edit.changes[uri]
        )
        hints: Any = await editor.client.text_document_inlay_hint_async(lsp.InlayHintParams(document, whole))
        assert at(PYTHON, "y.store(x.load_like(y) * 2.0)").line in {hint.position.line for hint in hints}
        mended = PYTHON.replace("sqrtt", "sqrt")
        assert [each.code for each in await editor.change(uri, mended)] == ["O103"]
        assert [each.code for each in await editor.change(uri, mended + "def (")] == ["O103"]

    edited(work)


HELPED = """import freehold as fh
from freehold import Out, Ref

FACTOR = 2.0


def scaled(tile):
    return tile * FACTOR


@fh.kernel
def first(y: Out["N"], x: Ref["N"]):
    y.store(scaled(x.load_like(y)))


@fh.kernel
def second(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y))


@fh.kernel
def third(y: Out["N"], x: Ref["N"], n: "fh.Const[int]" = 4):
    y.store(x.load((0,), y.tile))
"""


def test_only_what_changed_is_verified_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    verified: list[str] = []
    verdict = python_document.verdict_of

    def counted(value: Any, file: str, asked: str) -> python_document.Verdict:
        verified.append(str(value).removeprefix("<kernel ").rstrip(">"))
        return verdict(value, file, asked)

    monkeypatch.setattr(python_document, "verdict_of", counted)
    document = python_document.PythonDocument(str(tmp_path / "k.py"))

    def update(text: str) -> list[str]:
        verified.clear()
        document.update(text)
        return sorted(verified)

    assert update(HELPED) == ["first", "second", "third"]
    assert update("# a line more\n\n" + HELPED) == []
    wrong = HELPED.replace("x.load((0,), y.tile)", "x.loaf((0,))")
    right = HELPED.replace("(0,), y.tile", "(1,), y.tile")
    assert update(right) == ["third"]
    assert update(wrong) == ["third"]
    assert update("# a line more\n\n" + wrong) == ["third"]  # what is said of it names lines
    assert update(HELPED) == []  # what is undone is known
    assert update(HELPED.replace("FACTOR = 2.0", "FACTOR = 3.0")) == ["first"]
    assert update(HELPED.replace("tile * FACTOR", "tile + FACTOR")) == ["first"]


def test_what_is_known_of_a_kernel_moves_with_it(tmp_path: Path) -> None:
    document = python_document.PythonDocument(str(tmp_path / "k.py"))
    document.update(HELPED)
    before = [hint for verdict in document.found for hint in verdict.hints]
    moved = HELPED.replace("FACTOR = 2.0", "FACTOR = 2.0\n\n\nOTHER = 3.0")
    document.update(moved)
    known = [hint for verdict in document.found for hint in verdict.hints]
    fresh = python_document.PythonDocument(str(tmp_path / "k.py"))
    fresh.update(moved)
    assert known == [hint for verdict in fresh.found for hint in verdict.hints]
    assert [hint.line for hint in known] == [hint.line + 3 for hint in before]


def test_of_several_changes_the_last_counts(tmp_path: Path) -> None:
    uri = (tmp_path / "k.mlir").as_uri()

    async def work(editor: Editor) -> None:
        await editor.open(uri, MLIR)
        for number, text in enumerate([MLIR.replace("muli", "mulx"), MLIR.replace("addi", "addx"), MLIR], 10):
            whole = lsp.TextDocumentContentChangeWholeDocument(text)
            document = lsp.VersionedTextDocumentIdentifier(number, uri)
            editor.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [whole]))
        # A question is about the text as it is then, whether or not that was checked.
        hover = await editor.client.text_document_hover_async(
            lsp.HoverParams(lsp.TextDocumentIdentifier(uri), at(MLIR, "muli"))
        )
        assert hover is not None
        told = [[*editor.told.get_nowait().diagnostics] for _ in range(editor.told.qsize())]
        assert told[-1] == []

    edited(work)


MADE_UP = """import freehold as fh
from freehold import Const, Mut, Out, Ref, f32, i64

@fh.kernel
def plain(y: Out["N"], x: Ref["M", "N"], a: f32, n: i64, flag: Const[bool], SIZE: Const[int], by: Const[float] = 0.5):
    pass

# freehold: x=f16[64, 8] y=(4, 2) size=32 n=-3
@fh.kernel
def asked(y: Out["M", "N"], x: Ref["M", "N"], n: i64, size: Const[int]):
    pass

# freehold: M=7
@fh.kernel
def extent(y: Mut["M", "2 * N"], x: Ref[f32, "N"]):
    pass

@fh.kernel
def of_three(y: Out["A", "B", "C"], x: Ref["A"]):
    pass

@fh.kernel
def of_four(y: Out["A", "B", "C", "D"], x: Ref["A"]):
    pass

@fh.kernel
def of_five(y: Out["A", "B", "C", "D", "E"], x: Ref["E"]):
    pass

@fh.kernel
def unknown(y: Out["N"], kind: Const[str]):
    pass

#: freehold is no comment of ours
@fh.kernel
def shapeless(y: Out, x: Ref):
    pass
"""


def test_what_is_made_up_for_a_signature(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, list[Any]] = {}

    def shown(value: Any) -> Any:
        if hasattr(value, "spec"):
            return (*shown(value.array), value.spec.tile)
        return (str(value.dtype), value.shape) if hasattr(value, "shape") else value

    def verify(kernel: Any, *arguments: Any) -> Any:
        given[kernel.signature.kernel] = [shown(each) for each in arguments]
        raise ZeroDivisionError("stop")

    monkeypatch.setattr(Kernel, "verify", verify)
    document = python_document.PythonDocument(str(tmp_path / "k.py"))
    faults = [verdict.fault for verdict in document.update(MADE_UP)]
    assert given == {
        "plain": [("float32", (256,), (16,)), ("float32", (256, 256)), 1.0, 16, True, 16, 0.5],
        "asked": [("float32", (64, 8), (4, 2)), ("float16", (64, 8)), -3, 32],
        "extent": [("float32", (7, 512), (4, 16)), ("float32", (256,))],
        "of_three": [("float32", (64, 64, 64), (16, 16, 16)), ("float32", (64,))],
        "of_four": [("float32", (32, 32, 32, 32), (16, 16, 16, 16)), ("float32", (32,))],
        "of_five": [("float32", (16,) * 5, (16,) * 5), ("float32", (16,))],
        "shapeless": [("float32", (256, 256), (16, 16)), ("float32", (256, 256))],
    }
    assert faults == ["ZeroDivisionError: stop"] * 6 + ["", "ZeroDivisionError: stop"]


CHECKED = """import freehold as fh
from freehold import Const, Out, Ref


@fh.kernel
def shifted(y: Out["N"], x: Ref["M"], BY: Const[int] = 1):
    (i,) = y.index
    left = x.load((i + BY,), y.tile)
    y.store(left)
    y.store(left)


@fh.kernel
def unused(y: Out["N"], x: Ref["M"]):
    y.store(y.load() * 2.0)


value = 3
"""


def test_what_is_told_of_each_line(tmp_path: Path) -> None:
    file = str(tmp_path / "k.py")
    document = python_document.PythonDocument(file)
    shifted, unused = document.update(CHECKED)
    assert [(hint.line, hint.text) for hint in shifted.hints] == [
        (6, "proved"),
        (8, "launch: ceildiv(N, 16) < ceildiv(M, 16)"),
    ]
    assert [error.code for error in unused.errors] == ["O107"]
    assert not unused.hints
    assert python_document.verdict_of(3, file, "") == python_document.Verdict()
    # What is no Python has nothing new to say, and what was said stays.
    assert document.update(CHECKED + "def (") == [shifted, unused]
    # No more than a few texts are remembered for each kernel.
    for number in range(9):
        document.update(CHECKED.replace("BY: Const[int] = 1", f"BY: Const[int] = {number}"))
    assert len(document.verdicts) == 8
