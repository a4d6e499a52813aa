"""Do scores rank negatives first? The doubt that they are reversed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ThresholdCounts, kish_number, ratio
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._results.doubt import Doubt
from sklearn_ap._types import Array, Bool, Float, Name
from sklearn_ap._writing.text import names_as_text, rounded_as_text, share_as_text
from sklearn_ap.definitions import Definition, Step

# Scores seem reversed if positives have so many of the negatives above them, on average, and more
# than the half by so many standard deviations of random orders. In 56 kinds of samples with few
# rows, columns, queries, classes, weights or levels, at most about one in 1,000 of these is warned
# of. Of scores whose classes are one standard deviation apart, all of 100 positives in 1,000 rows
# are, and 16 of 100 of 10 in 100 rows.
LEAST_ABOVE = 2 / 3
LEAST_DEVIATIONS = 3.5
IS_TURNED = "If high scores mean negative, pass -y_score"
REMEDIES = {
    None: f"Is the other label the positive one? {IS_TURNED}, or the other column of "
    f"predict_proba.",
    "class": f"Are the columns in the order of the sorted labels? {IS_TURNED}. Decision values of "
    f"several classes may not compare rows, as probabilities do.",
    "column": f"{IS_TURNED}.",
    "fold": "Were its scores turned, or taken from another column of predict_proba? Pass scores of "
    "which high ones mean positive in each fold.",
}


def reversed_scores(
    definition: Definition,
    counts: ThresholdCounts,
    values: Float,
    models: Sequence[Rankings],
    names: Sequence[Name],
) -> list[Doubt]:
    """Doubt each model whose scores rank negatives first, or those of its columns that do.

    ``values`` have shape (n_models, n_rankings), or (n_models, 1) for means; ``counts`` are of the
    first of ``models``, which share their labels, and several have ``names``. Where positives were
    not scored, or not retrieved, a low score comes from these.
    """
    if counts.n_unscored is not None or not (definition.depth or type(definition) is Step):
        return []
    n_rows = counts.n_positives + counts.n_negatives
    random = ratio(counts.n_positives, n_rows)
    if n_rows.dtype.kind == "i":  # of few rows, orders score more: by the mean of 1 / rank
        n = np.maximum(n_rows, 2)
        excess = (np.log(n) + np.euler_gamma - 1 + 0.5 / n) / (n - 1)
        random = random + (1 - random) * excess * (counts.n_positives > 0)
    means = values[:, 0] if values.shape[1] == 1 else np.nan_to_num(values).mean(axis=1)
    are_low = means < random.sum() / random.size  # their method mean takes as long as all else here
    if values.shape[1] > 1 and models and models[0].sampling.columns:
        are_low |= (values < random).any(axis=1)
    doubts: list[Doubt] = []
    for model in np.flatnonzero(are_low).tolist():
        is_counted = model == 0 and (definition.depth is None or not models)  # not the top alone
        own = counts if is_counted else count(models[model].select_retrieved())
        rankings = models[model] if models else None
        owner = names[model : model + 1]
        doubts += _doubt_model(owner, own, random, rankings, has_scores=values.shape[1] > 1)
    return doubts


def _doubt_model(
    owner: Sequence[Name],
    counts: ThresholdCounts,
    random: Float,
    rankings: Rankings | None,
    *,
    has_scores: bool,
) -> list[Doubt]:
    """Doubt a model all of whose rankings together rank negatives first, or else its columns.

    ``owner`` is its name, if it has one, and ``has_scores`` says whether each column has a score of
    its own. ``random`` are the scores of random orders. Without rankings, rows weigh the same.
    """
    n_positives, n_negatives = counts.n_positives, counts.n_negatives
    are_found = counts.sum(counts.gained) >= n_positives * (1 - RELATIVE_TOLERANCE)
    scores, above = np.nan_to_num(Step().values(counts)), _negatives_above(counts)
    kind = rankings.sampling.columns if rankings is not None and rankings.n_rankings > 1 else None
    # Queries of many positives and those of few need not be ranked alike, so pairs weigh
    weights = np.nan_to_num(ratio(n_positives * 1.0, n_positives + n_negatives) * n_negatives)
    mean_above = float(np.nan_to_num(above) @ weights / (weights.sum() or 1.0))
    is_low = are_found.all() and scores.mean() < random.mean() and mean_above >= LEAST_ABOVE
    is_told = (kind is not None) & are_found & (scores < random) & (above >= LEAST_ABOVE)
    if not (is_low or is_told.any()):
        return []  # before numbers that take a sort
    numbers = n_positives, n_negatives
    if rankings is not None:
        numbers = _effective_numbers(rankings, by_ranking=True)
    variance = _variance_above(*numbers)
    if is_low:
        has_both = weights > 0
        mean_variance = (weights[has_both] ** 2) @ variance[has_both] / weights.sum() ** 2
        if rankings is not None and scores.size > 1:  # which may share units
            mean_variance = np.maximum(
                mean_variance, _variance_above(*_effective_numbers(rankings))
            )
        if mean_above >= _least_above(mean_variance):
            what = f"{'mean ' if counts.gives_array else ''}average precision"
            text = _text_of_low(what, scores.mean(), random.mean(), mean_above, REMEDIES[kind])
            return [_doubt(text, owner)]
    is_told &= above >= _least_above(variance)
    if not is_told.any():
        return []
    names: Sequence[Name] = (rankings and rankings.names) or range(scores.size)
    first, *others = np.flatnonzero(is_told).tolist()
    also = names_as_text([repr(names[i]) for i in others])
    remedy = f"{f'The same holds for {also}. ' if others else ''}{REMEDIES[kind]}"
    what = f"average precision for {kind} {names[first]!r}"
    text = _text_of_low(what, scores[first], random[first], above[first], remedy)
    if has_scores:
        told = [names[i] for i in (first, *others)]
        owner = [(owner[0], name) for name in told] if owner else told
    return [_doubt(text, owner)]


def _doubt(text: str, about: Sequence[Name]) -> Doubt:
    return Doubt(
        name="reversed scores",
        text=text,
        about=(*about,),
        reason="scores seem reversed",
        remedy="check whether high scores mean positive",
    )


def _negatives_above(counts: ThresholdCounts) -> Float:
    """Return the share of the negatives above a positive, on average over those of each ranking."""
    # 1 0 (1 0) 0 -> 0 and 1.5 of 3 negatives, as tied ones count by half: 0.25
    sums = counts.sum(counts.gained * (counts.fps_above + counts.fps_tied / 2))
    return ratio(ratio(sums, counts.n_positives), counts.n_negatives)


def _effective_numbers(rankings: Rankings, *, by_ranking: bool = False) -> tuple[Float, Float]:
    """Return the effective numbers of positives and of negatives by units: equation 4.

    They are those of all rankings together, or of each. Columns with gaps, whose rows are not
    known, have together those of the largest.
    """
    sampling = rankings.sampling
    lacks_rows = sampling.columns and rankings.ranking is not None and sampling.clusters is None
    if lacks_rows and not by_ranking:
        positives, negatives = _effective_numbers(rankings, by_ranking=True)
        return positives.max(keepdims=True), negatives.max(keepdims=True)
    ranking = rankings.ranking_of_items if by_ranking else np.zeros(rankings.score.size, np.intp)
    unit = rankings.unit_of_items
    n_units = int(unit.max(initial=0)) + 1
    pairs, pair = np.unique(ranking * n_units + unit, return_inverse=True)
    n_rankings = rankings.n_rankings if by_ranking else 1

    def number(is_of_class: Bool) -> Float:
        weights = np.bincount(pair, rankings.weight_of_items * is_of_class, pairs.size)
        sums, squares = (
            np.bincount(pairs // n_units, w, n_rankings) for w in (weights, weights**2)
        )
        return kish_number(sums, squares)

    return number(rankings.positive), number(~rankings.positive)


def _variance_above(n_positives: Array, n_negatives: Array) -> Float:
    """Return the variance of that share in random orders (Mann and Whitney 1947).

    Numbers are effective, as unequal weights leave less to judge by.
    """
    with np.errstate(divide="ignore"):
        return np.asarray((1 / n_positives + (1 + 1 / n_positives) / n_negatives) / 12)


def _least_above(variance: Float) -> Float:
    """Return the share of negatives above a positive from which scores seem reversed."""
    return 0.5 + LEAST_DEVIATIONS * np.sqrt(variance)


def _text_of_low(what: str, value: float, random: float, above: float, remedy: str) -> str:
    value_text, random_text = rounded_as_text(value), rounded_as_text(random)
    return (
        f"The {what}, {value_text}, is below that of random scores, about {random_text}: on "
        f"average, {share_as_text(above)} of the negatives score above a positive. {remedy}"
    )
