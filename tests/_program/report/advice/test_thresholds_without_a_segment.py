"""The threshold of a higher precision that is sure without a worse segment, such as one ward."""

import re

import numpy as np
import pytest

from sklearn_ap import compare_segments, operating_point, report

N = 6_000
RNG = np.random.default_rng(3)
NAMES = ["geriatrics", "icu", "oncology", "surgery"]
WARD = np.array(NAMES)[np.arange(N) % 4]
MONTH = np.array(["2026-04", "2026-01", "2026-02", "2026-03"])[np.arange(N) % 4]
IS_WORSE = WARD == "geriatrics"
Y = RNG.random(N) < 0.08
# All rows of the ward score high, whatever their labels.
SCORE = np.where(IS_WORSE, 4 + 0.2 * RNG.normal(size=N), 2.6 * Y + RNG.normal(size=N))
PATIENT = np.arange(N) // 8
PRECISIONS = 0.9, 0.8, 0.5
GUARANTEE = 0.9
FAIR_RECALL = 0.1
SENTENCE = (
    r"(Without [^.]*?), (-?\d[\d.]*) or more has a precision of at least ([\d.]+), and finds (\d+)%"
)
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def made_of(score=SCORE, segments=WARD, name="ward", y=Y, **options):
    parts = ["thresholds", "segments"]
    return report(y, score, segments={name: segments}, parts=parts, **options)


def answer_of(made):
    return next(line.answer for line in made.summary if line.question == "Threshold")


def sure_points(kept=~IS_WORSE, score=SCORE, y=Y, guarantee=GUARANTEE, **options):
    """The usual precisions, and their thresholds on the rows that are kept."""
    options = {"guarantee": guarantee} | options
    points = (
        operating_point(y[kept], score[kept], precision=goal, **options) for goal in PRECISIONS
    )
    return dict(zip(PRECISIONS, points, strict=True))


def highest_sure(points):
    """The highest precision of which a threshold with a fair recall is sure."""
    return max(
        goal for goal, point in points.items() if not point.remark and point.recall >= FAIR_RECALL
    )


def assert_is_told(made, point, goal, kept=~IS_WORSE, score=SCORE, place="ward geriatrics"):
    """Check that a sentence has the threshold of an operating point, in both places."""
    text = re.search(f"{SENTENCE} of the positives\\.", answer_of(made))
    where, printed, least, share = text.groups()
    assert where == f"Without {place}"
    assert float(least) == goal
    assert np.array_equal(score[kept] >= float(printed), score[kept] >= point.threshold)
    assert float(share) == round(100 * point.recall)
    _, _, end = answer_of(made).partition(text[0])
    own_goal = r" You passed no goal, so this page chose [\d.]+\."
    assert re.fullmatch("" if "precision=" in made.call else own_goal, end)
    assert text[0] in made.parts[0].more


@pytest.mark.parametrize("separation", [2.6, 1.9, 1.3])
def test_the_highest_precision_that_is_sure_on_the_kept_rows_is_told(separation):
    score = SCORE + (separation - 2.6) * Y * ~IS_WORSE
    assert compare_segments(Y, score, WARD).rows()[0]["verdict"] == "worse"
    over_all = sure_points(np.ones(N, bool), score)
    assert all(point.remark or point.recall < FAIR_RECALL for point in over_all.values())
    points = sure_points(score=score)
    goal = highest_sure(points)
    assert goal == {2.6: 0.9, 1.9: 0.8, 1.3: 0.5}[separation]
    assert_is_told(made_of(score), points[goal], goal, score=score)


@pytest.mark.parametrize("precision", [0.5, 0.7, 0.9])
def test_the_precision_of_the_user_is_told(precision):
    score = np.where(IS_WORSE, SCORE + 2, SCORE)  # all its rows are above those of the others
    over_all = operating_point(Y, score, precision=precision, guarantee=GUARANTEE)
    assert over_all.remark
    kept = ~IS_WORSE
    point = operating_point(Y[kept], score[kept], precision=precision, guarantee=GUARANTEE)
    assert not point.remark
    made = made_of(score, precision=precision)
    assert answer_of(made).startswith("No threshold of the model is sure to have a precision of ")
    assert_is_told(made, point, precision, score=score)


def test_the_precision_of_the_user_that_is_not_sure_without_the_ward_is_not_told():
    score = np.where(IS_WORSE, SCORE, SCORE - 1.2 * Y)
    kept = ~IS_WORSE
    point = operating_point(Y[kept], score[kept], precision=0.9, guarantee=GUARANTEE)
    assert point.remark or point.recall < FAIR_RECALL
    assert highest_sure(sure_points(score=score)) == 0.5
    assert "Without" not in answer_of(made_of(score, precision=0.9))
    assert "Without ward geriatrics, " in answer_of(made_of(score))


def test_clusters_are_those_of_the_kept_rows():
    points = sure_points(clusters=PATIENT[~IS_WORSE])
    goal = highest_sure(points)
    assert points[goal].threshold > sure_points()[goal].threshold
    assert_is_told(made_of(clusters=PATIENT), points[goal], goal)


def test_no_sentence_stands_there_if_the_threshold_of_all_rows_is_as_precise():
    noise = np.random.default_rng(0).normal(size=N)
    score = np.where(IS_WORSE, 1.5 * Y, 2.6 * Y) + noise
    assert compare_segments(Y, score, WARD).rows()[0]["verdict"] == "worse"
    over_all = sure_points(np.ones(N, bool), score)
    assert highest_sure(over_all) == highest_sure(sure_points(score=score)) == 0.9
    made = made_of(score)
    assert made.parts[0].sentence.startswith("Select rows with scores of ")
    assert "at least 0.9 with 90% confidence" in made.parts[0].sentence
    assert "Without" not in f"{answer_of(made)} {made.parts[0].more}"


def test_a_higher_precision_is_told_though_all_rows_have_a_usual_one():
    noise = np.random.default_rng(0).normal(size=N)
    score = np.where(IS_WORSE, 0.8 * Y + 0.9, 2.6 * Y) + noise
    over_all = sure_points(np.ones(N, bool), score)
    points = sure_points(score=score)
    assert (highest_sure(over_all), highest_sure(points)) == (0.8, 0.9)
    made = made_of(score)
    assert "at least 0.8 with 90% confidence" in made.parts[0].sentence
    assert_is_told(made, points[0.9], 0.9, score=score)


def test_a_ward_in_which_the_guarantee_alone_does_not_hold_has_the_sentence():
    """It has fewer positives and higher scores, in an order that is as good as elsewhere."""
    y = Y & ~(IS_WORSE & (np.arange(N) // 4 % 3 > 0))
    score = 2.2 * y + np.random.default_rng(0).normal(size=N) + 1.5 * IS_WORSE
    assert {row["verdict"] for row in compare_segments(y, score, WARD).rows()} == {"undecided"}
    made = made_of(score, y=y)
    missed = "The guarantee of the threshold does not hold in ward geriatrics, "
    assert any(row[0].startswith(missed) for row in made.parts[-1].cells)
    points = sure_points(score=score, y=y)
    goal = highest_sure(points)
    assert goal > highest_sure(sure_points(np.ones(N, bool), score, y))
    assert_is_told(made, points[goal], goal, score=score)


def test_no_sentence_stands_there_if_no_ward_is_worse():
    score = 1.6 * Y + np.random.default_rng(0).normal(size=N)
    assert {row["verdict"] for row in compare_segments(Y, score, WARD).rows()} == {"undecided"}
    assert "Without" not in answer_of(made_of(score))


@pytest.mark.parametrize("values", [np.ones(N), 1 + np.arange(N) % 3], ids=["ones", "others"])
def test_no_sentence_stands_there_with_weights(values):
    made = made_of(sample_weight=values)
    assert compare_segments(Y, SCORE, WARD, sample_weight=values).rows()[0]["verdict"] == "worse"
    assert "Without" not in f"{answer_of(made)} {made.parts[0].more}"


def test_months_have_no_sentence():
    assert compare_segments(Y, SCORE, MONTH).rows()[-1]["verdict"] == "worse"
    made = made_of(segments=MONTH, name="month")
    assert "2026-04" in answer_of(made)
    assert "Without" not in f"{answer_of(made)} {made.parts[0].more}"


def test_the_worse_one_of_several_columns_need_not_be_the_first():
    shop = np.array([*"AB"])[RNG.integers(2, size=N)]
    columns = {"shop": shop, "ward": WARD}
    made = report(Y, SCORE, segments=columns, parts=["thresholds", "segments"])
    points = sure_points()
    goal = highest_sure(points)
    assert_is_told(made, points[goal], goal)


def test_the_best_of_three_models_has_the_guarantee_of_its_choice():
    noise = np.random.default_rng(1).normal(size=(2, N))
    models = {"old": 0.1 * Y + noise[0], "new": SCORE, "rule": noise[1]}
    made = report(Y, models, segments={"ward": WARD}, parts=["thresholds", "segments"])
    points = sure_points(guarantee=1 - (1 - GUARANTEE) / 3)
    goal = highest_sure(points)
    assert points[goal].threshold > sure_points()[goal].threshold
    assert_is_told(made, points[goal], goal)


class TestAPrevalence:
    PREVALENCE = 0.03

    def test_the_threshold_is_that_at_the_prevalence(self):
        points = sure_points(prevalence=self.PREVALENCE)
        goal = highest_sure(points)
        assert goal < highest_sure(sure_points())
        made = made_of(prevalence=self.PREVALENCE)
        assert_is_told(made, points[goal], goal)

    def test_the_line_of_a_segment_has_the_share_of_selected_rows(self):
        made = made_of(prevalence=self.PREVALENCE)
        printed = re.search(r"with scores of (-?[\d.]+) or more", made.parts[0].sentence)[1]
        selected = float(printed) <= SCORE
        found, others = (selected[Y & rows].mean() for rows in (IS_WORSE, ~IS_WORSE))
        wrong = (selected[~Y & rows].mean() for rows in (IS_WORSE, ~IS_WORSE))
        inside, outside = (
            self.PREVALENCE * right + (1 - self.PREVALENCE) * share
            for right, share in zip((found, others), wrong, strict=True)
        )
        shares = f"{inside:.0%} of the rows are selected ({outside:.0%} elsewhere)"
        recall = f"{found:.0%} of the {np.sum(Y & IS_WORSE)} positives are found"
        precision = (
            f"at a precision of {self.PREVALENCE:.3f} (clearly below 0.06)"  # all are selected
        )
        text = f"In ward geriatrics, {shares}, {precision}, and {recall} ({others:.0%} elsewhere)."
        assert text in answer_of(made)
        assert "selected rows are positive" not in answer_of(made)
        assert "of the rows are selected" not in answer_of(made_of())


def test_the_same_precision_is_told_if_it_finds_far_more_without_the_segment():
    """The goal of the user is reached over all rows, at a threshold that finds next to nothing."""
    over_all = operating_point(Y, SCORE, precision=0.5, guarantee=GUARANTEE)
    assert not over_all.remark
    assert np.mean(SCORE[Y & ~IS_WORSE] >= over_all.threshold) < 0.1
    points = sure_points()
    assert points[0.5].recall > 0.7
    assert_is_told(made_of(precision=0.5), points[0.5], 0.5)
