"""150 rankings that could tell tools apart, and what the tools answered: hard_rankings.json.

They have blocks of 1 to 10 tied items with 0 to 10 positives, one class, all tied or none, and 1 to
60 rows, in any order. A ranking is kept as three texts, of a letter a row: the label, the block
(later letters score higher), and the weight.
"""

import json
from pathlib import Path
from string import ascii_letters, digits

import numpy as np

PATH = Path(__file__).parents[1] / "data" / "hard_rankings.json"
BLOCKS = ascii_letters + digits
NOT_ASKED = "not asked"


def drawn(number):
    """Ranking ``number`` as three texts."""
    rng = np.random.default_rng([2026, number])
    n = number + 1 if number < 10 else int(rng.integers(1, 61))
    size = {4: n, 5: 1}.get(number % 15)  # all tied, or none
    labels, blocks = [], []
    while len(labels) < n:
        tied = min(size or int(rng.integers(1, 11)), n - len(labels))
        hits = np.arange(tied) < rng.integers(0, tied + 1)
        labels += {2: [1] * tied, 3: [0] * tied}.get(number % 15, hits.astype(int).tolist())
        blocks += [blocks[-1] + 1 if blocks else 0] * tied
    order = rng.permutation(n)
    weights = rng.integers(1, 10, n)
    texts = np.array([digits[label] for label in labels]), np.array([BLOCKS[b] for b in blocks])
    return ["".join(text[order]) for text in texts] + ["".join(map(str, weights))]


def read():
    """The rankings, and the answers of each function in each way that it was asked."""
    if not PATH.exists():
        return [drawn(number) for number in range(150)], []
    kept = json.loads(PATH.read_text())
    return kept["rankings"], kept["answers"]


def as_arrays(ranking):
    """Labels, scores of 1/64 to 60/64, and weights of quarters."""
    labels, blocks, weights = ranking
    score = np.array([BLOCKS.index(letter) + 1 for letter in blocks]) / 64
    return np.array([*map(int, labels)]), score, np.array([*map(int, weights)]) / 4


def write(rankings, answers):
    lines = [",\n".join(json.dumps(row) for row in rows) for rows in (rankings, answers)]
    PATH.write_text('{"rankings": [\n' + '\n], "answers": [\n'.join(lines) + "\n]}\n")
