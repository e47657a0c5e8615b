"""
Modules to upstream MLIR and back, as text in generic form.

Nothing in Freehold needs upstream MLIR. Where it is installed, its passes can run in the middle of a pipeline of ours
(`tile-opt -p 'verify-borrows,mlir{canonicalize,cse}'`), and a program that uses MLIR's bindings can use our passes
beside them: `to_mlir` and `from_mlir` are the two directions, `run` is both with MLIR's passes in between.

Upstream treats operations it has no dialect for as opaque: it checks syntax and control flow, moves and deletes
nothing that could have an effect, and does not know our types. docs/mlir.md says what carries upstream MLIR.
"""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any, Protocol

from freehold.support.diagnostic import Rejected
from freehold.tools.errors import NoUpstream, UpstreamRefused

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

PACKAGES = ("mlir", "iree.compiler")
"""Python packages with MLIR's bindings, in the order tried."""
NEWEST, OLDEST = 30, 17
"""Releases of LLVM whose `mlir-opt-NN` is looked for, newest first."""

# xDSL's `builtin` has attributes that MLIR's has not, such as `#builtin.int<0>`; MLIR never prints that prefix. Under
# the name of a dialect that it does not know, MLIR hands them back as they are.
_XDSL_ONLY, _STAND_IN = "#builtin.", "#xdsl_builtin."

TIME_LIMIT = 120.0
"""Seconds that a run of `mlir-opt` may take."""


class Upstream(Protocol):
    """One way to run upstream MLIR."""

    @property
    def name(self) -> str:
        """What it is, for messages."""
        ...

    @property
    def knows_tile_ir(self) -> bool:
        """Whether it is NVIDIA's, which has the dialect `cuda_tile`."""
        ...

    def run(self, text: str, pipeline: str) -> str:
        """Parses, verifies, runs the passes (none where `pipeline` is empty), prints in generic form with locations."""
        ...


class UpstreamError(Exception):
    """What upstream MLIR said when it refused."""


@dataclass(frozen=True)
class Bindings:
    """Upstream MLIR in this process, through its Python bindings."""

    # The bindings carry no types that a checker could read.
    ir: Any
    passmanager: Any
    name: str
    knows_tile_ir: bool = False

    def run(self, text: str, pipeline: str) -> str:
        """See `Upstream.run`. Raises UpstreamError."""
        ir = self.ir
        said: list[str] = []
        with ir.Context() as context, ir.Location.unknown():
            context.allow_unregistered_dialects = True

            def hear(diagnostic: Any) -> bool:
                said.append(f"{diagnostic.location}: {diagnostic.message}")
                return True

            handler = context.attach_diagnostic_handler(hear)
            try:
                module = ir.Module.parse(text)
                if not module.operation.verify():
                    raise UpstreamError("\n".join(said) or "the module does not verify")
                if pipeline:
                    self.passmanager.PassManager.parse(f"builtin.module({pipeline})").run(module.operation)
            except (ir.MLIRError, ValueError) as error:
                raise UpstreamError("\n".join([*said, str(error)])) from error
            finally:
                handler.detach()
            return module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True, use_local_scope=True)


@dataclass(frozen=True)
class Executable:
    """Upstream MLIR as the program `mlir-opt`."""

    path: str

    @property
    def name(self) -> str:
        """The program's file name."""
        return os.path.basename(self.path)

    @property
    def knows_tile_ir(self) -> bool:
        """NVIDIA's programs have names such as `cuda-tile-opt`."""
        return self.name.startswith("cuda-tile-")

    def run(self, text: str, pipeline: str) -> str:
        """See `Upstream.run`. Raises UpstreamError."""
        command = [self.path, "--allow-unregistered-dialect", "--mlir-print-op-generic", "--mlir-print-debuginfo"]
        command += ["--mlir-print-local-scope", *([f"--pass-pipeline=builtin.module({pipeline})"] if pipeline else [])]
        try:
            done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UpstreamError(str(error)) from error
        if done.returncode:
            raise UpstreamError(done.stderr.strip() or f"exit status {done.returncode}")
        return done.stdout


def find() -> Upstream | None:
    """The first upstream MLIR there is: `$FREEHOLD_MLIR_OPT` and nothing else where that is set; bindings, then
    `mlir-opt`, `mlir-opt-NN` on PATH."""
    if named := os.environ.get("FREEHOLD_MLIR_OPT"):
        path = shutil.which(named)
        return Executable(path) if path is not None else None
    for package in PACKAGES:
        try:
            ir = importlib.import_module(f"{package}.ir")
            return Bindings(ir, importlib.import_module(f"{package}.passmanager"), package)
        except ImportError:  # also the placeholder on PyPI, which brings no package `mlir`
            continue
    for program in ("mlir-opt", *(f"mlir-opt-{release}" for release in range(NEWEST, OLDEST - 1, -1))):
        if path := shutil.which(program):
            return Executable(path)
    return None


def to_mlir(module: ModuleOp, *, knows_tile_ir: bool = False) -> str:
    """
    The module as text that upstream MLIR reads: generic form, with locations.

    An MLIR that `knows_tile_ir` gets literals and enumerations as the dialect of NVIDIA's tools has them; to any other
    they are attributes of a dialect that it has never heard of.
    """
    if knows_tile_ir:
        from freehold.dialects.cuda_tile.text import text_of
        from freehold.dialects.cuda_tile.version import V13_3

        return text_of(module, generic=True, locations=True, version=V13_3)  # the newest that is published as source
    from xdsl.printer import Printer

    stream = StringIO()
    Printer(stream=stream, print_generic_format=True, print_debuginfo=True).print_op(module)
    return stream.getvalue().replace(_XDSL_ONLY, _STAND_IN)


def from_mlir(context: Context, text: str, file: str = "<mlir>") -> ModuleOp:
    """
    The module that upstream MLIR printed in generic form with local scope (no aliases for locations).

    Raises `Rejected` (O501) where the text has something that xDSL cannot read.
    """
    from freehold.tools.located_parser import parse_module

    text = text.replace(_STAND_IN, _XDSL_ONLY)
    return parse_module(context, text, file, locate=False)  # nobody has seen this text: no place in it helps


def run(context: Context, module: ModuleOp, pipeline: str, upstream: Upstream | None = None) -> ModuleOp:
    """
    A new module: `module` after MLIR's passes, for example `canonicalize,cse`; an empty pipeline only verifies.

    Raises `Rejected`: O507 where no upstream MLIR is found, O508 with MLIR's words where it refuses.
    """
    upstream = upstream if upstream is not None else find()
    if upstream is None:
        error, named = NoUpstream(None), os.environ.get("FREEHOLD_MLIR_OPT")
        raise Rejected([error.add(error.Named(named)) if named else error])
    try:
        text = upstream.run(to_mlir(module, knows_tile_ir=upstream.knows_tile_ir), pipeline)
    except UpstreamError as error:
        refused = UpstreamRefused(None, upstream.name, pipeline)
        raise Rejected([refused.add(refused.Words(str(error).strip()))]) from error
    return from_mlir(context, text)
