"""The pictures of the pages, each a function. Numbers in them are computed."""

from doctest import DocTestParser
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
from picture_style import PAGES, WIDTH
from scipy.stats import norm

from sklearn_ap import (
    AveragePrecisionDisplay,
    compare_average_precision,
    compare_segments,
    definitions,
)

EXAMPLE = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1], [0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1]
ELEVEN_POINT = definitions.Interpolated(recall_levels=11)
AT_3 = definitions.AtK(k=3)
AIRPLANES = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]  # in the order of McCann's system

draw = AveragePrecisionDisplay.from_predictions
step = partial(draw, *EXAMPLE, definition=definitions.Step())
interpolated = partial(draw, *EXAMPLE, definition=definitions.Interpolated())
eleven_point = partial(draw, *EXAMPLE, definition=ELEVEN_POINT)
at_k = partial(draw, *EXAMPLE, definition=AT_3)
recall_at_precision = partial(draw, *EXAMPLE, definition=definitions.RecallAtPrecision(0.7))
expected = partial(draw, *EXAMPLE, definition=definitions.Expected())
linear = partial(draw, *EXAMPLE, definition=definitions.Linear())
hyperbolic = partial(draw, *EXAMPLE, definition=definitions.Hyperbolic())
mccann_curve = partial(draw, AIRPLANES, range(10, 0, -1))


def intervals():
    """The same model on a small and on a large sample, with the interval of each score."""
    _, axis = plt.subplots(layout="constrained")
    for n_positives in (30, 600):
        y_true = np.repeat([1, 0], [n_positives, 9 * n_positives])
        y_score = 1.4 * y_true + np.random.default_rng(2).normal(size=y_true.size)
        AveragePrecisionDisplay.from_predictions(
            y_true, y_score, name=f"{n_positives} positives", confidence_level=0.95, ax=axis
        )


def get_started():
    """The picture of docs/get_started.md, which the code of the page draws."""
    page, known = (PAGES / "get_started.md").read_text(), {}
    for example in DocTestParser().get_examples(page):
        exec(example.source, known)
        if "compared" in known:
            break
    draw_stacked(known["compared"])


def draw_stacked(comparison):
    """Draw the panels of a comparison one above the other, so that a phone shows their letters."""
    height = 2 * (0.9 + 0.24 * len(comparison.names))
    _, axes = plt.subplots(2, 1, figsize=(WIDTH, height), layout="constrained")
    comparison.plot(axes)


def two_models():
    """The comparison of docs/comparison.md, with its data, which is given, too."""
    rng = np.random.default_rng(43)
    y_true = (rng.random(1500) < 0.1).astype(int)
    evidence = 2.3 * y_true + rng.normal(size=1500)
    score_a = evidence + 0.3 * rng.normal(size=1500)
    score_b = evidence + 0.1 * rng.normal(size=1500)
    found = compare_average_precision(y_true, {"A": score_a, "B": score_b})
    draw_stacked(found)
    return found


def best_of_many():
    """10 models, each a little better than the one before: grey ones may be the best, too."""
    rng = np.random.default_rng(6)
    y_true, common = np.repeat([1, 0], [100, 900]), rng.normal(size=1000)
    means = [(0.8 + 0.08 * i) * y_true + common for i in range(10)]
    scores = {f"model {i}": mean + rng.normal(size=1000) for i, mean in enumerate(means)}
    draw_stacked(compare_average_precision(y_true, scores, reference="best"))


def segments():
    """Twelve months of a model that is worse from September on."""
    rng = np.random.default_rng(5)
    month = np.sort(rng.integers(0, 12, 6000)) + np.datetime64("2024-01")
    y_true = (rng.random(6000) < 0.08).astype(int)
    shift = np.where(month >= np.datetime64("2024-09"), 1.0, 2.0)
    draw_stacked(compare_segments(y_true, shift * y_true + rng.normal(size=6000), month))


def prevalences():
    """The curve of one model where 50, 10 and 1 of 100 cases are positive.

    The scores are quantiles of normal distributions, not a sample: the numbers are the truth.
    """
    quantiles = norm.ppf((np.arange(200_000) + 0.5) / 200_000)
    y_true, y_score = np.repeat([1, 0], 200_000), np.append(2 + quantiles, quantiles)
    _, axis = plt.subplots(layout="constrained")
    for prevalence in (0.5, 0.1, 0.01):
        options = {"prevalence": prevalence, "plot_chance_level": False}
        AveragePrecisionDisplay.from_predictions(y_true, y_score, ax=axis, **options)
