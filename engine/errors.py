"""What the engine tells its users: what is wrong with a model's folder or with a request, and that it is full."""

from __future__ import annotations


class EngineError(Exception):
    """What the engine cannot do, in a text for users."""


class ModelError(EngineError):
    """A model's folder that cannot be served: a file, a tensor or a setting that is missing, damaged or not known."""


class RequestError(EngineError, ValueError):
    """A request that cannot be served as it is. `parameter` is what to change, in the words of OpenAI's interface."""

    def __init__(self, text: str, parameter: str | None = None):
        super().__init__(text)
        self.parameter = parameter


class Overloaded(EngineError):
    """There are as many requests waiting as the engine takes; another time there will be fewer."""
