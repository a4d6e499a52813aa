"""Scores from few labels."""

import json
import re

import numpy as np
import pytest

import sklearn_ap
from sklearn_ap.__main__ import main

N = 2_000
COLUMNS = ("--label", "y", "--score", "p", "--definition", "AP")
CHANCES = ("--inclusion-probability", "q")
LEFT_OUT = ("--without-positives", "left-out")
SCORE = ("score", *COLUMNS)


@pytest.fixture(scope="module")
def sample():
    """Rows of which 200 have labels."""
    rng = np.random.default_rng(0)
    truth = rng.random(N) < 0.3
    score, old = (truth + rng.normal(size=N) * scale for scale in (1, 2))
    plan = sklearn_ap.rows_to_label(score, 200)
    y_true = np.full(N, np.nan)
    y_true[plan.rows] = truth[plan.rows]
    chance = np.where(np.isnan(y_true), np.nan, plan.inclusion_probability)
    return {"y": y_true, "p": score, "old": old, "q": chance}


def text_of(sample, words=None, unknown=""):
    """A file whose labels are numbers, or one of two words."""

    def cell(name, value):
        if value != value:
            return unknown
        return words[int(value)] if words and name == "y" else str(value)

    rows = zip(*sample.values(), strict=True)
    lines = [",".join(map(cell, sample, row)) for row in rows]
    return "\n".join([",".join(sample), *lines, ""])


class TestScore:
    @pytest.mark.parametrize("words", [None, ("no", "yes"), ("yes", "no"), ("bad", "good")])
    @pytest.mark.parametrize("unknown", ["", "NA"])
    def test_score_from_few_labels_equals_python(self, capsys, write, sample, words, unknown):
        chosen = [*CHANCES] if words is None else [*CHANCES, "--positive", words[1]]
        path = write(text_of(sample, words, unknown))
        assert main(["score", path, *COLUMNS, *chosen, "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)
        expected = sklearn_ap.average_precision_interval(
            sample["y"], sample["p"], inclusion_probability=sample["q"]
        )
        assert (found["rows"], found["labelled"], found["positives"]) == (N, 200, 86)
        row = found["results"][0]
        limits = expected.estimate, expected.low, expected.high
        assert (row["value"], row["low"], row["high"]) == pytest.approx(limits, rel=1e-12)
        assert row["n_equivalent"] == pytest.approx(expected.notes["worth_of_labels"])
        assert row["judge_regression_weight"] is None

    def test_printed_text_shows_label_efficiency(self, say, write, sample):
        path = write(text_of(sample))
        printed = say("score", path, *COLUMNS[:4], *CHANCES)
        assert printed.startswith("2,000 rows, 86 positive of 200 labelled. The positive label is")
        said = " ".join(printed.split())
        assert re.search(
            r" 0\.\d+ \(\S+ to \S+\) step AP, as precise as \d+ labels drawn at random ", said
        )
        assert "Left out: AP@10, AP@10 over positives, AP@10 over hits, " in said
        assert said.count("The definition has no influence by row") == 1
        assert ", recall@10." in said
        assert said.count("recall at precision 0.9.") == 1
        models = {name: sample[name] for name in ("old", "p")}
        expected = sklearn_ap.compare_average_precision(
            sample["y"], models, inclusion_probability=sample["q"]
        )
        two = ("--label", "y", "--score", "old", "--score", "p", *CHANCES)
        assert f"\n{expected}\n" in say("compare", path, *two)

    def test_score_from_wholly_labelled_queries_equals_python(self, say, write, sample):
        query = np.arange(N) // 20
        y = np.where(query % 4 == 0, sample["p"] > 0.5, np.nan)
        path = write(text_of({"y": y, "p": sample["p"], "g": query}))
        chosen = ("--definition", "AP@5", "--query", "g", "--inclusion-probability", "equal")
        found = json.loads(say("score", path, *COLUMNS[:4], *chosen, "--format", "json"))
        options = {"queries": query, "inclusion_probability": "equal", "zero_division": 0.0}
        at_5 = sklearn_ap.definitions.AtK(5)
        expected = sklearn_ap.average_precision_interval(y, sample["p"], definition=at_5, **options)
        row = found["results"][0]
        assert (row["value"], row["low"]) == pytest.approx((expected.estimate, expected.low))
        assert [found[name] for name in ("labelled", "queries")] == [500, 100]


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        (SCORE, [], "row 3, column 'y' is empty"),
        (SCORE, [*CHANCES[:1], "words"], "row 2, column 'words': 'a' is not a number"),
        (SCORE, [*CHANCES[:1], "p"], "--inclusion-probability must be above 0"),
        (SCORE, [*CHANCES, "--query", "p", *LEFT_OUT], "--without-positives left-out needs"),
    ],
)
def test_invalid_options_of_few_labels_are_refused(
    refuse, write, sample, command, options, message
):
    path = write(text_of(sample | {"words": ["a"] * N}))
    assert (
        refuse(command[0], path, *command[1:], *options)
        .removeprefix(f"{path}: ")
        .startswith(message)
    )
