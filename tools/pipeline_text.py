"""
Pipelines as they are written on a command line: `verify-borrows,canonicalize,mlir{canonicalize,cse}`.

Nested as MLIR writes them, `builtin.module(cuda_tile.module(canonicalize,cse))`, the inner passes run on each operation
of that name, alone. `@FILE` is a pipeline in a file, where `#` and `//` begin comments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING

from freehold.support.diagnostic import Error, Rejected
from freehold.support.report import Argument
from freehold.tools.errors import NoPass, NoPipeline

if TYPE_CHECKING:
    from xdsl.passes import ModulePass

_QUOTES = "'"  # around types that a module with postponed annotations has as text

PassFactories = Mapping[str, "Callable[[], type[ModulePass]]"]
"""Passes by name, each imported when its factory is called."""


def _mlir() -> type[ModulePass]:
    from freehold.tools.mlir_pass import MlirPass

    return MlirPass


def available_passes() -> PassFactories:
    """The passes of Freehold, and `mlir{...}`."""
    from freehold.passes.registry import ALL_PASSES

    return {**ALL_PASSES, "mlir": _mlir}


def split_pipeline(text: str) -> list[str]:
    """The items of a pipeline: what stands between commas outside brackets and quotes, without blanks around it."""
    items: list[str] = [""]
    depth, quoted = 0, False
    for char in text:
        quoted ^= char == '"'
        if not quoted:
            depth += (char in "{(") - (char in "})")
            if char == "," and depth == 0:
                items.append("")
                continue
        items[-1] += char
    items = [item.strip() for item in items]
    return [] if items == [""] else items


def parse_pipeline(text: str, factories: PassFactories | None = None, tool: str = "tile-opt") -> list[ModulePass]:
    """
    The passes that a pipeline names, with their options, in order; `@FILE` names a file that holds one.

    Raises `Rejected` with every unknown pass (O504) and every item that cannot be read (O505, O506).
    """
    factories = available_passes() if factories is None else factories
    if text.startswith("@"):
        text = _in_file(text[1:], tool)
    items = split_pipeline(text)
    if len(items) == 1 and (match := _NESTED.fullmatch(items[0])) and match[1] == "builtin.module":
        items = split_pipeline(match[2])  # MLIR's pipelines name the module that they begin at
    passes: list[ModulePass] = []
    errors: list[Error] = []
    for item in items:
        try:
            passes += _parse_nested(item, factories, tool, ())
        except Rejected as rejected:
            errors += rejected.errors
    if errors:
        raise Rejected(errors)
    return passes


_NESTED = re.compile(r"([a-z_][\w.]*)\s*\((.*)\)", re.DOTALL)
_REMARK = re.compile(r"(?:#|//).*")
_LAST_COMMA = re.compile(r",\s*\)")


def _in_file(name: str, tool: str) -> str:
    from freehold.tools import files

    data, _ = files.read(name, tool)
    text = _REMARK.sub("", files.decoded(data, name, tool)).strip().removesuffix(",")
    return _LAST_COMMA.sub(")", text)


def _parse_nested(item: str, factories: PassFactories, tool: str, anchors: tuple[str, ...]) -> list[ModulePass]:
    """The passes of one item, which may be a pipeline for the operations of a name."""
    match = _NESTED.fullmatch(item)
    if match is None:
        found = _parse_item(item, factories, tool)
        if not anchors:
            return [found]
        from freehold.tools.pass_nesting import NestedPass

        return [NestedPass(found, anchors)]
    inner = split_pipeline(match[2])
    if "." not in match[1] and match[1] != "any":
        raise Rejected([NoPipeline(Argument("-p", tool), item, f"`{match[1]}` is the name of no operation")])
    return [each for part in inner for each in _parse_nested(part, factories, tool, (*anchors, match[1]))]


def _parse_item(item: str, factories: PassFactories, tool: str) -> ModulePass:
    from xdsl.utils.arg_spec import ArgSpec, parse_spec
    from xdsl.utils.exceptions import ArgSpecParseError

    place = Argument("-p", tool)
    name = item.partition("{")[0].strip()
    if name not in factories:
        if not name:
            raise Rejected([NoPipeline(place, item or ",", "a name is missing")])
        error = NoPass(place, name)
        error.add(*(error.Near(near) for near in get_close_matches(name, factories, 1)))
        raise Rejected([error])
    kind = factories[name]()
    try:
        if name == "mlir" and item.endswith("}") and "pipeline=" not in item:
            # What stands in its braces is a pipeline in MLIR's grammar, not options in ours.
            spec = ArgSpec(name, {"pipeline": (item.partition("{")[2].removesuffix("}"),)})
        else:
            spec = parse_spec(item)
            if str(item).count("{") != item.count("}"):
                raise Rejected([NoPipeline(place, item, "a brace is open")])
        return kind.from_spec(spec)
    except ArgSpecParseError as error:
        reason = str(error).strip().splitlines()[-1].strip()
        raise Rejected([NoPipeline(place, item, reason[:1].lower() + reason[1:])]) from error
    except (ValueError, TypeError) as error:
        raise Rejected([NoPipeline(place, item, _unknown_option(kind, item) or str(error))]) from error


def _unknown_option(kind: type[ModulePass], item: str) -> str:
    """What is said of an option that a pass does not have; empty where it has all of them."""
    from xdsl.passes import get_pass_option_infos

    known = {option.name.replace("_", "-") for option in get_pass_option_infos(kind)}
    given = [text.partition("=")[0].replace("_", "-") for text in item.partition("{")[2].rstrip("} ").split()]
    unknown = next((name for name in given if name not in known), None)
    if unknown is None:
        return ""
    how = f"it is written `{usage_of(kind)}`" if known else "it has none"
    return f"there is no option `{unknown}`, {how}"


def usage_of(kind: type[ModulePass]) -> str:
    """How a pass is written in a pipeline: its name, and its options with types and defaults."""
    from xdsl.passes import get_pass_option_infos

    options = [
        f"{option.name.replace('_', '-')}:{option.expected_type.strip(_QUOTES)}"
        + (f"={option.default_value}" if option.default_value else "")
        for option in get_pass_option_infos(kind)
    ]
    return f"{kind.name}{{{' '.join(options)}}}" if options else kind.name


def describe_passes(factories: PassFactories | None = None) -> Iterator[str]:
    """For each pass, how it is written and the first line of what it does."""
    factories = available_passes() if factories is None else factories
    for name in sorted(factories):
        kind = factories[name]()
        summary = next((line.strip() for line in (kind.__doc__ or "").splitlines() if line.strip()), "")
        yield f"{usage_of(kind)}\n    {summary}".rstrip()
