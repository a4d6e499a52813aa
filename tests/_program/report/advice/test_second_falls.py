"""What a report says where the second of two models has fallen, and the best one has not."""

import numpy as np
import pytest

from sklearn_ap import average_precision_score, compare_average_precision, compare_segments, report

N = 12_000
RNG = np.random.default_rng(0)
NAMES = [f"2026-0{i}" for i in range(1, 7)]
MONTH = np.array(NAMES)[np.arange(N) % 6]
Y = RNG.random(N) < 0.05
NOISE = RNG.normal(size=(3, N))
IS_LAST = MONTH == "2026-06"
ONE, TWO = ["2026-06"], ["2026-05", "2026-06"]
LEVEL = 1 - 0.05 / 6  # of one of six months, by Bonferroni's rule
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def pair(gbm, net, fallen, low=0.7):
    """Scores whose positives stand higher by a number, and of one model by less in some months."""
    shift = np.where(np.isin(MONTH, fallen), low, gbm)
    return {"gbm": shift * Y + NOISE[0], "net": net * Y + NOISE[1]}


TIED = {1: pair(1.75, 1.65, ONE), 2: pair(1.9, 1.65, TWO)}
FALLEN = {1: ONE, 2: TWO}


def made_of(scores, *parts, rows=slice(None)):
    models = {name: score[rows] for name, score in scores.items()}
    parts = [*(parts or ("comparison",)), "segments"]
    return report(Y[rows], models, segments={"month": MONTH[rows]}, parts=parts)


def answers(made):
    """The first lines, by their questions."""
    return {line.question: line.answer for line in made.summary}


def monthly(score, rows=slice(None)):
    """The rows of the months, as a model ranks them, by the names of months."""
    found = compare_segments(Y[rows], score[rows], MONTH[rows])
    return {row["segment"]: row for row in found.rows()}


def mean_of_others(score, fallen):
    kept = ~np.isin(MONTH, fallen)
    prevalence = float(Y.mean())
    return compare_segments(Y[kept], score[kept], MONTH[kept], prevalence=prevalence).overall


def difference(scores, kept=slice(None), names=("gbm", "net"), **options):
    """How much more the second of two models scores on some rows, and the limits."""
    models = {name: scores[name][kept] for name in names}
    found = compare_average_precision(Y[kept], models, **options)
    return found.differences[1], found.difference_lows[1], found.difference_highs[1]


def fall_of(scores, fallen):
    """The words for a fall that begins in the first of these months."""
    first = monthly(scores["gbm"])[fallen[0]]["estimate"]
    return f"falls from {mean_of_others(scores['gbm'], fallen):.2f} to {first:.2f} in {fallen[0]}"


def describe(row):
    return f"{row['estimate']:.2f} (95% interval {row['low']:.2f} to {row['high']:.2f})"


class TestATie:
    @pytest.mark.parametrize("n_months", [1, 2])
    def test_the_best_model_is_advised_for_now(self, n_months):
        scores, fallen = TIED[n_months], FALLEN[n_months]
        value, low, high = difference(scores)
        assert low < 0 < value < high
        rows = [monthly(scores[name])["2026-06"] for name in ("gbm", "net")]
        assert [row["verdict"] for row in rows] == ["worse", "undecided"]
        options = {"prevalence": Y.mean(), "confidence_level": LEVEL}
        inside = np.isin(MONTH, fallen)
        change = difference(scores, inside, ("net", "gbm"), **options)
        assert change[2] < 0
        advice = f"Use net for now: gbm {fall_of(scores, fallen)}"
        where = "since 2026-05"
        if n_months == 1:
            advice += ", the latest month"
            where = "in 2026-06"
        gbm, net = (
            average_precision_score(Y[inside], scores[name][inside], prevalence=Y.mean())
            for name in ("gbm", "net")
        )
        there = f"{where.capitalize()}, gbm scores {gbm:.2f} and net {net:.2f}"
        numbers = "{:+.2f} (adjusted 95% interval {:+.2f} to {:+.2f})".format(*change)
        test = f"{there}: {numbers}."
        claim = (
            f"ver all months, net scores {value:.2f} more than gbm, but anything from {low:+.2f} "
            f"to {high:+.2f} fits: no difference is shown."
        )
        made = made_of(scores)
        assert answers(made)["Model"].startswith(f"{advice}. {test} O{claim} net scores 0.")
        part = made.parts[0]
        assert part.more[:2] == [f"{advice}.", test]
        assert part.sentence == f"gbm is worse than net {where}; o{claim}"
        finding = "Over all months, no difference between net and gbm is shown"
        assert part.picture.finding == finding
        assert "other grounds" not in repr(made)

    def test_the_best_model_is_advised_though_the_difference_there_is_not_shown(self):
        scores = pair(1.75, np.where(IS_LAST, 1.2, 1.8), ONE, low=0.5)
        kept = ~IS_LAST | (np.arange(N) // 6 % 3 < 1)
        gbm, net = (monthly(scores[name], kept)["2026-06"] for name in ("gbm", "net"))
        assert gbm["adjusted_pvalue"] < 0.01
        assert difference(scores, kept)[1] < 0 < difference(scores, kept)[0]
        options = {"prevalence": Y[kept].mean(), "confidence_level": LEVEL}
        _, low, high = difference(scores, kept & IS_LAST, ("net", "gbm"), **options)
        assert low < 0 < high
        there = f"In 2026-06, gbm scores {gbm['estimate']:.2f} and net {net['estimate']:.2f}"
        test = f"{there}, but no difference is shown."
        made = made_of(scores, rows=kept)
        model = answers(made)["Model"]
        assert model.startswith("Use net for now: gbm falls from 0.")
        assert f" in 2026-06, the latest month. {test} Over all months, net scores 0.0" in model
        assert made.parts[0].sentence.startswith("Over all months, net scores 0.0")

    def test_a_month_that_is_over_is_no_reason(self):
        scores = pair(1.75, 1.65, ["2026-03"])
        assert monthly(scores["gbm"])["2026-03"]["adjusted_pvalue"] < 0.01
        assert difference(scores)[1] < 0 < difference(scores)[0]
        answer = answers(made_of(scores))["Model"]
        assert "for now" not in answer
        assert "Choose on other grounds" in answer

    def test_a_fall_that_is_not_beyond_doubt_is_no_reason(self):
        scores = pair(1.75, 1.75, ONE, low=1.2)
        row = monthly(scores["gbm"])["2026-06"]
        assert row["verdict"] == "worse"
        assert 0.01 < row["adjusted_pvalue"] < 0.05
        assert difference(scores)[1] < 0 < difference(scores)[0]
        answer = answers(made_of(scores))["Model"]
        assert "for now" not in answer
        assert "Choose on other grounds" in answer

    def test_a_fall_is_beyond_doubt_if_one_of_its_months_is(self):
        """The latest month alone has an adjusted p-value above 0.01."""
        shift = np.select([MONTH == "2026-05", IS_LAST], [0.4, 1.3], 1.9)
        scores = {"gbm": shift * Y + NOISE[0], "net": 1.65 * Y + NOISE[1]}
        earlier, latest = (
            compare_segments(Y[kept], scores["gbm"][kept], MONTH[kept], prevalence=Y.mean())
            for kept in (MONTH != "2026-06", MONTH != "2026-05")
        )
        assert earlier.adjusted_pvalues[-1] < 0.01 < latest.adjusted_pvalues[-1] * 6 / 5 < 0.05
        lines = answers(made_of(scores))
        assert lines["By month"].startswith("gbm falls from ")
        assert "look at its inputs or scores since then." in lines["Distrust"]

    def test_of_three_models_none_is_advised(self):
        third = {"rule": 0.8 * Y + NOISE[2]}
        made = made_of(third | TIED[1])
        assert made.parts[0].sentence.startswith("It is not shown that net, with 0.40 (95% ")
        assert "for now" not in answers(made)["Model"]
        assert answers(made)["By month"].startswith("gbm falls from 0.")


class TestALead:
    def test_the_lead_before_a_fall_leaves_all_its_months_out(self):
        scores = pair(1.9, 2.3, TWO)
        before = ~np.isin(MONTH, TWO)
        value, low, high = difference(scores, before)
        assert low > 0
        assert abs(value - difference(scores, ~IS_LAST)[0]) > 0.02
        assert value < difference(scores)[1]
        fallen = monthly(scores["gbm"])["2026-05"]["estimate"]
        lead = (
            f"Before 2026-05, when gbm falls to {fallen:.2f}, net scores {value:.2f} more than gbm "
            f"(95% interval {low:.2f} to {high:.2f})."
        )
        made = made_of(scores)
        model = answers(made)["Model"]
        assert model.startswith("net is better than gbm: +0.")
        assert f"). {lead} net scores 0." in model
        assert made.parts[0].more == [lead]
        assert "for now" not in model  # the best one is also the one that is better now

    def test_a_lead_that_the_fall_makes_is_not_shown_before(self):
        scores = pair(1.75, 1.65, TWO)
        assert difference(scores)[1] > 0
        _, low, high = difference(scores, ~np.isin(MONTH, TWO))
        assert low < 0 < high
        fallen = monthly(scores["gbm"])["2026-05"]["estimate"]
        claim = f"Before 2026-05, when gbm falls to {fallen:.2f}, no difference is shown"
        fits = f"net minus gbm may be anything from {low:+.2f} to {high:+.2f}."
        assert f" {claim}: {fits} net scores" in answers(made_of(scores))["Model"]

    def test_it_is_not_told_where_both_models_fall(self):
        are_last = np.isin(MONTH, TWO)
        scores = pair(2.3, np.where(are_last, 1.4, 2.3), TWO, low=0)
        rows = {name: monthly(score)["2026-06"] for name, score in scores.items()}
        assert {row["verdict"] for row in rows.values()} == {"worse"}
        assert difference(scores)[1] > 0 > difference(scores, ~are_last)[1]
        made = made_of(scores, "comparison", "paper")
        model = answers(made)["Model"]
        assert model.startswith("Both models fall in 2026-06, the latest month: find out why")
        assert "Without" not in model
        assert "Before" not in model
        assert "for now" not in model
        (paper,) = (part for part in made.parts if part.name == "paper")
        assert [paper.copied_text.count(f"In {name}, ") for name in TWO] == [1, 1]


class TestTheMonths:
    @pytest.mark.parametrize("n_months", [1, 2])
    def test_a_fall_is_told_before_what_the_best_model_does(self, n_months):
        scores, fallen = TIED[n_months], FALLEN[n_months]
        made = made_of(scores)
        latest = f" and scores {monthly(scores['gbm'])['2026-06']['estimate']:.2f} in 2026-06"
        fall = f"gbm {fall_of(scores, fallen)}{latest if n_months == 2 else ''}."
        net = monthly(scores["net"])
        low, *_, high = sorted(net.values(), key=lambda row: row["estimate"])
        ends = (
            f"from {low['estimate']:.2f} in {low['segment']} to {high['estimate']:.2f} in "
            f"{high['segment']}; the latest, 2026-06, {describe(net['2026-06'])}."
        )
        nothing = "o difference between the months is shown"
        assert answers(made)["By month"].startswith(f"{fall} N{nothing} for net. It scores {ends}")
        part = made.parts[1]
        pvalue = compare_segments(Y, scores["net"], MONTH).homogeneity_pvalue
        assert part.sentence == fall
        assert part.more[0] == f"For net, n{nothing} (test that all are equal: p = {pvalue:.2g})."
        assert part.more[1] == f"It scores {ends}"

    def test_the_lowest_of_the_best_model_may_be_the_latest(self):
        net = 1.65 - np.where(IS_LAST, 0.2, 0)
        scores = pair(1.55, net, ONE, low=0.4)
        rows = monthly(scores["net"])
        latest = rows.pop("2026-06")
        before = sorted(row["estimate"] for row in rows.values())
        assert latest["estimate"] < before[0]
        assert latest["verdict"] == "undecided"
        assert (
            f"It scores lowest in the latest month, 2026-06: {describe(latest)}; earlier months "
            f"score {before[0]:.2f} to {before[-1]:.2f}."
        ) in answers(made_of(scores))["By month"]

    def test_the_fall_is_to_be_distrusted(self):
        doubt = "gbm falls in 2026-05: look at its inputs or scores since then."
        assert answers(made_of(TIED[2]))["Distrust"] == doubt

    def test_a_paper_has_the_scores_of_all_months_of_the_fall(self):
        made = made_of(TIED[2], "comparison", "paper")
        part = next(part for part in made.parts if part.name == "paper")
        text = " ".join(part.copied_text.split("\n\n")[0].split())
        gbm, net = (monthly(TIED[2][name]) for name in ("gbm", "net"))
        sentences = [
            f"In {name}, {at}net scored {describe(net[name])} and gbm {describe(gbm[name])}."
            for name, at in zip(TWO, ("at the prevalence of all rows, ", ""), strict=True)
        ]
        assert text.endswith(" ".join(sentences))
        assert "In 2026-04" not in text
        assert part.sentence.endswith(" and no more digits.")  # those of the best one did not fall


DIP = pair(1.9, np.where(MONTH == "2026-03", 0.9, 2.3), TWO)


def test_a_fall_is_told_before_an_earlier_dip_of_the_best_model():
    net, gbm = (monthly(DIP[name]) for name in ("net", "gbm"))
    kept = MONTH != "2026-03"
    prevalence = float(Y.mean())
    wide = compare_segments(Y, DIP["net"], MONTH, confidence_level=LEVEL).rows()[2]
    dip = (
        f"net scores {-wide['difference']:.2f} less in 2026-03 than in the other months (adjusted "
        f"95% interval {-wide['difference_high']:.2f} to {-wide['difference_low']:.2f})."
    )
    rest = compare_segments(Y[kept], DIP["net"][kept], MONTH[kept], prevalence=prevalence)
    assert {verdict.decision for verdict in rest.verdicts} == {"undecided"}
    fall = f"gbm {fall_of(DIP, TWO)} and scores {gbm['2026-06']['estimate']:.2f} in 2026-06."
    latest = f"In the latest month, 2026-06, net scores {describe(net['2026-06'])}."
    made = made_of(DIP, "comparison", "paper")
    lines = answers(made)
    assert lines["By month"] == f"{fall} {dip} {latest}"
    part = next(part for part in made.parts if part.name == "segments")
    assert part.sentence == fall
    there = f"There, net scores {net['2026-03']['estimate']:.2f}, and gbm "
    assert part.more[:2] == [dip, f"{there}{gbm['2026-03']['estimate']:.2f}."]
    assert lines["Distrust"] == (
        "Scores and guarantees are over all months together, but net scores less in 2026-03. gbm "
        "falls in 2026-05: look at its inputs or scores since then."
    )
    paper = next(part for part in made.parts if part.name == "paper")
    text = " ".join(paper.copied_text.split())
    places = [text.index(f"In {name}, ") for name in ("2026-03", *TWO)]
    assert places == sorted(places)
    assert paper.sentence.endswith(f", and {net['2026-03']['estimate']:.2f} in 2026-03.")


@pytest.mark.parametrize("scores", [TIED[2], DIP], ids=["steady", "dip"])
def test_the_picture_has_rings_around_all_that_is_told(drawn_figures, scores):
    made = made_of(scores)
    made.to_html()
    axis = drawn_figures[-1].axes[0]
    rings = [line for line in axis.lines if line.get_markerfacecolor() == "none"]
    drawn = sorted(y for line in rings for y in line.get_ydata())
    net, gbm = (monthly(scores[name]) for name in ("net", "gbm"))
    expected = [gbm[name]["estimate"] for name in TWO]
    fallen = [f"{each:.2f}" for each in expected]
    told = "no difference between the months is shown for net"
    if scores is DIP:
        expected.append(net["2026-03"]["estimate"])
        told = f"net scores only {net['2026-03']['estimate']:.2f} in 2026-03"
    assert drawn == pytest.approx(sorted(expected))
    fall = f"gbm falls to {fallen[0]} in 2026-05 and scores {fallen[1]} in 2026-06"
    picture = made.parts[1].picture
    assert picture.finding == f"{fall}; {told}"
    assert "At the right: scores of the latest month. Ring: lower than other" in picture.subject


def test_a_fall_of_the_second_model_that_is_not_beyond_doubt_is_a_doubt():
    """Its p-value, adjusted for the months and the columns, is between 0.01 and 0.05."""
    rng = np.random.default_rng(4)
    n = 18_000
    month = np.array([f"2026-0{i}" for i in range(1, 9)])[np.arange(n) % 8]
    y = rng.random(n) < 0.06
    is_last = month == "2026-08"
    half = np.where(rng.random(n) < 0.5, "odd", "even")
    models = {
        "steady": 1.7 * y + rng.normal(size=n),
        "weary": np.where(is_last, 1.15, 1.55) * y + rng.normal(size=n),
    }
    columns = {"month": month, "half": half}
    row = compare_segments(y, models["weary"], month).rows()[-1]
    pvalue = 2 * row["adjusted_pvalue"]
    assert 0.01 < pvalue < 0.05
    made = report(y, models, segments=columns, parts=["comparison", "segments"])
    doubt = (
        f"weary may have fallen: {row['estimate']:.2f} in 2026-08 (adjusted p = {pvalue:#.2g}). "
        f"Look at its inputs or scores there."
    )
    assert doubt in made.summary[-1].answer
    assert "Adjusted intervals" not in str(made)
    alone = report(y, models, segments={"half": half}, parts=["comparison", "segments"])
    assert "may have fallen" not in str(alone)
