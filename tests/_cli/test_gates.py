"""Gates: the status, the last line and the JSON of --require, and what of numbers they read."""

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_interval,
    compare_average_precision,
    compare_segments,
    operating_point,
)
from tests.helpers.cli_rows import FRAME

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
Y = FRAME.y.to_numpy()
MODELS = "old", "new"


@pytest.fixture
def gate(ask, rows):
    """A command about models of the rows; what is required stands apart, as it has spaces."""

    def run(flags, *required, models="old", command="score"):
        scores = [word for name in models.split() for word in ("--score", name)]
        asked = [word for each in required for word in ("--require", each)]
        words = [command, rows, "--label", "y", *scores, *flags.split()]
        return ask.words(*words, *asked)

    return run


def test_a_better_model_passes_and_a_twin_does_not(gate):
    said = gate("", "better", models="old new")
    comparison = compare_average_precision(Y, FRAME[["old", "new"]])
    assert (said.status, said.last) == (0, f"Shown: better. {comparison.sentences[0]}")
    said = gate("", "better", models="old twin")
    comparison = compare_average_precision(Y, FRAME[["old", "twin"]])
    assert (said.status, said.last) == (3, f"Not shown: better. {comparison.sentences[0]}")


@pytest.mark.parametrize("margin", [0.01, 0.04, 0.06, 0.1])
def test_not_worse_is_shown_by_the_limit_with_room_for_failures(gate, margin):
    comparison = compare_average_precision(Y, FRAME[["old", "twin"]], margin=margin)
    is_shown = comparison.margin.low[1] > -margin
    said = gate(f"--margin {margin}", "not-worse", models="old twin")
    assert (said.status == 0) == is_shown == said.last.startswith("Shown: not-worse. ")


def test_a_better_model_is_not_worse_by_any_margin(ask, write):
    frame = FRAME.assign(new=FRAME.twin + 0.26 * Y)  # is better by little
    found = compare_average_precision(Y, frame[["old", "new"]], margin=0.0001)
    assert found.verdict[1] == "better"
    assert found.margin.low[1] < -0.0001
    words = f"score {write(frame.to_csv(index=False))} --label y --score old --score new"
    assert ask(f"{words} --require not-worse --margin 0.0001").status == 0


@pytest.mark.parametrize(
    ("models", "status"), [("old new", 0), ("old new twin", 3), ("new old", 3)]
)
def test_every_model_but_the_first_must_be_better(gate, models, status):
    assert gate("", "better", models=models).status == status


def test_models_are_compared_under_each_definition(gate):
    said = gate("--definition AP --definition precision@10", "better", models="old new")
    assert said.status == 3
    assert said.last.startswith("Not shown: better. precision@10: ")


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        ("", {}),
        ("--cluster g", {"clusters": FRAME.g}),
        ("--inclusion-probability equal", {"inclusion_probability": "equal"}),
    ],
)
def test_a_score_is_shown_from_the_lower_limit_down(gate, flags, options):
    low = average_precision_interval(Y, FRAME.old, **options).low
    for least, status, word in ((low - 1e-6, 0, "Shown"), (low + 1e-6, 3, "Not shown")):
        said = gate(flags, f"ap >= {least:.9f}")
        assert said.status == status
        assert said.last.startswith(f"{word}: ap >= {least:.9f}. The step AP")


def test_beside_a_claim_a_score_must_be_shown_for_new_models_only(gate):
    old, new = (average_precision_interval(Y, FRAME[name]).low for name in ("old", "new"))
    least = f"ap >= {(old + new) / 2:.3f}"
    assert gate("", least, models="old new").status == 3
    assert gate("", least, "better", models="old new").status == 0
    said = gate("", least, "better", models="new old")
    assert said.status == 3
    assert "step AP of old is " in said.last
    assert "step AP of new" not in said.last


def test_what_is_not_shown_stands_first(gate):
    said = gate("", "ap >= 0.1", "AP@5 >= 99%")
    assert said.last.startswith("Not shown: AP@5 >= 99%. The AP@5 is ")
    assert " Shown: ap >= 0.1. The step AP is " in said.last
    definitions = [each["definition"] for each in gate("--format json", "AP@5>=.1").json["results"]]
    assert definitions == ["AtK(k=5)"]


def test_a_threshold_needs_its_guarantee(ask, rows):
    words = (
        f"threshold {rows} --label y --score old --score new --guarantee 0.9 --require guarantee"
    )
    assert ask(f"{words} --precision 0.3").status == 0
    said = ask(f"{words} --precision 0.95")
    assert said.status == 3
    assert said.last.startswith("Not shown: guarantee. old: There is no threshold ")
    assert "new: " not in said.last


@pytest.mark.parametrize("share", ["precision", "recall", "specificity"])
def test_a_share_at_a_given_threshold_is_shown_from_its_lower_limit_down(gate, share):
    lows = [getattr(operating_point(Y, FRAME[name], threshold=1), share).low for name in MODELS]
    for least, status, word in ((min(lows) - 1e-6, 0, "Shown"), (min(lows) + 1e-6, 3, "Not shown")):
        required = f"{share} >= {least:.9f}"
        said = gate("--threshold 1", required, models="old new", command="threshold")
        assert said.status == status
        worst = MODELS[np.argmin(lows)] if status else MODELS[0]
        assert said.last.startswith(f"{word}: {required}. {worst}: The {share} is 0.")


def test_a_verdict_that_a_doubt_overturns_passes_no_gate(ask, write):
    """Of predicted classes, also where numbers would show a better or no worse model."""
    rng = np.random.default_rng(0)
    frame = FRAME.assign(old=rng.integers(0, 2, len(FRAME)), new=FRAME.new)
    words = f"score {write(frame.to_csv(index=False))} --label y --score old --score new"
    for flags in ("--require better", "--require not-worse --margin 0.1"):
        said = ask(f"{words} {flags}")
        assert said.status == 3
        assert "new scores higher than old: " in said.last
        assert "but scores look like predicted classes (old): pass " in said.last
        assert said.err == ""  # the doubt stands below the comparison
    assert "Doubt (predicted classes): 'old': All scores are 0 or 1" in said.out
    said = ask(f"{words} --require better --format json")
    assert (said.status, said.json["shown"]) == (3, False)
    assert said.json["results"][0]["rows"][1]["verdict"] == "better"
    assert said.json["results"][0]["rows"][1]["is_overturned"] is True
    assert "predicted classes" in said.err
    frame["place"] = np.arange(len(FRAME)) % 3
    words = f"segments {write(frame.to_csv(index=False))} --label y --score old --segment place"
    said = ask(f"{words} --require none-worse")
    assert said.status == 3
    assert said.last.startswith("Not shown: none-worse. No verdict holds. Doubt (predicted cl")


@pytest.mark.parametrize(
    ("columns", "shown", "reason"),
    [
        ({"y": 1}, "recall >= 0.1", "no label is negative: pass negatives first"),
        ({"new": 0.5}, "", "all scores are equal: pass the true scores first"),
    ],
)
def test_a_number_that_a_doubt_overturns_passes_no_gate(ask, write, columns, shown, reason):
    """Every order of positives alone is perfect, and a constant score reaches the prevalence."""
    file = write(FRAME.assign(**columns).to_csv(index=False))
    for flags, required in (
        ("score --score new", "ap >= 0.01"),
        ("threshold --score new --threshold 0.5", "precision >= 0.01"),
        ("threshold --score new --threshold 0.5", "recall >= 0.1"),
        ("threshold --score new --precision 0.01 --guarantee 0.9", "guarantee"),
    ):
        command, *rest = flags.split()
        words = [command, file, "--label", "y", "--positive", "1", *rest, "--require", required]
        said = ask.words(*words)
        assert said.status == (0 if required == shown else 3)
        assert said.last.startswith("Shown: " if required == shown else f"Not shown: {required}. ")
        assert (reason in said.last) == (required != shown)
        assert said.out.count("Doubt (") == 1
    two = f"score {file} --label y --positive 1 --score old --score new".split()
    said = ask.words(*two, "--require", "ap >= 0.01")
    assert (said.status, "old is" in said.last) == (3, "y" in columns)


class TestSegments:
    @pytest.fixture
    def fallen(self, write):
        """A model that ranks badly in the second of three months."""

        def ask_of(month, require):
            rng = np.random.default_rng(1)
            months = np.repeat(["2026-07", "2026-08", "2026-09"], len(FRAME) // 3)
            scores = np.where(months == month, rng.normal(size=months.size), FRAME.new)
            rows = zip(Y, scores, months, strict=True)
            write("y,p,m\n" + "".join(f"{y},{p},{m}-01\n" for y, p, m in rows))
            comparison = compare_segments(Y, scores, months)
            words = "segments p.csv --label y --score p --segment m:month --require"
            return comparison, f"{words} {require}"

        return ask_of

    @pytest.mark.parametrize(
        ("month", "claim", "status"),
        [
            ("2026-09", "latest-not-worse", 3),
            ("2026-08", "latest-not-worse", 0),
            ("2026-08", "none-worse", 3),
            ("none", "none-worse", 0),
        ],
    )
    def test_a_month_that_is_shown_to_be_worse_fails(self, ask, fallen, month, claim, status):
        comparison, words = fallen(month, claim)
        said = ask(words)
        assert said.status == status
        worse = [str(name) for name in np.array(comparison.names)[comparison.verdict == "worse"]]
        assert worse == ([] if month == "none" else [month])
        if status:
            assert said.last.startswith(f"Not shown: {claim}. {month} is worse than the others")
        elif claim == "none-worse":
            assert said.last.startswith(f"Shown: {claim}. This fails only if a segment is ")
        else:
            assert said.last.startswith(f"Shown: {claim}. 2026-09 is better than the others: +0.")

    @pytest.mark.parametrize(
        ("claim", "more", "status", "reason"),
        [
            ("latest-not-worse", "", 3, "because a score is not defined"),
            ("latest-not-worse", " --reference 2026-08", 3, "2026-09 and 2026-08 cannot be comp"),
            ("none-worse", "", 0, "Segments without a score: 1."),
        ],
    )
    def test_a_month_without_labels_is_not_shown(self, ask, write, claim, more, status, reason):
        months = np.repeat(["2026-07", "2026-08", "2026-09"], len(FRAME) // 3)
        frame = FRAME.assign(m=months, y=Y * (months != "2026-09"))
        words = f"segments {write(frame.to_csv(index=False))} --label y --score new --segment m"
        said = ask(f"{words} --require {claim}{more}")
        assert said.status == status
        assert reason in said.last
        assert said.last.startswith(f"{'Not shown' if status else 'Shown'}: {claim}. ")

    def test_a_latest_month_that_is_the_reference_is_not_shown(self, ask, fallen):
        _, words = fallen("none", "latest-not-worse")
        said = ask(f"{words} --reference 2026-09")
        assert said.status == 3
        assert said.last.endswith("2026-09 is the reference.")

    def test_the_latest_of_what_are_no_times_is_unknown(self, ask, rows):
        words = f"segments {rows} --label y --score old --segment place"
        said = ask(f"{words} --require latest-not-worse")
        assert (said.status, "needs segments that are times" in said.err) == (2, True)


@pytest.mark.parametrize(
    ("flags", "required", "models", "problem"),
    [
        ("", ["better"], "old", "--require better compares models: name the present model first"),
        ("--margin .1", [], "old", "--margin compares models"),
        ("", ["not-worse"], "old new", "--require not-worse needs --margin"),
        ("--margin x", ["not-worse"], "old new", "--margin: 'x' is not a number"),
        ("--k 5", ["better"], "old new", "--k 5 is for definitions such as AP@k, not for AP"),
        ("", ["ap"], "old", "or in quotes a score and its least value between 0 and 1, such as"),
        ("", ["ap >= 1"], "old", "between 0 and 1, such as \"ap >= 0.4\", got 'ap >= 1'"),
        ("", ["foo >= .1"], "old", "There is no definition 'foo'"),
    ],
)
def test_wrong_requirements_are_refused(gate, flags, required, models, problem):
    said = gate(flags, *required, models=models)
    assert (said.status, said.out, said.err.count("\n")) == (2, "", 1)
    assert problem in said.err


@pytest.mark.parametrize("times", [["2026-07-01", "2026-07-02"], ["2026-W09", "2026-W10"]])
def test_times_without_a_unit_have_a_latest_one(ask, write, times):
    frame = FRAME.assign(day=np.repeat(times, len(FRAME) // 2))
    words = f"segments {write(frame.to_csv(index=False))} --label y --score old --segment day"
    said = ask(f"{words} --require latest-not-worse")
    assert said.status == 0
    assert said.last.startswith("Shown: latest-not-worse. This fails only if a fall is shown; ")
    assert f" No difference between {times[1]} and " in said.last
