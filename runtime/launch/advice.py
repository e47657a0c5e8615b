"""What the caller of a kernel may write in the place of an argument that is refused: edits of the call."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import suppress
from numbers import Real
from operator import index
from typing import TYPE_CHECKING, Any, cast

from freehold.frontend.signature import Parameter
from freehold.frontend.syntax.text import primary
from freehold.runtime.errors.refusing import errors
from freehold.runtime.memory.arguments import is_array
from freehold.runtime.memory.numpy_types import numpy_dtype
from freehold.support import dtypes

if TYPE_CHECKING:
    from freehold.support.diagnostic import Error
    from freehold.support.report import Argument
    from freehold.support.span import Span


def described(value: object) -> str:
    """A value in an error, without its text where that is long."""
    if value is None or isinstance(value, bool | int | float | str):
        text = repr(value)
        if len(text) <= 24:
            return f"`{text}`"
    kind = type(value).__name__
    return f"{'an' if kind[:1].lower() in 'aeiou' or kind == 'ndarray' else 'a'} {kind}"


def suggested_tile(shape: tuple[int, ...]) -> str:
    """A tile of the right rank that is no larger than the array, as Python text."""
    most = [1024] if len(shape) == 1 else [1] * (len(shape) - 2) + [64] * min(2, len(shape))
    tile = [min(t, 1 << (e - 1).bit_length()) for t, e in zip(most, shape, strict=True)]
    return str(tile[0]) if len(tile) == 1 else str(tuple(tile))


def array_text(text: str, partitioned: bool) -> str:
    """The array of an argument that the caller wrote so; empty where its partition is made elsewhere."""
    if not partitioned:
        return text
    with suppress(SyntaxError):
        node = ast.parse(text, mode="eval").body
        if isinstance(node, ast.Call) and node.args and not isinstance(node.args[0], ast.Starred):
            return ast.get_source_segment(text, node.args[0]) or ""
    return ""


def no_array(place: Span | Argument, kernel: str, parameter: Parameter, value: object, why: str, text: str) -> Error:
    """What is said of a value that is no array; edits where it is known how the caller wrote it."""
    name, annotation = parameter.name, parameter.annotation
    error = errors.NotAnArray(place, name, kernel, described(value), annotation)
    traced, reads = type(value).__module__.partition(".")[0] in ("jax", "jaxlib"), hasattr(value, "__array__")
    reads = reads and not isinstance(value, type)
    if why:
        error.add(error.Because(why))
    if value is None and not parameter.of:
        error.add(error.LeftOut(name, annotation))
    elif isinstance(value, bool | int | float) and parameter.mode == "ref" and not parameter.of:
        error.add(
            error.Number(name, "bool_" if isinstance(value, bool) else "i32" if isinstance(value, int) else "f32")
        )
    elif isinstance(value, list | tuple) and text:
        made = numpy_dtype(parameter.dtype.name if parameter.dtype else "f32")
        error.add(error.MakeArray(text, f"{made.type.__module__}.{made.type.__name__}"))
    elif traced:
        error.add(error.Traced(kernel))
    elif reads and not why and text:
        error.add(error.AsArray(text))
    return error


def as_known(text: str, parameter: Parameter, value: Any) -> str:
    """How an array of NumPy is converted to a dtype that kernels have; empty where numbers would become others."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if type(value).__module__.partition(".")[0] != "numpy" or kind not in "Ofiu":
        return ""
    wanted = numpy_dtype((parameter.dtype or dtypes.f32).name) if kind == "O" else value.dtype.newbyteorder("=")
    if kind == "f" and wanted.itemsize > 8:
        wanted = numpy_dtype("f64")
    return f"{primary(text)}.astype({wanted.type.__module__}.{wanted.type.__name__})"


def as_parts(text: str, value: object, dtype: str) -> str:
    """The real and imaginary parts of an array of complex numbers, without a copy."""
    if type(value).__module__.partition(".")[0] == "torch":
        return f"torch.view_as_real({text})"
    real = "float32" if dtype.endswith("64") else "float64"
    return f"{primary(text)}[..., None].view(numpy.{real})"


def has_elements(value: Any) -> bool:
    """Whether a value is an array of other than one element: one is a number as well."""
    if is_array(value) or hasattr(value, "numel"):
        return (value.numel() if hasattr(value, "numel") else value.size) != 1
    return False


def converted(value: Any, text: str, taken: Callable[[Any], bool]) -> str | None:
    """How a value is written that is the right one in all but its class; None where nothing of it would be taken."""
    return next((edit for edit, made in _conversions(value, text) if taken(made)), None)


def _conversions(given: Any, text: str) -> Iterator[tuple[str, Any]]:
    """What an equal value of another class is written as, with that value."""
    value = given
    if isinstance(given, list):
        yield f"tuple({text})", tuple(cast("list[Any]", given))
    if has_elements(value):
        return
    if is_array(value) or hasattr(value, "numel"):
        value = value.item()
        yield f"{primary(text)}.item()", value
    if isinstance(value, bool):
        return
    if hasattr(value, "__index__"):
        value = index(value)
    elif not isinstance(value, Real):
        return
    kinds: tuple[tuple[Any, str], ...] = (int, f"int({text})"), (float, f"float({text})")
    for kind, edit in kinds:
        with suppress(OverflowError, ValueError):  # of what is infinite, or no number; what is too large for a float
            if (made := kind(cast(Any, value))) == value:
                yield f"{text}.0" if kind is float and text.isdecimal() else edit, made
