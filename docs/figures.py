"""Figures of the landing page, the guide and the worked examples, each a function.

Numbers in them are computed. ``worked_examples.md`` prints the same ones, where a test holds them.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle
from sklearn.datasets import load_digits
from sklearn.metrics import precision_recall_curve
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB

from sklearn_ap import (
    AveragePrecisionDisplay,
    AveragePrecisionInterval,
    UncertaintyWarning,
    average_precision_score,
    definitions,
    threshold_counts,
)

WIDTH = 4.4  # inches: letters of 10 points have 11 px on a page that is 400 px wide
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#007a59", "0.45"
ROUNDED = (
    [1, 1, 0, 1, 0, 1, 0, 0, 0, 1],
    [0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1],
)
AIRPLANES = np.array([1, 1, 0, 1, 0, 1, 0, 0, 0, 1])  # in the order of McCann's system
ORANGES = np.array([1, 1, 0, 1, 0, 1, 1, 0, 0, 0])  # in the order of Dingwall's classifier
TITLES = {"step": definitions.Step(), "straight lines": definitions.Linear()}


def ranks(n):
    """Decreasing scores, for a list of hits given in order."""
    return np.arange(n, 0, -1) / n


def axes(n_rows=1, n_columns=1, height=2.8):
    """A grid of panels for precision over recall."""
    size = {"figsize": (WIDTH, height), "layout": "constrained", "squeeze": False}
    _, grid = plt.subplots(n_rows, n_columns, sharex=True, sharey=True, **size)
    for axis in grid.flat:
        axis.set(xlim=(-0.02, 1.02), ylim=(0, 1.05))
        axis.grid(alpha=0.25)
        axis.spines[["top", "right"]].set_visible(False)
    for axis in grid[-1]:
        axis.set_xlabel("recall")
    for axis in grid[:, 0]:
        axis.set_ylabel("precision")
    return grid.flat


def points(labels, scores):
    """Recall and precision at each threshold, highest first; scikit-learn adds one at recall 0."""
    precision, recall, _ = precision_recall_curve(labels, scores)
    return recall[-2::-1], precision[-2::-1]


def landing():
    """Three ways through the operating points of ten predictions."""
    counts = threshold_counts(*ROUNDED)
    (axis,) = axes(height=3.2)
    lines = (
        (definitions.Linear(), ORANGE, "--", "straight lines"),
        (definitions.Interpolated(), GREEN, "-.", "interpolated (envelope)"),
        (definitions.Step(), BLUE, "-", "step (scikit-learn)"),
    )
    for definition, colour, dashes, name in lines:
        x, y = definition.line(counts)
        label = f"{definition(counts)[0]:.3f}  {name}"
        axis.plot(x, y, color=colour, linestyle=dashes, linewidth=2.2, label=label)
    axis.plot(*points(*ROUNDED), "o", color=plt.rcParams["text.color"], markersize=5, zorder=3)
    axis.annotate(
        "each dot: a threshold\nthat you can set", (0.6, 0.75), (0.61, 0.93), va="center",
        arrowprops={"arrowstyle": "-", "color": GREY}, color=GREY,
    )  # fmt: skip
    axis.legend(loc="lower left", frameon=False, title="area under", alignment="left", fontsize=11)


def landing_dark():
    """The same for a dark page."""
    page = dict.fromkeys(("figure.facecolor", "axes.facecolor"), "#14181e")
    with plt.style.context(("dark_background", page)):
        landing()


def cutoff():
    """McCann's ten images in order, the first four retrieved."""
    _, axis = plt.subplots(figsize=(WIDTH, 2.4), layout="constrained")
    for place, airplane in enumerate(AIRPLANES):
        colour = BLUE if airplane else ORANGE
        axis.add_patch(Rectangle((place + 0.05, 0), 0.9, 0.9, color=colour, alpha=0.25))
        kind = "airplane" if airplane else "goose"
        axis.text(place + 0.5, 0.62, kind, ha="center", va="center", rotation=90)
        retrieved = place < 4
        name = ("tp" if airplane else "fp") if retrieved else ("fn" if airplane else "tn")
        axis.text(place + 0.5, 0.17, name, ha="center", va="center", fontsize=13, weight="bold")
        axis.text(place + 0.5, -0.14, place + 1, ha="center", va="center", color=GREY)
    axis.axvline(4, color="black", linewidth=2)
    axis.text(3.9, 1.14, "retrieved", ha="right", va="center")
    axis.text(4.1, 1.14, "not retrieved", ha="left", va="center")
    axis.text(5, -0.42, "rank", ha="center", va="center", color=GREY)
    axis.set(xlim=(0, 10), ylim=(-0.55, 1.3))
    axis.axis("off")


def mccann_curve():
    """The operating points of the ten images, and the steps whose area is average precision."""
    counts = threshold_counts(AIRPLANES, ranks(10))
    (axis,) = axes(height=3.4)
    axis.plot(*definitions.Step().line(counts), color=BLUE, linewidth=1)
    found = points(AIRPLANES, ranks(10))
    axis.plot(*found, "o", color=BLUE, clip_on=False)
    for k, point in enumerate(zip(*found, strict=True), start=1):
        beside = {"xytext": (6, 3), "textcoords": "offset points", "va": "center"}
        axis.annotate(f"top {k}", point, **beside)
    axis.set_xlim(0, 1.1)


def mccann_interpolated():
    """Approximated and interpolated, where a later precision is higher."""
    counts = threshold_counts([1, 0, 0, 1, 1, 1], ranks(6))
    (axis,) = axes(height=3.2)
    for definition, colour, dashes in (
        (definitions.Interpolated(), GREEN, "-."),
        (definitions.Step(), BLUE, "-"),
    ):
        x, y = definition.line(counts)
        label = f"{definition.title} = {definition(counts)[0]:.3f}"
        axis.plot(x, y, color=colour, linestyle=dashes, linewidth=2.2, label=label)
    axis.legend(loc="lower left", frameon=False)


def fruits():
    """Dingwall's ten fruits by score, and the threshold 0.38."""
    _, axis = plt.subplots(figsize=(WIDTH, 2.2), layout="constrained")
    for score, orange in zip(np.arange(0.95, 0, -0.1), ORANGES, strict=True):
        marker, color = ("o", "#E69F00") if orange else ("D", "#009E73")
        axis.plot(score, 0.45, marker, markersize=13, color=color)
        axis.text(score, 0.72, "orange" if orange else "apple", ha="center", rotation=45)
    axis.axvline(0.38, 0, 0.35, color=BLUE, linestyle=":", linewidth=2)
    axis.text(0.39, 1.22, "called oranges from 0.38 up", color=BLUE, va="center")
    axis.plot([0.38, 0.38], [1.14, 1.3], color=BLUE, linestyle=":", linewidth=2)
    axis.set(xlim=(0, 1), ylim=(0.2, 1.3), yticks=(), xlabel="score")
    axis.spines[["top", "left", "right"]].set_visible(False)


def constant(n, noise=None):
    """Dingwall's data: a tenth positive, one score for all, with noise if asked."""
    y_true = np.arange(n) < n // 10
    y_score = np.full(n, 0.5)
    if noise is not None:
        y_score = y_score + np.random.default_rng(noise).normal(scale=0.1, size=n)
    return y_true, y_score


def operating_points():
    """The operating points of four sets of predictions, with no line between them."""
    panels = {
        "ten fruits": (ORANGES, ranks(10)),
        "one score for\nall 100 items": constant(100),
        "random scores,\n100 items": constant(100, noise=0),
        "random scores,\n100,000 items": constant(100_000, noise=0),
    }
    for axis, (title, predictions) in zip(axes(2, 2, height=4.2), panels.items(), strict=True):
        style = {"color": BLUE, "markersize": 4, "rasterized": True, "clip_on": False}
        axis.plot(*points(*predictions), ".", **style)
        axis.set_title(title, fontsize=10)
        axis.set(xlim=(0, 1), xticks=(0, 0.5, 1))


def grid_of_lines(predictions):
    """Named predictions, each under straight lines and under steps."""
    panels = [(kind, *named) for kind in TITLES.items() for named in predictions.items()]
    grid = axes(2, 2, height=4.4)
    for axis, ((kind, definition), name, data) in zip(grid, panels, strict=True):
        counts = threshold_counts(*data)
        x, y = definition.line(counts)
        axis.fill_between(x, y, color=BLUE, alpha=0.2, linewidth=0)
        axis.plot(x, y, color=BLUE)
        axis.set_title(f"{name}\n{kind}: {definition(counts)[0]:.3f}", fontsize=10)


def improved():
    """Constant scores, and better ones that straight lines call worse."""
    y_true, scores = constant(100)
    better = scores.copy()
    better[[0, -1]] = 0.8
    grid_of_lines({"constant scores": (y_true, scores), "better scores": (y_true, better)})


def zhu_figure_1():
    """Of the whole collection, what is relevant, what is detected, and what is both."""
    prevalence, detected = 0.3, 0.4
    _, axis = plt.subplots(figsize=(WIDTH, 2.3), layout="constrained")
    parts = (
        ((0, 0), 1, 1, "0.9", "the collection C", (0.99, 0.93), "right"),
        ((0.2, 0.1), prevalence, 0.75, BLUE, "relevant: $\\pi$", (0.21, 0.78), "left"),
        ((0.3, 0.2), detected, 0.5, ORANGE, "detected: t", (0.69, 0.63), "right"),
    )
    for corner, width, height, colour, label, place, side in parts:
        axis.add_patch(Rectangle(corner, width, height, color=colour, alpha=0.35, linewidth=0))
        axis.text(*place, label, ha=side, va="center")
    axis.text(0.4, 0.42, "hits: h(t)", ha="center", va="center", weight="bold")
    axis.axis("off")


def zhu_curves(n=10_000, share=0.05):
    """Two detectors with the average precisions of Zhu's table 2, whose formulas are not known.

    Recall when a fraction t is detected: one rises fast and slows down, one stays ahead later.
    """
    fast = lambda t: 0.4 * (1 - (1 - t) ** 24.6) + 0.6 * (1 - (1 - t) ** 2)  # noqa: E731
    steady = lambda t: 1 - (1 - t) ** 5.4  # noqa: E731
    t = np.arange(n + 1) / n
    hits = {}
    for name, recall in {"A": fast, "B": steady}.items():
        found = np.floor(recall(t) * n * share + 0.5)
        hits[name] = np.diff(found)
    return hits


def zhu_figure_2():
    """Hit curves of a perfect ranking, of A and B that cross, and of random selection."""
    hits = zhu_curves()
    perfect = (np.arange(10_000) < 500).astype(int)
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.4), layout="constrained")
    styles = {"perfect": ("black", ":"), "A": (BLUE, "-"), "B": (ORANGE, "--")}
    t = np.arange(10_001) / 10_000
    for axis, end in ((left, 1), (right, 0.1)):
        for name, relevant in {"perfect": perfect, **hits}.items():
            h = np.append(0, np.cumsum(relevant)) / 10_000
            axis.plot(t, h, color=styles[name][0], linestyle=styles[name][1], label=name)
        axis.plot([0, 1], [0, 0.05], color=GREY, linestyle=":", label="random")
        axis.set(xlim=(0, end), xlabel="detected: t", ylim=(0, None))
        axis.spines[["top", "right"]].set_visible(False)
    left.set(ylabel="hits: h(t)", title="all of t")
    right.set(title="the first tenth", ylim=(0, 0.052))
    handles, names = left.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=4, frameon=False, fontsize=10)


def confident():
    """Gorman's models A and B: their operating points, and the steps between them."""
    truths = [1, 1, 0, 0, 1, 1, 0, 0]
    (axis,) = axes(height=3.2)
    for name, scores, style in (
        ("A", [0.95, 0.85, 0.73, 0.62, 0.48, 0.39, 0.12, 0.04], "-"),
        ("B", [0.55, 0.59, 0.88, 0.97, 0.20, 0.09, 0.43, 0.32], "--"),
    ):
        counts = threshold_counts(truths, scores)
        look = {"color": BLUE if name == "A" else ORANGE}
        label = f"{name}: AP = {average_precision_score(truths, scores):.3f}"
        axis.plot(*definitions.Step().line(counts), style, label=label, **look)
        marker = "o" if name == "A" else "s"
        axis.plot(*points(truths, scores), marker, clip_on=False, **look)
    axis.legend(frameon=False, loc="lower right")


GORMAN = (
    np.repeat([1, 0], [6, 10]),
    [
        *(0.217, -0.542, 0.891, 0.596, 1.636, 0.689),
        *(-2.281, -1.213, 0.897, 0.777, -0.433, -0.984, -0.617, -1.045, -0.966, -0.831),
    ],
)


def rectangles():
    """The area as rectangles: as wide as recall rises, as high as the precision there."""
    precision, recall, _ = precision_recall_curve(*GORMAN)
    (axis,) = axes(height=3.4)
    for left, right, height in zip(recall[1:], recall[:-1], precision[:-1], strict=True):
        if right > left:
            box = Rectangle((left, 0), right - left, height, fill=True, alpha=0.15, ec="black")
            axis.add_patch(box)
    axis.plot(*points(*GORMAN), "o", color=BLUE, clip_on=False)


def top_three():
    """Gorman's average precision at 3: the first three cutoffs, drawn wider."""
    AveragePrecisionDisplay.from_predictions(
        [1, 1, 0, 0, 1, 0, 1, 0], ranks(8), definition=definitions.AtK(k=3)
    )


def cross_validated(n_sets=30, n_rows=300):
    """How far the mean of the folds and the pooled score are from the truth, for training sets."""
    images, digits = load_digits(return_X_y=True)
    X, y = images[:, [20, 28, 36, 44]], digits == 8
    errors = []
    for seed in range(n_sets):
        rows = np.random.default_rng(seed).permutation(y.size)
        train, new = rows[:n_rows], rows[n_rows:]
        folds = StratifiedKFold(10)
        cv = cross_validate(
            GaussianNB(), X[train], y[train], cv=folds, return_estimator=True, return_indices=True
        )
        with warnings.catch_warnings():  # one of the sets has folds that do not mean the same
            warnings.simplefilter("ignore", UncertaintyWarning)
            pooled = AveragePrecisionInterval.from_cv_results(cv, X[train], y[train])
        truth = np.mean([
            average_precision_score(y[new], model.predict_proba(X[new])[:, 1])
            for model in cv["estimator"]
        ])  # fmt: skip
        errors.append((pooled.fold_scores.mean() - truth, pooled.estimate - truth))
    _, axis = plt.subplots(figsize=(WIDTH, 2.4), layout="constrained")
    names = ("mean of the folds", "pooled score")
    for height, (name, found, colour) in enumerate(
        zip(names, np.transpose(errors), (ORANGE, BLUE), strict=True)
    ):
        axis.plot(found, np.full(n_sets, -height), "o", color=colour, alpha=0.45, markersize=6)
        axis.plot(found.mean(), -height, "|", color=colour, markersize=34, markeredgewidth=3)
        label = f"{name}\n{found.mean():+.3f} on average"
        axis.text(-0.56, -height, label, color=colour, va="center", ha="left")
    axis.axvline(0, color=GREY, linewidth=1)
    axis.set(ylim=(-1.6, 0.6), yticks=[], xlim=(-0.56, 0.4), xlabel="how much too high")
    axis.spines[["top", "left", "right"]].set_visible(False)
