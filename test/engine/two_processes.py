"""What models answer, told by one process and then by two that share each; these are forks. See test_ranks.py."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import freehold as fh
from freehold.engine import Engine, Sampling
from freehold.engine.engine import follow
from freehold.engine.ranks import Ranks
from freehold.kernels import serving

PROMPTS = [[5, 6, 7], list(range(20, 59)), [9] * 33]
FEW: Any = 4
"""Multiprocessors, so that attention is cut into few parts: interpreted, more of them only take longer."""
OPTIONS: dict[str, Any] = {"device": fh.HOST, "tokens": 64, "sequences": 4, "pages": 24}


def answers(folder: Path, ranks: Ranks) -> list[list[int]]:
    """What a model says, some of it drawn by chance."""
    with Engine(folder, **OPTIONS, ahead=True, ranks=ranks) as engine:
        greedy = engine.generate(PROMPTS, Sampling(max_tokens=4, temperature=0, ignore_eos=True))
        drawn = engine.generate(PROMPTS, Sampling(max_tokens=3, seed=3, frequency_penalty=0.5, ignore_eos=True))
    return [list(c.tokens) for c in (*greedy, *drawn)]


def shared(folders: list[Path]) -> None:
    """Answers of each model, as one of the processes that share it."""
    ranks = Ranks.joined(fh.HOST)
    for folder in folders:
        if ranks.leads:
            print(json.dumps(answers(folder, ranks)), flush=True)
        else:
            follow(folder, ranks, **OPTIONS)
    ranks.leave()


def main() -> None:
    """For each of the folders, of one process first, which compiles for all: torchrun's own launcher forks the two."""
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    serving.PROCESSORS = FEW
    folders = [*map(Path, sys.argv[1:])]
    for folder in folders:
        print(json.dumps(answers(folder, Ranks())), flush=True)
    meeting: dict[str, Any] = {"rdzv_backend": "c10d", "rdzv_endpoint": "localhost:0"}
    config = LaunchConfig(1, 1, 2, **meeting, max_restarts=0, start_method="fork")
    elastic_launch(config, shared)(folders)


if __name__ == "__main__":
    main()
