"""Every pass by the name that `tile-opt -p` knows it by. Each is imported when its factory is called."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from xdsl.passes import ModulePass


def _lazy(class_name: str, module: str) -> Callable[[], type[ModulePass]]:
    def load() -> type[ModulePass]:
        return getattr(import_module(f"freehold.passes.{module}"), class_name)

    return load


ALL_PASSES: Final[dict[str, Callable[[], type[ModulePass]]]] = {
    "verify-dominance": _lazy("VerifyDominancePass", "verify_dominance"),
    "verify-domains": _lazy("VerifyDomainsPass", "verify_domains"),
    "verify-borrows": _lazy("VerifyBorrowsPass", "verify_borrows"),
    "verify-partitions": _lazy("VerifyPartitionsPass", "verify_partitions"),
    "resolve-obligations": _lazy("ResolveObligationsPass", "resolve_obligations"),
    "verify-duties": _lazy("VerifyDutiesPass", "verify_duties"),
    "deny-kernel-checks": _lazy("DenyKernelChecksPass", "deny_kernel_checks"),
    "deny-unsafe": _lazy("DenyUnsafePass", "deny_unsafe"),
    "warn-padding": _lazy("WarnPaddingPass", "warn_padding"),
    "warn-hints": _lazy("WarnHintsPass", "warn_hints"),
    "report-obligations": _lazy("ReportObligationsPass", "report_obligations"),
    "drop-breakpoints": _lazy("DropBreakpointsPass", "drop_breakpoints"),
    "approximate-math": _lazy("ApproximateMathPass", "approximate_math"),
    "split-loops": _lazy("SplitLoopsPass", "split_loops"),
    "flatten-products": _lazy("FlattenProductsPass", "flatten_products"),
    "thread-tokens": _lazy("ThreadTokensPass", "thread_tokens"),
    "print-launch-contract": _lazy("PrintLaunchContractPass", "launch_contract"),
    "convert-ownership-to-cuda-tile": _lazy("ConvertOwnershipToCudaTilePass", "convert_ownership_to_cuda_tile"),
    "canonicalize": _lazy("CanonicalizePass", "canonicalize"),
    "loop-split": _lazy("LoopSplitPass", "loop_split"),
    "cse": _lazy("CommonSubexpressionsPass", "cse"),
    "hoist-invariants": _lazy("HoistInvariantsPass", "hoist_invariants"),
    "contract-multiply-add": _lazy("ContractMultiplyAddPass", "contract_multiply_add"),
    "fuse-fma": _lazy("FuseFmaPass", "fuse_fma"),
    "hoist-assertions": _lazy("HoistAssertionsPass", "hoist_assertions"),
    "lower-checks": _lazy("LowerChecksPass", "lower_checks"),
    "move-by-threads": _lazy("MoveByThreadsPass", "move_by_threads"),
    "wait-for-grids": _lazy("WaitForGridsPass", "wait_for_grids"),
    "verify-tokens": _lazy("VerifyTokensPass", "verify_tokens"),
    "synthesize-debug-info-scopes": _lazy("SynthesizeDebugInfoScopesPass", "synthesize_debug_info_scopes"),
    "validate-translation": _lazy("ValidateTranslationPass", "validate_translation"),
}
"""Name and factory of each pass, in the order in which a pipeline has them."""
