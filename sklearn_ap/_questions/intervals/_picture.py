"""Pictures of intervals, and of comparisons."""

from typing import Any

import numpy as np

from sklearn_ap._base.drawing.axes import REFERENCE_STYLE, ensure_layout, prepare_axes
from sklearn_ap._base.drawing.legend import add_sample, score_in_words
from sklearn_ap._base.drawing.named_rows import (
    MOST_ROWS,
    draw_limits,
    draw_named,
    draw_runs,
    select_extreme_rows,
)
from sklearn_ap._base.drawing.named_rows import fit_names as names_beside
from sklearn_ap._base.text import interval_head, pvalue_in_words, title_with_prevalence
from sklearn_ap._uncertainty.options import DIFFERENCE_KINDS, SCORE_KINDS


def plot_interval(interval: Any, ax: Any) -> Any:
    """Draw one row for each ranking; of very many, those that are most unlike the others."""
    rows, title = (
        interval.rows(),
        title_with_prevalence(interval.definition.title, interval.prevalence),
    )
    estimates = np.array([row["estimate"] for row in rows])
    of_known = estimates[~np.isnan(estimates)]
    middle = np.median(of_known) if of_known.size else np.nan
    kept, left_out = select_extreme_rows(np.abs(estimates - middle), "most unlike their median")
    rows = [rows[i] for i in kept]
    columns = ("estimate", "low", "high", "n_positives")
    value, low, high, counts = (np.array([row[name] for row in rows]) for name in columns)
    names = [str(row.get("ranking", title)) for row in rows]
    axis = draw_named(ax, names, value, low, high, counts=counts)
    if interval.run_scores is not None:
        of_rankings = np.reshape(interval.run_scores, (interval.n_runs, -1)).T
        draw_runs(axis, [of_rankings[i] for i in kept])
    kind = SCORE_KINDS.get(interval.method, "")
    text = f"{score_in_words(interval)}, {interval_head(interval.confidence_level, kind)}"
    axis.set_xlabel(add_sample(text, interval, left_out), parse_math=False)
    return axis


LARGEST = "with the largest differences"
DRAWN = (
    *("estimates", "lows", "highs", "adjusted_pvalues"),
    *("differences", "difference_lows", "difference_highs"),
)


def plot_comparison(result: Any, ax: Any) -> Any:
    """Draw one row for each model, or each model and ranking: its score, and its difference."""
    places, left_out = _places_drawn(result)
    left, right = prepare_axes(ax, 2, figsize=(8.0, 1.4 + 0.42 * len(places)))
    ensure_layout(left)
    columns = {name: np.array([getattr(result, name)[each] for each in places]) for name in DRAWN}
    draw_limits(left, columns["estimates"], columns["lows"], columns["highs"])
    for row, value in enumerate(columns["estimates"]):
        left.annotate(
            f"{value:.3f}",
            (value, row),
            xytext=(0, 5),
            textcoords="offset points",
            ha="center",
            fontsize="small",
        )
    if result.run_scores is not None:
        draw_runs(left, [result.run_scores[model].T[(*rest,)] for model, *rest in places])
    names = np.array([result.names[model] for model, *_ in places])
    others = np.flatnonzero(names != result.reference)
    differences, lows, highs = (
        columns[name][others] for name in ("differences", "difference_lows", "difference_highs")
    )
    right.axvline(0, **REFERENCE_STYLE)
    in_color = columns["adjusted_pvalues"][others] < 1 - result.confidence_level
    draw_limits(right, differences, lows, highs, in_color, others)
    ends = np.array(right.get_xlim())
    margin = 0.05 * np.ptp(ends)  # 0 is always seen
    right.set_xlim(min(ends[0], -margin), max(ends[1], margin))
    _label_comparison(result, places, columns, left, right)
    left.set_xlabel(add_sample(score_in_words(result), result, left_out), parse_math=False)
    return np.array([left, right])


def _places_drawn(result: Any) -> tuple[list[tuple[int, ...]], str]:
    """Models and rankings of the rows; of very many, those with the largest differences."""
    n_models, reference = len(result.names), result.names.index(result.reference)
    distances = np.nan_to_num(np.abs(result.differences))
    if distances.ndim > 1:
        most = max(1, MOST_ROWS // n_models)
        kept, left_out = select_extreme_rows(distances.max(axis=0), LARGEST, most)
        return [(model, int(i)) for i in kept for model in range(n_models)], left_out
    distances[reference] = np.inf
    kept, left_out = select_extreme_rows(distances, LARGEST)
    return [(int(model),) for model in kept], left_out


def _label_comparison(
    result: Any,
    places: list[tuple[int, ...]],
    columns: dict[str, Any],
    left: Any,
    right: Any,
) -> None:
    """Names on the left; differences and p-values on the right, where they cover nothing."""
    rows, rankings = range(len(places)), result.rankings or range(result.differences.shape[-1])
    names = [", ".join([result.names[i], *(str(rankings[j]) for j in rest)]) for i, *rest in places]
    left.set_yticks(rows, names_beside(left, names), parse_math=False)
    differences = [f"{difference:+.3f}" for difference in columns["differences"]]
    p_values = map(pvalue_in_words, columns["adjusted_pvalues"])
    words = [f"{one}\n{p_value}" for one, p_value in zip(differences, p_values, strict=True)]
    words = [
        "reference" if result.names[model] == result.reference else text
        for (model, *_), text in zip(places, words, strict=True)
    ]
    right.yaxis.tick_right()
    right.set_yticks(rows, words, fontsize="small")
    right.set_xlabel(f"minus {names_beside(left, [result.reference])[0]}", parse_math=False)
    sides = ((left, "score", SCORE_KINDS), (right, "difference", DIFFERENCE_KINDS))
    for axis, title, kinds in sides:
        level = interval_head(result.confidence_level, kinds.get(result.method, ""))
        axis.set_title(f"{title}, {level}", fontsize="medium")
        axis.locator_params(axis="x", nbins=5)
        axis.set_ylim(len(rows) - 0.5, -0.65)
        axis.tick_params(axis="y", length=0)
