"""Grades of a judge for the rows of judged runs."""

import reprlib
from collections.abc import Mapping
from numbers import Real

import numpy as np

from sklearn_ap._inputs.arrays import check_numbers, is_missing
from sklearn_ap._types import Argument, Array, Bool, Float, Name

GRADES = "grades must be a dict, {query: {document: grade}}, or an array with a grade of each row"


def grades_of_rows(grades: Argument, queries: Array, documents: Array) -> Float:
    """Find the grade of each row, nan where there is none."""
    if not isinstance(grades, Mapping):
        return _array_of_grades(grades, queries.size)
    if not all(isinstance(query_grades, Mapping) for query_grades in grades.values()):
        raise TypeError(f"{GRADES}, got a dict of other things.")
    grades_by_text = {
        (str(query), str(document)): _grade(query, document, grade)
        for query, query_grades in grades.items()
        for document, grade in query_grades.items()
    }
    names = [
        (str(query), str(document)) for query, document in zip(queries, documents, strict=True)
    ]
    _refuse_other_names(grades_by_text, names)
    return np.array([grades_by_text.get(name, np.nan) for name in names])


def _grade(query: Name, document: Name, grade: Argument) -> float:
    """Check a grade; nan if it is missing."""
    if is_missing(grade):
        return np.nan
    if isinstance(grade, Real | np.bool_):
        return float(grade)
    raise ValueError(
        f"grades: document {document!r} of query {query!r} has the grade {reprlib.repr(grade)}, "
        f"which is no number. Leave out what the judge did not grade."
    )


def _refuse_other_names(
    grades: Mapping[tuple[str, str], float], names: list[tuple[str, str]]
) -> None:
    """Refuse grades if no row has their names, or if the names of some have spaces around them."""
    known = {*names}
    for query, document in grades:
        stripped = query.strip(), document.strip()
        if (query, document) not in known and stripped in known:
            raise ValueError(
                f"grades have document {document!r} of query {query!r}, and the runs have "
                f"{stripped[1]!r} of {stripped[0]!r}. Remove the spaces around names."
            )
    if known.isdisjoint(grades):
        example = ""
        if grades:
            query, document = next(iter(grades))
            example = f", such as {document!r} of query {query!r},"
        query, document = next((name for name in names if name[1]), names[0])
        raise ValueError(
            f"None of the {len(grades):,} documents in grades{example} is in the runs, which "
            f"have {document!r} of query {query!r}. Are names written alike?"
        )


def _array_of_grades(grades: Argument, n_rows: int) -> Float:
    if isinstance(grades, str) or np.ndim(grades) != 1:
        raise TypeError(f"{GRADES}, got {grades!r:.80}.")
    if np.size(grades) != n_rows:
        raise ValueError(
            f"grades must have {n_rows:,} numbers, one for each row, got {np.size(grades):,}."
        )
    return check_numbers("grades", np.asarray(grades), "biuf").astype(np.float64)


def level_of_judge(grades: Float, level: float | None, level_of_runs: float) -> float:
    """Return the lowest grade that means relevant: that of the runs unless one is passed.

    Refuse a level above all grades if it was not passed, or if grades are shares.
    """
    given = grades[~np.isnan(grades)]
    highest = given.max(initial=0.0)
    are_shares = bool(np.any((given > 0) & (given < 1))) and highest <= 1
    lowest_relevant = level_of_runs if level is None else level
    no_grade_reaches = highest < lowest_relevant
    if level is None:
        is_wrong = (no_grade_reaches and highest > 0) or (are_shares and lowest_relevant >= 1)
    else:
        is_wrong = are_shares and no_grade_reaches
    if is_wrong:
        kind = "are between 0 and 1" if are_shares else f"are at most {highest:g}"
        remedy = "0.5" if are_shares else f"{highest:g}"
        raise ValueError(
            f"grades {kind}, and relevance_level={lowest_relevant:g} means that the judge finds "
            f"{'few or ' if highest >= lowest_relevant else ''}no relevant documents. Pass the "
            f"lowest of its grades that means relevant, such as relevance_level={remedy}."
        )
    return lowest_relevant


def refuse_known_grades(is_graded: Bool, is_judged: Bool) -> None:
    """Refuse grades of documents that have a label alone, as they fill nothing."""
    if is_judged.all() or (is_graded & ~is_judged).any():
        return
    raise ValueError(
        f"grades fill nothing: {np.count_nonzero(is_graded):,} of them are numbers for documents "
        f"of the runs, all of which have a label, and {np.count_nonzero(~is_judged):,} documents "
        f"have none. Grade these."
    )
