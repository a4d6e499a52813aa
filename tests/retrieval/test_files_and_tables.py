"""TREC's files and tables become the same arguments as dicts."""

import gzip

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sklearn_ap import average_precision_score, retrieval
from tests.helpers.retrieval_files import QRELS, A, B, generated
from tests.helpers.trec_reference import lines_of


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


def rows_of(judged):
    """All that the rows hold, in the order of their names."""
    frame = judged.to_frame().sort_values(["query", "document"])
    return judged.query_names, [*frame.itertuples(index=False, name=None)]


def table_of(text, value):
    query, _, document, *rest = zip(*lines_of(text), strict=True)
    values = [*map(float, rest[0 if value == "label" else 1])]
    return pa.table({"query": query, "document": document, value: values})


def dict_of(table, value):
    found = {}
    for row in table.to_pylist():
        found.setdefault(row["query"], {})[row["document"]] = row[value]
    return found


QRELS_TABLE = table_of(QRELS, "label")
RUNS = {"a": table_of(A, "score"), "b": table_of(B, "score")}
CHANGED = {"relevance_level": 2, "unjudged": "left out", "complete": True, "ties": "trec_eval"}


class TestTrec:
    def test_documents_that_a_system_did_not_retrieve_score_minus_infinity(self, small):
        judged = retrieval.from_runs(small[0], small[1:])
        assert rows_of(judged) == (
            ("1", "2"),
            [
                ("1", "apples", True, True, 0.9, -np.inf),
                ("1", "geese", True, True, -np.inf, 9),
                ("1", "pears", False, True, 0.8, -np.inf),
                ("2", "geese", True, True, 0.6, 8),
                ("2", "pears", False, False, 0.7, -np.inf),
            ],
        )

    @pytest.mark.parametrize("name", ["new.run", "new.run.gz", "new.TXT", "new"])
    def test_systems_are_called_after_their_files(self, small, write, name):
        content = gzip.compress(A.encode()) if name.endswith("gz") else A
        found = retrieval.from_runs(small[0], write(content, name))
        assert [*found.y_scores] == ["new"]

    def test_systems_whose_files_have_one_name_are_called_by_their_paths(self, small, tmp_path):
        (tmp_path / "x").mkdir()
        other = small[1].rename(tmp_path / "x" / "b.run")
        found = retrieval.from_runs(small[0], [other, small[2]])
        assert [*found.y_scores] == [str(other), str(small[2])]

    def test_lines_have_any_blanks_and_no_header(self, write, monkeypatch):
        monkeypatch.setattr("sklearn_ap.retrieval._trec_files.BLOCK", 64)
        last = [f"é{i:02d}" for i in range(20)]
        begin = '\ufeff1 Q0 d1 1 0.5 t\n\n 2\tQ0  d"2 2 -inf t \r\n'
        run = begin + "".join(f"3 Q0 {name} 1 -{i} t\n" for i, name in enumerate(last))
        qrels = write('1 0 d1 1\n2 0 d"2 1\n' + "".join(f"3 0 {name} 1\n" for name in last), "q")
        rows = [("1", "d1", True, True, 0.5), ("2", 'd"2', True, True, -np.inf)]
        rows += [("3", name, True, True, -i) for i, name in enumerate(last)]
        assert rows_of(retrieval.from_runs(qrels, write(run, "r"))) == (("1", "2", "3"), rows)

    @pytest.mark.parametrize(
        ("name", "text", "said"),
        [
            ("q", "q 0 d 1\nq 0 d\n", "row 2 has 3 columns, not 4: 'q 0 d'"),
            ("q", "q Q0 d 1 9 t\n", "row 1 has 6 columns, not 4: "),
            ("r", "q 0 d 1\n", "row 1 has 4 columns, not 6: "),
            ("q", "q 0 d 1\nq 0 d x\n", "row 2, column 'label': 'x' is not a number"),
            ("q", "q 0 d inf\n", "row 1, column 'label': 'inf' is infinite"),
            ("q", "q 0 d 1\nq 0 e -inf\n", "row 2, column 'label': '-inf' is infinite"),
            ("r", "q Q0 d 1 nan t\n", "row 1, column 'score': 'nan' is not a number"),
            ("r", " \n", "there are no rows"),
            ("r", "query,document,score\n", r"row 1 has 1 column, not 6.*pd.read_csv\(path\)"),
        ],
    )
    def test_wrong_lines_are_named_by_their_file_and_row(self, small, write, name, text, said):
        paths = {"q": small[0], "r": small[1], name: write(text, name)}
        with pytest.raises(ValueError, match=f"{name}: {said}"):
            retrieval.from_runs(paths["q"], paths["r"])

    def test_equal_scores_beside_ranks_are_no_distances(self, small, write):
        names = ["apples", *"abcdefghij"]
        lines = [f"1 Q0 {name} {rank} 1 x" for rank, name in enumerate(names, 1)]
        run = write("\n".join(lines), "x")
        with pytest.warns(UserWarning, match="^x: all scores of a query are equal: write scores"):
            retrieval.from_runs(small[0], [run], complete=True)

    @pytest.mark.parametrize("step", [1, 0])
    def test_scores_that_fall_on_no_line_raise_a_warning(self, small, write, step):
        scores = {f"d{rank}": 0.5 + step * rank for rank in range(1, 12)} | {"apples": 99}
        lines = [f"1 Q0 {name} {rank} {x} l2" for rank, (name, x) in enumerate(scores.items(), 1)]
        run = write("\n".join(lines), "distance")
        with pytest.warns(UserWarning, match="distance: scores fall from no line to the next"):
            retrieval.from_runs(small[0], run, complete=True)
        with pytest.warns(UserWarning, match="distance: scores fall from no line to the next"):
            retrieval.from_runs({"1": {"apples": 1}}, {"distance": {"1": scores}})

    @pytest.mark.parametrize(
        ("runs", "message"),
        [
            ([], "No system is given"),
            (["a", "a"], "needs a name of its own: .* given twice"),
            ({"1": {"a": 1}}, "must have a dict.* has a name"),
            ("twice", "^twice: document .* twice. Keep one"),
        ],
    )
    def test_invalid_runs_are_refused(self, small, write, monkeypatch, runs, message):
        monkeypatch.chdir(write(A + A, "twice").parent)
        with pytest.raises((TypeError, ValueError), match=message):
            retrieval.from_runs(small[0], runs)

    def test_judgements_of_other_queries_are_refused(self, small, write):
        message = "qrels: none of its queries is in a run: it has '7.0', and a run has '1'"
        with pytest.raises(ValueError, match=message):
            retrieval.from_runs(write("7.0 0 d1 1\n", "qrels"), small[1], complete=True)


class TestTables:
    @pytest.mark.parametrize(
        "made",
        [
            lambda read: read,
            pa.Table.to_pandas,
            lambda read: pl.from_arrow(read).cast({pl.String: pl.Categorical}),
        ],
    )
    def test_tables_in_memory_equal_trec_files(self, small, made):
        runs = {name: made(run) for name, run in RUNS.items()}
        judged = retrieval.from_runs(made(QRELS_TABLE), runs)
        assert rows_of(judged) == rows_of(retrieval.from_runs(small[0], small[1:]))

    @pytest.mark.parametrize("option", [{}, *({name: value} for name, value in CHANGED.items())])
    @pytest.mark.filterwarnings("ignore:.*quer")
    def test_options_act_alike_on_files_tables_and_dicts(self, write, option):
        texts = generated(n_queries=6)
        paths = [write(text, name) for name, text in texts.items()]
        of_files = rows_of(retrieval.from_runs(paths[0], paths[1:], **option))
        qrels = table_of(texts["qrels"], "label")
        runs = {name: table_of(texts[name], "score") for name in "ab"}
        assert rows_of(retrieval.from_runs(qrels, runs, **option)) == of_files
        dicts = {name: dict_of(run, "score") for name, run in runs.items()}
        of_dicts = retrieval.from_runs(dict_of(qrels, "label"), dicts, **option)
        assert rows_of(of_dicts) == of_files
        assert (rows_of(retrieval.from_runs(paths[0], paths[1:])) == of_files) == (not option)

    def test_columns_of_other_names_and_types_beside_files_and_dicts(self, small):
        qrels = QRELS_TABLE.to_pandas().rename(columns={"query": "qid", "label": "grade"})
        qrels = qrels.astype({"qid": int, "document": "category"})
        a = RUNS["a"].rename_columns(["qid", "document", "s"])
        expected = rows_of(retrieval.from_runs(small[0], small[1:]))
        columns = {"query": "qid", "score": "s", "label": "grade"}
        for b in (small[2], dict_of(RUNS["b"], "score")):
            assert rows_of(retrieval.from_runs(qrels, {"a": a, "b": b}, **columns)) == expected
            judged = retrieval.from_runs(small[0], {"a": a, "b": b}, **columns)
            assert rows_of(judged) == expected

    def test_whole_floats_are_the_names_of_integers(self):
        numbers = [7, 12345678901]
        qrels = pd.DataFrame({"query": 1, "document": numbers, "label": 1})
        run = pd.DataFrame({"query": 1.0, "document": [*map(float, numbers)], "score": [2.0, 1.0]})
        judged = retrieval.from_runs(qrels, {"a": run})
        assert average_precision_score(**judged["a"]) == 1

    @pytest.mark.parametrize(
        ("change", "problem"),
        [
            ({"document": ["x", None]}, "a: row 1, column 'document' is empty"),
            ({"document": ["y", "y"]}, "a: document 'y' of query '1' is there twice"),
            ({"label": [1.0, np.inf]}, "qrels: row 1, column 'label': 'inf' is infinite"),
        ],
    )
    def test_an_error_names_the_row(self, change, problem):
        good = {"query": ["1", "1"], "document": ["x", "y"], "score": [2.0, 1.0]}
        run = pa.table(good | change)
        judged = pa.table(good | {"label": [1, 1]} | change) if "label" in change else QRELS_TABLE
        judged = judged.slice(0, 2)
        with pytest.raises(ValueError, match=f"^{problem}"):
            retrieval.from_runs(judged, {"a": run})

    @pytest.mark.parametrize(
        ("runs", "options", "message"),
        [
            ([{"1": ["x"]}], {}, "runs must map .* or list nothing but paths .* got list"),
            (["run.txt", RUNS["a"]], {}, "runs must map .* or list nothing but paths .* got list"),
            (RUNS["a"], {}, "runs must map the name of each system .* got Table"),
            (
                {"x": 3},
                {},
                "x must be a dict, .* a table .* or the path of a file of TREC, got int",
            ),
            ({"x": RUNS["a"].slice(0, 0)}, {}, "x: there are no rows"),
            ({"x": RUNS["a"]}, {"score": "points"}, "^x: there is no column 'points'"),
            (
                {"x": RUNS["a"].rename_columns(["qid", "docid", "score"])},
                {},
                "^x: .* 'qid', .* Pass the names of columns as query= and document=, or rename",
            ),
        ],
    )
    def test_invalid_arguments_are_refused(self, runs, options, message):
        with pytest.raises((TypeError, ValueError), match=message):
            retrieval.from_runs(QRELS_TABLE, runs, **options)


@pytest.mark.parametrize("column", ["rank", "position"])
def test_ranks_are_no_scores(column):
    qrels = pa.table({"query": ["a"], "document": ["x"], "label": [1]})
    run = pa.table({"query": ["a"], "document": ["x"], column: [1]})
    with pytest.raises(ValueError, match=f"Make a column of -{column}"):
        retrieval.from_runs(qrels, {"run": run}, score=column)
