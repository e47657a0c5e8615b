"""From texts to tokens and back: the model's own tokenizer and chat template, and texts that come a token at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, cast

from freehold.engine.config import document
from freehold.engine.errors import ModelError, RequestError


class Tokenizer:
    """The tokenizer of a model's folder, tokenizer.json, and its chat template. Raises `ModelError` without one."""

    def __init__(self, folder: Path):
        tokenizers: Any = import_module("tokenizers")
        path = folder / "tokenizer.json"
        if not path.exists():
            raise ModelError(f"there is no {path}")
        try:
            self.model: Any = tokenizers.Tokenizer.from_file(str(path))
        except Exception as error:
            raise ModelError(f"{path} cannot be read: {error}") from None
        settings = folder / "tokenizer_config.json"
        self.settings = document(settings) if settings.exists() else {}
        template = folder / "chat_template.jinja"
        self.source: Any = template.read_text("utf-8") if template.exists() else self.settings.get("chat_template")

    def encode(self, text: str, *, special: bool = True) -> list[int]:
        """The tokens of a text; with those that the model wants at its beginning, if `special`."""
        return list(self.model.encode(text, add_special_tokens=special).ids)

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of tokens, without special ones."""
        return str(self.model.decode(list(tokens)))

    def name(self, token: int) -> str:
        """The text of one token, special or not."""
        return str(self.model.decode([token], skip_special_tokens=False))

    @cached_property
    def template(self) -> Any:
        """The chat template, as a template of jinja's in its sandbox."""
        source = self.source
        if isinstance(source, list):  # several, by name
            named = cast(list[dict[str, Any]], source)
            source = next((t["template"] for t in named if t.get("name") == "default"), None)
        if not isinstance(source, str):
            raise RequestError("this model has no chat template: ask for completions of texts", "messages")
        sandbox: Any = import_module("jinja2.sandbox")
        world = sandbox.ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        world.filters["tojson"] = _as_json
        world.globals["raise_exception"] = _refused
        world.globals["strftime_now"] = _now
        return world.from_string(source)

    def chat(self, messages: Sequence[Mapping[str, Any]], **options: Any) -> list[int]:
        """
        The tokens of a conversation, up to where the answer begins. `options` are for the template: `tools`, ...

        Raises `RequestError` for what the template refuses.
        """
        names = ("bos_token", "eos_token", "pad_token", "unk_token")
        special = {n: _content(self.settings[n]) for n in names if self.settings.get(n) is not None}
        given = {"add_generation_prompt": True, **special, **options}
        try:
            text = self.template.render(messages=list(messages), **given)
        except RequestError:
            raise
        except Exception as error:
            raise RequestError(f"the model's chat template does not take these messages: {error}", "messages") from None
        return self.encode(text, special=False)


def _as_json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _now(form: str) -> str:
    return datetime.now().strftime(form)


def _refused(text: str) -> NoReturn:
    raise RequestError(text, "messages")


def _content(token: Any) -> str:
    return str(cast(dict[str, Any], token)["content"] if isinstance(token, dict) else token)


class Growing:
    """
    A text that grows by tokens, and ends before the first of its stop texts.

    What may be the beginning of a stop text is held back until it is known.
    """

    def __init__(self, tokenizer: Tokenizer, stops: Sequence[str]):
        decoders: Any = import_module("tokenizers.decoders")
        self._decoder: Any = decoders.DecodeStream(skip_special_tokens=True)
        self._model = tokenizer.model
        self._stops = tuple(stops)
        self._held = ""
        self.stopped = False

    def add(self, token: int) -> str:
        """What is certain of the text after one more token, beyond what was returned before."""
        if self.stopped:
            return ""
        found: str = self._decoder.step(self._model, token) or ""
        if not self._stops:
            return found
        self._held += found
        places = [at for stop in self._stops if (at := self._held.find(stop)) >= 0]
        if places:
            self.stopped = True
            return self._out(min(places))
        return self._out(len(self._held) - max(self._overlap(stop) for stop in self._stops))

    def rest(self) -> str:
        """What was held back, when there are no more tokens."""
        return "" if self.stopped else self._out(len(self._held))

    def _overlap(self, stop: str) -> int:
        """How many letters at the end may be the beginning of a stop text."""
        most = min(len(stop) - 1, len(self._held))
        return next((n for n in range(most, 0, -1) if self._held.endswith(stop[:n])), 0)

    def _out(self, length: int) -> str:
        found, self._held = self._held[:length], self._held[length:]
        return found
