"""Which seeds are the default: each option of each public function stands in three right calls.

``python tests/crossings/pairs.py`` chooses them anew among the first 600, and writes seeds.py,
which takes two minutes.
"""

import os
import sys
from collections import Counter
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import combinations, count
from pathlib import Path
from textwrap import wrap

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE), str(HERE.parent / "helpers")]

import numpy as np  # noqa: E402
from answers import level_of  # noqa: E402
from cases import make  # noqa: E402
from entrances import ENTRANCES, default_of, outcome, parameters_of, same  # noqa: E402
from of_folds import expected_best, expected_comparison  # noqa: E402
from uncertainty_reference import best  # noqa: E402

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
    "band": "tests/test_bands.py has a reference of its own",
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


@lru_cache(1000)
def case_of(seed):
    return make(seed)


@cache
def outcomes(seed):
    """The parts of a case that go through the lines of the table, and how the calls end."""
    parts = [entrance.part_of(case_of(seed)) for entrance in ENTRANCES]
    pairs = zip(ENTRANCES, parts, strict=True)
    return parts, [part and outcome(entrance, part) for entrance, part in pairs]


def right_pairs(seed):
    """The pairs of right calls."""
    calls = zip(ENTRANCES, *outcomes(seed), strict=True)
    right = (each[:2] for each in calls if each[2] and each[2].kind == "right")
    return {pair for each in right for pair in pairs_of(*each)}


def is_right(seed):
    return all(found is None or found.kind in ("right", "refused") for found in outcomes(seed)[1])


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
        if entrance.expected in (expected_best, expected_comparison):
            yield place, "gain_on_seen"


def matters(seed, place, option):
    """Whether a call is right, and the reference says something else without the option."""
    part = ENTRANCES[place].part_of(case_of(seed))
    if part is None or not changes(part, place, option):
        return False
    return outcomes(seed)[1][place].kind == "right"


def changes(part, place, option):
    """Whether the reference says something else without an option, or without a gain."""
    expected, less = ENTRANCES[place].expected, part.without(option)
    if option == "gain_on_seen":
        less = replace(part, gain_on_seen=0.0)
    elif option not in part.options:
        return False
    try:
        one, other = expected(part), expected(less)
    except (ArithmeticError, LookupError, TypeError, ValueError):  # it means nothing without
        return True
    if isinstance(one, dict) and one.keys() != other.keys():
        return True
    return not same(one, other, 1e-9)


INTERVAL = [each.name for each in ENTRANCES].index("average_precision_interval")


def together():
    """Each two options of an interval that go together: where two of them meet, faults stand."""
    of_kinds = {"labels", "pos_label", "queries"}
    for pair in combinations(sorted(ENTRANCES[INTERVAL].options), 2):
        if {*pair} - of_kinds or {*pair} == {"pos_label", "queries"}:
            yield pair


def meet(seed, pair):
    """Whether both options change the limits of a call, which is right."""
    part = ENTRANCES[INTERVAL].part_of(case_of(seed))
    if part is None or not {*pair} <= {*part.options} or not part.is_smooth:
        return False
    found = all(changes(part, INTERVAL, option) for option in pair)
    return found and outcome(ENTRANCES[INTERVAL], part).kind == "right"


AVERAGES = {
    "queries": ("macro", "weighted", None),
    "columns": ("macro", "weighted", "micro", "samples", None),
    "classes": ("macro", "weighted", "micro", "samples", None),
}


def averages():
    return [(kind, average) for kind, values in AVERAGES.items() for average in values]


def averaged(seed, kind, average):
    """Whether the limits of such a mean are right, and those of another mean are others."""
    part = ENTRANCES[INTERVAL].part_of(case_of(seed))
    if part is None or (part.kind, part.average) != (kind, average) or not part.is_smooth:
        return False
    is_other = average == "macro" or changes(part, INTERVAL, "average")
    return is_other and outcome(ENTRANCES[INTERVAL], part).kind == "right"


BEST = [each.name for each in ENTRANCES].index("best_average_precision")


def decided_by_bias(seed):
    """Whether the best of means over columns would be others if no mean were too high."""
    part = ENTRANCES[BEST].part_of(case_of(seed))
    if part is None or part.kind in ("rows", "queries") or part.average is None:
        return False
    models = [part.sampled(model) for model in part.scores] if part.is_smooth else []
    if not models or models[0].bias is None:
        return False
    unbiased = [replace(model, bias=np.zeros(model.bias.size)) for model in models]
    one, other = (best(each, level_of(part))["may_be_best"] for each in (models, unbiased))
    return one != other and outcomes(seed)[1][BEST].kind == "right"


def choose(n_seeds):
    """One seed after the other: the one that adds most pairs which still lack cases.

    Then others, until each option changes an answer, and each two of an interval together.
    """
    lacking, chosen = Counter(dict.fromkeys(needed(), LEAST)), []
    pairs = {seed: right_pairs(seed) for seed in range(n_seeds) if is_right(seed)}
    while lacking:
        seed = max(pairs, key=lambda seed: len(pairs[seed] & lacking.keys()))
        added = pairs.pop(seed) & lacking.keys()
        if not added:
            raise ValueError(f"too few seeds for {sorted(lacking)}")
        chosen.append(seed)
        lacking = +Counter({pair: n - (pair in added) for pair, n in lacking.items()})
    return sorted(with_changes(chosen))


def with_changes(chosen):
    """Also the first seed of each change that none of the chosen ones shows."""
    chosen = [*chosen]
    asked = [partial(matters, place=place, option=option) for place, option in changing()]
    asked += [partial(meet, pair=pair) for pair in together()]
    asked += [partial(averaged, kind=kind, average=average) for kind, average in averages()]
    for shows in (*asked, decided_by_bias):
        if not any(shows(seed) for seed in chosen):
            chosen.append(next(seed for seed in count() if shows(seed) and is_right(seed)))
    return chosen


if __name__ == "__main__":
    seeds = " ".join(map(str, choose(int(sys.argv[1]) if len(sys.argv) > 1 else 600)))
    lines = "\n".join(wrap(seeds, 95))
    text = '"""The seeds of the default run, as pairs.py chooses them."""\n\nNUMBERS = """\n'
    (HERE / "seeds.py").write_text(f'{text}{lines}\n"""\nSEEDS = [*map(int, NUMBERS.split())]\n')
