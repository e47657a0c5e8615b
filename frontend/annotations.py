"""What tensors are annotated with, as objects: `Ref["M", "K"]` at run time."""

from __future__ import annotations

from dataclasses import dataclass
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

from freehold.support.dtypes import DType

TensorMode = Literal["ref", "mut", "out", "acc", "raw"]
"""How a kernel holds a tensor."""

SPELLING: Final[dict[str, str]] = {"ref": "Ref", "mut": "Mut", "out": "Out", "acc": "Acc", "raw": "Raw"}
"""Tensor modes as users write them."""


@dataclass(frozen=True, slots=True)
class TensorAnnotation:
    """What `Ref["M", "K"]` is at run time."""

    mode: TensorMode
    items: tuple[object, ...] = ()

    def __call__(self, *_: object) -> Any:
        """Annotations must be callable for `typing.get_type_hints`; nobody makes a tensor this way."""
        raise TypeError(f"{self!r} annotates a kernel's parameter; it cannot be called")

    def __or__(self, other: object) -> Any:
        """`Ref["N"] | None`."""
        return Union[self, other]  # noqa: UP007 -- of objects that are no types

    def __ror__(self, other: object) -> Any:
        """`None | Ref["N"]`."""
        return Union[other, self]  # noqa: UP007 -- as above

    def __repr__(self) -> str:
        inside = ", ".join(str(i) if isinstance(i, DType) else repr(i) for i in self.items)
        return f"{SPELLING[self.mode]}[{inside}]" if self.items else SPELLING[self.mode]


def without_none(annotation: object) -> tuple[object, bool]:
    """What `T | None` says of T, and that it does; anything else as it is. A bare `Ref` is one of any rank."""
    optional, given = False, get_args(annotation)
    if len(given) == 2 and type(None) in given and get_origin(annotation) in (Union, UnionType):
        inner = given[0] if given[1] is type(None) else given[1]
        if isinstance(inner, TensorAnnotation) or hasattr(inner, "__freehold_mode__"):
            annotation, optional = inner, True
    mode = getattr(annotation, "__freehold_mode__", None)
    return (annotation if mode is None else TensorAnnotation(mode)), optional
