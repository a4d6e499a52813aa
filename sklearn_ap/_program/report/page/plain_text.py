"""A report as text for a terminal."""

import textwrap
from collections.abc import Iterable, Sequence

from sklearn_ap._base.extras import printable, printable_lines
from sklearn_ap._base.text import LINE_WIDTH, Table, table_as_text
from sklearn_ap._program.report.page.page import CALLS, LONGEST_WORDS, Part, Top


def as_lines(top: Top, parts: Sequence[Part]) -> str:
    """Write the text for a terminal."""
    lines = [printable(top.title)]
    lines += [
        textwrap.fill(printable(f"{question}: {answer}"), LINE_WIDTH, subsequent_indent="  ")
        for question, answer, _ in top.summary
    ]
    lines += [*map(_fill, top.small_print), printable_lines(top.call)]
    sections = (_section_text(i, part) for i, part in enumerate(parts, 1))
    return "\n\n".join(["\n".join(filter(None, lines)), *sections, *_calls_text(parts)])


def _calls_text(parts: Iterable[Part]) -> list[str]:
    lines = [f"# {printable(part.title)}\n>>> {part.call}" for part in parts if part.call]
    return ["\n".join([CALLS, *lines])] if lines else []


def _section_text(number: int, part: Part) -> str:
    lines = [
        f"{number}. {printable(part.title)}",
        _fill(part.sentence),
        *map(_fill, part.more),
        _table_text(part.cells),
        *map(_fill, part.notes),
        *printable_lines(part.copied_text).split("\n"),
    ]
    return "\n".join(filter(None, lines))


def _fill(text: str) -> str:
    return textwrap.fill(printable(text), LINE_WIDTH)


def _table_text(cells: Sequence[Sequence[str]]) -> str:
    """Align the columns, or write a paragraph for each row if a cell is long."""
    if cells and not any(len(cell) > LONGEST_WORDS for row in cells for cell in row):
        return table_as_text(Table([[*row] for row in cells], []))
    texts = map(printable, _rows_as_text(cells))
    return "\n".join(
        textwrap.fill(text, LINE_WIDTH, initial_indent="- ", subsequent_indent="  ")
        for text in texts
    )


def _rows_as_text(cells: Sequence[Sequence[str]]) -> list[str]:
    """Write a line for each row, in which numbers have the names of their columns.

    The first line also says what brackets are, which is in brackets in the names.
    """
    if not cells:
        return []
    head, *rows = cells
    has_numbers = [any(map(_is_number, column)) for column in zip(*rows, strict=True)]
    if not any(has_numbers[1:]):  # sentences need no names
        return ["  ".join(filter(None, row)) for row in rows]
    short = [name.partition(" [")[0] for name in head]
    lines = []
    for names, row in zip([head, *[short] * (len(rows) - 1)], rows, strict=True):
        texts = (
            f"{name}: {cell}" if name and is_named else cell
            for name, cell, is_named in zip(names, row, has_numbers, strict=True)
            if cell
        )
        lines.append("; ".join(texts))
    return lines


def _is_number(cell: str) -> bool:
    return bool(cell) and not any(letter.isalpha() for letter in cell)
