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
    """A number of each unit: equal for units that could be exchanged, in every ranking and model.

    It comes from the labels and the ranks of the rows, so increasing maps of scores, names, and a
    factor of all weights leave the order of units as it is. ``unit`` has one of each item.
    """
    keys = np.ones(unit.max(initial=-1) + 1)
    items = [_numbers_of_items(model) for model in models]
    for _ in range(ROUNDS):
        found = np.zeros(keys.size)
        for model, number in zip(models, items, strict=True):
            ranking = model.ranking_of_items
            of_ranking = np.bincount(ranking, number * keys[unit], model.n_rankings)
            found += np.bincount(unit, number * of_ranking[ranking], keys.size)
        keys = found / (np.abs(found).max(initial=0.0) or 1.0)
    return keys


def rounded(numbers: Float) -> Float:
    """Numbers of which those that differ by rounding alone are equal, as far as order goes."""
    largest = np.abs(numbers).max(initial=0.0) or 1.0
    return np.asarray(np.rint(numbers / largest * 2.0**DIGITS))


def _numbers_of_items(model: Rankings) -> Array:
    """A number for each label and place among the distinct scores of a ranking, times the weight.

    Sines of integers are all different, and so are sums of some of them.
    """
    ranking = model.ranking_of_items
    by_score = model.score, ranking
    order = np.lexsort(by_score if model.several else by_score[:1])
    score, of_ranking = model.score[order], ranking[order]
    is_first, is_new = np.ones((2, order.size), bool)
    is_first[1:] = of_ranking[1:] != of_ranking[:-1]
    is_new[1:] = is_first[1:] | (score[1:] != score[:-1])
    place = np.cumsum(is_new)
    place -= np.maximum.accumulate(np.where(is_first, place, 0))
    number = np.empty(order.size)
    number[order] = np.sin(2 * place + 1 + model.positive[order])
    return number if model.weight is None else number * (model.weight / model.weight.max())
