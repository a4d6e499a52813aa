"""What a random order gives."""

import itertools
import tracemalloc

import numpy as np
import pytest
from drawings import Y_SCORE, Y_TRUE, legend_texts
from matplotlib import pyplot as plt

from sklearn_ap import AveragePrecisionDisplay, average_precision_score, threshold_counts
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap.definitions import AtK, Expected, Interpolated, Linear, PrecisionAtRecall, Step

draw = AveragePrecisionDisplay.from_predictions


def levels(axis):
    return [line.get_xydata()[-1].tolist() for line in axis.lines if line.get_linestyle() == ":"]


@pytest.mark.parametrize(
    ("definition", "prevalence"),
    [
        *((AtK(3, divided), None) for divided in ("attainable", "positives", "hits", "k")),
        *((each, None) for each in (Expected(3), Interpolated(), Linear())),
        *((each, 0.05) for each in (Interpolated(11), Step())),
    ],
)
def test_chance_level_is_the_mean_over_random_orders(definition, prevalence):
    y_true = [1, 0, 0, 1, 0, 0]
    options = {"definition": definition, "prevalence": prevalence}
    display = draw(y_true, range(6), **options)
    # Where the two positives may stand. Each pair of ranks stands for as many orders of the rows.
    ranks = itertools.combinations(range(6), 2)
    counts = [threshold_counts([i in pair for i in range(6)], range(6)) for pair in ranks]
    mean = np.mean([each.score(**options) for each in counts])
    assert float(legend_texts(display.ax_)[-1].split()[-1]) == pytest.approx(mean, rel=0.02)
    ((end, level),) = levels(display.ax_)
    if definition.depth is None:
        assert (end, level) == (1.0, pytest.approx(mean, rel=0.02))
    else:  # 2 * 3 / 6 positives are in the first 3 of 6 rows, at this mean precision
        precisions = [3 * AtK(3, "k")(each)[0] for each in counts]
        assert (end, level) == pytest.approx((3 / 6, np.mean(precisions)), rel=1e-12)


def test_chance_level_of_a_point_definition_equals_step_ap():
    display = draw(Y_TRUE, Y_SCORE, definition=PrecisionAtRecall(0.5))
    assert levels(display.ax_) == levels(draw(Y_TRUE, Y_SCORE).ax_)
    assert legend_texts(display.ax_)[-1].startswith("random order: step AP 0.")


def of_all_orders(y_true, **options):
    orders = itertools.permutations(range(len(y_true)))
    return np.mean([average_precision_score(y_true, order, **options) for order in orders])


MISSED = [1, 0, 1, 0, 1, 1], [3, 2, 1, -np.inf, -np.inf, -np.inf]
THREE, AT_5, TWO_AND_A_HALF = ([1, 0, 1], [3, 2, 1]), {"definition": AtK(5)}, {"n_positives": 2.5}
QUERIES = [1, 0, 0, 0, 1, 1], [3, 2, 1, 3, 2, -np.inf]
BY_QUERY = {"queries": [0, 0, 0, 1, 1, 1], "n_positives": [1, 4]}
FIRST, SECOND = of_all_orders([1, 0, 0]), of_all_orders([0, 1, 1])
CASES = {
    "rows that were not retrieved": (*MISSED, {}, 1.0, of_all_orders(MISSED[0])),
    "2.5 positives": (*THREE, TWO_AND_A_HALF, 0.8, of_all_orders(THREE[0], **TWO_AND_A_HALF)),
    "k above the rows": (*THREE, AT_5, 1.0, of_all_orders(THREE[0], **AT_5)),
    "queries": (*QUERIES, BY_QUERY, 3 / 4, (FIRST + 0.5 * SECOND) / 2),
    "weighted queries": (
        *QUERIES,
        BY_QUERY | {"average": "weighted"},
        0.2 + 0.8 / 2,
        (FIRST + 4 * 0.5 * SECOND) / 5,
    ),
    "a query without positives": ([1, 0, 0, 0], [2, 1, 2, 1], {"queries": [0, 0, 1, 1]}, 1, 3 / 8),
    "weights": (*THREE, {"sample_weight": [1, 4, 1], "n_positives": 4}, 0.5, 0.5 * 2 / 6),
}


@pytest.mark.filterwarnings("ignore:1 of 2 rankings have no positive")
@pytest.mark.parametrize(("y_true", "y_score", "options", "end", "area"), CASES.values(), ids=CASES)
def test_chance_level_ends_at_the_recall_of_scored_positives(y_true, y_score, options, end, area):
    display = draw(y_true, y_score, **options)
    assert levels(display.ax_) == [[end, pytest.approx(area / end)]]
    shown = "prevalence" if "sample_weight" in options else f"random order: {area:#.2g}"
    assert legend_texts(display.ax_)[-1].startswith(shown)


def test_different_chance_levels_share_one_legend_row():
    _, axis = plt.subplots()
    for n in (50, 10, 55):
        draw(np.arange(100_000) < n, np.zeros(100_000), ax=axis)
    assert len(levels(axis)) == 2
    assert legend_texts(axis)[-1] == "random order: 0.00021 to 0.00066"


@pytest.mark.parametrize(("n_positives", "n_negatives"), [(10**9, 10**15), (10**14, 10**8)])
@pytest.mark.parametrize("definition", [Step(), AtK(10)])
def test_chance_level_of_huge_counts_uses_little_memory(definition, n_positives, n_negatives):
    share = n_positives / (n_positives + n_negatives)
    one, hits, misses = np.zeros(1, int), np.array([n_positives]), np.array([n_negatives])
    counts = ThresholdCounts(np.ones(1), hits, hits, misses, one, one, hits, misses)
    tracemalloc.start()
    display = AveragePrecisionDisplay(counts, definition=definition).plot()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100e6
    if definition.depth is not None:  # Bestgen (2015), of the first 10 ranks
        share *= np.mean([share + (1 - share) / rank for rank in range(1, 11)])
    level = float(legend_texts(display.ax_)[-1].split()[-1])
    assert level == pytest.approx(share, rel=0.05)
