"""Grades of a judge for the rows of judged runs."""

from collections.abc import Mapping

import numpy as np

from sklearn_ap._base.common.types import Argument, Array, Float
from sklearn_ap._base.inputs.checks import check_numbers

GRADES = "grades must be a dict, {query: {document: grade}}, or an array with a grade of each row"


def grades_of_rows(grades: Argument, queries: Array, documents: Array) -> Float:
    """Find the grade of each row, nan where there is none."""
    if not isinstance(grades, Mapping):
        return _array_of_grades(grades, queries.size)
    if not all(isinstance(query_grades, Mapping) for query_grades in grades.values()):
        raise TypeError(f"{GRADES}, got a dict of other things.")
    grades_by_text = {
        str(query): {str(document): grade for document, grade in query_grades.items()}
        for query, query_grades in grades.items()
    }
    found = [
        grades_by_text.get(str(query), {}).get(str(document), np.nan)
        for query, document in zip(queries, documents, strict=True)
    ]
    return check_numbers("grades", np.array(found), "biuf").astype(np.float64)


def _array_of_grades(grades: Argument, n_rows: int) -> Float:
    if isinstance(grades, str) or np.ndim(grades) != 1:
        raise TypeError(f"{GRADES}, got {grades!r:.80}.")
    if np.size(grades) != n_rows:
        raise ValueError(
            f"grades must have {n_rows:,} numbers, one for each row, got {np.size(grades):,}."
        )
    return check_numbers("grades", np.asarray(grades), "biuf").astype(np.float64)


def refuse_missing_grades(grades: Float, queries: Array, documents: Array) -> None:
    """Refuse a judge that did not grade all documents, whom a random sample cannot correct."""
    lacking = np.flatnonzero(np.isnan(grades))
    if lacking.size:
        row = lacking[0]
        raise ValueError(
            f"With inclusion_probability, fill needs a grade of every document, and lacks that of "
            f"{documents[row]!r} of query {queries[row]!r}."
        )
