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
from answers import comparison_of, definition_of, interval_of
from scipy import sparse

import sklearn_ap
from sklearn_ap import large, retrieval
from sklearn_ap.__main__ import main

FOLDER = tempfile.TemporaryDirectory(prefix="crossings")
# The columns of a file, and the options of the command line that name them.
COLUMNS = {"sample_weight": "w", "queries": "q", "clusters": "g"}
OF_ROWS = (*COLUMNS, "pos_label")
BY_COLUMN = {"sample_weight": "--weight", "queries": "--query", "clusters": "--cluster"}
BY_VALUE = {"pos_label": "--positive", "prevalence": "--prevalence"}
BY_VALUE |= {"without_positives": "--without-positives"}


def table_of(case):
    columns = {"y": case.y_true}
    columns |= {name: np.asarray(each) for name, each in case.scores.items()}
    columns |= {name: case.options[k] for k, name in COLUMNS.items() if k in case.options}
    return pa.table({name: column.tolist() for name, column in columns.items()})


def write(case):
    """The rows in a file, or in a table."""
    table, path = table_of(case), Path(FOLDER.name, f"rows.{case.file_format}")
    if case.file_format == "table":
        return table
    if case.file_format == "parquet":
        pa.parquet.write_table(table, path)
        return path
    columns = table.to_pydict()
    lines = [[*columns], *zip(*columns.values(), strict=True)]
    path.write_text("\n".join(",".join(map(str, line)) for line in lines) + "\n")
    return path


def counts_of(case):
    columns = {name: COLUMNS[name] for name in case.said(*COLUMNS)}
    return large.from_table(write(case), "y", "a", **columns, **case.said("pos_label"))


# ---- judged runs


def lines_of(case):
    """The query, the document and the label of each row, as in TREC's files."""
    names = [str(name) for name in case.options["queries"]]
    return names, [f"d{i}" for i in range(len(names))], case.is_positive.astype(int).tolist()


def judged_score(case, judged):
    rest = case.without("pos_label", "queries").options
    values = sklearn_ap.average_precision_score(
        **judged["a"], definition=definition_of(case), **rest
    )
    if case.average is not None:
        return values
    of_name = dict(zip(judged.query_names, values, strict=True))
    return [of_name[str(name)] for name in np.unique(case.options["queries"])]


def from_tables(case):
    names, documents, label = lines_of(case)
    qrels = pa.table({"query": names, "document": documents, "label": label})
    runs = {}
    for model, scores in case.scores.items():
        kept = np.flatnonzero(scores > -np.inf)
        query, document = ([column[i] for i in kept] for column in (names, documents))
        runs[model] = pa.table({"query": query, "document": document, "score": scores[kept]})
    return judged_score(case, retrieval.from_tables(qrels, runs, complete=True))


def trec_files(case):
    rows = list(zip(*lines_of(case), strict=True))
    qrels, *runs = (Path(FOLDER.name, name) for name in ("qrels.txt", "a.run", "b.run", "c.run"))
    qrels.write_text("".join(f"{q} 0 {d} {y}\n" for q, d, y in rows))
    for run in runs:
        scored = zip(rows, case.scores[run.stem].tolist(), strict=True)
        run.write_text("".join(f"{q} Q0 {d} 1 {s} x\n" for (q, d, _), s in scored if s > -np.inf))
    return str(qrels), *map(str, runs)


def from_trec(case):
    return judged_score(case, retrieval.from_trec(*trec_files(case), complete=True))


def from_dicts(case):
    qrels = {}
    for query, document, label in zip(*lines_of(case), strict=True):
        qrels.setdefault(query, {})[document] = label
    runs = {model: {query: {} for query in qrels} for model in case.scores}
    for model, scores in case.scores.items():
        for query, document, score in zip(*lines_of(case)[:2], scores.tolist(), strict=True):
            if score > -np.inf:
                runs[model][query][document] = score
    return judged_score(case, retrieval.from_dicts(qrels, runs))


def from_sparse(case):
    names, rows = np.unique(case.options["queries"], return_inverse=True)
    cells, shape = (rows, np.arange(rows.size)), (names.size, rows.size)
    y_true = sparse.coo_array((case.is_positive.astype(int), cells), shape=shape)
    systems = {
        model: sparse.coo_array((scores.astype(np.float64), cells), shape=shape)
        for model, scores in case.scores.items()
    }
    judged = retrieval.from_sparse(y_true, systems)
    named = replace(judged, query_names=tuple(map(str, names)))
    return judged_score(case, named)


def all_retrieved_something(case):
    """A run without a row is no file."""
    return all(np.any(scores > -np.inf) for scores in case.scores.values())


# ---- the command line


class CommandLineError(ValueError):
    """What the command line says before it ends with status 2."""


def answer_of(arguments):
    """The results of the command line, which prints JSON."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([*map(str, arguments), "--format", "json"])
        except SystemExit as end:
            raise CommandLineError(err.getvalue()) from end
    return json.loads(out.getvalue())["results"]


def numbers_of(rows, names):
    """Columns of the results; what is not known is null."""
    return {name: [np.nan if row[name] is None else row[name] for row in rows] for name in names}


def called(case):
    """The call of a definition, as JSON shows it: AtK(k=10, normalizer='hits')."""
    name, options = case.definition
    shown = {k: v for k, v in options.items() if v != "attainable"}
    return f"{name}({', '.join(f'{k}={v!r}' for k, v in shown.items())})"


def definition_said(case):
    return ["--definition", called(case)]


def said(case):
    found = []
    for option, name in BY_COLUMN.items():
        found += [name, COLUMNS[option]] if option in case.options else []
    for option, name in BY_VALUE.items():
        found += [name, case.options[option]] if option in case.options else []
    return found


def run(command, case, *models, options=()):
    scores = [part for model in models for part in ("--score", model)]
    return answer_of([command, write(case), "--label", "y", *scores, *said(case), *options])


def of_one(command, case, names):
    """Numbers of one column of scores."""
    rows = run(command, case, "a", options=definition_said(case))
    return {name: values[0] for name, values in numbers_of(rows, names).items()}


def score(case):
    return of_one("score", case, ("value", "low", "high", "standard_error"))


def chance(case):
    return of_one("chance", case, ["score"])["score"]


SHARES = ("precision", "recall", "selected")
OF_COMPARISON = [
    *("estimate", "low", "high", "difference", "difference_low", "difference_high"),
    *("difference_standard_error", "pvalue", "adjusted_pvalue"),
]


def compared(rows):
    return {f"{name}s": values for name, values in numbers_of(rows, OF_COMPARISON).items()}


def comparison(case):
    return compared(run("score", case, *"abc", options=definition_said(case)))


def comparison_of_steps(case):
    """Of several columns, all definitions are compared."""
    rows = run("compare", case, *"abc")
    return compared([row for row in rows if row["definition"] == "Step()"])


def runs(case):
    options = [*definition_said(case), "--complete"]
    if "without_positives" in case.options:
        options += ["--without-positives", case.options["without_positives"]]
    return compared(answer_of(["trec", *trec_files(case), *options]))


def threshold(case):
    name, wanted = case.goal
    values = [wanted["false_positive"], wanted["false_negative"]] if name == "cost" else [wanted]
    (row,) = run("threshold", case, "a", options=[f"--{name}", *values])
    limits = {f"{k}_interval": [row[f"{k}_low"], row[f"{k}_high"]] for k in SHARES}
    return {k: np.nan if v is None else v for k, v in (row | limits).items()}


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
    key = "read", repr(case.definition), repr(case.options)
    if key not in case.known:
        read = case.without("without_positives")
        if "without_positives" in case.options:
            names = case.options["queries"]
            has_positives = np.isin(names, names[case.is_positive & (case.weight > 0)])
            read = read.only(has_positives) if has_positives.any() else read
        is_undefined = np.isnan(read.exact(zero_division=np.nan))
        case.known[key] = read.having(zero_division=np.nan if is_undefined else 0.0)
    return case.known[key]


def expected_score(case):
    found = interval_of(as_read(case))
    names = {"value": "estimate"} | {k: k for k in ("low", "high", "standard_error")}
    return {k: found[name] for k, name in names.items() if name in found}


def expected_chance(case):
    return as_read(case).exact()


def expected_comparison(case):
    found = comparison_of(as_read(case))
    for name in ("n_positives", "n_effective"):
        found.pop(name, None)
    return found
