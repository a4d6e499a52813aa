"""Results of ``FoldPredictions`` of what ``cross_validate`` returns, or of out-of-fold scores."""

from sklearn_ap import (
    FoldPredictions,
    average_precision_interval,
    compare_average_precision,
)


def pooled_interval(cv_results, X, y, **options):
    return average_precision_interval(None, FoldPredictions(cv_results, X, y), **options)


def pooled_comparison(cv_results, X, y, **options):
    models = {name: FoldPredictions(results, X, y) for name, results in cv_results.items()}
    return compare_average_precision(None, models, **options)
