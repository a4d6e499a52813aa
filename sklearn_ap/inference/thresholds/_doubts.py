"""Doubts about the shares at a threshold: few clusters, and few heavy rows."""

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE
from sklearn_ap._results.doubt import Doubt
from sklearn_ap._writing.text import rounded_as_text, rounded_down_as_text
from sklearn_ap.inference.doubts.sample_doubts import LEAST_CLUSTERS, TOO_NARROW, remark_of_one
from sklearn_ap.inference.doubts.score_doubts import no_negatives
from sklearn_ap.inference.thresholds._cuts import Cuts
from sklearn_ap.inference.thresholds._shares import SampledShares

# Where below 90 of 100 intervals cover the share, 95 of 100 samples are warned of; elsewhere 12.
MOST_WEIGHT_OF_OTHERS = 2.0


def doubt_lack_of_negatives(cuts: Cuts) -> list[Doubt]:
    """Doubt rows that are all positive."""
    return no_negatives(cuts.tps[-1:].sum(), cuts.n_positives, cuts.n_negatives)


def unequal_weights(sampled: SampledShares, prevalence: float | None) -> list[Doubt]:
    """Doubt a share above one half that few heavy rows lower, as its limits do not tell them."""
    shares = {"recall": sampled.recall}
    if prevalence is None:  # at another one, the precision is no share of the sample
        shares["precision"] = sampled.precision
    return [
        Doubt(
            name="unequal weights",
            text=f"Rows that lower the {name} weigh on average "
            f"{rounded_as_text(share.weight_of_others, 2)} times as much as rows that raise it. A "
            f"few of these heavy rows decide, so the interval of the {name} may be too narrow. "
            f"Label more of them.",
        )
        for name, share in shares.items()
        if share.value > 0.5 and share.weight_of_others > MOST_WEIGHT_OF_OTHERS
    ]


def few_clusters_of_shares(sampled: SampledShares) -> list[Doubt]:
    """Doubt the share at a threshold that rests on the fewest clusters."""
    shares = {
        "precision": sampled.precision,
        "recall": sampled.recall,
        "specificity": sampled.false_positive_rate,
        "npv": sampled.npv,
    }
    n_clusters, name = min((share.n_clusters, name) for name, share in shares.items())
    if n_clusters >= LEAST_CLUSTERS * (1 - RELATIVE_TOLERANCE):
        return []
    text = (
        f"The interval of the {name} rests on few clusters: their effective number is "
        f"{rounded_down_as_text(n_clusters)}. {TOO_NARROW}{remark_of_one(n_clusters, 'its rows')}"
    )
    return [Doubt(name="few clusters", text=text)]
