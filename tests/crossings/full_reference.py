"""The score of rows with every option that a caller can give, as slow loops over exact fractions.

It imports nothing of sklearn_ap: definitions are those of tests/helpers/reference.py. A definition
is its name and its options, as ``("AtK", {"k": 3})``. Levels count as reached within what rounds
sums of a few weights.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from math import comb, inf, nan
from operator import itemgetter

from tests.helpers import reference

NEAR = 1 - Fraction(1, 10**14)


@dataclass(frozen=True)
class Ranking:
    """Items of one ranking, retrieved or not; their weights and cells; the ranking's weight."""

    labels: list[bool]
    scores: list[float]
    weights: list[Fraction]
    rows: list[int]
    share: Fraction = Fraction(1)
    columns: tuple[int, ...] = ()  # of the cells

    @property
    def found(self):
        """The weight of the positives."""
        return sum((w for y, w in zip(self.labels, self.weights, strict=True) if y), Fraction(0))


def score(
    y_true,
    y_score,
    definition,
    *,
    n_positives=None,
    prevalence=None,
    zero_division="warn",
    **options,
):
    """One number, or a list of them for ``average=None``; nan where nothing is defined."""
    average = options.get("average", "macro")
    rankings, several = rankings_of(y_true, y_score, **options)
    known = positives_of(rankings, n_positives)
    values = [value(definition, *each, prevalence) for each in zip(rankings, known, strict=True)]
    fill = 0 if zero_division == "warn" else zero_division
    if fill == fill:  # nan stays None
        values = [Fraction(fill) if each is None else each for each in values]
    shares = known if average == "weighted" else [ranking.share for ranking in rankings]
    if several and average is None:
        return [nan if each is None else float(each) for each in values]
    kept = [(v, s) for v, s in zip(values, shares, strict=True) if v is not None and s]
    if several and kept:
        return float(sum(v * s for v, s in kept) / sum(s for _, s in kept))
    return nan if values[0] is None else float(values[0])


def positives_of(rankings, n_positives):
    """The weight of the positives of each ranking, also of those that were never scored."""
    if n_positives is None:
        return [ranking.found for ranking in rankings]
    given = n_positives if isinstance(n_positives, list) else [n_positives]
    return [max(Fraction(a), ranking.found) for a, ranking in zip(given, rankings, strict=True)]


def rankings_of(
    y_true, y_score, average="macro", pos_label=None, labels=None, sample_weight=None, queries=None
):
    """The rankings, and whether they are several.

    Rows of weight 0 are not there, nor are cells whose label is nan, and rows of such cells alone.
    """
    weights = [Fraction(w) for w in sample_weight or [1] * len(y_true)]
    rows_of = [row if isinstance(row, list) else [0] for row in y_true]
    unknown = {i for i, row in enumerate(rows_of) if all(each != each for each in row)}
    rows = [i for i, weight in enumerate(weights) if weight and i not in unknown]
    if not isinstance(y_score[0], list):
        hits = [[label == (1 if pos_label is None else pos_label)] for label in y_true]
        y_score = [[each] for each in y_score]
    elif isinstance(y_true[0], list):
        hits = [[label == 1 if label == label else None for label in row] for row in y_true]
    else:
        hits = [[row == name for name in labels or sorted({*y_true})] for row in y_true]

    def ranking(cells, share=Fraction(1), alike=False):
        cells = [(i, j) for i, j in cells if hits[i][j] is not None]
        weight = [Fraction(1) if alike else weights[i] for i, _ in cells]
        hit, scores = ([table[i][j] for i, j in cells] for table in (hits, y_score))
        rows, columns = ([cell[axis] for cell in cells] for axis in (0, 1))
        return Ranking(hit, scores, weight, rows, share, tuple(columns))

    columns = range(len(hits[0]))
    if queries is not None:
        names = sorted({queries[i] for i in rows})
        return [ranking([(i, 0) for i in rows if queries[i] == name]) for name in names], True
    if len(columns) > 1 and average == "samples":
        each_row = [ranking([(i, j) for j in columns], weights[i], alike=True) for i in rows]
        return each_row, len(rows) > 1
    if average == "micro":
        return [ranking([(i, j) for i in rows for j in columns])], False
    return [ranking([(i, j) for i in rows]) for j in columns], len(columns) > 1


def value(definition, ranking, positives, prevalence):
    """The value of one ranking, None where it is undefined."""
    factor = Fraction(1)
    if prevalence is not None:
        negatives = sum(ranking.weights, Fraction(0)) - ranking.found
        if not positives or not negatives:
            return None
        factor = positives * (1 - Fraction(prevalence)) / (Fraction(prevalence) * negatives)
    items = zip(ranking.labels, ranking.scores, ranking.weights, strict=True)
    kept = [(y, s, w if y else w * factor) for y, s, w in items if s > -inf]
    y_true, y_score, weight = zip(*kept, strict=True) if kept else ((), (), ())
    name, options = definition
    if "k" in options:
        rows = ranking.labels, ranking.scores, ranking.weights
        options = options | {"k": reference.ranks(options["k"], *rows)}
    call = getattr(reference, re.sub("(?<!^)(?=[A-Z])", "_", name).lower())
    call = expected if name == "Expected" else call
    return call(y_true, y_score, weight=weight, n_positives=positives, **nearly(options))


def nearly(options):
    """The options with levels that are reached within rounding."""
    options = dict(options)
    for name in {"recall", "precision"} & options.keys():
        options[name] = Fraction(str(options[name])) * NEAR
    levels = options.get("recall_levels")
    if isinstance(levels, int):
        levels = [Fraction(j, levels - 1) for j in range(levels)]
    if levels is not None:
        options["recall_levels"] = [Fraction(str(level)) * NEAR for level in levels]
    return options


def expected(y_true, y_score, weight, n_positives, k=None):
    """Mean over all orders of tied items, each place of a block and the hits above it in turn."""
    if not n_positives:
        return None
    gain = tp = before = Fraction(0)
    for hits, misses in reference.blocks(y_true, y_score):
        r, n = int(hits), int(hits + misses)
        places = n if k is None else max(0, min(n, k - int(before)))
        for j in range(1, places + 1):
            for h in range(min(r, j)):  # hits above place j, which is a hit
                orders = comb(j - 1, h) * comb(n - j, r - 1 - h)
                gain += Fraction(orders, comb(n, r)) * (tp + h + 1) / (before + j)
        tp, before = tp + hits, before + n
    return gain / (n_positives if k is None else min(Fraction(k), n_positives))


def operating_point(y_true, y_score, goal, wanted, prevalence=None, **options):
    """Precision, recall, threshold and cost per row of the best one, the highest of equal ones.

    For a recall, it is the lowest of equal ones. The threshold is nan if none is best: to select
    nothing has a cost, too.
    """
    (ranking,), _ = rankings_of(y_true, y_score, **options)
    n_negatives = sum(ranking.weights, Fraction(0)) - ranking.found
    share = ranking.found / (ranking.found + n_negatives)
    share = share if prevalence is None else Fraction(prevalence)
    if goal == "k":
        wanted = reference.ranks(wanted, ranking.labels, ranking.scores, ranking.weights)
    items, found = [*zip(ranking.labels, ranking.scores, ranking.weights, strict=True)], []
    for threshold in (inf, *sorted({*ranking.scores} - {-inf}, reverse=True)):
        above = [(y, w) for y, s, w in items if s >= threshold]
        tp, fp = (sum(w for y, w in above if bool(y) is hit) for hit in (True, False))
        recall, false = tp / ranking.found, (1 - share) * fp / (n_negatives or Fraction(1))
        each = {"threshold": threshold, "k": tp + fp, "recall": recall, "cost": nan}
        each["precision"] = share * recall / (share * recall + false) if above else nan
        if goal == "cost":
            false_cost, missed_cost = (
                Fraction(wanted[f"false_{y}"]) for y in ("positive", "negative")
            )
            each["cost"] = false_cost * false + missed_cost * share * (1 - recall)
        found.append(each)
    if goal == "cost":
        least = min(each["cost"] for each in found)
        best = next(each for each in found if each["cost"] * NEAR <= least)
    elif goal == "threshold":
        best = [each for each in found if each["threshold"] >= wanted][-1]
    else:
        limit = Fraction(str(wanted))
        enough = (lambda k: k * NEAR <= limit) if goal == "k" else (lambda x: x >= limit * NEAR)
        merit = {"precision": "recall", "recall": "precision", "k": "k"}[goal]
        reached = [each for each in found[1:] if enough(each[goal])]
        top = max(reached, key=itemgetter(merit), default=found[0])
        best = [each for each in reached if each[merit] >= top[merit] * NEAR][-1:] or [top]
        best = best[0] if goal == "recall" else top
    best = {name: float(best[name]) for name in ("precision", "recall", "threshold", "cost")}
    return best | {"threshold": nan if best["threshold"] == inf else best["threshold"]}
