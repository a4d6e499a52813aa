"""Results of ``FoldPredictions`` of what ``cross_validate`` returns, or of out-of-fold scores."""

from sklearn_ap import (
    FoldPredictions,
    average_precision_interval,
    compare_average_precision,
)


def pooled_interval(cv_results, X, y, **options):
    return average_precision_interval(y, FoldPredictions(cv_results, X), **options)


def pooled_comparison(cv_results, X, y, **options):
    models = {name: FoldPredictions(results, X) for name, results in cv_results.items()}
    return compare_average_precision(y, models, **options)
