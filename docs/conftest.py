"""The pages set scikit-learn's configuration; no page inherits that of another."""

import pytest
import sklearn


@pytest.fixture(autouse=True)
def configuration():
    with sklearn.config_context():
        yield
