"""Which average precision a function computes."""

import math

import numpy as np
import probe_rankings
import pytest
from compat_inputs import NAMES, options_of
from hand_made import (
    eleven,
    envelope_of_floats,
    in_float32,
    in_order,
    noise,
    trapezoids,
    unstable,
)
from sklearn.metrics import (
    average_precision_score,
    get_scorer,
    make_scorer,
    ndcg_score,
    precision_recall_curve,
)

import sklearn_ap
from sklearn_ap import compat
from sklearn_ap.compat._tools import BASELINE, other_tools
from sklearn_ap.definitions import AtK

RANKINGS, ANSWERS = probe_rankings.read()


def recorded(answers):
    """A function that gives a tool's recorded answers, and ours where it was not asked."""
    rows = (probe_rankings.as_arrays(each)[:2] for each in RANKINGS)
    known = {
        (labels.tobytes(), scores.tobytes()): value
        for (labels, scores), value in zip(rows, answers["values"], strict=True)
    }

    def run(y_true, y_score):
        answer = known.get((y_true.tobytes(), y_score.tobytes()), probe_rankings.NOT_ASKED)
        if answer == probe_rankings.NOT_ASKED:
            return compat.score(answers["name"], y_true, y_score, **answers["options"])
        return math.nan if answer is None else float(answer)  # the text of an exception raises

    return run


def test_every_function_that_was_run_is_named_from_its_recorded_answers(subtests):
    noted = "torch_geometric.LinkPredMAP"  # its line says what it does without positives
    asked = [
        each for each in ANSWERS if "sample_weight" not in each["options"] and each["name"] != noted
    ]
    assert len(asked) >= 80
    for each in asked:
        with subtests.test(each["name"]):
            found = compat.identify(recorded(each), k=each["options"].get("k", 10))
            named = [name.removesuffix(" (k=7)") for name in found.equal]
            assert each["name"] in named
            assert found.example is None


def test_every_function_of_the_table_is_named(subtests):
    for name in {*NAMES} - {each["name"] for each in ANSWERS}:
        with subtests.test(name):
            options = options_of(name)
            found = compat.identify(lambda y, s: compat.score(name, y, s, **options), k=3)  # noqa: B023
            assert name in [each.removesuffix(" (k=3)") for each in found.equal]


# The function, the nearest one, how it is read, and on how many rankings both are the same.
WRONG = [
    (in_order, "ranx.map", "", 137),
    (trapezoids, "sklearn.auc_of_precision_recall_curve", "the sign of its answer turned", 150),
    (in_float32, "sklearn.average_precision_score", "", 150),
    (eleven, "Interpolated(recall_levels=11)", "", 147),
    (envelope_of_floats, "Interpolated()", "", 150),
    (lambda s, y: average_precision_score(y, s), BASELINE, "y_score and y_true swapped", 150),
    (lambda y, s: average_precision_score(y, -s), BASELINE, "scores reversed", 150),
    (lambda y, s: average_precision_score(1 - y, s), BASELINE, "labels 1 - y", 150),
    (lambda y, s: -in_order(y, s), "ranx.map", "the sign of its answer turned", 137),
]


@pytest.mark.parametrize(("function", "nearest", "reading", "n_same"), WRONG)
def test_mistakes_are_told_by_the_nearest_function(function, nearest, reading, n_same):
    found = compat.identify(function)
    assert (found.names[0], found.reading, found.n_same[0]) == (nearest, reading, n_same)


def test_sums_in_float32_are_told_by_their_errors():
    found = compat.identify(in_float32)
    assert found.heading == "equals sklearn.average_precision_score"
    assert {"ties": "grouped", "between": "step"}.items() <= found.choices.items()
    assert 1e-9 < found.difference[0] < 1e-7
    assert "as those of float32 are" in str(found)
    assert "float32" not in str(compat.identify(average_precision_score))


@pytest.mark.parametrize("function", [noise, unstable, lambda y, s: s.std()])
def test_what_no_function_equals_has_no_choices(function):
    found = compat.identify(function)
    assert (found.equal, found.choices) == ((), {})
    assert found.heading == "equals no known function"
    assert found.n_same[0] < 50


def test_choices_are_those_that_all_equal_functions_share():
    """Some functions of the first promise no order of ties; one of the second takes a sigmoid."""

    def in_order_or_0(y_true, y_score):
        return in_order(y_true, y_score) if y_true.any() else 0

    def best_recall(y_true, y_score):
        precision, recall, _ = precision_recall_curve(y_true, y_score)
        return recall[precision >= 0.9].max()

    found = compat.identify(in_order_or_0)
    assert "ranx.map" in found.equal
    assert found.choices["ties"] == "input order"
    assert "divisor" not in found.choices  # that of ragas is the number of hits
    assert found.choices["no positive"] == "0"
    found = compat.identify(best_recall)
    assert "torcheval.binary_recall_at_fixed_precision" in found.equal
    assert "scores" not in found.choices
    assert found.choices["ties"] == "grouped"


def test_another_order_of_ties_is_told_by_the_functions_without_ties():
    found = compat.identify(unstable)
    assert not found.equal
    assert "lenskit.AveragePrecision" in found.equal_untied
    assert any(each.startswith("Where no scores tie, it equals ") for each in found.sentences)
    assert compat.identify(noise).equal_untied == ()


def test_an_answer_that_changes_with_the_call_is_told():
    found = compat.identify(noise)
    assert (
        found.sentences[0] == f"A second call gives another answer to {found.n_varying} rankings."
    )
    assert found.n_varying > 140
    assert compat.identify(unstable).n_varying == 0  # its seed is fixed


def test_the_nearest_reading_of_an_unknown_function_is_not_an_answer():
    found = compat.identify(lambda y, s: 1 - average_precision_score(y, s))
    assert found.reading == ""
    found = compat.identify(lambda y, s: average_precision_score(s, y) if s.any() else 0.25)
    assert found.n_same[0] < 150
    assert found.sentences[0] == "This is nearest with y_score and y_true swapped."


def test_a_swap_is_not_seen_in_a_function_that_fails_with_swapped_arguments():
    def zero_based(y_true, y_score):
        relevant = y_true[np.argsort(-y_score, kind="stable")]
        precision = np.cumsum(relevant) / np.maximum(np.arange(relevant.size), 1)
        return precision[relevant == 1].mean() if relevant.any() else 0.0

    found = compat.identify(zero_based)
    y_true, y_score, answer, expected = found.example
    assert found.reading == ""
    assert zero_based(y_true, y_score) == answer != expected


def test_exceptions_are_told_in_the_place_of_nan():
    def untied(y_true, y_score):
        if np.unique(y_score).size < y_score.size:
            raise ValueError("scores tie")
        return average_precision_score(y_true, y_score)

    found = compat.identify(untied)
    n_raised = sum(row < 150 for row in found.exceptions)
    assert found.example is None
    assert f"It raises ValueError: scores tie on {n_raised} of 150 rankings." in found.sentences
    assert found.sentences[-1].startswith("It differs from sklearn.average_precision_score only wh")
    assert "where it raises" in found.sentences[-1]


def test_the_example_is_the_call_that_was_made():
    found = compat.identify(lambda y, s: in_order(y, -s))
    y_true, y_score, answer, _ = found.example
    assert (found.reading, in_order(y_true, -y_score)) == ("scores reversed", answer)
    assert "ranx.map, with scores reversed, 0." in found.sentences[-1]


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
    y_true, y_score, answer, expected = compat.identify(eleven).example
    assert len(y_true) == len(y_score) <= 10
    assert answer == pytest.approx(eleven(np.array(y_true), np.array(y_score)))
    assert expected == compat.score("Interpolated(11)", y_true, y_score)


def test_functions_of_one_number_are_told_apart_by_other_scores():
    """Scores of the rankings are exact in float32; those of the probes are not."""
    equal = compat.identify(average_precision_score).equal
    assert "clickhouse.arrayAUCPR" in equal
    for name in ("torchrec.AUPRC", "torchmetrics.BinaryAveragePrecision", "Hyperbolic()"):
        assert name not in equal


def test_a_percentage_and_a_definition_are_known():
    percentage = compat.identify(lambda y, s: 100 * average_precision_score(y, s))
    assert percentage.equal[0] == "sklearn.average_precision_score"
    assert percentage.reading == "its answer divided by 100"
    assert compat.identify(AtK(10)).equal == ("AtK(k=10)",)


def test_functions_that_differ_at_other_scores_alone_are_told_apart():
    found = compat.identify(lambda y, s: average_precision_score(y, np.clip(s, 0, 1)))
    assert (found.equal, found.example, found.n_same[0]) == ((), None, 150)
    assert found.sentences[-1].startswith("It differs from sklearn.average_precision_score only")


def test_k_is_that_of_the_functions_that_need_it():
    def at_4(y_true, y_score):
        return compat.score("ranx.map@k", y_true, y_score, k=4)

    assert "ranx.map@k (k=4)" in compat.identify(at_4, k=4).equal
    found = compat.identify(at_4)
    assert found.equal == ()
    assert "Pass k if only the first k ranks count." in found.sentences


def test_the_result_has_a_row_for_each_function():
    found = compat.identify(average_precision_score)
    frame = found.to_frame()
    assert frame.loc["sklearn.average_precision_score", "n_same"] == 150
    assert (frame["n_same"].iloc[:-1].array >= frame["n_same"].iloc[1:].array).all()
    assert len(frame) > len(other_tools())


@pytest.mark.parametrize(
    ("scorer", "name"),
    [
        (get_scorer("average_precision"), "sklearn.average_precision_score"),
        (sklearn_ap.get_scorer("interpolated_average_precision"), "Interpolated()"),
        (make_scorer(average_precision_score, response_method="predict_proba"), "sklearn."),
    ],
)
def test_a_scorer_is_the_function_of_its_scores(scorer, name):
    assert any(each.startswith(name) for each in compat.identify(scorer).equal)


def test_a_function_that_changes_its_arguments_changes_no_later_answer():
    def spoil(y, s):
        s.sort()
        y[:] = 0

    with pytest.raises(ValueError, match="returns None"):
        compat.identify(spoil)
    assert compat.identify(average_precision_score).equal[0] == BASELINE
    assert not compat.identify(lambda y, s: 7).example.y_score.flags.writeable


def test_what_is_no_function_of_rankings_is_refused():
    with pytest.raises(TypeError, match=r"^function must be .* It is a class: write parentheses"):
        compat.identify(AtK)
    with pytest.raises(TypeError, match=r"^function must be .*, got 'AP@20'"):
        compat.identify("AP@20")
    failures = [
        (lambda y: 1, r"raises TypeError: .* takes 1 positional argument"),
        (ndcg_score, "raises ValueError: Only "),
        (lambda y, s: y.missing, "raises AttributeError: .* has no attribute 'missing'"),
        (lambda y, s: np.array([0.5, 0.25]), r"returns array\(\[0\.5 , 0\.25\]\)\.$"),
        (lambda y, s: "high", r"returns 'high'\.$"),
        (lambda y, s: math.nan, r"returns nan\.$"),
    ]
    for function, failure in failures:
        with pytest.raises(ValueError, match=rf"^function must return a number .* it {failure}"):
            compat.identify(function)
    with pytest.raises(ValueError, match="k must be at least 1"):
        compat.identify(lambda y: 1, k=-3)
