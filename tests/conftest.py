"""Settings for every test."""

import gc
import os
import re
import sys
import warnings
from html import escape
from importlib import import_module
from importlib.util import find_spec
from typing import get_args

import pytest
from hypothesis import HealthCheck, Phase, settings

from sklearn_ap import UncertaintyWarning
from sklearn_ap._writing.text import printable
from sklearn_ap._writing.warning import WarningName
from sklearn_ap.definitions import Definition

os.environ.setdefault("MPLBACKEND", "Agg")  # pictures without a screen
# The tests run side by side, one on each core. A BLAS with threads of its own would slow them down.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
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


# What a warning asks for.
TO_DO = r"\b(?i:collect|pass|label|leave|plan|split|use|compare|calibrate|rely|choose|fill)\b"


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


@pytest.fixture(autouse=True, scope="session")
def each_warning_has_a_listed_name_and_says_what_to_do():
    """Whatever is warned of in any test."""
    made = UncertaintyWarning.__init__

    def checked(warning, text, name):
        assert name in get_args(WarningName), name
        assert re.search(TO_DO, text), text
        assert "coverage" not in text.lower(), text
        made(warning, text, name)

    UncertaintyWarning.__init__ = checked
    yield
    UncertaintyWarning.__init__ = made


FIGURE = "sklearn_ap._report.page.write_figure"


def sketch(picture):
    with warnings.catch_warnings(category=UserWarning, action="ignore"):
        picture.draw()
    return f'<figure><img alt="{escape(printable(picture.alt))}" src=""></figure>'


@pytest.fixture(autouse=True, scope="session")
def pictures_in_html_are_drawn_and_not_rendered():
    """Of all time, a fifth would go into files of pictures that nobody looks at."""
    with pytest.MonkeyPatch.context() as patch:
        if find_spec("sklearn_ap._report"):  # not where the inner house stands alone
            write_figure = import_module("sklearn_ap._report.page").write_figure
            patch.setattr(FIGURE, sketch)
            yield write_figure
        else:
            yield None


@pytest.fixture(scope="session")
def write_figure(pictures_in_html_are_drawn_and_not_rendered):
    return pictures_in_html_are_drawn_and_not_rendered


@pytest.fixture
def rendered(monkeypatch, write_figure):
    """Pictures in HTML are rendered, for a test that looks into them."""
    monkeypatch.setattr(FIGURE, write_figure)


@pytest.fixture(scope="module")
def rendered_in_module(write_figure):
    """The same for all tests of a module, which share pages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FIGURE, write_figure)
        yield


@pytest.fixture(autouse=True)
def each_figure_is_closed_behind_its_test():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
