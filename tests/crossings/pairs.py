"""Which seeds are the default: each option of each public function stands in three right calls.

``python tests/crossings/pairs.py`` chooses them anew among the first 600, and writes seeds.py,
which takes two minutes.
"""

import os
import sys
from collections import Counter
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import combinations, count, product
from pathlib import Path
from textwrap import wrap

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE), str(HERE.parent / "helpers")]

from cases import make  # noqa: E402
from entrances import ENTRANCES, OF_INTERVALS, OF_SEGMENTS, outcome, parameters_of, same  # noqa: E402
from of_folds import expected_best, expected_comparison  # noqa: E402

LEAST = 3  # cases of each pair
ALWAYS = [826]  # where only the bias of means decides which models may be best
OF_ROWS = {
    *("y_true", "y_score", "y_scores", "counts", "cv_results", "X", "y", "chunks", "source"),
    *("segments", "qrels", "runs", "query", "document", "score", "label", "file", "self"),
    *("estimator", "estimators"),
}
ELSEWHERE = {
    "guarantee": "has no exact value but by simulation",
    "n_permutations": "does not change the score",
    **dict.fromkeys(("n_resamples", "rng"), "does not change the estimate"),
    **dict.fromkeys(("tools", "all"), "a choice of rows"),
    "progress": "a bar",
    "name": "of a legend, or of a tool",
    "ax": "where to draw",
    "band": "tests/test_bands.py has a reference of its own",
    "options": "of plots, and of other tools",
    "near": "an order of rows",
    "response_method": "the model of the table has predictions only",
    "kwargs": "are options",
    "by_query": "is said with queries",
    "score_func": "is the definition",
    "relevance_level": "says what y_true is",
    "unjudged": "all documents are judged",
    "complete": "is always said, as the reference has all queries",
    "ties": "by names, as trec_eval breaks them: tests/retrieval has a reference",
    "format": "is JSON",
    "bits": "of a histogram; scores of the table stand on a grid",
}
FEW_LABELS = {"inclusion_probability", "judge"}  # of files: tests/_cli/test_few_labels.py
OF_ONE = {
    "large.from_table": {"clusters"},  # of intervals: tests/large/test_weights_and_clusters.py
    "compat.score": {"k", "n_positives", "average"},  # tests/compat
    "compat.compare": {"k", "n_positives"},
    "sklearn-ap compare": {"k", "definition", "prevalence"} | FEW_LABELS,  # of all definitions
    "sklearn-ap score": {"k"} | FEW_LABELS,  # definitions are written with their k
    "sklearn-ap trec": {"k"},
    "sklearn-ap threshold": {"queries", "without_positives"} | FEW_LABELS,  # it takes one ranking
    "sklearn-ap chance": {"k", "sample_weight", "clusters"} | FEW_LABELS,  # it refuses most
}


def needed():
    """Every pair of a public function and an option."""
    found = set()
    for entrance in ENTRANCES:
        left_out = OF_ROWS | ELSEWHERE.keys() | OF_ONE.get(entrance.name, set())
        options = parameters_of(entrance.name).keys() - left_out
        found |= {(entrance.name, option) for option in options | entrance.options}
    return found


def pairs_of(entrance, part):
    """The pairs that stand in a case: options that are not the default."""
    for option in {*part.options} | entrance.also(part):
        value, default = part.options.get(option, option), parameters_of(entrance.name).get(option)
        if repr(value) != repr(default):
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


def matters(place, seed, options=(), is_meant=lambda part: True):
    """Whether a call is right, and the reference says something else without each option."""
    part = ENTRANCES[place].part_of(case_of(seed))
    if part is None or not is_meant(part):
        return False
    if not all(changes(part, place, option) for option in options):
        return False
    return outcomes(seed)[1][place].kind == "right"


def has_limits_of(part, kind, average):
    return (part.kind, part.average) == (kind, average) and part.is_smooth


def shown():
    """What some case must show, and the question whether that of a seed does."""
    for place, entrance in enumerate(ENTRANCES):
        options = {*entrance.options} - {"average" if entrance.kinds == {"rows"} else None}
        options -= entrance.refused
        if entrance.expected in (expected_best, expected_comparison):
            options.add("gain_on_seen")
        for option in sorted(options):
            if (entrance.name, option) not in NEVER:
                yield f"{entrance.name}: {option}", partial(matters, place, options=[option])
    places = {each.name: place for place, each in reversed([*enumerate(ENTRANCES)])}
    of_interval = partial(matters, places["average_precision_interval"])
    # Faults stand where two options meet. Those of several kinds of data do not.
    for pair in combinations(sorted(OF_INTERVALS), 2):
        if {*pair} - {"labels", "pos_label", "queries"} or {*pair} == {"pos_label", "queries"}:
            are_smooth = partial(of_interval, options=pair, is_meant=lambda part: part.is_smooth)
            yield " and ".join(pair), are_smooth
    of_segments = partial(matters, places["compare_segments"])
    for pair in combinations(sorted(OF_SEGMENTS - {"queries"}), 2):
        yield f"segments: {' and '.join(pair)}", partial(of_segments, options=pair)
    averages = ("macro", "weighted", None, "micro", "samples")
    for kind, average in product(("queries", "columns", "classes"), averages):
        if kind != "queries" or average not in ("micro", "samples"):
            options = ["average"] if average != "macro" else []
            is_meant = partial(has_limits_of, kind=kind, average=average)
            yield f"{average} of {kind}", partial(of_interval, options=options, is_meant=is_meant)


def choose(n_seeds):
    """One seed after the other: the one that adds most pairs which still lack cases.

    Then also the first seed of whatever none of these shows.
    """
    lacking, chosen = Counter(dict.fromkeys(needed(), LEAST)), [*ALWAYS]
    pairs = {seed: right_pairs(seed) for seed in range(n_seeds) if is_right(seed)}
    while lacking:
        seed = max(pairs, key=lambda seed: len(pairs[seed] & lacking.keys()))
        added = pairs.pop(seed) & lacking.keys()
        if not added:
            raise ValueError(f"too few seeds for {sorted(lacking)}")
        chosen.append(seed)
        lacking = +Counter({pair: n - (pair in added) for pair, n in lacking.items()})
    for _, shows in shown():
        if not any(map(shows, chosen)):
            chosen.append(next(seed for seed in count() if shows(seed) and is_right(seed)))
    return sorted({*chosen})


if __name__ == "__main__":
    seeds = " ".join(map(str, choose(int(sys.argv[1]) if len(sys.argv) > 1 else 600)))
    lines = "\n".join(wrap(seeds, 95))
    text = '"""The seeds of the default run, as pairs.py chooses them."""\n\nNUMBERS = """\n'
    (HERE / "seeds.py").write_text(f'{text}{lines}\n"""\nSEEDS = [*map(int, NUMBERS.split())]\n')
