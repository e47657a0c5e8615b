"""The surface of the language: every name is known to the compiler, and says so outside a kernel."""

import ast
import builtins
import inspect

import pytest

import freehold as fh
from freehold.frontend import language
from freehold.frontend.expressions import TILE_FACTS
from freehold.frontend.intrinsics import intrinsic_of
from freehold.frontend.lower import METHODS
from freehold.support.diagnostic import Rejected


def names() -> list[str]:
    return [n for n, v in vars(language).items() if intrinsic_of(v) is not None]


def test_every_function_of_the_language_is_typed_and_exported():
    for name in names():
        declared = intrinsic_of(getattr(language, name))
        assert declared is not None
        assert declared.name == name
        assert callable(declared.typing)
        exported = getattr(fh, name)
        if exported is not getattr(language, name):  # one that makes tensors on the host
            assert intrinsic_of(exported) is declared
    assert set(names()) - set(fh.__all__) == set(names()) & set(dir(builtins))


@pytest.mark.parametrize("name", names())
def test_functions_say_what_they_are(name: str):
    assert inspect.getdoc(getattr(language, name))


@pytest.mark.parametrize("name", names())
def test_outside_a_kernel_nothing_is_computed(name: str):
    function = getattr(language, name)
    parameters = inspect.signature(function).parameters.values()
    given = [0 for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    keywords = {p.name: 0 for p in parameters if p.kind is p.KEYWORD_ONLY}
    with pytest.raises(Rejected) as caught:
        function(*given, **keywords)
    assert caught.value.codes == ("O016",)
    assert f"`freehold.{name}` was called outside a kernel" in str(caught.value)


@pytest.mark.parametrize("kind", [fh.Tile, fh.Scalar, fh.Ref, fh.Mut, fh.Out, fh.Region])
def test_tiles_and_tensors_are_not_made_by_hand(kind: type):
    with pytest.raises(Rejected) as caught:
        kind(3)
    assert caught.value.codes == ("O016",)


def test_annotations_print_as_they_are_written():
    assert repr(fh.Ref["M", 64]) == "Ref['M', 64]"
    assert repr(fh.Mut[fh.f32, "N"]) == "Mut[f32, 'N']"
    assert repr(fh.grouped(8)) == "freehold.grouped(8)"
    assert repr((fh.ROW, fh.PERSISTENT)) == "(freehold.ROW, freehold.PERSISTENT)"


def test_bands_have_rows():
    with pytest.raises(ValueError, match="from 1 to"):
        fh.grouped(0)


def test_tiles_have_what_their_class_says():
    declared = {n for n in (*vars(fh.Tile), *fh.Tile.__annotations__) if not n.startswith("_")}
    stub = ast.parse(inspect.getsource(fh.Tile)).body[0]
    for node in ast.walk(stub):
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            declared.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            declared.add(node.target.id)
    assert declared == {*TILE_FACTS, *METHODS["tile"]}


KINDS = {"tile": fh.Tile, "region": fh.Region, "place": language.Place} | {
    kind.__freehold_mode__: kind for kind in (fh.Ref, fh.Mut, fh.Out, fh.Acc, fh.Raw)
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, found in METHODS.items() for name in found])
def test_methods_explain_themselves(kind: str, name: str):
    declared = METHODS[kind][name]
    assert declared.name == name
    assert callable(declared.typing)
    method = getattr(KINDS[kind], name)
    assert inspect.getdoc(method)
    assert list(inspect.signature(method).parameters)[1:] == list(inspect.signature(declared.function).parameters)[1:]
    with pytest.raises(Rejected) as caught:
        method(*[0 for p in inspect.signature(method).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD])
    assert caught.value.codes == ("O016",)


def test_every_method_in_the_text_of_a_class_is_declared():
    for kind, found in KINDS.items():
        for base in (kind_ for kind_ in found.__mro__ if kind_ is not object):
            written = {name for name, value in vars(base).items() if inspect.isfunction(value) and name[0] != "_"}
            assert written <= {*METHODS[kind]}, kind


def test_signatures_are_those_of_the_text():
    assert list(inspect.signature(fh.Ref.load).parameters) == [
        "self",
        "index",
        "shape",
        "padding",
        "latency",
        "allow_tma",
    ]
    swap = inspect.signature(fh.Raw.atomic_max)
    assert swap == inspect.signature(fh.Raw.atomic_add)
    assert swap.parameters["order"].default == "relaxed"
    assert fh.Raw.atomic_max.__qualname__ == "Raw.atomic_max"
