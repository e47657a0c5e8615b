"""Tensors of safetensors files, looked up by name, checked, and put together on the device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from importlib import import_module
from math import prod
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import freehold as fh
from freehold.engine.config import document
from freehold.engine.errors import ModelError
from freehold.engine.layers import Narrow
from freehold.kernels.quantised import quantise_launch

PIECE = 256 << 20
"""Bytes that are on their way to the device at once, at most."""


class Checkpoint:
    """
    The tensors of a model's folder, in one file (`model.safetensors`) or several that an index lists.

    Files are mapped, and read as they are asked for. To be used as a context manager. `share` is (number, count): which
    of so many equal parts is read of a tensor that as many processes share. With `narrow` what products multiply has
    8 bits on the device.
    """

    def __init__(self, folder: Path, device: int | None, share: tuple[int, int] = (0, 1), narrow: bool = False):
        self.folder = folder
        self.narrow = narrow
        self.device = device
        self.share = share
        self.files = ExitStack()
        index = folder / "model.safetensors.index.json"
        if index.exists():
            names: dict[str, str] = document(index).get("weight_map", {})
            opened = {file: self._open(folder / file) for file in sorted(set(names.values()))}
            self.where = {name: opened[file] for name, file in names.items()}
        else:
            file = self._open(folder / "model.safetensors")
            self.where = dict.fromkeys(file.keys(), file)

    def _open(self, path: Path) -> Any:
        safetensors: Any = import_module("safetensors")
        if path.resolve().parent != self.folder.resolve() and not path.is_symlink():
            raise ModelError(f"the index names {path}, which is not in the model's folder")
        try:
            return self.files.enter_context(safetensors.safe_open(path, framework="numpy"))
        except FileNotFoundError:
            raise ModelError(f"there is no {path}") from None
        except Exception as error:
            raise ModelError(f"{path} cannot be read: {error}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.files.close()

    def factor(self, names: Sequence[str], shapes: Sequence[tuple[int, ...]], dtype: Any, shared: int) -> Any:
        """As `rows`, of matrices that are only ever multiplied: `Narrow` where these have 8 bits."""
        if not self.narrow:
            return self.rows(names, shapes, dtype, shared)
        count, width = sum(shape[0] for shape in shapes), shapes[0][1]
        found = Narrow(
            fh.empty((count, width), fh.f8e4m3fn, device=self.device).sync(),
            fh.empty((count,), fh.f32, device=self.device).sync(),
        )
        at = 0
        for name, shape in zip(names, shapes, strict=True):
            for piece in self._pieces(name, shape, shared):
                rows = slice(at, at + len(piece))
                whole = self._brought(piece, dtype).sync()
                quantise_launch(found.values[rows], found.scales[rows], whole, "fp8").sync()
                at += len(piece)
        return found

    def rows(
        self, names: Sequence[str], shapes: Sequence[tuple[int, ...]], dtype: Any, shared: int | None = None
    ) -> Any:
        """
        The named tensors below each other, as one of `dtype` on the device: (sum of rows, ...).

        With `shared` the shapes are of this process's share, which is cut along that axis. Raises `ModelError` where
        one is missing or has another shape than is given for it.
        """
        total = sum(shape[0] for shape in shapes)
        result = fh.empty((total, *shapes[0][1:]), dtype, device=self.device).sync()
        at = 0
        for name, shape in zip(names, shapes, strict=True):
            for piece in self._pieces(name, shape, shared):
                result[at : at + len(piece)].copy_from(self._brought(piece, dtype)).sync()
                at += len(piece)
        return result

    def one(self, name: str, shape: tuple[int, ...], dtype: Any, shared: int | None = None) -> Any:
        """One tensor; see `rows`."""
        return self.rows([name], [shape], dtype, shared)

    def _brought(self, piece: Any, dtype: Any) -> Any:
        """The operation that brings one of `_pieces` to the device."""
        return fh.from_numpy(piece, dtype, device=self.device)

    def _pieces(self, name: str, shape: tuple[int, ...], shared: int | None) -> Iterator[Any]:
        """A tensor, or this process's share of it, in arrays of some rows each."""
        if (file := self.where.get(name)) is None:
            raise ModelError(f"{self.folder} has no tensor {name}")
        part = file.get_slice(name)
        number, count = self.share
        whole = tuple(n * count if axis == shared else n for axis, n in enumerate(shape))
        if tuple(part.get_shape()) != whole:
            raise ModelError(f"{name} has the shape {tuple(part.get_shape())}, where the model's is {whole}")
        at = [number * n if axis == shared else 0 for axis, n in enumerate(shape)]
        others = tuple(slice(first, first + n) for first, n in zip(at[1:], shape[1:], strict=True))
        step = max(1, PIECE // (4 * prod(shape[1:])))
        for first in range(0, shape[0], step):
            yield part[at[0] + first : at[0] + min(first + step, shape[0]), *others]
