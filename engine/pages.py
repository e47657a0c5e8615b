"""The pages of the cache: which are free, which hold what, and which sequences share because they begin alike."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b

Key = bytes
"""What a full page holds: a digest of its tokens, and of all in front of them."""


def key_of(before: Key, tokens: Sequence[int]) -> Key:
    """The key of a page with these tokens behind what `before` stands for."""
    digest = blake2b(before, digest_size=16)
    digest.update(b"".join(token.to_bytes(4, "little") for token in tokens))
    return digest.digest()


class Pages:
    """
    A fixed number of pages of `size` tokens.

    A page that nobody uses keeps what it holds until it is needed for something else, the longest unused first.
    """

    def __init__(self, count: int, size: int):
        self.count = count
        self.size = size
        self._unused: OrderedDict[int, None] = OrderedDict.fromkeys(range(count))
        self._users = [0] * count
        self._keys: list[Key | None] = [None] * count
        self._found: dict[Key, int] = {}
        self.hits = 0
        """Tokens that were found in pages instead of computed."""

    @property
    def free(self) -> int:
        """How many pages nobody uses."""
        return len(self._unused)

    def take(self) -> int | None:
        """A page for new tokens, or None if all are used."""
        if not self._unused:
            return None
        page, _ = self._unused.popitem(last=False)
        if (key := self._keys[page]) is not None:
            self._keys[page] = None
            del self._found[key]
        self._users[page] = 1
        return page

    def shared(self, tokens: Sequence[int]) -> tuple[list[int], list[Key]]:
        """The pages that hold the beginning of `tokens`, each used once more; at least one token is left to compute."""
        pages: list[int] = []
        keys: list[Key] = []
        before = b""
        for at in range(0, len(tokens) - self.size, self.size):
            before = key_of(before, tokens[at : at + self.size])
            if (page := self._found.get(before)) is None:
                break
            self._unused.pop(page, None)
            self._users[page] += 1
            pages.append(page)
            keys.append(before)
        self.hits += len(pages) * self.size
        return pages, keys

    def publish(self, page: int, key: Key) -> None:
        """Says what a full page holds, for others that begin alike. If another holds the same, that one is found."""
        if key not in self._found:
            self._found[key], self._keys[page] = page, key

    def release(self, pages: Sequence[int]) -> None:
        """Ends one use of each: the last ones of a sequence are reused first."""
        for page in reversed(pages):
            self._users[page] -= 1
            assert self._users[page] >= 0
            if self._users[page] == 0:
                self._unused[page] = None
                if self._keys[page] is None:  # nothing is lost with it
                    self._unused.move_to_end(page, last=False)
