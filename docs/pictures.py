"""The pictures of the pages, each a function.

The README's is written, here in docs, by
python -c "import pictures; pictures.six().figure_.savefig('definitions.png')"
"""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_ap import (
    AveragePrecisionDisplay,
    ModelComparisonDisplay,
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


def comparison():
    """Scores with intervals, and their differences from the first model."""
    ModelComparisonDisplay.from_predictions(*models())


def prevalences():
    """The curve of one model where 50, 10 and 1 of 100 cases are positive."""
    rng = np.random.default_rng(0)
    y_true = np.arange(40_000) < 20_000
    y_score = 2 * y_true + rng.normal(size=y_true.size)
    _, axis = plt.subplots(layout="constrained")
    for prevalence in (0.5, 0.1, 0.01):
        AveragePrecisionDisplay.from_predictions(y_true, y_score, prevalence=prevalence, ax=axis)
