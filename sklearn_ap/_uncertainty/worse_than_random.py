"""Warnings of models whose scores seem to rank the negatives first."""

from collections.abc import Sequence

from sklearn_ap._base.common.types import Name
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._scores.scoring import warn_if_reversed
from sklearn_ap._uncertainty.influence import InfluenceValues, RowInfluences
from sklearn_ap.definitions import Definition, Step


def warn_of_reversed_scores(
    request: Request,
    definition: Definition,
    models: Sequence[InfluenceValues],
    names: Sequence[Name] | None = None,
) -> None:
    """Warn of one model, or of models with names, if scores seem to rank the negatives first.

    Only step average precision of one column is checked, with weights but no other option of rows.
    """
    row_options = (
        request.queries,
        request.clusters,
        request.n_positives,
        request.prevalence,
    )
    is_plain = request.n_columns == 1 and all(option is None for option in row_options)
    if not (is_plain and isinstance(definition, Step)):
        return
    owners = [""] if names is None else [f" of {name}" for name in names]
    for owner, model in zip(owners, models, strict=True):
        if isinstance(model, RowInfluences):  # average="samples" makes a ranking of each row
            n_effective = float(model.positives.n_kish[0])
            share = float(model.positive_shares[0])
            warn_if_reversed(float(model.score[0]), share, n_effective, owner)
