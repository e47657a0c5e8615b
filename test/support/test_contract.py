"""Launch contracts as text: what is written is what is read."""

from __future__ import annotations

from dataclasses import MISSING, fields

from freehold.support.contract import (
    EntryParameter,
    Foreign,
    KernelCheck,
    LaunchCheck,
    LaunchContract,
    ScalarParameter,
    TensorParameter,
)
from freehold.support.span import Span


def test_no_field_of_a_contract_is_lost_in_its_json_form() -> None:
    place = Span("kernels.py", 3, 4, 5, 6, Span("train.py", 1, 0, 1, 9))
    tensor = TensorParameter("x", "out", "f32", ("N", "2 * N"), 16, (0, 1), (4, 1), (1, 8))
    contract = LaunchContract(
        "k",
        (tensor, ScalarParameter("n", "i32", "n")),
        (
            EntryParameter("pointer", 0),
            EntryParameter("stride", 0, 1, "N", "i64", 4),
            EntryParameter("extent", term="N"),
        ),
        ("N",),
        True,
        (LaunchCheck("N % 8 == 0", "eight at a time", place, required=True),),
        12,
        (KernelCheck("k < K", (("k", "i32"),), place, "x", 1, 64),),
        "abc",
        Foreign(("N", "1", "1"), ("2", "1", "1"), "4 * N", (0,), (0, 2, 1), 64, "why"),
    )
    parts = contract.checks[0], contract.kernel_checks[0], contract.entry[1], contract.foreign
    for part in (contract, tensor, contract.parameters[1], *parts):
        assert part is not None
        for field in fields(part):
            assert field.default is MISSING or getattr(part, field.name) != field.default, field.name
    assert LaunchContract.from_json(contract.to_json()) == contract


def test_what_is_not_foreign_is_as_it_was_before_there_was_any() -> None:
    entry = EntryParameter("pointer", 0), EntryParameter("extent", term="N")
    text = LaunchContract("k", (), entry, ("N",), False, ()).to_json()
    assert not {"foreign", "dtype", "scale"} & {word.strip('"') for word in text.replace(":", ",").split(",")}
    assert LaunchContract.from_json(text).entry == entry
