"""Tables for papers: a row for each name, a column for each measure, and notes below."""

import re
from collections.abc import Sequence
from numbers import Integral
from typing import Literal, NamedTuple

import numpy as np

from sklearn_ap._base.drawing.legend import sample_in_words
from sklearn_ap._base.text import (
    Row,
    Table,
    interval_head,
    level_as_text,
    table_as_text,
    title_of,
    title_with_prevalence,
)
from sklearn_ap._counts.averages import FEW_POSITIVES
from sklearn_ap._extras import printable
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._inputs.options import check_choice
from sklearn_ap._types import AnyResult, Argument, Name
from sklearn_ap._uncertainty.former.pvalues import holm_adjusted
from sklearn_ap._version import __version__

Style = Literal["text", "markdown", "latex"]
Columns = dict[str, dict[str, str]]  # head of a column -> name of a row -> cell
Adjusted = dict[tuple[int, str], float]  # (index of a result, name of a row) -> p-value
EMPTY = "''"  # printed instead of a name without visible letters
NAME_COLUMNS = ("name", "ranking", "segment")  # a row has one or two of them
LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    **{sign: f"${sign}$" for sign in "<>|"},
}
# Characters with a meaning in Markdown; not "_" within a word, nor "<" before a number
MARKDOWN_SYNTAX = re.compile(
    r"[|`\[*]|\\(?=[!-/:-@\[-`{-~])|<(?=[a-z/!?]|[^\s<>]*@)|&(?=#?\w+;)|~(?=~)|(?<![^\W_])_|_(?![^\W_])",
    re.IGNORECASE,
)
ABOUT_SEGMENTS = (
    "Scores of segments have Wilson's intervals, and differences have intervals that follow "
    "from those (MOVER); a p-value is one minus the level at which a limit is 0."
)
ABOUT_INDEPENDENT = (
    "The samples share no rows, so the difference has an interval that follows from those of the "
    "scores (MOVER, Newcombe); the p-value is one minus the level at which a limit is 0."
)
ABOUT_CHANCE = (
    "The p-value is the share of random orders of the labels that score at least as high, and the "
    "observed one is counted among them (Phipson and Smyth)."
)
ABOUT_SHARES = (
    "Precision, recall and the share of selected rows have Wilson's intervals with Student's "
    "quantile, which do not allow for the choice of the threshold."
)
ABOUT_PREVALENCE = (
    "Those at another prevalence follow from the intervals of recall and of the false positive "
    "rate (MOVER)."
)
CITED_AS = (
    "The sklearn_ap developers, sklearn_ap: average precision, every definition under its own "
    f"name, version {__version__}."
)


def paper_table(results: Sequence[AnyResult], style: Style, digits: Argument) -> str:
    """Make a table with a row for each name, and columns of limits and adjusted p-values."""
    check_choice("style", style, Style)
    if isinstance(digits, bool) or not isinstance(digits, Integral) or digits < 1:
        raise ValueError(f"digits must be an integer from 1 on, got {digits!r}.")
    tables = [*map(_rows_by_name, results)]
    _check_all_names(tables)
    if len({"segment" in next(iter(rows.values())) for rows in tables}) > 1:
        raise ValueError(
            "Segments stand in rows, and so do models, so they do not go into one table. Make a "
            "table of each."
        )
    pvalues = _adjusted_pvalues(results, tables)
    columns = _all_columns(results, tables, pvalues, int(digits))
    names = dict.fromkeys(name for rows in tables for name in rows)
    lines = [[name, *(cells.get(name, "") for cells in columns.values())] for name in names]
    captions = [*dict.fromkeys(caption(result) for result in results)]
    if pvalues:
        captions.append(_about_pvalues(len(pvalues)))
    methods = dict.fromkeys(sentence for result in results for sentence in method_in_words(result))
    notes = [" ".join(captions), " ".join(methods), CITED_AS]
    layouts = {"markdown": _markdown_with_notes, "latex": _latex, "text": _text}
    return layouts[style](["", *columns], lines, notes)


def _rows_by_name(result: AnyResult) -> dict[str, Row]:
    if not {"confidence_level", "chance"} & {*dir(result)}:
        raise TypeError(f"{type(result).__name__} has no score to print.")
    if getattr(result, "remark", ""):
        raise ValueError(f"There is no threshold to print. {result.remark}")
    rows: dict[str, Row] = {}
    for row in result._rows():
        name = _name(row)
        if name in rows:
            raise _equal_names_error(name, rows[name], row)
        rows[name] = row
    return rows


def _check_all_names(tables: list[dict[str, Row]]) -> None:
    """Refuse different rows of several results that would be printed with the same name."""
    first_rows: dict[str, Row] = {}
    for rows in tables:
        for name, row in rows.items():
            first_row = first_rows.setdefault(name, row)
            if _original_names(first_row) != _original_names(row):
                raise _equal_names_error(name, first_row, row)


def _equal_names_error(name: str, *rows: Row) -> ValueError:
    texts = []
    for row in rows:
        names = _original_names(row)
        texts.append(repr(names[0] if len(names) == 1 else names))
    return ValueError(
        f'Two rows of the table would both have the name "{name}": {" and ".join(texts)}. Rename '
        f"one of them."
    )


def _original_names(row: Row) -> tuple[Name, ...]:
    """List the names of a row as the user passed them."""
    return tuple(row[name] for name in NAME_COLUMNS if name in row)


def _adjusted_pvalues(results: Sequence[AnyResult], tables: list[dict[str, Row]]) -> Adjusted:
    """Adjust the p-values of all tests of the table together."""
    pvalues = {
        (index, name): row["pvalue"]
        for index, (result, rows) in enumerate(zip(results, tables, strict=True))
        for name, row in rows.items()
        if _is_tested(result, row)
    }
    adjusted = holm_adjusted(np.array([*pvalues.values()])).tolist()
    return dict(zip(pvalues, adjusted, strict=True))


def _all_columns(
    results: Sequence[AnyResult], tables: list[dict[str, Row]], adjusted: Adjusted, digits: int
) -> Columns:
    columns: Columns = {}
    for index, (result, rows) in enumerate(zip(results, tables, strict=True)):
        pvalues = {
            name: _pvalue(adjusted[index, name]) for name in rows if (index, name) in adjusted
        }
        new_columns = _columns(result, rows, pvalues, digits)
        # Do not repeat an equal column of an earlier result.
        if columns.get("positives") == new_columns.get("positives"):
            new_columns.pop("positives", None)
        for head in new_columns:
            if head in columns:
                raise ValueError(
                    f"Two results have the same definition, or are operating points, or have other "
                    f"positives, so two columns have the head {head!r}. Make a table of each."
                )
        columns |= new_columns
    return columns


def _columns(
    result: AnyResult, rows: dict[str, Row], pvalues: dict[str, str], digits: int
) -> Columns:
    """Print the columns of one result."""
    if hasattr(result, "threshold"):
        return _threshold_columns(result, rows, digits)
    title = title_with_prevalence(title_of(result.definition), result.prevalence)
    if hasattr(result, "chance"):
        return {
            title: _cells(rows, digits, "score"),
            f"{title} by chance": _cells(rows, digits, "chance"),
            f"p, {title} vs chance": pvalues,
        }
    level = _level_in_head(result)
    columns = {title + level: _cells(rows, digits, "estimate", "low", "high")}
    first_row = next(iter(rows.values()))
    if "n_queries" in first_row:
        columns["queries"] = {name: f"{row['n_queries']:,.0f}" for name, row in rows.items()}
    counted = {name: row["n_positives"] for name, row in rows.items() if "n_positives" in row}
    if not all(map(np.isnan, counted.values())):
        columns["positives"] = {
            name: "" if np.isnan(number) else f"{number:,.6g}" for name, number in counted.items()
        }
    if "share" in first_row and "n_queries" not in first_row:
        columns["prevalence"] = _cells(rows, digits, "share")
    reference = getattr(result, "reference", None)
    if reference is None or not pvalues:
        return columns
    reference_name = _printed_name(reference)
    differences = {name: _difference(result, rows[name], digits) for name in pvalues}
    return columns | {
        f"{title} minus {reference_name}{level}": differences,
        f"p, {title} vs {reference_name}": pvalues,
    }


def _threshold_columns(point: AnyResult, rows: dict[str, Row], digits: int) -> Columns:
    at_prevalence = "" if point.prevalence is None else f" at prevalence {point.prevalence:.3g}"
    level = _level_in_head(point)
    columns: Columns = {}
    for share in ("precision", "recall", "selected"):
        head = share + (at_prevalence if share != "recall" else "") + level
        columns[head] = _cells(rows, digits, share, f"{share}_low", f"{share}_high")
    return columns


def _level_in_head(result: AnyResult) -> str:
    return f" ({level_as_text(result.confidence_level)} CI)"


def _cells(rows: dict[str, Row], digits: int, *keys: str) -> dict[str, str]:
    """Print numbers of each row: a single number, or a number with its limits."""
    return {name: _cell([row[key] for key in keys], digits) for name, row in rows.items()}


def _name(row: Row) -> str:
    text = ", ".join(map(_printed_name, _original_names(row)))
    if not text and "threshold" in row:
        return f"threshold {row['printed_threshold']}"
    return text or "score"


def _printed_name(name: Name) -> str:
    """Collapse spaces, as renderers do."""
    return " ".join(printable(str(name)).split()) or EMPTY


def _cell(numbers: list[float], digits: int) -> str:
    """Print a number, and its limits if there are any."""
    number, *limits = (f"{value:.{digits}f}" for value in numbers)
    return f"{number} ({limits[0]} to {limits[1]})" if limits else number


def _difference(result: AnyResult, row: Row, digits: int) -> str:
    """Print a difference with its limits; a one-sided interval has a single limit."""
    number = f"{row['difference']:+.{digits}f}"
    low = f"{row['difference_low']:+.{digits}f}"
    high = f"{row['difference_high']:+.{digits}f}"
    one_sided_limits = {"greater": f"at least {low}", "less": f"at most {high}"}
    return f"{number} ({one_sided_limits.get(result.alternative, f'{low} to {high}')})"


def _is_tested(result: AnyResult, row: Row) -> bool:
    is_reference = "name" in row and row["name"] == getattr(result, "reference", None)
    return not is_reference and row.get("pvalue", np.nan) >= 0


def _pvalue(pvalue: float) -> str:
    return "<0.001" if pvalue < 0.001 else f"{pvalue:.3f}"


def markdown(head: list[str], lines: list[list[str]]) -> str:
    rows = [[escape_markdown(cell) for cell in line] for line in (head, *lines)]
    rows.insert(1, ["---"] * len(head))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def escape_markdown(text: str) -> str:
    """Escape characters with a meaning in Markdown: of tags, links, code, or ends of cells."""
    return MARKDOWN_SYNTAX.sub(lambda match: "\\" + match[0], text)


def _markdown_with_notes(head: list[str], lines: list[list[str]], notes: list[str]) -> str:
    return "\n\n".join([markdown(head, lines), *(note.replace("|", r"\|") for note in notes)])


def _text(head: list[str], lines: list[list[str]], notes: list[str]) -> str:
    return "\n\n".join([table_as_text(Table([head, *lines], [])), *notes])


def _latex(head: list[str], lines: list[list[str]], notes: list[str]) -> str:
    """Write a tabular, and the notes as comments."""
    head_row, *rows = (" & ".join(map(_escape_latex, line)) + r" \\" for line in (head, *lines))
    begin = rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}"
    end = [r"\hline", r"\end{tabular}", *(f"% {_escape_latex(note)}" for note in notes)]
    return "\n".join([begin, r"\hline", head_row, r"\hline", *rows, *end])


def _escape_latex(text: str) -> str:
    return "".join(LATEX.get(letter, letter) for letter in text)


def _effective_positives(result: AnyResult) -> list[str]:
    """State the effective number of positives, if it is not their number."""
    if not hasattr(result, "n_effective") or getattr(result, "n_queries", None) is not None:
        return []
    counted = result if hasattr(result, "n_positives") else result.cases
    positives = np.atleast_1d(getattr(counted, "n_positives", np.nan))
    is_known = positives > 0
    numbers = np.atleast_1d(result.n_effective)[is_known]
    positives = positives[is_known]
    if np.allclose(numbers, positives, rtol=RELATIVE_TOLERANCE, equal_nan=True):
        return []
    # Rounded down, as 9.97 are fewer than 10.
    ends = np.array([np.nanmin(numbers), np.nanmax(numbers)]) * (1 + RELATIVE_TOLERANCE)
    fewest, most = (f"{number:,.10g}" for number in np.floor(10 * ends) / 10)
    text = f"{fewest if fewest == most else f'{fewest} to {most}'} effective positives"
    if np.nanmin(numbers) < FEW_POSITIVES * (1 - RELATIVE_TOLERANCE):
        text += f", fewer than {FEW_POSITIVES}, so scores are too high on average"
    return [text]


class CaptionHead(NamedTuple):
    """The beginning of a caption."""

    name: str
    interval: str


def caption(result: AnyResult) -> str:
    """Write the note on the intervals and the sample."""
    head = _caption_head(result)
    parts = [head.interval]
    if sample := sample_in_words(result):
        parts.append(f"n = {sample}")
    parts += _effective_positives(result)
    if samples := getattr(result, "samples", ()):
        pairs = zip(result.names, samples, strict=True)
        parts += [f"{_printed_name(name)}: {sample}" for name, sample in pairs]
    cases = getattr(result, "cases", None)
    if cases and cases.folds:
        parts.append(cases.folds)
    if getattr(result, "alternative", "two-sided") != "two-sided":
        parts.append("tests and intervals of differences are one-sided")
    return f"{head.name}: {'; '.join(parts)}."


def _caption_head(result: AnyResult) -> CaptionHead:
    """Name the score or the threshold, and the method of its intervals."""
    if hasattr(result, "chance"):
        title = title_with_prevalence(title_of(result.definition), result.prevalence)
        return CaptionHead(title, f"{result.n_permutations:,} random orders")
    level = f"{interval_head(result.confidence_level)}s"
    level = level.replace("interval", "confidence interval")
    if hasattr(result, "threshold"):
        return CaptionHead(f"threshold {result.printed_threshold}", f"Wilson's {level}")
    title = title_with_prevalence(title_of(result.definition), result.prevalence)
    return CaptionHead(title, level)


def _about_pvalues(n_tests: int) -> str:
    """Write how p-values are adjusted; intervals are not."""
    if n_tests == 1:
        return "One test, so its p-value is not adjusted."
    return f"P-values are adjusted by Holm's method over {n_tests} tests; intervals are not."


def method_in_words(result: AnyResult) -> list[str]:
    """Write sentences for the methods section of a paper; docs/methods.md has the formulas."""
    if hasattr(result, "threshold"):
        return [ABOUT_SHARES, *_about_threshold(result)]
    if hasattr(result, "chance"):
        return [ABOUT_CHANCE]
    if hasattr(result, "overall"):
        return [ABOUT_SEGMENTS]
    about_scores = [] if result.definition is None else ["Scores have Wilson's intervals."]
    return [*about_scores, ABOUT_INDEPENDENT]


def _about_threshold(point: AnyResult) -> list[str]:
    sentences = [] if point.prevalence is None else [ABOUT_PREVALENCE]
    if point.guarantee is None:
        return sentences
    share, _, aim, *_ = point.goal.split()  # "precision >= 0.9 with a guarantee of 0.8"
    method = "tests in a fixed order, learn then test" if share == "precision" else "Wilks"
    return [
        *sentences,
        f"The threshold was chosen so that the {share} is at least {aim} with "
        f"{100 * point.guarantee:g}% confidence ({method}).",
    ]
