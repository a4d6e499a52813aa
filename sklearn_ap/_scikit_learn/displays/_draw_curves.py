"""The curves of rankings under one definition in one panel, and the level of random scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap._base.drawing.axes import axes_colors
from sklearn_ap._base.drawing.lines import (
    Label,
    Options,
    draw_faint_curves,
    draw_model,
    draw_reference,
    find_artists,
    mark_detail,
    n_models,
)
from sklearn_ap._counts.counting import ranks_of_rows
from sklearn_ap._counts.thresholds import ThresholdCounts, values_of
from sklearn_ap._extras import printable_lines, warn
from sklearn_ap._questions.chance.permutation import PermutedRanking, means_by_chance
from sklearn_ap._questions.verdicts import Estimate, printed
from sklearn_ap._types import Artist, Axes, Color, Float
from sklearn_ap.definitions import Definition, PrecisionAtRecall, RecallAtPrecision, Step
from sklearn_ap.definitions._base import Line, step_line
from sklearn_ap.definitions._for_chance import precisions_by_chance
from sklearn_ap.definitions._for_displays import point, samples, shade
from sklearn_ap.definitions._prevalence import at_prevalence
from sklearn_ap.inference.interval import Interval

TIMES = "\N{MULTIPLICATION SIGN}"
MOST_MEMBERS = 100  # rankings that are drawn behind their mean
MOST_POINTS = 30  # operating points that are marked
# An attribute of the line that has the row of the legend: the levels of all lines that share it.
SHARED_LEVELS = "sklearn_ap_levels"


class DrawnArtists(NamedTuple):
    """The artists of one panel, as a display names them.

    For several rankings, the lines and the samples are lists.
    """

    line: Artist
    samples: Artist
    mean: Artist


class _Chance(NamedTuple):
    """The mean of random orders of one ranking."""

    score: float
    precision: float
    recall: float  # at the end of the order: below 1 at k, and if some positives have no row


@dataclass(frozen=True, eq=False)
class DrawnRankings:
    """Rankings under one definition.

    A list of names makes each ranking a model of its own. Otherwise ``names`` is the name of their
    mean, and the rankings are its members, which are drawn behind it if ``draws_members`` is true.
    ``weights`` are the weights in the mean, and ``unit`` is the word for rankings in the legend.
    """

    counts: list[ThresholdCounts]
    definition: Definition
    names: list[str | None] | str | None
    weights: Float
    draws_members: bool
    unit: str
    interval: Interval | None

    @cached_property
    def counts_at_prevalence(self) -> list[ThresholdCounts]:
        """The counts, at the prevalence of the definition if it has one."""
        prevalence = self.definition.prevalence
        if prevalence is None:
            return self.counts
        return [counts.at_prevalence(prevalence) for counts in self.counts]

    @cached_property
    def raw_values(self) -> Float:
        """The value of each ranking, nan without positives."""
        return np.array([values_of(self.definition, counts)[0] for counts in self.counts])

    @property
    def values(self) -> Float:
        """The score of each ranking: 0 without positives, as in average_precision_score."""
        return np.where(np.isnan(self.raw_values), 0.0, self.raw_values)

    @property
    def scores(self) -> float | list[float]:
        """The score of each curve: a list for several rankings, unless only their mean is drawn."""
        if isinstance(self.names, list) or self._are_members_drawn:
            values: list[float] = self.values.tolist()
            return values if len(values) > 1 else values[0]
        return float(np.sum(self.values * self.shares))

    @property
    def _are_members_drawn(self) -> bool:
        return self.draws_members and len(self.counts) <= MOST_MEMBERS

    def warn_of_undefined_scores(self) -> None:
        n = self.raw_values.size
        n_undefined = np.count_nonzero(np.isnan(self.raw_values))
        lacking = "positive" + (" or no negative" if self.definition.prevalence else "")
        if n_undefined:
            warn(
                f"{n_undefined} of {n} rankings have no {lacking}. They count as "
                f"0.0, as in the scores. To leave them out, leave out their rows.",
                UndefinedMetricWarning,
            )

    @property
    def shares(self) -> Float:
        """The weight of each ranking in the mean; they add up to 1."""
        return self.weights / (self.weights.sum() or 1.0)

    @property
    def labels(self) -> list[Label]:
        if isinstance(self.names, list):
            return [
                self._label(name, value, position)
                for position, (name, value) in enumerate(zip(self.names, self.values, strict=True))
            ]
        return [self._mean_label(self.names)]

    def draw(self, ax: Axes, options: Sequence[Options]) -> DrawnArtists:
        """Draw the models, with options for each."""
        curves = self._lines()
        if not isinstance(self.names, list):
            return self._draw_mean(ax, curves, options[0])
        lines = [
            draw_model(ax, curve, label, style)
            for curve, label, style in zip(curves, self.labels, options, strict=True)
        ]
        self._draw_points(ax, lines)
        samples = self._draw_samples(ax, lines)
        if len(lines) > 1:
            return DrawnArtists(lines, samples, mean=None)
        self._draw_details(ax, curves[0], lines[0].get_color())
        return DrawnArtists(lines[0], samples[0], mean=None)

    def _lines(self) -> list[Line]:
        lines = [self.definition.line(counts) for counts in self.counts]
        drawable_lines = [line for line in lines if line is not None]
        if len(drawable_lines) < len(lines):
            raise ValueError(f"{self.definition!r} has no line to draw: its value is not an area.")
        return drawable_lines

    def _mean_label(self, name: str | None) -> Label:
        n_all = self.shares.size
        n_in_mean = np.count_nonzero(self.shares > 0)
        mean = np.sum(self.values * self.shares)
        deviation = np.sqrt(np.sum((self.values - mean) ** 2 * self.shares))
        number = f"{n_in_mean}" if n_in_mean == n_all else f"{n_in_mean} of {n_all}"
        name = ", ".join(filter(None, (name, f"mean of {number} {self.unit}")))
        return self._label(name, mean, suffix=f" (SD {deviation:.3f})")

    def _label(
        self, name: str | None, value: float, position: int | None = None, suffix: str = ""
    ) -> Label:
        """Write a row of the legend. ``position`` says which of several intervals belongs to it."""
        text = f"{value:.3f}{suffix}"
        if self.interval is not None:
            low = self.interval.low
            high = self.interval.high
            if position is not None:
                low = np.atleast_1d(low)[position]
                high = np.atleast_1d(high)[position]
            # More digits would pretend to a precision that is not there.
            texts = printed(Estimate(float(value), float(low), float(high)))
            text = f"{texts.value} [{texts.low}, {texts.high}]"
        printed_name = printable_lines(str(name)) if name else name
        return Label(printed_name, self.definition.title, text)

    def _draw_mean(self, ax: Axes, curves: list[Line], options: Options) -> DrawnArtists:
        """Draw the mean as a model, and its members behind it if they are few."""
        averaged_rankings = np.flatnonzero(self.shares)
        curve = _mean_line([curves[i] for i in averaged_rankings], self.shares[averaged_rankings])
        mean = draw_model(ax, curve, self.labels[0], options)
        if not self._are_members_drawn:
            return DrawnArtists(mean, samples=None, mean=mean)
        members = draw_faint_curves(ax, curves, mean.get_color())
        return DrawnArtists(members, self._draw_samples(ax, members), mean)

    def _draw_samples(self, ax: Axes, lines: list[Artist]) -> list[Artist | None]:
        """Mark the precisions at the recall levels of the definition, if it has any."""
        markers: list[Artist | None] = []
        for counts, line in zip(self.counts, lines, strict=True):
            levels = samples(self.definition, counts)
            if levels is None:
                markers.append(None)
                continue
            markers += ax.plot(
                *levels,
                color=line.get_color(),
                marker="D",
                markersize=5,
                linestyle="",
                zorder=3,
                label="_",
            )
        if len(markers) == 1 and markers[0] is not None and n_models(ax) == 1:
            mark_detail(markers[0], f"mean of {len(markers[0].get_xdata())} levels", stays=True)
        return markers

    def _draw_points(self, ax: Axes, lines: list[Artist]) -> None:
        """Mark the operating point of each ranking, if the definition has one; dash lines to it."""
        for counts, line in zip(self.counts, lines, strict=True):
            marked = point(self.definition, counts)
            if marked is not None:
                ax.plot(
                    [0.0, marked.recall, marked.recall],
                    [marked.precision, marked.precision, 0.0],
                    color=line.get_color(),
                    linestyle="--",
                    linewidth=1.0,
                    marker="o",
                    markevery=[1],
                    zorder=3,
                    label="_",
                )

    def _draw_details(self, ax: Axes, curve: Line, color: Color) -> None:
        """Explain a single curve by its operating points, its steps if they differ, and a shade."""
        (counts,) = self.counts_at_prevalence
        steps = step_line(counts)
        differs = _area(curve) != _area(steps)
        draw_detail = partial(
            ax.plot,
            color=color,
            linewidth=1.0,
            zorder=1.2,
            label="_",
            alpha=axes_colors(ax).faint(0.55) if differs else 1.0,
        )
        if differs:  # unlike the steps below, this part stays when a second model is drawn
            draw_detail(*_rest_beyond(steps, curve))
        if counts.thresholds.size <= MOST_POINTS:
            draw_detail(counts.recall, counts.precision, "o", markersize=4)
        if n_models(ax) == 1:
            if differs:
                (line,) = draw_detail(*steps)
                mark_detail(line, "steps")
            self._draw_shade(ax, curve, color)

    def _draw_shade(self, ax: Axes, curve: Line, color: Color) -> None:
        """Shade the area that the definition names; hatch it if it lies between two curves."""
        (counts,) = self.counts
        shaded = shade(self.definition, counts)
        if shaded is None:
            return
        label = shaded.label
        n_positives = counts.n_positives[0]
        divisor = float(self.definition.divisor(counts)[0])
        if divisor != n_positives:
            label += f": area {_area(curve):.3f} {TIMES} {n_positives:g} positives / {divisor:g}"
        is_between = np.any(shaded.low)
        area = ax.fill_between(
            shaded.recall,
            shaded.low,
            shaded.high,
            facecolor=axes_colors(ax).models[1] if is_between else color,
            hatch="///" if is_between else None,
            alpha=0.3 if is_between else 0.25,
            linewidth=0.0,
        )
        mark_detail(area, label)


def _mean_line(lines: Sequence[Line], weights: Float) -> Line:
    """Average lines at each recall; the area under the mean is the mean of the areas.

    A line is 0 beyond its last recall. ``weights`` add up to 1.
    """
    grid = np.unique(np.concatenate([[0.0, 1.0], *(recall for recall, _ in lines)]))
    # Between two recalls of the grid each line is straight, also where it jumps at them. So it is
    # interpolated just inside the ends of each piece: arrays of shape (n_pieces, 2).
    ends = np.column_stack((grid[:-1], grid[1:]))
    inside = np.nextafter(ends, ends[:, ::-1])
    heights = np.zeros(ends.shape)
    for (recall, precision), weight in zip(lines, weights, strict=True):
        if recall.size:
            heights += weight * np.interp(inside, recall, precision, left=0.0, right=0.0)
    # Nothing is drawn beyond the last recall that any line reaches.
    n_drawn = np.flatnonzero(heights.any(axis=1)).max(initial=-1) + 1
    return ends[:n_drawn].ravel(), heights[:n_drawn].ravel()


def _rest_beyond(curve: Line, part: Line) -> Line:
    """Return the part of a curve beyond the last recall of another curve.

    It begins at that recall, and is empty if the curve does not go further.
    """
    recall, precision = curve
    part_recall, _ = part
    end = part_recall.max(initial=0.0)
    first = np.searchsorted(recall, end, side="right")
    rest_recall = recall[first:]
    rest_precision = precision[first:]
    if not rest_recall.size:
        return rest_recall, rest_precision
    return np.append(end, rest_recall), np.append(rest_precision[0], rest_precision)


def _area(line: Line) -> float:
    """Compute the area under a line. Lines of equal area count as the same."""
    recall, precision = line
    return float(np.trapezoid(precision, recall))


def draw_chance_level(ax: Axes, curves: DrawnRankings, options: Options) -> Artist | None:
    """Draw the mean level of random orders, up to the mean recall of their rows or top k rows.

    Levels that are close share a line. All lines share a row of the legend, which gives the range.
    """
    is_defined = ~np.isnan(curves.raw_values) & (curves.shares > 0)
    defined_rankings = np.flatnonzero(is_defined).tolist()
    if not defined_rankings:
        return None
    definition = _area_definition(curves.definition)
    if curves.counts[0].fps.dtype.kind == "f":  # weighted rows have no order
        name = "prevalence:"
        chances = [_weighted_chance(curves.counts_at_prevalence[i]) for i in defined_rankings]
    else:
        name = "random order:" + (" step AP" if definition is not curves.definition else "")
        chances = _chances_of_orders(definition, [curves.counts[i] for i in defined_rankings])
    # Rankings without positives count as 0, and have no recall at which a line could end.
    shares = curves.shares[defined_rankings]
    scores = np.array([chance.score for chance in chances])
    precisions = np.array([chance.precision for chance in chances])
    recalls = np.array([chance.recall for chance in chances])
    end = float(shares @ recalls / shares.sum())
    level = float(shares @ (precisions * recalls)) / end if end else 0.0
    line = draw_reference(ax, ([0, end], [level, level]), options)
    first = find_artists(ax, "reference")[0]
    levels = [*getattr(first, SHARED_LEVELS, ()), float(shares @ scores)]
    setattr(first, SHARED_LEVELS, levels)
    if "label" not in options:
        limits = dict.fromkeys(f"{value:#.2g}" for value in (min(levels), max(levels)))
        first.set_label(f"{name} {' to '.join(limits)}")
    return line


def _area_definition(definition: Definition) -> Definition:
    """Return the definition, or step AP if the definition scores a point and has no area."""
    # A definition at a prevalence wraps another definition.
    wrapped: Definition = getattr(definition, "definition", definition)
    is_point = isinstance(wrapped, PrecisionAtRecall | RecallAtPrecision)
    return at_prevalence(Step(), definition.prevalence) if is_point else definition


def _chances_of_orders(definition: Definition, rankings: list[ThresholdCounts]) -> list[_Chance]:
    """Average over all orders of the rows, which are all retrieved."""
    permuted = [_permuted_ranking(counts) for counts in rankings]
    means = means_by_chance(definition, permuted)
    return [
        _chance_of_orders(definition, ranking, mean)
        for ranking, mean in zip(permuted, means, strict=True)
    ]


def _chance_of_orders(definition: Definition, ranking: PermutedRanking, mean: float) -> _Chance:
    n_rows = ranking.n_rows
    n_positives = ranking.n_positives
    depth = None if definition.depth is None else ranks_of_rows(definition.depth, n_rows)
    expected_hits = n_positives * min(depth or n_rows, n_rows) / n_rows
    total = mean * ranking.n_all_positives
    if depth is not None:  # the divisor may be the hits, which differ from order to order
        total = precisions_by_chance(None, n_rows, n_positives, depth)
    precision = total / expected_hits if expected_hits else 0.0
    return _Chance(mean, precision, recall=expected_hits / ranking.n_all_positives)


def _weighted_chance(counts: ThresholdCounts) -> _Chance:
    """Return the level of the prevalence: rows of different weights have no random order."""
    size = _ranking_size(counts)
    prevalence = size.n_positives / size.n_rows if size.n_rows else 0.0
    recall = size.n_positives / float(counts.n_positives[0])
    return _Chance(prevalence, prevalence, recall)


def _permuted_ranking(counts: ThresholdCounts) -> PermutedRanking:
    """Return the numbers of rows, at least one, and of positives among them, as whole numbers."""
    size = _ranking_size(counts)
    return PermutedRanking(
        ends=None,
        n_rows=round(size.n_rows) or 1,
        n_positives=round(size.n_positives),
        n_all_positives=counts.n_positives[0].item(),
    )


class _RankingSize(NamedTuple):
    """The weight of all rows, and of the positives among them."""

    n_rows: float
    n_positives: float


def _ranking_size(counts: ThresholdCounts) -> _RankingSize:
    n_unscored = 0.0 if counts.n_unscored is None else float(counts.n_unscored[0])
    n_positives = float(counts.n_positives[0]) - n_unscored
    return _RankingSize(n_positives + float(counts.n_negatives[0]), n_positives)
