"""Rankings under one definition, on one axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions.base import steps
from sklearn_ap.display.canvas import (
    Key,
    draw_detail,
    draw_level,
    draw_model,
    faint,
    mark_color,
    n_models,
)
from sklearn_ap.display.chance import chance_level, reachable_recall
from sklearn_ap.display.rankings import Line, mean_line
from sklearn_ap.intervals import AveragePrecisionInterval

__all__ = ["Drawn", "Panel"]

TIMES = "\N{MULTIPLICATION SIGN}"
FEW_POINTS = 30  # operating points that are marked
FEW_MEMBERS = 100  # rankings that are drawn behind their mean


@dataclass
class Drawn:
    """The lines on one axis: of each ranking, of their mean, and the samples of each."""

    lines: list[Any]
    samples: list[Any]
    mean: Any = None


@dataclass(frozen=True, eq=False)
class Panel:
    """Rankings, the weight of each in their mean, and the definition that integrates them."""

    rankings: Sequence[ThresholdCounts]
    definition: Definition
    weights: NDArray[np.float64]
    unit: str
    interval: AveragePrecisionInterval | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.definition, Definition):
            raise TypeError(
                f"definition must be one of sklearn_ap.definitions, such as Step() or AtK(20), or "
                f"a list of them, got {self.definition!r}."
            )

    @cached_property
    def lines(self) -> list[Line]:
        """The curve of each ranking."""
        lines = [self.definition.line(counts) for counts in self.rankings]
        known = [line for line in lines if line is not None]
        if len(known) < len(lines):
            raise ValueError(f"{self.definition!r} has no line to draw: its value is not an area.")
        return known

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The score of each ranking, nan without positives."""
        return np.array([self.definition(counts)[0] for counts in self.rankings])

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """What each ranking contributes to the mean: nothing without positives."""
        known = np.where(np.isnan(self.values), 0.0, self.weights)
        return known / known.sum() if known.any() else known

    def key(self, i: int, name: str | None) -> Key:
        """What the legend says of one ranking."""
        value = f"{self.values[i]:.3f}"
        if self.interval is not None:
            found = self.interval
            limits = np.atleast_1d(found.low)[i], np.atleast_1d(found.high)[i]
            value = _with_limits(self.values[i], *limits)
        return Key(name, self.definition.title, value)

    def mean_key(self, name: str | None) -> Key:
        """What the legend says of the mean of all rankings."""
        known = self.shares > 0
        n = np.count_nonzero(known)
        values, shares = self.values[known], self.shares[known]
        mean = np.sum(values * shares) if n else np.nan
        spread = np.sqrt(np.sum((values - mean) ** 2 * shares)) if n else np.nan
        of = f"{n}" if n == known.size else f"{n} of {known.size}"
        name = ", ".join(filter(None, (name, f"mean of {of} {self.unit}")))
        value = f"{mean:.3f} ± {spread:.3f}"
        if self.interval is not None:
            value = _with_limits(mean, self.interval.low, self.interval.high)
        return Key(name, self.definition.title, value)

    def draw_each(
        self, axis: Any, names: Sequence[str | None], options: Sequence[dict[str, Any]]
    ) -> Drawn:
        """Draw each ranking as a model of its own."""
        lines = [
            draw_model(axis, line, self.key(i, names[i]), options[i])
            for i, line in enumerate(self.lines)
        ]
        colors = [line.get_color() for line in lines]
        samples = [self._draw_samples(axis, i, color) for i, color in enumerate(colors)]
        if len(lines) == 1:
            self._draw_details(axis, colors[0])
        return Drawn(lines, samples)

    def draw_mean(
        self, axis: Any, name: str | None, options: dict[str, Any], *, members: bool
    ) -> Drawn:
        """Draw the mean of all rankings, and each of them thinly behind it, if they are few."""
        known = np.flatnonzero(self.shares)
        curve = mean_line([self.lines[i] for i in known], self.shares[known])
        mean = draw_model(axis, curve, self.mean_key(name), options)
        drawn = Drawn([], [], mean)
        if members and len(self.lines) <= FEW_MEMBERS:
            alpha = faint(axis, float(np.clip(4 / len(self.lines), 0.15, 0.6)))
            thin = {"color": mean.get_color(), "alpha": alpha, "lw": 0.9, "zorder": 1.5}
            drawn.lines = [axis.plot(*line, **thin, label="_")[0] for line in self.lines]
            every = range(len(self.lines))
            drawn.samples = [self._draw_samples(axis, i, mean.get_color()) for i in every]
        return drawn

    def draw_chance(self, axis: Any, options: dict[str, Any], *, named: bool) -> Any:
        """Draw what a random order gives, as far as the scored positives reach."""
        known = np.flatnonzero(self.shares)
        if not known.size:
            return None
        scored = [self.rankings[int(i)] for i in known]
        level = np.dot(self.shares[known], [chance_level(counts) for counts in scored])
        end = np.dot(self.shares[known], [reachable_recall(counts) for counts in scored])
        name, title = "random order:", Step().title
        if scored[0].tps.dtype.kind == "f":
            name = "share of positives:"
        elif self.definition.title != title:
            name = f"random order: {title}"
        return draw_level(axis, name, float(level), float(end), options, named=named)

    def _draw_samples(self, axis: Any, i: int, color: Any) -> Any:
        """Mark the precisions at recall levels, if the definition has some."""
        samples = self.definition.samples(self.rankings[i])
        if samples is None:
            return None
        marks = {"color": color, "markersize": 5, "zorder": 3, "linestyle": ""}
        (line,) = axis.plot(*samples, marker="D", **marks, label="_")
        if n_models(axis) == 1 and len(self.rankings) == 1:
            draw_detail(line, f"mean of {len(samples[0])} levels", stays=True)
        return line

    def _draw_details(self, axis: Any, color: Any) -> None:
        """Draw operating points where they are few, the steps where the line leaves them, shade."""
        (counts,) = self.rankings
        curve, whole = self.lines[0], steps(counts)
        left = _area(curve) != _area(whole)
        style = {"color": color, "linewidth": 1.0, "zorder": 1.2, "label": "_"}
        style["alpha"] = faint(axis, 0.55) if left else 1.0
        if left:
            axis.plot(*_beyond(whole, curve), **style)
        if counts.thresholds.size <= FEW_POINTS:
            recall = counts.tps / counts.n_positives
            axis.plot(recall, counts.precision, "o", markersize=4, **style)
        if n_models(axis) == 1:
            if left:
                draw_detail(axis.plot(*whole, **style)[0], "steps")
            self._draw_shade(axis, counts, color)

    def _draw_shade(self, axis: Any, counts: ThresholdCounts, color: Any) -> None:
        """Shade what the definition wants to be seen; hatch what lies above another line."""
        shade = self.definition.shade(counts)
        if shade is None:
            return
        label, divisor = shade.label, float(self.definition.divisor(counts)[0])
        if divisor != counts.n_positives[0]:
            label += f": {_area(self.lines[0]):.3f} {TIMES} {counts.n_positives[0]:g}/{divisor:g}"
        style = {"facecolor": color, "alpha": 0.25, "linewidth": 0.0}
        if np.any(shade.low):
            style |= {"facecolor": mark_color(axis, 1), "hatch": "///", "alpha": 0.3}
        draw_detail(axis.fill_between(shade.recall, shade.low, shade.high, **style), label)


def _with_limits(value: float, low: float, high: float) -> str:
    """As "0.72 [0.61, 0.81]": the third digit would pretend to a precision that is not there."""
    return f"{value:.2f} [{low:.2f}, {high:.2f}]"


def _beyond(whole: Line, part: Line) -> Line:
    """What lies beyond the last recall of a part, which stays when a second model comes."""
    recall, precision = whole
    end = part[0][-1] if part[0].size else 0.0
    if not recall.size or end >= recall[-1]:
        return recall[:0], precision[:0]
    first = np.searchsorted(recall, end, side="right")
    return np.append(end, recall[first:]), np.append(precision[first], precision[first:])


def _area(line: Line) -> float:
    """The area under a line, which tells whether two lines differ."""
    return float(np.trapezoid(line[1], line[0]))
