"""@every of tests/helpers/every.py tries all examples; one that fails can be run alone."""

import every as module
import pytest
from every import every


def test_examples_that_fail_are_named_with_the_command_that_runs_one_alone():
    tried = []

    @every("x", [1, 2, 3])
    @every(("y", "z"), [("a b", None), ("c", [0] * 99)])
    def check(x, y, z):
        tried.append((x, y))
        assert x != 2

    with pytest.raises(ExceptionGroup, match="2 of 6 fail: a b-None-2, c-z1-2") as failure:
        check()
    assert len(tried) == 6
    (note,) = failure.value.exceptions[0].__notes__
    test = test_examples_that_fail_are_named_with_the_command_that_runs_one_alone.__name__
    assert note.startswith("To run it alone: pytest -n0 --each ")
    assert note.endswith(f"tests/test_every.py::{test}[a b-None-2]'")


def test_examples_that_skip_are_named_unless_others_fail():
    @every("x", [1, 2, 3])
    def check(x, worst):
        if x == 2:
            pytest.skip("no two")
        assert x < worst

    with pytest.raises(pytest.skip.Exception, match="1 of 3 examples, the others pass: 2: no two"):
        check(worst=9)
    with pytest.raises(ExceptionGroup, match="1 of 3 fail: 3"):
        check(worst=3)


def test_with_each_the_examples_are_tests_of_these_names(monkeypatch):
    monkeypatch.setattr(module, "EACH", True)

    @every("x", [int, [0] * 99, 7, 7])
    def check(x):
        pass

    (mark,) = check.pytestmark
    assert mark.kwargs["ids"] == ["int", "x1", "7_2", "7_3"]
