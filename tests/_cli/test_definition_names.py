"""Names of definitions, in sklearn-ap score --definition and where Python says how to write."""

import json
import re

import pytest
from every import every
from predictions_file import COLUMNS
from registry import SCORES

import sklearn_ap
from sklearn_ap import average_precision_score, get_scorer_names
from sklearn_ap.definitions import AtK, Interpolated, PrecisionAtK, PrecisionAtRecall, Step
from sklearn_ap.definitions._names import call, conventions, find, measures


@pytest.mark.parametrize("k", [3, 10, 0.07, 1e-7])
def test_what_is_printed_is_found(k):
    named = [(each.title, each) for each in conventions(k)]
    named += [(call(each), each) for each in conventions(k)]
    named += [*measures(k).items()] if isinstance(k, int) else []
    for name, definition in named:
        assert find(name, k) == find(name.upper(), k=k) == definition, name


@every("name", get_scorer_names())
def test_a_scorer_is_found_by_its_name(name):
    stem, option = name, {}
    if at_k := re.fullmatch(r"(.*)_at_(\d+)", name):
        stem, option = f"{at_k[1]}_at_k", {"k": int(at_k[2])}
    elif share := re.fullmatch(r"(.*)_([\d.]+)", name):
        stem, option = share[1], {share[1].rpartition("_")[2]: float(share[2])}
    if stem == "expected_average_precision_at_k":  # k is an option of its score
        stem = "expected_average_precision"
    score = getattr(sklearn_ap, f"{stem}_score").__name__
    kind, fixed = SCORES[score]
    assert find(name, 7) == kind(**fixed | option)
    if "_at_" not in score or "_k_" in score:
        k = {"k": 7} if "at_k" in score else {}
        assert find(score, 7) == kind(**fixed | k)


@every(
    ("name", "definition"),
    [
        ("AP", Step()),
        ("step", Step()),
        ("AP@5", AtK(5)),
        ("ap@k", AtK(3)),
        ("AP@1%", AtK(0.01)),
        ("map @ 12.50 %", AtK(0.125)),
        ("AtK(0.01)", AtK(0.01)),
        ("precision_at_1%", PrecisionAtK(0.01)),
        ("ap@20-over-hits", AtK(20, normalizer="hits")),
        ("P@5", PrecisionAtK(5)),
        ("map_cut", AtK(3, normalizer="positives")),
        ("AtK(5, normalizer='hits')", AtK(5, normalizer="hits")),
        ("precision@recall .75", PrecisionAtRecall(0.75)),
        ("precision_at_recall_1e-3", PrecisionAtRecall(0.001)),
        ("AP at 101 recall levels", Interpolated(101)),
    ],
)
def test_what_people_type(name, definition):
    assert find(name, k=3) == definition


@every(
    ("name", "advice"),
    [
        ("ap@20", "Write definition=AtK(20)."),
        ("map_cut_5", "Write definition=AtK(5, normalizer='positives')."),
        ("ndcg", "For nDCG use sklearn.metrics.ndcg_score."),
        ("hyperbolc AP", "Near it: hyperbolic AP"),
        ("recall_at_0.01", "For this share of the rows write 'recall_at_1%'."),
        ("precision@.005", "For this share of the rows write 'precision@0.5%'."),
        ("AP@0.5", "Near it: "),
        ("xyzzy", "Near it: none; sklearn_ap.definitions lists all."),
    ],
)
def test_python_says_how_to_write_what_the_command_line_takes(name, advice):
    with pytest.raises(TypeError, match=re.escape(advice)):
        average_precision_score([1, 0], [2, 1], definition=name)


def test_what_is_asked_for_is_shown_in_that_order_or_refused(refuse, say, write):
    chosen = ("--definition", "recall@3", "--definition", "linear AP", "--definition", "Linear")
    found = json.loads(say("score", write(), *COLUMNS, *chosen, "--format", "json"))
    assert [row["definition"] for row in found["results"]] == ["RecallAtK(k=3)", "Linear()"]
    options = ("--weight", "w", "--definition", "expected AP")
    message = refuse("score", write(), *COLUMNS, *options)
    assert message.startswith("Left out: expected AP. Expected average precision takes unweighted")
    message = refuse("score", write(), *COLUMNS, "--definition", "hyperbolc AP")
    assert message.startswith("There is no definition 'hyperbolc AP'. Near it: hyperbolic AP")
    for name in ("AP@0", "AP@-5", "AP@1.5", "AP@0.5", "AP@0%", "AP@100%", "map_cut_1%"):
        assert f"no definition '{name}'" in refuse("score", write(), *COLUMNS, "--definition", name)
