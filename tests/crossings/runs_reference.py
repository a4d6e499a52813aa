"""What functions say of methods with several training runs, by the formula of the page of methods.

It takes the models of ``uncertainty_reference``, one for each run, and imports nothing of the
package. The variance of rows is that of a model whose contributions are the means over runs.
"""

from dataclasses import replace

import numpy as np
import uncertainty_reference as reference


def mean_of(models):
    """One model, whose values and contributions are the means over those of the runs."""
    first = models[0]

    def mean(arrays):
        return None if arrays[0] is None else np.mean(arrays, axis=0)

    names = "values", "unit_contributions", "missed_contributions", "bias"
    found = {name: mean([getattr(each, name) for each in models]) for name in names}
    if first.row_contributions is not None:
        rankings = zip(*(each.row_contributions for each in models), strict=True)
        found["row_contributions"] = [np.mean(each, axis=0) for each in rankings]
    if first.as_rows is not None:
        rows = first.numbers.rows  # none of a ranking without positives, which has no effect
        effects = [rows / np.where(rows > 0, each.as_rows, 1.0) for each in models]
        effect = np.mean(effects, axis=0)
        found["as_rows"] = rows / np.where(rows > 0, effect, 1.0)
    if first.hidden is not None:
        loss, gain = (mean([getattr(each.hidden, name) for each in models]) for name in LIMITS)
        found["hidden"] = first.hidden._replace(loss=loss, gain=gain)
    return replace(first, **found)


LIMITS = "loss", "gain"


def minus(model, other):
    """One model, whose values and contributions are the differences of those of two."""
    found = {
        name: None if getattr(model, name) is None else getattr(model, name) - getattr(other, name)
        for name in ("values", "unit_contributions", "missed_contributions")
    }
    if model.row_contributions is not None:
        pairs = zip(model.row_contributions, other.row_contributions, strict=True)
        found["row_contributions"] = [one - another for one, another in pairs]
    return replace(model, **found)


def part_of_runs(models):
    """What runs add to the variance of their mean, and to the sum that gives the degrees."""
    n_runs, mean = len(models), mean_of(models)
    between = np.var([each.score for each in models], axis=0, ddof=1)
    row_variances = [reference.variance_of_difference(each, mean).shown for each in models]
    row_part = np.nan_to_num(np.sum(row_variances, axis=0)) / (n_runs - 1)
    run_part = np.maximum(between - row_part, 0) / n_runs
    return run_part, (between / n_runs) ** 2 / (n_runs - 1)


def add_runs_variance(variance, parts):
    """The variance of rows, and that of the runs of one method, or of two."""
    added, squares = (sum(each) for each in zip(*parts, strict=True))
    if np.isinf(variance.enlarged).any():
        return variance
    doubt = variance.enlarged**2 / np.maximum(variance.degrees, 1e-300) + squares
    degrees = np.where(
        doubt > 0, (variance.enlarged + added) ** 2 / np.maximum(doubt, 1e-300), variance.degrees
    )
    return replace(
        variance,
        shown=variance.shown + added,
        enlarged=variance.enlarged + added,
        degrees=degrees,
        limit_variances=tuple(add_runs_variance(each, parts) for each in variance.limit_variances),
    )


def knows_limits(models):
    """Where negatives weigh much, the limits of a mean need what each run loses by one."""
    each = [one for model in models for one in (model if isinstance(model, list) else [model])]
    return all(
        one.sample.are_sampled or np.all(one.numbers.positives_alone <= one.cases) for one in each
    )


def interval(runs, level=0.95, method=None):
    """What average_precision_interval says of the runs of a method."""
    if isinstance(runs[0], list):
        return reference.side_by_side(interval, zip(*runs, strict=True), level, method)
    mean = mean_of(runs)
    row_variance, part = reference.variance_of_score(mean), part_of_runs(runs)
    variance = add_runs_variance(row_variance, [part])
    n_queries = reference.effective_queries(mean)[0] if mean.sample.are_sampled else None
    limits = reference.limits_of_score(mean.score, variance, level, n_queries)
    if method is not None:
        limits = reference.logit(mean.score, variance, level)
    found = reference.interval_of(mean, mean.score, variance, *limits)
    found["rows_standard_error"] = float(np.sqrt(row_variance.shown)[0])
    found["runs_standard_error"] = float(np.sqrt(part[0])[0])
    if mean.is_undefined or np.isnan(row_variance.shown).any():
        found["rows_standard_error"] = found["runs_standard_error"] = np.nan
    return found


def comparison(methods, paired, reference_place, level=0.95, alternative="two-sided", method=None):
    """What compare_average_precision says of methods with runs."""
    if isinstance(methods[0][0], list):
        runs_by_ranking = zip(*(zip(*runs, strict=True) for runs in methods), strict=True)
        asked = paired, reference_place, level, alternative, method
        found = reference.side_by_side(comparison, runs_by_ranking, *asked)
        is_tested = ~np.isnan(found["pvalues"])
        is_tested[reference_place] = False
        found["adjusted_pvalues"] = found["pvalues"].copy()
        found["adjusted_pvalues"][is_tested] = reference.holm(found["pvalues"][is_tested])
        return found
    means, base = [mean_of(runs) for runs in methods], methods[reference_place]

    def variance_of(i):
        parts = [part_of_runs(methods[i]), part_of_runs(base)]
        if paired:
            pairs = zip(methods[i], base, strict=True)
            parts = [part_of_runs([minus(*pair) for pair in pairs])]
        row_variance = reference.variance_of_difference(means[i], means[reference_place])
        return add_runs_variance(row_variance, parts)

    intervals = [interval(runs, level, method) for runs in methods]
    test = reference.student if method is None else reference.normal
    asked = reference_place, variance_of, level, alternative, test
    return reference.compared(intervals, *asked)
