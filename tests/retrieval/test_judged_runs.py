"""Judgements and runs become arrays for every score."""

import bz2
import gzip
import sys
from unittest.mock import Mock

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import trec_measures
from pyarrow import csv, parquet
from retrieval_files import QRELS, A, B, generated
from trec_reference import lines_of, measures, rankings

from sklearn_ap import (
    average_precision_interval,
    average_precision_score,
    compare_average_precision,
    retrieval,
)

K = 10


@pytest.fixture
def write(tmp_path):
    def path(content, name):
        data = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(data)
        return tmp_path / name

    return path


@pytest.fixture
def small(write):
    return write(QRELS, "qrels.txt"), write(A, "a.run"), write(B, "b.run")


@pytest.fixture(params=["pyarrow", "Python"])
def reader(request, monkeypatch):
    """What reads TREC's files."""
    if request.param == "Python":
        monkeypatch.setitem(sys.modules, "pyarrow", None)


def as_text(judged):
    scores = {name: each.tolist() for name, each in judged.y_scores.items()}
    return judged.y_true.tolist(), scores, judged.queries.tolist(), judged.query_names


class TestArrays:
    @pytest.mark.usefixtures("reader")
    def test_documents_that_a_system_did_not_retrieve_score_minus_infinity(self, small):
        judged = retrieval.from_trec(*small)
        shown = "JudgedRuns: 2 systems, 2 queries, 5 documents, 3 relevant"
        assert repr(judged).splitlines()[0] == shown
        assert [*judged.to_frame()] == ["query", "document", "y_true", "is_judged", "a", "b"]
        rows = zip(
            judged.queries, judged.documents, judged.y_true, *judged.y_scores.values(), strict=True
        )
        assert {*rows} == {
            ("1", "apples", True, 0.9, -np.inf),
            ("1", "pears", False, 0.8, -np.inf),
            ("1", "geese", True, -np.inf, 9),
            ("2", "pears", False, 0.7, -np.inf),
            ("2", "geese", True, 0.6, 8),
        }

    def test_a_system_is_found_by_name_and_an_unknown_one_is_refused(self):
        judged = retrieval.from_tables(QRELS_TABLE, {1: RUNS["a"]})
        np.testing.assert_array_equal(judged[1]["y_score"], judged["1"]["y_score"])
        with pytest.raises(KeyError, match=r"No system is named 'b'. There are \['1'\]"):
            judged["b"]

    @pytest.mark.usefixtures("reader")
    @pytest.mark.parametrize(
        "text",
        [
            A.replace(" ", "   ").replace("\n", "  \n\n "),
            A.replace(" ", "\t").replace("\n", "\r\n"),
            A.rstrip(),
            "\ufeff# one\n" + A.replace("2 Q0", "#two # three ##\n 2 Q0", 1) + "#\n",
            f"{A}# Q0 apples 1 0.5 a\n",  # a comment of six words
            A.replace("0.9 a", "0.9 a and more words"),
            f"\ufeff {A}",
            gzip.compress(A.encode()),
            bz2.compress(A.encode()),
        ],
    )
    def test_runs_of_common_variants_are_read(self, small, write, text):
        for name in ("new.run", "new.run.gz", "new.TXT"):
            judged = retrieval.from_trec(small[0], write(text, name))
            expected = retrieval.from_trec(small[0], small[1])
            assert judged.systems == ("new",)
            assert judged.y_scores["new"].tolist() == expected.y_scores["a"].tolist()

    @pytest.mark.usefixtures("reader")
    def test_comments_are_skipped_and_number_signs_in_names_kept(self, small, write):
        text = "# 0 apples 1\n" + QRELS.replace("2 0", "# figs\n2 0") + "#2 0 apples 1"
        judged = retrieval.from_trec(write(text, "new.txt"), *small[1:])
        assert as_text(judged) == as_text(retrieval.from_trec(*small))
        qrels, run = write("1#\t0 a#1 1\n", "q"), write("1# Q0 a#1 1 0.5 #x\n", "r")
        judged = retrieval.from_trec(qrels, run)
        assert (judged.query_names, judged.y_scores["r"].tolist()) == (("1#",), [0.5])

    def test_systems_whose_files_have_one_name_are_called_by_their_paths(self, small, tmp_path):
        (tmp_path / "x").mkdir()
        other = small[1].rename(tmp_path / "x" / "b.run")
        judged = retrieval.from_trec(small[0], other, small[2])
        assert [*judged.y_scores] == [str(other), str(small[2])]

    def test_tied_document_names_sort_by_bytes(self):
        names = ["a", "B", "é", "abcdefgh", "abcdefghi", "abcdefgh" * 3, "\U0001f600", "\uff5e"]
        place = {name: sorted(names, key=str.encode).index(name) for name in names}
        runs = {"tied": {"q": dict.fromkeys(names, 0.5)}, "ranked": {"q": place}}
        judged = retrieval.from_dicts({"q": names}, runs)
        assert judged.y_scores["ranked"].tolist() == sorted(place.values())


@pytest.mark.usefixtures("reader")
@pytest.mark.filterwarnings("ignore:.*quer")
class TestTrecEval:
    @pytest.mark.parametrize("relevance_level", [1, 1.5])
    @pytest.mark.parametrize("unjudged", ["negative", "left out"])
    @pytest.mark.parametrize("ties", [True, False])
    def test_every_query_has_the_trec_eval_measures(self, write, relevance_level, unjudged, ties):
        files, rng = generated(ties=ties), np.random.default_rng(0)
        lines = {name: rng.permutation(text.splitlines()) for name, text in files.items()}
        paths = [write("\n".join(each), name) for name, each in lines.items()]  # in any order
        options = {"relevance_level": relevance_level, "unjudged": unjudged}
        judged, by_name = (
            retrieval.from_trec(*paths, **options, ties=each) for each in ("shared", "trec_eval")
        )
        for run in "ab":
            truth = rankings(files["qrels"], files[run], relevance_level, unjudged == "left out")
            assert set(truth) <= set(judged.query_names)
            expected = [measures(*truth.get(query, ([], 1)), K) for query in judged.query_names]
            for name, definition in trec_measures.at(K).items():
                for way in (by_name,) if ties else (by_name, judged):
                    given = way[run] | {"definition": definition, "zero_division": 0.0}
                    found = average_precision_score(**given, average=None)
                    assert found == pytest.approx([each[name] for each in expected], abs=1e-12)

    def test_ties_are_broken_within_queries_with_scattered_lines(self, write):
        run = write("q Q0 a 1 0.5 x\np Q0 a 1 0.9 x\nq Q0 b 2 0.5 x\n", "r")
        qrels = write("q 0 a 1\nq 0 b 0\np 0 a 1\n", "qrels")
        judged = retrieval.from_trec(qrels, run, ties="trec_eval")
        assert average_precision_score(**judged["r"], average=None).tolist() == [1, 0.5]

    def test_warnings_name_left_out_queries_and_complete_counts_them(self, write):
        qrels = write(QRELS + "9 0 apples 1\n", "qrels")
        a = write(A + "5 Q0 apples 1 0.5 a\n6 Q0 apples 1 0.5 a\n", "a")
        b = write(B.replace("2 Q0", "7 Q0"), "b\x1b")
        with pytest.warns(UserWarning, match="quer") as caught:
            retrieval.from_trec(qrels, a, b)
        assert [str(warning.message) for warning in caught] == [
            "3 queries without judgements: left out ('5', '6' and '7')",
            "1 query judged but in no run: left out; complete=True counts 0 ('9')",
            "1 query not in b\\x1b, but in another run: 0 there ('2')",
        ]
        judged = retrieval.from_trec(qrels, a, complete=True)
        assert judged.query_names == ("1", "2", "9")
        assert average_precision_score(**judged["a"]) == 1 / 3


class TestFaults:
    @pytest.mark.usefixtures("reader")
    @pytest.mark.parametrize(
        ("file", "line", "problem"),
        [
            ("run", "1 Q0 a 1 0.9", "row 5 has 5 columns, not the 6 of query q0 document rank"),
            ("run", "1 Q0 figs 1 -1e999 r", "row 5, column 'score': '-1e999' is too large"),
            ("run", "1 Q0 apples 7 1 a", "row 5, document 'apples' of query '1' is there already"),
            ("run", "1 Q0 app\0 7 1 a", "row 5, column 'document': 'app\\x00' holds NUL"),
            ("run", f"1 Q0 x 1 {2**53 + 1} a\n1 Q0 y 1 .5 a", "row 5, column 'score': '900719925"),
            ("qrels", "1 0 apples 1", "row 5, document 'apples' of query '1' is there already, in"),
            ("qrels", "1 0 x -inf", "row 5, column 'label': '-inf' is not finite"),
            ("qrels", "1 0  1", "row 5 has 3 columns, not the 4 of query iteration document"),
            ("run", "1 Q0 new figs 7 0.5 a", "row 5 has 7 columns, not the 6 of query q0 document"),
            ("run", "1 Q0 figs 7 0.5 ", "row 5 has 5 columns, not the 6 of query q0 document rank"),
            ("qrels", "1 x 1", "row 5 has 3 columns, not the 4 of query iteration document label:"),
        ],
    )
    @pytest.mark.parametrize("size", [60, 10**6])
    def test_error_names_the_faulty_line(
        self, subtests, write, monkeypatch, file, line, problem, size
    ):
        for before in ["", "\n", "# one\n"]:
            with subtests.test(f"after {before!r}"):
                monkeypatch.setattr("sklearn_ap._base.files.trec.LINES", size)
                texts = {"qrels": QRELS, "run": A}
                texts[file] = f"{before}{texts[file]}{line}\n"
                paths = {name: write(text, name) for name, text in texts.items()}
                with pytest.raises(ValueError) as raised:  # noqa: PT011
                    retrieval.from_trec(*paths.values())
                expected = problem.replace("row 5", "row 6") if before else problem
                assert str(raised.value).startswith(f"{paths[file]}: {expected}")

    def test_invalid_arguments_are_refused(self, small, write):
        qrels, a, b = small
        empty, other = write("", "empty"), write("7.0 0 d1 1\n", "other")
        table = write("query,document,label\n1,d1,1\n", "table")
        unlike = "other: none of its queries is in a run: it has '7.0', and a run has '1'"
        for call, message in (
            (lambda: retrieval.from_trec(qrels), "runs are missing"),
            (lambda: retrieval.from_trec(qrels, empty), "empty: it holds no rows"),
            (lambda: retrieval.from_trec(other, a, complete=True), unlike),
            (lambda: retrieval.from_trec(qrels, "nothing.run"), "nothing.run"),
            (lambda: retrieval.from_trec(qrels, [a, b]), r"from_trec\(qrels, \*runs\), got list"),
            (lambda: retrieval.from_trec(*small, a), f"{a}' is given twice"),
            (lambda: retrieval.from_trec(qrels, pd.DataFrame()), "For tables use from_tables"),
            (lambda: retrieval.from_trec(*small, complete="no"), "complete must be True or False"),
            (lambda: retrieval.from_tables(qrels, [a]), "runs must map names .*, as {'bm25'"),
            (lambda: retrieval.from_trec(table, a), "row 1 has 1 column, .* use retrieval.from_ta"),
            (lambda: retrieval.from_tables(QRELS_TABLE, {"x": 3}), "x must be a path, or a table"),
            (lambda: retrieval.from_tables(QRELS_TABLE, {1: a, "1": b}), "'1' is given twice"),
            (
                lambda: retrieval.from_tables(QRELS_TABLE, {"x": MIXED}),
                "x: .*Could not convert",
            ),
        ):
            with pytest.raises((TypeError, ValueError, OSError), match=message):
                call()

    def test_documents_with_unequal_spelling_raise_a_warning(self, small, write):
        run = write("2 Q0 Geese 1 .5 a\n1 Q0 Pears 1 .4 a\n", "A.run")
        with pytest.warns(UserWarning, match="written alike") as caught:
            judged = retrieval.from_trec(small[0], run, small[1])
        assert str(caught[-1].message) == (
            f"no document of A is judged, so it scores 0. Are names written alike? {run}: row 1, "
            f"document 'Geese' of query '2'; {small[0]}: row 4, document 'geese' of query '2'"
        )
        assert caught[-1].filename == __file__
        assert average_precision_score(**judged["A"]) == 0


def numbers(text, value):
    query, _, document, *rest = zip(*lines_of(text), strict=True)
    values = [*map(float, rest[0 if value == "label" else 1])]
    return pa.table({"query": query, "document": document, value: values})


def nested(read, value):
    found = {}
    for row in read.to_pylist():
        found.setdefault(row["query"], {})[row["document"]] = row[value]
    return found


QRELS_TABLE = numbers(QRELS, "label")
RUNS = {"a": numbers(A, "score"), "b": numbers(B, "score")}
CHANGED = {"relevance_level": 2, "unjudged": "left out", "complete": True, "ties": "trec_eval"}
MIXED = pd.DataFrame({"query": [1, "a"]})
NAMES = ["2", "1", "pears", "geese", "apples"]
CODED = pa.DictionaryArray.from_arrays
LISTS = CODED([0, 1], pa.array([[1], [2]]))


class TestTables:
    @pytest.mark.parametrize(
        "made",
        [
            lambda read: read,
            pa.Table.to_pandas,
            pl.from_arrow,
            lambda read: pl.from_arrow(read).cast({pl.String: pl.Categorical}),
            lambda read: pl.from_arrow(read).cast({pl.String: pl.Enum(NAMES)}),
        ],
    )
    def test_tables_in_memory_equal_trec_files(self, small, made):
        runs = {name: made(run) for name, run in RUNS.items()}
        judged = retrieval.from_tables(made(QRELS_TABLE), runs)
        assert as_text(judged) == as_text(retrieval.from_trec(*small))

    @pytest.mark.parametrize(
        ("change", "problem"),
        [
            ({"query": CODED([1, 0], ["", "1"])}, "a: row 1, column 'query' is empty$"),
            ({"document": CODED([1, 0], [None, "1"])}, "a: row 1, column 'document' is empty$"),
            ({"score": [2**53 + 1, 2**53]}, "a: column 'score': .* is too large for a float"),
            ({"document": ["y", "y"]}, "a: row 1, document 'y' of query '1' is there already, in"),
            ({"query": LISTS}, "a: .*not one value a row"),
            ({"label": [1.0, None]}, "qrels: row 1, column 'label' is empty$"),
            ({"label": [1.0, -np.inf]}, "qrels: row 1, column 'label': '-inf' is not finite$"),
        ],
    )
    def test_faulty_tables_are_refused(self, change, problem):
        good = {"query": ["1", "1"], "document": ["x", "y"], "score": [2.0, 1.0]}
        run = pa.table(good | change)
        judged = pa.table(good | {"label": [1, 1]} | change) if "label" in change else QRELS_TABLE
        with pytest.raises(ValueError, match=f"^{problem}"):
            retrieval.from_tables(judged.slice(0, 2), {"a": run})

    def test_files_and_folders_with_other_column_names_and_types(self, small, tmp_path):
        qrels = QRELS_TABLE.to_pandas().rename(columns={"query": "qid", "label": "grade"})
        qrels = qrels.astype({"qid": int, "document": "category"})
        a, b = (run.rename_columns({"query": "qid"}) for run in RUNS.values())
        (tmp_path / "a").mkdir()
        for i in range(4):
            parquet.write_table(a.slice(i, 1), tmp_path / "a" / f"{i}.parquet")
        (tmp_path / "b").write_text(b.to_pandas().to_csv(index=False))
        paths = {"a": f"{tmp_path}/a/*.parquet", "b": tmp_path / "b"}
        judged = retrieval.from_tables(qrels, paths, query="qid", label="grade")
        assert as_text(judged) == as_text(retrieval.from_trec(*small))
        parquet.write_table(a.slice(1, 2), tmp_path / "a" / "twice.parquet")
        with pytest.raises(ValueError) as raised:  # noqa: PT011
            retrieval.from_tables(qrels, paths, query="qid", label="grade")
        assert str(raised.value) == (
            f"{tmp_path}/a/twice.parquet: row 1, document 'pears' of query '1' is there already, "
            f"in {tmp_path}/a/1.parquet: row 1"
        )

    @pytest.mark.parametrize("option", [{}, *({name: value} for name, value in CHANGED.items())])
    @pytest.mark.filterwarnings("ignore:.*quer")
    def test_options_act_alike_on_files_tables_and_dicts(self, write, option):
        texts = generated(n_queries=6)
        paths = [write(text, name) for name, text in texts.items()]
        of_files = as_text(retrieval.from_trec(*paths, **option))
        qrels = numbers(texts["qrels"], "label")
        runs = {name: numbers(texts[name], "score") for name in "ab"}
        assert as_text(retrieval.from_tables(qrels, runs, **option)) == of_files
        dicts = {name: nested(run, "score") for name, run in runs.items()}
        assert as_text(retrieval.from_dicts(nested(qrels, "label"), dicts, **option)) == of_files
        assert (as_text(retrieval.from_trec(*paths)) == of_files) == (not option)

    @pytest.mark.usefixtures("reader")
    def test_json_lines_and_csv_equal_trec_files(self, small, write):
        """Numbers of JSON lines are the same names as the text of CSV."""
        judged, found = (map(str.split, text.splitlines()) for text in (QRELS, A))
        qrels = [f'{{"query": {q}, "document": "{d}", "label": {n}}}' for q, _, d, n in judged]
        run = [f"{q};{d};{n}".replace(".", ",") for q, _, d, _, n, _ in found]
        path = write("\n".join(["query;document;score", *run]), "a.csv")
        judged = retrieval.from_tables(write("\n".join(qrels), "qrels.jsonl"), {"a": path})
        assert as_text(judged) == as_text(retrieval.from_trec(*small[:2]))

    def test_integer_and_float_document_names_match(self):
        numbers = [7, 12345678901]  # of which pyarrow writes 1.2345678901e+10, as a float
        qrels = pd.DataFrame({"query": 1, "document": numbers, "label": 1})
        run = pd.DataFrame({"query": 1.0, "document": [*map(float, numbers)], "score": [2.0, 1.0]})
        judged = retrieval.from_tables(qrels, {"a": run})
        assert average_precision_score(**judged["a"]) == 1


def test_tables_without_pyarrow_name_the_missing_packages(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"tables needs pyarrow.*pip install pyarrow tqdm"):
        retrieval.from_tables(QRELS_TABLE, RUNS)


def test_trec_lines_are_read_without_threads(small, monkeypatch):
    read = Mock(side_effect=csv.read_csv)
    monkeypatch.setattr(csv, "read_csv", read)
    retrieval.from_trec(*small)
    assert {call.args[1].use_threads for call in read.call_args_list} == {False}


@pytest.mark.parametrize(("argument", "name"), [("score", None), ("query", ["q"]), ("document", 3)])
def test_column_arguments_must_be_a_single_name(argument, name):
    with pytest.raises(TypeError, match=f"{argument} must be the name of one column, got "):
        retrieval.from_tables("qrels.csv", {"x": "run.csv"}, **{argument: name})


def test_empty_rows_of_runs_are_left_out_and_counted(tmp_path):
    qrels, run = tmp_path / "qrels.csv", tmp_path / "run.csv"
    qrels.write_text("query,document,label\nq,a,1\n")
    run.write_text("query,document,score\nq,a,1\n,,\n\nq,b,2\n")
    with pytest.warns(UserWarning, match="^empty rows are left out: 2$") as record:
        judged = retrieval.from_tables(qrels, {"x": run})
    assert [each.filename for each in record] == [__file__]
    assert judged.y_scores["x"].tolist() in ([1, 2], [2, 1])


def test_each_query_has_an_interval_and_a_difference_under_its_name(small):
    runs = retrieval.from_trec(*small)
    options = {"average": None, "zero_division": 0.0}
    found = average_precision_interval(**runs["a"], **options)
    assert found.names == runs.query_names == ("1", "2")
    np.testing.assert_array_equal(found.estimate, average_precision_score(**runs["a"], **options))
    compared = compare_average_precision(
        runs.y_true, runs.y_scores, queries=runs.queries, **options
    )
    assert compared.names == (("a", "1"), ("a", "2"), ("b", "1"), ("b", "2"))
