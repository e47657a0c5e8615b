"""Texts that grow by tokens, stop texts, chat templates and calls of tools."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freehold.engine import RequestError
from freehold.engine.text import Growing, Tokenizer
from freehold.engine.tools import ToolCalls


@pytest.fixture(scope="module")
def tokenizer(tiny: Path) -> Tokenizer:
    return Tokenizer(tiny)


@settings(max_examples=200, deadline=None)
@given(text=st.text("abé🙂", max_size=12), stops=st.lists(st.text("abé", min_size=1, max_size=3), max_size=2))
def test_a_text_ends_before_the_first_stop(tokenizer: Tokenizer, text: str, stops: list[str]) -> None:
    growing, told = Growing(tokenizer, stops), ""
    for token in tokenizer.encode(text):
        told += growing.add(token)
        assert not any(stop in told for stop in stops)
    told += growing.rest()
    ends = [(at + len(stop), at) for stop in stops if (at := text.find(stop)) >= 0]
    assert told == (text[: min(ends)[1]] if ends else text)  # the first that is complete, from where it begins
    assert growing.stopped == bool(ends)


def test_messages_become_tokens(tokenizer: Tokenizer) -> None:
    tokens = tokenizer.chat([{"role": "user", "content": "a<b"}])
    text = "".join(tokenizer.name(t) for t in tokens)
    assert text.split() == ["<|im_start|>user", "a<b<|im_end|>", "<|im_start|>assistant"]


def test_a_template_that_refuses_is_a_request_that_is_wrong(tokenizer: Tokenizer, tmp_path: Path) -> None:
    other = Tokenizer.__new__(Tokenizer)
    other.__dict__.update(tokenizer.__dict__)
    other.source = "{{ raise_exception('no system, please') }}"
    other.__dict__.pop("template", None)
    with pytest.raises(RequestError, match="no system, please"):
        other.chat([{"role": "system", "content": ""}])
    other.__dict__.pop("template", None)
    other.source = "{{ messages.__class__.__mro__ }}"  # the sandbox lets nobody out
    with pytest.raises(RequestError):
        other.chat([{"role": "user", "content": ""}])


CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>'


@settings(max_examples=100, deadline=None)
@given(cuts=st.lists(st.integers(0, 200), max_size=8))
def test_calls_are_told_from_text_however_they_come(cuts: list[int]) -> None:
    whole = f"let me see <tool {CALL}\n{CALL} <tool_call>none</tool_call>"
    at = sorted({0, len(whole), *(c % len(whole) for c in cuts)})
    tools = ToolCalls()
    text = "".join(tools.add(whole[a:b])[0] for a, b in pairwise(at)) + tools.rest()
    assert [c["function"]["name"] for c in tools.calls] == ["add", "add"]
    assert [c["index"] for c in tools.calls] == [0, 1]
    assert json.loads(tools.calls[0]["function"]["arguments"]) == {"a": 1}
    assert text.split() == ["let", "me", "see", "<tool", "<tool_call>none</tool_call>"]
