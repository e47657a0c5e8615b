"""Packages: what is built is loaded, runs as the kernel does, needs no compiler, and is refused where it is damaged."""

from __future__ import annotations

import json
import pickle
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import freehold as fh
from freehold import Const, Mut, Out, Ref, f32, u32
from freehold.frontend.signature import Parameter, TensorSpec
from freehold.runtime.deploy import package as package_module
from freehold.runtime.deploy.package import Variant, described, digest
from freehold.runtime.deploy.package_build import _is_package as is_package  # pyright: ignore[reportPrivateUsage] -- what saving asks
from freehold.runtime.variants import build as building
from freehold.support import dtypes

HERE = Path(__file__).parent
Golden = Callable[[Path, str], None]


@fh.kernel(contract=False)  # to the bit what the interpreter computes
def saxpy(y: Mut["N"], x: Ref["N"], a: f32):
    y.store(a * x.load_like(y) + y.load())


@fh.kernel(contract=False)
def scale(y: Out["M", "N"], x: Ref["M", "N"], n: u32 = 3, K: Const[int] = 2):  # pyright: ignore[reportArgumentType] -- a number
    y.store(x.load_like(y) * K + n.astype(y.dtype))


def made(*shape: int, dtype: Any = np.float32) -> Any:
    return np.zeros(shape, dtype)


def launches() -> list[Any]:
    return [
        saxpy(fh.partition(made(1024), 64), made(1024), 1.0),
        saxpy(fh.partition(made(1024, dtype=ml_dtypes.bfloat16), 64), made(1024, dtype=ml_dtypes.bfloat16), 1.0),
        *[scale(fh.partition(made(64, 64), (8, 16)), made(64, 64), K=k) for k in (2, 5)],
    ]


@pytest.fixture(scope="module")
def cubins() -> Any:
    """Stands for the assembler: what it makes says for which architecture it is."""
    before = building.assembled
    asked: list[tuple[str, str]] = []

    def assembled(code: bytes, arch: str, kernel: str, meanwhile: Callable[[], None] | None = None) -> bytes:
        if meanwhile is not None:
            meanwhile()
        asked.append((kernel, arch))
        return b"\x7fELF" + arch.encode() + code[:8]

    building.assembled = assembled
    yield asked
    building.assembled = before


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory, cubins: Any) -> Path:
    return fh.build(launches(), ["sm_90", "sm_100"], tmp_path_factory.mktemp("built") / "kernels")


@pytest.fixture
def copy(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy that a test may damage, as `kernels` in the current folder."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(package, "kernels"))


def test_what_is_in_it(package: Path) -> None:
    manifest = json.loads((package / "manifest.json").read_text())
    assert sorted(manifest["files"]) == sorted(p.name for p in package.iterdir() if p.name != "manifest.json")
    loaded = fh.load(package)
    assert list(loaded) == ["saxpy", "scale"]
    assert [len(loaded[name].variants) for name in loaded] == [4, 4]
    assert loaded.saxpy.architectures == ("sm_100", "sm_90")
    assert loaded.scale.signature == scale.signature
    assert repr(loaded) == f"<package {package}: saxpy, scale>"
    loaded.check()
    with pytest.raises(AttributeError, match="it has saxpy, scale"):
        _ = loaded.gemm


@pytest.mark.parametrize("form", ["folder", "zip"])
def test_it_runs_as_the_kernel_does(package: Path, tmp_path: Path, form: str) -> None:
    path = package
    if form == "zip":
        path = tmp_path / "kernels.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for file in package.iterdir():
                archive.write(file, file.name)
    loaded = fh.load(path, strict=True)
    rng = np.random.default_rng(0)
    for n in (1024, 1000, 7):  # what it was built for, and what the general variant is for
        for dtype in (np.float32, ml_dtypes.bfloat16):
            x, y = (rng.standard_normal(n, np.float32).astype(dtype) for _ in range(2))
            expected = y.copy()
            saxpy(fh.partition(expected, 64), x, 2.5).sync()
            loaded.saxpy(fh.partition(y, 64), x, 2.5).sync()
            assert np.array_equal(y, expected)
    x = rng.standard_normal((40, 33), np.float32)
    y, z = made(40, 33), made(33, 40)
    loaded["scale"](fh.partition(y, (8, 16)), x, K=5, n=7).sync()
    assert np.array_equal(y, x * 5 + 7)
    loaded.scale(fh.partition(z, (8, 16)), np.ones((33, 40), np.float32)).sync()
    assert (z == 5).all()


def test_zip_is_written(tmp_path: Path, cubins: Any) -> None:
    target = tmp_path / "deep" / "deeper" / "kernels.zip"  # in folders that are not there yet
    for tile in (64, 128):  # the second replaces the first
        fh.build([saxpy(fh.partition(made(512), tile), made(512), 1.0)], [], target, general=False)
    loaded = fh.load(target)
    y = made(512)
    loaded.saxpy(fh.partition(y, 128), np.ones(512, np.float32), 2.0).sync()
    assert (y == 2).all()
    with pytest.raises(fh.Rejected) as caught:
        loaded.saxpy(fh.partition(y, 64), y, 2.0).sync()
    assert caught.value.codes == ("O201",)
    assert [p.name for p in target.parent.iterdir()] == ["kernels.zip"]


def test_proofs_are_kept_where_they_are_asked_for(tmp_path: Path) -> None:
    cases: list[tuple[Any, ...]] = [(fh.partition(made(512), tile), made(512), 1.0) for tile in (64, 128)]
    fh.build([saxpy(*case) for case in cases], [], tmp_path / "kernels", general=False, proofs=True)
    for number, case in enumerate(cases):
        text = tmp_path.joinpath("kernels", f"saxpy-{number}.smt2").read_text()
        assert text == saxpy.proofs(*case)
        assert "(check-sat)" in text
    fh.load(tmp_path / "kernels").check()


def test_what_a_package_was_built_of_is_not_told_to_have_run(tmp_path: Path) -> None:
    made = launches()
    fh.build(made, [], tmp_path / "kernels")
    launch = made[0]
    for use in (launch.sync, launch.on, launch.prepare, lambda: fh.build(made, [], tmp_path / "kernels")):
        text = refuse(use)
        assert (
            "error[O243]: this launch of `saxpy` was given to `fh.build`, which compiles it and does not run it" in text
        )
        assert "help: call `saxpy(...)` again" in text


def test_loading_needs_no_compiler(package: Path) -> None:
    program = f"""
import sys
import freehold as fh
from freehold.frontend.schedule import PartitionSpec
from freehold.frontend.signature import ScalarSpec, Specialisation, TensorSpec
loaded = fh.load({str(package)!r}, strict=True)
tensor = TensorSpec(fh.f32, 1, 16, (1,), (1,), (4,))
output = TensorSpec(fh.f32, 1, 16, (1,), (1,), (4,), PartitionSpec((64,), (64,)))
compiled = loaded.saxpy.compiled(Specialisation((output, tensor, ScalarSpec(fh.f32))), "sm_90")
assert compiled.cubin.startswith(b"\\x7fELF"), compiled.cubin
assert compiled.evaluator.evaluate([(1000,), (1000,)], [(1,), (1,)]).points == 16
x = fh.full((1000,), 1.5, fh.f32, device=fh.HOST).sync()
assert x.astype(fh.bf16).sync().astype(fh.f32).sync().numpy().sum() == 1500
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    assert "freehold.runtime.deploy.package" in modules
    assert not modules & {
        "xdsl",
        "z3",
        "freehold.backend.assembler",
        "freehold.frontend.lower",
        "freehold.runtime.jit.kernel",
    }
    assert not [m for m in modules if m.startswith(("freehold.passes", "freehold.dialects", "freehold.backend"))]


def test_running_needs_no_compiler_either(package: Path) -> None:
    program = f"""
import sys
import numpy as np
import freehold as fh
loaded = fh.load({str(package)!r}, strict=True)
y = np.zeros(100, np.float32)
loaded.saxpy(fh.partition(y, 64), np.ones(100, np.float32), 2.0).sync()
assert (y == 2).all()
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    assert not modules & {"z3", "freehold.backend.assembler", "freehold.frontend.lower", "freehold.passes.pipeline"}


def specialisation(n: int = 1024) -> Any:
    return saxpy.bound(fh.partition(made(n), 64), made(n), 1.0).specialisation


def test_the_variant_that_asks_most_is_taken(package: Path) -> None:
    loaded = fh.load(package)
    special, general = (loaded.saxpy.variant(specialisation(n)) for n in (1024, 1000 + 7))
    assert special.specs[0]["extent_divs"] == [4]
    for spec in general.specs[:2]:  # any array will do
        assert (spec["align"], spec["stride_divs"], spec["extent_divs"]) == (4, [1], [1])
    for n, variant in ((1024, special), (1007, general)):
        asked = specialisation(n)
        assert loaded.saxpy.compiled(asked, "sm_90").contract == variant.contract
        assert loaded.saxpy.compiled(asked, "sm_90").cubin.startswith(b"\x7fELFsm_90")


@pytest.mark.parametrize(
    "more", [{"align": 16}, {"strides": (4, 1)}, {"stride_divs": (8, 1)}, {"extent_divs": (1, 16)}]
)
def test_each_promise_about_a_tensor_makes_a_variant_ask_more(more: dict[str, Any]) -> None:
    plain = TensorSpec.plain(f32, 2)
    less, other = described(plain), described(replace(plain, **more))
    assert less is not None
    assert other is not None
    unknown: Any = None

    def demands(*specs: dict[str, Any]) -> int:
        return Variant(unknown, specs, unknown, unknown, "", {}).demands

    assert demands(other) > demands(less)
    assert demands(less, other) > demands(less, less) > demands(less, {"scalar": "f32"})


def test_without_strict_an_architecture_is_assembled(package: Path, cubins: list[tuple[str, str]]) -> None:
    cubins.clear()
    loaded = fh.load(package)
    for _ in range(2):
        assert loaded.saxpy.compiled(specialisation(), "sm_120").cubin.startswith(b"\x7fELFsm_120")
    assert cubins == [("saxpy", "sm_120")]


def refuse(function: Callable[[], object]) -> str:
    with pytest.raises(fh.Rejected) as caught:
        function()
    return str(caught.value)


def test_strict(copy: Path, golden: Golden) -> None:
    loaded = fh.load("kernels", strict=True)
    golden(HERE / "packages" / "O271_strict.err", refuse(lambda: loaded.saxpy.compiled(specialisation(), "sm_120")))


def test_no_variant(copy: Path, golden: Golden) -> None:
    loaded = fh.load("kernels")
    program = """
import numpy as np
import freehold as fh
x = np.ones((64, 64), np.float32)
loaded.scale(fh.partition(np.zeros((64, 64), np.float32), (8, 8)), x, K=3).sync()
"""
    fh.register_source("train.py", program)
    text = refuse(lambda: exec(compile(program, "train.py", "exec"), {"loaded": loaded}))
    golden(HERE / "packages" / "O270_partition.err", text)
    x = np.ones(64, np.float32)
    text = refuse(lambda: loaded.saxpy(fh.partition(x.astype(ml_dtypes.bfloat16), 64), x, 1.0).sync())
    assert "each argument fits a variant, but no variant fits all of them" in text
    columns = np.ones((64, 2), np.float32)[:, 0]
    text = refuse(lambda: loaded.saxpy(fh.partition(x, 64), columns, 1.0).sync())
    assert "`x` is f32 with 1 axis in steps; the package has f32 with 1 axis or bf16 with 1 axis" in text


def damaged(name: str, how: str) -> None:
    path = Path("kernels", name)
    data = path.read_bytes()
    if how in ("missing", "folder"):
        path.unlink()
        if how == "folder":
            path.mkdir()
    else:
        path.write_bytes(data[:-1] if how == "short" else bytes([data[0] ^ 1]) + data[1:])


@pytest.mark.parametrize("how", ["missing", "short", "changed"])
def test_a_damaged_file_is_refused_by_name(copy: Path, how: str, golden: Golden) -> None:
    damaged("saxpy-0.json", how)
    text = re.sub(r"[0-9]+ bytes, not [0-9]+", "625 bytes, not 626", refuse(lambda: fh.load("kernels")))
    golden(HERE / "packages" / f"O273_{how}.err", text)


def test_what_cannot_be_read_is_damaged(copy: Path) -> None:
    damaged("saxpy-0.json", "folder")
    said = refuse(lambda: fh.load("kernels"))
    assert "error[O273]: `saxpy-0.json` in the package `kernels` is damaged: Is a directory" in said


@pytest.mark.parametrize("name", ["saxpy-0.sm_90.cubin", "saxpy-0.tileirbc"])
def test_other_files_are_checked_when_they_are_read(copy: Path, name: str) -> None:
    damaged(name, "changed")
    loaded = fh.load("kernels")
    saxpy = loaded.saxpy
    by_architecture: Callable[[Any], object] = lambda asked: saxpy.compiled(asked, "sm_90")  # noqa: E731 -- typed
    read = saxpy.interpreted if name.endswith("bc") else by_architecture
    assert f"error[O273]: `{name}` in the package `kernels` is damaged" in refuse(lambda: read(specialisation()))
    assert f"`{name}`" in refuse(loaded.check)
    other: Any = loaded.scale.interpreted(scale.bound(fh.partition(made(64, 64), (8, 16)), made(64, 64)).specialisation)
    assert other


def rewritten(change: Callable[[dict[str, Any]], object]) -> None:
    path = Path("kernels", "manifest.json")
    manifest = json.loads(path.read_text())
    change(manifest)
    manifest["sha256"] = digest(manifest)
    path.write_text(json.dumps(manifest))


def test_a_damaged_manifest_is_refused(copy: Path, golden: Golden) -> None:
    path = Path("kernels", "manifest.json")
    text = path.read_text()
    path.write_text(text.replace('"saxpy"', '"sexpy"', 1))
    golden(HERE / "packages" / "O273_manifest.err", refuse(lambda: fh.load("kernels")))
    path.write_text(text[:-20])
    assert "it is no JSON" in refuse(lambda: fh.load("kernels"))


LIES: list[tuple[Callable[[Any], object], str]] = [
    (lambda m: m["kernels"][0].pop("parameters"), "says too little"),
    (lambda m: m["kernels"][0]["parameters"][0].update(name="z"), "it is the contract of another kernel"),
    (lambda m: m["kernels"][0]["variants"][0]["specs"][0].update(align=4), "it is the contract of another kernel"),
    (lambda m: m["kernels"][0]["variants"][0]["specs"].pop(), "it is the contract of another kernel"),
    (lambda m: m["kernels"][0]["variants"][0].update(contract="scale-0.json"), "it is the contract of another kernel"),
    (lambda m: m["kernels"][1]["variants"][0].update(contract="saxpy-0.json"), "it is the contract of another kernel"),
    (lambda m: m["kernels"][0]["variants"][0].update(contract="../secret"), "does not list it"),
    (lambda m: m["files"].update({"../secret": {"size": 1, "sha256": ""}}), ""),
    (lambda m: m["files"].pop("saxpy-0.json"), "does not list it"),
    (lambda m: m.update(kernels=3), "says too little"),
    (lambda m: m["kernels"][0]["variants"][0].update(contract="saxpy-0.tileirbc"), "it is no launch contract"),
    (lambda m: m["kernels"][0]["parameters"][2].update(mode="const"), "it is the contract of another kernel"),
    (lambda m: m["kernels"][0]["parameters"][2].update(mode="ref"), "it is the contract of another kernel"),
    *(
        (
            lambda m, k=k, v=v: m["kernels"][0]["variants"][0]["specs"][1].update({k: v}),
            "the contract of another kernel",
        )
        for k, v in {
            "dtype": "f16",
            "rank": 2,
            "strides": [2],
            "stride_divs": [2],
            "extent_divs": [8],
            "align": 32,
        }.items()
    ),
    (lambda m: m["kernels"][0]["variants"][0]["specs"][2].update(scalar="f64"), "the contract of another kernel"),
]


@pytest.mark.parametrize(("change", "says"), LIES)
def test_a_manifest_that_lies_is_refused(copy: Path, change: Callable[[dict[str, Any]], object], says: str) -> None:
    rewritten(change)
    if says:
        assert says in (text := refuse(lambda: fh.load("kernels")))
        assert "error[O273]" in text
    else:
        assert "is no name of a file of a package" in refuse(fh.load("kernels").check)


@pytest.mark.parametrize("how", ["cubin", "assembled", "interpreted"])
def test_code_of_another_kernel_than_was_proved_is_refused(copy: Path, how: str) -> None:
    """Each file of code says of which IR it was made, and the contract which IR was verified."""
    loaded = fh.load("kernels")
    special = loaded.saxpy.variant(specialisation())
    name = special.cubins["sm_90"] if how == "cubin" else special.bytecode
    assert json.loads(Path("kernels", "manifest.json").read_text())["files"][name]["verified"]

    def run() -> object:
        saxpy = fh.load("kernels").saxpy
        arch = "sm_90" if how == "cubin" else "sm_120"
        return saxpy.interpreted(specialisation()) if how == "interpreted" else saxpy.compiled(specialisation(), arch)

    assert run()
    rewritten(lambda m: m["files"][name].update(verified="another"))
    assert f"`{name}` in the package `kernels` is damaged: it was made of other IR than its contract" in refuse(run)


def test_other_versions_are_refused(copy: Path, golden: Golden) -> None:
    rewritten(lambda m: m.update(version=99, made_by="freehold 9.0"))
    golden(HERE / "packages" / "O272_version.err", refuse(lambda: fh.load("kernels")))


def test_what_is_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden) -> None:
    monkeypatch.chdir(tmp_path)
    golden(HERE / "packages" / "O272_nothing.err", refuse(lambda: fh.load("kernels")))
    Path("text.txt").write_text("text")
    assert "it is neither a folder nor a zip file" in refuse(lambda: fh.load("text.txt"))
    Path("empty").mkdir()
    assert "it has no `manifest.json`" in refuse(lambda: fh.load("empty"))
    Path("empty", "manifest.json").write_text('{"name": "site"}')
    assert "is of something else" in refuse(lambda: fh.load("empty"))
    with zipfile.ZipFile("other.zip", "w") as archive:
        archive.writestr("a", "b")
    assert "it has no `manifest.json`" in refuse(lambda: fh.load("other.zip"))


def test_a_truncated_zip(copy: Path, tmp_path: Path) -> None:
    fh.build([saxpy(fh.partition(made(512), 64), made(512), 1.0)], [], "k.zip")
    data = Path("k.zip").read_bytes()
    for cut in (100, len(data) // 2, len(data) - 10):
        Path("k.zip").write_bytes(data[:cut])
        assert "error[O272]" in refuse(lambda: fh.load("k.zip"))
    broken = bytearray(data)
    broken[200] ^= 0xFF
    Path("k.zip").write_bytes(broken)
    assert "error[O273]" in refuse(lambda: fh.load("k.zip").check())


class Unstable:
    """A constant whose text says nothing."""


@fh.kernel
def const(y: Mut["N"], C: Const[object]):
    y.store(y.load())


def test_what_cannot_be_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden) -> None:
    monkeypatch.chdir(tmp_path)
    fh.register_source("build.py", "import freehold as fh\nfh.build([saxpy], ['sm_90'], 'kernels')\n")
    code = compile("import freehold as fh\nfh.build([saxpy], ['sm_90'], 'kernels')\n", "build.py", "exec")
    golden(HERE / "packages" / "O274_kernel.err", refuse(lambda: exec(code, {"saxpy": saxpy})))
    text = refuse(lambda: fh.build([const(fh.partition(made(64), 64), Unstable)], [], "kernels"))
    assert "`C` of `const` cannot be put into a package: no text tells" in text
    Path("mine").mkdir()
    Path("mine", "thesis.txt").write_text("text")
    text = refuse(lambda: fh.build(launches(), [], "mine"))
    assert "`mine` cannot be put into a package: it is there, and it is no package" in text
    assert Path("mine", "thesis.txt").exists()
    assert "an empty list of launches cannot be put into a package" in refuse(lambda: fh.build([], [], "kernels"))

    def other() -> Any:
        @fh.kernel
        def saxpy(y: Mut["N"]):
            y.store(y.load())

        return saxpy(fh.partition(made(64), 64))

    text = refuse(lambda: fh.build([*launches(), other()], [], "kernels"))
    assert "another kernel of this name" in text
    for launch in (used := launches()):
        launch.sync()
    assert "error[O243]: this launch of `saxpy` has been run already" in refuse(lambda: fh.build(used, [], "kernels"))
    assert not Path("kernels").exists()


def test_what_comes_from_a_package_is_put_into_none(package: Path, tmp_path: Path) -> None:
    launch = fh.load(package).saxpy(fh.partition(made(1024), 64), made(1024), 1.0)
    said = refuse(lambda: fh.build([launch], [], tmp_path / "again"))
    assert "`saxpy` cannot be put into a package: it comes from a package itself" in said
    launch.sync()
    with pytest.raises(pickle.PicklingError, match="kernel `saxpy` is of a package: load the package where it is"):
        pickle.dumps(launch.dispatcher.kernel)


def test_a_package_takes_the_place_of_another(copy: Path) -> None:
    before = sorted(Path("kernels").iterdir())
    fh.build([saxpy(fh.partition(made(512), 32), made(512), 1.0)], [], "kernels", general=False)
    assert [p.name for p in Path().iterdir()] == ["kernels"]  # nothing is left of the one before, or beside it
    assert sorted(Path("kernels").iterdir()) != before
    assert [*fh.load("kernels")] == ["saxpy"]


def test_a_file_that_is_larger_than_any_of_a_package(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fh.build([saxpy(fh.partition(made(512), 64), made(512), 1.0)], [], "k.zip", general=False)
    with zipfile.ZipFile("k.zip") as archive:
        largest = max(info.file_size for info in archive.infolist())
    monkeypatch.setattr(package_module, "_MOST_BYTES", largest)
    fh.load("k.zip").check()
    monkeypatch.setattr(package_module, "_MOST_BYTES", largest - 1)
    assert "it is larger than any file of a package" in refuse(lambda: fh.load("k.zip").check())


def test_a_launch_that_leaves_its_schedule_open_is_no_part_of_a_package(tmp_path: Path) -> None:
    y = np.zeros(64, np.float32)
    launch = saxpy(y, y.copy(), 2.0)
    with pytest.raises(fh.Rejected, match="it leaves its schedule open"):
        fh.build([launch], archs=["sm_90"], path=tmp_path / "open")
    launch.sync()


def test_what_may_be_replaced_by_a_package(package: Path, tmp_path: Path) -> None:
    empty, full = tmp_path / "empty", tmp_path / "full"
    empty.mkdir()
    full.mkdir()
    (full / "notes.txt").write_text("mine", encoding="utf-8")
    found = {name: is_package(place) for name, place in {
        "a package": package, "an empty folder": empty, "another folder": full, "a zip": tmp_path / "a.zip",
        "another file": tmp_path / "a.txt",
    }.items()}  # fmt: skip
    assert found == {
        "a package": True, "an empty folder": True, "another folder": False, "a zip": True, "another file": False,
    }  # fmt: skip


PARAMETERS = [
    Parameter("x", "ref"),
    Parameter("x", "ref", ()),
    Parameter("x", "mut", ("N", "2 * N + 1"), dtypes.bf16),
    Parameter("x", "out", ("4",), many=True),
    Parameter("x", "acc", ("N",), optional=True, default=None),
    Parameter("x", "raw", ("N",), dtypes.i32, optional=True),
    Parameter("n", "scalar", dtype=dtypes.u32, default=3),
    Parameter("n", "scalar", type=float, default=0.5),
    Parameter("n", "scalar", type=bool, default=False),
    Parameter("K", "const", type=int),
    Parameter("K", "const", type=str, default="text"),
    Parameter("K", "const", default=(1, 2.5, None, True)),
    Parameter("K", "const", default=None),
    Parameter("grid", "const", type=fh.Grid, default=fh.Grid("N", 2, order=fh.grouped(4), blocks=7)),
    Parameter("grid", "const", type=fh.Grid, default=fh.Grid(3, order=fh.COLUMN, blocks=fh.PERSISTENT)),
    Parameter("grid", "const", type=fh.Grid),
]


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda p: f"{p.annotation}={p.default!r}")
def test_parameters_are_read_as_they_were_written(parameter: Parameter) -> None:
    said = json.dumps(package_module.parameter_entry(parameter))
    assert vars(package_module)["_parameter"](json.loads(said)) == parameter


def test_a_default_that_there_is_no_word_for_has_to_be_given() -> None:
    said = package_module.parameter_entry(Parameter("K", "const", default=(1, object())))
    assert "default" not in said
    assert not vars(package_module)["_parameter"](said).has_default
