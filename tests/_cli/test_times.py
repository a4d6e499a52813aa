"""What gates say of the latest time, which time it must be, and of days without rows."""

import numpy as np
import pandas as pd
import pytest

from sklearn_ap import compare_segments
from sklearn_ap._cli._predictions import read_predictions
from sklearn_ap._cli._times import find_gaps, judge_about, put_into_units
from sklearn_ap._cli.arguments import LATEST_NOT_WORSE, parse
from sklearn_ap._report.questions import make_questions
from sklearn_ap.inference.comparison_result import about_row
from tests.helpers.first_cases import quick

RNG = np.random.default_rng(0)
N = 3000
Y = RNG.random(N) < 0.2
DAY = np.datetime64("2026-05-01") + np.arange(N) // 20  # until 2026-09-27
OLD = 1.2 * Y + RNG.normal(size=N)
NEW = OLD + 1.5 * Y
DEAD = np.where(np.datetime64("2026-09-01") <= DAY, RNG.normal(size=N), NEW + Y)
FRAME = pd.DataFrame(
    {
        "y": Y.astype(int),
        "old": OLD,
        "new": NEW,
        "dead": DEAD,
        "day": DAY.astype(str),
        "place": np.array(["DE", "FR"])[np.arange(N) % 2],
    }
)
NAMED = "time:month"  # a column that looks like one of dates and their unit
TEXT = FRAME.to_csv(index=False)
GUARANTEE = "--precision 0.3 --guarantee 0.9 --require guarantee"
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


@pytest.fixture
def path(write):
    return write(TEXT)


@pytest.mark.slow
def test_a_column_whose_name_ends_in_a_unit_is_named_without_a_colon(ask, write):
    """But beside the months of another column, which have its name."""
    path = write(FRAME.rename(columns={"day": NAMED}).assign(time=DAY).to_csv(index=False))
    model = f"{path} --label y --score old --segment {NAMED}:"
    said = " ".join(ask(f"segments {model}").out.split())
    assert f"Dates of {NAMED} are in weeks ({NAMED}:UNIT takes another)." in said
    assert ask(f"segments {model}quarter").status == 0
    assert f"1. By {NAMED}" in ask(f"report {model}").out.splitlines()
    both = ask(f"report {model} --segment {NAMED}").out.splitlines()
    assert {f"1. By {NAMED}:", f"2. By {NAMED}"} <= {*both}


@pytest.mark.parametrize(
    ("command", "flags"),
    [
        ("score", "--score old --score {} --require better"),
        pytest.param(
            "score",
            "--score old --score {} --require not-worse --margin 0.1",
            marks=pytest.mark.slow,
        ),
        ("threshold", f"--score {{}} {GUARANTEE}"),
    ],
)
def test_a_model_that_is_dead_in_the_latest_month_passes_only_without_times(
    ask, path, command, flags
):
    def ask_about(model, more=""):
        return ask(f"{command} {path} --label y {flags.format(model)} {more}")

    assert ask_about("dead").status == 0
    assert "Add --time day." in " ".join(ask_about("dead").out.split())
    said = ask_about("dead", "--time day:month")
    assert said.status == 3
    assert "dead by day:month: 2026-09 is worse than the others: -0." in said.last
    said = ask_about("new", "--time day:month")
    assert said.status == 0
    assert "new by day:month: This fails only if a fall is shown" in said.last


@pytest.mark.parametrize("column", quick(["day", "day:month"], ["day:month"]))
@pytest.mark.parametrize(
    ("latest", "status"),
    [("2026-09-27", 0), ("2026-09", 0), ("2026-09-28", 3), ("2026-09-26", 3), ("2026-10", 3)],
)
def test_the_latest_rows_must_be_of_the_day_that_is_named(ask, path, column, latest, status):
    words = f"score {path} --label y --score old --score new --require better --time {column}"
    said = ask(f"{words} --latest {latest}")
    assert said.status == status
    if status:
        held = "2026-09-27" if len(latest) == 10 else "2026-09"
        reason = f"The latest rows are of {held}, not of {latest}."
        assert said.last == f"Not shown: better. {reason}"


def test_queries_of_each_month_are_compared_at_their_own_prevalence(write):
    first_of_query = np.arange(N) % 20 == 0  # so that each query has a positive
    frame = FRAME.assign(query=np.arange(N) // 20, y=(Y | first_of_query).astype(int))
    path = write(frame.to_csv(index=False))
    words = f"score {path} --label y --score dead --query query --time day:month"
    predictions = read_predictions(parse(words.split()))
    segments = put_into_units(predictions, "day:month")
    found = judge_about(LATEST_NOT_WORSE, predictions, segments, "dead")
    own = predictions.ask(compare_segments, segments=segments.values, prevalence="own")
    assert found.reason.endswith(about_row(own, len(own.names) - 1))


@pytest.mark.slow
def test_segments_and_pages_look_at_the_named_day_too(ask, path):
    for command in ("segments", "report"):
        words = f"{command} {path} --label y --score new --segment day --require latest-not-worse"
        assert ask(f"{words} --latest 2026-09-27").status == 0
        assert ask(f"{words} --latest 2026-10-01").status == 3


def test_times_that_are_no_dates_are_named_as_they_are(ask, write):
    week = np.repeat(["2026-W31", "2026-W32"], N // 2)
    path = write(FRAME.assign(week=week).to_csv(index=False))
    words = f"segments {path} --label y --score new --segment week --require latest-not-worse"
    assert ask(f"{words} --latest 2026-W32").status == 0
    assert ask(f"{words} --latest 2026-W33").status == 3


@pytest.mark.parametrize("column", ["day", "day:week"])
def test_days_without_rows_are_told(ask, write, column):
    is_kept = ~np.isin(FRAME.day, ["2026-07-03", "2026-07-04"])
    path = write(FRAME[is_kept].to_csv(index=False))
    said = ask(f"segments {path} --label y --score new --segment {column}")
    expected = "column {!r} skips 2 days without rows: 2026-07-03 and 2026-07-04"
    assert expected.format(column) in said.err
    path = write(FRAME.to_csv(index=False))
    assert "skips" not in ask(f"segments {path} --label y --score new --segment {column}").err


@pytest.mark.slow
def test_a_page_is_a_gate_with_the_verdicts_of_the_commands(ask, path, tmp_path):
    page = f"report {path} --label y --score old --score {{}} --segment day:month --segment place"
    claims = "--require better --require none-worse --require latest-not-worse --require ap>=.3"
    said = ask(f"{page.format('new')} {claims} {GUARANTEE} --format json")
    assert said.status == 0
    assert [each["shown"] for each in said.json["required"]] == [True] * 5
    assert said.json["results"][0]["title"]
    said = ask(f"{page.format('dead')} {claims} -o gate.html")
    assert said.status == 3
    assert said.last.count("dead by day:month: 2026-09 is worse than the others") == 4
    assert (tmp_path / "gate.html").read_text().startswith("<!")
    said = ask(f"report {path} --label y --score old --score new --require better --format json")
    (reason,) = [each["reason"] for each in said.json["required"]]
    alone = ask(f"score {path} --label y --score old --score new --require better --format json")
    assert reason == alone.json["required"][0]["reason"]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("score --score old --time day", "--time needs --require"),
        ("score --score old --require ap>=.1 --latest 2026-09-27", "--latest needs --time"),
        ("score --score old --require ap>=.1 --time place", "needs segments that are times"),
        ("score --score old --require ap>=.1 --time day --latest soon", "--latest must be a day"),
        ("segments --score old --segment day --latest 2026-09", "--latest needs --require"),
        ("report --score old --segment day --latest 2026-09", "--latest needs --require"),
        ("report --score old --require latest-not-worse", "need a --segment of times"),
        ("report --score old --require none-worse", "none-worse needs --segment"),
        ("report --score old --require better", "better compares models"),
        ("report --score old --recall .5 --require guarantee", "--require guarantee only together"),
        ("report --score old --recall .5 --guarantee .9", "a page takes --guarantee and"),
        ("report --score old --score new --margin .1", "--margin only with --require not-worse"),
    ],
)
def test_gates_of_times_that_lack_something_are_refused(ask, path, words, problem):
    command, flags = words.split(" ", 1)
    said = ask(f"{command} {path} --label y {flags}")
    assert (said.status, said.out, said.err.count("\n")) == (2, "", 1)
    assert problem in said.err


def test_segments_and_report_choose_the_same_unit(path):
    """Also of rows without weight, whose positives count for neither."""
    FRAME.assign(w=np.arange(N) % 3 == 0).astype({"w": int}).to_csv(path, index=False)
    words = ["segments", path, "--label", "y", "--score", "old", "--segment", "day"]
    predictions = read_predictions(parse([*words, "--weight", "w"]))
    values = put_into_units(predictions, "day").values
    weights = {"sample_weight": predictions.weights}
    questions = make_questions(Y, OLD, {"day": FRAME.day.to_numpy()}, weights)
    assert (questions.columns[0].values == values).all()


@pytest.mark.parametrize(
    ("days", "unit", "missing"),
    [
        (["2026-10-19", "2026-10-20", "2026-10-22", "2026-10-23"], "day", ["2026-10-21"]),
        (np.arange("2026-10-01", "2026-11-01", dtype="M8[D]"), None, []),
        (np.arange("2026-10-05", "2026-12-07", 7, dtype="M8[D]"), None, []),  # Mondays
        (["2026-10-05", "2026-10-12", "2026-10-19", "2026-11-02"], "week", ["2026-10-26"]),
        (["2026-01-01", "2026-02-01", "2026-03-01", "2026-05-01"], "month", ["2026-04"]),
        (["2024-01-01", "2026-05-09"], None, []),
    ],
)
def test_gaps_are_of_the_finest_unit_that_most_rows_have(days, unit, missing):
    gaps = find_gaps(np.array(days, "M8[D]"))
    if unit is None:
        assert gaps is None
    else:
        assert (gaps.unit, gaps.starts.astype(str).tolist()) == (unit, missing)


def test_working_days_alone_have_no_gaps():
    days = np.arange("2026-10-01", "2026-12-24", dtype="M8[D]")
    assert find_gaps(days[np.is_busday(days)]) is None
