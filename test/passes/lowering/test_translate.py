"""What users are told where no code is made of a kernel that the verifiers accept."""

from __future__ import annotations

from typing import NoReturn

import pytest
from xdsl.utils.exceptions import PassFailedException

from freehold.passes import lowering
from freehold.passes.launch_contract import kernel_of
from freehold.passes.lowering import translate
from freehold.passes.verify_tokens import TokensNotShownError
from freehold.support.diagnostic import Rejected
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

MODULE = parse_module(
    make_context(),
    """
ownership.kernel @k(%s: !cuda_tile.tile<i32>, %y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %n = ownership.dim %b, 0 : !ownership.ref<[N], f32>
}
""",
    "test.mlir",
)
BORROW, DIM = list(kernel_of(MODULE).body.block.ops)[:2]


def told(monkeypatch: pytest.MonkeyPatch, failure: Exception) -> tuple[str, list[str], list[str], list[str]]:
    def fail(*_: object, **__: object) -> NoReturn:
        raise failure

    monkeypatch.setattr(lowering, "convert", fail)
    with pytest.raises(Rejected) as caught:
        translate(MODULE)
    assert caught.value.__cause__ is failure
    (error,) = caught.value.errors
    assert error.code == "O141"
    report = error.report()
    labels = [f"{label.span.line}: {label.text}" for label in report.labels]
    return report.title, labels, list(report.notes), list(report.helps)


@pytest.mark.parametrize(("argument", "name"), [(0, "`y`"), (1, "`x`"), (2, "`a tensor`"), (-1, "`a tensor`")])
def test_an_access_that_is_not_shown_to_wait(monkeypatch: pytest.MonkeyPatch, argument: int, name: str) -> None:
    failure = TokensNotShownError(DIM, "is too early", BORROW, argument)
    title, labels, notes, helps = told(monkeypatch, failure)
    said = f"this access to {name} is not shown to wait for an earlier one"
    assert said in " ".join([title, *labels])
    assert [label[0] for label in labels] == ["4", "3"]
    assert name.strip("`") in " ".join([*notes, *helps])


def test_an_operation_that_is_not_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    title, labels, _, _ = told(monkeypatch, TokensNotShownError(DIM, "is not understood"))
    assert "this is not followed by what verifies the order of accesses" in " ".join([title, *labels])
    assert [label[0] for label in labels] == ["4"]


def test_a_pass_that_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    title, labels, _, _ = told(monkeypatch, PassFailedException("nothing is known of this"))
    assert "nothing is known of this" in " ".join([title, *labels])
    assert [label[0] for label in labels] == ["2"]
