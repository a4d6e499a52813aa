"""Each command has the numbers and the words of the public functions that it asks."""

import argparse
import re

import numpy as np
import pytest

import sklearn_ap
from sklearn_ap import compat, definitions
from sklearn_ap._cli import commands
from sklearn_ap._cli._predictions import read_predictions
from sklearn_ap._cli.arguments import COMMANDS, parse
from sklearn_ap.definitions import AtK
from sklearn_ap.definitions._conventions import conventions
from tests.helpers.cli_rows import FRAME

Y, OLD, NEW = FRAME.y.to_numpy(), FRAME.old.to_numpy(), FRAME.new.to_numpy()
C = "--label y --score old"
pytestmark = pytest.mark.usefixtures("few_halves")  # of commands and of functions
W, G, DAY = FRAME.w, FRAME.g, FRAME.day.to_numpy().astype("M8[D]")
interval, compare = sklearn_ap.average_precision_interval, sklearn_ap.compare_average_precision
point, segments = sklearn_ap.operating_point, sklearn_ap.compare_segments
MODELS = {"old": OLD, "new": NEW}
OF_QUERIES = {"queries": G, "zero_division": 0.0}
COST = {"false_positive": 1, "false_negative": 20}

ANSWERS = {
    "score --definition AP": lambda: interval(Y, OLD),
    "score --definition AP@5": lambda: interval(Y, OLD, definition=AtK(5)),
    "score --definition AP@k --k 1%": lambda: interval(Y, OLD, definition=AtK(0.01)),
    "score --definition AP --clusters g": lambda: interval(Y, OLD, clusters=G),
    "score --definition AP --query g": lambda: interval(Y, OLD, **OF_QUERIES),
    "score --definition AP --query day:month": lambda: interval(
        Y, OLD, queries=DAY.astype("M8[M]"), zero_division=0.0
    ),
    "score --definition AP --cluster day:day": lambda: interval(Y, OLD, clusters=DAY),
    "score --definition AP --prevalence 1%": lambda: interval(Y, OLD, prevalence=0.01),
    "score --definition AP --n-positives 300": lambda: interval(Y, OLD, n_positives=300),
    "score --definition AP --score new": lambda: compare(Y, MODELS),
    "score --definition AP --score new --margin 0.1": lambda: compare(Y, MODELS, margin=0.1),
    "score -mAP --score new --query g --weight w --confidence-level 8e-1": lambda: compare(
        Y, MODELS, sample_weight=W, confidence_level=0.8, **OF_QUERIES
    ),
    "score -mAP --score new --cluster g --weight w --prevalence 1%": lambda: compare(
        Y, MODELS, clusters=G, sample_weight=W, prevalence=0.01
    ),
    "threshold --recall 0.5 --weight w --confidence-level 80%": lambda: point(
        Y, OLD, recall=0.5, sample_weight=W, confidence_level=0.8
    ),
    "threshold --k 50 --cluster g": lambda: point(Y, OLD, k=50, clusters=G),
    "threshold --cost 1 20 --prevalence .1": lambda: point(Y, OLD, cost=COST, prevalence=0.1),
    "threshold --threshold 1": lambda: point(Y, OLD, threshold=1),
    "threshold --precision 0.5 --guarantee 0.9": lambda: point(
        Y, OLD, precision=0.5, guarantee=0.9
    ),
    "segments --segment place --reference FR -m AP@k --k 5 --prevalence own": lambda: segments(
        Y, OLD, FRAME.place, reference="FR", definition=AtK(5), prevalence="own"
    ),
    "segments --segment day:month --reference previous --cluster g": lambda: segments(
        Y, OLD, DAY.astype("M8[M]"), reference="previous", clusters=G
    ),
    "tools --all --near 0.6 --k 5": lambda: compat.compare(Y, OLD, tools="all", near=0.6, k=5),
    "tools --query g --weight w": lambda: compat.compare(Y, OLD, queries=G, sample_weight=W),
    "explain ranx.map@k --k 3 --query g --versus pytrec_eval.map": lambda: compat.explain(
        Y, OLD, "ranx.map@k", k=3, queries=G, versus="pytrec_eval.map"
    ),
}


def in_words(command):
    name, *rest = command.split(" ")
    tool = [rest.pop(0)] if name == "explain" else []
    return [name, *tool, "rows.csv", *C.split(), *rest]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "command",
    ["score", "threshold --k 5", "segments --segment place", "report", "tools", "explain ranx.map"],
)
def test_no_flag_is_dropped_without_a_word(rows, command):
    typed = parse(in_words(command))
    read = set()

    class Recorded(argparse.Namespace):
        def __getattribute__(self, name):
            read.add(name)
            return super().__getattribute__(name)

    args = Recorded(**vars(typed))
    getattr(commands, f"answer_{typed.command}")(args, read_predictions(args))
    for names, _ in COMMANDS[typed.command].flags:
        name = next((each for each in names if each.startswith("--")), names[0])
        assert name.strip("-").replace("-", "_") in read


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("command", ANSWERS)
def test_a_command_answers_as_the_function_does(ask, rows, command):
    expected = ANSWERS[command]()
    words = in_words(command)
    (found,) = ask(*words, "--format", "json").json["results"]
    if command.startswith("threshold"):
        assert found.pop("model") == "old"
    assert found == expected.to_dict()  # to the last digit, also of counts
    assert str(expected) in ask(*words).out
    markdown = ask(*words, "--format", "markdown").out
    assert f"{expected.heading}\n\n{expected.to_table('markdown')}" in markdown
    assert all(each in re.sub(r"\\(.)", r"\1", markdown) for each in expected.sentences)


def test_all_definitions_are_one_table_with_the_usual_cells(ask, rows):
    said = ask(f"score rows.csv {C} --k 5")
    found = ask(f"score rows.csv {C} --k 5 --format json").json["results"]
    every = [each for each in conventions(5) if not each.hangs_on_one_row]
    assert [each["definition"] for each in found] == [repr(each) for each in every]
    for definition in every:
        expected = interval(Y, OLD, definition=definition)
        cell = expected.to_table("markdown").splitlines()[2].split(" | ")[1].removesuffix(" |")
        assert f"{definition.title:<25}{cell} " in said.out
    last = every[-1]
    table = said.out.partition("\n\nColumns not used")[0]
    assert table.splitlines()[-1].startswith(last.title)  # and no sentence about one of many


def test_several_models_have_one_threshold_each(ask, rows):
    words = f"threshold rows.csv {C} --score new --recall 0.5"
    found = ask(words, "--format", "json").json["results"]
    assert [each["model"] for each in found] == ["old", "new"]
    assert [each["threshold"] for each in found] == [
        point(Y, scores, recall=0.5).threshold for scores in (OLD, NEW)
    ]
    assert f"\nnew:\n{point(Y, NEW, recall=0.5)}" in ask(words).out


def test_names_above_thresholds_are_escaped_in_markdown(ask, write):
    path = write(FRAME.rename(columns={"old": "<b>", "new": "a|b"}).to_csv(index=False))
    words = f"threshold {path} --label y --score <b> --score a|b --recall 0.5"
    assert "\n\\<b>:\n" in ask(f"{words} --format markdown").out
    assert "\na|b:\n" in ask(words).out
    last = ask(f"score {path} --label y --score <b> --score a|b --require better --format markdown")
    assert r"a\|b" in last.out.splitlines()[-1]


def test_a_warning_that_several_definitions_have_is_said_once(ask, rows):
    said = ask(f"score {rows} {C} --cluster place --format json")
    texts = [each["text"] for each in said.json["warnings"]]
    assert texts
    assert len(texts) == len({*texts}) == said.err.count("\n")


def test_definitions_that_do_not_go_are_left_out_unless_they_are_named(ask, rows):
    said = ask(f"score rows.csv {C} --weight w --format json")
    left_out = "left out, because they do not go with these rows or options: expected AP, "
    assert left_out in said.err
    assert [each["text"].startswith(left_out) for each in said.json["warnings"]] == [True]
    said = ask.words("score", "rows.csv", *f"{C} --weight w --definition".split(), "expected AP")
    assert (said.status, said.out) == (2, "")
    assert "Expected() takes unweighted counts" in said.err


def test_a_margin_leaves_definitions_out_that_take_none(ask, rows):
    said = ask(f"score rows.csv {C} --score new --margin 0.1 --k 5 --format json")
    assert [each["definition"] for each in said.json["results"]] == ["Step()"]


def test_queries_without_positives_count_0_or_are_left_out(ask, write):
    rows = "".join(f"{y},{p},{q}\n" for y, p, q in ((1, 3, "a"), (0, 2, "a"), (0, 1, "b")))
    write(f"y,p,q\n{rows}")
    words = "score p.csv --label y --score p --query q --definition AP"
    for more, estimate, queries, n_left_out, note in (
        ("", 0.5, 2, 0, "1 query without positives: counted as 0."),
        (" --without-positives left-out", 1.0, 1, 1, "1 query without positives: left out."),
    ):
        found = ask(f"{words}{more} --format json").json
        assert found["results"][0]["rows"][0]["estimate"] == estimate
        assert (found["input"]["queries"], found["input"]["left_out_without_positives"]) == (
            queries,
            n_left_out,
        )
        assert note in ask(f"{words}{more}").out


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize("probability", ["equal", "q"])
@pytest.mark.parametrize("words", [("0", "1"), ("bad", "good")])
def test_few_labels_are_asked_as_in_python(ask, write, probability, words):
    rng = np.random.default_rng(0)
    known = rng.random(len(Y)) < 0.5
    cells = np.where(known, np.array(words)[Y], "")
    lines = (f"{y},{p},{0.5 if k else ''}\n" for y, p, k in zip(cells, OLD, known, strict=True))
    write("y,p,q\n" + "".join(lines))
    given = f"score p.csv --label y --score p --definition AP --positive {words[1]} --format json"
    found = ask(f"{given} --inclusion-probability {probability}").json
    chance = "equal" if probability == "equal" else np.where(known, 0.5, np.nan)
    expected = interval(np.where(known, Y, np.nan), OLD, inclusion_probability=chance)
    assert found["input"]["labelled"] == known.sum()
    (row,) = found["results"][0]["rows"]
    assert (row["low"], row["high"]) == (expected.low, expected.high)
    assert "column 'y' is empty" in ask(given).err


@pytest.mark.filterwarnings("ignore:(1 query|unequal judgements):UserWarning")
class TestTrec:
    @pytest.fixture(autouse=True)
    def files(self, write):
        write("1 0 a 2\n1 0 b 0\n2 0 a 1\n3 0 a 1\n", "q.txt")
        write("1 Q0 a 1 .5 x\n1 Q0 0 2 .5 x\n2 Q0 b 1 .8 x\n2 Q0 a 2 .7 x\n", "r.run")
        write("1 Q0 b 1 .9 x\n1 Q0 c 2 .8 x\n2 Q0 a 1 .8 x\n", "s.run")

    @pytest.mark.parametrize(
        ("flags", "options"),
        [
            ("", {}),
            ("-l 2", {"relevance_level": 2}),
            ("--judged-only", {"unjudged": "left out"}),
            ("-c", {"complete": True}),
            ("--ties trec_eval", {"ties": "trec_eval"}),
        ],
    )
    def test_runs_are_compared_as_in_python(self, ask, flags, options):
        runs = sklearn_ap.retrieval.from_runs("q.txt", ["r.run", "s.run"], **options)
        expected = compare(runs.y_true, runs.y_scores, queries=runs.queries, zero_division=0.0)
        said = ask(f"trec q.txt r.run s.run {flags} --definition map --format json")
        assert said.json["results"] == [expected.to_dict()]

    def test_without_definitions_those_of_trec_eval_are_asked(self, ask):
        found = ask("trec q.txt r.run --k 5 --format json").json["results"]
        every = "Step()", "AtK(k=5, normalizer='positives')", "PrecisionAtK(k=5)"
        assert [each["definition"] for each in found[:3]] == [*every]
        assert repr(definitions.ReciprocalRank()) in [each["definition"] for each in found]


def test_without_a_command_the_help_is_shown(ask):
    assert ask() == ask("--help")
    assert ask("example").out.count("\n") == 11
