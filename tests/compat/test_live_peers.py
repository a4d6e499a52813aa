"""The real tools beside their reproductions, on generated predictions: pytest -m peers.

A tool that is not installed is skipped by name.
"""

import numpy as np
import pytest

from sklearn_ap import compat
from sklearn_ap.compat._tool_names import get_function
from tests.helpers.compat_inputs import tolerance_of
from tests.helpers.record_peers import RUNNERS, installed

WITHIN_0_AND_1 = (
    *("faster_coco_eval", "globox", "h2o", "keras", "lvis", "pycocotools"),
    "supervision",
)
pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]


def generated(name):
    """Predictions with ties where the tool says what it does with them, and without."""
    function = get_function(name)
    rng = np.random.default_rng(sum(map(ord, name)))
    # Whole vectors: PyTorch's sigmoid of equal scores may differ in the last bit in a remainder.
    for n, prevalence in ((5, 0.5), (12, 0.3), (32, 0.2), (160, 0.5), (400, 0.05)):
        y = rng.permutation(np.arange(n) < max(1, int(prevalence * n))).astype(int)
        yield y, (rng.permutation(n) + 0.5) / n
        if (
            function.tool in ("torchmetrics", "torcheval")
            and function.choices["ties"].name == "grouped"
        ):
            yield y, rng.integers(0, 100, n) / 99  # on the edges of 100 bins, and of 200
            yield y, rng.integers(0, 200, n) / 199
        if function.choices["ties"].name != "unspecified" and name != "lightgbm.map":
            yield y, rng.integers(1, 9, n) / 10
            yield y, rng.integers(1, 9, n) * 0.6e-8
            if function.tool not in WITHIN_0_AND_1:
                yield y, rng.integers(-40, 41, n) / 8


@pytest.mark.parametrize("name", RUNNERS)
def test_installed_tool_agrees_with_its_reproduction(name):
    if not installed(name):
        pytest.skip(f"{name} is not installed")
    function, run = get_function(name), RUNNERS[name]
    for y, s in generated(name):
        asked = [{"k": k} for k in (1, 3, 10) if k <= len(y)] if function.needs_k else [{}]
        if function.takes_weights:
            asked.append({"sample_weight": np.random.default_rng(0).random(len(y))})
        for options in asked:
            ours = compat.score(y, s, name, **options)
            theirs = run(y, s, **options)
            assert ours == pytest.approx(theirs, abs=tolerance_of(name)), (len(y), options)
