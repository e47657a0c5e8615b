"""The second half of the pipeline: from a verified ownership module to Tile IR."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from freehold.dialects.classes import detach, module_of
from freehold.dialects.cuda_tile.ops.module import TileModuleOp
from freehold.dialects.location import span_of
from freehold.dialects.ownership import TensorType
from freehold.passes.canonicalize import canonicalize
from freehold.passes.contract_multiply_add import contract_multiply_add
from freehold.passes.convert_ownership_to_cuda_tile import convert_kernel
from freehold.passes.cse import merge_common_subexpressions
from freehold.passes.drop_breakpoints import drop_breakpoints
from freehold.passes.errors.translation import NotTranslated
from freehold.passes.hoist_assertions import hoist_assertions
from freehold.passes.hoist_invariants import hoist_invariants
from freehold.passes.launch_contract import argument_name, entry_parameters, kernel_checks, kernel_of
from freehold.passes.lower_checks import lower_checks
from freehold.passes.rewriting import copy
from freehold.passes.thread_tokens import order_accesses
from freehold.passes.verify_duties import require_discharged
from freehold.passes.verify_tokens import TokensNotShownError, roles_of, verify_tokens
from freehold.support.contract import Checks
from freehold.support.diagnostic import Rejected


def convert(module: ModuleOp, *, checks: Checks = True, contract: bool = True) -> ModuleOp:
    """The Tile IR of a verified module with one kernel, as `builtin.module { cuda_tile.module { cuda_tile.entry } }`.

    `module` is left as it is. A check that fails ends the tile block and is written down for the launch; with `checks`
    "trap" it stops the GPU. Without `checks` obligations met in the kernel are not checked: that is the unchecked
    build, and where all obligations are proved or met at the launch it is the same module. Without `contract` each
    product and sum of floats is rounded by itself (`contract-multiply-add`). That tokens order what they have to is
    verified on what is returned. Raises `PassFailedException` for a module that `verify` has not accepted.
    """
    kernel = copy(kernel_of(module), {})
    drop_breakpoints(kernel)
    record = require_discharged(kernel)
    failing = kernel_checks(record, checks)
    parameters = entry_parameters(kernel, checks, failing=bool(failing))
    roles = roles_of(kernel, checks, parameters)
    holder = module_of(kernel)
    order_accesses(kernel)  # needs to know regions apart, so it comes before they are mere coordinates
    entry = convert_kernel(kernel, checks=checks, record=record, parameters=parameters)
    detach(kernel)
    target = TileModuleOp(entry.sym_name.data, [entry])
    target.location = entry.location
    holder.body.block.add_op(target)
    optimize(holder, contract=contract)
    lower_checks(entry)
    verify_tokens(entry, roles)
    return holder


def translate(module: ModuleOp, *, checks: Checks = True, contract: bool = True) -> ModuleOp:
    """`convert`, for kernels of users: raises `Rejected` (O141) where no code is made of what `verify` accepts."""
    try:
        return convert(module, checks=checks, contract=contract)
    except TokensNotShownError as failed:
        kernel = kernel_of(module)
        tensors = [a for a in kernel.body.block.args if isinstance(a.type, TensorType)]
        name = (
            argument_name(tensors[failed.argument], failed.argument)
            if 0 <= failed.argument < len(tensors)
            else "a tensor"
        )
        what = f"this access to `{name}` is not shown to wait for an earlier one"
        if failed.earlier is None:
            what = "this is not followed by what verifies the order of accesses"
        error = NotTranslated(span_of(failed.op), kernel.sym_name.data, what)
        if failed.earlier is not None and (earlier := span_of(failed.earlier)) is not None:
            error.add(error.Earlier(earlier), error.OneRegion(name))
        raise Rejected([error], kernel=kernel.sym_name.data) from failed
    except PassFailedException as failed:
        kernel = kernel_of(module)
        error = NotTranslated(span_of(kernel), kernel.sym_name.data, str(failed))
        raise Rejected([error], kernel=kernel.sym_name.data) from failed


def optimize(module: ModuleOp, *, contract: bool = True) -> None:
    """Makes Tile IR as small as is cheap, in place. The assembler does the rest."""
    canonicalize(module)  # constants first: they decide branches, and there is less left for the others
    hoist_invariants(module)  # brings equal scalars from different loops into one block
    merge_common_subexpressions(module)  # after hoisting, where duplicates meet
    if contract:
        contract_multiply_add(module)  # after merging: equal products have all their uses at one
    hoist_assertions(module)  # last: a condition must have left the loop before its assertion can
