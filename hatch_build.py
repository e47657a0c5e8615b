"""What building the package does besides copying files: it compiles the native module, where that can be done."""

from __future__ import annotations

import os
import runpy
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NativeModule(BuildHookInterface[Any]):
    """Puts the native module into wheels, which are then for one platform, and beside its source if editable."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by the build backend, with the data of what it is going to build."""
        if self.target_name != "wheel":
            return
        tools = runpy.run_path(str(Path(self.root) / "tools" / "build_native.py"))
        self._folder = tempfile.TemporaryDirectory()
        editable = version == "editable"
        folder = Path(self.root) / "runtime" if editable else Path(self._folder.name)
        problem = tools["compile_native"](folder)
        if problem and os.environ.get("FREEHOLD_NATIVE") == "1":
            raise RuntimeError(f"FREEHOLD_NATIVE=1 asks for the native module, and there is none: {problem}")
        if problem:
            self.app.display_warning(f"freehold is installed without its native module: {problem}")
        elif not editable:
            build_data["force_include"][str(folder / tools["NAME"])] = f"freehold/runtime/{tools['NAME']}"
            build_data["pure_python"] = False
            build_data["tag"] = f"cp311-abi3-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Called when it is built."""
        if self.target_name == "wheel":
            self._folder.cleanup()
