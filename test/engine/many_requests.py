"""Many requests, some given up, through an engine on the interpreter: nothing is lost, and memory stays flat."""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import threading
import time
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import freehold as fh
from freehold.engine import Engine, Overloaded, Sampling, demo
from freehold.engine.engine import following

BEGINNINGS = [[n] * 20 for n in range(2, 6)]
"""What prompts have in common, so that pages are shared."""


class Soak:
    """Threads that ask, until so many requests were made."""

    def __init__(self, engine: Engine, requests: int, seed: int):
        self.engine = engine
        self.left = requests
        self.seed = seed
        self.lock = threading.Lock()
        self.counts = {"answered": 0, "given up": 0, "refused": 0}
        self.wrong: list[str] = []

    def ask(self, number: int) -> None:
        """One after the other, each of its own kind."""
        chance = random.Random(self.seed * 1000 + number)
        while self._next():
            prompt = chance.choice(BEGINNINGS) + [chance.randrange(2, 300) for _ in range(chance.randrange(1, 12))]
            sampling = Sampling(
                max_tokens=chance.randrange(1, 6),
                temperature=chance.choice((0.0, 1.0)),
                seed=chance.randrange(100),
                ignore_eos=True,
                frequency_penalty=0.5 * (chance.random() < 0.1),
                logprobs=1 if chance.random() < 0.05 else None,
            )
            try:
                while (found := self._one(prompt, sampling, chance)) == "refused":
                    self._count(found)
                    time.sleep(0.05)
                self._count(found)
            except BaseException as error:
                self.wrong.append(repr(error))
                return

    def _next(self) -> bool:
        with self.lock:
            self.left -= 1
            return self.left >= 0 and not self.wrong

    def _count(self, what: str) -> None:
        with self.lock:
            self.counts[what] += 1

    def _one(self, prompt: list[int], sampling: Sampling, chance: random.Random) -> str:
        told: SimpleQueue[Any] = SimpleQueue()
        try:
            request = self.engine.submit(prompt, sampling, told.put)
        except Overloaded:
            return "refused"
        if chance.random() < 0.2:
            time.sleep(chance.choice((0.0, 0.05)))
            request.cancel()
            return "given up"
        tokens = [token for delta in following(told) for token in delta.tokens]
        assert len(tokens) == sampling.max_tokens, (prompt, tokens)
        return "answered"


def resident() -> float:
    """MiB of the process's memory, at most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    """Prints how it goes; returns 1 where something was lost, or where memory grew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--most", type=float, default=8.0, help="MiB by which memory may grow after the first tenth")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = demo.make(Path(folder) / "tiny", num_hidden_layers=1)
        with Engine(model, device=fh.HOST, tokens=96, sequences=8, pages=40, waiting=24, ahead=True) as engine:
            first, tenth = 0.0, max(1, given.requests // 10)
            done: dict[str, int] = {}
            for part in range(10):
                soak = Soak(engine, tenth, given.seed + part)
                threads = [threading.Thread(target=soak.ask, args=(n,)) for n in range(32)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                while engine.scheduler.running or engine.scheduler.waiting:
                    time.sleep(0.01)
                first = first or resident()
                done = {name: done.get(name, 0) + count for name, count in soak.counts.items()}
                said = ", ".join(f"{count} {name}" for name, count in done.items())
                print(
                    f"{said}; {resident():.1f} MiB, {engine.pages.free} of {engine.pages.count} pages free", flush=True
                )
                if soak.wrong or engine.pages.free != engine.pages.count:
                    print("\n".join(soak.wrong) or "pages were lost")
                    return 1
    grown = resident() - first
    print(f"memory grew by {grown:.2f} MiB after the first tenth; {given.most:.2f} are allowed")
    return int(grown > given.most)


if __name__ == "__main__":
    raise SystemExit(main())
