"""The pages set scikit-learn's configuration and draw; no page inherits anything from another."""

import matplotlib.pyplot as plt
import pytest
import sklearn

# Examples, and pages of other libraries, have tests of their own; modules are about the site.
collect_ignore = ["early_stopping.md", "tracking.md"]
collect_ignore_glob = ["*.py", "_build/*", "auto_examples/*", "examples/*", "generated/*"]


@pytest.fixture(autouse=True)
def fresh_page():
    with sklearn.config_context():
        yield
    plt.close("all")
