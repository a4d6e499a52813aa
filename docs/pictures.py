"""The pictures of the pages, each a function.

The README's is written, here in docs, by
python -c "import pictures; pictures.six(); pictures.plt.savefig('definitions.png')"
"""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_ap import (
    AveragePrecisionDisplay,
    BestModelDisplay,
    ChanceTestDisplay,
    ModelComparisonDisplay,
    average_precision_interval,
    average_precision_score,
    definitions,
    operating_point,
    threshold_counts,
)

EXAMPLE = (
    [1, 1, 0, 1, 0, 1, 0, 0, 0, 1],
    [0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1],
)
BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"
ELEVEN_POINT = definitions.Interpolated(recall_levels=11)
AT_3 = definitions.AtK(k=3)


def draw(definition):
    """One definition, or several side by side, of the example."""
    return AveragePrecisionDisplay.from_predictions(*EXAMPLE, definition=definition)


def six():
    """Six definitions, each with what its value is made of."""
    words = {
        definitions.Step(): "the area under the steps",
        definitions.Interpolated(): "the area under the envelope",
        ELEVEN_POINT: "the mean of 11 levels",
        AT_3: "the area of the top 3, divided\nby 3/5, the best possible",
        definitions.Linear(): "the area under straight lines,\nwhich no threshold attains",
        definitions.Hyperbolic(): "the area under curves,\nwhich no threshold attains",
    }
    counts = threshold_counts(*EXAMPLE)
    _, grid = plt.subplots(
        2, 3, figsize=(11.4, 6.8), layout="constrained", sharex=True, sharey=True
    )
    for axis, (definition, meaning) in zip(grid.flat, words.items(), strict=True):
        line, samples = definition.line(counts), definition.samples(counts)
        axis.fill_between(*line, color=BLUE, alpha=0.2, linewidth=0)
        axis.plot(*line, color=BLUE, linewidth=2)
        axis.plot(counts.tps / counts.n_positives, counts.precision, "o", color="black")
        if samples is not None:
            axis.plot(*samples, "D", color=ORANGE, markersize=6)
        axis.set_title(f"{definition.title} = {definition(counts)[0]:.3f}", fontsize=15)
        axis.text(0.03, 0.05, meaning, fontsize=12, va="bottom")
        axis.set(xlim=(-0.02, 1.03), ylim=(0, 1.05))
        axis.spines[["top", "right"]].set_visible(False)
    for axis in grid[-1]:
        axis.set_xlabel("recall", fontsize=13)
    for axis in grid[:, 0]:
        axis.set_ylabel("precision", fontsize=13)


def step():
    draw(definitions.Step())


def interpolated():
    draw(definitions.Interpolated())


def eleven_point():
    draw(ELEVEN_POINT)


def at_k():
    draw(AT_3)


def recall_at_precision():
    draw(definitions.RecallAtPrecision(0.7))


def expected():
    draw(definitions.Expected())


def linear():
    draw(definitions.Linear())


def hyperbolic():
    draw(definitions.Hyperbolic())


def rounding():
    """What happens to three definitions as scores can take fewer values."""
    rng = np.random.default_rng(0)
    y_true = rng.random(20_000) < 0.05
    y_score = np.clip(rng.normal(0.4 + 0.15 * y_true, 0.15), 0, 1)
    n_values = np.array([256, 128, 64, 32, 24, 16, 12, 8, 6, 4, 3])
    counts = [threshold_counts(y_true, np.floor(y_score * n)) for n in n_values]
    _, axis = plt.subplots(figsize=(4.4, 3), layout="constrained")
    styles = {
        definitions.Linear(): (ORANGE, "s-."),
        definitions.Expected(): (GREEN, "D--"),
        definitions.Step(): (BLUE, "o-"),
    }
    for definition, (color, style) in styles.items():
        values = [definition(c)[0] for c in counts]
        axis.semilogx(n_values, values, style, color=color, label=definition.title)
        axis.text(2.75, values[-1], definition.title, color=color, va="center")
    axis.set_xticks([256, 100, 30, 10, 3], ["256", "100", "30", "10", "3"])
    axis.set(xlabel="values that a score can take: fewer to the right", ylim=(0.09, None))
    axis.set_ylabel("average precision")
    axis.set_xlim(300, 1.7)
    axis.minorticks_off()
    axis.spines[["top", "right"]].set_visible(False)


def models(n_positives=60, n_negatives=540):
    """Labels, and the scores of three models that agree on most cases."""
    rng = np.random.default_rng(2)
    y_true = np.repeat([1, 0], [n_positives, n_negatives])
    plain = 1.4 * y_true + rng.normal(size=y_true.size)
    better = plain + 0.35 * y_true
    return y_true, {
        "A": plain,
        "B": better + 0.25 * rng.normal(size=y_true.size),
        "C": plain + 0.5 * rng.normal(size=y_true.size),
    }


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
    scores = [strength * relevant + rng.normal(size=query.size) for strength in (1.5, 1.8)]
    values = [
        average_precision_score(
            relevant, np.where(score < least, -np.inf, score), queries=query, average=None
        )
        for score, least in zip(scores, (0.5, 0.8), strict=True)
    ]
    better = np.count_nonzero(values[1] > values[0])
    figure, axis = plt.subplots(figsize=(4.4, 4.6), layout="constrained")
    axis.axline((0, 0), slope=1, color="0.6", linestyle=":", label="both the same")
    axis.plot(*values, "o", color="#0072B2", markersize=4, alpha=0.6, label="a query")
    axis.plot(*map(np.mean, values), "D", color="#D55E00", markersize=9, label="their mean, MAP")
    figure.legend(loc="outside lower center", ncols=3, frameon=False, columnspacing=1, fontsize=10)
    axis.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axis.set(xlabel="average precision of bm25", ylabel="average precision of dense")
    axis.set_title(f"dense is better in {better} of {values[0].size} queries", fontsize="medium")


def comparison():
    """Scores with intervals, and their differences from the first model."""
    ModelComparisonDisplay.from_predictions(*models())


def two_models():
    """The comparison of docs/comparison.md, with its data."""
    rng = np.random.default_rng(43)
    y_true = (rng.random(1500) < 0.1).astype(int)
    evidence = 2.3 * y_true + rng.normal(size=1500)
    score_a = evidence + 0.3 * rng.normal(size=1500)
    score_b = evidence + 0.1 * rng.normal(size=1500)
    return ModelComparisonDisplay.from_predictions(y_true, {"A": score_a, "B": score_b})


def many_models(n_positives=100, n_negatives=900):
    """Labels, and the scores of 10 models, each a little better than the one before."""
    rng = np.random.default_rng(6)
    y_true = np.repeat([1, 0], [n_positives, n_negatives])
    common = rng.normal(size=y_true.size)
    return y_true, {
        f"model {i}": (0.8 + 0.08 * i) * y_true + common + rng.normal(size=y_true.size)
        for i in range(10)
    }


def best_of_many():
    """All models with their limits, those that may be the best in colour."""
    _, axis = plt.subplots(figsize=(4.4, 3.6), layout="constrained")
    BestModelDisplay.from_predictions(*many_models(), ax=axis)
    axis.set_xlabel(axis.get_xlabel().replace(", ", ",\n"))


def chance():
    """The scores of random orders beside that of a model."""
    rng = np.random.default_rng(4)
    y_true = (np.arange(60) < 6).astype(int)
    _, axis = plt.subplots(figsize=(4.4, 3.3), layout="constrained")
    ChanceTestDisplay.from_predictions(y_true, 0.8 * y_true + rng.normal(size=60), ax=axis)


def sample_size():
    """How many positives a half width needs, by the average precision of the model."""
    half_widths = np.linspace(0.01, 0.1, 60)
    rng = np.random.default_rng(0)
    y_true = np.repeat([1, 0], [300, 2_700])
    noise = rng.normal(size=y_true.size)
    _, axis = plt.subplots(layout="constrained")
    for shift, style in ((0.8, "-"), (1.8, "--"), (3.0, "-.")):
        pilot = average_precision_interval(y_true, shift * y_true + noise)
        needed = [pilot.positives_for(half_width) for half_width in half_widths]
        axis.semilogy(half_widths, needed, style, label=f"AP {pilot.estimate:.2f}")
    axis.set(xlabel="half width of the interval", ylabel="positives needed")
    axis.grid(which="both", alpha=0.3)
    axis.legend(frameon=False)


def thresholds(precision=0.9):
    """A threshold by hand and one with a guarantee, in a sample and in truth."""
    rng = np.random.default_rng(9)
    populations = {}
    for name, n in (("this sample", 2000), ("all data", 400_000)):
        y_true = rng.random(n) < 0.25
        populations[name] = y_true, rng.normal(size=n) + 2.3 * y_true
    sample, (y_true, y_score) = populations["this sample"], populations["all data"]
    _, axis = plt.subplots(figsize=(4.4, 4.6), layout="constrained")
    for (name, data), color in zip(populations.items(), ("#0072B2", "0.55"), strict=True):
        counts = threshold_counts(*data)
        axis.plot(counts.recall, counts.precision, color=color, label=name)
    axis.axhline(precision, color="0.4", linestyle="--", linewidth=1, label="asked for: 0.9")
    ways = {"by hand": (None, "s", "#D55E00"), "with guarantee=0.9": (0.9, "o", "#007a59")}
    for name, (guarantee, marker, color) in ways.items():
        point = operating_point(*sample, precision=precision, guarantee=guarantee)
        selected = y_score >= point.threshold
        truth = np.mean(selected[y_true]), np.mean(y_true[selected])
        here, there = f"{point.precision:.3f} in this sample", f"{truth[1]:.3f} in all data"
        hollow = {"color": color, "markerfacecolor": "none", "label": f"{name}: {here}"}
        axis.plot(point.recall, point.precision, marker, **hollow)
        axis.plot(*truth, marker, color=color, label=f"the same threshold: {there}")
    axis.set(xlabel="recall", ylabel="precision", xlim=(0.3, 0.8), ylim=(0.75, 1.0))
    axis.figure.legend(loc="outside lower left", frameon=False, fontsize=10)


def prevalences():
    """The curve of one model where 50, 10 and 1 of 100 cases are positive."""
    rng = np.random.default_rng(0)
    y_true = np.arange(40_000) < 20_000
    y_score = 2 * y_true + rng.normal(size=y_true.size)
    _, axis = plt.subplots(layout="constrained")
    for prevalence in (0.5, 0.1, 0.01):
        AveragePrecisionDisplay.from_predictions(y_true, y_score, prevalence=prevalence, ax=axis)
