"""Calls of tools in an answer, as Qwen3's and Hermes' templates have models write them."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any, Final

BEGIN: Final = "<tool_call>"
END: Final = "</tool_call>"


class ToolCalls:
    """
    Tells the text of an answer from the calls of tools in it, as it grows.

    A call is JSON, `{"name": ..., "arguments": {...}}`, between `<tool_call>` and `</tool_call>`. What is none stays
    text. What may be the beginning of one is held back.
    """

    def __init__(self) -> None:
        self._held = ""
        self.calls: list[dict[str, Any]] = []

    def add(self, text: str) -> tuple[str, list[dict[str, Any]]]:
        """What is certain to be text, and the calls that are complete, after some more of the answer."""
        self._held += text
        out: list[str] = []
        new: list[dict[str, Any]] = []
        while (at := self._held.find(BEGIN)) >= 0:
            end = self._held.find(END, at)
            if end < 0:
                break
            call = _call(self._held[at + len(BEGIN) : end])
            whole = end + len(END)
            if call is None:
                out.append(self._held[:whole])
            else:
                out.append(self._held[:at])
                new.append({"index": len(self.calls) + len(new), **call})
            self._held = self._held[whole:]
        keep = at if at >= 0 else len(self._held) - _overlap(self._held)
        out.append(self._held[:keep])
        self._held = self._held[keep:]
        self.calls += new
        found = "".join(out)
        return (found if found.strip() or not self.calls else ""), new

    def rest(self) -> str:
        """What was held back, when there is no more."""
        found, self._held = self._held, ""
        return found


def tool_format(tools: Mapping[str, Any], several: bool) -> dict[str, Any]:
    """Calls of tools, by name with the schemas of their arguments, as a structural tag of xgrammar's."""
    tags = [
        {
            "type": "tag",
            "begin": f'{BEGIN}\n{{"name": {json.dumps(name)}, "arguments": ',
            "content": {"type": "json_schema", "json_schema": schema, "max_whitespace_cnt": 1},
            "end": f"}}\n{END}",
        }
        for name, schema in tools.items()
    ]
    calls = {"type": "tags_with_separator", "tags": tags, "separator": "\n", "at_least_one": True}
    return {"type": "structural_tag", "format": {**calls, "stop_after_first": not several}}


def _overlap(text: str) -> int:
    return next((n for n in range(len(BEGIN) - 1, 0, -1) if text.endswith(BEGIN[:n])), 0)


def _call(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
        name, arguments = found["name"], found.get("arguments", {})
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    given = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    called = {"name": str(name), "arguments": given}
    return {"id": f"call_{secrets.token_hex(12)}", "type": "function", "function": called}
