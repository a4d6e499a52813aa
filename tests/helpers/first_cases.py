"""Which cases of a test stand in the default run, and which in the slow one beside them."""

import pytest


def first(cases, kept):
    """Mark cases as slow but for the first, of which ``kept`` is the number, or the ones named."""
    cases = [*cases]
    kept = cases[:kept] if isinstance(kept, int) else [*kept]
    assert all(each in cases for each in kept)
    return [each if each in kept else pytest.param(each, marks=pytest.mark.slow) for each in cases]


def seeds(n_slow, n=1):
    """Seeds from 0 on: ``n`` in the default run, ``n_slow`` with the slow one."""
    return first(range(n_slow), n)
