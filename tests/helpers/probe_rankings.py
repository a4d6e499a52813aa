"""The rankings of compat/probe_rankings.tsv as texts, and the answers of probe_answers.json."""

import json
from pathlib import Path

import numpy as np

from sklearn_ap.compat._identify import LETTERS
from sklearn_ap.compat._tool_functions import read_table

PATH = Path(__file__).parents[1] / "data" / "probe_answers.json"
NOT_ASKED = "not asked"


def read():
    """The rankings, and the answers of each function in each way that it was asked."""
    rankings = [[*row.values()] for row in read_table("probe_rankings.tsv")]
    return rankings, json.loads(PATH.read_text())


def as_arrays(ranking):
    """Labels, scores of 1/64 to 60/64, and weights of quarters."""
    labels, blocks, weights = ranking
    score = np.array([LETTERS.index(letter) + 1 for letter in blocks]) / 64
    return np.array([*map(int, labels)]), score, np.array([*map(int, weights)]) / 4


def write(answers):
    PATH.write_text("[\n" + ",\n".join(map(json.dumps, answers)) + "\n]\n")
