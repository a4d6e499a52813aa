"""The first lines of a report: what somebody needs who has two minutes."""

from collections.abc import Iterator, Sequence

from sklearn_ap._program.report.page.page import (
    FINE,
    MODEL,
    MOST_DOUBTS,
    RANKS,
    Finding,
    Part,
    leading_doubts,
    texts_to_read,
)
from sklearn_ap._program.report.segments.parts import IN_SEVERAL
from sklearn_ap._questions.verdicts import names_in_words
from sklearn_ap._uncertainty.warnings import split_name

# Parts whose warnings need no title, as they concern all numbers, or name their segments.
CLEAR = "data", "score", "comparison", "segments", "thresholds"


def summarize(parts: Sequence[Part], n_models: int) -> tuple[Finding, ...]:
    """Say which model, which threshold, what differs by segment, and what to distrust."""
    findings = []
    model = ("comparison", "score") if n_models > 1 else ("score",)
    for question, names in ((MODEL, model), ("Threshold", ["thresholds"])):
        answers = [_answer(question, *found) for name in names for found in _named(parts, name)]
        findings += answers[:1] or _left_out(parts, question, names)
    for i, part in _named(parts, "segments"):
        findings.append(_answer(_column_of(part), i, part))
    for i, part in enumerate(parts, 1):
        if part.name == "segments" and not part.cells:
            reason = _reason(part.sentence).replace("None,", "Not compared,", 1)
            if reason.endswith(IN_SEVERAL):
                reason = f"{reason} Without queries, the rows of each segment would be one ranking."
            findings.append(Finding(_column_of(part), reason, i))
    return (*findings, *_doubts(parts))


def _column_of(part: Part) -> str:
    """Return "By month", or "Segments"."""
    return part.title.removeprefix("Segments ").capitalize()


def _named(parts: Sequence[Part], name: str) -> Iterator[tuple[int, Part]]:
    """Find the parts of a name that were not left out, with their numbers on the page."""
    return ((i, part) for i, part in enumerate(parts, 1) if part.name == name and part.cells)


def _left_out(parts: Sequence[Part], question: str, names: Sequence[str]) -> list[Finding]:
    """Say why there is no answer, if its part was left out."""
    named = [(i, part.sentence) for i, part in enumerate(parts, 1) if part.name == names[-1]]
    return [Finding(question, _reason(sentence), i) for i, sentence in named]


def _reason(sentence: str) -> str:
    """Write "None, because each query is a ranking of its own."."""
    _, because, reason = sentence.partition(" because ")
    return f"None,{because}{reason}" if because else sentence


def _answer(question: str, number: int, part: Part) -> Finding:
    return Finding(question, " ".join(part.brief) or part.sentence, number)


def _doubts(parts: Sequence[Part]) -> list[Finding]:
    """Name the first doubts and warnings of all parts, one of a kind; the last part lists them."""
    *others, _ = parts
    texts = leading_doubts(others)
    if not texts:
        return [Finding("Distrust", FINE, i) for i, _ in _named(parts, "data")]
    kinds: dict[str, str] = {}
    for text in texts:
        kinds.setdefault(split_name(text)[0] or text, text)
    owners = {text: parts for text, parts in texts_to_read(others).items() if text in texts}
    shown = [*kinds.values()][:MOST_DOUBTS]
    sentences = [doubt_in_short(text, owners[text]) for text in shown]
    if len(owners) > len(shown):
        rest = {text: owners[text] for text in owners if text not in shown}
        sentences.append(_rest_in_words(rest))
    return [Finding("Distrust", " ".join(sentences), len(parts))]


def _rest_in_words(owners: dict[str, list[Part]]) -> str:
    """Count the other warnings, with their names and parts if all have a name."""
    titles: dict[str, dict[str, None]] = {}
    for text, parts in owners.items():
        titles.setdefault(split_name(text)[0], {})[parts[0].title] = None
    named = [f"{name} ({names_in_words([*places])})" for name, places in titles.items()]
    words = f": {names_in_words(named)}" if all(titles) else ""
    return f"{len(owners)} more warning{'s' * (len(owners) > 1)}{words}."


def doubt_in_short(text: str, owners: Sequence[Part]) -> str:
    """Return a doubt as it is, and of a warning its first sentence, with its part if that helps."""
    if any(text in (*part.urgent, *part.doubts) for part in owners):
        return text
    part = next(part for part in owners if part.name not in RANKS)
    _, words = split_name(text)
    sentence = f"{words.split('. ')[0].rstrip('.')}."
    return sentence if part.name in CLEAR else f"{part.title}: {sentence}"
