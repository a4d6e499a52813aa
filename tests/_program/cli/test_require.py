"""Gates: the status, the last line and the JSON of --require, and the workflow of the page."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pages import DOCS, blocks, execute_blocks, numbers_in
from scipy.stats import norm

from sklearn_ap import average_precision_interval, compare_average_precision, operating_point
from sklearn_ap.__main__ import main
from sklearn_ap._program.cli import _scores
from sklearn_ap.definitions import AtK

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
PAGE_NAME = "command_line.md"
PAGE = (DOCS / PAGE_NAME).read_text()
N_ROWS = 1500


def make_rows():
    rng = np.random.default_rng(0)
    y = rng.random(N_ROWS) < 0.3
    shared = y + rng.normal(size=N_ROWS)
    old = shared + 0.4 * rng.normal(size=N_ROWS)
    return {
        "y": y.astype(int),
        "old": old,
        "new": old + y,  # better beyond doubt
        "twin": shared + 0.4 * rng.normal(size=N_ROWS),  # neither better nor worse
        "weight": rng.integers(1, 4, N_ROWS),
        "patient": rng.integers(0, 150, N_ROWS),
        "equal": np.ones(N_ROWS),
    }


ROWS = make_rows()
Y = ROWS["y"]


@pytest.fixture
def holdout(write):
    columns = np.column_stack([*ROWS.values()])
    lines = [",".join(f"{value:.17g}" for value in row) for row in columns.tolist()]
    return write("\n".join([",".join(ROWS), *lines]) + "\n")


@pytest.fixture
def gate(holdout, capsys):
    """The status and the standard output of a command about the rows."""

    def run(command, *arguments, models=("old",)):
        scores = [word for name in models for word in ("--score", name)]
        status = main([command, holdout, "--label", "y", *scores, *arguments])
        return status, capsys.readouterr().out

    return run


def last_line(answer):
    status, text = answer
    return status, text.rstrip("\n").rpartition("\n")[2]


@pytest.mark.parametrize("command", ["score", "compare"])
def test_better_model_passes_and_a_twin_does_not(gate, command):
    found = last_line(gate(command, "--require", "better", models=("old", "new")))
    assert found[0] == 0
    assert re.fullmatch(r"Shown: better\. new is better than old: \+.*\.", found[1])
    status, line = last_line(gate(command, "--require", "better", models=("old", "twin")))
    assert status == 3
    assert line.startswith("Not shown: better. No difference between twin and old is shown: ")
    assert line.endswith(" This does not show that twin is worse.")


def test_worse_model_is_called_worse(gate):
    status, line = last_line(gate("compare", "--require", "better", models=("new", "old")))
    assert status == 3
    assert line.startswith("Not shown: better. old is worse than new: -")
    assert "does not show" not in line


@pytest.mark.parametrize("margin", [0.001, 0.02, 0.04, 0.05, 0.1])
def test_not_worse_is_shown_where_its_lower_limit_is_above_minus_the_margin(gate, margin):
    scores = {name: ROWS[name] for name in ("old", "twin")}
    options = ["--require", "not-worse", "--margin", f"{margin}"]
    is_shown = compare_average_precision(Y, scores, margin=margin).notes["margin_low"][1] > -margin
    assert is_shown == (margin > 0.045)
    status, line = last_line(gate("compare", *options, models=scores))
    assert status == (0 if is_shown else 3)
    assert line.startswith("Shown: not-worse. " if is_shown else "Not shown: not-worse. ")


def test_every_model_but_the_first_must_be_better(gate):
    status, line = last_line(gate("score", "--require", "better", models=("old", "new", "twin")))
    assert status == 3
    assert "twin" in line
    assert "new" not in line  # what is shown says nothing of the failure


def test_models_are_compared_under_each_definition(gate):
    options = "--definition", "AP", "--definition", "precision@10", "--require", "better"
    status, line = last_line(gate("score", *options, models=("old", "new")))
    assert status == 3
    assert line.startswith("Not shown: better. precision@10: ")
    assert "step AP" not in line


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ([], {}),
        (["--weight", "weight"], {"sample_weight": ROWS["weight"]}),
        (["--cluster", "patient"], {"clusters": ROWS["patient"]}),
        (["--query", "patient", "--without-positives", "left-out"], {"queries": ROWS["patient"]}),
        (["--prevalence", "0.1"], {"prevalence": 0.1}),
        (["--confidence-level", "80%"], {"confidence_level": 0.8}),
        (["--tries", "5"], {"confidence_level": 0.99}),
        (["--inclusion-probability", "equal"], {"inclusion_probability": ROWS["equal"]}),
    ],
)
def test_score_is_shown_from_the_lower_limit_down(gate, options, arguments):
    keep = slice(None)
    if "queries" in arguments:  # those without positives are left out
        keep = np.isin(ROWS["patient"], ROWS["patient"][Y == 1])
        arguments = {"queries": ROWS["patient"][keep]}
    low = average_precision_interval(Y[keep], ROWS["old"][keep], **arguments).low
    for limit, expected in ((low - 1e-6, 0), (low + 1e-6, 3)):
        status, line = last_line(gate("score", *options, "--require", f"ap >= {limit:.9f}"))
        assert status == expected
        assert line.startswith(f"{'Not shown' if expected else 'Shown'}: ap >= {limit:.9f}. ")


def test_score_below_its_least_value_is_told_from_one_that_is_not_shown(gate):
    interval = average_precision_interval(Y, ROWS["old"])
    limits = f"95% interval {interval.low:.2f} to {interval.high:.2f}."
    for least, words in (
        (interval.high + 0.01, "is less than {}"),
        (interval.estimate, "is not shown to be {} or more, nor to be less"),
        (interval.low - 0.01, "is {} or more"),
    ):
        text = f"{least:.4f}"
        _, line = last_line(gate("score", "--require", f"average_precision >= {text}"))
        assert line.endswith(f"step AP {words.format(text)}: {limits}")


@pytest.mark.parametrize("distance", [1e-5, 1e-7])
def test_limit_near_the_least_value_has_the_digits_that_tell_them_apart(gate, distance):
    low = average_precision_interval(Y, ROWS["old"]).low
    for least in (low - distance, low + distance):
        text = f"{least:.9f}"
        status, line = last_line(gate("score", "--require", f"ap >= {text}"))
        claim, limits = line.split(": 95% interval ")
        assert text in claim
        printed = float(limits.split()[0])
        assert printed == pytest.approx(low, abs=1e-2)
        assert (printed >= float(text)) == (status == 0)


def test_least_value_is_printed_as_it_was_typed(gate):
    for text in ("10%", "0.10", ".1"):
        _, line = last_line(gate("score", "--require", f"ap>={text}"))
        assert line.startswith(f"Shown: ap>={text}. step AP is {text} or more: ")


SMALL_MARGIN = ["--require", "not-worse", "--margin", "0.001"]


def test_better_model_is_not_worse_by_any_margin(gate):
    status, line = last_line(gate("compare", *SMALL_MARGIN, models=("old", "new")))
    assert status == 0
    assert line.startswith("Shown: not-worse. new is better than old: +")


def test_a_margin_that_is_refused_is_left_out_unless_it_is_required(gate, capsys):
    refused = "--cluster", "patient", "--margin", "0.02"
    status, text = gate("score", *refused, "--definition", "AP", models=("old", "new"))
    assert status == 0
    said = " ".join(text.split())
    assert "--margin is for step average precision of rows, and means over queries." in said
    assert "Compared without it: step AP." in said
    with pytest.raises(SystemExit, match="2"):
        gate("score", *refused, "--require", "not-worse", models=("old", "new"))
    assert "margin is for step average precision" in capsys.readouterr().err


def test_a_model_that_is_worse_by_less_than_the_margin_passes(gate):
    options = "--require", "not-worse", "--margin", "0.35"
    status, line = last_line(gate("score", *options, models=("new", "old")))
    assert status == 0
    assert line.startswith("Shown: not-worse. old is worse than new, but not by 0.35 or more: -0.2")


@pytest.mark.parametrize("claim", [["better"], ["not-worse", "--margin", "0.05"]])
def test_score_beside_a_claim_must_be_shown_for_new_models_only(gate, claim):
    old, new = (average_precision_interval(Y, ROWS[name]) for name in ("old", "new"))
    assert old.low < new.low - 0.01
    required = ["--require", f"ap >= {new.low - 0.01:.3f}"]
    assert gate("score", *required, models=("old", "new"))[0] == 3
    status, line = last_line(gate("score", *required, "--require", *claim, models=("old", "new")))
    assert status == 0
    assert "step AP of new is " in line
    assert "step AP of old" not in line
    status, line = last_line(gate("score", *required, "--require", *claim, models=("new", "old")))
    assert status == 3
    assert "step AP of old is not shown" in line or "step AP of old is less" in line


def test_score_must_be_shown_for_every_model(gate):
    low = average_precision_interval(Y, ROWS["new"]).low
    status, line = last_line(
        gate("score", "--require", f"ap>={low - 0.01:.3f}", models=("new", "old"))
    )
    assert status == 3
    assert "step AP of old" in line
    assert "step AP of new" not in line


def test_all_requirements_must_be_shown_and_the_failed_stand_first(gate):
    options = "--require", "ap >= 0.1", "--require", "AP@5 >= 99%"
    status, line = last_line(gate("score", *options))
    assert status == 3
    assert re.fullmatch(
        r"Not shown: AP@5 >= 99%\. AP@5 .*\. Shown: ap >= 0\.1\. step AP .*\.", line
    )


def test_only_what_is_asked_for_and_required_is_printed(gate):
    def titles(*options):
        return [row["title"] for row in json.loads(gate("score", *options)[1])["results"]]

    wanted = "--require", "AP@5 >= 0.1", "--format", "json"
    assert titles(*wanted) == ["AP@5"]
    assert titles("--definition", "recall@10", *wanted) == ["recall@10", "AP@5"]
    assert titles("--definition", "AP@5", *wanted) == ["AP@5"]


def test_json_says_what_is_required_and_shown(gate):
    options = "--require", "better", "--require", "ap >= 0.1", "--format", "json"
    for models, is_better in ((("old", "new"), True), (("old", "twin"), False)):
        status, text = gate("compare", *options, models=models)
        answer = json.loads(text)
        assert status == (0 if is_better else 3)
        assert answer["shown"] is is_better
        required = answer["required"]
        assert [each["requirement"] for each in required] == ["better", "ap >= 0.1"]
        assert [each["shown"] for each in required] == [is_better, True]
        assert models[1] in required[0]["reason"]
    assert not {"required", "shown"} & json.loads(gate("score", "--format", "json")[1]).keys()


def test_markdown_ends_with_the_same_line(gate):
    options = "--require", "ap >= 0.1"
    markdown = gate("score", *options, "--format", "markdown")
    assert last_line(markdown) == last_line(gate("score", *options))
    assert "|\n\nShown: " in markdown[1]


def test_threshold_passes_with_a_guarantee_only(gate):
    options = "--precision", "0.6", "--guarantee", "0.9", "--require"
    expected = operating_point(Y, ROWS["new"], precision=0.6, guarantee=0.9)
    claim = "precision >= 0.6 with 90% confidence"
    line = f"Shown: {claim}. The threshold is {expected.threshold}."
    assert last_line(gate("threshold", *options, models=("new",))) == (0, line)
    status, line = last_line(gate("threshold", "--recall", "0.9999", *options[2:]))
    assert status == 3
    assert line.startswith("Not shown: recall >= 0.9999 with 90% confidence. ")
    status, line = last_line(gate("threshold", *options, models=("new", "equal")))
    assert status == 3
    assert line.startswith(f"Not shown: {claim}. equal: There is no threshold ")


def test_tries_divide_the_error_of_a_guarantee(gate):
    options = "--precision", "0.6", "--guarantee", "0.9", "--require", "--tries", "4"
    _, line = last_line(gate("threshold", *options, models=("new",)))
    expected = operating_point(Y, ROWS["new"], precision=0.6, guarantee=0.975)
    claim = "precision >= 0.6 with 97.5% confidence"
    assert line == f"Shown: {claim}. The threshold is {expected.threshold}."


def test_tries_divide_the_error_of_a_comparison(gate):
    scores = {name: ROWS[name] for name in ("old", "twin")}
    options = "--require", "not-worse", "--margin", "0.05"
    for tries in (1, 2, 4, 8, 1000):
        level = 1 - 0.05 / tries
        found = compare_average_precision(Y, scores, margin=0.05, confidence_level=level)
        status = 0 if found.verdict[-1] == "not worse" else 3
        assert gate("compare", *options, "--tries", f"{tries}", models=scores)[0] == status
    assert status == 3


def test_required_interval_is_never_left_out(gate, monkeypatch):
    monkeypatch.setattr(_scores, "MOST_RESAMPLED_ROWS", 10)
    options = "--weight", "weight", "--definition", "AP@5", "--format", "json"
    (row,) = json.loads(gate("score", *options)[1])["results"]
    assert row["low"] is None
    (row,) = json.loads(gate("score", *options, "--require", "AP@5 >= 0.1")[1])["results"]
    interval = average_precision_interval(
        Y, ROWS["old"], definition=AtK(5), sample_weight=ROWS["weight"]
    )
    assert row["low"] == pytest.approx(interval.low)


def test_retrieval_runs_pass_by_queries(write, capsys):
    qrels = write("".join(f"{q} 0 d{d} {int(d == 0)}\n" for q in range(30) for d in range(4)), "q")
    good = "".join(f"{q} Q0 d{d} 1 {9 - d} x\n" for q in range(30) for d in range(4))
    poor = "".join(f"{q} Q0 d{d} 1 {(d + q) % 4} x\n" for q in range(30) for d in range(4))
    files = [qrels, write(poor, "poor.run"), write(good, "good.run")]
    assert main(["trec", *files, "--require", "better"]) == 0
    assert main(["trec", *files, "--require", "map >= 0.9", "--definition", "map"]) == 3
    assert main(["trec", *files[:1], *files[2:], "--require", "P_1 >= 0.8"]) == 0
    assert "Shown: P_1 >= 0.8. precision@1 is 0.8 or more: 95% " in capsys.readouterr().out


TWO = ["--score", "twin"]
IN_QUOTES = 'must be better, not-worse, or in quotes a score and its least value, such as "ap >= 0'


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        ("score", ["--require", "better"], "--require better compares models, but there is one: "),
        ("score", ["--require", "not-worse", "--margin", ".1"], "--require not-worse compares mod"),
        (
            "compare",
            ["--require", "better"],
            "--tries of compare are about several models: pass -",
        ),
        ("compare", ["--tries", "2"], "--tries of compare are about several models: pass --scor"),
        ("score", [*TWO, "--require", "not-worse"], "--require not-worse needs --margin, the loss"),
        (
            "score",
            [*TWO, "--require", "better", "--margin", ".1"],
            "--margin goes with --require n",
        ),
        *(
            (
                "compare",
                [*TWO, "--margin", margin],
                f"--margin: must lie within (0, 1), got '{margin}'",
            )
            for margin in ("0", "1", "1.5", "150%", "nan")
        ),
        ("score", ["--tries", "3"], "--tries divides the error of --require: pass --require, too"),
        ("threshold", ["--k", "3", "--tries", "3"], "--tries divides the error of --require: pass"),
        ("score", ["--require", "ap >= .1", "--tries", "0"], "--tries: must be a whole number of"),
        ("score", ["--require", "ap >= .1", "--tries", "2.5"], "--tries: must be a whole number"),
        *(
            ("score", ["--require", text], f"--require: {IN_QUOTES}")
            for text in ("ap > 0.4", "ap", "worse", ">= 0.4", "ap >=", "ap => 0.4", "ap = 0.4", "")
        ),
        (
            "score",
            ["--require", "ap >= 1"],
            "the least value must lie within (0, 1), got 'ap >= 1'",
        ),
        (
            "score",
            ["--require", "ap >= 0"],
            "the least value must lie within (0, 1), got 'ap >= 0'",
        ),
        ("score", ["--require", "ap >= nan"], "the least value must lie within (0, 1), got 'ap >"),
        ("score", ["--require", "ap >= high"], "must be a share, such as 0.05 or 5%, got 'high'"),
        ("score", ["--require", "app >= 0.4"], "There is no definition 'app'. There are: "),
        (
            "score",
            ["--require", "AP@5 >= .4", "--prevalence", ".1"],
            "pass --weight in place of it",
        ),
        ("score", ["--require", "ap >= .4", "--confidence-level", "1"], "-level must lie within"),
        (
            "threshold",
            ["--precision", ".5", "--require"],
            "--require needs --guarantee, such as --g",
        ),
        (
            "threshold",
            ["--k", "3", "--guarantee", ".9", "--require"],
            "--guarantee does not go with",
        ),
    ],
)
def test_contradictions_are_refused(holdout, refuse, command, options, message):
    assert message in refuse(command, holdout, "--label", "y", "--score", "old", *options)


def test_undefined_scores_have_status_1_and_are_not_shown(write, capsys):
    path = write("y,p\n0,1\n0,2\n")
    assert main(["score", path, "--label", "y", "--score", "p", "--require", "ap >= 0.4"]) == 1
    printed = capsys.readouterr()
    assert printed.out.endswith("Not shown: ap >= 0.4. step AP has no interval.\n")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a closed pipe is another error there")
def test_closed_pipe_does_not_open_a_gate(holdout):
    """As in ``set -o pipefail`` and ``| head -n 1``."""
    reader, writer = os.pipe()
    os.close(reader)
    options = ["--label", "y", "--score", "old", "--require", "ap >= 0.99"]
    command = [sys.executable, "-m", "sklearn_ap", "score", holdout, *options]
    run = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (run.returncode, b"Traceback" in run.stderr) == (3, False)


# What the page says


def of_population(distance, prevalence=0.1):
    """Average precision of two normal distributions with this distance, by integration."""
    threshold = np.linspace(-8, 12, 200_001)
    recall, false = norm.sf(threshold - distance), norm.sf(threshold)
    precision = prevalence * recall / (prevalence * recall + (1 - prevalence) * false)
    return -np.trapezoid(precision, recall)


def test_page_knows_the_truth_of_its_rows():
    said = numbers_in(PAGE_NAME, r"rows is ([\d.]+) for `pinned` and for `twin`, and ([\d.]+)")
    assert said == [round(of_population(distance), 3) for distance in (1.5, 1.8)]
    assert "score(1.5)" in PAGE
    assert "score(1.8)" in PAGE
    # What the gates of the page show is true: twin is no better, and not worse by 0.05.
    (least,) = numbers_in(PAGE_NAME, r"Shown: ap >= ([\d.]+)\. step AP")
    assert least <= of_population(1.8)
    least, threshold = numbers_in(
        PAGE_NAME,
        r"Shown: precision >= ([\d.]+) with 95% confidence\. The threshold is ([\d.]+)\.",
    )
    hits, false = 0.1 * norm.sf(threshold - 1.8), 0.9 * norm.sf(threshold)
    assert least <= hits / (hits + false)


def test_page_counts_the_errors_of_ten_tries():
    tries, passed, error = numbers_in(
        PAGE_NAME,
        r"of (\d+) independent tries that are no better, one or more pass in "
        r"(\d+) of 100 cases.*? all tries together err in at most ([\d.]+) of 100",
    )
    assert passed == round(100 * (1 - (1 - 0.025) ** tries))
    assert 100 * (1 - (1 - 0.025 / tries) ** tries) <= error == 2.5


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """Run lines in a shell where the commands are those of this checkout, and pip does nothing."""
    programs = {"sklearn-ap": f'"{sys.executable}" -m sklearn_ap "$@"', "pip": ":"}
    programs["python"] = f'"{sys.executable}" "$@"'
    for name, body in programs.items():
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
    (tmp_path / "fraud").mkdir()
    paths = os.environ["PATH"], os.environ.get("PYTHONPATH", "")
    root = Path(__file__).parents[3]
    names = os.environ | {
        "PATH": f"{tmp_path / 'bin'}{os.pathsep}{paths[0]}",
        "PYTHONPATH": f"{root}{os.pathsep}{paths[1]}",
        "HOME": str(tmp_path),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }

    def run(line, *program):
        command = [*(program or ("bash", "-e", "-c")), line]
        options = {"cwd": tmp_path / "fraud", "env": names, "capture_output": True, "text": True}
        done = subprocess.run(command, **options, check=False)
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout

    monkeypatch.chdir(tmp_path / "fraud")
    return run


@pytest.mark.skipif(sys.platform == "win32", reason="the page shows commands of a Unix shell")
def test_steps_of_the_workflow_run_and_stop_a_release(shell, tmp_path):
    (code,) = blocks(PAGE_NAME, under="Gates in CI")
    (workflow,) = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.M | re.S)
    steps = re.findall(r"^ +- run: (?:>\n((?: {10}.*\n)+)|(.*)\n)", workflow, re.M)
    lines = [" ".join((folded or plain).split()) for folded, plain in steps]
    assert [line.split()[0] for line in lines] == ["pip", "python", "sklearn-ap"]
    Path("score_holdout.py").write_text(code)
    assert [shell(line) for line in lines] == [(0, "")] * 3
    summary = (tmp_path / "summary.md").read_text()
    assert "\n| step AP | Step() | pinned | 0.4605 " in summary
    assert summary.rpartition("\n\n")[2].startswith("Shown: not-worse. ")
    too_much = lines[-1].replace("ap >= 0.4", "ap >= 0.6")
    assert shell(too_much) == (3, "")
    summary = (tmp_path / "summary.md").read_text()
    assert summary.rpartition("\n\n")[2].startswith("Not shown: ap >= 0.6. step AP of new ")


@pytest.mark.skipif(sys.platform == "win32", reason="the page shows commands of a Unix shell")
def test_line_of_cron_prints_only_what_is_not_shown(shell):
    (line,) = re.findall(r"^0 6 \* \* 1  (.*)$", PAGE, re.M)
    (script,) = re.findall(r"^```sh\n(cd .*?)^```", PAGE, re.M | re.S)
    execute_blocks(PAGE_NAME, "Gates in CI")
    assert "%" not in line  # which ends a line of cron

    def mail(changed_script):
        Path("gate.sh").write_text(changed_script)
        return shell(line, "sh", "-c")[1]

    assert not mail(script)
    assert "\nNot shown: ap >= 0.6. " in mail(script.replace(">= 0.5", ">= 0.6"))
    assert "no.csv" in mail(script.replace("holdout.csv", "no.csv"))


# ---- segments


@pytest.fixture
def months(write):
    """The last of six months is worse for the model "new", and no country is."""
    rng = np.random.default_rng(1)
    month = np.repeat([f"2026-{i:02d}" for i in range(5, 11)], 500)
    y = (rng.random(3000) < 0.2).astype(int)
    country = rng.choice(["DE", "FR"], 3000)
    old, new = 1.5 * y + rng.normal(size=(2, 3000))
    new -= 1.5 * y * (month == "2026-10")
    rows = zip(y, old, new, month, country, strict=True)
    return write("\n".join(["y,old,new,month,country", *(",".join(map(str, row)) for row in rows)]))


def require_of_segments(path, capsys, *arguments):
    status = main(["segments", path, "--label", "y", *arguments])
    return status, capsys.readouterr().out


@pytest.mark.parametrize("claim", ["none-worse", "latest-not-worse"])
def test_a_segment_that_is_shown_to_be_worse_ends_with_status_3(months, capsys, claim):
    month = "--segment", "month", "--require", claim
    status, printed = require_of_segments(months, capsys, "--score", "new", *month)
    last = printed.splitlines()[-1]
    assert status == 3
    assert last.startswith(f"Not shown: {claim}. 2026-10 is worse than the others: -")
    status, printed = require_of_segments(months, capsys, "--score", "old", *month)
    assert status == 0
    assert printed.splitlines()[-1].startswith(f"Shown: {claim}. ")


def test_the_json_of_segments_has_what_is_required(months, capsys):
    asked = "--segment", "month", "--require", "latest-not-worse", "--format", "json"
    models = "--score", "old", "--score", "new"
    status, printed = require_of_segments(months, capsys, *models, *asked)
    found = json.loads(printed)
    assert (status, found["shown"]) == (3, False)
    (required,) = found["required"]
    assert required["requirement"] == "latest-not-worse"
    assert required["reason"].startswith("new: 2026-10 is worse")  # the model that fails


def test_the_latest_segment_must_be_a_time(months, capsys):
    asked = "--score", "new", "--segment", "country", "--require", "latest-not-worse"
    with pytest.raises(SystemExit) as ended:
        require_of_segments(months, capsys, *asked)
    assert ended.value.code == 2
    assert "--require none-worse" in capsys.readouterr().err
