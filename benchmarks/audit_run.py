"""Runs tests or a program while `benchmarks.audit_plugin` writes down its launches; `benchmarks.audit_peers` starts it.

A file of its own, started by its path, because no folder of ours may be where the program looks for its modules.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import audit_plugin  # noqa: E402

del sys.path[0]

if __name__ == "__main__":
    kind, *arguments = sys.argv[1:]
    if kind == "program":
        sys.exit(audit_plugin.program(arguments))
    import pytest

    sys.exit(pytest.main(arguments, plugins=[audit_plugin]))
