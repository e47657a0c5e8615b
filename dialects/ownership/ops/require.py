"""What a kernel asks of its launch, beyond what its types say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def, traits_def
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.classes import PlainOp, build, string
from freehold.dialects.ownership.duties import TermAttr, parse_term
from freehold.dialects.ownership.ops.common import OwnershipEffect
from freehold.support import terms
from freehold.support.terms import Term

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer


@irdl_op_definition
class RequireOp(PlainOp):
    """A condition that the launcher checks before anything runs, and that every proof may use.

    `ownership.require "H % G == 0" {message = "every group has as many heads"}`, at the top level of a kernel.

    `predicate` is a predicate over the kernel's extents and integer scalars (`freehold.support.terms`): over
    mathematical integers, so nothing in it wraps around. Its divisors are positive: what it says of them is part of it.
    """

    name = "ownership.require"

    predicate = prop_def(TermAttr)
    message = opt_prop_def(StringAttr)

    traits = traits_def(OwnershipEffect())

    def __init__(self, predicate: Term, message: str = ""):
        given = {"message": string(message)} if message else {}
        build(self, (), (), {"predicate": TermAttr(predicate), **given})

    @property
    def condition(self) -> Term:
        """What the launcher checks: that the divisors are positive, and the predicate."""
        predicate = self.predicate.data
        divisors = dict.fromkeys(t.args[1] for t in predicate.walk() if t.op in ("//", "%", "ceildiv"))
        return terms.all_of(*(terms.const(1).le(d) for d in divisors), predicate)

    def verify_(self) -> None:
        predicate = self.predicate.data
        if predicate.op not in ("<", "<=", "==", "and", "or", "not") and not predicate.is_const:
            raise VerifyException(f"{self.name}: `{predicate}` is a number, not a condition")

    @classmethod
    def parse(cls, parser: Parser) -> RequireOp:
        op = cls(parse_term(parser))
        attributes = parser.parse_optional_attr_dict()
        if isinstance(message := attributes.pop("message", None), StringAttr):
            op.properties["message"] = message
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(str(self.predicate.data))
        message = {} if self.message is None else {"message": self.message}
        printer.print_op_attributes(self.attributes | message)
