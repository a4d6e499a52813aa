"""An order of units that depends neither on the order of their rows nor on that of models.

Groups of a jackknife and random numbers are given to units by their place in an order. In that of
the rows, the same data in another order would have other limits.
"""

from collections.abc import Sequence

import numpy as np

from sklearn_ap._base.common.types import Array, Float, Index
from sklearn_ap._base.inputs.rankings import Rankings

ROUNDS = 2  # The first looks at each ranking alone, the second at where others rank its rows.
DIGITS = 30  # binary ones that rounding leaves as they are


def keys_of_units(models: Sequence[Rankings], unit: Index) -> Float:
    """Give a number of each unit, equal for units that could be exchanged in all rankings.

    It comes from the labels and the ranks of the rows, so increasing maps of scores, names, and a
    factor of all weights leave the order of units as it is. ``unit`` has one of each item.
    """
    keys = np.ones(unit.max(initial=-1) + 1)
    item_numbers = [_numbers_of_items(model) for model in models]
    for _ in range(ROUNDS):
        sums = np.zeros(keys.size)
        for model, numbers in zip(models, item_numbers, strict=True):
            # Each item adds its number times the sum over its ranking, in which units have the
            # weights of the round before.
            ranking = model.ranking_of_items
            ranking_sums = np.bincount(ranking, numbers * keys[unit], model.n_rankings)
            sums += np.bincount(unit, numbers * ranking_sums[ranking], keys.size)
        keys = sums / (np.abs(sums).max(initial=0.0) or 1.0)
    return keys


def round_bits(numbers: Float) -> Float:
    """Round numbers so that those that differ by rounding errors alone are equal when sorted."""
    largest = np.abs(numbers).max(initial=0.0) or 1.0
    return np.asarray(np.rint(numbers / largest * 2.0**DIGITS))


def _numbers_of_items(model: Rankings) -> Array:
    """Give a number for each label and place among the distinct scores of a ranking.

    It is multiplied by the weight. Sines of integers are all different, and so are sums of some of
    them.
    """
    ranking = model.ranking_of_items
    order = np.lexsort((model.score, ranking) if model.several else (model.score,))
    score = model.score[order]
    ranking = ranking[order]
    begins_ranking = np.ones(order.size, bool)
    begins_ranking[1:] = ranking[1:] != ranking[:-1]
    is_new_score = np.ones(order.size, bool)
    is_new_score[1:] = begins_ranking[1:] | (score[1:] != score[:-1])
    # scores [1, 2, 2] and [5, 6] of two rankings -> place [0, 1, 1, 0, 1]
    place = np.cumsum(is_new_score)
    place -= np.maximum.accumulate(np.where(begins_ranking, place, 0))
    numbers = np.empty(order.size)
    numbers[order] = np.sin(2 * place + 1 + model.positive[order])
    return numbers if model.weight is None else numbers * (model.weight / model.weight.max())
