"""Segments: the queries of a case are segments, which compare_segments compares."""

import full_reference
import numpy as np
import uncertainty_reference
from answers import definition_of, fields_of, level_of
from cases import plain

import sklearn_ap

ROWS = ("sample_weight", "clusters", "pos_label", "confidence_level", "alternative")


def names_of(case):
    """The segments that have weight, in order."""
    return np.unique(case.options["queries"][case.weight > 0]).tolist()


def reference_of(case):
    """A third of the cases each: the rest, the segment before, and the last one."""
    last = names_of(case)[-1]
    return {"b": "previous", "c": last}.get(case.options.get("reference"), "rest")


def prevalence_of(case):
    """As it is said: a number, that of all rows, or, with some definitions always, none."""
    name, options = case.definition
    if name == "Expected" or "k" in options or case.seed % 4 == 0:
        return case.options.get("prevalence")
    return case.options.get("prevalence", "overall")


def comparison(case):
    options = {k: v for k, v in case.options.items() if k in ROWS}
    found = sklearn_ap.compare_segments(
        case.y_true,
        case.y_score,
        case.options["queries"],
        definition=definition_of(case),
        reference=reference_of(case),
        prevalence=prevalence_of(case),
        **options,
    )
    return fields_of(found)


def expected_comparison(case):
    """All numbers, or those of single scores where the reference knows no more."""
    there = np.flatnonzero(case.weight > 0)
    hit, weight, segment = (
        each[there] for each in (case.is_positive, case.weight, case.options["queries"])
    )
    prevalence = prevalence_of(case)
    if prevalence == "overall":
        prevalence = float(weight[hit].sum() / weight.sum())
    options = {"prevalence": prevalence}
    if "pos_label" in case.options:
        options["pos_label"] = case.options["pos_label"]
    rows = {name: case.options.get(name) for name in ("sample_weight", "clusters")}
    rows |= {"y_true": case.y_true, "y_score": case.y_score}
    rows = {name: None if each is None else plain(each[there]) for name, each in rows.items()}

    def score(kept):
        of_rows = {name: each and [each[i] for i in kept] for name, each in rows.items()}
        of_rows.pop("clusters")
        return full_reference.score(
            *(of_rows.pop(name) for name in ("y_true", "y_score")),
            case.definition,
            zero_division=np.nan,
            **of_rows,
            **options,
        )

    places = [np.flatnonzero(segment == name).tolist() for name in names_of(case)]
    known = [(i, kept, score(kept)) for i, kept in enumerate(places)]
    known = [each for each in known if not np.isnan(each[2])]
    _, kept, scores = zip(*known, strict=True)
    found = {
        "estimate": np.array(scores),
        "n_positives": [np.count_nonzero(hit[each]) for each in kept],
        "share": [weight[each][hit[each]].sum() / weight[each].sum() for each in kept],
        "overall": score(range(there.size)),
        "prevalence": np.nan if prevalence is None else prevalence,
    }
    if case.definition[0] not in uncertainty_reference.DEFINITIONS:
        return found
    reference = reference_of(case)
    if reference not in ("rest", "previous"):
        reference = [i for i, *_ in known].index(names_of(case).index(reference))
    asked = reference, level_of(case), case.options.get("alternative", "two-sided")
    return found | uncertainty_reference.segments(rows, kept, case.definition, *asked, **options)
