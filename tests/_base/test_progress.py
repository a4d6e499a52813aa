"""One bar, with its total and its title."""

import io
import sys
from threading import Event

import pytest

from sklearn_ap._extras import progress, progress_if_long


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


OutStream = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})


@pytest.mark.parametrize(
    ("stream", "seconds", "is_seen"),
    [
        (Terminal(), 0, True),
        (OutStream(), 0, True),
        (io.StringIO(), 0, False),
        (Terminal(), 60, False),
        (None, 0, False),
    ],
)
def test_long_call_shows_progress_on_a_terminal_only(monkeypatch, stream, seconds, is_seen):
    monkeypatch.setattr("sklearn_ap._extras.LONG_CALL", seconds)
    monkeypatch.setattr(sys, "stderr", stream)
    with progress_if_long(200, " orders", "permuting") as advance:
        advance(50)
        advance(50)
    shown = stream.getvalue() if stream else ""
    assert ("permuting:  50%|" in shown or "permuting:  25%|" in shown) == is_seen
    assert shown == "" or shown.endswith("\r")  # the bar is gone


def test_long_call_shows_no_bar_without_tqdm_or_inside_another_bar(monkeypatch):
    monkeypatch.setattr("sklearn_ap._extras.LONG_CALL", 0)
    terminal = Terminal()
    with progress(2, " definitions", "permuting"):
        monkeypatch.setattr(sys, "stderr", terminal)
        with progress_if_long(200, " orders", "permuting") as advance:
            advance(50)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with progress_if_long(200, " orders", "permuting") as advance:
        advance(50)
    assert not terminal.getvalue()
