"""The threshold that a report gives: its guarantee, its call, its picture, and a second one."""

import re
import warnings

import numpy as np
import pytest
from report_data import (
    AB,
    BASE,
    NOISE,
    WEAK,
    WEIGHT,
    A,
    B,
    N,
    Y,
    part,
    quiet,
    run_call,
    selects,
    threshold_in,
)

from sklearn_ap import average_precision_interval, average_precision_score, operating_point, report
from sklearn_ap.definitions import PrecisionAtK


def test_sentence_states_a_threshold_or_its_absence():
    sentence = part("Thresholds").sentence
    point = operating_point(Y, B, precision=0.8, guarantee=0.9)
    found = re.fullmatch(
        r"Select rows where b scores (\S+) or more: (\d+) rows, (\d+)% of the positives found, "
        r"precision ([01]\.\d\d) \(at least 0\.8 with 90% confidence\)\.",
        sentence,
    )
    threshold, n_rows, share, precision = found.groups()
    assert selects(threshold, B, point)
    assert int(n_rows) == point.n_selected
    assert float(share) == pytest.approx(100 * point.recall, abs=0.5)
    assert float(precision) == pytest.approx(point.precision, abs=0.005)
    assert "guarantee=0.9" in part("Thresholds").call
    higher = operating_point(Y, B, precision=0.9, guarantee=0.9)
    assert higher.remark or higher.recall < 0.1 < point.recall
    why = (
        "For b, 0.9 is not guaranteed with 10% or more of the positives found, so the goal is 0.8."
    )
    assert part("Thresholds").more[-1] == why
    sentence = part("Thresholds", Y, NOISE).sentence
    worthless = "No threshold of the model is known to be worth using"
    assert sentence.startswith(f"{worthless}: the 100 rows that score highest hold ")
    assert "Select" not in sentence


@quiet
def test_where_no_threshold_is_sure_the_top_rows_are_given():
    found = part("Thresholds", Y, WEAK)
    top = average_precision_interval(Y, WEAK, definition=PrecisionAtK(100))
    point = operating_point(Y, WEAK, k=100)
    assert top.low > Y.mean()
    precision = f"{top.estimate:.2f} (95% interval {point.precision_interval[0]:.2f} to"
    _, _, rest = found.sentence.partition("; in this sample, selecting the top 100 rows, with ")
    threshold, _, rest = rest.removeprefix("scores of ").partition(" or more, finds ")
    assert selects(threshold, WEAK, point)
    share = f"{100 * point.recall:.0f}% of the positives"
    assert rest.startswith(f"{share} at a precision of {precision}")
    assert found.call == "operating_point(y_true, y_scores, k=100)"
    lowest = f"{1.5 * Y.mean():.2g}"
    none = "that finds 10% or more of the positives"
    assert found.more == [
        f"No threshold {none} is guaranteed to have a precision of even {lowest}, 1.5 times "
        f"the prevalence."
    ]
    named = part("Thresholds", Y, {"weak": WEAK, "noise": WEAK - Y})
    assert f"No threshold of weak {none} is guaranteed to have a " in named.more[-1]
    weighted = part("Thresholds", Y, WEAK, sample_weight=WEIGHT)
    expected = f"No threshold {none} reaches a precision of 0.5 in this sample."
    assert weighted.more == [expected]
    common = part("Thresholds", np.arange(N) % 50 < 21, NOISE)  # 1.5 times it is above 0.5
    assert common.more == [f"No threshold {none} is guaranteed to have a precision of 0.5."]
    ten = part("Thresholds", Y[:90], NOISE[:90])
    assert "the 10 rows that score highest hold" in ten.sentence
    assert ten.call.endswith("k=10)")


@quiet
def test_no_threshold_is_advised_where_the_top_rows_may_be_as_good_as_random_ones():
    found = report(Y, NOISE, parts=["thresholds"])
    top = np.argsort(-NOISE)[:100]
    low, _ = operating_point(Y, NOISE, k=100).precision_interval
    assert low < Y.mean()
    assert found.summary[0].answer == (
        f"No threshold of the model is known to be worth using: the 100 rows that score highest "
        f"hold {Y[top].sum()} positives, and {100 * Y.mean():.0f} are expected by chance."
    )
    asked = part("Thresholds", Y, NOISE, precision=0.7)
    assert asked.sentence.startswith("No threshold of the model is sure to have a precision of")


@quiet
def test_a_closed_table_shows_where_another_model_alone_has_a_guarantee():
    rng = np.random.default_rng(0)
    y = np.arange(2000) < 200
    noise = rng.normal(size=(3, 2000))
    scores = {
        "best": 2.5 * y + noise[0] + 9 * (np.arange(2000) >= 1960),  # negatives lead
        "pure": 9 * (np.arange(2000) < 60) + noise[1],
        "weak": 0.1 * y + noise[2],
    }
    found = part("Thresholds", y, scores)
    _, *rows = found.cells
    sure = {(row[0], row[1]) for row in rows if row[2] != "none"}
    assert ("", "pure") in sure
    shown = [rows[place] for place in found.first_rows]
    highest = [row for row in rows if row[1] == "pure"][-1]
    assert highest[2] != "none"
    assert highest in shown
    assert [row[0] for row in shown if row[1] == "best"] == ["0.5", "0.8", "0.9"]
    assert "weak" not in [row[1] for row in shown]


def test_another_model_is_named_that_has_a_guarantee_where_the_best_has_none():
    rng = np.random.default_rng(0)
    y = np.arange(2000) < 200
    scores = {
        "best": 5.0 * y + 9 * (np.arange(2000) >= 1900) + rng.normal(size=2000),
        "pure": 9 * (np.arange(2000) < 60) + rng.normal(size=2000),
    }
    found = part("Thresholds", y, scores, precision=0.9)
    best, pure = (average_precision_score(y, scores[name]) for name in ("best", "pure"))
    assert best > pure
    point = operating_point(y, scores["pure"], precision=0.9, guarantee=0.9)
    text = " ".join(found.brief).partition(" pure has one for 0.9: select rows where pure scores ")[
        2
    ]
    threshold, _, rest = text.partition(" or more: ")
    assert np.sum(scores["pure"] >= float(threshold)) == point.n_selected
    assert "(at least 0.9 with 90% confidence)." in rest


@pytest.mark.parametrize("n_models", [2, 3])
class TestOtherModels:
    """They stand below the heading, and in the first lines if the best was chosen among many."""

    Y = np.arange(4000) < 400
    NOISE = np.random.default_rng(0).normal(size=(3, 4000))

    def found(self, scores, n_models, **options):
        """The part about thresholds of two models, or with a third one that is worse than both."""
        best, other = (average_precision_score(self.Y, score) for score in scores.values())
        assert best > other > average_precision_score(self.Y, self.NOISE[2]) + 0.2
        scores = scores | ({"noise": self.NOISE[2]} if n_models == 3 else {})
        return part("Thresholds", self.Y, scores, **options)

    def point(self, score, precision, n_models):
        guarantee = 0.9 if n_models == 2 else 1 - 0.1 / 3
        return operating_point(self.Y, score, precision=precision, guarantee=guarantee)

    def test_one_that_finds_more_with_the_same_guarantee_is_named(self, n_models):
        scores = {
            "narrow": np.where(np.arange(4000) < 240, 6, 0.2 * self.Y) + self.NOISE[0],
            "wide": 2.0 * self.Y + self.NOISE[1],
        }
        found = self.found(scores, n_models, precision=0.5)
        narrow, wide = (self.point(score, 0.5, n_models) for score in scores.values())
        assert wide.recall > narrow.recall
        assert selects(threshold_in(found), scores["narrow"], narrow)
        share = f"{100 * wide.recall:.0f}% of the positives"
        text = f"wide finds more with the same guarantee, at least 0.5: {share}."
        assert found.more == [text]
        assert found.brief == [found.sentence, *[text] * (n_models > 2)]

    def test_one_that_has_a_guarantee_for_a_higher_precision_is_named(self, n_models):
        is_negative_lead = np.arange(4000) >= 3920
        scores = {
            "best": 2.5 * self.Y + self.NOISE[0] + 9 * is_negative_lead,
            "pure": 9 * (np.arange(4000) < 120) + self.NOISE[1],
        }
        found = self.found(scores, n_models)
        assert "where best scores " in found.sentence
        share = f"{100 * self.point(scores['pure'], 0.9, n_models).recall:.0f}% of the positives"
        text = f"pure has a guarantee for 0.9, with {share}."
        assert text in found.more
        own_goal = "You passed no goal, so this page chose 0.5."
        assert found.brief == [found.sentence, *[text] * (n_models > 2), own_goal]


def test_first_lines_name_a_threshold_that_finds_more_at_a_lower_precision():
    threshold = part("Thresholds")
    point = operating_point(Y, B, precision=0.5, guarantee=0.9)
    _, second, _ = threshold.brief
    _, _, other = second.partition("To find more, select scores from ")
    found = (
        f"{point.n_selected} rows, {100 * point.recall:.0f}% of the positives found, "
        f"precision {point.precision:.2f} (at least 0.5, also with 90% confidence)."
    )
    assert other.endswith(f": {found}")
    assert selects(other.partition(":")[0], B, point)
    assert threshold.more[0] == f"To find more, select scores from {other}"
    assert "another goal" not in " ".join(threshold.brief)
    assert "To find more" not in " ".join(part("Thresholds", Y, B, precision=0.5).brief)


@quiet
def test_selected_rows_and_precision_are_those_at_the_prevalence_of_the_user():
    found = part("Thresholds", Y, B, prevalence=0.1)
    point = operating_point(Y, B, precision=0.5, guarantee=0.9, prevalence=0.1)
    selected = f"{100 * point.selected:.2g}% of the rows at prevalence 0.1"
    recall = f"{100 * point.recall:.0f}% of the positives found"
    precision = f"precision {point.precision:.2f} (at least 0.5 with 90% confidence)"
    assert found.sentence.endswith(f" or more: {selected}, {recall}, {precision}.")


@quiet
def test_the_guarantee_allows_for_the_choice_among_several_models():
    found = part("Thresholds", Y, AB | {"c": BASE})
    choice = "confidence, even after the choice among 3 models)."
    assert found.sentence.endswith(choice)
    alone, stricter = (
        operating_point(Y, B, precision=0.5, guarantee=guarantee)
        for guarantee in (0.9, 1 - 0.1 / 3)
    )
    assert stricter.n_selected < alone.n_selected
    assert selects(threshold_in(found), B, stricter)
    assert found.call.endswith("guarantee=0.966666666667)")
    how = "each threshold has a guarantee of 0.9667, which is 1 - 0.1 / 3."
    assert any(f"the choice among 3 models, {how}" in note for note in found.notes)
    assert "choice" not in " ".join([part("Thresholds").sentence, *part("Thresholds").notes])


@quiet
@pytest.mark.parametrize("scores", [B, A, WEAK])
@pytest.mark.parametrize("options", [{}, {"sample_weight": WEIGHT}, {"precision": 0.85}])
def test_the_call_gives_the_threshold_of_the_sentence(scores, options):
    found = part("Thresholds", Y, scores, **options)
    point = run_call(found.call, y_true=Y, y_scores=scores, sample_weight=WEIGHT)
    n_rows = np.count_nonzero(scores >= point.threshold)
    assert np.count_nonzero(scores >= float(threshold_in(found))) == n_rows
    assert f" {n_rows} row" in found.sentence
    is_sure = "guarantee" in found.call
    assert is_sure == ("with 90% confidence" in found.sentence)
    assert is_sure != ("the top 100 rows" in found.sentence or "weight" in found.sentence)


@quiet
def test_sentence_says_why_weighted_rows_have_no_guarantee():
    found = part("Thresholds", Y, B, sample_weight=WEIGHT)
    assert found.sentence.startswith("With weights, no threshold can be guaranteed; in this ")
    assert "sample_weight" not in found.sentence
    taken = re.search(r"takes (\d+) rows \(([\d.]+)% of the weight\) and finds", found.sentence)
    n_rows, share = taken.groups()
    is_selected = float(threshold_in(found)) <= B
    assert int(n_rows) == np.count_nonzero(is_selected)
    assert share == f"{100 * WEIGHT[is_selected].sum() / WEIGHT.sum():.2g}"
    point = run_call(found.call, y_true=Y, y_scores=B, sample_weight=WEIGHT)
    low, _ = point.precision_interval
    goal = float(re.search(r"precision=([\d.]+)", found.call)[1])
    assert low < goal
    assert "is not shown" not in found.sentence  # nobody has asked for it
    asked = part("Thresholds", Y, B, sample_weight=WEIGHT, precision=goal)
    assert asked.sentence.endswith(f"), so a precision of {goal:g} or more is not shown.")
    assert f" at a precision of {point.precision:.2f} (95% interval {low:.2f} to" in found.sentence
    assert "guaranteed from" not in found.cells[0]
    assert found.cells[0][2:4] == ["best in this sample from", "rows"]
    assert f"{n_rows} ({share}% of the weight)" in [row[3] for row in found.cells[1:]]


def test_weighted_rows_have_one_warning_of_all_precisions_that_luck_explains():
    noise = (np.random.default_rng(seed).normal(size=N) for seed in (2, 4, 6))
    models = {name: 0.9 * Y + each for name, each in zip("abc", noise, strict=True)}
    found = report(Y, models, sample_weight=WEIGHT, parts=["thresholds"])
    claims = {}
    for name, score in models.items():
        for goal in (0.5, 0.8, 0.9):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", UserWarning)
                operating_point(Y, score, precision=goal, sample_weight=WEIGHT)
            if caught:
                claims.setdefault(name, []).append(f"{goal}")
    assert sum(map(len, claims.values())) > 2
    *_, row = found.parts[-1].cells
    best = max(
        models, key=lambda name: average_precision_score(Y, models[name], sample_weight=WEIGHT)
    )
    claim = f"any threshold of {best} has a precision of {' or '.join(claims[best])}"
    assert claim in row[0]
    assert row[0].count("any threshold of") == 1  # others are not advised
    assert row[0].endswith("Collect more rows, or ask for a lower precision.")
    assert "guarantee" not in row[0]


def test_thresholds_have_a_picture_of_the_threshold_of_the_heading(drawn_figures):
    found = report(Y, AB, precision=0.6, parts=["thresholds"])
    found.to_html()
    precisions, recalls = drawn_figures[0].axes  # precision above recall, over the same thresholds
    assert precisions.get_position().y0 > recalls.get_position().y1
    assert precisions.get_xlim() == recalls.get_xlim()
    assert (precisions.get_xlabel(), recalls.get_xlabel()) == ("", "threshold")
    point = operating_point(Y, B, precision=0.6, guarantee=0.9)
    curve = point.curve
    first = np.flatnonzero(curve.recall >= 10 / Y.sum())[0]
    for axis, name, start in ((precisions, "precision", first), (recalls, "recall", 0)):
        line = axis.lines[0]
        np.testing.assert_array_equal(line.get_xdata(), curve.threshold[start:])
        np.testing.assert_array_equal(line.get_ydata(), getattr(curve, name)[start:])
        (dot,) = (line for line in axis.lines if line.get_marker() == "o")
        assert dot.get_xydata().tolist() == [[point.threshold, getattr(point, name)]]
        assert not axis.get_title()  # the caption says it
    (asked,) = (line for line in precisions.lines if line.get_linestyle() == ":")
    assert asked.get_ydata()[0] == 0.6
    picture = found.parts[0].picture
    alt = picture.alt
    assert alt.startswith("Precision and recall of b by threshold, for precision >= 0.6 with")
    selected = point.threshold <= B
    precision, recall = Y[selected].mean(), selected[Y == 1].mean()
    (threshold,) = re.findall(r"scores (\d+\.\d+)", found.parts[0].sentence)
    assert f"{threshold}: precision {precision:.2f}, recall {recall:.2f}" in alt
    shares = f"{precision:.0%} of the selected rows are positive, and {recall:.0%} of the positives"
    assert picture.finding == f"Scores of b from {threshold}: {shares} are found"
    assert f"; {selected.sum()} rows selected; {N:,} rows, " in picture.subject


@pytest.mark.parametrize("weight", [np.ones(N), 20 * WEIGHT], ids=["equal", "unequal"])
def test_the_picture_of_a_threshold_counts_rows_and_weight_as_the_heading(weight):
    (part, _) = report(Y, AB, sample_weight=weight, parts=["thresholds"]).parts
    counted = re.search(r"((\d+) rows? \((\S+)% of the weight\)) selected", part.picture.subject)
    assert counted[1] in part.sentence
    is_selected = float(threshold_in(part)) <= B
    assert int(counted[2]) == np.count_nonzero(is_selected)
    assert counted[3] == f"{100 * weight[is_selected].sum() / weight.sum():.2g}"


def test_thresholds_of_rows_that_were_not_retrieved_have_no_picture():
    found = report(Y, np.full(N, -np.inf), parts=["thresholds"])
    assert found.parts[0].picture is None
    assert found.parts[0].cells
