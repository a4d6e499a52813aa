"""One bar, with its total and its title."""

import io
import sys
from threading import Event

import pytest

from sklearn_ap._extras import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_default_progress_bar_is_shown_on_terminals_only(capsys, monkeypatch):
    monkeypatch.setattr("sklearn_ap._extras.DELAY", 0)
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    for stream in (sys.stderr, terminal):
        monkeypatch.setattr(sys, "stderr", stream)
        with progress(2, " rows", "reading") as shown:
            shown.update(2)
    assert not capsys.readouterr().err
    assert "reading:" in terminal.getvalue()


def test_elapsed_time_advances_without_updates(monkeypatch):
    monkeypatch.setattr("sklearn_ap._extras.REFRESH_PERIOD", 0.01)
    terminal, shown = io.StringIO(), Event()
    terminal.isatty = lambda: True
    terminal.flush = lambda: "comparing: 00:0" in terminal.getvalue() and shown.set()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress(None, "", "comparing"):
        assert shown.wait(60)
    assert terminal.getvalue().endswith("\r")  # the bar is gone, and stays away


@pytest.mark.parametrize("asked_for", [True, False])
def test_no_bar_without_tqdm_or_with_closed_standard_error(monkeypatch, asked_for):
    with monkeypatch.context() as closed:
        closed.setattr(sys, "stderr", None)
        with progress(2, " rows", "reading", asked_for=asked_for) as shown:
            shown.update(2)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with progress(None, " rows", "reading", asked_for=asked_for) as shown:
        shown.update(2)
    assert (shown.n, terminal.getvalue()) == (2, "")


def test_bar_shows_its_title_count_and_percentage(capsys):
    for total, starts, shows in (
        (100_000, "first pass:  50%|", " 50.0k/100k rows ["),
        (None, "first pass: 50.0k rows [", ""),
    ):
        with progress(total, " rows", "first pass", asked_for=True) as shown:
            shown.update(50_000)
        bar = capsys.readouterr().err.rsplit("\r", 1)[-1]
        assert bar.startswith(starts)
        assert shows in bar
