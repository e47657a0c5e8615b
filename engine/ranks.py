"""Several processes that share a model: each has some heads and some of the feed-forward, and all work on one step."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta
from importlib import import_module
from typing import Any, Self

import freehold as fh
from freehold.engine.errors import ModelError
from freehold.engine.layers import Steps


class Ranks:
    """
    `count` processes, of which this one is number `rank`. The first takes requests, and tells the others what to do.

    `joined` makes those that torchrun started: torch.distributed carries what they tell each other, by NCCL between
    GPUs and by Gloo between hosts. A process by itself needs no torch.
    """

    def __init__(self, rank: int = 0, count: int = 1):
        self.rank = rank
        self.count = count
        self._torch: Any = None
        self._told: Any = None

    @classmethod
    def joined(cls, device: int | None) -> Self:
        """This process among those that torchrun started; alone where it did not. Raises `ModelError` without torch."""
        count = int(os.environ.get("WORLD_SIZE", "1"))
        if count == 1:
            return cls()
        try:
            torch: Any = import_module("torch")
        except ImportError:
            raise ModelError("several processes need torch.distributed, and torch is not installed") from None
        made = cls(int(os.environ["RANK"]), count)
        made._torch = torch
        if device != fh.HOST:
            torch.cuda.set_device(device)
        torch.distributed.init_process_group("gloo" if device == fh.HOST else "nccl")
        made._told = torch.distributed.new_group(backend="gloo", timeout=timedelta(days=365))
        return made

    @property
    def leads(self) -> bool:
        """Whether this process takes the requests."""
        return self.rank == 0

    def summed(self, y: Any) -> Steps:
        """The operation that adds up a tensor over all processes, in place; none for one alone."""
        if self.count == 1:
            return

        def enqueue(execution: fh.Execution) -> Any:
            if y.device == fh.HOST:
                self._torch.distributed.all_reduce(shared)
                return y
            cuda = self._torch.cuda
            handle = int(execution.stream(y.device).handle)  # 0 and 1 are the default stream
            default = cuda.default_stream(y.device)
            with cuda.stream(default if handle <= 1 else cuda.ExternalStream(handle, y.device)):
                self._torch.distributed.all_reduce(shared)
            return y

        shared = self._torch.from_dlpack(y)
        yield fh.Work("a sum over processes", enqueue, writes=[y])

    def least(self, number: int) -> int:
        """The least of what each process gives."""
        if self.count == 1:
            return number
        found = self._torch.tensor([number])
        self._torch.distributed.all_reduce(found, self._torch.distributed.ReduceOp.MIN, group=self._told)
        return int(found.item())

    def tell(self, order: Any) -> None:
        """Sends what is to be done to the other processes; None: that there is no more."""
        if self.count > 1:
            self._torch.distributed.broadcast_object_list([order], group=self._told)

    def orders(self) -> Iterator[Any]:
        """What the first process tells, up to the end. Nothing may come for as long as nobody asks for anything."""
        while True:
            told: list[Any] = [None]
            self._torch.distributed.broadcast_object_list(told, group=self._told)
            if told[0] is None:
                return
            yield told[0]

    def leave(self) -> None:
        """Ends it, in each process."""
        if self.count > 1:
            self._torch.distributed.destroy_process_group()
