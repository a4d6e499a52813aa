"""What holds for every definition and score, on data full of ties, weights and one-class cases.

Definitions are found by themselves, with the options that their classes call worth trying. Where a
law is for some of them only, a question that the definition answers says for which.
"""

import copy
import pickle
import re
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sklearn_ap
from sklearn_ap import definitions, threshold_counts
from tests.helpers import reference
from tests.helpers.registry import (
    BAD_OPTIONS,
    DEFINITIONS,
    KINDS,
    REGISTRY,
    WEIGHTS,
    good_options,
    options_of,
    predictions,
    reference_of,
    score,
    takes_prevalence,
    takes_weights,
)

pytestmark = pytest.mark.filterwarnings("ignore:k=.* exceeds the total of sample_weight")

WEIGHTED = [definition for definition in DEFINITIONS if takes_weights(definition)]
SIMPLE = threshold_counts([1, 0], [1, 0])
# Those that compare a recall or a precision with levels
REACHING = [
    each
    for each in WEIGHTED
    if any(options_of(each).get(name) for name in ("recall", "precision", "recall_levels"))
]
PERFECT = [  # scores that are 1 for a perfect ranking, some of them from k positives on
    name
    for name, each in REGISTRY.items()
    if "average_precision_at_k" in name
    or ("average_precision" in name and reference_of(each.definition)([1], [1]) == 1)
]


def over(chosen):
    return pytest.mark.parametrize("definition", chosen, ids=repr)


every_definition = over(DEFINITIONS)
every_weighted = over(WEIGHTED)


def close(first, second, tolerance=1e-12):
    """The tolerance is absolute up to 1, and relative to the second for larger values."""
    size = np.abs(np.asarray(second, float))
    scale = np.where((size > 1) & np.isfinite(size), size, 1)
    return np.testing.assert_allclose(first / scale, second / scale, rtol=0, atol=tolerance)


def within(values, bounds):
    low, high = bounds
    return bool(((values >= low) & (values <= high + 1e-12)).all())


def exact(definition, y_true, y_score, **options):
    options = {key: np.asarray(value).tolist() for key, value in options.items()}
    value = reference_of(definition)(y_true.tolist(), y_score.tolist(), **options)
    return np.nan if value is None else float(value)


class TestValues:
    """Each value is that of tests/helpers/reference.py."""

    @every_definition
    @given(data=predictions(), missed=st.none() | st.integers(0, 5))
    def test_definition_equals_the_reference(self, definition, data, missed):
        known = {} if missed is None else {"n_positives": int(data[0].sum()) + missed}
        close(score(definition, *data, **known), exact(definition, *data, **known))

    @every_weighted
    @given(
        data=predictions(weights=WEIGHTS),
        missed=st.sampled_from([None, 0.0, 0.25, 3.0]),
        k=st.integers(1, 12),
    )
    def test_definition_equals_the_weighted_reference(self, definition, data, missed, k):
        y_true, y_score, weight = data
        if isinstance(options_of(definition).get("k"), int):  # a share keeps its own
            definition = replace(definition, k=k)
        known = {} if missed is None else {"n_positives": weight[y_true == 1].sum() + missed}
        expected = exact(definition, y_true, y_score, weight=weight, **known)
        close(score(definition, y_true, y_score, sample_weight=weight, **known), expected)

    # Levels are compared within the rounding of sums, which these weights are below, and whole
    # weights, of which a share is rounded up, within 1e-12.
    @over([d for d in WEIGHTED if not (d in REACHING or isinstance(d.depth, float))])
    @given(data=predictions(weights=(1e-12, 1e-9, 1.0, 1e6, 1e9, 1e20)))
    def test_definition_equals_the_reference_for_weights_of_all_sizes(self, definition, data):
        self.check_weights(definition, *data)

    @over(REACHING)
    @given(data=predictions(weights=(1e-12, 1e-9, 0.125, 1.0, 3.5)))
    def test_weighted_levels_are_reached_as_in_the_reference(self, definition, data):
        self.check_weights(definition, *data)

    def check_weights(self, definition, y_true, y_score, weight):
        expected = exact(definition, y_true, y_score, weight=weight)
        close(score(definition, y_true, y_score, sample_weight=weight), expected)


class TestInvariance:
    """What does not matter, and what does."""

    @over([definition for definition in WEIGHTED if definition.depth is None])
    @given(data=predictions(weights=WEIGHTS), factor=st.sampled_from([1e-6, 1 / 3, 7.0, 1e6]))
    def test_multiplying_all_weights_changes_nothing(self, definition, data, factor):
        y_true, y_score, weight = data
        scaled = score(definition, y_true, y_score, sample_weight=factor * weight)
        close(score(definition, y_true, y_score, sample_weight=weight), scaled)


class TestBounds:
    """Where values lie."""

    @every_definition
    @given(data=predictions(weights=st.just(0.0) | st.floats(1e-100, 1e100)))
    def test_value_lies_within_its_bounds_for_any_weights(self, definition, data):
        y_true, y_score, weight = data
        for weights in ({}, {"sample_weight": weight})[: 1 + takes_weights(definition)]:
            value = score(definition, y_true, y_score, **weights)
            assert np.isnan(value) or 0 <= value <= 1

    @pytest.mark.parametrize("name", PERFECT)
    @given(labels=st.lists(st.integers(0, 1), min_size=1, max_size=9))
    def test_a_perfect_ranking_scores_1(self, name, labels):
        assume(any(labels))
        options = options_of(REGISTRY[name].definition)
        k = reference.ranks(options.get("k"), labels, labels)
        divided, k = options.get("normalizer", "attainable"), k or len(labels)
        best = {"attainable": 1, "hits": 1, "positives": k / sum(labels), "k": sum(labels) / k}
        close(REGISTRY[name].score(labels, labels), min(1, best[divided]))


class TestSeveralRankings:
    """Queries score as if alone."""

    @every_definition
    @settings(max_examples=settings.default.max_examples // 2)
    @given(data=predictions(max_size=12, weights=WEIGHTS), seed=st.integers(0, 99))
    def test_queries_score_as_if_alone(self, definition, data, seed):
        y_true, y_score, weight = data
        queries = np.random.default_rng(seed).integers(0, 4, len(y_true))
        self.check_queries(definition, y_true, y_score, queries)
        if takes_weights(definition):
            self.check_queries(definition, y_true, y_score, queries, sample_weight=weight)
        if takes_prevalence(definition):
            self.check_queries(definition, y_true, y_score, queries, prevalence=0.1)

    def check_queries(self, definition, y_true, y_score, queries, **given):
        weight, alone = given.get("sample_weight", np.ones(len(y_true))), []
        for at in (queries == query for query in np.unique(queries[weight > 0])):
            own = {key: value if key == "prevalence" else value[at] for key, value in given.items()}
            alone.append(score(definition, y_true[at], y_score[at], **own))
        options = {"queries": queries, **given}
        values = score(definition, y_true, y_score, average=None, **options)
        mean = score(definition, y_true, y_score, **options)
        close(values, alone)
        close(mean, np.nan if np.isnan(values).all() else np.mean(values[~np.isnan(values)]))


class TestPictures:
    """What a definition says of its picture agrees with its value."""

    @over([definition for definition in DEFINITIONS if definition.line(SIMPLE) is not None])
    @given(data=predictions(weights=WEIGHTS), missed=st.integers(0, 3))
    def test_value_is_the_drawn_area_or_near_it(self, definition, data, missed):
        y_true, y_score, weight = data
        weight = weight if takes_weights(definition) else None
        counts = threshold_counts(y_true, y_score, sample_weight=weight)
        assume(counts.thresholds.size)
        counts = replace(counts, n_positives=counts.n_positives + missed)
        recall, precision = definition.line(counts)
        assert (np.diff(recall) >= -1e-12).all()
        assert within(recall, (0, 1))
        assert within(precision, (0, 1))
        if definition in REACHING:
            return  # the mean of the line at levels
        shown = np.trapezoid(precision, recall) * counts.n_positives / definition.divisor(counts)
        bends = recall.size > 2 * counts.thresholds.size  # short lines in the place of a curve
        close(shown, definition(counts), 1e-3 if bends else 1e-12)

    @over([definitions.Step(), definitions.Linear(), definitions.Hyperbolic()])
    @given(data=predictions(weights=WEIGHTS))
    def test_curves_run_through_the_operating_points(self, definition, data):
        counts = threshold_counts(*data[:2], sample_weight=data[2])
        assume(counts.thresholds.size)
        recall, precision = definition.line(counts)
        reached = counts.tps / counts.n_positives
        close(precision[recall.searchsorted(reached - 1e-12)], counts.precision)


class TestObjects:
    """Definitions are small frozen values."""

    @every_definition
    def test_definition_is_frozen_and_its_repr_evaluates_to_itself(self, definition):
        assert eval(repr(definition), vars(definitions)) == definition
        for field in fields(definition):  # defaults are shown if they are numbers
            is_shown = f"{field.name}=" in repr(definition)
            is_default = getattr(definition, field.name) == field.default
            assert is_shown == (not is_default or isinstance(field.default, int | float))
        for other in (pickle.loads(pickle.dumps(definition)), copy.deepcopy(definition)):
            assert other == definition
            assert hash(other) == hash(definition)
        for name, value in options_of(definition).items():
            assert type(value) in (int, float, str, tuple, type(None))
            with pytest.raises(FrozenInstanceError):
                setattr(definition, name, None)

    def test_definitions_are_distinct_in_value_title_and_repr(self):
        assert len({*DEFINITIONS}) == len(DEFINITIONS)
        assert len({definition.title for definition in DEFINITIONS}) == len(DEFINITIONS)
        assert len({repr(definition) for definition in DEFINITIONS}) == len(DEFINITIONS)

    def test_bad_options_are_refused_by_name_at_construction(self, subtests):
        for kind, field in [(each, field) for each in KINDS for field in fields(each)]:
            for value in BAD_OPTIONS.get(field.name, ()):
                if value is field.default:
                    continue
                with (
                    subtests.test(f"{kind.__name__}({field.name}={value!r})"),
                    pytest.raises((TypeError, ValueError), match=f"^{field.name}"),
                ):
                    kind(**{field.name: value})

    @pytest.mark.parametrize("kind", KINDS)
    def test_every_option_has_good_and_bad_trial_values(self, kind):
        """An option that no trial sets is under no law."""
        names = {field.name for field in fields(kind)}
        assert names == {name for options in good_options(kind) for name in options}
        assert names <= BAD_OPTIONS.keys()


class TestScores:
    """Scores hand on to definitions, as the crossings show, and with them come all laws above."""

    def test_registry_has_every_score_and_every_definition(self):
        scores = {name for name in sklearn_ap.__all__ if name.endswith("_score")}
        assert {re.match(r"\w+", name)[0] for name in REGISTRY} == scores
        assert {entry.definition for entry in REGISTRY.values()} >= {*DEFINITIONS}


@pytest.mark.parametrize("n_copies", [2, 5])
@pytest.mark.parametrize("kind", ["errors", "perfect", "prevalence", "weights"])
def test_copies_of_rows_in_their_clusters_change_no_limit(kind, n_copies):
    """Of rows, of which each is a cluster, and of their copies; also a perfect model's."""
    rng = np.random.default_rng(0)
    y = (rng.random(80) < 0.3).astype(int)
    models = {"a": y + rng.normal(size=80), "b": y + rng.random(80)}
    if kind == "perfect":
        models["a"] = 2.0 * y + rng.random(80)
    options = {"prevalence": {"prevalence": 0.1}, "weights": {"sample_weight": rng.random(80)}}
    options, found = options.get(kind, {}), []
    for n in (1, n_copies):
        rows = np.repeat(np.arange(80), n)
        more = {name: v if np.isscalar(v) else v[rows] for name, v in options.items()}
        scores = {name: score[rows] for name, score in models.items()}
        each = sklearn_ap.compare_average_precision(y[rows], scores, clusters=rows, **more)
        names = "low", "high", "difference_low", "difference_high", "pvalue"
        found.append(np.array([getattr(each, name) for name in names]))
    np.testing.assert_allclose(*found, atol=1e-9)
