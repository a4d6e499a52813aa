"""The precision-recall curve, as a definition of average precision integrates it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._counts.counting import count, threshold_counts
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._errors import InputError
from sklearn_ap._extras import import_extra
from sklearn_ap._inputs.arrays import check_same_order, n_dimensions, n_rows_of
from sklearn_ap._inputs.estimators import RAW_SCORES, ResponseMethod, predict
from sklearn_ap._inputs.labels_and_scores import check_weights
from sklearn_ap._inputs.options import Average
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._scoring import check_definition, warn_of_scores
from sklearn_ap._types import (
    Array,
    Axes,
    Estimator,
    Float,
    Keywords,
    Label,
    Line2D,
    Name,
    RowData,
)
from sklearn_ap._writing.text import printable
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._prevalence import at_prevalence
from sklearn_ap.displays._displayed_rankings import Points, score_rankings
from sklearn_ap.displays._drawing import (
    MEAN_WIDTH,
    Artist,
    Limits,
    LineOption,
    Names,
    add_curve,
    draw_chance_levels,
    draw_legend,
    draw_members,
    escape_dollars,
    line_styles,
    mean_line,
    write_row_of_mean,
    write_rows,
)
from sklearn_ap.inference.folds.fold_predictions import (
    FoldPredictions,
    check_rows_of_folds,
    predict_folds,
)
from sklearn_ap.inference.interval import Interval, average_precision_interval

MOST_NAMED = 12  # classes or labels that have a colour and a row of the legend each
MOST_MEMBERS = 100  # rankings that are drawn behind their mean


@dataclass(eq=False, repr=False)
class AveragePrecisionDisplay:
    """The precision-recall curve as a definition of average precision integrates it.

    ``from_estimator``, ``from_predictions`` and ``from_cv_results`` make a display and draw it. The
    area under the curve is the score in the legend. For recall levels the score is the mean height
    at these. With another divisor than the positives, as at k, the score is the area, times the
    number of positives, over the divisor.

    Parameters
    ----------
    counts : ThresholdCounts or list of ThresholdCounts
        The counts of one or several rankings, such as classes, queries or folds.
    definition : Definition or str, default=Step()
        From ``sklearn_ap.definitions``, such as ``AtK(20)`` or ``Interpolated(11)``.
    prevalence : float, default=None
        The prevalence where you deploy, as in ``average_precision_score``. None uses that of
        ``counts``.
    name : str or list of str, default=None
        The name in the legend, such as that of a model. With a list of names, one for each ranking,
        each has a colour and a row of the legend. Otherwise several rankings are thin curves behind
        a thick one, which is their mean; more than 100 are not drawn.
    pos_label : int, float, bool or str, default=None
        The positive label, which the labels of the axes name.
    interval : Interval, default=None
        The interval of the score of these counts, for the legend.
    unit : str, default="rankings"
        What the rankings are, such as "queries", for the row of their mean in the legend.

    Attributes
    ----------
    line_ : matplotlib Line2D or list of these
        The curve; a list for several rankings, unless only their mean is drawn.
    mean_ : matplotlib Line2D or None
        The mean curve of several rankings, or that of the pool of folds.
    chance_level_ : matplotlib Line2D, list of these or None
        The line at the prevalence; a list if named rankings differ in prevalence.
    ax_ : matplotlib Axes
        The axes with the curve.
    figure_ : matplotlib Figure
        The figure of the axes.

    See Also
    --------
    sklearn.metrics.PrecisionRecallDisplay : The curve without a definition.
    hit_curve : How many positives are found as more items are looked at.

    Notes
    -----
    The dotted line is the precision of random scores, which is the prevalence. Displays of the same
    prevalence on the same axes share it. A definition of your own is drawn by its heights, without
    this line, unless it sets ``draws_precision``.

    The legend is below the axes in figures that the display makes, and in yours with
    ``layout="constrained"``, unless it has more than 15 rows.

    Rankings without positives count as 0, with a warning, as in the scores.

    To change ``definition`` or ``prevalence`` later, use ``dataclasses.replace``, with
    ``interval=None`` if there is an interval, which is of the first score.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import AveragePrecisionDisplay
    >>> rng = np.random.default_rng(0)
    >>> y_true = (rng.random(2000) < 0.05).astype(int)
    >>> y_score = 2 * y_true + rng.normal(size=2000)
    >>> AveragePrecisionDisplay.from_predictions(y_true, y_score, confidence_level=0.95)
    AveragePrecisionDisplay(step AP = 0.52 (0.41 to 0.62))
    """

    counts: ThresholdCounts | list[ThresholdCounts]
    _: KW_ONLY
    definition: Definition | str = Step()
    prevalence: float | None = None
    name: str | list[str] | None = None
    pos_label: Label = None
    interval: Interval | None = None
    unit: str = "rankings"
    _weights: Array | None = None  # of rankings, in their mean
    _draws_members: bool = True  # behind their mean, if these are not too many
    _pool: ThresholdCounts | None = None  # of folds, which is drawn in the place of their mean

    def __post_init__(self) -> None:
        definition = at_prevalence(check_definition(self.definition), self.prevalence)
        if self.interval is not None:
            sample = self.interval.sample
            found = None  # where papers do not tell
            if isinstance(sample.definition, Definition):
                found = at_prevalence(sample.definition, sample.target_prevalence)
            if found is not None and found != definition:
                raise InputError(f"interval is of {found.title}, not of {definition.title}.")
        self._rankings = score_rankings(self.counts, definition, self.prevalence, self._weights)
        self._draws_members &= len(self._rankings) <= MOST_MEMBERS
        self._write_legend(self.name)  # refuses other numbers of names

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        definition: Definition | str | None = None,
        average: Average = None,
        pos_label: Label = None,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        queries: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        n_positives: ArrayLike | None = None,
        prevalence: float | None = None,
        confidence_level: float | None = None,
        drop_intermediate: bool = False,  # noqa: ARG003 for calls of scikit-learn
        name: str | list[str] | None = None,
        ax: Axes | None = None,
        **options: LineOption,
    ) -> Self:
        """Draw the curve of labels and scores.

        Parameters
        ----------
        y_true, y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
            Labels and scores, as in ``average_precision_score``.
        definition : Definition or str, default=None
            From ``sklearn_ap.definitions``, such as ``AtK(20)``, as in ``average_precision_score``.
        average : {"macro", "weighted", "micro", "samples"} or None, default=None
            For several columns or queries: "macro", "weighted" and "samples" draw the mean curve,
            "micro" that of all cells. None draws one curve per column; of more than 12 columns, and
            of queries, it draws the mean curve with the others behind it.
        pos_label, labels, sample_weight, queries, clusters, n_positives, prevalence : optional
            As in ``average_precision_score``.
        confidence_level : float, default=None
            The level of an interval of the score in the legend, such as 0.95 for 95%, as
            ``average_precision_interval`` computes it, from the clusters if there are any.
        drop_intermediate : bool, default=False
            Ignored, so that calls of scikit-learn's display run as they stand.
        name : str or list of str, default=None
            The name in the legend; a list names each ranking.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        **options : dict
            Options of ``plot``, such as ``plot_chance_level``, ``despine`` and those of the curve.

        Returns
        -------
        AveragePrecisionDisplay
            With the picture drawn.
        """
        definition = check_definition(definition, y_score)
        request = Request(
            y_true=y_true,
            y_score=y_score,
            average=average,
            pos_label=pos_label,
            labels=labels,
            sample_weight=sample_weight,
            queries=queries,
            n_positives=n_positives,
            prevalence=prevalence,
            clusters=clusters,
        )
        rankings = check_rankings(request)
        counts = count(rankings)
        names = _names_of_rankings(request, rankings.names, name)
        interval = None
        if confidence_level is not None:
            has_limits_each = n_dimensions(names) and average not in ("micro", "samples")
            shown_average = None if has_limits_each else average or "macro"
            # The display itself warns of scores that are not defined.
            shown = replace(request, average=shown_average, zero_division=0.0)
            interval = _interval_of_request(shown, definition, confidence_level)
        unit = "rows" if average == "samples" else "columns"
        display = cls(
            counts,
            definition=definition,
            prevalence=prevalence,
            name=names,
            pos_label=pos_label,
            interval=interval,
            unit=unit if queries is None else "queries",
            _weights=rankings.weight_in_average(counts.n_positives),
            _draws_members=average is None,
        )
        if interval is None:  # whose function warns of its scores
            scored = display._rankings
            warn_of_scores(scored.definition, counts, scored.scores, rankings)
        return display.plot(ax, **options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RowData,
        y: ArrayLike,
        *,
        response_method: ResponseMethod = RAW_SCORES,
        pos_label: Label = None,
        definition: Definition | str | None = None,
        sample_weight: ArrayLike | None = None,
        name: str | list[str] | None = None,
        ax: Axes | None = None,
        **options: LineOption,
    ) -> Self:
        """Draw the curve of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            A classifier, or a regressor or ranker, whose ``predict`` gives the scores.
        X, y : array-like of shape (n_samples, ...)
            The rows to rank, and their labels.
        response_method : str or tuple of str, default=("decision_function", "predict_proba")
            The method that gives the scores. Of several, the first that the estimator has, in the
            order of scikit-learn's scorers, so that a picture and a score agree; "auto" takes
            probabilities first, as scikit-learn's displays do.
        pos_label : int, float, bool or str, default=None
            The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
        definition, sample_weight : optional
            As in ``from_predictions``.
        name : str or list of str, default=None
            The name in the legend; None for the name of the estimator's class, if it gives one
            ranking.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        **options : dict
            Other options of ``from_predictions``, such as ``queries`` and those of the curve.

        Returns
        -------
        AveragePrecisionDisplay
            With the picture drawn.
        """
        options |= {"definition": definition, "sample_weight": sample_weight, "ax": ax}
        check_same_order(X=X, **options)
        labels = options.pop("labels", None)
        predictions = predict(estimator, X, y, pos_label, response_method, labels)
        if name is None and np.ndim(predictions["y_score"]) == 1:
            name = type(estimator).__name__
        predictions.setdefault("labels", labels)
        return cls.from_predictions(**options, **predictions, name=name)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, object],
        X: RowData,
        y: ArrayLike,
        *,
        definition: Definition | str | None = None,
        prevalence: float | None = None,
        sample_weight: ArrayLike | None = None,
        drop_intermediate: bool = True,  # noqa: ARG003 as in from_predictions
        ax: Axes | None = None,
        response_method: ResponseMethod = RAW_SCORES,
        pos_label: Label = None,
        name: str | list[str] | None = None,
        chance_level_kwargs: Keywords | None = None,
        **options: LineOption,
    ) -> Self:
        """Draw the curves of the folds of a cross-validation behind that of their pool.

        The score is that of all test rows as one sample. The legend also gives the mean over folds,
        which is too high if folds have few positives. If folds test a row more than once, as
        repeated ones do, there is no pool, and the thick curve is their mean.

        Parameters
        ----------
        cv_results : dict
            What ``cross_validate`` returns, with ``return_estimator=True`` and
            ``return_indices=True``.
        X, y : array-like of shape (n_samples, ...)
            What was cross-validated, with binary labels.
        definition, prevalence, sample_weight, drop_intermediate, ax : optional
            As in ``from_predictions``.
        response_method, pos_label : optional
            As in ``from_estimator``.
        name : str or list of str, default=None
            The name in the legend; a list names each fold.
        chance_level_kwargs : dict, default=None
            The option ``chance_level_kw`` of ``plot``, as scikit-learn calls it here.
        **options : dict
            Other options of ``plot``, such as ``curve_kwargs``.

        Returns
        -------
        AveragePrecisionDisplay
            With the picture drawn.
        """
        predictions = FoldPredictions(cv_results, X, response_method=response_method)
        y = check_rows_of_folds(predictions, "y", y, sample_weight=sample_weight)
        weight = check_weights(sample_weight, n_rows_of("y", y))
        folds = [
            fold
            for fold in predict_folds(predictions, y, pos_label)
            if weight is None or weight[fold.rows].any()  # others are as if they were not there
        ]
        samples = [(fold.y_true, fold.y_score, fold.rows) for fold in folds]
        y_trues, y_scores, rows = (
            np.concatenate(columns) for columns in zip(*samples, strict=True)
        )
        if np.unique(rows).size == rows.size:
            samples.append((y_trues, y_scores, rows))
        counts = [
            threshold_counts(
                y_true,
                y_score,
                pos_label=folds[0].pos_label,
                sample_weight=None if weight is None else weight[tested],
            )
            for y_true, y_score, tested in samples
        ]
        display = cls(
            counts[: len(folds)],
            definition=check_definition(definition),
            prevalence=prevalence,
            name=name,
            pos_label=pos_label,
            unit="folds",
            _pool=counts[-1] if len(counts) > len(folds) else None,
        )
        chance: Keywords = {}
        if chance_level_kwargs is not None:
            chance["chance_level_kw"] = chance_level_kwargs
        return display.plot(ax, **options, **chance)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | list[str] | None = None,
        plot_chance_level: bool = True,
        chance_level_kw: Keywords | None = None,
        despine: bool = False,
        curve_kwargs: Keywords | list[Keywords] | None = None,
        **options: LineOption,
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        name : str or list of str, default=None
            The name in the legend; None for that of the display.
        plot_chance_level : bool, default=True
            Whether to draw the prevalence, which is the precision of random scores.
        chance_level_kw : dict, default=None
            Options of matplotlib's ``plot`` for the line at the prevalence.
        despine : bool, default=False
            Whether to leave out the top and the right edge of the axes.
        curve_kwargs : dict or list of dict, default=None
            Options of matplotlib's ``plot`` for the curve, as in scikit-learn's displays. A list
            has one for each ranking, which then has a row of the legend.
        **options : dict
            Options of matplotlib's ``plot`` for the curve, such as ``alpha``.

        Returns
        -------
        AveragePrecisionDisplay
            This one, as of scikit-learn's displays. Its ``ax_`` and ``figure_`` hold the picture.
        """
        names: Names = self.name if name is None else name
        if isinstance(curve_kwargs, list) and self._shares_a_row(names):
            names = _list_names(names) * len(self._rankings)
        labels = self._write_legend(names)
        styles = line_styles(curve_kwargs, options, len(labels))
        lines = self._rankings.lines()
        chance_levels = self._rankings.prevalences
        if ax is None:
            plt = import_extra("matplotlib.pyplot", "A picture", "plot")
            ax = plt.subplots(layout="constrained")[1]
        if self._shares_a_row(names):
            self._draw_mean(ax, lines, labels[0], styles[0])
            chance_levels = np.array([self._rankings.mean(chance_levels)])
        else:
            self._draw_each(ax, lines, labels, styles)
        self.chance_level_: Artist = None
        if plot_chance_level and self._rankings.definition.draws_precision:
            self.chance_level_ = draw_chance_levels(ax, chance_levels, chance_level_kw or {})
        self._set_axes(ax)
        if despine:
            ax.spines[["top", "right"]].set_visible(False)
        draw_legend(ax)
        self.ax_ = ax
        self.figure_ = ax.figure
        return self

    @property
    def precision(self) -> Float | list[Float]:
        """The precision at each score of a positive, and 1; as ``average_precision``."""
        return self._curves(lambda counts: np.append(counts.precision[::-1], 1.0))

    @property
    def recall(self) -> Float | list[Float]:
        """The recall at these, from 1 to 0; as ``average_precision``."""
        return self._curves(lambda counts: np.append(counts.recall[::-1], 0.0))

    def _curves(self, curve: Callable[[ThresholdCounts], Float]) -> Float | list[Float]:
        """Return an array of each ranking; of one, the array itself."""
        counts = self._rankings.counts
        if self._pool is not None and not self._draws_members:
            counts = [self._pool]
        arrays = [*map(curve, counts)]
        return arrays if len(arrays) > 1 else arrays[0]

    @property
    def average_precision(self) -> float | list[float]:
        """The score of each curve.

        It is a list for several rankings, unless only their mean, or the pool of folds, is drawn.
        """
        if self._shares_a_row(self.name) and not self._draws_members:
            pooled = self.pooled_average_precision
            return self._rankings.mean(self._rankings.scores) if pooled is None else pooled
        scores: list[float] = self._rankings.scores.tolist()
        return scores if len(scores) > 1 else scores[0]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'; '.join(self._write_legend(self.name))})"

    @property
    def pooled_average_precision(self) -> float | None:
        """The score of all test rows of folds as one sample; None without such a pool."""
        if self._pool is None:
            return None
        return float(self._rankings.definition.values(self._pool).item())

    def _shares_a_row(self, name: Names) -> bool:
        """Check whether several rankings share a row of the legend, which is that of their mean."""
        return len(self._rankings) > 1 and not n_dimensions(name)

    def _write_legend(self, name: Names) -> list[str]:
        """Write the rows of the legend."""
        limits: Sequence[Limits] = [None] * len(self._rankings)
        if self.interval is not None:
            limits = [*zip(np.ravel(self.interval.low), np.ravel(self.interval.high), strict=True)]
        names = _list_names(name)
        if self._shares_a_row(name):
            pooled = self.pooled_average_precision
            return [write_row_of_mean(self._rankings, names[0], self.unit, limits, pooled)]
        return write_rows(self._rankings, names, limits)

    def _set_axes(self, ax: Axes) -> None:
        """Name the axes, and set their limits around all lines."""
        label = escape_dollars(printable(str(self.pos_label)))
        positive = "" if self.pos_label is None else f" (Positive label: {label})"
        height = "Precision" if self._rankings.definition.draws_precision else "Height"
        ax.set(xlabel=f"Recall{positive}", ylabel=f"{height}{positive}")
        highest = max([1.0, *(np.max(line.get_ydata(), initial=0.0) for line in ax.lines)])
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.05 * highest))

    def _draw_each(
        self, ax: Axes, lines: list[Points], labels: list[str], styles: list[Keywords]
    ) -> None:
        """Draw each ranking in a colour of its own."""
        curves = [add_curve(ax, *each) for each in zip(lines, labels, styles, strict=True)]
        self.line_: Artist = curves if len(curves) > 1 else curves[0]
        self.mean_: Line2D | None = None

    def _draw_mean(self, ax: Axes, lines: list[Points], label: str, style: Keywords) -> None:
        """Draw the mean of the rankings, and these behind it if they are few."""
        shares = self._rankings.shares
        weighted = np.flatnonzero(shares)
        pooled = None if self._pool is None else self._rankings.definition.line(self._pool)
        line = pooled or mean_line([lines[i] for i in weighted], shares[weighted])
        mean = add_curve(ax, line, label, {"linewidth": MEAN_WIDTH} | style)
        self.mean_ = self.line_ = mean
        if self._draws_members:
            self.line_ = draw_members(ax, lines, mean)


def _list_names(name: Names) -> list[str | None]:
    return np.array(name, object).ravel().tolist()


def _interval_of_request(
    request: Request, definition: Definition, confidence_level: float
) -> Interval:
    """Compute the interval of the score that is asked for."""
    options: dict[str, Any] = {each.name: getattr(request, each.name) for each in fields(request)}
    return average_precision_interval(
        **options, definition=definition, confidence_level=confidence_level
    )


def _names_of_rankings(
    request: Request, columns: Sequence[Name] | None, name: str | list[str] | None
) -> str | list[str] | None:
    """Add the class or the label to the name of each column, unless they are many."""
    if request.queries is not None or request.n_columns == 1 or n_dimensions(name):
        return name
    if request.average == "micro":
        return "micro-average" if name is None else f"{name}, micro-average"
    if request.average is not None or request.n_columns > MOST_NAMED:
        return name
    if columns is None:
        columns = [f"label {i}" for i in range(request.n_columns)]
    elif n_dimensions(request.y_true) == 1:
        columns = [f"class {column}" for column in columns]
    return [f"{column}" if name is None else f"{name}, {column}" for column in columns]
