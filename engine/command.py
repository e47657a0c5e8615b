"""The command `freehold`: serves a model, talks to it, generates texts, and measures."""

from __future__ import annotations

import argparse
import gc
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Self

from freehold.engine import demo
from freehold.engine.engine import Delta, Engine, Request, follow, following
from freehold.engine.errors import EngineError
from freehold.engine.ranks import Ranks
from freehold.engine.sampling import Sampling

_NEEDED = frozenset(
    ("fastapi", "huggingface_hub", "jinja2", "prometheus_client", "pydantic", "safetensors", "tokenizers", "uvicorn")
)
"""What comes with `freehold[engine]`."""
TINY = "tiny"
"""What is given for a model to have `demo` make one."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status: 0, 1 where the engine refuses, 2 for wrong arguments."""
    given = _parser().parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory() as folder:
            if given.model == TINY and not Path(TINY).exists():
                given.model = str(demo.make(Path(folder) / TINY))
            _run(given)
    except EngineError as error:
        print(f"freehold: {error}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _NEEDED:
            raise
        print(f"freehold needs {missing}: pip install 'freehold[engine]'", file=sys.stderr)
        return 1
    except BrokenPipeError:  # whoever read our output has gone, as `| head` does
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("freehold", description="Inference with safe kernels (docs/engine.md).")
    parser.add_argument("--version", action="version", version=f"freehold {version('freehold')}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("model", help=f"a folder, a name of Hugging Face's hub, or `{TINY}`: one with random weights")
    shared.add_argument("--device", type=int, help="a GPU's number; -1: the host")
    shared.add_argument("--tokens", type=int, default=2048, help="tokens of a step, at most (%(default)s)")
    shared.add_argument("--sequences", type=int, default=64, help="sequences of a step, at most (%(default)s)")
    shared.add_argument("--page", type=int, help="tokens of a page of the cache, a power of two")
    shared.add_argument("--pages", type=int, help="pages of the cache; else as many as fit")
    shared.add_argument("--memory", type=float, default=0.9, help="share of free memory for the cache (%(default)s)")
    shared.add_argument("--weights", choices=["fp8"], help="make weights narrower as they are loaded")
    shared.add_argument("--no-graphs", action="store_true", help="launch each kernel of a step by itself")
    shared.add_argument("--no-prepare", action="store_true", help="compile kernels when a request needs them first")

    serve = commands.add_parser("serve", parents=[shared], help="answer over HTTP as OpenAI's interface does")
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", type=_port, default=8000)
    serve.add_argument("--name", help="what the model is called; else the last part of its folder")
    serve.add_argument("--token", default=os.environ.get("FREEHOLD_TOKEN"), help="bearer token (FREEHOLD_TOKEN)")
    serve.add_argument("--drain", type=float, default=30.0, help="seconds to answer what there is, at the end")
    serve.add_argument("--waiting", type=int, default=1024, help="requests that may wait (%(default)s)")
    serve.set_defaults(run=_serve)

    chat = commands.add_parser("chat", parents=[shared], help="talk in the terminal")
    generate = commands.add_parser("generate", parents=[shared], help="continue texts")
    generate.add_argument("prompt", nargs="+")
    for command in (chat, generate):
        command.add_argument("--max-tokens", type=int, default=128)
        command.add_argument("--temperature", type=float, default=0.7)
        command.add_argument("--seed", type=int)
    chat.set_defaults(run=_chat)
    generate.set_defaults(run=_generate)

    bench = commands.add_parser("bench", parents=[shared], help="tokens a second of random prompts")
    bench.add_argument("--requests", type=int, default=64)
    bench.add_argument("--input", type=int, default=1024, help="tokens of a prompt (%(default)s)")
    bench.add_argument("--output", type=int, default=256, help="tokens of an answer (%(default)s)")
    bench.set_defaults(run=_bench)
    return parser


def _port(text: str) -> int:
    number = int(text) if text.isdecimal() else -1
    if not 0 <= number < 1 << 16:
        raise argparse.ArgumentTypeError(f"a port is from 0 to 65535, not {text}")
    return number


def _run(given: argparse.Namespace) -> None:
    if given.device is None and "LOCAL_RANK" in os.environ:  # one GPU for each process that torchrun started
        given.device = int(os.environ["LOCAL_RANK"])
    ranks, path = Ranks.joined(given.device), Path(given.model)
    model = path if path.is_dir() else given.model
    if ranks.leads:
        waiting = getattr(given, "waiting", 1 << 30)
        with Engine(model, **_options(given), waiting=waiting, ranks=ranks, progress=_progress) as engine:
            gc.collect()
            gc.freeze()  # to look through all that stays takes as long as a few steps, and requests would wait
            try:
                given.run(engine, given)
            finally:
                gc.unfreeze()
    else:
        follow(model, ranks, **_options(given))
    ranks.leave()


def _options(given: argparse.Namespace) -> dict[str, Any]:
    """What every process that shares the model is given."""
    names = "device", "tokens", "sequences", "page", "pages", "memory", "weights"
    found = {name: getattr(given, name) for name in names}
    return {**found, "graphs": not given.no_graphs, "prepare": not given.no_prepare}


def _progress(text: str) -> None:
    """Tells on the terminal what is done before the first request."""
    print(text, file=sys.stderr, flush=True)


def _serve(engine: Engine, given: argparse.Namespace) -> None:
    from freehold.engine.server import application

    uvicorn: Any = import_module("uvicorn")
    app = application(engine, token=given.token, name=given.name, drain=given.drain)
    print(f"serving {given.name or engine.name} at http://{given.host}:{given.port}/v1", flush=True)
    uvicorn.run(app, host=given.host, port=given.port, log_level="warning", timeout_graceful_shutdown=int(given.drain))


def _sampling(given: argparse.Namespace) -> Sampling:
    return Sampling(max_tokens=given.max_tokens, temperature=given.temperature, seed=given.seed)


def _told(engine: Engine, prompt: Sequence[int], sampling: Sampling) -> str:
    """Prints an answer as it comes, and returns it."""
    queue: SimpleQueue[Delta | BaseException] = SimpleQueue()
    request: Request = engine.submit(prompt, sampling, queue.put)
    text = ""
    try:
        for delta in following(queue):
            print(delta.text, end="", flush=True)
            text += delta.text
        print()
        return text
    finally:
        request.cancel()


def _generate(engine: Engine, given: argparse.Namespace) -> None:
    for prompt in given.prompt:
        print(prompt, end="")
        _told(engine, engine.prompt(prompt), _sampling(given))


def _chat(engine: Engine, given: argparse.Namespace) -> None:
    messages: list[dict[str, Any]] = []
    while True:
        try:
            said = input("> ")
        except EOFError:
            return
        messages.append({"role": "user", "content": said})
        answer = _told(engine, engine.prompt(messages), _sampling(given))
        messages.append({"role": "assistant", "content": answer})


def _bench(engine: Engine, given: argparse.Namespace) -> None:
    rng = random.Random(0)
    words = range(engine.config.vocabulary)
    engine.generate([[rng.choice(words) for _ in range(given.input)]], Sampling(max_tokens=4, ignore_eos=True))
    prompts = [[rng.choice(words) for _ in range(given.input)] for _ in range(given.requests)]
    print(f"{given.requests} requests of {given.input} + {given.output} tokens")
    seen = Seen.of(engine, prompts, given.output)
    print("\n".join(seen.told()))
    print(f"{given.requests * given.input / seen.took:.1f} tokens of prompts a second")


class Seen:
    """When the tokens of several requests came."""

    def __init__(self) -> None:
        self.first: list[float] = []
        """Seconds from a request to its first token."""
        self.between: list[float] = []
        """Seconds from a token to the next one."""
        self.took = 0.0
        """Seconds from the first request to the end of the last one."""
        self._done = threading.Semaphore(0)

    @classmethod
    def of(cls, engine: Engine, prompts: Sequence[Sequence[int]], tokens: int) -> Self:
        """Of prompts that come at once, each answered with so many tokens, the likeliest ones."""
        seen, sampling = cls(), Sampling(max_tokens=tokens, temperature=0.0, ignore_eos=True)
        began = time.perf_counter()
        for prompt in prompts:
            engine.submit(prompt, sampling, seen._listener())
        for _ in prompts:
            seen._done.acquire()
        seen.took = time.perf_counter() - began
        return seen

    def _listener(self) -> Callable[[Delta | BaseException], None]:
        """What a request tells its deltas to."""
        last, times = time.perf_counter(), self.first

        def tell(delta: Delta | BaseException) -> None:
            nonlocal last, times
            if not isinstance(delta, BaseException):
                now = time.perf_counter()
                times.append(now - last)
                last, times = now, self.between
            if isinstance(delta, BaseException) or delta.reason is not None:
                self._done.release()

        return tell

    def told(self) -> list[str]:
        """Lines that say how fast it was."""
        tokens = len(self.first) + len(self.between)
        lines = [f"{tokens} tokens in {self.took:.3f} s, {tokens / self.took:.1f} tokens a second"]
        for name, times in (("first token", self.first), ("each next", self.between)):
            if len(times) > 1:
                cuts = statistics.quantiles(times, n=100, method="inclusive")
                lines += [f"{name}: median {1e3 * cuts[49]:.1f} ms, p90 {1e3 * cuts[89]:.1f}, p99 {1e3 * cuts[98]:.1f}"]
        return lines


if __name__ == "__main__":
    sys.exit(main())
