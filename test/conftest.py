"""What every pytest suite here shares: golden files, and the tests that need a GPU."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import mkstemp
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))  # so that tests import the modules beside this one

from forked import COMPILER, Forks

pytest_plugins = ["forking"]
LACKED = "FREEHOLD_TEST_LACKED"
"""The variable by which `answers.py` knows where to write down who lacked an answer."""

# Tests run in as many processes as there are cores. Threads of NumPy's and torch's besides would wait for one another,
# at full speed. Both read this when they are imported.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

# torch would compile programs to see which vectors the C++ compiler knows, and headers for many more kernels than tests
# have: both take longer than the kernels.
for _variable in ("TORCHINDUCTOR_VEC_ISA_OK", "TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS"):
    os.environ.setdefault(_variable, "0")

# Kernels are graphs of many small objects, which the default has collected over and over as they are built.
gc.set_threshold(20_000, 20, 20)

# A loaded machine is no failure: what counts is what an example shows, not how long it took.
settings.register_profile("freehold", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
# New examples are looked for where somebody can look at what they find; CI says the same of the same commit.
settings.register_profile("ci", settings.get_profile("freehold"), derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "freehold")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden files instead of comparing with them")
    parser.addoption("--assemble", action="store_true", help="run the assembler for what it is known to take, too")


def pytest_configure(config: pytest.Config) -> None:
    for option, variable in (("--assemble", "FREEHOLD_TEST_ASSEMBLE"), ("--update-golden", "FREEHOLD_TEST_NOTE")):
        if config.getoption(option):
            os.environ[variable] = "1"
    if not hasattr(config, "workerinput"):  # of pytest-xdist, whose processes write into the same file
        handle, os.environ[LACKED] = mkstemp(prefix="freehold-lacked-")
        os.close(handle)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Says which tests had the assembler run for modules that it is known to take, if only that were written down."""
    tests = sorted({*Path(os.environ[LACKED]).read_text(encoding="utf-8").splitlines()})
    if tests:
        terminalreporter.section("assembled anew; `pytest --update-golden` of these notes the answers")
        for test in tests:
            terminalreporter.write_line(test)


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        Path(os.environ.pop(LACKED)).unlink()


def has_gpu() -> bool:
    """Whether the driver is there and counts a device, asked without any package."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    needing = [item for item in items if item.get_closest_marker("cuda")]
    if needing and not os.environ.get("FREEHOLD_REQUIRE_CUDA") and not has_gpu():
        for item in needing:
            item.add_marker(pytest.mark.skip(reason="no NVIDIA GPU and driver"))


def pytest_collection_finish() -> None:
    """What all files brought along stays, so that it is looked at in no collection from here on."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def collected() -> Iterator[None]:
    """What a file leaves behind is looked at once, not again in every collection of the files after it."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def started() -> Callable[..., subprocess.CompletedProcess[str]]:
    """
    `started(program, *arguments)` runs a program in a process of its own, which has imported the compiler, and nothing
    that depends on the environment.
    """
    server = cache(lambda: Forks(["numpy", "ml_dtypes", "z3", "hypothesis", *COMPILER], os.environ))

    def run(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(program), *arguments]
        if hasattr(os, "fork") and sys.platform == "linux":  # elsewhere a fork may not use what its origin has loaded
            return server().run(command, os.environ)
        return subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """`golden(path, text)` compares the text with a committed file; `--update-golden` writes the file instead."""
    update = bool(request.config.getoption("--update-golden"))

    def compare(path: Path, text: str) -> None:
        text = text.rstrip("\n") + "\n"
        if update:
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"{path.name} is missing: run `pytest --update-golden {request.node.nodeid}` and read it"
        assert text == path.read_text(encoding="utf-8"), f"differs from {path}; `--update-golden` accepts the change"

    return compare


@pytest.fixture
def tile_opt(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str]]:
    """`tile_opt(path, *options)` is the command's status and what it prints, called beside the file."""
    from freehold.tools.tile_opt import main

    def call(path: Path, *options: str) -> tuple[int, str]:
        monkeypatch.chdir(path.parent)
        status = main([path.name, *options])
        return status, capsys.readouterr().out

    return call
