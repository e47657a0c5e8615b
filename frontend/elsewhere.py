"""What NumPy, torch, Triton and cuTile have a name for, and how it is written here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from freehold.support.missing import CONSTANT


@dataclass(frozen=True)
class Foreign:
    """A function of another library: what it takes, and the edit that computes the same of the same arguments."""

    takes: str
    """Its parameters. `name=` may be left out, and `name=text` is `text` if it is. A call with others gets no edit."""
    edit: str
    """
    Words and code. The last code stands in place of the call, those before it are statements ahead of it.

    A parameter is `{x}` as it was written, `{x:p}` so that `.name` may follow, `{x:t}` as truth values, `{x:,}` as a
    further argument if it was given, `{k:+}` as a further summand, `{x:*}` as its items if it is a tuple.
    `{count}` is how many elements of `x` lie along `axis`, `{new}` a name that is free, `{region}` a tensor of which
    blocks have regions, `{rest}` all else.
    """
    words: str = ""
    """What is said where there is no edit for a call."""
    lengths: tuple[str, ...] = ()
    """Parameters that are extents of tiles: the edit is for those that are known, and powers of two."""
    otherwise: str = ""
    """The edit for other extents, in words and code: what a block computes of the whole, at its own place."""
    of_tensor: bool = False
    """It has an edit where its first argument is a tensor, and none where that is a tile."""


_PLACES: Final = "fh.arange({x:p}.shape[0])[:, None]{k:+} OPERATOR fh.arange({x:p}.shape[1])[None, :]"
_COUNTS: Final = "declare the counts as `Acc`, zeros at first, and write `counts.add_at(1, places)`"
_UPDATE: Final = "blocks meet in a tensor that is declared as `Acc`: declare it so, and write `.UPDATE(tile)`"
_ANGLE: Final = "fh.sqrt((1 - {x:p}) * (1 + {x:p}))"


def _binary(operator: str) -> Foreign:
    return Foreign("x, y", f"`{{x:p}} {operator} {{y:p}}`")


def _comparison(operator: str) -> Foreign:
    return Foreign("x, k=", "`fh.where(" + _PLACES.replace("OPERATOR", operator) + ", {x}, 0)`")


def _words(words: str) -> Foreign:
    return Foreign("", "", words)


def _moments(edit: str, count: str) -> Foreign:
    squares = "fh.sum({new} * {new}{axis:,}{keepdims:,}) / " + count
    code = (
        "`{new} = {x:p} - fh.sum({x}{axis:,}, keepdims=True) / {count}`, and `" + edit.replace("squares", squares) + "`"
    )
    return Foreign("x, axis=, keepdims=", f"of the differences: {code}")


_PROGRAM: Final = Foreign("axis=0", "`{region}.index[{axis}]`", "a block's coordinates are those of its region")
_PROGRAMS: Final = Foreign("axis=0", "`fh.cdiv({region}.shape[{axis}], {region}.tile[{axis}])`")
_BARRIER: Final = _words("leave it out: a kernel says what happens to one tile, and has no threads")
_THREADS: Final = _words("a kernel sees neither threads nor their shared memory: it says what happens to one tile")
_PLACE: Final = _words(
    "a kernel says what happens to one tile: its place is `{region}.index`, and places of its elements are "
    "`{region}.start[0] + fh.arange({region}.tile[0])`"
)
_EXTENTS: Final = _words(
    "a kernel says what happens to one tile: its extents are `{region}.tile`, and of tiles there are "
    "`fh.cdiv({region}.shape[0], {region}.tile[0])`"
)
_BITS: Final = (
    "of 32 bits: `{new} = {x:p} - (({x:p} >> 1) & 1431655765)`, and "
    "`{new} = ({new} & 858993459) + (({new} >> 2) & 858993459)`, and "
    "`(({new} + ({new} >> 4)) & 252645135) * 16843009 >> 24`"
)
"""Counts the bits that are set, in fields of 2, 4 and 8 bits, and adds up those of a byte by a product."""
_LOG1P_EXP: Final = "fh.log1p(fh.exp(-fh.abs({x})))"
_ASSURED: Final = Foreign("x, values", "leave it out, the launcher looks at what it is given: `{x}`")
_OWN: Final = "({{region}}.start[{0}] + fh.arange({{region}}.tile[{0}]))"
"""Where the elements of a block's region stand along an axis."""
_STEPS: Final = "{low:p} + ({high:p} - {low:p}) / ({n:p} - 1)"
_EYE: Final = Foreign(
    "n, m={n}, dtype=fh.f32",
    "`(fh.arange({n})[:, None] == fh.arange({m})[None, :]).astype({dtype})`",
    lengths=("n", "m"),
    otherwise="each block computes its own part: "
    f"`({_OWN.format(0)}[:, None] == {_OWN.format(1)}[None, :]).astype({{dtype}})`",
)
_GATHER: Final = Foreign(
    "x, i, mask=",
    "elements are read where they lie: `{x:p}.gather({i:*}{mask:,})`",
    "elements of a tensor are read where they lie: `x.gather(i, j)`",
    of_tensor=True,
)
_CONSTANT: Final = _words(CONSTANT)
_DOT: Final = Foreign("x, y", "`{x:p} @ {y:p}`", "`fh.mma(a, b, acc)` is `a @ b + acc`")
_ON_DIAGONAL: Final = "fh.where(" + _PLACES.replace("OPERATOR", "==").replace("{k:+}", "") + ", {x}, 0)"
_DIAGONAL: Final = Foreign("x", f"`fh.sum({_ON_DIAGONAL}, axis=1)`")
_JOINED: Final = Foreign("x, axis=0", "`fh.concatenate({x}, axis={axis})`")
_MOVED: Final = Foreign("x, one, other", "name all axes in their new order: `fh.permute({x}, (1, 0))`")

EDITS: Final = {
    # Where a block is, and what it reads and writes.
    **dict.fromkeys(("program_id", "bid"), _PROGRAM),
    **dict.fromkeys(("num_programs", "num_blocks"), _PROGRAMS),
    "load": Foreign(
        "x, index, shape",
        "a load is a method: `{x:p}.load({index}, {shape})`",
        "a load is a method of the tensor: `load_like({region})`, or `load(index, shape)` at a tile of your choice",
    ),
    "store": Foreign(
        "x, index, tile",
        "a store is a method, and each block stores to its own region: `{x:p}.store({tile})`",
        "a store is a method of the tensor, without an index: `{region}.store(tile)`",
    ),
    "scatter": _words(
        "places that data say are written by sums alone: declare the tensor as `Acc`, zeros at first, "
        "and write `add_at(values, i)`"
    ),
    **dict.fromkeys(("gather", "take"), _GATHER),
    **dict.fromkeys(("bincount", "histogram"), _words(_COUNTS)),
    "atomic_add": _words(_UPDATE.replace("UPDATE", "add")),
    "atomic_max": _words(_UPDATE.replace("UPDATE", "maximum")),
    "atomic_min": _words(_UPDATE.replace("UPDATE", "minimum")),
    **dict.fromkeys(
        ("atomic_cas", "atomic_xchg"),
        _words("blocks that take turns are nothing that can be proved: declare a `Raw`, and say why in `fh.unsafe`"),
    ),
    "atomic_and": _words(_UPDATE.replace("UPDATE", "bitwise_and")),
    "atomic_or": _words(_UPDATE.replace("UPDATE", "bitwise_or")),
    "atomic_xor": _words(_UPDATE.replace("UPDATE", "bitwise_xor")),
    "store_advanced_indexing": _words(
        "each block stores to its own region: `{region}.store(tile)`; what data say where is added to an `Acc`: "
        "`add_at(values, i)`"
    ),
    "load_advanced_indexing": _words("elements are read where they lie: `x.gather(i, j)`"),
    "num_tiles": Foreign("x, axis, shape", "`fh.cdiv({x:p}.shape[{axis}], {shape:p}[{axis}])`"),
    **dict.fromkeys(("syncthreads", "debug_barrier", "barrier", "sync", "syncwarp", "threadfence"), _BARRIER),
    **dict.fromkeys(("thread_id", "threadIdx", "lane_id", "warp_id", "shared", "shared_memory"), _THREADS),
    **dict.fromkeys(("grid", "gridsize", "blockIdx"), _PLACE),
    **dict.fromkeys(("blockDim", "gridDim"), _EXTENTS),
    # What JAX makes functions for, and Python statements.
    "vmap": _words("functions compute with whole tiles: call it with the tile, `f(t)`"),
    **dict.fromkeys(("fori_loop", "while_loop"), _words("write a loop of Python's: it changes variables, `t = t + 1`")),
    **dict.fromkeys(
        ("cond", "switch"), _words("write `if` and `else`; of elements `fh.where(test, a, b)` chooses each by itself")
    ),
    "next_power_of_2": _words(
        "the host computes it, `1 << (n - 1).bit_length()`, and gives it as a `Const[int]`, or as a partition's tile"
    ),
    **dict.fromkeys(("finfo", "iinfo"), _words("read it on the host, `LARGEST = float(np.finfo(np.float32).max)`")),
    **dict.fromkeys(("multiple_of", "max_contiguous", "assume_divisible_by"), _ASSURED),
    # What is decided before a kernel runs.
    "static_eval": Foreign("x", "leave it out, what is known is computed when the kernel is compiled: `{x}`"),
    "static_iter": _words("loop over the tuple, or over `fh.static_range(n)`: both are written out"),
    "static_exception": _words("say what has to hold: `fh.static_assert(test, message)`"),
    "ensure_constant": _CONSTANT,
    "astile": _words("a number meets tiles as it is; a tile of it is `fh.full(shape, value, dtype)`"),
    "launch": _words("a kernel is called by the host: `kernel(fh.partition(y, tile), x).sync()`"),
    "tune": _words("a search is made by the host: `fh.Tuned(kernel, space, arguments)`"),
    "compiler_timeout": _words("leave it out: nothing limits how long the assembler takes"),
    **dict.fromkeys(
        ("grid_dependency_control_wait", "grid_dependency_control_launch_dependents"),
        _words("leave it out: a launch waits for what writes its arguments"),
    ),
    "foreign_pointer_dtype": _words("there are no pointers: pass the tensor as a parameter"),
    "function": _words("a helper is a plain function of Python: leave the decorator out"),
    **dict.fromkeys(
        ("make_block_ptr", "make_tensor_descriptor"),
        _words("there are no pointers: a tensor is a parameter, and `load(index, shape)` reads its tile at `index`"),
    ),
    "swizzle2d": _words("the order of blocks is the partition's: `fh.partition(y, tile, order=fh.grouped(8))`"),
    "device_print": Foreign("", "`fh.print({rest})`"),
    "printf": _words('values print by themselves, and formats are Python\'s: `fh.print(f"{{x:.3f}}")`'),
    # Making tiles.
    "zeros_like": Foreign("t, dtype={t:p}.dtype", "`fh.zeros({t:p}.shape, {dtype})`"),
    "ones_like": Foreign("t, dtype={t:p}.dtype", "`fh.ones({t:p}.shape, {dtype})`"),
    "full_like": Foreign("t, value, dtype={t:p}.dtype", "`fh.full({t:p}.shape, {value}, {dtype})`"),
    "empty": Foreign("shape, dtype=", "a tile has values from the start: `fh.zeros({shape}{dtype:,})`"),
    "empty_like": Foreign("t, dtype={t:p}.dtype", "a tile has values from the start: `fh.zeros({t:p}.shape, {dtype})`"),
    **dict.fromkeys(("eye", "identity"), _EYE),
    "linspace": Foreign(
        "low, high, n",
        f"`{_STEPS} * fh.arange({{n}})`",
        "count, and multiply by the step: `low + step * (y.start[0] + fh.arange(64))`",
        lengths=("n",),
        otherwise=f"each block computes its own part: `{_STEPS} * {_OWN.format(0)}`",
    ),
    "rand": Foreign(
        "seed, counters",
        "`fh.random_uniform({seed}, {counters})`",
        "each element has a counter of its own: `fh.random_uniform(seed, counters)`",
    ),
    "random": _words("each element has a counter of its own: `fh.random_uniform(seed, counters)`"),
    "randint": Foreign(
        "seed, counters",
        "`fh.random_bits({seed}, {counters})`",
        "each element has a counter of its own: `fh.random_bits(seed, counters)`",
    ),
    "randn": Foreign(
        "seed, counters",
        "of two uniform numbers: `{new} = fh.random_uniform({seed}, {counters})`, and `fh.sqrt(-2 * fh.log(1 - {new}))"
        " * fh.cos(6.283185307179586 * fh.random_uniform({seed:p} + 1, {counters}))`",
        "of two uniform numbers `u` and `v`: `fh.sqrt(-2 * fh.log(1 - u)) * fh.cos(6.283185307179586 * v)`",
    ),
    **dict.fromkeys(("constexpr", "Constant"), _CONSTANT),
    # Elements.
    "absolute": Foreign("x", "`fh.abs({x})`"),
    "negative": Foreign("x", "`-{x:p}`"),
    "reciprocal": Foreign("x", "`1 / {x:p}`"),
    "square": Foreign("x", "`{x:p} * {x:p}`"),
    **dict.fromkeys(("pow", "power", "float_power"), _binary("**")),
    "hypot": Foreign("x, y", "`fh.sqrt({x:p} * {x:p} + {y:p} * {y:p})`"),
    "exp10": Foreign("x", "`10.0 ** {x:p}`"),
    "log10": Foreign("x", "`fh.log2({x}) * 0.3010299956639812`"),
    "logaddexp": Foreign(
        "x, y",
        "`{new} = fh.where({x:p} == {y:p}, 0, fh.abs({x:p} - {y:p}))`, and "
        "`fh.maximum({x}, {y}) + fh.log1p(fh.exp(-{new}))`",
    ),
    **dict.fromkeys(("arctan", "atan"), Foreign("x", "`fh.atan2({x}, 1.0)`")),
    "arctan2": Foreign("x, y", "`fh.atan2({x}, {y})`"),
    **dict.fromkeys(("arcsin", "asin"), Foreign("x", f"`fh.atan2({{x}}, {_ANGLE})`")),
    **dict.fromkeys(("arccos", "acos"), Foreign("x", f"`fh.atan2({_ANGLE}, {{x}})`")),
    "swish": Foreign("x", "`fh.silu({x})`"),
    "relu": Foreign("x", "`fh.maximum({x}, 0)`"),
    "softplus": Foreign("x", f"`fh.maximum({{x}}, 0) + {_LOG1P_EXP}`"),
    "clamp": Foreign("x", "`fh.clip({x}{rest})`"),
    "fmax": Foreign("x, y", "`fh.maximum({x}, {y}, propagate_nan=False)`"),
    "fmin": Foreign("x, y", "`fh.minimum({x}, {y}, propagate_nan=False)`"),
    "rint": Foreign("x", "`fh.round({x})`"),
    "trunc": Foreign("x", "`fh.where({x:p} < 0, fh.ceil({x}), fh.floor({x}))`"),
    "nan_to_num": Foreign("x", "of `f32`: `fh.clip(fh.where(fh.isnan({x}), 0, {x}), -3.4028234e38, 3.4028234e38)`"),
    "mul": _binary("*"),
    "sub": _binary("-"),
    **dict.fromkeys(("true_divide", "truediv"), _binary("/")),
    **dict.fromkeys(("floor_divide", "floor_div", "floordiv"), _binary("//")),
    "divmod": Foreign("x, y", "`divmod({x}, {y})`"),
    **dict.fromkeys(("mod", "remainder"), _binary("%")),
    "div_rn": _binary("/"),
    "sqrt_rn": Foreign("x", "`fh.sqrt({x})`"),
    "umulhi": Foreign("x, y", "`fh.mulhi(fh.bitcast({x}, fh.u32), fh.bitcast({y}, fh.u32))`"),
    "logical_and": Foreign("x, y", "`{x:t} & {y:t}`"),
    "logical_or": Foreign("x, y", "`{x:t} | {y:t}`"),
    "logical_xor": Foreign("x, y", "`{x:t} ^ {y:t}`"),
    "logical_not": Foreign("x", "`~{x:t}`"),
    "bitwise_and": _binary("&"),
    "bitwise_or": _binary("|"),
    "bitwise_xor": _binary("^"),
    **dict.fromkeys(("bitwise_not", "invert"), Foreign("x", "`~{x:p}`")),
    **dict.fromkeys(("left_shift", "bitwise_lshift"), _binary("<<")),
    **dict.fromkeys(("right_shift", "bitwise_rshift"), _binary(">>")),
    "equal": _binary("=="),
    "not_equal": _binary("!="),
    "less": _binary("<"),
    "less_equal": _binary("<="),
    "greater": _binary(">"),
    "greater_equal": _binary(">="),
    **dict.fromkeys(("cast", "astype"), Foreign("x, dtype", "`{x:p}.astype({dtype})`")),
    "pack_to_bytes": Foreign("x", "`fh.pack({x})`"),
    "unpack_from_bytes": Foreign("x, dtype", "`fh.unpack({x}, {dtype})`"),
    **dict.fromkeys(("fdiv", "div"), _binary("/")),
    "eq": _binary("=="),
    "ne": _binary("!="),
    "lt": _binary("<"),
    "le": _binary("<="),
    "gt": _binary(">"),
    "ge": _binary(">="),
    "bitwise_left_shift": _binary("<<"),
    "bitwise_right_shift": _binary(">>"),
    "neg": Foreign("x", "`-{x:p}`"),
    "sgn": Foreign("x", "`fh.sign({x})`"),
    "frac": Foreign("x", "`{x:p} - fh.where({x:p} < 0, fh.ceil({x}), fh.floor({x}))`"),
    **dict.fromkeys(("deg2rad", "radians"), Foreign("x", "`{x:p} * 0.017453292519943295`")),
    **dict.fromkeys(("rad2deg", "degrees"), Foreign("x", "`{x:p} * 57.29577951308232`")),
    "cbrt": Foreign("x", "`fh.where({x:p} < 0, -1.0, 1.0) * fh.abs({x}) ** 0.3333333333333333`"),
    "logit": Foreign("x", "`fh.log({x:p} / (1 - {x:p}))`"),
    "xlogy": Foreign("x, y", "`fh.where({x:p} == 0, 0, {x:p} * fh.log({y}))`"),
    "copysign": Foreign("x, y", "of `f32`: `fh.where(fh.bitcast({y}, fh.i32) < 0, -fh.abs({x}), fh.abs({x}))`"),
    "sinc": Foreign(
        "x",
        "`{new} = 3.141592653589793 * {x:p}`, and "
        "`fh.where({new} == 0, 1, fh.sin({new}) / fh.where({new} == 0, 1, {new}))`",
    ),
    "isclose": Foreign("x, y", "of finite numbers: `fh.abs({x:p} - {y:p}) <= 1e-08 + 1e-05 * fh.abs({y})`"),
    "lerp": Foreign("x, y, w", "`{x:p} + {w:p} * ({y:p} - {x:p})`"),
    "addcmul": Foreign("x, a, b, value=1", "`{x:p} + {value:p} * {a:p} * {b:p}`"),
    "addcdiv": Foreign("x, a, b, value=1", "`{x:p} + {value:p} * {a:p} / {b:p}`"),
    **dict.fromkeys(("select", "iff"), Foreign("mask, x, y", "`fh.where({mask}, {x}, {y})`")),
    "fabs": Foreign("x", "`fh.abs({x})`"),
    "ldexp": Foreign("x, k", "`{x:p} * fh.exp2({k})`"),
    "erfc": Foreign("x", "`1 - fh.erf({x})`"),
    **dict.fromkeys(("popcount", "popc", "bitwise_count", "bit_count", "population_count"), Foreign("x", _BITS)),
    "one_hot": Foreign("x, n", "`({x:p}[..., None] == fh.arange({n})).astype(fh.i32)`", lengths=("n",)),
    **dict.fromkeys(("swiglu", "silu_and_mul"), Foreign("x, y", "`fh.silu({x}) * {y:p}`", "`fh.silu(a) * b`")),
    "geglu": Foreign("x, y", "`fh.gelu({x}) * {y:p}`", "`fh.gelu(a) * b`"),
    "glu": _words("of its two halves: `a * fh.sigmoid(b)`"),
    "masked_fill": Foreign("x, mask, value", "`fh.where({mask}, {value}, {x})`"),
    "relu6": Foreign("x", "`fh.clip({x}, 0, 6)`"),
    "hardtanh": Foreign("x", "`fh.clip({x}, -1, 1)`"),
    "hardsigmoid": Foreign("x", "`fh.clip({x:p} / 6 + 0.5, 0, 1)`"),
    "hardswish": Foreign("x", "`{x:p} * fh.clip({x:p} / 6 + 0.5, 0, 1)`"),
    "leaky_relu": Foreign("x, slope=0.01", "`fh.where({x:p} < 0, {slope:p} * {x:p}, {x})`"),
    "elu": Foreign("x", "`fh.where({x:p} < 0, fh.expm1({x}), {x})`"),
    "logsigmoid": Foreign("x", f"`fh.minimum({{x}}, 0) - {_LOG1P_EXP}`"),
    "softsign": Foreign("x", "`{x:p} / (1 + fh.abs({x}))`"),
    "mish": Foreign("x", f"`{{x:p}} * fh.tanh(fh.maximum({{x}}, 0) + {_LOG1P_EXP})`"),
    "dropout": _words(
        "draw a number for each element: `fh.where(fh.random_uniform(seed, counters) < p, 0, x / (1 - p))`"
    ),
    **dict.fromkeys(
        ("bernoulli", "normal", "uniform", "multinomial", "rand_like", "randn_like", "philox", "randint4x"),
        _words("each element has a counter of its own: `fh.random_uniform(seed, counters)`, `fh.random_bits`"),
    ),
    **dict.fromkeys(
        ("nonzero", "unique", "masked_select", "argwhere"),
        _words(
            "how many there are is known when the kernel runs, and a tile's shape before: keep all, and a tile of "
            "truths; `fh.sum(mask)` counts them, and `fh.cumsum(mask)` numbers them"
        ),
    ),
    **dict.fromkeys(
        ("take_along_axis", "take_along_dim", "index_select"),
        _words("elements are read where they lie: `x.gather(i, j)`"),
    ),
    **dict.fromkeys(
        ("scatter_add", "index_add"),
        _words("sums meet in an `Acc`: declare the tensor so, zeros at first, and write `add_at(values, i)`"),
    ),
    "unfold": _words("a tile that begins at any element is `x.load_from(start, shape)`"),
    "pad": _words('what overhangs a tensor is filled when it is loaded: `x.load(index, shape, padding="zero")`'),
    "inline_asm_elementwise": _words("not offered: nothing could be proved of it"),
    "assume": _words("what a launch has to see to is `fh.require(test, message)`, and it is checked there"),
    "device_assert": _words("for all elements of a tile: `fh.assert_(test, message)`; for a scalar: `assert`"),
    "static_print": _words("print on the host; in the kernel `fh.print(...)` prints while it runs"),
    "max_constancy": _ASSURED,
    "advance": _words("a loop counts tiles: `for k in fh.tiles(x, axis=1, size=64):`, with `x.load((m, k), shape)`"),
    "load_tensor_descriptor": _words("a tensor is a parameter, and `x.load(index, shape)` reads its tile at `index`"),
    "store_tensor_descriptor": _words("each block stores to its own region: `{region}.store(tile)`"),
    **dict.fromkeys(
        ("layer_norm", "rms_norm"),
        _words(
            "write its sums, `fh.sum(x * x, axis=1, keepdims=True)`; the library has whole kernels: `freehold.kernels`"
        ),
    ),
    # Reductions and scans.
    **dict.fromkeys(
        ("mean", "average"),
        Foreign("x, axis=, keepdims=", "divide the sum: `fh.sum({x}{axis:,}{keepdims:,}) / {count}`"),
    ),
    "var": _moments("squares", "{count}"),
    "std": _moments("fh.sqrt(squares)", "{count}"),
    "torch.var": _moments("squares", "({count} - 1)"),
    "torch.std": _moments("fh.sqrt(squares)", "({count} - 1)"),
    "norm": Foreign("x, axis=, keepdims=", "`fh.sqrt(fh.sum({x:p} * {x:p}{axis:,}{keepdims:,}))`"),
    "linalg": _words("a norm is the root of a sum of squares, and a product is `a @ b`"),
    "softmax": Foreign(
        "x, axis=-1",
        "`{new} = fh.exp({x:p} - fh.max({x}, axis={axis}, keepdims=True))`, and "
        "`{new} / fh.sum({new}, axis={axis}, keepdims=True)`",
    ),
    "log_softmax": Foreign(
        "x, axis=-1",
        "`{new} = {x:p} - fh.max({x}, axis={axis}, keepdims=True)`, and "
        "`{new} - fh.log(fh.sum(fh.exp({new}), axis={axis}, keepdims=True))`",
    ),
    "logsumexp": Foreign(
        "x, axis=",
        "`{new} = fh.exp({x:p} - fh.max({x}{axis:,}, keepdims=True))`, and `fh.max({x}{axis:,}) + "
        "fh.log(fh.sum({new}{axis:,}))`",
    ),
    "count_nonzero": Foreign("x, axis=", "`fh.sum({x:p} != 0{axis:,})`"),
    "amax": Foreign("x", "`fh.max({x}{rest})`"),
    "amin": Foreign("x", "`fh.min({x}{rest})`"),
    "ptp": Foreign("x, axis=", "`fh.max({x}{axis:,}) - fh.min({x}{axis:,})`"),
    "cummax": Foreign("x, axis=", "of floats: `fh.scan({x}, fh.maximum, float('-inf'){axis:,})`"),
    "cummin": Foreign("x, axis=", "of floats: `fh.scan({x}, fh.minimum, float('inf'){axis:,})`"),
    "associative_scan": _words("the identity of the function is given, too: `fh.scan(x, function, identity, axis)`"),
    "median": Foreign(
        "x",
        "of a tile with one axis: `{new} = fh.sort({x})`, and "
        "`({new}[{new}.size // 2 - 1] + {new}[{new}.size // 2]) / 2`",
    ),
    "torch.median": Foreign(
        "x", "of a tile with one axis, the lower one: `{new} = fh.sort({x})`, and `{new}[{new}.size // 2 - 1]`"
    ),
    "searchsorted": Foreign(
        "edges, x", "of tiles with one axis: `fh.sum({edges:p}[None, :] < {x:p}[:, None], axis=1)`"
    ),
    "xor_sum": Foreign("x, axis=", "`fh.reduce({x}, lambda a, b: a ^ b, 0{axis:,})`"),
    "topk": Foreign("x, k, axis=", "`fh.top_k({x}, {k}{axis:,})`"),
    # Products.
    "dot": Foreign("x, y, acc=", "`{x:p} @ {y:p}{acc:+}`"),
    **dict.fromkeys(("matmul", "mm", "bmm"), _DOT),
    **dict.fromkeys(("addmm", "baddbmm"), Foreign("c, x, y", "`{c:p} + {x:p} @ {y:p}`")),
    "dot_scaled": _words("`fh.mma_scaled(a, a_scale, b, b_scale, acc)`, with all five given"),
    "outer": Foreign("x, y", "`{x:p}[:, None] * {y:p}[None, :]`"),
    **dict.fromkeys(("inner", "vdot"), Foreign("x, y", "of tiles with one axis: `fh.sum({x:p} * {y:p})`")),
    "einsum": _words("write its products and sums: with `@`, `*` and `fh.sum`"),
    "trace": Foreign("x", f"`fh.sum({_ON_DIAGONAL})`"),
    **dict.fromkeys(("diag", "diagonal"), _DIAGONAL),
    "tril": _comparison(">="),
    "triu": _comparison("<="),
    # Shapes.
    **dict.fromkeys(("cat", "concat"), _JOINED),
    "hstack": Foreign("x", "`fh.concatenate({x}, axis=-1)`"),
    "vstack": Foreign("x", "of tiles with two axes: `fh.concatenate({x}, axis=0)`"),
    "stack": Foreign(
        "x",
        "`fh.concatenate(tuple({new}[None] for {new} in {x}))`",
        "give each a new axis, and join them along it: `fh.concatenate((x[:, None], y[:, None]), axis=1)`",
    ),
    "join": Foreign("x, y", "`fh.concatenate(({x:p}[..., None], {y:p}[..., None]), axis=-1)`"),
    **dict.fromkeys(
        ("broadcast", "broadcast_arrays"),
        _words("operators broadcast by themselves; `fh.broadcast_to(x, shape)` repeats"),
    ),
    **dict.fromkeys(("split", "chunk"), _words("take its parts by slices, `t[:32]` and `t[32:]`, or by `fh.extract`")),
    "tile": Foreign(
        "x, k", "of a tile with one axis: `fh.broadcast_to({x:p}[None, :], ({k}, {count})).reshape({k:p} * {count})`"
    ),
    **dict.fromkeys(
        ("repeat", "repeat_interleave"),
        Foreign(
            "x, k",
            "of a tile with one axis: `fh.broadcast_to({x:p}[:, None], ({count}, {k})).reshape({count} * {k:p})`",
        ),
    ),
    "interleave": Foreign(
        "x, y", "of tiles with one axis: `fh.concatenate(({x:p}[:, None], {y:p}[:, None]), axis=-1).flatten()`"
    ),
    "roll": _words("read the shifted elements where they lie: `gather((i - k) % n)`"),
    "sorted": Foreign("x", "`fh.sort({x})`"),
    "flip": _words("read the elements from the last to the first where they lie: `gather(n - 1 - i)`"),
    **dict.fromkeys(("swapaxes", "moveaxis"), _MOVED),
    "permute_dims": Foreign("x, axes", "`fh.permute({x}, {axes})`"),
    "trans": Foreign("x", "`{x:p}.T`"),
    "unsqueeze": Foreign("x, axis", "`fh.expand_dims({x}, {axis})`"),
    "view": Foreign("x, shape", "`{x:p}.reshape({shape})`"),
    "expand": Foreign("x, shape", "`fh.broadcast_to({x}, {shape})`"),
    "ravel": Foreign("x", "`{x:p}.flatten()`"),
    "numel": Foreign("x", "`{x:p}.size`"),
}
"""By name; of one library alone, where two mean different things, by `library.name`."""

KEYWORDS: Final = {
    **dict.fromkeys(("num", "steps", "count"), "n"),
    "dim": "axis",
    "dims": "axis",
    "keepdim": "keepdims",
    "other": "padding",
    "padding_mode": "padding",
    "a_min": "low",
    "min": "low",
    "a_max": "high",
    "max": "high",
}
"""Names of parameters in other libraries."""

PYTHONS: Final = {
    "input": "pass the value as an argument",
    "list": "use a tuple: `tuple(...)`",
    "dict": "use a tuple, or variables of their own",
    "set": "use a tuple: `tuple(...)`",
    "str": "there is no text on a GPU: leave it out",
    "map": "write it out: `tuple(f(v) for v in values)`",
    "filter": "write it out: `tuple(v for v in values if test(v))`",
    "getattr": "write the name: `value.name`",
    "hasattr": "ask for the class: `isinstance(value, fh.Tile)`",
    "complex": "carry the two parts: a frozen dataclass of two tiles",
    "partial": "write a function: `lambda t: f(t, 2)`",
    "iter": "loop over the tuple",
    "next": "take an item: `values[0]`",
}
"""What to write instead of functions of Python."""

NUMBERS: Final = {
    **dict.fromkeys(("inf", "infty", "Inf", "PINF"), "float('inf')"),
    "NINF": "(-float('inf'))",
    **dict.fromkeys(("nan", "NaN", "NAN"), "float('nan')"),
    "pi": "3.141592653589793",
    "tau": "6.283185307179586",
    "e": "2.718281828459045",
    "newaxis": "None",
}
"""What other libraries' modules have a name for, and a kernel writes as Python does."""

OF_VALUES: Final = {
    "item": "a scalar is used as it is: leave `.item()` out",
    "index": "a `Ref` is read at any index; its loads name theirs: `x.load((i, j), shape)`",
    "tile": "the shape of a load is its own: `x.load(index, (128, 64))`",
}
"""What to say of attributes that tiles or tensors of other libraries have."""


OF_TENSORS: Final = {
    **dict.fromkeys(
        (("acc", name) for name in ("load", "load_like", "gather", "load_from")),
        "blocks update it in any order, so nobody reads it: read the result in another kernel, or declare it `Mut`",
    ),
    ("acc", "store"): "blocks meet there, so nobody stores: `.add(tile)`, or declare it `Out`",
    ("acc", "index"): "a place in it is named: `.at(i, j).add(tile)`",
    ("ref", "unfold"): "a tile that begins at any element is `.load_from(start, shape)`",
    ("ref", "add"): "declare it as `Acc` if tile blocks add to it",
    ("ref", "add_at"): "declare it as `Acc` if tile blocks add to it",
    ("ref", "scatter"): "declare it as `Acc`, and add to it: `.add_at(values, i)`",
    ("mut", "add"): "declare it as `Acc` if tile blocks meet there; else load, add and store",
    ("out", "add"): "declare it as `Acc` if tile blocks meet there",
    ("mut", "add_at"): "declare it as `Acc` if tile blocks add to it",
    ("out", "add_at"): "declare it as `Acc` if tile blocks add to it",
    ("mut", "scatter"): "declare it as `Acc`, and add to it: `.add_at(values, i)`",
    ("out", "scatter"): "declare it as `Acc`, and add to it: `.add_at(values, i)`",
    **dict.fromkeys((("raw", name) for name in ("load", "load_like", "index")), "name elements: `.gather(i, j)`"),
    ("raw", "store"): "name elements: `.scatter(values, i, j)`",
}
"""What a tensor of a mode has instead of a method."""


MODULES: Final = frozenset(
    ("tl", "triton", "libdevice", "ct", "cuda", "np", "numpy", "math", "torch", "F", "cp", "cupy", "jnp", "jax", "lax")
)
"""What modules of other libraries are called in the text of a kernel that was copied without its imports."""


def of_another_language(module: str) -> bool:
    """Whether a module is of another library for arrays or kernels: its functions' sources are not for tiles."""
    return f"{module}.".startswith(_LIBRARIES)


_LIBRARIES: Final = (
    "cuda.tile.", "triton.", "numba.", "cutlass.", "torch.", "numpy.", "cupy.", "jax.", "scipy.", "einops.",
)  # fmt: skip
