"""The curves of rankings under one definition on one axis, and what random scores would draw."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap._base.common.types import Float
from sklearn_ap._base.drawing.axes import axes_colors
from sklearn_ap._base.drawing.lines_and_bands import (
    Label,
    draw_faint_curves,
    draw_model,
    draw_reference,
    find_artists,
    mark_detail,
    n_models,
)
from sklearn_ap._base.extras import printable_lines
from sklearn_ap._base.inputs.checks import warn
from sklearn_ap._counts.ranks import ranks_of_rows
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._questions.chance.permutation import PermutedRanking, means_by_chance
from sklearn_ap._questions.intervals.interval import AveragePrecisionInterval
from sklearn_ap._scores.scoring import values_of
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._base import Line, step_line
from sklearn_ap.definitions._chance import precisions_by_chance
from sklearn_ap.definitions._prevalence import at_prevalence

TIMES = "\N{MULTIPLICATION SIGN}"
MOST_MEMBERS = 100  # rankings that are drawn behind their mean
MOST_POINTS = 30  # operating points that are marked
LEVELS = "sklearn_ap_levels"  # an attribute of the line that has the row of the legend
# The mean score of random orders of one ranking, their mean precision, and the recall that they
# reach: below 1 at k, and if positives are no row.
Chance = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class DrawnRankings:
    """Rankings under one definition.

    A list of names makes each ranking a model of its own. Otherwise their mean is the model, and
    the rankings are its members, which may be drawn thinly. ``weights`` are those in the mean.
    """

    counts: list[ThresholdCounts]
    definition: Definition
    names: list[str | None] | str | None
    weights: Float
    members: bool
    unit: str
    interval: AveragePrecisionInterval[Any] | None

    @cached_property
    def rankings(self) -> list[ThresholdCounts]:
        """The counts, at the prevalence of the definition if it has one."""
        prevalence = self.definition.prevalence
        if prevalence is None:
            return self.counts
        return [counts.at_prevalence(prevalence) for counts in self.counts]

    @cached_property
    def given(self) -> Float:
        """The value of each ranking, nan without positives."""
        return np.array([values_of(self.definition, counts)[0] for counts in self.counts])

    @property
    def values(self) -> Float:
        """The score of each ranking: 0 without positives, as in average_precision_score."""
        return np.where(np.isnan(self.given), 0.0, self.given)

    def warn_of_undefined(self) -> None:
        n_undefined = np.count_nonzero(np.isnan(self.given))
        lacking = "positive" + (" or no negative" if self.definition.prevalence else "")
        if n_undefined:
            warn(
                f"{n_undefined} of {self.given.size} rankings have no {lacking}. They count as "
                f"0.0, as in the scores. To leave them out, leave out their rows.",
                UndefinedMetricWarning,
            )

    @property
    def shares(self) -> Float:
        return self.weights / (self.weights.sum() or 1.0)

    @property
    def labels(self) -> list[Label]:
        if isinstance(self.names, list):
            return [self._label(name, self.values[i], i) for i, name in enumerate(self.names)]
        return [self._label_of_mean(self.names)]

    def draw(self, axis: Any, options: Sequence[dict[str, Any]]) -> tuple[Any, Any, Any]:
        """Draw the models, with options for each; give ``line_``, ``samples_`` and ``mean_``."""
        lines = self._lines()
        if not isinstance(self.names, list):
            return self._draw_mean(axis, lines, options[0])
        models = zip(lines, self.labels, options, strict=True)
        drawn = [draw_model(axis, *model) for model in models]
        self._draw_points(axis, drawn)
        samples = self._draw_samples(axis, drawn)
        if len(drawn) > 1:
            return drawn, samples, None
        self._draw_details(axis, lines[0], drawn[0].get_color())
        return drawn[0], samples[0], None

    def _lines(self) -> list[Line]:
        lines = [self.definition.line(counts) for counts in self.counts]
        known = [line for line in lines if line is not None]
        if len(known) < len(lines):
            raise ValueError(f"{self.definition!r} has no line to draw: its value is not an area.")
        return known

    def _label_of_mean(self, name: str | None) -> Label:
        known = self.shares > 0
        mean = np.sum(self.values * self.shares)
        deviation = np.sqrt(np.sum((self.values - mean) ** 2 * self.shares))
        n = f"{known.sum()}" if known.all() else f"{known.sum()} of {known.size}"
        name = ", ".join(filter(None, (name, f"mean of {n} {self.unit}")))
        return self._label(name, mean, suffix=f" (SD {deviation:.3f})")

    def _label(self, name: str | None, value: float, i: Any = None, suffix: str = "") -> Label:
        text = f"{value:.3f}{suffix}"
        if self.interval is not None:
            ends = self.interval.low, self.interval.high
            low, high = ends if i is None else (np.atleast_1d(end)[i] for end in ends)
            # A third digit would pretend to a precision that is not there.
            text = f"{value:.2f} [{low:.2f}, {high:.2f}]"
        return Label(name and printable_lines(str(name)), self.definition.title, text)

    def _draw_mean(self, axis: Any, lines: list[Line], options: Any) -> tuple[Any, Any, Any]:
        """Draw the mean as a model, and its members behind it if they are few."""
        known = np.flatnonzero(self.shares)
        curve = _mean_line([lines[i] for i in known], self.shares[known])
        mean = draw_model(axis, curve, self.labels[0], options)
        if not self.members or len(lines) > MOST_MEMBERS:
            return mean, None, mean
        members = draw_faint_curves(axis, lines, mean.get_color())
        return members, self._draw_samples(axis, members), mean

    def _draw_samples(self, axis: Any, lines: list[Any]) -> list[Any]:
        """Mark the precisions at recall levels, where the definition has some."""
        drawn: list[Any] = []
        style = {"marker": "D", "markersize": 5, "linestyle": "", "zorder": 3, "label": "_"}
        for counts, line in zip(self.counts, lines, strict=True):
            samples, color = self.definition.samples(counts), line.get_color()
            drawn += [None] if samples is None else axis.plot(*samples, color=color, **style)
        if len(drawn) == 1 and drawn[0] is not None and n_models(axis) == 1:
            mark_detail(drawn[0], f"mean of {len(drawn[0].get_xdata())} levels", stays=True)
        return drawn

    def _draw_points(self, axis: Any, lines: list[Any]) -> None:
        """Mark the point of each ranking, where the definition has one, with lines to both axes."""
        for counts, line in zip(self.counts, lines, strict=True):
            point = self.definition.point(counts)
            if point is not None:
                axis.plot(
                    [0.0, point.recall, point.recall],
                    [point.precision, point.precision, 0.0],
                    color=line.get_color(),
                    linestyle="--",
                    linewidth=1.0,
                    marker="o",
                    markevery=[1],
                    zorder=3,
                    label="_",
                )

    def _draw_details(self, axis: Any, curve: Line, color: Any) -> None:
        """Draw what explains a single curve: operating points, steps that differ, and a shade."""
        (counts,) = self.rankings
        step_curve = step_line(counts)
        differs = _area(curve) != _area(step_curve)
        style = {"color": color, "linewidth": 1.0, "zorder": 1.2, "label": "_"}
        style["alpha"] = axes_colors(axis).faint(0.55) if differs else 1.0
        if differs:
            axis.plot(*_beyond(step_curve, curve), **style)
        if counts.thresholds.size <= MOST_POINTS:
            axis.plot(counts.recall, counts.precision, "o", markersize=4, **style)
        if n_models(axis) == 1:
            if differs:
                mark_detail(axis.plot(*step_curve, **style)[0], "steps")
            self._draw_shade(axis, curve, color)

    def _draw_shade(self, axis: Any, curve: Line, color: Any) -> None:
        """Shade what the definition wants to be seen; hatch it where it is between two curves."""
        (counts,) = self.counts
        shade = self.definition.shade(counts)
        if shade is None:
            return
        label, n_positives = shade.label, counts.n_positives[0]
        divisor = float(self.definition.divisor(counts)[0])
        if divisor != n_positives:
            label += f": area {_area(curve):.3f} {TIMES} {n_positives:g} positives / {divisor:g}"
        style = {"facecolor": color, "alpha": 0.25, "linewidth": 0.0}
        if np.any(shade.low):
            style |= {"facecolor": axes_colors(axis).models[1], "hatch": "///", "alpha": 0.3}
        mark_detail(axis.fill_between(shade.recall, shade.low, shade.high, **style), label)


def _mean_line(lines: Sequence[Line], weights: Float) -> Line:
    """Average lines at each recall; the area under the mean is the mean of the areas.

    A line is 0 beyond its last recall. ``weights`` add up to 1.
    """
    grid = np.unique(np.concatenate([[0.0, 1.0], *(recall for recall, _ in lines)]))
    # Between two recalls of the grid each line is straight, also where it jumps at them.
    ends = np.column_stack((grid[:-1], grid[1:]))
    inside = np.nextafter(ends, ends[:, ::-1])
    heights = np.zeros(ends.shape)
    for (recall, precision), weight in zip(lines, weights, strict=True):
        if recall.size:
            heights += weight * np.interp(inside, recall, precision, left=0.0, right=0.0)
    # Nothing is drawn beyond the last recall that any line reaches.
    n_drawn = np.flatnonzero(heights.any(axis=1)).max(initial=-1) + 1
    return ends[:n_drawn].ravel(), heights[:n_drawn].ravel()


def _beyond(curve: Line, part: Line) -> Line:
    """What lies beyond the last recall of a part. It stays when a second model comes."""
    end = part[0].max(initial=0.0)
    first = np.searchsorted(curve[0], end, side="right")
    recall, precision = (each[first:] for each in curve)
    return np.append([end][: recall.size], recall), np.append(precision[:1], precision)


def _area(line: Line) -> float:
    """The area under a line, which tells whether two lines differ."""
    return float(np.trapezoid(line[1], line[0]))


def draw_chance_level(axis: Any, curves: DrawnRankings, options: dict[str, Any]) -> Any:
    """Draw the mean level of the rankings, as far as their rows, or the first k of them, reach.

    Levels that are close share a line. All lines share a row of the legend, which gives the range.
    """
    known = np.flatnonzero(~np.isnan(curves.given) & (curves.shares > 0)).tolist()
    if not known:
        return None
    definition = _chance_area(curves.definition)
    if curves.counts[0].fps.dtype.kind == "f":  # weighted rows have no order
        name = "prevalence:"
        values = [_of_weighted(curves.rankings[i]) for i in known]
    else:
        name = "random scores:" + (" step AP" if definition is not curves.definition else "")
        values = _of_orders(definition, [curves.counts[i] for i in known])
    # Rankings without positives count as 0, and have no recall at which a line could end.
    shares, (scores, levels, ends) = curves.shares[known], np.transpose(values)
    end = float(shares @ ends / shares.sum())
    level = float(shares @ (levels * ends)) / end if end else 0.0
    line = draw_reference(axis, ([0, end], [level, level]), 0.25, "_", options)
    first = find_artists(axis, "reference")[0]
    levels_drawn = [*getattr(first, LEVELS, ()), float(shares @ scores)]
    setattr(first, LEVELS, levels_drawn)
    if "label" not in options:
        limits = dict.fromkeys(f"{value:.3g}" for value in (min(levels_drawn), max(levels_drawn)))
        first.set_label(f"{name} {' to '.join(limits)}")
    return line


def _chance_area(definition: Definition) -> Definition:
    """The definition, or step AP where the value is that of a point."""
    chosen: Definition = getattr(definition, "definition", definition)
    is_point = type(chosen).point is not Definition.point
    return at_prevalence(Step(), definition.prevalence) if is_point else definition


def _of_orders(definition: Definition, rankings: list[ThresholdCounts]) -> list[Chance]:
    """The mean of all orders of the rows, which are all retrieved."""
    permuted, values = [_permuted(counts) for counts in rankings], []
    for each, mean in zip(permuted, means_by_chance(definition, permuted), strict=True):
        n_rows, n_positives = each.n_rows, each.n_positives
        depth = None if definition.depth is None else ranks_of_rows(definition.depth, n_rows)
        n_found = n_positives * min(depth or n_rows, n_rows) / n_rows
        total = mean * each.n_known
        if depth is not None:  # hits, by which it may be divided, differ from order to order
            total = precisions_by_chance(None, n_rows, n_positives, depth)
        values.append((mean, total / n_found if n_found else 0.0, n_found / each.n_known))
    return values


def _of_weighted(counts: ThresholdCounts) -> Chance:
    """The prevalence: rows of different weights have no random order."""
    n_rows, n_positives = _size(counts)
    level = n_positives / n_rows if n_rows else 0.0
    return level, level, n_positives / float(counts.n_positives[0])


def _permuted(counts: ThresholdCounts) -> PermutedRanking:
    """All rows, at least one, and the positives among them: ``n_positives`` may be a fraction."""
    n_rows, n_positives = _size(counts)
    n_known = counts.n_positives[0].item()
    return PermutedRanking(None, round(n_rows) or 1, round(n_positives), n_known)


def _size(counts: ThresholdCounts) -> tuple[float, float]:
    """The weight of all rows, and of the positives among them."""
    n_unscored = 0.0 if counts.n_unscored is None else float(counts.n_unscored[0])
    n_positives = float(counts.n_positives[0]) - n_unscored
    return n_positives + float(counts.n_negatives[0]), n_positives
