"""Arrays that are printed as the first lines of a table."""

import re
import sys
from base64 import b64decode
from html import escape

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_interval,
    report,
    retrieval,
    threshold_counts,
)
from sklearn_ap.detections import MatchedDetections
from tests.helpers.interval_data import drawn


def test_to_frame_without_pandas_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    text = r"to_frame needs pandas, which is not installed: pip install pandas"
    with pytest.raises(ImportError, match=text):
        average_precision_interval(*drawn()).to_frame()


HOSTILE = "<i>a\x1b[31m\u202e", "b\u2066\x9b\x07"
IN_TEXT = r"<i>a\x1b[31m\u202e", r"b\u2066\x9b\x07"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize(
    "make",
    [
        lambda y, models, _: report(y, models),
        lambda y, models, names: report(y, models, segments=names),
    ],
    ids=["report", "parts"],
)
def test_control_and_bidirectional_characters_of_names_are_escaped_everywhere(make):
    y = np.arange(200) % 2
    models = {name: i + y + np.sin(np.arange(200.0)) for i, name in enumerate(HOSTILE)}
    found = make(y, models, np.repeat(np.array(HOSTILE, dtype=object), 100))
    html = found.to_html() if hasattr(found, "to_html") else found._repr_html_()
    pictures = [b64decode(each).decode() for each in re.findall(r"base64,([^\"]+)", html)]
    assert pictures
    texts = [repr(found), html, *pictures]
    for text in texts:
        # Pictures keep "p < 0.05" in one line; no name has such a space.
        own = {"\n", "\N{NO-BREAK SPACE}"}
        assert {letter for letter in text if not letter.isprintable()} <= own
    assert "<i>" not in re.sub("<svg.*", "", html, flags=re.S)
    for name in IN_TEXT:
        assert escape(name) in html
        assert any(name in text.replace("\n", "") for text in texts)


Y_TRUE = np.arange(200) % 4 == 0
SCORE = Y_TRUE + np.random.default_rng(0).normal(size=200)
PREDICTIONS = Y_TRUE, SCORE
ROWS = "200 rows, 50 positives (25%)"
BOXES = [np.array(["car"] * 4), np.array([1, 1, 2, 2])]
# What is called, and how what it gives is printed: every kind of printed arrays is here.
NAMED = {
    "thresholds": (
        lambda: threshold_counts(*PREDICTIONS),
        "ThresholdCounts: 50 thresholds, 50 positives, 150 negatives",
    ),
    "runs": (
        lambda: retrieval.from_runs({"q": {"d": 1}}, {"a": {"q": {"d": 2.0}}}),
        "JudgedRuns: 1 system, 1 query, 1 document, 1 relevant",
    ),
    "detections": (
        lambda: MatchedDetections(np.arange(4) < 2, {"a": np.arange(4.0)}, *BOXES),
        "MatchedDetections: 1 detector, 1 ranking, 2 images, 2 objects",
    ),
}


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize(("make", "name"), [*NAMED.values()], ids=[*NAMED])
def test_a_result_begins_with_its_name_and_becomes_a_frame(make, name):
    found = make()
    assert repr(found).startswith(name)
    assert re.match(rf"<div[^>]*><p>{re.escape(escape(name))}", found._repr_html_())
    assert len(found.to_frame()) > 0
