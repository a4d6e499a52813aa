"""The table of a threshold for a paper, with notes below; and tables in Markdown."""

import re
from numbers import Integral
from typing import Literal

from sklearn_ap._base.text import (
    Table,
    count_as_text,
    interval_head,
    level_as_text,
    table_as_text,
)
from sklearn_ap._inputs.options import check_choice
from sklearn_ap._types import AnyResult, Argument
from sklearn_ap._version import __version__

Style = Literal["text", "markdown", "latex"]
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


def paper_table(point: AnyResult, style: Style, digits: Argument) -> str:
    """Make a table of the shares of a threshold, with a caption, its methods and a citation."""
    check_choice("style", style, Style)
    if isinstance(digits, bool) or not isinstance(digits, Integral) or digits < 1:
        raise ValueError(f"digits must be an integer from 1 on, got {digits!r}.")
    if point.remark:
        raise ValueError(f"There is no threshold to print. {point.remark}")
    (row,) = point._rows()
    at_prevalence = "" if point.prevalence is None else f" at prevalence {point.prevalence:.3g}"
    level = f" ({level_as_text(point.confidence_level)} CI)"
    head, line = [""], [f"threshold {point.printed_threshold}"]
    for share in ("precision", "recall", "selected"):
        head.append(share + (at_prevalence if share != "recall" else "") + level)
        keys = (share, f"{share}_low", f"{share}_high")
        value, low, high = (f"{row[key]:.{int(digits)}f}" for key in keys)
        line.append(f"{value} ({low} to {high})")
    notes = [_caption(point), " ".join([ABOUT_SHARES, *_about_threshold(point)]), CITED_AS]
    layouts = {"markdown": _markdown_with_notes, "latex": _latex, "text": _text}
    return layouts[style](head, [line], notes)


def _caption(point: AnyResult) -> str:
    """Write the note on the intervals and the sample."""
    cases = point.cases
    level = interval_head(point.confidence_level).replace("interval", "confidence interval")
    units = {cases.unit: cases.n_units, "row": cases.n_rows, "positive": cases.n_positives}
    sample = ", ".join(count_as_text(number, unit) for unit, number in units.items() if number > 0)
    return f"threshold {point.printed_threshold}: Wilson's {level}s; n = {sample}."


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
