"""The pictures of the pages, each a function. Numbers in them are computed."""

from doctest import DocTestParser
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
from diagrams import (  # noqa: F401 pictures of pages
    matched_boxes,
    where_labels_go,
    which_metric,
)
from matplotlib.patches import Rectangle
from picture_style import PAGES, WIDTH
from scipy.stats import norm
from sklearn.metrics import precision_recall_curve

from sklearn_ap import (
    AveragePrecisionDisplay,
    average_precision_interval,
    average_precision_score,
    compare_average_precision,
    compare_segments,
    definitions,
    operating_point,
    sample_size_for_interval,
    threshold_counts,
)

BLUE, ORANGE, GREEN, DARK_GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#007a59", "0.45"
EXAMPLE = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1], [0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1]
ELEVEN_POINT = definitions.Interpolated(recall_levels=11)
AT_3 = definitions.AtK(k=3)
AIRPLANES = np.array([1, 1, 0, 1, 0, 1, 0, 0, 0, 1])  # in the order of McCann's system


def ranks(n):
    """Decreasing scores, for a list of hits given in order."""
    return np.arange(n, 0, -1) / n


draw = AveragePrecisionDisplay.from_predictions
step = partial(draw, *EXAMPLE, definition=definitions.Step())
interpolated = partial(draw, *EXAMPLE, definition=definitions.Interpolated())
eleven_point = partial(draw, *EXAMPLE, definition=ELEVEN_POINT)
at_k = partial(draw, *EXAMPLE, definition=AT_3)
recall_at_precision = partial(draw, *EXAMPLE, definition=definitions.RecallAtPrecision(0.7))
expected = partial(draw, *EXAMPLE, definition=definitions.Expected())
linear = partial(draw, *EXAMPLE, definition=definitions.Linear())
hyperbolic = partial(draw, *EXAMPLE, definition=definitions.Hyperbolic())


def models(n_positives=60, n_negatives=540):
    """Labels, and the scores of three models that agree on most cases."""
    rng = np.random.default_rng(2)
    y_true = np.repeat([1, 0], [n_positives, n_negatives])
    plain = 1.4 * y_true + rng.normal(size=y_true.size)
    b, c = rng.normal(size=(2, y_true.size))
    return y_true, {"A": plain, "B": plain + 0.35 * y_true + 0.25 * b, "C": plain + 0.5 * c}


def intervals():
    """The same model on a small and on a large sample, with the interval of each score."""
    _, axis = plt.subplots(layout="constrained")
    for n_positives in (30, 600):
        y_true, scores = models(n_positives, 9 * n_positives)
        AveragePrecisionDisplay.from_predictions(
            y_true, scores["A"], name=f"{n_positives} positives", confidence_level=0.95, ax=axis
        )


def two_systems():
    """The average precision of each query under two systems that retrieved other documents."""
    rng = np.random.default_rng(0)
    query = np.repeat(np.arange(200), 300)
    relevant = (rng.random(query.size) < 0.03).astype(int)
    values = []
    for strength, least in ((1.5, 0.5), (1.8, 0.8)):
        score = strength * relevant + rng.normal(size=query.size)
        score[score < least] = -np.inf
        values.append(average_precision_score(relevant, score, queries=query, average=None))
    better = np.count_nonzero(values[1] > values[0])
    figure, axis = plt.subplots(figsize=(WIDTH, 4.6), layout="constrained")
    axis.axline((0, 0), slope=1, color="0.6", linestyle=":", label="both the same")
    axis.plot(*values, "o", color=BLUE, markersize=4, alpha=0.6, label="a query")
    axis.plot(*map(np.mean, values), "D", color=ORANGE, markersize=9, label="their mean, MAP")
    figure.legend(loc="outside lower center", ncols=3, frameon=False, columnspacing=1, fontsize=10)
    axis.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axis.set(xlabel="average precision of bm25", ylabel="average precision of dense")
    axis.set_title(f"dense is better in {better} of {values[0].size} queries", fontsize="medium")


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


def sample_size():
    """How many positives a half width needs, by the average precision of the model."""
    half_widths = np.linspace(0.01, 0.1, 60)
    rng = np.random.default_rng(0)
    y_true = np.repeat([1, 0], [300, 2_700])
    noise = rng.normal(size=y_true.size)
    _, axis = plt.subplots(layout="constrained")
    for shift, style in ((0.8, "-"), (1.8, "--"), (3.0, "-.")):
        pilot = average_precision_interval(y_true, shift * y_true + noise)
        needed = [sample_size_for_interval(pilot, half_width=each) for each in half_widths]
        axis.semilogy(half_widths, needed, style, label=f"AP {pilot.estimate:.2f}")
    axis.set(xlabel="half width of the interval", ylabel="positives needed")
    axis.grid(which="both", alpha=0.3)
    axis.legend(frameon=False)


def thresholds(precision=0.9):
    """A threshold by hand and one with a guarantee, in a sample and in the population."""
    rng = np.random.default_rng(9)
    populations = {}
    for name, n in (("this sample", 2000), ("population", 400_000)):
        y_true = rng.random(n) < 0.25
        populations[name] = y_true, rng.normal(size=n) + 2.3 * y_true
    sample, (y_true, y_score) = populations["this sample"], populations["population"]
    _, axis = plt.subplots(figsize=(WIDTH, 4.6), layout="constrained")
    for (name, data), color in zip(populations.items(), (BLUE, "0.55"), strict=True):
        counts = threshold_counts(*data)
        axis.plot(counts.recall, counts.precision, color=color, label=name)
    axis.axhline(precision, color="0.4", linestyle="--", linewidth=1, label="goal: 0.9")
    ways = {"by hand": (None, "s", ORANGE), "with guarantee=0.9": (0.9, "o", DARK_GREEN)}
    for name, (guarantee, marker, color) in ways.items():
        point = operating_point(*sample, precision=precision, guarantee=guarantee)
        selected = y_score >= point.threshold
        truth = np.mean(selected[y_true]), np.mean(y_true[selected])
        here, there = f"{point.precision:.3f} in this sample", f"{truth[1]:.3f} in the population"
        hollow = {"color": color, "markerfacecolor": "none", "label": f"{name}: {here}"}
        axis.plot(point.recall, point.precision, marker, **hollow)
        axis.plot(*truth, marker, color=color, label=f"the same threshold: {there}")
    axis.set(xlabel="recall", ylabel="precision", xlim=(0.3, 0.8), ylim=(0.75, 1.0))
    axis.figure.legend(loc="outside lower left", frameon=False, fontsize=10)


def prevalences():
    """The curve of one model where 50, 10 and 1 of 100 cases are positive.

    The scores are quantiles of normal distributions, not a sample: the numbers are the truth.
    """
    quantiles = norm.ppf((np.arange(20_000) + 0.5) / 20_000)
    y_true, y_score = np.repeat([1, 0], 20_000), np.append(2 + quantiles, quantiles)
    _, axis = plt.subplots(layout="constrained")
    for prevalence in (0.5, 0.1, 0.01):
        AveragePrecisionDisplay.from_predictions(y_true, y_score, prevalence=prevalence, ax=axis)


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


def lines(axis, predictions, looks):
    """Definitions as lines of a colour and a style, whose labels say the values."""
    counts = threshold_counts(*predictions)
    for definition, color, style, label in looks:
        label = label.format(definition(counts)[0])
        axis.plot(*definition.line(counts), style, color=color, linewidth=2.2, label=label)


def cutoff():
    """McCann's ten images in order, the first four retrieved."""
    _, axis = plt.subplots(figsize=(WIDTH, 2.4), layout="constrained")
    for place, airplane in enumerate(AIRPLANES):
        look = (BLUE, "airplane", "tp", "fn") if airplane else (ORANGE, "goose", "fp", "tn")
        colour, kind, retrieved, left = look
        axis.add_patch(Rectangle((place + 0.05, 0), 0.9, 0.9, color=colour, alpha=0.25))
        name = retrieved if place < 4 else left
        axis.text(place + 0.5, 0.62, kind, ha="center", va="center", rotation=90)
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
        # Where no line is: mostly right of the point.
        shift, side = {1: ((0, 8), "center"), 8: ((-6, 0), "right"), 9: ((6, -3), "left")}.get(
            k, ((6, 3), "left")
        )
        beside = {"xytext": shift, "textcoords": "offset points", "va": "center", "ha": side}
        axis.annotate(f"top {k}", point, **beside)
    axis.set_xlim(0, 1.1)
