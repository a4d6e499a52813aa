"""Labels, and the scores of several models by name, as a mapping of arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from typing import Any, ClassVar

from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._inputs.arrays import as_column, check_same_length, check_same_order
from sklearn_ap._inputs.sourced_scores import Source, SourcedScores
from sklearn_ap._types import Argument, Array, Bool, Float, Name
from sklearn_ap._writing.table import Tabular


class RowsOfModels(Tabular):
    """Labels and the scores of several models, whose subclasses are frozen dataclasses with slots.

    ``**rows`` passes the arguments of a function of all models, and ``**rows["name"]`` those of a
    function of one.
    """

    __slots__: tuple[str, ...] = ()

    _model: ClassVar[str]  # what a model is called, such as "system"
    _arguments: ClassVar[tuple[str, ...]]  # of functions of all models; None is not passed
    _row_columns: ClassVar[dict[str, str]]  # of the table, before the scores: name, and field

    y_true: Bool | Float
    y_scores: dict[str, Float]

    def __post_init__(self) -> None:
        names = check_models(type(self), "y_scores", self.y_scores)
        score_by_name = dict(zip(names, self.y_scores.values(), strict=True))
        value_by_name = {
            field.name: value
            for field in fields(self)  # type: ignore[arg-type]  # subclasses are dataclasses
            if field.name != "y_scores"
            and not field.name.startswith("_")
            and ((value := getattr(self, field.name)) is not None or field.default is MISSING)
        }
        check_same_order(**value_by_name, **score_by_name)
        scores = {name: as_column(name, score) for name, score in score_by_name.items()}
        columns = {name: as_column(name, value) for name, value in value_by_name.items()}
        check_same_length(**columns, **scores)
        queries = columns["queries"]
        n_rows = queries.size if (queries != queries[:1]).any() else 0
        sourced = {}
        for (name, score), given in zip(scores.items(), self.y_scores.values(), strict=True):
            source = getattr(given, "source", None) or Source()
            source = source._replace(n_rows=source.n_rows or n_rows)
            sourced[name] = SourcedScores.of(score, source)
        for name, value in {**columns, "y_scores": sourced}.items():
            object.__setattr__(self, name, value)

    def keys(self) -> tuple[str, ...]:
        """Return the names of the arguments of functions that compare models.

        Returns
        -------
        tuple of str
            "y_true", "y_scores" and so on, which ``**`` passes.
        """
        return tuple(name for name in self._arguments if getattr(self, name) is not None)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __getitem__(self, name: Name) -> Any:  # noqa: ANN401 a dict, or a column
        """Return the arguments of a score of the model of this name, or one of ``keys()``."""
        text = str(name)
        if text in self.keys():
            return getattr(self, text)
        if text not in self.y_scores:
            raise KeyError(f"No {self._model} is named {text!r}. There are {[*self.y_scores]}.")
        shared = {key: getattr(self, key) for key in self if key != "y_scores"}
        return {"y_score": self.y_scores[text]} | shared

    def _data(self) -> dict[str, Array]:
        columns = {column: getattr(self, field) for column, field in self._row_columns.items()}
        return {name: each for name, each in columns.items() if each is not None} | self.y_scores


def check_models(kind: type[RowsOfModels], argument: str, models: Argument) -> list[str]:
    """Return the names of models that are given by name."""
    if not isinstance(models, Mapping):
        raise InputTypeError(
            f"{argument} must map the name of each {kind._model} to its results, got "
            f"{type(models).__name__}."
        )
    return check_model_names(kind, models)


def check_model_names(kind: type[RowsOfModels], names: Iterable[Name]) -> list[str]:
    """Return names of models as text. Refuse equal ones, and those of arguments and of columns."""
    texts = [*map(str, names)]
    if not texts:
        raise InputError(f"No {kind._model} is given: pass one at least.")
    for name in texts:
        if texts.count(name) > 1:
            raise InputError(
                f"Each {kind._model} needs a name of its own: {name!r} is given twice."
            )
        own = (field.name for field in fields(kind))  # type: ignore[arg-type]  # as above
        if name in (*own, *kind._row_columns):
            raise InputError(
                f"{name!r} is the name of an argument or of a column: rename the {kind._model}, "
                f"or its file."
            )
    return texts
