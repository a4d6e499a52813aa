"""Which seeds are the default: each option of each public function stands in five right calls.

Each mean of an interval stands in one. ``python tests/crossings/pairs.py`` chooses the seeds anew
among the first 900, and writes seeds.py, which takes ten minutes. It adds seeds until each of these
options decides in one call, that is, until the answer would be another without it.
"""

import os
import sys
from collections import Counter
from functools import cache
from itertools import count, islice, product
from pathlib import Path
from textwrap import wrap

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE), str(HERE.parent / "helpers")]

import entrances  # noqa: E402
from cases import make  # noqa: E402
from entrances import (  # noqa: E402
    ENTRANCES,
    FEW,
    NOT_OF_FOLDS,
    REFUSED,
    failure,
    outcome,
    parameters_of,
)

LEAST, LEAST_OF_A_MEAN = 5, 1  # calls with an option, and with a mean
ALWAYS = [
    240,  # all rows are labelled, with unequal chances: none can hide a positive
    428,  # nothing is defined without one cluster, and positives were never scored
    743,  # the same
]
LEFT_OUT = {
    "rows and models": """
        y_true y_score y_scores counts cv_results X y chunks source segments qrels runs query
        n_negatives
        document score label file self estimator response_method old new
    """,
    "what stands in another option, or is always said": """
        score_func by_query kwargs relevance_level complete unjudged judged_only format delimiter
        decimal
    """,
    "it changes verdicts alone: tests/inference/test_comparison.py": "margin",
    "what does not change scores and limits by formulas, or only what is shown": """
        n_permutations rng progress guarantee name names ax options tools all
        near ties drop_intermediate chance_level_kwargs
    """,
}
ARE_LEFT_OUT = {name for names in LEFT_OUT.values() for name in names.split()}
OF_ONE = {
    "large.from_groups": {"n_positives"},  # a column
}


def needed():
    """How many calls need each option of a public function, and each mean."""
    found = set()
    for entrance in ENTRANCES:
        name, left_out = entrance.line, ARE_LEFT_OUT | OF_ONE.get(entrance.name, set())
        options = (parameters_of(entrance.name).keys() - left_out) | entrance.options
        found |= {(name, option) for option in options - not_taken(entrance)}
    name = "average_precision_interval"
    averages = ("macro", "weighted", None, "micro", "samples")
    means = product(("queries", "columns", "classes"), averages)
    means = {(name, *mean) for mean in means} - {(name, "queries", by) for by in averages[3:]}
    return dict.fromkeys(found, LEAST) | dict.fromkeys(means, LEAST_OF_A_MEAN)


def not_taken(entrance):
    """Options that say nothing beside few labels, folds or queries, or beside plain scores."""
    if entrance.options >= FEW:
        return REFUSED
    if entrance.line == "compare_segments of queries":
        return {"clusters"}
    of_best = {"reference", "alternative"} if "best" in entrance.of else set()
    return FEW | of_best | (NOT_OF_FOLDS if "folds" in entrance.of else set())


def pairs_of(entrance, part):
    """What stands in a case of ``needed()``: options that are not the default."""
    defaults = parameters_of(entrance.name)
    for option in sorted({*part.options} | entrance.also(part)):
        if repr(part.options.get(option, option)) != repr(defaults.get(option)):
            yield entrance.line, option
    yield entrance.line, part.kind, part.average


@cache
def outcomes(seed):
    """The parts of a case that go through the lines of the table, and how the calls end."""
    case = make(seed)
    parts = [entrance.part_of(case) for entrance in ENTRANCES]
    pairs = zip(ENTRANCES, parts, strict=True)
    return parts, [part and outcome(entrance, part) for entrance, part in pairs]


def right_pairs(seed):
    calls = zip(ENTRANCES, *outcomes(seed), strict=True)
    right = (each[:2] for each in calls if each[2] and each[2].kind == "right")
    return {pair for each in right for pair in pairs_of(*each)}


def wrong(seed):
    """What the calls of a case do that they should not do."""
    for entrance, part, found in zip(ENTRANCES, *outcomes(seed), strict=True):
        if found is not None and found.kind not in ("right", "refused"):
            yield failure(entrance, seed, part, found)


def decides(seed, pair):
    """Whether a right call would have another answer without each of these options."""
    line, *options = pair
    calls = zip(ENTRANCES, *outcomes(seed), strict=True)
    return any(
        all(is_another(entrance, part, part.without(option)) for option in options)
        for entrance, part, found in calls
        if entrance.line == line and found and found.kind == "right"
        if part.options.keys() >= {*options}
    )


def is_another(entrance, part, other):
    try:
        both = entrance.expected(part), entrance.expected(other)
    except (ArithmeticError, LookupError, TypeError, ValueError):  # it means nothing without
        return True
    one, other = (each if isinstance(each, dict) else {"": each} for each in both)
    return one.keys() != other.keys() or bool(entrances.difference(one, other, 1e-9))


def choose(n_seeds):
    """One seed after the other: the one that adds most of what still lacks cases.

    Then the first seed for each option that decides in none of them, but does in some.
    """
    lacking, chosen, pairs = Counter(needed()), [], {}
    for seed in range(n_seeds):
        for text in wrong(seed):
            print(text)
        pairs[seed] = set() if [*wrong(seed)] else right_pairs(seed)
    left, further = dict(pairs), count(n_seeds)
    while lacking:
        seed = max(left, key=lambda seed: len(left[seed] & lacking.keys()))
        added = left.pop(seed) & lacking.keys()
        if not added:
            seed = next(further)
            left[seed] = pairs[seed] = set() if [*wrong(seed)] else right_pairs(seed)
            continue
        chosen.append(seed)
        lacking = +Counter({pair: n - (pair in added) for pair, n in lacking.items()})
    for pair in sorted(needed(), key=str):
        having = [seed for seed in (*chosen, *left) if pair in pairs[seed]]
        chosen += islice((seed for seed in having if decides(seed, pair)), 1)
    return sorted({*chosen, *ALWAYS})


if __name__ == "__main__":
    seeds = " ".join(map(str, choose(900)))
    lines = "\n".join(wrap(seeds, 95))
    text = '"""The seeds of the default run, as pairs.py chooses them."""\n\nNUMBERS = """\n'
    (HERE / "seeds.py").write_text(f'{text}{lines}\n"""\nSEEDS = [*map(int, NUMBERS.split())]\n')
