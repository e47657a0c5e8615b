"""What a kernel asks of its launch, beyond what its types say."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import ParsePropInAttrDict, irdl_op_definition, opt_prop_def, prop_def, traits_def
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.ownership.format import FormattedOp
from freehold.dialects.ownership.ops.common import OwnershipEffect
from freehold.support import terms
from freehold.support.terms import Term


@irdl_op_definition
class RequireOp(FormattedOp):
    """A condition that the launcher checks before anything runs, and that every proof may use.

    `ownership.require "H % G == 0" {message = "every group has as many heads"}`, at the top level of a kernel.

    `predicate` is a predicate over the kernel's extents and integer scalars (`freehold.support.terms`): over
    mathematical integers, so nothing in it wraps around. Its divisors are positive: what it says of them is part of it.
    """

    name = "ownership.require"

    predicate = prop_def(StringAttr)
    message = opt_prop_def(StringAttr)

    FORMAT: ClassVar[str] = "$predicate attr-dict"
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(OwnershipEffect())

    def __init__(self, predicate: str, message: str = ""):
        properties = {"predicate": StringAttr(predicate), "message": StringAttr(message) if message else None}
        super().__init__(properties=properties)

    @property
    def condition(self) -> Term:
        """What the launcher checks: that the divisors are positive, and the predicate."""
        predicate = terms.parse(self.predicate.data)
        divisors = dict.fromkeys(t.args[1] for t in predicate.walk() if t.op in ("//", "%", "ceildiv"))
        return terms.all_of(*(terms.const(1).le(d) for d in divisors), predicate)

    def verify_(self) -> None:
        try:
            predicate = terms.parse(self.predicate.data)
        except ValueError as e:
            raise VerifyException(f"{self.name}: a requirement is a predicate over symbols: {e}") from e
        if predicate.op not in ("<", "<=", "==", "and", "or", "not") and not predicate.is_const:
            raise VerifyException(f"{self.name}: `{predicate}` is a number, not a condition")
