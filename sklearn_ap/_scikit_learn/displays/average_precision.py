"""The precision-recall curve, as each definition of average precision integrates it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._base.drawing.axes import prepare_axes
from sklearn_ap._base.drawing.legend import draw_legend
from sklearn_ap._base.drawing.lines import Options, line_options
from sklearn_ap._counts.counting import threshold_counts
from sklearn_ap._counts.thresholds import ThresholdCounts, check_counts
from sklearn_ap._folds.models import predict
from sklearn_ap._inputs.arrays import check_numbers, check_same_order
from sklearn_ap._inputs.labels import check_targets
from sklearn_ap._inputs.rankings import Average
from sklearn_ap._inputs.request import Request
from sklearn_ap._questions.intervals.interval import (
    AveragePrecisionInterval,
    average_precision_interval,
)
from sklearn_ap._scikit_learn.displays._draw_curves import DrawnRankings, draw_chance_level
from sklearn_ap._scikit_learn.displays._from_estimator import (
    LabelledScores,
    ResponseMethod,
    labelled_folds,
    response_methods,
)
from sklearn_ap._scikit_learn.displays._other_names import explains_arrays, missing_attribute
from sklearn_ap._types import (
    Argument,
    Array,
    Axes,
    Estimator,
    Float,
    Keywords,
    Label,
    RowData,
)
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._names import check_definition
from sklearn_ap.definitions._prevalence import at_prevalence
from sklearn_ap.metrics import check_and_count

MOST_NAMED = 12  # columns that have a style and a row of the legend each
Item = TypeVar("Item")


@explains_arrays
@dataclass(eq=False, repr=False)
class AveragePrecisionDisplay:
    """The precision-recall curve as a definition of average precision integrates it.

    The area under the curve is the score in the legend. For eleven points and other recall levels
    it is the mean of the marked samples; at k the legend says by what the area is multiplied.

    Parameters
    ----------
    counts : ThresholdCounts or list of ThresholdCounts
        The counts of one or several rankings: folds, queries, classes.
    definition : Definition or list of Definition, default=Step()
        From ``sklearn_ap.definitions``, such as ``AtK(20)`` or ``Interpolated(11)``. Several
        definitions get axes side by side.
    prevalence : float, default=None
        The prevalence (proportion of positives) where you deploy, such as 0.01. Precision is then
        that of a population with this prevalence, in which the scores of each class are distributed
        as here. Each ranking gets this prevalence. None uses that of ``counts``.
    name : str or list of str, default=None
        The name in the legend, such as that of a model. With a list of names, one for each ranking,
        each ranking has a style of its own. Without a list, several rankings share a style, and the
        thick curve is their mean.
    weights : array-like of shape (n_rankings,), default=None
        The weight of each ranking in the mean; None for equal weights.
    members : bool, default=True
        Whether the rankings are drawn behind their mean, if there are at most 100.
    unit : str, default="rankings"
        The word for several rankings in the legend, such as "folds".
    intervals : AveragePrecisionInterval or list of these, default=None
        The interval of each score, or of their mean, for the legend; a list for several
        definitions.

    Attributes
    ----------
    line_ : matplotlib Line2D or list of these
        The curve; a list for several rankings. A list of either for several definitions.
    mean_ : matplotlib Line2D, None or list of these
        The curve of the mean of several rankings; a list for several definitions.
    samples_ : matplotlib Line2D, None or list of these
        The precisions at recall levels, if the definition has any; lists as for ``line_``.
    chance_level_ : matplotlib Line2D, None or list of these
        The line of random scores; a list for several definitions.
    ax_ : matplotlib Axes or ndarray of Axes
        An array for several definitions.
    figure_ : matplotlib Figure
        The figure of the axes.

    See Also
    --------
    sklearn.metrics.PrecisionRecallDisplay : The curve without a definition.
    hit_curve : How many positives are found as more items are looked at.

    Notes
    -----
    The title of the axes names the definition, unless you set another title. A figure of subplots
    without a layout engine gets the constrained one, which makes room for the legend.

    The dotted line is what random scores give: a random order of all rows without ties, also of
    the rows that were not retrieved. It ends at the recall that all rows, or the first k of them,
    reach on average. The area under it becomes the score in the legend as that under the curve
    does. It is the mean of all orders by a formula [1]_ for steps and at k, and otherwise the mean
    of some orders. With many rows it is the prevalence, which weighted rows get always, as
    they have no random order. ``chance_test`` keeps the places that were retrieved, and the ties,
    so it may give another number.

    Rankings without positives count as 0 in the mean, with a warning, as in the scores.

    References
    ----------
    .. [1] Bestgen (2015), "Exact expected average precision of the random baseline for system
       evaluation", The Prague Bulletin of Mathematical Linguistics 103, 131-138,
       https://doi.org/10.1515/pralin-2015-0007.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import AveragePrecisionDisplay
    >>> rng = np.random.default_rng(0)
    >>> y_true = (rng.random(2000) < 0.05).astype(int)
    >>> y_score = 2 * y_true + rng.normal(size=2000)
    >>> AveragePrecisionDisplay.from_predictions(y_true, y_score, confidence_level=0.95)
    AveragePrecisionDisplay(step AP = 0.52 [0.43, 0.61])
    """

    counts: ThresholdCounts | list[ThresholdCounts]
    _: KW_ONLY
    definition: Definition | list[Definition] = Step()
    prevalence: float | None = None
    name: str | list[str] | None = None
    weights: ArrayLike | None = None
    members: bool = True
    unit: str = "rankings"
    intervals: AveragePrecisionInterval[Any] | list[AveragePrecisionInterval[Any]] | None = None

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        definition: Definition | list[Definition] = Step(),
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
        ax: Axes = None,
        **options: Argument,
    ) -> Self:
        """Draw the curve of labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
            Binary labels, class labels, or multilabel indicators, where a cell of nan is left out.
        y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
            Probabilities or decision values, higher for positives; -inf for rows not retrieved.
        definition : Definition or list of Definition, default=Step()
            From ``sklearn_ap.definitions``, such as ``AtK(20)``.
        average : {"macro", "weighted", "micro", "samples"} or None, default=None
            For several columns or queries: "macro", "weighted" and "samples" draw the mean curve,
            "micro" that of all cells. None draws one curve per column, or the mean curve of the
            queries with that of each query behind it.
        pos_label : int, float, bool or str, default=None
            The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
        labels : array-like of shape (n_columns,), default=None
            The class of each column of ``y_score``. Pass it if ``y_true`` may lack a class.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight 2 counts a row twice, weight 0 not at all.
        queries : array-like of shape (n_samples,), default=None
            The query of each row: each query is a ranking of its own.
        clusters : array-like of shape (n_samples,), default=None
            The cluster of each row, such as the patient, for the interval in the legend.
        n_positives : float or array-like of shape (n_rankings,), default=None
            The number of all positives, in units of weight, if some were never scored. Pass one
            number for one ranking or "micro", otherwise one per column, row or query, by position.
        prevalence : float, default=None
            The prevalence (proportion of positives) where you deploy, such as 0.01. Precision is
            then that of a population with this prevalence, in which the scores of each class are
            distributed as here. Each ranking gets this prevalence. None uses that of ``y_true``.
        confidence_level : float, default=None
            The level of an interval of the score in the legend, such as 0.95 for 95%, as
            ``average_precision_interval`` computes it.
        drop_intermediate : bool, default=False
            For calls of scikit-learn. The curve is the same either way, because only thresholds of
            positives are drawn.
        name : str or list of str, default=None
            The name in the legend; a list names each ranking.
        ax : matplotlib Axes or array of Axes, default=None
            Where to draw, one for each definition; None for a new figure.
        **options : dict
            Options of ``plot``: ``plot_chance_level``, ``despine``, and those of the line.

        Returns
        -------
        AveragePrecisionDisplay
            With the picture drawn.
        """
        request = Request(
            y_true=y_true,
            y_score=y_score,
            average=average,
            pos_label=pos_label,
            labels=labels,
            sample_weight=sample_weight,
            queries=queries,
            clusters=clusters,
            n_positives=n_positives,
            prevalence=prevalence,
        )
        request = _apply_pos_label(request)
        rankings = _drawable_rankings(request, name)
        display = cls(
            rankings.counts,
            definition=definition,
            prevalence=request.prevalence,
            name=rankings.names,
            weights=rankings.weights,
            members=rankings.has_members,
            unit=rankings.unit,
        )
        if confidence_level is not None:
            display.intervals = [
                _compute_interval(request, one_definition, confidence_level, display.name)
                for one_definition in _as_list(definition)
            ]
        return display.plot(ax, **options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RowData,
        y: ArrayLike,
        *,
        response_method: ResponseMethod = "auto",
        pos_label: Label = None,
        name: str | None = None,
        **options: Argument,
    ) -> Self:
        """Draw the curve of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            Its ``decision_function`` gives the scores, or else its ``predict_proba``, or its
            ``predict`` if it has neither, such as regressors and rankers.
        X : array-like of shape (n_samples, n_features)
            The rows to rank.
        y : array-like of shape (n_samples,) or (n_samples, n_columns)
            Labels.
        response_method : {"auto", "decision_function", "predict_proba"}, default="auto"
            The method that gives the scores; "auto" for the first of them that the estimator has.
        pos_label : int, float, bool or str, default=None
            The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
        name : str, default=None
            The name in the legend; None for the name of the estimator's class, if it gives one
            ranking.
        **options : dict
            Options of ``from_predictions``, such as ``sample_weight``, ``ax`` and those of the
            line.

        Returns
        -------
        AveragePrecisionDisplay
            With the picture drawn.
        """
        check_same_order(X=X, **options)
        methods = response_methods(response_method, [estimator])
        predictions = predict(estimator, X, y, pos_label, methods, options.get("labels"))
        if name is None and np.ndim(predictions["y_score"]) == 1:
            name = type(estimator).__name__
        return cls.from_predictions(**(options | predictions), name=name)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Keywords,
        X: RowData,
        y: ArrayLike,
        *,
        response_method: ResponseMethod = "auto",
        pos_label: Label = None,
        sample_weight: ArrayLike | None = None,
        name: str | list[str] | None = None,
        **options: Argument,
    ) -> Self:
        """Draw the curves of the folds of a cross-validation, and their mean.

        Parameters
        ----------
        cv_results : dict
            What ``cross_validate`` returns, with ``return_estimator=True`` and
            ``return_indices=True``.
        X : array-like of shape (n_samples, n_features)
            What was cross-validated.
        y : array-like of shape (n_samples,)
            Binary labels.
        response_method : {"auto", "decision_function", "predict_proba"}, default="auto"
            The method that gives the scores; "auto" for the first of them that the models have.
        pos_label : int, float, bool or str, default=None
            The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight 2 counts a row twice, weight 0 not at all.
        name : str or list of str, default=None
            The name of the folds in the legend; a list names each precision-recall curve.
        **options : dict
            Options of ``from_predictions`` that are not about rows, such as ``ax``, ``definition``
            and ``prevalence``, and those of the line. ``chance_level_kwargs``, as scikit-learn
            calls it here, is the option ``chance_level_kw`` of ``plot``.

        Returns
        -------
        AveragePrecisionDisplay
            With the picture drawn.
        """
        folds = labelled_folds(cv_results, X, y, response_method, pos_label, sample_weight)
        return cls._from_folds(folds, name=name, **options)

    def plot(
        self,
        ax: Axes = None,
        *,
        name: str | list[str] | None = None,
        plot_chance_level: bool = True,
        chance_level_kw: Keywords | None = None,
        despine: bool = False,
        curve_kwargs: Keywords | list[Keywords] | None = None,
        **options: Argument,
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes or array of Axes, default=None
            Where to draw, one for each definition; None for a new figure.
        name : str or list of str, default=None
            The name in the legend; None for that of the display.
        plot_chance_level : bool, default=True
            Whether to draw what random scores give.
        chance_level_kw : dict, default=None
            Options of matplotlib's ``plot`` for the line of random scores.
        despine : bool, default=False
            Whether to leave out the top and the right edge of the axes.
        curve_kwargs : dict or list of dict, default=None
            Options of matplotlib's ``plot`` for the line, as in scikit-learn's displays. A list has
            one for each ranking, which then has a row of the legend.
        **options : dict
            Options of matplotlib's ``plot`` for the line, such as ``alpha``.

        Returns
        -------
        AveragePrecisionDisplay
            This one.
        """
        is_each_styled = isinstance(curve_kwargs, list | tuple)
        panels = self._panels(name, is_each_named=is_each_styled)
        panels[0].warn_of_undefined_scores()
        styles = _styles(curve_kwargs, options, len(panels[0].labels))
        chance_style = line_options(chance_level_kw or {})
        axes = prepare_axes(ax, len(panels))
        drawn_panels = []
        chance_levels = []
        for curves, axis in zip(panels, axes, strict=True):
            artists = curves.draw(axis, styles)
            level = draw_chance_level(axis, curves, chance_style) if plot_chance_level else None
            if despine:
                axis.spines[["top", "right"]].set_visible(False)
            axis.set(xlabel="recall", ylabel="precision", xlim=(-0.02, 1.02), ylim=(-0.02, 1.05))
            draw_legend(axis)
            drawn_panels.append(artists)
            chance_levels.append(level)
        is_list = isinstance(self.definition, list | tuple)
        self.figure_ = axes[0].figure
        self.ax_ = np.array(axes) if is_list else axes[0]
        lines = [artists.line for artists in drawn_panels]
        samples = [artists.samples for artists in drawn_panels]
        means = [artists.mean for artists in drawn_panels]
        self.line_ = lines if is_list else lines[0]
        self.samples_ = samples if is_list else samples[0]
        self.mean_ = means if is_list else means[0]
        self.chance_level_ = chance_levels if is_list else chance_levels[0]
        return self

    @classmethod
    def _from_folds(
        cls,
        folds: list[LabelledScores],
        *,
        definition: Definition | list[Definition] = Step(),
        prevalence: float | None = None,
        name: str | list[str] | None = None,
        drop_intermediate: bool = True,  # noqa: ARG003 as in from_predictions
        chance_level_kwargs: Keywords | None = None,
        **options: Argument,
    ) -> Self:
        if chance_level_kwargs is not None:
            options = {"chance_level_kw": chance_level_kwargs, **options}
        counts = [
            threshold_counts(
                rows.y_true,
                rows.y_score,
                pos_label=rows.pos_label,
                sample_weight=rows.sample_weight,
            )
            for rows in folds
        ]
        display = cls(counts, definition=definition, prevalence=prevalence, name=name, unit="folds")
        return display.plot(**options)

    @property
    def average_precision(self) -> float | list[float] | list[float | list[float]]:
        """The score of each curve, as in scikit-learn's display.

        It is a list for several rankings, and the mean if only their mean is drawn; a list of
        either for several definitions.
        """
        scores = [curves.scores for curves in self._panels()]
        return scores if isinstance(self.definition, list | tuple) else scores[0]

    if not TYPE_CHECKING:  # a type checker would think that there is any attribute

        def __getattr__(self, name: str) -> NoReturn:
            raise AttributeError(missing_attribute(type(self).__name__, name), name=name, obj=self)

    def _panels(
        self, name: str | list[str] | None = None, *, is_each_named: bool = False
    ) -> list[DrawnRankings]:
        rankings = _single_rankings(self.counts)
        name = self.name if name is None else name
        if is_each_named and not isinstance(name, list | tuple):
            names: list[str | None] | str | None = [name and str(name)] * len(rankings)
        else:
            names = _names(name, len(rankings))
        definitions = [
            at_prevalence(check_definition(definition), self.prevalence)
            for definition in _as_list(self.definition)
        ]
        n = len(definitions)
        if not n:
            raise ValueError("definition is an empty list: there is nothing to draw.")
        intervals = [None] * n if self.intervals is None else _as_list(self.intervals)
        if len(intervals) != n:
            raise ValueError(
                f"intervals must hold {n}, one for each definition, got {len(intervals)}."
            )
        weights = _weights(self.weights, len(rankings))
        return [
            DrawnRankings(
                counts=rankings,
                definition=definition,
                names=names,
                weights=weights,
                draws_members=self.members,
                unit=self.unit,
                interval=interval,
            )
            for definition, interval in zip(definitions, intervals, strict=True)
        ]

    def __repr__(self) -> str:
        labels = [str(label) for curves in self._panels() for label in curves.labels]
        return f"{type(self).__name__}({'; '.join(labels)})"


def _names(name: Argument, n: int) -> list[str | None] | str | None:
    """Return a list if each ranking is a model; one name, or None, for the mean of is_list."""
    if not isinstance(name, list | tuple | np.ndarray):
        name = None if name is None else str(name)
        return [name] if n == 1 else name
    if len(name) != n:
        raise ValueError(f"name must hold {n} names, one for each ranking, got {name!r}.")
    return [str(ranking_name) for ranking_name in name]


def _weights(weights: ArrayLike | None, n: int) -> Float:
    if weights is None:
        return np.ones(n)
    checked = np.asarray(check_numbers("weights", weights), dtype=np.float64)
    if checked.shape != (n,) or not ((checked >= 0) & np.isfinite(checked)).all():
        raise ValueError(
            f"weights must hold {n} finite numbers that are not negative, one for each ranking, "
            f"got {weights!r}."
        )
    return checked


def _as_list(one_or_several: Item | list[Item]) -> list[Item]:
    return [*one_or_several] if isinstance(one_or_several, list | tuple) else [one_or_several]


def _styles(
    curve_kwargs: Keywords | list[Keywords] | None,
    options: Options,
    n: int,
) -> list[Options]:
    styles = curve_kwargs if isinstance(curve_kwargs, list | tuple) else [curve_kwargs or {}] * n
    if len(styles) != n:
        raise ValueError(f"curve_kwargs must be a dict or a list of {n} of them, got {styles!r}.")
    return [line_options({**style, **options}) for style in styles]


def _apply_pos_label(request: Request) -> Request:
    """Let ``pos_label`` name one of several classes, as ``precision_recall_curve`` does.

    That holds for one ranking; the other classes are negative then.
    """
    if not _is_one_ranking(request):
        return request
    request.check_order()
    targets = check_targets(request.y_true, request.y_score, request.pos_label, is_binary=True)
    return replace(
        request,
        y_true=targets.labels,
        y_score=targets.score,
        average="macro",
        pos_label=None,
        labels=None,
    )


class _Rankings(NamedTuple):
    """The rankings of a display, as its fields store them."""

    counts: ThresholdCounts
    names: Argument  # one or several, or None
    unit: str = "rankings"
    weights: Array | None = None
    has_members: bool = True


def _drawable_rankings(request: Request, name: Argument) -> _Rankings:
    rankings, counts = check_and_count(Step(), request)
    if _is_one_ranking(request):
        return _Rankings(counts, name)
    unit = _unit(request)
    if request.average == "micro":
        return _Rankings(counts, _join_names(name, "micro-average"), unit)
    if request.average is not None:
        weights = rankings.weight_in_average(counts.n_positives)
        return _Rankings(counts, name, unit, weights, has_members=False)
    has_few_columns = request.queries is None and counts.starts.size <= MOST_NAMED
    if has_few_columns and not isinstance(name, list | tuple):
        name = [_join_names(name, column) for column in request.column_names()]
    return _Rankings(counts, name, unit)


def _compute_interval(
    request: Request, definition: Definition, confidence_level: float, name: Argument
) -> AveragePrecisionInterval[Any]:
    """Compute the interval of each named ranking, or of the mean of all."""
    average = None if isinstance(name, list | tuple) else request.average or "macro"
    return average_precision_interval(
        request.y_true,
        request.y_score,
        definition=definition,
        confidence_level=confidence_level,
        average=average,
        pos_label=request.pos_label,
        labels=request.labels,
        sample_weight=request.sample_weight,
        queries=request.queries,
        clusters=request.clusters,
        n_positives=request.n_positives,
        prevalence=request.prevalence,
        zero_division=0.0,
    )


def _single_rankings(counts: ThresholdCounts | Iterable[ThresholdCounts]) -> list[ThresholdCounts]:
    """Split counts of several rankings, or a list of counts, into counts of one ranking each."""
    parts = [counts] if isinstance(counts, ThresholdCounts) else list(counts)
    for part in parts:
        check_counts(part)
    singles = [single for part in parts for single in _split_rankings(part)]
    if not singles:
        raise ValueError("counts is an empty list: there is nothing to draw.")
    return singles


def _split_rankings(counts: ThresholdCounts) -> list[ThresholdCounts]:
    return [
        ThresholdCounts(
            thresholds=counts.thresholds[rows],
            gained=counts.gained[rows],
            tps=counts.tps[rows],
            fps=counts.fps[rows],
            fps_above=counts.fps_above[rows],
            starts=np.zeros(1, np.intp),
            n_positives=counts.n_positives[i : i + 1],
            n_negatives=counts.n_negatives[i : i + 1],
            n_unscored=None if counts.n_unscored is None else counts.n_unscored[i : i + 1],
        )
        for i, rows in enumerate(map(slice, counts.starts, counts.ends))
    ]


def _is_one_ranking(request: Request) -> bool:
    return request.queries is None and request.n_columns == 1


def _unit(request: Request) -> str:
    if request.queries is not None:
        return "queries"
    if request.average == "samples":
        return "rows"
    return "classes" if request.has_classes else "labels"


def _join_names(*words: str | None) -> str:
    return ", ".join(filter(None, words))
