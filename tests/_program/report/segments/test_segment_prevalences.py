"""Segments at the prevalence of a user, or of their rows if negatives are too few for it."""

import numpy as np
import pytest

from sklearn_ap import compare_average_precision, compare_segments, report

N = 3_000
RNG = np.random.default_rng(3)
CODE = np.arange(N) % 6
MONTH = np.array([f"2026-0{i}" for i in range(1, 7)])[CODE]
COUNTRY = np.array([*"ABC"])[CODE // 2]
Y = RNG.random(N) < 0.3
NOISE = RNG.normal(size=(2, N))
STEADY = 1.5 * Y + NOISE[0]
FALLEN = np.where(CODE == 5, 0.3, 2.5) * Y + NOISE[1]
OWN = f"At the prevalence of these rows, {Y.mean():.2f}, "
LOW = 0.02  # for which 2100 negatives are few
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def made_of(scores, column, y=Y, prevalence=LOW, rows=slice(None), **options):
    column = {name: segments[rows] for name, segments in column.items()}
    parts = ["data", "segments", "paper"]
    made = report(y[rows], scores, segments=column, prevalence=prevalence, parts=parts, **options)
    return made, {line.question: line.answer for line in made.summary}


def part_of(made, name="segments"):
    return next(part for part in made.parts if part.name == name)


def compared(prevalence, y=Y, scores=STEADY, segments=MONTH):
    """The segments at a prevalence, or at that of their rows together."""
    options = {} if prevalence is None else {"prevalence": prevalence}
    return compare_segments(y, scores, segments, **options)


def n_compared(prevalence, y=Y, segments=MONTH):
    found = compared(prevalence, y, np.arange(len(y)), segments)
    return np.count_nonzero(found.n_effective >= 10)


@pytest.mark.parametrize(
    ("prevalence", "is_kept"), [(None, True), (0.01, False), (LOW, False), (0.05, True)]
)
def test_a_prevalence_is_kept_if_negatives_are_enough_for_it(prevalence, is_kept):
    assert n_compared(None) == 6
    assert (n_compared(prevalence) == 6) == is_kept
    made, lines = made_of(STEADY, {"month": MONTH}, prevalence=prevalence)
    expected = compared(prevalence if is_kept else None)
    part = part_of(made)
    cells = {row[0]: row for row in part.cells[1:]}
    for row in expected.rows():
        score = f"{row['estimate']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"
        assert cells[row["segment"]][1] == score
        assert float(cells[row["segment"]][-1]) == pytest.approx(row["adjusted_pvalue"], abs=0.006)
    assert part.sentence.startswith(OWN) != is_kept
    assert lines["By month"].startswith(OWN) != is_kept
    has_call = prevalence is not None and is_kept
    assert (f"prevalence={prevalence}" in part.call) == has_call
    assert "compare_segments(y_true, y_score" in part.call
    few = "There are too few negatives to compare them at a prevalence of "
    assert any(note.startswith(few) for note in part.notes) != is_kept


def test_the_first_sentence_and_the_notes_name_the_prevalence_of_the_rows():
    made, lines = made_of(STEADY, {"month": MONTH})
    part = part_of(made)
    pvalue = compare_segments(Y, STEADY, MONTH).homogeneity_pvalue
    nothing = "no difference between the months is shown"
    test = f"(test that all are equal: p = {pvalue:.2g})"
    assert part.sentence == f"{OWN}by month, for the model: {nothing} {test}."
    assert lines["By month"].startswith(f"{OWN}{nothing}. They score from 0.")
    assert lines["By month"].count("prevalence") == 1
    assert part.notes[:2] == [
        "Scores are average precision at the prevalence of all rows, so that segments with more "
        "positives do not look better.",
        "There are too few negatives to compare them at a prevalence of 0.02.",
    ]
    assert f" by month at prevalence {Y.mean():.2f}, 95% " in part.picture.subject


@pytest.mark.parametrize("name", ["The model", "new"])
def test_a_worse_month_has_the_numbers_of_its_rows(name):
    row = compare_segments(Y, FALLEN, MONTH, confidence_level=1 - 0.05 / 6).rows()[-1]
    limits = f"{-row['difference_high']:.2f} to {-row['difference_low']:.2f}"
    less = f"{-row['difference']:.2f} less in 2026-06 than in the other months"
    scores = FALLEN if name == "The model" else {"new": FALLEN, "old": STEADY - 0.9 * Y}
    made, lines = made_of(scores, {"month": MONTH})
    start = f"{OWN}{name.replace('The', 'the')} scores {less} (adjusted 95% interval {limits})."
    assert part_of(made).sentence == start
    assert lines["By month"].startswith(start)
    latest = compare_segments(Y, FALLEN, MONTH).rows()[-1]
    model = name.replace("The", "the")
    score = f"{latest['estimate']:.2f} (95% interval {latest['low']:.2f} to {latest['high']:.2f})"
    text = " ".join(part_of(made, "paper").copied_text.split())
    assert f"In 2026-06, at the prevalence of all rows, {model} scored {score}" in text


def test_a_prevalence_is_left_out_if_it_would_compare_fewer_segments():
    """Of three months with enough negatives, one has not enough for the prevalence of the user."""
    kept = Y | (CODE < 3) | (np.arange(N) % 12 < 7)
    months = np.array(["2026-01", "2026-02", "2026-03"])[CODE // 2]
    rows = kept & ~((CODE == 5) & ~Y)
    options = {"y": Y[rows], "segments": months[rows]}
    shares = np.linspace(0.03, 0.09, 61)
    prevalence = next(each for each in shares if n_compared(each, **options) == 2)
    assert n_compared(None, **options) == 3
    made, lines = made_of(STEADY[rows], {"month": months}, rows=rows, prevalence=prevalence)
    own = f"At the prevalence of these rows, {Y[rows].mean():.2f}, "
    assert lines["By month"].startswith(own)
    assert not [cells for cells in part_of(made).cells if cells[-1] == "\N{EN DASH}"]


def test_each_column_has_its_own_prevalence():
    """Two halves have enough negatives where six months have not."""
    half = np.where(CODE < 3, "first", "second")
    assert (n_compared(LOW), n_compared(LOW, segments=half)) == (0, 2)
    made, lines = made_of(STEADY, {"month": MONTH, "half": half})
    assert lines["By month"].startswith(OWN)
    assert lines["By half"].startswith("No difference between first and second is shown: ")
    months, halves = (part for part in made.parts if part.name == "segments")
    assert "prevalence" not in months.call
    beyond = "  # here: p-values for 2 columns"
    assert months.call.endswith(f"segments=segments['month']){beyond}")
    assert halves.call.endswith(f", prevalence=0.02){beyond}")
    expected = compare_segments(Y, STEADY, half, prevalence=LOW)
    cells = {row[0]: row for row in halves.cells[1:]}
    for row in expected.rows():
        assert cells[row["segment"]][1].startswith(f"{row['estimate']:.2f} [")
    assert halves.notes[0].startswith("Scores are average precision at a prevalence of 0.02, so")


def test_segments_that_no_prevalence_compares_keep_that_of_the_user():
    few = slice(120)
    y = np.arange(120) % 20 == 0
    made, lines = made_of(STEADY[few], {"country": COUNTRY}, y=y, rows=few)
    assert lines["By country"].startswith("The countries cannot be compared: each has too few pos")
    assert part_of(made).call.endswith(", prevalence=0.02)")


SHOP = np.array([*"ABCDEF"])[CODE]
IS_C = SHOP == "C"
AT_OWN = f" at prevalence {Y.mean():.2f}"


class TestOtherParts:
    """Their scores are at the prevalence of the user, and those in segments may not be."""

    def made_of(self, scores, column, prevalence=LOW):
        parts = ["comparison", "segments", "paper"]
        made = report(Y, scores, segments=column, prevalence=prevalence, parts=parts)
        return made, made.summary[0].answer

    def change(self, scores, rows, prevalence, level):
        """How much more new scores than old in a segment, in words."""
        models = {name: scores[name][rows] for name in ("old", "new")}
        options = {"prevalence": prevalence, "confidence_level": level}
        row = compare_average_precision(Y[rows], models, **options).rows()[1]
        limits = f"{row['difference_low']:+.2f} to {row['difference_high']:+.2f}"
        return f"{row['difference']:+.2f} (adjusted 95% interval {limits})"

    @pytest.mark.parametrize(("prevalence", "at"), [(LOW, AT_OWN), (0.1, "")])
    def test_the_change_of_a_reversal_in_a_shop_names_its_prevalence(self, prevalence, at):
        scores = {"new": np.where(IS_C, 0.2, 2.6) * Y + NOISE[1], "old": 1.5 * Y + NOISE[0]}
        used = Y.mean() if at else prevalence
        change = self.change(scores, IS_C, used, 1 - 0.05 / 6)
        _, answer = self.made_of(scores, {"shop": SHOP}, prevalence)
        assert f", but worse than old in shop C: {change}{at}. Use old in shop C." in answer

    @pytest.mark.parametrize(("prevalence", "at"), [(LOW, AT_OWN), (0.1, "")])
    def test_the_change_of_a_reversal_in_the_latest_month_names_its_prevalence(
        self, prevalence, at
    ):
        scores = {"new": FALLEN, "old": 1.5 * Y + NOISE[0]}
        used = Y.mean() if at else prevalence
        change = self.change(scores, CODE == 5, used, 1 - 0.05 / 6)
        made, answer = self.made_of(scores, {"month": MONTH}, prevalence)
        there = [compared(used, scores=score).estimates[-1] for score in (FALLEN, scores["old"])]
        now = f"In 2026-06, new scores {there[0]:.2f} and old {there[1]:.2f}: {change}{at}."
        assert f" {now} Over all months, " in answer
        assert now in part_of(made, "comparison").more

    @pytest.mark.parametrize(("prevalence", "at"), [(LOW, AT_OWN), (0.1, "")])
    def test_the_score_of_a_lead_without_a_shop_names_its_prevalence(self, prevalence, at):
        scores = {"new": np.where(IS_C, 9, 1.7) * Y + NOISE[1], "old": 1.7 * Y + NOISE[0]}
        used = Y.mean() if at else prevalence
        score = compared(used, scores=scores["new"], segments=SHOP).estimates[2]
        _, answer = self.made_of(scores, {"shop": SHOP}, prevalence)
        assert f" Without C, where new scores {score:.2f}{at}, " in answer

    @pytest.mark.parametrize(("prevalence", "is_own"), [(LOW, True), (0.1, False), (None, False)])
    def test_the_heading_for_a_paper_has_no_scores_at_another_prevalence(self, prevalence, is_own):
        made, _ = made_of(FALLEN, {"month": MONTH}, prevalence=prevalence)
        latest = compared(None if is_own else prevalence, scores=FALLEN).estimates[-1]
        heading = part_of(made, "paper").sentence
        assert heading.endswith(", and no more digits.") == is_own
        assert heading.endswith(f", and {latest:.2f} in 2026-06.") != is_own
        assert f"{latest:.2f} (95%" in " ".join(part_of(made, "paper").copied_text.split())
