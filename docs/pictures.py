"""The pictures of the pages, each a function.

The README's is written, here in docs, by
python -c "import pictures; pictures.six().figure_.savefig('definitions.png')"
"""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_ap import AveragePrecisionDisplay, definitions, threshold_counts

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
    _, axis = plt.subplots(layout="constrained")
    styles = {definitions.Linear(): "s-.", definitions.Expected(): "D--", definitions.Step(): "o-"}
    for definition, style in styles.items():
        counts = [threshold_counts(y_true, np.floor(y_score * n)) for n in n_values]
        axis.semilogx(n_values, [definition(c)[0] for c in counts], style, label=definition.title)
    axis.set(xlabel="values that a score can take", ylabel="average precision")
    axis.legend(loc="upper left", bbox_to_anchor=(0, -0.14), ncols=3, frameon=False)
