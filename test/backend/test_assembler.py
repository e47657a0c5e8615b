"""The assembler as a process: found in order, run apart, ended in time, failures told apart, nothing left behind."""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from op_kernels import SAMPLES, module_of
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr

from freehold.backend import assembler as subject
from freehold.backend.assembler import (
    AssembleOptions,
    Assembler,
    assemble,
    assembler_version,
    disassemble,
    find_assembler,
    supported_archs,
    supported_versions,
)
from freehold.backend.bytecode.encoding import MalformedBytecode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.backend.errors.assembler import (
    AssemblerCrashed,
    AssemblerNotRunnable,
    AssemblerRefused,
    AssemblerTimedOut,
)
from freehold.dialects.cuda_tile.attrs import OptimizationHintsAttr
from freehold.dialects.cuda_tile.version import VERSIONS
from freehold.passes.validate_translation import entry_of
from freehold.support.diagnostic import Error, Rejected
from freehold.support.span import Span

GOLDEN = Path(__file__).parent / "golden"
ONE = write_bytecode(module_of([SAMPLES[0]]))


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Temporary directories are made here, so that a test can see what is left of them."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def fake(tmp_path: Path) -> Callable[[str], Assembler]:
    """An assembler that is a Python script; its arguments are `sys.argv`."""

    def make(script: str) -> Assembler:
        path = tmp_path / "fake" / "tileiras"
        path.parent.mkdir()
        path.write_text(f"#!{sys.executable}\nimport os, signal, subprocess, sys, time\n{script}\n")
        path.chmod(0o755)
        return Assembler(path)

    return make


def refused(run: Callable[[], object]) -> Rejected:
    with pytest.raises(Rejected) as caught:
        run()
    return caught.value


def test_the_packaged_assembler_makes_cubins(scratch: Path):
    cubin = assemble(ONE, "sm_90")
    assert cubin[:4] == b"\x7fELF"
    assert SAMPLES[0].name.encode() in cubin
    assert not list(scratch.iterdir())


def test_the_same_bytes_for_the_same_bytes():
    assert assemble(ONE, "sm_100") == assemble(ONE, "sm_100")


def test_libraries_of_another_toolkit_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    broken = tmp_path / "toolkit" / "nvvm" / "lib64" / "libnvvm.so"
    broken.parent.mkdir(parents=True)
    broken.write_bytes(b"no library")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "toolkit"))
    assert assemble(ONE, "sm_90").startswith(b"\x7fELF")


def test_what_it_says_of_itself():
    assert supported_versions() == VERSIONS
    archs = supported_archs()
    assert {"sm_80", "sm_90", "sm_100", "sm_120"} <= set(archs)
    assert archs.index("sm_90") < archs.index("sm_100")
    found = find_assembler()
    assert found.package_version is not None
    assert assembler_version() == found.package_version
    assert found.package_version in assembler_version(Assembler(found.path))


@pytest.mark.parametrize(
    ("options", "flags"),
    [
        (AssembleOptions(), ("--opt-level=3", "--lineinfo")),
        (AssembleOptions(opt_level=1, line_info=False), ("--opt-level=1",)),
        (AssembleOptions(device_debug=True), ("--opt-level=0", "--device-debug")),
        (AssembleOptions(sanitize="memcheck", time_limit=1), ("--opt-level=3", "--lineinfo", "--sanitize=memcheck")),
    ],
)
def test_options_become_flags(options: AssembleOptions, flags: tuple[str, ...]):
    assert options.flags == flags
    assert assemble(ONE, "sm_90", replace(options, time_limit=300.0))


# --- Where it is looked for


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without the Python package, and with nothing on the path."""
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.delenv("FREEHOLD_TILEIRAS", raising=False)
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    return tmp_path


def _program(path: Path, mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return path


def test_nowhere(alone: Path, golden: Callable[[Path, str], None]):
    golden(GOLDEN / "assembler_missing.err", str(refused(find_assembler)))


def test_the_order_of_places(alone: Path, monkeypatch: pytest.MonkeyPatch):
    last = _program(alone / "cuda" / "bin" / "tileiras")
    monkeypatch.setenv("CUDA_HOME", str(alone / "cuda"))
    assert find_assembler().path == last
    on_path = _program(alone / "bin" / "tileiras")
    monkeypatch.setenv("PATH", str(alone / "bin"))
    assert find_assembler().path == on_path
    named = _program(alone / "mine")
    monkeypatch.setenv("FREEHOLD_TILEIRAS", str(named))
    assert find_assembler().path == named
    packaged = _program(alone / "site" / "nvidia" / "cu13" / "bin" / "tileiras")
    (alone / "site" / "nvidia_cuda_tileiras-13.5.99.dist-info").mkdir()
    monkeypatch.setattr(sys, "path", [str(alone / "site")])
    assert find_assembler() == Assembler(packaged, "13.5.99")
    assert find_assembler(last).path == last


def test_metadata_without_its_program_is_passed_over(alone: Path, monkeypatch: pytest.MonkeyPatch):
    (alone / "site" / "nvidia_cuda_tileiras-13.5.99.dist-info").mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [str(alone / "missing"), str(alone / "site")])
    assert refused(find_assembler).codes == ("O401",)


def test_a_variable_that_names_no_file(monkeypatch: pytest.MonkeyPatch, golden: Callable[[Path, str], None]):
    monkeypatch.setenv("FREEHOLD_TILEIRAS", "/no/such/tileiras")
    golden(GOLDEN / "assembler_not_there.err", str(refused(find_assembler)))
    assert refused(lambda: find_assembler("/no/such/file")).codes == ("O402",)


def test_the_permission_to_run_is_set_on_a_file_of_ours(alone: Path, monkeypatch: pytest.MonkeyPatch):
    named = _program(alone / "mine", 0o644)
    monkeypatch.setenv("FREEHOLD_TILEIRAS", str(named))
    assert find_assembler().path == named
    assert os.access(named, os.X_OK)


def test_a_file_of_others_is_copied_with_what_it_needs(alone: Path, monkeypatch: pytest.MonkeyPatch):
    root = alone / "site" / "nvidia" / "cu13"
    theirs = _program(root / "bin" / "tileiras", 0o644)
    _program(root / "bin" / "ptxas", 0o644)
    (root / "lib").mkdir()
    (alone / "site" / "nvidia_cuda_tileiras-13.5.99.dist-info").mkdir()
    monkeypatch.setattr(sys, "path", [str(alone / "site")])
    monkeypatch.setenv("XDG_CACHE_HOME", str(alone / "cache"))
    runnable = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: theirs.name != Path(path).name and runnable(path, mode))  # pyright: ignore[reportUnknownArgumentType, reportUnknownLambdaType] -- a stand-in
    me = os.geteuid()
    owners = iter([me + 1, me])  # the program is another's, the cache directory is ours
    monkeypatch.setattr(os, "geteuid", lambda: next(owners))
    copied = find_assembler().path
    assert copied.is_relative_to(alone / "cache" / "freehold")
    assert stat.S_IMODE(copied.stat().st_mode) == 0o700
    assert stat.S_IMODE(copied.with_name("ptxas").stat().st_mode) == 0o700
    assert (copied.parent.parent / "lib").resolve() == root / "lib"
    assert not theirs.stat().st_mode & stat.S_IXUSR
    assert [path.name for path in (alone / "cache" / "freehold").iterdir()] == [copied.parent.parent.name]
    subject._find.cache_clear()  # pyright: ignore[reportPrivateUsage] -- a second process
    owners = iter([me + 1, me])
    before = copied.stat().st_mtime_ns
    assert find_assembler().path == copied
    assert copied.stat().st_mtime_ns == before


def test_a_copy_runs():
    """The real one finds its libraries from a copy."""
    found = find_assembler()
    base = Path(tempfile.mkdtemp())
    os.environ["XDG_CACHE_HOME"], before = str(base), os.environ.get("XDG_CACHE_HOME")
    try:
        copied = subject._copy(found.path, "test")  # pyright: ignore[reportPrivateUsage] -- without another user
        assert assemble(ONE, "sm_90", assembler=Assembler(copied)) == assemble(ONE, "sm_90")
    finally:
        if before is None:
            del os.environ["XDG_CACHE_HOME"]
        else:
            os.environ["XDG_CACHE_HOME"] = before
        shutil.rmtree(base)


def test_a_cache_that_others_can_write_to_is_not_used(alone: Path, monkeypatch: pytest.MonkeyPatch):
    (alone / "cache" / "freehold").mkdir(parents=True)
    (alone / "cache" / "freehold").chmod(0o777)
    monkeypatch.setenv("XDG_CACHE_HOME", str(alone / "cache"))
    with pytest.raises(PermissionError):
        subject._copy(_program(alone / "tileiras"), "")  # pyright: ignore[reportPrivateUsage]


# --- How it ends


def test_a_crash(fake: Callable[[str], Assembler], scratch: Path, golden: Callable[[Path, str], None]):
    assembler = fake("os.kill(os.getpid(), signal.SIGSEGV)")
    error = refused(lambda: assemble(ONE, "sm_90", kernel="k", assembler=assembler))
    golden(GOLDEN / "assembler_crashed.err", str(error))
    assert not list(scratch.iterdir())


def test_a_hang_ends_with_everything_it_started(
    fake: Callable[[str], Assembler], scratch: Path, tmp_path: Path, golden: Callable[[Path, str], None]
):
    pids = tmp_path / "pids"
    assembler = fake(
        f"child = subprocess.Popen(['sleep', '600'])\nopen({str(pids)!r}, 'w').write(str(child.pid))\ntime.sleep(600)"
    )

    def meanwhile() -> None:
        while not pids.exists() or not pids.read_text():
            time.sleep(0.01)

    options = AssembleOptions(time_limit=2.0)
    error = refused(lambda: assemble(ONE, "sm_90", options, kernel="k", assembler=assembler, meanwhile=meanwhile))
    golden(GOLDEN / "assembler_timed_out.err", str(error))
    child = int(pids.read_text())
    for _ in range(2000):  # whoever adopts orphans takes a moment to bury them
        if not Path(f"/proc/{child}").exists() or "Z" in Path(f"/proc/{child}/stat").read_text().split()[2]:
            break
        time.sleep(0.05)
    else:
        pytest.fail("what it started is still running")
    assert not list(scratch.iterdir())


@pytest.mark.parametrize(
    ("hints", "told"), [({}, False), ({"num_cta_in_cga": 1}, False), ({"num_cta_in_cga": 2}, True)]
)
def test_a_kernel_for_clusters_that_takes_for_ever(fake: Callable[[str], Assembler], hints: dict[str, int], told: bool):
    module = module_of([SAMPLES[0]])
    numbers = DictionaryAttr({name: IntegerAttr(value, 32) for name, value in hints.items()})
    entry_of(module).optimization_hints = OptimizationHintsAttr({"sm_90": numbers} if hints else {})
    options, hanging = AssembleOptions(time_limit=0.3), fake("time.sleep(600)")
    error = refused(lambda: assemble(write_bytecode(module), "sm_90", options, assembler=hanging))
    assert error.codes == ("O405",)
    assert ("leave out the hint `num_cta_in_cga`" in str(error)) is told
    others = refused(lambda: assemble(write_bytecode(module), "sm_100", options, assembler=hanging))
    assert "num_cta_in_cga" not in str(others)


def test_a_child_that_keeps_the_pipe_open_is_not_waited_for(fake: Callable[[str], Assembler]):
    assembler = fake(
        "subprocess.Popen(['sleep', '600'])\n"
        "open([a for a in sys.argv if a.startswith('--output-file=')][0][14:], 'wb').write(b'code')"
    )
    assert assemble(ONE, "sm_90", assembler=assembler) == b"code"


def test_something_runs_beside_it(fake: Callable[[str], Assembler], tmp_path: Path):
    """Each waits for the other. That it ended while nobody looked is not taken for a hang."""
    said, done = tmp_path / "said", tmp_path / "done"
    assembler = fake(
        f"while not os.path.exists({str(said)!r}): time.sleep(0.01)\n"
        "open([a for a in sys.argv if a.startswith('--output-file=')][0][14:], 'wb').write(b'code')\n"
        f"open({str(done)!r}, 'w').write(str(os.getpid()))"
    )

    def meanwhile() -> None:
        said.touch()
        while not done.exists() or not done.read_text():
            time.sleep(0.01)
        status = Path(f"/proc/{done.read_text()}/stat")
        while status.read_text().rpartition(")")[2].split()[0] != "Z":
            time.sleep(0.01)
        time.sleep(0.5)

    options = AssembleOptions(time_limit=0.5)
    assert assemble(ONE, "sm_90", options, assembler=assembler, meanwhile=meanwhile) == b"code"


def test_what_fails_beside_it_ends_it(fake: Callable[[str], Assembler], scratch: Path, tmp_path: Path):
    started = tmp_path / "started"

    def fail() -> None:
        while not started.exists():
            time.sleep(0.01)
        raise KeyError

    begin = time.monotonic()
    with pytest.raises(KeyError):
        assemble(ONE, "sm_90", assembler=fake(f"open({str(started)!r}, 'w').close(); time.sleep(300)"), meanwhile=fail)
    assert time.monotonic() - begin < 100
    assert not list(scratch.iterdir())


def test_a_refusal(fake: Callable[[str], Assembler], scratch: Path, golden: Callable[[Path, str], None]):
    assembler = fake(
        "print('loc(\"no_such_file.py\":12:5): error: Incompatibility with architecture: f8', file=sys.stderr)\n"
        "print('error: failed to compile Tile IR program', file=sys.stderr)\nsys.exit(5)"
    )
    error = refused(lambda: assemble(ONE, "sm_80", kernel="k", assembler=assembler))
    golden(GOLDEN / "assembler_refused.err", str(error))
    assert not list(scratch.iterdir())


def test_a_refusal_in_inlined_text(fake: Callable[[str], Assembler]):
    assembler = fake(
        'print(\'loc(callsite(loc("h.py":3:9) at loc("k.py":12:5))): error: no\', file=sys.stderr)\nsys.exit(5)'
    )
    (error,) = refused(lambda: assemble(ONE, "sm_80", assembler=assembler)).errors
    assert str(error.place) == "h.py:3:9"
    assert str(getattr(error.place, "call_site", None)) == "k.py:12:5"


def test_a_refusal_without_a_place(fake: Callable[[str], Assembler]):
    assembler = fake("print('something odd', file=sys.stderr)\nsys.exit(9)")
    text = str(refused(lambda: assemble(ONE, "sm_80", assembler=assembler)))
    assert "something odd" in text
    assert "exit status 9" in text


def test_much_talk_is_cut(fake: Callable[[str], Assembler]):
    assembler = fake("sys.stderr.write('x' * 50_000_000)\nsys.exit(3)")
    text = str(refused(lambda: assemble(ONE, "sm_80", assembler=assembler)))
    assert len(text) < 2000


def test_what_cannot_be_read_is_no_code_whatever_the_assembler_makes_of_it(fake: Callable[[str], Assembler]):
    assembler = fake("open(sys.argv[-2].partition('=')[2], 'wb').write(b'a cubin')")
    with pytest.raises(MalformedBytecode, match="does not begin as Tile IR bytecode does"):
        assemble(b"no bytecode", "sm_90", assembler=assembler)


def test_success_without_a_cubin(fake: Callable[[str], Assembler]):
    assert refused(lambda: assemble(ONE, "sm_80", assembler=fake(""))).codes == ("O406",)


def test_a_program_that_cannot_be_started(tmp_path: Path, golden: Callable[[Path, str], None]):
    path = tmp_path / "tileiras"
    path.write_bytes(b"\x7fELF nonsense")
    path.chmod(0o755)
    error = refused(lambda: assemble(ONE, "sm_80", assembler=Assembler(path)))
    golden(GOLDEN / "assembler_not_runnable.err", str(error).replace(str(tmp_path), "/somewhere"))


def test_an_unknown_architecture(golden: Callable[[Path, str], None]):
    golden(GOLDEN / "unsupported_architecture.err", str(refused(lambda: assemble(ONE, "sm_70"))))


def test_bytes_that_are_no_bytecode():
    assert refused(lambda: assemble(b"nonsense", "sm_90", kernel="k")).codes == ("O406",)
    assert refused(lambda: disassemble(b"nonsense")).codes == ("O406",)


def test_the_disassembler_prints_text():
    assert f"entry @{SAMPLES[0].name}(" in disassemble(ONE)


def test_a_disassembler_that_is_missing(fake: Callable[[str], Assembler]):
    assert refused(lambda: disassemble(ONE, assembler=fake(""))).codes == ("O401",)


def test_without_pidfd(monkeypatch: pytest.MonkeyPatch, fake: Callable[[str], Assembler]):
    def unavailable(pid: int) -> int:
        raise OSError("not implemented")

    monkeypatch.setattr(os, "pidfd_open", unavailable)
    assert assemble(ONE, "sm_90")[:4] == b"\x7fELF"
    hanging = fake("time.sleep(600)")
    error = refused(lambda: assemble(ONE, "sm_90", AssembleOptions(time_limit=0.3), assembler=hanging))
    assert error.codes == ("O405",)


def test_with_more_files_open_than_select_knows():
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    try:
        assert assemble(ONE, "sm_90")[:4] == b"\x7fELF"
    finally:
        for descriptor in opened:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


# --- What it is asked, and what it says


def test_how_it_is_started(fake: Callable[[str], Assembler], scratch: Path, monkeypatch: pytest.MonkeyPatch):
    """By itself in a folder of its own, with nothing to read, and with the options in their order."""
    monkeypatch.setenv("CUDA_HOME", "/elsewhere")
    assembler = fake(
        "import json\n"
        "own = {'argv': sys.argv, 'cwd': os.getcwd(), 'tmp': os.environ['TMPDIR'], 'cuda': os.environ['CUDA_HOME'],\n"
        "       'group': os.getpgid(0) == os.getpid(), 'read': sys.stdin.read(),\n"
        "       'code': open('module.tileirbc', 'rb').read().hex()}\n"
        "print('heard by nobody'); print('nor this', file=sys.stderr)\n"
        "open([a for a in sys.argv if a.startswith('--output-file=')][0][14:], 'w').write(json.dumps(own))"
    )
    own = json.loads(assemble(ONE, "sm_90", AssembleOptions(opt_level=2), assembler=assembler))
    folder = Path(own["cwd"])
    assert folder.parent == scratch
    files = f"--output-file={folder / 'module.cubin'}", str(folder / "module.tileirbc")
    assert own["argv"] == [str(assembler.path), "--gpu-name=sm_90", "--opt-level=2", "--lineinfo", *files]
    assert own["code"] == ONE.hex()
    assert (own["tmp"], own["cuda"], own["group"], own["read"]) == (str(folder), "/elsewhere", True, "")
    told: list[str] = []
    own = json.loads(assemble(ONE, "sm_90", assembler=assembler, remarks=("memory", told.append)))
    there = f"--remarks-output-file={Path(own['cwd']) / 'remarks.yaml'}"
    assert own["argv"][-3:] == ["--remarks=memory", "--remark-format=yaml", there]
    assert not told  # it has written none


def test_remarks_are_handed_on(fake: Callable[[str], Assembler]):
    assembler = fake(
        "for a in sys.argv:\n"
        "    if a.startswith('--output-file='): open(a[14:], 'wb').write(b'code')\n"
        "    if a.startswith('--remarks-output-file='): open(a[22:], 'wb').write(b'--- !A\\n\\xff')"
    )
    told: list[str] = []
    assert assemble(ONE, "sm_90", assembler=assembler, remarks=("all", told.append)) == b"code"
    assert told == ["--- !A\n\ufffd"]


@pytest.mark.parametrize("folder", ["lib", "lib64", "nvvm/lib64"])
def test_its_own_libraries_are_told_to_it(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CUDA_HOME", "/elsewhere")
    tool = _program(tmp_path / "root" / "bin" / "tileiras")
    linked = tmp_path / "linked"
    linked.symlink_to(tool)
    (tmp_path / "root" / folder).mkdir(parents=True)
    environment = subject._environment  # pyright: ignore[reportPrivateUsage]
    assert environment(tool, tmp_path)["CUDA_HOME"] == "/elsewhere"
    (tmp_path / "root" / folder / "libnvvm.so.4").touch()
    for path in (tool, linked):
        assert environment(path, tmp_path)["CUDA_HOME"] == str(tmp_path / "root")


def test_what_is_kept_of_what_it_says(tmp_path: Path):
    """All of its answer, and 64 KiB of its messages, the first."""

    def run(script: str) -> subject._Outcome:  # pyright: ignore[reportPrivateUsage]
        return subject._run([sys.executable, "-ISc", script], tmp_path, 60.0)  # pyright: ignore[reportPrivateUsage]

    outcome = run("import sys; sys.stderr.write('first' + 'x' * 99_990 + 'last!'); print('y' * 99_999); sys.exit(7)")
    assert (outcome.status, outcome.timed_out) == (7, False)
    assert outcome.stdout == b"y" * 99_999 + b"\n"
    assert outcome.stderr == "first" + "x" * (65_536 - 5)
    outcome = run("import os, sys; os.write(2, b'\\xff'); os.kill(os.getpid(), 9)")
    assert (outcome.status, outcome.stderr, outcome.stdout) == (-9, "\ufffd", b"")


@pytest.mark.parametrize(
    ("printed", "place", "said"),
    [
        ('loc("k.py":12:5): error: no', "k.py:12:5", "no"),
        ('loc("k.py":12:0): error: no', "k.py:12:1", "no"),
        ('loc("a \\"b\\" \\\\.py":3:1): error: no', 'a "b" \\.py:3:1', "no"),
        ('loc(callsite(loc("h.py":3:9) at callsite(loc("g.py":4:2) at loc("k.py":5:1)))): error: no', "h.py:3:9", "no"),
        ('loc(unknown): error: no\nloc("k.py":12:5): error: later', None, "no"),
        ('loc("k.py":1:1): warning: odd\nloc("k.py":12:5): error: no', "k.py:12:5", "no"),
        ("error: error: twice", None, "error: twice"),
        ("an error: of no kind\n  on two   lines", None, "an error: of no kind on two lines"),
        ("", None, "nothing"),
        (" \n", None, "nothing"),
        ("x" * 500, None, "x" * 400),
        ("error: \n", None, ""),
    ],
)
def test_what_it_refuses(printed: str, place: str | None, said: str):
    outcome = subject._Outcome(5, b"", printed, False)  # pyright: ignore[reportPrivateUsage]
    error = subject._refusal(outcome, "kernel `k`", "sm_90", "k", Assembler(Path("none")))  # pyright: ignore[reportPrivateUsage]
    (found,) = error.errors
    expected = AssemblerRefused(found.place, "kernel `k`", "sm_90", said, 5)
    assert found == (expected if place else expected.add(expected.Said(said)))
    assert (None if found.place is None else str(found.place)) == place
    assert error.kernel == "k"


@pytest.mark.parametrize(
    ("printed", "is_arch"),
    [
        ("error: Cannot find option named 'sm_70'!", True),
        ("error: Cannot find option named 'odd'!", False),
        ("error: sm_70 is no number", False),
    ],
)
def test_an_architecture_that_it_does_not_know(fake: Callable[[str], Assembler], printed: str, is_arch: bool):
    assembler = fake("print('  =sm_80')")
    outcome = subject._Outcome(1, b"", printed, False)  # pyright: ignore[reportPrivateUsage]
    error = subject._refusal(outcome, "a module", "sm_70", None, assembler)  # pyright: ignore[reportPrivateUsage]
    assert error.codes == (("O407",) if is_arch else ("O406",))
    assert ("sm_80" in str(error)) is is_arch


def test_calls_are_told_from_the_innermost():
    printed = 'loc(callsite(loc("h.py":3:9) at callsite(loc("g.py":4:2) at loc("k.py":5:1))))'
    span = subject._span(printed)  # pyright: ignore[reportPrivateUsage]
    outer = Span("k.py", 5, 0, 5, 1)
    assert span == Span("h.py", 3, 8, 3, 9, Span("g.py", 4, 1, 4, 2, outer))


def test_signals_without_a_name():
    assert [subject._signal_name(number) for number in (11, 6, 99)] == ["SIGSEGV", "SIGABRT", "signal 99"]  # pyright: ignore[reportPrivateUsage]


def test_what_it_is_asked_of_itself(fake: Callable[[str], Assembler]):
    assembler = fake(
        "said = {'--help': '    =sm_120 - a\\n    =sm_90 - b\\n    =sm_90a\\n=sm_100\\n  sm_80\\n  x =sm_70',\n"
        "        '--list-versions': '13.10\\n13.2\\n 13.3\\n13.4 \\n12.9\\nx13.5', '--version': ' 1.2 of\\nsome '}\n"
        "print(said[sys.argv[1]])"
    )
    assert supported_archs(assembler) == ("sm_90", "sm_100", "sm_120")
    assert supported_versions(assembler) == ((12, 9), (13, 2), (13, 10))
    assert assembler_version(assembler) == "1.2 of\nsome"
    assert assembler_version(replace(assembler, package_version="13.5.99")) == "13.5.99"


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("print(' it cannot ', file=sys.stderr); sys.exit(3)", "it cannot"),
        ("sys.exit(3)", "`--help` failed with status 3"),
    ],
)
def test_where_it_does_not_answer(fake: Callable[[str], Assembler], script: str, reason: str):
    assembler = fake(script)
    (error,) = refused(lambda: supported_archs(assembler)).errors
    assert error == AssemblerNotRunnable(None, str(assembler.path), reason)


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("time.sleep(600)", AssemblerTimedOut(None, "a module", "disassembly", 0.3)),
        ("os.kill(os.getpid(), signal.SIGSEGV)", AssemblerCrashed(None, "a module", "SIGSEGV", "disassembly")),
        ("sys.exit(3)", AssemblerRefused(None, "a module", "disassembly", "nothing", 3)),
    ],
)
def test_where_it_does_not_disassemble(
    fake: Callable[[str], Assembler], script: str, error: Error, monkeypatch: pytest.MonkeyPatch
):
    assembler = fake(script)
    assembler.path.rename(assembler.path.with_name("tileirdisasm"))
    if isinstance(error, AssemblerTimedOut):
        monkeypatch.setattr(subject, "DEFAULT_OPTIONS", AssembleOptions(time_limit=0.3))
    if isinstance(error, AssemblerRefused):
        error.add(error.Said("nothing"))
    (found,) = refused(lambda: disassemble(ONE, assembler=assembler)).errors
    assert found == error


def test_what_the_disassembler_is_asked(fake: Callable[[str], Assembler]):
    assembler = fake("print(sys.argv[1:])")
    assembler.path.rename(assembler.path.with_name("tileirdisasm"))
    assert disassemble(ONE, assembler=assembler).startswith("['/")
    assert disassemble(ONE, debug_info=True, assembler=assembler).startswith("['--print-debug-info', '/")


# --- Copies


@pytest.mark.parametrize("there", ["nothing", "another size", "no program", "the same"])
def test_a_copy_takes_the_place_of_a_damaged_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: str):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    program = _program(tmp_path / "theirs" / "tileiras", 0o644)
    place = tmp_path / "cache" / "freehold" / f"tileiras-local-{program.stat().st_size}" / "bin" / "tileiras"
    if there == "another size":
        _program(place).write_text("cut")
    elif there == "no program":
        place.mkdir(parents=True)
    elif there == "the same":
        _program(place).write_text("X" * program.stat().st_size)
    copied = subject._copy(program, None)  # pyright: ignore[reportPrivateUsage]
    assert copied == place
    assert (copied.read_text() == program.read_text()) is (there != "the same")
    assert [path.name for path in place.parents[2].iterdir()] == [place.parents[1].name]
    assert [path.name for path in place.parents[1].iterdir()] == ["bin"]


def test_the_copy_of_whoever_was_first_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    program = _program(tmp_path / "theirs" / "tileiras", 0o644)
    size = program.stat().st_size
    place = tmp_path / "cache" / "freehold" / f"tileiras-1.2-{size}" / "bin" / "tileiras"
    copying = shutil.copyfile

    def slowly(source: Path, target: Path) -> Path:
        _program(place).write_text("X" * size)
        return copying(source, target)

    monkeypatch.setattr(shutil, "copyfile", slowly)
    copied = subject._copy(program, "1.2")  # pyright: ignore[reportPrivateUsage]
    assert copied.read_text() == "X" * size
    assert [path.name for path in place.parents[2].iterdir()] == [place.parents[1].name]


@pytest.mark.parametrize(("mode", "taken"), [(0o755, True), (0o700, True), (0o775, False), (0o757, False)])
def test_who_may_write_where_copies_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, taken: bool):
    base = tmp_path / "cache" / "freehold"
    base.mkdir(parents=True)
    base.chmod(mode)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    program = _program(tmp_path / "theirs" / "tileiras", 0o644)
    with nullcontext() if taken else pytest.raises(PermissionError, match=r"^.*freehold can be written by others, so"):
        assert os.access(subject._copy(program, None), os.X_OK)  # pyright: ignore[reportPrivateUsage]


def test_where_no_permission_can_be_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    program = _program(tmp_path / "tileiras", 0o644)

    def forbidden(*_: object) -> None:
        raise PermissionError(1, "not yours")

    monkeypatch.setattr(Path, "chmod", forbidden)
    (error,) = refused(lambda: find_assembler(program)).errors
    expected = AssemblerNotRunnable(None, str(program), "[Errno 1] not yours")
    assert error == expected.add(expected.Allow())


def test_nothing_is_left_open(tmp_path: Path):
    """Whether it ends or is ended."""

    def opened() -> int:
        return len(os.listdir("/proc/self/fd"))

    before = opened()
    for script, limit in (("pass", 60.0), ("import time; time.sleep(60)", 0.05)):
        subject._run([sys.executable, "-ISc", script], tmp_path, limit)  # pyright: ignore[reportPrivateUsage]
        assert opened() == before
