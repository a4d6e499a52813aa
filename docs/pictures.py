"""The pictures of the pages, each a function.

The README's is written, here in docs, by
python -c "import pictures; pictures.six().figure_.savefig('definitions.png')"
"""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_ap import (
    AveragePrecisionDisplay,
    ModelComparisonDisplay,
    average_precision_score,
    definitions,
    threshold_counts,
)

EXAMPLE = (
    [1, 1, 0, 1, 0, 1, 0, 0, 0, 1],
    [0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1],
)
ELEVEN_POINT = definitions.Interpolated(recall_levels=11)
AT_3 = definitions.AtK(k=3)


def draw(definition):
    """One definition, or several side by side, of the example."""
    return AveragePrecisionDisplay.from_predictions(*EXAMPLE, definition=definition)


def six():
    return draw(
        [
            definitions.Step(),
            definitions.Interpolated(),
            ELEVEN_POINT,
            AT_3,
            definitions.Linear(),
            definitions.Hyperbolic(),
        ]
    )


def step():
    draw(definitions.Step())


def interpolated():
    draw(definitions.Interpolated())


def eleven_point():
    draw(ELEVEN_POINT)


def at_k():
    draw(AT_3)


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
    n_values = np.array([3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256])
    counts = [threshold_counts(y_true, np.floor(y_score * n)) for n in n_values]
    _, axis = plt.subplots(layout="constrained")
    styles = {definitions.Linear(): "s-.", definitions.Expected(): "D--", definitions.Step(): "o-"}
    for definition, style in styles.items():
        values = [definition(c)[0] for c in counts]
        axis.semilogx(n_values, values, style, label=definition.title)
    axis.set_xticks([3, 10, 30, 100, 256], ["3", "10", "30", "100", "256"])
    axis.set(xlabel="values that a score can take", ylabel="average precision")
    axis.legend(loc="upper left", bbox_to_anchor=(0, -0.14), ncols=3, frameon=False)


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
    """Curves with the interval of each score in the legend."""
    y_true, scores = models()
    _, axis = plt.subplots(layout="constrained")
    for name, y_score in scores.items():
        AveragePrecisionDisplay.from_predictions(
            y_true, y_score, name=name, confidence_level=0.95, ax=axis
        )


def two_systems():
    """The average precision of each query under two systems that retrieved other documents."""
    rng = np.random.default_rng(0)
    query = np.repeat(np.arange(200), 300)
    relevant = (rng.random(query.size) < 0.03).astype(int)
    scores = [strength * relevant + rng.normal(size=query.size) for strength in (1.5, 1.8)]
    values = [
        average_precision_score(
            relevant, np.where(score < least, -np.inf, score), groups=query, average=None
        )
        for score, least in zip(scores, (0.5, 0.8), strict=True)
    ]
    better = np.count_nonzero(values[1] > values[0])
    _, axis = plt.subplots(figsize=(4.6, 4.4), layout="constrained")
    axis.axline((0, 0), slope=1, color="0.6", linestyle=":")
    axis.plot(*values, "o", color="#0072B2", markersize=4, alpha=0.6)
    axis.plot(*map(np.mean, values), "D", color="#D55E00", markersize=9)
    axis.annotate("MAP", [*map(np.mean, values)], (0.75, 0.15), arrowprops={"arrowstyle": "-"})
    axis.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axis.set(xlabel="average precision of bm25", ylabel="average precision of dense")
    axis.set_title(f"dense is better in {better} of {values[0].size} queries", fontsize="medium")


def comparison():
    """Scores with intervals, and their differences from the first model."""
    ModelComparisonDisplay.from_predictions(*models())
