"""The first lines of a report: what somebody needs who has two minutes."""

from collections.abc import Iterator, Sequence

from sklearn_ap._program.report.page import (
    FINE,
    RANKS,
    Finding,
    Part,
    leading_doubts,
    texts_to_read,
)


def summarize(parts: Sequence[Part], n_models: int) -> tuple[Finding, ...]:
    """Say which model, which threshold, what differs by segment, and what to distrust."""
    findings = []
    model = ("comparison", "score") if n_models > 1 else ("score",)
    for question, names in (("Model", model), ("Threshold", ["thresholds"])):
        answers = [_answer(question, *found) for name in names for found in _named(parts, name)]
        findings += answers[:1]
    for i, part in _named(parts, "segments"):
        column = part.title.removeprefix("Segments ").capitalize()  # "By month", or "Segments"
        findings.append(_answer(column, i, part))
    return (*findings, *_doubts(parts))


def _named(parts: Sequence[Part], name: str) -> Iterator[tuple[int, Part]]:
    """Find the parts of a name that were not left out, with their numbers on the page."""
    return ((i, part) for i, part in enumerate(parts, 1) if part.name == name and part.cells)


def _answer(question: str, number: int, part: Part) -> Finding:
    return Finding(question, part.brief or part.sentence, number)


def _doubts(parts: Sequence[Part]) -> list[Finding]:
    """Name the first doubt or warning of all parts; the last part lists them."""
    *others, _ = parts
    texts = leading_doubts(others)
    if not texts:
        return [Finding("Distrust", FINE, i) for i, _ in _named(parts, "data")]
    first, *_ = texts
    if not any(first in part.doubts for part in others):
        owners = [part.title for part in texts_to_read(others)[first] if part.name not in RANKS]
        first = f"{owners[0]}: {first.split('. ')[0].rstrip('.')}."
    n_more = len(texts_to_read(others)) - 1
    more = f" {n_more} more warning{'s' * (n_more > 1)}." if n_more else ""
    return [Finding("Distrust", f"{first}{more}", len(parts))]
