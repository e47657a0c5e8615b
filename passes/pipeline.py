"""The passes as the compiler runs them, as functions: verify, read off the launch contract, convert."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from freehold.dialects.ownership import KernelOp, kernels_of
from freehold.passes.analysis.facts import KernelFacts, analyse, guarantees
from freehold.passes.deny_kernel_checks import deny_kernel_checks
from freehold.passes.deny_unsafe import deny_unsafe as unsafe_accesses
from freehold.passes.launch_contract import contract
from freehold.passes.lowering import convert
from freehold.passes.prover.journal import journal
from freehold.passes.prover.script import script
from freehold.passes.resolve_obligations import resolve_obligations
from freehold.passes.verify_borrows import verify_borrows
from freehold.passes.verify_domains import verify_domains
from freehold.passes.verify_dominance import verify_dominance
from freehold.passes.verify_duties import reopen, verify_duties
from freehold.passes.verify_partitions import verify_partitions
from freehold.support.diagnostic import Error, Rejected

__all__ = ["contract", "convert", "proofs", "verify"]


def verify(
    module: ModuleOp,
    *,
    deny_kernel_checks: bool = False,
    deny_unsafe: bool = False,
    facts: list[KernelFacts] | None = None,
) -> None:
    """Verifies every kernel of a module in place: all obligations are recorded on the operations that owe them.

    With `deny_kernel_checks`, accesses that would be checked in the kernel are refused, and with `deny_unsafe` those
    that are neither proved nor checked. What was found out about each kernel is added to `facts`. Raises `Rejected`
    with all errors of the module.
    """
    if errors := verify_dominance(module):
        raise Rejected(errors)
    names: list[str] = []
    for kernel in kernels_of(module):
        found = verify_kernel(kernel, deny=deny_kernel_checks, known=facts)
        if deny_unsafe:
            found += unsafe_accesses(kernel)
        if found:
            errors += found
            names.append(kernel.sym_name.data)
    if errors:
        raise Rejected(errors, kernel=names[0] if len(names) == 1 else None)


def proofs(module: ModuleOp) -> str:
    """
    Verifies a module in place, and returns what was concluded as a script in SMT-LIB, for another solver to check.

    Each question is one fact about integers that a verifier relied on. How the facts make a proof, and the schedules'
    lemmas, is not in it. Raises `Rejected`.
    """
    with journal() as claims:
        verify(module)
    names = [kernel.sym_name.data for kernel in kernels_of(module)]
    return script(claims, ", ".join(f"kernel `{name}`" for name in names) or "nothing")


def verify_kernel(kernel: KernelOp, *, deny: bool = False, known: list[KernelFacts] | None = None) -> list[Error]:
    """Everything that is wrong with one kernel. The facts about it are found out once, for all verifiers, and added to
    those that are `known`."""
    reopen(kernel)
    ensured = guarantees(kernel)
    errors = verify_domains(kernel, ensured)
    facts = analyse(kernel, ensured)
    if known is not None:
        known.append(facts)
    apart = [] if errors else verify_partitions(kernel, facts)
    errors = [*verify_borrows(kernel, facts), *errors, *apart, *resolve_obligations(facts)]
    errors = errors or verify_duties(kernel)
    # What is denied is a matter of kernels that are right: checks in one that is refused anyway are no news.
    return errors or (deny_kernel_checks(kernel, facts) if deny else [])
