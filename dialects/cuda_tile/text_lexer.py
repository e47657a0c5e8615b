"""The tokens of `.mlir` text, found by one regular expression: those of xDSL's lexer, in a third of the time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from xdsl.utils.lexer import Input, Span, Token
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

_KINDS: Final = {
    "bare": (MLIRTokenKind.BARE_IDENT, r"[a-zA-Z_][a-zA-Z0-9_$.]*+(?![^\x00-\x7f])"),
    "percent": (MLIRTokenKind.PERCENT_IDENT, r"%(?:[0-9]++|[a-zA-Z$._-][a-zA-Z0-9$._-]*+)"),
    "comma": (MLIRTokenKind.COMMA, ","),
    "colon": (MLIRTokenKind.COLON, ":"),
    "arrow": (MLIRTokenKind.ARROW, "->"),
    "equal": (MLIRTokenKind.EQUAL, "="),
    "integer": (MLIRTokenKind.INTEGER_LIT, r"0x[0-9a-fA-F]++|[0-9]++(?!\.)"),
    "float": (MLIRTokenKind.FLOAT_LIT, r"[0-9]++\.[0-9]*+(?:[eE][+-]?[0-9]++)?"),
    "less": (MLIRTokenKind.LESS, "<"),
    "greater": (MLIRTokenKind.GREATER, ">"),
    "open_square": (MLIRTokenKind.L_SQUARE, r"\["),
    "close_square": (MLIRTokenKind.R_SQUARE, r"\]"),
    "open_paren": (MLIRTokenKind.L_PAREN, r"\("),
    "close_paren": (MLIRTokenKind.R_PAREN, r"\)"),
    "open_brace": (MLIRTokenKind.L_BRACE, r"\{(?!-#)"),
    "close_brace": (MLIRTokenKind.R_BRACE, r"\}"),
    "hash": (MLIRTokenKind.HASH_IDENT, r"#(?:[0-9]++|(?!-\})[a-zA-Z$._-][a-zA-Z0-9$._-]*+)"),
    "exclamation": (MLIRTokenKind.EXCLAMATION_IDENT, r"!(?:[0-9]++|[a-zA-Z$._-][a-zA-Z0-9$._-]*+)"),
    "minus": (MLIRTokenKind.MINUS, "-"),
    "question": (MLIRTokenKind.QUESTION, r"\?"),
}
"""What most text is made of. The rest, with strings and all that is no token, is left to xDSL's lexer."""
_NUMBERED: Final = (MLIRTokenKind.EOF, *(kind for kind, _ in _KINDS.values()))
_TOKEN: Final = re.compile(
    r"(?:[ \t\n\r\f\v]++|//[^\n]*+)*+(?:" + "|".join(f"({pattern})" for _, pattern in _KINDS.values()) + ")"
)


if TYPE_CHECKING:
    _Token = Token[MLIRTokenKind, str]
else:
    _Token = Token  # xDSL 0.73 has it with one parameter


class TileToken(_Token):
    """A token that knows its text, and makes its span when it is asked for it."""

    def __init__(self, kind: MLIRTokenKind, start: int, text: str, source: Input[str]):
        self.kind = kind
        self.start = start
        self._text = text
        self._source = source

    @property
    def text(self) -> str:
        """The token as text."""
        return self._text

    @property
    def span(self) -> Span[str]:  # pyright: ignore[reportIncompatibleVariableOverride] -- nobody sets it
        """Where the token stands."""
        return Span(self.start, self.start + len(self._text), self._source)


class TileLexer(MLIRLexer):
    """xDSL's lexer, with a short way to the tokens that most text is made of."""

    def lex(self) -> Token[MLIRTokenKind, str]:
        """The next token."""
        source = self.input
        found = _TOKEN.match(source.content, self.pos)
        if found is None:
            return super().lex()
        index = found.lastindex or 0
        self.pos = found.end()
        return TileToken(_NUMBERED[index], found.start(index), found[index], source)
