"""Settings for every test."""

import gc
import os
import sys

# The tests run side by side, one on each core. Threads of a BLAS and of scikit-learn, which begin
# when they are imported, would wait for each other, and take several times the time of a core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, Phase, settings

from sklearn_ap._uncertainty import _half_samples
from sklearn_ap.definitions import Definition

os.environ.setdefault("MPLBACKEND", "Agg")  # pictures without a screen
settings.register_profile(
    "default",
    max_examples=5,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    # To explain a failure takes longer than to find it, and says little about arrays.
    phases=set(Phase) - {Phase.explain},
)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=50)
settings.register_profile("long", settings.get_profile("default"), max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Spare the garbage collector what is collected, which is much and stays until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_make_parametrize_id(val, argname):
    """Call a definition as it prints, and a file of bytes, which may hold its time, a file."""
    if isinstance(val, bytes):
        return argname
    return repr(val) if isinstance(val, Definition) else None


@pytest.fixture
def few_halves(monkeypatch):
    """Draw few halves of samples, of which scores at k need many, where limits are not tested."""
    for name in ("FEWEST_PAIRS", "MOST_PAIRS"):
        monkeypatch.setattr(_half_samples, name, 64)


@pytest.fixture(autouse=True)
def each_figure_is_closed_behind_its_test():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
