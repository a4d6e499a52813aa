"""Groups of units are left out, beside derivatives of a formula that is written out here."""

STEP = 1e-30


def score(first, second, unscored):
    """Of two positives at ranks 1 and 3, with weights, at equal odds; one of two negatives at 2."""
    total = first + second + unscored
    recall = (first + second) / total
    return (first + second * recall / (recall + 1 / 2)) / total
