"""Models by their scores; those that may be the best are in colour."""

from __future__ import annotations

import numpy as np

from sklearn_ap._base.drawing.legend import add_sample_size, score_in_words
from sklearn_ap._base.drawing.named_rows import MOST_ROWS, draw_named
from sklearn_ap._base.text import interval_head
from sklearn_ap._questions.verdicts import printed_values
from sklearn_ap._types import AnyResult, Axes


def plot_best(best: AnyResult, ax: Axes) -> Axes:
    """Draw one row for each model, in colour if it may be the best."""
    names = best.names[:MOST_ROWS]
    values, lows, highs = (
        numbers[:MOST_ROWS] for numbers in (best.estimates, best.lows, best.highs)
    )
    axis = draw_named(
        ax,
        names,
        values,
        lows,
        highs,
        printed_values(values, lows, highs),
        np.isin(names, best.may_be_best),
    )
    level = interval_head(best.confidence_level)
    text = f"{score_in_words(best)}, {level} valid for the best model"
    n_models = len(best.names)
    left_out = f"the {len(names)} highest of {n_models:,}" if n_models > len(names) else ""
    axis.set_xlabel(add_sample_size(text, best, left_out), parse_math=False)
    n_best = len(best.may_be_best)
    title = f"in colour: may be the best ({n_best} of {n_models})"
    axis.set_title(title, fontsize="medium")
    return axis
