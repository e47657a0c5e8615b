"""
What may be written in a kernel, as editors and type checkers see it.

Nothing here computes: the frontend recognises these names in a kernel's source and writes IR for them. Called outside
a kernel they say so (O016). docs/language.md describes them all.
"""

from freehold.frontend.intrinsics import Rounding
from freehold.frontend.language import control, elementwise, folds, shapes
from freehold.frontend.language.control import *  # noqa: F403 -- its `__all__` is its list
from freehold.frontend.language.elementwise import *  # noqa: F403 -- its `__all__` is its list
from freehold.frontend.language.folds import *  # noqa: F403 -- its `__all__` is its list
from freehold.frontend.language.shapes import *  # noqa: F403 -- its `__all__` is its list
from freehold.frontend.language.tensors import Acc, Const, Mut, Out, Place, Raw, Ref, Region
from freehold.frontend.language.tile import (
    AnyDType,
    Axis,
    Index,
    Operand,
    Scalar,
    Shape,
    Tile,
    bf16,
    bool_,
    f4e2m1fn,
    f8e4m3fn,
    f8e5m2,
    f8e5m3fnu,
    f8e8m0fnu,
    f16,
    f32,
    f64,
    i4,
    i8,
    i16,
    i32,
    i64,
    tf32,
    u4,
    u8,
    u16,
    u32,
    u64,
)

__all__ = [
    "Acc",
    "AnyDType",
    "Axis",
    "Const",
    "Index",
    "Mut",
    "Operand",
    "Out",
    "Place",
    "Raw",
    "Ref",
    "Region",
    "Rounding",
    "Scalar",
    "Shape",
    "Tile",
    "bf16",
    "bool_",
    "f4e2m1fn",
    "f8e4m3fn",
    "f8e5m2",
    "f8e5m3fnu",
    "f8e8m0fnu",
    "f16",
    "f32",
    "f64",
    "i4",
    "i8",
    "i16",
    "i32",
    "i64",
    "tf32",
    "u4",
    "u8",
    "u16",
    "u32",
    "u64",
]
__all__ += control.__all__
__all__ += elementwise.__all__
__all__ += folds.__all__
__all__ += shapes.__all__
