"""From a kernel's source to a cubin, through every room: the only place where they are put together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, cast

from freehold.frontend.signature import ConstSpec, Specialisation
from freehold.runtime.variants.hints import Hints, by_threads, in_tile_ir
from freehold.support.contract import Checks, LaunchContract
from freehold.support.diagnostic import Rejected
from freehold.support.large import during

if TYPE_CHECKING:
    from logging import Logger

    from xdsl.dialects.builtin import ModuleOp

    from freehold.frontend.fingerprint import Fingerprint, Read
    from freehold.frontend.source import KernelFunction
    from freehold.passes.analysis.facts import KernelFacts
    from freehold.support.span import Span


Math = Literal["precise", "fast"]
"""How quotients, roots and exponentials of f32 are computed: rounded well, or fast (`approximate-math`)."""


_OVERLAPS: Final = 90
"""The first architecture on which a kernel may begin before the one in front of it has ended."""


class Options(NamedTuple):
    """What of a kernel's compilation its caller decides, besides its arguments."""

    hints: Hints = ()
    """Hints for the assembler."""
    deny_kernel_checks: bool = False
    """Refuse the kernel rather than check anything while it runs."""
    checks: Checks = True
    """Make the checks that are met in the kernel; "trap" has them stop the GPU. Without them, the caller answers for
    them."""
    deny_unsafe: bool = False
    """Refuse the kernel if it has an access of which nothing is proved."""
    validate: bool = True
    """Read the bytecode again, and see that it does what was verified."""
    contract: bool = True
    """Round a product of floats together with the sum that it is added to."""
    math: Math = "precise"
    """How quotients, roots and exponentials of f32 are computed."""
    overlap: tuple[str, ...] | None = None
    """In a graph, begin while the kernel in front ends, and wait for that before anything is touched but these
    arguments; None: begin when it has ended."""

    def waits(self, arch: str) -> bool:
        """Whether a kernel waits by itself for those in front of it."""
        return self.overlap is not None and int(arch.removeprefix("sm_")) >= _OVERLAPS

    def hinted(self, hints: Hints) -> Options:
        """With hints that were chosen, as far as the kernel has none of these names."""
        if not hints:
            return self
        return self._replace(hints=tuple(sorted((dict(hints) | dict(self.hints)).items())))


VALIDATE: Final = "FREEHOLD_VALIDATE"
"""The environment variable that says of every kernel whether its bytecode is validated: `0` for none, `1` for all."""


DENY: Final = "FREEHOLD_DENY_UNSAFE"
"""The environment variable that refuses all that is trusted and not proved, where it is neither empty nor 0."""


def denied() -> bool:
    """Whether the environment denies what is trusted and not proved."""
    import os

    return os.environ.get(DENY, "0") not in ("", "0")


class Product(NamedTuple):
    """A compiled kernel, as much as a launch needs of it."""

    contract: LaunchContract
    cubin: bytes


def lower(
    function: KernelFunction,
    specialisation: Specialisation,
    options: Options,
    left_out: list[Span] | None = None,
    reads: list[Read] | None = None,
) -> ModuleOp:
    """The kernel in the ownership dialect, not yet verified. Raises `Rejected`.

    If `left_out` is a list, breakpoints are left out, and their places are added to it. What was read of the host is
    added to `reads`.
    """
    from freehold.frontend.lower import lower as lower_function

    return lower_function(function, specialisation, in_tile_ir(options.hints), left_out=left_out, reads=reads)


@during
def verified(
    function: KernelFunction,
    specialisation: Specialisation,
    options: Options,
    left_out: list[Span] | None = None,
    reads: list[Read] | None = None,
    facts: list[KernelFacts] | None = None,
) -> ModuleOp:
    """The kernel in the ownership dialect, with every obligation met and recorded; as `lower`. Raises `Rejected`.

    What was found out about it is added to `facts`.
    """
    from freehold.passes.pipeline import verify

    module = lower(function, specialisation, options, left_out, reads)
    deny_unsafe = options.deny_unsafe or denied()
    verify(module, deny_kernel_checks=options.deny_kernel_checks, deny_unsafe=deny_unsafe, facts=facts)
    return module


def warn(function: KernelFunction, module: ModuleOp) -> None:
    """Gives the warnings that there are about a verified kernel, once each. Nothing is made of them, so whoever has an
    assembler to wait for looks for them meanwhile."""
    from freehold.frontend.never_stored import warn_only_read
    from freehold.passes.warn_padding import warn_padding

    told = function.function.__globals__.setdefault("__warningregistry__", {})
    warn_padding(module, told)
    warn_only_read(function, told)


@during
def optimised(module: ModuleOp, math: Math = "precise", facts: Sequence[KernelFacts] = ()) -> ModuleOp:
    """What code is made of: a verified module, rewritten; itself, where there is nothing to gain. `facts` are those of
    its kernel, where they have been found."""
    from freehold.passes.flatten_products import flat_products
    from freehold.passes.split_loops import split_loops

    if math == "fast":
        from freehold.passes.approximate_math import approximate_math

        module, facts = module.clone(), ()
        approximate_math(module)
    return flat_products(split_loops(module, *facts))


def contract_of(module: ModuleOp, checks: Checks = True) -> LaunchContract:
    """What a launch of a verified module, lowered with these checks, must respect."""
    from freehold.passes.launch_contract import contract

    return contract(module, checks)


def pinned(contract: LaunchContract, module: ModuleOp) -> LaunchContract:
    """A contract with the digest of the verified module that it was made of."""
    from freehold.passes.analysis.digest import digest

    return replace(contract, verified=digest(module))


class IgnoredBreakpoint(RuntimeWarning):
    """A kernel was compiled for a GPU, where nothing stops at its breakpoints."""


def warn_of_breakpoints(places: Iterable[Span]) -> None:
    """Warns of each of the breakpoints that GPU code does not have, unless Python's are disabled."""
    import os
    import warnings

    if os.environ.get("PYTHONBREAKPOINT") == "0":
        return
    for place in dict.fromkeys(places):
        text = "nothing stops at `breakpoint()` on a GPU: launch the kernel in `with fh.interpreting():`"
        warnings.warn_explicit(text, IgnoredBreakpoint, place.file, place.line)


@during
def emitted(module: ModuleOp, options: Options, arch: str = "", early: Collection[int] = ()) -> ModuleOp:
    """
    Tile IR of a verified module, not validated; with what an architecture alone has, where one is named. Where it waits
    for the kernels in front of it, tensors at the positions `early` are loaded before that. Raises `Rejected` (O141)
    where none can be made.
    """
    from freehold.passes.lowering import translate
    from freehold.passes.move_by_threads import move_by_threads

    found = translate(module, checks=options.checks, contract=options.contract)
    for hinted in by_threads(options.hints):
        move_by_threads(found, hinted)
    if arch and options.waits(arch):
        from freehold.passes.validate_translation import entry_of
        from freehold.passes.wait_for_grids import wait_for_grids

        wait_for_grids(entry_of(found), early)
    return found


def bytecode(module: ModuleOp, options: Options) -> bytes:
    """Tile IR bytecode of a verified module, not validated. Raises `Rejected` (O141) where none can be made."""
    from freehold.backend.bytecode.writer import write_bytecode

    return write_bytecode(emitted(module, options))


def in_this_environment(options: Options) -> Options:
    """The options, as the environment changes them. What is not validated does not overlap: nothing shows that it
    waits."""
    import os

    said = os.environ.get(VALIDATE)
    validates = said != "0" if said else options.validate
    overlap = options.overlap if validates else None
    return options._replace(deny_unsafe=options.deny_unsafe or denied(), validate=validates, overlap=overlap)


@during
def validate(
    module: ModuleOp,
    code: bytes,
    options: Options = Options(),  # noqa: B008
    arch: str = "",
    early: Collection[int] = (),
) -> None:
    """
    Shows that the bytecode made of a verified module does what was verified, and that it waits for the kernels in front
    of it where it has to, with all but the tensors at the positions `early`. Raises `Rejected` (O140) where not.
    """
    from freehold.backend.bytecode.reader import read_bytecode
    from freehold.passes.launch_contract import kernel_of
    from freehold.passes.validate_translation import entry_of, validate_translation

    kernel, entry = kernel_of(module), entry_of(read_bytecode(code))
    if arch and options.waits(arch):
        from freehold.passes.wait_for_grids import take_wait

        take_wait(entry, early)
    validate_translation(kernel, entry, options.checks, contracted=options.contract)


def assembled(code: bytes, arch: str, kernel: str, meanwhile: Callable[[], None] | None = None) -> bytes:
    """The cubin of bytecode; `meanwhile` runs beside the assembler. Raises `Rejected` (O40x), and what that raises."""
    from freehold.backend.assembler import assemble

    return assemble(code, arch, kernel=kernel, meanwhile=meanwhile)


NEVER_ENDS: Final = "O414"
"""The error of code that waits for registers, or for bytes, for ever."""


def cubin_of(
    emitted: ModuleOp, arch: str, kernel: str, meanwhile: Callable[[bytes], None] | None = None
) -> tuple[bytes, bool]:
    """
    The cubin of a module of Tile IR, and whether tiles had to be moved by threads, which `emitted` then has as hints.

    Where its code would never end, rows that blocks of a cluster share come first, then stores, which is most often
    enough, and then loads. `meanwhile` is called with the bytecode while the assembler works on it. Raises `Rejected`
    (O40x), O414 where nothing helps, and what `meanwhile` raises.
    """
    from freehold.backend.bytecode.writer import write_bytecode
    from freehold.passes.move_by_threads import move_by_threads
    from freehold.runtime.variants.without_hints import FAILS, advise

    refused: Rejected | None = None
    ways: tuple[Callable[[], int] | None, ...] = (
        None,
        lambda: _move_rows(emitted, arch),
        lambda: move_by_threads(emitted, arch, stores=True),
        lambda: move_by_threads(emitted, arch, stores=False),
    )
    for move in ways:
        if move is not None and not move():
            continue
        code = write_bytecode(emitted)
        try:
            return assembled(code, arch, kernel, meanwhile and (lambda code=code: meanwhile(code))), move is not None
        except Rejected as rejected:
            if rejected.codes in FAILS:
                advise(rejected, emitted, arch, lambda made: assembled(write_bytecode(made), arch, kernel))
            if {*rejected.codes} != {NEVER_ENDS}:  # once for each reason and kernel
                raise
            _log().info("%s for %s: %s", kernel, arch, str(rejected).splitlines()[0])
            refused = rejected
    assert refused is not None
    raise refused


def _move_rows(emitted: ModuleOp, arch: str) -> int:
    """Has threads load the rows that blocks of a cluster might share; returns how many."""
    from freehold.backend.wrong_rows import long_rows
    from freehold.dialects.cuda_tile.ops.module import EntryOp
    from freehold.passes.move_by_threads import move_by_threads

    entries = [op for op in emitted.walk() if isinstance(op, EntryOp)]
    rows = [row for entry in entries for row in long_rows(entry, [*entry.walk()], arch)]
    return move_by_threads(emitted, arch, some=rows) if rows else 0


def is_kept(function: KernelFunction, specialisation: Specialisation, options: Options, arch: str) -> bool:
    """Whether a compiled kernel is on disk."""
    from freehold.backend import cache

    store, options = cache.open_cache(), in_this_environment(options)
    if store is None:
        return False
    key = _key(function.fingerprint(), specialisation, options, arch)
    found = None if key is None else store.load(key)
    return found is not None and found.assembler == cache.identity()


def build(
    function: KernelFunction, specialisation: Specialisation, options: Options, arch: str, known: str | None = None
) -> Product:
    """
    Compiles a kernel for an architecture, or finds it on disk. Raises `Rejected`.

    `known` is the digest of its verified IR where there is that already: what is of other IR counts as not found.
    """
    from freehold.backend import cache

    options = in_this_environment(options)
    store = cache.open_cache()
    assembler = cache.identity()
    fingerprint = None if store is None else function.fingerprint()
    key = None if fingerprint is None else _key(fingerprint, specialisation, options, arch)
    if store is not None and key is not None:
        found = store.load(key)
        # Where there is no assembler, what an earlier one made is all that can be had.
        if found is not None and (assembler is None or assembler == found.assembler):
            try:
                contract = LaunchContract.from_json(found.contract)
                if known in (None, contract.verified):
                    _log().debug("%s for %s: found on disk", function.name, arch)
                    return Product(contract, found.cubin)
            except (ValueError, KeyError, TypeError):  # written by another version of Freehold under the same number
                pass
    began = monotonic()
    breakpoints: list[Span] = []
    reads: list[Read] = []
    facts: list[KernelFacts] = []
    module = verified(function, specialisation, options, breakpoints, reads, facts)
    chosen = optimised(module, options.math, facts)
    contract = contract_of(chosen, options.checks)
    early = function.signature.positions(options.overlap or ())

    def compare(code: bytes) -> None:
        nonlocal contract
        if not contract.verified:  # the first time
            warn(function, module)
            contract = pinned(contract, module)
        if options.validate:
            validate(chosen, code, options, arch, early)

    cubin, _ = cubin_of(emitted(chosen, options, arch, early), arch, function.name, compare)
    warn_of_breakpoints(breakpoints)
    if breakpoints:  # so that every process is told
        store = None
    if store is not None and key is not None and assembler is not None and _is_made_of(function, fingerprint, reads):
        store.store(key, cache.Entry(contract.to_json(), cubin, assembler))
    _log().info("%s for %s: compiled in %.2f s, %d bytes", function.name, arch, monotonic() - began, len(cubin))
    return Product(contract, cubin)


def _log() -> Logger:
    from logging import getLogger

    return getLogger("freehold.compile")


def _is_made_of(function: KernelFunction, fingerprint: Fingerprint | None, reads: list[Read]) -> bool:
    """Whether a kernel was made of what its fingerprint, taken before, is of: of nothing else, nothing changed."""
    same = fingerprint is not None and function.fingerprint().hexdigest() == fingerprint.hexdigest()
    return same and all(map(cast("Fingerprint", fingerprint).covers, reads))


def _key(fingerprint: Fingerprint, specialisation: Specialisation, options: Options, arch: str) -> bytes | None:
    """The cache's key; None for a kernel with a compile-time argument whose text does not tell it from others."""
    return key_of(fingerprint, specialisation, [repr(options), arch])


def key_of(fingerprint: Fingerprint, specialisation: Specialisation, rest: Sequence[str]) -> bytes | None:
    """
    The cache's key for what is made of a kernel, a kind of arguments and what `rest` says; None where a compile-time
    argument's text does not tell it from others.
    """
    import os
    import sys

    import freehold
    from freehold.backend import cache

    values: list[str] = []
    for spec in specialisation:
        value = stable_text(spec.value) if isinstance(spec, ConstSpec) else repr(spec)
        if value is None:
            return None
        values.append(value)
    package = os.path.dirname(os.path.abspath(freehold.__file__))
    return cache.key_of(
        [
            cache.compiler_identity(package, freehold.__version__),
            sys.implementation.cache_tag or "",
            fingerprint.hexdigest(),
            *values,
            *rest,
        ]
    )


def stable_text(value: object) -> str | None:
    """Text that is the same in every process for equal values, and only for those; None where there is none."""
    from enum import Enum

    from freehold.frontend.schedule import Choice, Grid
    from freehold.support.dtypes import DType

    if isinstance(value, Grid):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, Choice):
        inside = stable_text(value.values)
        return inside and f"one of {inside}"
    if isinstance(value, Enum):
        inside = stable_text(value.value)
        return inside and f"{type(value).__module__}.{type(value).__qualname__}.{value.name} = {inside}"
    if isinstance(value, float) and type(value) is float:
        return f"float {value.hex()}"
    if value is None or type(value) in (bool, int, str, bytes) or isinstance(value, DType):
        return f"{type(value).__name__} {value!r}"
    if type(value) is tuple:
        parts = [stable_text(v) for v in cast("tuple[object, ...]", value)]
        return None if None in parts else f"({', '.join(p or '' for p in parts)})"
    return None
