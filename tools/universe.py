"""
Freehold's dialects and passes for xDSL's own tools.

xDSL finds this through the entry point `xdsl.universe`: `xdsl-opt` and `xdsl-gui` then know both dialects and the
passes.
"""

from __future__ import annotations

from xdsl.transforms import get_all_passes
from xdsl.universe import Universe

from freehold.passes.registry import ALL_PASSES
from freehold.tools.context import DIALECTS

FREEHOLD = Universe(
    all_dialects={name: DIALECTS[name] for name in ("ownership", "cuda_tile")},
    # xDSL takes no second pass of a name that it has, such as `canonicalize`.
    all_passes={name: factory for name, factory in ALL_PASSES.items() if name not in get_all_passes()},
)
"""What Freehold adds to xDSL."""
