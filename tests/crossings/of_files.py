"""Rows in files and tables: counts of them, judged runs, and the command line."""

import contextlib
import io
import json
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from answers import comparison_of, definition_of, interval_of, lowest_selected
from scipy import sparse

import sklearn_ap
from sklearn_ap import large, retrieval
from sklearn_ap.__main__ import main

FOLDER = tempfile.TemporaryDirectory(prefix="crossings")
# The columns of a file, and the options of the command line.
COLUMNS = {"sample_weight": "w", "queries": "q", "clusters": "g"}
OF_ROWS = (*COLUMNS, "pos_label")
FLAGS = {"sample_weight": "--weight", "queries": "--query", "clusters": "--cluster"}
FLAGS |= {"pos_label": "--positive", "prevalence": "--prevalence"}
FLAGS |= {"confidence_level": "--confidence-level"}
FLAGS |= {"without_positives": "--without-positives"}


def write(case):
    """The rows in a file, or in a table."""
    columns = {"y": case.y_true, **case.scores}
    columns |= {COLUMNS[k]: v for k, v in case.said(*COLUMNS).items()}
    columns = {name: np.asarray(column).tolist() for name, column in columns.items()}
    table, path = pa.table(columns), Path(FOLDER.name, f"rows.{case.file_format}")
    if case.file_format == "table":
        return table
    writers = {"csv": pa.csv.write_csv, "parquet": pa.parquet.write_table}
    writers[case.file_format](table, path)
    return path


def counts_of(case):
    columns = {name: COLUMNS[name] for name in case.said(*COLUMNS)}
    return large.from_table(write(case), "y", "a", **columns, **case.said("pos_label"))


# ---- judged runs


def judgements(case):
    """The query, the document and the label of each row."""
    rows = zip(case.options["queries"], case.is_positive, strict=True)
    return [(str(name), f"d{i}", int(hit)) for i, (name, hit) in enumerate(rows)]


def runs_of(case):
    """The query, the document and the score of each row that each model retrieved."""
    runs = {}
    for model, scores in case.scores.items():
        pairs = zip(judgements(case), scores.tolist(), strict=True)
        runs[model] = [(*row[:2], score) for row, score in pairs if score > -np.inf]
    return runs


def judged_score(case, judged):
    ask = {"definition": definition_of(case)} | case.without("pos_label", "queries").options
    values = sklearn_ap.average_precision_score(**judged["a"], **ask)
    if case.average is not None:
        return values
    value_by_name = dict(zip(judged.query_names, values, strict=True))
    return [value_by_name[str(name)] for name in np.unique(case.options["queries"])]


def from_tables(case):
    def table(rows, *names):
        return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))

    qrels = table(judgements(case), "query", "document", "label")
    runs = {name: table(rows, "query", "document", "score") for name, rows in runs_of(case).items()}
    return judged_score(case, retrieval.from_tables(qrels, runs, complete=True))


def trec_files(case):
    lines = {"qrels.txt": [f"{q} 0 {d} {y}\n" for q, d, y in judgements(case)]}
    for name, rows in runs_of(case).items():
        lines[f"{name}.run"] = [f"{q} Q0 {d} 1 {s} x\n" for q, d, s in rows]
    for name, each in lines.items():
        Path(FOLDER.name, name).write_text("".join(each))
    return [str(Path(FOLDER.name, name)) for name in lines]


def from_trec(case):
    return judged_score(case, retrieval.from_trec(*trec_files(case), complete=True))


def from_dicts(case):
    def nested(rows):
        found = {query: {} for query, *_ in judgements(case)}
        for query, document, number in rows:
            found[query][document] = number
        return found

    runs = {model: nested(rows) for model, rows in runs_of(case).items()}
    return judged_score(case, retrieval.from_dicts(nested(judgements(case)), runs))


def from_sparse(case):
    names, rows = np.unique(case.options["queries"], return_inverse=True)
    cells, shape = (rows, np.arange(rows.size)), (names.size, rows.size)
    y_true = sparse.coo_array((case.is_positive.astype(int), cells), shape=shape)
    systems = {
        model: sparse.coo_array((scores.astype(np.float64), cells), shape=shape)
        for model, scores in case.scores.items()
    }
    judged = retrieval.from_sparse(y_true, systems)
    return judged_score(case, replace(judged, query_names=tuple(map(str, names))))


def has_runs(case):
    """A run without a row is no file."""
    return all(np.any(scores > -np.inf) for scores in case.scores.values())


# ---- the command line


class CommandLineError(ValueError):
    """What the command line says before it ends with status 2."""


def rows_of(arguments, n_models=1):
    """The rows of the only result, which is JSON; without a positive, there is none."""
    answer, status = answer_and_status(arguments)
    assert (status == 1) == (not answer["results"])
    if not answer["results"]:
        return [dict.fromkeys({*OF_COMPARISON, *OF_SCORE}, np.nan)] * n_models
    (result,) = answer["results"]
    return [{k: np.nan if v is None else v for k, v in row.items()} for row in result["rows"]]


def answer_and_status(arguments):
    """What the command line prints, and whether a requirement is not shown."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main([*map(str, arguments), "--format", "json"])
        except SystemExit as end:
            raise CommandLineError(err.getvalue()) from end
    return json.loads(out.getvalue()), status


def definition_said(case):
    """The call of a definition, as JSON shows it: AtK(k=10, normalizer='hits')."""
    name, options = case.definition
    shown = [f"{k}={v!r}" for k, v in options.items() if v != "attainable"]
    return ["--definition", f"{name}({', '.join(shown)})"]


def run(command, case, *models, options=()):
    return rows_of(arguments_of(command, case, *models, options=options), len(models))


def arguments_of(command, case, *models, options=()):
    arguments = [command, write(case), "--label", "y"]
    for model in models:
        arguments += ["--score", model]
    for option, value in case.said(*FLAGS).items():
        arguments += [FLAGS[option], COLUMNS.get(option, value)]
    return [*arguments, *options]


OF_SCORE = ("estimate", "low", "high", "standard_error")


def score(case):
    (row,) = run("score", case, "a", options=definition_said(case))
    return {name: row[name] for name in OF_SCORE}


LEAST_VALUE = 0.3


def gate(case):
    """A requirement with two tries, which halve an error that is said to be twice as large."""
    options = definition_said(case)
    options += ["--require", f"{options[1]} >= {LEAST_VALUE}"]
    double_error = 2 * (1 - case.options.get("confidence_level", 0.95))
    if double_error < 1:
        options += ["--confidence-level", 1 - double_error, "--tries", 2]
    answer, status = answer_and_status(arguments_of("score", case, "a", options=options))
    if not answer["results"]:
        assert status == 1
        return {"low": np.nan, "shown": answer["shown"]}
    (row,) = answer["results"][0]["rows"]
    assert status == (0 if answer["shown"] else 3)
    return {"low": np.nan if row["low"] is None else row["low"], "shown": answer["shown"]}


def expected_gate(case):
    found = expected_score(case)
    if "low" not in found:
        return {}
    return {"low": found["low"], "shown": found["low"] >= LEAST_VALUE}


SHARES = ("precision", "recall", "selected")
OF_COMPARISON = (
    "estimate",
    "low",
    "high",
    "difference",
    "difference_low",
    "difference_high",
    "pvalue",
)


def compared(rows):
    return {name: [row[name] for row in rows] for name in OF_COMPARISON}


def comparison(case):
    return compared(run("score", case, *"abc", options=definition_said(case)))


def runs(case):
    options = [*definition_said(case), "--complete"]
    for option, value in case.said("without_positives", "confidence_level").items():
        options += [FLAGS[option], value]
    return compared(rows_of(["trec", *trec_files(case), *options], len(case.scores)))


def threshold(case):
    name, wanted = case.goal
    values = [wanted["false_positive"], wanted["false_negative"]] if name == "cost" else [wanted]
    arguments = arguments_of("threshold", case, "a", options=[f"--{name}", *values])
    results = answer_and_status(arguments)[0]["results"]
    if not results:
        raise CommandLineError("y_true holds no positive")
    (result,) = results
    rows = {
        row["name"]: {k: np.nan if v is None else v for k, v in row.items()}
        for row in result["rows"]
    }
    found = {k: rows[k]["estimate"] for k in SHARES}
    found |= {f"{k}_interval": [rows[k]["low"], rows[k]["high"]] for k in SHARES}
    lowest = lowest_selected(case, np.nan if result["threshold"] is None else result["threshold"])
    cost = result["notes"].get("cost")
    return found | {"threshold": lowest, "n_selected": result["n_selected"], "cost": cost}


# ---- what the reference says


def has_a_file(case):
    return case.file_format != "table" and has_a_name(case)


def has_a_name(case):
    """Whether the command line shows the definition: not one with a share or levels."""
    values = case.definition[1].values()
    is_shown = case.definition[1].get("recall_levels") in (None, 11, 101)
    is_shown &= not any(isinstance(value, float | tuple) for value in values)
    return is_shown and case.average == "macro"


def as_read(case):
    """Undefined queries count 0, or are left out; nothing is known if all are undefined."""
    read = case.without("without_positives")
    if "without_positives" in case.options:
        names = case.options["queries"]
        has_positives = np.isin(names, names[case.is_positive & (case.weight > 0)])
        read = read.only(has_positives) if has_positives.any() else read
    is_undefined = np.isnan(read.exact(zero_division=np.nan))
    return read.having(zero_division=np.nan if is_undefined else 0.0)


def expected_score(case):
    found = interval_of(as_read(case))
    return {name: found[name] for name in OF_SCORE if name in found}


def expected_comparison(case):
    return comparison_of(as_read(case))
