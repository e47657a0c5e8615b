"""A pytest plugin that writes down what a peer's tests launch of cuTile Python: `benchmarks.audit_peers` starts it.

Each kernel that is launched becomes a file with its bytecode and the facts of the launch, in the folder that
`FREEHOLD_AUDIT_CASES` names. Then the launch is carried out on the interpreter, so that the test goes on and the tables
of later launches hold what they should; of what was not carried out to its end nothing is known any more.
"""

from __future__ import annotations

import collections
import contextlib
import hashlib
import json
import os
import pickle
import runpy
import sys
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import torch
from torch.overrides import TorchFunctionMode

from benchmarks.limits import TooLong, limited
from benchmarks.peer_plugin import hooks_of_others
from freehold.audit.facts import FactsError, Tensor
from freehold.support.diagnostic import Rejected
from freehold.tools.audit_record import facts_of
from freehold.tools.pretend_gpu import pretend
from freehold.tools.record import Launch, recording

CASES = int(os.environ.get("FREEHOLD_AUDIT_TESTS", "6"))
"""Of each test as many sets of parameters are run."""
VARIANTS = int(os.environ.get("FREEHOLD_AUDIT_VARIANTS", "6"))
"""Of each kernel as many modules are written down from a test file."""
TEST_SECONDS = int(os.environ.get("FREEHOLD_AUDIT_TEST_SECONDS", "20"))
"""How long a test may take besides."""
SECONDS = int(os.environ.get("FREEHOLD_AUDIT_SECONDS", "5"))
"""How long the interpreter may take for one launch."""


LARGE = 1 << 36
"""Products of tensors whose sizes multiply to more are left out: nothing here depends on what is compared with them."""


class WithoutProducts(TorchFunctionMode):
    """Leaves large products of matrices out: their results hold anything."""

    PRODUCTS = (
        torch.matmul, torch.mm, torch.bmm, torch.Tensor.matmul, torch.Tensor.__matmul__, torch.Tensor.mm,
        torch.Tensor.bmm, torch.Tensor.__rmatmul__, torch.nn.functional.linear, torch.einsum,
        torch.nn.functional.scaled_dot_product_attention,
    )  # fmt: skip

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """The function's result, or memory of its shape."""
        given: dict[str, Any] = kwargs or {}
        sizes = [each.numel() for each in args if isinstance(each, torch.Tensor)]
        if func in self.PRODUCTS and len(sizes) > 1 and sizes[0] * sizes[1] > LARGE:
            made = func(*(a.to("meta") if isinstance(a, torch.Tensor) else a for a in args), **given)
            return torch.zeros(made.shape, dtype=made.dtype)
        return func(*args, **given)


class Writer:
    """Writes down launches."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seen: set[tuple[bytes, str]] = set()
        self.variants: collections.Counter[str] = collections.Counter()
        self.counts: collections.Counter[str] = collections.Counter()
        self.failed: dict[str, str] = {}
        self.lost: list[tuple[int, int]] = []
        """Memory of which it is not known what it holds, because a launch that writes there was not carried out."""
        self.test = ""
        self.stack = contextlib.ExitStack()

    def handle(self, launch: Launch) -> None:
        """Writes a launch down, the first of its module, and carries it out."""
        key = launch.bytecode, launch.symbol
        if key not in self.seen and self.variants[launch.kernel] < VARIANTS:
            self.seen.add(key)
            self.variants[launch.kernel] += 1
            self.write(launch)
        try:
            with limited(SECONDS):
                launch.run()
        except (Rejected, TooLong):
            self.lose(launch)
        except Exception as error:  # a fault of the interpreter
            self.counts[f"interpreter: {type(error).__name__}"] += 1
            self.lose(launch)

    def write(self, launch: Launch) -> None:
        case: dict[str, Any] = {
            "kernel": launch.kernel, "symbol": launch.symbol, "bytecode": launch.bytecode, "grid": launch.grid,
            "test": self.test, "why": "", "launch": None,
        }  # fmt: skip
        try:
            found = facts_of(launch)
            arguments = [self.known(fact) if isinstance(fact, Tensor) else fact for fact in found.arguments]
            others = tuple(self.known(other) for other in found.others)
            case["launch"] = replace(found, arguments=tuple(arguments), others=others)
        except FactsError as error:
            case["why"] = str(error)
        name = hashlib.sha256(launch.bytecode + launch.symbol.encode()).hexdigest()[:24]
        (self.folder / f"{name}.case").write_bytes(pickle.dumps(case))

    def known(self, fact: Tensor) -> Tensor:
        """A fact without contents that are lost."""
        start = fact.address or 0
        end = start + fact.span * fact.element.memory_bytes
        return replace(fact, contents=None) if any(start < b and a < end for a, b in self.lost) else fact

    def lose(self, launch: Launch) -> None:
        self.counts["launches not carried out"] += 1
        for each in launch.given:
            words = each.value if each.kind == "table" else [each.value]
            for array in words:
                if isinstance(array, np.ndarray):
                    self.lost.append(np.lib.array_utils.byte_bounds(cast(Any, array)))

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keeps some of the parameters of each test, evenly chosen."""
        tests: dict[str, list[pytest.Item]] = {}
        for item in items:
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
        kept = {
            id(each[n * (len(each) - 1) // max(CASES - 1, 1)])
            for each in tests.values()
            for n in range(min(CASES, len(each)))
            if len(each) > CASES
        } | {id(item) for each in tests.values() if len(each) <= CASES for item in each}
        items[:] = [item for item in items if id(item) in kept]

    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        self.test = item.nodeid
        self.lost.clear()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None]:
        """Stops tests that take long: on what they compare nothing depends here."""
        with limited(TEST_SECONDS):
            yield

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Counts the outcome of a test, and keeps why it failed."""
        if report.when == "call" or (report.when == "setup" and report.outcome != "passed"):
            self.counts[f"tests {report.outcome}"] += 1
            if report.outcome != "passed":
                self.failed[report.nodeid] = str(report.longrepr)[-600:]

    def pytest_sessionfinish(self) -> None:
        """Writes the counts."""
        self.stack.close()
        found = {"counts": self.counts, "failed": self.failed}
        name = hashlib.sha256(os.environ.get("FREEHOLD_AUDIT_FILE", "").encode()).hexdigest()[:24]
        (self.folder / f"{name}.tests").write_text(json.dumps(found), encoding="utf-8")

    @classmethod
    def begun(cls) -> Writer:
        """A writer that has taken the place of launches, and of the GPU."""
        writer = cls(Path(os.environ["FREEHOLD_AUDIT_CASES"]))
        writer.stack.enter_context(pretend())
        writer.stack.enter_context(recording(writer.handle))
        writer.stack.enter_context(WithoutProducts())
        return writer


def program(command: list[str]) -> int:
    """Runs a program with its arguments, and writes down what it launches."""
    writer = Writer.begun()
    writer.test = command[0]
    sys.argv[:] = command
    sys.path.insert(0, str(Path(command[0]).parent))
    try:
        runpy.run_path(command[0], run_name="__main__")
    except SystemExit as ended:
        writer.counts[f"ended with status {ended.code or 0}"] += 1
    except Exception as error:  # the program's own
        writer.counts[f"ended in {type(error).__name__}"] += 1
        writer.failed[command[0]] = str(error)[-600:]
    else:
        writer.counts["ended well"] += 1
    writer.pytest_sessionfinish()
    return 0


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Knows hooks whose plugins need not be here."""
    hooks_of_others(pluginmanager)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Takes the place of launches, and of the GPU, before anything asks for them."""
    early_config.pluginmanager.register(Writer.begun(), "freehold-audit")
