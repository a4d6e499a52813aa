"""Simulated predictions in which something changes, and the facts that a report must tell."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

COUNTRIES = {"DE": 0.35, "FR": 0.25, "IT": 0.15, "ES": 0.1, "UK": 0.1, "PL": 0.05}
MONTHS = [f"2026-{i:02d}" for i in range(1, 9)]
REGIONS = ["north", "south", "east", "west"]
LATE_MONTHS = [f"2025-{i:02d}" for i in range(3, 13)]
WEEKS = [f"2026-W{i:02d}" for i in range(1, 25)]


class Page(NamedTuple):
    """What is passed to report."""

    y_true: np.ndarray
    y_scores: dict
    options: dict


class Told(NamedTuple):
    """A fact that must be told: its kind, model and segments; a model of None is any."""

    kind: str
    model: str | None
    segments: list


class Scenario(NamedTuple):
    """A change, and what must be told of it."""

    make: Callable[[np.random.Generator], Page]
    expected: tuple[Told, ...]
    use: str = ""  # the model that must be advised, if any


def fraud(rng, falls=(), missing=0.0, shift=0.0, slope=0.0, n=20_000):
    """Draw countries and months of two models. ``falls`` are columns, segments, models, sizes."""
    y = rng.random(n) < 0.02
    country = rng.choice([*COUNTRIES], n, p=[*COUNTRIES.values()])
    month = rng.choice(MONTHS, n)
    shared = 0.6 * rng.normal(size=n)
    old = 1.8 * y + shared + 0.8 * rng.normal(size=n)
    new = 2.3 * y + shared + 0.8 * rng.normal(size=n)
    change({"old": old, "new": new}, y, {"country": country, "month": month}, falls)
    new[y] -= slope * np.searchsorted(MONTHS, month[y])
    for score in (old, new):
        score[country == "IT"] += shift
    y &= ~((month == MONTHS[-1]) & (rng.random(n) < missing))
    return Page(y, {"old": old, "new": new}, {"segments": {"country": country, "month": month}})


def churn(rng, falls=(), n=12_000):
    """Draw regions and months of two models."""
    y = rng.random(n) < 0.05
    segments = {"region": rng.choice(REGIONS, n), "month": rng.choice(LATE_MONTHS, n)}
    shared = 0.5 * rng.normal(size=n)
    models = {
        "a": 1.5 * y + shared + rng.normal(size=n),
        "b": 1.9 * y + shared + rng.normal(size=n),
    }
    change(models, y, segments, falls)
    return Page(y, models, {"segments": segments})


def scans(rng, falls=(), n_patients=900):
    """Draw images of patients, in hospitals: clusters."""
    patient = np.repeat(np.arange(n_patients), rng.integers(2, 9, n_patients))
    hospital = rng.choice(["A", "B", "C", "D"], n_patients)[patient]
    is_ill = rng.random(n_patients) < 0.2
    y = is_ill[patient] & (rng.random(patient.size) < 0.6)
    shared = 0.5 * rng.normal(size=n_patients)[patient] + 0.4 * rng.normal(size=patient.size)
    models = {
        "first": 1.4 * y + shared + 0.8 * rng.normal(size=y.size),
        "second": 2.0 * y + shared + 0.8 * rng.normal(size=y.size),
    }
    change(models, y, {"hospital": hospital}, falls)
    return Page(y, models, {"segments": {"hospital": hospital}, "clusters": patient})


def study(rng, falls=(), n_patients=300):
    """Draw images of a few ill patients, of sites and sexes, with three scores."""
    patient = np.repeat(np.arange(n_patients), rng.integers(1, 13, n_patients))
    is_ill = rng.random(n_patients) < 0.115
    y = is_ill[patient] & (rng.random(patient.size) < 0.7)
    segments = {
        name: rng.choice([*names], n_patients)[patient]
        for name, names in {"site": "ABCDE", "sex": "fm"}.items()
    }
    shared = 0.5 * rng.normal(size=n_patients)[patient] + 0.4 * rng.normal(size=patient.size)
    models = {
        name: skill * y + shared + 0.77 * rng.normal(size=y.size)
        for name, skill in {"algorithm": 3.0, "first reader": 1.9, "second reader": 1.7}.items()
    }
    change(models, y, segments, falls)
    return Page(y, models, {"segments": segments, "clusters": patient})


def search(rng, falls=(), n_queries=400):
    """Draw documents of queries in languages, ranked by three systems."""
    query = np.repeat(np.arange(n_queries), 25)
    language = rng.choice(["de", "en", "fr"], n_queries)[query]
    y = rng.random(query.size) < 0.15
    models = {
        "bm25": 0.9 * y + rng.normal(size=y.size),
        "neural": 1.9 * y + rng.normal(size=y.size),
        "mixed": 1.2 * y + rng.normal(size=y.size),
    }
    change(models, y, {"language": language}, falls)
    return Page(y, models, {"segments": {"language": language}, "queries": query})


def loans(rng, falls=(), n=24_000):
    """Draw weighted rows of three models in 24 weeks."""
    y = rng.random(n) < 0.05
    week = rng.choice(WEEKS, n)
    shared = 0.5 * rng.normal(size=n)
    models = {
        name: d * y + shared + rng.normal(size=n)
        for name, d in {"p": 1.2, "q": 1.7, "r": 2.3}.items()
    }
    change(models, y, {"week": week}, falls)
    return Page(y, models, {"segments": {"week": week}, "sample_weight": rng.gamma(4, size=n)})


def change(models, y, segments, falls):
    """Lower the scores of positives in some segments."""
    for column, names, model, size in falls:
        models[model][np.isin(segments[column], names) & y] -= size


def fall(draw, column, times, n_times, use="", **sizes):
    """Let models fall in the last times."""
    falls = [(column, times[-n_times:], model, size) for model, size in sizes.items()]
    expected = tuple(Told("Fall", model, times[-n_times:]) for model in sizes)
    return Scenario(lambda rng: draw(rng, falls), expected, use)


def worse(draw, column, segment, other="", **sizes):
    """Let models be worse in a segment, and another one better there."""
    falls = [(column, [segment], model, size) for model, size in sizes.items()]
    expected = tuple(Told("WorseSegment", model, [segment]) for model in sizes)
    expected += (Told("BetterThere", other, [segment]),) * bool(other)
    return Scenario(lambda rng: draw(rng, falls), expected)


def doubt(kind, segment, **options):
    """Let labels be missing."""
    return Scenario(lambda rng: fraud(rng, **options), (Told(kind, None, [segment]),))


SCENARIOS = {
    "nothing changes": Scenario(fraud, ()),
    "a model falls in the latest month": fall(fraud, "month", MONTHS, 1, "old", new=1.8),
    "another, in the latest month": fall(churn, "month", LATE_MONTHS, 1, "a", b=1.5),
    "in the last 2 months": fall(churn, "month", LATE_MONTHS, 2, "a", b=1.4),
    "in the last 3 months": fall(fraud, "month", MONTHS, 3, "old", new=1.0),
    "in the last 4 months": fall(churn, "month", LATE_MONTHS, 4, "a", b=1.0),
    "both fall in the latest month": fall(fraud, "month", MONTHS, 1, "", new=1.6, old=1.4),
    "both, in the last 2 months": fall(churn, "month", LATE_MONTHS, 2, "", a=1.2, b=1.2),
    "a slow decline": Scenario(lambda rng: fraud(rng, slope=0.22), (Told("Fall", "new", MONTHS),)),
    "a country of another model": worse(fraud, "country", "IT", "old", new=1.8),
    "a region of another model": worse(churn, "region", "west", "a", b=1.3),
    "a dip in the middle": worse(fraud, "month", "2026-04", new=1.8),
    "another dip": worse(churn, "month", "2025-10", b=1.5),
    "missing labels": doubt("ChangedShare", "2026-08", missing=0.65),
    "shifted scores": Scenario(lambda rng: fraud(rng, shift=1.0), ()),
    "patients of a hospital": worse(scans, "hospital", "C", "first", second=1.6),
    "queries of a language": worse(search, "language", "fr", "mixed", neural=1.3),
    "weighted rows of the last 3 weeks": fall(loans, "week", WEEKS, 3, "q", r=1.8),
}
LENGTHS = 1, 2, 3, 4
LEADER, OTHER = {"new": 1.8}, {"old": 1.5}


def drift(n_times, sizes, use):
    """Let models fall in the last times of more rows, after which another one is the better."""
    falls = [("month", MONTHS[-n_times:], model, size) for model, size in sizes.items()]
    expected = tuple(Told("Fall", model, MONTHS[-n_times:]) for model in sizes)
    return Scenario(lambda rng: fraud(rng, falls, n=40_000), expected, use)


def new_country(rng):
    """Draw a country that only the last two months have, in which the better model is worse."""
    page = fraud(rng, n=40_000)
    segments = page.options["segments"]
    is_new = np.isin(segments["month"], MONTHS[-2:]) & (rng.random(page.y_true.size) < 0.3)
    segments["country"] = np.where(is_new, "NL", segments["country"])
    page.y_scores["new"][is_new & page.y_true] -= 2.0
    return page


# What a page must tell and advise in 95 of 100; nothing may be told of the first in more than 5.
DRIFTS = {
    "nothing changes": Scenario(lambda rng: fraud(rng, n=40_000), (), "new"),
    **{
        f"the better model falls in the last {k} of 8 months": drift(k, LEADER, "old")
        for k in LENGTHS
    },
    **{f"the other model falls in the last {k}": drift(k, OTHER, "new") for k in LENGTHS},
    "a fall in 3 makes them equal over all months": drift(3, {"new": 2.1}, "old"),
    "a country of the better model": Scenario(
        lambda rng: fraud(rng, [("country", ["IT"], "new", 1.8)], n=40_000),
        (Told("WorseSegment", "new", ["IT"]), Told("BetterThere", "old", ["IT"])),
    ),
    "a new country": Scenario(new_country, (Told("WorseSegment", "new", ["NL"]),)),
}
CLAIMS = "Fall", "WorseSegment", "BetterThere", "ChangedShare"


def place(fact):
    """Where a fact is, and of which model it is."""
    at = getattr(fact, "place", fact)
    return getattr(fact, "other", getattr(at, "model", None)), at.segment


def claims(found):
    """Facts that claim a difference of segments or times."""
    return [fact for fact in found.facts if type(fact).__name__ in CLAIMS]


def is_told(found, told):
    """Whether a page has a fact."""
    places = [place(fact) for fact in claims(found) if type(fact).__name__ == told.kind]
    return any(told.model in (None, model) and at in told.segments for model, at in places)


def has_false_fact(found, scenario):
    """Whether a page names a segment or a time without a change, or a fall of another model."""
    segments = [name for told in scenario.expected for name in told.segments]
    models = {told.model for told in scenario.expected if told.kind in ("Fall", "WorseSegment")}
    for fact in claims(found):
        model, at = place(fact)
        is_worse = type(fact).__name__ in ("Fall", "WorseSegment") and models
        if at not in segments or (is_worse and model not in models):
            return True
    return False
