"""The entries of all functions; they are found by the names of tools and functions."""

import pytest
from compat_inputs import NAMES, S, Y, options_of
from every import every

from sklearn_ap import compat
from sklearn_ap.compat._tools import ALIASES, ENTRIES, NOTES, USUAL, find, get

# Precision at hits: 2/3 twice, then 3/5.
LATER = ([1, 0, 1, 0, 1], [3, 3, 3, 2, 1])
# By function: labels, scores, and the number that its source gives, worked by hand.
WORKED = {
    # Of the tied items the hit comes first. The envelope is 1, 3/4, 3/4, 1/2. lround(4 x) is 0 or 1
    # at 4 levels, 2 or 3 at 5 (1.6 and 2.8 are rounded up), and 4 at 2 (3.6 is rounded up).
    "trec_eval.11pt_avg": (
        [0, 1, 1, 1, 0, 0, 0, 1],
        [8, 8, 6, 5, 4, 3, 2, 1],
        (4 + 5 * 3 / 4 + 2 / 2) / 11,
    ),
    # Hits at ranks 1 and 3 of the top 3, of 4 positives.
    "sentence_transformers.map@k": ([1, 0, 1, 1, 1], [5, 5, 4, 3, 2], (1 + 2 / 3) / 3),
    # The hits have precision 1, 2/3 and 3/5, and the ranks before them 1, 1/2 and 1/2.
    "market1501.compute_AP": (
        [1, 0, 1, 0, 1],
        [5, 5, 4, 3, 2],
        (1 + (1 / 2 + 2 / 3) / 2 + (1 / 2 + 3 / 5) / 2) / 3,
    ),
    "cell_eval.compute_pr_auc": (*LATER, 2 / 3 * 2 / 3 + 3 / 5 / 3),
    # One score is above 1, so all go through a sigmoid in float32, which ties 38 and 36.
    "chemprop.BinaryAUPRC": ([1, 0, 1], [38, 36, 1], (1 + 1 / 2) / 2 / 2 + (1 / 2 + 2 / 3) / 2 / 2),
    # Scores that differ by 1e-9 are tied in float32.
    "torchrec.AUPRC": ([1, 0, 1], [0.9, 0.9 + 1e-9, 0.1], (1 / 2 + 2 / 3) / 2),
    # From (0, 1) to (2/3, 2/3), down to (2/3, 1/2), and on to (1, 3/5).
    "yardstick.pr_auc": (*LATER, 5 / 6 * 2 / 3 + 11 / 20 / 3),
    "yardstick.average_precision": (*LATER, 2 / 3 * 2 / 3 + 3 / 5 / 3),
    "weka.getPRCArea": (*LATER, 2 / 3 * 2 / 3 + 3 / 5 / 3),
}
READ = {entry.name for entry in ENTRIES if entry.source.startswith("read")}


@pytest.mark.parametrize("name", sorted(READ | WORKED.keys()))
def test_a_function_known_from_its_source_alone_gives_what_was_worked_by_hand(name):
    told = f"{name} is known from its source alone: add an example worked by hand to WORKED."
    assert name in WORKED, told
    y_true, y_score, value = WORKED[name]
    ours = compat.score(name, y_true, y_score, **options_of(get(name)))
    assert ours == pytest.approx(value, abs=get(name).tolerance)


def test_notes_are_those_of_known_functions():
    assert set(NOTES) <= set(NAMES)


@every(
    ("name", "full"),
    [
        ("BinaryAveragePrecision", "torchmetrics.BinaryAveragePrecision"),
        ("torchmetrics.retrieval.RetrievalMAP", "torchmetrics.RetrievalMAP"),
        ("sklearn.metrics.average_precision_score", "sklearn.average_precision_score"),
        ("faster-coco-eval", "faster_coco_eval.COCOeval_faster"),
        ("COCO", "pycocotools.COCOeval"),
        ("keras.metrics.AUC", "keras.AUC_PR_interpolation"),
        ("trec_eval.map", "pytrec_eval.map"),
        ("hugging face", "sentence_transformers.map@k"),
        ("mlmetrics", "MLmetrics.PRAUC"),
        ("XGBoost.AUCPR", "xgboost.aucpr"),
        ("torchmetrics.AveragePrecision", "torchmetrics.BinaryAveragePrecision"),
        ("torchmetrics.AveragePrecision(task='binary')", "torchmetrics.BinaryAveragePrecision"),
        ("tf.keras.metrics.AUC", "keras.AUC_PR_interpolation"),
        ("keras.metrics.AUC(curve='PR')", "keras.AUC_PR_interpolation"),
        ("Market-1501", "market1501.compute_AP"),
        ("deepchem.metrics.prc_auc_score", "sklearn.auc_of_precision_recall_curve"),
    ],
)
def test_other_names_of_a_function(name, full):
    assert get(name).name == full
    options = options_of(get(full))
    assert compat.explain(name, Y, S, **options).name == full
    assert compat.score(name, Y, S, **options) == compat.score(full, Y, S, **options)
    assert full in [row.name for row in compat.compare(Y, S, tools=[name]).results]


# An example of its documents, a constant detector, and no positive; before 2.7, and since.
ANOMALIB = (
    ([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9], 0.875, 1.0),
    ([1, *(19 * [0])], 20 * [0.5], 0.525, 0.05),
    ([0, 0], [0.1, 0.2], 0.5, 0.0),
)


@pytest.mark.parametrize("example", ANOMALIB)
def test_anomalib_has_a_number_for_each_version_and_its_name_alone_is_no_guess(example):
    y_true, y_score, before, since = example
    for name, value in (("before", before), ("since", since)):
        found = compat.score(f"anomalib.AUPR_{name}_2.7", y_true, y_score)
        assert found == pytest.approx(value, abs=5e-5)
    for name in ("anomalib", "anomalib.AUPR", "anomalib.metrics.AUPR"):
        with pytest.raises(ValueError, match=r"anomalib\.AUPR_since_2\.7, anomalib\.AUPR_before"):
            compat.score(name, y_true, y_score)


def test_a_curve_sorted_by_recall_enters_each_recall_at_its_lowest_precision():
    """Two queries. Of the first, precision 1/2, lowest 1/3, and 2/4, lowest 2/5."""
    y_true, y_score, queries = [0, 1, 0, 1, 0, 1, 1], [9, 8, 7, 6, 5, 2, 1], [0] * 5 + [1] * 2
    first = ((1 + 1 / 3) / 2 + (1 / 2 + 2 / 5) / 2) / 2
    found = compat.score("anomalib.AUPR_before_2.7", y_true, y_score, queries=queries)
    assert found == pytest.approx((first + 1) / 2, abs=1e-6)


def test_a_name_of_many_functions_is_all_of_them():
    assert {entry.tool for entry in find("coco")} >= {"globox", "pycocotools"}
    assert {entry.tool for entry in find("map")} >= {"xgboost", "cornac"}
    for name in ("R", "map", "pytorch", "anomalib"):
        with pytest.raises(ValueError, match=f"'{name}' has several functions: choose from"):
            get(name)


@every("name", ALIASES)
def test_what_another_name_stands_for_is_there(name):
    known = {each for entry in ENTRIES for each in (entry.tool, entry.name)}
    assert set(ALIASES[name]) <= known
    assert find(name)


@every("name", USUAL)
def test_what_is_usually_meant_is_one_of_several(name):
    found = [entry.name for entry in find(name)]
    assert len(found) > 1
    (usual,) = USUAL[name]
    assert usual in found


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("xgboost.auc", "xgboost.aucpr"),
        ("prrocs", "PRROC"),
        ("tensorflw", "TensorFlow"),
        ("BinaryAveragePrecison", "torchmetrics.BinaryAveragePrecision"),
        ("xyz", "none; compat"),
    ],
)
def test_an_unknown_name_is_told_the_near_ones(name, near):
    with pytest.raises(ValueError, match=f"'{name}' is not a known tool .* Near it: .*{near}"):
        get(name)
    with pytest.raises(ValueError, match=f"Near it: .*{near}"):
        compat.explain("ROCR", Y, S, versus=name)


@pytest.mark.parametrize("find", [get, lambda name: compat.compare(Y, S, tools=[name])])
@pytest.mark.parametrize("name", [3, None])
def test_a_name_is_a_string(find, name):
    with pytest.raises(TypeError, match=f"must be a string, got {name!r}"):
        find(name)


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("ndcg", "For nDCG use sklearn.metrics.ndcg_score"),
        ("mrr", "The mean reciprocal rank is not here"),
        ("keras.metrics.AUC(curve='ROC')", "use sklearn.metrics.roc_auc_score"),
        ("map@10", "Pass k=10 apart, to xgboost.map@k or "),
        ("ap@20", r"Pass k=20 apart, to ir_measures.AP@k\."),
        ("xgboost.map@5", r"Pass k=5 apart, to xgboost.map@k\."),
        ("keras.AUC(curve='PR', summation_method='majoring')", "Near it: .*keras.AUC_PR"),
    ],
)
def test_a_name_of_something_else_is_told_where_that_is(name, advice):
    with pytest.raises(ValueError, match=advice):
        get(name)
