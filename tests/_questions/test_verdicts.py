"""The sentence of each case, and that its decision is that of the adjusted p-value."""

import numpy as np
import pytest

import sklearn_ap
from sklearn_ap import (
    best_average_precision,
    chance_test,
    compare_average_precision,
    compare_segments,
    operating_point,
)
from sklearn_ap._questions.verdicts import (
    Difference,
    DifferenceTests,
    Estimate,
    Verdict,
    difference_verdict,
    names_in_words,
    printed_sentences,
)

RNG = np.random.default_rng(7)
Y = RNG.random(400) < 0.3
NOISE = RNG.normal(size=(20, 400))


def scores(**shifts):
    return {name: d * Y + NOISE[i] for i, (name, d) in enumerate(shifts.items())}


def sentence(value, low, high, p, *, alternative="two-sided", n_tests=1, error=0.01, condition=""):
    tests = DifferenceTests(alternative, 0.95, "95% interval", n_tests, condition)
    return difference_verdict(
        Difference("C", "A", Estimate(value, low, high), error, p), tests
    ).sentence


@pytest.mark.parametrize(
    ("numbers", "options", "text"),
    [
        ((0.1, 0.07, 0.14, 0.01), {}, "C is better than A: +0.10 (95% interval +0.07 to +0.14)."),
        ((-0.1, -0.14, -0.07, 0.01), {}, "C is worse than A: -0.10 (95% interval -0.14 to -0.07)."),
        (
            (-0.05, -0.11, 0.01, 0.1),
            {},
            "No difference between A and C is shown: anything from -0.11 to +0.01 fits.",
        ),
        (
            (0.05, 0.01, 0.09, 0.06),
            {"n_tests": 4},
            "No difference between A and C is shown after Holm's correction for 4 tests, although "
            "its 95% interval, which is not corrected, excludes 0: +0.01 to +0.09.",
        ),
        (
            (0.1, 0.07, 1.0, 0.01),
            {"alternative": "greater"},
            "C is better than A: by 0.07 or more (95% one-sided limit).",
        ),
        (
            (-0.1, -1.0, -0.07, 0.01),
            {"alternative": "less"},
            "C is worse than A: by 0.07 or more (95% one-sided limit).",
        ),
        (
            (0.1, -0.02, 1.0, 0.1),
            {"alternative": "greater"},
            "It is not shown that C is better than A: anything from -0.02 up fits.",
        ),
        (
            (0.1, -1.0, 0.12, 0.9),
            {"alternative": "less"},
            "It is not shown that C is worse than A: anything from +0.12 down fits.",
        ),
        (
            (0.1, 0.02, 1.0, 0.06),
            {"alternative": "greater", "n_tests": 2},
            "It is not shown that C is better than A after Holm's correction for 2 tests, although "
            "its 95% interval, which is not corrected, excludes 0: +0.02.",
        ),
        ((np.nan, np.nan, np.nan, np.nan), {}, "A and C cannot be compared."),
        (
            (0.0, -0.02, 0.02, 1.0),
            {"error": 0.0},
            "A and C rank the positives alike, so there is no difference to test.",
        ),
        (
            (0.1, 0.07, 0.14, 0.01),
            {"condition": " in ranking 3"},
            "C is better than A in ranking 3: +0.10 (95% interval +0.07 to +0.14).",
        ),
    ],
)
def test_each_case_has_its_sentence(numbers, options, text):
    assert sentence(*numbers, **options) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.0012, 0.101, "+0.001 to +0.101"),
        (-0.00004, 0.1, "-0.00004 to +0.100"),
        (-0.1, 0.00004, "-0.100 to +0.00004"),
        (0.00121, 0.00179, "+0.0012 to +0.0018"),
        (0.0, 0.1, "+0.00 to +0.10"),
    ],
)
def test_no_limit_beside_0_is_printed_as_0(low, high, text):
    assert text in sentence(0.05, low, high, 0.5 if low <= 0 else 0.01)


@pytest.mark.parametrize(
    ("numbers", "texts"),
    [
        ((0.0146, 0.0132, 0.0149), ("+0.0146", "+0.0132", "+0.0149")),
        ((-0.0146, -0.0149, -0.0132), ("-0.0146", "-0.0149", "-0.0132")),
        ((0.0146, 0.0132, 0.0159), ("+0.015", "+0.013", "+0.016")),
        ((0.5, 0.5, 0.7), ("+0.50", "+0.50", "+0.70")),  # it is the limit
    ],
)
def test_no_number_with_a_sign_is_printed_as_its_limit(numbers, texts):
    assert Estimate(*numbers).as_text("+") == texts


def test_names_are_listed_up_to_five():
    assert names_in_words(["a"]) == "a"
    assert names_in_words(["a", "b", "c"]) == "a, b and c"
    assert names_in_words([*"abcdefg"]) == "a, b, c, d, e and 2 more"


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_decisions_are_those_of_adjusted_pvalues(alternative, level):
    models = scores(A=1.0, B=1.9, C=1.1, D=0.3, E=1.3, F=0.7)
    found = compare_average_precision(
        Y, models, reference="C", alternative=alternative, confidence_level=level
    )
    assert [verdict.name for verdict in found.verdicts] == [*"ABDEF"]
    decisions = dict.fromkeys(models, "reference") | {
        verdict.name: verdict.decision for verdict in found.verdicts
    }
    assert [row["verdict"] for row in found._rows()] == [*decisions.values()]
    for name, difference, pvalue in zip(
        found.names, found.differences, found.adjusted_pvalues, strict=True
    ):
        if name != "C":
            decided = "better" if difference > 0 else "worse"
            assert decisions[name] == (decided if pvalue < 1 - level else "undecided")


def test_a_few_sentences_are_printed_and_many_are_grouped():
    few = compare_average_precision(Y, scores(A=1.0, B=1.9, C=1.1))
    printed = " ".join(str(few).splitlines()[-2:])
    assert printed == " ".join(verdict.sentence for verdict in few.verdicts)
    models = scores(A=1.0, B=2.5, C=2.6, D=2.7, E=0.0, F=1.1, G=1.05)
    many = compare_average_precision(Y, models)
    assert str(many).splitlines()[-3:] == [
        "B, C and D are better than A.",
        next(verdict.sentence for verdict in many.verdicts if verdict.name == "E"),
        "Nothing is shown for F and G after Holm's correction for 6 tests.",
    ]
    alike = {name: NOISE[i] for i, name in enumerate("ABCDEFG")}
    nothing = "Nothing is shown for any of them after Holm's correction for 6 tests."
    assert str(compare_average_precision(Y, alike)).splitlines()[-1] == nothing
    html = many._repr_html_()
    assert "<p>B, C and D are better than A.</p>" in html


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")  # of a score of 1
def test_rankings_are_counted_and_named():
    queries = np.arange(400) % 8
    models = {"A": NOISE[0], "B": np.where(queries < 2, 5.0, 0.0) * Y + NOISE[1]}
    found = compare_average_precision(Y, models, queries=queries, average=None)
    assert str(found).splitlines()[-2:] == [
        "B is better than A in 2 of 8 rankings: 0 and 1.",
        "Nothing is shown for B in the other 6.",
    ]
    first = found.verdicts[0]
    assert (first.name, first.ranking, first.decision) == ("B", 0, "better")
    assert first.sentence.startswith("B is better than A in ranking 0: +")
    named = np.array([f"q{number}" for number in queries])
    found = compare_average_precision(Y, models, queries=named, average=None)
    assert found.verdicts[1].sentence.startswith("B is better than A in q1: +")
    alike = compare_average_precision(Y, models | {"B": NOISE[2]}, queries=queries, average=None)
    assert str(alike).splitlines()[-1] == "Nothing is shown for B in any of 8 rankings."


def test_a_single_other_ranking_is_not_a_number():
    decisions = [*["better"] * 5, "undecided"]
    verdicts = [Verdict("B", i, decision, "") for i, decision in enumerate(decisions)]
    lines = printed_sentences(verdicts, "A", DifferenceTests("two-sided", 0.95, "interval", 6))
    assert lines[1] == "Nothing is shown for B in the other ranking."
    queries = np.arange(400) % 6
    found = chance_test(
        Y, np.where(queries < 5, 5.0, 0.0) * Y + NOISE[1], queries=queries, average=None
    )
    assert str(found).splitlines()[-1] == "Nothing is shown for the other one."


def test_the_best_is_named_with_its_rivals():
    found = best_average_precision(Y, scores(A=0.2, B=3.0, C=0.1))
    assert [verdict.decision for verdict in found.verdicts] == [
        "best",
        "not the best",
        "not the best",
    ]
    assert found.verdicts[0].sentence.startswith("B is the best of 3 models: 0.")
    assert found.verdicts[1].sentence.endswith(" is not the best of 3 models, with 95% confidence.")
    alike = {
        name: Y + NOISE[0] + 0.2 * noise for name, noise in zip("ABC", NOISE[1:4], strict=True)
    }
    found = best_average_precision(Y, alike)
    first, *others = found.names
    assert [row["verdict"] for row in found._rows()] == ["may be best"] * 3
    ending = f"is the best of 3 models: {others[0]} and {others[1]} may be, too."
    assert found.verdicts[0].sentence.startswith(f"It is not shown that {first}, with 0.")
    assert found.verdicts[0].sentence.endswith(ending)
    assert found.verdicts[1].sentence == f"{others[0]} may be the best of 3 models."


def test_segments_have_verdicts():
    rng = np.random.default_rng(1)
    months = np.repeat(np.arange(8), 400)
    y = rng.random(3200) < 0.3
    falling = (3 - 0.4 * months) * y + rng.normal(size=3200)
    found = compare_segments(y, falling, months)
    by_name = {verdict.name: verdict for verdict in found.verdicts}
    assert [*by_name] == [*map(str, range(8))]
    for name, pvalue in zip(map(str, range(8)), found.adjusted_pvalues, strict=True):
        assert (by_name[name].decision == "undecided") == (pvalue >= 0.05)
    assert by_name["0"].sentence.startswith("0 is better than the others: +0.")
    level = compare_segments(y, y + rng.normal(size=3200), months)
    assert {verdict.decision for verdict in level.verdicts} == {"undecided"}
    previous = compare_segments(y, falling, months, reference="previous")
    assert next(row["verdict"] for row in previous._rows()) == "reference"
    assert previous.verdicts[0].name == "1"
    assert "0" in previous.verdicts[0].sentence.split()


def test_a_score_is_above_chance_or_nothing_is_shown():
    good = chance_test(Y, 2 * Y + NOISE[0])
    (verdict,) = good.verdicts
    assert (verdict.name, verdict.ranking, verdict.decision) == ("score", None, "above chance")
    assert verdict.sentence.startswith("The score is higher than by chance: 0.")
    (verdict,) = chance_test(Y, NOISE[0]).verdicts
    assert verdict.decision == "undecided"
    assert verdict.sentence.startswith(
        "It is not shown that the score is higher than by chance: 0."
    )
    (verdict,) = chance_test(Y, 2 * Y + NOISE[0], n_permutations=9).verdicts
    assert verdict.decision == "undecided"
    assert verdict.sentence == (
        "The score needs 19 random orders or more to be compared with chance."
    )


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_clusters_put_a_score_above_chance_in_doubt():
    (verdict,) = chance_test(Y, 2 * Y + NOISE[0], clusters=np.arange(400) % 40).verdicts
    assert verdict.sentence.endswith(" This may be wrong, as rows of a cluster may be alike.")


def test_many_rankings_above_chance_are_counted():
    queries = np.arange(400) % 8
    score = np.where(queries < 2, 5.0, 0.0) * Y + NOISE[1]
    found = chance_test(Y, score, queries=queries, average=None)
    assert str(found).splitlines()[-2:] == [
        "2 of 8 rankings score higher than by chance: 0 and 1.",
        "Nothing is shown for the other 6.",
    ]


@pytest.mark.parametrize(
    ("goal", "decision", "text"),
    [
        ({"precision": 0.8, "guarantee": 0.9}, "guaranteed", "with 90% confidence, the true prec"),
        ({"precision": 0.8}, "chosen", "the precision in this sample is at least 0.8. The true"),
        (
            {"recall": 0.8, "prevalence": 0.1},
            "chosen",
            "the recall in this sample is at least 0.8.",
        ),
        ({"precision": 0.5, "prevalence": 0.1}, "chosen", "is at least 0.5 at prevalence 0.1."),
        ({"k": 50}, "chosen", " or higher."),
        ({"cost": {"false_positive": 1, "false_negative": 2}}, "chosen", "they cost least in this"),
        ({"k": 0.5, "twins": True}, "no threshold", "No threshold selects at most 200 rows: 400 "),
    ],
)
def test_a_threshold_is_guaranteed_or_chosen(goal, decision, text):
    goal = dict(goal)
    y_score = np.zeros(400) if goal.pop("twins", False) else 2 * Y + NOISE[0]
    point = operating_point(Y, y_score, **goal)
    (verdict,) = point.verdicts
    assert (verdict.decision, point._rows()[0]["verdict"]) == (decision, decision)
    assert text in verdict.sentence
    assert " ".join(str(point).split()).endswith(" ".join(verdict.sentence.split()))


@pytest.mark.parametrize(
    ("guarantee", "confidence"), [(0.9, "90%"), (0.975, "97.5%"), (1 - 1e-9, "99.9999999%")]
)
def test_confidence_of_a_guarantee_has_all_of_its_nines(guarantee, confidence):
    (verdict,) = operating_point(Y, 5 * Y + NOISE[0], recall=0.3, guarantee=guarantee).verdicts
    assert verdict.decision == "guaranteed"
    assert f": with {confidence} confidence, the true recall is" in verdict.sentence


def test_verdict_uses_the_level_that_is_passed():
    models = scores(A=1.0, B=1.45)
    usual = compare_average_precision(Y, models)
    (pvalue,) = usual.pvalues[1:]
    assert 1e-6 < pvalue < 0.05
    early = compare_average_precision(Y, models, confidence_level=1 - pvalue / 2)
    assert usual.verdicts[0].decision == "better"
    assert early.verdicts[0].decision == "undecided"


def test_all_results_with_verdicts_give_tuples_of_them():
    kinds = [name for name in sklearn_ap.__all__ if hasattr(getattr(sklearn_ap, name), "verdicts")]
    assert {*kinds} == {
        "AveragePrecisionComparison",
        "BestAveragePrecision",
        "ChanceTest",
        "IndependentComparison",
        "OperatingPoint",
        "SegmentComparison",
    }
