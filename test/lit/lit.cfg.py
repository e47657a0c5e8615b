"""The FileCheck suites: `.mlir` files whose RUN lines call the tools of this environment."""

# `config` and `lit_config` are put here by lit, which runs this file rather than importing it.
# pyright: basic, reportUndefinedVariable=false
import os
import sys
from pathlib import Path

from freehold.tools import mlir_bridge

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here))

from warm import WarmTest  # noqa: E402 -- from beside this file

build = here.parent.parent / "build" / "lit"

config.name = "freehold"
config.test_format = WarmTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = str(here)
config.test_exec_root = str(build)

# lit starts tests with a bare environment. The tools stand beside the Python that runs lit; caches stay in build/.
config.environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
config.environment["XDG_CACHE_HOME"] = str(build / "cache")
config.environment["NO_COLOR"] = "1"
for name in ("HOME", "PYTHONPATH", "LD_LIBRARY_PATH", "CUDA_HOME", "FREEHOLD_TILEIRAS", "FREEHOLD_MLIR_OPT"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# A file that parses, verifies and prints as its CHECK lines say, through the pretty and the generic form.
config.substitutions.append(("GENERIC_ROUNDTRIP", "tile-opt %s --print-op-generic | tile-opt | filecheck %s"))
config.substitutions.append(("ROUNDTRIP", "tile-opt %s | tile-opt | filecheck %s"))
# All verifiers, for what takes verified kernels.
config.substitutions.append(("VERIFIERS", "verify-domains,verify-borrows,verify-partitions,resolve-obligations"))
# One refusal a chunk, rendered as a user sees it.
config.substitutions.append(("REJECTS", "tile-opt %s --print-diagnostics --split-input-file"))

if mlir_bridge.find() is not None:
    config.available_features.add("mlir")
elif os.environ.get("FREEHOLD_REQUIRE_MLIR"):
    lit_config.fatal("FREEHOLD_REQUIRE_MLIR is set, but upstream MLIR was not found (docs/mlir.md)")
