"""How the next token is chosen: what a request may ask for, and the operations that do it for all rows at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final

import numpy as np

import freehold as fh
from freehold.engine.errors import RequestError
from freehold.engine.layers import Room, Steps
from freehold.kernels.sampling import groups_of, parts_of, sampling_launches


def _shown(number: float) -> str:
    """A number as it would be written: integers with all digits."""
    return str(number) if isinstance(number, int) else f"{number:g}"


@dataclass(frozen=True)
class Sampling:
    """
    How tokens are chosen, and when to stop. The names and ranges are those of OpenAI's interface, and vLLM's.

    A `temperature` of 0 takes the likeliest token. `top_k` (0: all), `top_p` and `min_p` leave out unlikely ones.
    With a `seed` a request gives the same tokens each time, whatever else is served.
    """

    max_tokens: int = 16
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    logit_bias: Mapping[int, float] = field(default_factory=dict[int, float])
    seed: int | None = None
    stop: Sequence[str] = ()
    stop_token_ids: Sequence[int] = ()
    ignore_eos: bool = False
    logprobs: int | None = None
    """How many of the likeliest tokens to tell of, besides the one that was chosen; None: of none."""

    def __post_init__(self) -> None:
        ranges = (
            ("max_tokens", self.max_tokens, 1, 1 << 30),
            ("temperature", self.temperature, 0.0, 1e6),
            ("top_k", self.top_k, 0, 1 << 30),
            ("top_p", self.top_p, 1e-9, 1.0),
            ("min_p", self.min_p, 0.0, 1.0),
            ("presence_penalty", self.presence_penalty, -2.0, 2.0),
            ("frequency_penalty", self.frequency_penalty, -2.0, 2.0),
            ("logprobs", self.logprobs or 0, 0, 20),
        )
        for name, value, low, high in ranges:
            if not isfinite(value) or not low <= value <= high:
                raise RequestError(f"{name} is from {_shown(low)} to {_shown(high)}, not {_shown(value)}", name)
        if any(not text for text in self.stop):
            raise RequestError("a stop text has a letter at least", "stop")

    @property
    def changes(self) -> bool:
        """Whether logits are changed before a token is chosen."""
        return bool(self.presence_penalty or self.frequency_penalty or self.logit_bias)

    def change(self, row: Any, written: Sequence[int]) -> None:
        """Adds to a row of numbers what penalties and biases add to the logits."""
        for token, count in Counter(written).items():
            row[token] -= self.presence_penalty + count * self.frequency_penalty
        for token, bias in self.logit_bias.items():
            if 0 <= token < row.shape[0]:
                row[token] += bias


class Choice:
    """The inputs of a choice, on the host: numbers by row, in the order and types of the kernels."""

    def __init__(self, floats: Any, top_k: Any, seeds: Any):
        self.floats, self.top_k, self.seeds = floats, top_k, seeds
        self._bases = self._places = np.zeros(0, np.uint64)

    def fill(self, given: Sequence[tuple[Sampling, int, int]]) -> None:
        """
        What the sequences ask for by row, each with a seed and the place of its token; other rows choose the likeliest.
        """
        count = len(given)
        self.floats[:, count:], self.top_k[count:], self.seeds[count:] = np.array([[0.0], [1.0], [0.0]]), 0, 0
        self._bases = np.array([seed & _WORD for _, seed, _ in given], np.uint64)
        self._places = np.array([place for _, _, place in given], np.uint64)
        if given:
            self.floats[:, :count] = np.array([(s.temperature, s.top_p, s.min_p) for s, _, _ in given]).T
            self.top_k[:count] = [s.top_k for s, _, _ in given]
            self.seeds[:count] = seeds_of(self._bases, self._places)

    def advance(self) -> None:
        """The same for the next token of each sequence."""
        self._places += np.uint64(1)
        self.seeds[: len(self._places)] = seeds_of(self._bases, self._places)


def choice(room: Room, chosen: Any, logits: Any, floats: Any, top_k: Any, seeds: Any, draws: bool) -> Steps:
    """
    The operations that write to `chosen` (M,) the token of each row of `logits` (M, N).

    `floats` (3, M) are temperatures, top_p and min_p. Where nobody `draws`, the likeliest are taken.
    """
    rows, parts = logits.shape[0], parts_of(*logits.shape)
    score, where = room.rows("score", rows)[:, :parts], room.rows("where", rows)[:, :parts]
    limits = (top_k, floats[1], floats[2]) if draws else (None, None, None)
    made = room.rows("least", rows), score, where, room.rows("firsts", rows)
    yield from sampling_launches(chosen, made, logits, floats[0], limits, seeds, draws, True)


def reserve(room: Room, rows: int, columns: int) -> None:
    """Makes the memory that `choice` needs."""
    parts = parts_of(1, columns)
    room.reserve("least", (rows,), fh.i32)
    room.reserve("score", (rows, parts), fh.f32)
    room.reserve("where", (rows, parts), fh.i32)
    room.reserve("firsts", (rows, groups_of(columns)), fh.i32)
    room.reserve("extra", (rows, columns), fh.f32)


def likeliest(row: Any, token: int, count: int) -> tuple[float, list[tuple[int, float]]]:
    """The logarithm of the probability of a token, and the likeliest tokens with theirs, of a row of logits."""
    row = row.astype(np.float64)
    row = row - (row.max() + np.log(np.exp(row - row.max()).sum()))
    count = min(count, row.shape[0])
    best = np.argpartition(-row, count - 1)[:count] if count else np.zeros(0, np.int64)
    return float(row[token]), [(int(t), float(row[t])) for t in best[np.argsort(-row[best], kind="stable")]]


_WORD: Final = (1 << 64) - 1


def seeds_of(bases: Any, places: Any) -> Any:
    """Seeds of draws (N,) in int64: another for each place of a sequence, the same for the same base and place."""
    mixed = bases * np.uint64(0x9E3779B97F4A7C15) + places * np.uint64(0xD1B54A32D192ED03)
    mixed += np.uint64(0x2545F4914F6CDD1D)
    mixed = (mixed ^ mixed >> np.uint64(31)) * np.uint64(0x94D049BB133111EB)
    return (mixed ^ mixed >> np.uint64(29)) >> np.uint64(1)
