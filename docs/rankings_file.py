"""Writes _static/rankings.json: 150 rankings, and their number under each convention.

PYTHONPATH=tests/helpers python docs/rankings_file.py
"""

import json
from fractions import Fraction
from functools import partial
from pathlib import Path

import hard_rankings
import reference

FILE = Path(__file__).parent / "_static" / "rankings.json"


def in_order(y_true, y_score, sign):
    """Steps, where tied rows have the order of the input, or the reverse one."""
    rows = sorted(range(len(y_true)), key=lambda row: (-y_score[row], sign * row))
    return reference.step([y_true[row] for row in rows], range(len(rows), 0, -1))


# By its name in the file: the function of labels and scores, in exact fractions.
CONVENTIONS = {
    "step": reference.step,
    "step, weighted": reference.step,
    "step, ties in input order": partial(in_order, sign=1),
    "step, ties in reverse order": partial(in_order, sign=-1),
    "envelope": reference.interpolated,
    "envelope at 11 levels": partial(reference.interpolated, recall_levels=11),
    "envelope at 101 levels": partial(reference.interpolated, recall_levels=101),
    "top 10 of min(10, positives)": partial(reference.at_k, k=10),
    "straight line from (0, 1)": reference.linear,
    "hyperbola": reference.hyperbolic,
}


def as_json(number, name):
    """A fraction as text, a float where there is a logarithm, None where there is no number."""
    if number is None:
        return None
    return float(number) if name == "hyperbola" else str(Fraction(number))


def text():
    rankings, _ = hard_rankings.read()
    rows = [[each.tolist() for each in hard_rankings.as_arrays(ranking)] for ranking in rankings]
    rows = [(y, s, [Fraction(each) for each in w]) for y, s, w in rows]
    lines = [f'"rankings": [\n{_lines(rankings)}\n]']
    for name, function in CONVENTIONS.items():
        n_columns = 3 if name.endswith("weighted") else 2
        numbers = [as_json(function(*row[:n_columns]), name) for row in rows]
        lines.append(f"{json.dumps(name)}: {json.dumps(numbers)}")
    return "{" + ",\n".join(lines) + "}\n"


def _lines(rows):
    return ",\n".join(map(json.dumps, rows))


if __name__ == "__main__":
    FILE.write_text(text())
