"""
How long a launch should take under a schedule: bytes by what memory delivers, operations by what units deliver.

Three things decide. Bytes come no faster than what is asked for beside one another allows: so many bytes in flight, and
each is there after the memory's latency. Operations of one element wait for one another, so it takes threads to keep
the units busy. And a matrix product is as fast as its tile lets the tensor cores be fed, in waves of tile blocks, of
which the last may be nearly empty. The constants were fitted to 470 launches of 18 kernels on an H200, with their
registers, shared memory and stack; for other GPUs they are taken to be the same, and the figures of `gpus` differ.

What a tile block takes of a multiprocessor is read from cubins where there are some, and guessed before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, prod
from typing import TYPE_CHECKING, Final

from freehold.frontend.schedule import Blocks
from freehold.runtime.scheduling.candidates import Candidate
from freehold.runtime.scheduling.gpus import Gpu

if TYPE_CHECKING:
    from freehold.backend.cubin import Resources

_LAUNCH: Final = 3e-6
"""Seconds that any launch takes."""
_TILE: Final = 3e-6
"""Seconds in which a tile of a matrix product does not multiply: its first loads, and its store."""
_STORE: Final = 1.2e-6
"""The same of a persistent block that has another tile: its first loads are on their way while it stores."""
_UNIT: Final = 5.3e-9
"""Seconds that an addition takes in a thread, until the next that needs it."""
_FILLS: Final = {False: 7 << 10, True: 22 << 10}
"""Bytes in flight of a multiprocessor that fill its share of the bandwidth half; in blocks that wait for all of a tile
before they go on, as sums make them, more."""
_MOST_BLOCKS: Final = 32
"""Tile blocks that a multiprocessor holds."""
_FED: Final = ((120, 0.88), (85, 0.86), (64, 0.83), (50, 0.64), (42, 0.6), (32, 0.45), (0, 0.3))
"""Shares of the tensor cores' speed, by how often a tile of a product uses what it loads."""
_RUN: Final = 96
"""Bytes that have to lie beside one another so that memory is read at its speed."""
_BLOCK: Final = 0.6e-6
"""Seconds between two tile blocks of a place, where neither computes."""
_LONG: Final = 1 << 13
"""Elements from which on code that is short of registers computes a tile in turns, where elements are by themselves."""
_TURN: Final = 0.15e-6
"""Seconds of a turn of a loop in which a tile block neither loads nor computes."""
_WHOLE: Final = 1.5
"""How many times as fast elements are moved where the length of a row is compiled in: 16 bytes a thread, and no
branch around them. Measured on an H200 with SwiGLU (1.53 to 1.84) and GELU (1.49 to 1.66)."""
_OF_A_WARP: Final = 1 << 11
"""Elements of a tile that a warp has in its registers."""
_ALONE: Final = 3.4
"""How much as much a thread computes in a block of one warp, where it waits for no other."""
_DEARLY: Final = 4.0
"""From so many additions an operation on, on average, blocks of one warp are worth a try: softmax, and no norm."""
_LACKING: Final = 8
"""Registers that a thread may lack, as far as is guessed, for eight blocks of a kernel that loads in loops to be tried:
the guess is too high for some."""
_WARPS: Final = 4
"""Warps of a tile block that compute, without a hint."""
_THREADS: Final = 256
"""Threads of a tile block with loads by the tensor memory accelerator, and without a hint."""


@dataclass(frozen=True)
class Prediction:
    """What a schedule should take."""

    seconds: float
    bound: str
    """What takes most of it: `memory`, `cache`, `tensor cores`, `arithmetic`."""
    resident: int
    """Tile blocks that a multiprocessor holds at once."""
    waves: float
    """How many times that the launch has."""


@dataclass(frozen=True)
class _Held:
    """What a multiprocessor holds at once."""

    blocks: int
    threads: int
    flight: float
    """Bytes that they wait for."""
    stack: int = 0
    """Bytes of a thread in local memory."""


def predicted(candidate: Candidate, gpu: Gpu, hints: Mapping[str, int], found: Resources | None = None) -> Prediction:
    """What a launch takes under a schedule and hints, with what its code takes where that is known."""
    cost, values = candidate.cost, candidate.values
    blocks = max(1, cost.regions.evaluate(values))
    held = _held(candidate, gpu, hints, found, blocks)
    busy = min(1.0, blocks / gpu.multiprocessors)
    asked = sum(t.work.launch.evaluate(values) or 0 for t in cost.traffic)
    size = sum(min(t.work.launch.evaluate(values) or 0, t.size.evaluate(values)) for t in cost.traffic)
    share = _share(held.flight * held.blocks / (held.blocks + 0.5), _FILLS[candidate.profile.waits]) * min(
        1.0, 2 * busy
    )
    flops = cost.matrix.launch.evaluate(values) or 0
    other = (cost.other.launch.evaluate(values) or 0) * candidate.profile.weight
    parts = {
        "memory": size / (gpu.bandwidth * share) * max(1.0, _RUN / candidate.profile.run),
        "cache": asked / (gpu.cache_bandwidth * min(1.0, 2 * busy)),
        "tensor cores": _multiplying(candidate, gpu, hints, held.blocks, blocks, flops),
        "arithmetic": other * _UNIT / (gpu.multiprocessors * busy * held.threads * _together(candidate, hints)),
    }
    bound = max(parts, key=lambda name: parts[name])
    largest = max(parts["memory"], parts["cache"], parts["tensor cores"])
    overlapped = 0.1 if flops else 1.0
    spilled = 1.0 + held.stack / 280 if held.stack > 16 else 1.0
    turns = asked / blocks / max(1, candidate.profile.largest) if candidate.profile.turns and not flops else 0.0
    rounds = ceil(blocks / (gpu.multiprocessors * held.blocks))
    busy_with = min(1.0, 2 * parts["arithmetic"] / largest)
    waiting = rounds * (turns * _TURN if candidate.profile.waits else _BLOCK * busy_with)
    total = (largest + overlapped * parts["arithmetic"]) * spilled + waiting + _LAUNCH
    if candidate.schedule.known and _is_plain(candidate):
        total /= _WHOLE
    return Prediction(total, bound, held.blocks, blocks / (gpu.multiprocessors * held.blocks))


def _share(flight: float, fills: int) -> float:
    """The share of the bandwidth that so many bytes in flight of a multiprocessor reach."""
    return flight / (flight**1.5 + fills**1.5) ** (2 / 3)


def _multiplying(
    candidate: Candidate, gpu: Gpu, hints: Mapping[str, int], resident: int, blocks: int, flops: int
) -> float:
    """Seconds of the tensor cores: waves of tiles, each as fast as it can be fed."""
    if not flops:
        return 0.0
    together = min(resident, max(1, blocks // gpu.multiprocessors))
    fed = sum(share / _fed(m, n, k, together) for (m, n, k), share in candidate.profile.products)
    if hints.get("num_worker_warps", 4) > 4 and prod(candidate.profile.products[0][0][:2]) < 1 << 15:
        fed *= 1.04
    rounds = ceil(blocks / (gpu.multiprocessors * together))
    peak = gpu.matrix * 2 / candidate.profile.operand_bytes / gpu.multiprocessors
    each = _STORE if candidate.schedule.blocks is Blocks.PERSISTENT else _TILE
    return rounds * (together * flops / blocks / peak * fed + each) + _TILE - each


def _fed(m: int, n: int, k: int, together: int) -> float:
    """The share of the tensor cores' speed at which tiles of a product can be fed: large ones load less for each
    operation, and 64 rows are multiplied at once."""
    reuse = m * n / (m + n) * (1.2 if together > 1 else 1.0)
    size = next(speed for least, speed in _FED if reuse >= least)
    rows = 0.02 if m < 8 else min(1.0, m / 64)
    return size * rows * (1.0 if k >= 64 else 0.95 if k >= 32 else 0.6)


def _held(candidate: Candidate, gpu: Gpu, hints: Mapping[str, int], found: Resources | None, blocks: int) -> _Held:
    threads, registers, shared, stack = _guessed(candidate, gpu, hints)
    if found is not None and found.thread_count:
        threads, registers, shared, stack = found.thread_count, found.registers, found.shared, found.stack
    by_registers = gpu.registers // max(1, threads * (-(-registers // 8) * 8))
    by_shared = gpu.shared // max(1, shared)
    there = max(1, ceil(blocks / gpu.multiprocessors))
    resident = max(1, min(_MOST_BLOCKS, by_registers, by_shared, gpu.threads // threads, there))
    each = max(candidate.profile.largest, shared) if candidate.profile.turns else candidate.profile.largest
    if _is_plain(candidate):
        each = min(each, 2 * registers * threads)
    return _Held(resident, resident * threads, resident * each, stack)


def _guessed(candidate: Candidate, gpu: Gpu, hints: Mapping[str, int]) -> tuple[int, int, int, int]:
    """Threads, registers, shared memory and stack of code that is not there yet."""
    occupancy = hints.get("occupancy", 1)
    if _is_plain(candidate) and candidate.profile.elements >= _LONG:
        return 128, 40 if occupancy > 6 else 80, 0, 0
    if _is_plain(candidate):
        return 128, 16 + 20 * candidate.profile.elements // 1024, 0, 0
    warps = hints.get("num_worker_warps", _WARPS)
    if _by_threads(candidate, hints):
        threads = 32 * warps
        needed, there = _needed(candidate, threads), min(255, gpu.registers // (threads * occupancy) // 8 * 8)
        return threads, min(needed, there), 0, 4 * max(0, needed - there)
    threads = _THREADS if warps <= 4 else 32 * (warps + 4)
    registers = min(255, gpu.registers // (threads * occupancy) // 8 * 8)
    stack = 2 * max(0, _needed(candidate, 32 * max(4, warps)) - _given(registers, threads, 32 * max(4, warps)))
    stages = 3 if candidate.profile.turns else 1
    return threads, registers, min(stages * candidate.profile.largest, gpu.shared // occupancy), stack


def _by_threads(candidate: Candidate, hints: Mapping[str, int]) -> bool:
    """Whether all threads compute, of a kernel that sums: of those with the accelerator half only load."""
    return candidate.profile.waits and not candidate.profile.multiplies and not hints.get("allow_tma", True)


def _together(candidate: Candidate, hints: Mapping[str, int]) -> float:
    """How much as much threads do as those that wait for others in their block: a warp alone waits for none."""
    if not _by_threads(candidate, hints):
        return 1.0
    return _ALONE if hints.get("num_worker_warps") == 1 else 2.0


def _is_plain(candidate: Candidate) -> bool:
    """Whether each thread loads what it computes on, and waits for nobody."""
    return not candidate.profile.waits and not candidate.profile.multiplies


def _given(registers: int, threads: int, computing: int) -> int:
    """The registers of a thread that computes, of so many on average: those that only load need few."""
    return min(255, (registers * threads - 40 * (threads - computing)) // computing)


def _needed(candidate: Candidate, computing: int) -> int:
    """About how many registers a thread needs for the elements that are computed on at once."""
    if candidate.profile.multiplies:
        sums = sum(m * n for (m, n, _), _ in candidate.profile.products)
        return 40 + sums // computing
    return 18 + round(0.7 * candidate.profile.elements / computing)


def hints_for(candidate: Candidate, gpu: Gpu, *, along_rows: bool = False) -> Iterator[Mapping[str, int]]:
    """Hints worth a try for a schedule; where rows are tiles (`Candidates.along_rows`), loads by threads are, too."""
    if candidate.profile.products:
        (m, n, _), _ = candidate.profile.products[0]
        each = max(1, candidate.cost.regions.evaluate(candidate.values)) / gpu.multiprocessors
        if m < 32 and each > 1:  # as fast as memory: several blocks beside one another
            yield {"occupancy": 4}
            yield {"occupancy": 2}
        elif m < 32:
            yield {"num_worker_warps": 4}
            yield {"num_worker_warps": 8}
        elif m * n >= 1 << 14:
            yield {"num_worker_warps": 8}
            if m * n < 1 << 15:
                yield {"num_worker_warps": 4}
        else:
            yield {"num_worker_warps": 4}
            yield {"num_worker_warps": 4, "occupancy": 2}
    elif candidate.profile.waits:
        if along_rows:  # blocks that live for a tile: by threads, which begin at once
            yield {"allow_tma": False, "occupancy": 8}
            yield {"allow_tma": False, "num_worker_warps": 8, "occupancy": 2}
            if candidate.profile.elements <= _OF_A_WARP and candidate.profile.weight >= _DEARLY:
                yield {"allow_tma": False, "num_worker_warps": 1, "occupancy": 32}
        computing = _THREADS // 2
        fitting = [n for n in range(1, 9) if _needed(candidate, computing) <= _of_so_many(n, gpu, computing)]
        lacking = _needed(candidate, computing) - _of_so_many(8, gpu, computing)
        row = candidate.profile.elements == max(candidate.schedule.tile.values(), default=0)  # several were slower
        more = max(fitting, default=1) >= 5 and (not candidate.profile.turns or (row and lacking <= _LACKING))
        worth = {*(fitting[-2:] or [1]), *((8,) if more else ())}
        yield from ({"occupancy": occupancy} for occupancy in sorted(worth))
    elif candidate.profile.elements < _LONG:
        yield {"occupancy": 4}
    else:
        yield {"occupancy": 8}
        yield {"occupancy": 6}


def _of_so_many(occupancy: int, gpu: Gpu, computing: int) -> int:
    """The registers of a thread that computes, where so many tile blocks share a multiprocessor."""
    return _given(min(255, gpu.registers // (_THREADS * occupancy) // 8 * 8), _THREADS, computing)
