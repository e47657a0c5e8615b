"""The cache of compiled kernels: what is kept, what damage does, and what a hit leaves unloaded."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from freehold.backend import cache

pytest.importorskip("cuda.core")

ENTRY = cache.Entry('{"symbol": "k"}', b"\x7fELF" + bytes(range(256)), "13.5.37")
KEY = cache.key_of(["a kernel"])


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> cache.KernelCache:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "kernels"))
    found = cache.open_cache()
    assert found is not None
    return found


def files(store: cache.KernelCache) -> list[Path]:
    return [path for path in (store.root / "entries").rglob("*") if path.is_file()]


def test_what_is_stored_is_found_again(store: cache.KernelCache) -> None:
    assert store.load(KEY) is None
    store.store(KEY, ENTRY)
    assert store.load(KEY) == ENTRY
    assert cache.KernelCache(store.root).load(KEY) == ENTRY
    assert store.load(cache.key_of(["another kernel"])) is None


def test_an_entry_under_another_key_is_not_found(store: cache.KernelCache) -> None:
    other = cache.key_of(["another kernel"])
    store.store(KEY, ENTRY)
    store.store(other, ENTRY)
    one, two = files(store)
    one.write_bytes(two.read_bytes())
    assert sorted((store.load(KEY) is None, store.load(other) is None)) == [False, True]


def test_the_directory_is_the_owners_alone(store: cache.KernelCache) -> None:
    assert store.root.stat().st_mode & 0o777 == 0o700


def test_parts_of_a_key_do_not_run_together() -> None:
    assert cache.key_of(["ab", "c"]) != cache.key_of(["a", "bc"]) != cache.key_of(["abc"])


@pytest.mark.parametrize("damage", ["cut short", "emptied", "a bit", "another file"])
def test_a_damaged_entry_is_no_entry(store: cache.KernelCache, damage: str) -> None:
    store.store(KEY, ENTRY)
    (path,) = files(store)
    data = path.read_bytes()
    middle = len(data) // 2
    changed = {
        "cut short": data[:-1],
        "emptied": b"",
        "a bit": data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
        "another file": b"\x7fELF" * 100,
    }
    path.write_bytes(changed[damage])
    assert store.load(KEY) is None
    store.store(KEY, ENTRY)
    assert store.load(KEY) == ENTRY


def test_an_unwritable_directory_is_one_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "a file"
    blocked.write_text("in the way")
    monkeypatch.setenv(cache.VARIABLE, str(blocked / "kernels"))
    with pytest.warns(cache.CacheWarning, match="kernels are not cached on disk"):
        assert cache.open_cache() is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cache.open_cache() is None


def test_a_directory_that_others_may_write_to_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    monkeypatch.setenv(cache.VARIABLE, str(shared))
    with pytest.warns(cache.CacheWarning, match="can be written by others"):
        assert cache.open_cache() is None
    assert list(shared.iterdir()) == []


def test_a_failing_write_is_a_warning(store: cache.KernelCache, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.warns(cache.CacheWarning, match="No space left"):
        store.store(KEY, ENTRY)
    assert store.load(KEY) is None


def test_keys_and_entries_byte_by_byte() -> None:
    """What processes of other days have written is found; of another form, nothing is."""
    parts = ["a", b"\x00\xff", ""]
    spelled = [b"2", b"a", b"\x00\xff", b""]
    data = b"".join(len(part).to_bytes(8, "little") + part for part in spelled)
    assert cache.key_of(parts) == hashlib.sha256(data).digest()
    head = b'{"contract":"c","assembler":"d"}'
    body = len(head).to_bytes(4, "little") + head + b"code"
    packed = b"freehold-kernel-2\n" + hashlib.sha256(b"key" + body).digest() + body
    assert cache._packed(cache.Entry("c", b"code", "d"), b"key") == packed  # pyright: ignore[reportPrivateUsage]
    assert cache._unpacked(packed, b"key") == cache.Entry("c", b"code", "d")  # pyright: ignore[reportPrivateUsage]
    for at in range(len(packed)):
        damaged = packed[:at] + bytes([packed[at] ^ 1]) + packed[at + 1 :]
        assert cache._unpacked(damaged, b"key") is None  # pyright: ignore[reportPrivateUsage]


def test_room_is_asked_for_where_something_is_added(store: cache.KernelCache, monkeypatch: pytest.MonkeyPatch) -> None:
    """And once: it takes a look at everything that is there."""
    made = cache._program_cache  # pyright: ignore[reportPrivateUsage]
    asked: list[dict[str, int]] = []

    def noted(root: Path, **options: int) -> object:
        asked.append(options)
        return made(root, **options)

    monkeypatch.setattr(cache, "_program_cache", noted)
    store.load(KEY)
    assert asked == []
    store.store(KEY, ENTRY)
    store.store(KEY, ENTRY)
    assert asked == [{"max_size_bytes": 2 * 1024**3}]


def test_what_cannot_be_read_is_no_entry(store: cache.KernelCache, monkeypatch: pytest.MonkeyPatch) -> None:
    class Unreadable:
        def __init__(self, error: Exception) -> None:
            self.error = error

        def get(self, key: bytes) -> bytes:
            raise self.error

    for error in (PermissionError("not yours"), ValueError("no key")):
        monkeypatch.setattr(store, "_readable", Unreadable(error))
        assert store.load(KEY) is None


@pytest.mark.parametrize(
    ("named", "xdg", "home", "place"),
    [
        ("named", "xdg", "home", "named"),
        (None, "xdg", "home", "xdg/freehold/kernels"),
        (None, None, "home", "home/.cache/freehold/kernels"),
        (None, "", "home", "home/.cache/freehold/kernels"),
    ],
)
def test_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str | None, xdg: str | None, home: str, place: str
) -> None:
    for variable, value in ((cache.VARIABLE, named), ("XDG_CACHE_HOME", xdg), ("HOME", home)):
        if value is None:
            monkeypatch.delenv(variable, raising=False)
        else:
            monkeypatch.setenv(variable, str(tmp_path / value) if value else "")
    found = cache.open_cache()
    assert found is not None
    assert found.root == tmp_path / place
    assert found.root.is_dir()
    assert cache.open_cache() is found


@pytest.mark.parametrize(("mode", "used"), [(0o700, True), (0o755, True), (0o720, False), (0o702, False)])
def test_who_may_write_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, used: bool) -> None:
    root = tmp_path / "kernels"
    root.mkdir()
    root.chmod(mode)
    monkeypatch.setenv(cache.VARIABLE, str(root))
    said = f"kernels are not cached on disk: {root} can be written by others, so no kernels are kept there"
    with nullcontext() if used else pytest.warns(cache.CacheWarning, match=f"^{re.escape(said)}$"):
        assert (cache.open_cache() is not None) is used


def test_a_directory_of_another_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "kernels"))
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    with pytest.warns(cache.CacheWarning, match="can be written by others"):
        assert cache.open_cache() is None


@pytest.mark.parametrize(("allowed", "used"), [(7, True), (5, False), (6, False), (4, False)])
def test_what_may_be_done_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: int, used: bool) -> None:
    """To write and to enter: whoever is root may do all of it."""
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "kernels"))
    monkeypatch.setattr(os, "access", lambda path, mode: mode & allowed == mode)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] -- a stand-in
    said = re.escape(f"{tmp_path / 'kernels'} cannot be written")
    with nullcontext() if used else pytest.warns(cache.CacheWarning, match=f": {said}$"):
        assert (cache.open_cache() is not None) is used


def test_without_cuda_core_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> None:
        raise ImportError("no module named cuda")

    monkeypatch.setattr(cache, "_program_cache", missing)
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "kernels"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cache.open_cache() is None


def test_each_problem_is_said_once(tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for name in ("a", "b", "a", "b"):
            cache._warn(f"{tmp_path / name}: no")  # pyright: ignore[reportPrivateUsage]
    assert [str(each.message) for each in said] == [
        f"kernels are not cached on disk: {tmp_path / name}: no" for name in ("a", "b")
    ]


def test_set_but_empty_means_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, "")
    assert cache.open_cache() is None


def test_identity_agrees_with_the_assembler_that_is_found() -> None:
    from freehold.backend.assembler import find_assembler
    from freehold.support.diagnostic import Rejected

    try:
        found = find_assembler()
    except Rejected:
        assert cache.identity() is None
        return
    identity = cache.identity()
    assert identity == found.package_version or str(identity).startswith(f"{found.path}:")


def test_the_compilers_files_are_looked_up_once(tmp_path: Path) -> None:
    """A process compiles by the files that it began with, whatever becomes of them, and asks once for each release."""
    (tmp_path / "passes").mkdir()
    file = tmp_path / "passes" / "some.py"
    file.write_text("1")
    first = cache.compiler_identity(str(tmp_path), "1.0")
    file.write_text("1 + 1")
    assert cache.compiler_identity(str(tmp_path), "1.0") == first
    assert cache.compiler_identity(str(tmp_path), "1.1") not in (first, first.replace("1.0", "1.1"))


def test_what_the_compiler_is_known_by(tmp_path: Path) -> None:
    """Its release, and how many files of Python its rooms have, how large they are, and the time of the newest."""
    times = {
        "support/a.py": 5,
        "passes/deep/er/b.py": 9,
        "backend/__init__.py": 7,
        "dialects/x.py": 1,
        "frontend/x.py": 2,
    }
    others = {"runtime/c.py": 20, "passes/__pycache__/d.py": 21, "passes/notes.txt": 22}
    for number, (name, time) in enumerate({**times, **others}.items(), 1):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x" * 2**number)
        os.utime(file, ns=(time, time))
    assert cache.compiler_identity(str(tmp_path), "2.0") == "2.0:5:62:9"
    assert cache.compiler_identity(str(tmp_path / "nothing"), "2.0") == "2.0:0:0:0"


def test_identity_of_a_program_changes_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "tileiras"
    program.write_text("one")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.setenv("FREEHOLD_TILEIRAS", str(program))
    first = cache.identity()
    assert first is not None
    assert first.startswith(str(program))
    program.write_text("another")
    cache._identity.cache_clear()  # pyright: ignore[reportPrivateUsage] -- a process sees one program
    assert cache.identity() not in (None, first)


PROGRAM = """
import sys

import numpy as np

import freehold as fh
from freehold import Const, Mut, Ref, f32

STEP = int(sys.argv[2]) if len(sys.argv) > 2 else 2

def step(t):
    return t * STEP

@fh.kernel
def saxpy(y: Mut["N"], x: Ref["N"], a: f32, K: Const[float] = 1.0):
    y.store(a * x.load_like(y) + step(y.load()) * K)

y, x = np.zeros(100, np.float32), np.ones(100, np.float32)
made = saxpy.compile(fh.partition(y, 64), x, 2.0, float(sys.argv[1]), arch="sm_90")
assert made.cubin[:4] == b"\\x7fELF" and made.contract.symbol == "saxpy"
lowered = "freehold.frontend.lower" in sys.modules
assert lowered == ("freehold.backend.assembler" in sys.modules) == ("xdsl" in sys.modules)
print("compiled" if lowered else "found")
"""


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., str]:
    """`run(*arguments)` runs the program in a new process and returns what it says: compiled, or found."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, cache.VARIABLE: str(tmp_path / "kernels")}

    def call(*arguments: str) -> str:
        command = [sys.executable, "-W", "error", str(program), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return call


def test_a_hit_in_a_new_process_runs_no_part_of_the_compiler(run: Callable[..., str], tmp_path: Path) -> None:
    assert run("1.0") == "compiled"
    assert run("1.0") == "found"
    assert run("1.5") == "compiled"  # another compile-time argument
    assert run("1.0", "3") == "compiled"  # another value of a global that a helper reads
    assert run("1.0") == "found"
    for path in (tmp_path / "kernels" / "entries").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-7])
    assert run("1.0") == "compiled"  # a damaged entry is made again
    assert run("1.0") == "found"
