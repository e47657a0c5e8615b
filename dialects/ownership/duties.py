"""What operations owe, and how it is met: the record of a proof."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, Self

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, Data, Operation
from xdsl.irdl import irdl_attr_definition, opt_prop_def
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from freehold.dialects.classes import PlainAttribute, PlainOp, array, holding, put, string, whole
from freehold.support import terms
from freehold.support.terms import Term

if TYPE_CHECKING:
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer


class Rung(StrEnum):
    """Where a duty is met: the ladder, cheapest first."""

    PROVED = "proved"
    """By the compiler, for every launch."""
    LAUNCH = "launch"
    """By one integer comparison in the launcher."""
    KERNEL = "kernel"
    """By a check in the kernel."""
    MASKED = "masked"
    """By leaving out what is not: an element of a gather that is out of bounds is not accessed."""
    TOKENS = "tokens"
    """By tokens, which order the accesses of a tile block."""
    OPEN = "open"
    """Not at all, so far: the kernel is not lowered and not launched."""

    __hash__ = str.__hash__  # an enumeration's own is a call in Python


class Duty(StrEnum):
    """What an operation owes."""

    LAUNCHABLE = "launchable"
    """A kernel's values are defined before they are used, it distributes its points once, and some launch fits it."""
    UNDERSTOOD = "understood"
    """No operation of a kernel reaches memory, hands on ownership or promises anything in ways that nobody checks."""
    APART = "apart"
    """A tensor, and what shares memory with it, is not used in another way besides."""
    COMMUTING = "commuting"
    """All updates of an accumulator are of one kind."""
    SAME_GRID = "same_grid"
    """The partitions of one distribution agree on its domain, along an axis of that."""
    DISJOINT = "disjoint"
    """Of a distribution: it hands out each point once. Of a partition: its regions share no element. Of a region that
    is taken: no other tile block, and no other turn of this one, takes the same one."""
    FITS = "fits"
    """A window is no longer than its tensor, and has an element."""
    IN_BOUNDS = "in_bounds"
    """An index lies in the index space of the axis; a window, in its tensor."""
    GROUPED = "grouped"
    """Offsets bound groups of the tensor: they ascend, and stay in bounds."""
    ORDERED = "ordered"
    """What a point does to a region under several names happens in order; where each has one name, nothing is asked."""
    DISTRIBUTED = "distributed"
    """The regions of an output are handed out."""
    COVERED = "covered"
    """Every region of an output is taken by some point."""
    HELD = "held"
    """A region is not used once it is given back."""
    INITIALISED = "initialised"
    """A region that holds garbage is not read before it is stored to."""
    STORED = "stored"
    """A region that is taken is stored to on every path; of an output, on every path some region is."""

    __hash__ = str.__hash__  # as above


_DUTIES: Final = {duty.value: duty for duty in Duty}
_RUNGS: Final = {rung.value: rung for rung in Rung}
# Asking the enumerations themselves takes a call each time.

_MET_ON: Final[dict[Duty, frozenset[Rung]]] = {
    Duty.IN_BOUNDS: frozenset((Rung.PROVED, Rung.LAUNCH, Rung.KERNEL)),
    Duty.FITS: frozenset((Rung.PROVED, Rung.LAUNCH)),
    Duty.SAME_GRID: frozenset((Rung.PROVED, Rung.LAUNCH)),
    Duty.COVERED: frozenset((Rung.PROVED, Rung.LAUNCH)),
    Duty.GROUPED: frozenset((Rung.KERNEL,)),
    Duty.ORDERED: frozenset((Rung.PROVED, Rung.TOKENS)),
}
_PROVED: Final = frozenset((Rung.PROVED,))

Owed = tuple[Duty, int]
"""A duty, and the axis that it is about; -1 for none."""


@irdl_attr_definition
class TermAttr(Data[Term]):
    """A term or a predicate over symbols (`freehold.support.terms`): `#ownership.term<"H % G == 0">`."""

    name = "ownership.term"

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(str(self.data))

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Term:
        with parser.in_angle_brackets():
            return parse_term(parser)


def parse_term(parser: AttrParser) -> Term:
    """Reads a term as a string."""
    position = parser.pos
    try:
        return terms.parse(parser.parse_str_literal())
    except ValueError as e:
        parser.raise_error(f"a term over symbols is expected: {e}", position)


@irdl_attr_definition
class DutyAttr(PlainAttribute):
    """One duty and how it is met.

    `#ownership.duty<in_bounds axis 0 open>`, `<in_bounds axis 0 proved "0 <= i < N">`, `<disjoint proved>`,
    `<in_bounds axis 0 launch ("M <= N")>`, `<in_bounds axis 0 kernel ("i < N")>`, `<in_bounds axis 0 masked "why">`.

    In parentheses stands the predicate that is checked, behind it in quotes the reason: where a check is about what
    memory holds, that alone says what is checked.

    A record is for people to read. Whoever writes text can write what he likes, so what is read has to make sense, and
    is open: only a verifier of this process says that something is met.
    """

    name = "ownership.duty"

    duty_name: StringAttr
    axis: IntAttr
    rung_name: StringAttr
    checked: ArrayAttr[TermAttr]
    """The predicate, if there is one."""
    reason: StringAttr

    @staticmethod
    @lru_cache(maxsize=1024)
    def of(duty: Duty, rung: Rung, reason: str = "", axis: int = -1, predicate: Term | None = None) -> DutyAttr:
        """The duty (of `axis`), met on `rung`."""
        checked = _NOTHING if predicate is None else array([holding(TermAttr, predicate)])
        return DutyAttr(string(duty.value), whole(axis), string(rung.value), checked, string(reason))

    @staticmethod
    def open(duty: Duty, axis: int = -1) -> DutyAttr:
        """The duty (of `axis`), which nothing has met so far."""
        return DutyAttr.of(duty, Rung.OPEN, axis=axis)

    @property
    def duty(self) -> Duty:
        """What is owed."""
        return _DUTIES[self.duty_name.data]

    @property
    def rung(self) -> Rung:
        """Where it is met."""
        return _RUNGS[self.rung_name.data]

    if TYPE_CHECKING:  # IRDL takes a field for a parameter

        @property
        def met(self) -> tuple[Owed, Rung]:
            """The duty with its axis, and where it is met: what is asked of a record again and again."""
            ...

    def __post_init__(self) -> None:
        super().__post_init__()
        put(self, "met", ((self.duty, self.axis.data), self.rung))

    @property
    def predicate(self) -> Term | None:
        """What is checked at launch or in the kernel, but for what is about memory."""
        return self.checked.data[0].data if self.checked.data else None

    @property
    def text(self) -> str:
        """What is checked, or why nothing has to be; empty where there is nothing to say."""
        return str(self.predicate) if self.checked.data else self.reason.data

    def verify(self) -> None:
        rung, checked = self.rung_name.data, self.checked.data
        if self.duty_name.data not in _DUTIES:
            raise VerifyException(f"{self.name}: unknown duty '{self.duty_name.data}'")
        if rung not in _RUNGS:
            raise VerifyException(f"{self.name}: unknown rung '{rung}'")
        if rung not in (Rung.LAUNCH, Rung.KERNEL):
            if checked:
                raise VerifyException(f"{self.name}: nothing is checked of what is {rung}")
        elif not self.text:
            raise VerifyException(f"{self.name}: it is not said what is checked")
        elif not checked and rung == Rung.LAUNCH:
            raise VerifyException(f"{self.name}: a launch is asked a predicate")

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.duty_name.data)
            if self.axis.data >= 0:
                printer.print_string(f" axis {self.axis.data}")
            printer.print_string(f" {self.rung_name.data}")
            if self.predicate is not None:
                printer.print_string(" (")
                printer.print_string_literal(str(self.predicate))
                printer.print_string(")")
            if self.reason.data:
                printer.print_string(" ")
                printer.print_string_literal(self.reason.data)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        said = cls.read(parser)
        return cls.open(said.duty, said.axis.data).parameters

    @classmethod
    def read(cls, parser: AttrParser) -> Self:
        """A record as text has it."""
        with parser.in_angle_brackets():
            duty = parser.parse_identifier()
            axis = parser.parse_integer() if parser.parse_optional_keyword("axis") else -1
            rung = parser.parse_identifier()
            predicate: list[TermAttr] = []
            if parser.parse_optional_punctuation("("):
                predicate.append(TermAttr(parse_term(parser)))
                parser.parse_punctuation(")")
            reason = parser.parse_optional_str_literal() or ""
        return cls.new([StringAttr(duty), IntAttr(axis), StringAttr(rung), ArrayAttr(predicate), StringAttr(reason)])


@cache
def _open(owed: Owed) -> DutyAttr:
    return DutyAttr.open(*owed)


_NOTHING: Final[ArrayAttr[TermAttr]] = ArrayAttr(())


class OwingOp(PlainOp):
    """Base of the operations that owe something. Whatever is not recorded as met is open."""

    duties = opt_prop_def(ArrayAttr[DutyAttr])

    @property
    def owed(self) -> Sequence[Owed]:
        """What the operation owes by its type, each once: stated nowhere else."""
        raise NotImplementedError

    @property
    def rungs(self) -> frozenset[Rung] | None:
        """The rungs on which the operation can meet its duties: others count as open; None for those of each duty."""
        return None

    @property
    def owes(self) -> list[DutyAttr]:
        """What the operation owes, each as it is recorded; open, if it is not."""
        recorded: dict[Owed, DutyAttr] = {}
        known: Any = self.properties.get("duties")  # the field, which takes a call
        if known is not None:
            duties: Sequence[DutyAttr] = known.data
            rungs = self.rungs
            for duty in duties:
                owed, rung = duty.met
                if rung in (rungs or _MET_ON.get(owed[0], _PROVED)):
                    recorded[owed] = duty
        return [recorded.get(owed) or _open(owed) for owed in self.owed]

    def discharge(self, *found: DutyAttr) -> None:
        """Records how duties are met. Those that the operation does not owe are left out."""
        if owes := self.owes:
            new = {duty.met[0]: duty for duty in found}
            self.properties["duties"] = array([new.get(duty.met[0], duty) for duty in owes])

    def duty(self, duty: Duty, axis: int = -1) -> DutyAttr:
        """How a duty is met; as open, where it is not owed."""
        return next((found for found in self.owes if found.met[0] == (duty, axis)), _open((duty, axis)))


def duties_of(op: Operation) -> list[DutyAttr]:
    """What an operation owes, as it is recorded, or open; nothing, of one that cannot owe anything."""
    return op.owes if isinstance(op, OwingOp) else []
