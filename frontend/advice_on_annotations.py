"""Edits for annotations that no kernel's parameter can have: what their author may have meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import BuiltinFunctionType, FunctionType, ModuleType, UnionType
from typing import Any, Final, Union, cast, get_args, get_origin

from freehold.frontend.annotations import TensorAnnotation, without_none
from freehold.support import dtypes, terms
from freehold.support.dtypes import DType, ElementsOf
from freehold.support.span import SourceMap, Span

Proposal = tuple[str, bool]
"""What is said, and whether it is an edit: its code is the whole parameter."""

_ARRAYS: Final = ("ndarray", "Tensor", "Array", "Tile", "tensor")
"""What NumPy, torch, CuPy and JAX call their arrays, and what a kernel has of one at a time."""
_CONSTANTS: Final = ("constexpr", "ConstantAnnotation")
"""What Triton and cuTile Python call what is known at compile time."""
_CHANGE: Final[dict[object, str]] = {list: "tuple", set: "frozenset", bytearray: "bytes"}
"""What can change, and what is like it and cannot."""


def of_unknown(name: str, annotation: object, text: str | None) -> list[Proposal]:
    """For a parameter that is annotated as something else than a tensor, a scalar or a `Const`. `text`: how its author
    wrote that, with the names that there are."""
    tensor = f"an array is a `Ref` (read), a `Mut` (updated) or an `Out` (written): `{name}: Ref`"
    kind = get_origin(annotation) or annotation
    if kind in (Union, UnionType):
        some = [of for of in get_args(annotation) if of is not type(None)]
        if len(some) == 1 and getattr(some[0], "__name__", None) in _ARRAYS:
            return [(f"{tensor[:-1]} | None`", False)]
        if len(some) == 1 and isinstance(some[0], DType):
            return [(f"a call gives each scalar: `{name}: {some[0]}`", False)]
    elif (each := _alike(annotation)) is not None:
        shown = repr(each).replace("'", '"')
        return [(f"as many tensors as a call gives are a tuple: `{name}: tuple[{shown}, ...]`", True)]
    if isinstance(annotation, ElementsOf):
        shown = repr(TensorAnnotation("ref", _named(annotation))).replace("'", '"') + " | None" * annotation.optional
        return [(f"an array that is read is a Ref, one that is written a Mut or an Out: `{name}: {shown}`", True)]
    if isinstance(kind, type) and kind.__name__ in _ARRAYS:
        return [(tensor, False)]
    if any(getattr(of, "__name__", type(of).__name__) in _CONSTANTS for of in (kind, *get_args(annotation)[1:])):
        of = next((of for of in get_args(annotation) if isinstance(of, type)), int)
        return [(f"a value known at compile time is a Const: `{name}: Const[{of.__name__}]`", True)]
    if (dtype := dtypes.understood(annotation)) is not None:
        return [(f"a scalar is annotated with a dtype of Freehold: `{name}: {dtype}`", True)]
    shown = written(annotation)
    if shown is None or annotation is complex:
        return [(tensor, False), (f"a value known at compile time is a `Const`: `{name}: Const[int]`", False)]
    inner = get_args(annotation) if kind in (Union, UnionType) else (annotation,)
    if any(isinstance(of := get_origin(a) or a, type) and issubclass(of, Mapping) for a in inner):
        return [("values with names that are known at compile time are a frozen dataclass, and it is a `Const`", False)]
    if _has_tensors(annotation) or any(getattr(of, "__name__", None) in _ARRAYS for of in inner):
        return [(tensor, False)]
    if (instead := _unchanging(annotation)) is not None:
        return [(f"a value known at compile time cannot change, and is a Const: `{name}: Const[{instead}]`", True)]
    return [(f"a value known at compile time is a Const: `{name}: Const[{text or shown}]`", True)]


def _named(elements: ElementsOf) -> tuple[object, ...]:
    """What stands in the brackets of the tensor that `f32[:, 4]` is meant for."""
    names = "NMKLPQRS"[: len(elements.axes)][::-1]
    axes = zip(elements.axes, names, strict=False)
    return elements.dtype, *(axis if isinstance(axis, int | str) else name for axis, name in axes)


def _unchanging(annotation: object) -> str | None:
    """The type of values that are like those of a type, and cannot change; None where those cannot."""
    kind = get_origin(annotation) or annotation
    if isinstance(kind, type) and kind in _CHANGE:
        return _CHANGE[kind]
    inner = [*map(_unchanging, get_args(annotation))]
    if not any(inner):
        return None
    if kind in (Union, UnionType):
        given = (None if of is type(None) else of for of in get_args(annotation))
        return " | ".join(change or written(of) or "object" for change, of in zip(inner, given, strict=True))
    return written(kind)


def text_of(annotation: object, span: Span | None) -> str | None:
    """How an annotation is written: `span` is the parameter's. None where that is longer than a line, or in quotes of
    two kinds."""
    if isinstance(annotation, str):
        text = annotation
    else:
        lines = None if span is None else SourceMap().lines(span.file)
        if span is None or span.line != span.end_line or not lines or len(lines) < span.line:
            return None
        text = lines[span.line - 1][span.start : span.end].partition(":")[2].strip()
    return None if "'" in text and '"' in text else text.replace("'", '"') or None


def _alike(annotation: object) -> TensorAnnotation | None:
    """What all tensors are, in brackets that have nothing else: without dimensions where these differ."""
    inner = [without_none(of)[0] for of in get_args(annotation) if of is not ...]
    tensors = [of for of in inner if isinstance(of, TensorAnnotation)]
    if not tensors or len(tensors) < len(inner) or any(of.mode != tensors[0].mode for of in tensors):
        return None
    return tensors[0] if all(of == tensors[0] for of in tensors) else TensorAnnotation(tensors[0].mode)


def _has_tensors(annotation: object) -> bool:
    """Whether tensors or dtypes stand in it, so that it is no type of a value."""
    found = without_none(annotation)[0]
    return isinstance(found, TensorAnnotation | DType) or any(map(_has_tensors, get_args(annotation)))


def written(annotation: object) -> str | None:
    """An annotation as it may be written in brackets; None of what is no type."""
    if isinstance(annotation, type) and get_origin(annotation) is None:
        return annotation.__name__
    if annotation is Any:
        return "Any"
    if annotation is None:
        return "None"
    return None if get_origin(annotation) is None and annotation is not Callable else as_text(annotation)


def as_text(annotation: object) -> str:
    """Anything that stands in an annotation, much as it was written."""
    if isinstance(annotation, type) and get_origin(annotation) is None:
        return annotation.__name__
    if isinstance(annotation, slice):
        return ":"
    if annotation is ...:
        return "..."
    if isinstance(annotation, FunctionType | BuiltinFunctionType | ModuleType):
        return annotation.__name__.strip("<>")
    if not isinstance(annotation, DType) and dtypes.understood(annotation) is not None:
        return str(annotation).rpartition(".")[2]
    if " at 0x" in repr(annotation):  # an object that says where it is, and not what
        return f"{type(annotation).__name__}(...)"
    shown = str(annotation) if isinstance(annotation, DType) else repr(annotation).replace("'", '"')
    return re.sub(r'"[^"]*"|\b[A-Za-z_]\w*\.(?:(?:\w+|<locals>)\.)*', lambda m: m[0] if m[0][0] == '"' else "", shown)


def of_dimensions(name: str, annotation: TensorAnnotation, others: Mapping[str, object], around: str) -> Proposal:
    """For a tensor with something among its dimensions that is none: what is one stays, and the others get names.
    `around`: the annotation that the tensor stands in, with `{}` in its place."""
    items = [part for item in annotation.items for part in _parts(item)]
    dtype = next((d for d in map(dtypes.understood, items) if d is not None), None)
    dtype = dtypes.f32 if dtype is dtypes.tf32 else dtype  # which no tensor has: products round f32 to it
    dims = [item for item in items if dtypes.understood(item) is None]
    if ... in dims:
        how = "without dimensions it has any number of axes"
    elif not all(map(_is_dimension, dims)):
        how = "name the axes"
    else:
        how = "the dtype stands first" if dtype is not None else "each axis has a text of its own"
    taken = set(re.findall(r"\w+", " ".join(map(repr, (*others.values(), *filter(_is_dimension, dims))))))
    free = (letter for letter in "NMKLPQRSTUVW" if letter not in taken)
    shown = [dim if _is_dimension(dim) else next(free, "N") for dim in dims if dim is not ...]
    inside = [str(dtype)] if dtype is not None else []
    inside += [str(dim) if isinstance(dim, int) else f'"{dim}"' for dim in shown]
    edit = f"{TensorAnnotation(annotation.mode)!r}" + (f"[{', '.join(inside)}]" if inside else "")
    return f"{how}: `{name}: {around.format(edit)}`", True


def _parts(item: object) -> Iterator[object]:
    """The dimensions that stand in a text or in a list together."""
    if isinstance(item, str) and not _is_dimension(item):
        parts = [dtypes.from_name(part) or part for part in re.findall(r"[^\s,\[\]]+", item)]
        alone = all(isinstance(part, DType) or _is_dimension(part) for part in parts)
        yield from parts if alone else [item]
    elif isinstance(item, tuple | list):
        yield from (part for inner in cast("tuple[Any, ...]", item) for part in _parts(inner))
    elif isinstance(item, TensorAnnotation):
        yield from item.items
    elif isinstance(item, ElementsOf):
        yield from (item.dtype, *item.axes)
    else:
        yield item


def _is_dimension(item: object) -> bool:
    if isinstance(item, int):
        return not isinstance(item, bool) and item > 0
    try:
        return isinstance(item, str) and not dtypes.is_name(item) and bool(str(terms.parse(item)))
    except ValueError:
        return False
