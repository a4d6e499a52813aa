"""What a better model in some segment changes in the words about all rows."""

from collections.abc import Sequence
from dataclasses import replace

from sklearn_ap._program.report.advice._reversal_picture import reversal_picture
from sklearn_ap._program.report.advice._reversals import (
    Reversal,
    compare_inside,
    difference_elsewhere,
    kind_of_interval,
    latest_reversal,
)
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.models.comparison import (
    HAS_HIGHEST_SCORE,
    IS_BEST,
    goes_on_with,
)
from sklearn_ap._program.report.page.page import Part, add_sentence
from sklearn_ap._program.report.page.pictures import (
    warned_texts,
)
from sklearn_ap._program.report.page.words import row_difference
from sklearn_ap._program.report.segments.worst import WorstSegment
from sklearn_ap._questions.verdicts import (
    WORSE,
    names_in_words,
)


def add_reversals(
    data: Predictions, part: Part, reversals: Sequence[Reversal], worst: Sequence[WorstSegment]
) -> Part:
    """Say where the best model is a worse one, and first which to use if that is so now."""
    now = latest_reversal(reversals)
    told = [] if now is None else _told_with(now, reversals)
    earlier = [found for found in reversals if not found.found.is_latest]
    for found in earlier:
        if found not in told:
            part = limit_by_reversal(part, found, _elsewhere_in_words(data, reversals))
    if now is not None:
        picture = reversal_picture(data, [now, *earlier], worst)
        part = replace(advise_other(part, now, told), picture=picture)
        part = _add_lead_elsewhere(data, part, now, told)
    elif reversals and len(data.values) == 2:  # the picture of more models has their order
        part = replace(part, picture=reversal_picture(data, reversals, worst))
    texts = [text for found in reversals for text in found.warnings]
    return replace(part, warnings=[*dict.fromkeys([*part.warnings, *texts])])


def _add_lead_elsewhere(
    data: Predictions, part: Part, latest: Reversal, told: Sequence[Reversal]
) -> Part:
    """Say below the heading how much better the best of two models was in the other times."""
    if len(data.values) != 2 or not latest.is_shown:
        return part
    with warned_texts():  # the part has those of the comparison of all rows
        segments = [latest.found, *(each.found for each in told)]
        elsewhere = difference_elsewhere(data, segments, latest.other)
    texts = [
        f"In the {name}, {latest.best} is better: {each.brief(data.interval_kind, '+')}."
        for name, each in elsewhere.items()
        if each.low > 0
    ]
    return replace(part, more=[*part.more, *texts])


def _told_with(latest: Reversal, reversals: Sequence[Reversal]) -> list[Reversal]:
    """Return the reversals that the sentence of the latest one tells, times in their order."""
    column = latest.found.column
    if not latest.is_shown:
        return []
    alike = [
        each
        for each in reversals
        if each.found.column.name == column.name and each.other == latest.other and each.is_shown
    ]
    return sorted(alike, key=lambda each: column.names.index(each.found.name))


def add_doubted_leads(
    data: Predictions, part: Part, reversals: Sequence[Reversal], worst: Sequence[WorstSegment]
) -> Part:
    """Say of a worse segment that the best of two models is not shown to be better there."""
    known = {(each.found.column.name, each.found.name) for each in reversals}
    places = [each for each in worst if each.is_worse and not each.column.is_time]
    if len(data.values) != 2 or not places or part.advice:
        return part
    found = places[0]
    best, second = data.values
    with warned_texts():  # the part has those of the comparison of all rows
        row = compare_inside(data, found, second)
    is_known = (found.column.name, found.name) in known or found.column.model != best
    if is_known or row["verdict"] == WORSE or not row["difference"] < 0:
        return part
    change = row_difference(row).brief(kind_of_interval(data, found), "+")
    text = f"In {found.place}, it is not shown to be better: {change}."
    return add_sentence(part, text)


def _elsewhere_in_words(data: Predictions, reversals: Sequence[Reversal]) -> str:
    """Say how much better the best of two models is outside a single segment, if that is shown."""
    if len(data.values) != 2 or len(reversals) != 1 or reversals[0].found.column.is_time:
        return ""
    (only,) = reversals
    with warned_texts():  # the part has those of the comparison of all rows
        elsewhere = difference_elsewhere(data, [only.found], only.other)
    shown = [each for each in elsewhere.values() if each.low > 0]
    change = f"{shown[0].brief(data.interval_kind, '+')}" if shown else ""
    return f" In {only.found.column.others}, it is better: {change}." if shown else ""


def limit_by_reversal(part: Part, reversal: Reversal, elsewhere: str = "") -> Part:
    """Say in the claim that a model is better, or else behind it, where it is worse."""
    best = reversal.best
    other = reversal.other
    where = f"in {reversal.found.place}"
    if not can_limit(part, best):
        claim = f"{best} is worse than {other}: {reversal.change}."
        if part.advice.endswith(goes_on_with(best)) and not reversal.found.column.is_time:
            advice = f"Use {other} {where}; elsewhere, this page uses {best}."
            if elsewhere:  # both differences are shown, and cancel over all rows
                advice = f"Use {other} {where} and {best} elsewhere."
            part = replace_advice(part, advice)
            if elsewhere:
                part = replace(part, brief=[advice, *(t for t in part.brief if t != advice)])
        return add_sentence(part, f"{where[0].upper()}{where[1:]}, however, {claim}{elsewhere}")
    advice = "" if reversal.found.column.is_time else f"Use {other} {where}."  # a month is over
    return limit_claim(part, best, f"worse than {other} {where}: {reversal.change}", advice)


def replace_advice(part: Part, advice: str) -> Part:
    """Give another advice in the place of the one of a part."""
    texts = {
        name: [advice if text == part.advice else text for text in getattr(part, name)]
        for name in ("more", "brief")
    }
    return replace(part, more=texts["more"], brief=texts["brief"], advice="")


def can_limit(part: Part, best: str) -> bool:
    """Check whether the sentence claims that a model is better, without a limit yet."""
    is_claimed = IS_BEST in part.sentence or f"{best} is better than" in part.sentence
    return part.sentence.startswith(best) and is_claimed and ", but " not in part.sentence


def limit_claim(part: Part, best: str, worse: str, advice: str) -> Part:
    """Say behind the claim that a model is better where it is worse, and what to do there."""
    claims = [text for text in part.brief if text.startswith(best)][:1]
    short_texts = [
        f"{text[:-1]}, but {worse}." if text in (part.sentence, *claims) else text
        for text in part.brief
    ]
    part = replace(part, sentence=f"{part.sentence[:-1]}, but {worse}.", brief=short_texts)
    return add_sentence(part, advice)


def advise_other(part: Part, reversal: Reversal, told: Sequence[Reversal]) -> Part:
    """Begin with the model to use for now, and say in the heading what holds now and over all."""
    best = reversal.best
    other = reversal.other
    fallen, stable = reversal.scores
    advice = f"Use {other} for now: {best} {reversal.found.start}."
    since = reversal.found.times_of_fall
    where = reversal.when
    now = f"{where[0].upper()}{where[1:]}, {best} scores {fallen} and {other} {stable}"
    change = f": {reversal.change}" if reversal.is_shown else ", but no difference is shown"
    plural = reversal.found.column.plural
    part = begin_with(part, [advice, f"{now}{change}."], part.models[0], plural)
    if not reversal.is_shown:
        return part
    earlier = [
        f"{best} is worse than {other} in {each.found.name}, too: {each.change}."
        for each in told
        if each.found.name not in {reversal.found.name, *since}
    ]
    others = [each.found.name for each in told if each.found.name not in since]
    where = f"in {names_in_words(others)}" if others and not since else where
    claim = f"{part.sentence[0].lower()}{part.sentence[1:]}"
    claim = claim.replace(f"{best} is better than {other}", "it is better", 1)
    first, second, *more = part.more
    sentence = f"{best} is worse than {other} {where}; {claim}"
    return replace(part, sentence=sentence, more=[first, second, *earlier, *more])


def begin_with(part: Part, texts: Sequence[str], best: str, plural: str) -> Part:
    """Begin the first lines with what holds now, and limit what follows to all segments."""
    short_texts = [text for text in part.brief or [part.sentence] if text != part.advice]
    # It is not said to be the best, as that is not so now.
    claim = part.sentence.replace(IS_BEST, HAS_HIGHEST_SCORE, 1)
    claim = over_all(claim, plural, part.models)
    if part.sentence in short_texts:
        short_texts[short_texts.index(part.sentence)] = claim
    else:  # the first lines have words of their own about the best model
        first = next(i for i, text in enumerate(short_texts) if text.startswith(best))
        short_texts[first] = over_all(short_texts[first], plural, part.models)
    more = [*texts, *(text for text in part.more if text != part.advice)]
    return replace(part, sentence=claim, more=more, brief=[*texts, *short_texts], advice="")


def limit_finding(part: Part, plural: str) -> Part:
    """Limit what the picture of a part shows to all segments."""
    if part.picture is None or not part.picture.finding:
        return part
    finding = over_all(part.picture.finding, plural, part.models)
    return replace(part, picture=replace(part.picture, finding=finding))


def over_all(sentence: str, plural: str, models: Sequence[str]) -> str:
    """Limit a sentence to all segments; the names of models keep their case."""
    if not (models and sentence.startswith(tuple(models))):
        sentence = f"{sentence[0].lower()}{sentence[1:]}"
    return f"Over all {plural}, {sentence}"
