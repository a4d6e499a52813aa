"""The best threshold for a goal, or how far thresholds get where none reaches it."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import numpy as np

from sklearn_ap._counts.sums import reach, reach_precision
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE, TINY
from sklearn_ap._types import Bool, Float
from sklearn_ap.inference._cuts import Cuts
from sklearn_ap.inference._guarantees import have_precision, have_recall
from sklearn_ap.inference.goals import Goal


def best_cut(goal: Goal, cuts: Cuts, guarantee: float | None) -> int | None:
    """Choose the best threshold that reaches the goal; None if none does."""
    if goal.cost is not None:
        costs = cuts.costs(goal.cost)
        cheapest = int(np.argmax(costs * (1 - RELATIVE_TOLERANCE) <= costs.min()))
        return cheapest - 1 if cheapest else None  # the first cost is for selecting nothing
    if goal.threshold is not None:
        return 0  # the only one
    if goal.k is not None:
        return _last(cuts.n_selected <= cuts.most_rows * (1 + cuts.rounding))
    is_reached = _reach_shares(goal, cuts, guarantee)
    if goal.precision is None:
        # The order of precisions in the sample is also that at any prevalence.
        precision = np.where(is_reached, cuts.tps / cuts.n_selected, -1)
        least = precision.max(initial=0) * (1 - cuts.rounding)
        return _last(is_reached & (precision >= least))
    place = _last(is_reached)
    if place is None or guarantee is not None:
        return place
    return int(cuts.tps.searchsorted(cuts.tps[place]))  # the first with as many positives


def _reach_shares(goal: Goal, cuts: Cuts, guarantee: float | None) -> Bool:
    """Find the thresholds that have the precision and the recall."""
    is_reached = np.ones(cuts.scores.size, bool)
    if guarantee is not None:
        alpha = (1 - guarantee) / len(goal.shares)  # two goals share the error
        if goal.precision is not None:
            precision = cuts.sample_precision(goal.precision)
            is_reached &= have_precision(cuts.tps, cuts.n_selected, precision, alpha)
        if goal.recall is not None:
            is_reached &= have_recall(cuts.tps, cuts.n_positives, goal.recall, alpha)
        return is_reached
    if goal.precision is not None:
        is_reached &= reach_precision(cuts.precision, cuts.fps, goal.precision, cuts.rounding)
    if goal.recall is not None:
        is_reached &= reach(cuts.recall, goal.recall, cuts.rounding)
    return is_reached


def _last(is_reached: Bool) -> int | None:
    """Return the place of the lowest threshold that reaches the goal."""
    places = np.flatnonzero(is_reached)
    return int(places[-1]) if places.size else None


def what_can_be_had(goal: Goal, cuts: Cuts, guarantee: float | None) -> dict[str, float]:
    """Say, where no threshold reaches the goal, how far thresholds get."""
    if goal.cost is not None:
        return {"cost": float(cuts.costs(goal.cost)[0])}  # of selecting nothing
    if goal.k is not None and cuts.scores.size:
        return {"n_tied": float(cuts.n_selected[0])}
    if not cuts.tps.any():  # then counts have no threshold at all
        return {}
    if len(goal.shares) == 1:
        best = {"precision": cuts.precision.max(), "recall": cuts.recall[-1]}
        (name,) = goal.shares
        notes = {f"best_{name}": float(best[name])}
        return notes if guarantee is None else notes | _size_to_show(goal, cuts, guarantee)
    reaching_recall = best_cut(replace(goal, precision=None), cuts, guarantee)
    reaching_precision = best_cut(replace(goal, recall=None), cuts, guarantee)
    return {
        "best_precision": _share_at(reaching_recall, cuts.precision),
        "best_recall": _share_at(reaching_precision, cuts.recall),
    }


def _size_to_show(goal: Goal, cuts: Cuts, guarantee: float) -> dict[str, float]:
    """Count the rows, of which none errs, that show a share."""
    # 0.9**22 is below 0.1, and 0.9**21 is not
    ((name, share),) = goal.shares.items()
    if name == "precision":
        share = cuts.sample_precision(share)
    n_rows = np.log(1 - guarantee) / min(np.log(share), -TINY)
    return {"n_without_error": float(np.ceil(n_rows - RELATIVE_TOLERANCE))}


def _share_at(place: int | None, shares: Float) -> float:
    return nan if place is None else float(shares[place])
