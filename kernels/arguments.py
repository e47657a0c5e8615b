"""What operators and functions take: tensors, their axes and the kinds of their elements, and plain values."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])
Tensor: TypeAlias = Any
"""A tensor of torch, which is imported when a function is called."""
Extents: TypeAlias = int | tuple[int, ...]
"""A number for each axis, or one for all."""


class Kind(NamedTuple):
    """A kind of elements, and the edit that makes tensors of others ones of it."""

    called: str
    has: Callable[[Any], bool]
    edit: str


def _is_floats(t: Any) -> bool:
    return t.is_floating_point()


def _is_int32(t: Any) -> bool:
    return str(t.dtype) == "torch.int32"


def _is_integers(t: Any) -> bool:
    return not t.is_floating_point() and not t.is_complex() and str(t.dtype) != "torch.bool"


_KINDS: Final = {
    "floats": Kind("of floats", _is_floats, "float()"),
    "integers": Kind("of integers", _is_integers, "long()"),
    "int32": Kind("of int32", _is_int32, "int()"),
}
_SAME: Final = "same"


class Takes:
    """
    The tensors of an operator, each by its name: `{"x": "... N floats", "weight": "N"}`.

    A word is an axis: a name, an extent, or an expression of names without spaces, `D//2`. A name has one extent
    wherever it stands, and `...` in front stands for any axes, the same ones wherever it stands; `_` is any extent, and
    a tensor without axes has any. The last word may be what its elements are: "floats", "integers", "int32", or
    "same", which is the dtype of the first tensor. `where` are conditions of names, and of other arguments:
    `"H % KH == 0"`.
    """

    def __init__(self, operator: str, tensors: Mapping[str, str], where: Sequence[str] = ()):
        self.operator, self.where = operator, tuple(where)
        self._tensors: list[tuple[str, list[str], str]] = []
        for name, told in tensors.items():
            words = told.split()
            kind = words.pop() if words and words[-1] in {*_KINDS, _SAME} else ""
            self._tensors.append((name, words, kind))

    def check(self, given: Mapping[str, Any]) -> None:
        """Raises `ValueError` for shapes that do not go together, and `TypeError` for elements of another kind."""
        present = [(n, given[n], axes, kind) for n, axes, kind in self._tensors if given[n] is not None]
        self._check_axes([(n, tuple(t.shape), axes) for n, t, axes, _ in present if axes], given)
        first, like = present[0][:2]
        for name, tensor, _, kind in present:
            if kind == _SAME and tensor.dtype != like.dtype:
                told = f"{name} is of {tensor.dtype}, and {first} of {like.dtype}: write `{name}.to({first}.dtype)`"
                raise TypeError(f"{self.operator}: {told}")
            if kind in _KINDS and not _KINDS[kind].has(tensor):
                called, _, edit = _KINDS[kind]
                raise TypeError(f"{self.operator}: {name} is of {tensor.dtype}, not {called}: write `{name}.{edit}`")

    def _check_axes(self, given: list[tuple[str, tuple[int, ...], list[str]]], others: Mapping[str, Any]) -> None:
        found: dict[str, tuple[Any, str]] = {}
        """What names stand for, and by which tensor."""
        computed: list[tuple[str, str, int]] = []
        for name, shape, axes in given:
            rest = axes
            if axes[0] == "...":
                rest = axes[1:]
                self._bind(found, given, "...", shape[: max(0, len(shape) - len(rest))], name)
            if len(shape) < len(rest) or (rest is axes and len(shape) != len(rest)):
                raise ValueError(f"{self.operator}: {name} is ({', '.join(axes)}), not {shape}")
            for axis, extent in zip(rest, shape[len(shape) - len(rest) :], strict=True):
                if axis.isidentifier():
                    self._bind(found, given, axis, extent, name)
                else:
                    computed.append((name, axis, extent))
        sizes = {name: extent for name, (extent, _) in found.items() if name.isidentifier()}
        for name, axis, extent in computed:
            if (wanted := eval(axis, {}, sizes)) != extent:
                where = "" if axis.isdecimal() else f", where {axis} is {wanted}"
                raise ValueError(f"{self.operator}: {_told(given, {name})}{where}")
        for condition in self.where:
            if not eval(condition, {}, {**others, **sizes}):
                names = [name for name in sizes if name in re.findall(r"\w+", condition)]
                told = ", ".join(f"{name} is {sizes[name]}" for name in names)
                by = {found[name][1] for name in names}
                raise ValueError(f"{self.operator}: {_told(given, by)}, but not `{condition}`: {told}")

    def _bind(self, found: dict[str, tuple[Any, str]], given: Any, axis: str, extent: Any, name: str) -> None:
        if axis == "_":
            return
        before, by = found.setdefault(axis, (extent, name))
        if before != extent:
            raise ValueError(f"{self.operator}: {_told(given, {by, name})}: {axis} would be {before} and {extent}")


def _told(given: list[tuple[str, tuple[int, ...], list[str]]], names: set[str]) -> str:
    """`x (8, 64) is (..., N), and weight (32,) is (N)`."""
    return ", and ".join(f"{n} {shape} is ({', '.join(axes)})" for n, shape, axes in given if n in names)


def axis_of(x: Tensor, dim: int) -> int:
    """An axis of a tensor, counted from 0. Raises `IndexError` where there is none, as torch does."""
    rank = x.dim()
    if not -rank <= dim < rank:
        axes = f"its axes are 0 to {rank - 1}, or -{rank} to -1 from the last" if rank else "a scalar has none"
        raise IndexError(f"there is no axis {dim} of {tuple(x.shape)}: {axes}")
    return dim % rank


# --- Functions that users call ----------------------------------------------------------------------------------------


def function(*where: str, **takes: str) -> Callable[[F], F]:
    """
    Decorates a function that users call: `@function(x="... K floats", weight="N K same")`.

    A call that goes right is not looked at. Of one that raises something, it is found out whether an argument is of
    another kind than its annotation (`TypeError`), or whether the tensors do not go together as `takes` and `where` say
    (as `Takes`); then that is raised instead, as what was raised speaks of what is inside. What `torch.fx` records
    with its stand-ins for tensors is the call.
    """

    def decorate(inner: F) -> F:
        known = Takes(inner.__name__, takes, where) if takes else None
        signature = inspect.signature(inner)

        @wraps(inner)
        def called(*given: Any, **named: Any) -> Any:
            try:
                return inner(*given, **named)
            except Exception:
                if (proxy := _proxy_in((*given, *named.values()))) is not None:
                    return proxy.__torch_function__(called, (type(proxy),), given, named)
                _look_at(inner.__name__, signature, known, given, named)
                raise

        return cast(F, called)

    return decorate


def _look_at(
    name: str, signature: inspect.Signature, takes: Takes | None, given: tuple[Any, ...], named: dict[str, Any]
) -> None:
    try:
        bound = signature.bind(*given, **named)
    except TypeError:  # which Python says
        for keyword in named.keys() - signature.parameters.keys():
            if (told := _elsewhere(keyword, signature)) is not None:
                raise TypeError(f"{name}: there is no `{keyword}=`: {told}") from None
        return
    if _is_traced():
        told = "`torch.jit.trace` hands functions tensors for numbers: write `torch.export.export` or `torch.compile`"
        raise TypeError(f"{name}: {told}") from None
    bound.apply_defaults()
    for parameter, value in bound.arguments.items():
        kinds = signature.parameters[parameter].annotation.split(" | ")
        if not any(_VALUES[kind].fits(value) for kind in kinds):
            raise TypeError(f"{name}: {wrong_kind(parameter, kinds, value)}") from None
    if takes is not None:
        try:
            takes.check(bound.arguments)
        except (TypeError, ValueError) as error:
            raise error from None


def _proxy_in(values: tuple[Any, ...]) -> Any:
    """What `torch.fx.symbolic_trace` hands functions in place of a tensor, if it is among the values."""
    module: Any = sys.modules.get("torch.fx")
    return module and next((v for v in values if isinstance(v, module.Proxy)), None)


def _is_traced() -> bool:
    """Whether `torch.jit.trace` is at work."""
    torch: Any = sys.modules.get("torch")
    return torch is not None and torch.jit.is_tracing()


def _elsewhere(keyword: str, signature: inspect.Signature) -> str | None:
    """What to write for a keyword of torch's or NumPy's; None where nothing is known of it."""
    first = next(iter(signature.parameters), "")
    known = {"axis": "dim", "keepdims": "keepdim", "is_causal": "causal", "input": first, "x": first, "src": first}
    if keyword == "attn_mask" and "causal" in signature.parameters:
        return "of masks there are `causal` and `window`; sequences of different lengths are `varlen_attention`"
    ours = known.get(keyword)
    return f"write `{ours}=`" if ours in signature.parameters else None


def wrong_kind(name: str, kinds: Sequence[str], value: Any) -> str:
    """What is said of an argument that is of none of some kinds, with the edit that makes a tensor of it."""
    kind = cast("type[Any]", type(value))
    if value is None or isinstance(value, int | float | str):
        shown = repr(value)
    elif hasattr(value, "__dlpack__"):
        shown = f"an array of {kind.__module__.partition('.')[0]}"
    else:
        shown = f"{'an' if kind.__name__[0] in 'aeiouAEIOU' else 'a'} {kind.__name__}"
    edit = _made_of(name, value) if "Tensor" in kinds else ""
    return f"{name} has to be {' or '.join(_VALUES[k].called for k in kinds)}, not {shown}{edit and f': write {edit}'}"


def _made_of(name: str, value: Any) -> str:
    """How a tensor is made of something, as an edit; empty where it cannot be told."""
    if hasattr(value, "__dlpack__"):
        return f"`torch.from_dlpack({name})`, or launch the kernel itself"
    if isinstance(value, list | tuple) and not (isinstance(value, tuple) and _are_integers(value)):  # a shape
        return f"`torch.{'stack' if value and all(map(is_tensor, cast('list[Any]', value))) else 'tensor'}({name})`"
    if isinstance(value, int | float):
        return f"`torch.tensor({name})`"
    return f"`{name}.weight`" if is_tensor(getattr(cast("Any", value), "weight", None)) else ""


def is_tensor(value: Any) -> bool:
    """Whether a value is a tensor of torch."""
    torch: Any = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _is_integer(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool) and not hasattr(value, "__len__")


def _is_number(value: Any) -> bool:
    return hasattr(value, "__float__") and not isinstance(value, bool) and not hasattr(value, "__len__")


def _are_integers(value: Any) -> bool:
    return isinstance(value, tuple | list) and all(map(_is_integer, cast("list[Any]", value)))


def _are_extents(value: Any) -> bool:
    return _is_integer(value) or _are_integers(value)


def _instance_of(kind: type) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        return isinstance(value, kind)

    return fits


class Value(NamedTuple):
    """What an annotation of a parameter asks for."""

    called: str
    fits: Callable[[Any], bool]


_VALUES: Final = {
    "Tensor": Value("a tensor", is_tensor),
    "Extents": Value("an integer, or one for each axis", _are_extents),
    "tuple[int, ...]": Value("a tuple of integers", _are_integers),
    "int": Value("an integer", _is_integer),
    "float": Value("a number", _is_number),
    "bool": Value("True or False", _instance_of(bool)),
    "str": Value("text", _instance_of(str)),
    "None": Value("None", _instance_of(type(None))),
    "Any": Value("a value", _instance_of(object)),
}
