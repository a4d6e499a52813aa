"""Whether a score is better than chance: labels change places, and all orders are as likely."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import false_discovery_control

from sklearn_ap._arithmetic import ABSOLUTE_TOLERANCE, is_shown
from sklearn_ap._counts.counting import count
from sklearn_ap._errors import InputError
from sklearn_ap._inputs.options import Average, Seed, ZeroDivision, check_count, make_generator
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._results.column import Column
from sklearn_ap._results.doubt import Doubt, issue
from sklearn_ap._results.result import Result, as_arrays
from sklearn_ap._results.sample import Sample, describe, facts_of
from sklearn_ap._scoring import (
    average_rankings,
    check_definition,
    fill_undefined,
    only_positives,
    shares_of,
)
from sklearn_ap._types import Bool, Float, FloatOrArray, Json, Label, Name
from sklearn_ap._writing.text import (
    count_as_text,
    digits_of,
    pvalue_as_text,
    pvalue_phrase,
    rankings_as_text,
    score_as_text,
)
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._prevalence import at_prevalence
from sklearn_ap.inference.chance._shuffles import score_orders
from sklearn_ap.inference.doubts.score_doubts import (
    constant_columns,
    doubts_of_values,
    forgotten_queries,
)
from sklearn_ap.inference.interval import why_unknown
from sklearn_ap.inference.scored_samples import describe_rankings

LEVEL = 0.05  # of the sentence; the p-value is printed beside it
MOST_DIGITS_OF_SCORES = 4  # of a table


def chance_test(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    definition: Definition | str | None = None,
    average: Average = "macro",
    pos_label: Label = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    prevalence: float | None = None,
    zero_division: ZeroDivision = "warn",
    n_permutations: int = 999,
    rng: Seed = 0,
) -> ChanceTest:
    """Test whether a score is better than that of a random order.

    Labels change places among the rows, many times, and scores stay. So ties, the depth of the
    definition and rows that were not retrieved count as they do in the score.

    Parameters
    ----------
    y_true, y_score : array-like
        As in ``average_precision_score``.
    definition : Definition or str, default=None
        What average precision is.
    average, pos_label, labels : as in average_precision_score
        Several columns take None, which tests each column, or "samples".
    sample_weight : array-like of shape (n_samples,), default=None
        Of a weight, the mean of its class moves with the label, as where a tenth of the negatives
        was drawn and each weighs 10. The rest stays with the row.
    queries : array-like of shape (n_samples,), default=None
        The query of each row. Labels stay in their query.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each row, such as the patient. The labels of whole clusters then change
        places, among clusters that have as many rows. Clusters that hold several queries change
        nothing, as labels stay in their query.
    n_positives, prevalence : as in average_precision_score
        Random orders miss the positives that were never scored, too.
    zero_division : as in average_precision_score
        The score of a ranking without positives, which has no p-value.
    n_permutations : int, default=999
        How many random orders are drawn. No p-value is below ``1 / (n_permutations + 1)``.
    rng : int, numpy.random.Generator or None, default=0
        Seed or generator of the random orders. None draws others at each call.

    Returns
    -------
    ChanceTest
        The score, what chance gives, the score corrected for chance, and p-values.

    Warns
    -----
    UncertaintyWarning
        If the scores look like predicted classes.

    See Also
    --------
    average_precision_interval : How sure the score is.
    compare_average_precision : Whether a model is better than another one.

    Notes
    -----
    The p-value is ``(1 + g) / (1 + n_permutations)`` if g random orders score as high [1]_. The
    labels of a cluster are in a random order in their new place, so its rows are taken to be alike.
    Where no other cluster has as many rows, they stay in their cluster, which shows less.

    P-values of several rankings are adjusted as Benjamini and Hochberg say [2]_.

    References
    ----------
    .. [1] Phipson and Smyth (2010), "Permutation p-values should never be zero: calculating exact
       p-values when permutations are randomly drawn", Statistical Applications in Genetics and
       Molecular Biology 9(1), 39, https://doi.org/10.2202/1544-6115.1585.
    .. [2] Benjamini and Hochberg (1995), "Controlling the false discovery rate: a practical and
       powerful approach to multiple testing", Journal of the Royal Statistical Society B 57(1),
       289-300, https://doi.org/10.1111/j.2517-6161.1995.tb02031.x.

    Examples
    --------
    A pilot has 6 positives among 60 rows:

    >>> import numpy as np
    >>> from sklearn_ap import chance_test
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(60) < 6
    >>> chance_test(y_true, y_true + rng.normal(size=60))
    step AP, 60 rows, 6 positives (10.0%), 999 shuffles of rows
    It is not shown that the score is higher than by chance: 0.28, while random
    orders score 0.16 on average (p = 0.0870).
    """
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
        zero_division=zero_division,
        clusters=clusters,
    )
    n_permutations = check_count("n_permutations", n_permutations)
    generator = make_generator(rng)
    rankings = check_rankings(request, all_items=True)
    _refuse_shared_rows(request, rankings)
    definition = check_definition(definition, y_score)
    adjusted = at_prevalence(definition, prevalence)
    counts = count(rankings.select_retrieved())
    values = adjusted.values(counts)
    doubts = doubts_of_values(rankings.score, rankings.n_rankings) or constant_columns(rankings)
    doubts += only_positives(rankings, counts, values)
    doubts += forgotten_queries([y_score], queries)
    issue(doubts)
    estimate = fill_undefined(values, zero_division, prevalence, rankings.names)
    described = describe_rankings(definition, adjusted.prevalence, request, rankings, counts)
    orders = score_orders(adjusted, rankings, counts, values, n_permutations, generator)
    tested: Iterable[tuple[int, Float]] = orders
    if not described.names:  # a mean is tested as one ranking
        weights = rankings.weight_in_average(counts.n_positives)
        shares = shares_of(estimate, weights)
        tested = _average_orders(orders, estimate, ~np.isnan(values), shares)
        estimate = np.array([average_rankings(estimate, weights)])
    chance, pvalue, random_scores = estimate.copy(), np.full(estimate.size, np.nan), None
    for ranking, scores in tested:
        chance[ranking] = scores.mean()
        pvalue[ranking] = _pvalue(float(estimate[ranking]), scores)
        random_scores = scores if estimate.size == 1 else None
    room = 1 - chance
    return ChanceTest(
        **described.numbers(
            estimate=estimate,
            chance=chance,
            corrected=(estimate - chance) / np.where(room > ABSOLUTE_TOLERANCE, room, np.nan),
            pvalue=pvalue,
            adjusted_pvalue=_adjust(pvalue),
        ),
        random_scores=random_scores,
        sample=_name_units(described.sample, request, rankings),
        names=described.names,
        n_permutations=n_permutations,
        doubts=(*doubts,),
    )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ChanceTest(Result):
    """A score beside those of random orders, or several.

    Print it, or get its numbers with ``to_frame`` and ``to_dict`` and a table for a paper with
    ``to_table``. Numbers are arrays for several scores.

    Parameters
    ----------
    estimate : float or ndarray of shape (n_scores,)
        The score.
    chance : float or ndarray of shape (n_scores,)
        The mean score of random orders.
    corrected : float or ndarray of shape (n_scores,)
        The score corrected for chance, ``(estimate - chance) / (1 - chance)``: 0 for a random order
        on average, and 1 for a perfect one. nan where chance gives 1.
    pvalue : float or ndarray of shape (n_scores,)
        How often an order scores at least as high. The observed order is one of them, so it is
        never 0. nan if the score is not defined.
    adjusted_pvalue : float or ndarray of shape (n_scores,)
        The p-values adjusted for false discoveries among several scores: of those below 0.05, at
        most 5% are expected to be chance.
    random_scores : ndarray of shape (n_permutations,) or None
        The score of each random order. None for several scores, and for one that is not defined.
    sample : Sample
        What was scored, and what changes places: rows, clusters, or rows within queries.
    names : tuple, default=()
        Of classes, columns or queries; empty for one score.
    n_permutations : int
        How many random orders there were.
    doubts : tuple of Doubt, default=()
        Why the result may be unreliable: its warnings.

    See Also
    --------
    chance_test : Makes one from labels and scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import chance_test
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(500) < 10
    >>> found = chance_test(y_true, y_true + rng.normal(size=500))
    >>> round(found.estimate, 3), round(found.chance, 3), round(found.pvalue, 3)
    (0.086, 0.031, 0.029)
    """

    estimate: FloatOrArray
    chance: FloatOrArray
    corrected: FloatOrArray
    pvalue: FloatOrArray
    adjusted_pvalue: FloatOrArray
    random_scores: Float | None
    sample: Sample
    names: tuple[Name, ...] = ()
    n_permutations: int
    doubts: tuple[Doubt, ...] = ()

    @property
    def heading(self) -> str:
        """The score, the sample, and what changed places."""
        sample = self.sample
        places = {
            "row": "of rows",
            "cluster": f"of {count_as_text(sample.n_units, 'cluster')}",
            "query": f"within {count_as_text(sample.n_units, 'query')}",
        }
        shuffles = count_as_text(self.n_permutations, "shuffle")
        return f"{describe(sample)}, {shuffles} {places[sample.unit or 'row']}"

    @property
    def sentences(self) -> tuple[str, ...]:
        """Whether scores are higher than by chance, and which rankings do not tell."""
        return _about_several(self) if np.size(self.estimate) > 1 else (_about_score(self),)

    def _names(self) -> Sequence[Name]:
        return self.names or (self.sample.title,)

    def _facts(self) -> Mapping[str, Json]:
        return {"n_permutations": self.n_permutations, **facts_of(self.sample)}

    def _columns(self) -> Sequence[Column]:
        names = "estimate", "chance", "corrected", "pvalue", "adjusted_pvalue"
        numbers = as_arrays(self, names)
        digits = min(_digits_beside_chance(self), MOST_DIGITS_OF_SCORES)
        write_score = partial(score_as_text, digits=digits)
        has_several = numbers["estimate"].size > 1
        columns = (
            ("estimate", "estimate", write_score),
            ("chance", "random order", write_score),
            ("corrected", "corrected for chance", write_score),
            ("pvalue", "" if has_several else "p", pvalue_as_text),
            ("adjusted_pvalue", "adjusted p" if has_several else "", pvalue_as_text),
        )
        return [
            Column(key=key, head=head, values=numbers[key], cells=[*map(as_text, numbers[key])])
            for key, head, as_text in columns
        ]


def _digits_beside_chance(test: ChanceTest) -> int:
    """Return how many digits tell each score from that of random orders."""
    numbers = as_arrays(test, ("estimate", "chance")).values()
    return max(digits_of(pair[0], min(pair), max(pair)) for pair in zip(*numbers, strict=True))


def _about_score(test: ChanceTest) -> str:
    """Say whether the only score is higher than by chance."""
    if test.random_scores is None:
        return f"The score cannot be compared with chance, {why_unknown(test.sample)}."
    if np.allclose(test.random_scores, test.estimate, rtol=0, atol=ABSOLUTE_TOLERANCE):
        return "Nothing can be shown, as all random orders score the same."
    numbers = as_arrays(test, ("estimate", "chance", "pvalue"))
    score, by_chance, pvalue = (number.item() for number in numbers.values())
    write_score = partial(score_as_text, digits=_digits_beside_chance(test))
    random = write_score(by_chance)
    facts = f"{write_score(score)}, while random orders score {random} on average"
    claim = "The score is higher than by chance"
    if not is_shown(pvalue, LEVEL):
        claim = "It is not shown that the score is higher than by chance"
    return f"{claim}: {facts} ({pvalue_phrase(pvalue)})."


def _about_several(test: ChanceTest) -> tuple[str, ...]:
    """Say how many scores are higher than by chance, and name those that cannot be compared."""
    n_scores = np.size(test.estimate)
    n_higher = np.count_nonzero(is_shown(test.adjusted_pvalue, LEVEL))
    rankings = count_as_text(n_scores, "ranking")
    which = f"{n_higher:,} of {rankings}"
    text = f"The score is higher than by chance for {which} (adjusted p below {LEVEL})."
    names = [test.names[place] for place in np.flatnonzero(np.isnan(test.pvalue)).tolist()]
    if not names:
        return (text,)
    which = rankings_as_text(names)
    return text, f"Not compared with chance, {why_unknown(test.sample)}: {which}."


# ---- random orders


def _average_orders(
    orders: Iterable[tuple[int, Float]], scores: Float, is_defined: Bool, shares: Float
) -> list[tuple[int, Float]]:
    """Average the rankings in each order, as of one ranking; return nothing if none is defined.

    Undefined rankings keep their score in all orders, and all keep their shares.
    """
    averages = shares[~is_defined] @ np.nan_to_num(scores[~is_defined])
    for ranking, random_scores in orders:
        averages = averages + shares[ranking] * random_scores
    averages = np.minimum(averages, 1.0)  # above 1 by rounding
    return [(0, averages)] if is_defined.any() else []


def _pvalue(estimate: float, random_scores: Float) -> float:
    """Compute equation 30: the share of orders that score as high, of which one is observed."""
    n_as_high = np.count_nonzero(random_scores >= estimate - ABSOLUTE_TOLERANCE)
    return (1 + n_as_high) / (1 + random_scores.size)


def _adjust(pvalues: Float) -> Float:
    """Adjust p-values for false discoveries; nan stays nan."""
    adjusted, is_known = pvalues.copy(), ~np.isnan(pvalues)
    adjusted[is_known] = false_discovery_control(pvalues[is_known])
    return adjusted


def _name_units(sample: Sample, request: Request, rankings: Rankings) -> Sample:
    """Say what changes places: clusters, or rows, or rows within queries."""
    if request.clusters is not None and rankings.sampling.row_clusters is not None:
        return sample
    if request.queries is not None:
        return replace(sample, unit="query", n_units=rankings.n_rankings)
    return replace(sample, unit="row", n_units=None)


def _refuse_shared_rows(request: Request, rankings: Rankings) -> None:
    """Refuse means of rankings whose rows or clusters would change places together."""
    is_micro = request.average == "micro" and request.n_columns > 1
    is_mean = request.average is not None and rankings.n_rankings > 1
    if is_micro or (is_mean and not rankings.sampling.takes_rankings):
        raise InputError(
            f"chance_test cannot test a mean (average={request.average!r}) of columns, or of "
            f"queries beside clusters. Pass average=None, which tests each ranking by itself."
        )
