"""The host's side against a model, on the interpreter and on the stub driver (`host_machine.py`)."""

from __future__ import annotations

from collections.abc import Callable

from host_machine import HostMachine
from hypothesis import HealthCheck, Phase, settings
from stub_printed import Printed

TestOnTheInterpreter = HostMachine.TestCase
TestOnTheInterpreter.settings = settings(
    max_examples=15,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=(HealthCheck.too_slow,),
    phases=(Phase.explicit, Phase.generate),  # a failure is short enough, and would take long to make shorter
)


def test_on_the_stub(on_stub: Callable[..., Printed]) -> None:
    found = on_stub("stub_machine.py", "--examples", "15", "--steps", "30")
    assert found.status == 0, found.wrong
    assert found.passed[-1:] == ["right"]
