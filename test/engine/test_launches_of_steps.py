"""
What steps of the engine launch, for small models of each kind: kernels, tiles, hints, constants and extents; what
operations these kernels are made of; and how much of the memory for steps these take.

Most of it changes nothing but speed, so that only this text shows it: `pytest --update-golden` writes it anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from launches import Made, said

import freehold as fh
from freehold.engine import demo
from freehold.engine.config import Config
from freehold.engine.layers import Room
from freehold.engine.ranks import Ranks
from freehold.engine.runner import Runner, Setup, Ways
from freehold.runtime.launch.launch import Launch

GOLDEN = Path(__file__).with_name("launches.txt")
EXPERTS: dict[str, Any] = {
    "architectures": ["Qwen3MoeForCausalLM"],
    "num_experts": 8,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
}
MODELS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a model": ({"num_hidden_layers": 2}, {}),
    "a model of wide layers": ({"hidden_size": 512, "intermediate_size": 2048}, {"sequences": 70, "tokens": 100}),
    "a model of 16 bits": ({"hidden_size": 512, "intermediate_size": 8192, "dtype": "bfloat16"}, {"sequences": 20}),
    "a model with weights of 8 bits": ({"hidden_size": 512}, {"weights": "fp8"}),
    "a model whose sums are cut": ({"intermediate_size": 1024, "dtype": "bfloat16"}, {}),
    "a model whose heads share nothing": ({"num_key_value_heads": 4}, {"sequences": 2}),
    "a model with experts": (EXPERTS, {}),
    "a model of very long rows": ({"hidden_size": 20480, "dtype": "bfloat16"}, {"sequences": 2, "tokens": 16}),
    "a model without norms of heads, of 32 heads": (
        {"architectures": ["LlamaForCausalLM"], "num_attention_heads": 32, "head_dim": 8},
        {},
    ),
}


class Taken(Room):
    """Notes how many rows of each buffer are asked for."""

    most: dict[str, int]

    def rows(self, name: str, count: int) -> Any:
        self.most[name] = max(self.most.get(name, 0), count)
        found = super().rows(name, count)
        assert found.shape[0] == count, f"{name} has no {count} rows"
        return found

    def splits(self, count: int, m: int, n: int) -> Any:
        self.most["splits"] = max(self.most.get("splits", 0), count * m * n)
        return super().splits(count, m, n)


def steps(folder: Path, kernels: Made) -> Iterator[str]:
    for name, (config, setup) in MODELS.items():
        made = demo.make(folder / name, **{"num_hidden_layers": 1, **config})
        given: dict[str, Any] = {"device": fh.HOST, "tokens": 48, "sequences": 4, "pages": 24, **setup}
        runner = Runner(made, Config.read(made), Setup(**given), Ranks())
        room = runner.model.room
        room.__class__, vars(room)["most"] = Taken, {}
        yield f"{name}\n"
        shapes = runner.shapes()
        for shape in [*shapes[:5], *shapes[5:-1:3], shapes[-1]] if len(shapes) > 8 else shapes:
            batch = vars(Runner)["_batch"](runner, shape)
            batch.alone = 4 if not batch.decoding and batch.sequences > 4 else 0
            ways = Ways(draws=shape.longest == 1, changes=shape.sequences == 4)
            yield f" {shape}\n"
            for operation in vars(Runner)["_operations"](runner, batch, ways):
                if isinstance(operation, Launch):
                    yield said(operation, True)
                    kernels.note(operation)
                    operation.spend()
        for buffer, tensor in vars(room)["_made"].items():
            extents = "x".join(map(str, tensor.shape))
            yield f" {buffer}: {extents} {tensor.dtype}, of which steps take {vars(room)['most'].get(buffer, 0)}\n"


def test_launches_of_steps(tmp_path: Path, golden: Callable[[Path, str], None]) -> None:
    kernels = Made()
    golden(GOLDEN, "".join(steps(tmp_path, kernels)))
    golden(GOLDEN.with_name("made.txt"), str(kernels))
