"""What a kernel's signature and its compiler ask of a launch (O230 to O232)."""

from __future__ import annotations

from typing import ClassVar

from freehold.runtime.errors.shared import NOTHING_LAUNCHED, TUPLE_OF_ONE_SHAPE
from freehold.support.diagnostic import Error, Help, Label, Note


class DimensionMismatch(Error):
    """
    Two extents that the kernel's signature calls equal differ.

    Names of dimensions are a contract: the launcher checks it once, and the compiler's proofs use it.
    """

    code: ClassVar[str] = "O230"
    title: ClassVar[str] = (
        "dimension `{dimension}` of `{kernel}` is {expected}, but `{name}` has {given} along axis {axis}"
    )
    label: ClassVar[str] = "its shape is {shape}"
    notes: ClassVar[tuple[str, ...]] = ("{origin}", NOTHING_LAUNCHED)
    kernel: str
    dimension: str
    expected: int
    name: str
    axis: int
    given: int
    shape: tuple[int, ...]
    origin: str
    """Where the expected extent comes from, as a sentence."""

    class Declared(Label):
        text: ClassVar[str] = "`{name}` is declared here"

    class OneShape(Help):
        text: ClassVar[str] = TUPLE_OF_ONE_SHAPE
        kernel: str
        many: str

    class Transposed(Help):
        text: ClassVar[str] = "pass it transposed: `{argument}.T`"
        argument: str


class DimensionUnbound(Error):
    """
    A dimension is written as an expression of a name that no argument binds.

    A name is bound where it stands alone, and by sums and multiples that it is the one unknown of: `Ref["H"]`,
    `Ref["2 * H"]` and `Ref["H + 1"]` bind `H`, `Ref["H // G"]` and `Ref["G * H"]` do not.
    """

    code: ClassVar[str] = "O231"
    title: ClassVar[str] = "nothing says what `{symbol}` is in this launch of `{kernel}`"
    notes: ClassVar[tuple[str, ...]] = ("it is used in `{term}` and no parameter's dimensions determine it",)
    helps: ClassVar[tuple[str, ...]] = ("write `{symbol}` alone as a dimension of some parameter",)
    kernel: str
    symbol: str
    term: str


class RequirementFailed(Error):
    """
    A condition that the kernel's author requires does not hold for these arguments.

    `require` is part of a kernel's contract, as the names of dimensions are: the launcher checks it once, before
    anything runs, and the compiler's proofs use it.
    """

    code: ClassVar[str] = "O239"
    title: ClassVar[str] = "this launch of `{kernel}` breaks a requirement: `{predicate}` is false"
    label: ClassVar[str] = "{message}"
    notes: ClassVar[tuple[str, ...]] = ("{values}", NOTHING_LAUNCHED)
    kernel: str
    predicate: str
    message: str
    values: str
    """What the symbols are, as a sentence."""

    class Launched(Label):
        text: ClassVar[str] = "launched here"


class LaunchCheckFailed(Error):
    """
    An obligation that the compiler left to the launch does not hold for these arguments.

    The kernel is right for some extents and not for others; the launcher compares them, once, before anything runs.
    """

    code: ClassVar[str] = "O232"
    title: ClassVar[str] = "this launch of `{kernel}` breaks a condition: `{predicate}` is false"
    label: ClassVar[str] = "it ensures that {reason}"
    notes: ClassVar[tuple[str, ...]] = ("{values}", NOTHING_LAUNCHED)
    kernel: str
    predicate: str
    reason: str
    values: str
    """What the symbols are, as a sentence."""

    class Launched(Label):
        text: ClassVar[str] = "launched here"

    class CountsTiles(Note):
        text: ClassVar[str] = "an index counts tiles of the access's shape, not elements"

    class CountTiles(Help):
        text: ClassVar[str] = "leave out the factor: `{load}`"
        load: str

    class OwnIndex(Help):
        """An index that goes along another axis than that in whose place it stands."""

        text: ClassVar[str] = (
            "the index in this axis's place counts tiles along `{counted}`, and the axis has `{extent}` elements: give "
            "each axis the index that goes along it, or declare that both are equal, by one name"
        )
        counted: str
        extent: str
