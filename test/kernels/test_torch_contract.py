"""
What torch asks of operators, of every operator of the library: opcheck, gradients by differences, `torch.compile` and
`torch.export` in one piece, copies and pickles, also of modules and optimisers, and workers of data loaders.
"""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUntypedBaseClass=false, reportPrivateUsage=false

from __future__ import annotations

import copy
import pickle
import re
import warnings
from typing import Any

import pytest
from comparing import integers, made, tuple_of
from contracts import ROWS, Call, Row, calls, copied, operators, total

from freehold import kernels
from freehold.kernels import nn, optimisers

torch: Any = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def called() -> dict[str, Call]:
    return calls()


def test_every_function_and_operator_has_a_row(called: dict[str, Call]) -> None:
    """Whoever adds one writes a row in contracts.py, or calls the operator in that of a function."""
    of_functions = {re.split("[ ,]", name)[0] for name in ROWS}
    assert of_functions == set(kernels.__all__) - {"patch", "define_operators"}
    assert {call.operator.name for call in called.values()} == set(operators())


def test_opcheck(called: dict[str, Call]) -> None:
    """As each is called in the rows. Those that nobody wrote gradients of get tensors that want none."""
    failed: dict[str, dict[str, Any]] = {}
    for name, (operator, arguments) in called.items():
        given = map(copied, arguments)
        if operator._backward is None:
            given = (a.detach() if torch.is_tensor(a) else a for a in given)
        found = torch.library.opcheck(operator.defined(), tuple(given), raise_exception=False)
        assert len(found) >= 4
        if wrong := {test: answer for test, answer in found.items() if answer != "SUCCESS"}:
            failed[name] = wrong
    assert not failed


def results(function: Any, row: Row, *, gradients: bool) -> list[Any]:
    """What is returned, changed, and the gradients, of new arguments."""
    given, rest = row.arguments()
    found = function(*given, *rest) if gradients else function(*(t.detach() for t in given), *rest)
    all_ = [t for t in (*tuple_of(found), *rest) if t is not None]
    if gradients:
        all_ += torch.autograd.grad(total(tuple_of(found)), given)
    return all_


def same(found: list[Any], wanted: list[Any]) -> None:
    for one, other in zip(found, wanted, strict=True):
        if torch.is_tensor(one):
            torch.testing.assert_close(one, other)


@pytest.mark.parametrize("name", ROWS)
def test_compiled_in_one_piece(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forward and backward, without a warning, where operators are used for the first time."""
    row = ROWS[name]
    gradients = row.is_differentiable and bool(row.shapes)
    for operator in operators().values():
        monkeypatch.setattr(operator, "_operator", None)
    torch.compiler.reset()
    compiled = torch.compile(lambda *a: row.function(*a), fullgraph=True, backend="aot_eager")
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        found = results(compiled, row, gradients=gradients)
    same(found, results(row.function, row, gradients=gradients))


class Calling(torch.nn.Module):
    """A module that calls a function."""

    def __init__(self, function: Any):
        super().__init__()
        self.function = function

    def forward(self, *arguments: Any) -> Any:
        return self.function(*arguments)


@pytest.mark.parametrize("name", ROWS)
def test_exported(name: str) -> None:
    row = ROWS[name]
    given, rest = row.arguments()
    program = torch.export.export(Calling(row.function), (*(t.detach() for t in given), *rest))
    assert "freehold." in program.graph_module.code
    same(results(program.module(), row, gradients=False), results(row.function, row, gradients=False))


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.is_differentiable and row.shapes])
def test_gradients(name: str) -> None:
    """By differences in float64, or against torch."""
    row = ROWS[name]
    if row.theirs is not None:
        same(*(results(function, row, gradients=True) for function in (row.function, row.theirs)))
        return
    given, rest = row.arguments()
    assert torch.autograd.gradcheck(lambda *a: row.function(*a, *rest), tuple(given), fast_mode=True)


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if not row.is_differentiable])
def test_no_gradient_is_left_out(name: str) -> None:
    """Who asks for a gradient that nobody wrote gets an error, eagerly and of torch's operator."""
    given, rest = ROWS[name].arguments()
    found = [t for t in tuple_of(ROWS[name].function(*given, *rest)) if t.requires_grad]
    assert all(t.is_floating_point() for t in found)
    for t in found:
        with pytest.raises(NotImplementedError, match=r"no gradient"):
            t.float().sum().backward()


def test_no_gradient_is_left_out_of_what_changes_its_arguments(called: dict[str, Call]) -> None:
    """Nothing would ask for one later, so the call itself is refused: eagerly, known to be alike, and compiled."""
    found = {call.operator.name for call in called.values() if "!" in call.operator.schema}
    assert found == {"append_kv", "rotate_and_append"}
    reason = r"changes its arguments and has no gradient: call it under torch\.no_grad\(\), or on detached tensors"
    for operator, arguments in called.values():
        if operator.name not in found:
            continue
        given = [copied(a).detach() if torch.is_tensor(a) else a for a in arguments]
        wanting = [*given[:2], given[2].clone().requires_grad_(), *given[3:]]
        for _ in range(2):
            operator(*given)
            with pytest.raises(NotImplementedError, match=reason):
                operator(*wanting)
            with torch.no_grad():
                operator(*wanting)
        torch.compiler.reset()
        compiled = torch.compile(lambda *a, operator=operator: operator(*a), fullgraph=True, backend="aot_eager")
        with pytest.raises(Exception, match=reason):
            compiled(*wanting)
        with torch.no_grad():
            compiled(*wanting)


def test_gradients_of_gradients_are_refused() -> None:
    """Where the gradients' own operator has none; products have gradients of any order."""
    x, weight = made((3, 6), torch.float64, 0).requires_grad_(), torch.ones(6, dtype=torch.float64)
    (dx,) = torch.autograd.grad(kernels.rms_norm(x, weight).square().sum(), x, create_graph=True)
    with pytest.raises(NotImplementedError, match=r"norm_backward has no gradient: call it under torch\.no_grad"):
        dx.sum().backward()
    pair = tuple(made(shape, torch.float64, 1).requires_grad_() for shape in ((3, 6), (6, 5)))
    assert torch.autograd.gradgradcheck(kernels.matmul, pair, fast_mode=True)


def test_operators_are_themselves_again() -> None:
    """Copied and pickled: what holds one may be sent to another process."""
    for operator in operators().values():
        assert copy.deepcopy(operator) is operator
        assert pickle.loads(pickle.dumps(operator)) is operator
    for name in kernels.__all__:
        assert pickle.loads(pickle.dumps(getattr(kernels, name))) is getattr(kernels, name)


X, TARGET = made((4, 12), torch.float32, 0), integers(12, 4)
MODULES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "RMSNorm": (lambda: nn.RMSNorm(12), (X,)),
    "AddRMSNorm": (lambda: nn.AddRMSNorm(12), (X, X)),
    "LayerNorm": (lambda: nn.LayerNorm(12), (X,)),
    "GroupNorm": (lambda: nn.GroupNorm(3, 12), (X,)),
    "Linear": (lambda: nn.Linear(12, 8, activation="silu"), (X,)),
    "Embedding": (lambda: nn.Embedding(12, 8), (TARGET,)),
    "GatedMLP": (lambda: nn.GatedMLP(12, 6), (X,)),
    "CrossEntropyLoss": (lambda: nn.CrossEntropyLoss(label_smoothing=0.125), (X, TARGET)),
    "LinearCrossEntropyLoss": (lambda: nn.LinearCrossEntropyLoss(), (X, made((12, 12), torch.float32, 1), TARGET)),
}


def test_modules() -> None:
    """Copied and pickled after they were used; compiled, and exported."""
    classes = {k for k, v in vars(nn).items() if isinstance(v, type) and v.__module__ == nn.__name__}
    assert set(MODULES) == classes
    for make, arguments in MODULES.values():
        module = make()
        wanted = tuple_of(module(*arguments))
        torch.compiler.reset()
        for again in (
            copy.deepcopy(module),
            pickle.loads(pickle.dumps(module)),
            torch.compile(module, fullgraph=True, backend="aot_eager"),
            torch.export.export(module, arguments).module(),
        ):
            same([*tuple_of(again(*arguments))], [*wanted])


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "Lion"])
def test_optimisers(name: str) -> None:
    """Copied and pickled after a step, with their parameters: the next step is the same."""

    def step(p: Any, optimiser: Any) -> Any:
        p.grad = made((5,), torch.float32, 1)
        optimiser.step()
        return p.detach().clone()

    p = made((5,), torch.float32, 0).requires_grad_()
    pair = p, getattr(optimisers, name)([p], lr=0.125)
    step(*pair)
    others = copy.deepcopy(pair), pickle.loads(pickle.dumps(pair))
    wanted = step(*pair)
    assert all(torch.equal(step(*other), wanted) for other in others)


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_a_worker_of_a_data_loader(start: str) -> None:
    """Of a process that has launched before."""
    wanted = kernels.softmax(X)
    options = {"num_workers": 1, "multiprocessing_context": start, "collate_fn": kernels.softmax}
    found = list(torch.utils.data.DataLoader(X, batch_size=None, **options))
    torch.testing.assert_close(torch.stack(found), wanted)
