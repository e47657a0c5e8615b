"""Locks of devices, also in a process that was forked while somebody held one; and what waits for an import."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from freehold.runtime.base import locks
from freehold.runtime.base.imported import once_imported
from freehold.runtime.base.locks import lock, under

DEVICE = 4711  # that no other test has


def others(device: int) -> bool:
    """Whether another thread gets a lock now."""
    got = threading.Event()

    def take() -> None:
        with lock(device):
            got.set()

    thread = threading.Thread(target=take, daemon=True)
    thread.start()
    thread.join(0.2)
    return got.is_set()


def test_a_lock_is_held_by_one_thread_which_may_take_it_again() -> None:
    assert lock(DEVICE) is lock(DEVICE)
    assert lock(DEVICE) is not lock(DEVICE + 1)
    with lock(DEVICE), lock(DEVICE):
        assert not others(DEVICE)
        assert others(DEVICE + 1)
    assert others(DEVICE)


def test_several_are_held_together() -> None:
    held = under([DEVICE, DEVICE + 1], lambda: [others(DEVICE), others(DEVICE + 1), others(DEVICE + 2)])
    assert held == [False, False, True]
    assert [others(DEVICE), others(DEVICE + 1)] == [True, True]
    assert under([], lambda: 5) == 5


def test_in_a_forked_process_nobody_holds_them() -> None:
    """What is called there, called here while another thread holds one: that thread would not be there."""
    taken, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with lock(DEVICE + 5):
            taken.set()
            leave.wait()

    thread = threading.Thread(target=hold, daemon=True)
    thread.start()
    taken.wait()
    assert not others(DEVICE + 5)
    locks._renew()  # pyright: ignore[reportPrivateUsage] -- what a fork calls
    assert others(DEVICE + 5)


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """`module(name, text)` is a module that can be imported."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])

    def make(name: str, text: str) -> None:
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.delitem(sys.modules, name, raising=False)

    return make


def test_what_waits_for_an_import_is_done_once_it_is_loaded(module: Callable[[str, str], None]) -> None:
    module("waited_for", "value = 7")
    done: list[str] = []
    before = len(sys.meta_path)
    once_imported("waited_for", lambda: done.append(f"first {sys.modules['waited_for'].value}"))
    once_imported("waited_for", lambda: done.append("second"))
    assert len(sys.meta_path) == before + 2
    module("another", "")
    __import__("another")
    assert done == []
    assert __import__("waited_for").value == 7
    assert sorted(done) == ["first 7", "second"]
    assert len(sys.meta_path) == before
    once_imported("waited_for", lambda: done.append("at once"))
    assert done[2:] == ["at once"]
    del sys.modules["waited_for"]
    __import__("waited_for")
    assert len(done) == 3


def test_a_module_that_there_is_not_is_not_waited_for_in_vain(module: Callable[[str, str], None]) -> None:
    done: list[str] = []
    once_imported("nobody_has_this_module", lambda: done.append("loaded"))
    with pytest.raises(ModuleNotFoundError, match="nobody_has_this_module"):
        __import__("nobody_has_this_module")
    assert done == []


def test_a_package_without_a_file_is_imported_as_ever(
    module: Callable[[str, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "spread_out").mkdir()
    monkeypatch.delitem(sys.modules, "spread_out", raising=False)
    once_imported("spread_out", lambda: None)
    found = __import__("spread_out").__spec__
    assert isinstance(found, ModuleSpec)
    assert found.submodule_search_locations is not None
