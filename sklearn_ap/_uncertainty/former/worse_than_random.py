"""Warnings of models whose scores seem to rank the negatives first."""

from collections.abc import Sequence

from sklearn_ap._counts.averages import warn_if_reversed
from sklearn_ap._extras import warn
from sklearn_ap._inputs.request import Request, check_models
from sklearn_ap._types import Name
from sklearn_ap._uncertainty.former._roc_areas import REVERSED_AREA, area_of_rankings
from sklearn_ap._uncertainty.former.influence import InfluenceValues, RowInfluences
from sklearn_ap.definitions import Definition, Step


def warn_of_reversed_scores(
    request: Request,
    definition: Definition,
    models: Sequence[InfluenceValues],
    names: Sequence[Name] | None = None,
) -> None:
    """Warn of one model, or of models with names, if scores seem to rank the negatives first.

    Only step average precision of one column is checked, unless positives were never scored. With
    queries, clusters or a prevalence, the score of random orders is not known as well as their area
    under the ROC curve, which is 0.5.
    """
    is_checked = request.n_columns == 1 and request.average != "samples"
    if not (is_checked and request.n_positives is None and isinstance(definition, Step)):
        return
    owners = [""] if names is None else [f" of {name}" for name in names]
    if any(each is not None for each in (request.queries, request.clusters, request.prevalence)):
        _warn_of_areas(request, models, owners)
        return
    for owner, model in zip(owners, models, strict=True):
        if isinstance(model, RowInfluences):
            n_effective = float(model.positives.n_kish[0])
            share = float(model.positive_shares[0])
            warn_if_reversed(float(model.score[0]), share, n_effective, owner)


def _warn_of_areas(
    request: Request, models: Sequence[InfluenceValues], owners: Sequence[str]
) -> None:
    """Warn of single scores whose area under the ROC curve is clearly low."""
    for owner, model in zip(owners, models, strict=True):
        value = float(model.roc_area)
        if model.is_single_score and value < REVERSED_AREA:
            (rankings,) = check_models([request])  # all models have the same classes
            if area_of_rankings(value, rankings).is_reversed:
                warn(
                    f"The area under the ROC curve{owner}, {value:.3g}, is far below that of "
                    f"random scores, 0.5. If high scores mean negative, pass -y_score, or the "
                    f"other column of predict_proba.",
                    UserWarning,
                )
