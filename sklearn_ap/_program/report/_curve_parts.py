"""The parts of a report about ranks: the curve and the top rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from sklearn_ap._base.common.types import Axes, Keywords
from sklearn_ap._base.drawing.axes import axes_colors
from sklearn_ap._base.drawing.legend import draw_legend
from sklearn_ap._base.drawing.lines_and_bands import LABEL, find_artists
from sklearn_ap._base.inputs.checks import are_all_whole
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._counts.ranks import ranks_of_rows
from sklearn_ap._program.report._pictures import Picture
from sklearn_ap._program.report._predictions import MANY_ROWS, ROW_OPTIONS, Predictions
from sklearn_ap._program.report._words import (
    DASH,
    as_cell,
    describe,
    number,
    percent,
    pictured,
    score,
)
from sklearn_ap._program.report.page import Cutoff, Part
from sklearn_ap._questions.intervals.interval import average_precision_interval
from sklearn_ap._scikit_learn.displays.average_precision import (
    AveragePrecisionDisplay,
    prepare_display,
    warn_of_undefined_scores,
)
from sklearn_ap.definitions import AtK, PrecisionAtK, PrecisionAtRecall, RecallAtK

RANKS = 10, 100, 0.01
WEIGHT_SHARES = 0.01, 0.05, 0.1  # in the place of ranks, which would count weight, not rows
ROOM_FOR_THRESHOLD = 0.7  # inches, so that the legend of three models stays below the curve
RECALLS = 0.25, 0.5, 0.75, 0.9


def curve_part(data: Predictions) -> Part:
    # With options about rows, such as weights or queries, there is no band.
    row_options = [name for name in data.options if name not in ("prevalence", "confidence_level")]
    heads = (f"best precision of {name}" for name in data.shown_models)
    cells = [["recall of at least", *heads]]
    for recall in RECALLS:
        estimates = [data.estimate(PrecisionAtRecall(recall), name) for name in data.shown_models]
        cells.append([f"{recall:g}", *map(as_cell, estimates)])
    notes = [
        "Recall is the share of all positives that are found so far, down the ranking, and "
        "precision is the share of the rows so far that are positive.",
        *_limits_notes(data),
    ]
    if "queries" in row_options and not data.is_slow:
        notes.append(
            "The table has an interval at each recall; a band over all recalls is only for a "
            "single ranking."
        )
    elif row_options:
        notes.append(f"No band is drawn, because {ROW_OPTIONS[row_options[0]]}.")
    else:
        notes.append(
            "The band of the picture holds at all recalls at once, so it is wider than the "
            "intervals of the table, which hold at one recall each."
        )
    columns = [[*column] for column in zip(*cells, strict=True)]
    alt = pictured("Precision at these levels of recall", columns)
    model_part = partial(_curve_of_model, data, alt, not row_options)
    part = model_part(data.best_model)
    return replace(part, cells=cells, notes=notes, model_part=model_part)


def _curve_of_model(data: Predictions, alt: str, band: bool, model: str) -> Part:
    """Write the main sentence about the curve of a model, with its band and its call."""
    precision = describe(data.estimate(PrecisionAtRecall(0.5), model), data.interval_kind)
    sentence = (
        f"Where {model} finds half of the positives or more, its precision is at best {precision}."
    )
    draw = partial(_draw_curves, displays=_curves(data, model, band), kind=data.interval_kind)
    options: Keywords = {"band": True} if band else {}
    call = data.call(AveragePrecisionDisplay.from_predictions, model, **options)
    return Part(sentence, picture=Picture(draw, 3.0, alt), call=call)


def _curves(data: Predictions, model: str, band: bool) -> list[AveragePrecisionDisplay]:
    """Make the curves of the shown models, one with a band, and issue the warnings of each."""
    displays = []
    options = data.arguments(AveragePrecisionDisplay.from_predictions)
    level = options.pop("confidence_level")
    for name in data.shown_models:
        has_band = band and name == model  # two bands that overlap hide each other
        request = Request(y_true=data.y_true, y_score=data.y_scores[name], average=None, **options)
        display = prepare_display(
            AveragePrecisionDisplay, request, confidence_level=level, band=has_band, name=name
        )
        if data.is_chosen:  # an interval of one model by itself does not allow for the choice
            display.intervals = None
        # The curves of the queries of several models would hide their means.
        display.members = display.members and data.is_single_model
        warn_of_undefined_scores(display)
        displays.append(display)
    return displays


def mark_threshold(parts: Sequence[Part]) -> list[Part]:
    """Mark the threshold of the page on the curve of its model, if it has both."""
    cutoff = next((part.cutoff for part in parts if part.cutoff is not None), None)
    return [
        replace(part, picture=_add_threshold(part.picture, cutoff))
        if cutoff is not None and part.name == "curve" and part.picture is not None
        else part
        for part in parts
    ]


def _add_threshold(picture: Picture, cutoff: Cutoff) -> Picture:
    alt = f"{picture.alt.removesuffix('.')}; {_cutoff_in_words(cutoff)}."
    height = picture.height + ROOM_FOR_THRESHOLD
    return replace(picture, draw=partial(picture.draw, cutoff=cutoff), height=height, alt=alt)


def _cutoff_in_words(cutoff: Cutoff) -> str:
    shares = f"precision {number(cutoff.precision)}, recall {number(cutoff.recall)}"
    return f"threshold {cutoff.printed}: {shares}"


def _draw_curves(
    ax: Axes, displays: list[AveragePrecisionDisplay], kind: str, cutoff: Cutoff | None = None
) -> None:
    """Draw the curves, and list their scores in a legend whose title says what they are."""
    ax.set_title(f"Precision{DASH}recall curve")  # before the displays, which leave it as it is
    for display in displays:
        display.plot(ax)
        line = find_artists(ax, "model")[-1]
        if cutoff is not None and display.name == cutoff.model:
            ax.plot(
                cutoff.recall,
                cutoff.precision,
                "o",
                color=line.get_color(),
                markeredgecolor=axes_colors(ax).ink,  # unlike the points of short curves
                markersize=7.0,
                label=_cutoff_in_words(cutoff),
            )
        label = getattr(line, LABEL)
        value = label.value
        score = display.average_precision
        # Without an interval, displays have three digits, and the page has two.
        if display.intervals is None and isinstance(score, float):
            value = number(score)
        setattr(line, LABEL, label._replace(title="", value=value))
    for line in find_artists(ax, "reference"):  # with weights, displays name it otherwise
        line.set_label(line.get_label().replace("prevalence:", "random order:"))
    draw_legend(ax)
    legend = ax.get_legend()
    has_intervals = any(display.intervals is not None for display in displays)
    title = f"average precision [{kind}]" if has_intervals else "average precision"
    legend.set_title(title, prop={"size": legend.get_texts()[0].get_size()})
    legend.set_alignment("left")


def top_rows_part(data: Predictions) -> Part:
    scope = " of a query" if "queries" in data.options else ""
    heads = _rank_heads(data)
    if not heads:
        raise ValueError(f"There are no more rows{scope} than 10.")
    cells = [["top", "model", "precision", "recall", "AP of the top"]]
    for k, head in heads.items():
        for name in data.shown_models:
            definitions = (PrecisionAtK(k), RecallAtK(k), AtK(k))
            scores = [as_cell(data.estimate(definition, name)) for definition in definitions]
            cells.append([head if name == data.best_model else "", name, *scores])
    notes = _limits_notes(data)
    notes.append("AP of the top is the average precision that is cut at this row (AP@k).")
    if "sample_weight" in data.options:
        notes.append("A row counts with its weight, so these are shares of the weight, not rows.")
    if "prevalence" in data.options:
        notes.append("They are shares of the sample: a prevalence does not go with the top rows.")
    model_part = partial(_top_rows_of_model, data, heads, scope)
    return replace(model_part(data.best_model), cells=cells, notes=notes, model_part=model_part)


def _top_rows_of_model(
    data: Predictions, heads: Mapping[float, str], scope: str, model: str
) -> Part:
    """Write the main sentence about the top rows of a model, with its call and its rows."""
    k = 100 if 100 in heads else next(iter(heads))
    call = data.call(
        average_precision_interval, model, omitted=("prevalence",), definition=PrecisionAtK(k)
    )
    names = [name for _ in heads for name in data.shown_models]
    first_rows = [i for i, name in enumerate(names) if name in (data.best_model, model)]
    sentence = _top_rows_sentence(data, k, heads[k], scope, model)
    return Part(sentence, call=call, first_rows=first_rows)


def _top_rows_sentence(data: Predictions, k: float, head: str, scope: str, model: str) -> str:
    precision = data.estimate(PrecisionAtK(k), model)
    words = describe(precision, data.interval_kind)
    recall = percent(data.estimate(RecallAtK(k), model).value)
    if k < 1 and "sample_weight" in data.options:
        share = f"{head} of the weight{scope}" if scope else head
        return (
            f"The top {share} by {model} has a precision of {words}, and holds "
            f"{recall} of the weight of the positives."
        )
    n_found = precision.value * k
    is_whole = abs(n_found - round(n_found)) < 1e-6
    tied = "" if is_whole else " on average over orders of equal scores"
    if "queries" in data.options:
        tied = f", on average over {data.names_in_words('queries', 'query')}"
    return (
        f"Of the top {k} rows{scope} by {model}, {n_found:.3g} are positive{tied}: a precision of "
        f"{words}, and {recall} of the positives."
    )


def _rank_heads(data: Predictions) -> dict[float, str]:
    """Name the numbers of top rows, as {10: "10", 0.01: "1% (25)"}, below the number of rows."""
    n_rows = data.n_rows // max(1, data.count_names("queries"))
    if "sample_weight" in data.options:
        return {k: _weight_head(data, k) for k in WEIGHT_SHARES if k * n_rows > 1}
    ranks = {k: ranks_of_rows(k, n_rows) for k in RANKS}
    return {
        k: f"{k}" if k == rank else f"1% ({rank:,})"
        for k, rank in sorted(ranks.items(), key=lambda item: item[1])
        # A percentage that comes to 10 or 100 rows is left out, as these are listed already.
        if 1 < rank < n_rows and (k == rank or rank not in RANKS)
    }


def _weight_head(data: Predictions, share: float) -> str:
    """Name a share with the weight behind it, as "1% (weight 600)"; that of queries differs."""
    if "queries" in data.options:
        return f"{share:.0%}"
    weights = data.options["sample_weight"].astype(float)
    total = weights.sum()
    weight = ranks_of_rows(share, total) if are_all_whole(weights) else share * total
    return f"{share:.0%} (weight {score(weight)})"


def _limits_notes(data: Predictions) -> list[str]:
    """Note which models are shown, and how many resamples their limits come from."""
    notes = [] if data.is_slow else [f"Brackets are {data.interval_kind}s."]
    if len(data.y_scores) > len(data.shown_models):
        notes.append(f"The {len(data.shown_models)} models with the highest scores are shown.")
    if data.is_slow:
        notes.append("Intervals are left out, as with weights or clusters they take minutes.")
    elif data.n_rows > MANY_ROWS:
        notes.append("Intervals are from 99 resamples, as there are many rows.")
    return notes
