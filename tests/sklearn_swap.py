"""A pytest plugin that puts our function in place of scikit-learn's, before its tests import it."""


def pytest_configure():
    import sklearn.metrics
    from sklearn.metrics._scorer import _SCORERS

    from sklearn_ap import average_precision_score

    scorer = sklearn.metrics.make_scorer(
        average_precision_score, response_method=("decision_function", "predict_proba")
    )
    sklearn.metrics.average_precision_score = average_precision_score
    _SCORERS["average_precision"] = scorer
