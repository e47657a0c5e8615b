"""
Installs packages into the environment of the Python that runs this, with uv, or with pip where uv does not manage.

`python .ci/install.py -e '.[test]'` takes what `pip install` takes. uv resolves and unpacks in a fifth of pip's time.
It reads settings of its own, so pip's (its files and its variables) are handed on: both find the same packages in the
same places. Where there is a setting that this does not know, or uv ends with an error, pip is called, which says what
is wrong.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from importlib.util import find_spec

PIP = [sys.executable, "-m", "pip"]
HANDED_ON = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "cert": "SSL_CERT_FILE",
    "constraint": "UV_CONSTRAINT",
}
"""pip's settings, and the variables in which uv takes them."""

WITHOUT_MEANING = {
    *("default-timeout", "timeout", "retries", "cache-dir", "root-user-action", "require-virtualenv"),
    *("disable-pip-version-check", "no-color", "no-input", "no-warn-script-location", "progress-bar"),
}
"""Settings that change nothing of what is installed."""


def settings() -> dict[str, str] | None:
    """uv's variables for pip's settings; None where pip has one that uv is not told of here."""
    said = subprocess.run([*PIP, "config", "list"], capture_output=True, text=True, check=False)
    found: dict[str, str] = {}
    for line in said.stdout.splitlines():  # those of the environment come first: they count for more
        name, _, value = line.partition("=")
        section, _, key = name.rpartition(".")
        if key in WITHOUT_MEANING or section not in (":env:", "global", "install"):
            continue
        if key not in HANDED_ON:
            return None
        joined = "," if key == "find-links" else " "
        found.setdefault(HANDED_ON[key], joined.join(str(ast.literal_eval(value)).split()))
    return None if said.returncode else found


def with_uv(asked: list[str]) -> bool:
    """Whether uv is there and has installed what is asked for."""
    handed_on = settings() if find_spec("uv") else None
    if handed_on is None:
        return False
    # uv would take the first index that has a package at all; pip takes the best version of all of them.
    command = ["uv", "pip", "install", "--quiet", "--index-strategy", "unsafe-best-match", "--python", sys.executable]
    environment = {**handed_on, **os.environ}
    return not subprocess.run([sys.executable, "-m", *command, *asked], env=environment, check=False).returncode


def main() -> int:
    """Returns the status of whichever came last."""
    if with_uv(sys.argv[1:]):
        return 0
    # Nothing is compiled as it is installed: of 14,000 files those that are imported are, when they are for the first
    # time. uv does the same.
    options = ["--quiet", "--disable-pip-version-check", "--no-compile"]
    return subprocess.run([*PIP, "install", *options, *sys.argv[1:]], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
