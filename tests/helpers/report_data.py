"""Data for tests of a report, its parts, and what their texts hold."""

import pickle
import re

import numpy as np
import pytest

from sklearn_ap import _public, compat, definitions, report
from sklearn_ap._program.report import _parts as parts

RNG = np.random.default_rng(0)
N = 600
Y = (RNG.random(N) < 0.2).astype(int)
BASE = RNG.normal(size=N)
A, B = 1.0 * Y + BASE, 1.8 * Y + BASE + 0.1 * RNG.normal(size=N)
AB = {"a": A, "b": B}
GROUP = RNG.integers(0, 60, N)
NOISE = RNG.normal(size=N)
WEAK = 0.2 * Y + np.random.default_rng(5).normal(size=N)  # its top 100 rows beat chance
MONTH = np.array(["2026-01", "2026-02", "2026-03"])[np.arange(N) % 3]
WEIGHT = RNG.random(N) + 0.5
TITLES = (
    *("What the data are", "The score", "Is one model better?", "The curve", "The top rows"),
    *("Thresholds", "Segments", "What other tools print", "What to write in a paper", "Warnings"),
)
FOUND = report(Y, AB, segments=MONTH)
UNDRAWN = pickle.dumps(FOUND)
quiet = pytest.mark.filterwarnings("ignore::UserWarning")


def part(title, *args, **options):
    """A part of the report of all, or of another one, of which no other part is then made."""
    names = [name for name, topic in parts.TOPICS.items() if topic.title == title]
    found = report(*args, **options, parts=names) if args else FOUND
    return next(each for each in found.parts if each.title == title)


def undrawn():
    """The report of all, of which no test has drawn a picture yet."""
    return pickle.loads(UNDRAWN)


def run_call(call, **arguments):
    """What a call of a page gives, run as a user would run it."""
    known = vars(_public) | vars(definitions) | {"compat": compat}
    return eval(call, known | arguments)


def number(text):
    return float(text.split()[0])


def shows(cell, *expected):
    """Whether a cell has a number, or one and its limits, rounded to two digits or more."""
    places = len(cell.split()[0].partition(".")[2])
    assert places >= 2
    numbers = [float(each) for each in re.findall(r"[+-]?\d\.\d+", cell)]
    return numbers == pytest.approx(expected, abs=0.5001 * 10.0**-places)


def selects(cell, scores, point):
    """Whether a printed threshold selects the rows of an operating point, with few digits."""
    n_digits = len(cell.lstrip("-0.").replace(".", ""))
    is_exact = np.count_nonzero(scores >= float(cell)) == point.n_selected
    return is_exact and (n_digits <= 3 or float(cell[:-1]) <= point.next_score)


def is_shown(cell, found):
    """Whether a cell has a score and its limits."""
    return shows(cell, found.estimate, found.low, found.high)


def threshold_in(found):
    """The threshold in the sentence of a part."""
    return re.search(r"scores (?:of )?(\S+) or more", found.sentence)[1]


def refuse_to_draw(*_, error=AssertionError, **__):
    raise error("Nothing is drawn here. This is for a page.")
