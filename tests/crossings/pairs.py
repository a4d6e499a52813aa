"""Which seeds are the default: each option of each public function stands in three right calls.

``python tests/crossings/pairs.py`` chooses them anew among the first 600, and writes seeds.py,
which takes two minutes.
"""

import os
import sys
from collections import Counter
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE), str(HERE.parent / "helpers")]

from cases import make  # noqa: E402
from entrances import ENTRANCES, default_of, outcome, parameters_of, same  # noqa: E402

LEAST = 3  # cases of each pair
OF_ROWS = {"y_true", "y_score", "y_scores", "counts", "cv_results", "X", "y", "chunks", "source"}
OF_ROWS |= {
    "qrels",
    "runs",
    "query",
    "document",
    "score",
    "label",
    "file",
    "estimator",
    "estimators",
    "self",
}
ELSEWHERE = {
    "guarantee": "has no exact value but by simulation",
    "n_permutations": "does not change the score",
    "n_resamples": "does not change the estimate",
    "rng": "does not change the estimate",
    "progress": "a bar",
    "name": "of a legend, or of a tool",
    "ax": "where to draw",
    "options": "of plots, and of other tools",
    "tools": "a choice of rows",
    "near": "an order of rows",
    "response_method": "the model of the table has predictions only",
    "kwargs": "are options",
    "by_query": "is said with queries",
    "score_func": "is the definition",
    "relevance_level": "says what y_true is",
    "unjudged": "all documents are judged",
    "complete": "is always said, as the reference has all queries",
    "format": "is JSON",
    "all": "a choice of rows",
    "bits": "of a histogram; scores of the table stand on a grid",
}
OF_ONE = {
    "compat.score": {"k"},  # of tools at k: tests/compat
    "compat.compare": {"k"},
    "sklearn-ap compare": {"k", "definition", "prevalence"},  # it compares all definitions
    "sklearn-ap score": {"k"},  # of names of definitions, which are written with their k
    "sklearn-ap trec": {"k"},
    "sklearn-ap chance": {"k", "sample_weight", "clusters"},  # it refuses the last two
}


def needed():
    """Every pair of a public function and an option."""
    found = set()
    for entrance in ENTRANCES:
        left_out = OF_ROWS | ELSEWHERE.keys() | OF_ONE.get(entrance.name, set())
        options = parameters_of(entrance.name) - left_out
        found |= {(entrance.name, option) for option in options | entrance.options}
    return found


def pairs_of(entrance, part):
    """The pairs that stand in a case: options that are not the default."""
    for option in entrance.said(part):
        value = part.options.get(option, option)
        if repr(value) != repr(default_of(entrance.name, option)):
            yield entrance.name, option


def outcomes(seed):
    """How all calls on a case end."""
    case = make(seed)
    for entrance in ENTRANCES:
        if (part := entrance.part_of(case)) is not None:
            yield entrance, part, outcome(entrance, part)


def right_pairs(found):
    """The pairs of right calls."""
    right = (each[:2] for each in found if each[2].kind == "right")
    return {pair for each in right for pair in pairs_of(*each)}


NEVER = {
    ("precision_at_k_score", "n_positives"): "the divisor is k",
    ("precision_at_k_score", "zero_division"): "it is defined without positives",
}


def changing():
    """The line of the table and the option, where the option can change the answer."""
    for place, entrance in enumerate(ENTRANCES):
        for option in sorted(entrance.options):
            of_several = option == "average" and entrance.kinds == {"rows"}
            if not of_several and (entrance.name, option) not in NEVER:
                yield place, option


def matters(seed, place, option):
    """Whether a call is right, and the reference says something else without the option."""
    entrance = ENTRANCES[place]
    part = entrance.part_of(make(seed))
    if part is None or option not in part.options or outcome(entrance, part).kind != "right":
        return False
    try:
        one, other = entrance.expected(part), entrance.expected(part.without(option))
    except (ArithmeticError, LookupError, TypeError, ValueError):  # it means nothing without
        return True
    if isinstance(one, dict) and one.keys() != other.keys():
        return True
    return not same(one, other, 1e-9)


def choose(n_seeds):
    """One seed after the other: the one that adds most pairs which still lack cases.

    Then others, until each option changes an answer.
    """
    lacking, pairs = Counter(dict.fromkeys(needed(), LEAST)), {}
    for seed in range(n_seeds):
        found = [*outcomes(seed)]
        if all(each.kind in ("right", "refused") for *_, each in found):
            pairs[seed] = right_pairs(found)
    right, chosen = [*pairs], []
    while lacking:
        seed = max(pairs, key=lambda seed: len(pairs[seed] & lacking.keys()))
        added = pairs.pop(seed) & lacking.keys()
        if not added:
            raise ValueError(f"too few seeds for {sorted(lacking)}")
        chosen.append(seed)
        lacking = +Counter({pair: n - (pair in added) for pair, n in lacking.items()})
    return sorted(with_changes(chosen, right))


def with_changes(chosen, seeds):
    """Also the first seed of each option that changes no answer of those that are chosen."""
    chosen = [*chosen]
    for change in changing():
        if not any(matters(seed, *change) for seed in chosen):
            chosen.append(next(seed for seed in seeds if matters(seed, *change)))
    return chosen


if __name__ == "__main__":
    lines = [f"    {seed}," for seed in choose(int(sys.argv[1]) if len(sys.argv) > 1 else 600)]
    text = '"""The seeds of the default run, as pairs.py chooses them."""\n\nSEEDS = [\n'
    (HERE / "seeds.py").write_text(text + "\n".join(lines) + "\n]\n")
