"""
Programs as forks of a process that has imported already what they begin with.

Starting Python and importing torch, NumPy and the compiler takes longer than most programs that tests run. A fork is a
process of its own still, with its own arguments, environment, standard streams and exit status. `Forks` starts a
server, which imports modules and waits; `run` makes it fork, and the fork becomes the program. `grown` makes it fork a
server that imports more. A server imports and does nothing else, so that it has no thread that a fork would lack.
Where a fresh interpreter is what is tested, or the platform has no `fork`, tests start one.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import socket
import subprocess
import sys
import tempfile
import threading
import types
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from select import select
from shutil import rmtree
from typing import Any

COMPILER = (
    *(f"freehold.{room}.*" for room in ("support", "dialects", "frontend", "passes", "backend")),
    "freehold.runtime.errors.*",
)
"""The rooms below the runtime, and its errors: of these, nothing depends on the environment as it is imported."""


class Forks:
    """A server for programs that begin with these imports (`room.*`: all of a package), with options of Python's."""

    def __init__(
        self,
        imports: Sequence[str],
        environment: Mapping[str, str],
        options: Sequence[str] = (),
        origin: Forks | None = None,
    ) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="forks-"))  # not a test's own: addresses have to be short
        self._address = str(self._folder / "server")
        self._origin = origin  # which lives as long as this
        if origin is not None:
            weakref.finalize(self, _ended, None, self._folder, os.getpid())
            origin._ask({"serve": self._address, "imports": imports})
            return
        command = [sys.executable, *options, __file__, self._address, *imports]
        # It ends when the pipe that it reads ends: when this process does, however it does.
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stdout.read() == b"ready", "the server of forks did not start"
        server.stdout.close()
        weakref.finalize(self, _ended, server, self._folder, os.getpid())

    def grown(self, *imports: str) -> Forks:
        """A server that has imported more."""
        return Forks(imports, {}, origin=self)

    def run(
        self, command: Sequence[str], environment: Mapping[str, str], folder: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Runs a program, the first word of a command, and returns what it wrote and its status."""
        streams = [self._folder / name for name in ("output", "errors")]
        asked = {
            "command": list(command),
            "environment": dict(environment),
            "folder": str(folder or Path.cwd()),
            "streams": [str(stream) for stream in streams],
        }
        status: int = self._ask(asked)["status"]
        output, errors = (stream.read_text(encoding="utf-8", errors="replace") for stream in streams)
        return subprocess.CompletedProcess(command, status, output, errors)

    def _ask(self, question: Mapping[str, Any]) -> Any:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(self._address)
            with line.makefile("rw", encoding="utf-8") as file:
                file.write(json.dumps(question) + "\n")
                file.flush()
                answer = file.readline()
        assert answer, "the server of forks ended"
        return json.loads(answer)


def _ended(server: subprocess.Popen[bytes] | None, folder: Path, owner: int) -> None:
    if os.getpid() != owner:  # a fork of a test's, which leaves servers to whom they belong
        return
    if server is not None:
        assert server.stdin is not None
        server.stdin.close()
        server.kill()  # it waits to be asked; a fork of a test's may hold the pipe open
        server.wait()
    rmtree(folder)


def load(names: Sequence[str]) -> None:
    """Imports modules, and all of a package for `package.*`."""
    for name in names:
        package = importlib.import_module(name.removesuffix(".*"))
        if name.endswith(".*"):
            for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
                importlib.import_module(found.name)


def imported(names: Sequence[str]) -> None:
    """Imports them for whatever is forked."""
    load(names)
    assert threading.active_count() == 1, "a module has started a thread, which a fork would lack"
    gc.collect()
    gc.freeze()  # a collection in a fork would copy every page of what is here already


def listening(address: str) -> socket.socket:
    """Where a server is asked."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen()
    return listener


def serve(listener: socket.socket) -> dict[str, Any] | None:
    """Answers until nobody is left to ask, and returns None then; returns to each fork what it was asked for."""
    while True:
        ready, _, _ = select([0, listener], [], [])
        if 0 in ready:
            listener.close()
            return None
        line = listener.accept()[0]
        with line, line.makefile("rw", encoding="utf-8") as file:
            asked = json.loads(file.readline())
            child = os.fork()
            if not child and "serve" not in asked:
                listener.close()
                return asked
            if not child:
                listener.close()
                listener = listening(asked["serve"])
                imported(asked["imports"])
                answer = {}
            elif "serve" in asked:
                continue  # it answers when it has imported
            else:
                answer = {"status": os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}
            file.write(json.dumps(answer) + "\n")


def become(command: Sequence[str], environment: Mapping[str, str], folder: str, streams: Sequence[str]) -> None:
    """Makes of this process what Python makes of one that is started with a program."""
    names = (os.devnull, *streams)
    for number, name in enumerate(names):
        opened = os.open(name, os.O_RDWR | (os.O_CREAT | os.O_TRUNC if number else 0), 0o600)
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = list(command)
    sys.path[0] = str(Path(command[0]).parent)
    program = types.ModuleType("__main__")
    program.__file__ = command[0]
    sys.modules["__main__"] = program
    exec(compile(Path(command[0]).read_bytes(), command[0], "exec"), program.__dict__)


def main() -> None:
    """The server's; and that of every program."""
    address, *names = sys.argv[1:]
    listener = listening(address)
    imported(names)
    os.write(1, b"ready")
    os.close(1)
    os.dup2(2, 1)
    asked = serve(listener)
    if asked is None:
        os._exit(0)  # there is nothing to be tidied up, of which there is much
    become(**asked)


if __name__ == "__main__":
    main()
