"""Every definition once more, as slow loops over exact fractions.

It imports nothing of sklearn_ap. Each function takes labels (1 or 0), scores, and weights or
None, and returns a Fraction (a float for the hyperbola), or None without positives.
"""

from fractions import Fraction
from itertools import chain, combinations, pairwise, product

from scipy.integrate import quad


def blocks(y_true, y_score, weight=None):
    """Weight of positives and of negatives at each distinct score, highest first."""
    weight = [1] * len(y_true) if weight is None else weight
    table = {}
    for label, score, w in zip(y_true, y_score, weight, strict=True):
        if w == 0:
            continue
        positives, negatives = table.get(score, (Fraction(0), Fraction(0)))
        w = Fraction(w)
        table[score] = (positives + w, negatives) if label else (positives, negatives + w)
    return [table[score] for score in sorted(table, reverse=True)]


def points(y_true, y_score, weight=None):
    """Operating points (tp, fp) from nothing retrieved to everything."""
    result = [(Fraction(0), Fraction(0))]
    for positives, negatives in blocks(y_true, y_score, weight):
        tp, fp = result[-1]
        result.append((tp + positives, fp + negatives))
    return result


def total_positives(y_true, weight, n_positives):
    if n_positives is not None:
        return Fraction(n_positives)
    weight = [1] * len(y_true) if weight is None else weight
    return sum((Fraction(w) for label, w in zip(y_true, weight, strict=True) if label), Fraction(0))


def step(y_true, y_score, weight=None, n_positives=None):
    total = total_positives(y_true, weight, n_positives)
    if not total:
        return None
    curve = points(y_true, y_score, weight)
    return sum((tp - last) / total * tp / (tp + fp) for (last, _), (tp, fp) in pairwise(curve))


def interpolated(y_true, y_score, weight=None, n_positives=None):
    total = total_positives(y_true, weight, n_positives)
    if not total:
        return None
    curve = points(y_true, y_score, weight)
    return sum(
        (curve[i][0] - curve[i - 1][0]) / total * max(tp / (tp + fp) for tp, fp in curve[i:])
        for i in range(1, len(curve))
    )


def at_levels(y_true, y_score, levels, weight=None, n_positives=None):
    """Mean of the best precision at recall >= level; 0 where it is never reached."""
    total = total_positives(y_true, weight, n_positives)
    if not total:
        return None
    curve = points(y_true, y_score, weight)[1:]
    best = [
        max((tp / (tp + fp) for tp, fp in curve if tp and tp >= level * total), default=Fraction(0))
        for level in levels
    ]
    return sum(best) / len(best)


def equal_levels(m):
    return [Fraction(j, m - 1) for j in range(m)]


def decimal(levels):
    """The levels that were meant, not the nearest floats."""
    return [Fraction(str(level)) for level in levels]


def top_k(y_true, y_score, k, weight=None, threshold=None):
    """Hits of each block in the top k, and the precision at its end or at the cut."""
    room, tp, rank, result = Fraction(k), Fraction(0), Fraction(0), []
    for score in sorted(set(y_score), reverse=True):
        if threshold is not None and score < threshold:
            break
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


def at_k(
    y_true, y_score, k, normalizer="attainable", weight=None, n_positives=None, threshold=None
):
    total = total_positives(y_true, weight, n_positives)
    if not total:
        return None
    top = top_k(y_true, y_score, k, weight, threshold)
    hits = sum((share for share, _ in top), Fraction(0))
    divisor = {"attainable": min(Fraction(k), total), "positives": total, "hits": hits, "k": k}
    gain = sum((share * precision for share, precision in top), Fraction(0))
    return gain / divisor[normalizer] if divisor[normalizer] else Fraction(0)


def precision_at_k(y_true, y_score, k, weight=None, n_positives=None, threshold=None):
    del n_positives  # what was never scored is not in the top k
    top = top_k(y_true, y_score, k, weight, threshold)
    return sum((share for share, _ in top), Fraction(0)) / k


def recall_at_k(y_true, y_score, k, weight=None, n_positives=None, threshold=None):
    total = total_positives(y_true, weight, n_positives)
    if not total:
        return None
    top = top_k(y_true, y_score, k, weight, threshold)
    return sum((share for share, _ in top), Fraction(0)) / total


def textbook(hits, k=None):
    """Average precision of one strict order, at k, not yet divided."""
    gain, found = Fraction(0), 0
    for rank, hit in enumerate(hits[:k], start=1):
        found += hit
        gain += Fraction(found, rank) * hit
    return gain


def expected(y_true, y_score, k=None, n_positives=None):
    """Mean over all orders of tied items, by listing where the positives of a block can stand."""
    total = total_positives(y_true, None, n_positives)
    if not total:
        return None
    places = []
    for positives, negatives in blocks(y_true, y_score):
        size = int(positives + negatives)
        chosen = combinations(range(size), int(positives))
        places.append([[int(i in filled) for i in range(size)] for filled in map(set, chosen)])
    orders = [list(chain(*order)) for order in product(*places)]
    mean = sum(textbook(order, k) for order in orders) / len(orders)
    return mean / (total if k is None else min(Fraction(k), total))


def linear(y_true, y_score, weight=None):
    total = total_positives(y_true, weight, None)
    if not total:
        return None
    curve = points(y_true, y_score, weight)
    precision = [Fraction(1)] + [tp / (tp + fp) for tp, fp in curve[1:]]
    return sum(
        (curve[i][0] - curve[i - 1][0]) / total * (precision[i] + precision[i - 1]) / 2
        for i in range(1, len(curve))
    )


def hyperbolic(y_true, y_score, weight=None):
    """Area by quadrature of tp / (tp + fp) while both grow in proportion."""
    total = total_positives(y_true, weight, None)
    if not total:
        return None
    curve, area = points(y_true, y_score, weight), 0.0
    for (tp, fp), (next_tp, next_fp) in pairwise(curve):
        if next_tp == tp:
            continue
        tp, fp, hits, misses = map(float, (tp, fp, next_tp - tp, next_fp - fp))

        def precision(x, tp=tp, fp=fp, hits=hits, misses=misses):
            found = tp + x * hits
            return found / (found + fp + x * misses) if found else hits / (hits + misses) * (not fp)

        area += hits * quad(precision, 0, 1, epsabs=0, epsrel=1e-13, limit=200)[0]
    return area / float(total)
