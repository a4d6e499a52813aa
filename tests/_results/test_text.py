"""Printed tables, frames and HTML."""

import sys

import pytest
from interval_data import drawn

from sklearn_ap import average_precision_interval
from sklearn_ap._results.text import Table, as_html, as_text


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


def test_names_that_steer_a_terminal_are_printed_as_escapes():
    text = as_text(Table([["", "value"], ["a\x1b[31m", "1"], ["b\n\u202e", "2"]], []))
    assert text.splitlines() == ["           value", "a\\x1b[31m      1", "b\\n\\u202e      2"]
