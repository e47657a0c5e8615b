"""Text of two printers made comparable: value names in order of definition, one blank between words."""

import re

_NAME = r"%[\w.$-]+"
_DEFINED = (
    re.compile(rf"^(?:{_NAME}(?::\d+)?(?:, )?)+(?= = )"),  # the results of an operation
    re.compile(rf"(?<=[(, ]){_NAME}(?=: )"),  # the arguments of a kernel or a combiner
    re.compile(rf"(?<=for ){_NAME}|(?<=for unsigned ){_NAME}"),
    re.compile(rf"(?<=[(, ]){_NAME}(?= = {_NAME}[,)])"),  # what a loop carries
)


def normalised(text: str) -> list[str]:
    """
    The words of a module's text, without its module line and comments, names replaced by numbers.

    A name that is defined again, as in two regions beside each other, is another one from there on.
    """
    words: list[str] = []
    names: dict[str, str] = {}
    count = 0
    for line in text.splitlines():
        line = line.strip()
        if line.startswith(("//", "cuda_tile.module")):
            continue
        for pattern in _DEFINED:
            for definition in pattern.finditer(line):
                for name in re.findall(_NAME, definition[0]):
                    names[name] = f"%{count}"
                    count += 1
        line = re.sub(_NAME, lambda match: names.get(match[0], match[0]), line)
        words += re.sub(r" ?= ?", "=", line).split()
    # Our text has a line for the module, whose closing brace is left over.
    return words[:-1] if text.lstrip().startswith("cuda_tile.module") else words
