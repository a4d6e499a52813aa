"""Claims in the sentences of the pages, tried."""

import re

import numpy as np
import pytest
from pages import DOCS

from sklearn_ap import average_precision_score, compat, interpolated_average_precision_score

RECIPE = re.findall(r"^>>> (rank = .*|np\.where.*)$", (DOCS / "tools.md").read_text(), re.MULTILINE)


def test_the_recipe_for_ties_in_the_order_of_the_input_leaves_out_what_was_not_retrieved():
    rng = np.random.default_rng(0)
    for _ in range(50):
        y_true = rng.permutation(np.arange(12) < 4)
        y_score = rng.choice([0.1, 0.2, 0.3, -np.inf], 12)
        known = {"np": np, "y_score": y_score}
        exec(RECIPE[0], known)
        ranks = eval(RECIPE[1], known)
        ours = average_precision_score(y_true, ranks)
        assert ours == pytest.approx(compat.score("ranx.map", y_true, y_score))


def test_coco_gives_the_number_of_101_levels_unless_a_recall_falls_on_one():
    """Up to 9 objects, no recall but 0.5 and the like, which are not rounded, is a level."""
    rng, options = np.random.default_rng(0), {"recall_levels": 101}
    for n_objects in range(1, 10):
        y_true = rng.permutation(np.arange(40) < n_objects)
        y_score = rng.permutation(40)
        ours = interpolated_average_precision_score(y_true, y_score, **options)
        assert compat.score("COCO", y_true, y_score) == pytest.approx(ours)
