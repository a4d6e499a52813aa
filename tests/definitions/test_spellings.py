"""Names of definitions, in sklearn-ap score --definition and where Python says how to write."""

import re

import pytest
from scorer_models import X, Y, model

from sklearn_ap import average_precision_score, get_scorer, get_scorer_names, threshold_counts
from sklearn_ap.definitions import (
    AtK,
    Expected,
    Interpolated,
    PrecisionAtK,
    PrecisionAtRecall,
    ReciprocalRank,
)
from sklearn_ap.definitions._spellings import (
    conventions,
    find_definition,
    trec_definitions,
)


@pytest.mark.parametrize("k", [3, 10, 0.07, 1e-7])
def test_printed_definition_names_are_accepted(k):
    named = [(way, each) for each in conventions(k) for way in (each.title, repr(each))]
    named += trec_definitions(k).items() if isinstance(k, int) else []
    for name, definition in named:
        assert find_definition(name, k) == find_definition(name.upper(), k=k) == definition, name


@pytest.mark.parametrize("name", get_scorer_names())
def test_a_scorer_is_found_by_its_name(name):
    columns, y_true = X[:, 6:7], 1 - Y  # which 21 of the 27 scorers tell apart
    fitted = model().fit(columns, y_true)
    counts = threshold_counts(y_true, fitted.decision_function(columns))
    assert find_definition(name, 7)(counts) == get_scorer(name)(fitted, columns, y_true)


@pytest.mark.parametrize(
    ("name", "definition"),
    [
        ("map @ 5", AtK(5)),
        ("AP@1%", AtK(0.01)),
        ("ap @ 12.50 %", AtK(0.125)),
        ("precision@recall .75", PrecisionAtRecall(0.75)),
        ("precision_at_recall_1e-3", PrecisionAtRecall(0.001)),
        ("precision_at_1%", PrecisionAtK(0.01)),
        ("ap@20-over-hits", AtK(20, normalizer="hits")),
        ("map_cut", AtK(3, normalizer="positives")),
        ("AtK(5, normalizer='hits')", AtK(5, normalizer="hits")),
        ("AP at 101 recall levels", Interpolated(101)),
        ("average precision@", AtK(3)),
        ("average_precision_at_k_score", AtK(3)),
        ("eleven_point_average_precision_score", Interpolated(11)),
        ("expected_average_precision", Expected()),
        ("MRR", ReciprocalRank()),
        ("mrr@10", ReciprocalRank(10)),
        ("RR@5", ReciprocalRank(5)),
        ("recip_rank", ReciprocalRank()),
        ("mean_reciprocal_rank", ReciprocalRank()),
    ],
)
def test_common_spellings_of_definitions_are_accepted(name, definition):
    assert find_definition(name, k=3) == definition


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("ap@20", "Write definition=AtK(20)."),
        ("map_cut_5", "Write definition=AtK(5, normalizer='positives')."),
        ("hyperbolc AP", "Near it: hyperbolic AP"),
        ("AP@1%", "Write definition=AtK(0.01)."),
        ("AP@0.01", "Write definition=AtK(0.01)."),
        ("precision@.005", "Write definition=PrecisionAtK(0.005)."),
        ("AP@0.5", "Near it: "),
        ("xgboost.aucpr", "compat.score and compat.get_scorer take functions of tools."),
        ("xyzzy", "Near it: none; sklearn_ap.definitions lists all."),
    ],
)
def test_python_error_translates_command_line_names_of_definitions(name, advice):
    with pytest.raises(TypeError, match=re.escape(advice)):
        average_precision_score([1, 0], [2, 1], definition=name)
