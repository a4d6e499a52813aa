"""The scripts of benchmarks, as modules."""

import importlib
from dataclasses import replace
from pathlib import Path

import pytest


@pytest.fixture
def script(monkeypatch):
    """Import a script by its name."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
    return importlib.import_module


@pytest.fixture
def rows_of(script):
    """What a simulation says of a cell, with fewer samples."""

    def run(cell, n_samples=None):
        cell = cell if n_samples is None else replace(cell, n_samples=n_samples)
        return script("simulation").run(cell)

    return run
