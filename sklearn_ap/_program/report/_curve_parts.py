"""The parts of a report about ranks: the curve, the top rows and the thresholds."""

import warnings
from functools import partial

from sklearn_ap._base.common.types import Axes, Keywords
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._base.text import weight_as_text
from sklearn_ap._program.report._predictions import MANY_ROWS, Predictions
from sklearn_ap._program.report.page import DASH, Part, Picture
from sklearn_ap._questions.intervals.interval import average_precision_interval
from sklearn_ap._questions.operating_points.operating_point import OperatingPoint, operating_point
from sklearn_ap._questions.verdicts import Estimate
from sklearn_ap._scikit_learn.displays.average_precision import (
    AveragePrecisionDisplay,
    prepare_display,
    warn_of_undefined_scores,
)
from sklearn_ap.definitions import AtK, PrecisionAtK, PrecisionAtRecall, RecallAtK

RANKS = 10, 100, 0.01
RECALLS = 0.25, 0.5, 0.75, 0.9
PRECISIONS = 0.5, 0.8, 0.9


def curve_part(data: Predictions) -> Part:
    # With options about rows, such as weights or queries, there is no band.
    row_options = [name for name in data.options if name not in ("prevalence", "confidence_level")]
    cells = [["recall", *(f"precision of {name}" for name in data.shown_models)]]
    for recall in RECALLS:
        estimates = [data.estimate(PrecisionAtRecall(recall), name) for name in data.shown_models]
        cells.append([f"{recall:g}", *(estimate.cell for estimate in estimates)])
    model = data.best_model
    precision = data.estimate(PrecisionAtRecall(0.5), model).describe(data.interval_kind)
    sentence = f"Where {model} finds half of the positives, its precision is {precision}."
    notes = _limits_notes(data)
    if row_options:
        notes.append(f"A band needs independent rows of one ranking, without {row_options[0]}.")
    else:
        notes.append(
            "The band of the picture holds at all recalls at once, so it is wider than the "
            "intervals of the table, which hold at one recall each."
        )
    draw = partial(_draw_curves, displays=_curves(data, band=not row_options))
    picture = Picture(draw, 3.4, f"Precision over recall{'' if row_options else ' in a band'}.")
    options: Keywords = {} if row_options else {"band": True}
    call = data.call(AveragePrecisionDisplay.from_predictions, model, **options)
    return Part(sentence, cells, notes, picture, call)


def _curves(data: Predictions, band: bool) -> list[AveragePrecisionDisplay]:
    """Make the curves of the shown models, and issue the warnings of each."""
    displays = []
    options = data.arguments(AveragePrecisionDisplay.from_predictions)
    level = options.pop("confidence_level")
    for name in data.shown_models:
        has_band = band and (name == data.best_model or len(data.shown_models) < 3)
        request = Request(y_true=data.y_true, y_score=data.y_scores[name], average=None, **options)
        display = prepare_display(
            AveragePrecisionDisplay, request, confidence_level=level, band=has_band, name=name
        )
        warn_of_undefined_scores(display)
        displays.append(display)
    return displays


def _draw_curves(ax: Axes, displays: list[AveragePrecisionDisplay]) -> None:
    for display in displays:
        display.plot(ax)


def top_rows_part(data: Predictions) -> Part:
    n_rows = data.n_rows
    scope = ""
    if "queries" in data.options:
        n_rows //= data.count_names("queries")
        scope = " of a query"
    heads = _rank_heads(n_rows)
    if not heads:
        raise ValueError(f"There are no more rows{scope} than 10.")
    cells = [["top", "model", "precision", "recall", "AP of the top"]]
    for k, head in heads.items():
        for name in data.shown_models:
            definitions = (PrecisionAtK(k), RecallAtK(k), AtK(k))
            scores = [data.estimate(definition, name).cell for definition in definitions]
            cells.append([head if name == data.best_model else "", name, *scores])
    k = 100 if 100 in heads else next(iter(heads))
    model = data.best_model
    precision = data.estimate(PrecisionAtK(k), model)
    recall = data.estimate(RecallAtK(k), model)
    sentence = (
        f"Of the top {k} rows{scope} by {model}, {precision.value * k:.3g} are positive: a "
        f"precision of {precision.describe(data.interval_kind)}, and {100 * recall.value:.3g}% of "
        f"the positives."
    )
    notes = _limits_notes(data)
    if "prevalence" in data.options:
        notes.append("They are shares of the sample: a prevalence does not go with the top rows.")
    call = data.call(average_precision_interval, model, definition=PrecisionAtK(k))
    return Part(sentence, cells, notes, call=call)


def _rank_heads(n_rows: int) -> dict[float, str]:
    """Name the numbers of top rows, as {10: "10", 0.01: "1% (25)"}, below the number of rows."""
    ranks = {k: k if k >= 1 else round(k * n_rows) for k in RANKS}
    return {
        k: f"{k}" if k == rank else f"1% ({rank:,})"
        for k, rank in ranks.items()
        # A percentage that comes to 10 or 100 rows is left out, as these are listed already.
        if 1 < rank < n_rows and (k == rank or rank not in RANKS)
    }


def _limits_notes(data: Predictions) -> list[str]:
    """Note which models are shown, and how many resamples their limits come from."""
    notes = []
    if len(data.y_scores) > len(data.shown_models):
        notes.append(f"The {len(data.shown_models)} models with the highest scores are shown.")
    if data.is_slow:
        notes.append("Intervals are left out, as with weights or clusters they take minutes.")
    elif data.n_rows > MANY_ROWS:
        notes.append("Intervals are from 99 resamples, as there are many rows.")
    return notes


def thresholds_part(data: Predictions) -> Part:
    cells = [["precision of", "model", "threshold", "rows", "precision", "recall"]]
    for goal in PRECISIONS:
        for name in data.shown_models:
            point = _point(data, name, goal)
            numbers = ["none", "0", DASH, DASH]
            if not point.remark:
                numbers = [
                    point.printed_threshold,
                    weight_as_text(point.n_selected),
                    _precision_estimate(point).cell,
                    _recall_estimate(point).cell,
                ]
            cells.append([f"{goal:g}" if name == data.best_model else "", name, *numbers])
    point = data.ask(operating_point, data.best_model, precision=0.8)
    sentence = f"Thresholds of {data.best_model}: {point.verdicts[0].sentence}"
    if not point.remark:
        precision = _precision_estimate(point).describe(data.interval_kind)
        recall = _recall_estimate(point).describe(data.interval_kind)
        n_rows = weight_as_text(point.n_selected)
        sentence += f" These are {n_rows} rows, with a precision of {precision} and a recall of "
        sentence += f"{recall}."
    note = "The true precision at such a threshold is below its goal in half of the samples."
    if "sample_weight" not in data.options:
        note += f" {_safer_threshold(data)}"
    call = data.call(operating_point, data.best_model, precision=0.8)
    return Part(sentence, cells, [note], call=call)


def _point(data: Predictions, name: str, goal: float) -> OperatingPoint:
    """Find the threshold of a model, and put its name into the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        point = data.ask(operating_point, name, precision=goal)
    for warning in caught:
        warnings.warn(f"{name}: {warning.message}", UserWarning, stacklevel=2)
    return point


def _safer_threshold(data: Predictions) -> str:
    """Describe the threshold whose true precision reaches its goal in 90% of samples."""
    name = data.best_model
    point = data.ask(operating_point, name, precision=0.8, guarantee=0.9)
    if point.remark:
        return f"No threshold of {name} is sure enough to have a precision of 0.8 in 9 of 10."
    return (
        f"At {point.printed_threshold} or higher, {weight_as_text(point.n_selected)} rows, it is "
        f"below 0.8 in 1 of 10 only (guarantee=0.9)."
    )


def _precision_estimate(point: OperatingPoint) -> Estimate:
    return Estimate(point.precision, *point.precision_interval)


def _recall_estimate(point: OperatingPoint) -> Estimate:
    return Estimate(point.recall, *point.recall_interval)
