"""What tests of scorers need."""

import pytest
import sklearn


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield
