"""
`freehold-lsp`: the language server, over standard input and output.

For `.mlir` files: errors as one types, types and documentation on hover, definitions, completion. For Python files: the
errors of their kernels, edits as code actions, how accesses are proved as inlay hints. It needs the packages of the
extra `lsp`: `pip install 'freehold[lsp]'`. `tools/editors/` has settings for editors.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

    from freehold.support.diagnostic import Error
    from freehold.tools.lsp.mlir_document import MlirDocument
    from freehold.tools.lsp.python_document import PythonDocument, Verdict

_SETTLED: Final = 0.02
"""Seconds until a change is looked at: those that come meanwhile are looked at with it."""


@dataclass
class Documents:
    """What is known of the files that are open, by their URIs."""

    mlir: dict[str, MlirDocument] = field(default_factory=dict[str, "MlirDocument"])
    python: dict[str, PythonDocument] = field(default_factory=dict[str, "PythonDocument"])
    errors: dict[str, list[Error]] = field(default_factory=dict[str, "list[Error]"])
    waiting: dict[str, Callable[[], None]] = field(default_factory=dict[str, "Callable[[], None]"])
    """What checks the files that have changed since they were last looked at."""

    def settle(self, uri: str) -> None:
        """Checks a file now, if it has changed: somebody asks about it."""
        if (check := self.waiting.get(uri)) is not None:
            check()


def make_server() -> LanguageServer:
    """The server, with everything that it does; `start_io` runs it."""
    from pygls.lsp.server import LanguageServer

    server = LanguageServer("freehold", "1")
    documents = Documents()
    _add_diagnostics(server, documents)
    _add_questions(server, documents)
    _add_help(server, documents)
    return server


def _add_diagnostics(server: LanguageServer, documents: Documents) -> None:
    from lsprotocol import types as lsp

    from freehold.tools.lsp.protocol import path_of

    def steps(uri: str) -> Iterator[None]:
        """Checks a file, with pauses in which others may be served."""
        text = server.workspace.get_text_document(uri).source
        if uri.endswith(".py"):
            from freehold.tools.lsp.python_document import PythonDocument

            document = documents.python.setdefault(uri, PythonDocument(path_of(uri)))
            yield from document.steps(text)
            errors = [error for verdict in document.found for error in verdict.errors]
            _publish(server, documents, uri, errors, document.found)
        else:
            from freehold.tools.lsp.mlir_document import MlirDocument

            module = documents.mlir.setdefault(uri, MlirDocument(path_of(uri)))
            _publish(server, documents, uri, module.update(text))

    def check(uri: str) -> None:
        """Has a file checked as soon as what the client has sent is read: of several changes, the last counts."""
        work = steps(uri)

        def go_on(*, to_the_end: bool = False) -> None:
            if documents.waiting.get(uri) is not settle:
                return  # it has changed again, or is closed
            for _ in work:
                if not to_the_end:
                    loop.call_soon(go_on)
                    return
            documents.waiting.pop(uri, None)

        def settle() -> None:
            go_on(to_the_end=True)

        loop = asyncio.get_running_loop()
        documents.waiting[uri] = settle
        loop.call_later(_SETTLED, go_on)

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def _(params: lsp.DidOpenTextDocumentParams) -> None:
        check(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def _(params: lsp.DidChangeTextDocumentParams) -> None:
        check(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def _(params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        for known in (documents.mlir, documents.python, documents.errors, documents.waiting):
            known.pop(uri, None)
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


def _publish(
    server: LanguageServer, documents: Documents, uri: str, errors: list[Error], verdicts: Sequence[Verdict] = ()
) -> None:
    """Tells the client of errors and of warnings."""
    from lsprotocol import types as lsp

    from freehold.tools.lsp.protocol import diagnostic, path_of

    file, lines = path_of(uri), server.workspace.get_text_document(uri).source.split("\n")
    found = [diagnostic(error, file, lines) for error in errors]
    for each in (each for verdict in verdicts for each in verdict.warnings):
        line = min(max(0, each.line - 1), len(lines) - 1)
        place = lsp.Range(lsp.Position(line, 0), lsp.Position(line, len(lines[line])))
        severity = lsp.DiagnosticSeverity.Warning
        found.append(lsp.Diagnostic(place, each.text, severity=severity, source="freehold"))
    documents.errors[uri] = errors
    server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found))
    if not gc.get_freeze_count():
        gc.freeze()  # what is loaded by now lives on: looking for garbage in it takes a tenth of a second


def _add_questions(server: LanguageServer, documents: Documents) -> None:
    """Hover, definitions, completion, in `.mlir` files."""
    from lsprotocol import types as lsp

    from freehold.tools.lsp.protocol import column, range_of

    def place(
        params: lsp.HoverParams | lsp.DefinitionParams | lsp.CompletionParams,
    ) -> tuple[MlirDocument | None, int, int]:
        documents.settle(params.text_document.uri)
        document = documents.mlir.get(params.text_document.uri)
        number = params.position.line
        lines = document.text.split("\n") if document is not None else []
        return document, number, column(lines[number] if number < len(lines) else "", params.position.character)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def _(params: lsp.HoverParams) -> lsp.Hover | None:
        document, line, at = place(params)
        text = document.hover(line, at) if document is not None else None
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text)) if text is not None else None

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def _(params: lsp.DefinitionParams) -> lsp.Location | None:
        document, line, at = place(params)
        span = document.definition(line, at) if document is not None else None
        if document is None or span is None:
            return None
        return lsp.Location(params.text_document.uri, range_of(span, document.text.split("\n")))

    kinds = {
        "operation": lsp.CompletionItemKind.Function,
        "type": lsp.CompletionItemKind.Class,
        "attribute": lsp.CompletionItemKind.Property,
        "value": lsp.CompletionItemKind.Variable,
        "symbol": lsp.CompletionItemKind.Reference,
    }
    triggers = lsp.CompletionOptions(trigger_characters=["%", "@", "!", "#", "."])

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, triggers)
    def _(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        document, line, at = place(params)
        if document is None:
            return []
        return [
            lsp.CompletionItem(
                known.name,
                kind=kinds[known.kind],
                detail=known.kind,
                documentation=lsp.MarkupContent(lsp.MarkupKind.Markdown, known.text) if known.text else None,
            )
            for known in document.completions(line, at)
        ]


def _add_help(server: LanguageServer, documents: Documents) -> None:
    """Edits and hints, in Python files."""
    from lsprotocol import types as lsp

    from freehold.tools.lsp.protocol import actions, path_of, utf16

    kinds = lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix])

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, kinds)
    def _(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri = params.text_document.uri
        documents.settle(uri)
        text = server.workspace.get_text_document(uri).source
        return list(actions(documents.errors.get(uri, []), uri, path_of(uri), text, params.range))

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def _(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        documents.settle(params.text_document.uri)
        document = documents.python.get(params.text_document.uri)
        if document is None:
            return []
        lines = document.text.split("\n")
        return [
            lsp.InlayHint(
                lsp.Position(hint.line - 1, utf16(lines[hint.line - 1])),
                hint.text,
                tooltip=hint.tooltip,
                padding_left=True,
            )
            for verdict in document.found
            for hint in verdict.hints
            if params.range.start.line < hint.line <= params.range.end.line + 1 and hint.line <= len(lines)
        ]


def main() -> int:
    """The command; returns its exit status."""
    try:
        import pygls  # noqa: F401 # pyright: ignore[reportUnusedImport]
    except ImportError:
        print("freehold-lsp needs pygls: pip install 'freehold[lsp]'", file=sys.stderr)
        return 2
    make_server().start_io()
    return 0


if __name__ == "__main__":
    sys.exit(main())
