"""The interpreter: what the operations of both dialects mean, in NumPy.

`run` executes an ownership module on arrays, `run_entry` a lowered one through its launch contract, `run_tile` any
`cuda_tile` entry. docs/interpreter.md says what is exact, what the modes are, and how an operation is added.
"""

from freehold.runtime.interpreter.launch import run, run_entry, run_tile
from freehold.runtime.interpreter.order import Order

__all__ = ["Order", "run", "run_entry", "run_tile"]
