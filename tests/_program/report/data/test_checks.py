"""Arguments of a report: errors name them, and rows are checked once in whatever form they have."""

import numpy as np
import pandas as pd
import pytest
from report_data import (
    AB,
    FOUND,
    GROUP,
    MONTH,
    NOISE,
    WEIGHT,
    A,
    B,
    N,
    Y,
    quiet,
    refuse_to_draw,
    undrawn,
)

from sklearn_ap import report
from sklearn_ap._base.inputs import targets
from sklearn_ap._counts import counting
from sklearn_ap._program.report.data import checks
from sklearn_ap._program.report.page import pictures


def listen(monkeypatch, module, name):
    """A list that gets the arguments of each call of a function."""
    heard, function = [], getattr(module, name)
    monkeypatch.setattr(module, name, lambda *args: heard.append(args) or function(*args))
    return heard


def test_report_supports_text_labels_frames_and_a_single_model():
    words = pd.Series(np.where(Y, "yes", "no"))
    found = report(words, pd.DataFrame(AB), pos_label="yes")
    assert found.parts[1].sentence == FOUND.parts[1].sentence
    assert "pos_label='yes'" in found.parts[2].call
    call = "compare_average_precision(y_true, y_scores, pos_label='yes'"
    assert found.parts[1].call.startswith(call)
    alone = report(words, pd.DataFrame({"b": B}), pos_label="yes")
    assert alone.parts[1].sentence.startswith("b has an average precision")


@pytest.mark.parametrize(
    ("y", "scores", "options", "error", "text"),
    [
        (Y, {"a": A, "b": B[1:]}, {}, ValueError, "y_scores\\['b'\\]"),
        (Y, {}, {}, ValueError, "y_scores must hold at least two models"),
        (Y + (A > 2), AB, {}, ValueError, "pos_label|multiclass"),
        (Y, AB, {"confidence_level": 95}, ValueError, "confidence_level"),
        (Y, AB, {"prevalence": 2}, ValueError, "prevalence"),
        (Y, AB, {"precision": 95}, ValueError, "precision must lie within"),
        (Y, AB, {"precision": 1}, ValueError, "precision must lie within"),
        (Y, AB, {"sample_weight": -WEIGHT}, ValueError, "sample_weight"),
        (Y, AB, {"sample_weight": WEIGHT[1:]}, ValueError, "sample_weight"),
        (Y, AB, {"clusters": [*GROUP[1:], None]}, ValueError, "clusters"),
        (Y, AB, {"queries": GROUP[1:]}, ValueError, "queries"),
        (Y, AB, {"segments": MONTH[1:]}, ValueError, "segments"),
        (Y, AB, {"groups": GROUP}, TypeError, "clusters"),
        (
            pd.Series(Y),
            pd.Series(B, index=range(N)[::-1]),
            {},
            ValueError,
            "names in another order",
        ),
    ],
)
def test_error_names_invalid_report_arguments(y, scores, options, error, text):
    with pytest.raises(error, match=text):
        report(y, scores, **options)


@pytest.mark.parametrize("names", ["treshold", ["score", "scores"], []])
def test_error_names_the_parts(names):
    with pytest.raises(ValueError, match="parts must hold some of data, score, comparison"):
        report(Y, A, parts=names)


@pytest.mark.parametrize(
    ("names", "needs"),
    [
        (["score", "segments"], "parts has 'segments', which needs segments, such as"),
        ("comparison", "parts has 'comparison', which needs the scores of several models"),
    ],
)
def test_error_says_what_a_part_needs(names, needs):
    with pytest.raises(ValueError, match=needs):
        report(Y, A, parts=names)


def test_a_name_of_a_pdf_is_refused_with_the_way_out(tmp_path):
    with pytest.raises(ValueError, match=r"HTML file, not a PDF.*print it to a PDF"):
        FOUND.save(tmp_path / "report.PDF")
    assert not [*tmp_path.iterdir()]


def test_a_missing_folder_is_named_before_pictures_are_drawn(tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "svg_image", refuse_to_draw)
    with pytest.raises(FileNotFoundError, match=r"no folder '.*absent' for 'a\.html'\. Create it"):
        undrawn().save(tmp_path / "absent" / "a.html")
    assert not [*tmp_path.iterdir()]


MISSED = {name: np.where(NOISE > 1, -np.inf, score) for name, score in AB.items()}
WAYS = {
    "rows": (AB, {}),
    "segments": (AB, {"segments": MONTH}),
    "one model": (B, {"prevalence": 0.01}),
    "rows not retrieved": (MISSED, {"segments": MONTH, "n_positives": 200}),
    "integers": ({name: np.round(9 * score).astype(int) for name, score in AB.items()}, {}),
    "queries": (MISSED, {"queries": GROUP}),
    "clusters": (AB, {"clusters": GROUP}),
    "clusters of queries": (AB, {"queries": GROUP, "clusters": GROUP % 20}),
    "weights": (MISSED, {"sample_weight": np.where(NOISE > 2, 0, WEIGHT)}),
}


@quiet
@pytest.mark.parametrize(("scores", "options"), WAYS.values(), ids=WAYS)
def test_rows_are_checked_once_without_changing_the_report(monkeypatch, scores, options):
    checked = listen(monkeypatch, targets, "_plain_targets")
    found = report(Y, scores, **options)
    for score in scores.values() if isinstance(scores, dict) else [scores]:
        assert sum(np.array_equal(args[1], score) for args in checked) == 1
    monkeypatch.setattr(checks, "_mark_checked", lambda data: data)
    checked.clear()
    again = report(Y, scores, **options)
    assert len(checked) > 10
    assert repr(found) == repr(again)
    if "segments" in options:  # pages take long
        assert found.to_html() == again.to_html()


def test_the_rows_of_a_model_are_counted_once(monkeypatch):
    counted = listen(monkeypatch, counting, "_count_one")
    report(Y, AB)
    for score in AB.values():
        assert sum(np.array_equal(args[1], score) for args in counted) == 1


@quiet
def test_rows_with_an_unknown_label_are_left_out_of_each_part():
    known = np.arange(N) % 9 > 0
    labels = np.where(known, Y, np.nan)[:, None]
    of_rows = {"segments": MONTH, "clusters": GROUP, "sample_weight": WEIGHT}
    found = report(labels, AB, **of_rows)
    less = {name: each[known] for name, each in of_rows.items()}
    expected = report(Y[known], {name: s[known] for name, s in AB.items()}, **less)
    numbers = [(each.title, each.sentence, each.cells, each.notes) for each in found.parts]
    assert numbers == [
        (each.title, each.sentence, each.cells, each.notes) for each in expected.parts
    ]
    with pytest.raises(ValueError, match="y_true has no known label"):
        report(np.nan * labels, A)


@quiet
def test_weights_may_be_a_single_column_table():
    found = [report(Y, A, sample_weight=weight) for weight in (WEIGHT, WEIGHT[:, None])]
    sentences = [[each.sentence for each in one.parts] for one in found]
    assert sentences[1] == sentences[0]
