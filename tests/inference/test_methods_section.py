"""The paragraph for a methods section says what was done, and cites what the page lists."""

import re

import numpy as np
import pytest

import sklearn_ap
from sklearn_ap import (
    FoldPredictions,
    average_precision_interval,
    compare_average_precision,
    compare_independent,
    compare_segments,
)
from sklearn_ap.definitions import AtK, Interpolated
from tests.helpers.pages import DOCS

RNG = np.random.default_rng(0)
Y = np.tile([1, 0, 0, 0], 60)
UNIT = np.arange(240) // 8
FOLD = np.arange(240) % 5
SCORES = {name: Y + RNG.normal(size=240) for name in "ABC"}
TWO = {name: SCORES[name] for name in "AB"}
TABLES = {name: np.column_stack([each, each + FOLD]) for name, each in TWO.items()}
POOLS = {name: FoldPredictions({"y_score": each, "folds": FOLD}) for name, each in TWO.items()}


def compared(scores=TWO, y_true=Y, **options):
    return compare_average_precision(y_true, scores, **options).to_methods()


def test_a_comparison_on_one_test_set():
    assert compared() == (
        f"Scores are step AP, computed by sklearn_ap {sklearn_ap.__version__} with the definition "
        "Step(). The 2 models were scored on the same 240 rows, 60 positives (25.0%). The 95% "
        "confidence limits of a score are Wilson's (1927) with the infinitesimal-jackknife "
        "variance over rows (Efron 1981), and allow for rows that the sample may lack. The other "
        "one was compared with A by a two-sided paired t test of the influences of rows (Efron "
        "1981), whose limits allow for such rows, too. Limits are for new cases and these trained "
        "models, and not for other seeds or training rows."
    )


def test_a_comparison_in_cross_validation():
    assert compared(POOLS) == (
        f"Scores are step AP, computed by sklearn_ap {sklearn_ap.__version__} with the definition "
        "Step(). The 2 models were cross-validated in the same 5 folds, whose test rows were "
        "ranked together (Parker, Günter and Bedo 2007): 240 rows, 60 positives (25.0%). The 95% "
        "confidence limits of a score are Wilson's (1927) with the infinitesimal-jackknife "
        "variance over rows (Efron 1981), and allow for rows that the sample may lack. The other "
        "one was compared with A by a two-sided paired t test of the influences of rows (Efron "
        "1981), whose limits allow for such rows, too. The variance of a difference was "
        "multiplied by 1.25, because the rows that one fold tests train the models of the others. "
        "Limits are for new cases and the models that the folds trained, and not for other seeds "
        "or training rows."
    )


def test_a_score_by_itself():
    text = average_precision_interval(Y, SCORES["A"], confidence_level=0.9).to_methods()
    assert ". The model was scored on 240 rows, 60 positives (25.0%). The 90% conf" in text
    assert "compared" not in text
    assert text.endswith("and this trained model, and not for other seeds or training rows.")


def test_seeds_of_one_way_are_several_models():
    text = average_precision_interval(np.column_stack([Y, Y]), TABLES["A"]).to_methods()
    assert text.endswith("and these trained models, and not for other seeds or training rows.")


def test_rows_are_not_counted_in_each_class():
    text = average_precision_interval(FOLD % 3, RNG.random((240, 3))).to_methods()
    assert "step AP of 3 classes, computed" in text
    assert ". The model was scored on 240 rows. The 95%" in text


def test_a_definition_of_many_recall_levels_is_not_listed():
    levels = np.arange(101) / 100 + 1e-9 * (np.arange(101) == 70)  # as COCO's
    text = average_precision_interval(Y, SCORES["A"], definition=Interpolated(levels)).to_methods()
    version = sklearn_ap.__version__
    assert text.startswith(f"Scores are AP at 101 recall levels, computed by sklearn_ap {version}.")


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        ({"reference": "B"}, ["compared with B by"]),
        ({"scores": SCORES}, ["The 3 models", "Each of the others", "all 2 differences at once"]),
        ({"alternative": "greater"}, ["by a one-sided (greater) paired t test"]),
        ({"margin": 0.02}, ["rare failures, is above -0.02, a margin", "one-sided test at 0.025."]),
        ({"prevalence": 0.01}, ["Scores are step AP at prevalence 0.01, computed"]),
        (
            {"clusters": UNIT},
            ["variance over 30 clusters", "for clusters that", "influences of clusters"],
        ),
        (
            {"queries": UNIT},
            ["variance of the scores of 30 queries", "paired t test over queries, whose"],
        ),
        (
            {"queries": UNIT, "clusters": UNIT // 2},
            ["of 15 clusters of queries", "over clusters of queries"],
        ),
        ({"sample_weight": 1 + FOLD}, ["% of weight). Rows were weighted. The 95%"]),
        (
            {"scores": TABLES, "y_true": np.column_stack([Y, Y]), "average": None},
            ["The 2 models", "The other one was compared with A", "all 2 differences at once"],
        ),
        (
            {"y_true": Y * (UNIT > 0), "queries": UNIT, "zero_division": np.nan},
            ["the variance of the scores of 29 of 30 queries, and"],
        ),
        ({"definition": AtK(k=20)}, ["definition AtK(k=20)", "half samples of rows (McCarthy"]),
    ],
)
def test_what_was_asked_is_what_the_paragraph_says(options, texts):
    paragraph = compared(**options)
    assert not [text for text in texts if text not in paragraph]


def test_seeds_in_columns_are_one_score():
    paragraph = compared(TABLES, np.column_stack([Y, Y]))
    assert "Scores are mean step AP of 2 columns" in paragraph
    assert "240 rows, 120 positives in all columns." in paragraph


def test_names_of_models_are_written_as_they_are_and_change_nothing_else():
    renamed = {"Efron 1981": TWO["A"], "rows.": TWO["B"]}
    assert compared(renamed) == compared().replace("with A by", "with Efron 1981 by")


def test_other_results_are_refused_with_the_page_that_has_their_methods():
    labels = np.where(np.arange(240) % 2, np.nan, Y)
    for result in (
        compare_average_precision(Y, TWO, reference="best"),
        compare_segments(Y, SCORES["A"], np.arange(240) % 3),
        compare_independent((0.5, 0.4, 0.6), (0.4, 0.3, 0.5)),
        average_precision_interval(labels, SCORES["A"], inclusion_probability="equal"),
    ):
        with pytest.raises(ValueError, match='"Writing a paper" has sentences to copy'):
            result.to_methods()


def test_works_that_a_paragraph_cites_are_on_the_page_that_it_names():
    page = (DOCS / "reporting.md").read_text()
    paragraphs = compared(POOLS) + compared(definition=AtK(k=20))
    cited = re.findall(r"[A-Z][\w, ü]* (?:and \w+ )?\d{4}(?=[),])", paragraphs)
    assert {*cited} == {"Efron 1981", "McCarthy 1969", "Parker, Günter and Bedo 2007"}
    assert not [each for each in (*cited, "Wilson 1927") if each not in page]
