"""What a worse segment changes in the words about numbers that count all rows."""

import re

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from scipy.stats import binomtest

from sklearn_ap import compare_average_precision, compare_segments, operating_point, report
from sklearn_ap._base.drawing.lines_and_bands import find_artists

RNG = np.random.default_rng(0)
N = 12_000
MONTH = np.array([f"2026-0{i}" for i in range(1, 7)])[np.arange(N) % 6]
IS_LAST = MONTH == "2026-06"
COUNTRY = np.array(["DE", "FR", "IT"])[np.arange(N) // 6 % 3]
Y = RNG.random(N) < 0.05
NOISE = RNG.normal(size=(2, N))
MODELS = {
    "old": 1.5 * Y + NOISE[0],
    "new": np.where(IS_LAST, 0.3, 2.7) * Y + NOISE[1],
}
FAILS = r"Do not use the threshold \S+( of \S+)? until you know why it fails: in 2026-06, "
SCOPE = "The guarantee is for rows like those of all months together."
quiet = pytest.mark.filterwarnings("ignore::UserWarning")


def answers(*args, **options):
    """The first lines, by their questions."""
    return {line.question: line.answer for line in report(*args, **options).summary}


@pytest.fixture(scope="module")
def found():
    return report(Y, MODELS, segments={"month": MONTH})


def in_last(**options):
    scores = {name: score[IS_LAST] for name, score in MODELS.items()}
    return compare_average_precision(Y[IS_LAST], scores, prevalence=Y.mean(), **options)


def part_of(made, name):
    return next(part for part in made.parts if part.name == name)


def advice_of(scores):
    """The advice to use the old model for now, and the scores of both in the latest month."""
    found = [compare_segments(Y, scores[name], MONTH).estimates[-1] for name in ("new", "old")]
    rest = [each[~IS_LAST] for each in (Y, scores["new"], MONTH)]
    others = compare_segments(*rest, prevalence=float(Y.mean())).overall
    falls = f"new falls from {others:.2f} to {found[0]:.2f} in 2026-06, the latest month."
    there = f"In 2026-06, new scores {found[0]:.2f} and old {found[1]:.2f}"
    return f"Use old for now: {falls}", there


def in_words(change):
    """How much more the new model scores than the old one, and the limits at Bonferroni's level."""
    numbers = change.differences[1], change.difference_lows[1], change.difference_highs[1]
    return "{:+.2f} (adjusted 95% interval {:+.2f} to {:+.2f}).".format(*numbers)


def test_a_better_model_that_is_worse_in_the_latest_month_is_said_to_be_so(found):
    change = in_last(confidence_level=1 - 0.05 / 6)  # one of six months, by Bonferroni's rule
    advice, there = advice_of(MODELS)
    test = f"{there}: {in_words(change)}"
    everything = compare_average_precision(Y, MODELS)
    lead = (
        f"better{{}}: {everything.differences[1]:+.2f} (95% interval "
        f"{everything.difference_lows[1]:+.2f} to {everything.difference_highs[1]:+.2f})."
    )
    model, *_ = found.summary
    all_months = f"Over all months, new is {lead.format(' than old')}"
    assert model.answer.startswith(f"{advice} {test} {all_months} new scores 0.")
    assert re.search(r"\). new scores 0\.\d+, old 0\.\d+, and a random order 0", model.answer)
    part = part_of(found, "comparison")
    now = "new is worse than old in 2026-06; over all months, it is"
    assert part.sentence == f"{now} {lead.format('')}"
    assert part.more[:2] == [advice, test]
    assert re.fullmatch(r"In the other months, new is better: [^:]*\.", part.more[2])


def drawn_differences(axis):
    """The names, points and ends of the rows of a picture."""
    points = next(each for each in axis.collections if len(each.get_offsets()) > 1)
    lines = next(each for each in axis.collections if hasattr(each, "get_segments"))
    ends = [segment[:, 0].tolist() for segment in lines.get_segments()]
    names = [label.get_text() for label in axis.get_yticklabels()]
    return names, points.get_offsets()[:, 0].tolist(), ends


def test_the_picture_of_an_advice_for_now_shows_why(found, drawn_figures):
    found.to_html()
    (axis,) = next(each for each in drawn_figures if "left of" in each.axes[0].get_xlabel()).axes
    others = {name: score[~IS_LAST] for name, score in MODELS.items()}
    pairs = [
        compare_average_precision(Y, MODELS),
        compare_average_precision(Y[~IS_LAST], others, prevalence=Y.mean()),
        in_last(confidence_level=1 - 0.05 / 6),
    ]
    names, points, ends = drawn_differences(axis)
    assert names == ["all months", "other months", "2026-06"]
    np.testing.assert_allclose(points, [pair.differences[1] for pair in pairs])
    limits = [[pair.difference_lows[1], pair.difference_highs[1]] for pair in pairs]
    np.testing.assert_allclose(ends, limits)
    picture = part_of(found, "comparison").picture
    assert axis.get_xlabel() == "left of 0: old better"
    overall, last = f"{points[0]:.2f}", f"{-points[2]:.2f}"
    assert picture.finding == (
        f"Over all months, new scores {overall} more than old, but {last} less in 2026-06"
    )
    kinds = "95% intervals, adjusted in segments"
    assert picture.subject == f"Average precision of new minus that of old; {kinds}."
    for artist in axis.collections[:2]:
        assert {to_hex(color) for color in artist.get_edgecolor()} == {"#000000"}
    assert axis.lines[0].get_xdata()[0] == 0
    (low, high), numbers = limits[2], "{:+.2f} [{:+.2f}, {:+.2f}]"
    alt = picture.alt
    assert f"2026-06 {numbers.format(points[2], low, high)} adjusted" in alt
    assert f"other months {numbers.format(points[1], *limits[1])}" in alt
    assert f"all months {numbers.format(points[0], *limits[0])}" in alt


def test_the_picture_of_an_advice_among_three_models_has_the_pair_of_it(drawn_figures):
    scores = {"random": NOISE[0] - NOISE[1], **MODELS}
    made = report(Y, scores, segments={"month": MONTH}, parts=["comparison", "segments"])
    assert made.parts[0].more[0] == advice_of(MODELS)[0]
    made.to_html()
    (axis,) = drawn_figures[0].axes
    assert made.parts[0].picture.subject.startswith("Average precision of new minus that of old; ")
    _, points, _ = drawn_differences(axis)
    np.testing.assert_allclose(points[0], compare_average_precision(Y, MODELS).differences[1])


def test_a_long_name_is_shortened_below_a_difference(drawn_figures):
    names = "logistic regression with interactions, trained in 2024", "forest_" * 12
    scores = dict(zip(names, MODELS.values(), strict=True))
    report(Y, scores, segments={"month": MONTH}, parts=["comparison", "segments"]).to_html()
    (axis,) = drawn_figures[0].axes
    lines = axis.get_xlabel().split("\n")
    assert len(lines) <= 2
    assert re.fullmatch("left of 0: logistic.*….*2024 better", " ".join(lines))
    box = axis.xaxis.label.get_window_extent()
    assert -1 < box.x0 < box.x1 < axis.figure.bbox.x1 + 1


def test_parts_of_the_best_model_say_that_another_one_is_advised_for_now(found):
    parts = ["score", "comparison", "segments"]  # a comparison has the scores if none are named
    asked = report(Y, MODELS, segments={"month": MONTH}, parts=parts)
    score, alone = (part_of(each, "score") for each in (asked, report(Y, MODELS, parts=["score"])))
    assert score.sentence == f"Over all months, {alone.sentence}"
    assert (score.more, alone.more) == ((), ())
    assert score.call == alone.call
    quiet_page = report(Y, MODELS)
    for name in ("curve", "top"):
        part, alone = part_of(found, name), part_of(quiet_page, name)
        assert " new" in alone.sentence
        limited = f"Over all months, {alone.sentence[0].lower()}{alone.sentence[1:]}"
        assert part.more == [limited]
        assert part.sentence == alone.sentence.replace("new", "old") or " old" in part.sentence
        assert " new" not in part.sentence
        assert "y_scores['old']" in part.call
    picture = part_of(found, "curve").picture
    assert ", 95% band of old; " in picture.subject
    assert picture.finding.startswith("Over all months, at half of the positives, old reaches a")
    axis = Figure(figsize=(4, 5)).subplots()
    picture.draw(axis)
    new, old = find_artists(axis, "model")
    assert old.get_linewidth() >= 2 * new.get_linewidth()
    assert (old.get_linestyle(), new.get_linestyle()) == ("-", "--")
    top = np.argsort(-MODELS["old"])[:100]
    words = f"Over all months, of the top 100 rows by old, {Y[top].sum()} are positive"
    assert part_of(found, "top").sentence.startswith(words)


def test_the_numbers_of_other_tools_are_those_of_the_model_to_use_for_now(found):
    names = [part.title for part in found.parts]
    part = found.parts[names.index("What other tools print")]
    alone = report(Y, MODELS["old"], parts=["tools"]).parts[0]
    assert part.sentence == alone.sentence.replace("the model", "old")
    assert part.cells == alone.cells  # numbers, and reasons why they differ
    assert part.call == "compat.compare(y_true, y_scores['old'])"
    assert part.page == "compat"
    quiet = report(Y, MODELS, parts=["tools"]).parts[0]
    assert " for new" in quiet.sentence


def test_the_threshold_of_the_model_to_use_for_now_leads(found):
    threshold = found.summary[1].answer
    part = part_of(found, "thresholds")
    old = operating_point(Y, MODELS["old"], precision=0.5, guarantee=0.9)
    printed = re.match(r"Select rows where old scores (\S+) or more: (\d+) rows, ", threshold)
    assert int(printed[2]) == np.sum(MODELS["old"] >= float(printed[1])) == old.n_selected
    own = "You passed no goal, so this page chose 0.5."
    selected = MODELS["old"] >= float(printed[1])
    found = np.sum(selected & Y & IS_LAST)
    shares = [100 * selected[Y & rows].mean() for rows in (IS_LAST, ~IS_LAST)]
    proof = (
        f"In 2026-06, {found} of {np.sum(selected & IS_LAST)} selected rows are positive, and "
        f"{shares[0]:.2g}% of the {np.sum(Y & IS_LAST)} positives are found ({shares[1]:.2g}% in "
        f"other months)."
    )
    assert threshold == f"{part.sentence} {proof} {own}"  # it holds in the latest month
    new = operating_point(Y, MODELS["new"], precision=0.5, guarantee=0.9)
    is_selected = (MODELS["new"] >= new.threshold) & IS_LAST
    words = re.search(
        r"Do not use new until you know why it fails: in 2026-06, with its threshold of (\S+) for "
        rf"0.5, {np.sum(is_selected & Y)} of {is_selected.sum()} selected rows are positive, and ",
        " ".join(part.more),
    )
    assert np.sum(MODELS["new"] >= float(words[1])) == new.n_selected
    assert "Do not use new" not in threshold  # the first line says so
    assert part.call == "operating_point(y_true, y_scores['old'], precision=0.5, guarantee=0.9)"
    assert part.picture.alt.startswith("Precision and recall of old by threshold")


@quiet
def test_a_threshold_of_the_model_to_use_for_now_may_fail_there_too():
    scores = MODELS | {"old": np.where(IS_LAST, 0.9, 2.2) * Y + NOISE[0]}
    options = {"segments": {"month": MONTH}, "parts": ["thresholds", "segments"], "precision": 0.5}
    answer = answers(Y, scores, **options)["Threshold"]
    assert re.match(FAILS, answer)
    point = operating_point(Y, scores["old"], precision=0.5, guarantee=0.9)
    n_found = np.sum((scores["old"] >= point.threshold) & IS_LAST & Y)
    words = rf" That of old fails there, too: {n_found} of \d+ selected rows are positive, and "
    assert re.search(words, answer)


@quiet
def test_a_model_that_has_not_fallen_is_advised_though_the_difference_is_not_shown():
    few = Y & (np.arange(N) % 4 < 2)
    kept = ~IS_LAST | (np.arange(N) // 6 % 3 < 1)  # too few rows of the latest month for a test

    def answers_of(old):
        scores = {"old": old + NOISE[0], "new": np.where(IS_LAST, 1.2, 2.7) * few + NOISE[1]}
        models = {name: score[kept] for name, score in scores.items()}
        found = [compare_segments(few[kept], each, MONTH[kept]) for each in models.values()]
        last = [f"{each.estimates[-1]:.2f}" for each in found]
        return answers(few[kept], models, segments={"month": MONTH[kept]}, precision=0.5), last

    lines, (old, new) = answers_of(2 * few)
    there = f"In 2026-06, new scores {new} and old {old}, but no difference is shown."
    fall = f" to {new} in 2026-06, the latest month. {there} Over all months, new is better"
    assert fall in lines["Model"]
    assert lines["Model"].startswith("Use old for now: new falls from 0.")
    assert lines["Threshold"].startswith("Select rows where old scores ")
    fallen, _ = answers_of(np.where(IS_LAST, 1, 2.5) * few)
    assert "for now" not in fallen["Model"]


@quiet
def test_no_threshold_of_the_model_to_use_for_now_may_be_sure():
    options = {"segments": {"month": MONTH}, "parts": ["thresholds", "segments"]}
    answer = answers(Y, MODELS, precision=0.99, **options)["Threshold"]
    none = "No threshold of old is sure to have a precision of 0.99 or more; for 0.5, select"
    assert answer.startswith(none)


@quiet
def test_the_best_of_three_models_is_tested_against_both_others_in_the_latest_month():
    scores = MODELS | {"oldest": 1.2 * Y + NOISE[0]}
    made = report(Y, scores, segments={"month": MONTH}, parts=["comparison", "segments"])
    pair = {name: scores[name][IS_LAST] for name in ("old", "new")}
    level = 1 - 0.05 / (6 * 2)  # months and other models
    change = compare_average_precision(
        Y[IS_LAST], pair, prevalence=Y.mean(), confidence_level=level
    )
    advice, there = advice_of(scores)
    test = f"{there}: {in_words(change)}"
    highest = "ver all months, new scores highest of 3 models: 0."
    assert made.summary[0].answer.startswith(f"{advice} {test} O{highest}")
    assert made.parts[0].more[:2] == [advice, test]
    assert made.parts[0].sentence.startswith(f"new is worse than old in 2026-06; o{highest}")


@quiet
def test_the_first_rows_of_thresholds_are_those_of_the_model_to_use_and_of_the_best_one():
    scores = MODELS | {"oldest": 1.2 * Y + NOISE[0]}
    made = report(Y, scores, segments={"month": MONTH}, parts=["thresholds", "segments"])
    _, *rows = made.parts[0].cells
    assert made.parts[0].sentence.startswith("Select rows where old ")
    shown = [rows[place][1] for place in made.parts[0].first_rows]
    assert len(rows) == 3 * len(shown) // 2
    assert shown == ["new", "old"] * (len(shown) // 2)


@quiet
def test_a_model_that_is_worse_for_now_is_no_choice_on_other_grounds():
    shift = np.where(IS_LAST, 0.3, 1.75)
    scores = MODELS | {"new": shift * Y + NOISE[1]}
    undecided = compare_average_precision(Y, scores)
    assert undecided.verdicts[0].decision == "undecided"
    assert undecided.differences[1] > 0
    answer = answers(Y, scores, segments={"month": MONTH})["Model"]
    assert answer.startswith(f"{' '.join(advice_of(scores))}: -0.")
    assert "). Over all months, new scores 0.0" in answer
    assert "other grounds" not in answer


@quiet
def test_a_reversal_in_a_country_counts_its_rows_alone():
    is_fr = COUNTRY == "FR"
    scores = MODELS | {"new": np.where(is_fr, 0.3, 3) * Y + NOISE[1]}
    inside = {name: score[is_fr] for name, score in scores.items()}
    level = 1 - 0.05 / 3
    change = compare_average_precision(
        Y[is_fr], inside, prevalence=Y.mean(), confidence_level=level
    )
    lines = answers(Y, scores, segments={"country": COUNTRY}, parts=["comparison", "segments"])
    claim = f", but worse than old in country FR: {change.differences[1]:+.2f} (adjusted 95% inter"
    better, _, rest = lines["Model"].partition(claim)
    assert re.fullmatch(r"new is better than old: \+0\.\d+ \(95% interval [^(]*\)", better)
    assert re.match(r"val -0\.\d+ to -0\.\d+\)\. Use old in country FR\. ", rest)
    assert "for now" not in lines["Model"]


@quiet
def test_a_reversal_that_only_one_test_of_many_would_show_is_not_claimed():
    y, scores = Y.copy(), {name: score.copy() for name, score in MODELS.items()}
    for shift in np.linspace(0.3, 1.4, 23):
        scores["new"] = np.where(IS_LAST, shift, 2.7) * y + NOISE[1]
        last = {name: score[IS_LAST] for name, score in scores.items()}
        test = compare_average_precision(y[IS_LAST], last, prevalence=y.mean())
        if 0.05 / 6 < test.pvalues[1] < 0.05 and test.differences[1] < 0:
            break
    else:
        pytest.fail("no such difference")
    lines = answers(y, scores, segments={"month": MONTH}, parts=["comparison", "segments"])
    assert "less in 2026-06 than in the other months" in lines["By month"]
    assert lines["Model"].startswith("new falls from 0.")
    assert "is worse" not in lines["Model"]
    assert "for now" not in lines["Model"]


@quiet
def test_a_threshold_that_fails_in_the_latest_month_is_not_advised():
    scores = np.where(IS_LAST, 1.1, 2.7) * Y + NOISE[1]
    made = report(Y, scores, segments={"month": MONTH}, parts=["thresholds", "segments"])
    answer = made.summary[0].answer
    selected = scores >= float(re.search(r"threshold (\S+) until", answer)[1])
    n_selected, n_found = np.sum(selected & IS_LAST), np.sum(selected & Y & IS_LAST)
    assert n_found > 1
    n_positives = np.sum(Y & IS_LAST)
    numbers = (
        f"{n_found} of {n_selected} selected rows are positive, and "
        f"{100 * n_found / n_positives:.2g}% of the {n_positives} positives are found "
        f"({np.mean(selected[Y & ~IS_LAST]):.0%} in other months)."
    )
    warning = re.match(FAILS + re.escape(numbers), answer)[0]
    assert answer.startswith(f"{warning} Over all months, it selects {selected.sum()} rows, ")
    assert answer.endswith("confidence).")
    assert made.parts[0].sentence == warning
    assert made.parts[0].more[1] == SCOPE
    assert "To find more" not in " ".join(made.parts[0].more)


@quiet
def test_a_threshold_that_holds_in_the_latest_month_is_advised_with_its_share():
    scores = np.where(IS_LAST, 2.2, 3) * Y + NOISE[1]
    options = {"segments": {"month": MONTH}, "parts": ["thresholds", "segments"], "precision": 0.5}
    made = report(Y, scores, **options)
    answer = made.summary[0].answer
    selected = scores >= float(re.search(r"scores (?:of )?(\S+) or more:", answer)[1])
    n_found, n_positives = np.sum(selected & Y & IS_LAST), np.sum(Y & IS_LAST)
    elsewhere = np.mean(selected[Y & ~IS_LAST])
    share = f"{100 * n_found / n_positives:.2g}% of the {n_positives} positives are found"
    says = (
        f"In 2026-06, {n_found} of {np.sum(selected & IS_LAST)} selected rows are positive "
        f"(below 0.5, perhaps by chance), and {share} ({elsewhere:.0%} in other months)."
    )
    assert answer.startswith("Select rows ")
    assert f"confidence). {says}" in answer
    assert made.parts[0].more[0].startswith(says)
    assert made.parts[0].more[0] == f"{says} {SCOPE}"


@quiet
@pytest.mark.parametrize(
    ("shift", "words"),
    [(1.9, "below 0.5, perhaps by chance"), (1.2, "clearly below 0.5")],
)
def test_a_precision_below_the_guaranteed_one_is_shown_to_be_so_or_not(shift, words):
    scores = np.where(COUNTRY == "IT", shift, 2.7) * Y + NOISE[1]
    answer = answers(Y, scores, segments={"country": COUNTRY}, precision=0.5)["Threshold"]
    threshold = float(re.search(r"scores (?:of )?(\S+) or more:", answer)[1])
    inside = Y[(COUNTRY == "IT") & (scores >= threshold)]
    pvalue = binomtest(inside.sum(), inside.size, 0.5, alternative="less").pvalue
    assert (pvalue < 0.05) == ("chance" not in words)
    counts = f"In country IT, {inside.sum()} of {inside.size} selected rows are positive ({words})"
    assert f"{counts}, and " in answer


@quiet
def test_a_threshold_fails_by_false_alarms_alone():
    alarms = 4.5 * (IS_LAST & ~Y & (np.arange(N) // 6 % 8 == 0))
    lines = answers(Y, 3 * Y + alarms + NOISE[1], segments={"month": MONTH}, precision=0.5)
    assert re.match(FAILS, lines["Threshold"])
    shares = re.search(r"and (\d+)% of the .* \((\d+)% in other months\)", lines["Threshold"])
    assert int(shares[1]) > 0.5 * int(shares[2])


@quiet
def test_a_threshold_of_weighted_rows_has_the_share_of_the_weight():
    weight = np.random.default_rng(1).uniform(0.5, 1.5, N)
    options = {"sample_weight": weight, "segments": {"month": MONTH}, "precision": 0.5}
    answer = answers(Y, MODELS["new"], **options)["Threshold"]
    selected = MODELS["new"] >= float(re.search(r"scores (?:of )?(\S+) or more takes", answer)[1])
    share = np.average(selected[Y & IS_LAST], weights=weight[Y & IS_LAST])
    others = Y & ~IS_LAST
    elsewhere = np.average(selected[others], weights=weight[others])
    shares = rf"{100 * share:.2g}% of the positives are found \({elsewhere:.0%} in other months\), "
    assert re.match(rf"{FAILS}{shares}at a precision of 0\.\d+\.", answer)
    assert "guarantee is" not in answer


@quiet
def test_a_threshold_that_finds_nothing_in_the_latest_month_is_said_to_do_so():
    scores = np.where(IS_LAST, -9, MODELS["new"])
    by_month = answers(Y, scores, segments={"month": MONTH}, parts=["thresholds", "segments"])
    none = f"in 2026-06, none of the {np.sum(Y & IS_LAST)} positives is found ("
    assert none in by_month["Threshold"]


@quiet
def test_the_latest_of_months_without_a_name_of_their_column_is_named():
    dates = MONTH.astype("M8[M]")
    lines = answers(Y, MODELS, segments=dates, parts=["comparison", "segments"])
    words = " ".join(advice_of(MODELS)).replace("latest month", "latest one")
    assert lines["Model"].startswith(f"{words}: -0.")


def test_scores_over_all_months_are_to_be_distrusted(found):
    old = compare_segments(Y, MODELS["old"], MONTH).estimates[-1]
    doubt = (
        f"Scores and guarantees are over all months together, but new scores less in 2026-06. "
        f"old still scores {old:.2f} in 2026-06, so look first at the inputs or scores of new."
    )
    assert found.summary[-1].answer.startswith(doubt)
    assert found.parts[0].more == []


def shifted(**shifts):
    """Scores whose positives stand higher by a number in other months, and another in the last."""
    return {
        name: np.where(IS_LAST, last, others) * Y + noise
        for (name, (others, last)), noise in zip(shifts.items(), NOISE, strict=False)
    }


ALL_FALL = [
    ({"new": (2.7, 0.3)}, "Look"),
    ({"new": (2.7, 0.3), "old": (2.2, 0.2)}, "Both models fall there, so look"),
    ({"new": (2.7, 0.3), "old": (2.2, 1.2)}, "Both models fall there, so look"),  # old less
]


@quiet
@pytest.mark.parametrize(("shifts", "words"), ALL_FALL)
def test_inputs_are_doubted_where_all_models_fall(shifts, words):
    scores = shifted(**shifts)
    lines = answers(Y, scores, segments={"month": MONTH}, parts=["score", "segments"])
    less = "but new scores less in 2026-06."
    assert f"{less} {words} first at the inputs of 2026-06." in lines["Distrust"]
    assert "labels" not in lines["Distrust"]


@quiet
@pytest.mark.parametrize(("shifts", "words"), ALL_FALL)
def test_labels_are_doubted_where_there_are_also_fewer_positives(shifts, words):
    is_kept = ~(Y & IS_LAST) | (np.arange(N) % 10 < 7)
    scores = {name: score[is_kept] for name, score in shifted(**shifts).items()}
    assert 0.5 < Y[is_kept & IS_LAST].mean() / Y[is_kept & ~IS_LAST].mean() < 0.8
    options = {"segments": {"month": MONTH[is_kept]}, "parts": ["score", "segments"]}
    lines = answers(Y[is_kept], scores, **options)
    less = "but new scores less in 2026-06."
    assert f"{less} The labels of 2026-06 may be incomplete." in lines["Distrust"]
    assert "look first" not in lines["Distrust"].lower()


@quiet
def test_no_cause_is_named_where_another_model_may_hold():
    scores = shifted(new=(2.7, 1.7), old=(0.4, 0.2))
    lines = answers(Y, scores, segments={"month": MONTH}, parts=["score", "segments"])
    assert "new scores less in 2026-06." in lines["Distrust"]
    assert "look first" not in lines["Distrust"].lower()
    assert "labels" not in lines["Distrust"]


@quiet
def test_a_model_near_chance_does_not_hold():
    scores = shifted(new=(2.7, 0), old=(0.35, 0.35))
    lines = answers(Y, scores, segments={"month": MONTH}, parts=["score", "segments"])
    assert "new scores less in 2026-06." in lines["Distrust"]
    assert "still scores" not in lines["Distrust"]


@quiet
def test_a_model_that_rises_where_the_best_one_falls_points_at_the_inputs():
    scores = shifted(old=(3, 0.3), new=(1.5, 3))
    new = compare_segments(Y, scores["new"], MONTH).estimates[-1]
    lines = answers(Y, scores, segments={"month": MONTH})
    cause = f"new rises to {new:.2f} in 2026-06, so look first at the inputs of 2026-06."
    assert f"but old scores less in 2026-06. {cause}" in lines["Distrust"]


@quiet
def test_any_model_that_holds_clears_the_labels():
    scores = {"best": np.where(IS_LAST, 0.3, 3.5) * Y + NOISE[1], **MODELS}
    lines = answers(Y, scores, segments={"month": MONTH}, parts=["score", "segments"])
    old = compare_segments(Y, MODELS["old"], MONTH).estimates[-1]
    cause = f"old still scores {old:.2f} in 2026-06, so look first at the inputs or scores of best."
    assert f"but best scores less in 2026-06. {cause}" in lines["Distrust"]


def test_a_paper_names_the_scores_of_a_worse_month(found):
    months, others = (compare_segments(Y, MODELS[name], MONTH) for name in ("new", "old"))
    paper = next(part for part in found.parts if part.name == "paper")
    text, *_ = paper.copied_text.split("\n\n")
    new, old = (
        f"{each.estimates[-1]:.2f} (95% interval {each.lows[-1]:.2f} to {each.highs[-1]:.2f})"
        for each in (months, others)
    )
    assert text.endswith(
        f"In 2026-06, at the prevalence of all rows, new scored {new} and old {old}."
    )
    scores = f"{others.estimates[-1]:.2f} against {months.estimates[-1]:.2f}"
    assert paper.sentence.endswith(f", and that old is better in 2026-06: {scores}.")


@quiet
def test_worse_segments_of_two_columns_are_one_doubt():
    scores = np.where(IS_LAST, 0.3, np.where(COUNTRY == "IT", 1, 2.7)) * Y + NOISE[1]
    segments = {"country": COUNTRY, "month": MONTH}
    made = report(Y, scores, segments=segments, parts=["thresholds", "segments"])
    doubts = [row for row in made.parts[-1].cells[1:] if row[0].startswith("Scores and guar")]
    ((text, owners),) = doubts
    assert "over all countries and months together, but IT and 2026-06 score less." in text
    assert text.count("Look first at the inputs of IT and 2026-06.") == 1
    assert owners == "Segments by country, Segments by month"
    assert made.parts[0].sentence.startswith("Do not use the threshold ")
    assert any(text.startswith("In country IT, ") for text in made.parts[0].more)


@quiet
def test_an_earlier_month_may_be_worse_but_its_labels_are_complete():
    scores = np.where(MONTH == "2026-02", 0.3, 2.7) * Y + NOISE[1]
    lines = answers(Y, scores, segments={"month": MONTH})
    assert "together, but 2026-02 scores less." in lines["Distrust"]
    assert "labels of" not in lines["Distrust"]


@quiet
def test_the_latest_month_is_named_if_it_is_worse_though_another_is_worse_by_more():
    scores = np.where(MONTH == "2026-02", 0, np.where(IS_LAST, 0.6, 3.0)) * Y + NOISE[1]
    lines = answers(Y, scores, segments={"month": MONTH})
    assert "until you know why it fails: in 2026-06, none of " in lines["Threshold"]
    made = report(Y, scores, segments={"month": MONTH}, parts=["thresholds", "segments"])
    threshold = float(re.search(r"threshold (\S+) until", made.parts[0].sentence)[1])
    n_selected = np.sum((scores >= threshold) & (MONTH == "2026-02"))  # too few to judge
    few = f"In 2026-02, none of {n_selected} selected rows is positive, and none of "
    assert any(text.startswith(few) for text in made.parts[0].more)
    numbers = []
    for name, other in (("2026-02", "2026-06"), ("2026-06", "2026-02")):
        is_kept = other != MONTH
        rest = [each[is_kept] for each in (Y, scores, MONTH)]
        rows = compare_segments(*rest, prevalence=float(Y.mean())).rows()
        numbers += [-row["difference"] for row in rows if row["segment"] == name]
    both = "The model scores {:.2f} less in 2026-02 and {:.2f} less in 2026-06 than in the other "
    assert lines["By month"].startswith(both.format(*numbers))
    words = "over all months together, but 2026-06 and 2026-02 score less."
    assert words in lines["Distrust"]


def test_a_trend_that_is_not_shown_is_left_out_beside_a_worse_month(found):
    line = next(line for line in found.summary if line.question == "By month")
    assert "trend" not in line.answer
    assert not any("trend" in text for text in found.parts[line.part - 1].more)


@quiet
def test_warnings_of_a_reversal_are_listed():
    clusters = np.where(IS_LAST, np.arange(N) // 6 % 9, np.arange(N))
    made = report(Y, MODELS, segments={"month": MONTH}, clusters=clusters)
    assert made.summary[0].answer.startswith(advice_of(MODELS)[0])
    kinds = [row for row in made.parts[-1].cells if row[0].startswith("few clusters")]
    assert any("Is one model better?" in row[1] for row in kinds)


@quiet
def test_nothing_is_added_where_segments_are_alike():
    lines = answers(Y, MODELS["old"], segments={"month": MONTH})
    point = operating_point(Y, MODELS["old"], precision=0.5, guarantee=0.9)
    assert point.n_selected > 0
    assert "this threshold finds" not in lines["Threshold"]
    assert "together" not in lines["Distrust"]


@quiet
def test_a_threshold_of_a_model_that_fades_is_not_advised():
    n = 36_000
    rng = np.random.default_rng(5)
    step = np.arange(n) * 24 // n
    month = np.array([f"{2024 + k // 12}-{1 + k % 12:02d}" for k in range(24)])[step]
    y = rng.random(n) < 0.03
    scores = {
        name: (lead - 0.07 * step) * y + rng.normal(size=n)
        for name, lead in (("old", 2.4), ("new", 2.6))
    }
    lines = answers(y, scores, segments={"month": month})
    last = month >= "2025-05"  # the last third
    assert lines["By month"].startswith("The score of new falls: -0.0")
    printed = re.match(
        r"Do not use the threshold (\S+) of new until .*: from 2025-05 on, (\d+) of (\d+) selected "
        r"rows are positive, and (\S+)% of the (\d+) positives are found \((\d+)% before 2025-05\)",
        lines["Threshold"],
    )
    selected = scores["new"] >= float(printed[1])
    recalls = [selected[y & rows].mean() for rows in (last, ~last, y)]
    assert recalls[0] < recalls[2] / 2
    counts = [np.sum(rows & last) for rows in (selected & y, selected, y)]
    assert [int(printed[place]) for place in (2, 3, 5)] == counts
    assert [printed[4], printed[6]] == [f"{100 * each:.2g}" for each in recalls[:2]]
    estimates = [compare_segments(y, scores[name], month).estimates[-1] for name in ("new", "old")]
    said = re.match(
        r"Both models fall in 2025-12, the latest month: find out why before you use them[.] "
        r"In 2025-12, new scores (\S+) and old (\S+)[.] Over all months, new is better than",
        lines["Model"],
    )
    assert [float(number) for number in said.groups()] == pytest.approx(estimates, abs=0.006)


@quiet
def test_missing_labels_are_doubted_before_a_model_that_nobody_chooses():
    labels = Y & ~(IS_LAST & (np.arange(N) // 6 % 4 > 0))
    scores = {"old": MODELS["old"], "rule": (MODELS["old"] > 2).astype(float)}
    doubts = answers(labels, scores, segments={"month": MONTH})["Distrust"]
    assert doubts.index("labels may be incomplete") < doubts.index("rule: All scores are 0 or 1")


@quiet
def test_the_picture_of_a_reversal_has_all_worse_segments():
    country = np.where(np.arange(N) % 7 < 2, "IT", "DE")  # crossed with the months, of six rows
    shift = np.where(IS_LAST, 1.7, np.where(country == "IT", 0.4, 2.9))
    scores = MODELS | {"new": shift * Y + NOISE[1]}
    segments = {"month": MONTH, "country": country}
    made = report(Y, scores, segments=segments, parts=["comparison", "segments"])
    picture = made.parts[0].picture
    assert re.fullmatch(
        r"Over all rows, new scores 0\.\d+ more than old, but 0\.\d+ less in IT", picture.finding
    )
    is_it = country == "IT"
    options = {"prevalence": Y.mean(), "confidence_level": 1 - 0.05 / 2}
    in_it = compare_average_precision(
        Y[is_it], {name: score[is_it] for name, score in scores.items()}, **options
    )
    value, low, high = in_it.differences[1], in_it.difference_lows[1], in_it.difference_highs[1]
    _, *rows = re.split(": |; ", picture.alt)
    assert [row.partition(" +")[0].partition(" -")[0] for row in rows] == [
        *("all rows", "country IT", "2026-06")
    ]
    assert rows[1] == f"country IT {value:+.2f} [{low:+.2f}, {high:+.2f}] adjusted"


@quiet
def test_two_months_in_which_the_other_model_is_better_are_told_together():
    is_bad = np.isin(MONTH, ["2026-05", "2026-06"])
    scores = MODELS | {"new": np.where(is_bad, 0.3, 3) * Y + NOISE[1]}
    made = report(Y, scores, segments={"month": MONTH}, parts=["comparison", "segments"])
    inside = {name: score[is_bad] for name, score in scores.items()}
    options = {"prevalence": Y.mean(), "confidence_level": 1 - 0.05 / 6}
    since = compare_average_precision(Y[is_bad], inside, **options)
    old, new = since.estimates
    there = f"Since 2026-05, new scores {new:.2g} and old {old:.2f}: {in_words(since)}"
    words = (
        r"Use old for now: new falls from 0\.\d+ to 0\.\d+ in 2026-05\. "
        rf"{re.escape(there)} Over all months, "
    )
    lines = {line.question: line.answer for line in made.summary}
    assert re.match(words, lines["Model"])
    assert "is worse" not in lines["Model"]
    heading = "new is worse than old since 2026-05; over all months, it is better: +0."
    assert made.parts[0].sentence.startswith(heading)
    assert made.parts[0].more[1] == there
    assert made.parts[0].more[2].startswith("In the other months, new is better: +0.")
    cause = "so look first at the inputs or scores of new since 2026-05."
    assert lines["Distrust"].count(cause) == 1
    _, *rows = re.split(": |; ", made.parts[0].picture.alt)
    names = ["all months", "other months", "since 2026-05"]
    assert [re.split(" [+-]", row)[0] for row in rows] == names


@quiet
def test_the_cause_of_a_fall_of_several_months_is_in_the_first_of_them():
    is_bad = np.isin(MONTH, ["2026-05", "2026-06"])
    lines = answers(Y, np.where(is_bad, 0.3, 3) * Y + NOISE[1], segments={"month": MONTH})
    assert "Look first at what changed in 2026-05." in lines["Distrust"]


@quiet
def test_a_country_of_another_model_has_no_threshold_of_the_best_one():
    is_fr = COUNTRY == "FR"
    scores = MODELS | {"new": np.where(is_fr, 0.3, 3) * Y + NOISE[1]}
    options = {"segments": {"country": COUNTRY}, "precision": 0.5}
    made = report(Y, scores, **options)
    answer = next(line.answer for line in made.summary if line.question == "Threshold")
    selected = scores["new"] >= float(re.search(r"scores (\S+) or more:", answer)[1])
    elsewhere = selected & ~is_fr
    share = 100 * np.mean(selected[Y & ~is_fr])
    counts = f"{np.sum(elsewhere & Y)} of {elsewhere.sum()} selected rows are positive"
    inside = operating_point(Y[is_fr], scores["old"][is_fr], precision=0.5, guarantee=0.9)
    assert inside.remark
    found = "that finds 10% of the positives there"
    other = f"In country FR, no threshold of old {found} is sure to have a precision of 0.5"
    exception = f"{other}; elsewhere, {counts}, and {share:.2g}% of the "
    assert f"{exception}positives are found." in part_of(made, "thresholds").more
    assert f" {other}." in answer
    assert "; elsewhere" not in answer
    weighted = answers(Y, scores, sample_weight=np.ones(N), **options)["Threshold"]
    assert weighted.endswith(" Choose a threshold of old for country FR.")


@quiet
def test_an_earlier_month_where_a_threshold_holds_is_not_told():
    shift = np.where(MONTH == "2026-02", 0.3, np.where(IS_LAST, 0.2, 3.8))
    scores = MODELS | {"new": shift * Y + NOISE[1], "old": 2 * Y + NOISE[0]}
    options = {"segments": {"month": MONTH}, "precision": 0.5}
    lines = answers(Y, scores, **options)
    assert lines["Model"].startswith("Use old for now")
    assert "2026-02" in lines["By month"]
    assert lines["Threshold"].startswith("Select rows where old scores ")
    assert "In 2026-06, " in lines["Threshold"]
    assert "2026-02" not in lines["Threshold"]


@quiet
def test_the_model_to_use_for_now_has_goals_of_its_own():
    scores = MODELS | {"old": 1.1 * Y + NOISE[0]}
    assert operating_point(Y, scores["old"], precision=0.8, guarantee=0.9).remark
    assert not operating_point(Y, MODELS["new"], precision=0.8, guarantee=0.9).remark
    options = {"segments": {"month": MONTH}, "precision": 0.8}
    lines = answers(Y, scores, **options)
    assert lines["Model"].startswith("Use old for now")
    none = r"No threshold of old is sure to have a precision of 0\.8 or more; for (0\.\d+), select "
    lower = float(re.match(none, lines["Threshold"])[1])
    assert not operating_point(Y, scores["old"], precision=lower, guarantee=0.9).remark


@quiet
@pytest.mark.parametrize(
    ("elsewhere", "claim"), [(2.9, "no difference"), (2.35, "the model scores")]
)
def test_a_country_that_explains_the_fall_of_months_is_named(elsewhere, claim):
    country = np.where(np.arange(N) % 7 < 3, "BR", "DE")  # crossed with the months, of six rows
    country[np.arange(N) % 7 == 6] = "FR"
    is_last = np.isin(MONTH, ["2026-05", "2026-06"])
    shift = np.where(is_last & (country == "BR"), 0.2, np.where(is_last, elsewhere, 2.9))
    score = shift * Y + NOISE[1]
    lines = answers(Y, score, segments={"month": MONTH, "country": country})
    kept = country != "BR"
    rest = compare_segments(Y[kept], score[kept], MONTH[kept], prevalence=float(Y.mean()))
    is_same = {verdict.decision for verdict in rest.verdicts} == {"undecided"}
    assert is_same == (claim == "no difference")
    assert lines["Model"].startswith("The model falls from 0.")
    if is_same:
        assert (
            " Without country BR, no difference between the months is shown, so look first at "
            "country BR." in lines["Distrust"]
        )
    else:
        everything = compare_segments(Y, score, MONTH)
        fall = everything.estimates[:4].mean() - everything.estimates[-1]
        assert rest.estimates[-1] - everything.estimates[-1] > 0.55 * fall
        says = f" Without country BR, the model scores {rest.estimates[-1]:.2f} in 2026-06, so look"
        assert says in lines["Distrust"]
    assert "at what changed" not in lines["Distrust"]


@quiet
def test_a_fall_in_all_countries_is_not_explained_by_one_of_them():
    country = np.where(np.arange(N) % 7 < 2, "BR", "DE")
    is_last = np.isin(MONTH, ["2026-05", "2026-06"])
    shift = np.where(is_last, 0.9, 2.9) - (country == "BR")
    segments = {"month": MONTH, "country": country}
    lines = answers(Y, shift * Y + NOISE[1], segments=segments)
    assert "Without country" not in lines["Distrust"]
    assert "look first at what changed in 2026-05" in lines["Distrust"].replace("Look", "look")
    assert "but BR and months from 2026-05 on score less." in lines["Distrust"]


@quiet
@pytest.mark.parametrize("n_months", [2, 3, 6])
def test_a_version_that_is_the_latest_month_explains_nothing(n_months):
    month = np.array([f"2026-0{1 + i}" for i in np.arange(N) * n_months // N])
    is_last = month == month[-1]
    version = np.where(is_last, "v2", "v1")
    score = np.where(is_last, 0.2, 2.7) * Y + NOISE[1]
    both = f"{month[-1]} and v2"
    for scores, less in (
        (MODELS | {"new": score}, f"new scores less in {both}."),
        (score, f"{both} score less."),
    ):
        lines = answers(Y, scores, segments={"month": month, "version": version})
        assert "Without version" not in lines["Distrust"]
        assert f"together, but {less}" in lines["Distrust"]
