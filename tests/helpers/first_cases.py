"""Which cases of a test stand in the default run, and which are more of the same."""

import pytest


def first(cases, kept, others=pytest.mark.more):
    """Mark all cases but the first as more, of which ``kept`` is the number, or the ones named."""
    cases = [*cases]
    kept = cases[:kept] if isinstance(kept, int) else [*kept]
    assert all(each in cases for each in kept)
    return [each if each in kept else pytest.param(each, marks=others) for each in cases]


def quick(cases, kept):
    """Mark all cases but the first as slow, which each machine of CI runs, too."""
    return first(cases, kept, pytest.mark.slow)


def seeds(n_all, n=1):
    """Seeds from 0 on: ``n`` in the default run, ``n_all`` with the others."""
    return first(range(n_all), n)
