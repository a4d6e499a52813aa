"""Numbers and claims in the sentences of the pages, computed anew.

Those in the output of code are compared by doctest, and those of tables by their own tests.
"""

import operator
import re
from inspect import signature

import numpy as np
import pictures
import pytest
from matplotlib import pyplot as plt
from pages import DOCS
from scipy.optimize import brentq
from scipy.stats import norm

from sklearn_ap import (
    average_precision_score,
    compat,
    definitions,
    interpolated_average_precision_score,
    large,
    threshold_counts,
)

PAGES = {path.name: path.read_text() for path in DOCS.glob("*.md")}
RECIPE = re.findall(r"^>>> (rank = .*|np\.where.*)$", PAGES["tools.md"], re.MULTILINE)


def score_of_normals(shift, prevalence):
    """The average precision of N(shift, 1) among N(0, 1), from its integral over recall."""
    z = np.linspace(-12, 12, 200_001) + shift
    recall, fpr = norm.sf(z - shift), norm.sf(z)
    precision = prevalence * recall / (prevalence * recall + (1 - prevalence) * fpr)
    return np.trapezoid(precision * norm.pdf(z - shift), z)


def test_the_share_of_false_alarms_of_a_model_with_a_roc_auc_of_95_hundredths():
    """Positives are N(shift, 1), negatives N(0, 1), and ROC AUC is P(N(shift, 2) > 0)."""
    shift = norm.ppf(0.95) * 2**0.5
    threshold = brentq(lambda t: 0.01 * norm.sf(t - shift) + 0.99 * norm.sf(t) - 0.01, 0, 9)
    wrong = 100 * 0.99 * norm.sf(threshold) / 0.01
    assert f"is wrong in {wrong:.0f} of 100 cases of its top 1%" in PAGES["average_precision.md"]


@pytest.mark.slow
def test_the_scores_at_two_shares_of_positives_are_the_truth_in_the_sentence_and_the_picture():
    half, rare = score_of_normals(2, 0.5), score_of_normals(2, 0.01)
    told = f"a model that scores {half:.2f} on the test set\nscores {rare:.2f} there"
    assert told in PAGES["prevalence.md"]
    pictures.prevalences()
    labels = " ".join(line.get_label() for line in plt.gca().lines)
    plt.close("all")
    shown = [float(value) for value in re.findall(r"step AP at prevalence \S+ = (\S+)", labels)]
    # A sample of 40,000 cases misses the last by 0.014.
    assert shown == pytest.approx([half, score_of_normals(2, 0.1), rare], abs=0.0015)


def test_the_shaded_area_of_linear_average_precision_is_not_what_it_adds():
    counts, linear = threshold_counts(*pictures.EXAMPLE), definitions.Linear()
    recall, low, high, _ = linear.shade(counts)
    above = np.trapezoid(high - low, recall)
    added = (linear(counts) - definitions.Step()(counts))[0]
    text = PAGES["definitions.md"].replace("\n", " ")
    assert f"where the lines lie above the steps: {above:.3f} here." in text
    assert f"below the steps, by {above - added:.3f} in all, so they add {added:.3f}." in text


def test_the_range_of_linear_average_precision_under_rounding():
    rng = np.random.default_rng(0)
    y_true = rng.random(20_000) < 0.05
    y_score = np.clip(rng.normal(0.4 + 0.15 * y_true, 0.15), 0, 1)
    values = [
        definitions.Linear()(threshold_counts(y_true, np.floor(y_score * n)))[0]
        for n in (256, 128, 64, 32, 24, 16, 12, 8, 6)
    ]
    told = f"stays between {min(values):.3f} and {max(values):.3f} until six values are left"
    assert told in PAGES["ties.md"]


def test_the_recipe_for_ties_in_the_order_of_the_input_leaves_out_what_was_not_retrieved():
    rng = np.random.default_rng(0)
    for _ in range(50):
        y_true = rng.permutation(np.arange(12) < 4)
        y_score = rng.choice([0.1, 0.2, 0.3, -np.inf], 12)
        known = {"np": np, "y_score": y_score}
        exec(RECIPE[0], known)
        ranks = eval(RECIPE[1], known)
        ours = average_precision_score(y_true, ranks)
        assert ours == pytest.approx(compat.score("ranx.map", y_true, y_score))


def test_coco_gives_the_number_of_101_levels_unless_a_recall_falls_on_one():
    """Up to 9 objects, no recall but 0.5 and the like, which are not rounded, is a level."""
    rng, options = np.random.default_rng(0), {"recall_levels": 101}
    for n_objects in range(1, 10):
        y_true = rng.permutation(np.arange(40) < n_objects)
        y_score = rng.permutation(40)
        ours = interpolated_average_precision_score(y_true, y_score, **options)
        assert compat.score("COCO", y_true, y_score) == pytest.approx(ours)


def test_of_the_sources_of_large_data_the_histogram_alone_takes_no_weights():
    takes = {
        name
        for name in ("from_table", "from_dask", "from_spark", "ScoreHistogram.update")
        if "sample_weight" in signature(operator.attrgetter(name)(large)).parameters
    }
    assert takes == {"from_table", "from_dask", "from_spark"}
    weighted = large.from_chunks([([1, 0], [2.0, 1.0], [1.0, 3.0])])
    assert weighted.n_negatives.tolist() == [3.0]
    assert "All but the histogram take\n`sample_weight`" in PAGES["large.md"]
