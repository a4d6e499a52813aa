"""The pages set scikit-learn's configuration and draw; no page inherits anything from another."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as in tests/conftest.py
os.environ.setdefault("OMP_NUM_THREADS", "1")

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sklearn

from tests.helpers import pages

# Examples have tests of their own; modules are about the site.
collect_ignore_glob = ["*.py", "_build/*", "auto_examples/*", "examples/*", "generated/*"]

# They simulate hundreds of samples, fit dozens of models or draw pictures, which takes seconds. The
# first one runs once, with its commands, in tests/pages/test_commands.py.
HEAVY = {"get_started.md": "commands"}
HEAVY |= dict.fromkeys(["cross_validation.md", "drawing.md", "molecules.md"], "slow")
HEAVY |= {"why_not_sklearn.md": "slow"}


def pytest_itemcollected(item):
    """Leave out the blocks that name a package: tests/pages/test_task_pages.py runs them."""
    if isinstance(item, pytest.DoctestItem):
        if item.path.name in HEAVY:
            item.add_marker(HEAVY[item.path.name])
        pages.leave_out_blocks_with_needs(item.dtest, item.path.read_text())


@pytest.fixture(autouse=True)
def fresh_page():
    with sklearn.config_context(), np.printoptions():
        yield
    plt.close("all")
