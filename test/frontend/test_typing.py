"""What type checkers say of kernels: the types of expressions, and errors in the lines that are marked, in no other."""

import json
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

KERNELS = Path(__file__).with_name("typed_kernels.py")


def test_checkers_know_dtypes_scalars_and_misuse(tmp_path: Path):
    shutil.copy(KERNELS, tmp_path)  # the checker's settings for the project leave it out: it has errors
    settings = {"typeCheckingMode": "strict", "extraPaths": [str(Path(__file__).parents[2] / "src")]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, "--outputjson", "-p", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found: dict[int, set[str]] = defaultdict(set)
    for item in json.loads(done.stdout)["generalDiagnostics"]:
        if item["severity"] == "error" and not item.get("rule", "").startswith("reportUnknown"):
            found[item["range"]["start"]["line"] + 1].add(f"{item.get('rule')}: {item['message']}")
    marks = re.compile(r"# error: (\w+)$")
    lines = KERNELS.read_text(encoding="utf-8").splitlines()
    marked = {n: m.group(1) for n, line in enumerate(lines, 1) if (m := marks.search(line)) is not None}
    assert len(marked) > 10
    wrong = {n: said for n, said in found.items() if marked.get(n) not in {text.partition(":")[0] for text in said}}
    assert not wrong, "\n".join(f"{n}: {lines[n - 1].strip()}\n    {said}" for n, said in wrong.items())
    assert found.keys() == marked.keys(), sorted(marked.keys() - found.keys())
