"""
Python's debugger, for kernels on the interpreter.

What is shown are frames of Python's that stand for the kernel's functions (`breakpoints`), so everything that only
looks is `pdb`'s own: `p`, `pp`, `where`, `list`, `up`, `display`, and so on. Nothing is traced: what goes on with the
kernel decides here at which of its statements it stops next.
"""

from __future__ import annotations

import linecache
import os
import pdb
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Final

from freehold.runtime.interpreter.breakpoints import Stop, Suspended, frame_of
from freehold.support.progress import in_notebook

if TYPE_CHECKING:
    from freehold.runtime.interpreter.machine import Machine

_INTERNAL: Final = frozenset(("bdb", "cmd", "contextlib", "freehold", "pdb", "threading"))
"""Packages whose frames are not the user's."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the run stood when it went on."""

    turn: int
    depth: int
    line: int


class Debugger(pdb.Pdb):
    """
    The debugger of one run. Its commands are `pdb`'s.

    `next`, `step`, `return` and `until` go from statement to statement of one tile block after the other; `jump`, `run`
    and `debug` are refused. Assignments change what is shown, and not the kernel.
    """

    displaying: dict[Any, dict[str, Any]]
    """By frame, the expressions that are displayed, with their values (`pdb.Pdb`)."""

    def __init__(self) -> None:
        super().__init__(nosigint=True)
        self.reset()
        self._wanted: Callable[[_Place], bool] | None = None
        """Where single steps end; None for none."""
        self._from = _Place(-1, 0, 0)
        self._label = "0"
        self._functions: list[Suspended] = []
        self._shown: list[tuple[str, dict[str, Any]]] = []
        """What is displayed at each stop, by function, the outermost first."""

    @property
    def watching(self) -> bool:
        """Whether it may stop where there is no breakpoint in the text."""
        return self._wanted is not None or bool(self.get_all_breaks())

    def stops(self, stop: Stop, machine: Machine, functions: Callable[[], list[Suspended]]) -> bool:
        """Whether it stops at a statement: at the end of a step, or where a breakpoint was set."""
        file, line = stop.place
        if self._wanted is not None and self._wanted(_Place(machine.turn, stop.depth, line)):
            return True
        if line not in self.get_all_breaks().get(self.canonic(file), ()):
            return False
        suspended = functions()  # held: a frame has no variables once its function is gone, from Python 3.13 on
        return bool(self.break_here(frame_of(suspended[-1])))

    def ask(self, stop: Stop, machine: Machine, functions: list[Suspended]) -> None:
        """Stops, until the user goes on. Raises `bdb.BdbQuit` where they leave."""
        self._functions = functions
        self._label = machine.label
        self._from = _Place(machine.turn, stop.depth, stop.place[1])
        self._wanted = None
        frames = [frame_of(function) for function in functions]
        shown = self.displaying
        for frame, (name, expressions) in zip(frames, self._shown, strict=False):
            if frame.f_code.co_name == name:
                shown[frame] = expressions
        if in_notebook():
            _display(frames, machine.label)
        self.interaction(frames[-1], None)
        self._shown = [(frame.f_code.co_name, shown.pop(frame, {})) for frame in frames]
        shown.clear()
        for function in functions:
            function.close()
        self._functions = []
        if self.quitting:
            from bdb import BdbQuit

            raise BdbQuit

    # --- What is shown ------------------------------------------------------------------------------------------------

    def get_stack(self, f: FrameType | None, t: TracebackType | None) -> tuple[list[tuple[FrameType, int]], int]:
        """The host's functions down to the launch, then the kernel's."""
        del f, t
        host: list[tuple[FrameType, int]] = []
        frame: FrameType | None = sys._getframe()  # pyright: ignore[reportPrivateUsage] -- documented, and the only way
        while frame is not None:
            package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
            if host or package not in _INTERNAL:
                host.append((frame, frame.f_lineno))
            frame = frame.f_back
        kernel = [(found, found.f_lineno) for found in map(frame_of, self._functions)]
        stack = [*reversed(host), *kernel]
        return stack, len(stack) - 1

    def format_stack_entry(self, frame_lineno: tuple[FrameType, int], lprefix: str = ": ") -> str:
        """As `pdb` shows it, with the tile block of a kernel's function."""
        text = super().format_stack_entry(frame_lineno, lprefix)
        if frame_lineno[0] not in map(frame_of, self._functions):
            return text
        head, prefix, line = text.partition(lprefix)
        return f"{head} in block {self._label}{prefix}{line}"

    def canonic(self, filename: str) -> str:
        """The name of a file: text that is on no disk keeps its own."""
        return filename if filename in linecache.cache and not os.path.exists(filename) else super().canonic(filename)

    def _show_display(self) -> None:
        """Shows what is displayed and has changed. Arrays are compared by what is shown of them."""
        displayed = self.displaying.get(self.curframe, {})
        for expression, old in displayed.items():
            new = self._getval_except(expression)
            if repr(new) != repr(old):
                displayed[expression] = new
                self.message(f"display {expression}: {new!r}  [old: {old!r}]")

    if not hasattr(pdb.Pdb, "_show_display"):  # from 3.14 on `pdb` calls it by itself, once it has shown where it is

        def preloop(self) -> None:
            self._show_display()

    def do_block(self, arg: str) -> None:
        """block

        Print the coordinates of the tile block that runs: its place among the points of the launch.
        """
        del arg
        self.message(self._label)

    def do_args(self, arg: str) -> None:
        """a(rgs)

        Print the variables of the current function, its arguments first.
        """
        del arg
        for name, value in self.curframe.f_locals.items() if self.curframe else ():
            self.message(f"{name} = {value!r}")

    # --- Going on -----------------------------------------------------------------------------------------------------

    def _go_on(self, wanted: Callable[[_Place], bool] | None) -> bool:
        self._wanted = wanted
        return True

    def _another_block(self, place: _Place) -> bool:
        return place.turn != self._from.turn

    def do_step(self, arg: str) -> bool:
        """s(tep)

        Go on to the next statement, also into a helper function.
        """
        del arg
        return self._go_on(lambda _: True)

    def do_next(self, arg: str) -> bool:
        """n(ext)

        Go on to the next statement of the current function, or of the one that called it.
        """
        del arg
        depth = self._from.depth
        return self._go_on(lambda place: place.depth <= depth or self._another_block(place))

    def do_return(self, arg: str) -> bool:
        """r(eturn)

        Go on until the current function returns; the kernel itself, until the next tile block begins.
        """
        del arg
        depth = self._from.depth
        return self._go_on(lambda place: place.depth < depth or self._another_block(place))

    def do_until(self, arg: str) -> bool | None:
        """unt(il) [line]

        Go on to a statement on a later line than this one, or on the line that is given or a later one.
        """
        if arg and not arg.isdecimal():
            self.error(f"Error in argument: {arg!r}")
            return None
        line, depth = int(arg) if arg else self._from.line + 1, self._from.depth
        return self._go_on(
            lambda place: (
                (place.depth == depth and place.line >= line) or place.depth < depth or self._another_block(place)
            )
        )

    def do_continue(self, arg: str) -> bool:
        """c(ont(inue))

        Go on to the next breakpoint.
        """
        del arg
        return self._go_on(None)

    def set_quit(self) -> None:
        """Ends the run. Traces nothing, so there is nothing to stop tracing."""
        self.quitting = True

    def do_jump(self, arg: str) -> None:
        """j(ump) is for Python: no statement of a kernel can be left out, or done again."""
        del arg
        self.error("A kernel's statements run in their order: none can be left out, or done again")

    def do_run(self, arg: str) -> None:
        """run, restart are for scripts: quit, and launch the kernel again."""
        del arg
        self.error("Quit, and launch the kernel again")

    def do_debug(self, arg: str) -> None:
        """debug is for Python: what a kernel calls is stepped into by `step`."""
        del arg
        self.error("Step into what the kernel calls by `step`")

    do_a = do_args
    do_s = do_step
    do_n = do_next
    do_r = do_return
    do_unt = do_until
    do_c = do_cont = do_continue
    do_j = do_jump
    do_restart = do_run


def _display(frames: list[FrameType], block: str) -> None:
    """Shows a notebook where the kernel stands, above the line in which the debugger is asked."""
    from freehold.runtime.interpreter.stopped_view import StoppedView

    show: Any = import_module("IPython.display").display
    show(StoppedView(frames, block))
