"""The check of what a report is given: labels, scores, segments, and options about rows."""

import warnings
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._base.common.types import Argument, Bool, Float, Keywords, Label
from sklearn_ap._base.inputs.arrays import as_column, columns_by_name
from sklearn_ap._base.inputs.checks import check_same_length, check_same_order
from sklearn_ap._base.inputs.kept_rankings import checked_scores
from sklearn_ap._base.inputs.name_codes import check_names, encode_names
from sklearn_ap._base.inputs.targets import check_targets
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.page.words import noun
from sklearn_ap._questions.judged import scores_like, select_scores
from sklearn_ap._questions.segments.names import name_segments
from sklearn_ap._scores.metrics import average_precision_score
from sklearn_ap._scores.roc_areas import roc_area
from sklearn_ap._uncertainty.options import Scores, check_lengths, named_models

# Words of the warning that scores rank the negatives first, in _scores/scoring.py.
FAR_BELOW_CHANCE = "far below that of random scores"


def check_predictions(
    y_true: ArrayLike,
    y_scores: ArrayLike | Scores,
    segments: ArrayLike | Mapping[str, ArrayLike] | None,
    pos_label: Label,
    options: Keywords,
    nouns: Keywords,
) -> Predictions:
    """Check labels and scores once; functions check the options that they get."""
    passed_scores: Argument = columns_by_name("y_scores", y_scores)
    is_single_model = not (isinstance(passed_scores, Mapping) or hasattr(passed_scores, "columns"))
    models = _scores_by_model({"the model": passed_scores} if is_single_model else passed_scores)
    if not all(str(name).strip() for name in models):
        raise ValueError("y_scores has a model without a name: give each one a name.")
    check_lengths(y_true, models)
    row_options = {name: value for name, value in options.items() if name != "n_positives"}
    columns = columns_of_segments(segments)
    for y_score in models.values():
        check_same_order(y_true=y_true, y_score=y_score, **row_options)
        for column in columns.values():
            check_same_order(y_true=y_true, y_score=y_score, segments=column)
    targets = [
        check_targets(y_true, y_score, pos_label, is_binary=True) for y_score in models.values()
    ]
    scores = {
        str(name): np.asarray(target.score) for name, target in zip(models, targets, strict=True)
    }
    labels = targets[0].positive
    data = Predictions(
        y_true=labels,
        y_scores=scores_like(passed_scores, scores),
        options=_check_options(options, len(labels)),
        pos_label=pos_label,
        segments={name: name_segments(column, labels, labels) for name, column in columns.items()},
        is_single_model=is_single_model,
        nouns=nouns,
    )
    is_known = targets[0].is_known
    data = data if is_known is None else _select_rows(data, np.ravel(is_known))
    return _score_models(_mark_checked(data))


def columns_of_segments(segments: Argument) -> dict[str, Argument]:
    """Return columns of segments by their names, which are those of a mapping, or of a Series."""
    if segments is None:
        return {}
    if isinstance(segments, Mapping) or hasattr(segments, "columns"):
        names = [*(segments if isinstance(segments, Mapping) else segments.columns)]
        texts = [str(name) for name in names]
        if len({*texts}) < len(texts) or not all(text.strip() for text in texts):
            raise ValueError(f"segments must have columns with different names, got {names!r}.")
        return {str(name): segments[name] for name in names}
    return {noun(getattr(segments, "name", None), "segment"): segments}


def _scores_by_model(columns: Argument) -> dict[str, Argument]:
    """Return the scores of each model, of which there may be one."""
    names = [*(columns.columns if hasattr(columns, "columns") else columns)]
    return {names[0]: columns[names[0]]} if len(names) == 1 else named_models(columns)


def _check_options(options: Keywords, n_rows: int) -> Keywords:
    """Check the options about rows, and drop those that were not passed."""
    checked = {name: value for name, value in options.items() if value is not None}
    for name in {"queries", "clusters"} & checked.keys():
        checked[name] = check_names(name, checked[name], n_rows)
        encode_names(checked[name], name)  # refuses missing names
    if "sample_weight" in checked:
        checked["sample_weight"] = as_column("sample_weight", checked["sample_weight"])
    return checked


def _select_rows(data: Predictions, is_labelled: Bool) -> Predictions:
    """Keep the rows with a known label."""
    if not is_labelled.any():
        raise ValueError("y_true has no known label, so nothing is left to score.")
    options = dict(data.options)
    for name in {"queries", "clusters", "sample_weight"} & options.keys():
        check_same_length(y_true=is_labelled, **{name: options[name]})  # errors have this name
        options[name] = options[name][is_labelled]
    segments = {
        name: column._replace(codes=column.codes[is_labelled])
        for name, column in data.segments.items()
    }
    return replace(
        data,
        y_true=data.y_true[is_labelled],
        y_scores=select_scores(data.y_scores, is_labelled),
        options=options,
        segments=segments,
    )


def _score_models(data: Predictions) -> Predictions:
    """Add the score of each model, which also checks the options."""
    values = {}
    reversed_models = {}
    roles = {"clusters", "queries"} & data.options.keys()
    for name in data.y_scores:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            values[name] = data.ask(average_precision_score, name)
        area = roc_area(
            data.y_true,
            np.asarray(data.y_scores[name]),
            data.weight,
            **{role: encode_names(data.options[role], role)[0] for role in roles},
        )
        for message in (str(warning.message) for warning in caught):
            # The warning ignores clusters, of which few may hold all positives.
            if FAR_BELOW_CHANCE in message and (area.is_reversed or "clusters" not in roles):
                reversed_models[name] = message
        if name not in reversed_models and area.is_reversed:
            first = f"By the area under its ROC curve, {name} ranks negatives above positives"
            reversed_models[name] = f"{first}: its scores may be reversed."
    values = dict(sorted(values.items(), key=lambda item: -item[1]))
    return replace(data, values=values, reversed_models=reversed_models)


def _mark_checked(data: Predictions) -> Predictions:
    """Mark the scores as checked, so that no question checks or counts them again."""
    scores: dict[str, Float] = {
        name: checked_scores(data.y_true, y_score) for name, y_score in data.y_scores.items()
    }
    return replace(data, y_scores=scores_like(data.y_scores, scores))
