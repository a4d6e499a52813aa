"""The bar of rows that are counted."""

import sys

import pytest

from sklearn_ap import large
from sklearn_ap.large._progress import progress

CHUNKS = [([1, 0], [0.9, 0.1])]


def test_there_is_no_bar_where_standard_error_is_closed(monkeypatch):
    with monkeypatch.context() as closed:
        closed.setattr(sys, "stderr", None)
        assert large.from_chunks(CHUNKS, progress=True).n_positives == 1


def test_a_bar_without_tqdm_is_an_error_where_it_was_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert large.from_chunks(CHUNKS).n_positives == 1
    with pytest.raises(ImportError, match=r"progress=True needs tqdm, which is not .* tqdm\."):
        large.from_chunks(CHUNKS, progress=True)


def test_a_bar_shows_its_title_count_and_percentage(capsys, monkeypatch):
    monkeypatch.setattr("sklearn_ap.large._progress.DELAY", 0)
    for total, starts in ((100_000, "first pass:  50%|"), (None, "first pass: 50.0k rows [")):
        with progress(total, "first pass", is_shown=True) as advance:
            advance(50_000)
        shown = capsys.readouterr().err
        assert any(line.startswith(starts) for line in shown.split("\r")), shown
