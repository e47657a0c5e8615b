"""What XLA is told of the interface that kernels are called by, which is laid out as JAX's own header says."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from freehold.runtime.interop import jax_call

KNOWN: Any = jax_call
API, FRAME, METADATA, EXTENSION = KNOWN._Api, KNOWN._Frame, KNOWN._Metadata, KNOWN._Extension


def told(major: int, minor: int, api_size: int = 0, frame_size: int = 0) -> tuple[int, int]:
    """The version that the foreign function says it is for, where XLA's is another one, or its structures shorter."""
    metadata = METADATA()
    extension = EXTENSION(ctypes.sizeof(EXTENSION), 1, None, ctypes.pointer(metadata))
    api = API(struct_size=api_size or ctypes.sizeof(API))
    api.version.major, api.version.minor = major, minor
    frame = FRAME(struct_size=frame_size or ctypes.sizeof(FRAME), extension=ctypes.addressof(extension))
    frame.api = ctypes.pointer(api)
    assert KNOWN._handle("cpu", ctypes.addressof(frame)) is None
    return metadata.version.major, metadata.version.minor


def test_xla_is_told_what_this_is_for_and_never_its_own_version() -> None:
    assert told(0, 3) == (0, 3)
    assert told(0, 2) == (0, 2)  # an earlier one, whose structures are as long
    assert told(0, 99) == (0, 3)
    assert told(1, 0) == (0, 0)
    assert told(7, 50) == (0, 3)


def test_shorter_structures_are_refused() -> None:
    assert told(0, 3, api_size=ctypes.sizeof(API) - 8)[0] == 1
    assert told(0, 3, frame_size=FRAME.attributes.offset)[0] == 1
    assert told(0, 3, frame_size=FRAME.future.offset) == (0, 3)  # what XLA counts


STRUCTURES: list[tuple[str, Any, str]] = [
    ("Api", API, "struct_size extension_start api_version internal_api"),
    ("CallFrame", FRAME, "struct_size extension_start api ctx stage args rets attrs future"),
    ("Buffer", jax_call.Buffer, "struct_size extension_start dtype data rank dims"),
    ("Args", KNOWN._Buffers, "struct_size extension_start size types args"),
    ("Rets", KNOWN._Buffers, "struct_size extension_start size types rets"),
    ("Attrs", KNOWN._Attributes, "struct_size extension_start size types names attrs"),
    ("Scalar", KNOWN._Scalar, "dtype value"),
    ("Metadata", METADATA, "struct_size api_version traits state_type_id"),
    ("Metadata_Extension", EXTENSION, "extension_base.struct_size extension_base.type extension_base.next metadata"),
    ("Api_Version", KNOWN._Version, "struct_size extension_start major_version minor_version"),
    ("Error_Create_Args", KNOWN._ErrorArguments, "struct_size extension_start message errc"),
    ("Stream_Get_Args", KNOWN._StreamArguments, "struct_size extension_start ctx stream"),
    ("DeviceOrdinal_Get_Args", KNOWN._OrdinalArguments, "struct_size extension_start ctx device_ordinal"),
]
"""Structures, ours, and the names of the same fields there."""


def test_structures_are_laid_out_as_the_header_says(tmp_path: Path) -> None:
    ffi: Any = pytest.importorskip("jax.ffi")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    functions = [f"XLA_FFI_{name}" for name in KNOWN._API]
    asked = [
        (name, field, getattr(structure, ours[0]).offset)
        for name, structure, fields in STRUCTURES
        for field, ours in zip(fields.split() + (functions if name == "Api" else []), structure._fields_, strict=True)
    ]
    lines = [f'printf("%zu\\n", offsetof(XLA_FFI_{name}, {field}));' for name, field, _ in asked]
    program = tmp_path / "layout.c"
    head = "#include <stddef.h>\n#include <stdio.h>\n#include <xla/ffi/api/c_api.h>\nint main(void) {\n"
    program.write_text(head + "\n".join(lines) + "\nreturn 0; }\n", encoding="utf-8")
    built = tmp_path / "layout"
    subprocess.run([compiler, "-I", ffi.include_dir(), "-o", str(built), str(program)], check=True)
    found = subprocess.run([str(built)], capture_output=True, text=True, check=True).stdout.split()
    wrong = [(name, field) for (name, field, at), there in zip(asked, found, strict=True) if at != int(there)]
    assert not wrong
