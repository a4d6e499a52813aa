"""Results of ``FoldPredictions`` of what ``cross_validate`` returns, or of out-of-fold scores."""

from sklearn_ap import (
    FoldPredictions,
    average_precision_interval,
    compare_average_precision,
)


def pooled_interval(cv_results, X, y, pooling="scores", **options):
    predictions = FoldPredictions(cv_results, X, y, pooling=pooling)
    return average_precision_interval(None, predictions, **options)


def pooled_comparison(cv_results, X, y, pooling="scores", **options):
    models = {
        name: FoldPredictions(results, X, y, pooling=pooling)
        for name, results in cv_results.items()
    }
    return compare_average_precision(None, models, **options)
