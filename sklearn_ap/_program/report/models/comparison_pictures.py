"""The pictures of a report about several models."""

from collections.abc import Mapping, Sequence
from functools import partial
from math import isnan
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Array, Axes, Bool
from sklearn_ap._base.drawing.axes import REFERENCE_STYLE, axes_colors
from sklearn_ap._base.drawing.legend import (
    sample_in_words,
    score_in_words,
    shorten_name,
    text_width,
)
from sklearn_ap._base.drawing.named_rows import (
    color_rows,
    color_shown,
    draw_named,
    finite_numbers,
)
from sklearn_ap._base.extras import printable
from sklearn_ap._base.text import Row
from sklearn_ap._program.report.data.predictions import MOST_MODELS_SHOWN, ChanceLevel, Predictions
from sklearn_ap._program.report.models.scores import mark_chance
from sklearn_ap._program.report.page.pictures import (
    POINTS_PER_INCH,
    TEXT_GREY,
    Picture,
    caption,
    limit_ticks,
    picture_height,
)
from sklearn_ap._program.report.page.words import number, pvalue, row_difference, row_score
from sklearn_ap._questions.best_of_many.best import BestAveragePrecision
from sklearn_ap._questions.intervals.comparison import AveragePrecisionComparison
from sklearn_ap._questions.verdicts import BETTER, Estimate, printed, printed_values

HOLE = 12.0  # square points, of a point of a model that is not the best
N_NEXT = 2  # models below the rivals of the best one that are drawn at its scale
FAR_BEHIND = 3.0  # times as far below the best as these: left of the axis: a choice
NO_DIFFERENCE = Estimate(0.0, np.nan, np.nan)  # of the best model from itself
MOST_DRAWN = 10  # models of the picture; the table has all of them
COMPARISON_HEIGHT = 2.0  # inches
NAME_SHARE = 0.3  # of the width of the figure, for the names of a difference
AXIS_LABEL_SHARE = 0.66  # of the width of the figure, for the words below the difference
DIFFERENCE_STEPS = 4  # of an axis: the labels of differences, such as "-0.010", are wide
SCALE_MARGIN = 0.05  # of the width of the axes
NARROW = 0.15  # of the scale of scores; a narrower difference has its own: a choice
OWN_MARGIN = 0.25  # of such a difference, on both sides of it
FAR_FROM_CHANCE = 5.0  # ranges of scores: with more, their axis does not begin at 0: a choice
LOW_CHANCE = 0.25  # of the highest score: an axis may begin at 0 below it: a choice
LABEL_GAP = 2.0  # points
CHANCE_SIZE = 0.8  # of the letters of names


def picture_of_two(
    data: Predictions, comparison: AveragePrecisionComparison, row: Row, alt: str
) -> Picture:
    """Draw both scores, and their difference below, which is in a row of the comparison."""
    (verdict,) = comparison.verdicts
    name = row["name"]
    reference = comparison.reference
    finding = f"No difference between {name} and {reference} is shown"
    if verdict.decision == BETTER:
        change = printed(row_difference(row), "+").value.lstrip("+")
        finding = f"{name} scores {change} more than {reference}"
    is_shown = row["adjusted_pvalue"] < 1 - comparison.confidence_level
    score = score_in_words(comparison)
    scores = {each["name"]: row_score(each) for each in comparison.rows()}
    chance = data.chance_level(data.best_model)
    scale = _common_scale([*scores.values()], row_difference(row), chance)
    draw = partial(
        _draw_comparison,
        scores={each: scores[each] for each in data.values},
        change=row_difference(row),
        pair=(name, reference),
        test=_test_in_words(row["adjusted_pvalue"]),
        is_shown=is_shown,
        chance=chance,
        scale=scale,
    )
    subject = caption(
        f"{score[0].upper()}{score[1:]} of both, and their difference",
        f"{data.interval_kind}s",
        "" if is_shown else "grey: no difference shown",
        _chance_out_of_sight(chance, scale.start),
        "" if scale.is_common else "the difference has a scale of its own",
        sample_in_words(data.name_units(comparison)),
    )
    return Picture(draw, COMPARISON_HEIGHT, alt, n_axes=2, finding=finding, subject=subject)


class _Scale(NamedTuple):
    """The scale of scores, which begin at start, and of their difference, which begins at left.

    It is one scale, unless the difference may be below 0, or its interval would be too narrow.
    """

    start: float
    left: float
    width: float
    difference_width: float

    @property
    def is_common(self) -> bool:
        return self.width == self.difference_width


def _is_far(chance: ChanceLevel, scores: Sequence[Estimate]) -> bool:
    """Check whether random orders in sight would leave scores no room to differ."""
    numbers = finite_numbers(*np.array(scores).T)
    return bool(numbers.min() - chance.score > FAR_FROM_CHANCE * np.ptp(numbers) > 0)


def _chance_out_of_sight(chance: ChanceLevel, start: float) -> str:
    is_left = chance.score < start
    return f"random order {number(chance.score)}, left of the axis" if is_left else ""


def _common_scale(scores: Sequence[Estimate], change: Estimate, chance: ChanceLevel) -> _Scale:
    """Find the axes of the scores and of their difference, which has 0 in sight.

    That of scores begins at 0, or else at random orders, unless scores are far from both.
    """
    numbers = finite_numbers(*np.array(scores).T)
    highest = max(chance.score, *numbers)
    lowest = 0.0
    if chance.score > LOW_CHANCE * highest:
        lowest = min(chance.score, *numbers)
    if _is_far(chance, scores):
        lowest = float(numbers.min())
    ends = finite_numbers(*np.array([change]).T)
    low = min(0.0, *ends)
    high = max(0.0, *ends)
    width = max(highest - lowest, high - low) * (1 + 2 * SCALE_MARGIN)
    start = lowest - SCALE_MARGIN * width if lowest else 0.0
    is_apart = low < 0  # so that the zeros of both axes could not stand below each other
    if high - low > 0 and (is_apart or high - low < NARROW * width):
        left = low - OWN_MARGIN * (high - low)
        return _Scale(start, left, width, (1 + 2 * OWN_MARGIN) * (high - low))
    return _Scale(start, low - SCALE_MARGIN * width if low else 0.0, width, width)


def _test_in_words(value: float) -> str:
    """Write "p = 0.71", or "p < 0.001"; empty if there is none."""
    text = pvalue(value)
    sign = "" if text.startswith("<") else "= "
    return "" if isnan(value) else f"p {sign}{text}"


def _draw_comparison(
    axes: Array,
    scores: Mapping[str, Estimate],
    change: Estimate,
    pair: tuple[str, str],
    test: str,
    is_shown: bool,
    chance: ChanceLevel,
    scale: _Scale,
) -> None:
    """Draw the models in the colours of their curves, and a difference that is shown in black."""
    upper, lower = axes
    values, lows, highs = np.array([*scores.values()]).T
    texts = printed_values(values, lows, highs)
    draw_named(upper, [*scores], values, lows, highs, texts)
    color_rows(upper, axes_colors(upper).models[: len(scores)])
    if chance.score >= scale.start:
        mark_chance(upper, chance)
        _name_chance(upper, chance, is_left=chance.score < scale.start + scale.width / 2)
    values, lows, highs = np.array([change]).T
    (value,) = printed_values(values, lows, highs, sign="+")
    draw_named(lower, [""], values, lows, highs, [f"{value}\n{test}".rstrip()])
    _name_difference(lower, *pair)
    lower.axvline(0, **REFERENCE_STYLE, clip_on=False)
    color_shown(lower, [is_shown])
    upper.set_xlim(scale.start, scale.start + scale.width)
    lower.set_xlim(scale.left, scale.left + scale.difference_width)
    for axis in axes:
        axis.locator_params(axis="x", nbins=DIFFERENCE_STEPS)
        axis.spines["left"].set_visible(False)


def _name_chance(ax: Axes, chance: ChanceLevel, *, is_left: bool = True) -> None:
    """Write the score of random orders above their line, in the left half of the axes or not."""
    label, *_ = ax.get_yticklabels()
    ax.annotate(
        f"random order {number(chance.score)}",
        (chance.score, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(0, LABEL_GAP),
        textcoords="offset points",
        ha="center" if is_left else "right",
        va="bottom",
        fontsize=CHANCE_SIZE * label.get_size(),
        color=TEXT_GREY,
    )


def _name_difference(ax: Axes, name: str, reference: str) -> None:
    """Write "new minus old" beside the row, or else below the axis which model is better."""
    (label,) = ax.get_yticklabels()
    size = label.get_size()
    width = POINTS_PER_INCH * float(ax.figure.get_size_inches()[0])
    text = f"{printable(name)} minus {printable(reference)}"
    if text_width(text, size) > NAME_SHARE * width:
        text = "difference"
        start = "right of 0: "
        room = AXIS_LABEL_SHARE * width - text_width(start, size)
        better = shorten_name(printable(name), room, size, rest=" better")
        ax.set_xlabel(f"{start}{better}", fontsize=size, parse_math=False)
    ax.set_yticks([0], [text], parse_math=False, fontsize=size)


def picture_of_best(
    data: Predictions, best: BestAveragePrecision, differences: Mapping[str, Estimate], alt: str
) -> Picture:
    """Draw how much less other models score than the best one, beside their scores."""
    n_models = len(best.names)
    n_best = len(best.may_be_best)
    finding = f"{best.name} is the best of {n_models} models"
    if n_best > 1:
        which = f"Any of the {n_models}" if n_best == n_models else f"{n_best} of {n_models}"
        finding = f"{which} models may be the best"
    draw = partial(
        _draw_best,
        scores=[row_score(row) for row in best.rows()],
        differences=[differences.get(name, NO_DIFFERENCE) for name in best.names[:MOST_DRAWN]],
        names=best.names,
        may_be_best=np.isin(best.names, best.may_be_best),
    )
    score = score_in_words(best)
    subject = caption(
        f"{score[0].upper()}{score[1:]} minus that of {best.name}, {data.interval_kind}s",
        _not_the_best_in_words(best, differences),
        f"at the right: scores; a random order has {number(data.chance_level(best.name).score)}",
        sample_in_words(data.name_units(best)),
    )
    height = picture_height(min(n_models, MOST_DRAWN))
    return Picture(draw, height, alt, finding=finding, subject=subject)


def _draw_best(
    ax: Axes,
    scores: Sequence[Estimate],
    differences: Sequence[Estimate],
    names: Sequence[str],
    may_be_best: Bool,
) -> None:
    """Draw the first models, and say in grey what the others score."""
    drawn = scores[:MOST_DRAWN]
    left_out = scores[MOST_DRAWN:]
    texts = printed_values(*np.array(drawn).T)
    values, lows, highs = np.array(differences).T
    draw_named(ax, names[:MOST_DRAWN], values, lows, highs, texts)
    colors = axes_colors(ax)
    shown = colors.models[:MOST_MODELS_SHOWN]  # the colours of their curves
    color_rows(ax, [*shown, *[colors.grey] * len(drawn)][: len(drawn)])
    (others,) = np.nonzero(~may_be_best[: len(drawn)])
    ax.scatter(values[others], others, s=HOLE, color=ax.get_facecolor(), zorder=4)
    limit_ticks(ax)
    n_rows = len(drawn) + bool(left_out)
    _limit_to_rivals(ax, _nearest(values, lows, may_be_best[: len(drawn)]), values)
    ax.axvline(0.0, **REFERENCE_STYLE)
    ax.spines["left"].set_visible(False)
    if left_out:
        ax.set_ylim(n_rows - 0.5, -0.5)
        text = _left_out_in_words(left_out, int(may_be_best[MOST_DRAWN:].sum()))
        style = {"transform": ax.get_yaxis_transform(), "va": "center", "fontsize": "small"}
        # The grey of lines is too faint for letters.
        ax.text(0.02, n_rows - 1, text, color=axes_colors(ax).ink, alpha=0.65, **style)


def _not_the_best_in_words(best: BestAveragePrecision, differences: Mapping[str, Estimate]) -> str:
    """Explain the marks of models that are not the best."""
    names = best.names[:MOST_DRAWN]
    if len(best.may_be_best) == len(best.names):
        return ""
    values, lows, _ = np.array([differences.get(name, NO_DIFFERENCE) for name in names]).T
    has_arrow = not np.isnan(_nearest(values, lows, np.isin(names, best.may_be_best)))
    return f"hollow{', or an arrow' if has_arrow else ''}: not the best"


def _nearest(values: Array, lows: Array, may_be_best: Bool) -> float:
    """Return the lowest number of the rivals of the best model and of the next two.

    It is nan if no other model is far behind these.
    """
    n_near = min(values.size, np.count_nonzero(may_be_best) + N_NEXT)
    nearest = float(np.nanmin([*values[:n_near], *lows[:n_near]]))
    is_far = np.nanmin(values) <= FAR_BEHIND * nearest
    return nearest if np.count_nonzero(may_be_best) > 1 and is_far else np.nan


def _limit_to_rivals(ax: Axes, nearest: float, values: Array) -> None:
    """End the axis below the nearest models; an arrow points to each that is left of it."""
    if np.isnan(nearest):
        return
    _, right = ax.get_xlim()
    left = nearest - OWN_MARGIN * (right - nearest)
    ax.set_xlim(left, right)
    (beyond,) = np.nonzero(values < left)
    transform = ax.get_yaxis_transform()
    ax.plot(np.full(beyond.size, 0.01), beyond, "<", color="0.5", transform=transform)


def _left_out_in_words(scores: Sequence[Estimate], n_best: int) -> str:
    """Write "10 more score 0.22 to 0.41", and how many of them may be the best."""
    low = number(scores[-1].value)
    high = number(scores[0].value)
    claim = f", {n_best} may be the best" if n_best else ""
    verb = "scores" if len(scores) == 1 else "score"
    reach = low if low == high else f"{low} to {high}"
    return f"{len(scores)} more {verb} {reach}{claim}"
