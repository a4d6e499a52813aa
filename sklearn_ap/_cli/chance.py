"""The scores of predictions beside those of random orders."""

from collections.abc import Sequence
from itertools import compress

import numpy as np

from sklearn_ap._cli.file_predictions import FilePredictions
from sklearn_ap._cli.output import Row
from sklearn_ap._extras.progress import progress
from sklearn_ap._files.cells import DataError, shown
from sklearn_ap._inputs import check_prevalence
from sklearn_ap.chance import chance_test
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._names import call
from sklearn_ap.definitions._prevalence import at_prevalence

LEVEL = 0.05
MANY = 10  # names


def beside_chance(
    predictions: FilePredictions, definitions: Sequence[Definition], prevalence: float | None
) -> tuple[list[Row], str]:
    """Give a row for each definition, and the same as text."""
    prevalence = None if prevalence is None else check_prevalence(prevalence)
    arguments = predictions.arguments
    if arguments.pop("sample_weight") is not None:
        raise DataError("chance takes no --weight: rows of unequal weight cannot change places")
    arguments |= {"prevalence": prevalence}
    arguments |= {"zero_division": predictions.zero_division(prevalence)}
    rows, texts = [], []
    with progress(len(definitions), " definitions", "dealing") as bar:
        for definition in definitions:
            found = chance_test(**arguments, definition=definition)
            title = at_prevalence(definition, prevalence).title
            row = {"title": title, "definition": call(definition)} | found.rows()[0]
            text = f"{title}\n{found}\n"
            if predictions.queries is not None:
                each = chance_test(**arguments, definition=definition, average=None)
                row["queries_tested"] = n_tested = int(np.count_nonzero(each.pvalue >= 0))
                is_better = each.adjusted_pvalue <= LEVEL
                row["better_queries"] = better = [*compress(predictions.query_names, is_better)]
                row["queries_above_chance"] = len(better)
                text += f"{_sentence(better, n_tested)}\n"
            rows.append(row | {"n_permutations": found.n_permutations})
            texts.append(text)
            bar.update()
    return rows, "\n".join(texts)


def _sentence(better: list[str], n_tested: int) -> str:
    """How many queries are better than chance of those with positives, and which."""
    some, n_more = ", ".join(map(shown, better[:MANY])), len(better) - MANY
    some += f" and {n_more:,} more" if n_more > 0 else ""
    text = f"{len(better):,} of the {n_tested:,} queries with a p-value are better than chance"
    return f"{text}: {some}." if better else f"{text}."
