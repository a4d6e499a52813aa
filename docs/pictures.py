"""The pictures of the pages, each a function. Numbers in them are computed."""

from doctest import DocTestParser
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
from picture_style import PAGES, WIDTH
from scipy.stats import norm

from sklearn_ap import AveragePrecisionDisplay, average_precision_score, definitions

EXAMPLE = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1], [0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1]
ELEVEN_POINT = definitions.Interpolated(recall_levels=11)
AT_3 = definitions.AtK(k=3)
AIRPLANES = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]  # in the order of McCann's system

draw = AveragePrecisionDisplay.from_predictions
step = partial(draw, *EXAMPLE, definition=definitions.Step())
interpolated = partial(draw, *EXAMPLE, definition=definitions.Interpolated())
at_k = partial(draw, *EXAMPLE, definition=AT_3)
expected = partial(draw, *EXAMPLE, definition=definitions.Expected())
linear = partial(draw, *EXAMPLE, definition=definitions.Linear())
hyperbolic = partial(draw, *EXAMPLE, definition=definitions.Hyperbolic())
mccann_curve = partial(draw, AIRPLANES, range(10, 0, -1))


def eleven_point():
    """The envelope, with its height at each level."""
    display = draw(*EXAMPLE, definition=ELEVEN_POINT)
    recall, height = display.line_.get_data()
    levels = np.arange(11) / 10
    display.ax_.plot(levels, height[recall.searchsorted(levels - 1e-9)], "D")


def recall_at_precision():
    """The envelope, with the highest recall at a precision of 0.7."""
    recall = average_precision_score(*EXAMPLE, definition=definitions.RecallAtPrecision(0.7))
    draw(*EXAMPLE, definition=definitions.Interpolated()).ax_.plot(recall, 0.7, "D")


def intervals():
    """The same model on a small and on a large sample, with the interval of each score."""
    _, axis = plt.subplots(layout="constrained")
    for n_positives in (30, 600):
        y_true = np.repeat([1, 0], [n_positives, 9 * n_positives])
        y_score = 1.4 * y_true + np.random.default_rng(2).normal(size=y_true.size)
        AveragePrecisionDisplay.from_predictions(
            y_true, y_score, name=f"{n_positives} positives", confidence_level=0.95, ax=axis
        )


def draw_result(page, name):
    """Draw a comparison of a page, whose code makes it, one panel above the other.

    So a phone shows the letters of both panels.
    """
    known = {}
    for example in DocTestParser().get_examples((PAGES / page).read_text()):
        exec(example.source, known)
        if name in known:
            break
    height = 2 * (0.9 + 0.24 * len(known[name].names))
    _, axes = plt.subplots(2, 1, figsize=(WIDTH, height), layout="constrained")
    known[name].plot(axes)


get_started = partial(draw_result, "get_started.md", "compared")
two_models = partial(draw_result, "comparison.md", "compared")
best_of_many = partial(draw_result, "best_of_many.md", "best")
segments = partial(draw_result, "segments.md", "months")


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
