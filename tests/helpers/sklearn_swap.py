"""A pytest plugin that puts our function in place of scikit-learn's, before its tests import it.

At the end it prints the tests that called the function, one to a line.
"""

import functools

CALLED = set()
RUNNING = []


def pytest_configure():
    import sklearn.metrics
    from sklearn.metrics._scorer import _SCORERS

    from sklearn_ap import average_precision_score

    @functools.wraps(average_precision_score)
    def recorded(*args, **options):
        CALLED.update(RUNNING)
        return average_precision_score(*args, **options)

    recorded.__name__ = "average_precision_score"  # pytest names tests by it
    scorer = sklearn.metrics.make_scorer(
        recorded, response_method=("decision_function", "predict_proba")
    )
    sklearn.metrics.average_precision_score = recorded
    _SCORERS["average_precision"] = scorer


def pytest_runtest_setup(item):
    RUNNING[:] = [f"{item.module.__name__}::{item.nodeid.split('::', 1)[1]}"]


def pytest_terminal_summary(terminalreporter):
    for name in sorted(CALLED):
        terminalreporter.write_line(f"CALLED {name}")
