"""Models that several processes share, on the interpreter: two give what one gives."""

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold.engine import ModelError, demo
from freehold.engine.config import Config
from freehold.engine.ranks import Ranks
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


class Torch:
    """Stands for torch and torch.distributed: what is asked of them is written down."""

    def __init__(self) -> None:
        self.said: list[Any] = []
        self.told: list[Any] = []
        self.distributed = self
        self.cuda = SimpleNamespace(
            set_device=lambda n: self.said.append(("device", n)),
            default_stream=lambda n: f"default {n}",
            ExternalStream=lambda handle, n: f"stream {handle} of {n}",
            stream=self.stream,
        )
        self.ReduceOp = SimpleNamespace(MIN="min")

    @contextmanager
    def stream(self, stream: str) -> Generator[None]:
        self.said.append(stream)
        yield
        self.said.append("left")

    def init_process_group(self, backend: str) -> None:
        self.said.append(("init", backend))

    def new_group(self, backend: str, timeout: timedelta) -> str:
        self.said.append(("group", backend, timeout))
        return "others"

    def destroy_process_group(self) -> None:
        self.said.append("destroyed")

    def from_dlpack(self, y: Any) -> Any:
        return "shared", y

    def all_reduce(self, what: Any, *how: Any, **group: Any) -> None:
        self.said.append(("sum", what, *how, *group.values()))
        if how:
            what.numbers = [3]

    def tensor(self, numbers: list[int]) -> Any:
        found = SimpleNamespace(numbers=numbers)
        found.item = lambda: found.numbers[0]
        return found

    def broadcast_object_list(self, objects: list[Any], group: str) -> None:
        self.said.append(("broadcast", list(objects), group))
        if objects == [None] and self.told:
            objects[0] = self.told.pop(0)


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Torch:
    found = Torch()
    monkeypatch.setitem(sys.modules, "torch", found)  # pyright: ignore[reportArgumentType] -- it stands for a module
    return found


@pytest.mark.parametrize(("device", "first"), [(fh.HOST, [("init", "gloo")]), (3, [("device", 3), ("init", "nccl")])])
def test_processes_join_those_that_were_started_together(
    device: int, first: list[Any], torch: Torch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    alone = Ranks.joined(device)
    assert (alone.rank, alone.count, alone.leads, torch.said) == (0, 1, True, [])
    assert alone.least(7) == 7
    assert list(alone.summed(None)) == []
    alone.tell("order")
    alone.leave()
    assert torch.said == []
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "1")
    joined = Ranks.joined(device)
    assert (joined.rank, joined.count, joined.leads) == (1, 2, False)
    assert torch.said == [*first, ("group", "gloo", timedelta(days=365))]
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ModelError, match="torch is not installed"):
        Ranks.joined(device)


def test_what_processes_tell_one_another(torch: Torch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "0")
    ranks = Ranks.joined(fh.HOST)
    torch.said.clear()
    assert ranks.leads
    assert ranks.least(7) == 3
    assert torch.said[0][2:] == ("min", "others")
    ranks.tell("order")
    assert torch.said[1] == ("broadcast", ["order"], "others")
    torch.told = ["one", "other"]
    assert list(ranks.orders()) == ["one", "other"]
    ranks.leave()
    assert torch.said[-1] == "destroyed"


@pytest.mark.parametrize(
    ("handle", "stream"), [(0, "default 3"), (1, "default 3"), (2, "stream 2 of 3"), (96, "stream 96 of 3")]
)
def test_sums_are_on_the_stream_of_a_step(
    handle: int, stream: str, torch: Torch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "0")
    works: list[Any] = []
    monkeypatch.setattr(fh, "Work", lambda what, enqueue, writes: works.append((what, enqueue, writes)) or "work")
    ranks, y = Ranks.joined(3), SimpleNamespace(device=3)
    assert list(ranks.summed(y)) == ["work"]
    ((what, enqueue, writes),) = works
    assert (what, writes) == ("a sum over processes", [y])
    torch.said.clear()
    execution = SimpleNamespace(stream=lambda device: SimpleNamespace(handle=handle) if device == 3 else None)
    assert enqueue(execution) is y
    assert torch.said == [stream, ("sum", ("shared", y)), "left"]
    y.device = fh.HOST
    torch.said.clear()
    assert enqueue(execution) is y
    assert torch.said == [("sum", ("shared", y))]
