"""What a report tells, and its page: numbers, names, HTML, and odd data."""

import json
import pickle
import re
from dataclasses import replace
from functools import cache
from html import escape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sklearn_ap
from sklearn_ap import report
from sklearn_ap._inputs.dates import unit_starts
from sklearn_ap._inputs.units import UNITS
from sklearn_ap._report import _looked_at
from sklearn_ap._report._advice import Advice, AdviceKind
from sklearn_ap._report._calls import IMPORTS, Passed, Starts
from sklearn_ap._report._fact import Measured, Refused, select
from sklearn_ap._report._falls import Fall, ask_segments
from sklearn_ap._report._models import BesideChance, HighestScore, TwoModels
from sklearn_ap._report._segments import choose_rows
from sklearn_ap._report.questions import make_questions
from sklearn_ap._report.report import make_report
from tests.helpers.first_cases import first, quick
from tests.helpers.report_scenarios import SCENARIOS, has_false_fact, is_told

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
SEEDS = 7000, 7003  # benchmarks/report.py counts pages of many
THIRD = [*SCENARIOS][::3]
OTHERS = [name for name in SCENARIOS if name not in THIRD]
RNG = np.random.default_rng(0)
N = 3000
Y = RNG.random(N) < 0.1
NEW = 2.0 * Y + RNG.normal(size=N)
OLD = 1.2 * Y + RNG.normal(size=N)
NOISE = RNG.normal(size=N)
AB = {"old": OLD, "new": NEW}
MONTH = np.array([f"2026-{i:02d}" for i in range(1, 7)])[RNG.integers(0, 6, N)]
COUNTRY = np.array(["DE", "FR", "IT"])[RNG.integers(0, 3, N)]
CLUSTER = np.arange(N) // 10
# Fewer rows, where any page will do
FEW_Y, FEW_MONTHS = Y[:600], MONTH[:600]
FEW_AB = {name: score[:600] for name, score in AB.items()}
OPTIONS = {
    "rows": {},
    "clusters": {"clusters": CLUSTER},
    "queries": {"queries": CLUSTER},
    "weights": {"sample_weight": RNG.random(N) + 0.5},
    "prevalence": {"prevalence": 0.01},
    "precision": {"precision": 0.8, "confidence_level": 0.9},
    "unscored": {"n_positives": 400},
}


# Pages with facts of each kind and each design.
BRIEF = ["in the last 3 months", "a region of another model", "missing labels", "shifted scores"]
BRIEF += ["queries of a language"]


def data_of(name, seed):
    return SCENARIOS[name].make(np.random.default_rng([seed, *name.encode()]))


@cache
def page_of(name, seed):
    page = data_of(name, seed)
    return report(page.y_true, page.y_scores, **page.options)


def threshold_facts(found):
    """What the line of thresholds tells."""
    return [fact for line in found.advice if line.question == "Threshold" for fact in line.facts]


def kinds(found):
    return {type(fact).__name__ for fact in found.facts}


def facts_of(kind, found):
    return [fact for fact in found.facts if type(fact).__name__ == kind]


# What is told.
@pytest.mark.parametrize("seed", first(SEEDS, 1))
@pytest.mark.parametrize("name", [*quick(THIRD, 1), *first(OTHERS, 0)])
def test_a_change_is_told_and_nothing_else(name, seed):
    scenario, page = SCENARIOS[name], page_of(name, seed)
    assert all(is_told(page, each) for each in scenario.expected)
    assert not has_false_fact(page, scenario)
    assert not scenario.use or page.advice[0].model == scenario.use


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a dip in the middle", "another dip"])
def test_a_dip_that_is_over_is_no_fall(name):
    assert sum("Fall" in kinds(page_of(name, seed)) for seed in SEEDS) < len(SEEDS)


def test_a_fall_leads_to_the_model_that_is_better_since():
    found = page_of("in the last 3 months", 7002)
    model, threshold, month, distrust = found.advice
    fall, better, _ = model.facts
    assert (model.kind, model.model) == (AdviceKind.USE_FOR_NOW, "old")
    assert (fall.model, fall.segment, fall.n_times) == ("new", "2026-06", 3)
    assert fall.score < fall.before
    assert better.place == fall
    assert better.other_score > better.score
    assert {fact.model for fact in threshold.facts} == {"old"}
    assert month.question == "By month"
    assert [type(fact).__name__ for fact in distrust.facts] == ["Looked"]


def test_tables_of_all_rows_name_a_model_that_has_fallen():
    found = page_of("in the last 3 months", 7002)
    notes = {part.title: [*part.notes] for part in found.parts}
    note = "These are numbers of all rows, but new has fallen since 2026-06."
    assert notes["Top rows"] == notes["Thresholds"] == [note]


def test_sentences_of_models_say_which_is_better():
    score = Measured(0.5, 0.4, 0.6, 0.95)
    shown = TwoModels("new", "old", Measured(0.2, 0.1, 0.3, 0.95), is_shown=True)
    assert str(shown) == (
        "new is better than old over all rows: +0.20 (95% interval +0.10 to +0.30)."
    )
    assert str(replace(shown, is_shown=False)).startswith("No difference between new and old is ")
    open_ones = HighestScore("a", score, n_models=3, others=("b", "c"), is_shown=False)
    assert str(open_ones).startswith(
        "a has the highest score of 3 models, 0.50 (95% interval 0.40 to 0.60), but b and c may "
        "also be the best; "
    )
    best = replace(open_ones, others=(), is_shown=True)
    assert str(best).startswith("a is the best of 3 models over all rows: it scores 0.50 (95% ")
    doubtful = replace(best, is_shown=False, doubtful="b", reason="folds are unlike")
    assert "0.60); b scores lower, but folds are unlike; " in str(doubtful)
    beside = BesideChance("a", chance=0.1, pvalue=0.4, is_shown=False)
    assert str(beside) == (
        "a is not shown to rank better than random orders, which score 0.10 on average (p = 0.40)."
    )
    assert str(replace(beside, pvalue=1.0)).endswith(" (p = 1.0); are its scores reversed?")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (AdviceKind.TELL, "a is not shown"),
        (AdviceKind.CHECK_MODEL, "Do not use a yet: a is not shown"),
        (AdviceKind.CHECK_LABELS, "Check the labels first, as their share changes: a is not shown"),
        (AdviceKind.USE_BUT_NOT, "Use a: a is not shown"),
        (AdviceKind.USE_FOR_NOW, "Use a for now: a is not shown"),
        (AdviceKind.CHECK_FALL, "Find out why before you use a: a is not shown"),
    ],
)
def test_a_first_line_says_what_to_do_and_why(kind, words):
    fact = BesideChance("a", chance=0.1, pvalue=0.4, is_shown=False)
    assert Advice("Model", kind, "a", (fact,)).sentences[0].startswith(words)


def test_where_labels_are_in_doubt_no_other_model_is_advised():
    """Another model is better since the labels changed, and its scores are nearer to these."""
    late = MONTH == "2026-06"
    changed = np.where(late & (np.random.default_rng(0).random(N) < 0.4), True, Y)
    models = {"new": NEW, "old": np.where(late, 1.3 * changed + NOISE, OLD)}
    found = report(changed, models, segments={"month": MONTH})
    assert "old" in {fact.other for fact in facts_of("BetterThere", found)}
    assert (found.advice[0].kind, found.advice[0].model) == (AdviceKind.CHECK_LABELS, "new")


@pytest.mark.slow
def test_a_fall_of_the_model_to_use_is_told_too():
    late = Y & (MONTH >= "2026-05")
    falls = {"old": OLD + 1.2 * Y - 2.0 * late, "new": NEW + 1.5 * Y - 4.5 * late}
    found = report(Y, falls, segments={"month": MONTH})
    model, threshold = found.advice[:2]
    assert (model.kind, model.model) == (AdviceKind.USE_FOR_NOW, "old")
    assert [fact.model for fact in select(Fall, model.facts)] == ["new", "old"]
    assert [getattr(fact, "place", fact).model for fact in threshold.facts] == ["old", "old"]
    table = str(found)[str(found).index("By month\n") :]
    assert "difference of new" in table


@pytest.mark.slow
def test_a_model_without_skill_is_not_advised_after_a_fall():
    late = Y & (MONTH >= "2026-05")
    models = {"noise": NOISE, "new": NEW - 4.5 * late}
    found = report(Y, models, segments={"month": MONTH})
    assert "BetterThere" not in kinds(found)
    assert found.advice[0].kind is AdviceKind.CHECK_FALL


def test_rows_without_weight_are_not_counted():
    query = np.arange(N) % 3
    (looked,) = facts_of("Looked", report(Y, NEW, queries=query, sample_weight=1.0 * (query > 0)))
    assert (looked.unit, looked.n_units) == ("query", 2)


@pytest.mark.slow
def test_what_was_not_looked_at_is_said_first():
    """A fall in the latest month, which the first page is not shown."""
    late = Y & (MONTH >= "2026-06")
    models = {"old": OLD, "new": NEW - 2 * late}
    blind = report(Y, models)
    assert blind.advice[-1].facts[0].lacks == ("times", "subgroups", "clusters")
    assert report(Y, models, segments={"month": MONTH}).advice[0].model == "old"
    clusters = {"segments": {"month": MONTH, "country": COUNTRY}, "clusters": CLUSTER}
    looked = report(Y, models, **clusters, sample_weight=1 + Y).advice[-1].facts[0]
    assert looked.lacks == ()
    assert looked.columns == ("month", "country")


@pytest.mark.slow
def test_a_fall_of_a_rival_leads_to_the_other_model():
    """Equal over all rows, as the better one falls in half of the months."""
    rng = np.random.default_rng(0)
    y, month = rng.random(24_000) < 0.05, np.repeat([f"2026-{i:02d}" for i in range(1, 9)], 3000)
    old = 1.6 * y + rng.normal(size=y.size)
    new = 2.3 * y + rng.normal(size=y.size)
    new[y & (month >= "2026-06")] -= 2.0
    found = report(y, {"old": old, "new": new}, segments={"month": month})
    assert found.advice[0].model == "old"
    assert found.advice[0].kind is AdviceKind.USE_FOR_NOW
    assert found.advice[0].facts[0] == facts_of("Fall", found)[0]
    (by_month,) = [line for line in found.advice if line.question == "By month"]
    assert by_month.facts[0].model == "new"


def test_dates_are_put_into_months():
    days = np.datetime64("2026-01-01") + np.sort(RNG.integers(0, 154, N))  # until 3 June
    score = NEW - 2.5 * (Y & (days >= np.datetime64("2026-05-01")))
    found = report(Y, score, segments={"date": days})
    (fall,) = facts_of("Fall", found)
    assert (fall.column, fall.segment) == ("date", "2026-05")


def test_many_worse_places_take_few_lines():
    place = np.array([f"p{i:02d}" for i in range(30)])[np.arange(N) % 30]
    worse = NEW + 2 * Y - 6.0 * (Y & (place < "p12"))
    found = report(Y, worse, segments={"place": place})
    assert len(facts_of("WorseSegment", found)) > 2
    assert len(facts_of("ThresholdThere", found)) == 2
    (by_place,) = [line for line in found.advice if line.question == "By place"]
    assert len(by_place.facts) == 2


def test_what_is_refused_is_told():
    text = str(report(Y, NEW, queries=CLUSTER))
    assert "Thresholds\nLeft out: operating_point takes no queries." in text


@pytest.mark.slow
def test_first_rows_are_shares_of_all_or_ranks_of_queries():
    assert [fact.top for fact in facts_of("TopRows", report(Y, NEW))[:3]] == ["1%", "5%", "10%"]
    assert [fact.top for fact in facts_of("TopRows", report(Y[:60], NEW[:60]))] == ["10%"]
    tops = {"5 of each query", "10 of each query"}, {"3 of each query"}
    for k, expected in zip((None, 3), tops, strict=True):
        found = report(Y, NEW, queries=CLUSTER, k=k)
        assert {fact.top for fact in facts_of("TopRows", found)} == expected
    tied = facts_of("TopRows", report(Y, np.zeros(N)))
    assert str(tied[0]) == (
        "No threshold of model selects as few rows as the top 1%: 3,000 rows share its highest "
        "score."
    )


def test_a_dash_in_the_table_of_first_rows_has_its_reason_below():
    """Of a grade that 94 rows have, of which the top 1% are 30."""
    grade = np.where(np.argsort(np.argsort(-OLD)) < 94, 5, 1 + (OLD > 0))
    (part,) = [each for each in report(Y, {"a": NEW, "grade": grade}).parts if "Top" in each.title]
    assert [each.model for each in part.facts] == ["a"]
    (note,) = part.notes
    assert note.startswith("No threshold of grade selects as few rows as the top 1%: 94 rows")
    assert len([row for row in part.table.body if row[2] == "\N{EN DASH}"]) == 1


def test_first_rows_told_are_those_of_the_model_to_use():
    (part,) = [part for part in page_of("in the last 3 months", 7002).parts if "Top" in part.title]
    assert [(fact.model, fact.k) for fact in part.facts] == [("old", 0.01)]


def test_a_table_of_the_lowest_has_those_that_score_least():
    place = np.array([f"s{i:02d}" for i in range(26)])[np.arange(N) % 26]
    questions = make_questions(Y & (place != "s12"), NEW, {"place": place}, {})
    (column,) = questions.columns
    found = ask_segments(questions, column.cells, questions.best).result
    lowest = np.argsort(found.estimate)[:20]  # nan last
    assert choose_rows(column, found) == sorted(lowest)
    assert found.names.index("s12") not in lowest


def test_a_table_begins_with_the_segment_and_the_model_that_are_told():
    """Of 26 places, the told one is not among the 20 lowest of the best model."""
    place = np.array([f"s{i:02d}" for i in range(26)])[np.arange(N) % 26]
    best = 3 * Y + NOISE + 4 * (Y & (place == "s20"))
    rival = 2.5 * Y + RNG.normal(size=N) - 6.0 * (Y & (place == "s20"))
    found = report(Y, {"best": best, "rival": rival}, segments={"place": place})
    assert {(each.model, each.segment) for each in facts_of("WorseSegment", found)} == {
        ("rival", "s20")
    }
    (table,) = [part.table for part in found.parts if part.title == "By place"]
    assert [name[:5] for name in table.head[1:3]] == ["rival", "best "]
    assert "difference of rival" in table.head
    assert table.body[0][0] == "s20"
    assert [row[0] for row in table.body[1:]] == sorted(row[0] for row in table.body[1:])
    assert len(table.body) == 20


# Doubts.
@pytest.mark.parametrize("score", [-NEW, NOISE])
def test_scores_that_are_no_better_than_random_are_not_advised(score):
    found = report(Y, score)
    assert found.advice[0].kind is AdviceKind.CHECK_MODEL
    assert found.advice[0].sentences[0].endswith("reversed?") == (score is not NOISE)
    assert not threshold_facts(found)


def test_a_warning_names_its_model():
    found = report(Y, {"new": NEW, "classes": NEW > 1})
    warned = found.advice[-1].facts[-1]
    assert (warned.kinds, warned.models) == (("predicted classes",), ("classes",))
    assert "classes: predicted classes:" in found.parts[-1].notes[0]


def test_precisions_that_no_threshold_has_are_told_in_one_warning():
    y = np.arange(200) % 5 == 0
    score = 0.5 * y + np.random.default_rng(0).normal(size=200)
    found = report(y, {"one": score, "same": score}, clusters=np.arange(200) // 2)
    (told,) = [each for each in found.warnings if each["name"] == "unattainable precision"]
    assert told["models"] == ["one", "same"]
    assert "threshold has a precision of 0.5 (nor of 0.8 and 0.9); perhaps" in told["text"]


def test_a_warning_of_a_threshold_that_is_not_advised_is_not_in_the_first_lines():
    found = report(Y, NEW, clusters=CLUSTER)
    assert "unattainable precision" in found.parts[-1].notes[0]
    assert [type(fact).__name__ for fact in found.advice[-1].facts] == ["Looked"]


@pytest.mark.parametrize("drop", quick([0, 2.5], [2.5]))
@pytest.mark.parametrize(
    "models",
    [
        pytest.param({"new": NEW}, marks=pytest.mark.slow),
        AB,
        pytest.param({**AB, "noise": NOISE}, marks=pytest.mark.slow),
    ],
)
def test_the_first_lines_name_the_prevalence_that_was_passed(models, drop):
    changed = {**models, "new": models["new"] - drop * (Y & (MONTH >= "2026-05"))}
    found = report(Y, changed, segments={"month": MONTH}, prevalence=0.05, recall=0.9)
    assert found.title.startswith("Average precision at prevalence 0.05 of ")
    assert "Fall" in kinds(found) or not drop
    lines = found.advice[:2]
    assert all(") at prevalence 0.05" in line.sentences[0] for line in lines)


def test_sentences_of_segments_name_the_prevalence_that_was_passed():
    models = {"new": NEW + Y - 3.0 * (Y & (COUNTRY == "IT")), "old": OLD}
    found = report(Y, models, segments={"country": COUNTRY}, prevalence=0.05)
    told = [*facts_of("WorseSegment", found), *facts_of("BetterThere", found)]
    assert {type(fact).__name__ for fact in told} == {"WorseSegment", "BetterThere"}
    assert all(") at prevalence 0.05." in str(fact) for fact in told)


def test_no_row_of_thresholds_comes_twice():
    parts = {part.title: part for part in report(Y, NEW, prevalence=0.0497).parts}
    assert [fact.goal.precision for fact in parts["Thresholds"].table_facts] == [0.5, 0.8, 0.9]


@pytest.mark.parametrize("unit", UNITS)
def test_the_code_of_a_unit_gives_its_starts(unit):
    times = np.array("2026-01-01T13", "M8[us]") + np.arange(300) * np.timedelta64(1, "D")
    texts = times.astype(str)
    for x in (times, texts, pd.Series(times), pd.Series(texts), times.astype("M8[ns]")):
        starts = eval(str(Starts(Passed(x, "x"), times, unit)), {"x": x, "np": np, "pd": pd})
        assert (starts == unit_starts(times, unit)).all()


def test_a_weak_doubt_is_not_told():
    told = {"ModelScore", "TwoModels", "BesideChance", "TopRows", "Threshold", "Looked"}
    assert kinds(report(Y, AB)) == told


# Thresholds.
def test_the_threshold_is_the_highest_useful_one_or_the_one_asked_for():
    chosen = next(fact for fact in report(Y, NEW).facts if type(fact).__name__ == "Threshold")
    point = sklearn_ap.operating_point(Y, NEW, precision=chosen.goal.precision, guarantee=0.9)
    assert chosen.n_selected == point.n_selected == np.sum(chosen.threshold <= NEW)
    assert chosen.recall.value >= 0.1
    asked = next(f for f in report(Y, NEW, precision=0.3).facts if type(f).__name__ == "Threshold")
    assert (asked.goal.precision, asked.guarantee) == (0.3, 0.9)
    (fact,) = threshold_facts(report(Y, NEW, prevalence=0.9999))
    assert fact.goal.precision == 0.99995


@pytest.mark.parametrize(
    "goal",
    [
        {"recall": 0.9},
        {"recall": 1.0},  # which no sample guarantees
        {"precision": 0.3},
        {"k": 50},
        {"cost": {"false_positive": 1, "false_negative": 20}},
        {"threshold": 1.5},
    ],
)
def test_goals_are_those_of_operating_point(goal):
    found = report(Y, NEW, **goal)
    (fact,) = threshold_facts(found)
    sure = {"guarantee": 0.9} if fact.guarantee else {}
    assert bool(sure) == ({*goal} <= {"precision", "recall"} and goal.get("recall") != 1)
    point = sklearn_ap.operating_point(Y, NEW, **goal, **sure)
    assert (fact.goal.text, fact.threshold) == (point.goal.text, point.threshold)
    assert f"for {fact.goal.text}" in str(fact)
    assert json.loads(json.dumps(fact.to_dict()))["goal"] == point.to_dict()["goal"]


def test_the_highest_useful_precision_stands_beside_one_that_no_threshold_has():
    asked, useful = threshold_facts(report(Y, NEW, precision=0.9999))
    assert str(asked) == "No threshold of model is shown to suffice for precision >= 0.9999."
    assert threshold_facts(report(Y, NEW)) == [useful]


def test_a_goal_of_recall_that_no_threshold_has_is_told_alone():
    hidden = np.where(Y & (np.arange(N) % 2 == 0), -np.inf, NEW)
    (fact,) = threshold_facts(report(Y, hidden, recall=0.9))
    assert str(fact) == "No threshold of model is shown to suffice for recall >= 0.9."


@pytest.mark.parametrize("design", ["clusters", "weights"])
def test_there_is_no_guarantee_over_clusters_and_weights(design):
    found = report(Y, NEW, **OPTIONS[design])
    assert "without a guarantee." in " ".join(str(found).split())
    assert [fact.guarantee for fact in threshold_facts(found)] == [0.0]


def test_a_recall_has_the_guarantee_over_clusters_of_operating_point():
    found = report(Y, NEW, recall=0.5, **OPTIONS["clusters"])
    (fact,) = [each for each in threshold_facts(found) if each.goal.recall == 0.5]
    point = sklearn_ap.operating_point(Y, NEW, recall=0.5, guarantee=0.9, **OPTIONS["clusters"])
    assert (fact.threshold, fact.guarantee) == (point.threshold, 0.9)
    assert str(fact).endswith("for recall >= 0.5, guaranteed with 90% confidence.")


def test_the_error_of_a_guarantee_is_divided_by_many_models():
    models = {f"m{i}": NEW + RNG.normal(size=N) / 9 for i in range(5)}
    assert "guarantee=0.98)" in str(report(Y, models))


# Every number has a call.
def numbers_of(result):
    """All numbers in what a call gives."""
    if isinstance(result, dict | list | tuple):
        each = result.values() if isinstance(result, dict) else result
        return [number for inner in each for number in numbers_of(inner)]
    if hasattr(result, "to_dict"):
        return numbers_of(result.to_dict())
    return [float(result)] if isinstance(result, int | float) else []


def run(call, known):
    """Run a call of a page as a user does."""
    *lines, last = [*IMPORTS.splitlines(), *str(call).splitlines()]
    exec("\n".join(lines), known)
    return eval(last, known)


@pytest.mark.parametrize(
    "options",
    [
        {},
        pytest.param({"clusters": CLUSTER}, marks=pytest.mark.slow),
        {"sample_weight": np.arange(N) % 4 / 2},
    ],
)
def test_what_a_threshold_selects_where_its_model_is_worse_is_counted(options):
    worse, weights = NEW - 1.8 * (Y & (COUNTRY == "IT")), options.get("sample_weight", np.ones(N))
    found = report(Y, worse, segments=COUNTRY, **options)
    chosen, there = threshold_facts(found)
    rows = (there.place.segment == COUNTRY) & (weights > 0)
    selected = rows & (worse >= chosen.threshold)
    counts = [np.sum(each) for each in (selected, selected & Y, rows & Y)]
    assert [there.n_selected, there.n_hits, there.n_positives] == counts
    point = run(*there.calls, {"y_true": Y, "y_scores": worse, "segments": COUNTRY, **options})
    if (weights == 1).all():
        expected = [counts[0], counts[1] / counts[0], counts[1] / counts[2]]
        assert [point.n_selected, point.precision.estimate, point.recall.estimate] == expected
    assert [type(fact).__name__ for fact in found.advice[-1].facts] == ["Looked"]
    fact, *_ = threshold_facts(report(Y, worse, segments=COUNTRY, precision=0.999))
    assert np.isnan(fact.threshold)


GIVEN = "k", "level", "needed", "guarantee"


@pytest.mark.parametrize("name", quick(BRIEF, BRIEF[2:3]))
def test_the_numbers_of_a_fact_are_those_of_its_calls(name):
    page, found = data_of(name, SEEDS[0]), page_of(name, SEEDS[0])
    known = {"y_true": page.y_true, "y_scores": page.y_scores, **page.options}
    for fact in found.facts:
        fields = {field: each for field, each in vars(fact).items() if field not in GIVEN}
        measured = [[*each[:3]] for each in fields.values() if isinstance(each, Measured)]
        claimed = numbers_of([measured, [x for x in fields.values() if isinstance(x, float)]])
        if isinstance(fact, _looked_at.ChangedShare):
            (call,) = fact.calls
            table = call.arguments[0].value
            assert claimed == [hits / (hits + others) for hits, others in table]
        elif fact.calls:
            values = numbers_of([run(call, known) for call in fact.calls])
            known_ones = [each for each in claimed if each == each]  # limits may be nan
            assert all(np.isclose(values, each, rtol=1e-12).any() for each in known_ones), fact


@pytest.mark.parametrize("design", quick(OPTIONS, ["clusters", "queries", "unscored"]))
def test_each_call_gives_the_numbers_of_its_answer(design):
    n = 1000
    days = np.datetime64("2026-01-05") + np.arange(n) // 20
    segments = {"day": days.astype(str), "place": COUNTRY[:n]}
    options = {name: each[:n] if np.ndim(each) else each for name, each in OPTIONS[design].items()}
    y, models = Y[:n], {name: score[:n] for name, score in AB.items()}
    known = {"y_true": y, "y_scores": models, "segments": segments, **options}
    questions = make_questions(y, models, segments, options, {"day": "week"})
    make_report(questions, "", "")
    for answer in questions._answers.values():
        found = run(answer.call, known)
        for name in ("estimate", "low", "difference", "precision", "pvalue"):
            expected, got = (getattr(each, name, np.nan) for each in (answer.result, found))
            np.testing.assert_allclose(got, expected, rtol=1e-12, err_msg=str(answer.call))


# The page.
class Checker(HTMLParser):
    """Check that elements are closed, and collect pictures and addresses."""

    def __init__(self):
        super().__init__()
        self.open, self.images, self.addresses = [], [], []

    def handle_starttag(self, tag, attrs):
        if tag == "img":
            self.images.append(dict(attrs))
        elif tag != "meta":
            self.open.append(tag)
        self.addresses += [value for _, value in attrs if "//" in str(value)[:99]]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_html_is_closed_and_self_contained():
    old, new = FEW_AB.values()
    found = report(FEW_Y, {"<b>": old, "a & $x$": new}, segments={"month": FEW_MONTHS})
    page = found.to_html()
    assert "&lt;b&gt;" in page
    checker = Checker()
    checker.feed(page)
    assert not checker.open
    assert not checker.addresses
    assert "url(" not in page
    assert "@import" not in page
    assert len(checker.images) == 2
    assert all(len(image["alt"]) > 20 for image in checker.images)


@pytest.mark.slow
def test_html_notebook_file_and_text_have_the_same_sentences(tmp_path):
    found = report(FEW_Y, FEW_AB, segments={"month": FEW_MONTHS}, source=Path("a & b.csv"))
    found.save(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page == found.to_html()
    assert "a &amp; b.csv" in page
    text = " ".join(str(found).split())
    for sentence in [each for line in found.advice for each in line.sentences]:
        assert sentence in text
        assert escape(sentence) in page
    assert escape(page) in found._repr_html_()


def test_the_page_is_the_golden_one():
    """Write tests/data/report.txt anew if a change of words or tables is meant."""
    page = SCENARIOS["a region of another model"].make(np.random.default_rng(0))
    found = str(report(page.y_true, page.y_scores, **page.options)).rpartition("\n")[0]
    golden = Path(__file__).parents[1] / "data" / "report.txt"
    assert found == golden.read_text(encoding="utf-8")


@pytest.mark.slow
def test_equal_data_give_equal_pages_and_reports_are_pickled():
    one, other = (report(FEW_Y, FEW_AB, segments={"month": FEW_MONTHS}) for _ in range(2))
    assert one.to_html() == other.to_html() == pickle.loads(pickle.dumps(one)).to_html()
    assert one.facts == other.facts


@pytest.mark.slow
def test_containers_give_the_same_page():
    plain = report(FEW_Y, FEW_AB, segments={"month": FEW_MONTHS})
    expected = str(plain)
    frame = pd.DataFrame({"month": FEW_MONTHS})
    assert str(report(pd.Series(FEW_Y), pd.DataFrame(FEW_AB), segments=frame)) == expected
    new = FEW_AB["new"]
    assert str(report(FEW_Y, pd.Series(new, name=""))) == str(report(FEW_Y, new))  # as of polars
    words = np.where(FEW_Y, "fraud", "ok")
    found = report(words, FEW_AB, segments={"month": FEW_MONTHS}, pos_label="fraud")
    assert found.facts == plain.facts


@pytest.mark.parametrize(
    "times",
    [
        pytest.param(MONTH.astype("M8[M]"), marks=pytest.mark.slow),
        pytest.param(pd.Series(MONTH.astype("M8[ns]")), marks=pytest.mark.slow),
        pytest.param(pd.Series(MONTH.astype("M8[ns]")).dt.to_period("M"), marks=pytest.mark.slow),
        np.char.add(MONTH, "-01 00:00:00"),
        pytest.param(np.char.replace(MONTH, "-", "/"), marks=pytest.mark.slow),
    ],
)
def test_dates_are_times_as_texts_are(times):
    score = NEW - 2.5 * (Y & (MONTH >= "2026-05"))
    (fall,) = facts_of("Fall", report(Y, score, segments={"t": times}))
    assert fall.segment[:7].replace("/", "-") == "2026-05"


# Other forms.
@pytest.mark.slow
def test_facts_are_plain_numbers_in_dicts():
    found = page_of("a region of another model", 7000)
    for fact in found.facts:
        assert "np." not in repr(fact)
    found_dict = json.loads(json.dumps(found.to_dict()))
    for line, told in zip(found.advice, found_dict["advice"], strict=True):
        kinds_of = [found_dict["facts"][place]["kind"] for place in told["facts"]]
        assert kinds_of == [type(fact).__name__ for fact in line.facts]
    scores = [fact for fact in found_dict["facts"] if fact["kind"] == "ModelScore"]
    assert scores[0]["score"]["low"] == facts_of("ModelScore", found)[0].score.low


@pytest.mark.slow
def test_models_stand_in_one_order():
    text = str(report(Y, {"c": OLD, "b": NEW, "a": NOISE}, segments={"month": MONTH}))
    assert text.startswith("Average precision of b, c and a\n")
    assert re.search(r"month +b \(95% interval\) +c \(95% interval\) +a ", text)
    assert re.search(r"compare_average_precision\(y_true, {'b': .*, 'c': .*, 'a': ", text)


# What is refused.
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y_true": np.zeros(N)}, "y_true must hold rows of both classes"),
        ({"y_scores": {"a": NEW * np.nan}}, "NaN"),
        ({"y_scores": {1: NEW, "1": OLD}}, "columns with different names"),
        ({"segments": {}}, "columns with different names"),
        ({"segments": {"x": COUNTRY[:9]}}, r"segments\['x'\] must have the shape \(3000,\)"),
        (
            {"y_true": pd.Series(Y), "segments": {"x": pd.Series(MONTH)[::-1]}},
            r"The indexes of y_true and segments\['x'\] have the same names in another order",
        ),
        (
            {"y_true": pd.Series(Y), "segments": pd.Series(MONTH.astype("M8[D]"))[::-1]},
            "The indexes of y_true and segments have the same names in another order",
        ),
        ({"precision": 2}, "precision must lie"),
        ({"confidence_level": 95}, "confidence_level must lie"),
        ({"sample_weight": np.where(Y, 0.0, 1.0)}, "y_true must hold rows of both classes"),
        ({"sample_weight": np.ones(9)}, "inconsistent numbers of samples.*sample_weight"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        report(**{"y_true": Y, "y_scores": AB, **arguments})


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        (np.full(N, "all"), "at least two segments"),
        (np.where(MONTH > "2026-03", None, "2026-01-05"), "another missing value"),
        (pd.Series(COUNTRY).where(MONTH > "2026-03", pd.NA), "another missing value"),
        (np.arange(N).astype(str), "3,000 names for 3,000 rows"),
    ],
)
def test_a_column_that_is_refused_leaves_its_part_out(column, reason):
    found = report(Y, NEW, segments={"x": column})
    assert any(reason in fact.message for fact in facts_of("Refused", found))
    assert "Left out: " in str(found)
    assert found.advice[-1].facts[0].lacks == ("times", "subgroups", "clusters")


@pytest.mark.slow
def test_words_of_references_may_be_names():
    segments = {"x": np.where(COUNTRY == "DE", "others", COUNTRY)}
    facts = report(Y, {"best": NEW, "old": OLD, "random": -NEW}, segments=segments).facts
    assert not any(isinstance(fact, Refused) for fact in facts)
    pages = (str(report(Y, {"x": NEW, name: OLD}).facts) for name in ("best", "other"))
    assert next(pages).replace("best", "other") == next(pages)


@pytest.mark.slow
@given(st.integers(0, 10**6))
@example(6845)  # an infinite variance at level 0
def test_odd_data_give_a_page_or_our_error(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.choice([2, 3, 10, 60, 300]))
    y = rng.random(n) < rng.choice([0.0, 0.02, 0.3, 0.98, 1.0])
    scores = [np.zeros(n), rng.normal(size=n), rng.integers(0, 3, n), y * 1.0]
    score = np.where(rng.random(n) < rng.choice([0, 0, 0.2]), -np.inf, scores[rng.integers(4)])
    models = {"a": score, "b": rng.normal(size=n)}
    names = [["a"], ["a", "b"], [f"{2020 + i}-01" for i in range(9)], [*map(str, range(300))]]
    segments = rng.choice(names[rng.integers(4)], n)
    options = [{}, {"clusters": rng.integers(0, 9, n)}, {"queries": rng.integers(0, 4, n)}]
    options += [{"sample_weight": rng.integers(0, 3, n)}, {"prevalence": 0.1}, {"precision": 0.7}]
    if y.all() or not y.any():
        with pytest.raises(ValueError, match="both classes"):
            report(y, models)
        return
    try:
        text = str(report(y, models, segments=segments, **options[rng.integers(6)]))
    except ValueError as error:  # of classes without weight
        text = str(error)
    assert len(text) > 40
    page = re.split(r"\d+\. Warnings|\nCalls\n", text)[0]  # without words of other functions
    assert not re.search(r"\bnan\b|None|object at", page)


def test_the_picture_of_models_names_each_as_it_is():
    models = {"a $x$": NEW, "_b": OLD}
    (part,) = [part for part in report(Y, models).parts if part.title == "Models"]
    texts = [text.get_text() for text in part.picture.draw().get_legend().get_texts()]
    assert [text.replace(r"\$", "$").strip() for text in texts[:2]] == sorted(models)[::-1]
    assert texts[2].startswith("chance level")


def test_equal_calls_are_asked_once_and_print_alike():
    questions = make_questions(Y, {"new": NEW}, {"country": COUNTRY}, {})
    rows = [questions.columns[0].select("==", "IT") for _ in range(2)]
    first, second = (
        questions.ask(sklearn_ap.average_precision_interval, "new", rows=each) for each in rows
    )
    assert first is second
    other = questions.ask(sklearn_ap.average_precision_interval, "new")
    assert other is not first
    assert str(first.call).startswith("rows = np.asarray(segments['country']) == 'IT'\n")
