"""What to write here for names of scikit-learn's PrecisionRecallDisplay that ours does not have."""

from __future__ import annotations

from functools import wraps
from typing import TypeVar

from sklearn_ap._types import Argument

Display = TypeVar("Display")

ARRAYS = "is a list for folds. display.line_ has the points that are drawn."
ATTRIBUTES = {
    "precision": f"Write display.counts.precision, one for each threshold; counts {ARRAYS}",
    "recall": f"Write display.counts.recall, one for each threshold; counts {ARRAYS}",
    "prevalence_pos_label": "Write p / (p + n), where p is display.counts.n_positives and n is "
    "display.counts.n_negatives; counts is a list for folds.",
    "pos_label": "A display keeps counts, and not the labels that were counted.",
    "estimator_name": "Write display.name.",
}
DRAWN = ("line_", "mean_", "samples_", "chance_level_", "ax_", "figure_")
CURVE_OPTIONS = {"average_precision", *ATTRIBUTES}


def missing_attribute(kind: str, name: str) -> str:
    """Word the error for an attribute that a display does not have."""
    hint = "Call plot first." if name in DRAWN else ATTRIBUTES.get(name, "")
    return f"{kind!r} object has no attribute {name!r}. {hint}".rstrip()


def explains_arrays(kind: type[Display]) -> type[Display]:
    """Make the constructor say what to pass in the place of the arrays of a curve."""
    initialize = kind.__init__

    @wraps(initialize)
    def explained(self: Display, *args: Argument, **options: Argument) -> None:
        arrays = sorted(options.keys() & CURVE_OPTIONS)
        if arrays or len(args) > 1:
            listed = " and ".join(filter(None, (", ".join(arrays[:-1]), *arrays[-1:])))
            got = listed or f"{len(args)} values without names"
            raise TypeError(
                f"{kind.__name__} takes counts, got {got}. The arrays of a curve do not say how "
                f"many rows they count, so write {kind.__name__}.from_predictions(y_true, y_score)."
                f" To draw later, write {kind.__name__}(threshold_counts(y_true, y_score))."
            )
        initialize(self, *args, **options)

    kind.__init__ = explained  # type: ignore[method-assign, assignment]
    return kind
