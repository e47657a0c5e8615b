"""Code that ends: where the assembler's would not, because its warps lack registers, tiles are moved by threads."""

from __future__ import annotations

from collections.abc import Callable
from logging import getLogger
from typing import TYPE_CHECKING, Final

from freehold.support.diagnostic import Rejected

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

NEVER_ENDS: Final = "O414"


def cubin_of(
    emitted: ModuleOp, arch: str, kernel: str, meanwhile: Callable[[bytes], None] | None = None
) -> tuple[bytes, bool]:
    """
    The cubin of a module of Tile IR, and whether tiles had to be moved by threads, which `emitted` then has as hints.

    Stores come first, which is most often enough, and then loads. `meanwhile` is called with the bytecode while the
    assembler works on it. Raises `Rejected` (O40x), O414 where nothing helps, and what `meanwhile` raises.
    """
    from freehold.backend.bytecode.writer import write_bytecode
    from freehold.passes.move_by_threads import move_by_threads
    from freehold.runtime.variants.build import assembled

    refused: Rejected | None = None
    for stores in (None, True, False):
        if stores is not None and not move_by_threads(emitted, arch, stores=stores):
            continue
        code = write_bytecode(emitted)
        try:
            return assembled(code, arch, kernel, meanwhile and (lambda code=code: meanwhile(code))), stores is not None
        except Rejected as rejected:
            if rejected.codes != (NEVER_ENDS,):
                raise
            getLogger("freehold.compile").info("%s for %s: %s", kernel, arch, str(rejected).splitlines()[0])
            refused = rejected
    assert refused is not None
    raise refused
