"""Benchmarks that are done in pieces: what is kept of a run, how its ratios are told, and how it is drawn."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from benchmarks.report import Row, kept, ratios_of, write
from benchmarks.roofline import COLOURS, Scale, picture

ROWS = [
    Row("linear bf16 8 x 8 x 8", 700.0, 720.0, "torch", "TFLOP/s", 0.97, 0.01, intensity=300.0),
    Row("linear bf16 8 x 8 x 8", 700.0, 650.0, "Triton", "TFLOP/s", 1.08, 0.01, intensity=300.0),
    Row("rms_norm bf16 8 x 1024", 4.1, 3.4, "torch", "TB/s", 1.2, 0.01),
    Row("rms_norm bf16 8 x 4096", 4.0, 3.4, "torch", "TB/s", 1.18, 0.01),
    Row("copy", 4.2, None, None, "TB/s", None, 0.01),
]


def test_rows_are_kept(tmp_path: Path) -> None:
    file = str(tmp_path / "rows.json")
    assert kept(None) == kept(file) == []
    write(ROWS, file)
    assert kept(file) == ROWS


def test_ratios_are_told_for_each_rival_and_the_best() -> None:
    assert ratios_of(ROWS).splitlines() == [
        "to torch: median of the ratios 1.18; 2 of 3 faster",
        "to Triton: median of the ratios 1.08; 1 of 1 faster",
        "to the best of them: median of the ratios 1.18; 2 of 3 faster",
    ]


def test_a_picture_has_a_dot_for_each_work_and_the_best_rival() -> None:
    picture_of = ElementTree.fromstring(picture(ROWS, 4.2, {"bf16": 989.5}))
    told = [t.text or "" for t in picture_of.iter("{http://www.w3.org/2000/svg}title")]
    assert told == [
        "linear bf16 8 x 8 x 8: torch 720 TFLOP/s",
        "linear bf16 8 x 8 x 8: Freehold 700 TFLOP/s",
        "rms_norm bf16 8 x 1024: 4.1 TB/s",
        "rms_norm bf16 8 x 4096: 4 TB/s",
    ]
    assert COLOURS[0] in picture(ROWS, 4.2, {})


def test_a_scale_goes_from_its_first_value_to_its_last() -> None:
    assert Scale(1, 1000, 300).at(10) == pytest.approx(100)
    assert Scale(0, 5, 300, logarithmic=False).at(2.5) == 150
    assert Scale(1, 1000, 300).at(0) == 0


def test_numbers_of_problems() -> None:
    pytest.importorskip("torch")
    from benchmarks.kernelbench import numbers_of

    assert numbers_of("5,19-22") == {5, 19, 20, 21, 22}
    assert numbers_of("") == set()
