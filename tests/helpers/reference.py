"""Every definition once more, as slow loops over exact fractions.

It imports nothing of sklearn_ap. A definition's function has the name of its class in small
letters, ``at_k`` for ``AtK``. It takes labels (1 or 0), scores, its options by name, and perhaps
``weight`` and ``n_positives``, and returns a Fraction, or None without positives.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import wraps
from itertools import chain, combinations, pairwise, product
from math import ceil, comb, inf, lcm


def sum_of(weights):
    """The exact sum, reduced once: to reduce each partial sum takes several times as long."""
    ratios = [weight.as_integer_ratio() for weight in weights]
    unit = lcm(*(denominator for _, denominator in ratios))
    return Fraction(sum(n * (unit // denominator) for n, denominator in ratios), unit)


def blocks(y_true, y_score, weight=None):
    """Weight of positives and of negatives at each distinct score, highest first."""
    weight = [1] * len(y_true) if weight is None else weight
    table = {}
    for label, score, w in zip(y_true, y_score, weight, strict=True):
        if w:
            positives, negatives = table.setdefault(score, ([], []))
            (positives if label else negatives).append(w)
    return [tuple(map(sum_of, table[score])) for score in sorted(table, reverse=True)]


def points(y_true, y_score, weight=None):
    """Operating points (tp, fp) from nothing retrieved to everything."""
    result = [(Fraction(0), Fraction(0))]
    for positives, negatives in blocks(y_true, y_score, weight):
        tp, fp = result[-1]
        result.append((tp + positives, fp + negatives))
    return result


def supply_weights_and_total(value):
    """Give a function a weight for each row and the total of the positives; None without any."""

    @wraps(value)
    def value_of_rows(y_true, y_score, weight=None, n_positives=None, **options):
        weight = [1] * len(y_true) if weight is None else weight
        total = sum_of(w for label, w in zip(y_true, weight, strict=True) if label)
        total = total if n_positives is None else Fraction(n_positives)
        return value(y_true, y_score, weight, total, **options) if total else None

    return value_of_rows


@supply_weights_and_total
def step(y_true, y_score, weight, total):
    curve = points(y_true, y_score, weight)
    return sum((tp - last) * tp / (tp + fp) for (last, _), (tp, fp) in pairwise(curve)) / total


@supply_weights_and_total
def interpolated(y_true, y_score, weight, total, recall_levels=None):
    """Mean over recall of the best precision at this recall or a higher one, or that at levels."""
    curve = points(y_true, y_score, weight)
    if recall_levels is None:
        return sum(
            (curve[i][0] - curve[i - 1][0]) / total * max(tp / (tp + fp) for tp, fp in curve[i:])
            for i in range(1, len(curve))
        )
    if isinstance(recall_levels, int):
        levels = [Fraction(j, recall_levels - 1) for j in range(recall_levels)]
    else:
        levels = [Fraction(str(level)) for level in recall_levels]  # not the nearest floats
    return sum(best_precision(curve, level * total) for level in levels) / len(levels)


def best_precision(curve, least):
    """The highest precision from a weight of true positives on; 0 where it is never reached."""
    found = (tp / (tp + fp) for tp, fp in curve if tp and tp >= least)
    return max(found, default=Fraction(0))


@supply_weights_and_total
def precision_at_recall(y_true, y_score, weight, total, recall):
    return best_precision(points(y_true, y_score, weight), Fraction(str(recall)) * total)


@supply_weights_and_total
def recall_at_precision(y_true, y_score, weight, total, precision):
    found, least = points(y_true, y_score, weight)[1:], Fraction(str(precision))
    return max((tp / total for tp, fp in found if tp >= least * (tp + fp)), default=Fraction(0))


def ranks(k, y_true, y_score, weight=None):
    """The rank k, or the share k of all rows, retrieved or not, which is rounded up.

    It is not if a sum of weights at a threshold is fractional.
    """
    if not isinstance(k, float):
        return k
    weight = [Fraction(w) for w in ([1] * len(y_true) if weight is None else weight)]
    rows = [*zip(y_true, y_score, weight, strict=True)]
    thresholds = {score for hit, score, w in rows if hit and w and score > -inf}
    sums = [sum(weight)]
    for threshold in thresholds:
        sums += [sum(w for hit, score, w in rows if hit and score >= threshold)]
        sums += [sum(w for hit, score, w in rows if not hit and score >= threshold)]
        sums += [sum(w for hit, score, w in rows if not hit and score > threshold)]
    share = Fraction(repr(k)) * sum(weight)
    near = Fraction(1, 10**12)
    is_whole = all(abs(each - round(each)) <= each * near for each in sums)
    return max(ceil(share * (1 - near)), 1) if is_whole else share


def top_k(y_true, y_score, k, weight=None):
    """Hits of each block in the top k, and the precision at its end or at the cut."""
    room, tp, rank, result = Fraction(k), Fraction(0), Fraction(0), []
    for score in sorted(set(y_score), reverse=True):
        tied = [i for i in range(len(y_score)) if y_score[i] == score]
        mass = [Fraction(1 if weight is None else weight[i]) for i in tied]
        hits = sum((m for i, m in zip(tied, mass, strict=True) if y_true[i]), Fraction(0))
        taken = min(sum(mass), room - rank)
        if taken <= 0:
            continue
        share = hits * taken / sum(mass)
        tp, rank = tp + share, rank + taken
        result.append((share, tp / rank))
    return result


@supply_weights_and_total
def at_k(y_true, y_score, weight, total, k, normalizer="attainable"):
    k = ranks(k, y_true, y_score, weight)
    top = top_k(y_true, y_score, k, weight)
    hits = sum((share for share, _ in top), Fraction(0))
    divisor = {"attainable": min(Fraction(k), total), "positives": total, "hits": hits, "k": k}
    gain = sum((share * precision for share, precision in top), Fraction(0))
    return gain / divisor[normalizer] if divisor[normalizer] else Fraction(0)


def precision_at_k(y_true, y_score, k, weight=None, n_positives=None):
    del n_positives  # what was never scored is not in the top k
    k = ranks(k, y_true, y_score, weight)
    return sum((share for share, _ in top_k(y_true, y_score, k, weight)), Fraction(0)) / k


@supply_weights_and_total
def recall_at_k(y_true, y_score, weight, total, k):
    top = top_k(y_true, y_score, ranks(k, y_true, y_score, weight), weight)
    return sum((share for share, _ in top), Fraction(0)) / total


def textbook(hits, k=None):
    """Average precision of one strict order, at k, not yet divided."""
    gain, found = Fraction(0), 0
    for rank, hit in enumerate(hits[:k], start=1):
        found += hit
        gain += Fraction(found, rank) * hit
    return gain


@supply_weights_and_total
def expected(y_true, y_score, weight, total, k=None):
    """Mean over all orders of tied items, by listing where the positives of a block can stand."""
    k, places = ranks(k, y_true, y_score), []
    for positives, negatives in blocks(y_true, y_score):
        size = int(positives + negatives)
        chosen = combinations(range(size), int(positives))
        places.append([[int(i in filled) for i in range(size)] for filled in map(set, chosen)])
    orders = [list(chain(*order)) for order in product(*places)]
    mean = sum(textbook(order, k) for order in orders) / len(orders)
    return mean / (total if k is None else min(Fraction(k), total))


@supply_weights_and_total
def reciprocal_rank(y_true, y_score, weight, total, k=None):
    """Mean over the ranks that the first positive can have among the rows tied with it."""
    k, above = ranks(k, y_true, y_score), 0
    for positives, negatives in blocks(y_true, y_score):
        p, m = int(positives), int(positives + negatives)
        if p:
            places = [j for j in range(1, m - p + 2) if k is None or above + j <= k]
            chances = [Fraction(comb(m - j, p - 1), comb(m, p)) for j in places]
            return sum((c / (above + j) for c, j in zip(chances, places, strict=True)), Fraction(0))
        above += m
    return Fraction(0)


@supply_weights_and_total
def linear(y_true, y_score, weight, total):
    curve = points(y_true, y_score, weight)
    precision = [Fraction(1)] + [tp / (tp + fp) for tp, fp in curve[1:]]
    return sum(
        (curve[i][0] - curve[i - 1][0]) / total * (precision[i] + precision[i - 1]) / 2
        for i in range(1, len(curve))
    )


@supply_weights_and_total
def hyperbolic(y_true, y_score, weight, total):
    """Area while true and false positives grow in proportion, also of weights 1e-300 beside 1."""
    area = Fraction(0)
    for (tp, fp), (next_tp, next_fp) in pairwise(points(y_true, y_score, weight)):
        hits, items, before = next_tp - tp, next_tp + next_fp - tp - fp, tp + fp
        # The integral over x from 0 to 1 of (tp + hits * x) / (before + items * x).
        area += hits * hits / items
        if before:
            rest = tp / items - hits * before / items**2
            area += hits * rest * logarithm((before + items) / before)
    return area / total


def logarithm(x):
    with localcontext(prec=80 if 1 + Fraction(1, 10**9) < x < 10**9 else 800):
        return Fraction((Decimal(x.numerator) / Decimal(x.denominator)).ln())


def derivatives(value, step=Fraction(1, 10**15)):
    """How fast ``value(moved)`` falls to the left of 0, and how fast it rises to the right."""
    left, here, right = value(-step), value(Fraction(0)), value(step)
    return (here - left) / step, (right - here) / step
