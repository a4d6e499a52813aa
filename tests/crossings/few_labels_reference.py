"""Estimates from few labels and their limits, as slow steps: equations 31 to 35 of methods.md.

It imports nothing of sklearn_ap.
"""

import numpy as np
from scipy import stats

from tests.crossings import full_reference
from tests.helpers import comparison_reference, engine_reference

STEP, TINY = ("step",), 1e-30


def rows_of(hit, score, weight, unit, prevalence=None):
    """Rows that are positive with a probability are in part a positive, in part a negative."""
    parts = np.concatenate((hit * weight, (1 - hit) * weight))
    kept = np.flatnonzero(parts > 0)
    is_positive, score, unit = kept < hit.size, np.tile(score, 2)[kept], np.tile(unit, 2)[kept]
    return engine_reference.Rows(is_positive, score, parts[kept], unit, prevalence=prevalence)


def of_rows(*rows):
    """The score, and its derivative by the weight of each unit, times the weight: equation 2."""
    rows = rows_of(*rows)
    found = engine_reference.influences(STEP, rows)
    phi = np.array([found[unit] for unit in np.unique(rows.unit)])
    return engine_reference.value(STEP, rows).real, phi


def of_queries(hit, score, weight, query, share, definition, options):
    """The mean over queries, and what each differs from it, times its share: equation 16."""
    rows = rows_of(hit, score, weight, query)
    asked = {"sample_weight": rows.weight.tolist(), "queries": rows.unit} | options
    rows = (rows.y * 1).tolist(), rows.score.tolist()
    values = full_reference.score(*rows, definition, average=None, **asked)
    mean = share @ np.array(values, float)
    return mean, share * (np.array(values, float) - mean)


def answer(rows, score, definition, options, level):
    """All numbers of an interval; ``rows`` has arrays by name, of rows with weight."""
    seen, unit, weight, judged = (rows[name] for name in ("seen", "unit", "weight", "judged"))
    are_queries, each = rows["are_queries"], np.ones(np.unique(unit).size) / np.unique(unit).size
    q = np.array([rows["q"][seen & (unit == u)][0] for u in np.unique(unit[seen])])
    shares, by_labels = 1 / q / np.sum(1 / q), weight / np.where(seen, rows["q"], 1)

    def score_of(hit, at, weights, share):
        if are_queries:
            return of_queries(hit[at], score[at], weight[at], unit[at], share, definition, options)
        return of_rows(hit[at], score[at], weights[at], unit[at], options.get("prevalence"))

    value, phi = score_of(rows["hit"], seen, by_labels, shares)
    left, c, of_all = phi, np.nan, np.nan
    if judged is not None:  # equation 31
        c, of_all = 0.0, score_of(judged, seen | True, weight, each)[0]
        if are_queries or np.any(judged[seen] > 0):
            by_judge, psi = score_of(judged, seen, by_labels, shares)
            if (1 - q) @ psi**2 > 1e-18:
                c = np.clip((1 - q) @ (phi * psi) / ((1 - q) @ psi**2), 0, 1)
            value, left = np.clip(value + c * (of_all - by_judge), 0, 1), phi - c * psi
    positive = (by_labels * rows["hit"])[seen]
    weights = np.array([positive[unit[seen] == u].sum() for u in np.unique(unit[seen])])
    sizes = shares if are_queries else weights
    n = sizes.sum() ** 2 / np.sum(sizes**2)
    both = np.concatenate((np.sqrt(1 - q) * left, np.sqrt(q) * phi))  # equation 32
    variance = n / max(n - 1, 1) * np.sum(both**2)
    found = {"estimate": value, "standard_error": np.sqrt(variance), "n_effective": n}
    found |= {"n_positives": np.sum(rows["hit"][seen]), "judge_weight": c, "judge_score": of_all}
    if not n > 1 + 1e-9:
        return found | {"low": 0.0, "high": 1.0, "standard_error": np.nan}
    nu = 2 / max(np.sum(both**4) / max(np.sum(both**2) ** 2, TINY**2) - 1 / q.size, 1e-9)
    are_random = not np.ptp(q) and not are_queries
    degrees, one, hidden = n - 1, value * (1 - value), n * ((1 - level) ** (-1 / n) - 1)
    if are_random and seen.sum() > q.size:
        degrees = min(degrees, nu if variance > 1e-18 else 0.0)
    if not are_queries and not are_random:  # equations 34 and 35
        nu, n_worth = nu if variance > 1e-18 else 0.0, n
        if "prevalence" in options:  # equation 35
            odds = np.sum((by_labels * (1 - rows["hit"]))[seen]) / positive.sum()
            n_worth = n * min(1, odds * options["prevalence"] / (1 - options["prevalence"]))
        parts = nu * variance / (nu + 4), 4 * max(one, 1e-9) / n_worth / (nu + 4)
        degrees = sum(parts) ** 2 / (parts[0] ** 2 / max(nu, 1e-9) + parts[1] ** 2 / 4)
        variance, degrees, one = sum(parts), min(max(degrees, 1), max(n - 1, 1)), max(one, 1e-9)
    low, high = value, value
    if one * variance > 0:  # equation 7
        m = one / stats.t.isf((1 - level) / 2, max(degrees, 1)) ** 2 / variance
        ends = np.array([-1, 1]) * np.sqrt(m * one + 0.25)
        low, high = (m * value + 0.5 + ends) / (m + 1)
    if are_queries:
        kept = n / (n + hidden)
        low, high = min(low, value * kept), max(high, value * kept + 1 - kept)
    elif are_random:
        arrays = (each[seen] for each in (rows["hit"], score, by_labels, unit))
        labelled = rows_of(*arrays, options.get("prevalence"))
        down, up = engine_reference.hidden_rows(STEP, labelled)(hidden)
        low, high = value - np.hypot(value - low, down), value + np.hypot(high - value, up)
    else:
        chance, hit, w = rows["q"][seen], rows["hit"][seen] > 0, by_labels[seen]
        limit = 1 if chance[hit].min() == 1 else 0.3 * chance[hit].min()
        low_rows = [*w[chance < limit]]
        more = hidden * max(np.median(w), np.mean(low_rows or 0)) / positive.sum()
        low = value - np.hypot(value - low, value * more / (1 + more))
    return found | {"low": max(low, 0.0), "high": min(high, 1.0)}


def joint(rows, scores, prevalence=None):
    """What equations 21 and 22 need of models that are scored by labels alone: 32 and 35."""
    seen, unit = rows["seen"], rows["unit"][rows["seen"]]
    hit, q, weight = (rows[name][seen] for name in ("hit", "q", "weight"))
    found = [of_rows(hit, score[seen], weight / q, unit, prevalence) for score in scores]
    theta, phi = map(np.array, zip(*found, strict=True))
    positive = [np.sum((weight / q * hit)[unit == u]) for u in np.unique(unit)]
    n, n_rows = (
        np.sum(each) ** 2 / np.sum(np.square(each)) for each in (positive, weight * hit / q)
    )
    hidden = [
        _hidden(rows, score, value, prevalence) for score, value in zip(scores, theta, strict=True)
    ]
    odds = np.sum(weight / q * (1 - hit)) / np.sum(positive)
    share = 1 if prevalence is None else min(1, odds * prevalence / (1 - prevalence))
    q = np.array([q[unit == u][0] for u in np.unique(unit)])
    both = np.concatenate((np.sqrt(1 - q) * phi, np.sqrt(q) * phi), axis=1).T
    sizes = q.size, n, 1 / (max(n, n_rows) * share)
    phi = both * np.sqrt(n / max(n - 1, 1))
    return comparison_reference.Joint(theta, phi, *sizes, hidden=hidden, n_hidden=n)


def _hidden(rows, score, value, prevalence):
    """What hidden rows change, or positives that chosen labels missed: equations 6 and 34."""
    seen = rows["seen"]
    q, hit = rows["q"][seen], rows["hit"][seen]
    w = rows["weight"][seen] / q
    if not np.ptp(q):
        labelled = rows_of(hit, score[seen], w, rows["unit"][seen], prevalence)
        return engine_reference.hidden_rows(STEP, labelled)
    limit = 1 if q[hit > 0].min() == 1 else 0.3 * q[hit > 0].min()
    share = max(np.median(w), np.mean([*w[q < limit]] or 0)) / np.sum(w * hit)
    return lambda n: (value * n * share / (1 + n * share), 0.0)
