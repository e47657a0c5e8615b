"""
Obligations as kernels raise them, each with its verdict: what the prover is timed on, and what another solver is asked.

Facts are true of all symbols; a goal is proved if it follows from them and refuted if it does not. `a` and `b` in a
name are two blocks, whose coordinates differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from freehold.support.terms import Term, parse


@dataclass(frozen=True)
class Obligation:
    """A goal under facts, as text, and what is to come out."""

    name: str
    given: str
    goal: str
    verdict: Literal["proved", "refuted"]
    budget: int = 500_000
    """How many resource units of z3 the answer may take, whoever gives it."""

    @property
    def facts(self) -> tuple[Term, ...]:
        """The facts as terms."""
        return tuple(parse(text.strip()) for text in self.given.split(";") if text.strip())

    @property
    def wanted(self) -> Term:
        """The goal as a term."""
        return parse(self.goal)


def _proved(name: str, given: str, goal: str, budget: int = 500_000) -> Obligation:
    return Obligation(name, given, goal, "proved", budget)


def _refuted(name: str, given: str, goal: str, budget: int = 500_000) -> Obligation:
    return Obligation(name, given, goal, "refuted", budget)


_POINT = "0 <= i; i < M; 0 <= j; j < N; 0 <= k; k < M; 0 <= l; l < N; 1 <= M; 1 <= N"
"""Points (i, j) and (k, l) of an M by N grid."""
_NUMBERS = "0 <= a; a < n; 0 <= b; b < n; not a == b; 1 <= n"
"""Two blocks a and b of n."""
_GROUP = "1 <= G; 1 <= M; 1 <= N; 0 <= p; p < M * N"
_FIRST = "p // (G * N) * G"
_ROWS = f"min(M - {_FIRST}, G)"

OBLIGATIONS: Final[tuple[Obligation, ...]] = (
    # --- Different points, different places -------------------------------------------------------------------------
    _proved("tiles of 128", _NUMBERS, "a * 128 + 128 <= b * 128 or b * 128 + 128 <= a * 128"),
    _proved("tiles of any size", f"{_NUMBERS}; 1 <= T", "a * T + T <= b * T or b * T + T <= a * T"),
    _proved("rows of a matrix, row-major", f"{_POINT}", "not i * N + j == k * N + l or i == k and j == l"),
    _proved("rows 4096 apart", f"{_POINT}; N <= 4096", "not i * 4096 + j == k * 4096 + l or i == k and j == l"),
    _proved("rows with padding", f"{_POINT}; N <= P", "not i * P + j == k * P + l or i == k and j == l"),
    _refuted("rows that overlap", f"{_POINT}; 1 <= P", "not i * P + j == k * P + l or i == k and j == l"),
    _proved(
        "blocks that interleave",
        "0 <= a; a < G; 0 <= b; b < G; 0 <= i; 0 <= k; 1 <= G",
        "not a + i * G == b + k * G or a == b and i == k",
    ),
    _proved(
        "blocks that interleave by 108",
        "0 <= a; a < 108; 0 <= b; b < 108; 0 <= i; 0 <= k",
        "not a + i * 108 == b + k * 108 or a == b",
    ),
    _refuted(
        "blocks that interleave by one less",
        "0 <= a; a < 108; 0 <= b; b < 108; 0 <= i; 0 <= k",
        "not a + i * 107 == b + k * 107 or a == b",
    ),
    _proved("the order reversed", _NUMBERS, "not n - 1 - a == n - 1 - b"),
    _proved("rotated", f"{_NUMBERS}; 0 <= r; r < n", "not (a + r) % n == (b + r) % n"),
    _refuted("half of the blocks", f"{_NUMBERS}; 2 <= n", "not a // 2 == b // 2"),
    _refuted("folded", f"{_NUMBERS}; 3 <= n", "not a % 2 == b % 2"),
    _proved("quotient and remainder", f"{_NUMBERS}; 1 <= N", "not a // N == b // N or not a % N == b % N"),
    _refuted("remainder alone", f"{_NUMBERS}; 1 <= N; N < n", "not a % N == b % N"),
    _proved(
        "heads of a batch",
        "0 <= h; h < H; 0 <= g; g < H; 0 <= i; 0 <= k; 1 <= H",
        "not i * H + h == k * H + g or i == k and h == g",
    ),
    _proved(
        "three digits",
        f"{_NUMBERS}; 1 <= N; 1 <= K",
        "not a // (N * K) == b // (N * K) or not a // K % N == b // K % N or not a % K == b % K",
        5_000_000,
    ),
    _refuted(
        "three digits, one lost",
        f"{_NUMBERS}; 2 <= N; 2 <= K; N * K < n",
        "not a // (N * K) == b // (N * K) or not a % K == b % K",
    ),
    _proved(
        "a split along a reduction",
        "0 <= s; s < S; 0 <= t; t < S; 0 <= i; 0 <= k; 1 <= S; not (i == k and s == t)",
        "not i * S + s == k * S + t",
    ),
    _refuted(
        "a split that forgets its part",
        "0 <= s; s < S; 0 <= t; t < S; 0 <= i; 0 <= k; 2 <= S; not (i == k and s == t)",
        "not i == k",
    ),
    _proved(
        "the triangle's rows",
        "0 <= i; 0 <= k; 0 <= j; j <= i; 0 <= l; l <= k; 1 <= N; i < N; k < N",
        "not i * N + j == k * N + l or i == k and j == l",
    ),
    _proved("ragged rows, offsets that grow", "0 <= x; x < e; e <= f; 0 <= y", "not x == f + y"),
    _refuted("ragged rows, offsets of any kind", "0 <= x; x < e; 0 <= y; 0 <= f", "not x == f + y"),
    _proved(
        "strides of a stack",
        f"{_POINT}; M * N <= P; 0 <= b; 0 <= c",
        "not b * P + i * N + j == c * P + k * N + l or b == c",
    ),
    # --- In bounds ---------------------------------------------------------------------------------------------------
    _proved("a tile of a row", "0 <= i; i < ceildiv(N, 64); 1 <= N", "i * 64 < N"),
    _proved("tiles rounded up", "1 <= N; 1 <= T", "N <= ceildiv(N, T) * T"),
    _proved("not too many", "1 <= N; 1 <= T", "(ceildiv(N, T) - 1) * T < N"),
    _refuted("whole tiles", "1 <= N; 1 <= T", "ceildiv(N, T) * T <= N"),
    _proved("twice the tile", "1 <= K; 0 <= k; k < ceildiv(K, 128)", "2 * k < ceildiv(K, 64)"),
    _refuted("and one more", "1 <= K; 0 <= k; k < ceildiv(K, 128)", "2 * k + 1 < ceildiv(K, 64)"),
    _proved("grouped heads", "1 <= G; 1 <= H; H % G == 0; 0 <= h; h < H", "h // G < H // G"),
    _refuted("grouped heads that do not divide", "1 <= G; 1 <= H; 0 <= h; h < H", "h // G < H // G"),
    _proved("rows of a flat matrix", _POINT, "i * N + j < M * N"),
    _proved(
        "a persistent block's last turn", "0 <= b; b < B; 0 <= t; 1 <= B; 1 <= n; b + t * B < n", "t <= (n - 1) // B"
    ),
    _proved("the row of a number", "1 <= M; 1 <= N; 0 <= p; p < M * N", "p // N < M"),
    _proved("the column of a number", "1 <= M; 1 <= N; 0 <= p; p < M * N", "p % N < N"),
    _proved(
        "a halo, clamped",
        "1 <= N; 0 <= i; i < ceildiv(N, 64)",
        "0 <= max(i - 1, 0) and min(i + 1, ceildiv(N, 64) - 1) < ceildiv(N, 64)",
    ),
    _refuted("a halo", "1 <= N; 0 <= i; i < ceildiv(N, 64)", "i + 1 < ceildiv(N, 64)"),
    _proved("a causal loop", "0 <= q; q < ceildiv(S, 64); 0 <= k; k <= q; 1 <= S", "k < ceildiv(S, 64)"),
    _proved("a window of a cache", "0 <= p; p + W <= S; 0 <= x; x < W", "p + x < S"),
    _refuted("a window that may overhang", "0 <= p; p < S; 0 <= x; x < W", "p + x < S"),
    _proved("groups: the band begins inside", _GROUP, f"{_FIRST} < M", 5_000_000),
    _proved("groups: a band has a row", _GROUP, f"1 <= {_ROWS}", 5_000_000),
    _refuted("groups: all bands are whole", _GROUP, f"G <= {_ROWS}", 5_000_000),
    _refuted("groups without the last one's clamp", _GROUP, f"{_FIRST} + p % (G * N) % G < M", 5_000_000),
    # --- No wrap, and divisors ---------------------------------------------------------------------------------------
    _refuted("rounding up may wrap", "1 <= N; N <= 2147483647", "N + 127 <= 2147483647"),
    _proved("and does not where the extent is bounded", "1 <= N; N <= 2147483520", "N + 127 <= 2147483647"),
    _refuted(
        "the last step may wrap", "1 <= n; n <= 2147483647; 1 <= B; B <= 65536; 0 <= t; t < n", "t + B <= 2147483647"
    ),
    _proved("numbers of a bounded grid", f"{_POINT}; M * N <= 2147483647", "i * N + j <= 2147483647"),
    _refuted(
        "a bounded product bounds no other",
        "1 <= M; 1 <= N; 1 <= G; G <= 16; M * N <= 2147483647",
        "G * N <= 2147483647",
    ),
    _proved("rows left in a band", "1 <= G; 1 <= M; 0 <= g; g * G < M", "1 <= min(M - g * G, G)"),
    _refuted("a difference as divisor", "1 <= M; 1 <= N", "1 <= M - N"),
    _proved("two roundings", "0 <= x; 1 <= p; 1 <= q", "x // p // q == x // (p * q)", 5_000_000),
)
"""The list."""
