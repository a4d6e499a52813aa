"""The page of answers as a function and a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from os import PathLike, fspath
from pathlib import Path

from numpy.typing import ArrayLike

from sklearn_ap._base.common.types import Argument, Keywords, Label
from sklearn_ap._base.inputs.option_checks import check_open_share
from sklearn_ap._base.inputs.unknown_options import explains_options
from sklearn_ap._program.report._parts import check_parts, make_parts, useful_parts
from sklearn_ap._program.report._summary import summarize
from sklearn_ap._program.report.data.checks import check_predictions
from sklearn_ap._program.report.page.html import as_file
from sklearn_ap._program.report.page.page import Finding, Part, Top
from sklearn_ap._program.report.page.plain_text import as_lines
from sklearn_ap._questions.paper import PACKAGE
from sklearn_ap._uncertainty.options import Scores

__all__ = ["Report", "report"]


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """The answers of ``report``, in parts with texts, tables and pictures.

    ``print`` gives the text. In a notebook, and as a file that ``save`` writes, it is a page with
    pictures, which are drawn when the page is first made.

    Parameters
    ----------
    title : str
        The heading.
    call : str
        The call, or the command, that makes the report.
    parts : tuple of Part
        Each with its ``title``, a ``sentence`` that says what matters, ``more`` sentences below it,
        ``cells`` (a table of texts, the head first), ``notes``, and the ``call`` that gives its
        numbers.
    summary : tuple of Finding, default=()
        The first lines, each a ``question``, its ``answer`` and the number of its ``part``.
    source : str, default=""
        What the predictions are, and the version of sklearn_ap.

    See Also
    --------
    report : Makes one from labels and scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import report
    >>> rng = np.random.default_rng(0)
    >>> y_true = (rng.random(1000) < 0.05).astype(int)
    >>> found = report(y_true, 2 * y_true + rng.normal(size=1000))
    >>> found.parts[0].sentence
    '1,000 rows, 45 positive (4.5%).'
    """

    title: str
    call: str
    parts: tuple[Part, ...]
    summary: tuple[Finding, ...] = ()
    source: str = ""

    def save(self, path: str | PathLike[str]) -> None:
        """Write one HTML file with its pictures inside.

        Parameters
        ----------
        path : str or path
            The file, such as "report.html". It is replaced.

        Raises
        ------
        ValueError
            If the name ends in ".pdf".
        FileNotFoundError
            If there is no folder for the file.
        """
        file = Path(fspath(path))
        refuse_pdf(str(file))
        if not file.parent.is_dir():  # before pictures are drawn
            raise FileNotFoundError(
                f"There is no folder {str(file.parent)!r} for {file.name!r}. Create it first."
            )
        file.write_text(self.to_html(), encoding="utf-8")

    def to_html(self) -> str:
        """Return the text of that file.

        Returns
        -------
        str
            A whole page. It asks for nothing from elsewhere, and prints on A4.
        """
        return as_file(self._top(), self.parts)

    def __repr__(self) -> str:
        return as_lines(self._top(), self.parts)

    def _top(self) -> Top:
        models = self.parts[0].models if self.parts else ()
        return Top(self.title, self.call, self.summary, self.source, models)

    def _repr_html_(self) -> str:
        # A frame of its own, as the style of the page is not for the notebook around it.
        style = "width: 100%; height: 40rem; border: 0"
        return f'<iframe srcdoc="{escape(self.to_html())}" style="{style}"></iframe>'


@explains_options
def report(
    y_true: ArrayLike,
    y_scores: ArrayLike | Scores,
    *,
    segments: ArrayLike | Mapping[str, ArrayLike] | None = None,
    clusters: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    pos_label: Label | None = None,
    prevalence: float | None = None,
    precision: float | None = None,
    confidence_level: float = 0.95,
    parts: Sequence[str] | None = None,
    source: str = "",
) -> Report:
    """Summarize predictions on one page: scores, intervals, comparisons and thresholds.

    The first lines say which model, which threshold, which segments differ, and what to distrust.
    Then the page has, in this order: what the data are, and what looks wrong with them; the score
    beside that of random orders; whether a model is better; the curve; the top rows; thresholds;
    segments; what other tools print; what to write in a paper; all warnings; and the calls that
    give the numbers. Each part begins with the sentence that matters.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.
    y_scores : array-like of shape (n_samples,), or mapping of str to array-like, or DataFrame
        The scores of one model, or those of each of several for the same rows, as
        ``{"A": scores_a, "B": scores_b}``. Minus infinity says that the model did not retrieve the
        row.
    segments : array-like of shape (n_samples,), or mapping of str to array-like, default=None
        The segment of each row: categories, which keep their order, dates, strings or numbers.
        Several columns are a mapping, as ``{"country": countries, "month": months}``, or a
        DataFrame, and each gets a part.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each row, such as the patient. Intervals are then over clusters. The name of
        a Series, such as "patient", is the word that the page uses.
    queries : array-like of shape (n_samples,), default=None
        The query of each row: each query is a ranking of its own. Thresholds are then left out,
        and segments must be of whole queries, as languages or categories may be.
    sample_weight : array-like of shape (n_samples,), default=None
        The weight of each row. A row is one case, whatever its weight.
    n_positives : float or array-like of shape (n_rankings,), default=None
        The number of all positives, in units of weight, if some were never scored.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
    prevalence : float, default=None
        The prevalence (proportion of positives) where you deploy, such as 0.01. Precision is then
        that of a population with this prevalence, in which the scores of each class are distributed
        as here. Each ranking gets this prevalence. None uses that of ``y_true``.
    precision : float, default=None
        The precision that you need, between 0 and 1, such as 0.95. The first lines then say which
        threshold has it with a guarantee, or that none has. None takes a precision of 0.5, 0.8,
        0.9 or 10 times a low prevalence: the highest that is guaranteed at a recall of 0.1 or more,
        or else a lower multiple of the prevalence.
    confidence_level : float, default=0.95
        How often these intervals should contain the true value.
    parts : sequence of str, default=None
        The parts to make: "data", "score", "comparison", "curve", "top", "thresholds", "segments",
        "tools" and "paper". None makes all but a comparison of one model and segments that you do
        not pass. Warnings are always last.
    source : str, default=""
        What the predictions are, as "payments.csv, 1 October 2026". It stands below the first
        lines.

    Returns
    -------
    Report
        To print, to show in a notebook, or to save as HTML.

    See Also
    --------
    average_precision_interval : The score alone.
    compare_average_precision : Whether a model is better than another on the same rows.

    Notes
    -----
    It computes nothing by itself: each number is that of a call at the end of the page. A part that
    does not know queries, clusters or weights is left out, and says so. Warnings become a part of
    the page. Above 100,000 rows, p-values are from 99 random orders, and intervals at k from 99
    resamples. Thresholds and top rows are shown of the three models that score highest. Equal data
    give equal pages, which have no date but that of ``source``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import report
    >>> rng = np.random.default_rng(0)
    >>> y_true = (rng.random(2000) < 0.1).astype(int)
    >>> scores = {
    ...     "A": y_true + rng.normal(size=2000),
    ...     "B": 2 * y_true + rng.normal(size=2000),
    ... }
    >>> found = report(y_true, scores)
    >>> found.parts[1].sentence
    'B is better than A: +0.35 (95% interval +0.27 to +0.43).'
    >>> found.save("report.html")  # doctest: +SKIP
    """
    options = {
        "clusters": clusters,
        "queries": queries,
        "sample_weight": sample_weight,
        "n_positives": n_positives,
        "prevalence": prevalence,
        "confidence_level": confidence_level,
    }
    nouns = {
        role: getattr(column, "name", None)
        for role, column in (("clusters", clusters), ("queries", queries))
    }
    predictions = y_true, y_scores, segments, pos_label
    return make_report(predictions, options, nouns, parts, source, precision)


def make_report(
    predictions: tuple[ArrayLike, ArrayLike | Scores, Argument, Label | None],
    options: Keywords,
    nouns: Keywords,
    parts: Sequence[str] | None,
    source: str,
    precision: float | None,
) -> Report:
    """Make a report of labels, scores, segments and the positive label.

    ``nouns`` are the names of the columns of clusters and queries.
    """
    names = check_parts(parts)
    if not isinstance(source, str):
        raise ValueError(f"source must be a text, got {source!r}.")
    check_open_share("confidence_level", options["confidence_level"])
    precision = None if precision is None else check_open_share("precision", precision)
    data = replace(check_predictions(*predictions, options, nouns), precision=precision)
    are_asked = parts is not None
    made_parts = make_parts(data, useful_parts(data, names, are_asked), are_asked)
    models = [*data.y_scores]
    typed: Keywords = {} if precision is None else {"precision": precision}
    typed |= {} if parts is None else {"parts": [*names]}
    typed |= {"source": source} if source else {}
    has_queries = options["queries"] is not None
    score = "Mean average precision (MAP)" if has_queries else "Average precision"
    title = " and ".join(models) if len(models) < 3 else f"{len(models)} models"
    return Report(
        title=f"{score} of {title}",
        call=data.call(report, None, **typed),
        parts=made_parts,
        summary=summarize(made_parts, len(models)),
        source=", ".join(filter(None, [source, PACKAGE])),
    )


def check_request(parts: Sequence[str] | None, output: str | None) -> None:
    """Check the names of parts, and that of a file, before data are read."""
    check_parts(parts)
    if output is not None:
        refuse_pdf(output)


def refuse_pdf(path: str) -> None:
    """Refuse a file that is named as a PDF, which this page is not."""
    if path.lower().endswith(".pdf"):
        raise ValueError(
            f"a report is an HTML file, not a PDF, got {path!r}. Write {path[:-4]}.html, open it "
            f"in a browser, and print it to a PDF there."
        )
