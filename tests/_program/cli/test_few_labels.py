"""sklearn-ap label, and scores from few labels."""

import csv
import json
import re

import numpy as np
import pytest

import sklearn_ap
from sklearn_ap.__main__ import main
from sklearn_ap.definitions import PrecisionAtK

N = 2_000
COLUMNS = ("--label", "y", "--score", "p", "--definition", "AP")
CHANCES = ("--inclusion-probability", "q")
TWENTY = ("--score", "p", "--n", "20")
LEFT_OUT = ("--without-positives", "left-out")
LABEL, SCORE = ("label", *TWENTY), ("score", *COLUMNS)


@pytest.fixture(scope="module")
def sample():
    """Rows of which 200 have labels, and what a judge says of all."""
    rng = np.random.default_rng(0)
    truth = rng.random(N) < 0.3
    score, old = (truth + rng.normal(size=N) * scale for scale in (1, 2))
    plan = sklearn_ap.rows_to_label(score, 200)
    y_true = np.full(N, np.nan)
    y_true[plan.rows] = truth[plan.rows]
    judge = np.where(rng.random(N) < 0.9, truth, ~truth)
    chance = np.where(np.isnan(y_true), np.nan, plan.inclusion_probability)
    return {"y": y_true, "p": score, "old": old, "q": chance, "j": judge.astype(int)}


def text_of(sample, words=None, unknown=""):
    """A file whose labels and judgements are numbers, or one of two words."""

    def cell(name, value):
        if value != value:
            return unknown
        return words[int(value)] if words and name in "yj" else str(value)

    rows = zip(*sample.values(), strict=True)
    lines = [",".join(map(cell, sample, row)) for row in rows]
    return "\n".join([",".join(sample), *lines, ""])


class TestLabel:
    @pytest.mark.parametrize(("guess", "told"), [("j", "j"), ("1%", 0.01), ("0.01", 0.01)])
    def test_label_prints_the_rows_and_inclusion_probabilities_of_python(
        self, say, write, sample, tmp_path, guess, told
    ):
        path, file = write(text_of(sample)), tmp_path / "to label.csv"
        options = (*TWENTY, "--guess", guess, "--id", "p", "--seed", "3", "--label", "y")
        printed = say("label", path, *options)
        plan = sklearn_ap.rows_to_label(sample["p"], 20, guess=sample.get(told, told), rng=3)
        rows, chosen = [*csv.DictReader(printed.splitlines())], plan.rows
        columns = [chosen + 2, sample["p"][chosen], plan.inclusion_probability[chosen]]
        assert [*rows[0]] == ["line", "p", "inclusion_probability", "y"]
        assert {row.pop("y") for row in rows} == {""}
        assert [[*map(float, row.values())] for row in rows] == np.transpose(columns).tolist()
        said = say("label", path, *options, "--output", str(file))
        assert said == f"20 rows to label are in {file}\n"
        assert file.read_bytes() == printed.encode()

    def test_labelled_rows_are_left_out_and_rows_of_several_files_are_named(
        self, say, write, sample
    ):
        texts = {"a.csv": text_of(sample), "b.csv": text_of(sample, unknown="NA")}  # as R has it
        paths = [write(text, name) for name, text in texts.items()]
        options = ("--score", "p", "--n", "300", "--label", "y", "--exclude-labelled")
        rows = [*csv.DictReader(say("label", *paths, *options).splitlines())]
        names = [row["line"].rpartition(": ") for row in rows]
        assert {path for path, _, _ in names} == {*paths}
        assert np.isnan(sample["y"][[int(number) - 2 for _, _, number in names]]).all()

    def test_ids_that_spreadsheets_take_for_formulas_raise_a_warning(self, capsys, write):
        """An id that was changed by a spreadsheet would not find its row again."""
        ids = ["=1+1", "+49 170", "-x", "-1-1", "-007", "@a", "=1+1", "+5"]
        harmless = ["a=b", "-5", "-0.25", "-1e-05", "1-1", "x@y", "'=1"]
        arguments = ("--score", "p", "--id", "the id", "--id", "p")

        def warning(names):
            lines = [f"{name},{-i}.5" for i, name in enumerate(names, 1)]
            path = write("\n".join(["the id,p", *lines, ""]))
            assert main(["label", path, *arguments, "--n", str(len(names))]) == 0
            printed = capsys.readouterr()
            assert [row["the id"] for row in csv.DictReader(printed.out.splitlines())] == names
            return " ".join(printed.err.split())

        said = warning(ids)
        assert said.count("warning") == 1
        assert "cells of column 'the id' that begin with =, +, - or @ for formulas: " in said
        assert "'=1+1', '+49 170', '-x' and 4 more. Import the column as text" in said
        for name in set(ids):
            assert repr(name) in warning([*harmless, name])
        assert not warning(harmless)
        assert r"'=a\u202e'" in warning(["a", "=a\u202e"])

    def test_single_rows_of_queries_are_chosen_and_scored_for_two_models(
        self, capsys, say, refuse, write, sample
    ):
        """Chosen as in Python, and scored from labels of these rows alone."""
        query, definition = np.repeat(np.arange(N // 40), 40), PrecisionAtK(5)
        columns = sample | {"g": query}
        path = write(text_of(columns))
        options = ("--query", "g", "--definition", "precision@5", "--n", "120")
        both = ("--score", "p", "--score", "old")
        rows = [*csv.DictReader(say("label", path, *both, *options, "--id", "g").splitlines())]
        models = {"p": sample["p"], "old": sample["old"]}
        plan = sklearn_ap.rows_to_label(models, 120, queries=query, definition=definition)
        assert [int(row["line"]) - 2 for row in rows] == plan.rows.tolist()
        assert [int(row["g"]) for row in rows] == query[plan.rows].tolist()
        chance = [float(row["inclusion_probability"]) for row in rows]
        assert chance == plan.inclusion_probability[plan.rows].tolist()

        y = np.full(N, np.nan)
        y[plan.rows] = sample["j"][plan.rows]
        path = write(text_of(columns | {"y": y, "q": plan.inclusion_probability}))
        asked = (*COLUMNS[:4], *CHANCES, *options[:4], "--format", "json")
        assert main(["score", path, *asked]) == 0
        (row,) = json.loads(capsys.readouterr().out)["results"]
        expected = sklearn_ap.average_precision_interval(
            y,
            sample["p"],
            queries=query,
            definition=definition,
            inclusion_probability=plan.inclusion_probability,
        )
        found = row["value"], row["low"], row["high"]
        assert found == pytest.approx((expected.estimate, expected.low, expected.high), rel=1e-12)

        said = refuse("label", path, *both, "--n", "120", "--query", "g")
        assert said == "--query needs --definition, such as precision@10"
        said = refuse("label", path, *TWENTY, *options[2:4])
        assert said == "--definition needs --query, whose single rows are chosen"
        said = refuse("label", path, *TWENTY, "--query", "g", "--definition", "AP")
        assert "labels of single rows are enough for PrecisionAtK(k)" in said


class TestScore:
    @pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")  # without chances
    @pytest.mark.parametrize("how", ["judge", "chances", "both"])
    @pytest.mark.parametrize("words", [None, ("no", "yes"), ("yes", "no"), ("bad", "good")])
    @pytest.mark.parametrize("unknown", ["", "NA"])
    def test_score_from_few_labels_equals_python(self, capsys, write, sample, how, words, unknown):
        options, chosen = {}, [] if words is None else ["--positive", words[1]]
        if how != "judge":
            options["inclusion_probability"] = sample["q"]
            chosen += CHANCES
        if how != "chances":
            options["judge"] = sample["j"]
            chosen += ["--judge", "j"]
        path = write(text_of(sample, words, unknown))
        assert main(["score", path, *COLUMNS, *chosen, "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)
        expected = sklearn_ap.average_precision_interval(sample["y"], sample["p"], **options)
        assert (found["rows"], found["labelled"], found["positives"]) == (N, 200, 86)
        row, of_labels = found["results"][0], expected.labels
        limits = expected.estimate, expected.low, expected.high
        assert (row["value"], row["low"], row["high"]) == pytest.approx(limits, rel=1e-12)
        assert row["n_equivalent"] == pytest.approx(of_labels.n_equivalent)
        assert (row["judge_regression_weight"] is None) == np.isnan(
            of_labels.judge_regression_weight
        )

    def test_printed_text_shows_label_efficiency_and_the_judge(self, say, write, sample):
        path = write(text_of(sample))
        printed = say("score", path, *COLUMNS, *CHANCES, "--judge", "j")
        shown = r"step AP, as precise as \d+ labels drawn at random judge: sensitivity "
        shown += r"0\.\d\d \[\S+ \S+\], specificity .*, kappa 0\.\d\d at \d\d% positives$"
        assert re.search(shown, " ".join(printed.split()))
        printed = say("score", path, *COLUMNS[:4], *CHANCES, "--judge", "j")
        assert printed.count("judge: sensitivity") == 1  # for all definitions
        printed = say("score", path, *COLUMNS[:4], *CHANCES)
        assert printed.startswith("2,000 rows, 86 positive of 200 labelled. The positive label is")
        said = " ".join(printed.split())
        assert re.search(
            r" 0\.\d+ \[\S+ \S+\] step AP, as precise as \d+ labels drawn at random, "
            r"an interval of \+-0\.05 would take about \d+ labels, "
            r"not counting rows of probability 1 ",
            said,
        )
        assert "Left out: AP@10, AP@10 over positives, AP@10 over hits, " in said
        assert said.count("The definition has no influence by row") == 1
        models = {name: sample[name] for name in ("old", "p")}
        options = {"inclusion_probability": sample["q"], "judge": sample["j"]}
        expected = sklearn_ap.compare_average_precision(sample["y"], models, **options)
        two = ("--label", "y", "--score", "old", "--score", "p", *CHANCES, "--judge", "j")
        assert f"\n{expected}\n" in say("compare", path, *two)

    def test_score_from_wholly_labelled_queries_equals_python(self, say, write, sample):
        query = np.arange(N) // 20
        y = np.where(query % 4 == 0, sample["j"], np.nan)
        path = write(text_of({"y": y, "p": sample["p"], "j": sample["j"], "g": query}))
        chosen = ("--definition", "AP@5", "--query", "g", "--judge", "j")
        found = json.loads(say("score", path, *COLUMNS[:4], *chosen, "--format", "json"))
        options = {"queries": query, "judge": sample["j"], "zero_division": 0.0}
        at_5 = sklearn_ap.definitions.AtK(5)
        expected = sklearn_ap.average_precision_interval(y, sample["p"], definition=at_5, **options)
        row, counts = found["results"][0], ("labelled", "queries", "queries_that_count_0")
        assert (row["value"], row["low"]) == pytest.approx((expected.estimate, expected.low))
        assert [found[name] for name in counts] == [500, 100, 1]


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        (LABEL, ["--exclude-labelled"], "--exclude-labelled needs --label, the column of labels"),
        (LABEL, ["--n", "3000"], "--n must be at most the number of rows, 2000 without"),
        (LABEL, ["--guess", "p"], "--guess must hold probabilities from 0 to 1"),
        (LABEL, ["--guess", "y"], "row 3, column 'y' is empty"),
        *(
            (LABEL, options, f"the answer would have two columns {twice!r}: --id and --label must")
            for twice, options in {
                "line": ["--id", "line"],
                "inclusion_probability": ["--label", "inclusion_probability"],
                "q": ["--id", "q", "--label", "q"],
                "p": ["--id", "p", "--id", "p"],
            }.items()
        ),
        (LABEL, ["--seed", "-1"], "--seed must be a seed"),
        (LABEL, ["--score", "j"], "pass --score once: rows are chosen by one column."),
        (LABEL, ["--output", "nowhere/x.csv"], "nowhere/x.csv: No such file or directory"),
        (SCORE, [], "row 3, column 'y' is empty; if some rows have no label, use score with"),
        (SCORE, ["--judge", "words"], "column 'words' holds neither numbers nor the label '1.0'"),
        (SCORE, ["--judge", "p"], "--judge must hold labels like those of"),
        (SCORE, [*CHANCES[:1], "words"], "row 2, column 'words': 'a' is not a number"),
        (SCORE, [*CHANCES[:1], "p"], "--inclusion-probability must be above 0"),
        (SCORE, [*CHANCES, "--query", "j", *LEFT_OUT], "--without-positives left-out needs"),
    ],
)
def test_invalid_options_of_few_labels_are_refused(
    refuse, write, sample, command, options, message
):
    path = write(text_of(sample | {"words": ["a"] * N}))
    assert refuse(command[0], path, *command[1:], *options).startswith(message)


class TestSingleRows:
    @pytest.fixture
    def text(self, sample):
        """The same rows in queries of 20, of which single ones have labels."""
        return text_of({"query": np.arange(N) // 20, **sample})

    def test_precision_at_k_of_queries_equals_python(self, say, write, sample, text):
        asked = ("--label", "y", "--score", "p", "--query", "query", "--judge", "j")
        printed = say(
            "score", write(text), *asked, *CHANCES, "--definition", "P@5", "--format", "json"
        )
        (row,) = json.loads(printed)["results"]
        found = sklearn_ap.average_precision_interval(
            sample["y"],
            sample["p"],
            queries=np.arange(N) // 20,
            judge=sample["j"],
            inclusion_probability=sample["q"],
            definition=sklearn_ap.definitions.PrecisionAtK(5),
        )
        assert (row["value"], row["low"]) == (found.estimate, found.low)
        assert "without positives" not in say("score", write(text), *asked, *CHANCES)

    def test_other_definitions_are_left_out(self, say, write, text):
        printed = say(
            "score", write(text), "--label", "y", "--score", "p", "--query", "query", *CHANCES
        )
        assert "precision@10" in printed
        assert re.search(r"Left\s+out: step AP", printed)
