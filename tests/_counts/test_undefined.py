"""The score of a ranking without positives."""

import numpy as np
import pytest

from sklearn_ap._counts.undefined import check_zero_division


@pytest.mark.parametrize("value", [0.5, -1, np.inf, "nan"])
def test_other_scores_of_rankings_without_positives_are_refused(value):
    with pytest.raises(ValueError, match="zero_division must be"):
        check_zero_division(value)
    with pytest.raises(TypeError, match="zero_division must be"):
        check_zero_division([value])
