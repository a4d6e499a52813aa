"""Pages whose pictures are drawn and not rendered."""

import pytest

from sklearn_ap._report import page
from tests.helpers.sketches import sketch


@pytest.fixture(autouse=True)
def pictures_are_drawn_and_not_rendered(monkeypatch):
    """But for pages that a module shares, which are made before."""
    monkeypatch.setattr(page, "write_figure", sketch)
