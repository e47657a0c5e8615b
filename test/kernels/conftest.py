"""Lets the tests here import the examples, which are not installed, before others of that name."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
