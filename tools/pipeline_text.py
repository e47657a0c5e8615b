"""Pipelines as they are written on a command line: `verify-borrows,canonicalize,mlir{canonicalize,cse}`."""

from __future__ import annotations

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
    """The items of a pipeline: what stands between commas outside braces and quotes, without blanks around it."""
    items: list[str] = [""]
    depth, quoted = 0, False
    for char in text:
        quoted ^= char == '"'
        if not quoted:
            depth += (char == "{") - (char == "}")
            if char == "," and depth == 0:
                items.append("")
                continue
        items[-1] += char
    items = [item.strip() for item in items]
    return [] if items == [""] else items


def parse_pipeline(text: str, factories: PassFactories | None = None, tool: str = "tile-opt") -> list[ModulePass]:
    """
    The passes that a pipeline names, with their options, in order.

    Raises `Rejected` with every unknown pass (O504) and every item that cannot be read (O505).
    """
    factories = available_passes() if factories is None else factories
    passes: list[ModulePass] = []
    errors: list[Error] = []
    for item in split_pipeline(text):
        try:
            passes.append(_parse_item(item, factories, tool))
        except Rejected as rejected:
            errors += rejected.errors
    if errors:
        raise Rejected(errors)
    return passes


def _parse_item(item: str, factories: PassFactories, tool: str) -> ModulePass:
    from xdsl.utils.arg_spec import ArgSpec, parse_spec
    from xdsl.utils.exceptions import ArgSpecParseError

    place = Argument("-p", tool)
    name = item.partition("{")[0].strip()
    if name not in factories:
        if not name:
            raise Rejected([NoPipeline(place, item, "a name is missing")])
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
        raise Rejected([NoPipeline(place, item, str(error))]) from error


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
