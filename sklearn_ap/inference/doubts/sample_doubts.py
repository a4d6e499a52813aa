"""Doubts about small samples: what their intervals cannot tell.

In simulations of each kind, on both sides of its limit, intervals of such samples were wrong more
often than others. Wide intervals need no warning.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE
from sklearn_ap._results.doubt import Doubt
from sklearn_ap._types import Bool, Name
from sklearn_ap._uncertainty.estimate import Estimate
from sklearn_ap._writing.text import rounded_down_as_text, share_as_text
from sklearn_ap._writing.warning import WarningName

# With fewer effective clusters, the degrees of freedom of equation 9 are themselves uncertain.
# In simulations, 89 to 93 of 100 intervals of a recall over fewer contain it, over more 93 to 95.
LEAST_CLUSTERS = 16
TOO_NARROW = f"Below {LEAST_CLUSTERS}, the interval may be too narrow. Collect more clusters."
MOST_IN_ONE = 2.0  # with fewer, one cluster has most of the positives
# Negatives that count as less than this share of the clusters with positives lie in a few of them.
# Where 85 of 100 intervals cover the score, 99 of 100 samples are warned of; elsewhere 2 of 100.
FEW_OF_NEGATIVES = 0.5
# Negatives that stand for less than one positive: each decides about the score by itself.
LEAST_WORTH = 1.0


def few_clusters(estimate: Estimate, segments: Sequence[Name]) -> list[Doubt]:
    """Doubt few clusters with several rows; one of them already has the limits 0 and 1."""
    # 8 clusters of as many positives -> a doubt, as 8 is below 16
    is_known = estimate.has_clusters & estimate.has_several_units
    is_known &= estimate.is_defined & ~np.isnan(estimate.n_negatives)
    n, n_negatives = estimate.n_effective, estimate.n_negatives
    are_few = is_known & (n < LEAST_CLUSTERS * (1 - RELATIVE_TOLERANCE))
    has_share = is_known & ~are_few & (n_negatives > 0)  # without any, there is another doubt
    share = np.where(has_share, n_negatives / np.maximum(n, 1.0), np.inf)
    are_sparse = share < FEW_OF_NEGATIVES * (1 - RELATIVE_TOLERANCE)
    doubts = []
    if np.any(are_few):
        least = float(n[are_few].min())
        text = (
            f"The interval rests on few clusters: the effective number of clusters with positives "
            f"is as low as {rounded_down_as_text(least)}. {TOO_NARROW}"
            f"{remark_of_one(least, 'the positives')}"
        )
        doubts.append(_doubt(text, "few clusters", segments, are_few))
    if np.any(are_sparse):
        worst = np.argmin(share)
        text = (
            f"Few clusters hold most negatives: the effective number of clusters is "
            f"{rounded_down_as_text(n[worst])} by positives, and "
            f"{rounded_down_as_text(n_negatives[worst])} by negatives. Clusters that the "
            f"sample lacks may hold as many, so the interval may be too narrow. Collect more "
            f"clusters."
        )
        doubts.append(_doubt(text, "few clusters", segments, are_sparse))
    return doubts


def remark_of_one(n: float, rows: str) -> str:
    """Say that one cluster has most of some rows, if their effective number shows it; else ""."""
    # Of shares p of clusters, n = 1 / sum(p^2), so the largest p is 1 / n or more
    if n >= MOST_IN_ONE:
        return ""
    or_more = " or more" if n > 1 + RELATIVE_TOLERANCE else ""
    return (
        f" One cluster has {share_as_text(1 / n)}{or_more} of {rows}: if unlike rows share its "
        f"name, such as an empty one, give each row a name of its own."
    )


def few_negatives(estimate: Estimate, prevalence: float, segments: Sequence[Name]) -> list[Doubt]:
    """Doubt few negatives beside the positives at a prevalence."""
    # At a prevalence of .01, 99 negatives stand for one positive.
    worth_in_positives = estimate.n_negatives * prevalence / (1 - prevalence)
    are_few = estimate.is_defined & (worth_in_positives < LEAST_WORTH * (1 - RELATIVE_TOLERANCE))
    if not np.any(are_few):  # nan is not
        return []
    text = (
        f"At this prevalence, the negatives stand for as few as "
        f"{rounded_down_as_text(worth_in_positives[are_few].min())} positives. Below "
        f"{LEAST_WORTH:g}, a single negative decides about the score, and the limits cannot tell "
        f"how many negatives rank high. Collect more negatives."
    )
    return [_doubt(text, "few negatives", segments, are_few)]


def _doubt(text: str, name: WarningName, segments: Sequence[Name], is_meant: Bool) -> Doubt:
    """Make a doubt about segments, or rankings of each model, if there are several."""
    places = np.unique(np.flatnonzero(is_meant) % max(len(segments), 1)).tolist()
    return Doubt(name=name, text=text, about=tuple(segments[i] for i in places if segments))
