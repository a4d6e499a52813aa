"""Printed tables."""

import numpy as np

from sklearn_ap import compare_average_precision
from sklearn_ap._results.text import Table, as_text


def test_names_that_steer_a_terminal_are_printed_as_escapes():
    text = as_text(Table([["", "value"], ["a\x1b[31m", "1"], ["b\n\u202e", "2"]], []))
    assert text.splitlines() == ["           value", "a\\x1b[31m      1", "b\\n\\u202e      2"]


def test_a_comparison_prints_no_name_as_it_is():
    rng = np.random.default_rng(0)
    y_true = np.arange(200) % 2
    scores = {f"model \x1b\n {'long' * 9} {i}": rng.random(200) for i in range(3)}
    assert repr(compare_average_precision(y_true, scores)).replace("\n", "").isprintable()
