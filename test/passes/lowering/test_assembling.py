"""What the real assembler makes of lowered kernels, for every generation of hardware."""

from __future__ import annotations

import subprocess
from pathlib import Path

import lowering_kernels as kernels
import pytest
from answers import assembles

from freehold.backend.assembler import find_assembler
from freehold.backend.bytecode.writer import write_bytecode
from freehold.passes.lowering import convert

HINTS = "hints #cuda_tile.optimization_hints<sm_90 = {num_worker_warps_per_cta = 8, occupancy = 1}>"
ARCHS = ["sm_80", "sm_90", "sm_100", "sm_120"]


@pytest.mark.parametrize("arch", ARCHS)
def test_gemm_for_every_architecture(arch: str) -> None:
    text = kernels.gemm((64, 64, 32), order="grouped 8", persistent=True)
    assert assembles(write_bytecode(convert(kernels.parse(text))), arch)


@pytest.mark.parametrize(
    "text",
    [
        kernels.saxpy(),
        kernels.saxpy(persistent=True),
        kernels.row_softmax(),
        kernels.gemm((64, 64, 32), order="column"),
        kernels.increment(3, "grouped 2", True),
        kernels.increment(4),
        kernels.add_scalars(),
        kernels.collatz(),
        kernels.shifted(),
    ],
    ids=[
        "saxpy",
        "saxpy persistent",
        "softmax",
        "gemm column",
        "rank 3",
        "rank 4",
        "rank 0",
        "control flow",
        "kernel checks",
    ],
)
def test_every_kind_of_kernel(text: str) -> None:
    assert assembles(write_bytecode(convert(kernels.parse(text))), "sm_90")


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("depth", [32, 64])
def test_gemm_on_hopper_uses_tensor_memory_accesses_and_tensor_cores(
    tmp_path: Path, depth: int, persistent: bool
) -> None:
    """All three tensors by TMA, the product by warp-group instructions: what its speed depends on."""
    text = kernels.gemm((128, 256, depth), order="grouped 8", persistent=persistent, hints=HINTS)
    remarks = assembler_remarks(tmp_path, text)
    assert remarks.count("Instruction = TMA Load instruction") == 2
    assert remarks.count("Instruction = TMA Store instruction") == 1
    assert "Instruction = Tensor-core SM90" in remarks
    assert "missed" not in remarks


def test_without_divisibility_the_same_kernel_has_no_tensor_memory_accesses(tmp_path: Path) -> None:
    """The other way round: it is what the launcher guarantees that makes the difference."""
    remarks = assembler_remarks(tmp_path, kernels.gemm((128, 256, 32), divisor=1, hints=HINTS))
    assert "= TMA" not in remarks


def assembler_remarks(folder: Path, text: str) -> str:
    """What the assembler says about the code it chose for sm_90."""
    source = folder / "kernel.tileirbc"
    source.write_bytes(write_bytecode(convert(kernels.parse(text))))
    command = [find_assembler().path, source, "-o", folder / "kernel.cubin", "--gpu-name=sm_90", "--remarks=all"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    return done.stdout + done.stderr
