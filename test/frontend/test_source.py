"""Where the source of a kernel comes from, and what is known of it."""

import ast
import enum
import importlib
import linecache
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, cast

import pytest

import freehold as fh
from freehold import Const, Out, Ref, f32
from freehold.dialects.location import location_of, span_of
from freehold.frontend import snapshot
from freehold.frontend.source import FunctionSource, KernelFunction, SourceMissing, source_of
from freehold.frontend.syntax.read import place_of
from freehold.support.diagnostic import Rejected
from freehold.support.span import Span

TEXT = '''
from freehold import Out, Ref

def kernel(y: Out["N"], x: Ref["N"]):
    """Doc."""
    y.store(x.load_like(y) * 2.0)
'''


def execute(text: str, file: str) -> FunctionType:
    names: dict[str, Any] = {}
    exec(compile(text, file, "exec"), names)
    return names["kernel"]


def test_text_run_without_a_file_has_no_source():
    kernel = KernelFunction(execute(TEXT, "<nowhere>"))
    with pytest.raises(Rejected) as caught:
        kernel.source  # noqa: B018
    assert caught.value.codes == ("O001",)
    assert "no text of `<nowhere>` is known" in str(caught.value)


def test_a_coroutine_is_no_kernel():
    fh.register_source("<generated coroutine>", TEXT.replace("def kernel", "async def kernel"))
    with pytest.raises(Rejected) as caught:
        KernelFunction(execute(TEXT.replace("def kernel", "async def kernel"), "<generated coroutine>")).source  # noqa: B018
    assert "it is an `async` function" in str(caught.value)
    assert "= help: define the kernel with `def`" in str(caught.value)


def test_text_that_is_registered_has():
    fh.register_source("<generated kernel 1>", TEXT)
    source = KernelFunction(execute(TEXT, "<generated kernel 1>")).source
    assert source.header.line == 4
    assert source.parameter("x") is not None


def test_notebooks_and_shells_keep_text_where_tracebacks_find_it():
    file = "<ipython-input-1-abcdef>"
    lines: list[str] = list(TEXT.splitlines(keepends=True))
    linecache.cache[file] = (len(TEXT), None, lines, file)
    assert KernelFunction(execute(TEXT, file)).source.tree.lineno == 1


def test_a_file_that_changed_is_noticed():
    file = "<changing>"
    function = execute(TEXT, file)
    fh.register_source(file, TEXT.replace("def kernel", "def other"))
    with pytest.raises(SourceMissing, match="holds something else now"):
        source_of(function)


SURROUNDED = """\
import math
from dataclasses import dataclass


def plain(x):
    return math.sqrt(x) + x.sum()


def outer(scale):
    @staticmethod
    def inner(x, by=2):
        def innermost():
            return math.exp(x) * scale + by

        return innermost()

    return inner.__func__


class Holder:
    def method(self):
        return math.floor(self.value)

    def private(self):
        return self.__value


inner, method, private = outer(3), Holder.method, Holder.private
"""


@pytest.mark.parametrize("name", ["plain", "inner", "method", "private"])
def test_of_a_file_a_functions_part_is_compiled_again(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of all that a file may be around a function, only names that a class makes its own ask for the whole."""
    read: list[str] = []
    whole = snapshot._codes  # pyright: ignore[reportPrivateUsage]: what it costs is what is tested

    def noted(lines: tuple[str, ...], file: str, flags: int) -> frozenset[CodeType]:
        read.append(file)
        return whole(lines, file, flags)

    monkeypatch.setattr(snapshot, "_codes", noted)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    (tmp_path / "surrounded.py").write_text(SURROUNDED)
    function = vars(importlib.import_module("surrounded"))[name]
    del sys.modules["surrounded"]
    source = source_of(function)
    assert source.name == name
    assert [line.strip() for line in SURROUNDED.splitlines()][source.header.line - 1].startswith(f"def {name}(")
    assert len(read) == (name == "private")


def test_columns_are_those_of_the_file_where_a_function_is_indented():
    def inner(y: Out["N"], größe: Ref["N"], ab: Ref["N"]): ...

    source = source_of(inner)
    span = source.parameter("ab")
    assert span is not None
    line = linecache.getline(__file__, span.line)
    assert line[span.start : span.end] == 'ab: Ref["N"]'
    assert source.header.start == line.index("inner")


def test_multi_line_strings_are_not_touched():
    def inner():
        return """a
  b
    c"""

    statement = cast(ast.FunctionDef, source_of(inner).tree).body[0]
    assert isinstance(statement, ast.Return)
    assert isinstance(statement.value, ast.Constant)
    assert statement.value.value == inner()


MARGINS = {
    "string": 'def kernel(a,\n):\n    t = """one\ntwo\n"""\n    return t\nother = 1\n',
    "continued": "def kernel(a,\n  ):\n    t = 1 + \\\n2\n    return t\n",
    "comment": "def kernel(\n    a,\n):\n    t = 1\n# at the margin\n\n    return t\n# after it\n",
    "bracket": "def kernel(a):\n    t = (1,\n2,\n)\n    return t\nother = (\n)\n",
    "decorated": "def same(f): return f\n@same\n@same\ndef kernel(a):\n    return 1\n@same\ndef other(): pass\n",
    "indented": "if True:\n\tdef kernel(a):\n\t\tt = [\n1]\n\t\treturn t\n\tother = 1\n",
    "one line": "def kernel(a): t = 1; return t\ndef other(): pass\n",
}


@pytest.mark.parametrize("name", MARGINS)
def test_a_function_ends_where_python_says(name: str):
    text = MARGINS[name]
    fh.register_source(f"<margin {name}>", text)
    function = execute(text, f"<margin {name}>")
    whole = next(n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef) and n.name == "kernel")
    assert ast.dump(source_of(function).tree) == ast.dump(whole)


def test_the_text_of_a_node_is_the_authors():
    def inner():
        return ("größe", 1 +  2)  # fmt: skip

    source = source_of(inner)
    statement = cast(ast.FunctionDef, source.tree).body[0]
    assert isinstance(statement, ast.Return)
    assert isinstance(statement.value, ast.Tuple)
    assert [source.text(place_of(n)) for n in statement.value.elts] == ['"größe"', "1 +  2"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x.sum(\n    0)", "x.sum(0)"),
        ("*(a,\n   b)", "*(a, b)"),
        ("k=(a +\n   b)", "k=a + b"),
        ("a:\n  b, None", "a:b, None"),
    ],
)
def test_what_spans_lines_is_shown_on_one(text: str, shown: str):
    source = FunctionSource("a.py", "f", cast(ast.FunctionDef, ast.parse("def f(): pass").body[0]), text.split("\n"), 1)
    last = text.split("\n")[-1]
    assert source.text((1, 0, 1 + text.count("\n"), len(last))) == shown


def test_locations_are_well_formed():
    span = Span.on_line("a.py", 3, 4, 9)
    for location in (location_of(span), location_of(span.inlined_at(Span("b.py", 1, 2, 3, 4)))):
        assert type(location).new(location.parameters) == location  # verifies
    assert span_of(location_of(span)) == span


def test_lambdas_of_one_line_are_told_apart():
    functions: list[Callable[[int], int]] = [(lambda x: x + 1), (lambda x: x * 2), (lambda y: y - 3)]
    texts = [ast.unparse(source_of(cast(FunctionType, f)).tree) for f in functions]
    assert texts == ["lambda x: x + 1", "lambda x: x * 2", "lambda y: y - 3"]
    for function in functions:
        source = source_of(cast(FunctionType, function))
        at = (source.tree.lineno, source.tree.col_offset, source.tree.lineno, source.tree.end_col_offset or 0)
        assert source.span(at).line == cast(FunctionType, function).__code__.co_firstlineno


@pytest.mark.parametrize("quotes", ["", "from __future__ import annotations\n"])
def test_annotations_may_be_text(quotes: str):
    text = quotes + TEXT
    signature = KernelFunction(execute(text, "<text>")).signature
    assert [p.annotation for p in signature.parameters] == ['Out["N"]', 'Ref["N"]']


def test_unquoted_dimensions_are_names_where_annotations_are_text():
    text = "from __future__ import annotations\n" + textwrap.dedent(
        """
        from freehold import Out, Ref, f32
        def kernel(y: Out[f32, B, H // 2], x: Ref[K]): ...
        """
    )
    signature = KernelFunction(execute(text, "<text 2>")).signature
    assert [p.annotation for p in signature.parameters] == ['Out[f32, "B", "H // 2"]', 'Ref["K"]']


# --- Signatures ------------------------------------------------------------------------------------------------------


def test_signature():
    def kernel(
        y: Out["N", 64], x: Ref, z: Ref[f32], n: int, a: float = 2.0, *, BK: Const[int] = 64, FLAG: Const[bool] = True
    ): ...

    signature = KernelFunction(kernel).signature
    modes = [(p.name, p.mode, p.dims, p.dtype, p.has_default, p.type) for p in signature.parameters]
    f = fh.DType("f32", "float", 32, 32)
    assert modes == [
        ("y", "out", ("N", "64"), None, False, None),
        ("x", "ref", None, None, False, None),
        ("z", "ref", None, f, False, None),
        ("n", "scalar", None, None, False, int),
        ("a", "scalar", None, None, True, float),
        ("BK", "const", None, None, True, int),
        ("FLAG", "const", None, None, True, bool),
    ]
    span = signature["BK"].span
    assert span is not None
    assert linecache.getline(__file__, span.line)[span.start : span.end] == "BK: Const[int]"


CHANGED = [
    ("f = lambda x: (", "`changed.py` is no Python now"),
    ("f = 1", "which lambda of line 1 it is cannot be told"),
    ("", "which lambda of line 1 it is cannot be told"),
    ("def f(x): return x", "which lambda of line 1 it is cannot be told"),
]


@pytest.mark.parametrize(("now", "said"), CHANGED, ids=[now for now, _ in CHANGED])
def test_a_lambda_whose_text_was_changed_is_told(now: str, said: str):
    names: dict[str, Any] = {}
    exec(compile("f = lambda x: x + 1\n", "changed.py", "exec"), names)
    fh.register_source("changed.py", now + "\n")
    with pytest.raises(SourceMissing, match=said):
        source_of(names["f"])


# --- Fingerprints ----------------------------------------------------------------------------------------------------


class Mode(enum.Enum):
    FAST = 1


def mode(value: object) -> enum.Enum:
    """A member that is named alike, whatever its value."""
    return enum.Enum("Other", {"FAST": value}).FAST  # pyright: ignore[reportAttributeAccessIssue] -- made by its name


@dataclass(frozen=True)
class Config:
    size: int


@dataclass(frozen=True)
class Doubled:
    size: int

    @property
    def twice(self) -> int:
        return 2 * self.size


def fingerprint(text: str, **names: object) -> str:
    names["__builtins__"] = __builtins__
    exec(compile(text, "<f>", "exec"), names)
    return KernelFunction(cast(FunctionType, names["kernel"])).fingerprint().hexdigest()


PLAIN = 'from freehold import Out\ndef kernel(y: Out["N"]):\n    y.store({})\n'


def test_equal_kernels_have_equal_fingerprints():
    assert fingerprint(PLAIN.format("A * 2"), A=1) == fingerprint(PLAIN.format("A * 2"), A=1, B=3)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (1, 2),
        (1, 1.0),
        (1, True),
        (0.0, -0.0),
        ((1, 2), (2, 1)),
        (Mode.FAST, 1),
        (mode(1), mode(2)),
        (Config(1), Config(2)),
        (Config(1), Doubled(1)),
        ("a", "b"),
    ],
)
def test_host_values_count(first: object, second: object):
    text = PLAIN.format("A")
    assert fingerprint(text, A=first) != fingerprint(text, A=second)


def test_code_counts():
    assert fingerprint(PLAIN.format("1")) != fingerprint(PLAIN.format("2"))
    assert fingerprint(PLAIN.format("1 + A"), A=1) != fingerprint(PLAIN.format("1 - A"), A=1)


def test_helpers_count_with_what_they_read():
    def made(factor: int, constant: str) -> str:
        helper = f"def inner(t):\n    return t * FACTOR + {constant}\ndef helper(t):\n    return inner(t)\n"
        names: dict[str, Any] = {"FACTOR": factor}
        exec(compile(helper, "<helper>", "exec"), names)
        return fingerprint(PLAIN.format("helper(1)"), helper=names["helper"])

    assert made(1, "2") == made(1, "2")
    assert len({made(1, "2"), made(3, "2"), made(1, "4")}) == 3


def test_attributes_of_modules_count():
    import types

    first, second = types.ModuleType("config"), types.ModuleType("config")
    for module, value in ((first, 1), (second, 2)):
        module.__dict__["BK"] = value
    text = PLAIN.format("config.BK")
    assert fingerprint(text, config=first) != fingerprint(text, config=second)
