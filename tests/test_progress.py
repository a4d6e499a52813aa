"""One bar, with its total and its title."""

import io
import sys

import pytest

from sklearn_ap import large
from sklearn_ap._files.progress import progress


@pytest.fixture(autouse=True)
def no_delay(monkeypatch):
    monkeypatch.setattr("sklearn_ap._files.progress.DELAY", 0)


def test_default_progress_bar_is_shown_on_terminals_only(capsys, monkeypatch):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    for stream in (sys.stderr, terminal):
        monkeypatch.setattr(sys, "stderr", stream)
        with progress(2, " rows", "reading") as advance:
            advance(2)
    assert not capsys.readouterr().err
    assert "reading:" in terminal.getvalue()


@pytest.mark.parametrize("disable", [True, False, None])
def test_no_bar_with_closed_standard_error(monkeypatch, capsys, disable):
    with monkeypatch.context() as closed:
        closed.setattr(sys, "stderr", None)
        with progress(2, " rows", "reading", disable=disable) as advance:
            advance(2)
    assert not capsys.readouterr().err


def test_a_bar_without_tqdm_is_an_error_where_it_was_asked_for(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with progress(None, " rows", "reading") as advance:
        advance(2)
    assert not capsys.readouterr().err
    with pytest.raises(ImportError, match=r"progress=True needs tqdm, which is not .* tqdm\."):
        large.from_chunks([([1, 0], [0.9, 0.1])], progress=True)


def test_bar_shows_its_title_count_and_percentage(capsys):
    for total, starts in ((100_000, "first pass:  50%|"), (None, "first pass: 50.0k rows [")):
        with progress(total, " rows", "first pass", disable=False) as advance:
            advance(50_000)
        assert capsys.readouterr().err.rsplit("\r", 1)[-1].startswith(starts)
