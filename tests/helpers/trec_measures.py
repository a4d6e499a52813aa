"""What trec_eval measures, as definitions of this package."""

from sklearn_ap.definitions import AtK, PrecisionAtK, RecallAtK, ReciprocalRank, Step


def at(k):
    cut = AtK(k, normalizer="positives")
    return {"map": Step(), "map_cut": cut, "P": PrecisionAtK(k), "recall": RecallAtK(k)} | {
        "recip_rank": ReciprocalRank()
    }
