"""The first lines of a report: what somebody needs who has two minutes."""

from collections.abc import Iterator, Sequence

from sklearn_ap._program.report.page import FINE, Finding, Part


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
    """Say what looks wrong with the data, or else what is warned of."""
    warned = parts[-1]
    data = [*_named(parts, "data")]
    if not warned.cells or any(part.brief != FINE for _, part in data):
        return [_answer("Distrust", *found) for found in data]
    first = warned.cells[1][0].split(". ")[0].rstrip(".")
    n_more = len(warned.cells) - 2
    more = f" {n_more} more warning{'s' * (n_more > 1)}." if n_more else ""
    return [Finding("Distrust", f"{first}.{more}", len(parts))]
