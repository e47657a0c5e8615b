"""A pytest plugin that carries a peer's tests out on the interpreter: `benchmarks.peers` starts pytest with it.

Launches of cuTile Python are recorded and interpreted instead of run; a table of what became of them is written as JSON
to the file that `FREEHOLD_PEERS` names.
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import time
from pathlib import Path
from typing import Any, NoReturn

import pytest
import torch  # noqa: F401 -- before it is patched  # pyright: ignore[reportUnusedImport]

from benchmarks.limits import TooLong, limited
from freehold.backend.assembler import disassemble
from freehold.backend.bytecode.reader import bytecode_version, read_bytecode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.text import parse_disassembly, print_module
from freehold.support.diagnostic import Rejected
from freehold.tools.pretend_gpu import pretend
from freehold.tools.record import Launch, recording

SECONDS = int(os.environ.get("FREEHOLD_PEERS_SECONDS", "20"))
"""How long one launch may take; nothing is run if 0."""
WRITTEN_EVERY = 5.0
"""How many seconds what was found may be without being written."""


class Peer:
    """Counts launches and tests."""

    def __init__(self) -> None:
        self.launches: collections.Counter[str] = collections.Counter()
        self.kernels: collections.Counter[str] = collections.Counter()
        self.tests: collections.Counter[str] = collections.Counter()
        self.failed: dict[str, str] = {}
        self.refused: dict[str, list[str]] = {}
        self.test = ""
        self.became: set[str] = set()
        self.stack = contextlib.ExitStack()
        self.seen: set[bytes] = set()
        self.written = time.monotonic()

    def round_trip(self, launch: Launch) -> None:
        """Reads and writes each kernel once, as bytecode and as text."""
        if launch.bytecode not in self.seen:
            self.seen.add(launch.bytecode)
            wrong = round_trip(launch.bytecode)
            self.kernels[wrong or "the same disassembly"] += 1
            if wrong:
                self.refused.setdefault(f"round trip: {wrong}", []).append(f"{self.test}\n{launch.symbol}")

    def handle(self, launch: Launch) -> None:
        """Interprets one launch. What is not carried out skips the test: nothing is known of its results."""
        if os.environ.get("FREEHOLD_PEERS_ROUND_TRIP"):
            self.round_trip(launch)
        if not SECONDS:
            self._end("not run", "")
        try:
            with limited(SECONDS):
                launch.run()
        except Rejected as rejected:
            self._end(f"refused {rejected.codes[0]}", rejected.render())
        except TooLong:
            self._end("took too long", "")
        except Exception as error:  # a fault of the interpreter
            self._end(f"crashed {type(error).__name__}", repr(error))
        self.launches["interpreted"] += 1

    def _end(self, what: str, text: str) -> NoReturn:
        self.launches[what] += 1
        self.refused.setdefault(what, []).append(f"{self.test}\n{text}")
        pytest.skip(f"freehold: {what}")

    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        self.test = item.nodeid

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Counts the outcome of a test."""
        if report.when == "call" or (report.when == "setup" and report.outcome != "passed"):
            ours = report.outcome == "skipped" and "freehold:" in str(report.longrepr)
            self.tests["not carried out" if ours else report.outcome] += 1
            if report.outcome == "failed":
                self.failed[report.nodeid] = str(report.longrepr)[-1500:]

    def pytest_runtest_logfinish(self) -> None:
        """Writes the table now and then, for whoever ends a file that takes too long."""
        if time.monotonic() - self.written > WRITTEN_EVERY:
            self.write()

    def pytest_sessionfinish(self) -> None:
        """Writes the table."""
        self.stack.close()
        self.write()

    def write(self) -> None:
        """Writes what there is to tell so far."""
        self.written = time.monotonic()
        found = {
            "launches": self.launches,
            "kernels": self.kernels,
            "tests": self.tests,
            "refused": self.refused,
            "failed": self.failed,
        }
        if name := os.environ.get("FREEHOLD_PEERS"):
            Path(name).write_text(json.dumps(found, indent=1), encoding="utf-8")


def round_trip(data: bytes) -> str:
    """What is wrong with a file that was read and written again, as bytecode or as text; empty where nothing is."""
    try:
        version, module = bytecode_version(data), read_bytecode(data)
        wanted = disassemble(data, debug_info=True)
        written = write_bytecode(module, version)
        if written != data and disassemble(written, debug_info=True) != wanted:
            return "another disassembly"
        parsed = parse_disassembly(print_module(module, locations=True))
        again = write_bytecode(parsed, version)
        if again != written and disassemble(again, debug_info=True) != wanted:
            return "another disassembly by way of our text"
        theirs = write_bytecode(parse_disassembly(wanted), version)
        return "" if disassemble(theirs, debug_info=True) == wanted else "another disassembly by way of their text"
    except Rejected as rejected:
        return f"refused {rejected.codes[0]}"
    except Exception as error:  # a fault of ours
        return f"crashed {type(error).__name__}: {error}"


class _OfOthers:
    """Hooks that a peer's own plugins would bring."""

    def pytest_benchmark_update_json(self, config: object, benchmarks: object, output_json: object) -> None:
        """Of pytest-benchmark."""

    def pytest_benchmark_update_machine_info(self, config: object, machine_info: object) -> None:
        """Of pytest-benchmark."""


def hooks_of_others(pluginmanager: pytest.PytestPluginManager) -> None:
    """Knows hooks whose plugins need not be here."""
    if not pluginmanager.hasplugin("benchmark"):
        pluginmanager.add_hookspecs(_OfOthers)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Knows hooks whose plugins need not be here."""
    hooks_of_others(pluginmanager)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Takes the place of launches, and of the GPU, before anything asks for them."""
    peer = Peer()
    peer.stack.enter_context(pretend())
    peer.stack.enter_context(recording(peer.handle))
    early_config.pluginmanager.register(peer, "freehold-peer")
