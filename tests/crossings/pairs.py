"""Which options stand in the default run: each of each public function, in five right calls.

Each mean of an interval stands in one. The seeds of ``seeds.py`` were chosen one after the other,
each as the one that adds most of what still lacks calls, and then so that each of these options
decides in one call, that is, so that the answer would be another without it.
"""

from functools import cache
from itertools import product

from cases import make
from entrances import (
    ENTRANCES,
    FEW,
    NOT_OF_FOLDS,
    REFUSED,
    failure,
    outcome,
    parameters_of,
)

LEAST, LEAST_OF_A_MEAN = 5, 1  # calls with an option, and with a mean
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


def further_seed(pair, seeds):
    """The first of 2,000 other seeds with a right call that has a pair, and with no wrong one."""
    others = (seed for seed in range(2_000) if seed not in seeds)
    return next((n for n in others if pair in right_pairs(n) and not [*wrong(n)]), None)
