"""An order of units that depends neither on the order of their rows nor on the order of models.

Units get their jackknife group and their random numbers by their position in an order. If that were
the order of the rows, the same data in another order would have other limits.
"""

from collections.abc import Sequence

import numpy as np

from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._types import Array, Float, Index

ROUNDS = 2  # the first uses each ranking alone, the second also where other rankings have its rows
BITS = 30  # binary digits that rounding errors do not change


def keys_of_units(models: Sequence[Rankings], unit: Index) -> Float:
    """Return a key of each unit, equal for units that could be exchanged in all rankings.

    The keys come from the labels and the ranks of the rows. So the order of units stays the same if
    scores are transformed by an increasing function, models are renamed, or all weights are
    multiplied by a number. ``unit`` is the unit of each item.
    """
    keys = np.ones(unit.max(initial=-1) + 1)
    item_numbers = [_numbers_of_items(model) for model in models]
    for _ in range(ROUNDS):
        sums = np.zeros(keys.size)
        for model, numbers in zip(models, item_numbers, strict=True):
            # Each item adds its number times the sum over its ranking, in which the keys of the
            # last round are the weights of units.
            ranking = model.ranking_of_items
            ranking_sums = np.bincount(ranking, numbers * keys[unit], model.n_rankings)
            sums += np.bincount(unit, numbers * ranking_sums[ranking], keys.size)
        keys = sums / (np.abs(sums).max(initial=0.0) or 1.0)
    return keys


def round_bits(numbers: Float) -> Float:
    """Round numbers so that those that differ by rounding errors alone are equal when sorted."""
    largest = np.abs(numbers).max(initial=0.0) or 1.0
    return np.asarray(np.rint(numbers / largest * 2.0**BITS))


def _numbers_of_items(model: Rankings) -> Array:
    """Return a number for each item, from its label and the rank of its score in its ranking.

    It is multiplied by the weight. Sines of integers are all different, and so are their sums.
    """
    ranking = model.ranking_of_items
    order = np.lexsort((model.score, ranking) if model.several else (model.score,))
    score = model.score[order]
    ranking = ranking[order]
    begins_ranking = np.ones(order.size, bool)
    begins_ranking[1:] = ranking[1:] != ranking[:-1]
    is_new_score = np.ones(order.size, bool)
    is_new_score[1:] = begins_ranking[1:] | (score[1:] != score[:-1])
    # scores [1, 2, 2] and [5, 6] of two rankings -> rank [0, 1, 1, 0, 1]
    rank = np.cumsum(is_new_score)
    rank -= np.maximum.accumulate(np.where(begins_ranking, rank, 0))
    numbers = np.empty(order.size)
    numbers[order] = np.sin(2 * rank + 1 + model.positive[order])
    return numbers if model.weight is None else numbers * (model.weight / model.weight.max())
