"""What the driver is told of a launch beside its grid: clusters where there are some, and who may begin early."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("cuda.bindings.driver")

from freehold.runtime.gpu.kernels import launch_config

CLUSTER, EARLY = "CLUSTER_DIMENSION", "PROGRAMMATIC_STREAM_SERIALIZATION"


@pytest.mark.skipif(sys.platform == "darwin", reason="there is no driver")
@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("cluster", [(), (1, 1, 1), (2, 1, 1), (1, 4, 1), (1, 1, 8)])
def test_what_is_said_of_a_launch(cluster: tuple[int, ...], early: bool) -> None:
    shape = (7, 5, 3, 32, 2, 1, *cluster, 4096) if cluster else ()
    made = launch_config(9, 0x10, shape, early=early)
    assert (made.gridDimX, made.gridDimY, made.gridDimZ) == (shape[:3] or (9, 1, 1))
    assert (made.blockDimX, made.blockDimY, made.blockDimZ) == (shape[3:6] or (1, 1, 1))
    assert made.sharedMemBytes == (4096 if cluster else 0)
    assert int(made.hStream) == 0x10
    said = {each.id.name.removeprefix("CU_LAUNCH_ATTRIBUTE_"): each.value for each in made.attrs[: made.numAttrs]}
    assert said.keys() == {*([CLUSTER] if {*cluster} - {1} else []), *([EARLY] if early else [])}
    if CLUSTER in said:
        of = said[CLUSTER].clusterDim
        assert (of.x, of.y, of.z) == cluster
    if early:
        assert said[EARLY].programmaticStreamSerializationAllowed == 1
