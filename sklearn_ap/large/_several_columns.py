"""Counts of several columns of scores, for all of which the rows are read twice."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from reprlib import repr as shown
from typing import Any

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap.large._checked_batches import ROLES, Batch, clean, names_by_role
from sklearn_ap.large._on_chunks import PassBars
from sklearn_ap.large._two_passes import SecondPass, WaitingRows, WaitingThresholds, finish


def names_of_scores(y_score: Any, **lacking: Any) -> dict[str, Any]:
    """The names of the columns of scores by their roles: "y_score", "y_score 1" and so on."""
    if not isinstance(y_score, list | tuple):
        return {"y_score": y_score}
    if not y_score:
        raise ValueError("y_score is an empty list: name a column.")
    names = [names_by_role("", name)["y_score"] for name in y_score]
    if len({*names}) < len(names):
        raise ValueError(f"y_score names a column twice, got {shown(names)}.")
    for role, given in lacking.items():
        if given is not None:
            raise ValueError(
                f"{role} do not go with several columns of scores: call from_table once for each "
                f"column."
            )
    return {f"y_score {i}" if i else "y_score": name for i, name in enumerate(names)}


def count_columns(
    batches: Callable[[], Iterable[Batch]], names: dict[str, str], pos_label: Any, bars: PassBars
) -> dict[str, ThresholdCounts]:
    """Count each column of scores; ``names`` are by roles."""

    def let_see(waiting: Mapping[str, WaitingThresholds | WaitingRows], title: str) -> None:
        with closing(bars.around(batches(), title)) as rows:
            for batch in rows:
                for role, one in waiting.items():
                    with _naming(names[role]):
                        one.add(clean(_with_scores(batch, role), pos_label))

    searches = {role: WaitingThresholds() for role in names}
    let_see(searches, "first pass")
    first_passes = {role: search.found() for role, search in searches.items()}
    first_passes["y_score"].check(pos_label)  # the labels and the weights of all
    waiting = {}
    for role, each in first_passes.items():
        with _naming(names[role]):
            waiting[role] = WaitingRows(each.thresholds, each.powers, len(names))
    let_see(waiting, "second pass")
    counted = {role: SecondPass(rows.count(), rows.checksums) for role, rows in waiting.items()}
    return {name: finish(first_passes[role], counted[role]) for role, name in names.items()}


def _with_scores(batch: Batch, role: str) -> Batch:
    """The batch with one of its columns of scores alone."""

    def chosen(of_roles: Mapping[str, Any]) -> dict[str, Any]:
        of_column = {each: of_roles[each] for each in ROLES if each in of_roles}
        return of_column | {"y_score": of_roles[role]} if of_column else of_column

    return replace(batch, columns=chosen(batch.columns), names=chosen(batch.names))


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Say which column of scores is wrong."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if "y_score" not in str(error):
            raise
        raise type(error)(f"column {name!r}: {error}") from error
