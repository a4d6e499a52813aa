"""What random orders of the rows give: the dotted line of the pictures."""

from typing import Any

import numpy as np

from sklearn_ap._drawing.artists import artists_of, draw_reference
from sklearn_ap.chance._permutation import PermutedRanking, means_by_chance
from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.counts._ranks import ranks_of_rows
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._by_chance import precisions_by_chance
from sklearn_ap.definitions._prevalence import at_prevalence
from sklearn_ap.display._draw_curves import DrawnRankings

LEVELS = "sklearn_ap_levels"  # an attribute of the line that has the row of the legend


# The mean score of random orders of one ranking, their mean precision, and the recall that they
# reach: below 1 at k, and if positives are no row.
Chance = tuple[float, float, float]


def draw_chance_level(axis: Any, curves: DrawnRankings, options: dict[str, Any]) -> Any:
    """Draw the mean level of the rankings, as far as their rows, or the first k of them, reach.

    Levels that are close share a line. All lines share a row of the legend, which gives the range.
    """
    known = np.flatnonzero(~np.isnan(curves.given) & (curves.shares > 0)).tolist()
    if not known:
        return None
    definition = _area(curves.definition)
    if curves.counts[0].fps.dtype.kind == "f":  # weighted rows have no order
        name = "prevalence:"
        found = [_of_weighted(curves.rankings[i]) for i in known]
    else:
        name = "random scores:" + (" step AP" if definition is not curves.definition else "")
        found = _of_orders(definition, [curves.counts[i] for i in known])
    # Rankings without positives count as 0, and have no recall at which a line could end.
    shares, (scores, levels, ends) = curves.shares[known], np.transpose(found)
    end = float(shares @ ends / shares.sum())
    level = float(shares @ (levels * ends)) / end if end else 0.0
    line = draw_reference(axis, ([0, end], [level, level]), 0.25, "_", options)
    first = artists_of(axis, "reference")[0]
    levels_drawn = [*getattr(first, LEVELS, ()), float(shares @ scores)]
    setattr(first, LEVELS, levels_drawn)
    if "label" not in options:
        limits = dict.fromkeys(f"{value:.3g}" for value in (min(levels_drawn), max(levels_drawn)))
        first.set_label(f"{name} {' to '.join(limits)}")
    return line


def _area(definition: Definition) -> Definition:
    """The definition, or step AP where the value is that of a point."""
    chosen: Definition = getattr(definition, "definition", definition)
    is_point = type(chosen).point is not Definition.point
    return at_prevalence(Step(), definition.prevalence) if is_point else definition


def _of_orders(definition: Definition, rankings: list[ThresholdCounts]) -> list[Chance]:
    """The mean of all orders of the rows, which are all retrieved."""
    permuted, found = [_permuted(counts) for counts in rankings], []
    for each, mean in zip(permuted, means_by_chance(definition, permuted), strict=True):
        n_rows, n_positives = each.n_rows, each.n_positives
        depth = None if definition.depth is None else ranks_of_rows(definition.depth, n_rows)
        n_found = n_positives * min(depth or n_rows, n_rows) / n_rows
        total = mean * each.n_known
        if depth is not None:  # hits, by which it may be divided, differ from order to order
            total = precisions_by_chance(None, n_rows, n_positives, depth)
        found.append((mean, total / n_found if n_found else 0.0, n_found / each.n_known))
    return found


def _of_weighted(counts: ThresholdCounts) -> Chance:
    """The prevalence: rows of different weights have no random order."""
    n_rows, n_positives = _size(counts)
    level = n_positives / n_rows if n_rows else 0.0
    return level, level, n_positives / float(counts.n_positives[0])


def _permuted(counts: ThresholdCounts) -> PermutedRanking:
    """All rows, at least one, and the positives among them: ``n_positives`` may be a fraction."""
    n_rows, n_positives = _size(counts)
    n_known = counts.n_positives[0].item()
    return PermutedRanking(None, round(n_rows) or 1, round(n_positives), n_known)


def _size(counts: ThresholdCounts) -> tuple[float, float]:
    """The weight of all rows, and of the positives among them."""
    n_unscored = 0.0 if counts.n_unscored is None else float(counts.n_unscored[0])
    n_positives = float(counts.n_positives[0]) - n_unscored
    return n_positives + float(counts.n_negatives[0]), n_positives
