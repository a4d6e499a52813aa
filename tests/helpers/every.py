"""One test of many examples: all are tried, and those that fail are named.

``pytest --each`` makes a test of each example instead, so that one can be run alone by its id, as
``pytest --each "tests/test_it.py::test_it[example]"``. A failure says this command.
"""

import functools
import inspect
import os
import shlex
from collections import Counter
from functools import partial
from itertools import product

import pytest

EACH = False  # conftest.py sets it where --each is said
LONGEST = 60  # characters that stand for one value in the name of an example


def every(names, values, ids=None):
    """Instead of pytest.mark.parametrize: one test with a loop, not one test for each example.

    For a property of hundreds of examples that take milliseconds. A fixture is made once for all.
    If some examples skip and no other fails, the test is skipped, and says which they are.
    """
    names = [names] if isinstance(names, str) else list(names)
    values = [tuple(value) if len(names) > 1 else (value,) for value in values]
    assert values, "no example"
    labels = labels_of(names, values, ids)

    def decorate(test):
        if EACH:
            return pytest.mark.parametrize(names, values, ids=labels)(test)
        cases = [
            (label, dict(zip(names, v, strict=True)))
            for label, v in zip(labels, values, strict=True)
        ]
        if hasattr(test, "cases"):  # of a decorator below this one
            both = product(cases, test.cases)
            cases = [(f"{below}-{above}", x | y) for (above, x), (below, y) in both]
        return looped(test, cases)

    return decorate


def labels_of(names, values, ids):
    """What pytest calls the examples; a value that takes many letters is its place."""

    def label(place, name, part):
        text = str(ids(part) if ids else getattr(part, "__name__", part))
        is_name = len(text) < LONGEST and "\n" not in text and " at 0x" not in text
        return text if is_name else f"{name}{place}"

    if ids is None or callable(ids):
        made = ["-".join(map(partial(label, i), names, value)) for i, value in enumerate(values)]
    else:
        made = [*map(str, ids)]
    several = {each for each, n in Counter(made).items() if n > 1}
    return [f"{each}_{i}" if each in several else each for i, each in enumerate(made)]


def looped(test, cases):
    run = getattr(test, "of_one", test)

    @functools.wraps(test)
    def try_all(*args, **fixtures):
        failed, skipped = {}, {}
        for label, values in cases:
            try:
                run(*args, **fixtures, **values)
            except pytest.skip.Exception as reason:
                skipped[label] = reason
            except (Exception, pytest.fail.Exception) as error:
                error.add_note(f"To run it alone: {how_to_run(test, label)}")
                failed[label] = error
        if failed:
            text = f"{len(failed)} of {len(cases)} fail: {', '.join(failed)}"
            raise BaseExceptionGroup(text, [*failed.values()])
        if skipped:
            reasons = "; ".join(f"{label}: {reason}" for label, reason in skipped.items())
            pytest.skip(f"{len(skipped)} of {len(cases)} examples, the others pass: {reasons}")

    signature, names = inspect.signature(run), {*cases[0][1]}
    assert names <= {*signature.parameters}, f"{names} are no parameters"
    left = [p for name, p in signature.parameters.items() if name not in names]
    try_all.__signature__ = signature.replace(parameters=left)
    try_all.of_one, try_all.cases = run, cases
    for name in [name for name in vars(try_all) if "hypothesis" in name]:
        delattr(try_all, name)  # the test inside is one of hypothesis; this one is not
    return try_all


def how_to_run(test, label):
    """The command that runs an example alone."""
    name, _, others = os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0].partition("[")
    labels = [label.encode("unicode_escape").decode()]  # as pytest writes it
    if others:  # those of pytest.mark.parametrize, inside this decorator or outside
        is_inside = any(mark.name == "parametrize" for mark in getattr(test, "pytestmark", ()))
        labels.insert(0 if is_inside else 1, others[:-1])
    return shlex.join(["pytest", "-n0", "--each", f"{name}[{'-'.join(labels)}]"])
