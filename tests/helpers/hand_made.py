"""Average precisions as people write them, each with a mistake."""

import numpy as np
from sklearn.metrics import precision_recall_curve

RNG = np.random.default_rng(0)


def in_order(y_true, y_score):
    """Tied rows keep their order."""
    hits = y_true[np.argsort(-y_score, kind="stable")]
    precision = np.cumsum(hits) / np.arange(1, hits.size + 1)
    return precision[hits == 1].mean() if hits.any() else 0.5


def unstable(y_true, y_score):
    """Tied rows come in any order."""
    order = np.lexsort((np.random.default_rng(1).random(y_true.size), -y_score))
    hits = y_true[order]
    return np.mean((np.cumsum(hits) / np.arange(1, hits.size + 1))[hits == 1])


def trapezoids(y_true, y_score):
    """Recall runs from 1 down."""
    precision, recall, _ = precision_recall_curve(y_true, y_score)
    return np.trapezoid(precision, recall)


def points(y_true, y_score, dtype):
    order = np.argsort(-y_score, kind="stable")
    is_last = np.append(np.diff(y_score[order]) != 0, True)
    tps = np.cumsum(y_true[order], dtype=dtype)[is_last]
    n = np.arange(1, y_true.size + 1, dtype=dtype)[is_last]
    return tps / max(tps[-1], dtype(1)), tps / n


def in_float32(y_true, y_score):
    """Sums are those of float32."""
    recall, precision = points(y_true, y_score, np.float32)
    return np.sum(np.diff(recall, prepend=np.float32(0)) * precision)


def eleven(y_true, y_score):
    """Levels are floats, of which 0.30000000000000004 is above 3 / 10."""
    recall, precision = points(y_true, y_score, np.float64)
    hit = precision > 0
    return (
        sum(max(precision[hit & (recall >= level)], default=0) for level in np.arange(0, 1.1, 0.1))
        / 11
    )


def envelope_of_floats(y_true, y_score):
    """Scores are rounded to float32."""
    recall, precision = points(y_true, y_score.astype(np.float32), np.float64)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    return np.sum(np.diff(recall, prepend=0) * best)


def noise(y_true, y_score):
    return RNG.random()
