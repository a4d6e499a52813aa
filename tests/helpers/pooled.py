"""Results of ``FoldPredictions`` of what ``cross_validate`` returns, or of out-of-fold scores."""

from sklearn_ap import (
    FoldPredictions,
    average_precision_interval,
    best_average_precision,
    compare_average_precision,
)


def pooled_interval(cv_results, X, y, pooling="scores", **options):
    predictions = FoldPredictions(cv_results, X, y, pooling=pooling)
    return average_precision_interval(None, predictions, **options)


def pooled_comparison(cv_results, X, y, **options):
    return _of_models(compare_average_precision, cv_results, X, y, **options)


def pooled_best(cv_results, X, y, **options):
    return _of_models(best_average_precision, cv_results, X, y, **options)


def _of_models(function, cv_results, X, y, pooling="scores", **options):
    models = {
        name: FoldPredictions(results, X, y, pooling=pooling)
        for name, results in cv_results.items()
    }
    return function(None, models, **options)
