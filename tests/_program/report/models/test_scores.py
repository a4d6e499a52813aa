"""What a report says of scores: one interval, one sign and one rounding for each number."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from sklearn_ap import (
    average_precision_interval,
    average_precision_score,
    best_average_precision,
    report,
)
from sklearn_ap._base.drawing.lines_and_bands import find_artists
from sklearn_ap._program.report.page.page import LONGEST_WORDS

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
N = 600
RNG = np.random.default_rng(0)
Y = (RNG.random(N) < 0.2).astype(int)
BASE = RNG.normal(size=N)
MANY = {f"m{i}": Y + RNG.normal(size=N) for i in range(9)}
WEAK = 0.12 * (np.arange(3000) % 12 == 0) + np.random.default_rng(5).normal(size=3000)
WEAK_Y = np.arange(3000) % 12 == 0
WEIGHT = 0.5 + RNG.random(N)
PATIENT = np.repeat(np.arange(N // 5), 5)


def part(title, *args, **options):
    return next(each for each in report(*args, **options).parts if each.title == title)


def test_paper_reports_the_best_of_many_with_its_simultaneous_interval():
    best = best_average_precision(Y, MANY)
    limits = f"{best.low:.2f} to {best.high:.2f}"
    paper = part("What to write in a paper", Y, MANY)
    assert paper.sentence == (
        f"Report {best.estimate:.2f} for {best.name} as the highest-scoring of 9 models, with its "
        f"simultaneous interval, {limits}, and no more digits."
    )
    assert len(best.may_be_best) > 1
    rank = "the highest-scoring of 9 models"
    claim = f"of {best.name}, {rank}, was {best.estimate:.2f} (simultaneous 95% "
    assert f"{claim}confidence interval {limits};" in paper.copied_text
    assert paper.copied_text.endswith(best.to_paper())
    assert " minus " not in paper.copied_text
    assert paper.call == "print(best_average_precision(y_true, y_scores).to_paper())"


def test_an_interval_of_the_best_of_many_says_whether_it_allows_for_the_choice():
    many = part("The score", Y, MANY, parts=["score"])
    assert "(95% interval by itself 0." in many.sentence
    two = {name: MANY[name] for name in ("m0", "m1")}
    assert "by itself" not in part("The score", Y, two, parts=["score"]).sentence


def test_where_no_difference_is_shown_the_model_that_scores_more_is_named_first():
    models = {"old": Y + BASE, "new": 1.1 * Y + BASE + 0.5 * RNG.normal(size=N)}
    for scores in (models, dict(reversed(models.items()))):
        found = report(Y, scores, parts=["comparison"]).parts[0]
        (better, _, change, *_), (worse, *_), _ = found.cells[1:]
        value, low, high = re.findall(r"[+-]\d\.\d+", change)
        assert found.sentence == (
            f"{better} scores {value[1:]} more than {worse}, but anything from {low} to {high} "
            f"fits: no difference is shown."
        )
        assert float(low) < 0 < float(value)


def test_tables_of_many_models_and_of_months_are_tables_in_the_text():
    months = np.array(["2026-01", "2026-02", "2026-03"])[np.arange(N) % 3]
    found = report(Y, MANY, segments={"month": months}, parts=["comparison", "segments"])
    for each in found.parts[:2]:
        assert max(len(cell) for row in each.cells for cell in row) <= LONGEST_WORDS
    best = found.parts[0].cells[1][0]
    assert f"{best} minus the others [95%, not adjusted]" in found.parts[1].cells[0]
    assert "AP [95% interval, valid for the best]" in found.parts[0].cells[0]


def test_models_stand_in_the_same_order_in_all_tables():
    models = {"old": Y + BASE, "new": 2 * Y + BASE}
    found = report(Y, models, parts=["data", "score", "comparison"]).parts
    data, score, comparison = ([row[0] for row in each.cells[1:]] for each in found[:3])
    assert data == score == ["new", "old"]
    assert comparison == ["new", "old", "random order"]


def test_a_low_score_has_as_many_digits_as_that_of_random_orders():
    found = report(WEAK_Y, {"weak": WEAK}, parts=["score", "paper"])
    score, paper, _ = found.parts
    value = score.cells[1][1].split()[0]
    chance = score.cells[1][2]
    assert len(value) == len(chance) == 5
    assert f"if at all: {value} (95% interval 0." in score.sentence
    assert f"{value} means: " in score.notes[0]
    assert f", {100 * float(value):.2g}% of the rows so far" in score.notes[0]
    assert paper.sentence.startswith(f"Report {value} for weak with")
    assert f"\n| weak | {value} (0." in paper.copied_text
    assert paper.call.endswith(".to_paper(digits=3))")


def test_a_paper_explains_effective_positives_where_it_counts_them():
    clusters = pd.Series(PATIENT, name="patient_id")
    for options, explained in (
        ({"sample_weight": WEIGHT}, "positives of equal weight would tell as much."),
        ({"clusters": clusters}, "there would be if rows of one patient were alike."),
    ):
        paper = part("What to write in a paper", Y, Y + BASE, **options)
        assert " effective positives" in paper.copied_text
        assert paper.notes[0] == f"Effective positives are how many {explained}"
    weighted = part("What to write in a paper", Y, Y + BASE, sample_weight=WEIGHT)
    assert weighted.copied_text.startswith("The weighted step average precision (")
    queries = part("What to write in a paper", Y, Y + BASE, queries=np.arange(N) % 40)
    assert " of the model, the mean over 40 queries, was " in queries.copied_text
    three = {f"m{i}": i * Y + BASE for i in range(3)}
    chosen = part("What to write in a paper", Y, three, queries=np.arange(N) % 40).copied_text
    assert re.search(r" of m2, [^,]* 3 models, the mean over 40 queries, was 0\.", chosen)
    assert ",," not in chosen
    alone = part("What to write in a paper", Y, three).copied_text
    assert re.search(r" of m2, [^,]* 3 models, was 0\.", alone)
    assert not part("What to write in a paper", Y, Y + BASE).notes


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"sample_weight": WEIGHT}, "rows have weights"),
        ({"clusters": PATIENT}, "rows of one cluster depend on each other"),
        (
            {"clusters": pd.Series(PATIENT, name="patient_id")},
            "rows of one patient depend on each other",
        ),
        ({"n_positives": 200}, "some positives were never scored"),
    ],
)
def test_a_curve_without_band_says_why(options, why):
    found = part("The curve", Y, Y + BASE, parts=["curve"], **options)
    assert found.notes[-1] == f"No band is drawn, because {why}."


def test_clusters_have_the_word_of_the_user_everywhere():
    patients = pd.Series(PATIENT, name="patient_id")
    scores = {"old": Y + BASE, "new": 1.2 * Y + BASE[::-1]}
    text = str(report(Y, scores, clusters=patients, segments=np.arange(N) % 3))
    assert "patient" in text
    assert "cluster" not in text.replace("clusters=clusters", "")  # of calls
    alone = pd.Series(np.arange(N), name="patient_id")
    odd = part("What the data are", Y, Y + BASE, clusters=alone).warnings
    assert "Each row is a patient of its own, so clusters= changes nothing." in odd


def test_a_score_is_told_with_its_prevalence():
    (best, *_) = report(Y, 2 * Y + BASE, prevalence=0.05).summary
    assert best.answer.startswith("At a prevalence of 0.05, the model has an average precision of")
    assert part("The score", Y, 2 * Y + BASE, prevalence=0.05).sentence == best.answer
    models = {"old": BASE, "new": 2 * Y + BASE}
    named = part("The score", Y, models, prevalence=0.05, parts=["score"]).sentence
    assert named.startswith("At a prevalence of 0.05, new has an average precision of 0.")
    weak = report(Y, BASE, prevalence=0.05).summary[0].answer
    assert weak.startswith("At a prevalence of 0.05, the model is not shown to be better than")
    for third in ({}, {"oldest": BASE[::-1]}):  # once, where it may be as good as random orders
        for chosen in (models, {"old": BASE, "new": BASE[::-1] + 0.01 * BASE}):
            answer = report(Y, chosen | third, prevalence=0.05).summary[0].answer
            assert answer.lower().count("at a prevalence of 0.05, ") == 1


def test_a_warning_of_few_clusters_has_the_word_of_the_user_and_its_consequence():
    patients = pd.Series(np.repeat(np.arange(12), N // 12), name="patient_id")
    found = report(Y, Y + BASE, clusters=patients)
    few = "only 12 patients, so intervals may be too narrow, and the guarantee may not hold."
    assert f"There are {few}" in found.summary[-1].answer
    uneven = np.minimum(np.arange(N) // 8, 20)
    found = report(Y, Y + BASE, clusters=uneven)
    number = (
        r"Few clusters have most of the positives \(an effective number of [\d.]+\), so intervals "
    )
    assert re.search(number, found.summary[-1].answer)


def test_segments_of_few_clusters_are_named_unless_they_have_too_few_positives():
    patients = pd.Series(np.arange(N) // 2, name="patient_id")
    uneven = np.where(np.arange(N) < N // 4, np.arange(N) // (N // 20), patients)
    hospital = np.where(np.arange(N) < N // 4, "Bern", np.where(np.arange(N) % 2, "Oslo", "Rome"))
    hospital[np.flatnonzero(Y)[-3:]] = "Genf"
    hospital[-40:-37] = "Genf"
    options = {"segments": {"hospital": hospital}, "parts": ["segments"]}
    found = report(Y, Y + BASE, clusters=pd.Series(uneven, name="patient_id"), **options)
    n_patients = len(np.unique(uneven[(hospital == "Bern") & (Y == 1)]))
    few = (
        f"Few patients have positives in Bern ({n_patients}), so intervals there may be too narrow."
    )
    assert f"few clusters: {few}" in found.parts[0].warnings
    found = report(Y, Y + BASE, clusters=patients, **options)
    assert found.parts[0].warnings == []


@pytest.mark.parametrize(
    "models",
    [2 * Y + BASE, {"old": Y + BASE, "new": 2 * Y + BASE}, MANY],
    ids=["one", "two", "many"],
)
def test_the_scores_of_curves_stand_beside_names_with_the_digits_of_the_table(
    drawn_figures, models
):
    """Intervals are in the table: beside a curve they would be too long."""
    found = report(Y, models, parts=["score", "curve"])
    found.to_html()
    (axis,) = drawn_figures.pop().axes
    assert not axis.get_title()
    scores = [(name, value.partition(" ")[0]) for name, value, *_ in found.parts[0].cells[1:4]]
    is_named = isinstance(models, dict)
    assert axis.get_legend() is None
    assert [text.get_text() for text in axis.texts] == [
        f"prevalence {Y.mean():.2g}",
        *(
            f"{name}, AP {score}" if is_named else f"average precision {score}"
            for name, score in scores
        ),
    ]
    band = f"95% band of {scores[0][0]}" if is_named else "95% band"
    sample = f"{N:,} rows, {Y.sum()} positives."
    assert found.parts[1].picture.subject == f"Precision by recall, {band}; {sample}"
    (dotted,) = find_artists(axis, "reference")
    np.testing.assert_allclose(dotted.get_ydata(), Y.mean())


def test_the_curve_of_queries_keeps_their_number():
    models = {"old": Y + BASE, "new": 2 * Y + BASE}
    part, _ = report(Y, models, queries=np.arange(N) % 10, parts=["curve"]).parts
    bars = "bars: 95% intervals of new"
    sample = f"10 queries, {N} rows, {Y.sum()} positives."
    subject = f"Precision by recall, the mean of 10 queries; {bars}; {sample}"
    assert part.picture.subject == subject
    # A mean over queries of what each reaches is not on the drawn curve.
    old, new = (f"{value:.2f}" for value in scores_of(models))
    assert part.picture.finding == f"new scores {new} and old {old}"


def scores_of(models):
    """The average precisions of models over ten queries."""
    queries = np.arange(N) % 10
    return [average_precision_score(Y, each, queries=queries) for each in models.values()]


def test_top_rows_have_one_interval_on_the_page():
    found = report(WEAK_Y, {"weak": WEAK}, parts=["top", "thresholds"])
    top, thresholds, _ = found.parts
    (interval,) = re.findall(r"\(95% interval 0\.\d+ to 0\.\d+\)", top.sentence)
    assert "Of the top 100 rows" in top.sentence
    assert interval in thresholds.sentence


def test_random_orders_are_compared_with_the_prevalence_and_the_model():
    y = np.arange(1000) % 50 == 0
    note = part("The score", y, 3 * y + np.random.default_rng(0).normal(size=1000)).notes[0]
    luck = np.sum(1 / np.arange(1, 1001))  # the first row alone has a precision of 0 or 1
    chance = (19 / 999 * (1000 - luck) + luck) / 1000  # of 20 positives among 1,000 rows
    assert note.endswith(
        f" Random orders score {chance:.3f} on average, a little more than the prevalence, 0.020, "
        "by luck at the top. None of 999 scored as high as the model."
    )
    y = np.arange(9000) % 5 == 0
    note = part("The score", y, np.random.default_rng(0).normal(size=9000)).notes[0]
    assert note.endswith("Random orders score 0.20 on average.")


def test_it_is_told_how_much_wider_clusters_make_intervals():
    patients = pd.Series(np.repeat(np.arange(300), 10), name="patient_id")
    y = np.arange(300) % 4 == 0
    scores = np.repeat(y + np.random.default_rng(0).normal(size=300), 10)
    labels = np.repeat(y, 10)
    times = re.search(
        r"Rows of one patient depend on each other, so intervals say how other samples of patients "
        r"would differ, not other samples of rows\. They are (3\.\d+) times as wide as for "
        r"independent rows\.",
        " ".join(part("The score", labels, scores, clusters=patients).notes),
    )
    assert 3.1 <= float(times[1]) <= 3.3  # each row is there ten times, and 3.16 squared is 10
    rng = np.random.default_rng(1)
    for clusters in (rng.integers(0, 60, N), PATIENT):  # which are no part of the scores
        notes = part("The score", Y, Y + BASE, clusters=clusters).notes
        assert not any("independent rows" in note for note in notes)


def test_a_guarantee_of_clusters_is_for_others_and_about_as_often_missed():
    patients = pd.Series(PATIENT, name="patient_id")
    scores = 3 * Y + BASE
    found = part("Thresholds", Y, scores, clusters=patients)
    assert " for other patients, with 90% confidence)" in found.sentence
    rate = "a guaranteed one in about 10% of samples of other patients."
    assert any(note.endswith(rate) for note in found.notes)
    rows = part("Thresholds", Y, scores)
    assert any(note.endswith("a guaranteed one in at most 10%.") for note in rows.notes)


@pytest.mark.parametrize("goal", [0.3, 0.4])
def test_the_picture_of_a_chosen_model_has_the_guarantee_of_the_heading(drawn_figures, goal):
    found = part("Thresholds", Y, MANY, precision=goal)
    sure = f"at least {goal:g} with 90% confidence"
    assert f"({sure}, even after the choice among 9 models)" in found.sentence
    _ = found.picture.image
    (figure,) = drawn_figures
    words = [text.get_text() for text in figure.axes[0].texts]
    assert words[1:] == [f"guaranteed {goal:g}"]
    assert "; shade: 95% interval; " in found.picture.subject


@pytest.mark.parametrize(
    ("options", "units"),
    [
        ({}, "rows"),
        ({"clusters": pd.Series(PATIENT, name="patient_id")}, "patients"),
        ({"queries": np.arange(N) % 40}, "queries"),
    ],
)
def test_where_no_difference_is_shown_the_first_lines_say_what_to_do(options, units):
    noise = np.random.default_rng(7).normal(size=N)
    models = {"old": Y + BASE, "new": 1.1 * Y + BASE + 0.5 * noise}
    found = report(Y, models, parts=["comparison"], **options)
    best = found.parts[0].cells[1][0]
    going_on = f"This page goes on with {best}."
    advice = f"Choose on other grounds, or collect more {units}. {going_on}"
    sentence = found.parts[0].sentence
    assert "o difference " in sentence
    assert found.summary[0].answer.startswith(f"{sentence} {advice} ")
    assert advice in found.parts[0].more


def test_nothing_is_advised_where_the_data_decide_or_cannot():
    better = report(Y, {"old": BASE, "new": 2 * Y + BASE}, parts=["comparison"])
    equal = report(Y, {"old": Y + BASE, "new": 3 * (Y + BASE)}, parts=["comparison"])
    assert "no difference to test" in equal.parts[0].sentence
    assert "other grounds" not in f"{better}{equal}"


def test_models_that_may_be_the_best_are_to_be_chosen_among_on_other_grounds():
    answer = report(Y, MANY, parts=["comparison"]).summary[0].answer
    advice = "Choose among these on other grounds, or collect more rows."
    assert f" may be the best, too. {advice} " in answer
    queries = report(Y, MANY, queries=np.arange(N) % 40, parts=["data", "comparison"])
    assert re.search(r": expect about 0\.\d\d for new queries\.", queries.summary[-1].answer)
    alone = report(Y, MANY | {"far": 5 * Y + BASE}, parts=["comparison"]).summary[0].answer
    assert re.match(r"far is the best of 10 models: 0\.\d+ \([^(]*\)\. far scores 0\.", alone)


def test_a_note_explains_where_printed_scores_do_not_differ_by_the_printed_difference():
    noted = set()
    for seed in range(12):
        noise = np.random.default_rng(seed).normal(size=(2, N))
        models = {"old": 0.3 * Y + noise[0], "new": 2 * Y + noise[1]}
        found = report(Y, models, parts=["comparison"])
        difference = float(re.search(r"old: \+(\S+)", found.parts[0].sentence)[1])
        new, old = re.search(r"new scores (\S+), old (\S+), and", found.summary[0].answer).groups()
        adds_up = abs(float(new) - float(old) - difference) < 1e-9
        has_note = any("rounded after it is computed" in note for note in found.parts[0].notes)
        assert has_note != adds_up
        noted.add(has_note)
    assert noted == {True, False}


def test_models_near_chance_are_not_to_be_chosen_from():
    noise = np.random.default_rng(3).normal(size=(3, N))
    pair = {"old": noise[0], "new": 0.05 * Y + noise[1]}
    answer = report(Y, pair, parts=["comparison"]).summary[0].answer
    first = (
        r"Use neither yet: collect more rows\. (old|new) (is not shown to be better|scores less)"
    )
    assert re.match(f"{first} than a random order", answer)
    assert "other grounds" not in answer
    answer = report(Y, pair | {"third": noise[2]}, parts=["comparison"]).summary[0].answer
    assert answer.startswith("Use none of them yet: collect more rows. ")


def test_a_reversed_model_is_named_before_the_comparison():
    models = {"good": Y + BASE, "bad": -2 * Y - BASE}
    found = report(Y, models)
    model, *_ = found.summary
    words = (
        "First check whether the scores of bad are reversed: they rank worse than a random order."
    )
    assert model.answer.startswith(f"{words} good is better than bad: +0.")
    doubt = "The average precision of bad, "
    assert found.summary[-1].answer.startswith(doubt)
    named = [row[0] for row in found.parts[-1].cells if "far below" in row[0]]
    assert len(named) == 1
    assert named[0].startswith(doubt)


@pytest.mark.parametrize(("shift", "is_reversed"), [(-0.5, True), (-0.2, False), (1, False)])
def test_scores_are_reversed_by_the_area_under_the_roc_curve_where_most_rows_are_positive(
    shift, is_reversed
):
    """Average precision is not far below that of a random order, as it hardly can be."""
    y = np.arange(2000) % 10 < 7
    good, bad = np.random.default_rng(1).normal(size=(2, 2000)) + np.array([[1], [shift]]) * y
    assert (roc_auc_score(y, bad) < 0.4) == is_reversed
    assert average_precision_score(y, bad) > 0.7 / 2
    found = report(y, {"good": good, "bad": bad}, parts=["data", "score", "comparison"])
    first = "First check whether the scores of bad are reversed: "
    assert found.summary[0].answer.startswith(first) == is_reversed
    doubt = (
        "By the area under its ROC curve, bad ranks negatives above positives: its scores may be "
        "reversed."
    )
    assert (doubt in [row[0] for row in found.parts[-1].cells]) == is_reversed
    alone = report(y, bad, parts=["data", "score"]).summary[-1].answer
    assert ("reversed" in alone) == is_reversed
    assert ("the model ranks negatives above positives" in alone) == is_reversed


def test_few_rows_do_not_show_that_scores_are_reversed():
    y = np.arange(40) % 10 < 7
    bad = -0.7 * y + np.random.default_rng(1).normal(size=40)
    assert roc_auc_score(y, bad) < 0.4
    assert "reversed" not in report(y, bad, parts=["data", "score"]).summary[-1].answer


def test_the_picture_of_two_models_has_the_order_of_the_table(drawn_figures):
    for models in ({"old": Y + BASE, "new": 2 * Y + BASE}, {"new": 2 * Y + BASE, "old": Y + BASE}):
        clusters = pd.Series(PATIENT, name="patient_id")
        found = report(Y, models, parts=["comparison"], clusters=clusters)
        found.to_html()
        scores, differences = drawn_figures.pop().axes
        names = [label.get_text() for label in scores.get_yticklabels()]
        *rows, random = found.parts[0].cells[1:]
        assert names == [row[0] for row in rows] == ["new", "old"]
        points = scores.collections[1].get_offsets()
        assert points[0, 0] > points[1, 0]
        assert [label.get_text() for label in differences.get_yticklabels()] == ["new minus old"]
        (text,) = differences.texts
        assert text.get_text().split("\n")[1] == "p < 0.001"
        picture = found.parts[0].picture
        assert "; 120 patients, 600 rows, " in picture.subject
        assert picture.finding == f"new scores {text.get_text()[1:5]} more than old"
        *values, chance = scores.texts
        assert chance.get_text() == "random order 0.20" == " ".join(random[:2])
        printed = [text.get_text() for text in values]
        assert printed == [row[1].split()[0] for row in rows]
        # Beside the axes, where no line runs through them.
        assert {text.get_position()[0] for text in values} == {1.02}


def test_the_picture_of_two_models_has_the_score_of_random_orders(drawn_figures):
    found = report(Y, {"old": Y + BASE, "new": 2 * Y + BASE}, parts=["score", "comparison"])
    found.to_html()
    scores, _ = drawn_figures.pop().axes
    (dotted,) = scores.lines
    chance = dotted.get_xdata()[0]
    cell = found.parts[0].cells[1][2]
    assert f"{chance:.{len(cell) - 2}f}" == cell
    assert scores.get_xlim()[0] < chance < scores.get_xlim()[1]
    assert dotted.get_linestyle() == ":"
    assert scores.texts[-1].get_text() == f"random order {cell}"
    assert found.parts[1].picture.alt.endswith(f"; random order {cell}.")


def test_the_picture_of_a_low_score_has_the_digits_of_its_table(drawn_figures):
    found = report(WEAK_Y, {"weak": WEAK}, parts=["score"])
    found.to_html()
    (axis,) = drawn_figures.pop().axes
    assert axis.texts[0].get_text() == found.parts[0].cells[1][1].split()[0]


def test_a_threshold_that_is_not_worth_using_has_no_picture():
    found = part("Thresholds", Y, {"noise": BASE})
    assert found.sentence.startswith("No threshold of noise is known to be worth using")
    assert found.picture is None


def test_few_positives_far_above_random_orders_are_no_weak_score():
    """The interval reaches down to random orders, as it is wide, but few of these score as much."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        y = np.arange(60) % 4 == 0
        score = 0.9 * y + rng.normal(size=60)
        interval = average_precision_interval(y, score)
        chance = np.mean([average_precision_score(y, rng.permutation(60)) for _ in range(300)])
        orders = [average_precision_score(y, rng.permutation(60)) for _ in range(2000)]
        pvalue = np.mean(np.array(orders) >= interval.estimate)
        if interval.low < chance and pvalue < 0.003 and interval.estimate > 1.6 * chance:
            break
    else:
        pytest.fail("no such sample")
    answer = report(y, score, parts=["score"]).summary[0].answer
    assert answer.startswith(f"The model has an average precision of {interval.estimate:.2f}")
    assert "barely" not in answer


def test_queries_in_which_each_of_two_models_scores_more_are_counted():
    topic = np.arange(N) // 20
    relevant = np.arange(N) % 20 % 7 == 0
    scores = {
        "bm25": relevant + BASE,
        "dense": 1.5 * relevant + np.random.default_rng(2).normal(size=N),
    }
    each = {
        name: [average_precision_score(relevant[topic == i], s[topic == i]) for i in range(N // 20)]
        for name, s in scores.items()
    }
    best, other = sorted(each, key=lambda name: -np.mean(each[name]))
    difference = np.subtract(each[best], each[other])
    answer = report(relevant, scores, queries=pd.Series(topic, name="topic")).summary[0].answer
    counts = f"more in {np.sum(difference > 0)} and less in {np.sum(difference < 0)}"
    assert f" Of {N // 20} topics, {best} scores {counts}. " in answer
