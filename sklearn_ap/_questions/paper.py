"""Tables for papers: a row for each name, a column for each measure, and what to write below."""

import re
from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal

import numpy as np

from sklearn_ap._base.drawing.legend import sample_in_words
from sklearn_ap._base.extras import printable
from sklearn_ap._base.inputs.option_checks import check_choice
from sklearn_ap._base.text import (
    Table,
    interval_head,
    level_as_text,
    pvalue_in_words,
    table_as_text,
    title_with_prevalence,
)
from sklearn_ap._uncertainty.options import DIFFERENCE_KINDS, SCORE_KINDS
from sklearn_ap._uncertainty.pvalues import holm_adjusted
from sklearn_ap._version import __version__

Style = Literal["text", "markdown", "latex"]
Columns = dict[str, dict[str, str]]  # by their heads; cells by the names of rows
Adjusted = dict[tuple[int, str], float]  # p-values by the places of results and the names of rows
EMPTY = "''"  # in the place of a name without letters
NAMES = "name", "ranking", "segment"  # what a row is called by
LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
# What Markdown does not show as it is; not "_" within a word, nor "<" before a number.
MARKED = re.compile(
    r"[|`\[*]|\\(?=[!-/:-@\[-`{-~])|<(?=[a-z/!?]|[^\s<>]*@)|&(?=#?\w+;)|~(?=~)|(?<![^\W_])_|_(?![^\W_])",
    re.IGNORECASE,
)
HOW = {
    "influence": "by influence functions",
    "resampling": "by bootstrap samples",
    "queries": "by the variance over queries",
}
UNBIASED = "less the estimated bias where it is known."
OF_METHOD = {
    "influence": "Intervals are Wilson's with the infinitesimal-jackknife variance (influence "
    "functions), shrunken towards that of a proportion, or towards what rows that the sample lacks "
    f"could change, if that is smaller, {UNBIASED}",
    "resampling": "Intervals are Wilson's with the variance over bootstrap samples, shrunken "
    f"towards that of a proportion, {UNBIASED}",
    "queries": "Intervals are Wilson's with Student's quantile and the variance over queries, "
    "which are sampled as a whole.",
}
OF_VARIANCE = {
    "influence": "the infinitesimal-jackknife variance (influence functions)",
    "resampling": "the variance over bootstrap samples",
    "queries": "the variance over queries, which are sampled as a whole",
}
OF_LOGIT = (
    "Intervals are those of the logit of the score, transformed back (Boyd, Eng and Page), with "
    "Student's quantile and {}. They are neither shrunken nor corrected for bias."
)
OF_LABELS = "Each label is weighted by one over its inclusion probability (Horvitz and Thompson)."
OF_JUDGE = "A judge of all rows corrects the estimate (prediction-powered inference)."
OF_FOLDS = "Variances are multiplied, as folds share their training rows."
OF_DIFFERENCES = (
    "Differences are paired, on the same rows, with Student's test and interval from the variance "
    "of the difference."
)
OF_NORMAL_DIFFERENCES = (
    "Differences are paired, on the same rows, with a normal test and interval from the standard "
    "error of the difference (Wald)."
)
OF_RUNS = (
    "Scores are means over training runs; their variance is that over rows, plus that between runs "
    "less what rows put into it (random effects of two crossed factors)."
)
OF_CLUSTERS = "Clusters are the sampling units, as their rows depend on each other."
OF_BEST = (
    "Lower limits allow for the choice of the best model (Westfall and Young), and models that "
    "may be the best are Hsu's."
)
OF_SEGMENTS = (
    "Scores of segments have Wilson's intervals, and differences have intervals that follow "
    "from those (MOVER); a p-value is one minus the level at which a limit is 0."
)
OF_TREND = (
    "A trend is a regression of the scores with Student's interval, weighted by the inverse of "
    "their variance, and true scores vary about the line (Paule and Mandel)."
)
OF_TREND_OF_FEW = (
    "A trend is a regression of the scores, weighted by positives, with Student's interval. It is "
    "given these segments: the true scores are not taken to vary about the line."
)
OF_CHANCE = (
    "The p-value is the share of random orders of the labels that score at least as high, and the "
    "observed one is counted among them (Phipson and Smyth)."
)
OF_SHARES = (
    "Precision, recall and the share of selected rows have Wilson's intervals with Student's "
    "quantile, which do not allow for the choice of the threshold."
)
OF_PREVALENCE = (
    "Those at another prevalence follow from the intervals of recall and of the false positive "
    "rate (MOVER)."
)
CITED_AS = (
    "The sklearn_ap developers, sklearn_ap: average precision, every definition under its own "
    f"name, version {__version__}."
)
LATEX |= {letter: f"\\{letter}" for letter in "&%$#_{}"} | {sign: f"${sign}$" for sign in "<>|"}


def paper_table(results: Sequence[Any], style: Style, digits: Any) -> str:
    """Give a row for each name, and for each result its limits and adjusted p-values."""
    check_choice("style", style, Style)
    if isinstance(digits, bool) or not isinstance(digits, Integral) or digits < 1:
        raise ValueError(f"digits must be an integer from 1 on, got {digits!r}.")
    tables = [*map(_rows_by_name, results)]
    _check_names_of_all(tables)
    if len({"segment" in next(iter(rows.values())) for rows in tables}) > 1:
        raise ValueError(
            "Segments stand in rows, and so do models, so they do not go into one table. Make a "
            "table of each."
        )
    tests = {
        (i, name): row["pvalue"]
        for i, rows in enumerate(tables)
        for name, row in rows.items()
        if _is_tested(results[i], row)
    }
    adjusted = dict(zip(tests, holm_adjusted(np.array([*tests.values()])).tolist(), strict=True))
    columns = _all_columns(results, tables, adjusted, int(digits))
    names = dict.fromkeys(name for rows in tables for name in rows)
    lines = [[name, *(cells.get(name, "") for cells in columns.values())] for name in names]
    notes = [*dict.fromkeys(caption(result) for result in results)]
    notes += [_about_pvalues(len(tests))] if tests else []
    methods = (sentence for result in results for sentence in method_in_words(result))
    notes = [" ".join(notes), " ".join(dict.fromkeys(methods)), CITED_AS]
    layouts = {"markdown": _with_notes, "latex": _latex, "text": _text}
    return layouts[style](["", *columns], lines, notes)


def _rows_by_name(result: Any) -> dict[str, Any]:
    if not {"confidence_level", "chance"} & {*dir(result)}:
        raise TypeError(f"{type(result).__name__} has no score to print.")
    if getattr(result, "remark", ""):
        raise ValueError(f"There is no threshold to print. {result.remark}")
    rows: dict[str, Any] = {}
    for row in result.rows():
        name = _name(row)
        if name in rows:
            raise _alike(name, rows[name], row)
        rows[name] = row
    return rows


def _check_names_of_all(tables: list[dict[str, Any]]) -> None:
    """Refuse a row of one result that is printed as another one of the results before."""
    known: dict[str, Any] = {}
    for name, row in (each for rows in tables for each in rows.items()):
        if _called(known.setdefault(name, row)) != _called(row):
            raise _alike(name, known[name], row)


def _alike(name: str, *rows: dict[str, Any]) -> ValueError:
    called = (repr(names[0] if len(names) == 1 else names) for names in map(_called, rows))
    return ValueError(
        f'Two rows of the table would both have the name "{name}": {" and ".join(called)}. Rename '
        f"one of them."
    )


def _called(row: dict[str, Any]) -> tuple[Any, ...]:
    """The names of a row as the user gave them."""
    return tuple(row[name] for name in NAMES if name in row)


def _all_columns(
    results: Sequence[Any], tables: list[dict[str, Any]], adjusted: Adjusted, digits: int
) -> Columns:
    columns: Columns = {}
    for i, (result, rows) in enumerate(zip(results, tables, strict=True)):
        pvalues = {name: _pvalue(adjusted[i, name]) for name in rows if (i, name) in adjusted}
        of_rows = _columns(result, rows, pvalues, digits)
        judged = getattr(result, "judged", None)
        for head in ("positives", "" if judged is None else judged.head):
            if columns.get(head) == of_rows.get(head):  # those of the same rows
                of_rows.pop(head, None)
        for head in filter(columns.__contains__, of_rows):
            raise ValueError(
                f"Two results have the same definition, or are operating points, or have other "
                f"positives, so two columns have the head {head!r}. Make a table of each."
            )
        columns |= of_rows
    return columns


def _columns(result: Any, rows: dict[str, Any], pvalues: dict[str, str], digits: int) -> Columns:
    """The columns of one result: a cell for each name, by their heads."""

    def cells(*numbers: str) -> dict[str, str]:
        return {name: _cell([row[key] for key in numbers], digits) for name, row in rows.items()}

    level = f" ({level_as_text(getattr(result, 'confidence_level', 0))} CI)"
    if hasattr(result, "threshold"):
        at = "" if result.prevalence is None else f" at prevalence {result.prevalence:.3g}"
        return {
            share + (at if share != "recall" else "") + level: cells(
                share, f"{share}_low", f"{share}_high"
            )
            for share in ("precision", "recall", "selected")
        }
    title = title_with_prevalence(result.definition.title, result.prevalence)
    if hasattr(result, "chance"):
        scores = {title: cells("score"), f"{title} by chance": cells("chance")}
        return scores | {f"p, {title} vs chance": pvalues}
    columns = {title + level: cells("estimate", "low", "high")}
    first = next(iter(rows.values()))
    if "n_positives" in first:
        columns["positives"] = {name: f"{row['n_positives']:,.6g}" for name, row in rows.items()}
    if "judged_at_k" in first:
        columns[result.judged.head] = cells("judged_at_k")
    if "share" in first:
        columns["prevalence"] = cells("share")
    if "may_be_best" in first:
        words = {name: "yes" if row["may_be_best"] else "no" for name, row in rows.items()}
        return columns | {f"may be best, {title}": words}
    reference = getattr(result, "reference", None)
    if reference is None:
        return columns
    versus = _printed(reference)
    differences = {name: _difference(result, rows[name], digits) for name in pvalues}
    if not pvalues:
        return columns
    return columns | {
        f"{title} minus {versus}{level}": differences,
        f"p, {title} vs {versus}": pvalues,
    }


def _name(row: dict[str, Any]) -> str:
    text = ", ".join(map(_printed, _called(row)))
    if not text and "threshold" in row:
        return f"threshold {row['printed_threshold']}"
    return text or "score"


def _printed(name: Any) -> str:
    """Without spaces that nobody sees, as renderers leave them out."""
    return " ".join(printable(str(name)).split()) or EMPTY


def _cell(numbers: list[float], digits: int) -> str:
    """A number, and its limits if there are any."""
    number, *limits = (f"{each:.{digits}f}" for each in numbers)
    return f"{number} ({limits[0]} to {limits[1]})" if limits else number


def _difference(result: Any, row: dict[str, Any], digits: int) -> str:
    """A difference with its limits, of which a one-sided interval has one."""
    number, low, high = (
        f"{row[key]:+.{digits}f}" for key in ("difference", "difference_low", "difference_high")
    )
    sides = {"greater": f"at least {low}", "less": f"at most {high}"}
    return f"{number} ({sides.get(result.alternative, f'{low} to {high}')})"


def _is_tested(result: Any, row: dict[str, Any]) -> bool:
    is_reference = "name" in row and row["name"] == getattr(result, "reference", None)
    return not is_reference and row.get("pvalue", np.nan) >= 0


def _pvalue(pvalue: float) -> str:
    return "<0.001" if pvalue < 0.001 else f"{pvalue:.3f}"


def markdown(head: list[str], lines: list[list[str]]) -> str:
    rows = [[in_markdown(cell) for cell in line] for line in (head, *lines)]
    rows.insert(1, ["---"] * len(head))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def in_markdown(text: str) -> str:
    """Escape what would not be shown as it is: a tag, a link, code, or the end of a cell."""
    return MARKED.sub(lambda found: "\\" + found[0], text)


def _with_notes(head: list[str], lines: list[list[str]], notes: list[str]) -> str:
    return "\n\n".join([markdown(head, lines), *(note.replace("|", r"\|") for note in notes)])


def _text(head: list[str], lines: list[list[str]], notes: list[str]) -> str:
    return "\n\n".join([table_as_text(Table([head, *lines], [])), *notes])


def _latex(head: list[str], lines: list[list[str]], notes: list[str]) -> str:
    """A tabular, and in comments, what is below the table."""
    first, *rest = (" & ".join(map(_escaped, line)) + r" \\" for line in (head, *lines))
    begin = rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}"
    end = [r"\hline", r"\end{tabular}", *(f"% {_escaped(note)}" for note in notes)]
    return "\n".join([begin, r"\hline", first, r"\hline", *rest, *end])


def _escaped(text: str) -> str:
    return "".join(LATEX.get(letter, letter) for letter in text)


def caption(result: Any) -> str:
    """What stands below the table: the intervals, the sample and the judge."""
    sample = sample_in_words(result)
    parts = [f"n = {sample}"] if sample else []
    if folds := _folds(result):
        parts.append(f"the test rows of {folds} folds as one pool")
    if hasattr(result, "threshold"):
        by, name = "Wilson's", f"threshold {result.printed_threshold}"
    else:
        name = title_with_prevalence(result.definition.title, result.prevalence)
        by = _over(result, HOW.get(getattr(result, "variance_method", ""), ""))
    if hasattr(result, "chance"):
        parts.insert(0, f"{result.n_permutations:,} random orders")
    else:
        kind = SCORE_KINDS.get(getattr(result, "method", ""), "")
        level = f"{interval_head(result.confidence_level, kind)}s"
        level = level.replace("interval", "confidence interval")
        parts.insert(0, f"{by} {level}" if by == "Wilson's" else f"{level} {by}".rstrip())
    if getattr(result, "trend_unit", "") and not np.isnan(result.trend):
        limits = f"{result.trend_low:+.4f} to {result.trend_high:+.4f}"
        pvalue = pvalue_in_words(result.trend_pvalue)
        given = ", given these segments" * bool(np.isnan(result.trend_scatter))
        parts.append(f"trend {result.trend:+.4f} a {result.trend_unit} ({limits}), {pvalue}{given}")
    labels = getattr(result, "labels", None)
    parts += [] if labels is None else labels.judge_in_words()
    if getattr(result, "method", "") in DIFFERENCE_KINDS:
        parts.append("intervals of differences are normal")
    if getattr(result, "alternative", "two-sided") != "two-sided":
        parts.append("tests and intervals of differences are one-sided")
    return f"{name}: {'; '.join(parts)}."


def _about_pvalues(n_tests: int) -> str:
    """How p-values are adjusted; intervals are not."""
    if n_tests == 1:
        return "One test, so its p-value is not adjusted."
    return f"P-values are adjusted by Holm's method over {n_tests} tests; intervals are not."


def method_in_words(result: Any) -> list[str]:
    """What a paper says in its section of methods. The page of methods has the formulas."""
    if hasattr(result, "threshold"):
        return [OF_SHARES, *_of_threshold(result)]
    if hasattr(result, "chance"):
        return [OF_CHANCE]
    if hasattr(result, "homogeneity_pvalue"):
        of_trend = OF_TREND_OF_FEW if np.isnan(result.trend_scatter) else OF_TREND
        return [OF_SEGMENTS, *[of_trend] * (not np.isnan(result.trend))]
    is_conventional = getattr(result, "method", "") in SCORE_KINDS
    of_limits = OF_METHOD[result.variance_method]
    if is_conventional:
        of_limits = OF_LOGIT.format(OF_VARIANCE[result.variance_method])
    sentences, labels = [_over(result, of_limits)], getattr(result, "labels", None)
    if labels is not None:
        sentences = [OF_LABELS] if labels.judge is None else [OF_LABELS, OF_JUDGE]
    if _folds(result):
        sentences.append(OF_FOLDS)
    if hasattr(result, "may_be_best"):
        sentences.append(OF_BEST)
    if hasattr(result, "difference_lows"):
        sentences.append(OF_NORMAL_DIFFERENCES if is_conventional else OF_DIFFERENCES)
    cases = getattr(result, "cases", None)
    if cases and cases.runs:
        sentences.append(OF_RUNS)
    return [*sentences, OF_CLUSTERS] if cases and cases.unit == "cluster" else sentences


def _over(result: Any, text: str) -> str:
    """Rows in place of queries, where each row ranks the columns."""
    cases = getattr(result, "cases", None)
    return text.replace("queries", "rows") if cases and cases.unit == "row" else text


def _of_threshold(point: Any) -> list[str]:
    sentences, curve = [] if point.prevalence is None else [OF_PREVALENCE], point.curve
    if curve is None or curve.guarantee is None:
        return sentences
    how = "tests in a fixed order, learn then test" if curve.goal == "precision" else "Wilks"
    return [
        *sentences,
        f"The threshold was chosen so that the {curve.goal} is at least {curve.aim:g} with "
        f"{100 * curve.guarantee:g}% confidence ({how}).",
    ]


def _folds(result: Any) -> int:
    folds = getattr(result, "fold_scores", None)
    return 0 if folds is None else len(folds)
