"""Which queries count where models that found nothing are doubted."""

import numpy as np

from sklearn_ap.inference.doubts.missing_results import missing_results


def test_queries_for_which_no_model_found_anything_do_not_count():
    """Of 40 queries, nobody answers the last ten, and "b" eight of the others."""
    query = np.arange(40)
    found = {"a": query < 30, "b": query < 22}
    models = [np.where(is_found, 1.0, -np.inf) for is_found in found.values()]
    (doubt,) = missing_results(models, [*found], query >= 0, query, ("query", "document"))
    assert doubt.about == ("b",)
    assert doubt.text.startswith("8 of 30 queries with positives have no document.")
