"""The pages set scikit-learn's configuration; no page inherits that of another."""

import pytest
import sklearn

# The examples and the page on early stopping have tests of their own; the rest is about the site.
collect_ignore = ["conf.py", "early_stopping.md", "figures.py", "links.py", "pictures.py"]
collect_ignore_glob = ["_build/*", "auto_examples/*", "examples/*", "examples/*/*", "generated/*"]


@pytest.fixture(autouse=True)
def configuration():
    with sklearn.config_context():
        yield
