"""Printed tables, frames and HTML."""

import sys

import pytest
from interval_data import drawn

from sklearn_ap import average_precision_interval, compare_average_precision
from sklearn_ap._results.text import Table, as_html, as_text
from sklearn_ap.intervals._interval import interval_table


def test_a_frame_without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    text = r"to_frame needs pandas, which is not installed: pip install pandas"
    with pytest.raises(ImportError, match=text):
        average_precision_interval(*drawn()).to_frame()


def test_names_that_steer_a_terminal_or_a_page_are_escaped():
    text = as_text(Table([["", "value"], ["a\x1b[31m", "1"], ["b\n\u202e", "2"]], []))
    assert text.splitlines() == ["           value", "a\\x1b[31m      1", "b\\n\\u202e      2"]
    left, right = '<td style="text-align: left">', '<td style="text-align: right">'
    html = as_html(["a&b", "value"], [("<i>", 0.5), (None, None)])
    assert html.startswith('<table><thead><tr><th style="text-align: left">a&amp;b</th>')
    assert f"{left}&lt;i&gt;</td>{right}0.5000</td>" in html
    assert html.count(f"{left}</td>") == 2


def test_an_effective_number_has_a_decimal_only_where_it_is_another_one():
    row = {"estimate": 0.5, "standard_error": 0.1, "low": 0.3, "high": 0.7, "bias": 0.0}
    rows = [row | {"n_positives": 30.0, "n_effective": n} for n in (30 + 1e-12, 12.34)]
    table = interval_table(rows, 0.95, None, False, None, 1)
    assert [line[-2:] for line in table.cells[1:]] == [["30", "30"], ["30", "12.3"]]
    # The last one is not shown.
    table = interval_table([rows[0]] * 20 + rows[1:], 0.95, None, False, None, 1)
    assert table.cells[0][-1] == "positives"


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_a_comparison_shows_20_rankings_of_each_model():
    y, s = drawn(60, 30)
    found = compare_average_precision(y, {"a": s, "b": -s}, average=None)
    assert repr(found).splitlines()[-1] == "... and 20 more"  # 2 times 30 lines, less 2 times 20
