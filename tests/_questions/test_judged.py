"""Judged@k beside whatever compares runs, and the warning where unlike parts were judged.

The systems and their true labels are those of ``pooled_runs``, which computes without the package.
"""

import json
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pooled_runs import judged_at_k, labels_of_rows, pooled_runs, precision_at_k

from sklearn_ap import (
    average_precision_interval,
    best_average_precision,
    compare_average_precision,
    retrieval,
)
from sklearn_ap.__main__ import main
from sklearn_ap._questions.judged import LONG_QUERY, Judged, RunScores
from sklearn_ap.definitions import AtK, Expected, PrecisionAtK, PrecisionAtRecall, RecallAtK, Step

UNLIKE = "unlike judgements: Of the first 10 documents, 98% in 'A' and 55% in 'B' have a label. "
quiet = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


@pytest.fixture(scope="module")
def data():
    return pooled_runs()


@pytest.fixture(scope="module", params=["negative", "left out"])
def runs(request, data):
    return retrieval.from_dicts(data.people, data.runs, unjudged=request.param)


def of(runs, **options):
    """The arguments of a comparison."""
    return {"y_true": runs.y_true, "y_scores": runs.y_scores, "queries": runs.queries} | options


def warned(function, **options):
    """What a function gives, and its warnings of unlike judgements."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        found = function(**options)
    texts = [str(each.message) for each in caught]
    return found, [text for text in texts if text.startswith("unlike judgements")]


# ---- the shares


def test_rows_filtered_twice_keep_their_judgements():
    is_judged = np.array([True, False, True, False, True, False])
    scores = {"a": np.arange(6.0)}
    judged = Judged(is_judged, np.zeros(6, int), scores)
    some = RunScores(scores, judged).select(np.arange(6) > 0).select(np.arange(5) != 1)
    assert some["a"].tolist() == [1, 3, 4, 5]
    assert some.is_judged.tolist() == [False, False, True, False]
    assert some.shares(6) == {"a": 0.5}  # of all documents


@quiet
@pytest.mark.parametrize(
    ("definition", "k"),
    [
        (PrecisionAtK(5), 5),
        (AtK(3, normalizer="k"), 3),
        (RecallAtK(20), 20),
        (AtK(0.3), 0.3),
        (Expected(7), 7),
        (Step(), 10),
        (PrecisionAtRecall(), 10),
    ],
)
def test_judged_at_k_uses_k_of_the_definition_or_10(data, runs, definition, k):
    found = compare_average_precision(**of(runs, definition=definition))
    depth = k if isinstance(k, int) else 6  # of 20
    expected = {name: judged_at_k(data.people, run, depth) for name, run in data.runs.items()}
    assert found.judged.k == k
    assert found.judged.shares == pytest.approx(expected)
    assert runs.judged_at_k(k) == pytest.approx(expected)
    assert [row["judged_at_k"] for row in found._rows()] == pytest.approx([*expected.values()])
    assert {row["judged_k"] for row in found._rows()} == {k}


@st.composite
def dicts(draw):
    """Judgements, and two runs with ties, of a few short queries and perhaps a long one."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    qrels, found = {}, {"x": {}, "y": {}}
    for query in range(draw(st.integers(1, 4))):
        n = draw(st.sampled_from([1, 3, 8, LONG_QUERY + 30]))
        qrels[query] = {i: int(rng.integers(2)) for i in np.flatnonzero(rng.random(n) < 0.5)}
        for run in found.values():
            seen = np.flatnonzero(rng.random(n) < 0.8)
            run[query] = {i: int(rng.integers(max(n // 2, 2))) for i in seen}
    return qrels, found


def loop(qrels, run, k):
    """Judged@k by loops over blocks of ties, and the documents that stand within k in part."""
    shares, holes = [], set()
    for query, scores in run.items():
        judged, rank = 0.0, 0
        depth = min(k, len(scores)) if isinstance(k, int) else int(np.ceil(k * len(scores) - 1e-9))
        for value in sorted({*scores.values()}, reverse=True):
            block = [i for i, each in scores.items() if each == value]
            if rank < depth:
                holes |= {(query, i) for i in block if i not in qrels[query]}
            part = min(max(depth - rank, 0), len(block)) / len(block)
            judged += part * sum(i in qrels[query] for i in block)
            rank += len(block)
        shares += [judged / depth] if scores else []
    return np.mean(shares) if shares else np.nan, holes


@pytest.mark.filterwarnings("ignore")
@given(dicts(), st.sampled_from([1, 3, 10, 0.2, 0.5]))
def test_judged_shares_and_missing_labels_equal_plain_loops(both, k):
    qrels, found = both
    scores = retrieval.from_dicts(qrels, found, complete=True).y_scores
    loops = {name: loop(qrels, run, k) for name, run in found.items()}
    shares = {name: share for name, (share, _) in loops.items()}
    assert scores.shares(k) == pytest.approx(shares, nan_ok=True)
    holes = set().union(*(holes for _, holes in loops.values()))
    assert scores.judged.n_unjudged(scores, k) == len(holes)


# ---- what is printed


@quiet
@pytest.mark.parametrize("function", [compare_average_precision, best_average_precision])
def test_comparison_shows_judged_shares(runs, function):
    found = function(**of(runs, definition=PrecisionAtK(10)))
    shares = {"A": "0.9820", "B": "0.5540"}
    lines = str(found).splitlines()
    heads = next(line for line in lines if "judged@10" in line)
    for name, share in shares.items():
        line = next(each for each in lines if each.startswith(name))
        end = heads.index("judged@10") + len("judged@10")
        assert line[:end].endswith(f" {share}")
    assert "judged@10</th>" in found._repr_html_()
    frame = found.to_frame().set_index("name")
    assert frame["judged_at_k"].round(4).to_dict() == {"A": 0.982, "B": 0.554}
    assert frame["judged_k"].tolist() == [10, 10]
    paper = found.to_paper(function(**of(runs, definition=AtK(10))))
    assert paper.count("| judged@10 |") == 1
    assert " | 0.98 | " in paper
    assert pickle.loads(pickle.dumps(found)).judged.shares == found.judged.shares


@quiet
@pytest.mark.parametrize("function", [compare_average_precision, best_average_precision])
def test_verdicts_doubt_only_what_compares_unlike_judged_shares(data, function):
    runs = retrieval.from_dicts(data.people, data.runs | {"twin": data.runs["A"]})
    found = function(**of(runs))
    doubt = " This may be wrong, as unlike shares of their documents were judged."
    in_doubt = {verdict.name for verdict in found.verdicts if verdict.sentence.endswith(doubt)}
    assert in_doubt == {*found.names} - {getattr(found, "reference", ""), *in_no_doubt(found)}
    assert doubt.strip() in " ".join(str(found).split())


def in_no_doubt(found):
    """The twin of the reference, of which as much was judged."""
    return ["twin"] if hasattr(found, "reference") else []


@quiet
def test_comparison_per_query_shows_judged_shares_as_a_remark(runs):
    found = compare_average_precision(**of(runs, average=None, zero_division=0.0))
    assert "\njudged@10: A 0.98, B 0.55\n" in f"{found}\n"
    assert "judged@10  " not in str(found)


@pytest.fixture
def files(data, tmp_path):
    qrels = tmp_path / "qrels.txt"
    lines = [f"{q} 0 {name} {y}" for q, labels in data.people.items() for name, y in labels.items()]
    qrels.write_text("\n".join(lines))
    for system, run in data.runs.items():
        lines = [
            f"{q} Q0 {name} {i} {-i} {system}"
            for q, names in run.items()
            for i, name in enumerate(names)
        ]
        (tmp_path / f"{system}.run").write_text("\n".join(lines))
    return [str(qrels), str(tmp_path / "A.run"), str(tmp_path / "B.run")]


@pytest.mark.parametrize(
    "options", [[], ["--unjudged", "left-out"], ["--without-positives", "left-out"]]
)
def test_trec_command_shows_judged_shares_and_warns(files, capsys, options):
    assert main(["trec", *files, *options]) == 0
    printed = capsys.readouterr()
    assert printed.out.count("judged@10") == 5
    said = " ".join(printed.err.split())
    assert said.count("unlike judgements") == 1
    assert UNLIKE in said
    assert "918 documents within these ranks have none" in said
    assert main(["trec", *files, *options, "--format", "json", "--k", "5"]) == 0
    rows = json.loads(capsys.readouterr().out)["results"]
    assert {(row["name"], row["judged_k"]) for row in rows} == {
        (name, k) for name in "AB" for k in (5, 10)
    }
    assert rows[1]["judged_at_k"] == pytest.approx(0.554)
    assert main(["trec", *files, *options, "--format", "markdown"]) == 0
    assert "| judged_at_k | judged_k |" in capsys.readouterr().out


def test_trec_command_of_one_run_shows_its_judged_share(files, capsys):
    assert main(["trec", files[0], files[2]]) == 0
    printed = capsys.readouterr()
    assert "\njudged@10: 0.5540\n" in printed.out
    assert "unlike judgements" not in printed.err


@quiet
@pytest.mark.parametrize("function", [compare_average_precision, best_average_precision])
@pytest.mark.parametrize("style", ["text", "markdown", "latex"])
def test_text_for_a_paper_doubts_what_compares_unlike_judged_shares(data, function, style):
    pooled = function(**of(retrieval.from_dicts(data.people, data.runs)))
    doubt = "comparisons may be wrong, as unlike shares of the documents were judged (judged@10: "
    assert doubt in pooled.to_paper(style=style).replace("\\", "")
    alike = function(**of(retrieval.from_dicts(data.truth, data.runs)))
    assert "may be wrong" not in alike.to_paper(style=style)


# ---- the warning


@pytest.mark.parametrize("definition", [PrecisionAtK(10), Step(), AtK(10), AtK(10, normalizer="k")])
@pytest.mark.parametrize("function", [compare_average_precision, best_average_precision])
def test_unlike_shares_are_warned_of(runs, definition, function):
    _, texts = warned(function, **of(runs, definition=definition))
    assert len(texts) == 1
    assert texts[0].startswith(UNLIKE)
    what = "moved up" if runs.is_judged.all() else "not relevant, so 'B' may be better"
    assert what in texts[0]
    assert "918 documents within these ranks have none. Let a judge label them" in texts[0]


@quiet
def test_comparison_with_unlike_judged_shares_contradicts_the_truth(data):
    """The case that the warning is for: B is better."""
    truth = {name: precision_at_k(data.truth, run) for name, run in data.runs.items()}
    assert truth["B"] > truth["A"] + 0.04
    runs = retrieval.from_dicts(data.people, data.runs)
    found = compare_average_precision(**of(runs, definition=PrecisionAtK(10)))
    assert found.difference_highs[1] < -0.05
    assert found.pvalues[1] < 1e-4
    runs = retrieval.from_dicts(data.people, data.runs, unjudged="left out")
    found = compare_average_precision(**of(runs, definition=PrecisionAtK(10)))
    assert found.difference_highs[1] < truth["B"] - truth["A"]


def of_shares(*counts, n=10):
    """Runs of 10 documents, of which so many have a label, a half of them a positive one."""
    qrels = {"q": {f"{i}-{j}": j % 2 for i, n_judged in enumerate(counts) for j in range(n_judged)}}
    systems = {f"s{i}": {"q": [f"{i}-{j}" for j in range(n)]} for i in range(len(counts))}
    return retrieval.from_dicts(qrels, systems)


@pytest.mark.parametrize(
    ("counts", "names"),
    [
        ((9, 8), None),  # a tenth, which floats make .09999 or .10001
        ((8, 7), None),
        ((7, 6), None),
        ((5, 7), ("s1", "s0")),
        ((8, 9, 4), ("s1", "s2")),
        ((6, 6), None),
    ],
)
def test_judged_shares_more_than_a_tenth_apart_raise_a_warning(counts, names):
    _, texts = warned(compare_average_precision, **of(of_shares(*counts)))
    assert bool(texts) == (names is not None)
    if names:
        most, least = (f"{10 * counts[int(name[1])]}% in '{name}'" for name in names)
        assert f"{most} and {least} have a label" in texts[0]
        n = sum(10 - count for count in counts)
        assert f"{n} documents within these ranks have none. Label them." in texts[0]


def test_warning_states_relative_k_as_a_share_of_documents():
    _, texts = warned(compare_average_precision, **of(of_shares(9, 5), definition=AtK(0.5)))
    assert not texts  # the first five have labels
    _, texts = warned(compare_average_precision, **of(of_shares(9, 5), definition=AtK(0.8)))
    assert "Of the first 80% of the documents, 100% in 's0' and 62% in 's1'" in texts[0]
    found, _ = warned(compare_average_precision, **of(of_shares(7, 6, n=100), definition=AtK(0.07)))
    assert found.judged.shares == {"s0": 1, "s1": pytest.approx(6 / 7)}
    assert found.judged.n_unjudged == 1  # 0.07 * 100 is 7.000000000000001, and means 7


def test_judged_shares_an_eighth_apart_raise_a_warning():
    _, texts = warned(compare_average_precision, **of(of_shares(8, 7), definition=AtK(8)))
    assert "100% in 's0' and 88% in 's1'" in texts[0]


def test_a_run_without_documents_has_no_share():
    runs = retrieval.from_dicts(
        {"q": {"a": 1, "b": 0}}, {"x": {"q": ["b", "a", "c"]}, "none": {"q": []}}
    )
    found, texts = warned(compare_average_precision, **of(runs))
    assert not texts
    assert np.isnan(found.judged.shares["none"])


@pytest.mark.parametrize("depths", [{"A": 10, "B": 10}, {"A": 4, "B": 4}])
def test_alike_shares_are_not_warned_of(depths):
    data = pooled_runs(1, depths)
    runs = retrieval.from_dicts(data.people, data.runs)
    found, texts = warned(compare_average_precision, **of(runs))
    assert found.judged is not None
    assert not texts


ONLY_RELEVANT = (
    "judgements name relevant documents only: documents that nobody judged count as not relevant, "
    "which favours the system whose documents were judged"
)


@quiet
@pytest.mark.parametrize("function", [compare_average_precision, best_average_precision])
def test_judgements_of_only_relevant_documents_are_said_to_favour_the_pooled_system(data, function):
    """As MS MARCO's, or what users bought: judged@k would be the precision."""
    bought = {q: {name for name, y in labels.items() if y} for q, labels in data.people.items()}
    bought["q0"] = {}
    runs = retrieval.from_dicts(bought, data.runs)
    found, texts = warned(function, **of(runs, definition=PrecisionAtK(10)))
    assert not texts
    assert "judged@" not in str(found)
    assert "judged_at_k" not in found._rows()[0]
    assert ONLY_RELEVANT in " ".join(str(found).split())
    assert ONLY_RELEVANT in found.to_paper()
    shares = runs.judged_at_k()
    assert shares == pytest.approx(dict(zip(found.names, found.estimates, strict=True)))
    plain, _ = warned(function, **of(runs) | {"y_scores": {**runs.y_scores}})
    assert "judge" not in str(plain)


@quiet
def test_documents_that_all_are_relevant_need_no_remark():
    runs = retrieval.from_dicts({"q": ["a", "b", "c"]}, {"x": {"q": ["a", "b"]}, "y": {"q": ["c"]}})
    assert compare_average_precision(**of(runs)).judged is None


@quiet
def test_relevant_documents_alone_without_the_others_are_said_to_be_all():
    runs = retrieval.from_dicts(
        {"q": ["a", "b"], "p": ["c"]},
        {"x": {"q": ["a", "z"], "p": ["c"]}, "y": {"q": ["b"], "p": ["z"]}},
        unjudged="left out",
    )
    text = " ".join(str(compare_average_precision(**of(runs))).split())
    assert "and the others were left out, so only relevant documents are ranked" in text


def test_irrelevant_documents_that_no_system_found_show_that_labels_are_missing(data):
    people = {
        query: {name: y for name, y in labels.items() if y} | {f"never {query}": 0}
        for query, labels in data.people.items()
    }
    runs = retrieval.from_dicts(people, data.runs)
    found, texts = warned(compare_average_precision, **of(runs, definition=PrecisionAtK(10)))
    assert found.judged.shares == pytest.approx(runs.judged_at_k())
    assert "judged@10" in str(found)
    assert "relevant documents only" not in str(found)
    assert not texts  # the precision at 10 of both is low


def test_unlike_shares_are_warned_of_beside_irrelevant_documents_that_no_system_found():
    names = [f"{i}" for i in range(10)]
    qrels = {"q": dict.fromkeys(names, 1) | {"never": 0}}
    runs = retrieval.from_dicts(qrels, {"x": {"q": names}, "y": {"q": [*names[:6], *"abcd"]}})
    _, texts = warned(compare_average_precision, **of(runs))
    assert "100% in 'x' and 60% in 'y' have a label" in texts[0]


@pytest.mark.parametrize("how", ["in the dicts", "in the rows"])
def test_judged_replacements_of_missing_labels_raise_no_warning(data, how):
    judge = data.judge()
    runs = retrieval.from_dicts(data.people, data.runs)
    if how == "in the dicts":
        runs = retrieval.from_dicts({q: judge[q] | data.people[q] for q in judge}, data.runs)
        filled = runs.y_true
        assert runs.judged_at_k() == {"A": 1, "B": 1}
    else:
        others = labels_of_rows(judge, runs.queries, runs.documents) == 1
        filled = np.where(runs.is_judged, runs.y_true, others).astype(int).tolist()
    _, texts = warned(compare_average_precision, **of(runs) | {"y_true": filled})
    assert not texts


@quiet
def test_plain_scores_and_pickles_of_runs_compare_the_same(data):
    runs = retrieval.from_dicts(data.people, data.runs)
    plain, texts = warned(compare_average_precision, **of(runs) | {"y_scores": {**runs.y_scores}})
    assert plain.judged is None
    assert not texts
    whole = compare_average_precision(**of(runs))
    np.testing.assert_array_equal(plain.differences, whole.differences)
    one_ranking = compare_average_precision(**of(runs) | {"queries": None})
    assert one_ranking.judged is None
    again = pickle.loads(pickle.dumps(runs))
    assert again.judged_at_k() == runs.judged_at_k()
    assert compare_average_precision(**of(again)).judged.shares == whole.judged.shares
    assert average_precision_interval(**runs["A"]).estimate == whole.estimates[0]


@quiet
def test_an_added_system_has_its_own_share_of_judged_documents(data):
    runs = retrieval.from_dicts(data.people, data.runs)
    runs.y_scores["both"] = runs.y_scores["A"] + runs.y_scores["B"]
    expected = judged_at_k(data.people, {q: names[:4] for q, names in data.runs["B"].items()})
    runs.y_scores["A"] = np.where(rank_in(data.runs["B"], runs) < 4, runs.y_scores["B"], -np.inf)
    found = compare_average_precision(**of(runs))
    assert found.judged.shares["A"] == runs.judged_at_k()["A"] == pytest.approx(expected)
    assert 0.6 < found.judged.shares["both"] < 1
    runs = retrieval.from_dicts(data.people, data.runs, unjudged="left out")
    runs.y_scores["new"] = runs.y_scores["A"]
    found = compare_average_precision(**of(runs))
    assert np.isnan(found.judged.shares["new"])
    assert "new" in str(found)


def rank_in(run, runs):
    """The rank of the document of each row; that of others is 99."""
    rows = zip(runs.queries, runs.documents, strict=True)
    return np.array([run[query].index(name) if name in run[query] else 99 for query, name in rows])
