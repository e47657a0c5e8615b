"""What operators take: the axes of tensors and the kinds of their elements, looked at before anything is launched."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple


class Kind(NamedTuple):
    """A kind of elements, and the edit that makes tensors of others ones of it."""

    called: str
    has: Callable[[Any], bool]
    edit: str


def _is_floats(t: Any) -> bool:
    return t.is_floating_point()


def _is_integers(t: Any) -> bool:
    return not t.is_floating_point() and not t.is_complex() and str(t.dtype) != "torch.bool"


_KINDS: Final = {
    "floats": Kind("of floats", _is_floats, "float()"),
    "integers": Kind("of integers", _is_integers, "long()"),
}
_SAME: Final = "same"


class Takes:
    """
    The tensors of an operator, each by its name: `{"x": "... N floats", "weight": "N"}`.

    A word is an axis: a name, an extent, or an expression of names without spaces, `D//2`. A name has one extent
    wherever it stands, and `...` in front stands for any axes, the same ones wherever it stands; `_` is any extent, and
    a tensor without axes has any. The last word may be what its elements are: "floats", "integers", or "same", which is
    the dtype of the first tensor. `where` are conditions of names: `"H % KH == 0"`.
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
        self._check_axes([(n, tuple(t.shape), axes) for n, t, axes, _ in present if axes])
        first, like = present[0][:2]
        for name, tensor, _, kind in present:
            if kind == _SAME and tensor.dtype != like.dtype:
                told = f"{name} is of {tensor.dtype}, and {first} of {like.dtype}: write `{name}.to({first}.dtype)`"
                raise TypeError(f"{self.operator}: {told}")
            if kind in _KINDS and not _KINDS[kind].has(tensor):
                called, _, edit = _KINDS[kind]
                raise TypeError(f"{self.operator}: {name} is of {tensor.dtype}, not {called}: write `{name}.{edit}`")

    def _check_axes(self, given: list[tuple[str, tuple[int, ...], list[str]]]) -> None:
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
            if not eval(condition, {}, sizes):
                names = [name for name in sizes if name in condition.split()]
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
