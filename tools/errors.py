"""What goes wrong with the input of a tool: text that is no IR, IR that does not verify, a pipeline that is none."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Error, Help, Label, Note


class NotIR(Error):
    """
    The text is not IR: a token is missing or out of place, an operation, type or attribute is unknown, or a value is
    used that nothing defines.

    Parsing stops at the first such place. Operations of a dialect that `tile-opt` does not know are accepted in
    their generic form (`"other.op"(%x) : (i32) -> i32`) with `--allow-unregistered-dialect`.
    """

    code: ClassVar[str] = "O501"
    title: ClassVar[str] = "{message}"
    label: ClassVar[str] = "{here}"
    message: str
    here: str = "not understood from here on"

    class Related(Label):
        """A further place that the parser names."""

        text: ClassVar[str] = "{what}"
        what: str


class DoesNotVerify(Error):
    """
    An operation breaks a rule of its own dialect: the wrong number or types of operands, an attribute out of its
    range, a region without its terminator.

    These are rules about well-formed IR, checked before the first pass and after each. What a well-formed program
    may *do* is decided by the `verify-*` passes, which have errors of their own. If this follows a pass of Freehold's,
    the pass is wrong, not the program.
    """

    code: ClassVar[str] = "O502"
    title: ClassVar[str] = "`{operation}`: {message}"
    label: ClassVar[str] = "this operation does not verify"
    operation: str
    message: str

    class After(Note):
        """The IR was well-formed when it was read."""

        text: ClassVar[str] = "found after pass `{pass_name}`"
        pass_name: str


class PassFailed(Error):
    """
    A pass gave up on the module as a whole. Passes of Freehold refuse programs with errors of their own; this is how
    a pass of xDSL or of upstream MLIR says so.
    """

    code: ClassVar[str] = "O503"
    title: ClassVar[str] = "pass `{pass_name}` failed: {message}"
    pass_name: str
    message: str


class NoPass(Error):
    """
    The pipeline names a pass that does not exist.

    A pipeline is a list of passes divided by commas, each with its options in braces:
    `tile-opt -p 'verify-borrows,canonicalize,mlir{cse}' file.mlir`. `tile-opt --list-passes` lists them.
    """

    code: ClassVar[str] = "O504"
    title: ClassVar[str] = "there is no pass `{name}`"
    helps: ClassVar[tuple[str, ...]] = ("`tile-opt --list-passes` lists all",)
    name: str

    class Near(Help):
        """A pass whose name is nearly the one given."""

        text: ClassVar[str] = "write `{candidate}`"
        candidate: str


class NoPipeline(Error):
    """
    The text given as a pipeline cannot be read: a brace is open, an option has no value, or a pass does not know an
    option or takes another type of value for it.
    """

    code: ClassVar[str] = "O505"
    title: ClassVar[str] = "`{item}` is not a pass with options: {message}"
    helps: ClassVar[tuple[str, ...]] = (
        "options stand in braces, divided by spaces: `pass{{first=1 second=a,b flag}}`",
    )
    item: str
    message: str


class NoInput(Error):
    """The input cannot be read: there is no such file, or it may not be opened, or it is not UTF-8 text."""

    code: ClassVar[str] = "O506"
    title: ClassVar[str] = "cannot read `{file}`: {reason}"
    file: str
    reason: str


class NoOutput(Error):
    """The output cannot be written: its folder is not there, or it may not be written, or the disk is full."""

    code: ClassVar[str] = "O509"
    title: ClassVar[str] = "cannot write `{file}`: {reason}"
    file: str
    reason: str


class NoUpstream(Error):
    """
    The pass `mlir{...}` needs upstream MLIR, and none was found.

    Looked for, in this order: the program that `FREEHOLD_MLIR_OPT` names, and no other if it names one; the package
    `mlir` (MLIR's own Python bindings), the package `iree.compiler`, which carries the same bindings, and a program
    `mlir-opt` or `mlir-opt-NN` on PATH. The page on MLIR says where each comes from. The distribution
    `mlir-python-bindings` on PyPI is a placeholder without bindings.
    """

    code: ClassVar[str] = "O507"
    title: ClassVar[str] = "upstream MLIR was not found"
    notes: ClassVar[tuple[str, ...]] = (
        "looked for the Python packages `mlir` and `iree.compiler`, and for `mlir-opt` on PATH",
        "`mlir-python-bindings` on PyPI is a placeholder and carries no bindings",
    )
    helps: ClassVar[tuple[str, ...]] = (
        "`pip install iree-base-compiler`, or on Debian and Ubuntu `apt install mlir-22-tools`",
    )

    class Named(Note):
        """What is named is what is used, or nothing."""

        text: ClassVar[str] = "`FREEHOLD_MLIR_OPT` is `{program}`, which is no program here"
        program: str


class UpstreamRefused(Error):
    """
    Upstream MLIR did not accept the module or the pipeline; its own words follow.

    The module is handed over in generic form with unregistered operations allowed, so upstream checks its syntax, its
    attributes and its control flow, and not the rules of our dialects.
    """

    code: ClassVar[str] = "O508"
    title: ClassVar[str] = "upstream MLIR ({provider}) refused `{pipeline}`"
    provider: str
    pipeline: str

    class Words(Note):
        """What MLIR printed."""

        text: ClassVar[str] = "{words}"
        words: str


class NoFacts(Error):
    """
    The facts of a launch, by which `tile-audit` audits a kernel, cannot be used: a file or an argument is not in the
    form that it has, or they do not fit the parameters of the kernel.

    An argument of the command line is `n=5` for a number and `x=f32[4,8]` for an array, in the kernel's order. A file
    has the keys `grid` and `arguments`, a list with a name and a value, or a dtype and a shape, for each.
    """

    code: ClassVar[str] = "O511"
    title: ClassVar[str] = "{reason}"
    reason: str


class NotProduced(Error):
    """
    A comment says that a diagnostic will come, and none came: under `--verify-diagnostics`.

    `// expected-error @below {{text}}` stands for one error on the next line that contains the text. Kinds are `error`,
    `warning`, `note` and `remark`; lines are `@above`, `@below`, `@+N`, `@-N`, `@unknown`, or the comment's own.
    """

    code: ClassVar[str] = "O515"
    title: ClassVar[str] = "the {kind} `{text}` did not come"
    label: ClassVar[str] = "expected here"
    kind: str
    text: str


class Unexpected(Error):
    """
    A diagnostic came that no comment of the file expects: under `--verify-diagnostics`.

    Notes count, too: an error's further labels at their own lines, its notes and helps at the error's. With
    `--verify-diagnostics=only-expected` what no comment names is let pass.
    """

    code: ClassVar[str] = "O516"
    title: ClassVar[str] = "an unexpected {kind}: {text}"
    label: ClassVar[str] = "it came here"
    kind: str
    text: str

    class Near(Note):
        """The text fits a comment, the kind does not."""

        text: ClassVar[str] = "a comment expects this text as a {kind}"
        kind: str


class BadExpectation(Error):
    """A comment `expected-...` cannot be read: under `--verify-diagnostics`, where it would expect nothing."""

    code: ClassVar[str] = "O517"
    title: ClassVar[str] = "this comment expects nothing that could come"
    label: ClassVar[str] = "{reason}"
    reason: str
