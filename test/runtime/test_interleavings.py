"""Random programs on four streams of the stub driver: no order that the streams allow changes a result."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from stub_printed import Printed


def test_orders_change_nothing(on_stub: Callable[..., Printed]) -> None:
    found = on_stub("interleavings.py", "--programs", "40", "--orders", "250")
    assert found.status == 0, found
    assert "40 programs, 10000 orders" in " ".join(found.passed)


@pytest.mark.slow
def test_a_million_orders_change_nothing(on_stub: Callable[..., Printed]) -> None:
    found = on_stub("interleavings.py", "--programs", "1000", "--orders", "1000", "--seed", "1000000")
    assert found.status == 0, found
