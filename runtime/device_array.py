"""Arrays in a GPU's memory, for those who use no other library: enough to hand data to kernels and to get it back."""

from __future__ import annotations

from typing import Any, Final

from freehold.runtime import driver
from freehold.runtime.arguments import HOST, contiguous, view
from freehold.support.dtypes import DType

gpu_available = driver.gpu_available

_LETTER: Final = {"bool": "b", "int": "i", "float": "f"}


_KEYS: Final[dict[tuple[tuple[int, ...], str, int], int]] = {}


class DeviceArray:
    """A row-major array in a GPU's memory, which it owns. Made by `freehold.to_device`."""

    __slots__ = ("_buffer", "device", "dtype", "key", "pointer", "shape", "strides")

    def __init__(self, shape: tuple[int, ...], dtype: DType, device: int = 0):
        self.shape: Final = shape
        self.dtype: Final = dtype
        self.strides: Final = contiguous(shape, dtype.itemsize)
        """In bytes."""
        self.device: Final = device
        """The number of the GPU."""
        self._buffer = driver.allocate(self.nbytes, device)
        self.pointer: Final = int(self._buffer.handle)
        """The address of the first element."""
        self.key: Final = _KEYS.setdefault((shape, dtype.name, device), len(_KEYS))
        """Equal for arrays that a launch need not tell apart but by their addresses."""

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def nbytes(self) -> int:
        """The number of bytes."""
        return self.size * self.dtype.itemsize

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The array for libraries that read this protocol, which has no bfloat16 and no 8-bit floats."""
        kind = self.dtype.kind
        if self.dtype.name in ("bf16", "f8e4m3fn", "f8e5m2"):
            raise AttributeError(f"`__cuda_array_interface__` cannot describe elements of {self.dtype}")
        letter = "u" if kind == "int" and not self.dtype.signed else _LETTER[kind]
        order = "|" if self.dtype.itemsize == 1 else "<"
        return {
            "version": 3,
            "shape": self.shape,
            "strides": None,
            "typestr": f"{order}{letter}{self.dtype.itemsize}",
            "data": (self.pointer, False),
            "stream": 1,
        }

    def __repr__(self) -> str:
        return f"<array {self.shape} of {self.dtype} on GPU {self.device}>"


def to_device(array: Any, device: int = 0) -> Any:
    """
    A copy of a NumPy array in a GPU's memory; where there is no GPU, a copy in the host's.

    So a program can be written once: kernels run on the GPU, or on the interpreter.
    """
    import numpy as np

    source = np.array(array, order="C", copy=True)
    if not driver.gpu_available():
        return source
    made = DeviceArray(source.shape, view(source).dtype, device)
    driver.copy_to_device(made.pointer, source.ctypes.data, made.nbytes, device)
    return made


def to_numpy(array: Any) -> Any:
    """A copy of any array that kernels take as a NumPy array, made after the work on the default stream is done."""
    import numpy as np

    from freehold.runtime.host import array_of

    if isinstance(array, DeviceArray) and array.size == 0:
        from freehold.runtime.plan import numpy_dtype

        return np.empty(array.shape, numpy_dtype(array.dtype.name))
    found = view(array)
    array = array_of(found)
    return np.array(array, order="C") if found.device == HOST else np.ascontiguousarray(array)
