"""Files of judgements and runs, as retrieval has them: with holes, ties and odd names."""

import numpy as np

QRELS = """\
1 0 apples 1
1 0 geese 1
1 0 pears 0
2 0 geese 1
"""
A = """\
1 Q0 apples 1 0.9 a
1 Q0 pears 2 0.8 a
2 Q0 pears 1 0.7 a
2 Q0 geese 2 0.6 a
"""
B = """\
1 Q0 geese 1 9 b
2 Q0 geese 1 8 b
"""


def generated(seed=0, n_queries=30, ties=True):
    """Judgements from -1 to 3, and two runs that share some of their documents.

    The last queries are in the judgements or in the runs alone, and b lacks another one.
    """
    rng = np.random.default_rng(seed)
    names = [f"doc{i}-{'x' * (i % 20)}" for i in range(200)]
    qrels, runs = [], {"a": [], "b": []}
    for query in range(n_queries):
        if query < n_queries - 2:
            for i in rng.choice(200, 20, replace=False):
                qrels.append(f"q{query} 0 {names[i]} {rng.integers(-1, 4)}")
        for run, lines in runs.items():
            if query == 0 or (run == "b" and query == 5):
                continue
            score = rng.integers(0, 12, 60) / 4 if ties else rng.permutation(60) / 4
            score = score + 1e-9 * rng.random(60)  # which float32 does not hold
            for rank, i in enumerate(rng.choice(200, 60, replace=False), 1):
                lines.append(f"q{query} Q0 {names[i]} {rank} {score[rank - 1]} {run}")
    return {name: "\n".join(lines) + "\n" for name, lines in {"qrels": qrels, **runs}.items()}
