"""Programs with operators of the library that torch exports or compiles ahead of time, run in another process."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import freehold as fh
from freehold import Mut, Ref, f32, kernels

torch: Any = pytest.importorskip("torch")

LOADED = """
import sys
import torch
from freehold import kernels

kernels.define_operators()
kind, program, given = sys.argv[1:]
arguments, wanted, changed = torch.load(given)
module = torch.export.load(program).module() if kind == "exported" else torch._inductor.aoti_load_package(program)
with torch.no_grad():
    found = module(*arguments)
torch.testing.assert_close(found, wanted)
torch.testing.assert_close(arguments, changed)
print("the same")
"""


class Step(torch.nn.Module):
    """An operator that returns something, and one that changes what it is given."""

    def __init__(self) -> None:
        torch.nn.Module.__init__(self)
        self.weight = torch.nn.Parameter(torch.arange(8.0))

    def forward(self, cache: Any, keys: Any, position: Any) -> Any:
        normed = kernels.rms_norm(keys * 2, self.weight)
        kernels.append_kv(cache, cache.clone(), normed, normed, position)
        return cache.sum() + 1


@fh.kernel
def saxpy(y: Mut["N"], x: Ref["N"], a: f32):
    y.store(y.load() + a * x.load_like(y))


def arguments() -> list[Any]:
    generator = torch.Generator().manual_seed(0)
    keys = torch.randn((2, 1, 3, 8), generator=generator)
    return [torch.zeros(2, 1, 16, 8), keys, torch.tensor([2], dtype=torch.int32)]


def kept(path: Path) -> tuple[Any, str]:
    """The step as torch exports it, and a file of its arguments and of what it makes of them."""
    given, changed = arguments(), arguments()
    with torch.no_grad():
        torch.save((given, Step()(*changed), changed), path / "given.pt")
        return torch.export.export(Step(), tuple(given)), str(path / "given.pt")


def same_in_another_process(kind: str, program: Path, given: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LOADED, kind, str(program), given], capture_output=True, text=True
    )
    assert done.stdout == "the same\n", done.stderr


def test_exported_here_and_run_there(tmp_path: Path) -> None:
    program, given = kept(tmp_path)
    torch.export.save(program, tmp_path / "step.pt2")
    same_in_another_process("exported", tmp_path / "step.pt2", given)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("c++") is None, reason="AOTInductor compiles C++")
@pytest.mark.filterwarnings("ignore")
def test_compiled_ahead_of_time_here_and_run_there(tmp_path: Path) -> None:
    program, given = kept(tmp_path)
    path = tmp_path / "step.pt2"
    with torch.no_grad():
        # One program is compiled: headers compiled for the next one take longer than they save.
        once = {"aot_inductor.precompile_headers": False}
        torch._inductor.aoti_compile_and_package(program, package_path=str(path), inductor_configs=once)
    same_in_another_process("compiled", path, given)


def test_a_launch_under_export_says_what_traces_it() -> None:
    class Launching(torch.nn.Module):
        def forward(self, y: Any, x: Any) -> Any:
            saxpy(fh.partition(y, 64), x, 2.0).sync()
            return y

    given = torch.zeros(100), torch.ones(100)
    with pytest.raises(fh.Rejected, match=r"`torch\.export\.export\(\.\.\., strict=True\)`"):
        torch.export.export(Launching(), given)
    exported = torch.export.export(Launching(), given, strict=True)
    assert torch.equal(exported.module()(*given), torch.full((100,), 2.0))
