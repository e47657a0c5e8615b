"""
One stream of the server beside the same engine asked directly.

    python -m benchmarks.engine_server --size 8B

The server runs in the process of its engine, as `freehold serve` does, and its client in another one. Both decode the
same answers in turns; what two answers of different lengths differ by is decoding alone.
"""

from __future__ import annotations

import argparse
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib import import_module
from time import perf_counter
from typing import Any

import freehold as fh
from benchmarks.engine import SIZES, engine_of, greedy
from benchmarks.report import Row, against, show
from freehold.engine import Engine

_CLIENT = """
import http.client, json, sys, time

for line in sys.stdin:
    asked = json.loads(line)
    began = time.perf_counter()
    server = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
    server.request("POST", "/v1/completions", line, {"Content-Type": "application/json"})
    answer = server.getresponse()
    chunks = [chunk for chunk in answer if chunk.startswith(b"data: {")]
    server.close()
    print(json.dumps([time.perf_counter() - began, len(chunks), answer.status]), flush=True)
"""
"""The client: a line of standard input is a request, a line of standard output how long it took."""


@contextmanager
def served(engine: Engine) -> Generator[int]:
    """A server of an engine, in a thread; yields its port."""
    from freehold.engine.server import application

    uvicorn: Any = import_module("uvicorn")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(application(engine), log_level="warning"))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def client(port: int, model: str, tokens: list[int]) -> Generator[Callable[[int], float]]:
    """What asks the server of a port for an answer of so many tokens, and says how many seconds that took."""
    command = [sys.executable, "-c", _CLIENT, str(port)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        into, out = process.stdin, process.stdout
        assert into is not None
        assert out is not None

        def ask(count: int) -> float:
            more = {
                "model": model,
                "prompt": tokens,
                "temperature": 0,
                "ignore_eos": True,
                "stream": True,
                "max_tokens": count,
            }
            into.write(json.dumps(more) + "\n")
            into.flush()
            seconds, chunks, status = json.loads(out.readline())
            if status != 200 or chunks < count // 8:
                raise RuntimeError(f"the server answered {status}, in {chunks} chunks")
            return seconds

        try:
            yield ask
        finally:
            into.close()


def compared(engine: Engine, tokens: int, times: int) -> Row:
    """A row: what decoding takes through the server, and without."""
    prompt = [1 + n % 7 for n in range(65)]
    few = tokens // 4

    def asked(count: int) -> float:
        began = perf_counter()
        engine.generate([prompt], greedy(count))
        return perf_counter() - began

    with served(engine) as port, client(port, engine.name, prompt) as through:
        return against(
            "one stream of the server, a token",
            lambda: through(tokens) - through(few),
            lambda: asked(tokens) - asked(few),
            "the engine",
            unit="us",
            scale=1e6 / (tokens - few),
            times=times,
            mark=">= 0.97",
        )


def main() -> None:
    """Prints the row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="8B")
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--times", type=int, default=7)
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    given = parser.parse_args()
    if not fh.gpu_available():
        parser.error("there is no GPU")
    with engine_of(given.size, sequences=1, tokens=256, memory=0.3) as engine:
        show([compared(engine, given.tokens, given.times)], given.json)


if __name__ == "__main__":
    main()
