"""Names of definitions: in get_scorer, in definition=, and in sklearn-ap score --definition."""

import re
from dataclasses import make_dataclass

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_ap import (
    AveragePrecisionDisplay,
    average_precision_interval,
    average_precision_score,
    chance_test,
    compare_average_precision,
    compare_segments,
    definitions,
    get_scorer,
    get_scorer_names,
    threshold_counts,
)
from sklearn_ap.definitions import (
    AtK,
    Expected,
    Interpolated,
    Linear,
    PrecisionAtK,
    PrecisionAtRecall,
    RecallAtK,
    ReciprocalRank,
    Step,
)
from sklearn_ap.definitions._conventions import conventions, definition_name
from sklearn_ap.definitions._spellings import (
    AREAS,
    FIELD_WORDS,
    _numbered,
    _spelling,
    find_definition,
)
from tests.helpers.pages import DOCS

WORDS = {word for words in FIELD_WORDS.values() for word in words}


@pytest.mark.parametrize("k", [3, 10, 0.07, 1e-7])
def test_printed_definition_names_are_accepted(k):
    named = [(each.title, each) for each in conventions(k)]
    for name, definition in named:
        assert find_definition(name, k) == find_definition(name.upper(), k=k) == definition, name


def test_each_definition_has_conventional_options():
    names = {type(each).__name__ for each in conventions(10)}
    assert names == {*definitions.__all__} - {"Definition"}


def test_measures_of_trec_eval_are_found_by_their_names():
    names = ("map", "map_cut_7", "P_7", "recall_7", "recip_rank")
    measures = [Step(), AtK(7, "positives"), PrecisionAtK(7), RecallAtK(7), ReciprocalRank()]
    assert [*map(find_definition, names)] == measures
    with_dots = (re.sub("_7", ".7", name) for name in names)  # as trec_eval takes them
    assert [*map(find_definition, with_dots)] == measures


@pytest.mark.parametrize("name", get_scorer_names())
def test_a_scorer_is_found_by_its_name(name):
    features, benign = load_breast_cancer(return_X_y=True)
    columns, y_true = features[::2, 6:7], 1 - benign[::2]  # 21 of the 27 scorers tell them apart
    fitted = make_pipeline(StandardScaler(), RidgeClassifier()).fit(columns, y_true)
    counts = threshold_counts(y_true, fitted.decision_function(columns))
    assert find_definition(name, 7)(counts) == get_scorer(name)(fitted, columns, y_true)


@pytest.mark.parametrize(
    ("name", "definition"),
    [
        ("map @ 5", AtK(5)),
        ("AP@1%", AtK(0.01)),
        ("ap @ 12.50 %", AtK(0.125)),
        ("precision@recall .75", PrecisionAtRecall(0.75)),
        ("precision_at_recall_1e-3", PrecisionAtRecall(0.001)),
        ("precision_at_1%", PrecisionAtK(0.01)),
        ("ap@20-over-hits", AtK(20, normalizer="hits")),
        ("map_cut", AtK(3, normalizer="positives")),
        ("MAP@50", AtK(50)),
        ("map@75", AtK(75)),
        ("AP at 101 recall levels", Interpolated(101)),
        ("average precision@", AtK(3)),
        ("average_precision_at_k_score", AtK(3)),
        ("eleven_point_average_precision_score", Interpolated(11)),
        ("expected_average_precision", Expected()),
        ("MRR", ReciprocalRank()),
        ("mrr@10", ReciprocalRank(10)),
        ("RR@5", ReciprocalRank(5)),
        ("recip_rank", ReciprocalRank()),
        ("mean_reciprocal_rank", ReciprocalRank()),
        ("Linear", Linear()),
        ("trapezoid rule", Linear()),
        ("auc(recall, precision)", Linear()),
        ("definitions.PrecisionAtK", PrecisionAtK(3)),
        ("sklearn_ap.average_precision_score", Step()),
        ("PrecisionAtK", PrecisionAtK(3)),
        ("AP", Step()),
        ("mAP", Step()),
        ("average positive predictive value", Step()),
        ("11-point", Interpolated(11)),
        ("11-point interpolated average precision", Interpolated(11)),
        ("interpolated average precision", Interpolated()),
    ],
)
def test_common_spellings_of_definitions_are_accepted(name, definition):
    assert find_definition(name, k=3) == definition


@pytest.mark.filterwarnings("ignore:.* is used for two numbers")
def test_the_page_lists_the_names_of_all_definitions():
    page = (DOCS / "definitions.md").read_text().partition("## Names")[2]
    listed = {}
    for names, code in re.findall(r"^\| (`.*) \| `(.*)` \|$", page, re.M):
        definition = eval(code, vars(definitions))
        for name in re.findall("`(.*?)`", names):
            assert find_definition(name) == definition, name
            listed[name] = definition
    assert [each for each in conventions(10) if each not in listed.values()] == []
    missing = WORDS - {_spelling(name) for name in listed}
    assert missing <= {
        "mean ap",
        "mean ap@#",
        "trapezoidal rule",
        "p #",
        "recall #",
        "recip rank",
        "mean reciprocal rank@#",
        "auc(recall,precision)",
    }


def test_the_number_of_a_name_is_an_option_of_any_name():
    names = {"title": "AP of beta 2"}
    of_beta = make_dataclass(
        "OfBeta", [("beta", float, 2)], bases=(Step,), namespace=names, frozen=True
    )
    assert _numbered(of_beta(), "AP of beta 3", None).beta == 3


@pytest.mark.parametrize(
    "name", ["AUPRC", "PR-AUC", "pr_auc", "AUCPR", "PRAUC", "auc_pr", "areaUnderPR", "PR AUC"]
)
def test_a_word_for_two_areas_is_that_of_steps_and_names_both(name):
    with pytest.warns(UserWarning, match=rf"'{name}' is used for two .* Step\(\), or Linear\(\)"):
        assert find_definition(name) == Step()


def test_no_word_is_the_title_of_another_definition_and_every_word_leads_to_one():
    for word in WORDS.difference(AREAS):
        assert find_definition(word.replace("#", "11"))
    titles = {each.title.lower() for each in conventions(10)}
    assert titles.isdisjoint(WORDS)


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        *(
            (name, f"'{name}' may be at an overlap of boxes")
            for name in ("AP50", "mAP50-95", "mAP_75", "mAP@50-95", "mAP@[.50:.95]")
        ),
        *(
            (name, f"'{name}' is Python code: pass the definition itself, or write '{title}'.")
            for name, title in (
                ("AtK(5)", "AP@5"),
                ("AtK(k=5)", "AP@5"),
                ("PrecisionAtRecall(0.7)", "precision at recall 0.7"),
                ("Interpolated(11)", "eleven-point AP"),
                ("Interpolated(recall_levels=101)", "AP at 101 recall levels"),
                ("ReciprocalRank(3)", "reciprocal rank@3"),
                ("Step()", "step AP"),
                ("Expected()", "expected AP"),
            )
        ),
        *(
            (name, "is Python code: pass the definition itself.")
            for name in ("AtK(__import__('os'))", "AtK({[]: 1})", "AtK(5, 'retrieved')")
        ),
        ("AtK(k=5, normalizer='hits')", "or write 'AP@5 over hits'."),
        ("ap" * 3_000, "There are: step AP, AP@10"),
        ("AP@" + "9" * 5_000, "There are: step AP, AP@10"),
        ("mine", "A definition of your own has no name: pass it in Python."),
        (
            "AP@0.5",
            "a share of the rows or an overlap of boxes (IoU). For this share write 'AP@50%'",
        ),
        ("precision@.005", "For this share write 'precision@0.5%'."),
        ("VOC 2007", "sklearn-ap explain; for intervals of their numbers, see docs/compat.md."),
        ("average_precision_at_k", "'average_precision_at_k' needs its k, as in 'AP@10'."),
        ("map_cut", "'map_cut' needs its k, as in 'AP@10 over positives'."),
        ("precision at recall", "needs its recall, as in 'precision at recall 0.8'."),
        ("AP@-5", "There is no definition 'AP@-5': k must be at least 1 and below 2**63, got -5."),
        ("hyperbolc AP", "Near it: hyperbolic AP"),
        ("xyzzy", "There are: step AP, AP@10, AP@10 over positives, "),
        ("Definition()", "There are: step AP, AP@10"),
    ],
)
def test_error_says_what_to_call(name, advice):
    with pytest.raises(ValueError, match=re.escape(advice)):
        find_definition(name)


@pytest.mark.parametrize("name", ["AP@k", "map_cut", "P", "expected ap@", "precision_at_recall"])
def test_names_that_errors_offer_exist(name):
    with pytest.raises(ValueError, match="needs its") as raised:
        find_definition(name)
    assert find_definition(str(raised.value).split("'")[3]) is not None


Y_TRUE, Y_SCORE = np.tile([1, 0, 1, 0, 0], 30), np.arange(150) % 37


def test_a_name_is_its_definition_of_several_models_segments_counts_and_displays():
    models, segments = {"a": Y_SCORE, "b": -Y_SCORE}, np.repeat(["x", "y", "z"], 50)
    counts = threshold_counts(Y_TRUE, Y_SCORE)
    for function in (
        lambda definition: average_precision_score(Y_TRUE, Y_SCORE, definition=definition),
        lambda definition: chance_test(Y_TRUE, Y_SCORE, definition=definition),
        lambda definition: compare_average_precision(Y_TRUE, models, definition=definition),
        lambda definition: compare_segments(Y_TRUE, Y_SCORE, segments, definition=definition),
        lambda definition: type(average_precision_interval(Y_TRUE, Y_SCORE)).from_counts(
            counts, definition=definition
        ),
        lambda definition: repr(AveragePrecisionDisplay(counts, definition=definition)),
    ):
        assert str(function("linear AP")) == str(function(Linear()))


def test_only_usual_definitions_go_by_their_titles():
    assert definition_name(AtK(20)) == "AP@20"
    assert definition_name(Interpolated(7)) == "Interpolated(recall_levels=7)"
