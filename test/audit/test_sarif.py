"""What an audit is as data, and as a SARIF log: whole, of kernels that are faulty, not decided, idle and safe."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from test_page import FAULTY, IDLE, SAFE, UNKNOWN

from freehold.audit.sarif import log, plain

ALL = [FAULTY, UNKNOWN, IDLE, SAFE]


def test_all_of_a_log(golden: Callable[[Path, str], None]) -> None:
    """`--update-golden` writes it anew."""
    (run,) = log(ALL, "k.mlir")["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == list(dict.fromkeys(result["ruleId"] for result in run["results"]))
    said = {"log": log(ALL, "k.mlir"), "data": [plain(found) for found in ALL]}
    golden(Path(__file__).with_name("log.json"), json.dumps(said, indent=1))
