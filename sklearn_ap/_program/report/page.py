"""A report as one HTML file with its pictures inside, and as text."""

import re
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from sklearn_ap._base.drawing.axes import svg_image
from sklearn_ap._base.drawing.heights import fit_height
from sklearn_ap._base.drawing.legend import shorten_name, text_width
from sklearn_ap._base.extras import install_command, printable, printable_lines
from sklearn_ap._base.text import LINE_WIDTH, Table, escape_html, escape_lines, table_as_text
from sklearn_ap._program.report._words import DASH, LESS_OR_EQUAL

TITLE_WIDTH = 40  # letters in a line of a title of a picture, or below it
LABEL_WIDTH = 26  # letters in a line beside a vertical axis
PICTURE_INCHES = 3.8  # its width
ROW_INCHES = 0.3  # the height of a row of it
POINTS_PER_INCH = 72  # of SVG
PANEL_GAP = 0.06  # between the panels of a picture, as a share of a panel
LONGEST_WORDS = 40  # letters; a longer cell is a sentence that may be broken
MOST_COLUMNS_BESIDE = 4  # of a table that has room beside a picture on paper
LONGEST_NAME = 24  # letters; a longer name may be broken, as there are no spaces in it
DOCS = "https://github.com/sklearn-ap/sklearn-ap/blob/main/docs"
NUMBER_STARTS = *"0123456789+-<[", DASH, LESS_OR_EQUAL  # first letters of cells with numbers
STYLE = {"font.size": 9.5, "axes.titlesize": 9.5, "legend.fontsize": 9.7}
MOST_PICTURE_ROWS = 40  # more names are drawn closer together
MOST_ROWS = 8  # a longer table is closed, below its first rows
FIRST_ROWS = 5  # of a closed table
UNBROKEN = re.compile(r"--[a-z]+\b|\b\d{4}-\d{2}(-\d{2})?\b")  # options and dates
PVALUE = re.compile(r"\bp (=|&lt;|&gt;) ")  # whose parts stay in one line
# Names of models are set apart between some words and others: a name may be a word, such as "a".
WORDS_BEFORE = (
    *("and", "as", "between", "but", "by", "for", "from", "minus", "of", "or", "than", "that"),
    "use",
    "Use",
    "where",
    "Where",
)
BEFORE_NAME = "|".join(["^", r"(?<=[.:;,] )", *(f"(?<={each} )" for each in WORDS_BEFORE)])
WORDS_AFTER = (
    *("and", "are", "before", "cannot", "falls", "finds", "for", "from", "has", "in", "is"),
    *("may", "minus", "or", "over", "reaches", "scores?", "still", "until", "[01][.]"),
)
AFTER_NAME = f"(?=$|[.:;,]| (?:{'|'.join(WORDS_AFTER)}))"
MOST_DOUBTS = 3  # of the first lines
WARNINGS = "Warnings"
LEADING = "comparison", "score"  # the names of parts whose picture may stand beside the summary
RANKS = "curve", "top"  # the names of parts about some ranks, whose score may be 1 by luck
FINE = "Nothing looks wrong with labels and scores."
CALLS = "The calls that give these numbers"
UNDATED = {"Date": None, "Creator": None}  # so that equal data give equal bytes
HEAD = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style></head>
<body><main>
<h1>{title}</h1>"""


@dataclass(frozen=True, eq=False)
class Picture:
    """A drawing that is made when a page is written for the first time, and never for a text.

    ``draw`` holds computed numbers, and no array of the user, which may change in the meantime.
    The figure is higher than ``height`` where its rows and the texts around them need more.
    """

    draw: Callable[..., object]  # of axes
    height: float  # inches, at least
    alt: str
    n_axes: int = 1

    @cached_property
    def image(self) -> tuple[str, tuple[str, ...]]:
        """The picture in HTML, on a figure of its own, and the warnings while it was drawn."""
        from matplotlib import style
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        with warned_texts() as texts, style.context(["default", STYLE], after_reset=True):
            figure = Figure(figsize=(PICTURE_INCHES, self.height), dpi=POINTS_PER_INCH)
            FigureCanvasSVG(figure)  # in which texts are as wide as on the page
            # As wide as a phone, so panels stand below each other.
            figure.set_layout_engine("constrained", hspace=PANEL_GAP)
            self.draw(figure.subplots(self.n_axes, 1))
            for axis in figure.axes:
                axis.set_title(_fill_lines(axis.get_title()), parse_math=False)
                if axis.get_legend() is None:  # it stands below the lines that are there
                    axis.set_xlabel(_fill_lines(axis.get_xlabel()), parse_math=False)
                axis.set_ylabel(_fill_lines(axis.get_ylabel(), LABEL_WIDTH), parse_math=False)
            fit_height(figure, ROW_INCHES)
            figure.set_layout_engine("none")  # all has its place, which takes time to find
            image = svg_image(figure, self.alt, transparent=True, metadata=UNDATED)
        return image, tuple(texts)


def _fill_lines(text: str, width: int = TITLE_WIDTH) -> str:
    """Break the lines of a text that are too long for a picture, into lines of similar length."""
    return "\n".join(_balanced_lines(line, width) for line in text.splitlines())


def _balanced_lines(line: str, width: int) -> str:
    """Break a line into as few lines as its width allows, and these as short as they can be."""
    n_lines = len(textwrap.wrap(line, width))
    widths = range(max(1, len(line) // max(1, n_lines)), width)
    narrow = (each for each in widths if len(textwrap.wrap(line, each)) <= n_lines)
    return textwrap.fill(line, next(narrow, width))


def title_of_model(name: str, rest: str = "", n_lines: int = 2) -> str:
    """Write a title that begins with a name, which is shortened if the lines are too many."""
    size = STYLE["axes.titlesize"]
    title = name + rest
    room = text_width(title, size)
    while _fill_lines(title).count("\n") >= n_lines and room > size:
        room *= 0.95
        title = shorten_name(name, room, size, rest)
    return title


class Cutoff(NamedTuple):
    """The threshold that selects rows in the heading of a part, and whether it has a guarantee.

    ``alternative`` is the sentence about a second threshold, if there is one.
    """

    model: str
    threshold: float
    printed: str
    precision: float
    recall: float
    is_guaranteed: bool
    alternative: str = ""
    goal: float | None = None  # the precision that was asked for


@dataclass(frozen=True, slots=True)
class Part:
    """The main sentence, cells with a head, a picture, and the call that makes the numbers.

    ``first_rows`` are the places of the rows that stand above a long table, which is closed. They
    are the first ones by default.
    """

    sentence: str
    cells: Sequence[Sequence[str]] = ()
    notes: Sequence[str] = ()
    picture: Picture | None = field(default=None, compare=False)
    call: str = ""
    copied_text: str = ""
    title: str = ""
    warnings: Sequence[str] = ()
    name: str = ""
    brief: str = ""  # for the first lines, if they need less than the sentence
    page: str = ""  # of the documentation
    urgent: Sequence[str] = ()  # doubts about segments that are compared, which come first
    doubts: Sequence[str] = ()  # why its numbers may mislead, apart from warnings
    more: Sequence[str] = ()  # what stands below the main sentence, and above the numbers
    first_rows: Sequence[int] = range(FIRST_ROWS)
    models: Sequence[str] = ()  # names that are set apart from the words of sentences
    most_rows: int = MOST_ROWS  # of a table that is open
    table: str = ""  # the name of a table that is closed, as few readers need it
    advice: str = ""  # one of the sentences: what to do until a worse segment says otherwise
    cutoff: Cutoff | None = None
    tells_change: bool = False  # of segments: they differ, or a trend is told
    # Makes the part as it is for another model than the best one.
    model_part: Callable[[str], "Part"] | None = field(default=None, compare=False)


class Finding(NamedTuple):
    """One of the first lines of a report: a question, the answer, and the part that has more."""

    question: str
    answer: str
    part: int  # its number on the page


class Top(NamedTuple):
    """What stands above the parts."""

    title: str
    call: str
    summary: Sequence[Finding] = ()
    source: str = ""
    models: Sequence[str] = ()


@contextmanager
def warned_texts() -> Iterator[list[str]]:
    """Collect the texts of warnings for users, each once, in a list that is filled at the end."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield texts
    user_warnings = (w.message for w in caught if issubclass(w.category, UserWarning))
    texts += dict.fromkeys(map(str, user_warnings))


def picture_height(n_names: int) -> float:
    """Return the least inches of a picture with a row for each name."""
    return 1.2 + ROW_INCHES * min(n_names, MOST_PICTURE_ROWS)


def remarks(table: Table) -> list[str]:
    """Return the remarks of a result as one sentence, if there are any."""
    text = "; ".join(table.remarks)
    return [f"{text[0].upper()}{text[1:]}."] if text else []


def omitted_part(error: ValueError) -> Part:
    """Make the replacement of a part that refuses these data."""
    return Part(f"Left out: {re.split(r'(?<=[.]) ', str(error))[0]}")


def texts_to_read(parts: Sequence[Part]) -> dict[str, list[Part]]:
    """List the doubts and then the warnings of all parts, each with the parts that have it.

    The first lines, the part about the data and the last one show this list.
    """
    found: dict[str, list[Part]] = {}
    for kind in ("urgent", "doubts", "warnings"):
        for part in parts:
            for text in getattr(part, kind):
                found.setdefault(text, []).append(part)
    return {
        text: [*{part.title: part for part in owners}.values()] for text, owners in found.items()
    }


def leading_doubts(parts: Sequence[Part]) -> list[str]:
    """List what concerns the data or the score: warnings of some ranks alone do not."""
    return [
        text
        for text, owners in texts_to_read(parts).items()
        if any(part.name not in RANKS for part in owners)
    ]


def add_sentence(part: Part, text: str) -> Part:
    """Add a text behind the heading of a part, and behind it or at the end in the first lines."""
    if not text:
        return part
    brief = part.brief.replace(part.sentence, f"{part.sentence} {text}", 1)
    if brief == part.brief:  # it has words of its own
        brief = f"{part.brief or part.sentence} {text}"
    return replace(part, more=[text, *part.more], brief=brief)


def add_warnings(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Add a last part that lists the doubts and warnings of the others."""
    texts = texts_to_read(parts)
    titles = [", ".join(part.title for part in owners) for owners in texts.values()]
    cells = [["warning", "in"], *map(list, zip(texts, titles, strict=True))]
    warnings_part = Part("There is no warning.", title=WARNINGS, page="warnings")
    if n := len(texts):
        scope = "" if leading_doubts(parts) else ", about the curve or the top rows alone"
        sentence = f"There {'is 1 warning' if n == 1 else f'are {n} warnings'}{scope}."
        warnings_part = Part(sentence, cells, title=WARNINGS, page="warnings")
    return (*parts, warnings_part)


def _draw_pictures(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Draw the pictures of all parts, and add the warnings while drawing to the last part."""
    return parts if lacking_pictures() else add_warnings([*map(_draw_picture, parts[:-1])])


def _draw_picture(part: Part) -> Part:
    """Draw the picture of a part. If it cannot be drawn, the part is left out."""
    if part.picture is None:
        return part
    try:
        _, texts = part.picture.image
    except ValueError as error:
        sentence = omitted_part(error).sentence
        return replace(part, sentence=sentence, more=(), cells=(), notes=(), picture=None, call="")
    return replace(part, warnings=[*dict.fromkeys([*part.warnings, *texts])])


def lacking_pictures() -> str:
    """Explain how to install Matplotlib for pictures; empty if it is installed."""
    if find_spec("matplotlib"):
        return ""
    return f"There are no pictures without Matplotlib: {install_command('plot')}"


def as_file(top: Top, parts: tuple[Part, ...]) -> str:
    """Write a whole page, which loads nothing from elsewhere."""
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    drawn = _draw_pictures(parts)
    lines = [
        HEAD.format(title=escape_html(top.title), style=style),
        *_summary_html(top, drawn),
        *(f"<p>{escape_html(text)}</p>" for text in [lacking_pictures()] if text),
        *(_section_html(i, part) for i, part in enumerate(drawn, 1)),
        _calls_html(top.call, parts),
        "</main></body>\n</html>\n",
    ]
    return "\n".join(lines)


def _summary_html(top: Top, parts: Sequence[Part]) -> Iterator[str]:
    """Write the first lines: the findings with their links, the source, and a picture beside."""
    yield '<div class="first"><div>'
    if top.summary:
        yield '<dl class="summary">'
        for question, answer, part in top.summary:
            link = f'<a href="#part-{part}">{escape_html(question)}</a>'
            yield f"<dt>{link}</dt><dd>{_words_html(answer, top.models)}</dd>"
        yield "</dl>"
    yield f"<p>{escape_html(top.source)}</p></div>"
    if top.summary and not lacking_pictures():
        yield from _overview_html(parts)
    yield "</div>"


def _overview_html(parts: Sequence[Part]) -> Iterator[str]:
    """Write the picture that tells most, unless its part is the first: it is in sight there.

    That is the first one of segments that differ, or else that of all models.
    """
    pictured = [(i, part) for i, part in enumerate(parts, 1) if part.picture is not None]
    leading = [found for found in pictured if found[1].tells_change]
    leading += [found for name in LEADING for found in pictured if found[1].name == name]
    for number, part in leading[:1]:
        if part.picture is not None and number > 1:
            link = f'<a href="#part-{number}">{number}. {escape_html(part.title)}</a>'
            yield f'<figure class="overview">{part.picture.image[0]}<figcaption>{link}</figcaption>'
            yield "</figure>"


def _section_html(number: int, part: Part) -> str:
    page = f"{DOCS}/{part.page}.md"
    link = f' <a class="more" href="{page}" target="_blank">What is this?</a>' if part.page else ""
    lines = [
        f'<section id="part-{number}"><div class="sheet">',
        f'<p class="topic">{number}. {escape_html(part.title)}{link}</p>',
        f"<h2>{_words_html(part.sentence, part.models)}</h2>",
        *(f'<p class="lead">{_words_html(text, part.models)}</p>' for text in part.more),
    ]
    if part.picture is not None and not lacking_pictures():
        lines.append(part.picture.image[0])
    tables = [*_tables_html(part)]
    notes = [f"<p>{_words_html(note, part.models)}</p>" for note in part.notes]
    # What has room beside the picture on paper comes first.
    is_wide = bool(part.picture) and len(part.cells[0]) > MOST_COLUMNS_BESIDE
    lines += [*notes, "</div>", *tables] if is_wide else [*tables, *notes, "</div>"]
    if part.copied_text:
        lines.append(f'<pre class="copy">{escape_lines(part.copied_text)}</pre>')
    return "\n".join([*lines, "</section>"])


def _words_html(text: str, models: Sequence[str] = ()) -> str:
    """Escape a text, set names apart, and keep options, dates and p-values in one line."""
    if not models:
        return _escaped_words(text)
    names = "|".join(map(re.escape, sorted(models, key=len, reverse=True)))
    parts = re.split(f"(?:{BEFORE_NAME})({names}){AFTER_NAME}", text)
    return "".join(
        f"<b>{escape_html(each)}</b>" if i % 2 else _escaped_words(each)
        for i, each in enumerate(parts)
    )


def _escaped_words(text: str) -> str:
    text = UNBROKEN.sub(r'<span class="option">\g<0></span>', escape_html(text))
    return PVALUE.sub("p&nbsp;\\1&nbsp;", text)


def _calls_html(page_call: str, parts: Iterable[Part]) -> str:
    """Write the call that makes the page, which may be long, and those of all parts, in Python."""
    calls = [f"# {part.title}\n{part.call}" for part in parts if part.call]
    lines = [
        f'<section class="calls"><h2>{CALLS}</h2>',
        f'<pre class="page">{escape_lines(page_call)}</pre>',
    ]
    if calls:
        text = escape_lines("\n".join(calls))
        lines.append(f'<pre class="call">{text}</pre>')
    return "\n".join([*lines, "</section>"])


def _tables_html(part: Part) -> Iterator[str]:
    """Write the table of a part. A long one is closed, and its most relevant rows stand above."""
    if not part.cells:
        return
    head, *rows = part.cells
    table = _table_html(part.cells)
    if part.table:
        yield f"<details><summary>{part.table}</summary>{table}</details>"
    elif len(rows) <= part.most_rows:
        yield table
    else:
        yield _table_html([head, *(rows[place] for place in part.first_rows)])
        yield f'<p class="rows">{len(part.first_rows)} of {len(rows)} rows</p>'
        yield f"<details><summary>All {len(rows)} rows</summary>"
        yield f"{table}</details>"


def _table_html(cells: Sequence[Sequence[str]]) -> str:
    head, *body = cells
    kinds = [_column_kind(column) for column in zip(*body, strict=True)]
    heads = (
        f'<th scope="col" class="{_head_kind(text, kind)}">{escape_html(text)}</th>'
        for text, kind in zip(head, kinds, strict=True)
    )
    top = f"<thead><tr>{''.join(heads)}</tr></thead>"
    rows = "".join(_row_html(row, kinds) for row in body)
    return f'<div class="scrolls"><table>\n{top}\n<tbody>\n{rows}</tbody></table></div>'


def _row_html(row: Sequence[str], kinds: Sequence[str]) -> str:
    """Write a row, whose first cell is its head unless it is empty."""
    heads = ['th scope="row"' if row[0] else "td", *["td"] * (len(row) - 1)]
    cells = (
        f'<{tag} class="{kind}">{escape_html(text)}</{tag[:2]}>'
        for tag, kind, text in zip(heads, kinds, row, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>\n"


def _head_kind(text: str, column_kind: str) -> str:
    """Return the class of a head: that of its column, and whether a word of it may be broken."""
    has_long_word = max(map(len, text.split()), default=0) > LONGEST_NAME
    return f"long {column_kind}" if has_long_word and "long" not in column_kind else column_kind


def _column_kind(column: Sequence[str]) -> str:
    """Return the class of a column in the style of the page."""
    longest = max(map(len, column))
    if longest > LONGEST_WORDS and any(" " in text for text in column):
        return "words"
    if any(text.startswith(NUMBER_STARTS) for text in column):
        return "numbers"
    return "long names" if longest > LONGEST_NAME else "names"


def as_lines(top: Top, parts: Sequence[Part]) -> str:
    """Write the text for a terminal."""
    lines = [printable(top.title)]
    lines += [
        textwrap.fill(printable(f"{question}: {answer}"), LINE_WIDTH, subsequent_indent="  ")
        for question, answer, _ in top.summary
    ]
    lines += [printable(top.source), printable_lines(top.call)]
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
