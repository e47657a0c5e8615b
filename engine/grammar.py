"""Answers that have to be JSON, or calls of tools: which tokens may come next, as xgrammar says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any

import numpy as np

from freehold.engine.config import Config
from freehold.engine.errors import RequestError
from freehold.engine.text import Tokenizer
from freehold.engine.tools import tool_format


class Constraint:
    """What one answer may still become. It is told each token of the answer, and says which may be the next."""

    def __init__(self, matcher: Any, words: int):
        self._matcher = matcher
        self._mask = np.zeros((1, words), np.int32)

    def mask(self, row: Any) -> None:
        """Adds -inf to the numbers of a row, by tokens, that may not come next."""
        self._matcher.fill_next_token_bitmask(self._mask)
        allowed = np.unpackbits(self._mask[0].view(np.uint8), bitorder="little")[: row.shape[0]]
        row[allowed == 0] = -np.inf

    def accept(self, token: int) -> None:
        """Says which token came."""
        if not self._matcher.is_terminated():
            self._matcher.accept_token(token)


class Grammars:
    """The constraints of a model's tokens. What is compiled of a schema is kept."""

    def __init__(self, config: Config, tokenizer: Tokenizer):
        self.config = config
        self.tokenizer = tokenizer
        self._compiled = lru_cache(maxsize=64)(self._compile)

    @cached_property
    def _compiler(self) -> Any:
        try:
            library: Any = import_module("xgrammar")
        except ImportError:
            raise RequestError(
                "answers of a format need xgrammar, which is not installed here: pip install 'freehold[grammar]'",
                "response_format",
            ) from None
        words = [self.tokenizer.model.id_to_token(n) or "" for n in range(self.config.vocabulary)]
        info = library.TokenizerInfo(
            words,
            library.VocabType.BYTE_LEVEL,
            vocab_size=self.config.vocabulary,
            stop_token_ids=sorted(self.config.ends),
        )
        return library.GrammarCompiler(info)

    def of_json(self, schema: dict[str, Any] | None) -> Constraint:
        """For an answer of a JSON schema, or without one of any JSON. Raises `RequestError` for what is no schema."""
        return self._constraint("json", json.dumps(schema, sort_keys=True), "response_format")

    def of_calls(self, tools: Mapping[str, Any], several: bool) -> Constraint:
        """For calls of tools, given with the schemas of their arguments, and nothing else. Raises `RequestError`."""
        return self._constraint("calls", json.dumps(tool_format(tools, several)), "tools")

    def _constraint(self, kind: str, given: str, parameter: str) -> Constraint:
        compiled = self._compiled(kind, given, parameter)
        library: Any = import_module("xgrammar")
        return Constraint(library.GrammarMatcher(compiled), -(-self.config.vocabulary // 32))

    def _compile(self, kind: str, given: str, parameter: str) -> Any:
        compiler = self._compiler
        try:
            if kind == "calls":
                return compiler.compile_structural_tag(given)
            if given == "null":
                return compiler.compile_builtin_json_grammar()
            return compiler.compile_json_schema(given, any_whitespace=False)
        except Exception as error:
            text = str(error).splitlines()[0] if str(error) else repr(error)
            raise RequestError(f"this is no JSON schema that answers can follow: {text}", parameter) from None
