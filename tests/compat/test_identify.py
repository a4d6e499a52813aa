"""Which average precision a function computes."""

import math

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from sklearn_ap import compat
from sklearn_ap.compat._tool_functions import BASELINE, all_options, other_functions
from sklearn_ap.definitions import AtK, Step
from tests.helpers import probe_rankings
from tests.helpers.compat_inputs import NAMES, options_of
from tests.helpers.first_cases import quick
from tests.helpers.hand_made import (
    eleven,
    envelope_of_floats,
    in_float32,
    in_order,
    noise,
    unstable,
)

RANKINGS, ANSWERS = probe_rankings.read()


def recorded(answers):
    """A function that gives a tool's recorded answers, and ours where it was not asked."""
    known = {
        (labels.tobytes(), scores.tobytes()): value
        for (labels, scores, _), value in zip(RANKINGS, answers["values"], strict=True)
    }

    def run(y_true, y_score):
        answer = known.get((y_true.tobytes(), y_score.tobytes()), probe_rankings.NOT_ASKED)
        if answer == probe_rankings.NOT_ASKED:
            return compat.score(y_true, y_score, answers["name"], **answers["options"])
        return math.nan if answer is None else float(answer)  # the text of an exception raises

    return run


@pytest.mark.parametrize("step", quick([6, 1], 1))
def test_every_function_that_was_run_is_named_from_its_recorded_answers(subtests, step):
    noted = "torch_geometric.LinkPredMAP"  # its line says what it does without positives
    asked = [
        each for each in ANSWERS if "sample_weight" not in each["options"] and each["name"] != noted
    ]
    assert len(asked) >= 80
    for each in asked[::step]:
        with subtests.test(each["name"]):
            found = compat.identify(recorded(each), k=each["options"].get("k", 10))
            named = [name.removesuffix(" (k=7)") for name in found.equal]
            assert each["name"] in named
            assert found.example is None


@pytest.mark.slow
@pytest.mark.parametrize("step", quick([6, 1], 1))
def test_every_describe_definition_the_table_is_named(subtests, step):
    for name in sorted({*NAMES} - {each["name"] for each in ANSWERS})[::step]:
        with subtests.test(name):
            options = options_of(name)
            found = compat.identify(lambda y, s: compat.score(y, s, name, **options), k=3)  # noqa: B023
            assert name in [each.removesuffix(" (k=3)") for each in found.equal]


@pytest.mark.slow
def test_a_definition_is_identified_as_the_function_of_its_scores():
    assert BASELINE in compat.identify(Step()).equal
    assert "AP@5" in compat.identify(AtK(5)).equal  # its own k
    halved = type("Halved", (Step,), {"heights": lambda _, counts: counts.precision / 2})()
    assert not compat.identify(halved).exceptions


# The function, the nearest one, and on how many rankings both are the same.
WRONG = [
    (in_order, "ranx.map", 140),
    (in_float32, BASELINE, 153),
    (eleven, "eleven-point AP", 150),
    (envelope_of_floats, "interpolated AP", 152),
    (lambda y, s: average_precision_score(y, np.clip(s, 0, 1)), BASELINE, 152),
]


@pytest.mark.parametrize(("function", "nearest", "n_same"), WRONG)
def test_mistakes_are_told_by_the_nearest_function(function, nearest, n_same):
    found = compat.identify(function)
    assert (found.names[0], found.n_same[0]) == (nearest, n_same)
    if n_same < 153:
        y_true, y_score, answer, expected = found.example
        assert answer == function(np.array(y_true), np.array(y_score))
        assert expected == pytest.approx(compat.score(y_true, y_score, nearest))


@pytest.mark.parametrize("function", [noise, unstable, lambda y, s: s.std()])
def test_what_no_function_equals_is_no_known_function(function):
    found = compat.identify(function)
    assert found.equal == ()
    assert found.heading == "equals no known function"
    assert found.n_same[0] < 50


def test_another_order_of_ties_is_told_by_the_functions_without_ties():
    found = compat.identify(unstable)
    assert not found.equal
    assert "copairs.average_precision" in found.equal_untied
    assert any(each.startswith("Where no scores tie, it equals ") for each in found.sentences)
    assert compat.identify(noise).equal_untied == ()


def test_exceptions_are_told_in_the_place_of_an_answer():
    def of_two_rows(y_true, y_score):
        if y_true.size < 2:
            raise ValueError("one row")
        return average_precision_score(y_true, y_score)

    found = compat.identify(of_two_rows)
    assert found.sentences[1] == "It raises ValueError: one row on 3 of 153 rankings."
    assert (found.example.answer, found.example.expected) == (None, 0.0)
    assert "it gives an exception, and sklearn.average_precision_score 0." in found.sentences[-1]


@pytest.mark.slow
@pytest.mark.parametrize(("wrong", "text"), [(np.inf, "inf"), (1e308, "1e+308")])
def test_infinity_is_a_wrong_answer_as_is_what_may_sum_to_it(wrong, text):
    found = compat.identify(lambda y, s: average_precision_score(y, s) if y.any() else wrong)
    assert not found.equal
    assert found.difference.max() < 2
    assert f"it gives {text}, and" in str(found).replace("\n", " ")


def test_the_shortest_ranking_on_which_a_function_differs_is_shown():
    """A single negative: 0.5 in place of 0."""
    found = compat.identify(in_order)
    assert found.example == ([0], [1 / 64], 0.5, 0.0)
    assert "On y_true = [0], y_score = [0.015625], it gives 0.5, and ranx.map 0." in " ".join(
        str(found).split()
    )


def test_functions_of_one_number_are_told_apart_by_other_scores():
    """Scores of the rankings are exact in float32; those of the probes are not."""
    equal = compat.identify(average_precision_score).equal
    assert "clickhouse.arrayAUCPR" in equal
    for name in ("torchrec.AUPRC", "torchmetrics.BinaryAveragePrecision", "hyperbolic AP"):
        assert name not in equal


@pytest.mark.slow
def test_k_is_that_of_the_functions_that_need_it():
    def at_4(y_true, y_score):
        return compat.score(y_true, y_score, "ranx.map@k", k=4)

    assert "ranx.map@k (k=4)" in compat.identify(at_4, k=4).equal
    found = compat.identify(at_4)
    assert found.equal == ()
    assert found.sentences[1] == "Functions that count the first k ranks were called with k=10."


def test_the_result_has_a_row_for_each_function():
    found = compat.identify(average_precision_score)
    frame = found.to_frame()
    assert frame.loc["sklearn.average_precision_score", "n_same"] == 153
    assert (frame["n_same"].iloc[:-1].array >= frame["n_same"].iloc[1:].array).all()
    assert len(frame) > len(other_functions())


def test_a_function_that_changes_its_arguments_changes_no_later_answer():
    def spoil(y, s):
        s.sort()
        y[:] = 0

    with pytest.raises(ValueError, match="raises TypeError: float"):
        compat.identify(spoil)
    assert compat.identify(average_precision_score).equal[0] == BASELINE


@pytest.mark.parametrize(
    ("function", "failure"),
    [
        ("AP@20", "'AP@20' raises TypeError: 'str' object is not callable on 153 of 153 rankings."),
        (lambda y, s: "high", "raises ValueError: could not convert"),
        (lambda y, s: s[1::9][5], "raises IndexError: index 5 is out of bounds"),
    ],
)
def test_what_gives_no_number_is_refused(function, failure):
    with pytest.raises(ValueError, match=f"function must take y_true and y_score, .*{failure}"):
        compat.identify(function)
    with pytest.raises(ValueError, match="k must be at least 1"):
        compat.identify(function, k=-3)


def test_nan_alone_equals_no_function():
    assert compat.identify(lambda y, s: math.nan).equal == ()


def test_a_cut_below_the_longest_ranking_is_told_not_to_show():
    found = compat.identify(lambda y, s: compat.score(y, s, "ranx.map@k", k=100))
    assert found.equal[0] == "ranx.map"
    assert "This does not show whether ranks beyond 60 count." in found.sentences[-1]


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (
            average_precision_score,
            "It computes with tied rows together, steps, all ranks, divided by the positives.",
        ),
        (
            lambda y, s: compat.score(y, s, "ranx.map"),
            "It computes with tied rows in the order of the input, steps, all ranks, divided by "
            "the positives.",
        ),
        (
            AtK(10, "hits"),
            "It computes with tied rows together, steps, the first k ranks, divided by the hits.",
        ),
        (
            lambda y, s: compat.score(y, s, "xgboost.aucpr"),
            "It computes with scores in float32, tied rows together, hyperbolas, all ranks, "
            "divided by the positives.",
        ),
    ],
)
def test_what_a_function_computes_is_said_in_words(function, words):
    assert compat.identify(function).sentences[0] == words


def test_each_option_has_words_of_its_own():
    words = [option.words for option in all_options().values() if option.words]
    usual = {name for _, name in all_options()} & {"as given", "irrelevant", "its own value"}
    assert len({*words}) == len(words) == len(all_options()) - len(usual)


def test_numbers_above_1_may_be_percentages():
    found = compat.identify(lambda y_true, y_score: 100 * average_precision_score(y_true, y_score))
    assert "pass a function that divides by 100" in found.sentences[-1]
