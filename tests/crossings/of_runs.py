"""Methods with several training runs: what is called on a case, and what is expected.

The three models of a case are runs of three methods, some of them twice, as columns of one mapping.
Cases with an even seed have paired runs.
"""

import answers
import numpy as np
import runs_reference
from answers import MODELS, comparison_arguments, definition_of, fields_of, level_of

import sklearn_ap

COLUMNS = {"a": "a", "b": "b", "c": "c", "d": "b", "e": "c"}  # and the model whose scores they are
RUNS = {"a": "abc", "b": "bdca", "c": "cea"}
PAIRED = RUNS | {"b": "bdc"}


def is_paired(case):
    return case.seed % 2 == 0


def methods_of(case):
    return PAIRED if is_paired(case) else RUNS


def said(case):
    return answers_options(case) | ({"runs", "paired_runs"} if is_paired(case) else {"runs"})


def answers_options(case):
    name, options = case.definition
    return {*options} | ({"definition"} if name != "Step" else set())


def asked(case, function, **more):
    scores = {column: case.scores[model] for column, model in COLUMNS.items()}
    given = {"definition": definition_of(case), "n_resamples": 20} | case.options | more
    return fields_of(function(case.y_true, scores, **given))


def interval(case):
    return asked(case, sklearn_ap.average_precision_interval, runs=[*RUNS["a"]])


def comparison(case):
    runs = {name: [*columns] for name, columns in methods_of(case).items()}
    more = {"runs": runs} | ({"paired_runs": True} if is_paired(case) else {})
    case = answers.comparison_case(case)
    return asked(case, sklearn_ap.compare_average_precision, **more)


def models_of(case, columns):
    return [case.sampled(COLUMNS[column]) for column in columns]


def estimate_of(case, columns):
    return np.mean([case.exact(COLUMNS[column]) for column in columns], axis=0)


def expected_interval(case):
    found = {"estimate": estimate_of(case, RUNS["a"])}
    if not case.is_smooth:
        return found
    models = models_of(case, RUNS["a"])
    known = runs_reference.interval(models, level_of(case), case.options.get("method"))
    if not runs_reference.knows_limits(models) and "method" not in case.options:
        del known["low"], known["high"]
    return known | found


def expected_comparison(case):
    methods = [methods_of(case)[name] for name in MODELS]
    estimates, (place, *level) = (
        np.array([estimate_of(case, m) for m in methods]),
        comparison_arguments(case),
    )
    found = {"estimates": estimates, "differences": estimates - estimates[place]}
    if not case.is_smooth:
        return found
    models, method = [models_of(case, each) for each in methods], case.options.get("method")
    known = runs_reference.comparison(models, is_paired(case), place, *level, method=method)
    if not runs_reference.knows_limits(models[0]) and method is None:
        del known["lows"], known["highs"]
    return known | found
