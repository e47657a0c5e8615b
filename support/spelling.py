"""Which known name somebody may have meant who misspelled one."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """
    The one of `known` that `name` is a slip of the fingers away from: a letter or two too many, too few, wrong or in
    the wrong order. None where there is no such name, or several.

    Short names have no room for slips, and names with other digits are other names: `exp10` is no misspelled `exp`.
    """
    most = 0 if len(name) < 3 else 1 if len(name) < 7 else 2
    near: dict[int, list[str]] = {}
    for other in dict.fromkeys(known):
        if [c for c in name if c.isdigit()] == [c for c in other if c.isdigit()]:
            near.setdefault(_slips(name.lower(), other.lower(), most), []).append(other)
    for slips in range(most + 1):
        if slips in near:
            return near[slips][0] if len(near[slips]) == 1 else None
    return None


def _slips(a: str, b: str, most: int) -> int:
    """How many letters are to be put in, left out, changed or swapped with the next one; above `most`, any number."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row, older = row, [i], before
        before = above
        for j, y in enumerate(b, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y)))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                row[j] = min(row[j], older[j - 2] + 1)
    return row[-1]
