"""What tests of a report share."""

import pytest

from sklearn_ap._program.report.page import pictures


@pytest.fixture
def drawn_figures(monkeypatch):
    """The figures of the pages that a test makes."""
    figures = []
    monkeypatch.setattr(
        pictures, "svg_image", lambda figure, *_, **__: figures.append(figure) or ""
    )
    return figures
