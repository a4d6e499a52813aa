"""Frames and HTML."""

import sys

import pytest
from interval_data import drawn

from sklearn_ap import average_precision_interval
from sklearn_ap._results.tables import as_html


def test_a_frame_without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    text = r"to_frame needs pandas, which is not installed: pip install 'sklearn-ap\[pandas\]'"
    with pytest.raises(ImportError, match=text):
        average_precision_interval(*drawn()).to_frame()


def test_a_table_escapes_what_it_shows():
    html = as_html(("a&b", "value"), [("<i>", 0.5), (None, None)])
    assert html.startswith('<table><thead><tr><th style="text-align: left">a&amp;b</th>')
    assert '<td style="text-align: left">&lt;i&gt;</td>' in html
    assert '<td style="text-align: right">0.5000</td>' in html
    assert html.count('<td style="text-align: left"></td>') == 2
