"""One test of many examples: all are tried, and those that fail are named."""

import functools
import inspect

import pytest


def every(names, values, ids=None):
    """Instead of pytest.mark.parametrize: one test with a loop, not one test for each example.

    For a property of hundreds of examples that take milliseconds. A fixture is made once for all.
    """
    names = [names] if isinstance(names, str) else list(names)
    values = [tuple(value) if len(names) > 1 else (value,) for value in values]
    if callable(ids):
        ids = ["-".join(str(ids(part)) for part in value) for value in values]
    labels = [str(name) for name in ids or values]

    def decorate(test):
        @functools.wraps(test)
        def try_all(*args, **fixtures):
            failures = {}
            for label, value in zip(labels, values, strict=True):
                try:
                    test(*args, **fixtures, **dict(zip(names, value, strict=True)))
                except pytest.skip.Exception:
                    pass
                except (Exception, pytest.fail.Exception) as error:
                    failures[label] = error
            if failures:
                message = f"{len(failures)} of {len(values)} fail: {', '.join(failures)}"
                raise BaseExceptionGroup(message, list(failures.values()))

        signature = inspect.signature(test)
        left = [p for name, p in signature.parameters.items() if name not in names]
        assert len(left) == len(signature.parameters) - len(names), f"{names} are no parameters"
        assert values, "no example"
        try_all.__signature__ = signature.replace(parameters=left)
        for name in [name for name in vars(try_all) if "hypothesis" in name]:
            delattr(try_all, name)  # the test inside is one of hypothesis; this one is not
        return try_all

    return decorate
