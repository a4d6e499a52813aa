"""Two samples that share no rows: every second row of a case, and the others."""

import numpy as np
from answers import definition_of, fields_of

import sklearn_ap

OF_SAMPLE = ("sample_weight", "clusters", "pos_label", "prevalence")


def halves(case):
    is_old = np.arange(len(case.y_true)) % 2 == 0
    return case.only(is_old), case.only(~is_old)


def has_two_samples(case):
    """Both have rows of both classes, without which a prevalence says nothing."""
    if len(case.y_true) < 2:
        return False
    return all(np.unique(half.is_positive[half.weight > 0]).size == 2 for half in halves(case))


def comparison(case):
    """Intervals have the usual level, and the comparison computes them anew for another one."""
    found = []
    for half in halves(case):
        options = half.said(*OF_SAMPLE) | {"definition": definition_of(case)}
        found.append(sklearn_ap.average_precision_interval(half.y_true, half.y_score, **options))
    asked = case.said("confidence_level", "alternative")
    return fields_of(sklearn_ap.compare_independent(*found, **asked))


def expected_comparison(case):
    estimates = [half.exact() for half in halves(case)]
    return {"estimate": estimates, "difference": [np.nan, estimates[1] - estimates[0]]}
