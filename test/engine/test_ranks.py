"""Models that several processes share, on the interpreter: two give what one gives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import freehold as fh
from freehold.engine import ModelError, demo
from freehold.engine.config import Config
from freehold.engine.weights import Checkpoint


def test_two_processes_give_what_one_gives(tmp_path: Path, tiny: Path) -> None:
    pytest.importorskip("torch")
    experts = demo.make(
        tmp_path / "experts",
        architectures=["Qwen3MoeForCausalLM"],
        num_hidden_layers=1,
        num_experts=4,
        num_experts_per_tok=2,
        moe_intermediate_size=32,
        norm_topk_prob=True,
    )
    program = str(Path(__file__).with_name("two_processes.py"))
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, program, str(tiny), str(experts)], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == 4
    assert found[2:] == found[:2]


def test_each_reads_its_share(tiny: Path) -> None:
    name = "model.layers.0.self_attn.o_proj.weight"
    with Checkpoint(tiny, fh.HOST) as files:
        whole = files.one(name, (64, 64), fh.f32).numpy()
    for number in range(2):
        with Checkpoint(tiny, fh.HOST, (number, 2)) as files:
            half = slice(32 * number, 32 * number + 32)
            np.testing.assert_array_equal(files.one(name, (64, 32), fh.f32, shared=1).numpy(), whole[:, half])
            np.testing.assert_array_equal(files.one(name, (32, 64), fh.f32, shared=0).numpy(), whole[half])
            with pytest.raises(ModelError, match=r"where the model's is \(64, 128\)"):
                files.one(name, (64, 64), fh.f32, shared=1)


def test_what_cannot_be_shared_is_refused(tiny: Path) -> None:
    with pytest.raises(ModelError, match="`kv_heads` = 2 cannot be shared by 3 processes"):
        Config.read(tiny).share(3)
