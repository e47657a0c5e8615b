"""Commands of a user's that judge a module: given a file, they succeed or fail. The one place of the tools that starts
them."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Check:
    """A command on a file: `{}` in it is the file's name, which goes at the end where there is none."""

    command: str
    time_limit: float = 60.0
    """Seconds after which it counts as failed."""
    says: str = ""
    """Text that its output must have for a failure to count: another failure is another fault."""

    def fails(self, data: bytes, suffix: str = ".mlir") -> bool:
        """Whether the command fails on this input, with what it should say."""
        handle, name = tempfile.mkstemp(prefix="freehold-", suffix=suffix)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            quoted = shlex.quote(name)
            line = self.command.replace("{}", quoted) if "{}" in self.command else f"{self.command} {quoted}"
            try:
                done = subprocess.run(
                    line,
                    shell=True,
                    capture_output=True,
                    stdin=subprocess.DEVNULL,
                    timeout=self.time_limit,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return not self.says
            if done.returncode == 127:
                raise FileNotFoundError(done.stderr.decode(errors="replace").strip())
            said = (done.stdout + done.stderr).decode(errors="replace")
            return done.returncode != 0 and self.says in said
        finally:
            Path(name).unlink(missing_ok=True)
