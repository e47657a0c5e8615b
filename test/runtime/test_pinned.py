"""What is kept of a kernel is of what runs: keys and kernels are made of one snapshot of the source."""

from __future__ import annotations

import hashlib
import importlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import UnitAttr

import freehold as fh
from freehold.backend import cache
from freehold.passes.analysis.digest import digest
from freehold.runtime.deploy.package import MANIFEST
from freehold.runtime.deploy.package import digest as package_digest
from freehold.runtime.variants import build

pytest.importorskip("cuda.core")

Found = tuple[str, bool]
"""The cubin that a kernel has, and whether it came from the cache."""


def assembled(code: bytes, arch: str, kernel: str, meanwhile: Callable[[], None] | None = None) -> bytes:
    """What stands for a cubin: equal for equal bytecode."""
    if meanwhile is not None:
        meanwhile()
    return hashlib.sha256(code + arch.encode() + kernel.encode()).digest()


class Project:
    """Python files that are imported, edited, and imported anew, as if each time by another process."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch):
        self.root = root
        self.compilations = 0
        monkeypatch.setattr(sys, "path", [str(root), *sys.path])
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        monkeypatch.setenv(cache.VARIABLE, str(root / "kept"))
        monkeypatch.setattr(cache, "identity", lambda: "an assembler")
        monkeypatch.setattr(build, "assembled", self._assembled)

    def _assembled(self, *arguments: Any) -> bytes:
        self.compilations += 1
        return assembled(*arguments)

    def write(self, **files: str) -> None:
        """Writes files, whose names have `_` for `/`."""
        for name, text in files.items():
            path = self.root / f"{name.replace('_', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def kernel(self) -> Any:
        """The kernel `k` of the module `user`, imported anew."""
        for name in [n for n in sys.modules if n.partition(".")[0] in ("user", "pkg")]:
            del sys.modules[name]
        importlib.invalidate_caches()
        return importlib.import_module("user").k

    def compiled(self, kernel: Any, *more: Any) -> Found:
        """The GPU code of a kernel of one array."""
        before = self.compilations
        made = kernel.compile(fh.partition(np.ones(64, np.float32), 64), *more, arch="sm_90")
        return made.cubin.hex(), self.compilations == before


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    yield Project(tmp_path, monkeypatch)
    for name in [n for n in sys.modules if n.partition(".")[0] in ("user", "pkg")]:
        del sys.modules[name]


KERNEL = """
import freehold as fh
from freehold import Mut
{imports}

@fh.kernel
def k(y: Mut["N"]):
    {body}
"""


def kernel(body: str, imports: str = "") -> str:
    """The text of a module with a kernel."""
    return KERNEL.format(body=body, imports=imports)


def scaling(factor: int) -> str:
    """The text of a module with a helper."""
    return f"def scale(t):\n    return t * {factor}\n"


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("import pkg.ops", "pkg.ops.scale"),
        ("import pkg.inner.ops", "pkg.inner.ops.scale"),
        ("from pkg import ops", "ops.scale"),
        ("from pkg.ops import scale", "scale"),
        ("import pkg.inner.ops as deep", "deep.scale"),
    ],
)
def test_helpers_are_part_of_the_key_wherever_they_stand(project: Project, imports: str, call: str) -> None:
    where = "pkg_inner_ops" if "inner" in imports else "pkg_ops"
    project.write(user=kernel(f"y.store({call}(y.load()))", imports), **{where: scaling(2)})
    two, _ = project.compiled(project.kernel())
    assert project.compiled(project.kernel()) == (two, True)
    project.write(**{where: scaling(1000)})
    thousand, found = project.compiled(project.kernel())
    assert not found
    assert thousand != two
    project.write(**{where: scaling(2)})
    assert project.compiled(project.kernel()) == (two, True)


@pytest.mark.parametrize(
    "body",
    ["p = ops\n    y.store(p.scale(y.load()))", "y.store(through(ops, y.load()))"],
    ids=["another name", "an argument"],
)
def test_what_the_key_did_not_follow_is_not_kept(project: Project, body: str) -> None:
    imports = "from pkg import ops\n\ndef through(module, t):\n    return module.scale(t)\n"
    project.write(pkg_ops=scaling(2), user=kernel(body, imports))
    two, _ = project.compiled(project.kernel())
    project.write(pkg_ops=scaling(1000))
    thousand, found = project.compiled(project.kernel())
    assert not found
    assert thousand != two


def test_a_file_that_is_edited_after_it_was_imported(project: Project) -> None:
    twice, thousandfold = (kernel(f"y.store(y.load() * {factor})") for factor in (2, 1000))
    project.write(user=twice)
    old = project.kernel()
    project.write(user=thousandfold)
    with pytest.raises(fh.Rejected) as caught:
        project.compiled(old)
    assert caught.value.codes == ("O001",)
    assert "changed after it was imported" in str(caught.value)
    assert "= help: import its module again (`importlib.reload`), or start Python anew" in str(caught.value)
    assert "notebook" not in str(caught.value)
    thousand, _ = project.compiled(project.kernel())
    project.write(user=twice)
    two, found = project.compiled(project.kernel())
    assert not found
    assert two != thousand
    y = np.ones(64, np.float32)
    project.kernel()(fh.partition(y, 64)).sync()
    assert y[0] == 2.0


def test_a_helper_that_is_edited_after_it_was_imported(project: Project) -> None:
    project.write(pkg_ops=scaling(2), user=kernel("y.store(scale(y.load()))", "from pkg.ops import scale"))
    old = project.kernel()
    project.write(pkg_ops=scaling(1000))
    with pytest.raises(fh.Rejected) as caught:
        project.compiled(old)
    assert "changed after it was imported" in str(caught.value)


def test_what_an_edit_left_alone_is_compiled(project: Project) -> None:
    text = kernel("y.store(y.load() * 2)")
    project.write(user=text)
    old = project.kernel()
    project.write(user=text + "\n# more\nother = 1\n")
    assert not project.compiled(old)[1]


def test_the_values_of_enumerations_are_part_of_the_key(project: Project) -> None:
    def mode(value: int) -> str:
        text = kernel("y.store(y.load() * m.value)", f"from enum import Enum\nclass Mode(Enum):\n    A = {value}")
        return text.replace('y: Mut["N"]', 'y: Mut["N"], m: fh.Const[Mode]')

    cubins: list[str] = []
    for value in (2, 3):
        project.write(user=mode(value))
        made = project.kernel()
        cubins.append(project.compiled(made, sys.modules["user"].Mode.A)[0])
    assert len(set(cubins)) == 2


# --- What is made of verified IR says of which ------------------------------------------------------------------------


def test_an_artefact_carries_the_digest_of_its_ir(project: Project) -> None:
    project.write(user=kernel("y.store(y.load() * 2)"))
    arguments = fh.partition(np.ones(64, np.float32), 64)
    for _ in range(2):  # compiled, and found
        made = project.kernel()
        compiled = made.compile(arguments, arch="sm_90")
        assert compiled.contract.verified == digest(made.verify(arguments))
    assert project.compilations == 1


def test_what_was_made_of_other_ir_is_compiled_anew(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def one_for_all(_: Sequence[str | bytes]) -> bytes:
        return bytes(32)

    monkeypatch.setattr(cache, "key_of", one_for_all)
    project.write(user=kernel("y.store(y.load() * 2)"))
    two, _ = project.compiled(project.kernel())
    project.write(user=kernel("y.store(y.load() * 3)"))
    unseen = project.kernel()
    assert project.compiled(unseen) == (two, True)  # the digest is all that could tell
    looked_at = project.kernel()
    looked_at(fh.partition(np.ones(64, np.float32), 64)).sync()
    three, found = project.compiled(looked_at)
    assert not found
    assert three != two


def test_equal_ir_has_one_digest_and_other_ir_another(project: Project) -> None:
    arguments = fh.partition(np.ones(64, np.float32), 64)
    digests: list[str] = []
    for body in (
        "y.store(y.load() * 2)",
        "z = y.load()\n    y.store(z * 2)",
        "y.store(y.load() * 3)",
        "y.store(2 * y.load())",
    ):
        project.write(user=kernel(body))
        module = project.kernel().verify(arguments)
        assert digest(module) == digest(module.clone())
        digests.append(digest(module))
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3
    for op in list(module.walk()):
        before = digest(module)
        op.attributes["extra"] = UnitAttr()
        assert digest(module) != before


def test_code_of_a_package_is_of_its_contracts_ir(project: Project) -> None:
    project.write(user=kernel("y.store(y.load() * 2)"))
    made = project.kernel()
    launches = [made(fh.partition(np.ones(64, np.float32), tile)) for tile in (32, 64)]
    path = fh.build(launches, archs=["sm_90"], path=project.root / "package", general=False)
    manifest = json.loads((path / MANIFEST).read_text())
    first, second = manifest["kernels"][0]["variants"]
    first["bytecode"], first["cubins"] = second["bytecode"], second["cubins"]
    manifest["sha256"] = package_digest(manifest)
    (path / MANIFEST).write_text(json.dumps(manifest))
    loaded = fh.load(path)["k"]
    y = np.ones(64, np.float32)
    loaded(fh.partition(y, 64)).sync()
    assert y[0] == 2.0
    with pytest.raises(fh.Rejected) as caught:
        loaded(fh.partition(y, 32)).sync()
    assert caught.value.codes == ("O273",)
    with pytest.raises(fh.Rejected, match="other IR"):
        loaded.compiled(loaded.bound(fh.partition(y, 32)).specialisation, "sm_90")
