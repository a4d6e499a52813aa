"""What other tools print: which functions agree, and how far the others are."""

import numpy as np
import pytest
from report_data import part, quiet


@quiet
def test_functions_that_print_the_same_number_are_counted_as_in_the_table():
    y = np.arange(300) % 7 == 0
    score = y + np.random.default_rng(8).normal(size=300)
    for scores in (score, np.where(y, 3, score)):
        found = part("What other tools print", y, scores)
        n_alike = len(found.cells[1][1].split(", "))
        assert found.sentence.startswith(f"{n_alike} of 10 well-known functions print")
        assert found.cells[1][0] not in [row[0] for row in found.cells[2:]]


@quiet
@pytest.mark.parametrize("are_probabilities", [True, False])
def test_a_tool_that_is_far_from_all_others_is_named_apart(are_probabilities):
    """Keras clips scores to [0, 1]."""
    y = np.arange(3000) % 50 == 0
    logit = 2.0 * y + np.random.default_rng(8).normal(size=3000)
    score = 1 / (1 + np.exp(-logit)) if are_probabilities else logit
    found = part("What other tools print", y, score)
    numbers = {row[1]: row[0] for row in found.cells[1:]}
    keras = numbers.pop("keras.AUC_PR_interpolation")
    first, *others = numbers.values()
    others += [keras] if are_probabilities else []
    far = "" if are_probabilities else f", and keras.AUC_PR_interpolation {keras}"
    ends = f"{min(others)} to {max(others)}{far}."
    assert found.sentence.endswith(f" print {first} for the model; the others print {ends}")
