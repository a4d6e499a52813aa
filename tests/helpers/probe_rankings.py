"""The rankings of compat.identify with weights, and the answers of probe_answers.json."""

import json
from pathlib import Path

import numpy as np

from sklearn_ap.compat._identify import small_rankings

DATA = Path(__file__).parents[1] / "data"
PATH = DATA / "probe_answers.json"
NOT_ASKED = "not asked"


def read():
    """Labels, scores and weights of each ranking, and the answers of each function to all."""
    lines = (DATA / "probe_weights.txt").read_text().split()
    weights = [np.array([*map(int, line)]) / 4 for line in lines]
    pairs = zip(small_rankings(), weights, strict=True)
    return [(*ranking, weight) for ranking, weight in pairs], json.loads(PATH.read_text())


def write(answers):
    PATH.write_text("[\n" + ",\n".join(map(json.dumps, answers)) + "\n]\n")
