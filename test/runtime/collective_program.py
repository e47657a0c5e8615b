"""One process of several, each with a GPU: launches and an all-reduce in one chain. Run by test_several_gpus.py."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import freehold as fh
from freehold import Mut

torch: Any = import_module("torch")
distributed: Any = import_module("torch.distributed")


@fh.kernel
def raise_to(x: Mut["N"], a: fh.f32):
    x.store(x.load() * a)


def all_reduce(tensor: Any) -> fh.Work[Any]:
    """An all-reduce behind what the chain has enqueued, on the same stream."""

    def enqueue(execution: fh.Execution) -> Any:
        handle = int(execution.stream(tensor.device.index).handle)
        default = torch.cuda.default_stream(tensor.device)
        with torch.cuda.stream(default if handle <= 1 else torch.cuda.ExternalStream(handle, tensor.device)):
            distributed.all_reduce(tensor)
        return tensor

    return fh.Work("an all-reduce", enqueue, writes=[tensor])


def main(rank: int, world: int, store: str) -> None:
    torch.cuda.set_device(rank)
    distributed.init_process_group("nccl", init_method=f"file://{store}", rank=rank, world_size=world)
    x = torch.full((100_000,), float(rank + 1), device=f"cuda:{rank}")
    for _ in range(10):
        chain = raise_to(fh.partition(x, 256), 2.0).then(all_reduce)
        chain.then(lambda t: raise_to(fh.partition(t, 256), 1 / (2 * world))).sync()
    # the first turn makes every process' numbers the mean of all, which the later ones keep
    expected = (world + 1) / 2
    assert (x == expected).all().item(), (x, expected)
    distributed.destroy_process_group()
    print("ok")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
