"""The sentences about the segments of a column: trends, outliers, and what is not shown."""

from collections.abc import Sequence

from sklearn_ap._base.common.tuned_constants import FEW_POSITIVES, FEWEST_TREND_POSITIVES
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.page.words import as_printed, pvalue, row_difference, row_score
from sklearn_ap._program.report.segments._dates import TIMES
from sklearn_ap._program.report.segments._falls import fall_in_words
from sklearn_ap._program.report.segments._outliers import Outlier, Step
from sklearn_ap._program.report.segments._ranges import (
    Subject,
    latest_few,
    range_in_words,
    score_with_limits,
)
from sklearn_ap._program.report.segments.columns import (
    Column,
    change_in_words,
    compare_column,
    prevalence_in_words,
    some_names,
)
from sklearn_ap._program.report.segments.comparisons import (
    TREND,
    compare_by_column,
    count_references,
    segment_row,
    trend_change,
)
from sklearn_ap._questions.segments.picture import effective_as_text
from sklearn_ap._questions.verdicts import (
    ALL_SEGMENTS,
    BETTER,
    OTHERS,
    UNDECIDED,
    WORSE,
    Estimate,
    Verdict,
    names_in_words,
)

NEARLY_PERFECT = 0.95  # a score that suggests a leak of labels: a choice
SURE = 0.99  # a p-value above this is printed as one


def sentences_of(data: Predictions, found: Column, second: str) -> list[str]:
    """Write what is shown, and then the lowest, the highest and the latest score, and the trend.

    ``second`` says how the second model changes.
    """
    scores = range_in_words(data, found)
    trends = _trends(found)
    if not found.is_compared:
        few = f"By {found.name}, for {found.model}: {_too_few(found)}."
        why = [effective_positives(data, found)] if found.has_fewer_effective else []
        return [few, _remedy(data, found), *why, scores]
    if found.leads_trend:
        return [*trends, scores]
    whole = _whole_in_words(found)
    seconds = [f"{second}."] if second else []
    if claims := _claims(data, found):
        doubt = [whole] if not found.differs_as_a_whole and len(found.rows) > 2 else []
        return [*seconds, *claims, *([scores] if found.is_time else []), *trends, *doubt]
    claim = f"{whole[0].lower()}{whole[1:]}"
    if second:
        scores = range_in_words(data, found, Subject("It", is_model=True))
        return [*seconds, f"For {found.model}, {claim}", scores, *trends]
    return [f"By {found.name}, for {found.model}: {claim}", scores, *trends]


def brief_of(data: Predictions, found: Column, second: str) -> list[str]:
    """Write for the first lines what is worse, or that nothing is shown and what scores are."""
    is_named = len(data.values) > 1
    subject = Subject(found.model, is_model=True) if is_named else Subject("They")
    scores = range_in_words(data, found, subject)
    if not found.is_compared:
        few = f"The {found.plural} cannot be compared: {_too_few(found, is_brief=True)}."
        return [few, _remedy(data, found), scores]
    trends = _trends(found)
    if found.leads_trend:
        return [*trends, range_in_words(data, found)]
    claims = _claims(data, found, is_brief=True)
    seconds = [f"{second}."] if second else []
    if not claims:
        whole = _whole_in_words(found, is_brief=True)
        if is_named and " is shown" in whole:
            whole = whole.replace(" is shown", f" is shown for {found.model}", 1)
            scores = range_in_words(data, found, Subject("It", is_model=True))
        return [*seconds, whole, scores, *trends]
    if second:
        return [*seconds, claims[0], *_latest_in_short(data, found)]
    doubt = _doubt_in_short(found)
    if len(data.values) > 1:  # the second sentence has the scores of two models
        return [*claims, *doubt, *_latest_in_short(data, found), *trends]
    scores = range_in_words(data, found)
    times = [scores] if found.is_time else []
    return [claims[0], *doubt, *times, *claims[1:], *trends]


def _doubt_in_short(found: Column) -> list[str]:
    """Say that all segments together are not shown to differ, where a single one is named."""
    whole = found.verdicts.get(ALL_SEGMENTS)
    if whole is None or whole.decision != UNDECIDED:
        return []
    value = pvalue(found.comparison.homogeneity_pvalue)
    return [f"But all {found.plural} together are not shown to differ (p = {value})."]


def _latest_in_short(data: Predictions, found: Column) -> list[str]:
    """Give the score of the latest segment if it is not the one that is named."""
    if found.latest_is_short:
        return [f"{latest_few(found)}."]
    latest = found.rows[-1]
    if not found.is_time or found.marked[-1]:
        return []
    score = score_with_limits(data, latest)
    return [f"In the latest {found.noun}, {latest['segment']}, {found.model} scores {score}."]


def second_in_words(data: Predictions, found: Column, *, has_crowd: bool) -> str:
    """Say that the second model changes, and where to look; empty otherwise.

    A crowd of segments at its top explains a trend.
    """
    column = changed_model(data, found)
    if column is None:
        return _unsure_fall(data, found)
    change = change_of_model(data, column)
    if column.ends_in_fall:
        fall = f"{column.model} falls in {column.start_of_fall}"
        return f"{fall}: look at its inputs or scores since then."
    if column.clear_outlier is not None:
        return f"{change}: look at its inputs or scores there."
    return "" if has_crowd else f"{change}, so its score is an average over {found.plural}."


def leak_in_words(data: Predictions, found: Column) -> str:
    """Say of a nearly perfect score of another model that labels may leak; empty otherwise."""
    column = changed_model(data, found)
    outlier = None if column is None else column.clear_outlier
    if column is None or outlier is None or outlier.row["estimate"] < NEARLY_PERFECT:
        return ""
    return f"{change_of_model(data, column)}: look there for labels that leak into scores."


def _unsure_fall(data: Predictions, found: Column) -> str:
    """Say that another model may have fallen in the latest time, if that is not beyond doubt."""
    if found.model != data.best_model or not found.is_time or found.tells_change:
        return ""
    for name in data.shown_models[1:]:
        column = compare_column(data, found.name, name)
        outlier = column.outlier
        if column.clear_outlier is None and outlier is not None and column.fallen_times:
            score = as_printed(row_score(outlier.row)).value
            p = f"adjusted p = {pvalue(outlier.row['adjusted_pvalue'])}"
            fall = f"{name} may have fallen: {score} in {outlier.name} ({p})"
            return f"{fall}. Look at its inputs or scores there."
    return ""


def changed_model(data: Predictions, found: Column) -> Column | None:
    """Find the first of the other models that changes where the best one is steady.

    A fall that lasts is told, too, if the best model differs in earlier segments.
    """
    if found.model != data.best_model or not found.is_compared:
        return None
    for name in data.shown_models[1:]:
        column = compare_column(data, found.name, name)
        is_told = column.ends_in_fall and not (found.fallen_times or found.leads_trend)
        if (is_told or not found.tells_change) and change_of_model(data, column):
            return column
    return None


def second_change(data: Predictions, found: Column) -> str:
    """Say how another model changes where the best one is steady; empty otherwise."""
    column = changed_model(data, found)
    return "" if column is None else change_of_model(data, column)


def change_of_model(data: Predictions, column: Column) -> str:
    """Say in which segment a model clearly differs, or how it changes; empty if it does not."""
    model = column.model
    if column.clear_outlier is not None:
        row = column.clear_outlier.row
        score = as_printed(row_score(row)).value
        place = column.clear_outlier.name
        if not column.is_time:
            return f"{model} scores {score} in {column.place(place)}"
        if row["verdict"] == BETTER and place == column.names[0]:
            return f"{model} scores {score} in {place}, and less since"
        if row["verdict"] == BETTER:
            return f"{model} rises to {score} in {place}"
        return f"{model} {fall_in_words(column, score, place, place, column.mean_of_others)}"
    comparison = column.comparison
    if not comparison.trend_pvalue < (1 - data.level) / column.n_columns:  # nan without a trend
        return ""
    change = trend_change(comparison)
    verb = "rises" if change.value > 0 else "falls"
    return f"The score of {model} {verb} by {change.as_text('+').value[1:]} a {column.unit}"


def effective_positives(data: Predictions, found: Column) -> str:
    prevalence = prevalence_in_words(data, found.name)
    return (
        f"A segment has fewer effective positives than positives if its rows have weights, or if "
        f"it has few negatives for {prevalence}: its rows then count for less."
    )


def _remedy(data: Predictions, found: Column) -> str:
    """Say what to do with segments that have too few positives."""
    if found.has_few_negatives:
        return "Collect more negatives."
    if len(found.rows) == 2:
        return f"Collect more {data.sampled_units}."
    merge = f"Merge {found.plural} into longer times" if found.is_time else "Merge similar ones"
    return f"{merge}, or collect more {data.sampled_units}."


def _too_few(found: Column, is_brief: bool = False) -> str:
    """Write "each has too few positives (at most 7, and 10 are needed)", or which has enough."""
    n_enough = count_references(found.comparison)
    if n_enough:
        n_segments = len(found.rows) + len(found.comparison.left_out)
        counted = found.counted if found.query_noun else "effective positives"
        needed = f"the {FEW_POSITIVES} {counted} that a comparison needs"
        needed = f"enough {found.counted}" if is_brief else needed
        return f"only {n_enough} of {n_segments} has {needed}"
    n_most = int(found.counts.max())
    if n_most < FEW_POSITIVES:
        most = f"{n_most} at most" if n_most else "none"
        return f"each has too few {found.counted} ({most}, and {FEW_POSITIVES} are needed)"
    most = f"at most {effective_as_text(found.n_effective.max())}"
    if found.has_few_negatives:
        return f"each has negatives for {most} positives, and {FEW_POSITIVES} are needed"
    most = f"{most} effective ones" if found.has_fewer_effective else most
    aim = " to show a change" if found.is_time else " to compare"
    few = f"each has too few {found.counted}{'' if is_brief else aim}"
    return f"{few} ({most}, and {FEW_POSITIVES} are needed)"


def _whole_in_words(found: Column, *, is_brief: bool = False) -> str:
    """Say what is shown of all segments together; of two, what is shown of their difference."""
    if whole := found.verdicts.get(ALL_SEGMENTS):
        if whole.decision == UNDECIDED and not found.outliers:
            value = found.comparison.homogeneity_pvalue
            sure = f"p > {SURE}" if value > SURE else f"p = {pvalue(value)}"
            columns = f", for {found.n_columns} columns" if found.n_columns > 1 else ""
            test = "" if is_brief else f" (test that all are equal{columns}: {sure})"
            return f"No difference between the {found.plural} is shown{test}."
        return whole.sentence.replace("segments", found.plural, 1)
    sentence = found.comparison.verdicts[0].sentence
    if len(found.rows) == 2:
        first, second = found.names
        return sentence.replace(f"{first} and {OTHERS}", f"{first} and {second}", 1)
    return sentence


def _trends(found: Column) -> list[str]:
    """Name the trend, if the segments are in an order; a step of times is one of them.

    Beside segments that differ, the trend is that of the others, and it is told only if it is
    shown: "No trend is shown" would read as if nothing had changed.
    """
    if found.trend is not None:
        return [_trend_in_words(found, found.trend)]
    is_fitted = TREND in found.verdicts or bool(found.outliers)
    if found.is_time and len(found.rows) > 2 and not is_fitted:
        counted = found.counted if found.query_noun else "effective positives"
        few = f"fewer than three {found.plural} have {FEWEST_TREND_POSITIVES} {counted}"
        return [f"There is no trend, as {few}."]
    return []


def _trend_in_words(found: Column, trend: Verdict) -> str:
    sentence = trend.sentence.replace("these segments", f"these {found.plural}")
    if found.name.casefold() in TIMES:
        sentence = sentence.replace(" a step", f" a {found.name}")
    if found.leads_trend:
        return sentence.replace("The score", f"The score of {found.model}", 1)
    if not found.outliers:
        return sentence
    names = names_in_words([each.name for each in found.outliers])
    return f"Without {names}, {sentence[0].lower()}{sentence[1:]}"


def _claims(data: Predictions, found: Column, is_brief: bool = False) -> list[str]:
    """Say which segment differs, what models score there, and how the others differ."""
    first = found.outlier
    if first is None:
        return []
    alike = [each for each in found.outliers if each.row["verdict"] == first.row["verdict"]]
    unlike = [each for each in found.outliers if each not in alike]
    return [
        _claim(data, found, alike, is_brief),
        *scores_in_segment(data, found),
        *([_claim(data, found, unlike, is_brief)] if unlike else []),
        *_others_in_words(data, found, is_brief),
    ]


def _claim(data: Predictions, found: Column, outliers: Sequence[Outlier], is_brief: bool) -> str:
    """Say how some segments differ from those that are no outliers, times in their order.

    The first lines have the interval of a single one alone.
    """
    if found.is_time:
        outliers = sorted(outliers, key=lambda each: found.names.index(each.name))
    if found.step is not None and outliers[0].row["verdict"] == WORSE:
        return _step_in_words(data, found, found.step)
    sizes = [_size_and_limits(data, found, each) for each in outliers]
    changes = [
        f"{size} in {found.place(each.name) if each is outliers[0] else each.name}"
        for each, (size, _, _) in zip(outliers, sizes, strict=True)
    ]
    subject = subject_in_words(data, found)
    claim = f"{subject} scores {names_in_words(changes)} than in {_others_of(found)}"
    if is_brief and len(outliers) > 1:
        return f"{claim}."
    kind = sizes[0][1] if len(outliers) == 1 else f"adjusted {data.interval_kind}s"
    return f"{claim} ({kind} {names_in_words([limits for _, _, limits in sizes])})."


def _step_in_words(data: Predictions, found: Column, step: Step) -> str:
    """Say how much less a model scores in all times since it has fallen."""
    value, low, high = _absolute_change(step.change).as_text("+")
    limits = f"{low.removeprefix('+')} to {high.removeprefix('+')}"
    since = f"since {found.start_of_fall}"
    claim = f"{subject_in_words(data, found)} scores {value.removeprefix('+')} less {since}"
    return f"{claim} than before (adjusted {data.interval_kind} {limits})."


def _size_and_limits(data: Predictions, found: Column, outlier: Outlier) -> tuple[str, str, str]:
    """Write "0.21 less", and the kind and the limits of its interval.

    It is adjusted as its p-value is.
    """
    level = 1 - (1 - data.level) / outlier.n_tests
    adjusted = compare_by_column(data, found.model, found.name, outlier.left_out, level)
    change = row_difference(segment_row(adjusted, outlier.name))
    kind = data.interval_kind if outlier.n_tests == 1 else f"adjusted {data.interval_kind}"
    value, low, high = _absolute_change(change).as_text("+")
    more = "more" if change.value > 0 else "less"
    limits = f"{low.removeprefix('+')} to {high.removeprefix('+')}"
    return f"{value.removeprefix('+')} {more}", kind, limits


def _absolute_change(change: Estimate) -> Estimate:
    """Turn a loss into its size, whose limits change places."""
    return change if change.value > 0 else Estimate(-change.value, -change.high, -change.low)


def advised_in_words(data: Predictions, found: Column, model: str) -> str:
    """Say how the model that is advised for now changes, or else what it scores."""
    column = compare_column(data, found.name, model)
    if not column.is_compared:
        return ""
    if change := change_of_model(data, column):
        return f"{change}."
    if column.tells_change:
        return range_in_words(data, column, Subject(model, is_model=True))
    return f"For {model}, no difference between the {found.plural} is shown."


def scores_in_segment(data: Predictions, found: Column) -> list[str]:
    """Give the scores of the best and the second model in the outlier, if there are several."""
    if found.outlier is None:
        return []
    row = found.outlier.row
    is_single = [each.row["verdict"] for each in found.outliers].count(row["verdict"]) == 1
    others = [name for name in data.values if name != found.model]
    if not others:
        return []
    other = segment_row(compare_by_column(data, others[0], found.name), row["segment"])
    scores = [as_printed(row_score(each)).value for each in (row, other)]
    where = "There" if is_single else f"In {row['segment']}"
    return [f"{where}, {found.model} scores {scores[0]}, and {others[0]} {scores[1]}."]


def subject_in_words(data: Predictions, found: Column) -> str:
    """Return the model at the beginning of a sentence."""
    return data.subject if found.model == data.best_model else found.model


def _others_of(found: Column) -> str:
    """Write "the other months", or the name of the only other one."""
    named = {each.name for each in found.outliers}
    names = [name for name in found.names if name not in named]
    return names[0] if len(names) == 1 else found.others


def _others_in_words(data: Predictions, found: Column, is_brief: bool) -> list[str]:
    """Say how the segments but the outliers differ from each other, three of each kind.

    The first lines have the kind of the largest difference: where one of them is worse, each of
    the others may be better than a mean that includes it.
    """
    if found.rest is None:
        return []
    outliers = {each.name for each in found.outliers}
    rows = [row for row in found.unlike_rows if str(row["segment"]) not in outliers]
    rows.sort(key=lambda row: -abs(row["difference"]))
    names: dict[str, list[str]] = {}
    for row in rows:
        name = f"{row['segment']} ({change_in_words(row)})"
        names.setdefault(row["verdict"], []).append(name)
    others = f"Among {found.others}"
    kinds = [f"{kind} in {some_names(each)}" for kind, each in names.items()]
    if kinds:
        return [f"{others}, it is {', and '.join(kinds[:1] if is_brief else kinds)}."]
    whole = found.rest_verdicts.get(ALL_SEGMENTS)
    differ = whole is not None and whole.decision != UNDECIDED
    first = compare_by_column(data, found.model, found.name)
    differed = {str(row["segment"]) for row in first.rows() if row["verdict"] in (BETTER, WORSE)}
    # If nothing else seemed to differ, or a trend is shown, there is nothing to take back.
    if differ or found.tells_trend or not differed - outliers:
        return []
    return [f"{others}, no difference is shown."]
