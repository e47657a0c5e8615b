"""What validation and the verifier of tokens say where emitted code has one thing changed: in full, or that it may be.

A change is accepted where it changes nothing, as another name of one number, or what a verifier does not look at: hints
and what is promised of bounds. Each other one is told where it first shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from changed_kernels import MADE
from emitted_changes import Change, changes
from xdsl.utils.exceptions import VerifyException

from freehold.passes.launch_contract import kernel_of
from freehold.passes.pipeline import convert
from freehold.passes.validate_translation import entry_of, validate_translation
from freehold.passes.verify_tokens import TokensNotShownError, roles_of, verify_tokens
from freehold.support.diagnostic import Rejected

MOST = 32
"""Changes of a kernel that are looked at; of larger ones every second, or third."""
STRUCTURES = ("if: ", "for: gone")
"""Of branches and loops all are."""
WAYS_OUT = ("= store_ptr_tko: ", "= atomic_cas_tko: ")
"""And of what a check that failed leaves behind."""


def told(found: list[Change], look: Callable[[], None]) -> Iterator[str]:
    """What becomes of each of some changes; those after which nothing is well-formed are left out."""
    step = max(1, -(-len(found) // MOST))
    taken = [
        change
        for n, change in enumerate(found)
        if n % step == 0 or change[0].startswith(STRUCTURES) or any(what in change[0] for what in WAYS_OUT)
    ]
    for what, changed, do, undo in taken:
        do()
        try:
            if changed is not None:
                changed.verify(verify_nested_ops=False)
            look()
            yield f"{what}: accepted"
        except VerifyException:
            pass
        except Rejected as refused:
            (error,) = refused.errors
            said = error.report()
            yield f"{what}: {said.label}{''.join(f'; {note}' for note in said.notes[:-1])}"
        except TokensNotShownError as failed:
            yield f"{what}: {failed}"
        finally:
            undo()
    look()


@pytest.mark.parametrize("name", MADE)
def test_what_is_said_of_a_change(name: str, golden: Callable[[Path, str], None]) -> None:
    module = MADE[name]()
    kernel = kernel_of(module)
    entry = entry_of(convert(module))
    before = str(entry)
    lines = [*told([*changes(entry)], lambda: validate_translation(kernel, entry))]
    assert str(entry) == before
    roles = roles_of(kernel)
    lines += ["", *told([*changes(entry, tokens=True)], lambda: verify_tokens(entry, roles))]
    assert str(entry) == before
    golden(Path(__file__).with_name("changed") / f"{name}.txt", "\n".join(lines))
