"""Edits for annotations that no kernel's parameter can have: what their author may have meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import UnionType
from typing import Any, Final, Union, cast, get_args, get_origin

from freehold.frontend.annotations import TensorAnnotation, without_none
from freehold.support import dtypes, terms
from freehold.support.dtypes import DType

Proposal = tuple[str, bool]
"""What is said, and whether it is an edit: its code is the whole parameter."""

_ARRAYS: Final = ("ndarray", "Tensor", "Array", "Tile")
"""What NumPy, torch, CuPy and JAX call their arrays, and what a kernel has of one at a time."""
_CHANGE: Final[dict[object, str]] = {list: "tuple", set: "frozenset", bytearray: "bytes"}
"""What can change, and what is like it and cannot."""


def of_unknown(name: str, annotation: object) -> list[Proposal]:
    """For a parameter that is annotated as something else than a tensor, a scalar or a `Const`."""
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
    if isinstance(kind, type) and kind.__name__ in _ARRAYS:
        return [(tensor, False)]
    if (dtype := dtypes.understood(annotation)) is not None:
        return [(f"a scalar is annotated with a dtype of Freehold: `{name}: {dtype}`", True)]
    shown = written(annotation)
    if shown is None or annotation is complex:
        return [(tensor, False), (f"a value known at compile time is a `Const`: `{name}: Const[int]`", False)]
    if kind is dict:
        return [("values with names that are known at compile time are a frozen dataclass, and it is a `Const`", False)]
    if _has_tensors(annotation):
        return [(tensor, False)]
    if (instead := _CHANGE.get(kind)) is not None:
        return [(f"a value known at compile time cannot change, and is a Const: `{name}: Const[{instead}]`", True)]
    return [(f"a value known at compile time is a Const: `{name}: Const[{shown}]`", True)]


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
    shown = str(annotation) if isinstance(annotation, DType) else repr(annotation).replace("'", '"')
    return re.sub(r'"[^"]*"|\b[A-Za-z_]\w*\.(?:(?:\w+|<locals>)\.)*', lambda m: m[0] if m[0][0] == '"' else "", shown)


def of_dimensions(name: str, annotation: TensorAnnotation, others: Mapping[str, object], around: str) -> Proposal:
    """For a tensor with something among its dimensions that is none: what is one stays, and the others get names.
    `around`: the annotation that the tensor stands in, with `{}` in its place."""
    items = [part for item in annotation.items for part in _parts(item)]
    dtype = next((d for d in map(dtypes.understood, items) if d is not None), None)
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
        parts = re.split(r"[\s,]+", item.strip())
        alone = len(parts) > 1 and all(map(_is_dimension, parts))
        yield from parts if alone else [dtypes.from_name(item) or item]
    elif isinstance(item, tuple | list):
        yield from (part for inner in cast("tuple[Any, ...]", item) for part in _parts(inner))
    elif isinstance(item, TensorAnnotation):
        yield from item.items
    else:
        yield item


def _is_dimension(item: object) -> bool:
    if isinstance(item, int):
        return not isinstance(item, bool) and item > 0
    try:
        return isinstance(item, str) and bool(str(terms.parse(item)))
    except ValueError:
        return False
