"""The picture of a report that has the curves of models, and the threshold of the page."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import floor

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap._base.common.types import Artist, Axes, Float
from sklearn_ap._base.drawing.axes import axes_colors
from sklearn_ap._base.drawing.direct_labels import (
    LineLabel,
    inner_size,
    label_lines,
    sampled_points,
)
from sklearn_ap._base.drawing.label_places import Boxes, nearest_free_place
from sklearn_ap._base.drawing.legend import (
    LINE_HEIGHT,
    draw_legend,
    shorten_name,
    size_in_points,
    text_width,
)
from sklearn_ap._base.drawing.lines_and_bands import (
    LABEL,
    Label,
    draw_reference,
    find_artists,
)
from sklearn_ap._base.extras import printable
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.models.scores import weak_in_words
from sklearn_ap._program.report.page.near_labels import write_near_dot, write_near_level
from sklearn_ap._program.report.page.page import Cutoff, Part
from sklearn_ap._program.report.page.pictures import (
    HIGHEST_CAP,
    LEAST_BELOW,
    LEAST_START,
    POINTS_PER_INCH,
    TEXT_GREY,
    Picture,
    caption,
    limit_ticks,
    round_up,
)
from sklearn_ap._program.report.page.words import number
from sklearn_ap._questions.verdicts import Estimate, names_in_words
from sklearn_ap._scikit_learn.displays.average_precision import (
    AveragePrecisionDisplay,
    prepare_display,
    warn_of_undefined_scores,
)
from sklearn_ap.definitions import PrecisionAtRecall

HEIGHT = 2.8  # inches
MAIN_WIDTH = 2.2  # points of the line of the model that the part is about
OTHER_WIDTH = 1.1
HALF = 0.5  # the recall of the finding
RECALLS = 0.25, 0.5, 0.75, 0.9  # of the table, and of intervals where there is no band
# The axis ends above the highest precision, by this factor, if that is below half of it. The
# precision of the first ranks, which is that of a few rows, lies on the left edge.
HEADROOM = 1.5
FIRST_RECALL = 0.02
FIRST_BAND_RECALL = 0.25
LABEL_SIZES = 1.0, 0.85  # shares of the font size of legends, the preferred one first
GUIDE = {"color": "0.7", "linewidth": 0.6, "zorder": 0.5}  # from the axis to what is told
OWN_ROOM = 3.0  # points around curves where no text stands
NAME_SHARE = 0.42  # of the width of the figure, for a text beside a curve


@dataclass(frozen=True, eq=False)
class _Curves:
    """The displays of models, their names with their scores, and the one that is drawn strongly."""

    displays: Sequence[AveragePrecisionDisplay]
    scores: Sequence[tuple[str, str]]
    main: str
    prevalence: float | None  # None over queries, whose random orders have another precision
    halves: Sequence[float] = ()  # the precision of each model at half of the positives
    limits: Sequence[tuple[float, Estimate]] = ()  # of the main model at some recalls

    def draw(self, ax: Axes, cutoff: Cutoff | None = None) -> None:
        """Draw the curves, each with its score beside it, or all scores where there is room."""
        for display in self.displays:
            with warnings.catch_warnings():  # other parts say which queries have no positive
                warnings.simplefilter("ignore", UndefinedMetricWarning)
                display.plot(ax, plot_chance_level=self.prevalence is None)
            if (legend := ax.get_legend()) is not None:
                legend.remove()
        ax.set_title("")
        if self.prevalence is not None:
            draw_reference(ax, ([0, 1], [self.prevalence] * 2), 0.0, "_", {})
        lines = find_artists(ax, "model")
        self._strengthen(lines)
        self._mark_halves(ax, lines)
        if cutoff is not None:
            self._mark(ax, lines, cutoff)
        marked = [] if cutoff is None else [cutoff.precision]
        if not _cap_precision(ax, max(marked, default=0.0), [*self._edges()]):
            _cut_precision(ax, [*marked, *(each.low for _, each in self.limits)], self._edges())
        limit_ticks(ax, "both")
        avoided = self._name_marks(ax, lines, cutoff)
        has_members = any(display.members for display in self.displays)
        if has_members or not (self._label(ax, lines, avoided) or self._stack(ax, lines, avoided)):
            self._list(ax, lines)

    def _strengthen(self, lines: Sequence[Artist]) -> None:
        """Draw the main curve solid and strong, and the others thin, with other dashes."""
        names = [display.name for display in self.displays]
        main = lines[names.index(self.main)]
        dashes = main.get_linestyle()
        for line in lines:
            line.set_linewidth(OTHER_WIDTH)
            if line.get_linestyle() == "-":
                line.set_linestyle(dashes)
        main.set(linewidth=MAIN_WIDTH, linestyle="-", zorder=2.5)

    def _mark_halves(self, ax: Axes, lines: Sequence[Artist]) -> None:
        """Draw what the finding says, and the intervals of the main curve without a band."""
        if self.halves:
            ax.plot([HALF, HALF], [0, max(self.halves)], **GUIDE, label="_")
        for line, (x, half) in zip(lines, self._half_points(lines), strict=False):
            ax.plot(x, half, "o", color=line.get_color(), markersize=4.0, zorder=2.6, label="_")
        names = [display.name for display in self.displays]
        main = lines[names.index(self.main)]
        for recall, estimate in self.limits:
            x = self._recall_of_best(main, recall)
            style = {"color": main.get_color(), "linewidth": 1.4, "label": "_"}
            ax.vlines(x, estimate.low, estimate.high, **style)

    def _half_points(self, lines: Sequence[Artist]) -> list[tuple[float, float]]:
        """Return the points of the curves that have the told precisions."""
        pairs = zip(lines, self.halves, strict=False)
        return [(self._recall_of_best(line, HALF), half) for line, half in pairs]

    def _recall_of_best(self, line: Artist, recall: float) -> float:
        """Return where a curve has its highest precision at a recall or beyond it.

        A mean of several curves need not have it anywhere.
        """
        if self.prevalence is None:
            return recall
        points = line.get_xydata()
        beyond = points[points[:, 0] >= recall * (1 - RELATIVE_TOLERANCE)]
        return float(beyond[np.argmax(beyond[:, 1]), 0]) if beyond.size else recall

    def _mark(self, ax: Axes, lines: Sequence[Artist], cutoff: Cutoff) -> None:
        """Draw the threshold of the page on the curve of its model."""
        for display, line in zip(self.displays, lines, strict=True):
            if display.name == cutoff.model:
                ax.plot(
                    cutoff.recall,
                    cutoff.precision,
                    "o",
                    color=line.get_color(),
                    markeredgecolor=axes_colors(ax).ink,  # unlike the points of short curves
                    markersize=7.0,
                    zorder=3,
                    label="_",
                )

    def _name_marks(self, ax: Axes, lines: Sequence[Artist], cutoff: Cutoff | None) -> list[Float]:
        """Name the threshold and random orders; return what other texts must not cover."""
        avoided = [np.array([[x, each.low], [x, each.high]]) for x, each in self.limits]
        avoided += [np.array([point]) for point in self._half_points(lines)]
        if cutoff is not None:
            dot = cutoff.recall, cutoff.precision
            names = [display.name for display in self.displays]
            color = lines[names.index(cutoff.model)].get_color()
            text = f"threshold {cutoff.printed}"
            avoided += [np.array([dot]), write_near_dot(ax, text, color, dot, avoided)]
        (dotted,) = find_artists(ax, "reference")
        level = float(dotted.get_ydata()[0])
        name = f"{'random order' if self.prevalence is None else 'prevalence'} {number(level)}"
        return [*avoided, write_near_level(ax, name, TEXT_GREY, level, avoided)]

    def _label(self, ax: Axes, lines: Sequence[Artist], marked: Sequence[Float]) -> bool:
        """Write the scores beside the curves; False if there is no room."""
        edges = [*self._edges()]
        dotted = [each.get_xydata() for each in find_artists(ax, "reference")]
        for share, is_hard in product(LABEL_SIZES, (True, False)):
            size = share * size_in_points("legend.fontsize")
            texts = self._texts(ax, size)
            labels = [
                LineLabel(line, text, line.get_color())
                for line, text in zip(lines, texts, strict=True)
            ]
            avoided, background = (dotted, edges) if is_hard else ([], [*dotted, *edges])
            if label_lines(ax, labels, size, [*marked, *avoided], background):
                return True
        return False

    def _texts(self, ax: Axes, size: float) -> list[str]:
        """Write the name and the score of each model, as wide as there is room."""
        room = NAME_SHARE * POINTS_PER_INCH * ax.figure.get_size_inches()[0]
        return [shorten_name(name, room, size, score) for name, score in self.scores]

    def _stack(self, ax: Axes, lines: Sequence[Artist], marked: Sequence[Float]) -> bool:
        """Write the scores below each other in the free upper right; False if there is no room."""
        font_size = LABEL_SIZES[-1] * size_in_points("legend.fontsize")
        texts = self._texts(ax, font_size)
        size = inner_size(ax)
        drawn = [line.get_xydata() for line in (*lines, *find_artists(ax, "reference"))]
        drawn += marked
        points = np.concatenate([sampled_points(ax, each, size) for each in drawn])
        height = LINE_HEIGHT * font_size
        extent = max(text_width(text, font_size) for text in texts), height * len(texts)
        corner = size.width, size.height
        place = nearest_free_place(
            (*corner, *corner), extent, 0.0, size, Boxes.around(points, OWN_ROOM)
        )
        if place is None:
            return False
        for i, (line, text) in enumerate(zip(lines, texts, strict=True)):
            middle = place[0], place[1] + height * (len(texts) - i - 0.5)
            written = ax.annotate(
                text,
                np.divide(middle, size),
                xycoords="axes fraction",
                va="center",
                color=line.get_color(),
                fontsize=font_size,
            )
            written.set_parse_math(False)
        return True

    def _edges(self) -> Iterator[Float]:
        """Return the edges of the bands."""
        for display in self.displays:
            if display.band is not None:
                _, band = display.band
                for edge in (band.low, band.high):
                    yield np.column_stack([band.recall, edge])

    def _list(self, ax: Axes, lines: Sequence[Artist]) -> None:
        """List the models in a legend."""
        for line, (name, score) in zip(lines, self.scores, strict=True):
            setattr(line, LABEL, Label(name, value=score.lstrip(", ")))
        for artist in [*find_artists(ax, "reference"), *find_artists(ax, "band")]:
            artist.set_label("_")  # the subject has it
        draw_legend(ax)
        ax.set_title("")


def curve_picture(data: Predictions, model: str, alt: str, *, has_band: bool) -> Picture:
    """Draw the curves of the shown models, with a band of the one that the part is about."""
    has_queries = "queries" in data.options
    title = "MAP" if has_queries else "AP"
    scores = [
        ("average precision", f" {number(data.values[name])}")
        if data.is_single_model
        else (printable(name), f", {title} {number(data.values[name])}")
        for name in data.shown_models
    ]
    halves = [data.estimate(PrecisionAtRecall(HALF), name).value for name in data.shown_models]
    limits = [] if has_band else _limits(data, model)
    curves = _Curves(
        _displays(data, model, has_band),
        scores,
        model,
        _prevalence(data),
        () if has_queries else halves,
        limits,
    )
    subject = _subject(data, curves)
    return Picture(curves.draw, HEIGHT, alt, finding=_finding(data, model), subject=subject)


def _limits(data: Predictions, model: str) -> list[tuple[float, Estimate]]:
    """Return the intervals of the precision of a model at the recalls of the table."""
    found = [(recall, data.estimate(PrecisionAtRecall(recall), model)) for recall in RECALLS]
    return [(recall, estimate) for recall, estimate in found if not np.isnan(estimate.low)]


def _displays(data: Predictions, model: str, band: bool) -> list[AveragePrecisionDisplay]:
    """Make the curves of the shown models, one with a band, and issue the warnings of each."""
    displays = []
    options = data.arguments(AveragePrecisionDisplay.from_predictions)
    level = options.pop("confidence_level")
    for name in data.shown_models:
        has_band = band and name == model  # two bands that overlap hide each other
        request = Request(y_true=data.y_true, y_score=data.y_scores[name], average=None, **options)
        display = prepare_display(
            AveragePrecisionDisplay,
            request,
            confidence_level=level if has_band else None,
            band=has_band,
            name=name,
        )
        # The curves of the queries of several models would hide their means.
        display.members = display.members and data.is_single_model and "queries" in options
        warn_of_undefined_scores(display)
        displays.append(display)
    return displays


def _prevalence(data: Predictions) -> float | None:
    """Return the precision of random orders; None over queries, of which each has its own."""
    if "queries" in data.options:
        return None
    return float(data.options.get("prevalence", data.own_prevalence))


def _finding(data: Predictions, model: str) -> str:
    """Write "At half of the positives, new reaches a precision of 0.54 and old 0.13".

    Over queries, this mean of what each reaches would not be on the curve, so scores are told.
    """
    if model == data.best_model and (weak := weak_in_words(data)):
        claim, _, _ = weak.partition(":")
        return claim
    names = [model, *(name for name in data.shown_models if name != model)]
    if "queries" in data.options:
        scores = [number(data.values[name]) for name in names]
        first = f"{data.subject if model == data.best_model else model} scores {scores[0]}"
        others = [f"{name} {score}" for name, score in zip(names[1:], scores[1:], strict=True)]
        return names_in_words([first, *others])
    values = [number(data.estimate(PrecisionAtRecall(HALF), name).value) for name in names]
    if len({*values}) == 1 < len(names):
        return f"At half of the positives, {names_in_words(names)} reach a precision of {values[0]}"
    others = [f"{name} {value}" for name, value in zip(names[1:], values[1:], strict=True)]
    first = f"{model} reaches a precision of {values[0]}"
    return f"At half of the positives, {names_in_words([first, *others])}"


def _subject(data: Predictions, curves: _Curves) -> str:
    """Say what the lines, the numbers beside them and the shade are."""
    mean = ""
    if "queries" in data.options:
        mean = f", the mean of {data.names_in_words('queries', 'query')}"
    prevalence = data.options.get("prevalence")
    at = "" if prevalence is None else f" at prevalence {prevalence:.3g}"
    owner = "" if data.is_single_model else f" of {curves.main}"
    bands = [display.band[0] for display in curves.displays if display.band is not None]
    drawn = ", ".join([f"Precision by recall{at}{mean}", *(f"{band}{owner}" for band in bands)])
    bars = f"bars: {data.interval_kind}s{owner}" if curves.limits else ""
    return caption(drawn, bars, data.sample)


def mark_threshold(parts: Sequence[Part]) -> list[Part]:
    """Mark the threshold of the page on the curve of its model, if it has both."""
    cutoff = next((part.cutoff for part in parts if part.cutoff is not None), None)
    return [
        replace(part, picture=_add_threshold(part.picture, cutoff))
        if cutoff is not None and part.name == "curve" and part.picture is not None
        else part
        for part in parts
    ]


def leave_out_single_score(parts: Sequence[Part]) -> list[Part]:
    """Leave out the picture of a single score beside a curve, as its heading says all of it."""
    has_curve = any(part.name == "curve" and part.picture is not None for part in parts)
    return [
        replace(part, picture=None) if has_curve and part.name == "score" else part
        for part in parts
    ]


def _add_threshold(picture: Picture, cutoff: Cutoff) -> Picture:
    shares = f"precision {number(cutoff.precision)}, recall {number(cutoff.recall)}"
    text = f"threshold {cutoff.printed}: {shares}"
    return replace(
        picture,
        draw=partial(picture.draw, cutoff=cutoff),
        alt=f"{picture.alt.removesuffix('.')}; {text}.",
    )


def _cut_precision(ax: Axes, marked: Sequence[float], edges: Iterable[Float]) -> None:
    """Begin the axis of precision at a round number where nothing is far below, and say so.

    The band stays on the axis, too, but for its first ranks, where it is wide.
    """
    lines = [*find_artists(ax, "model"), *find_artists(ax, "reference")]
    heights = [line.get_ydata().min() for line in lines]
    heights += [points[points[:, 0] >= FIRST_BAND_RECALL, 1].min(initial=1.0) for points in edges]
    start = floor(10 * (min(*heights, *marked, 1.0) - LEAST_BELOW)) / 10
    if start >= LEAST_START:
        top = ax.get_ylim()[1]
        ax.set_ylim(start, top)
        ax.set_ylabel(f"precision, from {start:g}")


def _cap_precision(ax: Axes, least: float, edges: Sequence[Float]) -> bool:
    """End the axis of precision at a round number where all curves stay far below 1, and say so.

    The band stays on the axis, too, but for its first ranks, where it is wide.
    """
    curves = [line.get_xydata() for line in find_artists(ax, "model")]
    drawn = [(points, FIRST_RECALL) for points in curves]
    drawn += [(points, FIRST_BAND_RECALL) for points in edges]
    highest = max(points[points[:, 0] >= first, 1].max(initial=least) for points, first in drawn)
    end = round_up(HEADROOM * highest)
    if end >= HIGHEST_CAP:
        return False
    ax.set_ylim(-0.02 * end, end)
    ax.set_ylabel(f"precision, up to {end:g}")
    return True
