"""Two systems of which people judged unlike parts, with the true label of each passage.

Of 200 queries with 100 passages each, A and B return the best 20. People judged the first 10 of A
and the first 4 of B, but for one in fifty. B is better, and two thirds of what it finds alone have
no label. Nothing here is of the package.
"""

from dataclasses import dataclass

import numpy as np

N_QUERIES, N_PASSAGES, K = 200, 100, 10
DEPTHS = {"A": 10, "B": 4}  # to which people judged
SKIPPED = 0.02  # of what they were shown


@dataclass(frozen=True)
class PooledRuns:
    """Labels by query and passage, and ranked lists of passages by system and query."""

    truth: dict[str, dict[str, int]]  # of all passages
    people: dict[str, dict[str, int]]  # of those that people judged
    runs: dict[str, dict[str, list[str]]]

    def judge(self, sensitivity=0.9, specificity=0.95, seed=0):
        """What a judge says of all passages, who is right so often."""
        rng = np.random.default_rng(seed)
        right = {1: sensitivity, 0: specificity}
        return {
            query: {name: y if rng.random() < right[y] else 1 - y for name, y in labels.items()}
            for query, labels in self.truth.items()
        }


def pooled_runs(seed=0, depths=None, n_returned=20):
    """Draw them, with runs of so many passages a query, judged to these depths."""
    rng, depths = np.random.default_rng(seed), DEPTHS if depths is None else depths
    share = np.clip(rng.normal(0.13, 0.08, (N_QUERIES, 1)), 0.05, 0.6)
    relevant = rng.random((N_QUERIES, N_PASSAGES)) < share
    shared, *own = rng.normal(size=(3, N_QUERIES, N_PASSAGES))  # what misleads both, and each
    shifts = {"A": 1.2, "B": 1.4}
    best = {
        system: np.argsort(-(shift * relevant + 0.6 * shared + 0.8 * noise), axis=1)
        for (system, shift), noise in zip(shifts.items(), own, strict=True)
    }
    is_shown = np.zeros(relevant.shape, bool)
    for system, depth in depths.items():
        np.put_along_axis(is_shown, best[system][:, :depth], True, axis=1)
    is_judged = is_shown & (rng.random(relevant.shape) >= SKIPPED)
    queries = [f"q{i}" for i in range(N_QUERIES)]
    return PooledRuns(
        _labels(queries, relevant, np.ones_like(relevant)),
        _labels(queries, relevant, is_judged),
        {
            system: {
                query: [f"p{j}" for j in order[:n_returned]]
                for query, order in zip(queries, orders, strict=True)
            }
            for system, orders in best.items()
        },
    )


def _labels(queries, relevant, which):
    return {
        query: {f"p{j}": int(relevant[i, j]) for j in np.flatnonzero(which[i])}
        for i, query in enumerate(queries)
    }


def precision_at_k(labels, run, k=K, *, left_out=False):
    """The mean over queries; passages without a label are not relevant, or are left out."""
    values = []
    for query, passages in run.items():
        query_labels = labels.get(query, {})
        kept = [name for name in passages if name in query_labels] if left_out else passages
        values.append(sum(query_labels.get(name, 0) for name in kept[:k]) / k)
    return float(np.mean(values))
