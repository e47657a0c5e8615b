"""Kernels of which the assembler makes code that would be wrong or never end (O414 to O416, O418 to O423)."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Error, Help, Note


class NeverEnds(Error):
    """
    The assembler makes code that never ends: warps wait for registers that are not there, or for fewer bytes than come.

    Since sm_90 a block whose tiles are moved by the tensor memory accelerator has warps that move them beside those
    that compute, and gives registers from the former to the latter. For some kernels the assembler (release 13.5) adds
    further warps and does not count them: those that store tiles by a descriptor which is made in the kernel, as
    regions of groups are, or that share in sums on the way to an index. Where a hint asks for several blocks a
    multiprocessor, or for more than four worker warps, the registers then do not suffice, and the kernel would keep the
    GPU busy for ever. Each cubin is looked at. Kernels in Python are assembled again with tiles moved by threads; what
    is still like this is refused.

    In a cluster of blocks (`num_cta_in_cga`) a row that goes with a product, as a bias or scales of columns do, may be
    loaded by all of them together. If it has more than 256 numbers, but no more than 256 for each block, its loads
    bring more bytes than the code waits for. Five such kernels hung on an H200, persistent or not, of one tile or more.
    With the row loaded by threads three of them were right. Seven kernels for clusters whose loads bring what the code
    waits for were right as they are. The cubin of each kernel for clusters that has such rows is looked at. Kernels in
    Python are assembled again with these rows loaded by threads, and nothing else; what says `allow_tma=True` there is
    refused.
    """

    code: ClassVar[str] = "O414"
    title: ClassVar[str] = "the code that the Tile IR assembler makes of {subject} for {arch} would never end"

    subject: str
    """The kernel, in words."""
    arch: str

    class Starved(Note):
        """Where warps wait for registers."""

        text: ClassVar[str] = (
            "its warps ask for {asked} registers, and a block has {there}: those that compute wait for the rest for"
            " ever"
        )
        asked: int
        """Registers of all warps of a block, once each has what it asks for."""
        there: int
        """Registers of a block."""

    class AskForLess(Help):
        """Where warps wait for registers."""

        text: ClassVar[str] = (
            "load and store by threads (`allow_tma=False`), or leave out the hints `occupancy` and `num_worker_warps`"
        )

    class Shared(Note):
        """Where blocks share a row."""

        text: ClassVar[str] = (
            "its {blocks} blocks share a row of {length} numbers, whose loads bring more bytes than they wait for"
        )
        blocks: int
        """Of a cluster."""
        length: int
        """Of the longest such row."""

    class LoadOtherwise(Help):
        """Where blocks share a row."""

        text: ClassVar[str] = "have threads load the row (`allow_tma=False`), or load at most 256 numbers at a time"


class ColumnsMixed(Error):
    """
    A kernel for a cluster of blocks takes some of the columns of a matrix product, and would get wrong ones.

    Four warps multiply 64 rows at once. Where the tile of a product has fewer rows than all warps of a cluster multiply
    so, the assembler (release 13.5) gives its blocks some of the columns each. A part of the columns, as `t[:, :64]`
    takes it, is then wrong: it was on an H200, in every such kernel that was tried. What takes no part of the columns
    was right, and so were tiles with rows enough.
    """

    code: ClassVar[str] = "O415"
    title: ClassVar[str] = "the code that the Tile IR assembler makes of {subject} for {arch} would mix columns up"
    notes: ClassVar[tuple[str, ...]] = (
        "it takes some columns of a tile, and has a product of {rows} rows; {blocks} blocks with {warps} worker warps"
        " each multiply {least} at once, so each block has some of the columns",
    )
    helps: ClassVar[tuple[str, ...]] = ("leave out the hint `num_cta_in_cga`, or give tiles of {least} rows",)

    subject: str
    """The kernel, in words."""
    arch: str
    rows: int
    """Of the smallest product."""
    least: int
    """Rows with which each block has whole rows."""
    blocks: int
    """Of a cluster."""
    warps: int
    """That compute in a block."""


class ProductScanned(Error):
    """
    A kernel takes running sums of a tile that comes from a product, or adds a product to them, and would get others.

    The assembler (release 13.5) made wrong code of every such kernel that it took and that was tried on an H200, and
    refused others (O406). Sums of a product's rows and columns were right, and so were running sums of tiles that were
    loaded. What is computed from a product counts as one, until it is stored and loaded again by another launch.
    Of random kernels one that added a product to running sums, as `fh.mma(a, b, fh.cumsum(t, axis=1))` does, had wrong
    ones, too, also where it stored them as they were.
    """

    code: ClassVar[str] = "O416"
    title: ClassVar[str] = "the code that the Tile IR assembler makes of {subject} for {arch} would sum up wrongly"
    notes: ClassVar[tuple[str, ...]] = (
        "it takes running results, as `cumsum` and `cumprod` do, of a tile that was computed from a matrix product, or"
        " adds a product to them",
    )
    helps: ClassVar[tuple[str, ...]] = (
        "take the running results in a kernel of their own: of the product when it is stored, or before it is added",
    )

    subject: str
    """The kernel, in words."""
    arch: str


class UnpackedHandedOn(Error):
    """
    A loop hands a tile of unpacked numbers on from one of its variables to another, and might be left out.

    The assembler (release 13.5) left the loop out of most such kernels that were tried on an H200, without a word:
    what follows computed with the tiles of the last turns alone. Tiles that were loaded and not unpacked were right,
    and so were loops whose variables get what their turn unpacked.
    """

    code: ClassVar[str] = "O418"
    title: ClassVar[str] = "the code that the Tile IR assembler makes of {subject} for {arch} might leave a loop out"
    notes: ClassVar[tuple[str, ...]] = (
        "a turn hands a tile on to another variable of its loop, as `a, b = b, t` does, and the tile is of numbers that"
        " `fh.unpack` made, or is computed from them",
    )
    helps: ClassVar[tuple[str, ...]] = ("keep the tile as it was loaded, and unpack it where it is used",)

    subject: str
    """The kernel, in words."""
    arch: str


class TileMistaken(Error):
    """
    A loop hands a tile on from one of its variables to another, and what is taken of that behind it would be wrong.

    The assembler (release 13.5) takes the value of the one for that of the other, also where the loop has no turn. On
    an H200 it did in 162 of 186 such kernels, of four dtypes, and in 18 of 21 that hand numbers on which they load. All
    48 that only exchange tiles in every turn were right, all 24 whose tiles nobody takes behind the loop, and all that
    are written with `while`; of loops that load nothing all but 8 of 160. One that exchanged tiles once more in some of
    its turns was wrong. In loops of any kind two variables that a turn gives one value, as `a = b = t` does, are taken
    for each other, unless they began with one.

    To the assembler a tile is the same behind operations that change nothing, alone or together: `-(-t)`,
    `(t + u) - u`, a reshape and one back. Of 41 loops that give one variable `t` and the other such a thing 27 were
    wrong, and all three in which both branches of an `if` give both variables one value. So values are compared by
    what comes out for some numbers, and a few that the assembler does not find to be the same are refused, too. What
    loops inside of the loop hand on was right in all of 18.
    """

    code: ClassVar[str] = "O419"
    title: ClassVar[str] = (
        "the code that the Tile IR assembler makes of {subject} for {arch} would take one tile for another"
    )
    notes: ClassVar[tuple[str, ...]] = (
        "a turn of a `for` hands a tile on to another variable, as `a, b = b, t` does, and what that holds in the end"
        " is used behind the loop; or a turn of any loop gives two variables one value",
    )
    helps: ClassVar[tuple[str, ...]] = (
        "write the loop with `while`, or compute in its turns what is needed of the tile, or load it again behind it",
    )

    subject: str
    """The kernel, in words."""
    arch: str


class TileMisplaced(Error):
    """
    A tile is loaded, stored more than once, and the kernel reduces or multiplies something: what is stored is wrong.

    The assembler (release 13.5) has the tensor memory accelerator load and store tiles in kernels that reduce or
    multiply, whatever that is. A tile that is stored twice as it was loaded it stores in pieces, and takes these from
    places that lie too far apart: from behind the tile, or from where no memory is. On an H200 9 of 21 such kernels
    were wrong, 4 more ended in a fault of the GPU, and so did others. All 37 whose tiles threads load were right, and
    all 38 that store it once, or what they computed of it. What is stored behind operations that change nothing, as
    `-(-t)` is, counts as the tile: the code is the same.
    """

    code: ClassVar[str] = "O420"
    title: ClassVar[str] = (
        "the code that the Tile IR assembler makes of {subject} for {arch} would store a tile from wrong places"
    )
    notes: ClassVar[tuple[str, ...]] = (
        "a tile is stored {stores} times as it was loaded, and the kernel has a reduction, a scan or a product",
    )
    helps: ClassVar[tuple[str, ...]] = ("have threads load the tile: `x.load(..., allow_tma=False)`",)

    subject: str
    """The kernel, in words."""
    arch: str
    stores: int


class TileTurned(Error):
    """
    A `for` gives a tile to its next turn with the axes permuted, and the tile may end up permuted once.

    The assembler (release 13.5) takes the permutation out of the loop where a turn does nothing else to the tile, as
    far as it can tell: `t * 1` and `where(u == t, u, t)` are nothing, either. Behind the loop the axes are then
    permuted once, whatever the number of turns: 20 kernels with an even number of them were wrong on an H200. What a
    turn computes of a permuted tile and more was right in all that were tried, and so was `while`; but what the
    assembler might find to be nothing is not told apart here.
    """

    code: ClassVar[str] = "O421"
    title: ClassVar[str] = "the code that the Tile IR assembler makes of {subject} for {arch} might permute a tile once"
    notes: ClassVar[tuple[str, ...]] = (
        "a turn of a `for` hands on a tile with its axes permuted, as `t = t.T` does, or what it computes of that",
    )
    helps: ClassVar[tuple[str, ...]] = ("write the loop with `while`, or permute the axes behind the loop",)

    subject: str
    """The kernel, in words."""
    arch: str


class ClusterInDoubt(Error):
    """
    A kernel for clusters of blocks is not of the kinds that are known to be right.

    In a cluster (`num_cta_in_cga`) the blocks share each tile, and what one needs of another goes through its memory.
    The assembler (release 13.5) leaves parts out of that: of 894 kernels in clusters 129 were wrong on an H200, and 13
    did not end: by sums, maxima and minima of all dtypes, by loops that hand tiles on, by products of few rows. What
    decides is not known. So kernels are taken that do none of this, as products with what is computed of them element
    by element, and kinds that were right throughout:

    - reductions of a row at a time, as softmax and norms of long rows have them: of tiles of 4,096 elements and more,
      and 1,024 and more for each block; also of eight neighbours in it, of 32 bits, where each thread has some;
    - reductions along the rows of products that have 64 rows for each four worker warps and each block, as attention
      has them;
    - loops whose turns compute a tile's next value of its last one.

    What is reduced may meet its own source there, other tiles that were reduced, and tiles that were loaded alike. All
    that were wrong or did not end are refused by this rule, which was drawn from them, with 538 that were right; 214
    that were right are taken.
    """

    code: ClassVar[str] = "O422"
    title: ClassVar[str] = (
        "the code that the Tile IR assembler makes of {subject} for {arch} might be wrong in clusters of blocks"
    )
    notes: ClassVar[tuple[str, ...]] = ("{what}",)
    helps: ClassVar[tuple[str, ...]] = ("leave out the hint `num_cta_in_cga`",)

    subject: str
    """The kernel, in words."""
    arch: str
    what: str
    """What of it is in doubt."""


class TileMisread(Error):
    """
    A loaded tile is repeated along an axis behind its last one, and elements of it might be loaded from wrong places.

    `x.load(...) * t.reshape(P, G, 1)` repeats `t`, of P x G elements, for each of the last axis of x. The assembler
    (release 13.5) may have threads load `t` once more, as they hold x: the warps of a block take turns at the G places,
    so that those of a thread lie apart. They are loaded as neighbours where `t` has an axis in front, of P elements.
    Of 617 such kernels, with and without sums along the first axis, 84 ended in a fault of an H200 (an address that is
    not aligned); where that is none, they are other elements. None was wrong without an axis in front, or where the
    threads hold all of the last two axes of x at once (16 bytes each, with 4 warps 512 elements of `f32`), or no more
    than its last one. This rule was drawn from them, and refuses 75 that were right, too.
    """

    code: ClassVar[str] = "O423"
    title: ClassVar[str] = (
        "the code that the Tile IR assembler makes of {subject} for {arch} might load elements from wrong places"
    )
    notes: ClassVar[tuple[str, ...]] = (
        "a loaded tile of {source} is repeated to {result}, of which the threads hold {held} elements at once",
    )
    helps: ClassVar[tuple[str, ...]] = (
        "take smaller tiles, or more worker warps, so that the threads hold the tile's last axes at once; or load the"
        " tile a row at a time",
    )

    subject: str
    """The kernel, in words."""
    arch: str
    source: str
    """Its extents."""
    result: str
    held: int
    """Elements that the threads of a block have at once, each those that are side by side."""


class ScanMixed(Error):
    """
    A kernel takes running sums or products of a tile along one axis, and columns would go on from sums of others.

    Where a warp holds several rows and columns of the tile, and its threads several such groups of rows, the assembler
    (release 13.5) hands the last row of a group to the next from a wrong thread: tiles of 16 to 64 rows and as many
    columns were wrong by one warp on an H200, all 18 of them. Several warps hand them on through shared memory, which
    is wrong for tiles with two more axes: one such kernel was wrong, and one ended in a fault of the GPU. Each cubin is
    looked at. Running sums whose threads have columns of their own, or whose warps have one row, are right, and so are
    those along the last axis of a matrix.
    """

    code: ClassVar[str] = "O424"
    title: ClassVar[str] = (
        "the code that the Tile IR assembler makes of {subject} for {arch} would mix sums of columns up"
    )
    notes: ClassVar[tuple[str, ...]] = (
        "it takes running results, as `cumsum` and `cumprod` do, of a tile of {shape} along axis {axis}",
    )
    helps: ClassVar[tuple[str, ...]] = (
        "take tiles with more columns, or other `num_worker_warps`, so that each thread has columns of its own; or sum"
        " up one matrix a tile",
    )

    subject: str
    """The kernel, in words."""
    arch: str
    shape: str
    """The tile's extents."""
    axis: int
    """The axis that is added up along."""
