"""Two samples that share no rows: every second row of a case, and the others."""

import numpy as np
import uncertainty_reference as reference
from answers import comparison_arguments, definition_of, fields_of

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
    """All numbers, or the scores where the reference knows no more."""
    estimates = [half.exact() for half in halves(case)]
    found = {"estimates": estimates, "difference": estimates[1] - estimates[0]}
    if case.definition[0] not in reference.DEFINITIONS:
        return found
    _, level, alternative = comparison_arguments(case)
    old, new = (
        # No cluster has the same name in the other one.
        reference.part_of(half.sampled(), [(i, name) for name in half.options.get("clusters", [])])
        for i, half in enumerate(halves(case))
    )
    low, high = np.transpose([part.limits(level) for part in (old, new)])
    test = reference.compared_parts(new, old, level, alternative)
    names = "difference", "difference_low", "difference_high", "pvalue"
    return found | {"lows": low, "highs": high} | dict(zip(names, test, strict=True))
