"""What the heading of a result says of its sample."""

import pytest

from sklearn_ap._results.sample import Mean, Sample, describe

ROWS = {"n_rows": 2_000, "n_positives": 110}


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({}, "110 positives (5.5%)"),
        ({"weight_share": 0.25}, "110 positives (25.0% of weight)"),
        ({"n_unscored": 10}, "110 positives, of which 10 were never scored"),
        ({"n_folds": 5}, "110 positives (5.5%), pool of 5 folds"),
        ({"n_rows": None}, "110 positives"),
        ({"mean": Mean("macro", "column", 3)}, "110 positives"),  # of rows with three labels each
    ],
)
def test_positives_have_their_share_where_there_is_one(facts, text):
    sample = Sample(**ROWS | facts)
    rows = "2,000 rows, " if sample.n_rows else ""
    mean = "mean average precision of 3 columns" if sample.mean else "average precision"
    assert describe(sample) == f"{mean}, {rows}{text}"


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({"n_labelled": 300}, "300 labelled of 2,000 rows"),
        ({"n_labelled": 2_000}, "2,000 labelled rows"),
        ({"n_labelled": 30, "unit": "cluster", "n_units": 90}, "30 labelled of 90 clusters"),
    ],
)
def test_rows_without_labels_are_counted_apart(facts, text):
    assert describe(Sample(**ROWS | facts), "AP") == f"AP, {text}, 110 positives"
