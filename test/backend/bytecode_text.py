"""Text of two printers made comparable: value names in order of appearance, one blank between words."""

import re

_NAME = re.compile(r"%[\w.$-]+")


def normalised(text: str) -> list[str]:
    """The words of a module's text, without its module line and comments, names replaced by numbers."""
    words: list[str] = []
    names: dict[str, str] = {}
    for line in text.splitlines():
        line = line.strip()
        if line.startswith(("//", "cuda_tile.module")):
            continue
        if line.startswith("entry"):  # names are of one kernel
            names = {}
        for name in _NAME.findall(line):
            names.setdefault(name, f"%{len(names)}")
        line = _NAME.sub(lambda match: names[match[0]], line)  # noqa: B023 -- used at once
        words += re.sub(r" ?= ?", "=", line).split()
    # Our text has a line for the module, whose closing brace is left over.
    return words[:-1] if text.lstrip().startswith("cuda_tile.module") else words
