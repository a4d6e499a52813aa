"""The sample of a result, which its heading describes."""

from dataclasses import dataclass
from math import isnan, nan
from typing import Literal, NamedTuple, Protocol

from sklearn_ap._types import Name, NamedAverage
from sklearn_ap._writing.text import (
    count_as_text,
    interval_as_text,
    plural,
    share_as_text,
    title_with_prevalence,
)

Unit = Literal["row", "cluster", "query"]
# The last two are sampled, by themselves or in clusters.
Averaged = Literal["class", "column", "fixed query", "query", "row"]
# How the mean over several rankings is named. "micro" is one ranking of all cells.
NAMES_OF_MEANS: dict[NamedAverage, str] = {
    "macro": "mean",
    "weighted": "weighted mean",
    "micro": "micro-averaged",
    "samples": "mean over rows of",
}


class Described(Protocol):
    """What a sample says of a definition, whose class stands on a floor above this one."""

    @property
    def title(self) -> str:
        """The name in legends and tables."""

    @property
    def depth(self) -> float | None:
        """The number of ranks that count, or the share. None for all."""


class Mean(NamedTuple):
    """How several rankings became one number."""

    average: NamedAverage
    averaged: Averaged  # what has a ranking each
    n_averaged: int | None  # how many these are; None if that is not known
    n_undefined: int = 0  # how many of these have no score, and no share in the mean
    names: tuple[Name, ...] = ()  # of columns and fixed queries, if they have names


@dataclass(frozen=True, kw_only=True)
class Sample:
    """What was scored, and the units of a sample: rows, clusters or queries.

    Parameters
    ----------
    definition : Definition or None, default=None
        What average precision is; None if it is not known.
    target_prevalence : float or None, default=None
        The prevalence that was passed; None for that of the sample.
    mean : Mean or None, default=None
        How several rankings became one number; None if there is one ranking, or one number each.
    n_rows : int or None, default=None
        The number of rows; None if it is not known.
    n_positives : float, default=nan
        The number of positives, scored or not; nan for several rankings.
    n_unscored : float, default=0
        How many of these positives were never scored.
    weight_share : float or None, default=None
        The share of the weight of rows that is positive; None if they have no weights, nan if it is
        not one share.
    unit : {"row", "cluster", "query"} or None, default="row"
        What is sampled; None if that is not known, or differs between samples.
    n_units : int or None, default=None
        How many clusters or queries there are; None for rows, or if it is not known.
    n_labelled : int or None, default=None
        How many rows, clusters or queries have labels; None if all have.
    n_folds : int or None, default=None
        How many folds are pooled; None if there are no folds.
    """

    definition: Described | None = None
    target_prevalence: float | None = None
    mean: Mean | None = None
    n_rows: int | None = None
    n_positives: float = nan
    n_unscored: float = 0
    weight_share: float | None = None
    unit: Unit | None = "row"
    n_units: int | None = None
    n_labelled: int | None = None
    n_folds: int | None = None

    @property
    def title(self) -> str:
        """The score and the prevalence that was passed, as "mean step AP at prevalence 0.01"."""
        definition = "average precision" if self.definition is None else self.definition.title
        mean = "" if self.mean is None else f"{NAMES_OF_MEANS[self.mean.average]} "
        return title_with_prevalence(f"{mean}{definition}", self.target_prevalence)

    @property
    def averages_units(self) -> bool:
        """Whether the score is a mean over rows or queries that are sampled."""
        return self.averaged in ("query", "row")

    @property
    def averaged(self) -> Averaged | None:
        """What has a ranking each, of a mean."""
        return None if self.mean is None else self.mean.averaged


def heading_of(sample: Sample, level: float, title: str | None = None) -> str:
    """Write "step AP, 2,000 rows, 110 positives (5.5%), 95% intervals over rows"."""
    return f"{describe(sample, title)}, {interval_as_text(level)}s{_units_as_text(sample)}"


def describe(sample: Sample, title: str | None = None) -> str:
    """Write "step AP, 2,000 rows, 110 positives (5.5%)"; a title stands in place of the score."""
    parts = [
        title or title_as_text(sample),
        rows_as_text(sample),
        f"pool of {count_as_text(sample.n_folds, 'fold')}" if sample.n_folds else "",
    ]
    return ", ".join(filter(None, parts))


def title_as_text(sample: Sample) -> str:
    """Write the title, and of how many rankings it is a mean, where units do not tell."""
    mean = sample.mean
    if mean is None or (sample.averages_units and sample.unit != "cluster"):
        return sample.title
    has_all_rows = mean.averaged == "row" and not mean.n_undefined  # whose number stands beside it
    return sample.title if has_all_rows else f"{sample.title} of {averaged_as_text(mean)}"


def averaged_as_text(mean: Mean) -> str:
    """Write "12 columns", or "11 of 12 columns"."""
    text = count_as_text(mean.n_averaged, mean.averaged)
    if mean.n_averaged is None or not mean.n_undefined:
        return text
    return f"{mean.n_averaged - mean.n_undefined:,} of {text}"


def _units_as_text(sample: Sample) -> str:
    """Write " over rows", or " over 40 clusters"; the number of few labels stands elsewhere."""
    if sample.unit is None:
        return ""
    mean, n_units = sample.mean, None if sample.n_labelled else sample.n_units
    if mean and sample.unit == mean.averaged and (n_units or mean.n_undefined):
        return f" over {averaged_as_text(mean)}"
    units = count_as_text(n_units, sample.unit) if n_units else plural(sample.unit)
    are_of_queries = sample.unit == "cluster" and sample.averaged == "query"
    return f" over {units} of queries" if are_of_queries else f" over {units}"


def rows_as_text(sample: Sample) -> str:
    """Write "2,000 rows, 110 positives (5.5%)"."""
    return ", ".join(filter(None, (_number_of_rows(sample), _positives_as_text(sample))))


def _number_of_rows(sample: Sample) -> str:
    """Write "2,000 rows", or "500 labelled of 2,000 rows"; "" if it is not known."""
    if sample.n_labelled:
        n_passed, unit = sample.n_units or sample.n_rows, sample.unit or "unit"
        if n_passed == sample.n_labelled:  # those without a label were left out
            return count_as_text(n_passed, f"labelled {unit}")
        return f"{sample.n_labelled:,} labelled of {count_as_text(n_passed, unit)}"
    return count_as_text(sample.n_rows, "row") if sample.n_rows else ""


def _positives_as_text(sample: Sample) -> str:
    """Write "110 positives (5.5%)", "110 positives (9.1% of weight)", or "" of several rankings."""
    # Of classes, each row is a positive.
    if isnan(sample.n_positives) or (sample.averaged == "class" and not sample.n_unscored):
        return ""
    text = count_as_text(sample.n_positives, "positive")
    if sample.n_unscored:
        return f"{text}, of which {count_as_text(sample.n_unscored)} were never scored"
    if sample.averaged not in (None, "query") or sample.n_labelled or not sample.n_rows:
        return text  # that is not one share of the rows
    if sample.weight_share is None:
        return f"{text} ({share_as_text(sample.n_positives / sample.n_rows)})"
    return f"{text} ({share_as_text(sample.weight_share)} of weight)"


def facts_of(sample: Sample) -> dict[str, float | str | None]:
    """Return all fields for JSON: definitions as they are typed, and None for what is not known."""
    definition = None if sample.definition is None else repr(sample.definition)
    no_mean = {**dict.fromkeys(Mean._fields), "n_undefined": 0}
    mean = no_mean if sample.mean is None else sample.mean._asdict()
    facts = {**vars(sample), "definition": definition, **mean}
    return {name: fact for name, fact in facts.items() if name not in ("mean", "names")}
